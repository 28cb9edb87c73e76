//! Segments of a synchronised connection (RFC 9293 section 3.10.7.4).

use super::{Due, Endpoint, Progress, State, Watch, unwrap};
use crate::segment::MAX_SACK_BLOCKS;
use crate::sender::Arrival;
use crate::{Error, Flags, Nanos, Observer, Segment};

impl Endpoint {
    /// A segment in SYN-RECEIVED or later.
    pub(super) fn on_synchronised<O: Observer>(
        &mut self,
        now: Nanos,
        segment: &Segment,
        progress: &mut Progress,
        obs: &mut O,
    ) {
        let next = self.receiver.next();
        let start = unwrap(segment.seq.wrapping_sub(self.irs).wrapping_sub(1), next);
        let Some(start) = start.filter(|&start| self.acceptable(start, segment.seq_len())) else {
            // A retransmitted SYN in SYN-RECEIVED means that our SYN-ACK was lost; anything else gets an ACK.
            if self.state == State::SynReceived && segment.flags.has(Flags::SYN) && segment.seq == self.irs {
                self.due.set(Due::SYN, true);
            } else if !segment.flags.has(Flags::RST) {
                self.receiver.owe_ack();
            }
            return;
        };
        if segment.flags.has(Flags::RST) {
            self.on_reset(now, progress, obs);
            return;
        }
        if segment.flags.has(Flags::SYN) {
            self.receiver.owe_ack();
            return;
        }
        if !segment.flags.has(Flags::ACK) || !self.take_ack(now, segment, progress, obs) {
            return;
        }
        if segment.len > 0 || segment.flags.has(Flags::FIN) {
            self.take_payload(now, segment, start, progress, obs);
        }
    }

    /// The acceptability test of RFC 9293 section 3.4: some of the segment lies in the receive window.
    #[inline]
    fn acceptable(&self, start: u64, len: u32) -> bool {
        let (next, edge) = (self.receiver.next(), self.receiver.edge());
        if len == 0 {
            return start == next || (next <= start && start < edge);
        }
        start + u64::from(len) > next && start < edge.max(next + 1)
    }

    fn on_reset<O: Observer>(&mut self, now: Nanos, progress: &mut Progress, obs: &mut O) {
        match self.state {
            State::SynReceived => self.fail(now, Error::Refused, progress, obs),
            State::TimeWait | State::Closing | State::LastAck => self.end(now, progress, obs),
            _ => self.fail(now, Error::Reset, progress, obs),
        }
    }

    /// Takes the acknowledgment; false where the segment is to be dropped.
    fn take_ack<O: Observer>(&mut self, now: Nanos, segment: &Segment, progress: &mut Progress, obs: &mut O) -> bool {
        let una = self.sender.una();
        let base = self.iss.wrapping_add(1);
        let Some(ack) = unwrap(segment.ack.wrapping_sub(base), una) else {
            return self.state != State::SynReceived;
        };
        if ack > self.sender.nxt() {
            self.receiver.owe_ack();
            return false;
        }
        if self.state == State::SynReceived {
            if segment.ack != base {
                return false;
            }
            self.establish(now, progress, obs);
        }
        if ack < una {
            // Old: nothing in it is news, but its payload may be.
            return true;
        }
        self.last_ack = now;
        if self.watch.any() {
            self.on_sign_of_life();
        }
        let mut blocks = [(0, 0); MAX_SACK_BLOCKS];
        let mut count = 0;
        for block in segment.sack_blocks() {
            let start = unwrap(block.start.wrapping_sub(base), ack);
            let end = unwrap(block.end.wrapping_sub(base), ack);
            if let (Some(start), Some(end)) = (start, end)
                && ack < start
                && start < end
                && end <= self.sender.nxt()
            {
                blocks[count] = (start, end);
                count += 1;
            }
        }
        let arrival = Arrival {
            ack,
            window_edge: self.window_edge(segment, ack),
            blocks: &blocks[..count],
            pure: segment.len == 0 && !segment.flags.has(Flags::FIN),
            dsack: None,
            echo: None,
            congestion: false,
            marked: 0,
        };
        if self.sender.on_ack(now, &arrival, obs) {
            progress.add(Progress::ACKED);
            if self.watch.has(Watch::USER_TIMEOUT) {
                self.end_user_timeout();
            }
        }
        if self.sender.fin_acked() {
            self.on_fin_acked(now, progress, obs);
        }
        true
    }

    /// SND.UNA + SND.WND after `segment`: only a segment that is not older than the one that last set the window sets it
    /// (RFC 9293 section 3.10.7.4, fifth step).
    #[inline]
    fn window_edge(&mut self, segment: &Segment, ack: u64) -> u64 {
        let newer = segment.seq.wrapping_sub(self.wl1) as i32;
        if newer > 0 || (newer == 0 && segment.ack.wrapping_sub(self.wl2) as i32 >= 0) {
            (self.wl1, self.wl2) = (segment.seq, segment.ack);
            return ack + (u64::from(segment.window) << self.peer_scale);
        }
        self.sender.window_edge().max(ack)
    }

    fn take_payload<O: Observer>(
        &mut self,
        now: Nanos,
        segment: &Segment,
        start: u64,
        progress: &mut Progress,
        obs: &mut O,
    ) {
        let before = self.receiver.received();
        let was_finished = self.receiver.finished();
        let idle = self.sender.rtt().rto();
        self.sender.stats_mut().data_segments_received += u64::from(segment.len > 0);
        self.receiver.on_data(now, start, segment.len, segment.flags.has(Flags::FIN), idle);
        if self.receiver.received() > before {
            progress.add(Progress::RECEIVED);
        }
        if self.receiver.finished() && !was_finished {
            self.on_fin(now, progress, obs);
        }
    }
}
