//! What leaves.

use super::{Due, Endpoint, State, Uses, Watch};
use crate::segment::MAX_SACK_BLOCKS;
use crate::sender::Transmission;
use crate::{Event, Flags, Nanos, Observer, Segment};

/// Bytes of IPv4 and TCP header without options, which pacing counts as well.
pub(super) const HEADERS: u64 = 40;

impl Endpoint {
    /// The next segment to put on the wire now, if any. Call until `None` after every other call.
    pub fn poll_transmit<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Option<Segment> {
        if self.due.any() {
            return Some(self.poll_due(now, obs));
        }
        match self.state {
            State::Closed | State::Listen | State::SynSent | State::SynReceived => return None,
            State::TimeWait | State::FinWait2 => {}
            _ => {
                self.sender.reserve(self.options_len());
                if let Some(sent) = self.sender.poll(now, HEADERS, obs) {
                    if self.watch.has(Watch::PERSIST) {
                        self.end_persist();
                    }
                    return Some(self.data(now, sent, obs));
                }
                if self.sender.is_stuck() {
                    self.arm_persist(now);
                }
            }
        }
        if !self.receiver.owes_ack() {
            return None;
        }
        Some(self.bare_ack(now, self.sender.nxt(), obs))
    }

    fn poll_due<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Segment {
        if self.due.has(Due::SYN) {
            return self.syn(now, obs);
        }
        if self.due.has(Due::REPLY) {
            self.due.set(Due::REPLY, false);
            let segment = self.cold.reply;
            self.sender.stats_mut().segments_sent += 1;
            obs.event(now, Event::Sent { segment: &segment, offset: self.sender.nxt(), retransmission: false });
            return segment;
        }
        self.due.set(Due::PROBE, false);
        // A sequence number that was acknowledged: the peer drops the segment and answers with an ACK.
        self.bare_ack(now, self.sender.una().wrapping_sub(1), obs)
    }

    /// A segment with neither payload nor FIN, with the sequence number of `offset`.
    fn bare_ack<O: Observer>(&mut self, now: Nanos, offset: u64, obs: &mut O) -> Segment {
        let mut segment = Segment::new(Flags::ACK);
        segment.seq = self.wire(offset);
        self.finish(now, &mut segment);
        obs.event(now, Event::Sent { segment: &segment, offset: self.sender.nxt(), retransmission: false });
        segment
    }

    fn data<O: Observer>(&mut self, now: Nanos, sent: Transmission, obs: &mut O) -> Segment {
        let mut segment = Segment::new(Flags::ACK);
        segment.seq = self.wire(sent.offset);
        segment.len = sent.len;
        if sent.fin {
            segment.flags = segment.flags.with(Flags::FIN);
            match self.state {
                State::Established => self.enter(now, State::FinWait1, obs),
                State::CloseWait => self.enter(now, State::LastAck, obs),
                _ => {}
            }
        }
        if self.sender.pushes(&sent) {
            segment.flags = segment.flags.with(Flags::PSH);
        }
        self.finish(now, &mut segment);
        let stats = self.sender.stats_mut();
        let bytes = u64::from(sent.len);
        stats.data_segments_sent += u64::from(sent.len > 0);
        stats.bytes_sent += bytes;
        stats.bytes_retransmitted += if sent.retransmission { bytes } else { 0 };
        self.receiver.on_data_sent(now);
        obs.event(now, Event::Sent { segment: &segment, offset: sent.offset, retransmission: sent.retransmission });
        segment
    }

    /// Bytes that options of the next segment take from its payload, timestamps apart.
    #[inline]
    fn options_len(&self) -> u32 {
        match self.receiver.blocks_due(self.most_blocks()) {
            0 => 0,
            blocks => 4 + 8 * blocks as u32,
        }
    }

    /// SACK blocks that a header has room for beside timestamps (RFC 2018 section 3).
    #[inline]
    fn most_blocks(&self) -> usize {
        if self.uses.has(Uses::TIMESTAMPS) { 3 } else { MAX_SACK_BLOCKS }
    }

    /// Fills in what every segment of a synchronised connection carries.
    #[inline]
    fn finish(&mut self, now: Nanos, segment: &mut Segment) {
        let base = self.irs.wrapping_add(1);
        segment.ack = base.wrapping_add(self.receiver.next() as u32);
        let mut blocks = self.most_blocks();
        if segment.len > 0 {
            // A segment sent again may be full: what does not fit is left out.
            let room = u64::from(self.sender.mss()).saturating_sub(u64::from(segment.len));
            blocks = blocks.min((room.saturating_sub(4) / 8) as usize);
        }
        self.receiver.fill(segment, blocks, |offset| base.wrapping_add(offset as u32));
        if self.uses.any() {
            segment.timestamps = Some(self.stamps.option(now));
            self.stamps.last_ack = segment.ack;
        }
        self.sender.stats_mut().segments_sent += 1;
    }

    /// RCV.NXT on the wire.
    #[inline]
    pub(super) fn receive_next(&self) -> u32 {
        self.irs.wrapping_add(1).wrapping_add(self.receiver.next() as u32)
    }
}
