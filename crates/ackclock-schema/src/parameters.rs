//! Tables of an algorithm with its parameters, such as `{ kind = "vegas", alpha = 3 }`. Each parameter is a number from
//! a range.

use ackclock_core::parameters::Parameter;
use serde_json::{Map, Value as Json, json};

use crate::info::KIND;
use crate::problems::{Problems, listed, suggestion};
use crate::tree::{KeyPath, Node, Value};

/// Key that holds the source of an algorithm of the user, beside its parameters.
pub const SOURCE: &str = "source";

/// A parameter: its name, minimum and maximum.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    /// Name in scenarios.
    pub name: &'static str,
    /// Minimum value accepted.
    pub least: f64,
    /// Maximum value accepted.
    pub most: f64,
}

impl Range {
    /// Returns the ranges of the parameters of a catalogue's entry.
    pub fn all(parameters: &[Parameter]) -> Vec<Range> {
        parameters.iter().map(|one| Range { name: one.name, least: one.range.0, most: one.range.1 }).collect()
    }
}

/// An algorithm whose table is read.
pub struct Owner<'a> {
    /// Name of the algorithm.
    pub name: &'a str,
    /// Its parameters.
    pub ranges: &'a [Range],
    /// Text that identifies the source of a user's algorithm. The table may name this text under [`SOURCE`].
    pub source: Option<&'a str>,
}

impl Owner<'_> {
    /// Reads the parameters from the entries of the table at `at`, in the order of the ranges. Adds every mistake to
    /// the problems. `elsewhere` returns the name of another algorithm that has an unknown key.
    pub fn read(
        &self,
        entries: &[(String, Node)],
        at: &KeyPath,
        problems: &mut Problems<'_>,
        elsewhere: impl Fn(&str) -> Option<&'static str>,
    ) -> Vec<(&'static str, f64)> {
        if let Some(own) = self.source
            && let Some((_, node)) = entries.iter().find(|(key, _)| key == SOURCE)
            && !matches!(&node.value, Value::Text(source) if source == own)
        {
            let message = format!("{} is not the source that is loaded; accepted: {own:?}", node.shown());
            problems.add(at.key(SOURCE), message);
        }
        let others = std::iter::once(KIND).chain(self.source.map(|_| SOURCE));
        let accepted: Vec<&str> = others.chain(self.ranges.iter().map(|range| range.name)).collect();
        for (key, _) in entries.iter().filter(|(key, _)| !accepted.contains(&key.as_str())) {
            let hint = match elsewhere(key) {
                Some(other) => format!("; {other} has {key:?}"),
                None => suggestion(key, accepted.iter().copied()),
            };
            let accepted = listed(accepted.iter().copied());
            problems.add(at.key(key), format!("unknown key of {}; accepted: {accepted}{hint}", self.name));
        }
        let mut given = Vec::new();
        for &Range { name, least, most } in self.ranges {
            let Some((_, node)) = entries.iter().find(|(key, _)| key == name) else { continue };
            let number = if let Value::Number(number) = &node.value { number.parse::<f64>().ok() } else { None };
            match number {
                Some(number) if (least..=most).contains(&number) => given.push((name, number)),
                _ => problems.add(
                    at.key(name),
                    format!("{} is not accepted; accepted: a number from {least} to {most}", node.shown()),
                ),
            }
        }
        given
    }
}

/// Returns the canonical form of an algorithm: its name, or a table if it has a source or given parameters.
pub fn write(name: &str, source: Option<&str>, given: &[(&'static str, f64)]) -> Json {
    if given.is_empty() && source.is_none() {
        return Json::from(name);
    }
    let mut table = Map::new();
    table.insert(KIND.to_owned(), Json::from(name));
    if let Some(source) = source {
        table.insert(SOURCE.to_owned(), Json::from(source));
    }
    table.extend(given.iter().map(|&(name, number)| (name.to_owned(), Json::from(number))));
    Json::Object(table)
}

/// Returns the JSON Schema of the table of an algorithm.
pub fn table_schema(name: &str, summary: &str, parameters: &[Parameter]) -> Json {
    let mut properties = Map::new();
    properties.insert(KIND.to_owned(), json!({ "const": name, "description": summary }));
    for parameter in parameters {
        let (least, most) = parameter.range;
        let number = json!({
            "type": "number",
            "minimum": least,
            "maximum": most,
            "default": parameter.default_value(),
            "description": parameter.described(),
        });
        properties.insert(parameter.name.to_owned(), number);
    }
    json!({
        "type": "object",
        "description": summary,
        "properties": properties,
        "required": [KIND],
        "additionalProperties": false,
    })
}
