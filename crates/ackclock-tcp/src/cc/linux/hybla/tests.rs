//! The growth. Windows in segments of 1,000 bytes.

use super::*;
use crate::MILLISECOND;
use crate::testing::{self, MSS};

fn context(rtt: u64) -> Context {
    Context { srtt: Some(rtt * MILLISECOND), ..testing::context(0, 0..20 * MSS) }
}

/// Hybla after a handshake with an RTT of `rtt` ms, and its window.
fn started(rtt: u64) -> (Hybla, Window) {
    let (mut cc, mut window) = (Hybla::default(), Window { cwnd: 10 * MSS, ssthresh: u64::MAX, pacing_rate: None });
    cc.on_start(&mut window, &context(rtt));
    (cc, window)
}

/// Delivers an ACK of `acked` segments.
fn ack(cc: &mut Hybla, window: &mut Window, rtt: u64, acked: u64) -> u64 {
    let ack = testing::ack(context(rtt), acked * MSS);
    cc.on_delivery(window, &testing::delivery(ack, 0));
    cc.on_ack(window, &ack, acked * MSS);
    window.cwnd / MSS
}

#[test]
fn the_initial_window_is_rho() {
    for (rtt, window) in [(1, 1), (25, 1), (49, 1), (50, 2), (200, 8), (599, 23)] {
        assert_eq!(started(rtt).1.cwnd, window * MSS, "{rtt} ms");
    }
}

#[test]
fn an_ack_in_slow_start_adds_a_power_of_two_less_one() {
    for (rtt, growth) in [(25, 128), (50, 3 * 128), (40, 2 * 181 - 128), (46, 2 * 215 - 128), (28, 2 * 128 - 128)] {
        assert_eq!(started(rtt).0.slow_start(), growth, "{rtt} ms");
    }
    assert_eq!(started(900).0.slow_start(), (128 << 16) - 128, "rho is at most 16");
    let (mut cc, mut window) = started(40);
    // 234/128 segments for each ACK, whatever it covers.
    assert_eq!([1, 2, 9].map(|acked| ack(&mut cc, &mut window, 40, acked)), [2, 4, 6]);
    window.ssthresh = 7 * MSS;
    assert_eq!(ack(&mut cc, &mut window, 40, 1), 7, "up to ssthresh");
}

#[test]
fn an_ack_in_congestion_avoidance_adds_rho_squared_over_the_window() {
    let (mut cc, mut window) = started(100);
    (window.cwnd, window.ssthresh) = (16 * MSS, 2 * MSS);
    // floor(2 * 32^2 / 16) / 128 is one segment; then 2048 / 17 = 120 parts.
    assert_eq!([1, 1, 1].map(|acked| ack(&mut cc, &mut window, 100, acked)), [17, 17, 18]);
    assert_eq!(cc.rest, 112);
}

#[test]
fn a_window_without_a_part_of_growth_grows_by_a_segment_for_as_many_acks() {
    let (mut cc, mut window) = started(25);
    (window.cwnd, window.ssthresh) = (200 * MSS, 2 * MSS);
    for _ in 0..199 {
        ack(&mut cc, &mut window, 25, 2);
    }
    assert_eq!(window.cwnd, 200 * MSS, "128 / 200 is nothing");
    assert_eq!(ack(&mut cc, &mut window, 25, 2), 201);
    assert_eq!(cc.count.acked, 0);
    window.cwnd = 70_000 * MSS;
    assert_eq!(ack(&mut cc, &mut window, 25, 2), MOST);
}

#[test]
fn rho_follows_the_smallest_smoothed_rtt_even_while_the_window_may_not_grow() {
    let (mut cc, mut window) = started(100);
    ack(&mut cc, &mut window, 120, 1);
    assert_eq!(cc.eighths, 32);
    let idle = Ack { cwnd_limited: false, ..testing::ack(context(75), MSS) };
    let before = window.cwnd;
    cc.on_ack(&mut window, &idle, MSS);
    assert_eq!((cc.eighths, window.cwnd), (24, before));
}

#[test]
fn after_a_timeout_the_window_grows_like_renos() {
    let (mut cc, mut window) = started(200);
    window.cwnd = 21 * MSS;
    let event = Congestion::timeout(context(200));
    cc.on_timeout(&mut window, &event, true);
    assert_eq!(window.ssthresh, 10 * MSS);
    window.cwnd = MSS;
    let repairing = Context { in_recovery: true, ..context(200) };
    let ack = testing::ack(repairing, 2 * MSS);
    cc.on_delivery(&mut window, &testing::delivery(ack, 0));
    cc.on_ack(&mut window, &ack, 2 * MSS);
    assert_eq!(window.cwnd, 3 * MSS);
}
