//! Invariants of results: the tables of one run are compared with each other where they say the same thing.
//!
//! The checks read nothing but the tables and a few facts of the scenario (its duration, what its probes record, its flows
//! with their routes), so they find a wrong number wherever it was made: in the engine, in a counter or in a report.
//!
//! - [`columns`]: what holds for a column whatever its table: numbers are finite and not negative, moments lie within the run,
//!   fractions and scores on their scales, quantiles in order, rows in the order of time.
//! - [`network`]: links, queues and packets against each other, and conservation at every node.
//! - [`flows`]: flows against packets, events, timeouts and rates.
//! - [`applications`]: rows of transfers, pages and so on against their summaries, and the applications' own counts.
//!
//! A check needs its tables. Where a run has only some of them, the others are not asked for. A verifier of events is
//! another thing: this module checks only what a run says of them.

mod applications;
mod columns;
mod flows;
mod network;
mod view;

use std::collections::BTreeMap;
use std::fmt;

use crate::Tables;
use ackclock_core::Nanos;

use view::Checker;

/// The most findings of one run: a broken counter breaks many rows.
const KEPT: usize = 100;

/// A broken invariant: a cell of a table that cannot be right, or does not agree with another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The table.
    pub table: String,
    /// The row, counted from 0.
    pub row: usize,
    /// What the row is about: its flow or link, empty where it has none.
    pub about: String,
    /// The column.
    pub column: String,
    /// The value in the table.
    pub found: String,
    /// What the value should be, and why.
    pub expected: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { table, row, about, column, found, expected } = self;
        let about = if about.is_empty() { String::new() } else { format!(" ({about})") };
        write!(f, "table {table}, row {row}{about}, {column}: found {found}, expected {expected}")
    }
}

/// What the checks know of a run besides its tables.
#[derive(Clone, PartialEq, Debug)]
pub struct Facts {
    /// The end of the run.
    pub end: Nanos,
    /// The time in which probes record, both ends included.
    pub recorded: (Nanos, Nanos),
    /// The names of the links on the routes of each flow, from the source and from the sink.
    pub routes: BTreeMap<String, [Vec<String>; 2]>,
}

impl Facts {
    /// Whether the probes record the whole run.
    fn records_all(&self) -> bool {
        self.recorded.0 == 0 && self.recorded.1 >= self.end
    }

    /// When probes stop recording.
    fn last_recorded(&self) -> Nanos {
        self.recorded.1.min(self.end)
    }
}

/// The broken invariants of a run's tables, at most the first hundred: none, in a right simulator.
pub fn check(facts: &Facts, tables: &Tables) -> Vec<Finding> {
    let mut checker = Checker::new(facts, tables);
    columns::check(&mut checker);
    network::check(&mut checker);
    flows::check(&mut checker);
    applications::check(&mut checker);
    checker.into_findings()
}
