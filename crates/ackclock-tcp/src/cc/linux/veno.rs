//! Veno as Linux implements it, which differs from the paper: the backlog is judged with every ACK, from that ACK's own
//! RTT, and base RTT begins anew whenever nothing is in flight.
//!
//! # Equations
//!
//! Let base be the smallest RTT since sending last began with nothing in flight, and rtt the smallest RTT since the
//! last ACK that was judged. Twice the backlog is `N = 2 cwnd - floor(2 cwnd base / rtt)`.
//!
//! - N < 6: each cwnd segments acknowledged add a segment.
//! - N >= 6: once more than cwnd segments were acknowledged, every other time, a segment is added.
//! - Loss: ssthresh = 4/5 cwnd for the last N < 6, else cwnd/2, and at least 2.
//!
//! Slow start is Reno's. Up to the second RTT sample of the connection, and between the first SACK or a reduction and
//! the return to normal, the increase is Reno's, and N stays unchanged. RTTs are in microseconds, and one is added to
//! each.
//!
//! # Constants
//!
//! beta is 3 segments, compared as 6 halves (net/ipv4/tcp_veno.c).
//!
//! # Deviations
//!
//! None from net/ipv4/tcp_veno.c. In the paper (C. Fu, S. Liew, "TCP Veno: TCP enhancement for transmission over
//! wireless access networks", IEEE JSAC 21(2), 2003), as in the form `veno-paper`, N comes from the smallest RTT of a round
//! trip. Here a delayed ACK counts as it is. The number of samples is 16 bits wide: after each 65,536 samples three
//! ACKs are Reno's.
//!
//! # Validated against
//!
//! N, both increases, both decreases and the new beginnings on worked values.
//!
//! The module of Linux 6.12 itself: the windows are the same after every event of 60 random sequences of ACKs, losses,
//! marks, timeouts and idle periods. Linux 6.12 in virtual time, one flow with a queue of one bandwidth-delay product
//! (20 Mbit/s and 40 ms, 1 Mbit/s and 200 ms, 100 Mbit/s and 20 ms): goodput within 0.3 %, mean window
//! within 0.5 %.

use super::super::{CongestionControl, Entry, Scope};
use super::count::{Count, flight, segments, slow_start};
use super::state::{Starts, State, States, rtt};
use crate::Nanos;
use crate::context::{Ack, Congestion, Context, Delivery, Window};

#[cfg(test)]
mod tests;

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "veno-linux",
    summary: "Veno as Linux has it: the backlog is judged with every ACK, from that ACK's RTT",
    source: "Linux net/ipv4/tcp_veno.c",
    parameters: &[],
    make: |_| Box::<Veno>::default(),
};

/// Backlog from which the path counts as congested, in halves of a segment.
const BETA: u64 = 6;
/// An RTT before the first sample, microseconds.
const NO_RTT: u64 = 0x7fff_ffff;

#[derive(Debug)]
struct Veno {
    count: Count,
    states: States,
    starts: Starts,
    /// `doing_veno_now`.
    judges: bool,
    /// `cntrtt`, which Linux never resets.
    samples: u16,
    /// `minrtt` and `basertt`, microseconds.
    least: u64,
    base: u64,
    /// Whether the next full count adds a segment while the path is congested.
    adds: bool,
    /// N, in halves of a segment.
    backlog: u64,
}

impl Default for Veno {
    fn default() -> Veno {
        Veno {
            count: Count::default(),
            states: States::default(),
            starts: Starts::default(),
            judges: true,
            samples: 0,
            least: NO_RTT,
            base: NO_RTT,
            adds: true,
            backlog: 0,
        }
    }
}

impl Veno {
    // veno_enable.
    fn enable(&mut self) {
        (self.judges, self.least) = (true, NO_RTT);
    }

    /// The increase with a backlog, for `acked` segments.
    fn grow_congested(&mut self, window: &mut Window, acked: u64, mss: u64) {
        if self.count.acked < segments(window.cwnd, mss) {
            self.count.acked += acked;
            return;
        }
        if self.adds {
            window.cwnd += mss;
        }
        self.adds = !self.adds;
        self.count.acked = 0;
    }
}

impl CongestionControl for Veno {
    fn scope(&self) -> Scope {
        Scope { slow_start: true, deliveries: true, sends: true, ..Scope::default() }
    }

    // tcp_veno_init leaves the count of samples in place.
    fn on_syn_acknowledged(&mut self, _rtt: Nanos) {
        self.samples = 1;
    }

    // tcp_veno_cwnd_event.
    fn on_sent(&mut self, _window: &mut Window, ctx: &Context) {
        if self.starts.on_sent(ctx).is_some() {
            (self.base, self.adds) = (NO_RTT, true);
            self.enable();
        }
    }

    // tcp_veno_pkts_acked and tcp_veno_state.
    fn on_delivery(&mut self, _window: &mut Window, delivery: &Delivery) {
        if let Some(rtt) = rtt(delivery) {
            self.base = self.base.min(rtt + 1);
            self.least = self.least.min(rtt + 1);
            self.samples = self.samples.wrapping_add(1);
        }
        let change = self.states.on_delivery(&delivery.ack.ctx);
        if change.is_to(State::Open) {
            self.enable();
        } else if change.before != change.after {
            self.judges = false;
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let acked = self.count.segments(acked, mss);
        if !self.judges || self.samples <= 2 {
            self.count.reno(window, acked, mss);
        } else {
            let cwnd = segments(window.cwnd, mss);
            self.backlog = 2 * cwnd - 2 * cwnd * self.base / self.least;
            let left = slow_start(window, acked, mss);
            if left > 0 && self.backlog < BETA {
                self.count.grow(window, segments(window.cwnd, mss), left, mss);
            } else if left > 0 {
                self.grow_congested(window, left, mss);
            }
            window.cwnd = window.cwnd.max(2 * mss);
        }
        if self.judges {
            self.least = NO_RTT;
        }
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.states.on_congestion(event);
        self.judges = false;
        self.count.clear();
        let cwnd = flight(window, event);
        let kept = if self.backlog < BETA { cwnd * 4 / 5 } else { cwnd / 2 };
        kept.max(2) * event.ctx.mss
    }

    fn reset(&mut self, _ctx: &Context) {
        self.states.on_timeout();
        self.judges = false;
        self.count.clear();
    }
}
