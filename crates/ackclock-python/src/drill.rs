//! packetdrill scripts. Files are read here because the interpreter of the scripts has no file system.

use std::path::Path;

use ackclock_drill::{Context, Outcome, Verdict};
use ackclock_tcp::stack;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

/// Runs the text of a script whose folder is `folder`. Returns JSON of its verdict so far and of the Python code that
/// is still to be run.
#[pyfunction]
pub fn drill(text: &str, folder: &str, stack: &str, defines: Vec<(String, String)>) -> PyResult<String> {
    let Some(stack) = stack::by_name(stack) else {
        let names: Vec<&str> = stack::CATALOGUE.iter().map(|stack| stack.name).collect();
        return Err(PyValueError::new_err(format!("unknown stack {stack}; accepted: {}", names.join(", "))));
    };
    let files = |path: &str| std::fs::read_to_string(Path::new(folder).join(path)).ok();
    let outcome = ackclock_drill::run(text, &Context { stack, defines: &defines, files: &files });
    Ok(document(outcome))
}

/// Runs the text of a script on the running kernel, in a network namespace that the calling thread enters. The process
/// should end after it. `tun` is the device file of TUN, and `patience_s` the time for which a late packet is still
/// awaited. The script starts at a multiple of `alignment_ms` on the kernel's clock. Returns JSON like `drill`.
#[cfg(target_os = "linux")]
#[pyfunction]
pub fn live_drill(
    text: &str,
    folder: &str,
    defines: Vec<(String, String)>,
    tun: &str,
    patience_s: u32,
    alignment_ms: u32,
) -> String {
    let context = ackclock_livedrill::Context {
        folder: Path::new(folder),
        defines: &defines,
        tun: Path::new(tun),
        patience: u64::from(patience_s) * ackclock_tcp::SECOND,
        alignment: u64::from(alignment_ms) * ackclock_tcp::MILLISECOND,
    };
    document(ackclock_livedrill::run(text, &context))
}

/// JSON of a verdict and of the Python code that is still to be run.
fn document(outcome: Outcome) -> String {
    let (verdict, at, reason) = match outcome.verdict {
        Verdict::Pass => ("pass", None, String::new()),
        Verdict::Fail { at, reason } => ("fail", Some(at), reason),
        Verdict::Unsupported { at, what } => ("unsupported", Some(at), what),
    };
    let snippets: Vec<Value> = outcome
        .snippets
        .into_iter()
        .map(|snippet| {
            let values: Map<String, Value> =
                snippet.values.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
            json!({ "line": snippet.at.line, "code": snippet.code, "values": values })
        })
        .collect();
    let line = at.map(|at| at.line);
    let column = at.map(|at| at.column);
    json!({ "verdict": verdict, "line": line, "column": column, "reason": reason, "snippets": snippets }).to_string()
}
