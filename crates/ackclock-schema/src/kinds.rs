//! Kinds of values: which values a field accepts, how they are read and written back, and their JSON Schema.

use std::fmt::Debug;
use std::marker::PhantomData;

use serde_json::{Value as Json, json};

use ackclock_core::Renamed;

use crate::problems::{Problems, listed, suggestion};
use crate::quantity::{self, Dimension};
use crate::record::FieldInfo;
use crate::renewal::Renewal;
use crate::tree::{KeyPath, Node, Value, quoted};

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

/// Returns the text of a value that has to be a quantity.
///
/// # Errors
/// The reason why the value is not a quantity; a bare number lacks its unit.
fn quantity_text(value: &Value) -> Result<&str, String> {
    match value {
        Value::Text(text) => Ok(text),
        Value::Number(number) => Err(quantity::split(number).err().unwrap_or_else(|| "has no unit".to_owned())),
        _ => Err("is not a quantity".to_owned()),
    }
}

/// A quantity with a unit, held as an integer number of the smallest unit.
pub struct Quantity<T> {
    dimension: &'static Dimension,
    min: u64,
    max: u64,
    held_as: PhantomData<T>,
}

/// Returns the kind of a time in nanoseconds.
pub const fn time<T>() -> Quantity<T> {
    Quantity::of(&quantity::TIME)
}

/// Returns the kind of a rate in bits per second.
pub const fn rate<T>() -> Quantity<T> {
    Quantity::of(&quantity::RATE)
}

/// Returns the kind of a volume in bytes.
pub const fn volume<T>() -> Quantity<T> {
    Quantity::of(&quantity::VOLUME)
}

/// Returns the kind of a probability in parts per billion.
pub const fn probability<T>() -> Quantity<T> {
    Quantity::of(&quantity::PROBABILITY)
}

impl<T> Quantity<T> {
    const fn of(dimension: &'static Dimension) -> Self {
        Quantity { dimension, min: 0, max: dimension.max, held_as: PhantomData }
    }

    /// Refuses zero.
    pub const fn positive(self) -> Self {
        Quantity { min: 1, ..self }
    }

    /// Sets the bounds in the smallest unit, both inclusive.
    pub const fn within(self, min: u64, max: u64) -> Self {
        Quantity { min, max, ..self }
    }
}

impl<T: TryFrom<u64> + Into<u64> + Copy + Default> Scalar for Quantity<T> {
    type Value = T;

    fn parse(&self, value: &Value) -> Result<T, String> {
        let value = self.dimension.parse(quantity_text(value)?)?;
        if value == 0 && self.min > 0 {
            return Err("is zero".to_owned());
        }
        if value < self.min {
            return Err(format!("is less than {}", self.dimension.write(self.min)));
        }
        let above = || format!("is more than {}", self.dimension.write(self.max));
        if value > self.max { Err(above()) } else { T::try_from(value).map_err(|_| above()) }
    }

    fn placeholder(&self) -> T {
        T::default()
    }

    fn write(&self, value: &T) -> Json {
        Json::from(self.dimension.write((*value).into()))
    }

    fn noun(&self) -> String {
        self.dimension.noun.to_owned()
    }

    fn unit(&self) -> String {
        self.dimension.units()
    }

    fn accepts(&self) -> String {
        let Dimension { noun, example, max, .. } = *self.dimension;
        let units = self.dimension.units();
        let write = |value| self.dimension.write(value);
        match (self.min, self.max) {
            (0, most) if most == max => format!("a {noun} such as \"{example}\" (units: {units})"),
            (1, most) if most == max => format!("a {noun} above zero such as \"{example}\" (units: {units})"),
            (least, most) => format!("a {noun} from \"{}\" to \"{}\" (units: {units})", write(least), write(most)),
        }
    }

    fn schema(&self) -> Json {
        let number = if self.min > 0 { quantity::POSITIVE } else { quantity::NUMBER };
        json!({ "type": "string", "pattern": format!(r"^\s*{}\s*$", self.dimension.pattern(number)) })
    }

    fn hint(&self, written: &str) -> String {
        let respelled = self.dimension.respelled(written);
        respelled.map_or_else(String::new, |text| format!("; did you mean {}?", quoted(&text)))
    }
}

/// A whole number of counted things, without a unit.
pub struct Count<T> {
    noun: &'static str,
    min: u64,
    max: u64,
    held_as: PhantomData<T>,
}

/// Returns the kind of a count of `noun`, with inclusive bounds; an empty `noun` means a plain number.
pub const fn count<T>(noun: &'static str, min: u64, max: u64) -> Count<T> {
    Count { noun, min, max, held_as: PhantomData }
}

impl<T: TryFrom<u64> + Into<u64> + Copy + Default> Scalar for Count<T> {
    type Value = T;

    fn parse(&self, value: &Value) -> Result<T, String> {
        let Value::Number(text) = value else { return Err("is not a number".to_owned()) };
        let (number, rest) = quantity::split(text)?;
        // Only an exponent can follow the digits, and only floats have exponents.
        let value = if rest.is_empty() { number.times(1) } else { Err(quantity::Inexact::Fraction) };
        let above = || format!("is more than {}", self.max);
        match value {
            Err(quantity::Inexact::Fraction) => Err("is not a whole number".to_owned()),
            Err(quantity::Inexact::Overflow) => Err(above()),
            Ok(value) if value < self.min => Err(format!("is less than {}", self.min)),
            Ok(value) if value > self.max => Err(above()),
            Ok(value) => T::try_from(value).map_err(|_| above()),
        }
    }

    fn placeholder(&self) -> T {
        T::default()
    }

    fn write(&self, value: &T) -> Json {
        Json::from((*value).into())
    }

    fn noun(&self) -> String {
        "whole number".to_owned()
    }

    fn unit(&self) -> String {
        self.noun.to_owned()
    }

    fn accepts(&self) -> String {
        let of = if self.noun.is_empty() { String::new() } else { format!(" of {}", self.noun) };
        format!("a whole number{of} from {} to {}", self.min, self.max)
    }

    fn schema(&self) -> Json {
        json!({ "type": "integer", "minimum": self.min, "maximum": self.max })
    }
}

/// A whole number of counted things that may be negative, without a unit.
pub struct Whole {
    noun: &'static str,
    min: i32,
    max: i32,
}

/// Returns the kind of a whole number of `noun`, with inclusive bounds.
pub const fn whole(noun: &'static str, min: i32, max: i32) -> Whole {
    Whole { noun, min, max }
}

impl Scalar for Whole {
    type Value = i32;

    fn parse(&self, value: &Value) -> Result<i32, String> {
        let Value::Number(text) = value else { return Err("is not a number".to_owned()) };
        let value: i64 = text.parse().map_err(|_| "is not a whole number".to_owned())?;
        match i32::try_from(value) {
            Ok(value) if (self.min..=self.max).contains(&value) => Ok(value),
            _ if value < i64::from(self.min) => Err(format!("is less than {}", self.min)),
            _ => Err(format!("is more than {}", self.max)),
        }
    }

    fn placeholder(&self) -> i32 {
        self.min
    }

    fn write(&self, value: &i32) -> Json {
        Json::from(*value)
    }

    fn noun(&self) -> String {
        "whole number".to_owned()
    }

    fn unit(&self) -> String {
        self.noun.to_owned()
    }

    fn accepts(&self) -> String {
        format!("a whole number of {} from {} to {}", self.noun, self.min, self.max)
    }

    fn schema(&self) -> Json {
        json!({ "type": "integer", "minimum": self.min, "maximum": self.max })
    }
}

/// A real number.
pub struct Real {
    min: f64,
    max: f64,
}

/// Returns the kind of a real number, with inclusive bounds.
pub const fn real(min: f64, max: f64) -> Real {
    Real { min, max }
}

impl Scalar for Real {
    type Value = f64;

    fn parse(&self, value: &Value) -> Result<f64, String> {
        let Value::Number(text) = value else { return Err("is not a number".to_owned()) };
        let value: f64 = text.parse().map_err(|_| "is not a number".to_owned())?;
        match value {
            value if !value.is_finite() => Err("is not a finite number".to_owned()),
            value if value < self.min => Err(format!("is less than {}", self.min)),
            value if value > self.max => Err(format!("is more than {}", self.max)),
            // Minus zero becomes zero, so both have one canonical form.
            value => Ok(value + 0.0),
        }
    }

    fn placeholder(&self) -> f64 {
        self.min
    }

    fn write(&self, value: &f64) -> Json {
        Json::from(*value)
    }

    fn noun(&self) -> String {
        "number".to_owned()
    }

    fn accepts(&self) -> String {
        format!("a number from {} to {}", self.min, self.max)
    }

    fn schema(&self) -> Json {
        json!({ "type": "number", "minimum": self.min, "maximum": self.max })
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
