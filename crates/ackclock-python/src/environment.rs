//! Runs with steered senders, for reinforcement learning. Between two stops no call enters Python, unless the scenario
//! has algorithms in Python.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ackclock_learn::{Counts, Environment as Steered, Target};
use ackclock_tcp::Rate;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::callbacks::Failure;
use crate::cc::{Algorithm, registered};
use crate::errors::scenario_error;
use crate::scenario::parse;
use crate::transport;

/// The counts of a sender.
type Row = [Option<u64>; 13];

/// A run with steered senders.
#[pyclass(module = "ackclock._core")]
pub struct Environment {
    /// The lock makes the run shareable among threads, which the interpreter asks for. Nobody waits for it.
    steered: Mutex<Steered>,
    failure: Arc<Failure>,
    senders: usize,
}

#[pymethods]
impl Environment {
    /// Creates the run of a scenario in which the flows with the names `steered` obey the caller. With `paces` the caller
    /// sets pacing rates, too.
    #[new]
    #[pyo3(signature = (text, format, overrides, seed, steered, *, paces, folder=PathBuf::new(), algorithms=Vec::new()))]
    #[expect(clippy::too_many_arguments, reason = "they have names on the other side")]
    fn new(
        py: Python<'_>,
        text: &str,
        format: &str,
        overrides: Vec<(String, String)>,
        seed: u64,
        steered: Vec<String>,
        paces: bool,
        folder: PathBuf,
        algorithms: Vec<PyRef<'_, Algorithm>>,
    ) -> PyResult<Environment> {
        if steered.is_empty() {
            return Err(PyValueError::new_err("an environment has at least one steered flow"));
        }
        let failure = Arc::new(Failure::default());
        let scenario = parse(py, text, format, &overrides, &folder, &registered(&algorithms, &failure))?;
        let run = Steered::new(&scenario, Some(seed), &steered, paces).map_err(|error| scenario_error(py, &error))?;
        Ok(Environment { steered: Mutex::new(run), failure, senders: steered.len() })
    }

    /// Runs until a steered sender has sent its first segment. Returns whether the run continues, and the time and the
    /// smoothed RTT of the first steered sender in nanoseconds.
    fn begin(&mut self, py: Python<'_>) -> PyResult<(bool, u64, Option<u64>)> {
        self.free(py, |run| (run.begin(), run.now(), run.counts(0).srtt))
    }

    /// Sets the congestion window in bytes, and the pacing rate in bytes per second or None, of each steered sender for
    /// which `targets` is not None. Then runs until before the time `until` in nanoseconds. Returns whether the run
    /// continues, the time in nanoseconds, and the counts of each steered sender: bytes sent, delivered, lost and marked;
    /// sum, number and smallest of the RTT samples; the time of the first segment; smallest and smoothed RTT of the
    /// connection; bytes in flight; the sender's maximum segment size; the initial window in bytes.
    fn step(
        &mut self,
        py: Python<'_>,
        targets: Vec<Option<(u64, Option<u64>)>>,
        until: u64,
    ) -> PyResult<(bool, u64, Vec<Row>)> {
        if targets.len() != self.senders {
            let message = format!("{} targets for {} steered senders", targets.len(), self.senders);
            return Err(PyValueError::new_err(message));
        }
        if targets.iter().flatten().any(|(cwnd, rate)| *cwnd == 0 || *rate == Some(0)) {
            return Err(PyValueError::new_err("windows and rates are greater than zero"));
        }
        self.free(py, |run| {
            for (sender, target) in targets.into_iter().enumerate() {
                if let Some((cwnd, rate)) = target {
                    run.steer(sender, Target { cwnd, pacing_rate: rate.map(Rate::of_bytes) });
                }
            }
            let goes_on = run.step_before(until);
            let rows = (0..run.senders()).map(|sender| row(&run.take(sender))).collect();
            (goes_on, run.now(), rows)
        })
    }
}

impl Environment {
    /// Does work on the run with the interpreter released, and reports the first failure in it.
    fn free<T: Send>(&mut self, py: Python<'_>, work: impl FnOnce(&mut Steered) -> T + Send) -> PyResult<T> {
        let run = self.steered.get_mut().unwrap_or_else(PoisonError::into_inner);
        let done = py.detach(|| work(run));
        self.failure.check()?;
        match run.run().failure() {
            Some(failed) => Err(transport::error(failed)),
            None => Ok(done),
        }
    }
}

fn row(counts: &Counts) -> Row {
    [
        Some(counts.sent),
        Some(counts.delivered),
        Some(counts.lost),
        Some(counts.marked),
        Some(counts.rtt_sum),
        Some(counts.rtt_samples),
        counts.rtt_min,
        counts.started,
        counts.connection_min_rtt,
        counts.srtt,
        Some(counts.in_flight),
        Some(counts.mss),
        Some(counts.initial_window),
    ]
}
