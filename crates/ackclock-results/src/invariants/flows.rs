//! Compares flows with packets, events, timeouts, rates and delays.

use std::collections::BTreeMap;

use super::view::{Checker, View};
use crate::seconds;

pub(super) fn check(checker: &mut Checker<'_>) {
    let Some(flows) = checker.table("flows") else { return };
    for row in flows.rows() {
        flow(checker, flows, row);
    }
    if let Some(rates) = checker.table("rates") {
        received(checker, flows, rates);
    }
    if let Some(delays) = checker.table("delays") {
        delayed(checker, delays);
    }
    if let Some(paths) = checker.table("paths") {
        over_paths(checker, flows, paths);
    }
    let all = checker.facts.records_all();
    if let Some(events) = checker.table("events") {
        happened(checker, flows, events, all);
    }
    if let Some(timeouts) = checker.table("timeouts") {
        // A row without a segment belongs to a SYN; the flow does not count timeouts of SYNs.
        let segments = timeouts.ints("segment");
        let is_counted = |row: usize| timeouts.text("side", row) == Some("source") && segments[row].is_some();
        let counts = timeouts.sums("flow", |row| i64::from(is_counted(row)));
        compare(checker, flows, "timeouts", &counts, all, "the rows of timeouts with side source and a segment");
    }
    if let Some(packets) = checker.table("packets").filter(|_| all) {
        sent(checker, flows, packets);
    }
}

/// Checks a row of `flows` by itself.
fn flow(checker: &mut Checker<'_>, flows: View<'_>, row: usize) {
    let number = |column| flows.number(column, row).unwrap_or(0.0);
    checker.at_most(flows.at(row, "data_segments_sent"), number("segments_sent"), "segments_sent");
    checker.at_most(flows.at(row, "retransmits"), number("data_segments_sent"), "data_segments_sent");
    checker.at_most(flows.at(row, "spurious_timeouts"), number("timeouts"), "timeouts");
    let end = seconds(checker.facts.end);
    let active = end - number("start_s");
    // The time is here a difference of floats and in the engine a difference of whole numbers; a tiny time is not
    // compared.
    let tiny = 1e-6 * end;
    let goodput = number("bytes_delivered") * 8.0 / active;
    let place = flows.at(row, "goodput_bps");
    match place.value() {
        Some(found) if active > tiny => {
            let near = (found - goodput).abs() <= 1e-6 * goodput.max(found);
            checker.expect(place, near, || format!("{goodput}, bytes_delivered over the time from start_s on"));
        }
        Some(_) => {}
        None => checker.expect(place, active <= tiny, || format!("{goodput}, as the flow has started")),
    }
}

/// Checks that the bytes that sinks received in the intervals add up to all the bytes they received.
fn received(checker: &mut Checker<'_>, flows: View<'_>, rates: View<'_>) {
    let sums = rates.sums("flow", |row| rates.count("bytes_delivered", row));
    compare(
        checker,
        flows,
        "bytes_delivered",
        &sums,
        checker.facts.records_all(),
        "the sum over the intervals of rates",
    );
}

/// Checks that the counts of a flow with several paths are those of its paths together. Several paths may deliver the same
/// bytes.
fn over_paths(checker: &mut Checker<'_>, flows: View<'_>, paths: View<'_>) {
    for column in ["segments_sent", "data_segments_sent", "retransmits", "timeouts", "recoveries", "bytes_delivered"] {
        let sums = paths.sums("flow", |row| paths.count(column, row));
        for row in flows.rows() {
            let Some(sum) = flows.text("flow", row).and_then(|flow| sums.get(flow)) else { continue };
            let place = flows.at(row, column);
            if column == "bytes_delivered" {
                checker.at_most(place, *sum as f64, "the sum over its paths");
            } else {
                checker.counts(place, *sum, "the sum over its paths");
            }
        }
    }
}

/// Checks that a count of each flow equals the count in another table, or exceeds it if probes do not record the whole
/// run.
fn compare(
    checker: &mut Checker<'_>,
    flows: View<'_>,
    column: &'static str,
    counts: &BTreeMap<&str, i64>,
    all: bool,
    why: &str,
) {
    for row in flows.rows() {
        let expected = flows.text("flow", row).and_then(|flow| counts.get(flow)).copied().unwrap_or(0);
        let place = flows.at(row, column);
        if all {
            checker.counts(place, expected, why);
        } else {
            checker.at_least(place, expected as f64, why);
        }
    }
}

/// Compares flows with the events of their senders.
fn happened(checker: &mut Checker<'_>, flows: View<'_>, events: View<'_>, all: bool) {
    let of = |event| events.sums("flow", |row| i64::from(events.text("event", row) == Some(event)));
    compare(
        checker,
        flows,
        "recoveries",
        &of("recovery_started"),
        all,
        "the rows of events with event recovery_started",
    );
    // Timeouts of SYNs are events, and flows do not count them.
    let timeouts = of("timeout");
    for row in flows.rows().filter(|_| all) {
        let most = flows.text("flow", row).and_then(|flow| timeouts.get(flow)).copied().unwrap_or(0);
        checker.at_most(flows.at(row, "timeouts"), most as f64, "the rows of events with event timeout");
    }
}

/// Compares the sources' segments, and those that arrived, with the packets.
fn sent(checker: &mut Checker<'_>, flows: View<'_>, packets: View<'_>) {
    let (mut segments, mut data, mut again) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut arrived = BTreeMap::<&str, i64>::new();
    let [names, sides, events] = ["flow", "side", "event"].map(|column| packets.texts(column));
    let (lens, retransmissions) = (packets.ints("len"), packets.bools("retransmission"));
    for row in packets.rows() {
        let [name, side, event] = [names, sides, events].map(|cells| cells.get(row).and_then(Option::as_deref));
        let (Some(name), Some("source")) = (name, side) else { continue };
        let len = lens.get(row).copied().flatten().unwrap_or(0);
        match event {
            Some("sent") => {
                let is_again = retransmissions.get(row).copied().flatten() == Some(true);
                *segments.entry(name).or_default() += 1;
                *data.entry(name).or_default() += i64::from(len > 0);
                *again.entry(name).or_default() += i64::from(len > 0 && is_again);
            }
            Some("delivered") => *arrived.entry(name).or_default() += len,
            _ => {}
        }
    }
    // Datagrams are not segments: a flow of datagrams has sent no segments.
    let is_tcp = |row| flows.count("segments_sent", row) > 0;
    for row in flows.rows() {
        let name = flows.text("flow", row).unwrap_or_default();
        let of = |counts: &BTreeMap<&str, i64>| counts.get(name).copied().unwrap_or(0);
        if is_tcp(row) {
            let why = "the packets with event sent and side source";
            checker.counts(flows.at(row, "segments_sent"), of(&segments), why);
            checker.counts(flows.at(row, "data_segments_sent"), of(&data), format!("{why} that have payload"));
            checker.counts(
                flows.at(row, "retransmits"),
                of(&again),
                format!("{why} that are retransmissions with payload"),
            );
        }
        let place = flows.at(row, "bytes_delivered");
        checker.at_most(place, of(&arrived) as f64, "the payload of the source's packets with event delivered");
    }
}

/// Checks that the quantiles of one-way delays are in order, and that the last is the maximum.
fn delayed(checker: &mut Checker<'_>, delays: View<'_>) {
    for row in delays.rows() {
        let some = delays.count("packets", row) > 0;
        let place = delays.at(row, "max_ms");
        checker.expect(place, place.value().is_some() == some, || "a delay where packets have arrived".to_owned());
    }
    let Some(cdf) = checker.table("delay_cdf") else { return };
    let most: BTreeMap<_, _> =
        delays.rows().filter_map(|row| Some((delays.text("flow", row)?, delays.number("max_ms", row)?))).collect();
    let mut before: Option<(&str, f64, f64)> = None;
    for row in cdf.rows() {
        let flow = cdf.text("flow", row).unwrap_or_default();
        let (place, quantile) = (cdf.at(row, "delay_ms"), cdf.number("quantile", row).unwrap_or(0.0));
        let delay = place.value().unwrap_or(0.0);
        if let Some((_, lower, least)) = before.filter(|(of, ..)| *of == flow) {
            checker.expect(cdf.at(row, "quantile"), quantile > lower, || format!("more than {lower}, the row before"));
            checker.at_least(place, least, "the row before");
        }
        if let Some(most) = most.get(flow) {
            if quantile >= 1.0 {
                checker.equals(place, Some(*most), "max_ms of delays");
            } else {
                checker.at_most(place, *most, "max_ms of delays");
            }
        }
        before = Some((flow, quantile, delay));
    }
}
