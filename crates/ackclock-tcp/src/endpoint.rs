//! The connection: its states, the handshake, the close, and the glue between sender and receiver.

use crate::receiver::{Receiver, window_scale};
use crate::segment::MAX_SACK_BLOCKS;
use crate::sender::{Arrival, Sender, Transmission};
use crate::{Config, Event, Flags, NEVER, Nanos, Observer, Segment, Stats, Window};

/// Connection states of RFC 9293 section 3.3.2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the RFC's own names")]
pub enum State {
    Closed,
    Listen,
    SynSent,
    SynReceived,
    Established,
    FinWait1,
    FinWait2,
    CloseWait,
    Closing,
    LastAck,
    TimeWait,
}

/// What a call changed that an application may want to know.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress(u8);

impl Progress {
    /// The connection is established.
    pub const CONNECTED: Progress = Progress(1);
    /// More in-order data can be read.
    pub const RECEIVED: Progress = Progress(2);
    /// More of our data was acknowledged.
    pub const ACKED: Progress = Progress(4);
    /// The peer's FIN arrived, and everything before it.
    pub const PEER_CLOSED: Progress = Progress(8);
    /// The connection is over: closed by both ends, reset, or given up.
    pub const CLOSED: Progress = Progress(16);

    /// Whether every part of `other` is set.
    #[inline]
    pub fn has(self, other: Progress) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether nothing changed.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline]
    fn add(&mut self, other: Progress) {
        self.0 |= other.0;
    }
}

/// Bytes of IPv4 and TCP header without options, which pacing counts as well.
const HEADERS: u64 = 40;

/// One end of a TCP connection.
// In memory as it stands here: what every segment touches, then what only the handshake does (see `Sender`).
#[repr(C)]
pub struct Endpoint {
    state: State,
    /// Whether a SYN (or SYN-ACK) waits to be sent.
    syn_due: bool,
    /// The shift of the peer's window field.
    peer_scale: u8,
    /// Our initial sequence number, and the peer's.
    iss: u32,
    irs: u32,
    syn_timeout: Nanos,
    time_wait_until: Nanos,
    receiver: Receiver,
    sender: Sender,
    /// What the peer's SYN offered: its MSS and whether it takes SACK.
    peer_mss: u32,
    peer_sack: bool,
    peer_scales: bool,
    syn_retries: u32,
    syn_sent_at: Nanos,
    config: Box<Config>,
}

impl Endpoint {
    /// A closed endpoint with initial sequence number `isn`.
    pub fn new(config: &Config, isn: u32) -> Endpoint {
        Endpoint {
            state: State::Closed,
            sender: Sender::new(config),
            receiver: Receiver::new(config),
            iss: isn,
            irs: 0,
            peer_scale: 0,
            peer_mss: 536,
            peer_sack: false,
            peer_scales: false,
            syn_due: false,
            syn_retries: 0,
            syn_sent_at: 0,
            syn_timeout: NEVER,
            time_wait_until: NEVER,
            config: Box::new(config.clone()),
        }
    }

    /// Active open: the SYN comes from the next [`Endpoint::poll_transmit`].
    pub fn connect(&mut self, _now: Nanos) {
        self.state = State::SynSent;
        self.syn_due = true;
    }

    /// Passive open.
    pub fn listen(&mut self) {
        self.state = State::Listen;
    }

    /// Appends `bytes` to the stream to send.
    pub fn write(&mut self, _now: Nanos, bytes: u64) {
        self.sender.write(bytes);
    }

    /// No more writes: a FIN follows the data.
    pub fn close(&mut self, _now: Nanos) {
        self.sender.close();
    }

    /// The application consumed `bytes` of what was received.
    #[inline]
    pub fn read(&mut self, _now: Nanos, bytes: u64) {
        self.receiver.read(bytes);
    }

    /// Takes an arriving segment.
    pub fn on_segment<O: Observer>(&mut self, now: Nanos, segment: &Segment, obs: &mut O) -> Progress {
        self.sender.stats_mut().segments_received += 1;
        obs.event(now, Event::Received { segment });
        let mut progress = Progress::default();
        match self.state {
            State::Closed => {}
            State::Listen => self.on_syn(now, segment, obs),
            State::SynSent => self.on_syn_sent(now, segment, &mut progress, obs),
            _ => self.on_synchronised(now, segment, &mut progress, obs),
        }
        progress
    }

    /// A segment in LISTEN: only a SYN matters.
    fn on_syn<O: Observer>(&mut self, now: Nanos, segment: &Segment, obs: &mut O) {
        if segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK) && !segment.flags.has(Flags::RST) {
            self.take_syn(segment);
            self.syn_due = true;
            self.enter(now, State::SynReceived, obs);
        }
    }

    /// A segment in SYN-SENT (RFC 9293 section 3.10.7.3).
    fn on_syn_sent<O: Observer>(&mut self, now: Nanos, segment: &Segment, progress: &mut Progress, obs: &mut O) {
        let acks_ours = segment.flags.has(Flags::ACK) && segment.ack == self.iss.wrapping_add(1);
        if segment.flags.has(Flags::ACK) && !acks_ours {
            return;
        }
        if segment.flags.has(Flags::RST) {
            if acks_ours {
                self.end(now, progress, obs);
            }
            return;
        }
        if !segment.flags.has(Flags::SYN) {
            return;
        }
        self.take_syn(segment);
        if acks_ours {
            self.sender.set_window_edge(u64::from(segment.window));
            self.establish(now, progress, obs);
            self.receiver.owe_ack();
        } else {
            // Simultaneous open.
            self.syn_due = true;
            self.enter(now, State::SynReceived, obs);
        }
    }

    fn take_syn(&mut self, segment: &Segment) {
        self.irs = segment.seq;
        self.peer_mss = if segment.mss == 0 { 536 } else { u32::from(segment.mss) };
        self.peer_sack = segment.sack_permitted;
        self.peer_scales = segment.window_scale != Segment::NO_OPTION;
        self.peer_scale = if self.peer_scales { segment.window_scale.min(14) } else { 0 };
    }

    fn establish<O: Observer>(&mut self, now: Nanos, progress: &mut Progress, obs: &mut O) {
        let sack = self.config.sack && self.peer_sack;
        let scale = if self.peer_scales { window_scale(self.config.receive_buffer) } else { 0 };
        self.receiver.establish(now, sack, scale);
        let syn_lost = self.syn_retries > 0;
        if syn_lost {
            self.sender.rtt_mut().on_handshake_timeout();
        } else {
            self.sender.rtt_mut().on_sample(now - self.syn_sent_at);
        }
        self.syn_timeout = NEVER;
        self.syn_due = false;
        let mss = self.config.mss.min(self.peer_mss);
        self.sender.establish(now, mss, sack, syn_lost, &self.config);
        progress.add(Progress::CONNECTED);
        self.enter(now, State::Established, obs);
    }

    /// A segment in SYN-RECEIVED or later (RFC 9293 section 3.10.7.4).
    fn on_synchronised<O: Observer>(&mut self, now: Nanos, segment: &Segment, progress: &mut Progress, obs: &mut O) {
        let next = self.receiver.next();
        let start = unwrap(segment.seq.wrapping_sub(self.irs).wrapping_sub(1), next);
        let Some(start) = start.filter(|&start| self.acceptable(start, segment.seq_len())) else {
            // A retransmitted SYN in SYN-RECEIVED means that our SYN-ACK was lost; anything else gets an ACK.
            if self.state == State::SynReceived && segment.flags.has(Flags::SYN) && segment.seq == self.irs {
                self.syn_due = true;
            } else if !segment.flags.has(Flags::RST) {
                self.receiver.owe_ack();
            }
            return;
        };
        if segment.flags.has(Flags::RST) {
            self.end(now, progress, obs);
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
            window_edge: ack + (u64::from(segment.window) << self.peer_scale),
            blocks: &blocks[..count],
            pure: segment.len == 0 && !segment.flags.has(Flags::FIN),
            dsack: None,
            echo: None,
            congestion: false,
            marked: 0,
        };
        if self.sender.on_ack(now, &arrival, obs) {
            progress.add(Progress::ACKED);
        }
        if self.sender.fin_acked() {
            match self.state {
                State::FinWait1 => self.enter(now, State::FinWait2, obs),
                State::Closing => self.enter_time_wait(now, obs),
                State::LastAck => self.end(now, progress, obs),
                _ => {}
            }
        }
        true
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
        self.receiver.on_data(now, start, segment.len, segment.flags.has(Flags::FIN), idle);
        if self.receiver.received() > before {
            progress.add(Progress::RECEIVED);
        }
        if self.receiver.finished() && !was_finished {
            progress.add(Progress::PEER_CLOSED);
            match self.state {
                State::Established => self.enter(now, State::CloseWait, obs),
                State::FinWait1 => self.enter(now, State::Closing, obs),
                State::FinWait2 => self.enter_time_wait(now, obs),
                _ => {}
            }
        }
    }

    /// To be called when [`Endpoint::next_timeout`] has come; harmless earlier.
    pub fn on_timeout<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Progress {
        let mut progress = Progress::default();
        if self.syn_timeout <= now {
            self.syn_timeout = NEVER;
            self.syn_retries += 1;
            self.sender.rtt_mut().on_timeout();
            self.syn_due = true;
        }
        self.sender.on_timeout(now, obs);
        let given_up = self.syn_retries > self.config.syn_retries || self.sender.expiries() > self.config.data_retries;
        if given_up || self.time_wait_until <= now {
            self.end(now, &mut progress, obs);
        }
        self.receiver.on_timeout(now);
        progress
    }

    /// When [`Endpoint::on_timeout`] is next to be called; [`NEVER`] where no timer runs. May move with every call.
    #[inline]
    pub fn next_timeout(&self) -> Nanos {
        let sender = self.sender.rto_at().min(self.sender.paced_until());
        sender.min(self.receiver.delayed_at()).min(self.syn_timeout).min(self.time_wait_until)
    }

    /// The next segment to put on the wire now, if any. Call until `None` after every other call.
    pub fn poll_transmit<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Option<Segment> {
        if self.syn_due {
            return Some(self.syn(now, obs));
        }
        match self.state {
            State::Closed | State::Listen | State::SynSent | State::SynReceived => return None,
            State::TimeWait | State::FinWait2 => {}
            _ => {
                if let Some(sent) = self.sender.poll(now, HEADERS, obs) {
                    return Some(self.data(now, sent, obs));
                }
            }
        }
        if !self.receiver.owes_ack() {
            return None;
        }
        let mut segment = Segment::new(Flags::ACK);
        segment.seq = self.wire(self.sender.nxt());
        self.finish(&mut segment);
        obs.event(now, Event::Sent { segment: &segment, offset: self.sender.nxt(), retransmission: false });
        Some(segment)
    }

    fn syn<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Segment {
        self.syn_due = false;
        let mut segment = Segment::new(Flags::SYN);
        if self.state == State::SynReceived {
            segment.flags = Flags::SYN.with(Flags::ACK);
            segment.ack = self.irs.wrapping_add(1);
        }
        // RFC 7323 section 2.5 and RFC 2018 section 2: a SYN-ACK carries only what the SYN offered.
        let answering = self.state == State::SynReceived;
        segment.seq = self.iss;
        segment.mss = self.config.mss.min(u32::from(u16::MAX)) as u16;
        segment.window = self.receiver.syn_window();
        segment.sack_permitted = self.config.sack && (!answering || self.peer_sack);
        if !answering || self.peer_scales {
            segment.window_scale = window_scale(self.config.receive_buffer);
        }
        self.syn_sent_at = now;
        self.syn_timeout = now + self.sender.rtt().rto();
        self.sender.stats_mut().segments_sent += 1;
        obs.event(now, Event::Sent { segment: &segment, offset: 0, retransmission: self.syn_retries > 0 });
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
        if self.sender.is_last(sent.offset + u64::from(sent.len)) {
            segment.flags = segment.flags.with(Flags::PSH);
        }
        self.finish(&mut segment);
        self.sender.stats_mut().data_segments_sent += u64::from(sent.len > 0);
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

    #[inline]
    fn wire(&self, offset: u64) -> u32 {
        self.iss.wrapping_add(1).wrapping_add(offset as u32)
    }

    fn enter<O: Observer>(&mut self, now: Nanos, state: State, obs: &mut O) {
        self.state = state;
        obs.event(now, Event::StateChanged(state));
    }

    fn enter_time_wait<O: Observer>(&mut self, now: Nanos, obs: &mut O) {
        self.time_wait_until = now + self.config.time_wait;
        self.enter(now, State::TimeWait, obs);
    }

    fn end<O: Observer>(&mut self, now: Nanos, progress: &mut Progress, obs: &mut O) {
        self.syn_due = false;
        self.syn_timeout = NEVER;
        self.time_wait_until = NEVER;
        self.sender.stop();
        self.receiver.stop();
        progress.add(Progress::CLOSED);
        self.enter(now, State::Closed, obs);
    }

    /// State of RFC 9293 section 3.3.2.
    #[inline]
    pub fn state(&self) -> State {
        self.state
    }

    /// Stream bytes received in order so far.
    #[inline]
    pub fn received(&self) -> u64 {
        self.receiver.received()
    }

    /// Stream bytes of ours acknowledged so far.
    #[inline]
    pub fn acked(&self) -> u64 {
        self.sender.acked()
    }

    /// Counters.
    pub fn stats(&self) -> &Stats {
        self.sender.stats()
    }

    /// Smoothed RTT of the sender, nanoseconds; `None` before a sample.
    pub fn srtt(&self) -> Option<Nanos> {
        self.sender.rtt().srtt()
    }

    /// Smallest RTT sample of the sender, nanoseconds.
    pub fn min_rtt(&self) -> Option<Nanos> {
        self.sender.rtt().min()
    }

    /// Whether the state is within its invariants (the scoreboard agrees with its sums, SND.UNA <= SND.NXT, timers run only with
    /// a reason); else what is wrong. For tests: it looks at every outstanding segment.
    ///
    /// # Errors
    /// What does not hold, in words.
    pub fn check(&self) -> Result<(), String> {
        self.sender.check()
    }

    /// Congestion window state.
    pub fn window(&self) -> &Window {
        self.sender.window()
    }
}

/// The 64-bit offset nearest to `near` whose low 32 bits are `low`; `None` where it would be negative.
#[inline]
fn unwrap(low: u32, near: u64) -> Option<u64> {
    near.checked_add_signed(i64::from(low.wrapping_sub(near as u32) as i32))
}
