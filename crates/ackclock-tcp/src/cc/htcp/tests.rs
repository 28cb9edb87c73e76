//! Increase by time, decrease by queueing delay. Windows are in segments of 1,000 bytes.

use super::*;
use crate::MILLISECOND;
use crate::cc::path::{MSS, Path, near};

const LAW: Law = Law { delta_l: SECOND, delta_b: 0.2, beta_max: 0.8, rtt_ref: 0 };

#[test]
fn alpha_on_worked_values() {
    for (since_ms, beta, expected) in [
        (0, 500, 1.0),
        (1000, 500, 1.0),
        (2000, 500, 11.25),
        (5000, 500, 45.0),
        (11_000, 500, 126.0),
        (11_000, 800, 50.4),
        (500, 800, 1.0),
    ] {
        near(LAW.alpha(since_ms * MILLISECOND, beta, None), expected, 1e-9, &format!("{since_ms} ms, beta {beta}"));
    }
}

#[test]
fn growth_is_scaled_by_the_rtt_if_a_reference_is_set() {
    let law = Law { rtt_ref: 100 * MILLISECOND, ..LAW };
    // f is 45 after 5 s. The scale is bounded to 0.1 and 2, and alpha is at least one.
    for (rtt_ms, expected) in [(50, 22.5), (100, 45.0), (150, 67.5), (300, 90.0), (5, 4.5), (1, 4.5)] {
        let shortest = Some(rtt_ms * MILLISECOND);
        near(law.alpha(5 * SECOND, 500, shortest), expected, 1e-9, &format!("{rtt_ms} ms"));
        assert_eq!(law.alpha(0, 800, shortest), 1.0);
        near(LAW.alpha(5 * SECOND, 500, shortest), 45.0, 1e-9, "no reference");
    }
    assert_eq!(law.alpha(5 * SECOND, 500, None), 45.0, "no RTT is known yet");
}

#[test]
fn the_reference_is_a_parameter() {
    let grown = |rtt_ref: f64| {
        let mut s = Path::starting(&ENTRY, &[("rtt_ref", rtt_ref)]);
        (s.window.cwnd, s.window.ssthresh) = (400 * MSS, 2 * MSS);
        s.lose();
        s.run(5 * SECOND);
        s.segments()
    };
    // The path has 100 ms, so the growth in excess of Reno's is halved.
    let (plain, scaled) = (grown(0.0) - 200.0, grown(200.0) - 200.0);
    assert!((0.45..0.6).contains(&(scaled / plain)), "{scaled} {plain}");
}

#[test]
fn beta_empties_the_queue_unless_the_throughput_has_changed() {
    let ms = MILLISECOND;
    for (shortest, longest, rate, last, expected) in [
        (100 * ms, 150 * ms, Some(1000), Some(1000), 666),
        (100 * ms, 110 * ms, Some(1000), Some(1000), 800),
        (100 * ms, 300 * ms, Some(1000), Some(1000), 500),
        (100 * ms, 150 * ms, Some(1190), Some(1000), 666),
        (100 * ms, 150 * ms, Some(1210), Some(1000), 500),
        (100 * ms, 150 * ms, Some(790), Some(1000), 500),
        (100 * ms, 150 * ms, Some(1000), None, 500),
    ] {
        assert_eq!(LAW.beta(shortest, longest, rate, last), expected, "{shortest} {longest} {rate:?} {last:?}");
    }
}

#[test]
fn a_window_falls_to_the_capacity_of_the_path() {
    // The queue is half of the capacity of the path: RTTmin/RTTmax = 2/3.
    let mut s = Path::avoiding("htcp", 40).behind(1000, 50);
    let mut after = Vec::new();
    while s.losses < 6 {
        let lost = s.losses;
        s.round();
        if s.losses > lost {
            after.push(s.segments());
        }
    }
    for window in &after[3..] {
        near(*window, 100.0, 8.0, &format!("{after:?}"));
    }
}

#[test]
fn growth_is_that_of_reno_for_a_second_and_then_quadratic_in_time() {
    let mut s = Path::avoiding("htcp", 400);
    s.lose();
    s.run(SECOND);
    near(s.segments(), 210.0, 0.2, "ten segments in ten rounds");
    s.run(4 * SECOND);
    // The sum of f over 40 rounds is 40 + 10 * 8 * 10 + 1/4 * 64/3 * 10.
    near(s.segments() - 210.0, 893.0, 40.0, "four seconds later");
}

#[test]
fn timeouts_and_undo() {
    let mut s = Path::avoiding("htcp", 100);
    s.run(3 * SECOND);
    let before = s.window;
    s.lose();
    s.round();
    let (reduced, low) = (s.segments(), s.window);
    near(reduced, before.cwnd as f64 / 2000.0 + 1.0, 0.5, "Reno's growth");
    s.sender.cc.on_undo(&mut s.sender.window, &before);
    assert_eq!(s.window.cwnd, before.cwnd);
    s.window = low;
    s.round();
    assert!(s.segments() > reduced + 15.0, "the time counts from the congestion before");
    s.send();
    let cwnd = s.window.cwnd;
    s.timeout(true);
    near(s.window.ssthresh as f64, cwnd as f64 / 2.0, 1000.0, "ssthresh");
    let ssthresh = s.window.ssthresh;
    s.timeout(false);
    assert_eq!((s.window.cwnd, s.window.ssthresh), (MSS, ssthresh));
}
