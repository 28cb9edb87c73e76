//! Parameters of a stack: the accepted values, and the values that a user gave.

use std::collections::BTreeMap;
use std::time::Duration;

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

impl Parameter {
    /// Returns a parameter that is a number from `least` to `most`.
    pub fn number(name: &str, least: f64, most: f64, default: f64, summary: &str) -> Parameter {
        let range = Range::Numbers(least, most);
        Parameter { name: name.to_owned(), summary: summary.to_owned(), range, default: Value::Number(default) }
    }

    /// Returns a parameter that is one of several names, each with a short description. The first one is the default.
    pub fn choice(name: &str, choices: &[(&str, &str)], summary: &str) -> Parameter {
        let names = choices.iter().map(|(name, meaning)| ((*name).to_owned(), (*meaning).to_owned())).collect();
        let default = Value::Name(choices.first().map_or("", |(name, _)| name).to_owned());
        Parameter { name: name.to_owned(), summary: summary.to_owned(), range: Range::Names(names), default }
    }
}

impl Parameters {
    /// Returns parameters with these names and numbers.
    pub fn of(names: &[(&str, &str)], numbers: &[(&str, f64)]) -> Parameters {
        let names = names.iter().map(|(name, value)| ((*name).to_owned(), Value::Name((*value).to_owned())));
        let numbers = numbers.iter().map(|(name, value)| ((*name).to_owned(), Value::Number(*value)));
        Parameters(names.chain(numbers).collect())
    }

    /// Returns the number of a parameter, if it was given.
    pub fn number(&self, name: &str) -> Option<f64> {
        if let Some(Value::Number(number)) = self.0.get(name) { Some(*number) } else { None }
    }

    /// Returns the name that a parameter has, if it was given.
    pub fn name(&self, name: &str) -> Option<&str> {
        if let Some(Value::Name(name)) = self.0.get(name) { Some(name) } else { None }
    }
}

/// The parameters that a user gave, with the defaults for the others, and what is wrong with them together.
pub struct Given<'a> {
    given: &'a Parameters,
    known: &'a [Parameter],
    errors: Vec<String>,
}

impl<'a> Given<'a> {
    /// Returns the parameters of a stack that were given.
    pub fn new(given: &'a Parameters, known: &'a [Parameter]) -> Given<'a> {
        Given { given, known, errors: Vec::new() }
    }

    fn value(&self, name: &str) -> Option<&'a Value> {
        self.given.0.get(name).or_else(|| Some(&self.known.iter().find(|one| one.name == name)?.default))
    }

    /// Returns a number; 0 where the stack has no such parameter.
    pub fn number(&self, name: &str) -> f64 {
        if let Some(Value::Number(number)) = self.value(name) { *number } else { 0.0 }
    }

    /// Returns a number that must be whole, which is an error otherwise.
    pub fn whole(&mut self, name: &str) -> u64 {
        let number = self.number(name);
        if number.fract() != 0.0 {
            self.errors.push(format!("`{name}` must be a whole number, not {number}"));
        }
        number as u64
    }

    /// Returns a number of seconds.
    pub fn seconds(&self, name: &str) -> Duration {
        Duration::from_secs_f64(self.number(name))
    }

    /// Returns a name; empty where the stack has no such parameter.
    pub fn name(&self, name: &str) -> &'a str {
        if let Some(Value::Name(value)) = self.value(name) { value } else { "" }
    }

    /// Whether a parameter is `on`.
    pub fn is_on(&self, name: &str) -> bool {
        self.name(name) == "on"
    }

    /// Adds an error.
    pub fn refuse(&mut self, message: impl Into<String>) {
        self.errors.push(message.into());
    }

    /// Whether nothing is wrong with what has been read so far.
    ///
    /// # Errors
    /// A message with all that is wrong.
    pub fn checked(&self) -> Result<(), String> {
        if self.errors.is_empty() { Ok(()) } else { Err(self.errors.join("; ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<Parameter> {
        vec![
            Parameter::number("window", 1.0, 9.5, 4.0, "the window"),
            Parameter::number("wait", 0.0, 1.0, 0.25, "a time in s"),
            Parameter::choice("pacing", &[("on", "spread"), ("off", "at once")], "pacing"),
        ]
    }

    #[test]
    fn the_first_choice_is_the_default() {
        let [window, _, pacing] = &known()[..] else { panic!("three parameters") };
        assert_eq!((&window.default, &pacing.default), (&Value::Number(4.0), &Value::Name("on".to_owned())));
        assert!([1.0, 9.5].iter().all(|number| window.range.accepts(&Value::Number(*number))));
        assert!(pacing.range.accepts(&Value::Name("off".to_owned())));
        assert!(!pacing.range.accepts(&Value::Name("spread".to_owned())));
    }

    #[test]
    fn what_is_not_given_has_its_default() {
        let (known, parameters) = (known(), Parameters::of(&[("pacing", "off")], &[("window", 7.0)]));
        let mut given = Given::new(&parameters, &known);
        assert_eq!((given.whole("window"), given.name("pacing"), given.is_on("pacing")), (7, "off", false));
        assert_eq!(
            (given.seconds("wait"), given.number("other"), given.name("other")),
            (Duration::from_millis(250), 0.0, "")
        );
        assert_eq!(given.checked(), Ok(()));
        assert!(Given::new(&Parameters::default(), &known).is_on("pacing"));
    }

    #[test]
    fn all_that_is_wrong_is_in_one_message() {
        let (known, parameters) = (known(), Parameters::of(&[], &[("window", 1.5)]));
        let mut given = Given::new(&parameters, &known);
        given.whole("window");
        given.refuse("`wait` needs `pacing`");
        let message = "`window` must be a whole number, not 1.5; `wait` needs `pacing`";
        assert_eq!(given.checked(), Err(message.to_owned()));
    }
}
