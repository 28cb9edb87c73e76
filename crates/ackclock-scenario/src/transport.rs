//! The transport of a flow: our TCP, or a stack behind the interface of `ackclock-transport`.

use std::fmt;
use std::sync::Arc;

use ackclock_schema::file::DIGEST;
use ackclock_schema::kinds::{Info, Kind};
use ackclock_schema::named::Named;
use ackclock_schema::problems::{Problems, listed, suggestion};
use ackclock_schema::renewal::Renewal;
use ackclock_schema::tree::{KeyPath, Node, Value};
use ackclock_schema::union::KIND;
use ackclock_transport::{self as interface, Parameter, Parameters, Range, Stack};
use serde_json::{Map, Value as Json, json};

/// Name of our own TCP.
const TCP: &str = "tcp";

/// Key that holds the source of a stack that is built in, beside its parameters.
const SOURCE: &str = "source";

/// Key that holds the path of a stack's library.
pub(super) const LIBRARY: &str = "library";

/// The transport of a flow.
#[derive(Clone, PartialEq, Debug)]
pub enum Transport {
    /// The TCP of this engine, to which the flow's other fields apply.
    Tcp,
    /// A stack that is built in, or in a library.
    Other(Other),
}

/// A stack with the parameters given for it.
#[derive(Clone)]
pub struct Other {
    /// The stack.
    pub stack: Arc<dyn Stack>,
    /// The parameters that the scenario gives.
    pub parameters: Parameters,
    /// Path of the library that the stack is in; `None` for a stack that is built in.
    pub library: Option<String>,
}

impl Other {
    /// Returns the key that holds the stack's source, which is the digest of its file for a stack of a library.
    fn source_key(&self) -> &'static str {
        if self.library.is_some() { DIGEST } else { SOURCE }
    }

    /// Returns the congestion control that the scenario names or that the stack has otherwise; empty if the stack has
    /// no parameter `cc`.
    pub fn cc(&self) -> String {
        let default = || {
            let own = self.stack.parameters().iter().find(|one| one.name == "cc")?;
            if let interface::Value::Name(name) = &own.default { Some(name.clone()) } else { None }
        };
        self.parameters.name("cc").map(str::to_owned).or_else(default).unwrap_or_default()
    }
}

impl PartialEq for Other {
    fn eq(&self, other: &Other) -> bool {
        let key = |one: &Other| (one.stack.name().to_owned(), one.stack.source().to_owned());
        key(self) == key(other) && self.parameters == other.parameters
    }
}

impl fmt::Debug for Other {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}) {:?}", self.stack.name(), self.stack.source(), self.parameters)
    }
}

/// A function that opens the library at a path of a scenario and returns its stacks, or why it cannot.
pub type Libraries = Arc<dyn Fn(&str) -> Result<Vec<Arc<dyn Stack>>, String>>;

/// The stacks that a scenario may name.
pub(super) struct Stacks {
    /// Stacks that are built in.
    pub built_in: Vec<Arc<dyn Stack>>,
    /// Stacks of libraries.
    pub libraries: Option<Libraries>,
}

/// Kind of the fields that hold a [`Transport`].
pub(super) struct OneOfTheStacks;

/// Returns the kind of the fields that hold a [`Transport`].
pub(super) const fn transport() -> OneOfTheStacks {
    OneOfTheStacks
}

fn built_in<'a>(problems: &Problems<'a>) -> &'a [Arc<dyn Stack>] {
    problems.known::<super::Known>().map_or(&[], |known| known.stacks.built_in.as_slice())
}

/// Returns the stacks of a library; adds a problem where it cannot be opened.
fn of_library(node: &Node, at: &KeyPath, problems: &mut Problems<'_>) -> Option<(String, Vec<Arc<dyn Stack>>)> {
    let Value::Text(path) = &node.value else {
        problems.add(at.clone(), format!("{} is not a path; accepted: that of a shared library", node.shown()));
        return None;
    };
    let libraries = problems.known::<super::Known>().and_then(|known| known.stacks.libraries.clone());
    let opened = match libraries {
        Some(open) => open(path),
        None => Err("libraries cannot be loaded here".to_owned()),
    };
    match opened {
        Ok(stacks) => Some((path.clone(), stacks)),
        Err(message) => {
            problems.add(at.clone(), format!("{}: {message}", node.shown()));
            None
        }
    }
}

/// Returns the value of a node for a parameter; `None` if it is not accepted.
fn value(node: &Node, parameter: &Parameter) -> Option<interface::Value> {
    let value = match &node.value {
        Value::Number(number) => interface::Value::Number(number.parse().ok()?),
        Value::Text(name) => interface::Value::Name(name.clone()),
        _ => return None,
    };
    parameter.range.accepts(&value).then_some(value)
}

fn accepted(range: &Range) -> String {
    match range {
        Range::Numbers(least, most) => format!("a number from {least} to {most}"),
        Range::Names(names) => listed(names.iter().map(|(name, _)| name.as_str())),
    }
}

/// Reads the parameters from a table of a stack; adds every mistake in the table to the problems.
fn parameters(other: &Other, entries: &[(String, Node)], at: &KeyPath, problems: &mut Problems<'_>) -> Parameters {
    let mut given = Parameters::default();
    let (stack, source) = (&*other.stack, other.source_key());
    let names = || [KIND, LIBRARY, source].into_iter().chain(stack.parameters().iter().map(|one| one.name.as_str()));
    for (key, node) in entries.iter().filter(|(key, _)| key != KIND && key != LIBRARY) {
        if key == source {
            if !matches!(&node.value, Value::Text(source) if source == stack.source()) {
                let message =
                    format!("{} is not the source that is loaded; accepted: {:?}", node.shown(), stack.source());
                problems.add(at.key(source), message);
            }
            continue;
        }
        let Some(parameter) = stack.parameters().iter().find(|one| one.name == *key) else {
            let hint = suggestion(key, names());
            let message = format!("unknown key of {}; accepted: {}{hint}", stack.name(), listed(names()));
            problems.add(at.key(key), message);
            continue;
        };
        match value(node, parameter) {
            Some(value) => drop(given.0.insert(key.clone(), value)),
            None => {
                let hint = match (&node.value, &parameter.range) {
                    (Value::Text(text), Range::Names(names)) => {
                        suggestion(text, names.iter().map(|(name, _)| name.as_str()))
                    }
                    _ => String::new(),
                };
                let message =
                    format!("{} is not accepted; accepted: {}{hint}", node.shown(), accepted(&parameter.range));
                problems.add(at.key(key), message);
            }
        }
    }
    given
}

impl Kind for OneOfTheStacks {
    type Value = Transport;

    fn renew(&self, _node: &mut Node, _at: &KeyPath, _renewal: &mut Renewal) {}

    fn read(&self, node: &Node, at: &KeyPath, problems: &mut Problems<'_>) -> Transport {
        let library = match node.get(LIBRARY) {
            None => None,
            Some(library) => match of_library(library, &at.key(LIBRARY), problems) {
                None => return Transport::Tcp,
                library => library,
            },
        };
        let (library, own) = library.unzip();
        let stacks = own.as_deref().unwrap_or(built_in(problems));
        let tcp = library.is_none().then_some(TCP);
        let find = |name: &str| {
            if tcp == Some(name) {
                return Some(Transport::Tcp);
            }
            let stack = stacks.iter().find(|stack| stack.name() == name)?.clone();
            Some(Transport::Other(Other { stack, parameters: Parameters::default(), library: library.clone() }))
        };
        let names = || tcp.into_iter().chain(stacks.iter().map(|stack| stack.name())).collect();
        let unknown = if tcp.is_some() { "not a known transport" } else { "not a transport of the library" };
        let Some((found, entries)) = (Named { unknown, names: &names }).read(node, at, problems, find) else {
            return Transport::Tcp;
        };
        let Some(entries) = entries else { return found };
        match found {
            Transport::Other(mut other) => {
                other.parameters = parameters(&other, entries, at, problems);
                Transport::Other(other)
            }
            Transport::Tcp => {
                for (key, _) in entries.iter().filter(|(key, _)| key != KIND) {
                    let message = "unknown key of tcp, whose settings are fields of the flow; accepted: kind";
                    problems.add(at.key(key), message);
                }
                Transport::Tcp
            }
        }
    }

    fn placeholder(&self) -> Transport {
        Transport::Tcp
    }

    fn write(&self, value: &Transport) -> Json {
        let Transport::Other(other) = value else { return Json::from(TCP) };
        let mut table = Map::new();
        table.insert(KIND.to_owned(), Json::from(other.stack.name()));
        if let Some(library) = &other.library {
            table.insert(LIBRARY.to_owned(), Json::from(library.as_str()));
        }
        table.insert(other.source_key().to_owned(), Json::from(other.stack.source()));
        table.extend(other.parameters.0.iter().map(|(name, value)| {
            let value = match value {
                interface::Value::Number(number) => Json::from(*number),
                interface::Value::Name(name) => Json::from(name.as_str()),
            };
            (name.clone(), value)
        }));
        Json::Object(table)
    }

    fn info(&self) -> Info {
        Info {
            noun: "transport".to_owned(),
            unit: String::new(),
            accepts:
                "tcp, the name of a stack (`ackclock list transport`), or a table of its kind, its parameters and \
                      the library that it is in, if it is not built in"
                    .to_owned(),
            schema: json!({ "oneOf": [
                { "type": "string" },
                { "type": "object", "description": "The kind of a stack, its parameters, and the path of its library." },
            ] }),
            nested: Vec::new(),
        }
    }
}
