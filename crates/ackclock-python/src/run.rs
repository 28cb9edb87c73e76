//! Runs a scenario with the interpreter's lock released.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ackclock_scenario::Flow;
use ackclock_sim::trace::{Chunk, Form, Part, TraceSpec};
use ackclock_sim::{Run, Watching};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::callbacks::Failure;
use crate::cc::{Algorithm, registered};
use crate::errors::{cancelled, scenario_error, verification_error};
use crate::scenario::parse;
use crate::tables::to_arro3;
use crate::transport;

/// Number of events between two checks of the clock and of [`Cancel`]: some milliseconds of work.
const EVENTS_PER_STEP: u64 = 20_000;

/// The same number for runs on several threads, which are started for each step.
const EVENTS_PER_JOINT_STEP: u64 = 200_000;

/// The same number for runs with algorithms in Python: the interpreter is held for these events, and other threads have
/// to wait. Rate adaptations in Python do not hold it, but may take long.
const EVENTS_PER_HOLD: u64 = 1000;

/// Time between two visits to the interpreter, for signals and progress.
const VISIT_EVERY: Duration = Duration::from_millis(100);

/// An object that ends a run from another thread.
#[pyclass(module = "ackclock._core", frozen)]
#[derive(Default)]
pub struct Cancel {
    pub(crate) asked: Arc<AtomicBool>,
}

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Cancel {
        Cancel::default()
    }

    /// Requests every run that was given this object to end; the runs raise `ackclock.Cancelled` within milliseconds.
    fn cancel(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Whether `cancel` was called.
    #[getter]
    fn cancelled(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}

/// The traces of a run: the names of the places to capture at, whether packets have IPv6 headers and keep their
/// payload, whether events are logged, whether there are logs in qlog's format, and which flows and times are traced.
#[pyclass(module = "ackclock._core", frozen)]
pub struct Trace {
    spec: TraceSpec,
}

#[pymethods]
impl Trace {
    #[new]
    #[pyo3(signature = (captures, *, ipv6, payload, events, qlog, flows, start, end))]
    #[expect(clippy::too_many_arguments, reason = "they have names on the other side")]
    fn new(
        captures: Vec<String>,
        ipv6: bool,
        payload: bool,
        events: bool,
        qlog: bool,
        flows: Vec<String>,
        start: Option<String>,
        end: Option<String>,
    ) -> Trace {
        let part = Part { flows, from: start, to: end };
        Trace { spec: TraceSpec { captures, form: Form { v6: ipv6, payload }, events, qlog, part } }
    }
}

/// Runs a scenario to its end and returns its provenance and its tables.
///
/// `progress` is called with the fraction of the simulated time that is done, from 0 to 1. An exception that `progress`
/// raises, a signal (on the main thread) or `cancel` ends the run.
///
/// With `trace`, `write` is called repeatedly with the name of a file and further bytes of the file. The paths of files
/// that the scenario names are relative to `folder`.
///
/// With `verify` the run's events are replayed against the physics of its network, and its tables are compared with
/// each other. With `check` only the tables are compared. Findings are raised as `ackclock.VerificationError`.
///
/// A mistake of a transport ends the run as `ackclock.TransportError`. The file at the path `calls`, if it is given,
/// tells which call to a transport is in progress ([`ackclock_plugin::Beacon`]).
///
/// With `threads` above one, the run is divided among so many threads, if it can be; its tables are the same. If it
/// cannot be divided, the logger `ackclock` says why.
///
/// An exception or a panic in one of the `algorithms` ends the run as `ackclock.AlgorithmError`. A run that uses a
/// congestion control in Python holds the interpreter while it works and releases it briefly after a fixed number of
/// events.
#[pyfunction]
#[pyo3(signature = (text, format, overrides, seed=None, cancel=None, progress=None, trace=None, write=None, folder=PathBuf::new(), algorithms=Vec::new(), verify=false, check=false, calls=None, threads=1))]
#[expect(clippy::too_many_arguments, reason = "they have names on the other side")]
pub fn run<'py>(
    py: Python<'py>,
    text: &str,
    format: &str,
    overrides: Vec<(String, String)>,
    seed: Option<u64>,
    cancel: Option<Bound<'py, Cancel>>,
    progress: Option<Py<PyAny>>,
    trace: Option<Bound<'py, Trace>>,
    write: Option<Py<PyAny>>,
    folder: PathBuf,
    algorithms: Vec<PyRef<'py, Algorithm>>,
    verify: bool,
    check: bool,
    calls: Option<PathBuf>,
    threads: usize,
) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
    let failure = Arc::new(Failure::default());
    let scenario = parse(py, text, format, &overrides, &folder, &registered(&algorithms, &failure))?;
    let asked = cancel.map_or_else(Default::default, |cancel| cancel.get().asked.clone());
    let meta = PyDict::new(py);
    meta.set_item("name", &scenario.name)?;
    meta.set_item("scenario_hash", scenario.hash())?;
    meta.set_item("version", crate::version())?;
    // As many digits as a store keeps.
    meta.set_item("engine", &crate::engine()[..8])?;
    meta.set_item("seed", seed.unwrap_or(scenario.seed))?;
    meta.set_item("duration_s", scenario.duration as f64 / 1e9)?;
    let own = scenario.registered();
    let rules = scenario.rules();
    let calls_rules = !rules.is_empty();
    if !own.is_empty() || !rules.is_empty() {
        let sources = PyDict::new(py);
        for algorithm in &own {
            sources.set_item(algorithm.name, &algorithm.source)?;
        }
        for rule in rules {
            sources.set_item(rule.name, &rule.source)?;
        }
        meta.set_item("algorithms", sources)?;
    }
    let others: Vec<_> = scenario.flows.iter().filter_map(Flow::other_transport).collect();
    if !others.is_empty() {
        let sources = PyDict::new(py);
        for other in others {
            sources.set_item(other.stack.name(), other.stack.source())?;
        }
        meta.set_item("transports", sources)?;
    }
    let classes: Vec<_> = algorithms.iter().filter_map(|one| one.class()).collect();
    let holds = own.iter().any(|one| classes.contains(&one.name));

    let traces = trace.map_or_else(TraceSpec::default, |trace| trace.get().spec.clone());
    let watching = Watching { traces, verify, check: verify || check };
    let end = scenario.duration.max(1) as f64;
    let calls = Arc::new(transport::Told::new(calls.as_deref())?);
    let output = py.detach(move || {
        // A million flows take seconds to set up.
        let mut run = if threads > 1 {
            Run::in_parts(&scenario, seed, &watching, calls, threads)
        } else {
            Run::called(&scenario, seed, &watching, calls)
        }
        .map_err(|error| Python::attach(|py| scenario_error(py, &error)))?;
        if let Some(reason) = run.one_thread() {
            Python::attach(|py| warn(py, &format!("the run uses one thread of {threads}: {reason}")))?;
        }
        let mut visited = Instant::now();
        let step = |run: &mut Run| match (holds, calls_rules) {
            (true, _) => Python::attach(|_| run.step(EVENTS_PER_HOLD)),
            (false, true) => run.step(EVENTS_PER_HOLD),
            (false, false) if run.threads() > 1 => ackclock_threads::step(run, EVENTS_PER_JOINT_STEP),
            (false, false) => run.step(EVENTS_PER_STEP),
        };
        while step(&mut run) {
            failure.check()?;
            if asked.load(Ordering::Relaxed) {
                return Err(cancelled());
            }
            if visited.elapsed() >= VISIT_EVERY {
                let done = (run.now() as f64 / end).min(1.0);
                Python::attach(|py| {
                    py.check_signals()?;
                    hand_over(py, write.as_ref(), run.take_traces())?;
                    progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, (done,)).map(drop))
                })?;
                visited = Instant::now();
            }
        }
        failure.check()?;
        if let Some(failed) = run.failure() {
            let last = run.take_traces();
            Python::attach(|py| hand_over(py, write.as_ref(), last))?;
            return Err(transport::error(failed));
        }
        let mut output = run.finish();
        let last = std::mem::take(&mut output.traces);
        Python::attach(|py| hand_over(py, write.as_ref(), last))?;
        let violations = output.violations.iter().map(ToString::to_string);
        let findings: Vec<_> = violations.chain(output.findings.iter().map(ToString::to_string)).collect();
        if !findings.is_empty() {
            return Err(verification_error(seed.unwrap_or(scenario.seed), findings));
        }
        Ok::<_, PyErr>(output)
    })?;

    let tables = PyDict::new(py);
    for (name, table) in output.tables {
        tables.set_item(name, to_arro3(py, table)?)?;
    }
    Ok((meta, tables))
}

/// Logs a warning.
fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    py.import("logging")?.call_method1("getLogger", ("ackclock",))?.call_method1("warning", (message,)).map(drop)
}

/// Passes the traces so far to the function that writes the files.
fn hand_over(py: Python<'_>, write: Option<&Py<PyAny>>, chunks: Vec<Chunk>) -> PyResult<()> {
    if let Some(write) = write {
        for chunk in chunks {
            write.call1(py, (chunk.file, PyBytes::new(py, &chunk.bytes)))?;
        }
    }
    Ok(())
}
