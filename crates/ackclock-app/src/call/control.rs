//! A congestion control of media in a scenario: its name, or a table with its name and parameters.

use std::fmt;

use ackclock_media::{CATALOGUE, Control, Entry, Setup, by_name};
use ackclock_schema::kinds::{Info, Kind};
use ackclock_schema::named::Named;
use ackclock_schema::parameters::{self, Owner, Range, table_schema};
use ackclock_schema::problems::{Problems, listed};
use ackclock_schema::renewal::Renewal;
use ackclock_schema::tree::{KeyPath, Node};
use serde_json::{Value as Json, json};

/// A control of the catalogue with the parameters given for it.
#[derive(Clone)]
pub struct Chosen {
    entry: &'static Entry,
    given: Vec<(&'static str, f64)>,
}

impl Chosen {
    /// Returns the control with a name; `None` if there is none.
    pub fn listed(name: &str, given: &[(&'static str, f64)]) -> Option<Chosen> {
        Some(Chosen { entry: by_name(name)?, given: given.to_vec() })
    }

    /// Returns the entry of the catalogue.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// Creates the control of a sender.
    pub fn make(&self, setup: &Setup) -> Box<dyn Control> {
        (self.entry.make)(setup, &self.given)
    }
}

impl PartialEq for Chosen {
    fn eq(&self, other: &Chosen) -> bool {
        (self.entry.name, &self.given) == (other.entry.name, &other.given)
    }
}

impl fmt::Debug for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.entry.name, self.given)
    }
}

/// Kind of the fields that hold a [`Chosen`].
pub(super) struct RateControl;

/// Returns the kind of the fields that hold a [`Chosen`].
pub(super) const fn rate_control() -> RateControl {
    RateControl
}

fn names() -> Vec<&'static str> {
    CATALOGUE.iter().map(|entry| entry.name).collect()
}

impl Kind for RateControl {
    type Value = Chosen;

    fn renew(&self, _node: &mut Node, _at: &KeyPath, _renewal: &mut Renewal) {}

    fn read(&self, node: &Node, at: &KeyPath, problems: &mut Problems<'_>) -> Chosen {
        let controls = Named { unknown: "not a known congestion control of media", names: &names };
        let Some((entry, entries)) = controls.read(node, at, problems, by_name) else { return self.placeholder() };
        let Some(entries) = entries else { return Chosen { entry, given: Vec::new() } };
        let ranges = Range::all(entry.parameters);
        let owner = Owner { name: entry.name, ranges: &ranges, source: None };
        let elsewhere = |key: &str| {
            let other = CATALOGUE.iter().find(|entry| entry.parameters.iter().any(|one| one.name == key));
            other.map(|entry| entry.name)
        };
        Chosen { entry, given: owner.read(entries, at, problems, elsewhere) }
    }

    fn placeholder(&self) -> Chosen {
        Chosen { entry: &CATALOGUE[0], given: Vec::new() }
    }

    fn write(&self, control: &Chosen) -> Json {
        parameters::write(control.entry.name, None, &control.given)
    }

    fn info(&self) -> Info {
        let by_name = CATALOGUE.iter().map(|entry| json!({ "const": entry.name, "description": entry.summary }));
        let tables = CATALOGUE.iter().filter(|entry| !entry.parameters.is_empty());
        let tables = tables.map(|entry| table_schema(entry.name, entry.summary, entry.parameters));
        Info {
            noun: "congestion control of media".to_owned(),
            unit: String::new(),
            accepts: format!("{}, or a table of its kind and its parameters", listed(names())),
            schema: json!({ "oneOf": by_name.chain(tables).collect::<Vec<_>>() }),
            nested: Vec::new(),
        }
    }
}
