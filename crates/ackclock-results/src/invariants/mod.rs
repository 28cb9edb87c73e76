//! Invariants of results: the tables of one run are compared with each other where they contain the same information.
//!
//! The checks read only the tables and a few facts of the scenario (its duration, the recorded time, its flows with
//! their routes). They therefore find a wrong number whatever its cause: the engine, a counter or a report.
//!
//! - `columns`: rules for a column in every table. Numbers are finite and not negative, times lie within the run,
//!   fractions and scores are on their scales, quantiles are in order, and rows are in the order of time.
//! - `network`: links, queues and packets are compared with each other; packets are conserved at every node.
//! - `flows`: flows are compared with packets, events, timeouts and rates.
//! - `applications`: rows of transfers, pages and so on are compared with their summaries; the applications' own
//!   counts are checked.
//!
//! A check runs only if the run has its tables. This module checks only the tables of a run; its events are checked by
//! a separate verifier.

mod applications;
mod columns;
mod flows;
mod network;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::Tables;
use ackclock_core::Nanos;

use view::Checker;

/// Maximum number of findings of one run, because a broken counter breaks many rows.
const KEPT: usize = 100;

/// A broken invariant: a cell of a table that has an impossible value or disagrees with another cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The table.
    pub table: String,
    /// The row, counted from 0.
    pub row: usize,
    /// The flow or link of the row; empty if the row has none.
    pub about: String,
    /// The column.
    pub column: String,
    /// The value in the table.
    pub found: String,
    /// The expected value, and the reason.
    pub expected: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { table, row, about, column, found, expected } = self;
        let about = if about.is_empty() { String::new() } else { format!(" ({about})") };
        write!(f, "table {table}, row {row}{about}, {column}: found {found}, expected {expected}")
    }
}

/// The facts that the checks use besides the tables of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Facts {
    /// End of the run.
    pub end: Nanos,
    /// Time in which probes record, both ends included.
    pub recorded: (Nanos, Nanos),
    /// Names of the links on the routes of each flow, from the source and from the sink; of routes that change, the links
    /// that are on all of them.
    pub routes: BTreeMap<String, [Vec<String>; 2]>,
    /// Names of the links that are on some of the routes of a flow whose routes change.
    pub at_times: BTreeMap<String, [Vec<String>; 2]>,
    /// Flows whose receivers acknowledge data that has not arrived: applications count it, and `bytes_delivered` does not.
    pub optimistic: BTreeSet<String>,
}

impl Facts {
    /// Whether the probes record the whole run.
    fn records_all(&self) -> bool {
        self.recorded.0 == 0 && self.recorded.1 >= self.end
    }

    /// Returns the time at which probes stop recording.
    fn last_recorded(&self) -> Nanos {
        self.recorded.1.min(self.end)
    }
}

/// Returns the broken invariants of a run's tables, at most the first hundred; a correct simulator has none.
pub fn check(facts: &Facts, tables: &Tables) -> Vec<Finding> {
    let mut checker = Checker::new(facts, tables);
    columns::check(&mut checker);
    network::check(&mut checker);
    flows::check(&mut checker);
    applications::check(&mut checker);
    checker.into_findings()
}
