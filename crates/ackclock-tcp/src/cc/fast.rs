//! FAST: an equation moves the window towards a set backlog, in steps proportional to the distance (D. Wei, C. Jin, S.
//! Low, S. Hegde, "FAST TCP: motivation, architecture, algorithms, performance", IEEE/ACM ToN 14(6), 2006).
//!
//! # Equations
//!
//! Once a round trip, w <- min(2w, (1 - gamma) w + gamma (w BaseRTT/RTT + alpha)), in slow start and after it. The
//! equilibrium is w (1 - BaseRTT/RTT) = alpha: every flow has alpha segments in the queue. A loss halves the window.
//!
//! # Constants
//!
//! gamma is 0.5. The operator chooses alpha according to the capacity for each flow; the default is 200 segments.
//!
//! # Deviations
//!
//! RTT is the mean of the round's samples; the paper's estimator averages over a third of the window. Growth is spread
//! over the ACKs of the next round, and a decrease is made at once. The paper's prototype paces; here pacing is a
//! separate setting.
//!
//! # Validated against
//!
//! The equilibrium from below and from above, its independence of the path, and the initial growth.

use super::increase::{Increase, scaled};
use super::rounds::Rounds;
use super::{CongestionControl, Entry, Scope, reno};
use crate::Nanos;
use crate::context::{Ack, Congestion, Context, Delivery, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "fast",
    summary: "keeps a backlog of alpha segments, by an equation over the round-trip time",
    source: "Wei, Jin, Low, Hegde, IEEE/ACM ToN 14(6), 2006, section III",
    parameters: Law::ROWS,
    make: |given| {
        let law = Law::read(given);
        Box::new(Fast { law, rounds: Rounds::default(), plan: None, increase: Increase::default() })
    },
};

ackclock_core::parameters! {
    /// Constants of the equation.
    struct Law {
        alpha: f64 = is(200.0), (1.0, 1e5), In("segments"), "backlog";
        gamma: f64 = is(0.5), (0.01, 1.0), Number, "size of the step towards the equation's window";
    }
}

struct Fast {
    law: Law,
    rounds: Rounds,
    /// Window at the start of this round, and its planned growth, bytes; `None` while no round has been measured.
    plan: Option<(u64, u64)>,
    increase: Increase,
}

impl Fast {
    /// The next window after `w` bytes.
    fn next(&self, w: u64, base: Nanos, rtt: Nanos, mss: u64) -> u64 {
        let rest = w as f64 * base.min(rtt) as f64 / rtt.max(1) as f64;
        let next = (1.0 - self.law.gamma) * w as f64 + self.law.gamma * (rest + self.law.alpha * mss as f64);
        scaled(1, next).min(w.saturating_mul(2)).max(2 * mss)
    }
}

impl CongestionControl for Fast {
    fn scope(&self) -> Scope {
        Scope { slow_start: true, deliveries: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let Some(samples) = self.rounds.on_delivery(delivery) else { return };
        let ctx = &delivery.ack.ctx;
        if samples.count == 0 || ctx.in_recovery {
            return;
        }
        let next = self.next(window.cwnd, samples.base, samples.mean(), ctx.mss);
        window.cwnd = window.cwnd.min(next);
        self.plan = Some((window.cwnd, next - window.cwnd));
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        // The bytes acknowledged in a round are the window at its start. Without a plan the window doubles.
        window.cwnd += match self.plan {
            Some((start, ahead)) => self.increase.bytes(start, acked, ahead),
            None => acked.min(2 * ack.ctx.mss),
        };
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        let half = reno::half_flight(window, event);
        self.plan = Some((half, 0));
        half
    }

    fn reset(&mut self, _ctx: &Context) {
        self.plan = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::path::{MSS, Path, near};
    use crate::{MILLISECOND, SECOND};

    fn fast() -> Fast {
        Fast { law: Law::read(&[]), rounds: Rounds::default(), plan: None, increase: Increase::default() }
    }

    #[test]
    fn the_equation_on_worked_values() {
        let (base, mss) = (100 * MILLISECOND, MSS);
        for (w, rtt_ms, expected, what) in [
            (1000, 100, 1100, "an empty path: growth by gamma * alpha"),
            (1000, 125, 1000, "the equilibrium: 200 of 1000 segments are in the queue"),
            (1000, 200, 850, "500 segments are in the queue"),
            (50, 100, 100, "at most double"),
        ] {
            assert_eq!(fast().next(w * MSS, base, rtt_ms * MILLISECOND, mss), expected * MSS, "{what}");
        }
        assert_eq!(fast().next(MSS, base, SECOND, mss), 2 * MSS);
    }

    #[test]
    fn the_backlog_is_alpha_on_any_path_from_above_and_from_below() {
        for (rate, base_ms, cwnd) in [(4000, 50, 10), (4000, 50, 700), (4000, 100, 900), (20_000, 100, 100)] {
            let mut s = Path::starting(&ENTRY, &[]).behind(rate, 1000);
            s.base = base_ms * MILLISECOND;
            s.window.cwnd = cwnd * MSS;
            s.run(20 * SECOND);
            let holds = (rate * base_ms / 1000) as f64;
            near(s.segments() - holds, 200.0, 10.0, &format!("{rate} a second, {base_ms} ms, from {cwnd}"));
            assert_eq!(s.losses, 0);
        }
    }

    #[test]
    fn the_window_doubles_until_gamma_alpha_is_less_than_the_window() {
        let mut s = Path::starting(&ENTRY, &[]);
        let mut windows = Vec::new();
        for _ in 0..8 {
            s.round();
            windows.push(s.segments());
        }
        near(windows[1] / windows[0], 2.0, 0.2, "a doubling");
        near(windows[7] - windows[6], 100.0, 10.0, "gamma * alpha");
    }

    #[test]
    fn losses_and_timeouts_halve() {
        let mut s = Path::avoiding("fast", 80);
        s.lose();
        assert_eq!(s.window.cwnd, 40 * MSS);
        s.send();
        s.timeout(true);
        assert_eq!((s.window.cwnd, s.window.ssthresh), (MSS, 20 * MSS));
        s.una = s.nxt;
        s.round();
        s.round();
        assert!(s.window.cwnd > 2 * MSS, "the window grows from one segment");
    }
}
