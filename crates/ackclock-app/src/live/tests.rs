//! Live clients over a network that can be computed by hand: a chunk of 500 ms at 500 kbit/s has 31,250 bytes, which
//! take 250 ms at 1 Mbit/s. Media times count from two segments of 2 s before the run.

use ackclock_results::{Column, Table};

use super::*;
use crate::abr::{Estimator, Rule};
use crate::fake_network::{FakeNetwork, MILLISECOND, SECOND, ints};

/// One level of 500 kbit/s, segments of 2 s in four chunks, and a target of 3 s with a playback rate of 1.
fn fields() -> Fields {
    Fields {
        ladder: vec![500_000],
        segment: 2 * SECOND,
        chunk: 500 * MILLISECOND,
        latency: 3 * SECOND,
        encode: 0,
        abr: Rule::default(),
        safety: 0.9,
        estimator: Estimator::Ewma,
        measure: Measure::Chunks,
        catchup: CatchUp::Off,
        rate_min: 0.96,
        rate_max: 1.04,
        max_drift: None,
        startup: 500 * MILLISECOND,
        resume: 500 * MILLISECOND,
        think: 0,
        request_size: 100,
        header_size: 0,
        size_cv: 0.0,
        sample: None,
    }
}

fn network(rate: u64, fields: Fields) -> FakeNetwork<Live> {
    FakeNetwork::new(rate, Live::new(fields, "live"))
}

/// A network of 1 Mbit/s that carries 250 kbit/s from 10 s until 20 s.
fn starved(fields: Fields) -> FakeNetwork<Live> {
    network(1_000_000, fields).step(10 * SECOND, 250_000).step(20 * SECOND, 1_000_000)
}

fn table(network: &FakeNetwork<Live>, name: &str) -> Table {
    let mut tables = AppTables::new();
    network.app.report("live", network.now, &mut tables);
    tables.remove(name).expect("a table of that name")
}

fn floats(table: &Table, column: &str) -> Vec<Option<f64>> {
    match table.column(column) {
        Some(Column::Float(cells)) => cells.clone(),
        other => panic!("{column} is {other:?}"),
    }
}

/// Returns a cell of the row of `live`.
fn cell(network: &FakeNetwork<Live>, column: &str) -> f64 {
    floats(&table(network, "live"), column)[0].expect("a number")
}

fn near(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-9
}

#[test]
fn chunks_leave_the_server_as_they_are_made() {
    let mut network = network(100_000_000, fields());
    network.run_until(3 * SECOND + 1);
    // The moment 3 s before the start is in the segment that began at -4 s; this one and the next are there. The segment
    // that began at 0 s is asked for when its first chunk is there, and so is the segment that began at 2 s.
    let asked: Vec<_> = network.writes(Side::Sink).iter().map(|(at, _)| at / MILLISECOND).collect();
    assert_eq!(asked, [0, 10, 500, 2_500]);
    let sent: Vec<_> = network.writes(Side::Source).iter().map(|(at, bytes)| (at / MILLISECOND, *bytes)).collect();
    let live = [500, 1_000, 1_500, 2_000, 2_500, 3_000].map(|at| (at, 31_250));
    assert_eq!(sent, [&[(0, 125_000), (10, 125_000)], &live[..]].concat());
}

/// The theory of the case without a bottleneck: the latency is the target, and playback does not stall.
#[test]
fn far_above_the_rate_the_latency_is_the_target_and_nothing_stalls() {
    let mut network = network(1_000_000_000, Fields { catchup: CatchUp::Latency, ..fields() });
    network.delay = 20 * MILLISECOND;
    network.run_until(120 * SECOND);
    // The handshake and the request take 80 ms, and the first three chunks 0.75 ms.
    assert!((0.080..0.085).contains(&cell(&network, "startup_s")));
    assert!((cell(&network, "latency_mean_s") - 3.0).abs() < 0.02);
    assert!((cell(&network, "latency_end_s") - 3.0).abs() < 0.005);
    // Close to the target, the rate is above 1 by 0.1 a second of difference: after the first 6 s, which are 5 % of the
    // time, e^-0.6 of the 81 ms are left. Small changes of the rate are left out.
    let expected = 3.0 + 0.081 * libm::exp(-0.6);
    assert!((cell(&network, "latency_p95_s") - expected).abs() < 0.003, "{}", cell(&network, "latency_p95_s"));
    assert_eq!(ints(&table(&network, "live"), "stalls"), [0]);
    // The client plays 80 ms more than passed while it played.
    let rate = cell(&network, "rate_mean");
    assert!((1.0006..1.0008).contains(&rate), "{rate}");
}

#[test]
fn without_catch_up_the_latency_stays_as_it_began() {
    let mut network = network(1_000_000, fields());
    network.run_until(60 * SECOND);
    // Playback of the moment -3 s needs the three chunks up to -2.5 s.
    assert!(near(cell(&network, "startup_s"), 0.75));
    for column in ["latency_start_s", "latency_max_s", "latency_end_s"] {
        assert!((cell(&network, column) - 3.75).abs() < 3.75e-3, "{column}");
    }
    assert_eq!(ints(&table(&network, "live"), "segments"), [31], "those that began at -4 s up to 56 s");
}

/// Chunks that are made from 10 s on take 1 s each, and the client plays at 3.75 s behind the live edge. It has media up
/// to 12 s at 15 s, plays its last at 15.75 s, and gets 0.5 s more at 16 s, 17 s, 18 s, 19 s and 20 s.
#[test]
fn a_starvation_worked_by_hand() {
    let mut network = starved(fields());
    network.run_until(15 * SECOND + 750 * MILLISECOND);
    assert_eq!(ints(&table(&network, "live"), "stalls"), [0]);
    network.run_until(40 * SECOND);
    assert_eq!(ints(&table(&network, "live"), "stalls"), [5]);
    assert!(near(cell(&network, "stall_s"), 0.25 + 4.0 * 0.5));
    assert!((cell(&network, "latency_end_s") - 6.0).abs() < 1e-9);
    assert!(near(cell(&network, "played_s"), 40.0 - 0.75 - 2.25));
    let stalled: f64 = floats(&table(&network, "live_segments"), "stall_s").iter().flatten().sum();
    assert!(near(stalled, 2.25));
}

#[test]
fn catch_up_brings_the_latency_back_to_the_target() {
    let mut network = starved(Fields { catchup: CatchUp::Latency, ..fields() });
    network.run_until(25 * SECOND);
    assert!(cell(&network, "latency_end_s") > 5.0);
    let stalls = ints(&table(&network, "live"), "stalls");
    // At 4 % above normal speed, 3 s take 75 s, and more where the sigmoid is not at its end.
    network.run_until(140 * SECOND);
    assert!((cell(&network, "latency_end_s") - 3.0).abs() < 0.01, "{}", cell(&network, "latency_end_s"));
    assert_eq!(ints(&table(&network, "live"), "stalls"), stalls);
}

/// As in the starvation above until 19 s, when the latency is 5.5 s. The target is then the moment 16 s, and the client
/// showed 13.5 s. The chunk up to 16.5 s comes at 20 s.
#[test]
fn a_client_that_is_too_late_skips_to_the_target() {
    let mut network = starved(Fields { max_drift: Some(2 * SECOND), ..fields() });
    network.run_until(40 * SECOND);
    let live = table(&network, "live");
    assert_eq!((ints(&live, "skips"), ints(&live, "stalls")), (vec![1], vec![5]));
    assert!(near(cell(&network, "skipped_s"), 2.5));
    assert!(near(cell(&network, "stall_s"), 0.25 + 3.0 * 0.5 + 1.0));
    assert!(near(cell(&network, "latency_end_s"), 4.0));
}

/// At 2 Mbit/s a chunk of 500 kbit/s takes 125 ms, of which the first piece of 0.5 ms is seen when it is there. A segment
/// comes with four chunks in 1.625 s.
#[test]
fn chunks_tell_the_rate_of_the_network_and_segments_that_of_the_video() {
    let run = |measure| {
        let ladder = vec![500_000, 1_500_000];
        let mut network = network(2_000_000, Fields { measure, ladder, ..fields() });
        network.run_until(60 * SECOND);
        let segments = table(&network, "live_segments");
        let measured: Vec<f64> = floats(&segments, "measured_bps").into_iter().flatten().collect();
        (*measured.last().expect("segments"), *ints(&segments, "level_bps").last().expect("segments"))
    };
    let (measured, level) = run(Measure::Chunks);
    assert!((measured - 2e6).abs() < 1.0, "{measured}");
    assert_eq!(level, 1_500_000);
    let (measured, level) = run(Measure::Segments);
    assert!((measured - 1e6 / 1.6245).abs() < 1.0, "{measured}");
    assert_eq!(level, 500_000);
}

#[test]
fn chunks_as_long_as_segments_are_there_when_the_segment_is_over() {
    let mut network = network(100_000_000, Fields { chunk: 2 * SECOND, latency: 6 * SECOND, ..fields() });
    network.run_until(5 * SECOND);
    let sent: Vec<_> = network.writes(Side::Source).iter().map(|(at, bytes)| (at / MILLISECOND, *bytes)).collect();
    assert_eq!(sent, [0, 10, 20, 2_000, 4_000].map(|at| (at, 125_000)));
}

#[test]
fn think_time_and_encoding_delay_the_answers() {
    let delays = Fields { think: 30 * MILLISECOND, encode: 100 * MILLISECOND, header_size: 200, ..fields() };
    let mut network = network(1_000_000_000, delays);
    network.run_until(3 * SECOND);
    let sent: Vec<_> = network.writes(Side::Source).iter().map(|(at, bytes)| (at / MILLISECOND, *bytes)).collect();
    // The last chunk before the start is there at 0.1 s. The segment from 0 s is asked for at 0.6 s.
    let expected = [
        (30, 125_200),
        (61, 93_950),
        (100, 31_250),
        (630, 31_450),
        (1_100, 31_250),
        (1_600, 31_250),
        (2_100, 31_250),
        (2_630, 31_450),
    ];
    assert_eq!(sent, expected);
}

#[test]
fn samples_are_taken_at_their_interval() {
    let mut network = network(1_000_000, Fields { sample: Some(600 * MILLISECOND), ..fields() });
    network.run_until(2 * SECOND);
    let samples = table(&network, "live_samples");
    assert_eq!(floats(&samples, "at_s"), [0.6, 1.2, 1.8].map(Some));
    assert_eq!(floats(&samples, "latency_s"), [None, Some(3.75), Some(3.75)]);
    assert_eq!(floats(&samples, "rate"), [Some(1.0); 3]);
    // At 1.2 s the media up to -2 s is there, and -2.55 s is shown.
    assert_eq!(floats(&samples, "buffer_s")[1], Some(0.55));
}
