//! The rounds and their ends. Windows in segments of 1,000 bytes.

use super::*;
use crate::MILLISECOND;
use crate::testing::{self, MSS};

/// The end of a round in which the smallest RTT was `rtt` ms, with a base of 100 ms; the window, and ssthresh.
fn judged(cwnd: u64, ssthresh: u64, rtt: u64) -> (u64, u64) {
    let mut cc = Vegas { rtts: Rtts { base: 100_000, least: rtt * 1000, samples: 3 }, ..Vegas::default() };
    let mut window = Window { cwnd: cwnd * MSS, ssthresh: ssthresh.saturating_mul(MSS), pacing_rate: None };
    cc.judge(&mut window, 2, MSS);
    (window.cwnd / MSS, window.ssthresh / MSS)
}

#[test]
fn a_round_of_slow_start_ends_it_at_a_backlog_of_two_segments() {
    assert_eq!(judged(20, 1000, 109), (22, 1000), "a backlog of one segment, and two segments acknowledged");
    assert_eq!(judged(20, 1000, 110), (19, 19), "floor(20 / 1.1) and one");
    assert_eq!(judged(20, 1000, 300), (7, 7));
    assert_eq!(judged(20, 21, 100), (21, 21), "slow start ends at ssthresh");
}

#[test]
fn a_round_of_congestion_avoidance_changes_the_window_by_a_segment() {
    for (rtt, cwnd) in [(100, 41), (104, 41), (105, 40), (112, 40), (113, 39), (200, 39)] {
        assert_eq!(judged(40, 30, rtt), (cwnd, 30), "{rtt} ms");
    }
    assert_eq!(judged(40, 40, 200), (39, 39), "ssthresh is at most the window after a decrease");
    assert_eq!(judged(40, 10, 100), (41, 30), "and at least three quarters of it");
    assert_eq!(judged(2, 2, 900), (2, 1), "two segments remain, of which ssthresh is at least 2/2 + 2/4, rounded down");
}

/// Vegas in congestion avoidance with `cwnd` segments, all of which are outstanding.
fn avoiding(cwnd: u64) -> (Vegas, Window) {
    let mut cc = Vegas { rtts: Rtts { base: 100_001, ..Rtts::default() }, ..Vegas::default() };
    cc.begin(cwnd * MSS);
    (cc, Window { cwnd: cwnd * MSS, ssthresh: 2 * MSS, pacing_rate: None })
}

/// The ACK of the `una`th segment, whose RTT is 100 ms; the window.
fn ack(cc: &mut Vegas, window: &mut Window, una: u64, cwnd_limited: bool) -> u64 {
    let ctx = testing::context(1000 * MILLISECOND, una * MSS..(una + 20) * MSS);
    let ack = Ack { rtt: Some(100 * MILLISECOND), cwnd_limited, ..testing::ack(ctx, MSS) };
    cc.on_delivery(window, &testing::delivery(ack, 0));
    cc.on_ack(window, &ack, MSS);
    window.cwnd / MSS
}

#[test]
fn a_round_ends_above_its_end_and_needs_three_samples() {
    let (mut cc, mut window) = avoiding(20);
    let windows: Vec<u64> = (1..=21).map(|una| ack(&mut cc, &mut window, una, false)).collect();
    assert!(windows[..20].iter().all(|&cwnd| cwnd == 20), "{windows:?}");
    assert_eq!(windows[20], 21, "the window need not be the limit");
    assert_eq!((cc.end, cc.rtts.samples, cc.rtts.least), (41 * MSS, 0, NO_RTT));
    let (mut cc, mut window) = avoiding(20);
    cc.rtts.samples = 1;
    assert_eq!([20, 21].map(|una| ack(&mut cc, &mut window, una, true)), [20, 21], "the third sample");
    let (mut cc, mut window) = avoiding(20);
    cc.rtts.samples = 1;
    assert_eq!(ack(&mut cc, &mut window, 21, true), 20, "only two samples");
    assert_eq!(cc.count.acked, 1, "Reno's growth counts the segment");
}

#[test]
fn slow_start_grows_within_rounds() {
    let (mut cc, mut window) = avoiding(20);
    window.ssthresh = 22 * MSS;
    assert_eq!([1, 2, 3].map(|una| ack(&mut cc, &mut window, una, false)), [21, 22, 22]);
}

#[test]
fn a_loss_halves_and_a_round_begins_at_the_return_to_normal() {
    let (mut cc, mut window) = avoiding(21);
    let lost = Congestion::loss(testing::context(0, 0..21 * MSS));
    assert_eq!(cc.ssthresh(&window, &lost), 10 * MSS);
    assert!(!cc.judges);
    window.cwnd = 10 * MSS;
    let repairing = Context { in_recovery: true, ..testing::context(0, 5 * MSS..21 * MSS) };
    cc.on_delivery(&mut window, &testing::delivery(testing::ack(repairing, MSS), 0));
    assert!(!cc.judges);
    ack(&mut cc, &mut window, 21, true);
    assert!(cc.judges && cc.end == 41 * MSS);
    // SACKed data stops the judgement, and Reno's growth takes its place.
    let sacked = Context { pipe: 19 * MSS, ..testing::context(0, 21 * MSS..41 * MSS) };
    cc.on_delivery(&mut window, &testing::delivery(testing::ack(sacked, 0), 0));
    assert!(!cc.judges);
    for _ in 0..10 {
        cc.on_ack(&mut window, &testing::ack(sacked, MSS), MSS);
    }
    assert_eq!(window.cwnd, 11 * MSS);
}

#[test]
fn base_rtt_begins_anew_with_nothing_in_flight() {
    let (mut cc, mut window) = avoiding(20);
    cc.on_sent(&mut window, &testing::context(0, 30 * MSS..32 * MSS));
    assert_eq!(cc.rtts.base, 100_001);
    cc.on_sent(&mut window, &testing::context(0, 32 * MSS..33 * MSS));
    assert_eq!((cc.rtts.base, cc.end), (NO_RTT, 32 * MSS));
}
