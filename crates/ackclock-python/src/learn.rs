//! The search for congestion controls with the interpreter's lock released.

mod elsewhere;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use ackclock_learn::{Decision, Design, Networks, Runner, Settings, Specimen, Stopped, Threads, rule_ranges};
use ackclock_tcp::cc::remycc::Table;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};

use crate::errors::{cancelled, scenario_error};
use crate::run::Cancel;
use crate::scenario::read;

pub use elsewhere::NetworksOfWorker;

/// Time between two visits to the interpreter, for signals and for a request to stop.
const VISIT_EVERY: Duration = Duration::from_millis(50);

/// Does work on another thread, and stops the work for a signal or because `cancel` was asked.
fn interruptible<T: Send>(
    py: Python<'_>,
    cancel: Option<&Bound<'_, Cancel>>,
    task: impl FnOnce(&AtomicBool) -> Result<T, Stopped> + Send,
) -> PyResult<T> {
    let asked = cancel.map_or_else(Default::default, |cancel| cancel.get().asked.clone());
    let stop = AtomicBool::new(false);
    py.detach(|| {
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            scope.spawn(|| sender.send(task(&stop)).expect("the receiver lives as long as the scope"));
            let mut signal = Ok(());
            loop {
                match receiver.recv_timeout(VISIT_EVERY) {
                    Ok(Ok(result)) => return signal.map(|()| result),
                    Ok(Err(Stopped)) => return Err(signal.err().unwrap_or_else(cancelled)),
                    Err(RecvTimeoutError::Disconnected) => panic!("the search panicked"),
                    Err(RecvTimeoutError::Timeout) if signal.is_ok() => {
                        signal = Python::attach(|py| py.check_signals());
                        if signal.is_err() || asked.load(Ordering::Relaxed) {
                            stop.store(true, Ordering::Relaxed);
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        })
    })
}

fn settings_of(settings: &str) -> PyResult<Settings> {
    let json = serde_json::from_str(settings).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Settings::from_json(&json).map_err(PyValueError::new_err)
}

fn design_of(py: Python<'_>, text: &str, folder: &Path) -> PyResult<Design> {
    Design::read(text, &|path| read(&folder.join(path))).map_err(|error| scenario_error(py, &error))
}

fn table_of(bytes: &[u8]) -> PyResult<Arc<Table>> {
    Ok(Arc::new(Table::decode(bytes).map_err(|error| PyValueError::new_err(error.to_string()))?))
}

/// Returns all settings of a search as JSON, from those that are given as JSON. Raises ValueError for one that is not
/// accepted.
#[pyfunction]
pub fn learn_settings(settings: &str) -> PyResult<String> {
    Ok(settings_of(settings)?.to_json().to_string())
}

/// A search for a table of RemyCC.
#[pyclass(module = "ackclock._core")]
pub struct Search {
    search: ackclock_learn::Search,
    folder: PathBuf,
}

#[pymethods]
impl Search {
    /// Begins a search, or goes on after the `decisions` of an earlier one, each as JSON.
    #[new]
    #[pyo3(signature = (design, settings, decisions, *, folder=PathBuf::new()))]
    fn new(py: Python<'_>, design: &str, settings: &str, decisions: Vec<String>, folder: PathBuf) -> PyResult<Search> {
        let (design, settings) = (design_of(py, design, &folder)?, settings_of(settings)?);
        let files = |path: &str| read(&folder.join(path));
        let search = ackclock_learn::Search::new(design, settings, &files);
        let mut search = Search { search: search.map_err(|error| scenario_error(py, &error))?, folder };
        for (index, line) in decisions.iter().enumerate() {
            search.apply(line).map_err(|error| PyValueError::new_err(format!("decision {}: {error}", index + 1)))?;
        }
        Ok(search)
    }

    /// Carries out a decision that was made before, given as JSON.
    fn apply(&mut self, decision: &str) -> PyResult<()> {
        let json: Value = serde_json::from_str(decision).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let decision =
            Decision::from_json(&json).ok_or_else(|| PyValueError::new_err(format!("not a decision: {decision}")))?;
        let files = |path: &str| read(&self.folder.join(path));
        self.search.apply(&decision, &files).map_err(PyValueError::new_err)
    }

    /// Makes the next decision and returns it as JSON; None at the end of the search. Raises `ackclock.Cancelled` if
    /// `cancel` was asked: nothing is decided then. With `elsewhere`, its methods `scores` and `memories` do the runs,
    /// and not the threads of this process.
    #[pyo3(signature = (threads, cancel=None, elsewhere=None))]
    fn step(
        &mut self,
        py: Python<'_>,
        threads: usize,
        cancel: Option<Bound<'_, Cancel>>,
        elsewhere: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Option<String>> {
        let (search, folder) = (&mut self.search, &self.folder);
        let mut step = |runner: &dyn Runner| search.step(runner, &|path| read(&folder.join(path)));
        let decision = match elsewhere {
            Some(object) => elsewhere::asked(object, &mut step)?,
            None => interruptible(py, cancel.as_ref(), |stop| step(&Threads { count: threads, stop }))?,
        };
        Ok(decision.map(|decision| decision.to_json().to_string()))
    }

    /// Computes the score of the present table on the validation specimens.
    #[pyo3(signature = (threads, cancel=None))]
    fn validate(&mut self, py: Python<'_>, threads: usize, cancel: Option<Bound<'_, Cancel>>) -> PyResult<f64> {
        let search = &self.search;
        interruptible(py, cancel.as_ref(), |stop| search.validate(&Threads { count: threads, stop }))
    }

    /// The present table in Remy's format.
    #[getter]
    fn table<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.search.table().encode())
    }

    /// The best validated table in Remy's format; the present one before the first validation.
    #[getter]
    fn best<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.search.best().encode())
    }

    /// The state in numbers, as JSON.
    #[getter]
    fn status(&self) -> String {
        let status = self.search.status();
        json!({
            "decisions": status.decisions,
            "rules": status.rules,
            "generation": status.generation,
            "epochs": status.epochs,
            "score": status.score,
            "best": status.best,
            "finished": status.finished,
            "runs": status.runs,
            "bytes": status.bytes,
            "open": status.open,
        })
        .to_string()
    }
}

/// Runs a table on the validation specimens of a design and returns, as JSON: the mean score of a flow; each rule with its
/// range, its action and its uses; each specimen with its drawn values, seed, score, number of flows and uses of the rules;
/// and the indices of the flows that the table is for.
#[pyfunction]
#[pyo3(signature = (design, settings, table, threads, *, folder=PathBuf::new(), cancel=None))]
pub fn evaluate_table(
    py: Python<'_>,
    design: &str,
    settings: &str,
    table: &[u8],
    threads: usize,
    folder: PathBuf,
    cancel: Option<Bound<'_, Cancel>>,
) -> PyResult<String> {
    let (design, settings) = (design_of(py, design, &folder)?, settings_of(settings)?);
    let table = table_of(table)?;
    let files = |path: &str| read(&folder.join(path));
    let networks = Networks::draw(&design, &settings, Networks::VALIDATION, &files);
    let networks = networks.map_err(|error| scenario_error(py, &error))?;
    let scores = interruptible(py, cancel.as_ref(), |stop| {
        Threads { count: threads, stop }.scores(&networks, &networks.all(&table), &settings.objective)
    })?;
    let (sum, flows) = scores.iter().fold((0.0, 0), |(sum, flows), score| (sum + score.sum, flows + score.flows));
    let axes = table.axes();
    let rules = rule_ranges(&table).into_iter().zip(table.actions()).enumerate().map(|(rule, (range, action))| {
        json!({
            "lower": range.lower[..axes],
            "upper": range.upper[..axes],
            "increment": action.increment,
            "multiple": action.multiple,
            "intersend": action.intersend,
            "uses": scores.iter().map(|score| score.uses[rule]).sum::<u64>(),
        })
    });
    let of = |(specimen, score): (&Specimen, &ackclock_learn::Score)| {
        json!({
            "drawn": specimen.drawn,
            "seed": specimen.seed,
            "score": score.sum,
            "flows": score.flows,
            "uses": score.uses,
        })
    };
    let result = json!({
        "score": sum / f64::from(flows.max(1)),
        "flows": flows,
        "rules": rules.collect::<Vec<_>>(),
        "specimens": networks.specimens.iter().zip(&scores).map(of).collect::<Vec<_>>(),
        "designed": design.designed().collect::<Vec<_>>(),
    });
    Ok(result.to_string())
}
