//! Scenarios in and out as text. The files that scenarios name are read here because the engine has no file system.

use std::cell::RefCell;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ackclock_scenario::{Outside, Part, Scenario, ScenarioError, Step, Warning};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::{Value, json};

use crate::cc::{Algorithm, Known, registered};
use crate::errors::scenario_error;
use crate::transport;

/// Reads a scenario from TOML or JSON text, with overrides (path, value) applied. The paths of files are relative to
/// `folder`. The `known` algorithms and transports may be named besides those of the catalogues.
pub fn parse(
    py: Python<'_>,
    text: &str,
    format: &str,
    overrides: &[(String, String)],
    folder: &Path,
    known: &Known,
) -> PyResult<Scenario> {
    let files = |path: &str| read(&folder.join(path));
    let (transports, libraries) = (transport::built_in(), transport::libraries(folder));
    let outside = Outside {
        files: &files,
        registered: &known.controls,
        rules: &known.rules,
        transports: &transports,
        libraries: Some(&libraries),
        ..Outside::NOTHING
    };
    parse_with(text, format, overrides, outside)?.map_err(|error| scenario_error(py, &error))
}

/// Reads a scenario, like [`parse`]; mistakes in the text are returned.
pub fn parse_with(
    text: &str,
    format: &str,
    overrides: &[(String, String)],
    outside: Outside<'_>,
) -> PyResult<Result<Scenario, ScenarioError>> {
    match format {
        "toml" => Ok(Scenario::from_toml_with(text, overrides, outside)),
        "json" => Ok(Scenario::from_json_with(text, overrides, outside)),
        other => Err(PyValueError::new_err(format!("format is \"toml\" or \"json\", not {other:?}"))),
    }
}

/// Returns the old names in a text and in overrides, one dict each: steps, line (or None), part ("key" or "value"), old,
/// new and message. Mistakes in the text are left to `check`.
#[pyfunction]
pub fn old_names<'py>(
    py: Python<'py>,
    text: &str,
    format: &str,
    overrides: Vec<(String, String)>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let found = RefCell::new(Vec::new());
    let warn = |warning: &Warning| found.borrow_mut().push(warning.clone());
    // The files and the Python classes that a text may name have no names that the engine has changed.
    let _ = parse_with(text, format, &overrides, Outside { warn: &warn, ..Outside::NOTHING })?;
    found.take().iter().map(|warning| old_name(py, warning)).collect()
}

fn old_name<'py>(py: Python<'py>, warning: &Warning) -> PyResult<Bound<'py, PyDict>> {
    let steps = PyList::empty(py);
    for step in &warning.place.0 {
        match step {
            Step::Key(key) => steps.append(key)?,
            Step::Index(index) => steps.append(index)?,
        }
    }
    let entry = PyDict::new(py);
    entry.set_item("steps", steps)?;
    entry.set_item("line", warning.line)?;
    entry.set_item("part", if warning.part == Part::Key { "key" } else { "value" })?;
    entry.set_item("old", &warning.old)?;
    entry.set_item("new", &warning.new)?;
    entry.set_item("message", warning.to_string())?;
    Ok(entry)
}

/// Maximum size of a file that a scenario names, in bytes.
const MOST_BYTES: u64 = 1 << 24;

/// Returns the content of a file, or the reason why there is none.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    let why = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string().to_lowercase(),
    };
    // Opening a pipe would block until a process writes to it.
    if !std::fs::metadata(path).map_err(why)?.is_file() {
        return Err("not a file".to_owned());
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes)).map_err(why)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("more than {} MiB", MOST_BYTES >> 20));
    }
    Ok(bytes)
}

/// Returns the canonical JSON of a scenario, with every default filled in.
#[pyfunction]
#[pyo3(signature = (text, format, overrides, folder=PathBuf::new(), algorithms=Vec::new()))]
pub fn check(
    py: Python<'_>,
    text: &str,
    format: &str,
    overrides: Vec<(String, String)>,
    folder: PathBuf,
    algorithms: Vec<PyRef<'_, Algorithm>>,
) -> PyResult<String> {
    let known = registered(&algorithms, &Arc::default());
    Ok(parse(py, text, format, &overrides, &folder, &known)?.to_json().to_string())
}

/// Returns "; did you mean NAME?" for the name that is nearest to what was written; nothing if none is near.
#[pyfunction]
pub fn suggestion(written: &str, names: Vec<String>) -> String {
    ackclock_scenario::suggestion(written, names.iter().map(String::as_str))
}

/// Returns the hash that identifies a scenario in the provenance of its results.
#[pyfunction]
#[pyo3(signature = (text, format, overrides, folder=PathBuf::new(), algorithms=Vec::new()))]
pub fn scenario_hash(
    py: Python<'_>,
    text: &str,
    format: &str,
    overrides: Vec<(String, String)>,
    folder: PathBuf,
    algorithms: Vec<PyRef<'_, Algorithm>>,
) -> PyResult<String> {
    let known = registered(&algorithms, &Arc::default());
    Ok(parse(py, text, format, &overrides, &folder, &known)?.hash())
}

/// Returns the canonical JSON of a scenario, its hash, and the bytes of memory that a run is expected to take.
#[pyfunction]
#[pyo3(signature = (text, format, overrides, folder=PathBuf::new(), algorithms=Vec::new()))]
pub fn read_scenario(
    py: Python<'_>,
    text: &str,
    format: &str,
    overrides: Vec<(String, String)>,
    folder: PathBuf,
    algorithms: Vec<PyRef<'_, Algorithm>>,
) -> PyResult<(String, String, f64)> {
    let known = registered(&algorithms, &Arc::default());
    let scenario = parse(py, text, format, &overrides, &folder, &known)?;
    Ok((scenario.to_json().to_string(), scenario.hash(), scenario.estimate().memory))
}

/// Returns the expected size of a run: packets, delivery opportunities of cellular links, rows of tables, bytes of memory, and the consumers of memory as pairs
/// of field and bytes.
#[pyfunction]
#[pyo3(signature = (text, format, overrides, folder=PathBuf::new(), algorithms=Vec::new()))]
#[expect(clippy::type_complexity, reason = "a tuple on the other side")]
pub fn estimate(
    py: Python<'_>,
    text: &str,
    format: &str,
    overrides: Vec<(String, String)>,
    folder: PathBuf,
    algorithms: Vec<PyRef<'_, Algorithm>>,
) -> PyResult<(f64, f64, f64, f64, Vec<(String, f64)>)> {
    let known = registered(&algorithms, &Arc::default());
    let estimate = parse(py, text, format, &overrides, &folder, &known)?.estimate();
    Ok((estimate.packets, estimate.opportunities, estimate.rows, estimate.memory, estimate.parts))
}

/// Returns the algorithms of all flows that use TCP, as JSON: [{flow, copies, stack, cc, slow_start, validation,
/// pacing}]. `cc` is
/// the full name of the form that a family's name means on the flow's stack.
#[pyfunction]
#[pyo3(signature = (text, format, overrides, folder=PathBuf::new(), algorithms=Vec::new()))]
pub fn resolved(
    py: Python<'_>,
    text: &str,
    format: &str,
    overrides: Vec<(String, String)>,
    folder: PathBuf,
    algorithms: Vec<PyRef<'_, Algorithm>>,
) -> PyResult<String> {
    let known = registered(&algorithms, &Arc::default());
    let flows = parse(py, text, format, &overrides, &folder, &known)?.resolved();
    let rows = flows.into_iter().map(|one| {
        json!({
            "flow": one.flow,
            "copies": one.copies,
            "stack": one.stack,
            "cc": one.cc,
            "slow_start": one.slow_start,
            "validation": one.validation,
            "pacing": one.pacing,
        })
    });
    Ok(Value::from_iter(rows).to_string())
}

/// Returns the JSON Schema (2020-12) of a scenario.
#[pyfunction]
pub fn schema() -> String {
    ackclock_scenario::schema().to_string()
}

/// Returns the JSON Schema (2020-12) of a line of the event log.
#[pyfunction]
pub fn event_schema() -> String {
    ackclock_sim::trace::event_schema().to_string()
}
