//! Segments to be sent.

use super::{Due, Endpoint, State, Uses, Watch};
use crate::config::Conformance;
use crate::segment::HEADERS;
use crate::segment::{AccEcnOption, MAX_SACK_BLOCKS};
use crate::sender::Transmission;
use crate::{Event, Feedback, Flags, Nanos, Observer, Segment};

/// Bytes of options that a header has room for (RFC 9293 section 3.1).
pub(super) const MAX_OPTIONS: u32 = 40;

impl Endpoint {
    /// Returns the next segment to send now, if any. Call until `None` after every other call.
    #[inline(always)]
    pub fn poll_transmit<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Option<Segment> {
        if self.sends_plainly() { self.poll_plain(now, obs) } else { self.poll_other(now, obs) }
    }

    /// Whether the next segment, if there is one, is plain: data or an ACK of an established connection, with no option but
    /// timestamps. Nearly all are.
    #[inline(always)]
    pub fn sends_plainly(&self) -> bool {
        #[cfg(test)]
        if self.sender.on_long_path {
            return false;
        }
        let others = self.due.any() || self.uses.without(Uses::TIMESTAMPS).any() || self.receiver.reports();
        self.state == State::Established && !others && !self.sender.waits_for_acks()
    }

    /// Whether [`Endpoint::poll_transmit`] would return nothing and change nothing, as far as can be told at once.
    #[inline(always)]
    pub fn is_silent(&self) -> bool {
        self.sender.is_silent() && !self.receiver.owes_ack() && self.sends_plainly()
    }

    /// [`Endpoint::poll_transmit`] where [`Endpoint::sends_plainly`].
    // Apart from other segments and inlined with what the caller does with it, so that a plain segment stays in registers.
    #[inline(always)]
    pub fn poll_plain<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Option<Segment> {
        if !self.sender.is_silent() {
            self.sender.reserve(0);
            if let Some(sent) = self.poll_data(now, obs) {
                return Some(self.data::<true, O>(now, sent, obs));
            }
        }
        //= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
        //# A TCP receiver MUST NOT generate more than one ACK for every incoming segment
        if !self.receiver.owes_ack() {
            return None;
        }
        Some(self.bare_ack::<true, O>(now, self.bare_offset(), obs))
    }

    /// [`Endpoint::poll_transmit`] in all other cases.
    #[inline(never)]
    pub fn poll_other<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Option<Segment> {
        if self.uses.has(Uses::ACCECN) {
            self.cold.acc.tell_time(now, self.sender.rtt().srtt());
        }
        if self.due.any() {
            if self.is_refused() {
                self.lose_output(now);
                return None;
            }
            if self.due.has(Due::PATH) {
                return self.poll_on_path(now, obs);
            }
            return Some(self.poll_due(now, obs));
        }
        match self.state {
            State::Closed | State::Listen | State::SynSent => return None,
            State::SynReceived if self.answers_with_data() => return Some(self.syn(now, obs)),
            State::SynReceived if !self.sends_early() => {}
            State::TimeWait | State::FinWait2 => {}
            _ => {
                if self.uses.has(Uses::ACCECN) && self.cold.acc.awaits_pure_ack() && self.receiver.owes_ack() {
                    return Some(self.bare_ack_of(now, self.bare_offset(), obs));
                }
                self.sender.reserve(self.options_len());
                if let Some(sent) = self.poll_data(now, obs) {
                    return Some(self.data::<false, O>(now, sent, obs));
                }
                if self.receiver.owes_ack()
                    && self.sender.releases_with_ack()
                    && let Some(segment) = self.poll_with_ack(now, obs)
                {
                    return Some(segment);
                }
            }
        }
        if !self.receiver.owes_ack() {
            return None;
        }
        if self.repeats_fin() {
            return Some(self.fin_again(now, obs));
        }
        if self.uses.has(Uses::MISBEHAVIOUR) {
            return Some(self.begin_acks(now, obs));
        }
        Some(self.bare_ack::<false, O>(now, self.bare_offset(), obs))
    }

    /// Returns the next data or FIN to send now, if any.
    #[inline(always)]
    fn poll_data<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Option<Transmission> {
        loop {
            if let Some(sent) = self.sender.poll(now, HEADERS, obs) {
                if self.watch.has(Watch::PERSIST) {
                    self.end_persist();
                }
                return Some(sent);
            }
            if !self.sender.take_next_write() {
                break;
            }
        }
        self.sender.note_limit(now);
        if self.sender.is_stuck() {
            self.arm_persist(now);
        }
        None
    }

    /// Whether an ACK carries our FIN again, because the FIN is outstanding (FreeBSD sys/netinet/tcp_output.c: the
    /// flags of a segment follow from the state).
    #[inline]
    fn repeats_fin(&self) -> bool {
        matches!(self.state, State::FinWait1 | State::Closing | State::LastAck)
            && self.sender.config.conformance == Conformance::FreeBsd
    }

    /// An ACK that carries our FIN again.
    #[inline(never)]
    fn fin_again<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Segment {
        let mut segment = Segment::new(Flags::ACK.with(Flags::FIN));
        let offset = self.sender.nxt() - 1;
        segment.seq = self.wire(offset);
        self.finish::<false>(now, &mut segment, false);
        obs.event(now, Event::Sent { segment: &segment, offset, retransmission: true });
        segment
    }

    #[inline(never)]
    pub(super) fn poll_due<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Segment {
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
        if self.due.has(Due::ACKS) {
            return self.next_ack(now, obs);
        }
        if self.due.has(Due::CHALLENGE) || self.due.has(Due::HANDSHAKE) {
            self.due.set(Due::CHALLENGE, false);
            self.due.set(Due::HANDSHAKE, false);
            return self.bare_ack_of(now, self.bare_offset(), obs);
        }
        self.due.set(Due::PROBE, false);
        if self.sender.config.conformance == Conformance::FreeBsd && self.watch.has(Watch::PERSIST) {
            return self.window_probe(now, obs);
        }
        // The probe carries an acknowledged sequence number: the peer drops the segment and answers with an ACK.
        self.bare_ack_of(now, self.sender.una().wrapping_sub(1), obs)
    }

    /// The offset of a segment with neither payload nor FIN: SND.NXT. Linux takes the edge of the window if the window has
    /// shrunk below it by a unit or more (net/ipv4/tcp_output.c, tcp_acceptable_seq).
    #[inline(always)]
    pub(super) fn bare_offset(&self) -> u64 {
        let nxt = self.sender.nxt();
        if self.sender.window_edge() < nxt { self.offset_beyond_window(nxt) } else { nxt }
    }

    #[cold]
    fn offset_beyond_window(&self, nxt: u64) -> u64 {
        let edge = self.sender.sent_edge();
        let within_unit = self.cold.peer_scales && nxt - edge < 1 << self.receiver.scale();
        if self.sender.config.conformance != Conformance::Linux || within_unit { nxt } else { edge }
    }

    /// A segment with neither payload nor FIN, with the sequence number of `offset`.
    #[inline(always)]
    fn bare_ack<const PLAIN: bool, O: Observer>(&mut self, now: Nanos, offset: u64, obs: &mut O) -> Segment {
        let mut segment = Segment::new(Flags::ACK);
        segment.seq = self.wire(offset);
        self.finish::<PLAIN>(now, &mut segment, false);
        obs.event(now, Event::Sent { segment: &segment, offset: self.sender.nxt(), retransmission: false });
        segment
    }

    /// Like `bare_ack`, for rare use: not inlined.
    #[inline(never)]
    pub(super) fn bare_ack_of<O: Observer>(&mut self, now: Nanos, offset: u64, obs: &mut O) -> Segment {
        self.bare_ack::<false, O>(now, offset, obs)
    }

    /// Returns small segments that leave only with an ACK that is due.
    #[cold]
    #[inline(never)]
    fn poll_with_ack<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Option<Segment> {
        if let Some(sent) = self.sender.poll(now, HEADERS, obs) {
            return Some(self.data::<false, O>(now, sent, obs));
        }
        self.sender.retain();
        None
    }

    #[inline(always)]
    pub(super) fn data<const PLAIN: bool, O: Observer>(
        &mut self,
        now: Nanos,
        sent: Transmission,
        obs: &mut O,
    ) -> Segment {
        let mut segment = Segment::new(Flags::ACK);
        segment.seq = self.wire(sent.offset);
        segment.len = sent.len;
        if sent.fin {
            segment.flags = segment.flags.with(Flags::FIN);
            self.on_fin_sent(now, obs);
        }
        if self.sender.pushes(&sent) {
            segment.flags = segment.flags.with(Flags::PSH);
        }
        self.finish::<PLAIN>(now, &mut segment, sent.len > 0 && !sent.retransmission);
        // A FIN alone is no data packet (RFC 3168 section 6.1.2).
        if sent.cwr && sent.len > 0 && self.uses.has(Uses::CLASSIC_ECN) {
            segment.flags = segment.flags.with(Flags::CWR);
        }
        let stats = self.sender.stats_mut();
        let bytes = u64::from(sent.len);
        stats.data_segments_sent += u64::from(sent.len > 0);
        stats.bytes_sent += bytes;
        if sent.retransmission {
            stats.data_retransmits += u64::from(sent.len > 0);
            stats.bytes_retransmitted += bytes;
        }
        self.receiver.on_data_sent(now);
        obs.event(now, Event::Sent { segment: &segment, offset: sent.offset, retransmission: sent.retransmission });
        segment
    }

    #[inline(never)]
    fn on_fin_sent<O: Observer>(&mut self, now: Nanos, obs: &mut O) {
        match self.state {
            State::Established => self.enter(now, State::FinWait1, obs),
            State::CloseWait => self.enter(now, State::LastAck, obs),
            _ => {}
        }
    }

    /// Bytes that options of the next segment take from its payload, without the timestamps.
    #[inline]
    fn options_len(&self) -> u32 {
        if self.may_report() { self.options_len_of_some() } else { 0 }
    }

    /// Whether the next segment may carry SACK blocks or the AccECN option. Nearly all segments carry neither, and do not
    /// touch the memory that the choice of options needs.
    #[inline]
    fn may_report(&self) -> bool {
        self.uses.has(Uses::ACCECN) || self.receiver.reports()
    }

    #[inline(never)]
    fn options_len_of_some(&self) -> u32 {
        let blocks = self.receiver.blocks_due(self.most_blocks());
        if self.uses.has(Uses::ACCECN) {
            let (blocks, option) = self.share_options(blocks);
            return options_len(blocks, option.as_ref());
        }
        options_len(blocks, None)
    }

    /// The SACK blocks (at most `blocks`) and the AccECN option that fit into a header. Two blocks have priority over
    /// the option, and the option over the other blocks. If necessary, unchanged counters at the end of the option are
    /// left out (RFC 9768 section 3.2.3.3).
    #[inline(never)]
    fn share_options(&self, blocks: usize) -> (usize, Option<AccEcnOption>) {
        let room = self.room();
        let Some(option) = self.cold.acc.option().filter(|_| self.tells_marks()) else { return (blocks, None) };
        for count in (self.cold.acc.needed(&option)..=option.count).rev() {
            let option = AccEcnOption { count, ..option };
            let fits = (blocks.min(2)..=blocks).rev().find(|&blocks| options_len(blocks, Some(&option)) <= room);
            if let Some(fits) = fits {
                return (fits, Some(option));
            }
        }
        (blocks, None)
    }

    /// Number of SACK blocks that fit into a header with timestamps, if they are in use (RFC 2018 section 3).
    #[inline]
    fn most_blocks(&self) -> usize {
        (self.room().saturating_sub(2) / 8).min(MAX_SACK_BLOCKS as u32) as usize
    }

    /// Bytes of options that a header has room for besides the timestamps, if they are in use.
    #[inline]
    fn room(&self) -> u32 {
        (MAX_OPTIONS - self.stamps_len()).saturating_sub(self.cold.room)
    }

    /// Fills in the fields of every segment of a synchronised connection. `new_data` is whether the segment carries
    /// payload that was never sent before.
    // Inline, so that `PLAIN` segments, which have no option but timestamps, stay in registers.
    #[inline(always)]
    pub(super) fn finish<const PLAIN: bool>(&mut self, now: Nanos, segment: &mut Segment, new_data: bool) {
        segment.ack = self.receive_next();
        if !PLAIN && (self.uses.without(Uses::TIMESTAMPS).any() || self.receiver.reports()) {
            *segment = self.with_options(*segment, new_data);
        } else {
            segment.window = self.receiver.pay();
        }
        if self.uses.has(Uses::TIMESTAMPS) {
            //= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
            //# the TSopt MUST be sent in every non-<RST> segment for the duration of the connection
            segment.timestamps = Some(self.stamps.option(now));
            self.stamps.last_ack = segment.ack;
        }
        self.sender.stats_mut().segments_sent += 1;
    }

    /// The part of [`Endpoint::finish`] for segments with options besides timestamps.
    #[inline(never)]
    fn with_options(&mut self, mut filled: Segment, new_data: bool) -> Segment {
        let segment = &mut filled;
        let base = self.irs.wrapping_add(1);
        let duplicate = if self.uses.has(Uses::ACCECN) { self.receiver.duplicate() } else { None };
        if let Some(block) = duplicate {
            self.cold.acc.on_duplicate(block);
        }
        let (blocks, option) = if self.may_report() { self.options_of(segment) } else { (0, None) };
        self.receiver.fill(segment, blocks, |offset| base.wrapping_add(offset as u32));
        if self.uses.has(Uses::MISBEHAVIOUR) {
            self.claim(segment);
        }
        if self.uses_ecn() {
            if option.is_some() {
                segment.set_accecn(option);
                self.cold.acc.on_option_sent(segment.len > 0, duplicate);
            }
            self.mark(segment, new_data);
        }
        if self.uses.has(Uses::XCP) {
            segment.feedback = Some(Feedback::Xcp(self.congestion_header(segment.len)));
        }
        filled
    }

    /// The number of SACK blocks, and the AccECN option, that `segment` carries.
    #[inline(never)]
    fn options_of(&self, segment: &Segment) -> (usize, Option<AccEcnOption>) {
        let mut blocks = self.most_blocks();
        let mut option = None;
        if self.uses.has(Uses::ACCECN) {
            (blocks, option) = self.share_options(self.receiver.blocks_due(blocks));
        }
        if segment.len > 0 {
            // A retransmission may be full: options that do not fit are left out.
            let room = self.sender.mss().saturating_sub(segment.len);
            option = option.filter(|option| options_len(0, Some(option)) <= room);
            while blocks > 0 && options_len(blocks, option.as_ref()) > room {
                blocks -= 1;
            }
        }
        (blocks, option)
    }

    /// RCV.NXT on the wire.
    #[inline]
    pub(super) fn receive_next(&self) -> u32 {
        self.irs.wrapping_add(1).wrapping_add(self.receiver.next() as u32)
    }
}

/// Bytes that SACK blocks and an AccECN option take from a segment, without the timestamps.
#[inline]
fn options_len(blocks: usize, option: Option<&AccEcnOption>) -> u32 {
    let sack = if blocks > 0 { 2 + 8 * blocks as u32 } else { 0 };
    let accecn = option.map_or(0, |option| 2 + 3 * u32::from(option.count));
    (sack + accecn).div_ceil(4) * 4
}
