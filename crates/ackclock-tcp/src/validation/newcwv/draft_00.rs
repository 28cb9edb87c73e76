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

use super::{NON_VALIDATED_PERIOD, Recovery, set_window};
use crate::Nanos;
use crate::context::{Ack, Congestion, Context, RecoveryEnd, Window};
use crate::validation::{Entry, Growth, Report, WindowValidation, remember};

pub(in crate::validation) const ENTRY: Entry = Entry {
    name: "newcwv-00",
    summary: "newcwv before pipeACK: the window is validated while FlightSize is at least two thirds of it",
    source: "draft-ietf-tcpm-newcwv-00",
    replaces_restart: true,
    watches_sending: true,
    make: || Box::new(Draft00 { validated: true, seen: 0, recovery: Recovery::No }),
};

/// The rule.
#[derive(Debug)]
struct Draft00 {
    validated: bool,
    /// When the window was last found validated, or adjusted for not having been.
    seen: Nanos,
    recovery: Recovery,
}

/// Whether `flight` bytes outstanding validate a window. Its whole segments count: of 1.9, none can use two thirds.
#[inline]
fn validates(flight: u64, cwnd: u64, mss: u64) -> bool {
    flight.saturating_mul(3) >= (cwnd - cwnd % mss).saturating_mul(2)
}

impl Draft00 {
    #[inline]
    fn assess(&mut self, flight: u64, cwnd: u64, ctx: &Context) {
        self.validated = validates(flight, cwnd, ctx.mss);
        if self.validated {
            self.seen = ctx.now;
        }
    }

    fn restart(&mut self, recovery: Recovery, now: Nanos) {
        *self = Draft00 { validated: true, seen: now, recovery };
    }
}

impl WindowValidation for Draft00 {
    fn on_start(&mut self, ctx: &Context) {
        self.seen = ctx.now;
    }

    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) -> Growth {
        if ack.ctx.in_recovery {
            return Growth::Allowed;
        }
        if matches!(self.recovery, Recovery::Timeout) {
            self.recovery = Recovery::No;
        }
        // What the ACK found outstanding.
        self.assess(ack.ctx.flight_size + ack.acked, window.cwnd, &ack.ctx);
        if self.validated { Growth::Allowed } else { Growth::Forbidden }
    }

    #[inline]
    fn before_send(&mut self, window: &mut Window, ctx: &Context, _idle: Nanos) {
        if !matches!(self.recovery, Recovery::No) || ctx.now.saturating_sub(self.seen) <= NON_VALIDATED_PERIOD {
            return;
        }
        remember(window);
        window.cwnd = window.cwnd.min((2 * ctx.flight_size).max(ctx.initial_window));
        self.seen = ctx.now;
    }

    #[inline]
    fn on_sent(&mut self, window: &mut Window, ctx: &Context, _cwnd_limited: bool) {
        if matches!(self.recovery, Recovery::No) {
            self.assess(ctx.flight_size, window.cwnd, ctx);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion, before: &Window) {
        let flight = event.ctx.flight_size;
        let recovery = if validates(flight, before.cwnd, event.ctx.mss) {
            Recovery::Validated
        } else {
            set_window(window, flight / 2, event.ctx.mss);
            Recovery::NonValidated { capacity: flight }
        };
        self.restart(recovery, event.ctx.now);
    }

    fn on_recovery_end(&mut self, window: &mut Window, end: &RecoveryEnd) {
        if let Recovery::NonValidated { capacity } = self.recovery {
            set_window(window, capacity.saturating_sub(end.retransmitted) / 2, end.ctx.mss);
        }
        self.restart(Recovery::No, end.ctx.now);
    }

    fn on_timeout(&mut self, _window: &mut Window, event: &Congestion) {
        self.restart(Recovery::Timeout, event.ctx.now);
    }

    fn report(&self, _window: &Window) -> Report {
        Report { pipe_ack: None, non_validated: !self.validated }
    }
}
