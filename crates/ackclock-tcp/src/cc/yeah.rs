//! YeAH: Scalable TCP while the path has no queue and Reno while it has one; the flow drains its own backlog before
//! losses occur (A. Baiocchi, A. Castellani, F. Vacirca, "YeAH-TCP: yet another highspeed TCP", PFLDnet 2007).
//!
//! # Equations
//!
//! Once a round trip, the backlog is estimated as Q = cwnd (1 - BaseRTT/RTT).
//!
//! - Slow mode (Q > alpha or RTT - BaseRTT > BaseRTT/phi): each window acknowledged adds a segment. If Q > alpha and
//!   cwnd is above count, cwnd falls by min(Q/gamma, cwnd/2^epsilon), but not below count, and ssthresh is set to cwnd.
//!   count is the window that Reno would have; it starts at half of cwnd and grows by a segment each round.
//! - Fast mode (otherwise): min(cwnd, 100) acknowledged segments add a segment. After more than zeta rounds of fast
//!   mode, count is reset.
//! - Loss: if slow mode has lasted rho rounds, competing flows are assumed to be greedy, and the window is halved.
//!   Otherwise the window falls by Q, bounded to cwnd/2^delta and cwnd/2. count is halved.
//!
//! # Constants
//!
//! alpha is 80 segments, gamma 1, delta 3, epsilon 1, phi 8, rho 16 rounds and zeta 50 rounds (Linux
//! net/ipv4/tcp_yeah.c, by the authors).
//!
//! # Deviations
//!
//! RTT is the smallest of the round, and rounds with fewer than three samples are ignored, as in Linux. The bound of
//! 100 segments in fast mode is Linux's bound on Scalable TCP.
//!
//! # Validated against
//!
//! Both modes on each side of alpha and phi, decongestion, and the responses to loss.

use super::increase::Increase;
use super::rounds::{Rounds, backlog};
use super::undo::Saved;
use super::{CongestionControl, Entry, Scope, loss_flight};
use crate::Nanos;
use crate::context::{Ack, Congestion, Delivery, Window};

#[cfg(test)]
mod tests;

pub(super) const ENTRY: Entry = Entry {
    name: "yeah-paper",
    summary: "Scalable without a queue, Reno with one, and a backlog of 80 segments is drained",
    source: "Baiocchi, Castellani, Vacirca, PFLDnet 2007; Linux net/ipv4/tcp_yeah.c",
    parameters: Law::ROWS,
    make: |given| {
        Box::new(Yeah {
            law: Law::read(given),
            rounds: Rounds::default(),
            state: State { count: 0, fast: 0, slow: 0, queue: 0 },
            before: Saved::default(),
            increase: Increase::default(),
        })
    },
};

ackclock_core::parameters! {
    /// Constants of the equations.
    struct Law {
        alpha: f64 = is(80.0), (1.0, 1e5), In("segments"), "largest backlog";
        gamma: f64 = is(1.0), (1.0, 100.0), Number, "divisor of the backlog for the reduction";
        delta: u32 = is(3.0), (1.0, 10.0), Number, "smallest decrease on loss: the window over 2 to this power";
        epsilon: u32 = is(1.0), (1.0, 10.0), Number, "largest reduction of the backlog: the window over 2 to this power";
        phi: f64 = is(8.0), (1.0, 1e3), Number, "divisor of BaseRTT for the largest queueing delay of fast mode";
        rho: u32 = is(16.0), (1.0, 1e4), Number, "rounds of slow mode from which competitors count as greedy";
        zeta: u32 = is(50.0), (1.0, 1e4), Number, "rounds of fast mode after which Reno's window is reset";
    }
}

/// Largest number of acknowledged segments per segment of growth in fast mode.
const SCALABLE: u64 = 100;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct State {
    /// Window that Reno would have, segments; two or less if unknown.
    count: u64,
    /// Rounds of fast mode since the last reset, and consecutive rounds of slow mode.
    fast: u32,
    slow: u32,
    /// Q of the last round, bytes.
    queue: u64,
}

struct Yeah {
    law: Law,
    rounds: Rounds,
    state: State,
    before: Saved<State>,
    increase: Increase,
}

impl Yeah {
    /// Updates mode and window at the end of a round.
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

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.before.save(self.state);
        let (flight, mss) = (loss_flight(window, event), event.ctx.mss);
        let half = flight / 2;
        let lost = if self.state.slow < self.law.rho {
            self.state.queue.min(half).max(flight >> self.law.delta)
        } else {
            half
        };
        self.state.fast = 0;
        self.state.count = (self.state.count / 2).max(2);
        (flight - lost).max(2 * mss)
    }

    fn revert(&mut self) {
        self.before.restore(&mut self.state);
    }
}
