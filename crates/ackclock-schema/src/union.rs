//! Tables told apart by their `kind`: [`union!`](crate::union!) makes from one list of kinds the enum, its reader, its canonical form
//! and its part of JSON Schema and reference.

use std::marker::PhantomData;

use ackclock_core::Renamed;
use serde_json::{Map, Value as Json, json};

pub use crate::info::KIND;
use crate::info::{FieldInfo, Info};
use crate::kinds::Kind;
use crate::problems::{Problems, listed, suggestion};
use crate::record::{Reader, nested, object_schema};
use crate::renewal::Renewal;
use crate::tree::{KeyPath, Node, Value, quoted};

/// Defines tables told apart by their `kind`: an enum whose variants hold a [`record!`](crate::record!) or nothing. A plain text in
/// place of such a table means the table with that kind. `otherwise` defines any other text: it names a kind and the
/// field whose value is the text. `renamed` after it lists the old names of kinds. A kind without a sentence has the sentence of its record.
#[macro_export]
macro_rules! union {
    (@renamed) => { &[] };
    (@renamed $renamed:expr) => { $renamed };
    (@renew $node:ident $at:ident $renewal:ident) => {};
    (@renew $node:ident $at:ident $renewal:ident $Inner:ty) => {
        <$Inner as $crate::record::Record>::renew($node, $at, $renewal)
    };
    (@read $reader:ident $Variant:ident) => {{
        $reader.refuse_other_keys(&[]);
        Self::$Variant
    }};
    (@read $reader:ident $Variant:ident $Inner:ty) => {
        Self::$Variant(<$Inner as $crate::record::Record>::read($reader))
    };
    (@pattern $inner:ident $Variant:ident) => { Self::$Variant };
    (@pattern $inner:ident $Variant:ident $Inner:ty) => { Self::$Variant($inner) };
    (@write $inner:ident) => { $crate::serde_json::Map::new() };
    (@write $inner:ident $Inner:ty) => { <$Inner as $crate::record::Record>::write($inner) };
    (@doc [$($doc:literal)+] $($Inner:ty)?) => { $crate::record::sentences(&[$($doc),+]) };
    (@doc [] $Inner:ty) => { <$Inner as $crate::record::Record>::doc() };
    (@fields) => { Vec::new() };
    (@fields $Inner:ty) => { <$Inner as $crate::record::Record>::fields() };
    (
        $(#[doc = $doc:literal])+
        pub enum $Name:ident $(<$T:ident: $Bound:ident>)?, otherwise $otherwise:expr, $(renamed $renamed:expr,)? {
            $($(#[doc = $variant_doc:literal])* $kind:literal => $Variant:ident $(($Inner:ty))?,)+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, PartialEq, Debug)]
        pub enum $Name $(<$T: $Bound>)? {
            $($(#[doc = $variant_doc])* #[doc = concat!("\n\n`kind = \"", $kind, "\"`")] $Variant $(($Inner))?,)+
        }

        impl $(<$T: $Bound>)? $crate::union::Union for $Name $(<$T>)? {
            const OTHERWISE: Option<(&'static str, &'static str)> = $otherwise;
            const KINDS: &'static [&'static str] = &[$($kind),+];
            const RENAMED: &'static [$crate::Renamed] = $crate::union!(@renamed $($renamed)?);

            // A kind may have no fields.
            #[allow(unused_variables)]
            fn renew(
                kind: &str,
                node: &mut $crate::tree::Node,
                at: &$crate::tree::KeyPath,
                renewal: &mut $crate::renewal::Renewal,
            ) {
                match kind {
                    $($kind => { $crate::union!(@renew node at renewal $($Inner)?); })+
                    _ => {}
                }
            }

            fn read(kind: &str, reader: &mut $crate::record::Reader<'_, '_>) -> Option<Self> {
                match kind {
                    $($kind => Some($crate::union!(@read reader $Variant $($Inner)?)),)+
                    _ => None,
                }
            }

            fn write(&self) -> (&'static str, $crate::serde_json::Map<String, $crate::serde_json::Value>) {
                match self {
                    $($crate::union!(@pattern inner $Variant $($Inner)?) => {
                        ($kind, $crate::union!(@write inner $($Inner)?))
                    })+
                }
            }

            fn variants() -> Vec<$crate::union::VariantInfo> {
                use $crate::union::VariantInfo;
                vec![$(VariantInfo {
                    kind: $kind,
                    doc: $crate::union!(@doc [$($variant_doc)*] $($Inner)?),
                    fields: $crate::union!(@fields $($Inner)?),
                }),+]
            }
        }
    };
}

/// The interface that [`union!`](crate::union!) implements.
pub trait Union: Sized {
    /// The kind, with its field, for which a plain value in place of the table stands.
    const OTHERWISE: Option<(&'static str, &'static str)>;
    /// The kinds, in order.
    const KINDS: &'static [&'static str];
    /// The old names of kinds.
    const RENAMED: &'static [Renamed];
    /// Replaces the old names in the table of a kind.
    fn renew(kind: &str, node: &mut Node, at: &KeyPath, renewal: &mut Renewal);
    /// Reads the fields of a kind; `None` if there is no such kind.
    fn read(kind: &str, reader: &mut Reader<'_, '_>) -> Option<Self>;
    /// Returns the kind and the canonical form of its fields.
    fn write(&self) -> (&'static str, Map<String, Json>);
    /// Returns the kinds with their sentences and fields.
    fn variants() -> Vec<VariantInfo>;
}

/// A kind of a union, as schema and reference describe it.
pub struct VariantInfo {
    /// Name of the kind.
    pub kind: &'static str,
    /// Sentence on the kind.
    pub doc: String,
    /// Fields of the kind.
    pub fields: Vec<FieldInfo>,
}

/// Kind of a union.
pub struct Tagged<U>(PhantomData<U>);

/// Returns the kind of a union.
pub const fn tagged<U>() -> Tagged<U> {
    Tagged(PhantomData)
}

impl<U: Union> Tagged<U> {
    /// Returns the table for which a plain text or number stands.
    fn expanded(plain: &Node) -> Node {
        let kind = |kind: &str| (KIND.to_owned(), Node::unplaced(Value::Text(kind.to_owned())));
        let is_kind = matches!(&plain.value, Value::Text(text) if U::KINDS.contains(&text.as_str()));
        let entries = match U::OTHERWISE {
            Some((name, field)) if !is_kind => vec![kind(name), (field.to_owned(), plain.clone())],
            _ => vec![(KIND.to_owned(), plain.clone())],
        };
        Node { line: plain.line, value: Value::Table(entries) }
    }

    fn read_table(&self, node: &Node, at: &KeyPath, problems: &mut Problems<'_>) -> Option<U> {
        let kinds = || listed(U::KINDS.iter().copied());
        let name = match (node.get(KIND), U::OTHERWISE) {
            (Some(Node { value: Value::Text(name), .. }), _) => name,
            (None, Some((name, _))) => name,
            (wrong, _) => {
                let wrong = wrong.map_or("missing".to_owned(), |kind| format!("{} is not a name", kind.shown()));
                problems.add(at.key(KIND), format!("{wrong}; accepted: {}", kinds()));
                return None;
            }
        };
        let owner = |key: &str| {
            let variants = U::variants();
            let owner = variants.iter().find(|variant| variant.fields.iter().any(|field| field.key == key))?;
            Some(format!("; {key} belongs to kind = {}", quoted(owner.kind)))
        };
        let value = U::read(name, &mut Reader { node, at, problems, foreign: Some(&owner), besides: &[] });
        if value.is_none() {
            let hint = suggestion(name, U::KINDS.iter().copied());
            let shown = Node::unplaced(Value::Text(name.to_owned())).shown();
            problems.add(at.key(KIND), format!("{shown} is not a known kind; accepted: {}{hint}", kinds()));
        }
        value
    }
}

impl<U: Union> Kind for Tagged<U> {
    type Value = U;

    fn renew(&self, node: &mut Node, at: &KeyPath, renewal: &mut Renewal) {
        let Value::Table(_) = node.value else { return renewal.value(U::RENAMED, node, at) };
        Renewal::field(node, KIND, at, |kind, at| renewal.value(U::RENAMED, kind, at));
        let kind = match (node.get(KIND).map(|kind| &kind.value), U::OTHERWISE) {
            (Some(Value::Text(kind)), _) => kind.clone(),
            (None, Some((kind, _))) => kind.to_owned(),
            _ => return,
        };
        U::renew(&kind, node, at, renewal);
    }

    fn read(&self, node: &Node, at: &KeyPath, problems: &mut Problems<'_>) -> U {
        let value = match &node.value {
            Value::Table(_) => self.read_table(node, at, problems),
            Value::Text(_) | Value::Number(_) => {
                let table = Self::expanded(node);
                let mut inner = problems.of(&table);
                let value = self.read_table(&table, at, &mut inner);
                // A mistake in the text itself has no key of its own in the file.
                let otherwise = U::OTHERWISE.map(|(_, field)| at.key(field));
                for (path, message) in inner.into_found() {
                    if path == at.key(KIND) {
                        problems.add(at.clone(), message);
                    } else if Some(&path) == otherwise.as_ref() {
                        // The hint comes last, after all that is accepted.
                        let (message, hint) = message.split_at(message.find("; did you mean").unwrap_or(message.len()));
                        let hint = match &node.value {
                            Value::Text(text) if hint.is_empty() => suggestion(text, U::KINDS.iter().copied()),
                            _ => hint.to_owned(),
                        };
                        problems.add(at.clone(), format!("{message}, or {}{hint}", listed(U::KINDS.iter().copied())));
                    } else {
                        problems.add(path, message);
                    }
                }
                value
            }
            _ => {
                problems.add(at.clone(), format!("{} is not a table; accepted: {}", node.shown(), self.info().accepts));
                None
            }
        };
        value.unwrap_or_else(|| self.placeholder())
    }

    fn placeholder(&self) -> U {
        let node = Node::unplaced(Value::Table(Vec::new()));
        let (at, mut problems) = (KeyPath::default(), Problems::alone(&node));
        let mut reader = Reader { node: &node, at: &at, problems: &mut problems, foreign: None, besides: &[] };
        U::read(U::KINDS[0], &mut reader).expect("the first kind is one of the kinds")
    }

    fn write(&self, value: &U) -> Json {
        let (kind, fields) = value.write();
        let mut table = Map::new();
        table.insert(KIND.to_owned(), Json::from(kind));
        table.extend(fields);
        Json::Object(table)
    }

    fn info(&self) -> Info {
        let variants = U::variants();
        let needs_nothing = |variant: &&VariantInfo| variant.fields.iter().all(|field| !field.required);
        let words: Vec<_> = variants.iter().filter(needs_nothing).map(|variant| variant.kind).collect();
        let mut options = Vec::new();
        if !words.is_empty() {
            options.push(json!({ "type": "string", "enum": words }));
        }
        let mut accepts = format!("a table with kind = one of {}", listed(U::KINDS.iter().copied()));
        for variant in &variants {
            let assumed = U::OTHERWISE.is_some_and(|(kind, _)| kind == variant.kind);
            options.push(object_schema(Some((variant.kind, assumed)), &variant.doc, &variant.fields));
            for field in &variant.fields {
                // A plain value is refused where other fields are required.
                let others_required = variant.fields.iter().any(|other| other.required && other.key != field.key);
                if U::OTHERWISE == Some((variant.kind, field.key)) && !others_required {
                    options.push(field.info.schema.clone());
                    accepts = format!("{accepts}, or {}", field.info.accepts);
                }
            }
        }
        let kind_field = FieldInfo {
            key: KIND,
            doc: variants
                .iter()
                .map(|variant| format!("{}: {}", variant.kind, variant.doc))
                .collect::<Vec<_>>()
                .join(" "),
            required: U::OTHERWISE.is_none(),
            default: U::OTHERWISE.map(|(kind, _)| Json::from(kind)),
            absent: None,
            info: Info {
                noun: "name".to_owned(),
                unit: String::new(),
                accepts: listed(U::KINDS.iter().copied()),
                schema: json!({ "type": "string", "enum": U::KINDS }),
                nested: Vec::new(),
            },
        };
        let fields = variants.into_iter().flat_map(|variant| {
            let path = format!("<{}>", variant.kind);
            nested(variant.fields).into_iter().map(move |(rest, field)| (format!("{path}{rest}"), field))
        });
        Info {
            noun: "table by kind".to_owned(),
            unit: String::new(),
            accepts,
            schema: json!({ "oneOf": options }),
            nested: std::iter::once((format!(".{KIND}"), kind_field)).chain(fields).collect(),
        }
    }
}
