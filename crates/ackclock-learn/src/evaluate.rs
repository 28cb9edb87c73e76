//! Runs of specimens with tables. The scenario of a specimen is read once and serves all runs.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ackclock_sim::{Run, Watching};
use ackclock_tcp::cc::remycc::{AXES, FORMS, Table, Witness};

use crate::Objective;
use crate::design::{Specimen, is_designed};

/// Events between two looks at whether the search is to stop.
const EVENTS_PER_STEP: u64 = 20_000;
/// Objective of a flow in a run that was given up.
const GIVEN_UP: f64 = -1e6;

/// The result of a table on a specimen.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Score {
    /// Mean objective of the flows that follow the table, weighted by their time on, times their number. In a short run
    /// a flow may be on for a moment, and its throughput is then that of a start. Without weights such flows would decide
    /// as much as all others; in a run without end all flows have the same share of time on.
    pub sum: f64,
    /// Number of the flows that follow the table.
    pub flows: u32,
    /// Uses of each rule.
    pub uses: Vec<u64>,
    /// Bytes that sinks received.
    pub bytes: u64,
}

/// The evaluation was stopped by its caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

struct Uses(Vec<AtomicU64>);

impl Witness for Uses {
    fn used(&self, rule: usize, _memory: &[f64; AXES]) {
        // One thread runs the simulation.
        self.0[rule].fetch_add(1, Ordering::Relaxed);
    }
}

/// The memories with which a rule is used.
struct Memories {
    rule: usize,
    found: Mutex<Vec<[f64; AXES]>>,
}

impl Witness for Memories {
    fn used(&self, rule: usize, memory: &[f64; AXES]) {
        if rule == self.rule {
            self.found.lock().unwrap_or_else(PoisonError::into_inner).push(*memory);
        }
    }
}

/// Runs a specimen. Returns the run at its end, or `None` if it needs more events than it may.
fn run(
    specimen: &Specimen,
    table: &Arc<Table>,
    witness: Arc<dyn Witness>,
    stop: &AtomicBool,
) -> Result<Option<Run>, Stopped> {
    if stop.load(Ordering::Relaxed) {
        return Err(Stopped);
    }
    let algorithm = FORMS[0].witnessed(table.clone(), Some(witness));
    let replace = |flow: &_| is_designed(flow).then(|| algorithm.clone());
    let mut run = Run::replaced(&specimen.scenario, Some(specimen.seed), &Watching::default(), &replace)
        .expect("the design was read, and its applications can run");
    let mut events = 0;
    while run.step(EVENTS_PER_STEP) {
        events += EVENTS_PER_STEP;
        if events > specimen.most_events {
            return Ok(None);
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
    }
    Ok(Some(run))
}

/// Returns the result of a table on a specimen.
///
/// # Errors
/// [`Stopped`] if `stop` became true.
pub fn evaluate(
    specimen: &Specimen,
    table: &Arc<Table>,
    objective: &Objective,
    stop: &AtomicBool,
) -> Result<Score, Stopped> {
    let uses = Arc::new(Uses(table.actions().iter().map(|_| AtomicU64::new(0)).collect()));
    let run = run(specimen, table, uses.clone(), stop)?;
    let uses = uses.0.iter().map(|uses| uses.load(Ordering::Relaxed)).collect();
    let flows = specimen.flows.iter().flatten().count() as u32;
    let Some(run) = run else { return Ok(Score { sum: GIVEN_UP * f64::from(flows), flows, uses, bytes: 0 }) };
    let (mut sum, mut time, mut received) = (0.0, 0.0, 0);
    for (paths, achieved) in specimen.flows.iter().zip(run.achievements()) {
        received += achieved.bytes;
        let Some(paths) = paths.filter(|_| achieved.time_s > 0.0) else { continue };
        // A flow that delivered nothing counts as if it had delivered one packet, so that its logarithm exists.
        let bytes = achieved.bytes.max(specimen.scenario.packet_size.into());
        let mbps = bytes as f64 * 8e-6 / achieved.time_s;
        let delay = achieved.delay.map_or(1.0, |delay| (delay + paths.reverse) / paths.rtt);
        sum += achieved.time_s * objective.of(mbps, delay);
        time += achieved.time_s;
    }
    let mean = if time > 0.0 { sum / time } else { 0.0 };
    Ok(Score { sum: mean * f64::from(flows), flows, uses, bytes: received })
}

/// Returns the memories with which a table's rule is used on a specimen.
///
/// # Errors
/// [`Stopped`] if `stop` became true.
pub(crate) fn memories(
    specimen: &Specimen,
    table: &Arc<Table>,
    rule: usize,
    stop: &AtomicBool,
) -> Result<Vec<[f64; AXES]>, Stopped> {
    let memories = Arc::new(Memories { rule, found: Mutex::default() });
    run(specimen, table, memories.clone(), stop)?;
    Ok(std::mem::take(&mut *memories.found.lock().unwrap_or_else(PoisonError::into_inner)))
}
