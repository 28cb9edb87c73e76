//! Vegas: keeps a few segments in the queue, by comparing the expected throughput of a path without queues with the
//! actual throughput (L. Brakmo, L. Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet", IEEE
//! JSAC 13(8), 1995).
//!
//! # Equations
//!
//! Once a round trip, Diff = cwnd/BaseRTT - cwnd/RTT, here multiplied by BaseRTT: the backlog in segments, cwnd (1 -
//! BaseRTT/RTT).
//!
//! - Congestion avoidance: if Diff < alpha, cwnd grows by a segment over the next round. If Diff > beta, cwnd falls by
//!   a segment. Otherwise cwnd stays.
//! - Slow start: cwnd doubles in every other round until Diff > gamma. cwnd then falls by Diff less one segment.
//!
//! # Constants
//!
//! alpha is 2, beta 4 and gamma 1 segment: the paper's wider setting, and that of Linux. A loss leaves 3/4 of the
//! window, as in ns-2's Vegas, which follows the authors' implementation.
//!
//! # Deviations
//!
//! - The paper's retransmission with a fine-grained timer belongs to loss recovery and is not implemented.
//! - RTT is the smallest of the round, as in Linux, so that delayed ACKs are not taken for a queue.
//! - In slow start, the smallest RTT would show the queue too late, so RTT is the mean, as in ns-2. Bursts of slow
//!   start may end it early, but it does not overflow the queue.
//! - Rounds with fewer than three samples are ignored.
//! - The window at the end of slow start is that of Linux; ns-2 reduces the window by an eighth.
//! - Linux doubles the window in every round of slow start and halves it on loss.
//!
//! # Validated against
//!
//! alpha to beta segments in the queue of a single flow, from below and from above, without loss; the speed and the end
//! of slow start.

use super::increase::{Increase, kept, segments};
use super::rounds::{Rounds, backlog};
use super::{CongestionControl, Entry, Scope, reno};
use crate::context::{Ack, Cause, Congestion, Context, Delivery, Window};

#[cfg(test)]
mod tests;

pub(super) const ENTRY: Entry = Entry {
    name: "vegas-paper",
    summary: "keeps a backlog of two to four segments, estimated from the round-trip time",
    source: "Brakmo, Peterson, IEEE JSAC 13(8), 1995",
    parameters: Law::ROWS,
    make: |given| {
        let law = Law::read(given);
        Box::new(Vegas { law, rounds: Rounds::default(), grows: true, increase: Increase::default() })
    },
};

ackclock_core::parameters! {
    /// Constants of the equations.
    struct Law {
        alpha: f64 = is(2.0), (0.0, 1e4), In("segments"), "smallest backlog";
        beta: f64 = is(4.0), (0.0, 1e4), In("segments"), "largest backlog";
        gamma: f64 = is(1.0), (0.0, 1e4), In("segments"), "backlog that ends slow start";
        kept: f64 = is(0.75), (0.1, 0.99), Number, "share of the window kept on loss";
    }
}

struct Vegas {
    law: Law,
    rounds: Rounds,
    /// Whether the window grows in this round.
    grows: bool,
    increase: Increase,
}

impl Vegas {
    /// Updates the window at the end of a round with a backlog of `waiting` bytes.
    fn decide(&mut self, window: &mut Window, waiting: u64, mss: u64) {
        let diff = segments(waiting, mss);
        if window.in_slow_start() {
            if diff > self.law.gamma {
                window.cwnd = (window.cwnd - waiting + mss).min(window.cwnd).max(2 * mss);
                window.ssthresh = window.cwnd;
                self.grows = false;
            } else {
                self.grows = !self.grows;
            }
        } else if diff > self.law.beta {
            window.cwnd = window.cwnd.saturating_sub(mss).max(2 * mss).min(window.cwnd);
            // With cwnd below ssthresh, the connection would be in slow start.
            window.ssthresh = window.ssthresh.min(window.cwnd).max(2 * mss);
            self.grows = false;
        } else {
            self.grows = diff < self.law.alpha;
        }
    }
}

impl CongestionControl for Vegas {
    fn scope(&self) -> Scope {
        Scope { slow_start: true, deliveries: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let Some(samples) = self.rounds.on_delivery(delivery) else { return };
        let ctx = &delivery.ack.ctx;
        if ctx.in_recovery {
            return;
        }
        if samples.suffice() {
            let rtt = if window.in_slow_start() { samples.mean() } else { samples.min };
            self.decide(window, backlog(window.cwnd, samples.base, rtt), ctx.mss);
        } else {
            // Without enough samples the window grows as in Reno.
            self.grows = true;
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        if !self.grows {
            return;
        }
        if window.in_slow_start() {
            window.cwnd += acked.min(2 * mss).min(window.ssthresh - window.cwnd);
        } else {
            self.increase.grow(window, acked, mss);
        }
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        if event.cause == Cause::Timeout {
            reno::half_flight(window, event)
        } else {
            kept(window, event, self.law.kept)
        }
    }

    fn reset(&mut self, _ctx: &Context) {
        self.grows = true;
    }
}
