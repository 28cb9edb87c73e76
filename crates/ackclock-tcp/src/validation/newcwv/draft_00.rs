//! newCWV as in its first working-group draft and without pipeACK, which is the rule of FreeBSD's first implementation:
//! the window counts as used while FlightSize is at least two thirds of the window.
//!
//! The rule differs from RFC 7661 in four points. FlightSize replaces pipeACK, so a burst whose ACKs arrive no longer
//! counts as use. The threshold is 2/3 instead of 1/2. In the non-validated phase nothing grows, since a sender that
//! fills the window is not in that phase. The end of the phase leaves twice FlightSize instead of half the window. The
//! response to loss has the same form, (D - R)/2.
//!
//! The text of the draft was not available when this was written, only statements about it in later drafts and talks.
//! The two thirds and the end of the period are an interpretation.

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
    before_sending: true,
    make: || Box::new(Draft00 { usage: Usage { validated: true, seen: 0 }, answer: None, ended: None }),
};

/// The result of the last check of the window.
#[derive(Clone, Copy, Debug)]
struct Usage {
    validated: bool,
    /// Time at which the window was last found validated, or was reduced because it was not validated.
    seen: Nanos,
}

/// State of the rule.
#[derive(Debug)]
struct Draft00 {
    usage: Usage,
    /// The response to congestion in progress, if any.
    answer: Option<Answer>,
    /// The state that the last congestion ended; it is restored if that congestion proves spurious.
    ended: Option<Usage>,
}

/// Whether `flight` outstanding bytes validate a window. Only whole segments of the window count: of 1.9 segments, a
/// sender cannot use two thirds.
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

    /// Ends the non-validated phase because of congestion.
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
        // The volume that was outstanding when the ACK arrived counts.
        self.assess(ack.ctx.flight_size + ack.acked, window.cwnd, &ack.ctx);
        if self.usage.validated { Growth::Allowed } else { Growth::Forbidden }
    }

    #[inline]
    fn before_send(&mut self, window: &mut Window, ctx: &Context, _idle: Nanos) {
        // Only the response to a mark can last over an idle time: it ends with the ACK of data sent after the idle
        // time.
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

    // FlightSize replaces the capacity, after a timeout as well.
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
