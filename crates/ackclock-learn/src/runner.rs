//! Execution of the runs of a search: by the threads of this process, or by other runners of the same trait.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ackclock_scenario::{Files, ScenarioError};
use ackclock_tcp::cc::remycc::{AXES, Table};

use crate::evaluate::{evaluate, memories};
use crate::{Design, Objective, Score, Settings, Specimen, Stopped};

/// Networks that were drawn from a design for one purpose. The design, the settings and the purpose determine them, so
/// that another process draws the same ones.
#[derive(Clone, Debug)]
pub struct Networks {
    /// Purpose: `generation/` with the number of splits, or `validation`.
    pub purpose: String,
    /// The networks.
    pub specimens: Vec<Specimen>,
}

/// A run that a search asks for.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Index of the network.
    pub network: usize,
    /// The table that all designed flows follow.
    pub table: Arc<Table>,
}

/// The memories of senders with which a rule was used in a run.
pub type Memories = Vec<[f64; AXES]>;

/// Does the runs of a search. The results have the order of the runs, and depend on nothing but their networks and
/// tables.
pub trait Runner {
    /// Returns the result of each trial.
    ///
    /// # Errors
    /// [`Stopped`] if the runs were given up.
    fn scores(&self, networks: &Networks, trials: &[Trial], objective: &Objective) -> Result<Vec<Score>, Stopped>;

    /// Returns, for each trial, the memories with which a rule was used.
    ///
    /// # Errors
    /// [`Stopped`] if the runs were given up.
    fn memories(&self, networks: &Networks, trials: &[Trial], rule: usize) -> Result<Vec<Memories>, Stopped>;
}

/// Does runs on threads of this process.
#[derive(Clone, Copy, Debug)]
pub struct Threads<'a> {
    /// Number of threads.
    pub count: usize,
    /// Ends the runs when it becomes true.
    pub stop: &'a AtomicBool,
}

impl Networks {
    /// Purpose of the networks on which candidates are compared after so many splits.
    pub fn generation(splits: u32) -> String {
        format!("generation/{splits}")
    }

    /// Purpose of the networks on which tables are compared.
    pub const VALIDATION: &str = "validation";

    /// Draws the networks of a purpose.
    ///
    /// # Errors
    /// Mistakes of the scenario with the values that were drawn.
    pub fn draw(
        design: &Design,
        settings: &Settings,
        purpose: &str,
        files: Files<'_>,
    ) -> Result<Networks, ScenarioError> {
        let count = if purpose == Networks::VALIDATION { settings.validation } else { settings.specimens };
        let specimens = design.draw(count, settings.seed, purpose, files)?;
        Ok(Networks { purpose: purpose.to_owned(), specimens })
    }

    /// The trials of a table on all networks.
    pub fn all(&self, table: &Arc<Table>) -> Vec<Trial> {
        (0..self.specimens.len()).map(|network| Trial { network, table: table.clone() }).collect()
    }
}

impl Runner for Threads<'_> {
    fn scores(&self, networks: &Networks, trials: &[Trial], objective: &Objective) -> Result<Vec<Score>, Stopped> {
        work(trials.len(), self.count, |index| {
            let trial = &trials[index];
            evaluate(&networks.specimens[trial.network], &trial.table, objective, self.stop)
        })
    }

    fn memories(&self, networks: &Networks, trials: &[Trial], rule: usize) -> Result<Vec<Memories>, Stopped> {
        work(trials.len(), self.count, |index| {
            let trial = &trials[index];
            memories(&networks.specimens[trial.network], &trial.table, rule, self.stop)
        })
    }
}

/// Does the jobs 0 to `count` on `threads` threads and returns their results in the order of the jobs.
///
/// # Errors
/// [`Stopped`] if a job was stopped.
fn work<T: Send>(
    count: usize,
    threads: usize,
    job: impl Fn(usize) -> Result<T, Stopped> + Sync,
) -> Result<Vec<T>, Stopped> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let worker = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return Ok(());
            }
            let result = job(index)?;
            *results[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(count)).map(|_| scope.spawn(worker)).collect();
        let mut outcome = worker();
        for other in others {
            let theirs = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            outcome = outcome.and(theirs);
        }
        outcome
    })?;
    let done = |result: Mutex<Option<T>>| result.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(results.into_iter().map(|result| done(result).expect("every job was done")).collect())
}
