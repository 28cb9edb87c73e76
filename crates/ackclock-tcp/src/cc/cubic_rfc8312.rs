//! CUBIC as specified by RFC 8312, which RFC 9438 replaced.
//!
//! # Equations
//!
//! Let t be the time since the last reduction in which the window could grow (sections 4.1 to 4.4).
//!
//! - W_cubic(t) = C (t - K)^3 + W_max, K = cbrt(W_max (1 - beta) / C) (equations 1 and 2);
//! - W_est(t) = W_max beta + 3 (1 - beta)/(1 + beta) * t/RTT (equation 4);
//! - if W_est(t) exceeds W_cubic(t), an ACK sets cwnd to W_est(t); otherwise each segment acknowledged adds
//!   (W_cubic(t + RTT) - cwnd)/cwnd segments.
//!
//! On congestion, W_max becomes cwnd, or cwnd (1 + beta)/2 if cwnd is below the last W_max (section 4.6), and cwnd becomes
//! beta * cwnd. After a timeout, and after a slow start that ended without loss, K = 0 and W_max is the window at which
//! congestion avoidance began (sections 4.7 and 4.8).
//!
//! # Constants
//!
//! beta is 0.7 and C 0.4 (sections 4.5 and 5.1). For a mark with ABE, beta is 0.85 (RFC 8511 section 3.1).
//!
//! # Deviations
//!
//! - An ACK adds at most half of the bytes it acknowledges, as in RFC 9438.
//! - The reduction starts from FlightSize if the stack says so, as for every algorithm here; RFC 8312 starts from cwnd.
//! - A parameter turns fast convergence off. RFC 8312 turns it off if the flow is alone, which a sender cannot know.
//!
//! RFC 9438 changed four things: K follows from the window after the reduction instead of W_max; W_est grows by ACKs instead
//! of time, and at Reno's pace once it exceeds the old window; the reduction starts from FlightSize; growth is bounded.
//!
//! # Validated against
//!
//! The mean windows of tables 1 and 2, which are without fast convergence, and the closed forms above.

use super::cubic::{BETA_ECN, C, Clock, scale, w_cubic};
use super::increase::{Increase, kept, scaled};
use super::undo::Saved;
use super::{CongestionControl, Entry, is_gentle, loss_flight};
use crate::Nanos;
use crate::context::{Ack, Cause, Congestion, Context, Window};

#[cfg(test)]
mod tests;

pub(super) const ENTRY: Entry = Entry {
    name: "cubic-rfc8312",
    summary: "CUBIC before RFC 9438: K from W_max, Reno's window as a function of time",
    source: "RFC 8312",
    parameters: Law::ROWS,
    make: |given| {
        Box::new(Cubic {
            law: Law::read(given),
            state: State::default(),
            increase: Increase::default(),
            before: Saved::default(),
        })
    },
};

ackclock_core::parameters! {
    /// Constants of the equations.
    struct Law {
        beta: f64 = is(0.7), (0.1, 0.99), Number, "share of the window that a loss leaves";
        fast_convergence: bool = is(1.0), (0.0, 1.0), Flag,
            "whether it gives way when its window shrinks: 1, or 0 (section 4.6)";
    }
}

/// A stage of congestion avoidance. Windows in bytes.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    clock: Clock,
    /// W_max of this stage.
    origin: u64,
    k: Nanos,
    /// W_est(0).
    w_est: u64,
    /// The window after the last growth in this stage. A different window was set outside congestion avoidance.
    cwnd: u64,
}

#[derive(Clone, Copy, Default, Debug)]
struct State {
    /// W_max, bytes; 0 if undefined.
    w_max: u64,
    /// W_last_max, bytes: cwnd at the last congestion.
    w_last_max: u64,
    epoch: Option<Epoch>,
}

struct Cubic {
    law: Law,
    state: State,
    increase: Increase,
    before: Saved<State>,
}

impl Cubic {
    fn begin(&self, cwnd: u64, ctx: &Context) -> Epoch {
        let clock = Clock::start(ctx);
        if self.state.w_max == 0 {
            return Epoch { clock, origin: cwnd, k: 0, w_est: cwnd, cwnd };
        }
        let w_max = self.state.w_max;
        let seconds = libm::cbrt(w_max as f64 / ctx.mss.max(1) as f64 * (1.0 - self.law.beta) / C);
        Epoch { clock, origin: w_max, k: scaled(crate::SECOND, seconds), w_est: scaled(w_max, self.law.beta), cwnd }
    }

    /// W_est(t), bytes.
    fn w_est(&self, epoch: &Epoch, ctx: &Context) -> u64 {
        let rounds = epoch.clock.elapsed as f64 / ctx.srtt.unwrap_or(0).max(1) as f64;
        let alpha = 3.0 * (1.0 - self.law.beta) / (1.0 + self.law.beta);
        epoch.w_est.saturating_add(scaled(ctx.mss, alpha * rounds))
    }
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let (cwnd, ctx) = (window.cwnd, &ack.ctx);
        let mut epoch = match self.state.epoch {
            Some(epoch) if epoch.cwnd == cwnd => epoch,
            _ => self.begin(cwnd, ctx),
        };
        if ack.cwnd_limited {
            epoch.clock.advance(ack);
            let most = cwnd + acked.min(cwnd) / 2;
            let w_est = self.w_est(&epoch, ctx);
            let elapsed = epoch.clock.elapsed;
            if w_cubic(elapsed, epoch.k, epoch.origin, ctx.mss) < w_est {
                window.cwnd = w_est.clamp(cwnd, most);
            } else {
                let next = elapsed.saturating_add(ctx.srtt.unwrap_or(0));
                let target = w_cubic(next, epoch.k, epoch.origin, ctx.mss);
                self.increase.grow(window, acked, target.saturating_sub(cwnd).min(cwnd / 2));
            }
            epoch.cwnd = window.cwnd;
        } else {
            // RFC 8312 section 5.8: no growth while application-limited, and t stands still.
            epoch.clock.updated = ctx.now;
        }
        self.state.epoch = Some(epoch);
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.before.save(self.state);
        // W_last_max is the window at the last loss or mark; a timeout does not change it.
        if event.cause != Cause::Timeout {
            let (cwnd, converges) = (window.cwnd, self.law.fast_convergence && window.cwnd < self.state.w_last_max);
            let w_max = if converges { scaled(cwnd, (1.0 + self.law.beta) / 2.0) } else { cwnd };
            self.state = State { w_max, w_last_max: cwnd, epoch: None };
        }
        if is_gentle(event) {
            return scale(loss_flight(window, event), BETA_ECN).max(2 * event.ctx.mss);
        }
        kept(window, event, self.law.beta)
    }

    fn reset(&mut self, _ctx: &Context) {
        self.state = State { w_max: 0, epoch: None, ..self.state };
    }

    fn revert(&mut self) {
        self.before.restore(&mut self.state);
    }

    fn on_idle_end(&mut self, _window: &mut Window, ctx: &Context, _idle: Nanos) {
        if let Some(epoch) = &mut self.state.epoch {
            epoch.clock.updated = ctx.now;
        }
    }
}
