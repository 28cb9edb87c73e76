//! Rules for a column by its name, in every table.

use super::view::{Checker, View};
use crate::Column;
use crate::seconds;
use ackclock_core::Nanos;

/// Columns that may be negative: R of the E-model.
const SIGNED: [&str; 1] = ["r"];
/// Times of the run, in seconds. `start_s` of `flows` is the planned start of a flow, which may be after the end.
const MOMENTS: [&str; 7] = ["time_s", "start_s", "connected_s", "end_s", "request_s", "first_byte_s", "done_s"];
/// Durations within the run, in seconds and in milliseconds.
const DURATIONS_S: [&str; 8] =
    ["duration_s", "download_s", "mean_s", "max_s", "played_s", "stall_s", "startup_s", "time_on_s"];
const DURATIONS_MS: [&str; 5] = ["queue_delay_max_ms", "sojourn_max_ms", "max_ms", "delay_max_ms", "delay_mean_ms"];
/// Columns with a scale, each with its minimum and maximum.
const SCALES: [(&str, f64, f64); 5] =
    [("utilisation", 0.0, 1.0), ("drop_rate", 0.0, 1.0), ("loss", 0.0, 1.0), ("quantile", 0.0, 1.0), ("mos", 1.0, 4.5)];
/// Tables in the order of time.
const SERIES: [&str; 7] = ["window", "events", "packets", "sack_blocks", "timeouts", "queues", "rates"];
/// Parts of the names of columns that hold quantiles of one distribution, in ascending order.
const QUANTILES: [&str; 4] = ["p50", "p95", "p99", "max"];

pub(super) fn check(checker: &mut Checker<'_>) {
    for view in checker.all_tables() {
        for (name, column) in view.columns() {
            numbers(checker, view, name, column);
            names(checker, view, name);
        }
        quantiles(checker, view);
        if SERIES.contains(&view.name) {
            series(checker, view);
        }
    }
}

fn numbers(checker: &mut Checker<'_>, view: View<'_>, name: &'static str, column: &Column) {
    let end = checker.facts.end;
    let is_start = view.name == "flows" && name == "start_s";
    // Several connections or sources of one flow may be on at the same time.
    let is_sum = name == "time_on_s";
    let most = match name {
        _ if is_start || is_sum => None,
        _ if MOMENTS.contains(&name) => Some((seconds(end), "the end of the run")),
        _ if DURATIONS_S.contains(&name) => Some((seconds(end), "the duration of the run")),
        _ if DURATIONS_MS.contains(&name) => Some((end as f64 / 1e6, "the duration of the run")),
        _ => None,
    };
    let scale = SCALES.iter().find(|(scaled, ..)| *scaled == name);
    let is_number = matches!(column, Column::Int(_) | Column::Float(_));
    for row in view.rows().filter(|_| is_number) {
        let place = view.at(row, name);
        let Some(value) = place.value() else { continue };
        checker.expect(place, value.is_finite(), || "a finite number".to_owned());
        checker.expect(place, value >= 0.0 || SIGNED.contains(&name), || "no negative number".to_owned());
        if let Some((most, why)) = most {
            checker.at_most(place, most, why);
        }
        if let Some((_, low, high)) = scale {
            checker.expect(place, (*low..=*high).contains(&value), || format!("a number from {low} to {high}"));
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
