//! Errors for Python. The exception classes are defined in `ackclock._errors`, so they pickle, document and type-check
//! like any other Python class.

use ackclock_scenario::ScenarioError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

pub mod python {
    pyo3::import_exception!(ackclock._errors, AlgorithmError);
    pyo3::import_exception!(ackclock._errors, ScenarioError);
    pyo3::import_exception!(ackclock._errors, Cancelled);
    pyo3::import_exception!(ackclock._errors, TransportError);
    pyo3::import_exception!(ackclock._errors, VerificationError);
}

/// Returns `ackclock.ScenarioError` with one dict for each problem: path, line (or None) and message.
pub fn scenario_error(py: Python<'_>, error: &ScenarioError) -> PyErr {
    let problems: PyResult<Vec<Py<PyDict>>> = error
        .problems
        .iter()
        .map(|problem| {
            let entry = PyDict::new(py);
            entry.set_item("path", &problem.path)?;
            entry.set_item("line", problem.line)?;
            entry.set_item("message", &problem.message)?;
            Ok(entry.unbind())
        })
        .collect();
    match problems {
        Ok(problems) => python::ScenarioError::new_err((problems,)),
        Err(error) => error,
    }
}

/// Returns `ackclock.VerificationError` with one line for each finding.
pub fn verification_error(seed: u64, findings: Vec<String>) -> PyErr {
    python::VerificationError::new_err((seed, findings))
}

/// Returns `ackclock.Cancelled`: the run was ended through its `Cancel`.
pub fn cancelled() -> PyErr {
    python::Cancelled::new_err("the run was cancelled")
}
