//! Parameters of a stack: what is accepted, and what a user gave.

use std::collections::BTreeMap;

/// The value of a parameter.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A number.
    Number(f64),
    /// One of the names that the parameter accepts.
    Name(String),
}

/// The values that a parameter accepts.
#[derive(Clone, PartialEq, Debug)]
pub enum Range {
    /// Numbers from the first to the second.
    Numbers(f64, f64),
    /// Names, each with a short description.
    Names(Vec<(String, String)>),
}

impl Range {
    /// Whether a value is accepted.
    pub fn accepts(&self, value: &Value) -> bool {
        match (self, value) {
            (Range::Numbers(least, most), Value::Number(number)) => (*least..=*most).contains(number),
            (Range::Names(names), Value::Name(name)) => names.iter().any(|(one, _)| one == name),
            _ => false,
        }
    }
}

/// A parameter that users may set.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// Name in scenarios.
    pub name: String,
    /// Short description with the unit.
    pub summary: String,
    /// The values that it accepts.
    pub range: Range,
    /// The value if a user gives none.
    pub default: Value,
}

/// The parameters that a user gave, by their names.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Parameters(pub BTreeMap<String, Value>);

impl Parameters {
    /// Returns the number of a parameter, if it was given.
    pub fn number(&self, name: &str) -> Option<f64> {
        if let Some(Value::Number(number)) = self.0.get(name) { Some(*number) } else { None }
    }

    /// Returns the name that a parameter has, if it was given.
    pub fn name(&self, name: &str) -> Option<&str> {
        if let Some(Value::Name(name)) = self.0.get(name) { Some(name) } else { None }
    }
}
