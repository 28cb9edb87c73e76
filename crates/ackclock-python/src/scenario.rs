//! Scenarios in and out as text. The files that scenarios name are read here because the engine has no file system.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ackclock_scenario::{Outside, Registered, Scenario};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::cc::{Algorithm, registered};
use crate::errors::scenario_error;

/// Reads a scenario from TOML or JSON text, with overrides (path, value) applied. The paths of files are relative to
/// `folder`. The `known` algorithms may be named besides those of the catalogue.
pub fn parse(
    py: Python<'_>,
    text: &str,
    format: &str,
    overrides: &[(String, String)],
    folder: &Path,
    known: &[Arc<Registered>],
) -> PyResult<Scenario> {
    let files = |path: &str| read(&folder.join(path));
    let outside = Outside { files: &files, registered: known, ..Outside::NOTHING };
    let parsed = match format {
        "toml" => Scenario::from_toml_with(text, overrides, outside),
        "json" => Scenario::from_json_with(text, overrides, outside),
        other => return Err(PyValueError::new_err(format!("format is \"toml\" or \"json\", not {other:?}"))),
    };
    parsed.map_err(|error| scenario_error(py, &error))
}

/// Maximum size of a file that a scenario names, in bytes.
const MOST_BYTES: u64 = 1 << 24;

/// Returns the content of a file, or the reason why there is none.
fn read(path: &Path) -> Result<Vec<u8>, String> {
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
