//! A receiver that misbehaves to make its peer send faster (Savage, Cardwell, Wetherall, Anderson: TCP Congestion Control
//! with a Misbehaving Receiver, ACM CCR 29(5), 1999), or that hides marks (RFC 3168 section 18).

use std::ops::Range;

use super::{Due, Endpoint, Uses};
use crate::config::Config;
use crate::{Ecn, Flags, Nanos, Observer, Segment};

/// State of a receiver that misbehaves.
#[derive(Debug)]
pub(super) struct Misbehaviour {
    /// Offset up to which the last ACK acknowledged.
    acked: u64,
    /// Offsets that the ACKs of the present series share, the number of the parts sent, and the number of all.
    range: Range<u64>,
    sent: u32,
    parts: u32,
    /// Duplicates of the last ACK that remain to be sent.
    duplicates: u32,
    /// Offset that the next segment acknowledges, if it is not the one up to which data has arrived.
    claim: Option<u64>,
    /// Whether the sender is likely to have sent more than has arrived: the last payload did not end a write.
    expects_more: bool,
    /// ECN field of the last segment that arrived without a mark.
    unmarked: Ecn,
    /// Bytes that were acknowledged and never arrived.
    pub missing: u64,
}

impl Misbehaviour {
    pub fn new() -> Misbehaviour {
        Misbehaviour {
            acked: 0,
            range: 0..0,
            sent: 0,
            parts: 0,
            duplicates: 0,
            claim: None,
            expects_more: false,
            unmarked: Ecn::Ect0,
            missing: 0,
        }
    }

    /// Offset of the next part of the series.
    fn part(&mut self) -> u64 {
        self.sent += 1;
        let len = u128::from(self.range.end - self.range.start);
        self.range.start + (len * u128::from(self.sent) / u128::from(self.parts)) as u64
    }
}

impl Config {
    /// Whether the endpoint misbehaves as a receiver.
    pub(super) fn misbehaves(&self) -> bool {
        self.ack_division > 1 || self.dupack_spoofing > 0 || self.optimistic_acks > 0 || self.suppress_marks
    }
}

impl Endpoint {
    /// Turns to misbehaviour, if the configuration asks for it.
    pub(super) fn prepare_misbehaviour(&mut self) {
        self.uses.set(Uses::MISBEHAVIOUR, self.sender.config.misbehaves());
    }

    /// The first segment of the series of ACKs that takes the place of an ACK that is due.
    #[cold]
    #[inline(never)]
    pub(super) fn begin_acks<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Segment {
        let (division, duplicates) = (self.sender.config.ack_division, self.sender.config.dupack_spoofing);
        let next = self.receiver.next();
        let own = &mut self.cold.misbehaviour;
        let start = own.acked.min(next);
        own.range = start..next;
        own.parts = u64::from(division).min(next - start).max(1) as u32;
        (own.sent, own.duplicates) = (0, if next > 0 { duplicates } else { 0 });
        self.next_ack(now, obs)
    }

    /// The next ACK of a series that has begun.
    pub(super) fn next_ack<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Segment {
        let own = &mut self.cold.misbehaviour;
        if own.sent < own.parts {
            let part = own.part();
            own.claim = Some(part).filter(|_| own.sent < own.parts);
        } else {
            own.duplicates -= 1;
        }
        let more = own.sent < own.parts || own.duplicates > 0;
        self.due.set(Due::ACKS, more);
        self.bare_ack_of(now, self.bare_offset(), obs)
    }

    /// Replaces the acknowledgment of an outgoing segment by what the receiver claims.
    pub(super) fn claim(&mut self, segment: &mut Segment) {
        let (next, mss) = (self.receiver.next(), u64::from(self.sender.mss()));
        let offset = match self.cold.misbehaviour.claim.take() {
            Some(part) => part,
            None => {
                self.cold.misbehaviour.acked = next;
                let more = self.cold.misbehaviour.expects_more && !self.receiver.finished();
                let segments = if more { self.sender.config.optimistic_acks } else { 0 };
                // The right edge of the window hardly moves, and half of the window is left.
                let scale = self.receiver.scale();
                let ahead = (u64::from(segments) * mss).min((u64::from(segment.window) << scale) / 2);
                segment.window = segment.window.saturating_sub(ahead.div_ceil(1 << scale) as u16);
                next + ahead
            }
        };
        segment.ack = self.irs.wrapping_add(1).wrapping_add(offset as u32);
    }

    /// Notes payload at `start`. A receiver with optimistic ACKs has acknowledged what is missing below the payload, or is
    /// about to: the peer will not send it again, and the stream goes on without it.
    pub(super) fn note_payload(&mut self, segment: &Segment, start: u64) {
        if self.sender.config.optimistic_acks == 0 {
            return;
        }
        self.cold.misbehaviour.expects_more = !segment.flags.has(Flags::PSH) && !segment.flags.has(Flags::FIN);
        self.cold.misbehaviour.missing += self.receiver.pass_over(start);
    }

    /// The ECN field of an arriving segment as the receiver reports it.
    pub(super) fn reported_field(&mut self, segment: &Segment) -> Ecn {
        if !self.sender.config.suppress_marks {
            return segment.ecn;
        }
        let own = &mut self.cold.misbehaviour;
        if segment.ecn != Ecn::Ce && segment.len > 0 {
            own.unmarked = segment.ecn;
        }
        if segment.ecn == Ecn::Ce { own.unmarked } else { segment.ecn }
    }
}
