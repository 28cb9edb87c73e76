//! Kinds of values: what a field accepts, how it is read and written back, and how JSON Schema says it.

use std::fmt::Debug;
use std::marker::PhantomData;

use serde_json::{Value as Json, json};

use crate::problems::{Problems, listed, suggestion};
use crate::quantity::{self, Dimension};
use crate::record::FieldInfo;
use crate::tree::{Node, Path, Value};

/// What a field accepts.
pub trait Kind {
    /// What it is in Rust.
    type Value;
    /// The value of a node; a placeholder where that is not acceptable, with at least one problem added.
    fn read(&self, node: &Node, at: &Path, problems: &mut Problems<'_>) -> Self::Value;
    /// Stands for a value that could not be read. It never leaves this module: there is a problem, so no scenario.
    fn placeholder(&self) -> Self::Value;
    /// The canonical form, which reads back as the same value.
    fn write(&self, value: &Self::Value) -> Json;
    /// What is accepted, for people and for editors.
    fn info(&self) -> Info;
}

/// What a kind accepts.
pub struct Info {
    /// The noun of the reference: "rate", "table".
    pub noun: String,
    /// What a number without unit counts, or the units of a quantity.
    pub unit: String,
    /// A phrase for messages: `a rate above 0bps, such as "1.5Mbps"`.
    pub accepts: String,
    /// JSON Schema, without title, description and default.
    pub schema: Json,
    /// The fields of a table, with the part of the path between this value and the field: `.rate`, `[].name`.
    pub nested: Vec<(String, FieldInfo)>,
}

/// A kind whose value is one piece of text, number or truth value.
pub trait Scalar {
    /// The type in Rust.
    type Value;
    /// # Errors
    /// What is wrong with the value, as a predicate: "is negative".
    fn parse(&self, value: &Value) -> Result<Self::Value, String>;
    /// Stands for a value that could not be read.
    fn placeholder(&self) -> Self::Value;
    /// The canonical form.
    fn write(&self, value: &Self::Value) -> Json;
    /// The noun of the reference.
    fn noun(&self) -> String;
    /// The unit of a bare number, or the units of a quantity; empty where there is none.
    fn unit(&self) -> String {
        String::new()
    }
    /// What is accepted, as a phrase for messages.
    fn accepts(&self) -> String;
    /// JSON Schema, without title, description and default.
    fn schema(&self) -> Json;
    /// What may have been meant.
    fn hint(&self, _written: &str) -> String {
        String::new()
    }
}

impl<S: Scalar> Kind for S {
    type Value = S::Value;

    fn read(&self, node: &Node, at: &Path, problems: &mut Problems<'_>) -> S::Value {
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

/// The text of a value that has to be a quantity.
///
/// # Errors
/// Why it is not one; a bare number lacks its unit.
fn quantity_text(value: &Value) -> Result<&str, String> {
    match value {
        Value::Text(text) => Ok(text),
        Value::Number(number) => Err(quantity::split(number).err().unwrap_or_else(|| "has no unit".to_owned())),
        _ => Err("is not a quantity".to_owned()),
    }
}

/// A quantity with a unit, held as an integer of the smallest unit.
pub struct Quantity<T> {
    dimension: &'static Dimension,
    min: u64,
    max: u64,
    held_as: PhantomData<T>,
}

/// A time in nanoseconds.
pub const fn time<T>() -> Quantity<T> {
    Quantity::of(&quantity::TIME)
}

/// A rate in bits per second.
pub const fn rate<T>() -> Quantity<T> {
    Quantity::of(&quantity::RATE)
}

/// A volume in bytes.
pub const fn volume<T>() -> Quantity<T> {
    Quantity::of(&quantity::VOLUME)
}

/// A probability in parts per billion.
pub const fn probability<T>() -> Quantity<T> {
    Quantity::of(&quantity::PROBABILITY)
}

impl<T> Quantity<T> {
    const fn of(dimension: &'static Dimension) -> Self {
        Quantity { dimension, min: 0, max: dimension.max, held_as: PhantomData }
    }

    /// Zero is refused.
    pub const fn positive(self) -> Self {
        Quantity { min: 1, ..self }
    }

    /// Bounds in the smallest unit, both inclusive.
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
}

/// A whole number of something that is counted, without unit.
pub struct Count<T> {
    noun: &'static str,
    min: u64,
    max: u64,
    held_as: PhantomData<T>,
}

/// A count of `noun`, which is empty for a plain number, bounds inclusive.
pub const fn count<T>(noun: &'static str, min: u64, max: u64) -> Count<T> {
    Count { noun, min, max, held_as: PhantomData }
}

impl<T: TryFrom<u64> + Into<u64> + Copy + Default> Scalar for Count<T> {
    type Value = T;

    fn parse(&self, value: &Value) -> Result<T, String> {
        let Value::Number(text) = value else { return Err("is not a number".to_owned()) };
        let (number, rest) = quantity::split(text)?;
        // What follows the digits can only be an exponent, which floats have.
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

/// A ratio.
pub struct Real {
    min: f64,
    max: f64,
}

/// A ratio, bounds inclusive.
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
            // Minus zero is zero, so that both have one canonical form.
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
        // Points and brackets belong to paths and to the names of copies.
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

/// One of several names, each with a sentence on what it is.
pub struct OneOf<T> {
    noun: &'static str,
    options: Vec<(&'static str, T, &'static str)>,
}

/// A choice by name of `noun` among options of name, value and sentence. There has to be one.
pub fn one_of<T>(noun: &'static str, options: impl IntoIterator<Item = (&'static str, T, &'static str)>) -> OneOf<T> {
    OneOf { noun, options: options.into_iter().collect() }
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
}

/// A quantity in one of several dimensions, or a word.
pub trait Spelling: Clone + PartialEq + Debug {
    /// The noun of the reference.
    const NOUN: &str;
    /// What is accepted, as a phrase.
    const ACCEPTS: &str;
    /// The value of a text.
    ///
    /// # Errors
    /// What is wrong with it, as a predicate.
    fn parse(text: &str) -> Result<Self, String>;
    /// The canonical text.
    fn write(&self) -> String;
    /// Stands for a value that could not be read.
    fn placeholder() -> Self;
    /// Regular expressions, one of which an accepted text matches.
    fn patterns() -> Vec<String>;
}

/// The kind of a [`Spelling`].
pub struct Spelled<T>(PhantomData<T>);

/// The kind of a [`Spelling`].
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
