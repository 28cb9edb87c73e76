//! newCWV as its first working-group draft had it and without pipeACK, which is what FreeBSD's first implementation was:
//! the window counts as used while FlightSize is at least two thirds of it.
//!
//! Against RFC 7661: FlightSize stands for pipeACK, so a burst whose ACKs come in is used no longer; the threshold is 2/3
//! instead of 1/2; in the non-validated phase nothing grows, for whoever fills the window is out of it; and its end leaves
//! twice FlightSize instead of half the window. The response to loss has the same form, (D - R)/2.
//!
//! The text of the draft was not to be had when this was written, only what later drafts and talks say of it. The two
//! thirds and the end of the period are a reading.

#[cfg(test)]
mod tests;

use super::NON_VALIDATED_PERIOD;
use super::answer::Answer;
use crate::Nanos;
use crate::context::{Ack, Congestion, CongestionEnd, Context, Window};
use crate::validation::{Entry, Growth, Report, WindowValidation, remember};

pub(in crate::validation) const ENTRY: Entry = Entry {
    name: "newcwv-00",
    summary: "newcwv before pipeACK: the window is validated while FlightSize is at least two thirds of it",
    source: "draft-ietf-tcpm-newcwv-00",
    replaces_restart: true,
    watches_sending: true,
    make: || Box::new(Draft00 { usage: Usage { validated: true, seen: 0 }, answer: None, ended: None }),
};

/// What the window was last found to be.
#[derive(Clone, Copy, Debug)]
struct Usage {
    validated: bool,
    /// When the window was last found validated, or adjusted for not having been.
    seen: Nanos,
}

/// The rule.
#[derive(Debug)]
struct Draft00 {
    usage: Usage,
    /// The answer to congestion that is under way.
    answer: Option<Answer>,
    /// What the last congestion ended, and what holds again if that congestion proves not to have happened.
    ended: Option<Usage>,
}

/// Whether `flight` bytes outstanding validate a window. Its whole segments count: of 1.9, none can use two thirds.
#[inline]
fn validates(flight: u64, cwnd: u64, mss: u64) -> bool {
    flight.saturating_mul(3) >= (cwnd - cwnd % mss).saturating_mul(2)
}

impl Draft00 {
    #[inline]
    fn assess(&mut self, flight: u64, cwnd: u64, ctx: &Context) {
        self.usage.validated = validates(flight, cwnd, ctx.mss);
        if self.usage.validated {
            self.usage.seen = ctx.now;
        }
    }

    /// Congestion ends the non-validated phase.
    fn end_phase(&mut self, ctx: &Context) {
        if self.answer.is_none() {
            self.ended = Some(self.usage);
        }
        self.usage = Usage { validated: true, seen: ctx.now };
    }
}

impl WindowValidation for Draft00 {
    fn on_start(&mut self, ctx: &Context) {
        self.usage.seen = ctx.now;
    }

    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) -> Growth {
        if self.answer.is_some() || ack.ctx.in_recovery {
            return Growth::Allowed;
        }
        // What the ACK found outstanding.
        self.assess(ack.ctx.flight_size + ack.acked, window.cwnd, &ack.ctx);
        if self.usage.validated { Growth::Allowed } else { Growth::Forbidden }
    }

    #[inline]
    fn before_send(&mut self, window: &mut Window, ctx: &Context, _idle: Nanos) {
        // The answer to a mark can last over an idle time, which no other can: it ends with the ACK of what is sent next.
        let answering = ctx.in_recovery || self.answer.is_some() && ctx.flight_size > 0;
        if answering || ctx.now.saturating_sub(self.usage.seen) <= NON_VALIDATED_PERIOD {
            return;
        }
        remember(window);
        window.cwnd = window.cwnd.min((2 * ctx.flight_size).max(ctx.initial_window));
        self.usage.seen = ctx.now;
        if let Some(answer) = &mut self.answer {
            answer.bound(window.cwnd);
        }
    }

    #[inline]
    fn on_sent(&mut self, window: &mut Window, ctx: &Context, _cwnd_limited: bool) {
        if self.answer.is_none() {
            self.assess(ctx.flight_size, window.cwnd, ctx);
        }
    }

    // FlightSize stands for the capacity, after a timeout as well.
    fn validated(&mut self, window: &Window, event: &Congestion) -> u64 {
        let flight = event.ctx.flight_size;
        if self.answer.is_some() {
            return window.cwnd;
        }
        self.usage.validated = validates(flight, window.cwnd, event.ctx.mss);
        if self.usage.validated { window.cwnd } else { flight.min(window.cwnd) }
    }

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        let capacity = (!self.usage.validated).then_some(event.ctx.flight_size);
        self.end_phase(&event.ctx);
        if self.answer.is_none() {
            self.answer = Some(Answer::begin(window, capacity, event.ctx.mss));
        }
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion) {
        self.end_phase(&event.ctx);
        self.answer = Some(Answer::begin(window, None, event.ctx.mss));
    }

    fn on_congestion_end(&mut self, window: &mut Window, end: &CongestionEnd) {
        if let Some(answer) = self.answer.take() {
            answer.end(window, end);
            self.usage = Usage { validated: true, seen: end.ctx.now };
        }
    }

    fn on_undo(&mut self) {
        self.answer = None;
        if let Some(usage) = self.ended.take() {
            self.usage = usage;
        }
    }

    fn report(&self, _window: &Window) -> Report {
        Report { pipe_ack: None, non_validated: !self.usage.validated }
    }
}
