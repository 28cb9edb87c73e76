//! newCWV: the window is kept through rate-limited periods, and reduced to the used volume when congestion shows that
//! it is too large (RFC 7661).
//!
//! The rule limits growth and responds to congestion in the non-validated phase. The burst control of section 4.4.2 is
//! pacing, which is configured separately.
//!
//! # Choices that RFC 7661 leaves open
//!
//! - pipeACK is undefined after loss recovery until its first sample, and an undefined pipeACK inhibits the
//!   non-validated phase (section 4.2). Read literally, a sender that idles after a recovery keeps its window forever.
//!   Here pipeACK of an idle sender is zero once a sampling period has passed without a sample, since section 4.5.1
//!   counts inactivity as samples of zero. The non-validated period begins then. At the start of a connection pipeACK
//!   stays undefined: the window is the initial window, which section 4.4.3 would not reduce.
//! - A mark is "congestion feedback" (section 4.4.1). The response is max(pipeACK, FlightSize)/2 with R = 0. When the
//!   reduction of the window ends, the response ends and pipeACK is undefined; no sample is taken until then.
//! - A loss that a probe repairs has the same response, and R is the probe. Losses that are repaired in slow start from
//!   one segment (Tahoe) leave ssthresh at max(pipeACK, FlightSize)/2, and slow start continues up to it.
//! - A second reduction within a recovery leaves the lower of the standard response and the formula of section 4.4.1.
//! - The congestion control responds as if max(pipeACK, FlightSize) had been the window, or FlightSize after a timeout.
//!   A window that it remembers from congestion, such as W_max of CUBIC (RFC 9438 section 4.7), is therefore a window
//!   that was used.
//! - A reduction that proves spurious and is undone restores the previous non-validated period.

mod answer;
mod draft_00;
mod linux_2014;
mod pipe_ack;
#[cfg(test)]
mod tests;

use self::answer::Answer;
use self::pipe_ack::PipeAck;
use super::{Entry, Growth, Report, WindowValidation, remember};
use crate::context::{Ack, Cause, Congestion, CongestionEnd, Context, Window};
use crate::{Nanos, SECOND};

pub(super) use self::draft_00::ENTRY as DRAFT_00;
pub(super) use self::linux_2014::{ENTRY as LINUX_2014, OF_2013 as LINUX_2013};

pub(super) const ENTRY: Entry = Entry {
    name: "newcwv",
    summary: "the window is kept while unused for five minutes; loss then cuts it to half of what was used",
    source: "RFC 7661",
    // RFC 7661 section 4.3 keeps cwnd where RFC 5681 section 4.1 would restart from the restart window.
    replaces_restart: true,
    watches_sending: true,
    before_sending: true,
    make: || Box::new(NewCwv::default()),
};

/// The non-validated period (NVP): time for which an unused window is kept (RFC 7661 section 4.4).
//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
//# The NVP SHOULD NOT exceed five minutes
const NON_VALIDATED_PERIOD: Nanos = 300 * SECOND;

/// Phases of RFC 7661 section 4.3.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// pipeACK is at least half of cwnd, or undefined, as last checked at time `seen`.
    Validated { seen: Nanos },
    /// pipeACK is less than half of cwnd. `since` advances by each NVP that has been processed.
    NonValidated { since: Nanos },
}

/// State of the rule.
#[derive(Debug)]
struct NewCwv {
    pipe_ack: PipeAck,
    phase: Phase,
    /// The response to congestion in progress, if any.
    answer: Option<Answer>,
    /// The phase that the last congestion ended; it is restored if that congestion proves spurious.
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
    /// Updates the phase from pipeACK and the time. Without `measured`, the non-validated phase is not entered.
    #[inline]
    fn assess(&mut self, window: &mut Window, ctx: &Context, measured: bool) {
        if let Phase::NonValidated { since } = self.phase
            && ctx.now.saturating_sub(since) > NON_VALIDATED_PERIOD
        {
            self.end_period(window, ctx, since);
        }
        // RFC 7661 section 4.3: the phase is non-validated if pipeACK < cwnd/2, and never with an undefined pipeACK.
        let unused = self.pipe_ack.value().is_some_and(|pipe_ack| pipe_ack.saturating_mul(2) < window.cwnd);
        match self.phase {
            //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
            //# A sender with a pipeACK variable greater than (1/2)*cwnd SHOULD enter the validated phase
            _ if !unused => self.phase = Phase::Validated { seen: ctx.now },
            // RFC 7661 section 4.5.2 counts the NVP from the entry into the phase. A sender that went idle entered the
            // phase when its last sufficient sample expired, although no event marked that moment.
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

    // RFC 7661 sections 4.4.3 and 4.5.2: for each NVP spent in the phase, save the window in ssthresh and reduce cwnd
    // to max(cwnd/2, IW).
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

    /// max(pipeACK, LossFlightSize) of RFC 7661 section 4.4.1, if congestion occurs in the non-validated phase.
    fn capacity(&self, ctx: &Context) -> Option<u64> {
        let capacity = self.pipe_ack.value().unwrap_or(0).max(ctx.flight_size);
        matches!(self.phase, Phase::NonValidated { .. }).then_some(capacity)
    }

    /// Ends the non-validated phase because of congestion (RFC 7661 section 4.4) and stops the sampling of pipeACK
    /// (section 4.2).
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
        // RFC 7661 section 4.2 asks for one sample per RTT. Section 4.3 derives its threshold from slow start, which
        // raises cwnd to twice the sample while the next sample is being measured. Therefore a sender that fills its
        // window is checked when a round ends. A sender that does not fill its window is checked at each ACK, so that
        // its window never exceeds twice pipeACK.
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

    // RFC 7661 section 4.5.2: the end of the NVP is checked when a new segment is sent.
    #[inline]
    fn before_send(&mut self, window: &mut Window, ctx: &Context, _idle: Nanos) {
        // Only the response to a mark can last over an idle time: it ends with the ACK of data sent after the idle
        // time.
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

    // RFC 7661 section 4.4.1 takes max(pipeACK, LossFlightSize) as the capacity. After a timeout RFC 5681 applies,
    // which takes FlightSize (section 4.4, and RFC 5681 equation 4). Congestion did not occur at a window that was not
    // used: for instance, W_max of CUBIC must not be the preserved window.
    fn validated(&mut self, window: &Window, event: &Congestion) -> u64 {
        if self.answer.is_some() {
            return window.cwnd;
        }
        let expired = self.pipe_ack.expire(&event.ctx);
        // The check works on a copy, because the response replaces the window.
        self.assess(&mut { *window }, &event.ctx, expired);
        let used = match self.capacity(&event.ctx) {
            Some(_) if event.cause == Cause::Timeout => event.ctx.flight_size,
            Some(capacity) => capacity,
            None => window.cwnd,
        };
        used.min(window.cwnd)
    }

    // RFC 7661 section 4.4.1: cwnd = max(pipeACK, LossFlightSize)/2 for the recovery. Further congestion within the
    // same recovery has the standard response, since the phase is over.
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
            // There was no congestion: pipeACK keeps its value, but data acknowledged in the meantime gives no sample.
            None => {
                self.pipe_ack.freeze();
                self.pipe_ack.pass(end.ctx.snd_una);
            }
        }
    }

    // The window is restored, and has been unused for the time before the congestion plus the time since.
    fn on_undo(&mut self) {
        self.answer = None;
        let Some(phase) = self.ended.take() else { return };
        if matches!(phase, Phase::NonValidated { .. }) {
            // After the end of the recovery pipeACK is undefined, which the non-validated phase does not allow.
            self.pipe_ack.define();
        }
        self.phase = phase;
    }

    fn report(&self, _window: &Window) -> Report {
        Report { pipe_ack: self.pipe_ack.value(), non_validated: matches!(self.phase, Phase::NonValidated { .. }) }
    }
}
