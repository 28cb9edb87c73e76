//! Scenarios in and out as text.

use ackclock_sim::scenario::Scenario;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::scenario_error;

/// Reads a scenario from TOML or JSON text, with overrides (path, value) applied.
pub fn parse(py: Python<'_>, text: &str, format: &str, overrides: &[(String, String)]) -> PyResult<Scenario> {
    let parsed = match format {
        "toml" => Scenario::from_toml(text, overrides),
        "json" => Scenario::from_json(text, overrides),
        other => return Err(PyValueError::new_err(format!("format is \"toml\" or \"json\", not {other:?}"))),
    };
    parsed.map_err(|error| scenario_error(py, &error))
}

/// The canonical JSON of a scenario, every default filled in.
#[pyfunction]
pub fn check(py: Python<'_>, text: &str, format: &str, overrides: Vec<(String, String)>) -> PyResult<String> {
    Ok(parse(py, text, format, &overrides)?.to_json().to_string())
}

/// The hash that names a scenario in the provenance of its results.
#[pyfunction]
pub fn scenario_hash(py: Python<'_>, text: &str, format: &str, overrides: Vec<(String, String)>) -> PyResult<String> {
    Ok(parse(py, text, format, &overrides)?.hash())
}

/// The JSON Schema (2020-12) of a scenario.
#[pyfunction]
pub fn schema() -> String {
    ackclock_sim::scenario::schema().to_string()
}

/// The JSON Schema (2020-12) of a line of the event log.
#[pyfunction]
pub fn event_schema() -> String {
    ackclock_sim::trace::event_schema().to_string()
}
