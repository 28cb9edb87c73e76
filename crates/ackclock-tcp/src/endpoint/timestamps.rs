//! Timestamps and the protection against wrapped sequence numbers (RFC 7323).

use super::{Endpoint, Uses};
use crate::config::Conformance;
use crate::segment::Timestamps;
use crate::{Flags, MILLISECOND, Nanos, SECOND, Segment};

/// Maximum age of TS.Recent on an idle connection, after which it is invalid: 24 days. A clock of 1 ms cannot overtake
/// it before that (RFC 7323 section 5.5).
//= https://www.rfc-editor.org/rfc/rfc7323#section-5.4
//# The recycling time of the timestamp clock MUST be greater than MSL seconds
const STALE: Nanos = 24 * 24 * 3600 * SECOND;

/// State of one end for timestamps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stamps {
    /// Offset of our clock, of 1 ms, from the time: different for each connection (RFC 7323 section 5.4).
    pub offset: u32,
    /// TS.Recent, and the time at which it was set.
    pub recent: u32,
    recent_at: Nanos,
    /// Last.ACK.sent.
    pub last_ack: u32,
}

impl Stamps {
    /// Derives the offset from the initial sequence number, which the creator of the endpoint chooses at random.
    pub fn new(isn: u32) -> Stamps {
        //= https://www.rfc-editor.org/rfc/rfc7323#section-7
        //# RECOMMENDED to generate a random, per-connection offset to be used with the clock source
        //= https://www.rfc-editor.org/rfc/rfc7323#section-7.1
        //# RECOMMENDED to generate a random, per-connection offset to be used with the clock source
        Stamps { offset: isn.wrapping_mul(0x9e37_79b1).rotate_left(16), ..Stamps::default() }
    }

    /// The value of our clock.
    #[inline]
    pub fn val(&self, now: Nanos) -> u32 {
        //= https://www.rfc-editor.org/rfc/rfc7323#section-4.1
        //# Values of this clock MUST be at least approximately proportional to real time, in order to measure actual
        //# RTT
        //= https://www.rfc-editor.org/rfc/rfc7323#section-5.4
        //# It MUST tick at least once for each 2^31 bytes sent
        //= https://www.rfc-editor.org/rfc/rfc7323#section-5.4
        //# the clock SHOULD tick at least once per window's worth of data
        ((now / MILLISECOND) as u32).wrapping_add(self.offset)
    }

    /// The option of a segment that is sent at `now`.
    #[inline]
    pub fn option(&self, now: Nanos) -> Timestamps {
        //= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
        //# the sender MUST echo a recently received TSval sent by the remote TCP in the TSval field of a Timestamps
        //# option
        Timestamps { val: self.val(now), ecr: self.recent }
    }

    /// Send time, by our clock, of the segment that `ecr` echoes; `None` if that time is not in the past.
    #[inline]
    pub fn sent_at(&self, now: Nanos, ecr: u32) -> Option<Nanos> {
        let age = self.val(now).wrapping_sub(ecr);
        let now = now / MILLISECOND;
        (age <= i32::MAX as u32).then(|| now.checked_sub(u64::from(age)))?.map(|ms| ms * MILLISECOND)
    }

    /// Whether `val` is older than what has arrived before (R1 of RFC 7323 section 5.3).
    #[inline]
    pub fn is_old(&self, now: Nanos, val: u32) -> bool {
        (val.wrapping_sub(self.recent) as i32) < 0 && now - self.recent_at <= STALE
    }

    /// Whether TS.Recent follows a segment: it does if the segment begins at or before the last acknowledged offset (RFC 7323
    /// section 4.3), so that a delayed ACK echoes the earliest segment that it covers.
    #[inline]
    pub fn covers(&self, segment: &Segment) -> bool {
        segment.seq.wrapping_sub(self.last_ack) as i32 <= 0
    }

    /// Sets TS.Recent to `val`.
    #[inline]
    pub fn set(&mut self, now: Nanos, val: u32) {
        //= https://www.rfc-editor.org/rfc/rfc7323#section-5.5
        //# the TCP MAY update a clock or timestamp value associated with the connection whenever TS.Recent is updated
        (self.recent, self.recent_at) = (val, now);
    }
}

impl Endpoint {
    /// Makes this connection the successor of `before`, which is in TIME-WAIT: the SYN echoes the last timestamp that
    /// arrived there, as in Linux (net/ipv4/tcp_ipv4.c, tcp_twsk_unique). RFC 7323 section 3.2 requires zero. Call this
    /// before [`Endpoint::connect`].
    pub fn take_the_place_of(&mut self, before: &Endpoint, now: Nanos) {
        //= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
        //= type=exception
        //= reason=A connection in the place of one in TIME-WAIT echoes what arrived last there, as Linux does.
        //# the sender of that segment SHOULD set the TSecr field to zero
        self.stamps.set(now, before.stamps.recent);
    }

    /// Whether a segment passes the check of timestamps: it has timestamps, and they are not old (RFC 7323 sections 3.2
    /// and 5.3). A RST always passes.
    pub(super) fn passes_timestamps(&mut self, now: Nanos, segment: &Segment) -> bool {
        //= https://www.rfc-editor.org/rfc/rfc7323#section-5.2
        //# When an <RST> segment is received, it MUST NOT be subjected to the PAWS check
        if segment.flags.has(Flags::RST) {
            return true;
        }
        match segment.timestamps {
            //= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
            //# If a non-<RST> segment is received without a TSopt, a TCP SHOULD silently drop the segment
            //= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
            //= type=exception
            //= reason=Linux and FreeBSD take it.
            //# If a non-<RST> segment is received without a TSopt, a TCP SHOULD silently drop the segment
            //= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
            //# A TCP MUST NOT abort a TCP connection because any segment lacks an expected TSopt
            None => self.sender.config.missing_timestamps,
            Some(stamps) if self.stamps.is_old(now, stamps.val) => {
                // FreeBSD answers payload alone (sys/netinet/tcp_input.c, tcp_do_segment).
                if self.sender.config.conformance != Conformance::FreeBsd || segment.len > 0 {
                    self.answer(now, segment);
                }
                false
            }
            Some(_) => true,
        }
    }

    /// Updates TS.Recent from segments that [`Stamps::covers`] names.
    pub(super) fn note_timestamps(&mut self, now: Nanos, segment: &Segment) {
        if let Some(stamps) = segment.timestamps
            //= https://www.rfc-editor.org/rfc/rfc7323#section-4.3
            //# the receiver SHOULD reply with the TSval field from the earliest unacknowledged segment
            //= https://www.rfc-editor.org/rfc/rfc7323#section-4.3
            //# An <ACK> for an out-of-order segment SHOULD, therefore, contain the timestamp from the most recent
            //# segment that advanced RCV.NXT
            && self.stamps.covers(segment)
            //= https://www.rfc-editor.org/rfc/rfc7323#section-5.2
            //# The choice of incoming timestamps to be saved for this comparison MUST guarantee a value that is
            //# monotonically non-decreasing
            && !self.stamps.is_old(now, stamps.val)
        {
            //= https://www.rfc-editor.org/rfc/rfc7323#section-4.3
            //# the timestamp from the latest segment (which filled the hole) MUST be echoed
            self.stamps.set(now, stamps.val);
        }
    }

    /// Send time of the segment that `segment` echoes; `None` without timestamps. Zero stands for no echo.
    #[inline]
    pub(super) fn echo(&self, now: Nanos, segment: &Segment) -> Option<Nanos> {
        if !self.uses.has(Uses::TIMESTAMPS) {
            return None;
        }
        segment.timestamps.filter(|stamps| stamps.ecr != 0).and_then(|stamps| self.stamps.sent_at(now, stamps.ecr))
    }

    /// The peer's clock when it sent `segment`, minus our clock when the echoed segment was sent; `None` without
    /// timestamps.
    #[inline]
    pub(super) fn forward_delay(&self, segment: &Segment) -> Option<i64> {
        let stamps = segment.timestamps.filter(|stamps| self.uses.has(Uses::TIMESTAMPS) && stamps.ecr != 0)?;
        Some(i64::from(stamps.val.wrapping_sub(stamps.ecr) as i32) * MILLISECOND as i64)
    }
}
