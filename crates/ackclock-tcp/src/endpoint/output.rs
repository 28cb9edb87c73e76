//! What leaves.

use super::{Due, Endpoint, State, Watch};
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
        self.finish(&mut segment);
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
        self.finish(&mut segment);
        let stats = self.sender.stats_mut();
        let bytes = u64::from(sent.len);
        stats.data_segments_sent += u64::from(sent.len > 0);
        stats.bytes_sent += bytes;
        stats.bytes_retransmitted += if sent.retransmission { bytes } else { 0 };
        obs.event(now, Event::Sent { segment: &segment, offset: sent.offset, retransmission: sent.retransmission });
        segment
    }

    /// Fills in what every segment of a synchronised connection carries.
    #[inline]
    fn finish(&mut self, segment: &mut Segment) {
        let base = self.irs.wrapping_add(1);
        segment.ack = base.wrapping_add(self.receiver.next() as u32);
        self.receiver.fill(segment, |offset| base.wrapping_add(offset as u32));
        self.sender.stats_mut().segments_sent += 1;
    }

    /// RCV.NXT on the wire.
    #[inline]
    pub(super) fn receive_next(&self) -> u32 {
        self.irs.wrapping_add(1).wrapping_add(self.receiver.next() as u32)
    }
}
