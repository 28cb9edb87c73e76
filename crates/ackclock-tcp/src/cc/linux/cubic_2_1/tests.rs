//! The counts, the ratio and the reductions. Windows are in segments of 1,000 bytes.

use super::*;
use crate::testing::{self, MSS};

/// A state whose acknowledgments have one segment each, with a W_max in segments and RTTmin in ms.
fn cubic(w_max: u64, min_rtt: u64) -> Cubic {
    Cubic { w_max, min_rtt, ratio: RATIO, ..Cubic::default() }
}

/// The count for `cwnd` segments `ms` after the first acknowledgment of the epoch, which had the same window.
fn count(mut cc: Cubic, cwnd: u64, ms: u64) -> u64 {
    cc.update(cwnd, 1);
    cc.made = (0, 0);
    cc.update(cwnd, 1 + ms);
    cc.count
}

#[test]
fn the_count_of_each_region() {
    // W_max 100: K = cbrt(20 / 0.4004) = 3.68 s from 80 segments.
    for (cwnd, w_max, ms, expected, what) in [
        (80, 0, 500, 50, "no maximum is known"),
        (80, 100, 1000, 5, "the target is 100 - floor(0.4 (3.68 - 1.1)^3) = 94: 80 / 14"),
        (80, 100, 0, 40, "the target is 100 - floor(0.4 (3.68 - 0.1)^3) = 82: 80 / 2"),
        (100, 100, 0, 10_000, "the plateau"),
        (100, 100, 10_000, 6, "beyond K, 16 segments in 100 ms: 100 / 16"),
    ] {
        assert_eq!(count(cubic(w_max, 100), cwnd, ms), expected, "{cwnd} of {w_max} after {ms} ms: {what}");
    }
    assert_eq!(count(cubic(100, 0), 100, 10_000), 1, "no cap before the first sample");
    // K is 7.94 s from 100 segments below 300, and the target is 299 at 6.6 s: no cap below K.
    assert_eq!(count(cubic(300, 100), 100, 6600), 1, "100 / 199");
}

#[test]
fn renos_window_grows_by_a_segment_for_23_eighths_of_a_window_of_acknowledgments() {
    let mut cc = cubic(100, 0);
    assert_eq!(RENO, 23);
    for acks in 0..1000 {
        cc.update(100, 1);
        cc.made = (0, 0);
        let reno = cc.epoch.expect("an epoch").reno;
        assert_eq!(reno, 100 + acks / 287, "after {acks} further acknowledgments");
    }
    cc.update(100, 1);
    assert_eq!(cc.count, 33, "100 / 3");
}

#[test]
fn the_ratio_stays_at_31_sixteenths_without_delayed_acks_and_halves_the_count() {
    let mut cc = Cubic::default();
    let mut window = Window { cwnd: 100 * MSS, ssthresh: 10 * MSS, pacing_rate: None };
    for _ in 0..100 {
        let ctx = testing::context(0, 0..100 * MSS);
        cc.on_delivery(&mut window, &testing::delivery(testing::ack(ctx, MSS), MSS));
    }
    assert_eq!(cc.ratio, 31);
    cc.update(100, 1);
    assert_eq!(cc.count, 25, "50 * 16 / 31");
}

#[test]
fn a_segment_is_won_by_the_acknowledgment_after_the_count() {
    let mut cc = cubic(0, 0);
    let mut window = Window { cwnd: 100 * MSS, ssthresh: 10 * MSS, pacing_rate: None };
    let mut won = Vec::new();
    for number in 1..=110 {
        let before = window.cwnd;
        cc.on_ack(&mut window, &testing::ack(testing::context(0, 0..100 * MSS), 2 * MSS), 2 * MSS);
        if window.cwnd > before {
            won.push(number);
        }
    }
    assert_eq!(won, [51, 102], "whatever an acknowledgment covers");
}

#[test]
fn a_loss_leaves_four_fifths_and_converges_fast() {
    let mut cc = cubic(0, 40);
    let loss = |cc: &mut Cubic, cwnd: u64| {
        let window = Window { cwnd: cwnd * MSS, ssthresh: u64::MAX, pacing_rate: None };
        cc.ssthresh(&window, &Congestion::loss(testing::context(0, 0..cwnd * MSS))) / MSS
    };
    assert_eq!((loss(&mut cc, 100), cc.w_max), (79, 100));
    assert_eq!((loss(&mut cc, 90), cc.w_max), (71, 80), "90 (1024 + 819) / 2048");
    assert_eq!((loss(&mut cc, 2), cc.w_max), (2, 1));
    cc.reset(&testing::context(0, 0..0));
    assert_eq!((cc.w_max, cc.min_rtt, cc.ratio), (0, 0, 32));
}
