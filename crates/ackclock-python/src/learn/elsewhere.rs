//! Runs of a search in other processes: a Python object hands them out, and workers do them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ackclock_learn::{Memories, Networks, Objective, Runner, Score, Stopped, Threads, Trial};
use ackclock_tcp::cc::remycc::{AXES, Table};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::{design_of, settings_of, table_of};
use crate::errors::scenario_error;
use crate::scenario::read;

/// A score between processes: the sum of the objective, the number of flows, the uses of the rules, the bytes received.
type Sent = (f64, u32, Vec<u64>, u64);

/// Bytes of a number in the memories that are sent, of the lowest order first.
const NUMBER: usize = size_of::<f64>();

static GOES_ON: AtomicBool = AtomicBool::new(false);
const THIS_THREAD: Threads<'static> = Threads { count: 1, stop: &GOES_ON };

/// A runner in Python. The interpreter's lock is held, so that its errors and signals end the step as everywhere.
struct Elsewhere<'py> {
    object: Bound<'py, PyAny>,
    error: RefCell<Option<PyErr>>,
}

/// Makes a step with the runs done by a Python object.
pub(super) fn asked<T>(
    object: Bound<'_, PyAny>,
    step: &mut dyn FnMut(&dyn Runner) -> Result<T, Stopped>,
) -> PyResult<T> {
    let runner = Elsewhere { object, error: RefCell::default() };
    step(&runner).map_err(|Stopped| runner.error.take().expect("only an error stops this runner"))
}

impl<'py> Elsewhere<'py> {
    /// Calls a method with what is to be run, and reads one answer for each trial.
    fn call<A>(
        &self,
        method: &str,
        networks: &Networks,
        trials: &[Trial],
        rule: Option<usize>,
    ) -> Result<Vec<A>, Stopped>
    where
        A: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>,
    {
        let py = self.object.py();
        // A table is one object for all its trials, so that it is sent once.
        let mut encoded: HashMap<*const Table, Bound<'py, PyBytes>> = HashMap::new();
        let mut sent = |table: &Arc<Table>| {
            encoded.entry(Arc::as_ptr(table)).or_insert_with(|| PyBytes::new(py, &table.encode())).clone()
        };
        let trials: Vec<_> = trials.iter().map(|trial| (trial.network, sent(&trial.table))).collect();
        let count = trials.len();
        let answer = self.object.call_method1(method, (&networks.purpose, trials, rule));
        let answers = answer.and_then(|answer| answer.extract::<Vec<A>>()).and_then(|answers| {
            let complete = answers.len() == count;
            complete.then_some(answers).ok_or_else(|| PyValueError::new_err(format!("{method}: not {count} answers")))
        });
        answers.map_err(|error| {
            self.error.replace(Some(error));
            Stopped
        })
    }
}

impl Runner for Elsewhere<'_> {
    fn scores(&self, networks: &Networks, trials: &[Trial], _objective: &Objective) -> Result<Vec<Score>, Stopped> {
        let sent: Vec<Sent> = self.call("scores", networks, trials, None)?;
        Ok(sent.into_iter().map(|(sum, flows, uses, bytes)| Score { sum, flows, uses, bytes }).collect())
    }

    fn memories(&self, networks: &Networks, trials: &[Trial], rule: usize) -> Result<Vec<Memories>, Stopped> {
        let sent: Vec<Vec<u8>> = self.call("memories", networks, trials, Some(rule))?;
        let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("a number"));
        let memory = |bytes: &[u8]| std::array::from_fn(|axis| number(&bytes[axis * NUMBER..(axis + 1) * NUMBER]));
        Ok(sent.iter().map(|bytes| bytes.chunks_exact(AXES * NUMBER).map(memory).collect()).collect())
    }
}

/// Networks of a search that a worker drew, to run tables on.
#[pyclass(module = "ackclock._core", name = "Networks")]
pub struct NetworksOfWorker {
    networks: Networks,
    objective: Objective,
}

#[pymethods]
impl NetworksOfWorker {
    /// Draws the networks of a purpose, as the search does that asks for the runs.
    #[new]
    #[pyo3(signature = (design, settings, purpose, *, folder=PathBuf::new()))]
    fn new(py: Python<'_>, design: &str, settings: &str, purpose: &str, folder: PathBuf) -> PyResult<NetworksOfWorker> {
        let (design, settings) = (design_of(py, design, &folder)?, settings_of(settings)?);
        let networks = Networks::draw(&design, &settings, purpose, &|path| read(&folder.join(path)));
        let networks = networks.map_err(|error| scenario_error(py, &error))?;
        Ok(NetworksOfWorker { networks, objective: settings.objective })
    }

    /// Returns the score of each trial, a pair of the index of a network and a table in Remy's format. The thread that
    /// calls does the runs, so that its CPU time is theirs.
    fn scores(&self, py: Python<'_>, trials: Vec<(usize, Vec<u8>)>) -> PyResult<Vec<Sent>> {
        let trials = self.trials(trials)?;
        let scores = py.detach(|| THIS_THREAD.scores(&self.networks, &trials, &self.objective));
        let scores = scores.expect("nothing stops it");
        Ok(scores.into_iter().map(|score| (score.sum, score.flows, score.uses, score.bytes)).collect())
    }

    /// Returns, for each trial, the memories with which a rule was used: doubles, of the lowest byte first.
    fn memories<'py>(
        &self,
        py: Python<'py>,
        trials: Vec<(usize, Vec<u8>)>,
        rule: usize,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let trials = self.trials(trials)?;
        let found = py.detach(|| THIS_THREAD.memories(&self.networks, &trials, rule)).expect("nothing stops it");
        let bytes = |memories: &Memories| {
            let numbers = memories.iter().flatten().flat_map(|number| number.to_le_bytes());
            PyBytes::new(py, &numbers.collect::<Vec<u8>>())
        };
        Ok(found.iter().map(bytes).collect())
    }
}

impl NetworksOfWorker {
    fn trials(&self, given: Vec<(usize, Vec<u8>)>) -> PyResult<Vec<Trial>> {
        let count = self.networks.specimens.len();
        let mut known: HashMap<Vec<u8>, Arc<Table>> = HashMap::new();
        let mut trial = |(network, bytes): (usize, Vec<u8>)| {
            if network >= count {
                return Err(PyValueError::new_err(format!("there is no network {network}; there are {count}")));
            }
            let table = match known.entry(bytes) {
                Entry::Occupied(table) => table.get().clone(),
                Entry::Vacant(place) => {
                    let table = table_of(place.key())?;
                    place.insert(table).clone()
                }
            };
            Ok(Trial { network, table })
        };
        given.into_iter().map(&mut trial).collect()
    }
}
