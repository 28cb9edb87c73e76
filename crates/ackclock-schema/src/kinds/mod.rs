//! Kinds of values: which values a field accepts, how they are read and written back, and their JSON Schema.

mod numbers;

use std::fmt::Debug;
use std::marker::PhantomData;

use serde_json::{Value as Json, json};

use ackclock_core::Renamed;

pub use crate::info::Info;
use crate::problems::{Problems, listed, suggestion};
use crate::renewal::Renewal;
use crate::tree::{KeyPath, Node, Value};
use numbers::quantity_text;
pub use numbers::{Count, Quantity, Real, Whole, count, probability, rate, real, time, volume, whole};

/// The kind of a field's value.
pub trait Kind {
    /// Type of the value in Rust.
    type Value;
    /// Replaces the old names in the value of a node.
    fn renew(&self, node: &mut Node, at: &KeyPath, renewal: &mut Renewal);
    /// Reads the value of a node. If the value is not acceptable, adds at least one problem and returns a placeholder.
    fn read(&self, node: &Node, at: &KeyPath, problems: &mut Problems<'_>) -> Self::Value;
    /// Returns a placeholder for a value that could not be read. It never leaves this module: with a problem there is
    /// no scenario.
    fn placeholder(&self) -> Self::Value;
    /// Returns the canonical form; reading it gives the same value.
    fn write(&self, value: &Self::Value) -> Json;
    /// Returns the description of the accepted values, for people and for editors.
    fn info(&self) -> Info;
}

/// A kind whose value is one piece of text, number or truth value.
pub trait Scalar {
    /// The type in Rust.
    type Value;
    /// Parses a value.
    ///
    /// # Errors
    /// The mistake in the value, as a predicate: "is negative".
    fn parse(&self, value: &Value) -> Result<Self::Value, String>;
    /// Returns a placeholder for a value that could not be read.
    fn placeholder(&self) -> Self::Value;
    /// Returns the canonical form.
    fn write(&self, value: &Self::Value) -> Json;
    /// Returns the noun of the reference.
    fn noun(&self) -> String;
    /// Returns the unit of a bare number, or the units of a quantity; empty if there is none.
    fn unit(&self) -> String {
        String::new()
    }
    /// Returns the accepted values as a phrase for messages.
    fn accepts(&self) -> String;
    /// Returns the JSON Schema, without title, description and default.
    fn schema(&self) -> Json;
    /// Returns a hint at the value that may have been meant.
    fn hint(&self, _written: &str) -> String {
        String::new()
    }
    /// Returns the old names of accepted values.
    fn renamed(&self) -> &[Renamed] {
        &[]
    }
}

impl<S: Scalar> Kind for S {
    type Value = S::Value;

    fn renew(&self, node: &mut Node, at: &KeyPath, renewal: &mut Renewal) {
        renewal.value(self.renamed(), node, at);
    }

    fn read(&self, node: &Node, at: &KeyPath, problems: &mut Problems<'_>) -> S::Value {
        self.parse(&node.value).unwrap_or_else(|wrong| {
            let hint = if let Value::Text(text) = &node.value { self.hint(text) } else { String::new() };
            problems.add(at.clone(), format!("{} {wrong}; accepted: {}{hint}", node.shown(), self.accepts()));
            Scalar::placeholder(self)
        })
    }

    fn placeholder(&self) -> S::Value {
        Scalar::placeholder(self)
    }

    fn write(&self, value: &S::Value) -> Json {
        Scalar::write(self, value)
    }

    fn info(&self) -> Info {
        Info {
            noun: self.noun(),
            unit: self.unit(),
            accepts: self.accepts(),
            schema: self.schema(),
            nested: Vec::new(),
        }
    }
}

/// True or false.
pub struct Flag;

impl Scalar for Flag {
    type Value = bool;

    fn parse(&self, value: &Value) -> Result<bool, String> {
        if let Value::Bool(value) = value { Ok(*value) } else { Err("is not a truth value".to_owned()) }
    }

    fn placeholder(&self) -> bool {
        false
    }

    fn write(&self, value: &bool) -> Json {
        Json::from(*value)
    }

    fn noun(&self) -> String {
        "truth value".to_owned()
    }

    fn accepts(&self) -> String {
        "true or false".to_owned()
    }

    fn schema(&self) -> Json {
        json!({ "type": "boolean" })
    }
}

/// A name that the author of the scenario chooses.
pub struct Label;

impl Label {
    const LONGEST: usize = 64;
    const PATTERN: &str = r"^[A-Za-z0-9_+-]([A-Za-z0-9 _+-]{0,62}[A-Za-z0-9_+-])?$";
}

impl Scalar for Label {
    type Value = String;

    fn parse(&self, value: &Value) -> Result<String, String> {
        let Value::Text(text) = value else { return Err("is not text".to_owned()) };
        // Points and brackets are reserved for paths and for the names of copies.
        let accepted = |c: char| c.is_ascii_alphanumeric() || "_+- ".contains(c);
        match text {
            text if text.is_empty() => Err("is empty".to_owned()),
            text if text.len() > Self::LONGEST => Err(format!("has more than {} characters", Self::LONGEST)),
            text if text.trim() != text => Err("starts or ends with a space".to_owned()),
            text => match text.chars().find(|c| !accepted(*c)) {
                Some(c) => Err(format!("has the character {c:?}")),
                None => Ok(text.clone()),
            },
        }
    }

    fn placeholder(&self) -> String {
        String::new()
    }

    fn write(&self, value: &String) -> Json {
        Json::from(value.as_str())
    }

    fn noun(&self) -> String {
        "name".to_owned()
    }

    fn accepts(&self) -> String {
        "a name of ASCII letters, digits, spaces and _ + -".to_owned()
    }

    fn schema(&self) -> Json {
        json!({ "type": "string", "pattern": Self::PATTERN })
    }
}

/// One of several names, each with a sentence that describes it.
pub struct OneOf<T> {
    noun: &'static str,
    options: Vec<(&'static str, T, &'static str)>,
    renamed: &'static [Renamed],
}

/// Returns the kind of a choice of `noun` by name. Each option has a name, a value and a sentence; there must be at
/// least one.
pub fn one_of<T>(noun: &'static str, options: impl IntoIterator<Item = (&'static str, T, &'static str)>) -> OneOf<T> {
    OneOf { noun, options: options.into_iter().collect(), renamed: &[] }
}

impl<T> OneOf<T> {
    /// Sets the old names of the options, which are accepted with a warning.
    pub fn renamed(self, renamed: &'static [Renamed]) -> OneOf<T> {
        OneOf { renamed, ..self }
    }
}

impl<T: Clone + PartialEq> Scalar for OneOf<T> {
    type Value = T;

    fn parse(&self, value: &Value) -> Result<T, String> {
        let Value::Text(text) = value else { return Err("is not a name".to_owned()) };
        let option = self.options.iter().find(|(name, _, _)| name == text);
        option.map(|(_, value, _)| value.clone()).ok_or_else(|| format!("is not a known {}", self.noun))
    }

    fn placeholder(&self) -> T {
        self.options[0].1.clone()
    }

    fn write(&self, value: &T) -> Json {
        Json::from(self.options.iter().find(|(_, option, _)| option == value).map(|(name, _, _)| *name))
    }

    fn noun(&self) -> String {
        self.noun.to_owned()
    }

    fn accepts(&self) -> String {
        listed(self.options.iter().map(|(name, _, _)| *name))
    }

    fn schema(&self) -> Json {
        let options = self.options.iter().map(|(name, _, doc)| json!({ "const": name, "description": doc }));
        json!({ "type": "string", "oneOf": options.collect::<Vec<_>>() })
    }

    fn hint(&self, written: &str) -> String {
        suggestion(written, self.options.iter().map(|(name, _, _)| *name))
    }

    fn renamed(&self) -> &[Renamed] {
        self.renamed
    }
}

/// A quantity in one of several dimensions, or a word.
pub trait Spelling: Clone + PartialEq + Debug {
    /// Noun of the reference.
    const NOUN: &str;
    /// The accepted values, as a phrase.
    const ACCEPTS: &str;
    /// Parses a text.
    ///
    /// # Errors
    /// The mistake in the text, as a predicate.
    fn parse(text: &str) -> Result<Self, String>;
    /// Returns the canonical text.
    fn write(&self) -> String;
    /// Returns a placeholder for a value that could not be read.
    fn placeholder() -> Self;
    /// Returns regular expressions; an accepted text matches one of them.
    fn patterns() -> Vec<String>;
}

/// Kind of a [`Spelling`].
pub struct Spelled<T>(PhantomData<T>);

/// Returns the kind of a [`Spelling`].
pub const fn spelled<T>() -> Spelled<T> {
    Spelled(PhantomData)
}

impl<T: Spelling> Scalar for Spelled<T> {
    type Value = T;

    fn parse(&self, value: &Value) -> Result<T, String> {
        T::parse(quantity_text(value)?)
    }

    fn placeholder(&self) -> T {
        T::placeholder()
    }

    fn write(&self, value: &T) -> Json {
        Json::from(value.write())
    }

    fn noun(&self) -> String {
        T::NOUN.to_owned()
    }

    fn accepts(&self) -> String {
        T::ACCEPTS.to_owned()
    }

    fn schema(&self) -> Json {
        json!({ "type": "string", "pattern": format!(r"^\s*({})\s*$", T::patterns().join("|")) })
    }
}
