//! CUBIC: after a reduction the window is a cubic function of time, flat at the window of the last congestion (RFC 9438).
//!
//! # Equations
//!
//! With t the time since the last reduction in which the window could grow:
//!
//! - W_cubic(t) = C (t - K)^3 + W_max, K = cbrt((W_max - cwnd_epoch) / C) (figures 1 and 2);
//! - the window moves to W_cubic(t + RTT) within a round trip, but by at most half of itself (sections 4.2, 4.4 and 4.5);
//! - each window acknowledged adds alpha segments to W_est, or one segment once W_est has reached the window before the
//!   reduction. Where W_est exceeds W_cubic(t), cwnd is at least W_est (section 4.3).
//!
//! Congestion leaves the share beta of FlightSize (section 4.6). W_max becomes cwnd, or cwnd (1 + beta)/2 if cwnd is below the
//! last W_max (section 4.7). After a timeout, and after a slow start that ended without loss, K = 0 (sections 4.8 and 4.10).
//!
//! # Constants
//!
//! beta is 0.7, C 0.4 and alpha 3 (1 - beta)/(1 + beta) = 9/17 (sections 4.6, 5.1 and 4.3). For a mark with ABE, beta is 0.85
//! (RFC 8511 section 3.1).
//!
//! # Deviations
//!
//! W_est grows a segment at a time. FlightSize is bounded by cwnd, since recoveries and limited transmit send more than the
//! window.
//!
//! # Validated against
//!
//! The closed forms over time, and the mean windows of tables 1 and 2.

#[cfg(test)]
mod tests;

use super::undo::Saved;
use super::{CongestionControl, Entry, is_gentle, loss_flight};
use crate::Nanos;
use crate::context::{Ack, Congestion, Context, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "cubic-rfc9438",
    summary: "growth as a cubic function of the time since the last reduction, decrease to 0.7, at least Reno's pace",
    source: "RFC 9438",
    parameters: &[],
    make: |_| Box::new(Cubic::default()),
};

/// Constant C, segments per cubed second (RFC 9438 section 5.1).
//= https://www.rfc-editor.org/rfc/rfc9438#section-5.1
//# it is NOT RECOMMENDED to set _C_ to a very low value like 0.04
//= https://www.rfc-editor.org/rfc/rfc9438#section-5.1
//# _C_ SHOULD be set to 0.4
pub(super) const C: f64 = 0.4;
/// beta_cubic = 7/10, the factor of the multiplicative decrease (RFC 9438 section 4.6).
//= https://www.rfc-editor.org/rfc/rfc9438#section-4.6
//# The parameter β__cubic_ SHOULD be set to 0.7
pub(super) const BETA: (u64, u64) = (7, 10);
/// beta_ecn for CUBIC, the factor for a mark with ABE (RFC 8511 section 3.1).
pub(super) const BETA_ECN: (u64, u64) = (17, 20);
/// (1 + beta_cubic) / 2, the factor of fast convergence (RFC 9438 section 4.7).
pub(super) const FAST_CONVERGENCE: (u64, u64) = (17, 20);
/// alpha_cubic = 3 * (1 - beta_cubic) / (1 + beta_cubic), segments per RTT (RFC 9438 section 4.3).
pub(super) const ALPHA: (u64, u64) = (9, 17);

/// `volume * fraction`, rounded down.
pub(super) fn scale(volume: u64, (numerator, denominator): (u64, u64)) -> u64 {
    let scaled = u128::from(volume) * u128::from(numerator) / u128::from(denominator);
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

/// W_cubic(t) in bytes, for an origin (W_max) in bytes (RFC 9438 figure 1).
#[inline]
pub(super) fn w_cubic(t: Nanos, k: Nanos, origin: u64, mss: u64) -> u64 {
    let seconds = (t as f64 - k as f64) * 1e-9;
    // The conversion saturates: below zero it is zero.
    (C * mss as f64 * seconds * seconds * seconds + origin as f64) as u64
}

/// K: the time until W_cubic is back at W_max (RFC 9438 figure 2).
pub(super) fn k(w_max: u64, cwnd: u64, mss: u64) -> Nanos {
    let segments = w_max.saturating_sub(cwnd) as f64 / mss.max(1) as f64;
    (libm::cbrt(segments / C) * 1e9) as Nanos
}

/// The t of W_cubic: time in which the window could grow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    pub elapsed: Nanos,
    /// Time of the last update of `elapsed`.
    pub updated: Nanos,
}

impl Clock {
    /// Starts at an event.
    pub fn start(ctx: &Context) -> Clock {
        Clock { elapsed: 0, updated: ctx.now }
    }

    /// Advances t to an ACK by at most one RTT, and so excludes idle and application-limited time.
    // While the window is the limit, ACKs that may grow the window are at most a round trip apart.
    #[inline]
    pub fn advance(&mut self, ack: &Ack) {
        let since = ack.ctx.now.saturating_sub(self.updated);
        let round_trip = ack.ctx.srtt.max(ack.rtt).unwrap_or(0);
        self.updated = ack.ctx.now;
        //= https://www.rfc-editor.org/rfc/rfc9438#section-4.2
        //# The elapsed time _t_ in Figure 1 MUST NOT include periods during which _cwnd_ has not been updated due to
        //# application-limited behavior
        self.elapsed += since.min(round_trip);
    }
}

/// A congestion avoidance stage (RFC 9438 section 4.1.2).
#[derive(Clone, Copy, Debug)]
struct Epoch {
    clock: Clock,
    /// W_max of this stage, bytes.
    origin: u64,
    k: Nanos,
    /// W_est, bytes.
    w_est: u64,
    /// Bytes acknowledged towards W_est's next segment, times the denominator of alpha.
    credit: u64,
    /// The window after the last growth in this stage, bytes. A different window was set outside congestion avoidance.
    cwnd: u64,
    /// Growth that is less than a byte, multiplied by cwnd.
    remainder: u64,
}

/// State that a spurious reduction must not change.
#[derive(Clone, Copy, Default, Debug)]
struct State {
    /// W_max, bytes; 0 if undefined.
    w_max: u64,
    /// cwnd_prior, bytes; 0 before ssthresh was first set.
    cwnd_prior: u64,
    /// The current stage; `None` until an ACK begins a stage.
    epoch: Option<Epoch>,
}

/// CUBIC.
#[derive(Default, Debug)]
pub struct Cubic {
    state: State,
    before: Saved<State>,
}

impl Cubic {
    // Begins a stage. The window may already exceed W_max, or W_max may be undefined: after a timeout (RFC 9438 section
    // 4.8), or after a slow start that ended without loss (section 4.10). Then K = 0, and the stage starts from cwnd.
    #[cold]
    fn begin(&mut self, cwnd: u64, ctx: &Context) {
        let state = &mut self.state;
        if state.cwnd_prior == 0 {
            state.cwnd_prior = cwnd;
        }
        state.w_max = state.w_max.max(cwnd);
        state.epoch = Some(Epoch {
            clock: Clock::start(ctx),
            origin: state.w_max,
            k: k(state.w_max, cwnd, ctx.mss),
            //= https://www.rfc-editor.org/rfc/rfc9438#section-4.8
            //# for the Reno-friendly region, _W_est_ SHOULD be set to the congestion window size at the beginning of
            //# the current congestion avoidance stage
            w_est: cwnd,
            credit: 0,
            cwnd,
            remainder: 0,
        });
    }
}

impl Epoch {
    /// W_est after `acked` more bytes.
    // RFC 9438 figure 4, a segment at a time as Reno counts it: alpha segments for each cwnd acknowledged, and one once
    // W_est has reached cwnd_prior.
    #[inline]
    fn grow_estimate(&mut self, cwnd: u64, acked: u64, mss: u64, cwnd_prior: u64) {
        //= https://www.rfc-editor.org/rfc/rfc9438#section-4.3
        //# the sender SHOULD set α__cubic_ to 1 to ensure that it can achieve the same congestion window increment
        //# rate as Reno
        let alpha = if self.w_est < cwnd_prior { ALPHA.0 } else { ALPHA.1 };
        self.credit += alpha * acked;
        if self.credit >= ALPHA.1 * cwnd {
            self.credit -= ALPHA.1 * cwnd;
            self.w_est += mss;
        }
    }

    /// The window after `acked` more bytes.
    #[inline]
    fn grow(&mut self, cwnd: u64, acked: u64, ctx: &Context) -> u64 {
        // RFC 9438 section 4.3: the Reno-friendly region.
        if w_cubic(self.clock.elapsed, self.k, self.origin, ctx.mss) < self.w_est {
            self.remainder = 0;
            //= https://www.rfc-editor.org/rfc/rfc9438#section-4.3
            //# _cwnd_ SHOULD be set to _W_est_ at each reception of a new ACK
            return cwnd.max(self.w_est);
        }
        // RFC 9438 section 4.2: target = W_cubic(t + RTT) within [cwnd, 1.5*cwnd].
        let next = self.clock.elapsed.saturating_add(ctx.srtt.unwrap_or(0));
        let target = w_cubic(next, self.k, self.origin, ctx.mss).clamp(cwnd, cwnd + cwnd / 2);
        // RFC 9438 sections 4.4 and 4.5, concave and convex alike: (target - cwnd)/cwnd for each segment acknowledged, so
        // that the target is reached in one RTT however many segments an ACK covers.
        //= https://www.rfc-editor.org/rfc/rfc9438#section-4.4
        //# In this region, _cwnd_ MUST be incremented by
        //= https://www.rfc-editor.org/rfc/rfc9438#section-4.5
        //# In this region, _cwnd_ MUST be incremented by
        let growth = u128::from(target - cwnd) * u128::from(acked) + u128::from(self.remainder);
        self.remainder = (growth % u128::from(cwnd)) as u64;
        cwnd + (growth / u128::from(cwnd)) as u64
    }
}

impl CongestionControl for Cubic {
    fn prefetch(&self) {
        ackclock_core::prefetch::prefetch(self);
    }

    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let cwnd = window.cwnd;
        // A window that was changed outside congestion avoidance, for example after an idle period, begins a new stage.
        if self.state.epoch.as_ref().is_none_or(|epoch| epoch.cwnd != cwnd) {
            self.begin(cwnd, &ack.ctx);
        }
        let Some(epoch) = &mut self.state.epoch else { return };
        if ack.cwnd_limited {
            epoch.clock.advance(ack);
            // An ACK that fills a gap at the receiver can cover more than the window, but it ends only one RTT.
            let acked = acked.min(cwnd);
            epoch.grow_estimate(cwnd, acked, ack.ctx.mss, self.state.cwnd_prior);
            window.cwnd = epoch.grow(cwnd, acked, &ack.ctx);
            epoch.cwnd = window.cwnd;
        } else {
            // RFC 9438 section 5.8: no growth while application-limited.
            epoch.clock.updated = ack.ctx.now;
        }
    }

    // The threshold follows FlightSize, as in figure 5 of RFC 9438, so that a window that the application did not use
    // does not count. RFC 7661 is the remedy for senders that this treats too harshly.
    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        //= https://www.rfc-editor.org/rfc/rfc9438#section-4.9.2
        //# a CUBIC implementation MAY save the current value of the following variables before the congestion window
        //# is reduced
        self.before.save(self.state);
        //= https://www.rfc-editor.org/rfc/rfc9438#section-4.7
        //# the following fast convergence mechanism SHOULD be implemented
        let converges = window.cwnd < self.state.w_max;
        let w_max = if converges { scale(window.cwnd, FAST_CONVERGENCE) } else { window.cwnd };
        self.state = State { w_max, cwnd_prior: window.cwnd, epoch: None };
        let beta = if is_gentle(event) { BETA_ECN } else { BETA };
        //= https://www.rfc-editor.org/rfc/rfc9438#section-4.6
        //# the sender MUST reduce _cwnd_ and _ssthresh_ immediately upon entering loss recovery
        //= https://www.rfc-editor.org/rfc/rfc9438#section-4.6
        //= type=exception
        //= reason=For a mark, too, the window stays at two segments, the least ssthresh, as in Linux. Figure 5 has
        //= one.
        //# CUBIC MUST continue to reduce _cwnd_ in response to congestion events detected by ECN-Echo ACKs until it
        //# reaches a value of 1 SMSS
        //= https://www.rfc-editor.org/rfc/rfc9438#section-4.6
        //= type=exception
        //= reason=A mark leaves two segments at least, so that this window is not reached.
        //# a sender with a _cwnd_ of 1 SMSS MUST reduce its sending rate even further
        scale(loss_flight(window, event), beta).max(2 * event.ctx.mss)
    }

    // RFC 9438 section 4.8: W_max is the window at which the next stage begins.
    fn reset(&mut self, _ctx: &Context) {
        (self.state.w_max, self.state.epoch) = (0, None);
    }

    fn revert(&mut self) {
        //= https://www.rfc-editor.org/rfc/rfc9438#section-4.9.2
        //# CUBIC MAY restore the original values of the above-mentioned variables as follows if the current _cwnd_ is
        //# lower than _cwnd_prior_
        //= https://www.rfc-editor.org/rfc/rfc9438#section-4.9.2
        //= type=exception
        //= reason=A window that has grown past the one before stays, but W_max, cwnd_prior and the stage go back
        //= in any case; the next ACK then begins a new stage from the present window.
        //# CUBIC SHOULD continue to use the current and the most recent values of these variables
        self.before.restore(&mut self.state);
    }

    fn on_idle_end(&mut self, _window: &mut Window, ctx: &Context, _idle: Nanos) {
        if let Some(epoch) = &mut self.state.epoch {
            epoch.clock.updated = ctx.now;
        }
    }
}
