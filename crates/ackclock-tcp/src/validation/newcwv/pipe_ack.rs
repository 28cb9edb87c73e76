//! pipeACK: the largest volume that the network acknowledged in one recent round trip (RFC 7661 sections 4.2 and 4.5).
//!
//! A round begins with an ACK and covers the data that was outstanding just before that ACK. All of this data had been
//! sent by then, so its last byte is acknowledged at most one round trip later. The volume of a round is thus a
//! difference of two HighACKs one RTT apart, without a clock and without SRTT, which lags behind a growing queue. Each
//! byte counts once, whether or not it was SACKed first. At the end of a round of slow start, which doubles the window,
//! the volume is half the window; this is the case for which the threshold of section 4.3 is designed.

use crate::context::Context;
use crate::{NEVER, Nanos, SECOND};

/// Number of parts of the sampling period (RFC 7661 section 4.5.1 suggests five).
const PERIODS: usize = 5;

/// The pipeACK Sampling Period: max(3*RTT, 1 s) (RFC 7661 section 4.2).
fn sampling_period(ctx: &Context) -> Nanos {
    //= https://www.rfc-editor.org/rfc/rfc7661#section-4.2
    //# This specification defines the pipeACK Sampling Period as Max(3*RTT, 1 second)
    ctx.srtt.unwrap_or(0).saturating_mul(3).max(SECOND)
}

/// A fifth of the sampling period and the highest sample taken in it.
#[derive(Clone, Copy, Default, Debug)]
struct Period {
    /// Time of the first sample of the period.
    start: Nanos,
    /// Highest sample, bytes.
    highest: u64,
}

/// The pipeACK variable.
#[derive(Default, Debug)]
pub(super) struct PipeAck {
    periods: [Period; PERIODS],
    current: usize,
    /// Highest sample of the live periods; `None` is RFC 7661's "undefined".
    highest: Option<u64>,
    /// Time at which the first live period becomes too old; with an undefined value, the time at which the value of an
    /// idle sender becomes zero.
    expiry: Nanos,
    /// HighACK after the last acknowledgment seen.
    high_ack: u64,
    /// HighACK just before the round began.
    base: u64,
    /// HighACK at which the round ends; no round is in progress if HighACK has already reached it.
    mark: u64,
}

impl PipeAck {
    /// Makes a pipeACK that is undefined until the first sample (RFC 7661 section 4.1): no round is in progress, and
    /// there is no history.
    pub(super) fn undefined(ctx: &Context) -> PipeAck {
        PipeAck { high_ack: ctx.snd_una, expiry: NEVER, ..PipeAck::default() }
    }

    /// Makes a pipeACK that is undefined until the first sample, or until the sampling period has passed and the sender
    /// is idle.
    // RFC 7661 sections 4.2 and 4.4.1 leave pipeACK undefined until the first sample. A sender that then idles would
    // keep its window forever: it takes no sample, an undefined pipeACK inhibits the non-validated phase, and RFC
    // 5681's restart is off. Section 4.5.1 counts a period of inactivity as samples of zero, and so does this code:
    // after a sampling period without a sample, an idle sender is in the same state as without the preceding recovery.
    pub(super) fn undefined_after_recovery(ctx: &Context) -> PipeAck {
        PipeAck { expiry: ctx.now.saturating_add(sampling_period(ctx)), ..PipeAck::undefined(ctx) }
    }

    /// The value, bytes; `None` where undefined.
    ///
    /// The volume that the open round has seen so far is less than the final sample, so it may count already. A burst
    /// whose tail is lost then still counts without its last ACKs (RFC 7661 section 4.2, the note on FlightSize).
    #[inline]
    pub(super) fn value(&self) -> Option<u64> {
        let open = if self.high_ack < self.mark { self.high_ack - self.base } else { 0 };
        self.highest.map(|highest| highest.max(open))
    }

    /// Processes an acknowledgment outside loss recovery. Returns whether a round ended or the highest sample expired.
    #[inline]
    pub(super) fn on_ack(&mut self, ctx: &Context) -> bool {
        let before = std::mem::replace(&mut self.high_ack, ctx.snd_una);
        //= https://www.rfc-editor.org/rfc/rfc7661#section-4.2
        //# SHOULD perform a pipeACK sample at least once per RTT when it has sent unacknowledged segments
        let ended = ctx.snd_una >= self.mark;
        if ended {
            self.end_round(ctx, before);
        }
        self.expire(ctx) || ended
    }

    /// Follows HighACK in loss recovery.
    // RFC 7661 section 4.2: no samples are collected in loss recovery, and pipeACK keeps its value.
    #[inline]
    pub(super) fn pass(&mut self, high_ack: u64) {
        //= https://www.rfc-editor.org/rfc/rfc7661#section-4.2
        //# The pipeACK variable MUST NOT be updated during TCP Fast Recovery
        self.high_ack = high_ack;
    }

    /// Keeps the value and discards the open round, because loss recovery begins.
    pub(super) fn freeze(&mut self) {
        self.highest = self.value();
        self.mark = 0;
    }

    /// Turns an undefined value into zero.
    pub(super) fn define(&mut self) {
        self.highest.get_or_insert(0);
    }

    /// Drops samples older than the sampling period at `ctx.now`. Returns whether the highest sample was dropped.
    #[inline]
    pub(super) fn expire(&mut self, ctx: &Context) -> bool {
        if ctx.now < self.expiry {
            return false;
        }
        let Some(before) = self.highest else {
            // Outstanding data will give a sample when it is acknowledged.
            let idle = ctx.flight_size == 0;
            self.highest = idle.then_some(0);
            return idle;
        };
        self.refresh(ctx);
        self.highest < Some(before)
    }

    /// Time at which the last sample of at least `volume` bytes became too old; `ctx.now` if there is none. Without any
    /// sample it is the time at which the value ceased to be undefined.
    pub(super) fn last_reached(&self, volume: u64, ctx: &Context) -> Nanos {
        let period = sampling_period(ctx);
        let reached = self.periods.iter().filter(|p| p.highest >= volume);
        let sampled = self.periods.iter().any(|p| p.highest > 0);
        let otherwise = if sampled { ctx.now } else { self.expiry };
        reached.map(|p| p.start.saturating_add(period)).max().unwrap_or(otherwise).min(ctx.now)
    }

    #[cold]
    fn end_round(&mut self, ctx: &Context, before: u64) {
        if before < self.mark {
            self.record(ctx, self.mark - self.base);
        }
        self.base = before;
        self.mark = ctx.snd_nxt;
        // Nothing is outstanding any more: this ACK alone is the round.
        if ctx.snd_una >= self.mark && ctx.snd_una > before {
            self.record(ctx, ctx.snd_una - before);
        }
    }

    // RFC 7661 section 4.5.1: the highest sample of each measurement period is kept, with the period's start. Five
    // starts that are at least a fifth apart span the sampling period, so the overwritten one is too old. If the RTT
    // has just grown, this does not hold: pipeACK is then lower than it might be, which section 4.2 allows.
    fn record(&mut self, ctx: &Context, sample: u64) {
        //= https://www.rfc-editor.org/rfc/rfc7661#section-4.2
        //# The pipeACK variable MAY consider multiple pipeACK samples over the pipeACK Sampling Period
        let current = &mut self.periods[self.current];
        let length = sampling_period(ctx) / PERIODS as u64;
        if self.highest.is_some() && ctx.now.saturating_sub(current.start) < length {
            current.highest = current.highest.max(sample);
        } else {
            self.current = (self.current + 1) % PERIODS;
            self.periods[self.current] = Period { start: ctx.now, highest: sample };
        }
        self.refresh(ctx);
    }

    // RFC 7661 section 4.2: pipeACK is never above the highest sample within the sampling period. A period's age counts
    // from its start, so that no sample in it outlives the sampling period. If every sample is too old the value is
    // zero, not undefined (section 4.5.1: a period without samples counts as zero).
    fn refresh(&mut self, ctx: &Context) {
        let period = sampling_period(ctx);
        let (mut highest, mut expiry) = (0, NEVER);
        for p in self.periods.iter().filter(|p| p.highest > 0) {
            //= https://www.rfc-editor.org/rfc/rfc7661#section-4.2
            //# The value of the pipeACK variable MUST NOT exceed the maximum (highest value) within the pipeACK
            //# Sampling Period
            let end = p.start.saturating_add(period);
            if ctx.now < end {
                highest = highest.max(p.highest);
                expiry = expiry.min(end);
            }
        }
        (self.highest, self.expiry) = (Some(highest), expiry);
    }
}
