//! Tables of fields, each field defined once: [`record!`](crate::record!) makes from one list the struct, its reader, its canonical
//! form and its part of JSON Schema and reference.

use std::marker::PhantomData;

use serde_json::{Map, Value as Json, json};

pub use crate::info::FieldInfo;
use crate::info::{Info, KIND};
use crate::kinds::Kind;
use crate::problems::{Problems, listed, suggestion};
use crate::renewal::Renewal;
use crate::tree::{KeyPath, Node, Step, Value};

/// Defines a table. A field is `/// Sentence.`, then `name: type = how(..., kind);` where `how` is one of [`required`],
/// [`default`], [`optional`], [`like`] and [`numbered`]. `how(...).was(&["old"])` declares the old names of the field.
#[macro_export]
macro_rules! record {
    (
        $(#[doc = $doc:literal])+
        pub struct $Name:ident $(<$T:ident: $Bound:ident>)? {
            $($(#[doc = $field_doc:literal])+ $field:ident: $Type:ty = $slot:expr;)*
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, PartialEq, Debug)]
        pub struct $Name $(<$T: $Bound>)? {
            $($(#[doc = $field_doc])+ pub $field: $Type,)*
        }

        impl $(<$T: $Bound>)? $crate::record::Record for $Name $(<$T>)? {
            // A record may have no fields.
            #[allow(unused_variables)]
            fn renew(
                node: &mut $crate::tree::Node,
                at: &$crate::tree::KeyPath,
                renewal: &mut $crate::renewal::Renewal,
            ) {
                $($crate::record::Slot::renew(
                    &$crate::record::typed::<$Type, _>($slot),
                    stringify!($field),
                    node,
                    at,
                    renewal,
                );)*
            }

            fn read(reader: &mut $crate::record::Reader<'_, '_>) -> Self {
                let record = Self {
                    $($field: $crate::record::Slot::read(
                        &$crate::record::typed::<$Type, _>($slot),
                        stringify!($field),
                        reader,
                    ),)*
                };
                reader.refuse_other_keys(&[$(stringify!($field)),*]);
                record
            }

            fn write(&self) -> $crate::serde_json::Map<String, $crate::serde_json::Value> {
                $crate::record::written([$((
                    stringify!($field),
                    $crate::record::Slot::write(
                        &$crate::record::typed::<$Type, _>($slot),
                        &self.$field,
                    ),
                )),*])
            }

            fn doc() -> String {
                $crate::record::sentences(&[$($doc),+])
            }

            fn fields() -> Vec<$crate::record::FieldInfo> {
                vec![$($crate::record::Slot::info(
                    &$crate::record::typed::<$Type, _>($slot),
                    stringify!($field),
                    $crate::record::sentences(&[$($field_doc),+]),
                )),*]
            }
        }
    };
}

/// The interface that [`record!`](crate::record!) implements.
pub trait Record: Sized {
    /// Replaces the old names in a table.
    fn renew(node: &mut Node, at: &KeyPath, renewal: &mut Renewal);
    /// Reads the fields of a table; mistakes are added to the reader's problems.
    fn read(reader: &mut Reader<'_, '_>) -> Self;
    /// Returns the canonical form.
    fn write(&self) -> Map<String, Json>;
    /// Returns the sentence on the table.
    fn doc() -> String;
    /// Returns the fields, as schema and reference describe them.
    fn fields() -> Vec<FieldInfo>;
}

/// A large record is held behind a pointer.
impl<R: Record> Record for Box<R> {
    fn renew(node: &mut Node, at: &KeyPath, renewal: &mut Renewal) {
        R::renew(node, at, renewal);
    }

    fn read(reader: &mut Reader<'_, '_>) -> Self {
        Box::new(R::read(reader))
    }

    fn write(&self) -> Map<String, Json> {
        R::write(self)
    }

    fn doc() -> String {
        R::doc()
    }

    fn fields() -> Vec<FieldInfo> {
        R::fields()
    }
}

/// Returns fields and their values as a table; fields without a value are left out.
pub fn written<const N: usize>(fields: [(&str, Option<Json>); N]) -> Map<String, Json> {
    fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

/// Joins the lines of doc comments to running text.
pub fn sentences(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

/// Reads the fields of one table.
pub struct Reader<'r, 'p> {
    /// The table.
    pub node: &'r Node,
    /// The path of the table.
    pub at: &'r KeyPath,
    /// Problems found so far.
    pub problems: &'r mut Problems<'p>,
    /// Message on a key that belongs to another kind, for a table of a union, whose `kind` is not a field of the
    /// record.
    pub foreign: Option<&'r Foreign<'r>>,
    /// Keys of the table that do not belong to the record and are read elsewhere.
    pub besides: &'static [&'static str],
}

/// Returns where a key belongs, if it belongs anywhere.
pub type Foreign<'r> = dyn Fn(&str) -> Option<String> + 'r;

impl Reader<'_, '_> {
    /// Adds a problem for each key that is not among `fields`.
    pub fn refuse_other_keys(&mut self, fields: &[&str]) {
        let Value::Table(entries) = &self.node.value else { return };
        let kind = self.foreign.map(|_| KIND);
        let accepted = || self.besides.iter().copied().chain(fields.iter().copied()).chain(kind);
        for (key, _) in entries {
            if accepted().any(|accepted| accepted == key) {
                continue;
            }
            let elsewhere = self.foreign.and_then(|foreign| foreign(key));
            let hint = elsewhere.unwrap_or_else(|| suggestion(key, accepted()));
            self.problems.add(self.at.key(key), format!("unknown key; accepted: {}{hint}", listed(accepted())));
        }
    }
}

/// A field of a record without its name: its kind, and the meaning of its absence.
pub trait Slot {
    /// Type in Rust.
    type Value;
    /// Replaces the old names of a key, and those in its value.
    fn renew(&self, key: &'static str, node: &mut Node, at: &KeyPath, renewal: &mut Renewal);
    /// Reads the value of a key of the reader's table, or determines the value of an absent key.
    fn read(&self, key: &'static str, reader: &mut Reader<'_, '_>) -> Self::Value;
    /// Returns the value; `None` if the key is left out.
    fn write(&self, value: &Self::Value) -> Option<Json>;
    /// Returns the field, as schema and reference describe it.
    fn info(&self, key: &'static str, doc: String) -> FieldInfo;
}

/// Tells the compiler the Rust type of a field.
pub fn typed<T, S: Slot<Value = T>>(slot: S) -> S {
    slot
}

/// A field that always has a value.
pub struct Present<K> {
    kind: K,
    absent: Absent,
    was: &'static [&'static str],
}

impl<K> Present<K> {
    /// Sets the old names of the field, which are accepted with a warning.
    pub fn was(self, was: &'static [&'static str]) -> Present<K> {
        Present { was, ..self }
    }
}

/// Value of an absent field.
enum Absent {
    Refused,
    /// Required unless a preset supplies it; a preset's value has been filled in before.
    Preset,
    Value(Json),
    /// The value of another key of the same table.
    Like(&'static str),
    /// This text, followed by the table's index in its list.
    Numbered(&'static str),
}

/// Returns a field that is required.
pub fn required<K>(kind: K) -> Present<K> {
    Present { kind, absent: Absent::Refused, was: &[] }
}

/// Returns a field that is required unless a preset supplies it; the preset's value has been filled in before.
pub fn preset<K>(kind: K) -> Present<K> {
    Present { kind, absent: Absent::Preset, was: &[] }
}

/// Returns a field with this default, in the spelling of the canonical form.
pub fn default<K>(value: impl Into<Json>, kind: K) -> Present<K> {
    Present { kind, absent: Absent::Value(value.into()), was: &[] }
}

/// Returns a field whose default is the value of another field.
pub fn like<K>(key: &'static str, kind: K) -> Present<K> {
    Present { kind, absent: Absent::Like(key), was: &[] }
}

/// Returns a text field whose default is `prefix` followed by the position of the table in its list.
pub fn numbered<K>(prefix: &'static str, kind: K) -> Present<K> {
    Present { kind, absent: Absent::Numbered(prefix), was: &[] }
}

impl<K: Kind> Slot for Present<K> {
    type Value = K::Value;

    fn renew(&self, key: &'static str, node: &mut Node, at: &KeyPath, renewal: &mut Renewal) {
        renewal.key(self.was, key, node, at);
        Renewal::field(node, key, at, |value, at| self.kind.renew(value, at, renewal));
    }

    fn read(&self, key: &'static str, reader: &mut Reader<'_, '_>) -> K::Value {
        let at = reader.at.key(key);
        if let Some(node) = reader.node.get(key) {
            return self.kind.read(node, &at, reader.problems);
        }
        let node = match &self.absent {
            Absent::Refused | Absent::Preset => {
                reader.problems.add(at, format!("missing; accepted: {}", self.kind.info().accepts));
                return self.kind.placeholder();
            }
            Absent::Value(value) => Node::from_json_value(value),
            Absent::Numbered(prefix) => {
                let index = if let Some(Step::Index(index)) = reader.at.0.last() { *index } else { 0 };
                Node::unplaced(Value::Text(format!("{prefix}{index}")))
            }
            Absent::Like(other) => {
                // A mistake in the other field is reported at that field.
                let Some(node) = reader.node.get(other) else { return self.kind.placeholder() };
                return self.kind.read(node, &at, &mut reader.problems.of(node));
            }
        };
        self.kind.read(&node, &at, reader.problems)
    }

    fn write(&self, value: &K::Value) -> Option<Json> {
        Some(self.kind.write(value))
    }

    fn info(&self, key: &'static str, doc: String) -> FieldInfo {
        let (default, absent) = match &self.absent {
            Absent::Refused => (None, None),
            Absent::Preset => (None, Some("that of preset, which has to be given then".to_owned())),
            Absent::Value(value) => (Some(value.clone()), None),
            Absent::Like(other) => (None, Some(format!("the value of {other}"))),
            Absent::Numbered(prefix) => (None, Some(format!("{prefix}0, {prefix}1, ... by position"))),
        };
        let required = matches!(self.absent, Absent::Refused);
        FieldInfo { key, doc, required, default, absent, info: self.kind.info() }
    }
}

/// A field that may have no value.
pub struct Optional<K> {
    kind: K,
    absent: &'static str,
    was: &'static [&'static str],
}

impl<K> Optional<K> {
    /// Sets the old names of the field, which are accepted with a warning.
    pub fn was(self, was: &'static [&'static str]) -> Optional<K> {
        Optional { was, ..self }
    }
}

/// Returns a field that may have no value; `absent` describes what its absence means.
pub fn optional<K>(absent: &'static str, kind: K) -> Optional<K> {
    Optional { kind, absent, was: &[] }
}

impl<K: Kind> Slot for Optional<K> {
    type Value = Option<K::Value>;

    fn renew(&self, key: &'static str, node: &mut Node, at: &KeyPath, renewal: &mut Renewal) {
        renewal.key(self.was, key, node, at);
        Renewal::field(node, key, at, |value, at| self.kind.renew(value, at, renewal));
    }

    fn read(&self, key: &'static str, reader: &mut Reader<'_, '_>) -> Option<K::Value> {
        let node = reader.node.get(key)?;
        Some(self.kind.read(node, &reader.at.key(key), reader.problems))
    }

    fn write(&self, value: &Option<K::Value>) -> Option<Json> {
        value.as_ref().map(|value| self.kind.write(value))
    }

    fn info(&self, key: &'static str, doc: String) -> FieldInfo {
        let absent = Some(self.absent.to_owned());
        FieldInfo { key, doc, required: false, default: None, absent, info: self.kind.info() }
    }
}

/// Kind of a record.
pub struct Table<R>(PhantomData<R>);

/// Returns the kind of a record.
pub const fn table<R>() -> Table<R> {
    Table(PhantomData)
}

impl<R: Record> Kind for Table<R> {
    type Value = R;

    fn renew(&self, node: &mut Node, at: &KeyPath, renewal: &mut Renewal) {
        if let Value::Table(_) = node.value {
            R::renew(node, at, renewal);
        }
    }

    fn read(&self, node: &Node, at: &KeyPath, problems: &mut Problems<'_>) -> R {
        if let Value::Table(_) = node.value {
            return R::read(&mut Reader { node, at, problems, foreign: None, besides: &[] });
        }
        problems.add(at.clone(), format!("{} is not a table; accepted: {}", node.shown(), self.info().accepts));
        self.placeholder()
    }

    fn placeholder(&self) -> R {
        let node = Node::unplaced(Value::Table(Vec::new()));
        let mut problems = Problems::alone(&node);
        R::read(&mut Reader {
            node: &node,
            at: &KeyPath::default(),
            problems: &mut problems,
            foreign: None,
            besides: &[],
        })
    }

    fn write(&self, value: &R) -> Json {
        Json::Object(value.write())
    }

    fn info(&self) -> Info {
        let fields = R::fields();
        Info {
            noun: "table".to_owned(),
            unit: String::new(),
            accepts: format!("a table of {}", listed(fields.iter().map(|field| field.key))),
            schema: object_schema(None, &R::doc(), &fields),
            nested: nested(fields),
        }
    }
}

/// Returns fields with their paths from the table that has them, including the fields of nested tables.
pub fn nested(fields: Vec<FieldInfo>) -> Vec<(String, FieldInfo)> {
    let mut all = Vec::new();
    for mut field in fields {
        let inner = std::mem::take(&mut field.info.nested);
        let key = field.key;
        all.push((format!(".{key}"), field));
        all.extend(inner.into_iter().map(|(path, field)| (format!(".{key}{path}"), field)));
    }
    all
}

/// Returns the JSON Schema of a table of fields. `kind` is the kind of a union, with whether that kind is assumed where
/// there is none.
pub fn object_schema(kind: Option<(&'static str, bool)>, doc: &str, fields: &[FieldInfo]) -> Json {
    let mut properties = Map::new();
    let mut required = Vec::new();
    if let Some((kind, assumed)) = kind {
        properties.insert(KIND.to_owned(), json!({ "const": kind, "description": doc }));
        if !assumed {
            required.push(KIND);
        }
    }
    for field in fields {
        let mut schema = field.info.schema.clone();
        let absent = field.absent.as_ref().map_or(String::new(), |absent| format!(" Absent: {absent}."));
        schema["title"] = Json::from(field.info.noun.as_str());
        schema["description"] = Json::from(format!("{} Accepted: {}.{absent}", field.doc, field.info.accepts));
        if let Some(default) = &field.default {
            schema["default"] = default.clone();
        }
        properties.insert(field.key.to_owned(), schema);
        if field.required {
            required.push(field.key);
        }
    }
    let mut object = json!({ "type": "object", "description": doc, "properties": properties });
    if !required.is_empty() {
        object["required"] = Json::from(required);
    }
    object["additionalProperties"] = Json::from(false);
    object
}
