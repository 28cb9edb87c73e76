//! The same scenario as TOML.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json};

/// Returns the TOML document of a table: first the values that are not tables, then a section for each table and for
/// each item of a list of tables, with inline tables below.
///
/// # Panics
/// If the value is not a table.
pub fn toml(document: &Json) -> String {
    let table = document.as_object().expect("a scenario is a table");
    let is_section = |value: &Json| match value {
        Json::Object(_) => true,
        Json::Array(items) => !items.is_empty() && items.iter().all(Json::is_object),
        _ => false,
    };
    let mut text = String::new();
    lines(table, |value| !is_section(value), &mut text);
    for (name, value) in table.iter().filter(|(_, value)| is_section(value)) {
        let tables = value.as_array().map_or_else(|| vec![value], |items| items.iter().collect());
        let [open, close] = if value.is_array() { ["[[", "]]"] } else { ["[", "]"] };
        for table in tables {
            let _ = write!(text, "\n{open}{}{close}\n", key(name));
            lines(table.as_object().expect("a table"), |_| true, &mut text);
        }
    }
    text
}

fn lines(table: &Map<String, Json>, wanted: impl Fn(&Json) -> bool, text: &mut String) {
    for (name, value) in table.iter().filter(|(_, value)| !value.is_null() && wanted(value)) {
        let _ = writeln!(text, "{} = {}", key(name), inline(value));
    }
}

fn key(name: &str) -> String {
    let is_bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if is_bare { name.to_owned() } else { Json::from(name).to_string() }
}

fn inline(value: &Json) -> String {
    let joined = |items: Vec<String>| items.join(", ");
    match value {
        Json::Array(items) => format!("[{}]", joined(items.iter().map(inline).collect())),
        Json::Object(table) => {
            let entry = |(name, value): (&String, &Json)| format!("{} = {}", key(name), inline(value));
            format!("{{ {} }}", joined(table.iter().filter(|(_, value)| !value.is_null()).map(entry).collect()))
        }
        // JSON's texts are valid TOML: serde_json never writes "\/", and it writes control characters as \u00XX.
        Json::String(text) => Json::from(text.as_str()).to_string().replace('\u{7f}', "\\u007F"),
        Json::Number(number) if number.is_f64() => {
            let text = number.to_string();
            // A float of TOML has a point or an exponent with digits on both sides, like serde_json's floats.
            if text.contains(['.', 'e']) { text } else { format!("{text}.0") }
        }
        other => other.to_string(),
    }
}
