//! Rules for a column by its declaration, in every table.

use super::view::{Checker, View};
use crate::{Column, Role, TableDeclaration, declaration, seconds};
use ackclock_core::Nanos;

/// Parts of the names of columns that hold quantiles of one distribution, in ascending order.
const QUANTILES: [&str; 4] = ["p50", "p95", "p99", "max"];

pub(super) fn check(checker: &mut Checker<'_>) {
    for view in checker.all_tables() {
        for (name, column) in view.columns() {
            numbers(checker, view, name, column);
            names(checker, view, name);
        }
        quantiles(checker, view);
        if declaration(view.name).is_some_and(TableDeclaration::is_series) {
            series(checker, view);
        }
    }
}

fn numbers(checker: &mut Checker<'_>, view: View<'_>, name: &'static str, column: &Column) {
    let Some(declared) = declaration(view.name).and_then(|table| table.column(name)) else { return };
    let end = checker.facts.end as f64 / if declared.unit == "ms" { 1e6 } else { 1e9 };
    let most = match declared.role {
        Some(Role::Moment) => Some((end, "the end of the run")),
        Some(Role::Elapsed) => Some((end, "the duration of the run")),
        _ => None,
    };
    let scale = match declared.role {
        Some(Role::Fraction) => Some((0.0, 1.0)),
        Some(Role::Score) => Some((1.0, 4.5)),
        _ => None,
    };
    let is_number = matches!(column, Column::Int(_) | Column::Float(_));
    for row in view.rows().filter(|_| is_number) {
        let place = view.at(row, name);
        let Some(value) = place.value() else { continue };
        checker.expect(place, value.is_finite(), || "a finite number".to_owned());
        checker.expect(place, value >= 0.0 || declared.role == Some(Role::Signed), || "no negative number".to_owned());
        if let Some((most, why)) = most {
            checker.at_most(place, most, why);
        }
        if let Some((low, high)) = scale {
            checker.expect(place, (low..=high).contains(&value), || format!("a number from {low} to {high}"));
        }
    }
}

/// Checks that flows and links are those of the scenario.
fn names(checker: &mut Checker<'_>, view: View<'_>, name: &'static str) {
    if name != "flow" {
        return;
    }
    for row in view.rows() {
        if let Some(flow) = view.text(name, row) {
            let known = checker.facts.routes.contains_key(flow);
            checker.expect(view.at(row, name), known, || "the name of a flow of the scenario".to_owned());
        }
    }
}

/// Checks that quantiles are in order, that the mean is at most the maximum, and that all are present or none.
fn quantiles(checker: &mut Checker<'_>, view: View<'_>) {
    for (first, _) in view.columns().filter(|(name, _)| name.contains(QUANTILES[0])) {
        let family: Vec<_> = QUANTILES.iter().map(|quantile| first.replace(QUANTILES[0], quantile)).collect();
        let mean = first.replace(QUANTILES[0], "mean");
        for row in view.rows() {
            for pair in family.windows(2).filter(|pair| pair.iter().all(|name| view.has(name))) {
                let place = view.at(row, &pair[0]);
                match view.number(&pair[1], row) {
                    Some(next) => {
                        checker.expect(place, place.value().is_some(), || format!("a number, as {} has one", pair[1]));
                        checker.at_most(place, next, &pair[1]);
                    }
                    None => checker.equals(place, None, format!("as {} is empty", pair[1])),
                }
            }
            let most = view.number(&family[family.len() - 1], row);
            if let Some(most) = most.filter(|_| view.has(&mean)) {
                checker.at_most(view.at(row, &mean), most, &family[family.len() - 1]);
            }
        }
    }
}

/// Checks that rows are in the order of time and within the time that probes record.
fn series(checker: &mut Checker<'_>, view: View<'_>) {
    let (from, to): (Nanos, Nanos) = (checker.facts.recorded.0, checker.facts.last_recorded());
    let mut before = seconds(from);
    for row in view.rows() {
        let place = view.at(row, "time_s");
        let Some(time) = place.value() else {
            checker.expect(place, false, || "a time".to_owned());
            continue;
        };
        checker.expect(place, time >= before, || format!("at least {before}, the time of the row before"));
        checker.expect(place, time <= seconds(to), || format!("at most {}, when the probes end", seconds(to)));
        before = time;
    }
}
