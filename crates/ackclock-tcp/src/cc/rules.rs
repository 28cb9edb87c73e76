//! The window API: a congestion control as five rules about a window in segments. Each rule has a default, which is
//! Reno's. Algorithms that need more control implement [`CongestionControl`].

use std::borrow::Cow;

use super::increase::{kept, scaled, segments};
use super::{CongestionControl, is_gentle};
use crate::context::{Ack, Cause, Congestion, Context, Window};
use crate::{Nanos, SECOND};

#[cfg(test)]
mod tests;

/// The event and the state for which a rule is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// The window, bytes.
    pub window: Window,
    /// The sender's state.
    pub ctx: Context,
    /// Bytes newly acknowledged; 0 if the event is not an acknowledgment.
    pub acked: u64,
    /// Round-trip sample of the acknowledgment.
    pub rtt: Option<Nanos>,
    /// The congestion, if the event is congestion.
    pub congestion: Option<Congestion>,
    /// Time since the last segment was sent, if the event is the end of an idle period.
    pub idle: Nanos,
}

/// A time in seconds.
pub fn seconds(time: Nanos) -> f64 {
    time as f64 / SECOND as f64
}

impl Situation {
    fn new(window: &Window, ctx: &Context) -> Situation {
        Situation { window: *window, ctx: *ctx, acked: 0, rtt: None, congestion: None, idle: 0 }
    }

    /// A volume in segments.
    pub fn segments(&self, bytes: u64) -> f64 {
        segments(bytes, self.ctx.mss)
    }

    /// The window, segments.
    pub fn cwnd(&self) -> f64 {
        self.segments(self.window.cwnd)
    }

    /// The slow-start threshold, segments; infinite until the first congestion.
    pub fn ssthresh(&self) -> f64 {
        if self.window.ssthresh == u64::MAX { f64::INFINITY } else { self.segments(self.window.ssthresh) }
    }
}

/// Five rules of a congestion control about its window. The sender runs slow start, recovery and timeouts.
pub trait WindowRules: Send {
    /// Sets the seed of rules that draw random numbers ([`CongestionControl::seed`]).
    fn seed(&mut self, _seed: u32) {}

    /// The window to start with, segments. By default the initial window of the scenario.
    fn start(&mut self, situation: &Situation) -> f64 {
        situation.cwnd()
    }

    /// Growth of the window while one window is acknowledged, which is a round trip, in segments; negative to shrink.
    /// Evaluated at every acknowledgment above ssthresh and outside recovery. The window changes in whole segments, at
    /// most by its own size in a round trip, and does not shrink below two segments. By default 1.
    fn increase(&mut self, _situation: &Situation) -> f64 {
        1.0
    }

    /// Share of FlightSize that a loss or mark leaves. FlightSize is bounded by the window, and at least two segments are
    /// left. By default 1/2, or 0.8 after a mark with ABE (RFC 8511).
    fn reduction(&mut self, situation: &Situation) -> f64 {
        if situation.congestion.as_ref().is_some_and(is_gentle) { 0.8 } else { 0.5 }
    }

    /// Share of FlightSize that ssthresh is after a timeout, at least two segments. FlightSize is bounded by the window; the
    /// window itself becomes one segment. By default the share of [`WindowRules::reduction`].
    fn timeout(&mut self, situation: &Situation) -> f64 {
        self.reduction(situation)
    }

    /// Share of the window that is left when sending resumes with nothing outstanding and the last segment was sent longer
    /// ago than the retransmission timeout (RFC 5681 section 4.1), at least one segment. The scenario's settings for restarts
    /// and window validation apply afterwards. By default 1.
    fn idle(&mut self, _situation: &Situation) -> f64 {
        1.0
    }

    /// Name of the present state, for observers ([`CongestionControl::state`]). By default there is none.
    fn state(&self) -> Option<Cow<'_, str>> {
        None
    }
}

/// Number of parts of a segment in which growth is counted: 2^20.
const PARTS: f64 = (1u64 << 20) as f64;

/// A congestion control that follows rules.
#[derive(Debug)]
pub struct Ruled<R> {
    rules: R,
    /// Growth that is less than a segment, in bytes acknowledged times parts of a segment. A segment is the window in bytes
    /// times [`PARTS`].
    owed: i128,
}

impl<R: WindowRules> Ruled<R> {
    /// A congestion control that follows `rules`.
    pub fn new(rules: R) -> Ruled<R> {
        Ruled { rules, owed: 0 }
    }
}

impl<R: WindowRules> CongestionControl for Ruled<R> {
    fn seed(&mut self, seed: u32) {
        self.rules.seed(seed);
    }

    fn on_start(&mut self, window: &mut Window, ctx: &Context) {
        let start = self.rules.start(&Situation::new(window, ctx));
        window.cwnd = ((start * ctx.mss as f64) as u64).max(ctx.mss);
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let situation = Situation { acked: ack.acked, rtt: ack.rtt, ..Situation::new(window, &ack.ctx) };
        let most = situation.cwnd();
        let per_window = self.rules.increase(&situation).clamp(-most, most);
        // An ACK that fills a gap at the receiver can cover more than the window, but it ends only one round trip.
        self.owed += i128::from(acked.min(window.cwnd)) * (per_window * PARTS) as i128;
        let segment = i128::from(window.cwnd) << 20;
        if self.owed.abs() < segment {
            return;
        }
        let whole = libm::ceil(per_window.abs()) as i128;
        let steps = (self.owed / segment).clamp(-whole, whole);
        self.owed -= steps * segment;
        let (bytes, least) = (steps.unsigned_abs() as u64 * ack.ctx.mss, window.cwnd.min(2 * ack.ctx.mss));
        window.cwnd = if steps > 0 { window.cwnd + bytes } else { window.cwnd.saturating_sub(bytes).max(least) };
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.owed = 0;
        let situation = Situation { congestion: Some(*event), ..Situation::new(window, &event.ctx) };
        let part = match event.cause {
            Cause::Timeout => self.rules.timeout(&situation),
            Cause::Loss | Cause::Ecn | Cause::Delay => self.rules.reduction(&situation),
        };
        kept(window, event, part)
    }

    fn reset(&mut self, _ctx: &Context) {
        self.owed = 0;
    }

    fn on_idle_end(&mut self, window: &mut Window, ctx: &Context, idle: Nanos) {
        if idle <= ctx.rto || ctx.snd_nxt == 0 {
            return;
        }
        let part = self.rules.idle(&Situation { idle, ..Situation::new(window, ctx) });
        window.cwnd = scaled(window.cwnd, part).max(ctx.mss);
    }

    fn state(&self) -> Option<Cow<'_, str>> {
        self.rules.state()
    }
}
