//! newCWV: a window kept through rate-limited periods, and cut by what was really used when that proves too much
//! (RFC 7661).
//!
//! The rule limits growth and answers congestion in the non-validated phase. The burst control of section 4.4.2 is
//! pacing, which is chosen beside it.

mod draft_00;
mod pipe_ack;
#[cfg(test)]
mod tests;

use self::pipe_ack::PipeAck;
use super::{Entry, Growth, Report, WindowValidation, remember};
use crate::context::{Ack, Congestion, Context, RecoveryEnd, Window};
use crate::{Nanos, SECOND};

pub(super) use self::draft_00::ENTRY as DRAFT_00;

pub(super) const ENTRY: Entry = Entry {
    name: "newcwv",
    summary: "the window is kept while unused for five minutes; loss then cuts it to half of what was used",
    source: "RFC 7661",
    // RFC 7661 section 4.3 keeps cwnd where RFC 5681 section 4.1 would restart from the restart window.
    replaces_restart: true,
    watches_sending: true,
    make: || Box::new(NewCwv::default()),
};

/// The non-validated period (NVP): how long an unused window is kept (RFC 7661 section 4.4).
const NON_VALIDATED_PERIOD: Nanos = 300 * SECOND;

/// RFC 7661 section 4.3.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// pipeACK is at least half of cwnd, or undefined, as last found at `seen`.
    Validated { seen: Nanos },
    /// pipeACK is less than half of cwnd. `since` moves on by each NVP that has been answered.
    NonValidated { since: Nanos },
}

/// Loss recovery, and what its end requires.
#[derive(Clone, Copy, Debug)]
enum Recovery {
    No,
    /// Fast recovery that began in the validated phase: the standard response stands.
    Validated,
    /// Fast recovery that began in the non-validated phase with max(pipeACK, LossFlightSize) of `capacity` bytes.
    NonValidated {
        capacity: u64,
    },
    Timeout,
}

/// The rule.
#[derive(Debug)]
struct NewCwv {
    pipe_ack: PipeAck,
    phase: Phase,
    recovery: Recovery,
}

// RFC 7661 section 4.1: a connection starts validated, with pipeACK undefined.
impl Default for NewCwv {
    fn default() -> NewCwv {
        NewCwv { pipe_ack: PipeAck::default(), phase: Phase::Validated { seen: 0 }, recovery: Recovery::No }
    }
}

impl NewCwv {
    // RFC 7661 section 4.3: non-validated where pipeACK < cwnd/2; an undefined pipeACK never is.
    #[inline]
    fn unused(&self, cwnd: u64) -> bool {
        self.pipe_ack.value().is_some_and(|pipe_ack| pipe_ack.saturating_mul(2) < cwnd)
    }

    /// Brings the phase up to date with pipeACK and the time. Where not `measured`, the non-validated phase is not entered.
    #[inline]
    fn assess(&mut self, window: &mut Window, ctx: &Context, measured: bool) {
        if let Phase::NonValidated { since } = self.phase
            && ctx.now.saturating_sub(since) > NON_VALIDATED_PERIOD
        {
            self.end_period(window, ctx, since);
        }
        let unused = self.unused(window.cwnd);
        match self.phase {
            _ if !unused => self.phase = Phase::Validated { seen: ctx.now },
            // RFC 7661 section 4.5.2 counts the NVP from the entry into the phase. A sender that went idle entered it when
            // its last sufficient sample expired, though nothing happened at that moment.
            Phase::Validated { seen } if measured => {
                let since = self.pipe_ack.last_reached(window.cwnd.div_ceil(2), ctx).max(seen);
                self.phase = Phase::NonValidated { since };
                self.assess(window, ctx, measured);
            }
            Phase::Validated { .. } | Phase::NonValidated { .. } => {}
        }
    }

    // RFC 7661 sections 4.4.3 and 4.5.2: for each NVP spent in the phase, remember the window in ssthresh and bring cwnd
    // down to max(cwnd/2, IW).
    #[cold]
    fn end_period(&mut self, window: &mut Window, ctx: &Context, since: Nanos) {
        let periods = (ctx.now - since - 1) / NON_VALIDATED_PERIOD;
        self.phase = Phase::NonValidated { since: since + periods * NON_VALIDATED_PERIOD };
        for _ in 0..periods {
            remember(window);
            window.cwnd = window.cwnd.min((window.cwnd / 2).max(ctx.initial_window));
            if window.cwnd <= ctx.initial_window {
                break;
            }
        }
    }

    fn restart(&mut self, ctx: &Context) {
        self.pipe_ack.reset(ctx.snd_una);
        self.phase = Phase::Validated { seen: ctx.now };
    }
}

/// A window after congestion in the non-validated phase, and the ssthresh that goes with it.
// RFC 7661 section 4.4.1: at least one segment; ssthresh equals cwnd, but never less than two segments (RFC 5681 equation 4).
fn set_window(window: &mut Window, cwnd: u64, mss: u64) {
    window.cwnd = cwnd.max(mss);
    window.ssthresh = window.cwnd.max(2 * mss);
}

impl WindowValidation for NewCwv {
    fn on_start(&mut self, ctx: &Context) {
        self.restart(ctx);
    }

    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) -> Growth {
        if ack.ctx.in_recovery || !matches!(self.recovery, Recovery::No) {
            self.pipe_ack.pass(ack.ctx.snd_una);
            if !ack.ctx.in_recovery && matches!(self.recovery, Recovery::Timeout) {
                self.recovery = Recovery::No;
            }
            return Growth::Allowed;
        }
        // RFC 7661 section 4.2 asks for one sample an RTT, and section 4.3 takes its threshold from slow start, which raises
        // cwnd to twice the sample while the next is still being measured. A sender that fills its window is therefore
        // judged when a round ends; one that does not, at each ACK, so that its window never grows past twice pipeACK.
        let measured = self.pipe_ack.on_ack(&ack.ctx) || !ack.cwnd_limited;
        self.assess(window, &ack.ctx, measured);
        // RFC 7661 section 4.4: in the non-validated phase only a cwnd-limited sender may increase cwnd.
        match self.phase {
            Phase::NonValidated { .. } if !ack.cwnd_limited => Growth::Forbidden,
            _ => Growth::Allowed,
        }
    }

    // RFC 7661 section 4.5.2: sending a new segment is when the end of the NVP is looked for.
    #[inline]
    fn before_send(&mut self, window: &mut Window, ctx: &Context, _idle: Nanos) {
        if matches!(self.recovery, Recovery::No) {
            let expired = self.pipe_ack.expire(ctx);
            self.assess(window, ctx, expired);
        }
    }

    // RFC 7661 section 4.4.1: cwnd = max(pipeACK, LossFlightSize)/2 for the recovery. Congestion ends the phase (4.4).
    fn on_congestion(&mut self, window: &mut Window, event: &Congestion, before: &Window) {
        let mut recovery = Recovery::Validated;
        if matches!(self.recovery, Recovery::No) {
            let expired = self.pipe_ack.expire(&event.ctx);
            // Of the window only what congestion found matters; the response replaces it.
            self.assess(&mut { *before }, &event.ctx, expired);
            if matches!(self.phase, Phase::NonValidated { .. }) {
                let capacity = self.pipe_ack.value().unwrap_or(0).max(event.ctx.flight_size);
                set_window(window, capacity / 2, event.ctx.mss);
                recovery = Recovery::NonValidated { capacity };
            }
        }
        self.pipe_ack.freeze();
        self.phase = Phase::Validated { seen: event.ctx.now };
        self.recovery = recovery;
    }

    // RFC 7661 section 4.4.1: cwnd = (max(pipeACK, LossFlightSize) - R)/2 at the end; then pipeACK is undefined.
    fn on_recovery_end(&mut self, window: &mut Window, end: &RecoveryEnd) {
        if let Recovery::NonValidated { capacity } = self.recovery {
            set_window(window, capacity.saturating_sub(end.retransmitted) / 2, end.ctx.mss);
        }
        self.recovery = Recovery::No;
        self.restart(&end.ctx);
    }

    // RFC 7661 section 4.4: a timeout ends the phase and leaves the window to RFC 5681.
    fn on_timeout(&mut self, _window: &mut Window, event: &Congestion) {
        self.recovery = Recovery::Timeout;
        self.restart(&event.ctx);
    }

    fn report(&self, _window: &Window) -> Report {
        Report { pipe_ack: self.pipe_ack.value(), non_validated: matches!(self.phase, Phase::NonValidated { .. }) }
    }
}
