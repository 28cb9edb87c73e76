//! What a scenario can name, gathered from the catalogues of the rooms.

use ackclock_sim::app::dash::abr;
use ackclock_sim::scenario;
use ackclock_tcp::{cc, recovery, slow_start, stack, validation};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

fn row(name: &str, summary: &str, source: &str) -> Value {
    json!({ "name": name, "summary": summary, "source": source })
}

/// Every algorithm, application and profile that a scenario can name, as JSON: kind -> [{name, summary, source}].
#[pyfunction]
pub fn catalogue() -> String {
    macro_rules! rows {
        ($entries:expr) => {
            $entries.iter().map(|entry| row(entry.name, entry.summary, entry.source)).collect::<Vec<Value>>()
        };
    }
    let mut kinds = Map::new();
    kinds.insert("cc".into(), rows!(cc::CATALOGUE).into());
    kinds.insert("recovery".into(), rows!(recovery::CATALOGUE).into());
    kinds.insert("validation".into(), rows!(validation::CATALOGUE).into());
    kinds.insert("slow-start".into(), rows!(slow_start::CATALOGUE).into());
    kinds.insert("stack".into(), rows!(stack::CATALOGUE).into());
    kinds.insert("abr".into(), rows!(abr::CATALOGUE).into());
    for (kind, entries) in scenario::catalogue() {
        let rows: Vec<Value> = entries.iter().map(|(name, summary)| row(name, summary, "")).collect();
        kinds.entry(kind).or_insert_with(|| rows.into());
    }
    Value::Object(kinds).to_string()
}
