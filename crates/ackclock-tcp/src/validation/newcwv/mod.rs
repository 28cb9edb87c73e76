//! newCWV: a window kept through rate-limited periods, and cut by what was really used when that proves too much
//! (RFC 7661).
//!
//! The rule limits growth and answers congestion in the non-validated phase. The burst control of section 4.4.2 is
//! pacing, which is chosen beside it.
//!
//! # Where RFC 7661 leaves a choice
//!
//! - pipeACK is undefined after loss recovery until its first sample, and an undefined pipeACK inhibits the non-validated phase
//!   (section 4.2). Read literally, a sender that idles after a recovery keeps its window for ever. Here pipeACK of an idle
//!   sender is zero once a sampling period has passed without a sample, since section 4.5.1 counts inactivity as samples of
//!   zero. The non-validated period begins then. At the start of a connection pipeACK stays undefined: the window is the
//!   initial window, which section 4.4.3 would not reduce.
//! - A mark is "congestion feedback" (section 4.4.1). It is answered by max(pipeACK, FlightSize)/2 with R = 0. Its answer ends,
//!   and pipeACK is undefined, when the reduction of the window ends; no sample is taken until then.
//! - A loss that a probe repairs is answered in the same way, and R is the probe. Losses that are repaired in slow start from
//!   one segment (Tahoe) leave ssthresh at max(pipeACK, FlightSize)/2, up to which slow start goes on.
//! - A second reduction within a recovery leaves the lower of the standard response and the formula of section 4.4.1.
//! - The congestion control answers as if max(pipeACK, FlightSize) had been the window, or FlightSize after a timeout. What it
//!   remembers of a window that met congestion, as W_max of CUBIC (RFC 9438 section 4.7), is therefore one that was used.
//! - A reduction that proves spurious and is undone leaves the non-validated period as it was before.

mod answer;
mod draft_00;
mod pipe_ack;
#[cfg(test)]
mod tests;

use self::answer::Answer;
use self::pipe_ack::PipeAck;
use super::{Entry, Growth, Report, WindowValidation, remember};
use crate::context::{Ack, Cause, Congestion, CongestionEnd, Context, Window};
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
//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
//# The NVP SHOULD NOT exceed five minutes
const NON_VALIDATED_PERIOD: Nanos = 300 * SECOND;

/// RFC 7661 section 4.3.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// pipeACK is at least half of cwnd, or undefined, as last found at `seen`.
    Validated { seen: Nanos },
    /// pipeACK is less than half of cwnd. `since` moves on by each NVP that has been answered.
    NonValidated { since: Nanos },
}

/// The rule.
#[derive(Debug)]
struct NewCwv {
    pipe_ack: PipeAck,
    phase: Phase,
    /// The answer to congestion that is under way.
    answer: Option<Answer>,
    /// The phase that the last congestion ended, which is the phase again if that congestion proves not to have happened.
    ended: Option<Phase>,
}

// RFC 7661 section 4.1: a connection starts validated, with pipeACK undefined.
impl Default for NewCwv {
    fn default() -> NewCwv {
        //= https://www.rfc-editor.org/rfc/rfc7661#section-4.1
        //# A sender starts a TCP connection in the validated phase and initialises the pipeACK variable to the
        //# "undefined" value
        NewCwv { pipe_ack: PipeAck::default(), phase: Phase::Validated { seen: 0 }, answer: None, ended: None }
    }
}

impl NewCwv {
    /// Brings the phase up to date with pipeACK and the time. Where not `measured`, the non-validated phase is not entered.
    #[inline]
    fn assess(&mut self, window: &mut Window, ctx: &Context, measured: bool) {
        if let Phase::NonValidated { since } = self.phase
            && ctx.now.saturating_sub(since) > NON_VALIDATED_PERIOD
        {
            self.end_period(window, ctx, since);
        }
        // RFC 7661 section 4.3: non-validated where pipeACK < cwnd/2; an undefined pipeACK never is.
        let unused = self.pipe_ack.value().is_some_and(|pipe_ack| pipe_ack.saturating_mul(2) < window.cwnd);
        match self.phase {
            //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
            //# A sender with a pipeACK variable greater than (1/2)*cwnd SHOULD enter the validated phase
            _ if !unused => self.phase = Phase::Validated { seen: ctx.now },
            // RFC 7661 section 4.5.2 counts the NVP from the entry into the phase. A sender that went idle entered it when
            // its last sufficient sample expired, though nothing happened at that moment.
            Phase::Validated { seen } if measured => {
                let since = self.pipe_ack.last_reached(window.cwnd.div_ceil(2), ctx).max(seen);
                //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
                //# MUST enter the non-validated phase when the pipeACK is less than (1/2)*cwnd
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
            //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.3
            //# If the sender exits the non-validated phase after this period, it MUST update the ssthresh
            remember(window);
            //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.3
            //# The sender MUST then update cwnd to be not greater than
            window.cwnd = window.cwnd.min((window.cwnd / 2).max(ctx.initial_window));
            if window.cwnd <= ctx.initial_window {
                break;
            }
        }
    }

    /// max(pipeACK, LossFlightSize) of RFC 7661 section 4.4.1, where congestion meets the non-validated phase.
    fn capacity(&self, ctx: &Context) -> Option<u64> {
        let capacity = self.pipe_ack.value().unwrap_or(0).max(ctx.flight_size);
        matches!(self.phase, Phase::NonValidated { .. }).then_some(capacity)
    }

    /// Congestion ends the non-validated phase (RFC 7661 section 4.4) and stops the sampling of pipeACK (section 4.2).
    fn end_phase(&mut self, ctx: &Context) {
        if self.answer.is_none() {
            self.ended = Some(self.phase);
        }
        self.pipe_ack.freeze();
        //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
        //# If the sender receives an indication of congestion while in the non-validated phase (i.e., detects loss),
        //# the sender MUST exit the non-validated phase
        self.phase = Phase::Validated { seen: ctx.now };
    }
}

impl WindowValidation for NewCwv {
    fn on_start(&mut self, ctx: &Context) {
        self.pipe_ack = PipeAck::undefined(ctx);
        self.phase = Phase::Validated { seen: ctx.now };
    }

    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) -> Growth {
        if self.answer.is_some() || ack.ctx.in_recovery {
            self.pipe_ack.pass(ack.ctx.snd_una);
            return Growth::Allowed;
        }
        // RFC 7661 section 4.2 asks for one sample an RTT, and section 4.3 takes its threshold from slow start, which raises
        // cwnd to twice the sample while the next is still being measured. A sender that fills its window is therefore
        // judged when a round ends; one that does not, at each ACK, so that its window never grows past twice pipeACK.
        let measured = self.pipe_ack.on_ack(&ack.ctx) || !ack.cwnd_limited;
        self.assess(window, &ack.ctx, measured);
        // RFC 7661 section 4.4: in the non-validated phase only a cwnd-limited sender may increase cwnd.
        match self.phase {
            //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
            //# A sender that is cwnd-limited MAY use the standard TCP method to increase cwnd
            //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
            //# A sender that is not cwnd-limited MUST NOT increase the cwnd when ACK packets are received in this
            //# phase
            //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
            //# The sender MAY then use the standard method to increase the cwnd
            Phase::NonValidated { .. } if !ack.cwnd_limited => Growth::Forbidden,
            _ => Growth::Allowed,
        }
    }

    // RFC 7661 section 4.5.2: sending a new segment is when the end of the NVP is looked for.
    #[inline]
    fn before_send(&mut self, window: &mut Window, ctx: &Context, _idle: Nanos) {
        // The answer to a mark can last over an idle time, which no other can: it ends with the ACK of what is sent next.
        if ctx.in_recovery || self.answer.is_some() && ctx.flight_size > 0 {
            return;
        }
        let before = window.cwnd;
        let expired = self.pipe_ack.expire(ctx);
        self.assess(window, ctx, expired);
        if let Some(answer) = &mut self.answer
            && window.cwnd < before
        {
            answer.bound(window.cwnd);
        }
    }

    // RFC 7661 section 4.4.1 takes max(pipeACK, LossFlightSize) for the capacity; after a timeout RFC 5681 applies, which
    // takes FlightSize (section 4.4, and RFC 5681 equation 4). A window that was not used is no window that congestion has
    // met: W_max of CUBIC, for one, is not to be the preserved window.
    fn validated(&mut self, window: &Window, event: &Congestion) -> u64 {
        if self.answer.is_some() {
            return window.cwnd;
        }
        let expired = self.pipe_ack.expire(&event.ctx);
        // Of the window only what congestion found matters; the response replaces it.
        self.assess(&mut { *window }, &event.ctx, expired);
        let used = match self.capacity(&event.ctx) {
            Some(_) if event.cause == Cause::Timeout => event.ctx.flight_size,
            Some(capacity) => capacity,
            None => window.cwnd,
        };
        used.min(window.cwnd)
    }

    // RFC 7661 section 4.4.1: cwnd = max(pipeACK, LossFlightSize)/2 for the recovery. What follows within the same recovery is
    // answered by the standard method, since the phase is over.
    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        let capacity = self.capacity(&event.ctx);
        self.end_phase(&event.ctx);
        if self.answer.is_none() {
            //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.1
            //# A sender that detects a packet drop MUST record the current FlightSize in the variable
            //# LossFlightSize and MUST calculate a safe cwnd for loss recovery
            self.answer = Some(Answer::begin(window, capacity, event.ctx.mss));
        }
    }

    // RFC 7661 section 4.4: a timeout ends the phase and leaves the window to RFC 5681.
    fn on_timeout(&mut self, window: &mut Window, event: &Congestion) {
        //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
        //# If the Retransmission Timeout (RTO) expires while in the non-validated phase, the sender MUST exit the
        //# non-validated phase
        self.end_phase(&event.ctx);
        self.answer = Some(Answer::begin(window, None, event.ctx.mss));
    }

    // RFC 7661 section 4.4.1: pipeACK is undefined once loss recovery is complete.
    fn on_congestion_end(&mut self, window: &mut Window, end: &CongestionEnd) {
        match self.answer.take() {
            Some(answer) => {
                answer.end(window, end);
                //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.1
                //# After completing the loss recovery phase, the sender MUST re-initialise the pipeACK variable to the
                //# "undefined" value
                self.pipe_ack = PipeAck::undefined_after_recovery(&end.ctx);
                self.phase = Phase::Validated { seen: end.ctx.now };
            }
            // There was no congestion: what is known of the path stands, but what was acknowledged meanwhile is no sample.
            None => {
                self.pipe_ack.freeze();
                self.pipe_ack.pass(end.ctx.snd_una);
            }
        }
    }

    // The window is again the one of before, and has been unused for as long as it had been then, and the time since.
    fn on_undo(&mut self) {
        self.answer = None;
        let Some(phase) = self.ended.take() else { return };
        if matches!(phase, Phase::NonValidated { .. }) {
            // After the end of the recovery pipeACK is undefined, and the phase is not.
            self.pipe_ack.define();
        }
        self.phase = phase;
    }

    fn report(&self, _window: &Window) -> Report {
        Report { pipe_ack: self.pipe_ack.value(), non_validated: matches!(self.phase, Phase::NonValidated { .. }) }
    }
}
