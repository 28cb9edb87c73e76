//! Fields and the values that they accept, as messages, schema and reference describe them.

use serde_json::Value as Json;

/// Key that tells the tables of a union apart.
pub const KIND: &str = "kind";

/// Description of the values that a kind accepts.
pub struct Info {
    /// Noun in the reference: "rate", "table".
    pub noun: String,
    /// Unit of a number without a suffix, or the units of a quantity.
    pub unit: String,
    /// Phrase for messages: `a rate above 0bps, such as "1.5Mbps"`.
    pub accepts: String,
    /// JSON Schema, without title, description and default.
    pub schema: Json,
    /// Fields of a table, each with the part of the path between this value and the field: `.rate`, `[].name`.
    pub nested: Vec<(String, FieldInfo)>,
}

/// A field, as schema and reference describe it.
pub struct FieldInfo {
    /// Key in a text.
    pub key: &'static str,
    /// Sentence on the field.
    pub doc: String,
    /// Whether the key is required.
    pub required: bool,
    /// Value if the key is absent.
    pub default: Option<Json>,
    /// Meaning of an absent key that has no default value.
    pub absent: Option<String>,
    /// Description of the accepted values.
    pub info: Info,
}
