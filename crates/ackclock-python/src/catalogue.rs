//! What a scenario can name, gathered from the catalogues of the rooms.

use ackclock_sim::app::dash::abr;
use ackclock_sim::scenario;
use ackclock_tcp::{cc, slow_start, stack, validation};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

/// Loss recovery is not chosen by name: it follows from whether SACK is on.
const RECOVERY: &[(&str, &str, &str)] = &[
    (
        "rfc6675",
        "with sack = true: a scoreboard of SACK blocks and pipe, the estimate of what is in flight",
        "RFC 6675",
    ),
    ("newreno", "with sack = false: one segment sent again for each partial ACK", "RFC 6582"),
];

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
    let recovery: Vec<Value> = RECOVERY.iter().map(|(name, summary, source)| row(name, summary, source)).collect();
    kinds.insert("recovery".into(), recovery.into());
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
