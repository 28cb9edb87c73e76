//! Live video over a network that can be computed by hand. A group of 1 s at 400 kbit/s has four frames of 12,500 bytes,
//! each of which takes 100 ms at 1 Mbit/s and 400 ms at 250 kbit/s. The headers, and the piece that is on the link when
//! another stream gets a frame, take a few milliseconds at most. Playback is 0.5 s behind the event.

use ackclock_results::{Column, Table};

use super::*;
use crate::Command;
use crate::fake_network::{FakeNetwork, MILLISECOND, SECOND, ints};
use crate::live::CatchUp;

fn fields() -> Fields {
    Fields {
        rate: 400_000,
        group: SECOND,
        frame: 250 * MILLISECOND,
        key_frame: 1.0,
        latency: 500 * MILLISECOND,
        encode: 0,
        streams: Streams::Groups,
        order: Order::Descending,
        delivery_timeout: None,
        catchup: CatchUp::Off,
        rate_min: 0.96,
        rate_max: 1.04,
        max_drift: None,
        request_size: 100,
        size_cv: 0.0,
        sample: None,
    }
}

/// A network of 1 Mbit/s that carries 250 kbit/s from 4 s until 6 s.
fn starved(fields: Fields) -> FakeNetwork<Moq> {
    let network = FakeNetwork::new(1_000_000, Moq::new(fields));
    let mut network = network.step(4 * SECOND, 250_000).step(6 * SECOND, 1_000_000);
    network.run_until(12 * SECOND);
    network
}

fn table(network: &FakeNetwork<Moq>, name: &str) -> Table {
    let mut tables = AppTables::new();
    network.app.report("moq", network.now, &mut tables);
    tables.remove(name).expect("a table of that name")
}

fn floats(table: &Table, column: &str) -> Vec<Option<f64>> {
    match table.column(column) {
        Some(Column::Float(cells)) => cells.clone(),
        other => panic!("{column} is {other:?}"),
    }
}

fn counts(network: &FakeNetwork<Moq>, columns: &[&str]) -> Vec<i64> {
    let table = table(network, "moq");
    columns.iter().map(|column| ints(&table, column)[0]).collect()
}

#[track_caller]
fn near(network: &FakeNetwork<Moq>, column: &str, expected: f64) {
    let found = floats(&table(network, "moq"), column)[0].expect("a number");
    assert!((found - expected).abs() < 0.015, "{column} is {found}, not {expected}");
}

#[test]
fn frames_leave_as_they_are_made_and_are_shown_at_the_target() {
    let mut network = FakeNetwork::new(1_000_000, Moq::new(fields()));
    network.delay = 20 * MILLISECOND;
    network.run_until(10 * SECOND);
    let written = network.log.iter().filter_map(|(at, command)| match command {
        Command::WriteStream { stream, bytes, .. } => Some((at / MILLISECOND, *stream, *bytes)),
        _ => None,
    });
    // The request arrives at 60 ms, so that the group from 1 s is the first.
    let first: Vec<_> = written.take(5).collect();
    let header = [12_508, 12_503, 12_503, 12_503, 12_508];
    assert_eq!(first, [0, 1, 2, 3, 4].map(|frame| (1_250 + 250 * frame as u64, frame / 4, header[frame as usize])));
    assert_eq!(counts(&network, &["stalls", "frames_skipped", "groups_dropped"]), [0, 0, 0]);
    for column in ["latency_start_s", "latency_max_s", "latency_end_s"] {
        near(&network, column, 0.5);
    }
    // Frames that end at 1.25 s to 10 s are made, and those that begin at 1 s to 9.25 s are shown.
    assert_eq!(counts(&network, &["groups", "frames", "frames_shown", "groups_complete"]), [9, 36, 34, 8]);
    near(&network, "startup_s", 1.5);
}

/// The frames from 4 s on arrive at 4.4, 4.8, 5.2, 5.6 and 6 s, each 150 ms after the end of the frame before it.
#[test]
fn in_one_stream_every_frame_waits_for_the_one_before_it() {
    let network = starved(Fields { streams: Streams::One, ..fields() });
    assert_eq!(counts(&network, &["stalls", "frames_skipped", "skips"]), [5, 0, 0]);
    near(&network, "stall_s", 0.75);
    near(&network, "latency_end_s", 1.25);
    let ordered = starved(Fields { order: Order::Ascending, ..fields() });
    near(&ordered, "stall_s", 0.75);
    assert_eq!(counts(&ordered, &["stalls", "frames_skipped"]), [5, 0]);
}

/// The last frame of the group from 3 s has 250 ms of the 400 ms that it takes, and gets the rest after 6.46 s, when newer
/// groups leave some of the link. A player that waits for it stalls all this time.
#[test]
fn newer_groups_let_a_player_wait_that_does_not_skip() {
    let network = starved(fields());
    assert_eq!(counts(&network, &["stalls", "frames_skipped", "groups_dropped"]), [1, 0, 0]);
    let stalled = floats(&table(&network, "moq"), "stall_s")[0].unwrap();
    assert!((2.24..2.37).contains(&stalled), "{stalled}");
    near(&network, "latency_end_s", 0.5 + stalled);
}

/// The group from 4 s brings frames at 4.65 s and 5.05 s, and that from 5 s at 5.65, 6.01, 6.11 and 6.21 s. The player
/// waits from 4.25 s for the first, which is 250 ms of media further; from 4.9 s for the second; from 5.3 s for the first
/// of the next group, 500 ms further; and from 5.9 s for its second.
fn assert_skips(network: &FakeNetwork<Moq>) {
    assert_eq!(counts(network, &["stalls", "skips", "frames_skipped"]), [4, 2, 3]);
    near(network, "stall_s", 0.4 + 0.15 + 0.35 + 0.1125);
    near(network, "skipped_s", 0.75);
    near(network, "latency_end_s", 0.5 + 1.0125 - 0.75);
    let groups = table(network, "moq_groups");
    assert_eq!(ints(&groups, "frames_shown")[..7], [4, 4, 4, 3, 2, 4, 4]);
    assert_eq!(ints(&groups, "frames_skipped")[..7], [0, 0, 0, 1, 2, 0, 0]);
}

#[test]
fn a_player_skips_what_the_source_has_dropped() {
    let network = starved(Fields { delivery_timeout: Some(300 * MILLISECOND), ..fields() });
    assert_skips(&network);
    assert_eq!(counts(&network, &["groups_dropped", "groups_complete", "groups"]), [2, 9, 12]);
    let groups = table(&network, "moq_groups");
    let resets = [None, None, None, Some(4.3), Some(5.3), None];
    assert_eq!(floats(&groups, "reset_s")[..6], resets);
    assert_eq!(ints(&groups, "frames_arrived")[2..6], [4, 3, 2, 4]);
    let codes = network.log.iter().filter_map(|(_, command)| match command {
        Command::ResetStream { stream, code, .. } => Some((*stream, *code)),
        _ => None,
    });
    assert_eq!(codes.collect::<Vec<_>>(), [(3, 2), (4, 2)]);
}

/// At 4.65 s the latency is 0.9 s, at 5.05 s 0.8 s, and at 5.65 s 1.15 s.
#[test]
fn a_player_that_is_too_late_skips_to_a_newer_group() {
    let network = starved(Fields { max_drift: Some(350 * MILLISECOND), ..fields() });
    assert_skips(&network);
    assert_eq!(counts(&network, &["groups_dropped", "groups_complete"]), [0, 11]);
}

#[test]
fn catch_up_brings_the_latency_back_to_the_target() {
    let fields = Fields { streams: Streams::One, catchup: CatchUp::Latency, ..fields() };
    let mut network = starved(fields);
    near(&network, "stall_s", 0.75);
    network.run_until(60 * SECOND);
    near(&network, "latency_end_s", 0.5);
    assert_eq!(counts(&network, &["stalls"]), [5]);
}

#[test]
fn samples_are_taken_at_their_interval() {
    let network = starved(Fields { streams: Streams::One, sample: Some(2 * SECOND), ..fields() });
    let samples = table(&network, "moq_samples");
    assert_eq!(floats(&samples, "at_s"), [2.0, 4.0, 6.0, 8.0, 10.0, 12.0].map(Some));
    assert_eq!(ints(&samples, "stalls"), [0, 0, 5, 5, 5, 5]);
    let latencies: Vec<f64> = floats(&samples, "latency_s").into_iter().flatten().collect();
    assert!((latencies[1] - 0.5).abs() < 1e-6 && (latencies[5] - 1.25).abs() < 0.015, "{latencies:?}");
}
