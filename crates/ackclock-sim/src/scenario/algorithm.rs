//! A congestion control in a scenario: its name, or a table of its name and the parameters that differ from their defaults.

use ackclock_tcp::cc::{self, Algorithm, Values, remycc};
use serde_json::{Map, Value as Json, json};

use super::kinds::{Info, Kind};
use super::problems::{Problems, listed, suggestion};
use super::rules::Rules;
use super::tree::{Node, Path, Value};
use super::union::KIND;

/// A congestion control with the parameters given for it.
#[derive(Clone, PartialEq, Debug)]
pub struct CongestionControl {
    /// Its name in the catalogue, or that of RemyCC.
    pub name: &'static str,
    /// The parameters given, in the order of the catalogue's entry.
    pub parameters: Vec<(&'static str, f64)>,
    /// The table of RemyCC; no other has one.
    pub rules: Option<Rules>,
}

impl CongestionControl {
    /// What connections are given.
    pub(super) fn algorithm(&self) -> Algorithm {
        if let Some(rules) = &self.rules {
            return rules.algorithm();
        }
        let entry = cc::by_name(self.name).expect("in the catalogue");
        Algorithm::with(entry, Values::given(entry, &self.parameters).expect("checked when it was read"))
    }
}

/// The kind of a [`CongestionControl`].
pub(super) struct OneOfTheCatalogue;

/// The kind of a [`CongestionControl`].
pub(super) const fn congestion_control() -> OneOfTheCatalogue {
    OneOfTheCatalogue
}

fn names() -> impl Iterator<Item = &'static str> {
    cc::CATALOGUE.iter().map(|entry| entry.name).chain([remycc::NAME])
}

fn is_remycc(node: &Node) -> bool {
    matches!(&node.value, Value::Text(name) if name == remycc::NAME)
}

/// The entry that a node names; what is wrong with it is added to the problems.
fn entry(node: &Node, at: &Path, problems: &mut Problems<'_>) -> Option<&'static cc::Entry> {
    let Value::Text(name) = &node.value else {
        problems.add(at.clone(), format!("{} is not a name; accepted: {}", node.shown(), listed(names())));
        return None;
    };
    let found = cc::by_name(name);
    if found.is_none() {
        let (accepted, hint) = (listed(names()), suggestion(name, names()));
        let message = format!("{} is not a known congestion control; accepted: {accepted}{hint}", node.shown());
        problems.add(at.clone(), message);
    }
    found
}

/// The parameters in a table of `entry`.
fn parameters(
    entry: &'static cc::Entry,
    entries: &[(String, Node)],
    at: &Path,
    problems: &mut Problems<'_>,
) -> Vec<(&'static str, f64)> {
    let known = || entry.parameters.iter().map(|parameter| parameter.name);
    for (key, _) in entries.iter().filter(|(key, _)| key != KIND && !known().any(|name| name == key)) {
        let accepted = || std::iter::once(KIND).chain(known());
        let hint = suggestion(key, accepted());
        problems.add(at.key(key), format!("unknown key of {}; accepted: {}{hint}", entry.name, listed(accepted())));
    }
    let mut given = Vec::new();
    for parameter in entry.parameters {
        let Some((_, node)) = entries.iter().find(|(key, _)| key == parameter.name) else { continue };
        let (least, most) = parameter.range;
        let number = if let Value::Number(number) = &node.value { number.parse::<f64>().ok() } else { None };
        match number {
            Some(number) if (least..=most).contains(&number) => given.push((parameter.name, number)),
            _ => problems.add(
                at.key(parameter.name),
                format!("{} is not accepted; accepted: a number from {least} to {most}", node.shown()),
            ),
        }
    }
    given
}

impl Kind for OneOfTheCatalogue {
    type Value = CongestionControl;

    fn read(&self, node: &Node, at: &Path, problems: &mut Problems<'_>) -> CongestionControl {
        let Value::Table(entries) = &node.value else {
            if is_remycc(node) {
                problems.add(at.clone(), format!("{} has no table; accepted: {}", node.shown(), Rules::EXAMPLE));
                return self.placeholder();
            }
            let name = entry(node, at, problems).map_or_else(|| self.placeholder().name, |entry| entry.name);
            return CongestionControl { name, ..self.placeholder() };
        };
        let Some(kind) = node.get(KIND) else {
            problems.add(at.key(KIND), format!("missing; accepted: {}", listed(names())));
            return self.placeholder();
        };
        if is_remycc(kind) {
            let rules = Rules::read(entries, at, problems);
            let name = if rules.is_some() { remycc::NAME } else { self.placeholder().name };
            return CongestionControl { name, parameters: Vec::new(), rules };
        }
        match entry(kind, &at.key(KIND), problems) {
            Some(entry) => {
                let parameters = parameters(entry, entries, at, problems);
                CongestionControl { name: entry.name, parameters, rules: None }
            }
            None => self.placeholder(),
        }
    }

    fn placeholder(&self) -> CongestionControl {
        CongestionControl { name: cc::CATALOGUE[0].name, parameters: Vec::new(), rules: None }
    }

    fn write(&self, value: &CongestionControl) -> Json {
        if let Some(rules) = &value.rules {
            return rules.write();
        }
        if value.parameters.is_empty() {
            return Json::from(value.name);
        }
        let mut table = Map::new();
        table.insert(KIND.to_owned(), Json::from(value.name));
        table.extend(value.parameters.iter().map(|&(name, number)| (name.to_owned(), Json::from(number))));
        Json::Object(table)
    }

    fn info(&self) -> Info {
        let by_name = cc::CATALOGUE.iter().map(|entry| json!({ "const": entry.name, "description": entry.summary }));
        let tables = cc::CATALOGUE.iter().filter(|entry| !entry.parameters.is_empty()).map(table_schema);
        let tables = tables.chain([Rules::schema()]);
        Info {
            noun: "congestion control".to_owned(),
            unit: String::new(),
            accepts: format!("{}, or a table of its kind and its parameters", listed(names())),
            schema: json!({ "oneOf": by_name.chain(tables).collect::<Vec<_>>() }),
            nested: Vec::new(),
        }
    }
}

fn table_schema(entry: &cc::Entry) -> Json {
    let mut properties = Map::new();
    properties.insert(KIND.to_owned(), json!({ "const": entry.name, "description": entry.summary }));
    for parameter in entry.parameters {
        let (least, most) = parameter.range;
        let number = json!({
            "type": "number",
            "minimum": least,
            "maximum": most,
            "default": parameter.default,
            "description": parameter.summary,
        });
        properties.insert(parameter.name.to_owned(), number);
    }
    json!({
        "type": "object",
        "description": entry.summary,
        "properties": properties,
        "required": [KIND],
        "additionalProperties": false,
    })
}
