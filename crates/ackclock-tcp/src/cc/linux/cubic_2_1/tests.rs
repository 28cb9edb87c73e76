//! CUBIC 2.1. Windows in segments.

use super::{CongestionControl, Cubic};
use crate::context::{Ack, Congestion, Window};
use crate::testing::{self, MSS};
use crate::{MILLISECOND, Nanos};

/// Acknowledges `acks` segments one by one, an ACK each `apart` ns; the window after each, in segments. A full window is
/// outstanding if `limited`.
fn windows(cubic: &mut Cubic, cwnd: u64, acks: u64, apart: Nanos, limited: bool) -> Vec<u64> {
    let mut window = Window { cwnd: cwnd * MSS, ssthresh: 2 * MSS, pacing_rate: None };
    (0..acks)
        .map(|number| {
            let ack = Ack {
                cwnd_limited: limited,
                ..testing::ack(testing::context(number * apart, number * MSS..(number + cwnd) * MSS), MSS)
            };
            cubic.on_delivery(&mut window, &testing::delivery(ack, MSS));
            cubic.on_ack(&mut window, &ack, MSS);
            window.cwnd / MSS
        })
        .collect()
}

#[test]
fn before_a_loss_a_segment_is_won_with_the_26th_ack() {
    // The count is 50 * 16 / 31 = 25 while every segment is acknowledged, and more than 25 ACKs add a segment.
    let grown = windows(&mut Cubic::default(), 200, 53, 1000, true);
    assert_eq!((grown[24], grown[25], grown[50], grown[51]), (200, 201, 201, 202));
    assert_eq!(windows(&mut Cubic::default(), 200, 53, 1000, false)[52], 200, "the window is not full");
}

#[test]
fn a_loss_leaves_819_of_1024_and_one_below_w_max_converges() {
    let mut cubic = Cubic::default();
    let window = |cwnd: u64| Window { cwnd: cwnd * MSS, ssthresh: u64::MAX, pacing_rate: None };
    let event = Congestion::loss(testing::context(0, 0..100 * MSS));
    assert_eq!(cubic.ssthresh(&window(100), &event), 79 * MSS, "79.98, whole segments");
    assert_eq!(cubic.w_max, 100);
    assert_eq!(cubic.ssthresh(&window(79), &event), 63 * MSS);
    assert_eq!(cubic.w_max, 71, "1843/2048 of 79");
    cubic.reset(&event.ctx);
    assert!(!cubic.has_lost, "a timeout leaves the count of 50");
}

#[test]
fn after_a_loss_renos_window_is_followed_where_it_is_the_larger_one() {
    // W_max is the window, and W stays below 5 for a second. Reno's window wins a segment with more than 23/8 of 4, which
    // is the twelfth ACK after the first of the epoch; the count becomes 4 / 1 * 16 / 31 = 2.
    let mut cubic = Cubic { has_lost: true, w_max: 4, ..Cubic::default() };
    let grown = windows(&mut cubic, 4, 40, 40 * MILLISECOND, true);
    assert_eq!(grown.iter().position(|&cwnd| cwnd > 4), Some(11));
}
