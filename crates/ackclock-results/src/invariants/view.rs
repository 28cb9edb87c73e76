//! Tables as the checks read them, and the findings.

use std::collections::BTreeMap;
use std::fmt::Display;

use super::{Facts, Finding, KEPT};
use crate::Tables;
use crate::{Column, Table};

/// Maximum difference of two floats that should be equal, as a fraction of the larger: both are rounded once or twice.
const ROUNDING: f64 = 1e-9;

/// A table with its name.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub name: &'a str,
    table: &'a Table,
}

impl<'a> View<'a> {
    pub fn columns(self) -> impl Iterator<Item = (&'static str, &'a Column)> {
        self.table.columns.iter().map(|(name, column)| (*name, column))
    }

    /// Returns the numbers of the rows.
    pub fn rows(self) -> std::ops::Range<usize> {
        0..self.table.len()
    }

    pub fn has(self, column: &str) -> bool {
        self.table.column(column).is_some()
    }

    /// Returns a number, whole or real; `None` if the cell is empty or there is no such column.
    pub fn number(self, column: &str, row: usize) -> Option<f64> {
        match self.table.column(column)? {
            Column::Int(cells) => cells[row].map(|cell| cell as f64),
            Column::Float(cells) => cells[row],
            Column::Text(_) | Column::Bool(_) => None,
        }
    }

    /// Returns a whole number; 0 if the cell is empty or there is no such column.
    pub fn count(self, column: &str, row: usize) -> i64 {
        self.ints(column).get(row).copied().flatten().unwrap_or(0)
    }

    pub fn text(self, column: &str, row: usize) -> Option<&'a str> {
        self.texts(column).get(row)?.as_deref()
    }

    pub fn ints(self, column: &str) -> &'a [Option<i64>] {
        if let Some(Column::Int(cells)) = self.table.column(column) { cells } else { &[] }
    }

    pub fn texts(self, column: &str) -> &'a [Option<String>] {
        if let Some(Column::Text(cells)) = self.table.column(column) { cells } else { &[] }
    }

    pub fn bools(self, column: &str) -> &'a [Option<bool>] {
        if let Some(Column::Bool(cells)) = self.table.column(column) { cells } else { &[] }
    }

    /// Returns the sums of `value` over the rows of each text in the column `key`.
    pub fn sums(self, key: &str, value: impl Fn(usize) -> i64) -> BTreeMap<&'a str, i64> {
        let mut sums = BTreeMap::new();
        for row in self.rows() {
            if let Some(name) = self.text(key, row) {
                *sums.entry(name).or_default() += value(row);
            }
        }
        sums
    }

    /// Returns the cell of a row in a column.
    pub fn at(self, row: usize, column: &'a str) -> Place<'a> {
        Place { view: self, row, column }
    }
}

/// A cell.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    view: View<'a>,
    row: usize,
    column: &'a str,
}

impl Place<'_> {
    pub fn value(self) -> Option<f64> {
        self.view.number(self.column, self.row)
    }
}

/// The tables that are checked, and the findings so far.
pub(super) struct Checker<'a> {
    pub facts: &'a Facts,
    tables: &'a Tables,
    findings: Vec<Finding>,
}

impl<'a> Checker<'a> {
    pub fn new(facts: &'a Facts, tables: &'a Tables) -> Checker<'a> {
        Checker { facts, tables, findings: Vec::new() }
    }

    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    /// Returns a table; `None` if the run does not have it.
    pub fn table(&self, name: &str) -> Option<View<'a>> {
        self.tables.get_key_value(name).map(|(name, table)| View { name, table })
    }

    pub fn all_tables(&self) -> impl Iterator<Item = View<'a>> + use<'a> {
        self.tables.iter().map(|(name, table)| View { name, table })
    }

    /// Adds a finding if the condition does not hold.
    pub fn expect(&mut self, place: Place<'_>, holds: bool, expected: impl FnOnce() -> String) {
        if holds || self.findings.len() >= KEPT {
            return;
        }
        let Place { view, row, column } = place;
        let about = ["flow", "link", "what"].iter().filter_map(|key| view.text(key, row)).collect::<Vec<_>>();
        let found = match view.number(column, row) {
            Some(number) => number.to_string(),
            None => view.text(column, row).unwrap_or("nothing").to_owned(),
        };
        self.findings.push(Finding {
            table: view.name.to_owned(),
            row,
            about: about.join(", "),
            column: column.to_owned(),
            found,
            expected: expected(),
        });
    }

    /// Checks that the value is at most `most`, apart from rounding. An empty cell is accepted.
    pub fn at_most(&mut self, place: Place<'_>, most: f64, why: impl Display) {
        let Some(value) = place.value() else { return };
        let holds = value <= most + most.abs() * ROUNDING;
        self.expect(place, holds, || format!("at most {most}, {why}"));
    }

    /// Checks that the value is at least `least`, apart from rounding. An empty cell is accepted.
    pub fn at_least(&mut self, place: Place<'_>, least: f64, why: impl Display) {
        let Some(value) = place.value() else { return };
        let holds = value >= least - least.abs() * ROUNDING;
        self.expect(place, holds, || format!("at least {least}, {why}"));
    }

    /// Checks that the value is `expected`, apart from rounding; for `None` the cell has to be empty.
    pub fn equals(&mut self, place: Place<'_>, expected: Option<f64>, why: impl Display) {
        let holds = match (place.value(), expected) {
            (Some(value), Some(expected)) => (value - expected).abs() <= ROUNDING * value.abs().max(expected.abs()),
            (value, expected) => value.is_none() && expected.is_none(),
        };
        self.expect(place, holds, || match expected {
            Some(expected) => format!("{expected}, {why}"),
            None => format!("nothing, {why}"),
        });
    }

    /// Checks that the count is `expected`.
    pub fn counts(&mut self, place: Place<'_>, expected: i64, why: impl Display) {
        let found = place.view.count(place.column, place.row);
        self.expect(place, found == expected, || format!("{expected}, {why}"));
    }
}
