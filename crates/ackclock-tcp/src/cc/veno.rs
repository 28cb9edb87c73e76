//! Veno: Reno that asks Vegas's estimate of the backlog whether a loss was of congestion or of the radio (C. Fu, S. Liew, "TCP
//! Veno: TCP enhancement for transmission over wireless access networks", IEEE JSAC 21(2), 2003).
//!
//! # Equations
//!
//! N = cwnd (1 - BaseRTT/RTT) is the backlog of a round trip, in segments.
//!
//! - Congestion avoidance: a segment for each window acknowledged where N < beta, for each two elsewhere.
//! - Loss: cwnd becomes 4/5 of itself where N < beta, half elsewhere.
//!
//! # Constants
//!
//! beta = 3 segments; 4/5 (section III of the paper).
//!
//! # Deviations
//!
//! RTT is the smallest of the round, as in Linux, so that delayed ACKs do not look like a queue; rounds of less than three
//! samples say nothing. Until a round has said something, a loss halves the window. A timeout halves it always, as the paper
//! has it; Linux uses the same rule as for a loss.
//!
//! # Validated against
//!
//! The increase and the decrease on both sides of beta, on a path with and without a queue.

use super::increase::{Increase, kept};
use super::rounds::{Rounds, backlog};
use super::{CongestionControl, Entry, Parameter, Scope, reno};
use crate::context::{Ack, Cause, Congestion, Delivery, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "veno",
    summary: "Reno that takes a loss without a backlog for one of the radio",
    source: "Fu, Liew, IEEE JSAC 21(2), 2003, section III",
    parameters: &[Parameter {
        name: "beta",
        summary: "the backlog from which a loss is of congestion, segments",
        default: 3.0,
        range: (0.0, 1e4),
    }],
    make: |values| {
        let beta = values.get("beta");
        Box::new(Veno { beta, rounds: Rounds::default(), backlog: None, increase: Increase::default() })
    },
};

/// What a loss without a backlog leaves.
const KEPT: f64 = 0.8;

struct Veno {
    beta: f64,
    rounds: Rounds,
    /// N of the last round that said it, bytes.
    backlog: Option<u64>,
    increase: Increase,
}

impl Veno {
    fn is_congested(&self, mss: u64) -> Option<bool> {
        self.backlog.map(|backlog| backlog as f64 >= self.beta * mss as f64)
    }
}

impl CongestionControl for Veno {
    fn scope(&self) -> Scope {
        Scope { deliveries: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let Some(samples) = self.rounds.on_delivery(delivery) else { return };
        if samples.suffice() {
            self.backlog = Some(backlog(window.cwnd, samples.base, samples.min));
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let per_window = if self.is_congested(mss) == Some(true) { mss / 2 } else { mss };
        self.increase.grow(window, acked, per_window);
    }

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        let spared = event.cause == Cause::Loss && self.is_congested(event.ctx.mss) == Some(false);
        window.ssthresh = if spared { kept(window, event, KEPT) } else { reno::reduced(window, event) };
        window.cwnd = window.ssthresh;
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, first: bool) {
        if first {
            window.ssthresh = reno::reduced(window, event);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cc::path::{MSS, Path, near};
    use crate::context::Cause;

    /// Avoidance with `cwnd` segments on a path that holds a hundred, and three times as many in its queue.
    fn path(cwnd: u64) -> Path {
        let mut s = Path::avoiding("veno", cwnd).behind(1000, 300);
        for _ in 0..4 {
            s.round();
        }
        s
    }

    #[test]
    fn a_backlog_of_beta_halves_the_increase() {
        for (cwnd, growth) in [(50, 1.0), (100, 1.0), (110, 0.5)] {
            let mut s = path(cwnd);
            let before = s.segments();
            s.round();
            near(s.segments() - before, growth, 0.03, &format!("{cwnd} segments"));
        }
    }

    #[test]
    fn a_loss_without_a_backlog_takes_a_fifth() {
        for (cwnd, kept) in [(80, 0.8), (95, 0.8), (140, 0.5)] {
            let mut s = path(cwnd);
            let before = s.segments();
            s.lose();
            near(s.segments() / before, kept, 0.01, &format!("{cwnd} segments"));
        }
        let mut s = Path::avoiding("veno", 80);
        s.lose();
        assert_eq!(s.window.cwnd, 40 * MSS, "nothing measured");
    }

    #[test]
    fn marks_and_timeouts_are_of_congestion() {
        let mut s = path(80);
        let before = s.segments();
        s.congestion(Cause::Ecn, false);
        near(s.segments() / before, 0.5, 0.01, "a mark");
        let mut s = path(80);
        s.send();
        s.timeout(true);
        near(s.window.ssthresh as f64, 42_000.0, 1000.0, "a timeout");
    }
}
