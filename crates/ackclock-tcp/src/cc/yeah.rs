//! YeAH: Scalable TCP while the network holds no queue, Reno while it does, and what waits is let go before it is lost (A.
//! Baiocchi, A. Castellani, F. Vacirca, "YeAH-TCP: yet another highspeed TCP", PFLDnet 2007).
//!
//! # Equations
//!
//! Once a round trip Q = cwnd (1 - BaseRTT/RTT) is what waits.
//!
//! - Slow mode, where Q > alpha or RTT - BaseRTT > BaseRTT/phi: a segment for each window acknowledged. Where Q > alpha and
//!   cwnd is above count, cwnd -= min(Q/gamma, cwnd/2^epsilon), count at least, and that is ssthresh. count, the window Reno
//!   would have, starts at half of cwnd and gains a segment.
//! - Fast mode, elsewhere: a segment for each min(cwnd, 100) acknowledged. After zeta rounds of it count is forgotten.
//! - A loss takes half where the slow mode has lasted rho rounds, since the competitors are greedy; elsewhere Q, but between
//!   cwnd/2^delta and cwnd/2. count halves.
//!
//! # Constants
//!
//! alpha 80 segments, gamma 1, delta 3, epsilon 1, phi 8, rho 16 and zeta 50 rounds (Linux net/ipv4/tcp_yeah.c, by the
//! authors).
//!
//! # Deviations
//!
//! RTT is the smallest of the round, rounds of less than three samples say nothing, as in Linux. The fast mode's hundred is
//! Linux's bound on Scalable TCP.
//!
//! # Validated against
//!
//! The modes on both sides of alpha and phi, decongestion, and the responses to loss.

use super::increase::Increase;
use super::rounds::{Rounds, backlog};
use super::{CongestionControl, Entry, Parameter, Scope, loss_flight, restore};
use crate::Nanos;
use crate::context::{Ack, Congestion, Delivery, Window};

#[cfg(test)]
mod tests;

pub(super) const ENTRY: Entry = Entry {
    name: "yeah",
    summary: "Scalable without a queue, Reno with one, and a backlog of 80 segments is let go",
    source: "Baiocchi, Castellani, Vacirca, PFLDnet 2007; Linux net/ipv4/tcp_yeah.c",
    parameters: &[
        Parameter { name: "alpha", summary: "most backlog, segments", default: 80.0, range: (1.0, 1e5) },
        Parameter {
            name: "gamma",
            summary: "divisor of the backlog that is let go",
            default: 1.0,
            range: (1.0, 100.0),
        },
        Parameter {
            name: "delta",
            summary: "a loss takes the window over two to the power of this at least",
            default: 3.0,
            range: (1.0, 10.0),
        },
        Parameter {
            name: "epsilon",
            summary: "the window over two to the power of this is let go at most",
            default: 1.0,
            range: (1.0, 10.0),
        },
        Parameter {
            name: "phi",
            summary: "BaseRTT over this is the most queueing delay",
            default: 8.0,
            range: (1.0, 1e3),
        },
        Parameter {
            name: "rho",
            summary: "rounds of slow mode that tell of greedy competitors",
            default: 16.0,
            range: (1.0, 1e4),
        },
        Parameter { name: "zeta", summary: "rounds of fast mode that tell of none", default: 50.0, range: (1.0, 1e4) },
    ],
    make: |values| {
        let whole = |name| values.get(name) as u32;
        Box::new(Yeah {
            law: Law {
                alpha: values.get("alpha"),
                gamma: values.get("gamma"),
                delta: whole("delta"),
                epsilon: whole("epsilon"),
                phi: values.get("phi"),
                rho: whole("rho"),
                zeta: whole("zeta"),
            },
            rounds: Rounds::default(),
            state: State { count: 0, fast: 0, slow: 0, queue: 0 },
            before: None,
            increase: Increase::default(),
        })
    },
};

/// Segments acknowledged for each of growth in fast mode, at most.
const SCALABLE: u64 = 100;

#[derive(Clone, Copy, Debug)]
struct Law {
    alpha: f64,
    gamma: f64,
    delta: u32,
    epsilon: u32,
    phi: f64,
    rho: u32,
    zeta: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct State {
    /// The window that Reno would have, segments; two or less where unknown.
    count: u64,
    /// Rounds of fast mode, and rounds of slow mode in a row.
    fast: u32,
    slow: u32,
    /// Q of the last round, bytes.
    queue: u64,
}

struct Yeah {
    law: Law,
    rounds: Rounds,
    state: State,
    /// The state before the last reduction, should it prove spurious.
    before: Option<State>,
    increase: Increase,
}

impl Yeah {
    /// A round has ended.
    fn decide(&mut self, window: &mut Window, base: Nanos, rtt: Nanos, mss: u64) {
        let (law, state) = (&self.law, &mut self.state);
        let queue = backlog(window.cwnd, base, rtt);
        let crowded = queue as f64 > law.alpha * mss as f64;
        if crowded || rtt.saturating_sub(base) as f64 > base as f64 / law.phi {
            let floor = state.count.saturating_mul(mss).max(2 * mss);
            if crowded && window.cwnd > floor {
                let let_go = ((queue as f64 / law.gamma) as u64).min(window.cwnd >> law.epsilon);
                window.cwnd = window.cwnd.saturating_sub(let_go).max(floor);
                window.ssthresh = window.cwnd;
            }
            let half = (window.cwnd / mss / 2).max(2);
            state.count = if state.count <= 2 { half } else { state.count + 1 };
            state.slow = state.slow.saturating_add(1);
        } else {
            state.fast += 1;
            if state.fast > law.zeta {
                (state.count, state.fast) = (2, 0);
            }
            state.slow = 0;
        }
        state.queue = queue;
    }

    fn reduce(&mut self, window: &mut Window, event: &Congestion) {
        self.before = Some(self.state);
        let (flight, mss) = (loss_flight(window, event), event.ctx.mss);
        let half = flight / 2;
        let lost = if self.state.slow < self.law.rho {
            self.state.queue.min(half).max(flight >> self.law.delta)
        } else {
            half
        };
        self.state.fast = 0;
        self.state.count = (self.state.count / 2).max(2);
        window.ssthresh = (flight - lost).max(2 * mss);
    }
}

impl CongestionControl for Yeah {
    fn scope(&self) -> Scope {
        Scope { deliveries: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let Some(samples) = self.rounds.on_delivery(delivery) else { return };
        let ctx = &delivery.ack.ctx;
        if samples.suffice() && !ctx.in_recovery {
            self.decide(window, samples.base, samples.min, ctx.mss);
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let per_window = if self.state.slow > 0 { mss } else { mss.max(window.cwnd / SCALABLE) };
        self.increase.grow(window, acked, per_window);
    }

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        self.reduce(window, event);
        window.cwnd = window.ssthresh;
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, first: bool) {
        if first {
            self.reduce(window, event);
        }
    }

    fn on_undo(&mut self, window: &mut Window, before: &Window) {
        restore(window, before);
        self.state = self.before.take().unwrap_or(self.state);
    }
}
