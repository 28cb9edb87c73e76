//! RemyCC in a scenario: a table that lies in a file of its own.

use ackclock_tcp::cc::Algorithm;
use ackclock_tcp::cc::remycc::{self, Table};
use serde_json::{Map, Value as Json, json};

use super::file::{DIGEST, Format, FromFile};
use super::problems::{Problems, listed, suggestion};
use super::record::object_schema;
use super::tree::{Node, Path, Value};
use super::union::KIND;

/// The key of the table's path.
pub(super) const TABLE: &str = "table";
const KEYS: [&str; 3] = [KIND, TABLE, DIGEST];

const FORMAT: Format<Table> = Format {
    key: TABLE,
    noun: "a RemyCC table",
    example: "RemyCC-2013-delta1.dna",
    content: "a table as Remy writes it, in protocol buffers",
    decode: |bytes| Table::decode(bytes).map_err(|error| format!("byte {}: {}", error.at, error.message)),
};

/// A table of RemyCC and where it came from.
pub type Rules = FromFile<Table>;

impl Rules {
    /// How a scenario says it.
    pub(super) const EXAMPLE: &str = "a table such as { kind = \"remycc\", table = \"RemyCC-2013-delta1.dna\" }";

    /// What connections are given.
    pub(super) fn algorithm(&self) -> Algorithm {
        remycc::algorithm(self.content.clone())
    }

    /// The rules that the table `entries` at `at` names; what is wrong with it is added to the problems.
    pub(super) fn read(entries: &[(String, Node)], at: &Path, problems: &mut Problems<'_>) -> Option<Rules> {
        for (key, _) in entries.iter().filter(|(key, _)| !KEYS.contains(&key.as_str())) {
            let (accepted, hint) = (listed(KEYS), suggestion(key, KEYS));
            problems.add(at.key(key), format!("unknown key of {}; accepted: {accepted}{hint}", remycc::NAME));
        }
        let value = |key: &str| {
            let entry = entries.iter().find(|(k, node)| k == key && !matches!(node.value, Value::Null));
            entry.map(|(_, node)| node)
        };
        FORMAT.read(value, at, problems)
    }

    /// The canonical form.
    pub(super) fn write(&self) -> Json {
        let mut table = Map::new();
        table.insert(KIND.to_owned(), Json::from(remycc::NAME));
        table.extend(FORMAT.write(self));
        Json::Object(table)
    }

    pub(super) fn schema() -> Json {
        let mut schema = object_schema(Some((remycc::NAME, false)), remycc::SUMMARY, &FORMAT.fields("The table."));
        schema["properties"][KIND] = json!({ "const": remycc::NAME, "description": remycc::SUMMARY });
        schema
    }
}
