//! Illinois: AIMD whose increase falls and whose decrease rises with the queueing delay (S. Liu, T. Basar, R. Srikant,
//! "TCP-Illinois: a loss- and delay-based congestion control algorithm for high-speed networks", Performance Evaluation
//! 65, 2008).
//!
//! # Equations
//!
//! Let da be the mean queueing delay of a round trip, and dm the largest queueing delay so far. Let d1, d2 and d3 be 1,
//! 10 and 80 % of dm.
//!
//! - alpha = alpha_max for da <= d1, and k1/(k2 + da) for larger da, so that alpha is alpha_min at dm. k1 = (dm - d1)
//!   alpha_min alpha_max / (alpha_max - alpha_min), and k2 = (dm - d1) alpha_min / (alpha_max - alpha_min) - d1.
//! - beta = beta_min for da <= d2, beta_max for da >= d3, and linear between them.
//!
//! Each window acknowledged adds alpha segments, and a loss reduces the window by the share beta. Below win_thresh,
//! alpha is 1 and beta is 1/2. Once da has exceeded d1, alpha returns to alpha_max only after theta rounds with da
//! below d1.
//!
//! # Constants
//!
//! alpha is 0.3 to 10 segments, beta 1/8 to 1/2, win_thresh 15 segments and theta 5, as in Linux
//! (net/ipv4/tcp_illinois.c).
//!
//! # Deviations
//!
//! The curves are in floating point; in Linux they are in integers. A timeout resets alpha to 1 and beta to 1/2 and
//! keeps the delays, as in Linux.
//!
//! # Validated against
//!
//! Both curves at their corners and between them, theta, and the concave growth of a window on a path with a queue.

use super::increase::{Increase, kept, scaled, segments};
use super::rounds::Rounds;
use super::undo::Saved;
use super::{CongestionControl, Entry, Scope};
use crate::Nanos;
use crate::context::{Ack, Cause, Congestion, Context, Delivery, Window};

#[cfg(test)]
mod tests;

pub(super) const ENTRY: Entry = Entry {
    name: "illinois-paper",
    summary: "increase from 10 down to 0.3 and decrease from 1/8 up to 1/2 as the queueing delay grows",
    source: "Liu, Basar, Srikant, Performance Evaluation 65, 2008; Linux net/ipv4/tcp_illinois.c",
    parameters: Law::ROWS,
    make: |given| {
        Box::new(Illinois {
            law: Law::read(given),
            rounds: Rounds::default(),
            longest: 0,
            state: State::START,
            before: Saved::default(),
            increase: Increase::default(),
        })
    },
};

ackclock_core::parameters! {
    /// Constants of the equations.
    struct Law {
        alpha_min: f64 = is(0.3), (0.01, 1.0), In("segments"), "smallest increase";
        alpha_max: f64 = is(10.0), (1.01, 1e3), In("segments"), "largest increase";
        beta_min: f64 = is(0.125), (0.01, 0.5), Number, "smallest decrease, share of the window";
        beta_max: f64 = is(0.5), (0.5, 0.9), Number, "largest decrease, share of the window";
        win_thresh: f64 = is(15.0), (0.0, 1e6), In("segments"), "window below which Illinois is Reno";
        theta: u32 = is(5.0), (1.0, 1e3), Number, "rounds of low delay before the increase returns to its maximum";
    }
}

impl Law {
    /// The function f1: alpha for a mean delay `da` of at most `dm`.
    fn alpha(&self, da: Nanos, dm: Nanos) -> f64 {
        let (least, most) = (self.alpha_min, self.alpha_max);
        let (da, dm) = (da as f64, dm as f64);
        let d1 = dm / 100.0;
        if da <= d1 {
            return most;
        }
        // alpha = k1/(k2 + da), with both terms divided by (dm - d1) alpha_min / (alpha_max - alpha_min).
        let scale = (dm - d1) * least / (most - least);
        (most / (1.0 + (da - d1) / scale)).max(least)
    }

    /// The function f2: beta.
    fn beta(&self, da: Nanos, dm: Nanos) -> f64 {
        let (least, most) = (self.beta_min, self.beta_max);
        let (da, d2, d3) = (da as f64, dm as f64 / 10.0, dm as f64 * 0.8);
        if da <= d2 {
            least
        } else if da >= d3 {
            most
        } else {
            least + (most - least) * (da - d2) / (d3 - d2)
        }
    }
}

/// alpha is in millionths of a segment, and beta in millionths of the window.
const MILLION: f64 = 1e6;

#[derive(Clone, Copy, Debug)]
struct State {
    alpha: u64,
    beta: u64,
    /// Whether the delay was above d1 since alpha was last at its maximum, and the number of rounds below d1 since
    /// then.
    was_above: bool,
    low: u32,
}

impl State {
    const START: State = State { alpha: 1_000_000, beta: 500_000, was_above: false, low: 0 };
}

struct Illinois {
    law: Law,
    rounds: Rounds,
    /// Longest RTT so far, ns.
    longest: Nanos,
    state: State,
    before: Saved<State>,
    increase: Increase,
}

impl Illinois {
    /// Updates alpha and beta at the end of a round with mean queueing delay `da`.
    fn update(&mut self, cwnd: f64, da: Nanos, dm: Nanos) {
        let state = &mut self.state;
        if cwnd < self.law.win_thresh {
            (state.alpha, state.beta) = (State::START.alpha, State::START.beta);
            return;
        }
        state.beta = (self.law.beta(da, dm) * MILLION) as u64;
        let alpha = (self.law.alpha(da, dm) * MILLION) as u64;
        if da > dm / 100 {
            (state.was_above, state.low) = (true, 0);
            state.alpha = alpha;
        } else if !state.was_above {
            state.alpha = alpha;
        } else {
            state.low += 1;
            if state.low >= self.law.theta {
                (state.was_above, state.low) = (false, 0);
                state.alpha = alpha;
            }
        }
    }
}

impl CongestionControl for Illinois {
    fn scope(&self) -> Scope {
        Scope { deliveries: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let ctx = &delivery.ack.ctx;
        self.longest = self.longest.max(delivery.ack.rtt.unwrap_or(0));
        let Some(samples) = self.rounds.on_delivery(delivery) else { return };
        if samples.count > 0 {
            let da = samples.mean().saturating_sub(samples.base);
            self.update(segments(window.cwnd, ctx.mss), da, self.longest.saturating_sub(samples.base));
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let per_window = scaled(ack.ctx.mss, self.state.alpha as f64 / MILLION);
        self.increase.grow(window, acked, per_window);
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        // A loss or mark leaves the state unchanged, so that only a timeout has a state to restore.
        self.before = Saved::default();
        if event.cause == Cause::Timeout {
            self.before.save(self.state);
        }
        kept(window, event, 1.0 - self.state.beta as f64 / MILLION)
    }

    fn reset(&mut self, _ctx: &Context) {
        self.state = State::START;
    }

    fn revert(&mut self) {
        self.before.restore(&mut self.state);
    }
}
