//! Changes of a scenario with a known effect.

use ackclock_scenario::Scenario;
use serde_json::{Value as Json, json};

use super::dice::Dice;

/// Name of the foreign flow and of its own link, or the beginning of their names.
const FOREIGN: &str = "foreign";

/// Whether a row belongs to the foreign flow or its link: their names, and those of their copies and directions.
pub fn is_foreign(name: &str) -> bool {
    name.starts_with(FOREIGN)
}

/// Whether the scenario has rates that change with the duration. The mean of steps that do not repeat is computed over
/// the whole run, and bandwidth-delay products and access rates follow from this mean.
fn depends_on_duration(document: &Json) -> bool {
    match document {
        Json::Object(table) => {
            let is_rate = |step: &Json| step.get("rate").is_some();
            let steps = table.get("steps").and_then(Json::as_array).is_some_and(|steps| steps.iter().any(is_rate));
            (steps && !table.contains_key("repeat_every")) || table.values().any(depends_on_duration)
        }
        Json::Array(items) => items.iter().any(depends_on_duration),
        _ => false,
    }
}

/// Returns the scenario with a longer duration; `None` if its beginning would change.
pub fn longer(scenario: &Scenario, dice: &mut Dice) -> Option<Json> {
    let mut document = scenario.to_json();
    if depends_on_duration(&document) {
        return None;
    }
    let factor = 1.0 + 2.0 * dice.unit();
    let duration = (scenario.duration as f64 * factor) as u64 + 1;
    document["duration"] = json!(format!("{duration}ns"));
    Some(document)
}

/// Returns the scenario with one more flow, before or after all others, on a link that no other flow uses.
pub fn with_foreign_flow(scenario: &Scenario, dice: &mut Dice) -> Json {
    let mut document = scenario.to_json();
    let [near, far] = [format!("{FOREIGN} near"), format!("{FOREIGN} far")];
    let (rate, delay) = (*dice.of(&["1Mbps", "20Mbps", "640kbps"]), "0s");
    let link = json!({
        "name": FOREIGN, "ends": [&near, &far], "rate": rate, "delay": delay, "queue": "100 packets", "loss": "1%",
    });
    let apps = [
        json!({ "kind": "transfer", "size": "20kB" }),
        json!({ "kind": "cbr", "rate": "400kbps", "on": "200ms" }),
        json!({ "kind": "rpc", "response_size": "3kB", "rounds": 3, "servers": 2 }),
        json!({ "kind": "voip", "on": "500ms" }),
        json!({ "kind": "call", "control": "nada", "on": "500ms" }),
    ];
    let at_start = dice.below(scenario.duration.min(1_000_000_000) as usize);
    let flow = json!({
        "name": FOREIGN,
        "app": dice.of(&apps),
        "start": format!("{at_start}ns"),
        "route": [&near, &far],
        "return_route": [&far, &near],
        "access": { "rate": "10Mbps", "source_delay": "0s", "sink_delay": "0s" },
    });
    let first = dice.chance(0.5);
    for (key, item) in [("links", link), ("flows", flow)] {
        if document.get(key).is_none() {
            document[key] = json!([]);
        }
        let items = document[key].as_array_mut().expect("a list of tables");
        items.insert(if first && key == "flows" { 0 } else { items.len() }, item);
    }
    document
}
