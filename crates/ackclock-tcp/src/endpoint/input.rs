//! Processing of segments of a synchronised connection (RFC 9293 section 3.10.7.4).

use super::accecn::{AccEcn, News};
use super::ecn::bits;
use super::{Due, Endpoint, Progress, State, Uses, Watch, unwrap};
use crate::config::Conformance;
use crate::receiver::Payload;
use crate::segment::MAX_SACK_BLOCKS;
use crate::sender::Arrival;
use crate::{Error, Flags, Nanos, Observer, Segment};

impl Endpoint {
    /// Processes a segment in SYN-RECEIVED or later.
    pub(super) fn on_synchronised<O: Observer>(
        &mut self,
        now: Nanos,
        segment: &Segment,
        progress: &mut Progress,
        obs: &mut O,
    ) {
        //= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
        //# the TSopt MUST be ignored and the packet processed normally
        //= https://www.rfc-editor.org/rfc/rfc7323#section-5.3
        //# If the PAWS algorithm is used, the following processing MUST be performed on all incoming segments for a
        //# synchronized connection
        //= https://www.rfc-editor.org/rfc/rfc7323#section-5.3
        //# PAWS processing MUST take precedence over the regular TCP acceptability check
        //= https://www.rfc-editor.org/rfc/rfc7323#section-5.3
        //# the timestamp MUST be checked only when a segment first arrives at the receiver, regardless of whether it
        //# is in sequence or it must be queued for later delivery
        if self.uses.has(Uses::TIMESTAMPS) && !self.passes_timestamps(now, segment) {
            return;
        }
        let taken = self.uses_ecn() && self.has_taken_field();
        let next = self.receiver.next();
        let start = unwrap(segment.seq.wrapping_sub(self.irs).wrapping_sub(1), next);
        if segment.flags.has(Flags::RST) && start.is_some_and(|start| self.matches_oddly(start, next)) {
            return self.on_reset(now, true, progress, obs);
        }
        let acceptable = |&start: &u64| {
            let end = start + u64::from(segment.len);
            self.acceptable(start, segment.seq_len()) && !self.receiver.refuses_end(end)
        };
        let Some(start) = start.filter(acceptable) else {
            if let Some(start) = start.filter(|&start| start < next) {
                // A connection in TIME-WAIT has no blocks to report.
                if self.state != State::TimeWait {
                    self.receiver.note_duplicate(start, segment.len, segment.flags.has(Flags::FIN));
                }
                if self.uses.has(Uses::ACCECN) && segment.len > 0 && !segment.flags.has(Flags::RST) && !taken {
                    // Retransmissions count like other segments (RFC 9768 section 3.2).
                    self.take_field(segment);
                }
            }
            return self.on_unacceptable(now, segment, progress, obs);
        };
        if segment.flags.has(Flags::RST) {
            //= https://www.rfc-editor.org/rfc/rfc7323#section-5.2
            //# information from the Timestamps option MUST NOT be used to update connection state information
            return self.on_reset(now, start == next, progress, obs);
        }
        if segment.flags.has(Flags::SYN) {
            if self.sender.config.insecure_syn && self.state != State::TimeWait {
                self.reset(now);
                return self.fail(now, Error::Reset, progress, obs);
            }
            return self.challenge(now);
        }
        if !segment.flags.has(Flags::ACK) || !self.take_ack(now, segment, progress, obs) {
            return;
        }
        if self.uses.any() {
            if self.uses.has(Uses::TIMESTAMPS) {
                self.note_timestamps(now, segment);
            }
            if self.uses_ecn() && !taken {
                self.take_field(segment);
            }
            if self.uses.has(Uses::XCP) {
                self.note_answer(segment);
            }
        }
        if segment.len > 0 || segment.flags.has(Flags::FIN) {
            if self.follows_fin() {
                let next = self.receiver.next();
                if start >= next {
                    return;
                }
                if start + u64::from(segment.len) > next {
                    self.refuse(segment);
                    return self.fail(now, Error::Reset, progress, obs);
                }
            }
            self.take_payload(now, segment, start, progress, obs);
        }
    }

    /// Whether the peer's FIN has arrived before a segment with payload or FIN, as Linux looks at it: what begins beyond the FIN
    /// is ignored, and payload on both sides of it resets the connection (net/ipv4/tcp_input.c, tcp_rcv_state_process).
    fn follows_fin(&self) -> bool {
        let closed = matches!(self.state, State::CloseWait | State::Closing | State::LastAck);
        closed && self.sender.config.conformance == Conformance::Linux
    }

    /// Whether a RST counts although it does not begin at RCV.NXT: Linux takes one at the right edge of its SACK blocks, and
    /// one at the peer's FIN (net/ipv4/tcp_input.c, tcp_validate_incoming and tcp_reset_check).
    #[cold]
    fn matches_oddly(&self, start: u64, next: u64) -> bool {
        let linux = self.sender.config.conformance == Conformance::Linux && self.state != State::TimeWait;
        linux && (start + 1 == next && self.follows_fin() || self.receiver.highest_block() == Some(start))
    }

    /// The acceptability test of RFC 9293 section 3.4: whether part of the segment lies in the receive window.
    #[inline]
    pub(super) fn acceptable(&self, start: u64, len: u32) -> bool {
        let (next, edge) = (self.receiver.next(), self.receiver.limit());
        let full = !matches!(self.state, State::SynReceived | State::TimeWait);
        if full && self.sender.config.conformance == Conformance::Linux {
            // What ends where the last ACK was sent, or begins at the edge, still has an ACK that counts
            // (net/ipv4/tcp_input.c, tcp_sequence).
            return start + u64::from(len) >= next.saturating_sub(self.receiver.unacked()) && start <= edge.max(next);
        }
        if len == 0 {
            // FreeBSD only drops what lies beyond the edge (sys/netinet/tcp_input.c, tcp_do_segment).
            let last = edge + u64::from(self.sender.config.conformance == Conformance::FreeBsd);
            return start == next || (next <= start && start < last);
        }
        start + u64::from(len) > next && start < edge.max(next + 1)
    }

    /// Handles a segment of which no part lies in the receive window.
    fn on_unacceptable<O: Observer>(&mut self, now: Nanos, segment: &Segment, progress: &mut Progress, obs: &mut O) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        if segment.flags.has(Flags::SYN) {
            if self.uses.has(Uses::ACCECN) && segment.flags.has(Flags::ACK) && segment.seq == self.irs {
                // The ACK of a retransmitted SYN-ACK reports the ECN field with which the SYN-ACK arrived (RFC 9768
                // section 3.2.2.1).
                self.cold.acc.on_syn_ack(segment.ecn);
            }
            if self.state != State::SynReceived || segment.seq != self.irs {
                return self.challenge(now);
            }
            self.take_syn_ecn_again(segment);
            if !segment.flags.has(Flags::ACK) {
                // Our SYN-ACK was lost.
                self.due.set(Due::SYN, true);
            } else if self.take_ack(now, segment, progress, obs) {
                // Both ends opened at once (RFC 9293 section 3.5, figure 8): the SYN was known, only the ACK is new.
                self.receiver.owe_ack();
            }
            return;
        }
        if self.state == State::TimeWait && segment.flags.has(Flags::FIN) {
            // Our ACK of the FIN was lost: the wait restarts (RFC 9293 section 3.10.7.4, eighth step).
            self.linger(now, self.sender.config.time_wait);
        }
        self.answer(now, segment);
        let before = (segment.seq.wrapping_sub(self.receive_next()) as i32) < 0;
        if before && segment.flags.has(Flags::ACK) && self.sender.config.conformance == Conformance::FreeBsd {
            self.take_ack(now, segment, progress, obs);
        }
    }

    /// Answers a segment that is not acceptable with an ACK.
    pub(super) fn answer(&mut self, now: Nanos, segment: &Segment) {
        // A segment without payload may itself be such an ACK: two ends must not keep answering each other.
        if self.sender.config.conformance == Conformance::Linux && segment.seq_len() == 0 {
            return self.challenge(now);
        }
        self.receiver.owe_ack();
    }

    /// Sends a challenge ACK (RFC 5961), subject to a rate limit.
    pub(super) fn challenge(&mut self, now: Nanos) {
        if now >= self.cold.next_answer {
            self.cold.next_answer = now.saturating_add(self.sender.config.challenge_interval);
            if self.sender.config.conformance == Conformance::FreeBsd {
                self.due.set(Due::CHALLENGE, true);
            } else {
                self.receiver.owe_ack();
            }
        }
    }

    /// Handles a RST within the window: a RST with the next expected sequence number is accepted, any other is answered
    /// with a challenge ACK (RFC 5961 section 3.2).
    pub(super) fn on_reset<O: Observer>(&mut self, now: Nanos, exact: bool, progress: &mut Progress, obs: &mut O) {
        if !exact && !self.sender.config.insecure_rst {
            return self.challenge(now);
        }
        match self.state {
            // The application may have a connection whose SYN carried data (RFC 7413 section 4.2.2).
            State::SynReceived if self.cold.fast.accepted => self.fail(now, Error::Reset, progress, obs),
            State::SynReceived if self.cold.passive => self.relisten(now, obs),
            State::SynReceived => self.fail(now, Error::Refused, progress, obs),
            State::TimeWait if self.sender.config.rfc1337 => {}
            State::Closing | State::LastAck if self.sender.config.conformance == Conformance::FreeBsd => {
                self.fail(now, Error::Reset, progress, obs);
            }
            State::TimeWait | State::Closing | State::LastAck => self.end(now, progress, obs),
            // In CLOSE-WAIT the peer has closed its direction; ours is still open.
            _ => self.fail(now, Error::Reset, progress, obs),
        }
    }

    /// Processes the acknowledgment; returns false if the segment must be dropped.
    fn take_ack<O: Observer>(&mut self, now: Nanos, segment: &Segment, progress: &mut Progress, obs: &mut O) -> bool {
        let una = self.sender.una();
        let base = self.iss.wrapping_add(1);
        let ahead = segment.ack.wrapping_sub(self.wire(una)) as i32;
        let ack = unwrap(segment.ack.wrapping_sub(base), una);
        let mut handshake = false;
        if self.state == State::SynReceived {
            let early = self.cold.fast.accepted && ack.is_some_and(|ack| ack <= self.sender.nxt());
            if !early && self.acked_with_syn(segment).is_none() {
                self.refuse(segment);
                return false;
            }
            if self.ignores_bare_ack(now, segment) {
                return false;
            }
            self.take_syn_data_ack(segment, progress);
            handshake = self.take_handshake(now, segment, progress, obs);
        }
        let Some(ack) = ack.filter(|&ack| ack >= una) else {
            return self.take_old_ack(now, segment, ahead, obs);
        };
        if ack > self.sender.nxt() && !self.sender.takes_lent(now, ack) {
            if self.sender.config.conformance == Conformance::Linux {
                self.challenge(now);
            } else {
                self.receiver.owe_ack();
            }
            return false;
        }
        self.last_ack = now;
        if self.watch.any() {
            self.on_sign_of_life();
        }
        let news = if segment.sack_count > 0 || self.uses.any() {
            self.take_ack_with_options(now, segment, ack, handshake, obs)
        } else {
            let renews = self.renews_window(segment);
            let arrival = Arrival::plain(segment, ack, self.window_edge(segment, ack), renews);
            self.sender.on_ack(now, &arrival, obs)
        };
        if news {
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

    /// Processes the acknowledgment of our SYN-ACK. Returns whether it is the last segment of AccECN's handshake.
    #[inline(never)]
    fn take_handshake<O: Observer>(
        &mut self,
        now: Nanos,
        segment: &Segment,
        progress: &mut Progress,
        obs: &mut O,
    ) -> bool {
        self.establish(now, segment, progress, obs);
        if !self.uses.has(Uses::ACCECN) {
            return false;
        }
        self.cold.marks.sends_ect &= !self.cold.acc.start_server(segment, bits(segment.flags));
        AccEcn::is_handshake(segment)
    }

    /// Processes an old acknowledgment, which lies below snd_una by `-ahead` bytes. It acknowledges nothing new, but
    /// its payload may be new, unless the acknowledgment is too old (RFC 5961 section 5.2). Returns false if the
    /// segment must be dropped.
    #[inline(never)]
    fn take_old_ack<O: Observer>(&mut self, now: Nanos, segment: &Segment, ahead: i32, obs: &mut O) -> bool {
        let too_old = u64::from(ahead.unsigned_abs()) > self.sender.largest_window();
        if too_old {
            self.challenge(now);
            return false;
        }
        if self.uses.has(Uses::XCP) {
            self.take_answers(now, segment);
        }
        if segment.sack_count > 0 {
            self.take_sacks(now, segment, obs);
        }
        true
    }

    /// Passes an acknowledgment and its options to the sender. Returns whether it acknowledges new data.
    #[inline(never)]
    fn take_ack_with_options<O: Observer>(
        &mut self,
        now: Nanos,
        segment: &Segment,
        ack: u64,
        handshake: bool,
        obs: &mut O,
    ) -> bool {
        if self.uses.has(Uses::XCP) {
            self.take_answers(now, segment);
        }
        let sacks = self.sacks(segment, ack, ack);
        let (marked_packets, marked) =
            if self.uses_ecn() && !handshake { self.feedback(segment, ack, sacks.blocks()) } else { (Some(0), 0) };
        let congestion = marked_packets != Some(0);
        let echo = self.echo(now, segment);
        let renews = !self.sender.uses_sack() && self.renews_window(segment);
        let arrival = Arrival {
            blocks: sacks.blocks(),
            dsack: sacks.duplicate,
            echo,
            forward_delay: self.forward_delay(segment),
            congestion,
            marked_packets,
            marked,
            ..Arrival::plain(segment, ack, self.window_edge(segment, ack), renews)
        };
        self.sender.on_ack(now, &arrival, obs)
    }

    /// The SACK blocks of a segment that acknowledges `ack`, as offsets; only blocks of outstanding data above `una`
    /// are kept.
    #[inline]
    fn sacks(&self, segment: &Segment, ack: u64, una: u64) -> Sacks {
        let mut sacks = Sacks { blocks: [(0, 0); MAX_SACK_BLOCKS], count: 0, duplicate: None };
        if segment.sack_count == 0 {
            return sacks;
        }
        let base = self.iss.wrapping_add(1);
        for (index, block) in segment.sack_blocks().iter().enumerate() {
            let start = unwrap(block.start.wrapping_sub(base), una);
            let end = unwrap(block.end.wrapping_sub(base), una);
            let (Some(start), Some(end)) = (start, end) else { continue };
            let end = self.sender.reported_end(end);
            if start >= end || end > self.sender.nxt() {
                continue;
            }
            if index == 0 && is_duplicate(segment, start, end, ack, base) {
                sacks.duplicate = Some((start, end));
            } else if una < start {
                sacks.blocks[sacks.count] = (start, end);
                sacks.count += 1;
            }
        }
        sacks
    }

    /// Processes an acknowledgment that arrived after later ones: its SACK blocks may still be news.
    fn take_sacks<O: Observer>(&mut self, now: Nanos, segment: &Segment, obs: &mut O) {
        let una = self.sender.una();
        let base = self.iss.wrapping_add(1);
        let Some(ack) = unwrap(segment.ack.wrapping_sub(base), una) else { return };
        let sacks = self.sacks(segment, ack, una);
        let arrival = Arrival {
            ack: una,
            window_edge: self.sender.window_edge(),
            blocks: sacks.blocks(),
            pure: false,
            dsack: sacks.duplicate,
            echo: None,
            forward_delay: None,
            congestion: false,
            marked_packets: Some(0),
            marked: 0,
        };
        self.sender.on_ack(now, &arrival, obs);
    }

    /// Feedback about marks in an acknowledgment of `ack` and `blocks`: the number of packets newly reported as marked,
    /// `None` for an echo of RFC 3168, which does not tell how many, and the number of marked bytes.
    fn feedback(&mut self, segment: &Segment, ack: u64, blocks: &[(u64, u64)]) -> (Option<u32>, u64) {
        let flags = segment.flags;
        if flags.has(Flags::SYN) {
            return (Some(0), 0);
        }
        let acked = ack - self.sender.una();
        if self.uses.has(Uses::CLASSIC_ECN) {
            return if flags.has(Flags::ECE) { (None, acked) } else { (Some(0), 0) };
        }
        if acked == 0 && (segment.seq.wrapping_sub(self.wl1) as i32) < 0 {
            // A later acknowledgment has arrived before (RFC 9768 appendix A.1).
            return (Some(0), 0);
        }
        let (packets, bytes, exact) = self.sender.news(ack, blocks);
        // Without newly acknowledged data or time, a later acknowledgment may have arrived before. The counters are
        // repeated, so that the next acknowledgment with news has the feedback (RFC 9768 appendices A.1 and A.2.1; Linux
        // net/ipv4/tcp_input.c, __tcp_accecn_process). FreeBSD takes it from every segment (sys/netinet/tcp_ecn.c).
        let newer = segment.timestamps.is_some_and(|stamps| (stamps.val.wrapping_sub(self.stamps.recent) as i32) > 0);
        if bytes == 0 && !newer && self.sender.config.conformance != Conformance::FreeBsd {
            return (Some(0), 0);
        }
        let news = News { packets, bytes, exact, sent: self.sender.stats().bytes_sent };
        let feedback = self.cold.acc.decode(segment, bits(flags), &news, u64::from(self.sender.mss()));
        if feedback.mangled {
            self.cold.marks.sends_ect = false;
        }
        (Some(feedback.packets), feedback.bytes)
    }

    /// SND.UNA + SND.WND after `segment`. A segment sets the window only if it is not older than the segment that last
    /// set the window (RFC 9293 section 3.10.7.4, fifth step).
    #[inline(always)]
    pub(super) fn window_edge(&mut self, segment: &Segment, ack: u64) -> u64 {
        let newer = segment.seq.wrapping_sub(self.wl1) as i32;
        if newer > 0 || (newer == 0 && segment.ack.wrapping_sub(self.wl2) as i32 >= 0) {
            if newer == 0 && ack == self.sender.una() && self.keeps_larger_window(segment, ack) {
                return self.sender.window_edge();
            }
            (self.wl1, self.wl2) = (segment.seq, segment.ack);
            // The window of a SYN is never scaled (RFC 7323 section 2.2).
            //= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
            //# (i.e., a <SYN> or <SYN,ACK>) MUST NOT be scaled
            let scale = if segment.flags.has(Flags::SYN) { 0 } else { self.peer_scale };
            //= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
            //# MUST be left-shifted by Snd.Wind.Shift bits before updating SND.WND
            return ack + (u64::from(segment.window) << scale);
        }
        self.sender.window_edge().max(ack)
    }

    /// Whether a smaller window is ignored because the segment has neither a new acknowledgment nor a new sequence number,
    /// unless the window is closed (Linux net/ipv4/tcp_input.c, tcp_may_update_window).
    #[inline(never)]
    fn keeps_larger_window(&self, segment: &Segment, ack: u64) -> bool {
        let offered = u64::from(segment.window) << self.peer_scale;
        let smaller = offered > 0 && ack + offered < self.sender.window_edge();
        smaller && self.sender.config.conformance == Conformance::Linux && !segment.flags.has(Flags::SYN)
    }

    /// Whether a segment sets the window anew by its sequence number, and so is no duplicate acknowledgment even if the
    /// window is the same (Linux net/ipv4/tcp_input.c, FLAG_WIN_UPDATE).
    #[inline]
    pub(super) fn renews_window(&self, segment: &Segment) -> bool {
        (segment.seq.wrapping_sub(self.wl1) as i32) > 0 && self.sender.config.conformance == Conformance::Linux
    }

    pub(super) fn take_payload<O: Observer>(
        &mut self,
        now: Nanos,
        segment: &Segment,
        start: u64,
        progress: &mut Progress,
        obs: &mut O,
    ) {
        if self.uses.has(Uses::MISBEHAVIOUR) {
            self.note_payload(segment, start);
        }
        let whole = start + u64::from(segment.len);
        let before = self.receiver.received();
        if self.orphan && segment.len > 0 && whole > before && !self.receiver.finished() {
            // The application will not read this data (RFC 9293 section 3.6.1).
            self.refuse(segment);
            return self.end(now, progress, obs);
        }
        let sent_fin = matches!(self.state, State::FinWait1 | State::FinWait2);
        if sent_fin && self.cold.reads_shut && segment.len > 0 && whole > before && !self.receiver.finished() {
            self.refuse(segment);
            return self.fail(now, Error::Reset, progress, obs);
        }
        let was_finished = self.receiver.finished();
        self.sender.stats_mut().data_segments_received += if segment.len > 0 { segment.segments().into() } else { 0 };
        let payload = Payload {
            start,
            len: segment.len,
            segments: segment.segments(),
            part: segment.largest_part(),
            fin: segment.flags.has(Flags::FIN),
            push: segment.flags.has(Flags::PSH),
            echo: self.echo(now, segment),
            rtt: self.sender.rtt(),
        };
        self.receiver.on_data(now, &payload);
        if self.receiver.received() > before {
            progress.add(Progress::RECEIVED);
        }
        if self.receiver.finished() && !was_finished {
            self.on_fin(now, progress, obs);
        }
    }
}

/// The SACK information of a segment.
struct Sacks {
    blocks: [(u64, u64); MAX_SACK_BLOCKS],
    count: usize,
    duplicate: Option<(u64, u64)>,
}

impl Sacks {
    fn blocks(&self) -> &[(u64, u64)] {
        &self.blocks[..self.count]
    }
}

/// Whether the first SACK block of `segment` reports a duplicate: the block lies below the cumulative acknowledgment,
/// or within the second block (RFC 2883 section 4).
fn is_duplicate(segment: &Segment, start: u64, end: u64, ack: u64, base: u32) -> bool {
    if start < ack {
        return true;
    }
    let Some(second) = segment.sack_blocks().get(1) else { return false };
    let second = (unwrap(second.start.wrapping_sub(base), ack), unwrap(second.end.wrapping_sub(base), ack));
    matches!(second, (Some(low), Some(high)) if low <= start && end <= high)
}
