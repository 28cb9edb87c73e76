//! The counts, the ratio and the reductions. Windows are in segments of 1,000 bytes.

use super::*;
use crate::testing::{self, MSS};
use crate::validation::harness::Sender;

fn bic(w_max: u64, ratio: u64) -> Bic {
    Bic { w_max, ratio, ..Bic::default() }
}

#[test]
fn the_count_of_each_region() {
    for (cwnd, w_max, expected, what) in [
        (14, 100, 14, "Reno"),
        (400, 1000, 25, "linear increase: the distance is 150"),
        (400, 440, 40, "binary search: the distance is 10"),
        (400, 407, 2000, "the distance is 1"),
        (400, 400, 2000, "at the maximum"),
        (403, 400, 2015, "less than four segments above"),
        (404, 400, 303, "the search for a new maximum: 404 * 3 / 4"),
        (447, 400, 28, "447 * 3 / 47"),
        (448, 400, 28, "448 / 16"),
        (160, 0, 10, "no maximum is known: 160 / 16"),
        (400, 0, 20, "and at most 20"),
        (15, 100, 1, "15 / 16, and at least 1"),
    ] {
        assert_eq!(bic(w_max, RATIO).per(cwnd), expected, "{cwnd} of {w_max}: {what}");
    }
}

#[test]
fn the_count_is_divided_by_the_segments_for_each_ack_but_for_small_windows() {
    assert_eq!(bic(440, 2 * RATIO).per(400), 20);
    assert_eq!(bic(440, 24).per(400), 26, "40 / 1.5");
    assert_eq!(bic(100, 2 * RATIO).per(14), 14);
}

#[test]
fn the_ratio_follows_the_acks_while_the_sender_is_open() {
    let mut cc = Bic::default();
    let mut window = Window { cwnd: 20 * MSS, ssthresh: 10 * MSS, pacing_rate: None };
    let mut deliver = |cc: &mut Bic, acked: u64, pipe: u64| {
        let ctx = Context { pipe: pipe * MSS, ..testing::context(0, 0..20 * MSS) };
        cc.on_delivery(&mut window, &testing::delivery(testing::ack(ctx, acked * MSS), 0));
        cc.ratio
    };
    assert_eq!(deliver(&mut cc, 2, 20), 32);
    assert_eq!(deliver(&mut cc, 1, 20), 31);
    assert_eq!(deliver(&mut cc, 1, 20), 31, "the average is a whole number of sixteenths: 31 - 1 + 1");
    assert_eq!(deliver(&mut cc, 0, 19), 30, "the first duplicate ACK still finds the sender open");
    assert_eq!(deliver(&mut cc, 4, 19), 30, "and the next does not");
}

#[test]
fn a_reduction_keeps_four_fifths_above_fourteen_segments() {
    let mut cc = bic(1000, RATIO);
    let ssthresh = |cc: &mut Bic, cwnd: u64| {
        let window = Window { cwnd: cwnd * MSS, ssthresh: u64::MAX, pacing_rate: None };
        cc.ssthresh(&window, &Congestion::loss(testing::context(0, 0..cwnd * MSS))) / MSS
    };
    assert_eq!((ssthresh(&mut cc, 500), cc.w_max), (399, 449), "fast convergence: 500 * 1843 / 2048");
    assert_eq!((ssthresh(&mut cc, 500), cc.w_max), (399, 500));
    assert_eq!([15, 14, 3].map(|cwnd| ssthresh(&mut cc, cwnd)), [11, 7, 2]);
    cc.made = (3, 5);
    cc.reset(&testing::context(0, 0..MSS));
    assert_eq!((cc.w_max, cc.ratio, cc.made), (0, 32, (0, 0)), "a timeout");
}

#[test]
fn a_count_stands_for_31_ms() {
    let mut s = Sender::with_cc("none", "bic-linux");
    (s.window.cwnd, s.window.ssthresh) = (100 * MSS, 2 * MSS);
    // The maximum is not known: 100 / 16 = 6, and an ACK covers two segments: 3.
    s.send(100);
    for expected in [100, 100, 101] {
        s.ack(1);
        assert_eq!(s.window.cwnd / MSS, expected);
    }
}
