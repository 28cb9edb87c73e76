//! BALIA, the balanced linked adaptation of draft-walid-mptcp-congestion-control-04: the subflows of a transfer over
//! several paths grow and shrink together.
//!
//! # Equations
//!
//! With x_k = w_k / rtt_k, the rate of subflow k, and alpha_r = max(x_k) / x_r (section 3 of the draft):
//!
//! - Congestion avoidance, for each ACK on subflow r: w_r grows by x_r / rtt_r / (sum of x_k)^2 * (1 + alpha_r) / 2 *
//!   (4 + alpha_r) / 5 segments.
//! - Congestion: w_r shrinks by w_r / 2 * min(alpha_r, 1.5).
//! - Slow start and recoveries are those of the sender.
//!
//! # Constants
//!
//! 1.5 bounds the decrease: to a quarter of the window. A connection without other subflows has alpha = 1, and is Reno.
//!
//! # Deviations
//!
//! The window shrinks from FlightSize, as Reno's does in this engine, and to two segments at least. A timeout sets the
//! threshold likewise. Windows grow by whole segments.
//!
//! # Validated against
//!
//! The increase and the decrease against values worked by hand; about half of a bottleneck for two subflows beside one
//! Reno.

#[cfg(test)]
mod tests;

use super::coupled::{Coupled, Growth, Sibling};
use super::{CongestionControl, Entry, Scope, loss_flight, reno};
use crate::context::{Ack, Congestion, Context, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "balia",
    summary: "balanced linked adaptation of the subflows of a transfer over several paths; Reno on one path",
    source: "draft-walid-mptcp-congestion-control-04 section 3",
    parameters: &[],
    make: |_| Box::new(Balia::default()),
};

/// Largest factor of the decrease.
const MOST: f64 = 1.5;

/// The balanced linked adaptation.
#[derive(Default, Debug)]
struct Balia {
    coupled: Coupled,
    growth: Growth,
}

/// The rates of the subflows, in bytes per nanosecond: of one, the largest, and the sum.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Rates {
    own: f64,
    most: f64,
    sum: f64,
}

impl Rates {
    /// Returns the rates of subflows, of which the first is this one.
    fn of(mut subflows: impl Iterator<Item = Sibling>) -> Option<Rates> {
        let own = subflows.next()?.rate();
        let first = Rates { own, most: own, sum: own };
        let rates = subflows.map(|subflow| subflow.rate());
        let rates = rates.fold(first, |all, rate| Rates { most: all.most.max(rate), sum: all.sum + rate, ..all });
        (own > 0.0).then_some(rates)
    }

    /// The share of a segment by which a window grows that is acknowledged once: w_r times the growth for an ACK of a
    /// segment.
    fn increase(self) -> f64 {
        (self.own + self.most) * (4.0 * self.own + self.most) / (10.0 * self.sum * self.sum)
    }

    /// The part of the window that a decrease leaves.
    fn kept(self) -> f64 {
        1.0 - (self.most / self.own).min(MOST) / 2.0
    }
}

impl CongestionControl for Balia {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let rates = Rates::of(self.coupled.all(window, &ack.ctx)).filter(|_| self.coupled.is_coupled());
        let per_window = rates.map_or(mss, |rates| ((rates.increase() * mss as f64 + 0.5) as u64).clamp(1, mss));
        self.growth.grow(window, mss, acked, per_window);
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.growth.reset();
        let rates = Rates::of(self.coupled.all(window, &event.ctx)).filter(|_| self.coupled.is_coupled());
        match rates {
            Some(rates) => ((loss_flight(window, event) as f64 * rates.kept()) as u64).max(2 * event.ctx.mss),
            None => reno::half_flight(window, event),
        }
    }

    fn reset(&mut self, _ctx: &Context) {
        self.growth.reset();
    }

    fn on_siblings(&mut self, siblings: &[Sibling]) {
        self.coupled.tell(siblings);
    }

    fn scope(&self) -> Scope {
        Scope { coupled: true, ..Scope::default() }
    }
}
