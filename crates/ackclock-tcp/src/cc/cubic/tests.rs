//! The equations of RFC 9438 on worked values, and windows over time compared with its closed forms.

use super::*;
use crate::cc::CongestionControl;
use crate::testing::{self, MSS, context};
use crate::{MILLISECOND, SECOND};

const RTT: Nanos = 100 * MILLISECOND;

/// A sender that always fills its window.
struct Bulk {
    cubic: Cubic,
    window: Window,
    now: Nanos,
    rtt: Nanos,
    /// Number of segments that each ACK covers.
    stretch: u64,
}

impl Bulk {
    /// A sender in congestion avoidance with `cwnd` segments.
    fn new(cwnd: u64, rtt: Nanos) -> Bulk {
        let window = Window { cwnd: cwnd * MSS, ssthresh: 2 * MSS, pacing_rate: None };
        Bulk { cubic: Cubic::default(), window, now: 10 * SECOND, rtt, stretch: 1 }
    }

    fn ctx(&self) -> Context {
        Context { srtt: Some(self.rtt), min_rtt: Some(self.rtt), ..context(self.now, 0..self.window.cwnd) }
    }

    fn ack(&mut self, bytes: u64, cwnd_limited: bool) {
        let ack = Ack { rtt: Some(self.rtt), cwnd_limited, ..testing::ack(self.ctx(), bytes) };
        self.cubic.on_ack(&mut self.window, &ack, bytes);
    }

    /// Runs an RTT with the ACKs of a window, evenly spaced. Returns the number of segments acknowledged.
    fn round(&mut self) -> u64 {
        let segments = self.window.cwnd / MSS;
        let (start, mut acked) = (self.now, 0);
        while acked < segments {
            acked += self.stretch;
            self.now = start + self.rtt * acked / segments;
            self.ack(self.stretch * MSS, true);
        }
        acked
    }

    fn lose(&mut self) {
        let event = Congestion::loss(self.ctx());
        self.cubic.on_congestion(&mut self.window, &event);
    }

    fn segments(&self) -> f64 {
        self.window.cwnd as f64 / MSS as f64
    }
}

fn near(value: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((value - expected).abs() <= tolerance, "{what}: {value} instead of {expected}");
}

//= https://www.rfc-editor.org/rfc/rfc9438#section-5.1
//= type=test
//# it is NOT RECOMMENDED to set _C_ to a very low value like 0.04
//= https://www.rfc-editor.org/rfc/rfc9438#section-5.1
//= type=test
//# _C_ SHOULD be set to 0.4
#[test]
fn equations_on_worked_values() {
    // W_max 1000, cwnd_epoch 700: K = cbrt(300/0.4) = cbrt(750) = 9.0856 s.
    let k = k(1000 * MSS, 700 * MSS, MSS);
    near(k as f64 * 1e-9, 9.085_603, 1e-6, "K");
    near(w_cubic(0, k, 1000 * MSS, MSS) as f64, 700_000.0, 1.0, "W_cubic(0) = cwnd_epoch");
    near(w_cubic(k, k, 1000 * MSS, MSS) as f64, 1_000_000.0, 1.0, "W_cubic(K) = W_max");
    near(w_cubic(k + 5 * SECOND, k, 1000 * MSS, MSS) as f64, 1_050_000.0, 1.0, "0.4 * 5^3 = 50 above");
    near(w_cubic(k - 5 * SECOND, k, 1000 * MSS, MSS) as f64, 950_000.0, 1.0, "and below");
    assert_eq!(super::k(10 * MSS, 10 * MSS, MSS), 0);
    assert_eq!(super::k(5 * MSS, 10 * MSS, MSS), 0, "past W_max already");
    assert_eq!(w_cubic(0, 1000 * SECOND, MSS, MSS), 0, "never below zero");
    assert_eq!(scale(1000, BETA), 700);
    assert_eq!(scale(1000, FAST_CONVERGENCE), 850);
    near(ALPHA.0 as f64 / ALPHA.1 as f64, 3.0 * (1.0 - 0.7) / (1.0 + 0.7), 1e-12, "alpha");
}

//= https://www.rfc-editor.org/rfc/rfc9438#section-4.6
//= type=test
//# the sender MUST reduce _cwnd_ and _ssthresh_ immediately upon entering loss recovery
//= https://www.rfc-editor.org/rfc/rfc9438#section-4.6
//= type=test
//# The parameter β__cubic_ SHOULD be set to 0.7
#[test]
fn decrease_is_to_seven_tenths_of_the_flight() {
    let mut s = Bulk::new(1000, RTT);
    s.lose();
    assert_eq!((s.window.cwnd, s.window.ssthresh), (700 * MSS, 700 * MSS));
    assert_eq!((s.cubic.state.w_max, s.cubic.state.cwnd_prior), (1000 * MSS, 1000 * MSS));

    let mut s = Bulk::new(1000, RTT);
    let mut event = Congestion::loss(s.ctx());
    event.ctx.flight_size = 100 * MSS;
    s.cubic.on_congestion(&mut s.window, &event);
    assert_eq!((s.window.cwnd, s.window.ssthresh), (70 * MSS, 70 * MSS));
    assert_eq!(s.cubic.state.w_max, 1000 * MSS, "W_max is the window, not the flight");
}

#[test]
fn decrease_stops_at_two_segments() {
    let mut s = Bulk::new(2, RTT);
    s.lose();
    assert_eq!((s.window.cwnd, s.window.ssthresh), (2 * MSS, 2 * MSS));
    let event = Congestion::loss(s.ctx());
    s.cubic.on_timeout(&mut s.window, &event, true);
    assert_eq!(s.window.ssthresh, 2 * MSS);
}

//= https://www.rfc-editor.org/rfc/rfc9438#section-4.4
//= type=test
//# In this region, _cwnd_ MUST be incremented by
//= https://www.rfc-editor.org/rfc/rfc9438#section-4.5
//= type=test
//# In this region, _cwnd_ MUST be incremented by
#[test]
fn the_window_follows_the_closed_form() {
    for (w_max, stretch) in [(1000, 1), (1000, 2), (3000, 2)] {
        let mut s = Bulk::new(w_max, RTT);
        s.stretch = stretch;
        s.lose();
        let start = s.now;
        let k = libm::cbrt(0.3 * w_max as f64 / 0.4);
        let mut before = s.segments();
        let mut growth = f64::INFINITY;
        while s.now < start + (k * 1e9) as Nanos + 10 * SECOND {
            s.round();
            // The ACKs of a round move the window to its target, W_cubic an RTT later. The first ACK of the round began the stage.
            let t = (s.now - start) as f64 * 1e-9 - k;
            let closed = 0.4 * t * t * t + w_max as f64;
            // In a round the target advances by the rest of the RTT, and so by its share of the slope.
            let slope = 3.0 * 0.4 * t * t * 0.1;
            near(s.segments(), closed, 1.0 + slope, "W_cubic");
            // Concave up to K, convex after it.
            let grown = s.segments() - before;
            if t < -0.5 {
                assert!(grown <= 1.02 * growth + 0.01, "concave at {t}: {grown} after {growth}");
            } else if t > 0.5 {
                assert!(grown >= 0.98 * growth - 0.01, "convex at {t}: {grown} after {growth}");
            }
            (before, growth) = (s.segments(), grown);
        }
        near(s.segments(), w_max as f64 + 400.0, 13.0, "ten seconds after K");
    }
}

#[test]
fn the_plateau_is_w_max() {
    let mut s = Bulk::new(1000, RTT);
    s.lose();
    let start = s.now;
    while s.now < start + 9085 * MILLISECOND {
        s.round();
    }
    near(s.segments(), 1000.0, 1.0, "at K");
}

//= https://www.rfc-editor.org/rfc/rfc9438#section-4.5
//= type=test
//# In this region, _cwnd_ MUST be incremented by
#[test]
fn growth_is_at_most_half_a_window_a_round_trip() {
    // An RTT of 20 s makes W_cubic(t + RTT) thousands of segments.
    let mut s = Bulk::new(100, 20 * SECOND);
    s.lose();
    for _ in 0..3 {
        let before = s.window.cwnd;
        s.round();
        // The target of each ACK is 1.5 times the window before it, which compounds to at most e^(1/2).
        let ratio = s.window.cwnd as f64 / before as f64;
        assert!(ratio > 1.4 && ratio < 1.65, "{ratio}");
    }
}

//= https://www.rfc-editor.org/rfc/rfc9438#section-4.3
//= type=test
//# _cwnd_ SHOULD be set to _W_est_ at each reception of a new ACK
//= https://www.rfc-editor.org/rfc/rfc9438#section-4.3
//= type=test
//# the sender SHOULD set α__cubic_ to 1 to ensure that it can achieve the same congestion window increment rate as
//# Reno
#[test]
fn short_round_trips_follow_reno() {
    // At an RTT of 1 ms, W_cubic hardly changes in a second, and W_est determines the window: alpha is 9/17 in each round up
    // to cwnd_prior, and then 1.
    let mut s = Bulk::new(100, MILLISECOND);
    s.lose();
    let mut rounds = 0;
    while s.window.cwnd < 100 * MSS {
        s.round();
        rounds += 1;
    }
    near(f64::from(rounds), 30.0 * 17.0 / 9.0, 2.0, "rounds to win back 30 segments");
    let before = s.segments();
    for _ in 0..20 {
        s.round();
    }
    near(s.segments() - before, 20.0, 1.1, "a segment a round past cwnd_prior");
}

//= https://www.rfc-editor.org/rfc/rfc9438#section-4.7
//= type=test
//# the following fast convergence mechanism SHOULD be implemented
#[test]
fn fast_convergence_gives_way() {
    let mut s = Bulk::new(1000, RTT);
    s.lose();
    s.round();
    let cwnd = s.window.cwnd;
    assert!(cwnd < 1000 * MSS);
    s.lose();
    assert_eq!(s.cubic.state.w_max, cwnd * 17 / 20);
    assert_eq!(s.cubic.state.cwnd_prior, cwnd);
    while s.window.cwnd <= cwnd {
        s.round();
    }
    let cwnd = s.window.cwnd;
    s.lose();
    assert_eq!(s.cubic.state.w_max, cwnd, "above W_max: remembered in full");
}

//= https://www.rfc-editor.org/rfc/rfc9438#section-4.8
//= type=test
//# for the Reno-friendly region, _W_est_ SHOULD be set to the congestion window size at the beginning of the current
//# congestion avoidance stage
#[test]
fn after_a_timeout_the_stage_starts_flat_from_its_own_window() {
    let mut s = Bulk::new(1500, RTT);
    s.lose();
    s.window.cwnd = 1000 * MSS;
    let event = Congestion::loss(s.ctx());
    s.cubic.on_timeout(&mut s.window, &event, true);
    assert_eq!((s.window.ssthresh, s.window.cwnd), (700 * MSS, 1000 * MSS), "the sender sets cwnd");
    // A repeated timeout keeps ssthresh (RFC 5681 section 3.1).
    s.window.cwnd = MSS;
    let event = Congestion::loss(s.ctx());
    s.cubic.on_timeout(&mut s.window, &event, false);
    assert_eq!((s.window.ssthresh, s.cubic.state.cwnd_prior), (700 * MSS, 1000 * MSS));
    s.window.cwnd = 700 * MSS;
    let start = s.now;
    while s.now < start + 10 * SECOND {
        s.round();
    }
    // With K = 0 and W_max = 700, the window is 0.4 * 10^3 = 400 segments larger after 10 s.
    near(s.segments(), 1100.0, 14.0, "W_cubic from 700");
}

#[test]
fn slow_start_that_ends_without_loss_starts_the_same_way() {
    let mut s = Bulk::new(500, RTT);
    let start = s.now;
    while s.now < start + 10 * SECOND {
        s.round();
    }
    near(s.segments(), 900.0, 14.0, "W_cubic from 500");
    assert_eq!(s.cubic.state.cwnd_prior, 500 * MSS);
}

//= https://www.rfc-editor.org/rfc/rfc9438#section-4.2
//= type=test
//# The elapsed time _t_ in Figure 1 MUST NOT include periods during which _cwnd_ has not been updated due to
//# application-limited behavior
#[test]
fn unused_time_does_not_count() {
    let reference = {
        let mut s = Bulk::new(1000, RTT);
        s.lose();
        for _ in 0..60 {
            s.round();
        }
        s.segments()
    };
    // A minute in which the application sends a little, and one without any call at all.
    for pause in ["little", "nothing"] {
        let mut s = Bulk::new(1000, RTT);
        s.lose();
        for round in 0..60 {
            s.round();
            if round == 30 {
                let before = s.window;
                if pause == "little" {
                    for _ in 0..600 {
                        s.now += RTT;
                        s.ack(MSS, false);
                    }
                } else {
                    s.now += 60 * SECOND;
                }
                assert_eq!(s.window, before, "no growth");
            }
        }
        // At most one RTT of the gap counts: 100 ms of the steepest growth here.
        near(s.segments(), reference, 3.0, "the trajectory goes on where it was");
    }
    // An idle period that the sender reports does not count at all.
    let mut s = Bulk::new(1000, RTT);
    s.lose();
    for _ in 0..60 {
        s.round();
        s.now += SECOND;
        let ctx = s.ctx();
        s.cubic.on_idle_end(&mut s.window, &ctx, SECOND);
    }
    near(s.segments(), reference, 0.001, "idle time leaves no trace");
}

#[test]
fn a_window_moved_by_others_begins_a_new_stage() {
    let mut s = Bulk::new(1000, RTT);
    s.lose();
    for _ in 0..150 {
        s.round();
    }
    assert!(s.segments() > 1050.0);
    // After a restart from idle, slow start has reached 600 segments.
    s.window.cwnd = 600 * MSS;
    s.round();
    let begun = s.cubic.state.epoch.as_ref().expect("a stage");
    assert_eq!((begun.origin, begun.w_est), (1000 * MSS, 600 * MSS));
    near(begun.k as f64 * 1e-9, 10.0, 0.001, "K = cbrt(400/0.4)");
}

#[test]
fn an_ack_that_covers_more_than_the_window_counts_for_one() {
    let after = |bytes: u64| {
        let mut s = Bulk::new(1000, RTT);
        s.lose();
        for _ in 0..10 {
            s.round();
        }
        let before = s.window.cwnd;
        s.ack(bytes.max(before), true);
        assert!(s.window.cwnd > before);
        s.window.cwnd
    };
    assert_eq!(after(50_000 * MSS), after(0));
}

/// Mean window in segments if one packet in `1/p` is lost, over the cycles after the first `skip`.
fn mean_window(interval: u64, rtt: Nanos, cwnd: u64) -> f64 {
    let mut s = Bulk::new(cwnd, rtt);
    let (skip, cycles) = (5, 40);
    let (mut sum, mut rounds) = (0.0, 0u64);
    for cycle in 0..cycles {
        let mut sent = 0;
        while sent < interval {
            if cycle >= skip {
                sum += s.segments();
                rounds += 1;
            }
            sent += s.round();
        }
        s.lose();
    }
    sum / rounds as f64
}

//= https://www.rfc-editor.org/rfc/rfc9438#section-5.1
//= type=test
//# _C_ SHOULD be set to 0.4
#[test]
fn mean_windows_of_the_rfc() {
    // RFC 9438 tables 1 and 2, C = 0.4: segments at a loss rate p with a loss every 1/p packets.
    for (interval, rtt_ms, published) in [
        (10_000, 100, 187.0),
        (100_000, 100, 1054.0),
        (1_000_000, 100, 5926.0),
        (10_000, 10, 120.0),
        (100_000, 10, 379.0),
    ] {
        let mean = mean_window(interval, rtt_ms * MILLISECOND, published as u64);
        near(mean, published, 0.03 * published, &format!("p = 1/{interval}, RTT {rtt_ms} ms"));
    }
}
