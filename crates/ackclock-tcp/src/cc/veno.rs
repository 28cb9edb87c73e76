//! Veno: Reno that uses Vegas's estimate of the backlog to distinguish losses by congestion from losses on the radio
//! link (C. Fu, S. Liew, "TCP Veno: TCP enhancement for transmission over wireless access networks", IEEE JSAC 21(2),
//! 2003).
//!
//! # Equations
//!
//! The backlog of a round trip is N = cwnd (1 - BaseRTT/RTT), in segments.
//!
//! - Congestion avoidance: the window grows by a segment for each window acknowledged if N < beta, and for every two
//!   windows otherwise.
//! - Loss: cwnd becomes 4/5 of itself if N < beta, and half otherwise.
//!
//! # Constants
//!
//! beta is 3 segments, and the factor is 4/5 (section III of the paper).
//!
//! # Deviations
//!
//! RTT is the smallest of the round, as in Linux, so that delayed ACKs are not taken for a queue. Rounds with fewer
//! than three samples are ignored. Until a round has been measured, a loss halves the window. A timeout always halves
//! ssthresh, as in the paper; Linux uses the same rule as for a loss.
//!
//! # Validated against
//!
//! The increase and the decrease on each side of beta, on a path with and without a queue.

use super::increase::{Increase, kept};
use super::rounds::{Rounds, backlog};
use super::{CongestionControl, Entry, Scope, reno};
use crate::context::{Ack, Cause, Congestion, Delivery, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "veno-paper",
    summary: "Reno that attributes a loss without a backlog to the radio link",
    source: "Fu, Liew, IEEE JSAC 21(2), 2003, section III",
    parameters: Law::ROWS,
    make: |given| {
        let Law { beta } = Law::read(given);
        Box::new(Veno { beta, rounds: Rounds::default(), backlog: None, increase: Increase::default() })
    },
};

ackclock_core::parameters! {
    /// Constants of the equations.
    struct Law {
        beta: f64 = is(3.0), (0.0, 1e4), In("segments"), "backlog from which a loss counts as congestion";
    }
}

/// Share of the window kept on a loss without a backlog.
const KEPT: f64 = 0.8;

struct Veno {
    beta: f64,
    rounds: Rounds,
    /// Backlog N of the last measured round, bytes.
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

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        let spared = event.cause == Cause::Loss && self.is_congested(event.ctx.mss) == Some(false);
        if spared { kept(window, event, KEPT) } else { reno::half_flight(window, event) }
    }
}

#[cfg(test)]
mod tests {
    use crate::cc::path::{MSS, Path, near};
    use crate::context::Cause;

    /// Congestion avoidance with `cwnd` segments, on a path that holds 100 segments and has a queue of 300.
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
        assert_eq!(s.window.cwnd, 40 * MSS, "no round has been measured");
    }

    #[test]
    fn marks_and_timeouts_count_as_congestion() {
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
