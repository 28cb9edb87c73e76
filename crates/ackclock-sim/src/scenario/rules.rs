//! RemyCC in a scenario: a table that lies in a file of its own, which whoever reads the scenario hands over.

use std::sync::Arc;

use ackclock_tcp::cc::Algorithm;
use ackclock_tcp::cc::remycc::{self, Table};
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};

use super::problems::{Problems, listed, suggestion};
use super::tree::{Node, Path, Value};
use super::union::KIND;

const TABLE: &str = "table";
const DIGEST: &str = "sha256";
const KEYS: [&str; 3] = [KIND, TABLE, DIGEST];
const ACCEPTED: &str = "the path, from the scenario's folder, of a RemyCC table such as \"RemyCC-2013-delta1.dna\"";
const DIGEST_DOC: &str = "SHA-256 of the table's file in hexadecimal; a file with another is refused";

/// A table of RemyCC and where it came from.
#[derive(Clone, PartialEq, Debug)]
pub struct Rules {
    /// The path as it was written.
    pub path: String,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// What the file says.
    pub table: Arc<Table>,
}

impl Rules {
    /// How a scenario says it.
    pub(super) const EXAMPLE: &str = "a table such as { kind = \"remycc\", table = \"RemyCC-2013-delta1.dna\" }";

    /// What connections are given.
    pub(super) fn algorithm(&self) -> Algorithm {
        remycc::algorithm(self.table.clone())
    }

    /// The rules that the table `entries` at `at` names; what is wrong with it is added to the problems.
    pub(super) fn read(entries: &[(String, Node)], at: &Path, problems: &mut Problems<'_>) -> Option<Rules> {
        for (key, _) in entries.iter().filter(|(key, _)| !KEYS.contains(&key.as_str())) {
            let (accepted, hint) = (listed(KEYS), suggestion(key, KEYS));
            problems.add(at.key(key), format!("unknown key of {}; accepted: {accepted}{hint}", remycc::NAME));
        }
        let value = |key: &str| entries.iter().find(|(k, node)| k == key && !matches!(node.value, Value::Null));
        let place = at.key(TABLE);
        let Some((_, node)) = value(TABLE) else {
            problems.add(place, format!("missing; accepted: {ACCEPTED}"));
            return None;
        };
        let Value::Text(path) = &node.value else {
            problems.add(place, format!("{} is not a path; accepted: {ACCEPTED}", node.shown()));
            return None;
        };
        let bytes = match problems.file(path) {
            Ok(bytes) => bytes,
            Err(why) => {
                problems.add(place, format!("{} cannot be read: {why}; accepted: {ACCEPTED}", node.shown()));
                return None;
            }
        };
        let table = match Table::decode(&bytes) {
            Ok(table) => Arc::new(table),
            Err(error) => {
                let (shown, wrong) = (node.shown(), format!("byte {}: {}", error.at, error.message));
                problems.add(place, format!("{shown} is not a RemyCC table: {wrong}; accepted: {ACCEPTED}"));
                return None;
            }
        };
        let sha256: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        if let Some((_, given)) = value(DIGEST)
            && !matches!(&given.value, Value::Text(text) if *text == sha256)
        {
            let message = format!("{} is not that of {}; accepted: \"{sha256}\"", given.shown(), node.shown());
            problems.add(at.key(DIGEST), message);
            return None;
        }
        Some(Rules { path: path.clone(), sha256, table })
    }

    /// The canonical form.
    pub(super) fn write(&self) -> Json {
        json!({ KIND: remycc::NAME, TABLE: self.path, DIGEST: self.sha256 })
    }

    /// Leaves of the canonical form of a congestion control what it does: a table is what is in it, wherever it lies.
    pub(super) fn forget_path(canonical: &mut Map<String, Json>) {
        if canonical.get(KIND).and_then(Json::as_str) == Some(remycc::NAME) {
            canonical.shift_remove(TABLE);
        }
    }

    pub(super) fn schema() -> Json {
        json!({
            "type": "object",
            "description": remycc::SUMMARY,
            "properties": {
                KIND: { "const": remycc::NAME, "description": remycc::SUMMARY },
                TABLE: { "type": "string", "description": format!("Accepted: {ACCEPTED}.") },
                DIGEST: { "type": "string", "pattern": "^[0-9a-f]{64}$", "description": format!("{DIGEST_DOC}.") },
            },
            "required": [KIND, TABLE],
            "additionalProperties": false,
        })
    }
}
