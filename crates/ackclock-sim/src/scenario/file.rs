//! What lies in a file of its own, which a scenario names and whoever reads the scenario hands over. Its digest is part of the
//! canonical form, its path is not part of what identifies the scenario.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};

use super::kinds::Info;
use super::problems::Problems;
use super::record::FieldInfo;
use super::tree::{Node, Path, Value};

/// The key of a file's digest, beside that of its path.
pub(crate) const DIGEST: &str = "sha256";
/// The key of a file's path, unless the table has a better one.
pub(crate) const FILE: &str = "file";
const DIGEST_DOC: &str = "SHA-256 of the file in hexadecimal; a file with another is refused.";

/// What was read from a file.
#[derive(Clone, PartialEq, Debug)]
pub struct FromFile<T> {
    /// The path as it was written.
    pub path: String,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// What the file says.
    pub content: Arc<T>,
}

/// How a scenario names a file of a format.
pub(crate) struct Format<T> {
    /// The key of the path.
    pub key: &'static str,
    /// What a file of the format is, with its article.
    pub noun: &'static str,
    /// A name that such a file may have.
    pub example: &'static str,
    /// What is accepted in it.
    pub content: &'static str,
    /// What a file says, or what is wrong with it.
    pub decode: fn(&[u8]) -> Result<T, String>,
}

impl<T> Format<T> {
    fn accepted(&self) -> String {
        format!("the path, from the scenario's folder, of {} such as {:?}", self.noun, self.example)
    }

    /// What the table at `at` names, `value` being the value of a key of it; what is wrong is added to the problems.
    pub fn read<'n>(
        &self,
        value: impl Fn(&str) -> Option<&'n Node>,
        at: &Path,
        problems: &mut Problems<'_>,
    ) -> Option<FromFile<T>> {
        let place = at.key(self.key);
        let Some(node) = value(self.key) else {
            problems.add(place, format!("missing; accepted: {}", self.accepted()));
            return None;
        };
        let Value::Text(path) = &node.value else {
            problems.add(place, format!("{} is not a path; accepted: {}", node.shown(), self.accepted()));
            return None;
        };
        let bytes = match problems.file(path) {
            Ok(bytes) => bytes,
            Err(why) => {
                problems.add(place, format!("{} cannot be read: {why}; accepted: {}", node.shown(), self.accepted()));
                return None;
            }
        };
        let content = match (self.decode)(&bytes) {
            Ok(content) => Arc::new(content),
            Err(wrong) => {
                let shown = node.shown();
                problems.add(place, format!("{shown} is not {}: {wrong}; accepted: {}", self.noun, self.content));
                return None;
            }
        };
        let sha256: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        if let Some(given) = value(DIGEST)
            && !matches!(&given.value, Value::Text(text) if *text == sha256)
        {
            let message = format!("{} is not that of {}; accepted: \"{sha256}\"", given.shown(), node.shown());
            problems.add(at.key(DIGEST), message);
            return None;
        }
        Some(FromFile { path: path.clone(), sha256, content })
    }

    /// The keys of the canonical form.
    pub fn write(&self, file: &FromFile<T>) -> Map<String, Json> {
        let entries = [(self.key, &file.path), (DIGEST, &file.sha256)];
        entries.into_iter().map(|(key, text)| (key.to_owned(), Json::from(text.as_str()))).collect()
    }

    /// The fields for schema and reference.
    pub fn fields(&self, doc: &str) -> Vec<FieldInfo> {
        let info = |noun: &str, accepts, schema| Info {
            noun: noun.to_owned(),
            unit: String::new(),
            accepts,
            schema,
            nested: Vec::new(),
        };
        let path = info("path", self.accepted(), json!({ "type": "string" }));
        let digest = "64 hexadecimal digits".to_owned();
        let digest = info("digest", digest, json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" }));
        let absent = Some("whatever the file has".to_owned());
        vec![
            FieldInfo { key: self.key, doc: doc.to_owned(), required: true, default: None, absent: None, info: path },
            FieldInfo { key: DIGEST, doc: DIGEST_DOC.to_owned(), required: false, default: None, absent, info: digest },
        ]
    }
}

/// Leaves of a canonical form what it does: a file is what is in it, wherever it lies. Every table with a digest has the path
/// under one of `keys`.
pub(super) fn forget_paths(canonical: &mut Json, keys: &[&str]) {
    match canonical {
        Json::Object(table) => {
            // An algorithm of somebody's own may have a number of that name.
            if table.get(DIGEST).is_some_and(Json::is_string) {
                keys.iter().for_each(|key| drop(table.shift_remove(*key)));
            }
            table.values_mut().for_each(|value| forget_paths(value, keys));
        }
        Json::Array(items) => items.iter_mut().for_each(|item| forget_paths(item, keys)),
        _ => {}
    }
}
