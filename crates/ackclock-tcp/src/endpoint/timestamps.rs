//! Timestamps and the protection against wrapped sequence numbers (RFC 7323).

use super::{Endpoint, Uses};
use crate::config::Conformance;
use crate::segment::Timestamps;
use crate::{Flags, MILLISECOND, Nanos, SECOND, Segment};

/// How long TS.Recent may stand between two segments of an idle connection before it says nothing any more: 24 days, before
/// which a clock of 1 ms cannot pass it by (RFC 7323 section 5.5).
//= https://www.rfc-editor.org/rfc/rfc7323#section-5.4
//# The recycling time of the timestamp clock MUST be greater than MSL seconds
const STALE: Nanos = 24 * 24 * 3600 * SECOND;

/// What one end keeps about timestamps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stamps {
    /// What our clock, of 1 ms, is ahead of the time: different for each connection (RFC 7323 section 5.4).
    pub offset: u32,
    /// TS.Recent, and when it was set.
    pub recent: u32,
    recent_at: Nanos,
    /// Last.ACK.sent.
    pub last_ack: u32,
}

impl Stamps {
    /// The offset is drawn from the initial sequence number, which whoever makes the endpoint chooses at random.
    pub fn new(isn: u32) -> Stamps {
        //= https://www.rfc-editor.org/rfc/rfc7323#section-7
        //# RECOMMENDED to generate a random, per-connection offset to be used with the clock source
        //= https://www.rfc-editor.org/rfc/rfc7323#section-7.1
        //# RECOMMENDED to generate a random, per-connection offset to be used with the clock source
        Stamps { offset: isn.wrapping_mul(0x9e37_79b1).rotate_left(16), ..Stamps::default() }
    }

    /// Our clock.
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

    /// The option of a segment that leaves at `now`.
    pub fn option(&self, now: Nanos) -> Timestamps {
        //= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
        //# the sender MUST echo a recently received TSval sent by the remote TCP in the TSval field of a Timestamps
        //# option
        Timestamps { val: self.val(now), ecr: self.recent }
    }

    /// When, as our clock has it, the segment left that `ecr` echoes; `None` where that is not in the past.
    pub fn sent_at(&self, now: Nanos, ecr: u32) -> Option<Nanos> {
        let age = self.val(now).wrapping_sub(ecr);
        let now = now / MILLISECOND;
        (age <= i32::MAX as u32).then(|| now.checked_sub(u64::from(age)))?.map(|ms| ms * MILLISECOND)
    }

    /// Whether `val` is older than what has arrived before (R1 of RFC 7323 section 5.3).
    fn is_old(&self, now: Nanos, val: u32) -> bool {
        (val.wrapping_sub(self.recent) as i32) < 0 && now - self.recent_at <= STALE
    }

    /// TS.Recent becomes `val`.
    pub fn set(&mut self, now: Nanos, val: u32) {
        //= https://www.rfc-editor.org/rfc/rfc7323#section-5.5
        //# the TCP MAY update a clock or timestamp value associated with the connection whenever TS.Recent is updated
        (self.recent, self.recent_at) = (val, now);
    }
}

impl Endpoint {
    /// This connection takes the place of `before`, which is in TIME-WAIT: its SYN echoes what arrived last there, as Linux has
    /// it (net/ipv4/tcp_ipv4.c, tcp_twsk_unique), where RFC 7323 section 3.2 wants zero. To be called before
    /// [`Endpoint::connect`].
    pub fn take_the_place_of(&mut self, before: &Endpoint, now: Nanos) {
        //= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
        //= type=exception
        //= reason=A connection in the place of one in TIME-WAIT echoes what arrived last there, as Linux does.
        //# the sender of that segment SHOULD set the TSecr field to zero
        self.stamps.set(now, before.stamps.recent);
    }

    /// Whether a segment passes: it has timestamps, which are not from the past (RFC 7323 sections 3.2 and 5.3). A RST
    /// always does.
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
            //= reason=Linux takes it.
            //# If a non-<RST> segment is received without a TSopt, a TCP SHOULD silently drop the segment
            //= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
            //# A TCP MUST NOT abort a TCP connection because any segment lacks an expected TSopt
            None => self.cold.config.conformance == Conformance::Linux,
            Some(stamps) if self.stamps.is_old(now, stamps.val) => {
                self.answer(now, segment);
                false
            }
            Some(_) => true,
        }
    }

    /// TS.Recent follows segments that begin at or before what was last acknowledged (RFC 7323 section 4.3), so that a delayed
    /// ACK echoes the earliest segment it covers.
    pub(super) fn note_timestamps(&mut self, now: Nanos, segment: &Segment) {
        if let Some(stamps) = segment.timestamps
            //= https://www.rfc-editor.org/rfc/rfc7323#section-4.3
            //# the receiver SHOULD reply with the TSval field from the earliest unacknowledged segment
            //= https://www.rfc-editor.org/rfc/rfc7323#section-4.3
            //# An <ACK> for an out-of-order segment SHOULD, therefore, contain the timestamp from the most recent
            //# segment that advanced RCV.NXT
            && (segment.seq.wrapping_sub(self.stamps.last_ack) as i32) <= 0
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

    /// When the segment left that `segment` echoes; `None` without timestamps. Zero stands for no echo.
    pub(super) fn echo(&self, now: Nanos, segment: &Segment) -> Option<Nanos> {
        if !self.uses.has(Uses::TIMESTAMPS) {
            return None;
        }
        segment.timestamps.filter(|stamps| stamps.ecr != 0).and_then(|stamps| self.stamps.sent_at(now, stamps.ecr))
    }

    /// The peer's clock when it sent `segment` less ours when what it echoes was sent; `None` without timestamps.
    pub(super) fn forward_delay(&self, segment: &Segment) -> Option<i64> {
        let stamps = segment.timestamps.filter(|stamps| self.uses.has(Uses::TIMESTAMPS) && stamps.ecr != 0)?;
        Some(i64::from(stamps.val.wrapping_sub(stamps.ecr) as i32) * MILLISECOND as i64)
    }
}
