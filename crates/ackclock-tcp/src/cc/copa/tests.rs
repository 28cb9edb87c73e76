//! Velocity and modes, round by round. Windows are in segments of 1,000 bytes; the RTT without a queue is 100 ms.

use super::*;
use crate::MILLISECOND;
use crate::testing::{self, MSS, context};

const BASE: Nanos = 100 * MILLISECOND;

struct Sender {
    copa: Copa,
    window: Window,
    now: Nanos,
    sent: u64,
}

impl Sender {
    fn new() -> Sender {
        let mut s = Sender {
            copa: Copa::new(500),
            window: Window { cwnd: 50 * MSS, ssthresh: u64::MAX, pacing_rate: None },
            now: SECOND,
            sent: 0,
        };
        s.copa.slow_start = false;
        s.round(BASE);
        s
    }

    /// Acknowledges a window, each segment `rtt` after it was sent.
    fn round(&mut self, rtt: Nanos) {
        let segments = self.window.cwnd / MSS;
        self.sent += segments * MSS;
        for left in (0..segments).rev() {
            self.now += rtt / segments;
            let outstanding = context(self.now, self.sent - left * MSS..self.sent);
            let ctx = Context { srtt: Some(rtt), min_rtt: Some(BASE), ..outstanding };
            let ack = Ack { rtt: Some(rtt), ..testing::ack(ctx, MSS) };
            let delivery = Delivery { sent_at: Some(self.now - rtt), ..testing::delivery(ack, 0) };
            self.copa.on_delivery(&mut self.window, &delivery);
        }
    }
}

#[test]
fn a_round_trip_at_velocity_one_moves_the_window_by_one_over_delta() {
    let mut s = Sender::new();
    (s.copa.velocity, s.window.cwnd) = (1, 50 * MSS);
    s.round(BASE);
    assert!(s.window.cwnd.abs_diff(52 * MSS) < 100, "{}", s.window.cwnd);
}

#[test]
fn velocity_doubles_after_three_rounds_in_one_direction_and_returns_to_one_at_a_turn() {
    let mut s = Sender::new();
    let mut velocities = Vec::new();
    for _ in 0..7 {
        s.round(BASE);
        velocities.push(s.copa.velocity);
    }
    let first = velocities.iter().position(|&velocity| velocity > 1).expect("it accelerates");
    assert!(first >= 2, "{velocities:?}");
    assert!(velocities[first..].windows(2).all(|pair| pair[1] == 2 * pair[0]), "{velocities:?}");
    // A queueing delay of 100 ms is far above the target of two segments.
    s.round(2 * BASE);
    s.round(2 * BASE);
    assert_eq!(s.copa.velocity, 1);
    assert!(s.window.pacing_rate.is_some());
}

#[test]
fn copa_competes_with_a_full_buffer_until_the_queue_is_empty() {
    let mut s = Sender::new();
    for _ in 0..5 {
        s.round(2 * BASE);
        assert_eq!(s.copa.inverse, 2 * UNIT, "no change before five rounds without an empty queue");
    }
    for _ in 0..6 {
        s.round(2 * BASE);
    }
    assert_eq!(s.copa.inverse, 7 * UNIT, "1/delta grows by one each round");
    let event = Congestion::loss(Context { in_recovery: true, ..context(s.now, s.sent..s.sent) });
    let window = s.window;
    s.copa.on_congestion(&mut s.window, &event);
    assert_eq!(s.window, window, "the window does not respond to loss");
    s.round(2 * BASE);
    assert_eq!(s.copa.inverse, 7 * UNIT / 2);
    s.round(BASE);
    s.round(BASE);
    assert_eq!(s.copa.inverse, 2 * UNIT);
}
