//! LIA, the "Linked Increases" algorithm of RFC 6356: the subflows of a transfer over several paths grow together.
//!
//! # Equations
//!
//! - Congestion avoidance, for each ACK on subflow i: cwnd_i grows by min(alpha * bytes_acked * MSS_i / cwnd_total,
//!   bytes_acked * MSS_i / cwnd_i) (equation 1).
//! - alpha = cwnd_total * max(cwnd_i / rtt_i^2) / (sum of cwnd_i / rtt_i)^2 (equation 2). With it, all subflows together
//!   have the rate of one TCP on the best path.
//! - Congestion: as Reno ([`super::reno`]); slow start and recoveries are those of the sender.
//!
//! # Constants
//!
//! None. A connection without other subflows has alpha = 1, and grows by a segment in each round trip, as Reno.
//!
//! # Deviations
//!
//! alpha is computed at every ACK in floating point, and not once in a round trip in integers (section 4.1). The window
//! grows by whole segments: what less than a segment earns is kept (section 4.2).
//!
//! # Validated against
//!
//! alpha against values worked by hand; half of a bottleneck for two subflows beside one Reno; the best path's
//! throughput on paths of different RTT and loss (Wischik et al., NSDI 2011, section 2).

#[cfg(test)]
mod tests;

use super::coupled::{Coupled, Growth, Sibling};
use super::{CongestionControl, Entry, Scope, reno};
use crate::context::{Ack, Congestion, Context, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "lia",
    summary: "linked increases of the subflows of a transfer over several paths; Reno on one path",
    source: "RFC 6356 section 3",
    parameters: &[],
    make: |_| Box::new(Lia::default()),
};

/// The linked increases.
#[derive(Default, Debug)]
struct Lia {
    coupled: Coupled,
    growth: Growth,
}

/// Returns alpha / cwnd_total, in 1/byte; `None` without subflows that have a rate.
//= https://www.rfc-editor.org/rfc/rfc6356#section-3
//# The formula to compute alpha is:
fn alpha_per_byte(subflows: impl Iterator<Item = Sibling>) -> Option<f64> {
    let (mut best, mut sum) = (0.0_f64, 0.0);
    for subflow in subflows {
        let rate = subflow.rate();
        best = best.max(rate / subflow.srtt.max(1) as f64);
        sum += rate;
    }
    (sum > 0.0).then(|| best / (sum * sum))
}

impl CongestionControl for Lia {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let mut per_window = mss;
        if self.coupled.is_coupled()
            && let Some(alpha) = alpha_per_byte(self.coupled.all(window, &ack.ctx))
        {
            let linked = (alpha * mss as f64 * window.cwnd as f64 + 0.5) as u64;
            //= https://www.rfc-editor.org/rfc/rfc6356#section-3
            //# For each ACK received on subflow i, increase cwnd_i by
            //= https://www.rfc-editor.org/rfc/rfc6356#section-3
            //# In this case, the increase MUST be set to 1
            per_window = linked.clamp(1, mss);
        }
        self.growth.grow(window, mss, acked, per_window);
    }

    //= https://www.rfc-editor.org/rfc/rfc6356#section-3
    //# as well as the multiplicative decrease of the congestion avoidance state are the same as in standard TCP
    //# [RFC5681]
    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.growth.reset();
        reno::half_flight(window, event)
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
