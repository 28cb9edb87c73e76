//! Gradients, probabilities, the shadow window and slow start. Windows are in segments of 1,000 bytes, RTTs in
//! microseconds.

use super::*;
use crate::context::Cause;
use crate::testing::{self, MSS};
use crate::{MILLISECOND, SECOND};

fn window(cwnd: u64, ssthresh: u64) -> Window {
    Window { cwnd: cwnd * MSS, ssthresh: ssthresh.saturating_mul(MSS), pacing_rate: None }
}

fn cdg(cwnd: u64) -> Cdg {
    let mut cc = Cdg::default();
    cc.seed(7);
    cc.on_start(&mut window(cwnd, u64::MAX), &testing::context(0, 0..0));
    cc
}

#[test]
fn the_gradient_sums_eight_rounds_and_extrapolates_fewer() {
    let mut m = Measured::default();
    let mut round = |min: i64, max: i64| {
        m.rtt = Range { min, max };
        m.end_round(&testing::context(0, 0..0))
    };
    assert_eq!(round(1000, 2000), 0, "the first round has no gradient");
    assert_eq!(round(1010, 2000), 80, "eight times the only difference");
    assert_eq!(round(1020, 2000), 80, "20 of two rounds");
    assert_eq!(round(1000, 2030), 80, "the smallest is back: the 30 of the largest in three rounds, times eight");
    for _ in 0..4 {
        round(1000, 2030);
    }
    assert_eq!(round(1000, 2030), 30, "eight rounds");
    assert_eq!(round(1000, 2030), 30, "without the first difference of 10, the smallest has fallen by 10");
    assert_eq!([round(1000, 2030), round(1100, 2030)], [30, 100]);
}

/// The RTT of the SYN is the smallest one, as no data waited before it, and so the gradient of the second round is that of
/// the smallest RTT, which is far below that of the largest.
#[test]
fn the_first_round_has_the_rtt_of_the_syn() {
    let gradient = |syn: Option<Nanos>| {
        let mut cc = Cdg::default();
        if let Some(rtt) = syn {
            cc.on_syn_acknowledged(rtt);
        }
        cc.on_start(&mut window(10, u64::MAX), &testing::context(0, 0..0));
        let mut round = |rtts: [i64; 2]| {
            for rtt in rtts {
                cc.measured.add(rtt, 1, false);
            }
            cc.measured.end_round(&testing::context(0, 0..0))
        };
        assert_eq!(round([30_240, 30_240]), 0);
        round([30_240, 32_640])
    };
    assert_eq!(gradient(Some(30 * MILLISECOND)), 8 * 240);
    assert_eq!(gradient(None), 8 * 2400);
}

#[test]
fn the_probability_of_a_reduction_grows_with_the_gradient() {
    let reduced = |gradient| {
        let mut cc = cdg(10);
        let reduces = |_: &u32| {
            cc.measured.ineffectual = 0;
            cc.backs_off(gradient, 10)
        };
        (0..10_000).filter(reduces).count()
    };
    // 1 - exp(-42 g / 10^6): 4.1 %, 34.3 % and 99.99 %.
    for (gradient, expected) in [(1000, 411), (10_000, 3430), (250_000, 9999)] {
        let count = reduced(gradient);
        assert!(count.abs_diff(expected) < 100, "{count} of {expected}");
    }
}

#[test]
fn after_five_reductions_without_effect_further_ones_are_left_out() {
    let mut cc = cdg(10);
    let mut backs_off = |_| cc.backs_off(10_000_000, 30);
    assert_eq!([(); 7].map(|()| backs_off(())), [true, true, true, true, true, false, false]);
    cc.measured.before = Range { min: 1000, max: 1000 };
    cc.measured.rtt = Range { min: 968, max: 1000 };
    cc.measured.end_round(&testing::context(0, 0..0));
    assert!(cc.backs_off(10_000_000, 30), "the RTT has fallen by 32 us");
}

fn lost(cc: &mut Cdg, cwnd: u64, cause: Cause) -> u64 {
    let event = Congestion { cause, ..Congestion::loss(testing::context(0, 0..cwnd * MSS)) };
    cc.ssthresh(&window(cwnd, 2), &event) / MSS
}

#[test]
fn losses_are_answered_from_the_shadow_window() {
    let mut cc = cdg(100);
    assert!(cc.backs_off(10_000_000, 100));
    assert_eq!(lost(&mut cc, 100, Cause::Delay), 70, "sqrt(1/2)");
    cc.measured.backs_off = false;
    assert_eq!(lost(&mut cc, 70, Cause::Loss), 50, "half of the shadow window of 100 segments");
    assert_eq!(lost(&mut cc, 50, Cause::Loss), 25);
    assert_eq!(lost(&mut cc, 3, Cause::Timeout), 3, "the shadow window is at most cwnd");
    assert_eq!(lost(&mut cc, 1, Cause::Loss), 2);
}

/// Delivers `acked` segments up to segment `una`, at `now` in microseconds, with an RTT in microseconds.
fn ack(cc: &mut Cdg, w: &mut Window, now: u64, una: u64, acked: u64, rtt: u64) {
    let ctx = testing::context(now * 1000, una * MSS..(una + 10) * MSS);
    let ack = Ack { rtt: Some(rtt * 1000), ..testing::ack(ctx, acked * MSS) };
    cc.on_delivery(w, &testing::delivery(ack, 0));
    cc.on_ack(w, &ack, acked * MSS);
}

#[test]
fn a_reduction_is_requested_and_its_end_begins_the_gradient_anew() {
    let (mut cc, mut w) = (cdg(50), window(50, 2));
    let second = SECOND / 1000;
    ack(&mut cc, &mut w, second, 1, 1, 10_000);
    ack(&mut cc, &mut w, 2 * second, 12, 1, 900_000);
    assert_eq!(w.cwnd / MSS, 50);
    assert!(cc.requests_reduction() && !cc.requests_reduction());
    assert_eq!(lost(&mut cc, 50, Cause::Delay), 35);
    cc.on_delivery(&mut w, &testing::delivery(testing::ack(testing::context(0, 50 * MSS..60 * MSS), MSS), 0));
    assert!(cc.measured.backs_off, "the reduction ends beyond its point");
    cc.on_delivery(&mut w, &testing::delivery(testing::ack(testing::context(0, 51 * MSS..61 * MSS), MSS), 0));
    assert!(!cc.measured.backs_off && cc.measured.rtt.is_empty());
    assert_eq!(cc.measured.end, 61 * MSS);
}

#[test]
fn the_shadow_window_grows_as_cwnd_and_is_no_larger_while_the_application_limits_the_flow() {
    let (mut cc, mut w) = (cdg(10), window(10, 2));
    cc.measured.shadow = 30;
    cc.measured.end = 1000 * MSS;
    ack(&mut cc, &mut w, 1000, 10, 10, 10_000);
    assert_eq!((w.cwnd / MSS, cc.measured.shadow), (11, 31));
    let unlimited = Ack { cwnd_limited: false, ..testing::ack(testing::context(0, 0..MSS), MSS) };
    cc.on_ack(&mut w, &unlimited, MSS);
    assert_eq!((w.cwnd / MSS, cc.measured.shadow), (11, 11));
    cc.on_idle_end(&mut w, &testing::context(0, 20 * MSS..20 * MSS), SECOND);
    assert_eq!(cc.measured.end, 1000 * MSS, "not longer than a timeout");
    cc.measured.shadow = 30;
    cc.on_idle_end(&mut w, &testing::context(0, 20 * MSS..20 * MSS), SECOND + MILLISECOND);
    assert_eq!((cc.measured.end, cc.measured.shadow), (20 * MSS, 11));
}

#[test]
fn a_train_of_acks_over_half_the_least_rtt_ends_slow_start() {
    for (gap, expected) in [(2000, true), (3000, false)] {
        let mut m = Measured { rtt: Range { min: 10_000, max: 10_000 }, ..Measured::default() };
        let ends = (0..3).any(|ack| m.ends_slow_start(SECOND + ack * gap, true));
        assert!(!ends, "half of 10 ms is not over");
        assert_eq!(m.ends_slow_start(SECOND + 3 * gap, true), expected, "{gap} us");
        assert!(!m.ends_slow_start(SECOND + 3 * gap + 1, false), "the application limits the flow");
    }
}

#[test]
fn an_rtt_of_nine_eighths_ends_slow_start_from_the_ninth_ack() {
    for (rtt, expected) in [(11_250, None), (11_251, Some(8))] {
        let mut m = Measured { least: 10_000, rtt: Range { min: rtt, max: rtt }, ..Measured::default() };
        // The ACKs are too far apart for a train.
        assert_eq!((0..20).position(|ack| m.ends_slow_start(SECOND + ack * 5000, true)), expected, "{rtt} us");
    }
}

#[test]
fn delayed_acks_count_where_they_are_smaller() {
    let mut m = Measured::default();
    m.add(1000, 1, false);
    assert_eq!(m.rtt, Range { min: 1000, max: 1000 }, "no ACK for two segments has arrived");
    m.add(1100, 2, false);
    m.add(5000, 1, false);
    assert_eq!((m.rtt, m.stretched), (Range { min: 1000, max: 1100 }, 0));
    m.add(1100, 2, false);
    m.add(5000, 1, true);
    assert_eq!((m.rtt.max, m.stretched), (5000, 1), "data is SACKed");
    m.add(900, 1, false);
    assert_eq!((m.rtt, m.stretched), (Range { min: 900, max: 5000 }, 0));
    (0..9).for_each(|_| m.add(1000, 2, false));
    assert_eq!(m.stretched, 5);
}
