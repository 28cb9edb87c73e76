//! RemyCC in a scenario: its rule table is in a separate file.

use ackclock_tcp::cc::Algorithm;
use ackclock_tcp::cc::remycc::{self, Table};
use serde_json::{Map, Value as Json, json};

use ackclock_schema::file::{DIGEST, Format, FromFile};
use ackclock_schema::problems::{Problems, listed, suggestion};
use ackclock_schema::record::object_schema;
use ackclock_schema::tree::{KeyPath, Node, Value};
use ackclock_schema::union::KIND;

/// Key of the path to the rule table.
pub(super) const TABLE: &str = "table";

/// A rule table of RemyCC and the file that it was read from.
pub type RemyTable = FromFile<RemyFormat>;

/// Remy's format of rule tables.
#[derive(Clone, PartialEq, Debug)]
pub struct RemyFormat;

impl Format for RemyFormat {
    type Content = Table;
    const KEY: &'static str = TABLE;
    const NOUN: &'static str = "a RemyCC table";
    const EXAMPLE: &'static str = "RemyCC-2013-delta1.dna";
    const ACCEPTED: &'static str = "a table as Remy writes it, in protocol buffers";
    const PATH_DOC: &'static str = "The table.";

    fn decode(bytes: &[u8]) -> Result<Table, String> {
        Table::decode(bytes).map_err(|error| format!("byte {}: {}", error.at, error.message))
    }
}

/// Keys of a RemyCC table in a scenario.
const KEYS: [&str; 3] = [KIND, TABLE, DIGEST];

/// Example of the syntax in a scenario, for messages.
pub(super) const EXAMPLE: &str = "a table such as { kind = \"remycc\", table = \"RemyCC-2013-delta1.dna\" }";

/// Returns the algorithm of a form of RemyCC that follows the rule table.
pub(super) fn algorithm(name: &str, file: &RemyTable) -> Algorithm {
    remycc::Form::by_name(name).expect("a form of RemyCC").algorithm(file.content.clone())
}

/// Reads the rule table from the file that the table `entries` at `at` names; adds all mistakes to the problems.
pub(super) fn read(entries: &[(String, Node)], at: &KeyPath, problems: &mut Problems<'_>) -> Option<RemyTable> {
    for (key, _) in entries.iter().filter(|(key, _)| !KEYS.contains(&key.as_str())) {
        let (accepted, hint) = (listed(KEYS), suggestion(key, KEYS));
        problems.add(at.key(key), format!("unknown key of {}; accepted: {accepted}{hint}", remycc::NAME));
    }
    let value = |key: &str| {
        let entry = entries.iter().find(|(k, node)| k == key && !matches!(node.value, Value::Null));
        entry.map(|(_, node)| node)
    };
    RemyTable::of(value, at, problems)
}

/// Returns the canonical form.
pub(super) fn write(name: &str, file: &RemyTable) -> Json {
    let mut table = Map::new();
    table.insert(KIND.to_owned(), Json::from(name));
    table.extend(file.write());
    Json::Object(table)
}

/// Returns the JSON Schema of a RemyCC table in a scenario.
pub(super) fn schema(form: &remycc::Form) -> Json {
    let mut schema = object_schema(Some((form.name, false)), form.summary, &RemyTable::fields());
    schema["properties"][KIND] = json!({ "const": form.name, "description": form.summary });
    schema
}
