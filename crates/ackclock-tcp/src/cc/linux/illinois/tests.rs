//! The curves and the growth. Windows are in segments of 1,000 bytes, delays in microseconds.

use super::*;
use crate::MILLISECOND;
use crate::testing::{self, MSS};

#[test]
fn alpha_is_a_hyperbola_in_integers() {
    for (da, expected) in [(0, 1280), (1000, 1280), (2000, 962), (10_000, 322), (50_000, 74), (100_000, 38)] {
        assert_eq!(Illinois::default().alpha(da, 100_000), expected, "{da} us");
    }
    assert_eq!(Illinois::default().alpha(0, 0), 1280, "no queueing delay so far");
}

#[test]
fn beta_is_linear_between_its_corners() {
    for (da, expected) in [(0, 8), (10_000, 8), (45_000, 20), (79_999, 31), (80_000, 32), (100_000, 32)] {
        assert_eq!(beta(da, 100_000), expected, "{da} us");
    }
    assert_eq!(beta(1, 1), 32, "both corners are zero");
}

#[test]
fn alpha_returns_to_its_maximum_with_the_fifth_low_round() {
    let mut cc = Illinois { least: 100_000, most: 200_000, ..Illinois::default() };
    let mut round = |mean: u64, cwnd: u64| {
        (cc.sum, cc.samples) = (3 * mean, 3);
        cc.update(cwnd);
        (cc.alpha, cc.beta)
    };
    assert_eq!(round(100_000, 100), (1280, 8));
    assert_eq!(round(150_000, 100), (74, 21));
    for _ in 0..2 {
        assert_eq!(round(101_000, 100), (74, 8));
    }
    assert_eq!(round(150_000, 100), (74, 21), "a round above does not reset the number of rounds below");
    for _ in 0..2 {
        assert_eq!(round(100_000, 100), (74, 8));
    }
    assert_eq!(round(100_000, 100), (1280, 8));
    assert_eq!(round(150_000, 14), (128, 32), "Reno");
}

fn window(cwnd: u64, ssthresh: u64) -> Window {
    Window { cwnd: cwnd * MSS, ssthresh: ssthresh * MSS, pacing_rate: None }
}

/// Delivers an ACK of `acked` segments up to segment `una`, with an RTT of `rtt` ms.
fn ack(cc: &mut Illinois, window: &mut Window, una: u64, acked: u64, rtt: u64, limited: bool) -> u64 {
    let ctx = testing::context(1000 * MILLISECOND, una * MSS..(una + 20) * MSS);
    let ack = Ack { rtt: Some(rtt * MILLISECOND), cwnd_limited: limited, ..testing::ack(ctx, acked * MSS) };
    cc.on_delivery(window, &testing::delivery(ack, 0));
    cc.on_ack(window, &ack, acked * MSS);
    window.cwnd / MSS
}

#[test]
fn the_window_grows_by_alpha_in_whole_steps_and_drops_the_rest() {
    let (mut cc, mut w) = (Illinois { end: 1000 * MSS, ..Illinois::default() }, window(45, 2));
    // alpha is 10: four segments are 40, less than a window, and six are a window and a third.
    assert_eq!([2, 2, 2].map(|acked| ack(&mut cc, &mut w, 1, acked, 100, true)), [45, 45, 46]);
    assert_eq!(cc.count.acked, 0);
    assert_eq!(ack(&mut cc, &mut w, 1, 20, 100, true), 50, "200 / 46");
    assert_eq!(ack(&mut cc, &mut w, 1, 20, 100, false), 50, "limited by the application");
    assert_eq!(ack(&mut cc, &mut window(10, 12), 1, 5, 100, true), 12, "slow start uses no more than it needs");
}

#[test]
fn a_round_ends_even_where_the_application_limits_the_window() {
    let (mut cc, mut w) = (Illinois { end: 5 * MSS, ..Illinois::default() }, window(40, 2));
    ack(&mut cc, &mut w, 5, 1, 100, false);
    assert_eq!((cc.samples, cc.alpha), (1, 1280));
    ack(&mut cc, &mut w, 6, 1, 300, false);
    assert_eq!((cc.samples, cc.end / MSS), (0, 26));
    assert_eq!((cc.alpha, cc.beta), (74, 21), "a mean of 200 ms between 100 and 300 ms");
}

#[test]
fn a_loss_keeps_alpha_and_a_timeout_does_not() {
    let mut cc = Illinois { beta: 8, ..Illinois::default() };
    let event = Congestion::loss(testing::context(0, 0..100 * MSS));
    assert_eq!(cc.ssthresh(&window(100, 2), &event) / MSS, 88, "12.5 segments are rounded down");
    assert_eq!(cc.alpha, 1280);
    cc.reset(&event.ctx);
    assert_eq!((cc.alpha, cc.beta, cc.end), (128, 32, 100 * MSS));
    assert_eq!(cc.ssthresh(&window(3, 2), &event) / MSS, 2);
}
