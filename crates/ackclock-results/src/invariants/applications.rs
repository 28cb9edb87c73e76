//! Compares rows of transfers, pages and so on with their summaries, and checks the counts of applications.

use std::collections::BTreeMap;

use super::view::{Checker, View};
use crate::seconds;

/// Tables with one row for each item, with the item's name in `completions`, and whether the table has rows of
/// incomplete items.
const ROWS: [(&str, &str, bool); 9] = [
    ("transfers", "transfer", true),
    ("bursts", "burst", true),
    ("items", "item", true),
    ("onoff", "period", true),
    ("rounds", "round", true),
    ("web_objects", "object", false),
    ("web_pages", "page", false),
    ("tmix_connections", "connection", false),
    ("tmix_epochs", "epoch", false),
];

/// Counts that are parts of another count in their row: the table, the parts, and the whole, which the sum of the parts
/// does not exceed.
const PARTS: [(&str, &[&str], &str); 17] = [
    ("cbr", &["received", "lost"], "sent"),
    ("cbr", &["reordered"], "received"),
    ("breakers", &["exceeded"], "measurements"),
    ("voip", &["packets"], "sent"),
    ("voip", &["lost", "late"], "packets"),
    ("call", &["played"], "frames"),
    ("call", &["key_frames"], "frames"),
    ("call", &["received", "lost"], "packets"),
    ("call", &["marked"], "received"),
    ("web", &["sessions_done"], "sessions"),
    ("web", &["connections_max"], "connections"),
    ("tmix", &["connections_done", "connections_failed"], "connections"),
    ("tmix", &["connections_max"], "connections"),
    ("dash", &["switches"], "segments"),
    ("live", &["switches"], "segments"),
    ("moq", &["groups_complete", "groups_dropped"], "groups"),
    ("moq", &["frames_shown", "frames_skipped"], "frames"),
];

pub(super) fn check(checker: &mut Checker<'_>) {
    for (table, parts, whole) in PARTS {
        if let Some(view) = checker.table(table) {
            for row in view.rows() {
                let sum: i64 = parts.iter().map(|part| view.count(part, row)).sum();
                let most = view.count(whole, row);
                let names = parts.join(" and ");
                checker.expect(view.at(row, parts[0]), sum <= most, || {
                    format!("{names} to be at most {most} together, as {whole} says, not {sum}")
                });
            }
        }
    }
    for (table, ..) in ROWS {
        if let Some(view) = checker.table(table) {
            things(checker, view);
        }
    }
    if let Some(completions) = checker.table("completions") {
        summaries(checker, completions);
        if let Some(bins) = checker.table("completion_bins") {
            binned(checker, completions, bins);
        }
    }
    if let Some(view) = checker.table("time_on") {
        time_on(checker, view);
    }
    lost(checker);
    video(checker, "dash", "dash_segments");
    video(checker, "live", "live_segments");
    groups(checker);
    call(checker);
}

/// Starts come before ends, durations lie between them, and goodput is bytes divided by duration.
fn things(checker: &mut Checker<'_>, view: View<'_>) {
    for row in view.rows() {
        let number = |column| view.number(column, row);
        let start = number("start_s").unwrap_or(0.0);
        checker.at_least(view.at(row, "end_s"), start, "start_s");
        checker.at_least(view.at(row, "connected_s"), start, "start_s");
        let place = view.at(row, "duration_s");
        let took = number("end_s").map(|end| end - start);
        let near = match (place.value(), took) {
            (Some(found), Some(took)) => (found - took).abs() <= 1e-9 * (1.0 + seconds(checker.facts.end)),
            (found, took) => found.is_none() && took.is_none(),
        };
        checker.expect(place, near, || format!("{took:?}, end_s less start_s"));
        if view.has("goodput_bps") {
            let time = place.value().filter(|time| *time > 0.0);
            let goodput = time.map(|time| number("bytes").unwrap_or(0.0) * 8.0 / time);
            checker.equals(view.at(row, "goodput_bps"), goodput, "the bits of bytes over duration_s");
        }
    }
}

/// The summary of a flow's items in `completions`.
#[derive(Default)]
struct Sum {
    complete: i64,
    open: i64,
    bytes: i64,
    longest: f64,
}

/// The rows of items add up to their summary, and the bytes of complete items have been delivered.
fn summaries(checker: &mut Checker<'_>, completions: View<'_>) {
    for (table, what, with_open) in ROWS {
        let Some(view) = checker.table(table) else { continue };
        let mut sums = BTreeMap::<&str, Sum>::new();
        for row in view.rows() {
            let sum = sums.entry(view.text("flow", row).unwrap_or_default()).or_default();
            match view.number("duration_s", row) {
                Some(took) => {
                    sum.complete += 1;
                    sum.bytes += view.count("bytes", row);
                    sum.longest = sum.longest.max(took);
                }
                None => sum.open += 1,
            }
        }
        for row in completions.rows().filter(|row| completions.text("what", *row) == Some(what)) {
            let flow = completions.text("flow", row).unwrap_or_default();
            // A flow without rows of its own was not asked to record them.
            let Some(sum) = sums.get(flow) else { continue };
            checker.counts(completions.at(row, "count"), sum.complete, format!("the rows of {table} with an end"));
            if with_open {
                checker.counts(completions.at(row, "open"), sum.open, format!("the rows of {table} without an end"));
            }
            if view.has("bytes") {
                checker.counts(completions.at(row, "bytes"), sum.bytes, format!("the bytes of the rows of {table}"));
            }
            let longest = (sum.complete > 0).then_some(sum.longest);
            checker.equals(completions.at(row, "max_s"), longest, format!("the longest duration_s of {table}"));
        }
    }
    let Some(flows) = checker.table("flows") else { return };
    let delivered = flows.sums("flow", |row| flows.count("bytes_delivered", row));
    for row in completions.rows() {
        let some = completions.count("count", row) > 0;
        let place = completions.at(row, "mean_s");
        checker.expect(place, place.value().is_some() == some, || "a time where something is complete".to_owned());
        let flow = completions.text("flow", row).unwrap_or_default();
        if !checker.facts.optimistic.contains(flow) {
            let most = delivered.get(flow).copied().unwrap_or(0);
            checker.at_most(completions.at(row, "bytes"), most as f64, "bytes_delivered of the flow");
        }
    }
}

/// Bins are in ascending order and contain the complete items.
fn binned(checker: &mut Checker<'_>, completions: View<'_>, bins: View<'_>) {
    let key = |view: View<'_>, row| {
        let text = |column| view.text(column, row).unwrap_or_default().to_owned();
        (text("flow"), text("what"))
    };
    let mut sums = BTreeMap::<(String, String), (i64, f64)>::new();
    for row in bins.rows() {
        let upto = bins.number("upto_s", row).unwrap_or(0.0);
        let (count, last) = sums.entry(key(bins, row)).or_insert((0, -1.0));
        let holds = upto > *last;
        let before = *last;
        (*count, *last) = (*count + bins.count("count", row), upto);
        checker.expect(bins.at(row, "upto_s"), holds, || format!("more than {before}, the bin before"));
    }
    for row in completions.rows() {
        let (count, last) = sums.get(&key(completions, row)).copied().unwrap_or((0, 0.0));
        checker.counts(completions.at(row, "count"), count, "the sum of the counts in completion_bins");
        checker.at_most(completions.at(row, "max_s"), last, "the last bin of completion_bins");
    }
}

/// The periods of `onoff` add up.
fn time_on(checker: &mut Checker<'_>, summary: View<'_>) {
    let periods = checker.table("onoff");
    let counts = periods.map(|view| view.sums("flow", |_| 1)).unwrap_or_default();
    let bytes = periods.map(|view| view.sums("flow", |row| view.count("bytes", row))).unwrap_or_default();
    let delivered = checker
        .table("flows")
        .map(|flows| flows.sums("flow", |row| flows.count("bytes_delivered", row)))
        .unwrap_or_default();
    for row in summary.rows() {
        let of = |counts: &BTreeMap<&str, i64>| {
            summary.text("flow", row).and_then(|flow| counts.get(flow)).copied().unwrap_or(0)
        };
        checker.counts(summary.at(row, "periods"), of(&counts), "the rows of onoff");
        checker.counts(summary.at(row, "bytes"), of(&bytes), "the sum of the bytes of onoff");
        if !checker.facts.optimistic.contains(summary.text("flow", row).unwrap_or_default()) {
            checker.counts(summary.at(row, "bytes"), of(&delivered), "bytes_delivered of the flow");
        }
        let time = summary.number("time_on_s", row).filter(|time| *time > 0.0);
        let throughput = time.map(|time| summary.count("bytes", row) as f64 * 8.0 / time);
        checker.equals(summary.at(row, "throughput_bps"), throughput, "the bits of bytes over time_on_s");
    }
}

/// Losses of datagrams are fractions of the expected datagrams.
fn lost(checker: &mut Checker<'_>) {
    let rows = [
        ("cbr", ["lost", "received"].as_slice(), ["lost"].as_slice()),
        ("voip", &["packets"], &["lost", "late"]),
        ("call", &["lost", "received"], &["lost"]),
    ];
    for (table, expected, lost) in rows {
        let Some(view) = checker.table(table) else { continue };
        for row in view.rows() {
            let sum = |columns: &[&str]| columns.iter().map(|column| view.count(column, row)).sum::<i64>();
            let expected = sum(expected);
            let loss = (expected > 0).then(|| sum(lost) as f64 / expected as f64);
            checker.equals(view.at(row, "loss"), loss, "what was lost or late over what was expected");
        }
    }
    if let Some(view) = checker.table("voip") {
        for row in view.rows() {
            checker.at_least(view.at(row, "burst_ratio"), 1.0, "the ratio of random loss");
        }
    }
}

/// Compares the frames of calls with their summary.
fn call(checker: &mut Checker<'_>) {
    let (Some(view), Some(frames)) = (checker.table("call"), checker.table("call_frames")) else { return };
    let counts = frames.sums("flow", |_| 1);
    let keys = frames.sums("flow", |row| (frames.bools("key").get(row) == Some(&Some(true))).into());
    let played = frames.sums("flow", |row| frames.number("played_s", row).is_some().into());
    for row in frames.rows() {
        let captured = frames.number("captured_s", row).unwrap_or(0.0);
        checker.at_least(frames.at(row, "played_s"), captured, "captured_s");
    }
    for row in view.rows() {
        let flow = view.text("flow", row).unwrap_or_default();
        // A flow without rows of its own was not asked to record them.
        let Some(count) = counts.get(flow) else { continue };
        let of = |sums: &BTreeMap<&str, i64>| sums.get(flow).copied().unwrap_or(0);
        checker.counts(view.at(row, "frames"), *count, "the rows of call_frames");
        checker.counts(view.at(row, "key_frames"), of(&keys), "the key frames of call_frames");
        checker.counts(view.at(row, "played"), of(&played), "the rows of call_frames that are played");
    }
}

/// Compares the segments of a video with the summary in `table`. The time of playing, the stalls and the start-up delay
/// are parts of the run. The time of playing is the media played, divided by the mean playback rate where clients vary it.
fn video(checker: &mut Checker<'_>, table: &str, rows: &str) {
    let Some(view) = checker.table(table) else { return };
    let mut sums = BTreeMap::<&str, (i64, i64)>::new();
    if let Some(segments) = checker.table(rows) {
        for row in segments.rows() {
            let number = |column| segments.number(column, row);
            let request = number("request_s").unwrap_or(0.0);
            checker.at_least(segments.at(row, "first_byte_s"), request, "request_s");
            checker.at_least(segments.at(row, "done_s"), number("first_byte_s").unwrap_or(request), "first_byte_s");
            if let Some(flow) = segments.text("flow", row).filter(|_| number("done_s").is_some()) {
                let (count, bytes) = sums.entry(flow).or_default();
                (*count, *bytes) = (*count + 1, *bytes + segments.count("bytes", row));
            }
        }
    }
    let delivered = checker
        .table("flows")
        .map(|flows| flows.sums("flow", |row| flows.count("bytes_delivered", row)))
        .unwrap_or_default();
    for row in view.rows() {
        let flow = view.text("flow", row).unwrap_or_default();
        let (count, bytes) = sums.get(flow).copied().unwrap_or_default();
        checker.counts(view.at(row, "segments"), count, format_args!("the rows of {rows} that are done"));
        let most = delivered.get(flow).copied().unwrap_or(0);
        let is_known = !checker.facts.optimistic.contains(flow);
        checker.expect(view.at(row, "segments"), bytes <= most || !is_known, || {
            format!("segments of at most {most} bytes together, bytes_delivered of the flow, not {bytes}")
        });
        playing(checker, view, row);
    }
}

/// A player plays, stalls and starts within the run.
fn playing(checker: &mut Checker<'_>, view: View<'_>, row: usize) {
    let number = |column| view.number(column, row).unwrap_or(0.0);
    let (playing, name) = match view.number("rate_mean", row) {
        Some(rate) => (number("played_s") / rate, "played_s / rate_mean"),
        None => (number("played_s"), "played_s"),
    };
    let time = playing + number("stall_s") + number("startup_s");
    let end = seconds(checker.facts.end);
    checker.expect(view.at(row, "played_s"), time <= end * (1.0 + 1e-9), || {
        format!("{name}, stall_s and startup_s to be at most {end} together, not {time}")
    });
}

/// Compares the groups of live video over streams with their summary.
fn groups(checker: &mut Checker<'_>) {
    let Some(view) = checker.table("moq") else { return };
    let mut sums = BTreeMap::<&str, [i64; 5]>::new();
    if let Some(groups) = checker.table("moq_groups") {
        for row in groups.rows() {
            let start = groups.number("start_s", row).unwrap_or(0.0);
            checker.at_least(groups.at(row, "done_s"), start, "start_s");
            checker.at_least(groups.at(row, "reset_s"), start, "start_s");
            let count = |column| groups.count(column, row);
            let done = i64::from(groups.number("done_s", row).is_some());
            let (arrived, shown) = (count("frames_arrived"), count("frames_shown"));
            checker.expect(groups.at(row, "frames_shown"), shown <= arrived, || {
                format!("at most {arrived}, frames_arrived, not {shown}")
            });
            let sum = sums.entry(groups.text("flow", row).unwrap_or_default()).or_default();
            for (sum, one) in sum.iter_mut().zip([1, done, done * count("bytes"), shown, count("frames_skipped")]) {
                *sum += one;
            }
        }
    }
    let delivered = checker
        .table("flows")
        .map(|flows| flows.sums("flow", |row| flows.count("bytes_delivered", row)))
        .unwrap_or_default();
    for row in view.rows() {
        let flow = view.text("flow", row).unwrap_or_default();
        let [count, done, bytes, shown, skipped] = sums.get(flow).copied().unwrap_or_default();
        for (column, sum, what) in [
            ("groups", count, "the rows of moq_groups"),
            ("groups_complete", done, "the rows of moq_groups that are done"),
            ("frames_shown", shown, "frames_shown in moq_groups"),
            ("frames_skipped", skipped, "frames_skipped in moq_groups"),
        ] {
            checker.counts(view.at(row, column), sum, format_args!("{what}"));
        }
        let most = delivered.get(flow).copied().unwrap_or(0);
        checker.expect(view.at(row, "groups_complete"), bytes <= most, || {
            format!("groups of at most {most} bytes together, bytes_delivered of the flow, not {bytes}")
        });
        playing(checker, view, row);
    }
}
