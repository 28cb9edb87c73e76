//! A rule in a scenario: its name, or a table with its name and the parameters that differ from their defaults.

use std::fmt;
use std::sync::Arc;

use ackclock_core::parameters::Given;
use ackclock_schema::kinds::{Info, Kind};
use ackclock_schema::named::Named;
use ackclock_schema::parameters::{self, Owner, Range, table_schema};
use ackclock_schema::problems::{Problems, listed};
use ackclock_schema::renewal::Renewal;
use ackclock_schema::tree::{KeyPath, Node};
use serde_json::{Value as Json, json};

use super::{Abr, CATALOGUE, Entry, Setup};

/// A rate adaptation of the user, which scenarios may name besides those of the catalogue.
pub type Registered = ackclock_schema::registered::Registered<Make>;

/// A function that creates the rule of a client from the client's setup, the given parameters and the flow's name.
pub type Make = dyn Fn(&Setup<'_>, Given<'_>, &str) -> Box<dyn Abr> + Send + Sync;

/// The rules of the user that a scenario may name.
pub struct Known(pub Vec<Arc<Registered>>);

/// Origin of a rule.
#[derive(Clone)]
enum Origin {
    Listed(&'static Entry),
    Registered(Arc<Registered>),
}

impl Origin {
    fn name(&self) -> &'static str {
        match self {
            Origin::Listed(entry) => entry.name,
            Origin::Registered(own) => own.name,
        }
    }

    fn source(&self) -> Option<&str> {
        match self {
            Origin::Listed(_) => None,
            Origin::Registered(own) => Some(&own.source),
        }
    }
}

/// A rate adaptation with the parameters given for it.
#[derive(Clone)]
pub struct Rule {
    origin: Origin,
    given: Vec<(&'static str, f64)>,
}

impl Rule {
    /// Returns a rule of the catalogue with the parameters given; `None` if there is no rule of this name.
    pub fn listed(name: &str, given: Given<'_>) -> Option<Rule> {
        Some(Rule { origin: Origin::Listed(super::by_name(name)?), given: given.to_vec() })
    }

    /// Returns the name in scenarios.
    pub fn name(&self) -> &'static str {
        self.origin.name()
    }

    /// Returns the registration of the rule; `None` if the rule is in the catalogue.
    pub fn registered(&self) -> Option<&Arc<Registered>> {
        if let Origin::Registered(own) = &self.origin { Some(own) } else { None }
    }

    /// Creates the rule for a client of a flow. Only a registered rule uses the flow's name.
    pub fn make(&self, setup: &Setup<'_>, flow: &str) -> Box<dyn Abr> {
        match &self.origin {
            Origin::Listed(entry) => (entry.make)(setup, &self.given),
            Origin::Registered(own) => (own.make)(setup, &self.given, flow),
        }
    }
}

/// The throughput rule.
impl Default for Rule {
    fn default() -> Rule {
        Rule { origin: Origin::Listed(&CATALOGUE[0]), given: Vec::new() }
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        (self.name(), self.registered(), &self.given) == (other.name(), other.registered(), &other.given)
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.name(), self.given)
    }
}

/// Kind of the fields that hold a [`Rule`].
pub(crate) struct RateAdaptation;

/// Returns the kind of the fields that hold a [`Rule`].
pub(crate) const fn rate_adaptation() -> RateAdaptation {
    RateAdaptation
}

/// Returns the names that a scenario may use.
fn names<'a>(registered: &'a [Arc<Registered>]) -> impl Iterator<Item = &'static str> + 'a {
    CATALOGUE.iter().map(|entry| entry.name).chain(registered.iter().map(|own| own.name))
}

fn registered<'a>(problems: &Problems<'a>) -> &'a [Arc<Registered>] {
    problems.known::<Known>().map_or(&[], |known| known.0.as_slice())
}

impl Kind for RateAdaptation {
    type Value = Rule;

    fn renew(&self, _node: &mut Node, _at: &KeyPath, _renewal: &mut Renewal) {}

    fn read(&self, node: &Node, at: &KeyPath, problems: &mut Problems<'_>) -> Rule {
        let own = registered(problems);
        let find = |name: &str| {
            let listed = super::by_name(name).map(Origin::Listed);
            listed.or_else(|| Registered::by_name(own, name).cloned().map(Origin::Registered))
        };
        let rules = Named { unknown: "not a known rate adaptation", names: &|| names(own).collect() };
        let Some((origin, entries)) = rules.read(node, at, problems, find) else { return self.placeholder() };
        let Some(entries) = entries else { return Rule { origin, given: Vec::new() } };
        let ranges = match &origin {
            Origin::Listed(entry) => Range::all(entry.parameters),
            Origin::Registered(own) => own.parameters.clone(),
        };
        let owner = Owner { name: origin.name(), ranges: &ranges, source: origin.source() };
        let elsewhere = |key: &str| {
            let other = CATALOGUE.iter().find(|entry| entry.parameters.iter().any(|one| one.name == key));
            other.map(|entry| entry.name)
        };
        let given = owner.read(entries, at, problems, elsewhere);
        Rule { origin, given }
    }

    fn placeholder(&self) -> Rule {
        Rule::default()
    }

    fn write(&self, rule: &Rule) -> Json {
        parameters::write(rule.name(), rule.origin.source(), &rule.given)
    }

    fn info(&self) -> Info {
        let by_name = CATALOGUE.iter().map(|entry| json!({ "const": entry.name, "description": entry.summary }));
        let tables = CATALOGUE.iter().filter(|entry| !entry.parameters.is_empty());
        let tables = tables.map(|entry| table_schema(entry.name, entry.summary, entry.parameters));
        Info {
            noun: "rate adaptation".to_owned(),
            unit: String::new(),
            accepts: format!("{}, or a table of its kind and its parameters", listed(names(&[]))),
            schema: json!({ "oneOf": by_name.chain(tables).collect::<Vec<_>>() }),
            nested: Vec::new(),
        }
    }
}
