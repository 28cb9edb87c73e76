//! Scenarios in and out as text.

use ackclock_scenario::{Outside, Scenario, ScenarioError};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use crate::cc::registered;

/// The reason why a scenario that names a file is refused.
const NO_FILES: &str = "a page has no files; run the scenario with the command line";

/// Reads a scenario from TOML, with overrides applied: a JSON array of pairs of a path and a value, both texts.
///
/// # Errors
/// A text in JSON with all problems, for JavaScript.
pub fn parse(text: &str, overrides: &str) -> Result<Scenario, JsValue> {
    let overrides: Vec<(String, String)> = serde_json::from_str::<Value>(overrides)
        .ok()
        .as_ref()
        .and_then(pairs)
        .ok_or_else(|| JsValue::from_str("overrides are not a JSON array of pairs of texts"))?;
    let files = |_: &str| Err(NO_FILES.to_owned());
    let registered = registered();
    Scenario::from_toml_with(text, &overrides, Outside { files: &files, registered: &registered, ..Outside::NOTHING })
        .map_err(|error| problems(&error))
}

fn pairs(value: &Value) -> Option<Vec<(String, String)>> {
    let pair = |one: &Value| match one.as_array()?.as_slice() {
        [path, value] => Some((path.as_str()?.to_owned(), value.as_str()?.to_owned())),
        _ => None,
    };
    value.as_array()?.iter().map(pair).collect()
}

/// Returns the problems of a scenario as a text in JSON: {problems: [{path, line (or null), message}]}.
pub fn problems(error: &ScenarioError) -> JsValue {
    let problems = error
        .problems
        .iter()
        .map(|problem| json!({"path": problem.path, "line": problem.line, "message": problem.message}));
    JsValue::from_str(&json!({"problems": Value::from_iter(problems)}).to_string())
}

/// Returns what is known of a scenario before its run, as a text in JSON: its canonical form with every default, its hash,
/// its seed, and the packets, rows of tables and bytes of memory that are expected of a run.
///
/// # Errors
/// All problems of the text.
#[wasm_bindgen]
pub fn check(text: &str, overrides: &str) -> Result<String, JsValue> {
    let scenario = parse(text, overrides)?;
    let estimate = scenario.estimate();
    Ok(json!({
        "canonical": scenario.to_json(),
        "hash": scenario.hash(),
        "seed": scenario.seed,
        "duration_s": scenario.duration as f64 / 1e9,
        "packets": estimate.packets,
        "rows": estimate.rows,
        "memory": estimate.memory,
    })
    .to_string())
}

/// Returns the JSON Schema (2020-12) of a scenario.
#[wasm_bindgen]
pub fn schema() -> String {
    ackclock_scenario::schema().to_string()
}
