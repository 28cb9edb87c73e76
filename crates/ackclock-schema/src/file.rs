//! Content of a separate file, which a text names and the reader's caller supplies. The digest of the file is a part of
//! the canonical form; the path does not belong to the identity of the text (see [`forget_paths`]).

use std::fmt::Debug;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};

use crate::kinds::Info;
use crate::problems::Problems;
use crate::record::{FieldInfo, Reader, Record};
use crate::renewal::Renewal;
use crate::tree::{KeyPath, Node, Value};

/// Key of a file's digest, beside the key of its path.
pub const DIGEST: &str = "sha256";
/// Key of a file's path, unless the format has a key of its own.
pub const FILE: &str = "file";
const DIGEST_DOC: &str = "SHA-256 of the file in hexadecimal; a file with another is refused.";

/// A format of files.
pub trait Format: Clone + PartialEq + Debug {
    /// Content of a file of the format.
    type Content: PartialEq + Debug;
    /// The key of the path.
    const KEY: &'static str = FILE;
    /// The noun for a file of the format, with its article.
    const NOUN: &'static str;
    /// Example of a file name.
    const EXAMPLE: &'static str;
    /// The content that is accepted.
    const ACCEPTED: &'static str;
    /// Sentence on the key of the path.
    const PATH_DOC: &'static str;

    /// Decodes the content of a file.
    ///
    /// # Errors
    /// The mistake in the bytes.
    fn decode(bytes: &[u8]) -> Result<Self::Content, String>;
}

/// A format whose files are named by a table with no other keys; the table is a [`Record`].
pub trait Alone: Format {
    /// Sentence on the table.
    const DOC: &'static str;

    /// Returns content that stands for a file that could not be read; a text that names such a file is refused.
    fn placeholder() -> Self::Content;
}

/// Content that was read from a file.
#[derive(Clone, PartialEq, Debug)]
pub struct FromFile<F: Format> {
    /// Path as it was written.
    pub path: String,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// The content.
    pub content: Arc<F::Content>,
}

impl<F: Format> FromFile<F> {
    /// Keys of a table that names a file.
    pub const KEYS: [&'static str; 2] = [F::KEY, DIGEST];

    fn accepted() -> String {
        format!("the path, from the scenario's folder, of {} such as {:?}", F::NOUN, F::EXAMPLE)
    }

    /// Reads the file that the table at `at` names. `value` returns the value of a key of the table. Mistakes are added
    /// to the problems.
    pub fn of<'n>(
        value: impl Fn(&str) -> Option<&'n Node>,
        at: &KeyPath,
        problems: &mut Problems<'_>,
    ) -> Option<FromFile<F>> {
        let (place, accepted) = (at.key(F::KEY), Self::accepted());
        let Some(node) = value(F::KEY) else {
            problems.add(place, format!("missing; accepted: {accepted}"));
            return None;
        };
        let Value::Text(path) = &node.value else {
            problems.add(place, format!("{} is not a path; accepted: {accepted}", node.shown()));
            return None;
        };
        let bytes = match problems.file(path) {
            Ok(bytes) => bytes,
            Err(why) => {
                problems.add(place, format!("{} cannot be read: {why}; accepted: {accepted}", node.shown()));
                return None;
            }
        };
        let content = match F::decode(&bytes) {
            Ok(content) => Arc::new(content),
            Err(wrong) => {
                let shown = node.shown();
                problems.add(place, format!("{shown} is not {}: {wrong}; accepted: {}", F::NOUN, F::ACCEPTED));
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

    /// Returns the keys of the canonical form.
    pub fn write(&self) -> Map<String, Json> {
        let entries = [(F::KEY, &self.path), (DIGEST, &self.sha256)];
        entries.into_iter().map(|(key, text)| (key.to_owned(), Json::from(text.as_str()))).collect()
    }

    /// Returns the fields for schema and reference.
    pub fn fields() -> Vec<FieldInfo> {
        let info = |noun: &str, accepts, schema| Info {
            noun: noun.to_owned(),
            unit: String::new(),
            accepts,
            schema,
            nested: Vec::new(),
        };
        let path = info("path", Self::accepted(), json!({ "type": "string" }));
        let digest = "64 hexadecimal digits".to_owned();
        let digest = info("digest", digest, json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" }));
        let absent = Some("whatever the file has".to_owned());
        let (path_doc, digest_doc) = (F::PATH_DOC.to_owned(), DIGEST_DOC.to_owned());
        vec![
            FieldInfo { key: F::KEY, doc: path_doc, required: true, default: None, absent: None, info: path },
            FieldInfo { key: DIGEST, doc: digest_doc, required: false, default: None, absent, info: digest },
        ]
    }
}

impl<F: Alone> Record for FromFile<F> {
    /// No key of a file has an old name.
    fn renew(_node: &mut Node, _at: &KeyPath, _renewal: &mut Renewal) {}

    fn read(reader: &mut Reader<'_, '_>) -> FromFile<F> {
        let node = reader.node;
        let file = FromFile::of(|key| node.get(key), reader.at, reader.problems);
        reader.refuse_other_keys(&Self::KEYS);
        file.unwrap_or_else(|| FromFile {
            path: String::new(),
            sha256: String::new(),
            content: F::placeholder().into(),
        })
    }

    fn write(&self) -> Map<String, Json> {
        FromFile::write(self)
    }

    fn doc() -> String {
        F::DOC.to_owned()
    }

    fn fields() -> Vec<FieldInfo> {
        FromFile::<F>::fields()
    }
}

/// Removes the paths of files from a canonical form, because a file is identified by its content. Every table with a
/// digest has the path under one of `keys`.
pub fn forget_paths(canonical: &mut Json, keys: &[&str]) {
    match canonical {
        Json::Object(table) => {
            // A registered algorithm may have a parameter with the same name, which is a number.
            if table.get(DIGEST).is_some_and(Json::is_string) {
                keys.iter().for_each(|key| drop(table.shift_remove(*key)));
            }
            table.values_mut().for_each(|value| forget_paths(value, keys));
        }
        Json::Array(items) => items.iter_mut().for_each(|item| forget_paths(item, keys)),
        _ => {}
    }
}
