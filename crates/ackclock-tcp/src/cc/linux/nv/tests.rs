//! Decisions, bounds and resets. Windows are in segments of 1,000 bytes, RTTs in microseconds.

use super::*;
use crate::context::{Cause, RateSample};
use crate::testing::{self, MSS};
use crate::{MILLISECOND, SECOND};

fn window(cwnd: u64, ssthresh: u64) -> Window {
    Window { cwnd: cwnd * MSS, ssthresh: ssthresh.saturating_mul(MSS), pacing_rate: None }
}

/// NV that needs `needed` segments, after `samples` samples and `rounds` rounds.
fn measured(needed: u64, samples: u64, rounds: u64) -> Nv {
    Nv { most: needed * UNIT * MSS / 10_000, least: 10_000, samples, rounds, ..Nv::default() }
}

#[test]
fn an_excess_is_taken_off_by_three_tenths_and_at_least_two_segments() {
    // 100 segments are needed, and ten more may be queued.
    for (cwnd, expected) in [(130, 125), (113, 111), (112, 110)] {
        let (mut cc, mut w) = (measured(100, 60, 2), window(cwnd, 2));
        cc.decide(&mut w, MSS);
        assert_eq!((w.cwnd / MSS, w.ssthresh / MSS), (expected, 110), "{cwnd}");
        assert_eq!((cc.grows, cc.samples, cc.rounds, cc.most), (false, 0, 0, 0));
    }
    let (mut cc, mut w) = (measured(100, 60, 2), window(110, 2));
    cc.decide(&mut w, MSS);
    assert_eq!((w.cwnd / MSS, w.ssthresh / MSS, cc.grows, cc.samples), (110, 2, true, 60), "no excess");
    let mut w = window(1, 2);
    measured(100, 60, 2).decide(&mut w, MSS);
    assert_eq!(w.cwnd / MSS, 2, "at least two segments after a decision");
}

#[test]
fn a_decrease_needs_rounds_and_samples() {
    for (samples, rounds, ssthresh, expected) in [
        (59, 2, 2, (true, 300)),
        (60, 1, 2, (true, 300)),
        (60, 2, 2, (false, 244)),
        (30, 2, u64::MAX, (false, 244)),
        (29, 11, u64::MAX, (true, 300)),
        (59, 11, 2, (false, 300)),
        (59, 10, 2, (true, 300)),
    ] {
        let mut w = window(300, ssthresh);
        let mut cc = measured(100, samples, rounds);
        cc.decide(&mut w, MSS);
        assert_eq!((cc.grows, w.cwnd / MSS), expected, "{samples} samples, {rounds} rounds, ssthresh {ssthresh}");
    }
}

#[test]
fn growth_needs_room_and_samples_and_raises_a_negative_exponent() {
    for (cwnd, samples, grows) in [(108, 20, true), (108, 19, false), (109, 20, false)] {
        let mut cc = Nv { grows: false, ..measured(100, samples, 1) };
        cc.decide(&mut window(cwnd, 2), MSS);
        assert_eq!(cc.grows, grows, "{cwnd} segments, {samples} samples");
    }
    let mut cc = Nv { exponent: -2, ..Nv::default() };
    for decision in 1..=9 {
        assert_eq!(cc.exponent, -2, "decision {decision}");
        (cc.most, cc.least, cc.samples) = (UNIT * MSS, 100, 20);
        cc.decide(&mut window(50, 2), MSS);
    }
    assert_eq!(cc.exponent, -1);
}

#[test]
fn samples_are_averaged_and_the_smallest_is_replaced() {
    let mut cc = Nv { replaced_at: 1000, ..Nv::default() };
    cc.add(400, 1000, 0);
    assert_eq!((cc.rtt, cc.least, cc.most), (400, 400, 200_000));
    cc.add(600, 1000, 1);
    assert_eq!((cc.rtt, cc.least, cc.most), (500, 400, 200_000));
    cc.rtt = 0;
    cc.add(900, 1000, 2);
    assert_eq!(cc.least, 900, "the first sample after a reduction sets twice its value, and is itself a sample");
    cc.stretch = 12;
    cc.add(901, 1000, 1000);
    assert_eq!((cc.least, cc.least_next, cc.stretch), (400, NO_RTT, 6));
    assert!((4750..=7250).contains(&cc.replaced_at), "{}", cc.replaced_at);
}

/// Delivers `acked` segments up to segment `una` of `nxt`, after 10 ms in which `delivered` were delivered.
fn deliver(cc: &mut Nv, w: &mut Window, una: u64, nxt: u64, acked: u64, delivered: u64) {
    let ctx = testing::context(SECOND, una * MSS..nxt * MSS);
    let ack = Ack { rtt: Some(10 * MILLISECOND), ..testing::ack(ctx, acked * MSS) };
    let rate = RateSample {
        delivered: delivered * MSS,
        prior_delivered: 0,
        interval: 10 * MILLISECOND,
        tx_in_flight: 0,
        lost: 0,
        app_limited: false,
    };
    let delivery = Delivery { rate: Some(rate), ..testing::delivery(ack, delivered * MSS) };
    cc.on_delivery(w, &delivery);
    cc.on_ack(w, &ack, acked * MSS);
}

fn started() -> Nv {
    let mut cc = Nv::default();
    cc.on_start(&mut window(10, u64::MAX), &testing::context(0, 0..0));
    cc
}

#[test]
fn a_round_with_one_stretched_ack_is_longer_next_time_and_allows_growth() {
    let mut cc = Nv { grows: false, ..started() };
    deliver(&mut cc, &mut window(10, 2), 3, 13, 3, 3);
    assert_eq!((cc.stretch, cc.end / MSS, cc.samples, cc.grows), (6, 19, 0, true));
    let mut cc = Nv { grows: false, ..started() };
    deliver(&mut cc, &mut window(10, 2), 2, 12, 2, 2);
    assert_eq!((cc.stretch, cc.end / MSS, cc.samples, cc.grows), (4, 12, 1, false), "two segments are not enough");
}

#[test]
fn congestion_stops_growth_until_a_decision_and_the_measurement_begins_anew() {
    let (mut cc, mut w) = (started(), window(100, 2));
    deliver(&mut cc, &mut w, 2, 12, 2, 2);
    let ctx = Context { flight_size: 100 * MSS, ..testing::context(0, 2 * MSS..12 * MSS) };
    let mark = Congestion { cause: Cause::Ecn, ..Congestion::loss(ctx) };
    assert_eq!(cc.ssthresh(&window(100, 2), &mark) / MSS, 79);
    deliver(&mut cc, &mut w, 12, 22, 10, 10);
    assert_eq!((cc.samples, cc.grows), (1, false), "not measured");
    deliver(&mut cc, &mut w, 13, 23, 1, 1);
    assert_eq!((cc.samples, cc.una / MSS, cc.end / MSS, cc.rtt, cc.grows), (0, 13, 13, 0, false), "normal again");
    deliver(&mut cc, &mut w, 14, 24, 100, 1);
    assert_eq!((cc.samples, w.cwnd / MSS), (1, 100));
}

#[test]
fn timeouts_slow_growth_down() {
    let mut cc = started();
    for expected in [-1, -2, -3, -4, -5, -6, -7, -8, -8] {
        cc.reset(&testing::context(0, 0..0));
        assert_eq!(cc.exponent, expected);
    }
    (cc.exponent, cc.grows) = (-1, true);
    let mut w = window(10, 2);
    let ack = testing::ack(testing::context(0, 0..10 * MSS), MSS);
    cc.on_ack(&mut w, &ack, 19 * MSS);
    assert_eq!(w.cwnd / MSS, 10);
    cc.on_ack(&mut w, &ack, MSS);
    assert_eq!(w.cwnd / MSS, 11);
    let mut w = window(2, 2);
    cc.exponent = 0;
    cc.on_ack(&mut w, &ack, 3 * MSS);
    assert_eq!(w.cwnd / MSS, 2, "four segments at least");
}
