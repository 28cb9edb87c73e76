//! Kinds of numbers, with a unit or without.

use std::marker::PhantomData;

use serde_json::{Value as Json, json};

use super::Scalar;
use crate::quantity::{self, Dimension};
use crate::tree::{Value, quoted};

/// Returns the text of a value that has to be a quantity.
///
/// # Errors
/// The reason why the value is not a quantity; a bare number lacks its unit.
pub(super) fn quantity_text(value: &Value) -> Result<&str, String> {
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
