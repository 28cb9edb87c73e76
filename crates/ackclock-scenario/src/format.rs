//! The format of scenarios. A text may state its format. The format does not change the meaning of the scenario, so it
//! is neither in the canonical form nor in the hash.

use ackclock_schema::kinds::Info;
use ackclock_schema::record::FieldInfo;
use ackclock_schema::tree::{Node, Value};
use serde_json::{Value as Json, json};

/// The format that this version reads and writes. The number rises when the meaning of an accepted text changes.
pub const FORMAT: u32 = 1;

/// The key of the format.
pub(super) const KEY: &str = "format";

/// Name of the format's JSON Schema; the name is not an address.
pub(super) const ID: &str = "urn:ackclock:scenario:1";

const DOC: &str = "The format of the text, so that later versions know how to read it.";

/// Removes the format from a text.
///
/// # Errors
/// The line of the format, and a message, if this version does not read the stated format.
pub(super) fn take(root: &mut Node) -> Result<(), (Option<u32>, String)> {
    let Value::Table(entries) = &mut root.value else { return Ok(()) };
    let Some(at) = entries.iter().position(|(key, _)| key == KEY) else { return Ok(()) };
    let (_, node) = entries.remove(at);
    match &node.value {
        Value::Null => Ok(()),
        Value::Number(text) if *text == FORMAT.to_string() => Ok(()),
        Value::Number(text) if text.parse().is_ok_and(|format: u32| format > FORMAT) => {
            let message = format!("{text} is the format of a later version of ackclock; accepted: {FORMAT}");
            Err((node.line, message))
        }
        _ => Err((node.line, format!("{} is not a format; accepted: {FORMAT}", node.shown()))),
    }
}

/// JSON Schema of the key.
pub(super) fn schema() -> Json {
    json!({ "const": FORMAT, "title": "format", "description": format!("{DOC} Accepted: {FORMAT}.") })
}

/// The key as the reference shows it.
pub(super) fn field() -> (String, FieldInfo) {
    let info = Info {
        noun: "whole number".to_owned(),
        unit: String::new(),
        accepts: FORMAT.to_string(),
        schema: schema(),
        nested: Vec::new(),
    };
    let absent = Some("the present format".to_owned());
    let field = FieldInfo { key: KEY, doc: DOC.to_owned(), required: false, default: None, absent, info };
    (format!(".{KEY}"), field)
}
