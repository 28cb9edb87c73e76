//! The modes and their responses. Windows are in segments of 1,000 bytes.

use super::*;
use crate::MILLISECOND;
use crate::testing::{self, MSS};

/// A round trip with a base of 100 ms and a smallest RTT in milliseconds.
fn judged(cc: &mut Yeah, cwnd: u64, rtt: u64) -> Window {
    let mut window = window(cwnd);
    (cc.rtts.base, cc.rtts.least) = (100_000, rtt * 1000);
    cc.judge(&mut window, MSS);
    window
}

fn window(cwnd: u64) -> Window {
    Window { cwnd: cwnd * MSS, ssthresh: 2 * MSS, pacing_rate: None }
}

fn lost(cc: &mut Yeah, cwnd: u64) -> u64 {
    cc.ssthresh(&window(cwnd), &Congestion::loss(testing::context(0, 0..cwnd * MSS))) / MSS
}

#[test]
fn the_mode_follows_from_the_backlog_and_the_queueing_delay() {
    for (cwnd, rtt, slow, what) in [
        (400, 112, 0, "42 segments, and less than an eighth of the base RTT"),
        (400, 113, 1, "46 segments, but more than an eighth of the base RTT"),
        (1000, 108, 0, "74 segments"),
        (1012, 108, 0, "74 segments"),
        (1000, 109, 1, "82 segments"),
    ] {
        let mut cc = Yeah::default();
        judged(&mut cc, cwnd, rtt);
        assert_eq!(cc.slow, slow, "{what}");
    }
}

#[test]
fn the_backlog_is_drained_down_to_renos_window() {
    let mut cc = Yeah::default();
    let window = judged(&mut cc, 1000, 125);
    assert_eq!((window.cwnd, window.ssthresh, cc.reno), (800 * MSS, 800 * MSS, 400), "a backlog of 200");
    assert_eq!((judged(&mut cc, 1000, 400).cwnd / MSS, cc.reno), (500, 401), "at most half");
    assert_eq!(judged(&mut cc, 450, 130).cwnd / MSS, 401, "not below count");
    assert_eq!(judged(&mut cc, 300, 120).cwnd / MSS, 300, "a backlog of 50 is kept");
    assert_eq!((cc.slow, cc.backlog), (4, 50));
}

#[test]
fn the_51st_round_of_fast_mode_resets_renos_window() {
    let mut cc = Yeah { reno: 300, slow: 4, ..Yeah::default() };
    for _ in 0..50 {
        judged(&mut cc, 100, 100);
        assert_eq!((cc.reno, cc.slow), (300, 0));
    }
    judged(&mut cc, 100, 100);
    assert_eq!((cc.reno, cc.fast), (2, 0));
}

#[test]
fn a_loss_takes_the_backlog_or_half_of_the_window() {
    for (backlog, slow, expected) in [(0, 15, 88), (30, 15, 70), (70, 15, 50), (30, 16, 50)] {
        let mut cc = Yeah { backlog, slow, reno: 300, fast: 7, ..Yeah::default() };
        assert_eq!(lost(&mut cc, 100), expected, "a backlog of {backlog}, {slow} rounds of slow mode");
        assert_eq!((cc.reno, cc.fast), (150, 0));
    }
    assert_eq!(lost(&mut Yeah::default(), 3), 3, "an eighth of three segments is none");
    assert_eq!(lost(&mut Yeah { slow: 16, ..Yeah::default() }, 3), 2);
}

/// Delivers an ACK up to segment `una` with `nxt` segments sent, and returns the window in segments.
fn ack(cc: &mut Yeah, window: &mut Window, una: u64, nxt: u64, rtt: u64) -> u64 {
    let ctx = testing::context(1000 * MILLISECOND, una * MSS..nxt * MSS);
    let ack = Ack { rtt: Some(rtt * MILLISECOND), ..testing::ack(ctx, MSS) };
    cc.on_delivery(window, &testing::delivery(ack, 0));
    cc.on_ack(window, &ack, MSS);
    window.cwnd / MSS
}

#[test]
fn a_round_of_at_least_three_samples_ends_above_its_end() {
    for (samples, slow) in [(2, 0), (3, 1)] {
        let (mut cc, mut window) = (Yeah::default(), window(50));
        cc.end = samples * MSS - MSS;
        cc.rtts.base = 50_000;
        for una in 1..=samples {
            assert_eq!(cc.slow, 0);
            ack(&mut cc, &mut window, una, 40, 100);
        }
        assert_eq!((cc.slow, cc.end / MSS, cc.rtts.samples), (slow, 40, 0));
    }
}

#[test]
fn the_increase_is_scalable_or_reno_after_slow_start() {
    for (slow, acks, expected) in [(0, 99, 200), (0, 100, 201), (1, 100, 200), (1, 200, 201)] {
        let (mut cc, mut window) = (Yeah { slow, ..Yeah::default() }, window(200));
        cc.end = 1000 * MSS;
        for una in 1..=acks {
            ack(&mut cc, &mut window, una, 400, 100);
        }
        assert_eq!(window.cwnd / MSS, expected, "{acks} segments, mode {slow}");
    }
    let (mut cc, mut window) = (Yeah::default(), Window { ssthresh: 60 * MSS, ..window(50) });
    cc.end = 1000 * MSS;
    assert_eq!(ack(&mut cc, &mut window, 1, 60, 100), 51);
}

#[test]
fn sending_with_nothing_in_flight_begins_a_round_with_its_own_base() {
    let (mut cc, mut window) = (Yeah::default(), window(50));
    ack(&mut cc, &mut window, 1, 40, 100);
    assert_eq!(cc.rtts.base, 100_001);
    cc.on_sent(&mut window, &testing::context(0, 2 * MSS..4 * MSS));
    assert_eq!(cc.rtts.base, 100_001);
    cc.on_sent(&mut window, &testing::context(0, 4 * MSS..5 * MSS));
    assert_eq!((cc.rtts.base, cc.rtts.samples, cc.end), (NO_RTT, 0, 4 * MSS));
}
