//! The sending end of a call: encoder, congestion control, pacer, and retransmissions.

use std::collections::BTreeMap;

use ackclock_core::headers::UDP_IPV4;
use ackclock_core::{Ecn, Nanos};
use ackclock_media::{Breaker, Control, History, Meter, Packet as Sent, Rates, Reason, Setup};

use super::encoder::Encoder;
use super::fec::{self, Code, Protected};
use super::fields::Fields;
use super::pacer::{Next, Pacer};
use super::rtp::{self, Frame, Packet, Role};
use super::{AUDIO, MILLISECOND, Message, token};
use crate::{AppContext, Side};

/// RTT before there is a sample, in ns.
const FIRST_RTT: Nanos = 100 * MILLISECOND;
/// Least time between two key frames on request, in ns, as in WebRTC.
const KEY_PAUSE: Nanos = 300 * MILLISECOND;
/// Window of the sending rate for the circuit breaker, in ns.
const RATE_WINDOW: Nanos = 1_000_000_000;

/// The sender's state.
#[derive(Debug)]
pub(super) struct Sender {
    fps: f64,
    payload: u32,
    skip_after: Nanos,
    audio_payload: u32,
    ecn: Ecn,
    encoder: Encoder,
    control: Box<dyn Control>,
    history: History,
    pacer: Pacer,
    /// Times of the timers that are set.
    pace_at: Option<Nanos>,
    control_at: Option<Nanos>,
    frames: Vec<Frame>,
    /// Packets by transport-wide number.
    packets: Vec<Packet>,
    sequence: u64,
    code: Option<Code>,
    parity: fec::Encoder,
    /// The packets that each repair packet protects.
    protected: Vec<Protected>,
    rtt: Option<Nanos>,
    wants_key: bool,
    /// Times of the latest retransmissions, by sequence number.
    repaired: BTreeMap<u64, Nanos>,
    sent: Meter,
    breaker: Option<Breaker>,
    uses_breaker: bool,
    stopped: Option<(Nanos, Reason)>,
    pub counts: Counts,
}

/// Counts of a sender.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Counts {
    /// Frames that the encoder skipped.
    pub skipped: u64,
    /// Key frames.
    pub keys: u64,
    /// Bytes of packets, with all headers, retransmissions included.
    pub bytes: u64,
    /// Retransmitted packets.
    pub repairs: u64,
    /// Repair packets of forward error correction and their bytes, and the bytes of the packets of frames.
    pub parities: u64,
    pub parity_bytes: u64,
    pub media_bytes: u64,
    /// Packets of audio.
    pub audio: u64,
    /// Target rate integrated over time, in bit/s times ns, and the time up to which it is.
    pub target: f64,
    pub upto: Nanos,
}

impl Sender {
    pub fn new(fields: &Fields) -> Sender {
        let setup = Setup {
            min_rate: fields.min_rate as f64,
            max_rate: fields.max_rate as f64,
            start_rate: fields.first_rate() as f64,
            packet: fields.packet_size(),
            fps: fields.fps.into(),
            l4s: fields.ecn == Ecn::Ect1,
        };
        let audio = fields.audio.unwrap_or(0) as f64 * rtp::AUDIO_FRAME as f64 / 8e9;
        Sender {
            fps: setup.fps,
            payload: fields.payload,
            skip_after: fields.skip_after,
            audio_payload: libm::round(audio).clamp(1.0, 60_000.0) as u32,
            ecn: fields.ecn,
            encoder: Encoder::new(fields),
            control: fields.control.make(&setup),
            history: History::default(),
            pacer: Pacer::default(),
            pace_at: None,
            control_at: None,
            frames: Vec::new(),
            packets: Vec::new(),
            sequence: 0,
            code: fields.code(),
            parity: fec::Encoder::new(fields.code()),
            protected: Vec::new(),
            rtt: None,
            wants_key: false,
            repaired: BTreeMap::new(),
            sent: Meter::new(RATE_WINDOW),
            breaker: None,
            uses_breaker: fields.breaker,
            stopped: None,
            counts: Counts::default(),
        }
    }

    /// Begins at `now`.
    pub fn start(&mut self, now: Nanos) {
        self.counts.upto = now;
        if self.uses_breaker {
            self.breaker = Some(Breaker::new(now, 1.0 / self.fps));
        }
    }

    /// Whether a circuit breaker has stopped the media.
    pub fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Returns when and why the media was stopped.
    pub fn stopped(&self) -> Option<(Nanos, Reason)> {
        self.stopped
    }

    /// Returns the round-trip time in ns.
    pub fn rtt(&self) -> Nanos {
        self.rtt.unwrap_or(FIRST_RTT)
    }

    /// Returns the packet of a transport-wide number.
    pub fn packet(&self, number: u64) -> Option<Packet> {
        self.packets.get(number as usize).copied()
    }

    /// Returns the number of packets sent.
    pub fn sent(&self) -> u64 {
        self.packets.len() as u64
    }

    /// Returns the frames encoded so far.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Returns the target rate of the congestion control and the rate of the encoder, with headers and without.
    pub fn target(&self) -> (f64, f64) {
        (self.rates().target, self.encoder.rate())
    }

    fn rates(&self) -> Rates {
        self.control.rates(self.pacer.bytes())
    }

    /// Adds the target rate up to `now` to its integral.
    pub fn account(&mut self, now: Nanos) {
        let elapsed = now.saturating_sub(self.counts.upto);
        if !self.is_stopped() {
            self.counts.target += self.rates().target * elapsed as f64;
        }
        self.counts.upto = now;
    }

    /// Captures a frame, and encodes it unless the pacer holds too much. Returns the time to the next frame in ns.
    pub fn capture(&mut self, ctx: &mut AppContext<'_>) -> Nanos {
        let target = rtp::payload_rate(self.media_rate(), self.fps, self.payload);
        let skips = self.pacer.waited(ctx.now) > self.skip_after;
        let wants_key = !skips && std::mem::take(&mut self.wants_key);
        if skips {
            self.counts.skipped += 1;
            return (1e9 / self.fps) as Nanos;
        }
        let encoded = self.encoder.encode(ctx.now, target, wants_key, ctx.random);
        let frame = self.frames.len() as u32;
        let packets = rtp::packets_of(encoded.bytes, self.payload);
        let (captured, bytes, is_key, first) = (ctx.now, encoded.bytes, encoded.is_key, self.sequence);
        self.frames.push(Frame { captured, bytes, packets, is_key, first });
        self.counts.keys += u64::from(is_key);
        let mut wire = 0;
        let end = first + u64::from(packets);
        for size in rtp::sizes(bytes, self.payload) {
            let sequence = self.sequence;
            self.sequence += 1;
            wire += u64::from(size);
            self.pacer.add(ctx.now, Packet { sequence, frame, size, role: Role::Media });
            for protected in self.parity.push(sequence, self.sequence == end) {
                wire += self.protect(ctx.now, Packet { sequence, frame, size, role: Role::Media }, protected);
            }
        }
        self.control.on_encoded(ctx.now, wire);
        self.pump(ctx);
        encoded.interval
    }

    /// Returns the part of the target rate that repair packets leave to the packets of frames, in bit/s.
    fn media_rate(&self) -> f64 {
        let target = self.rates().target;
        let Some(code) = self.code else { return target };
        let size = f64::from(self.payload + UDP_IPV4 + rtp::HEADER);
        let more = 1.0 + f64::from(fec::MORE) / size;
        let left = |rate: f64| target / (1.0 + more * code.repairs(libm::ceil(rate / 8.0 / self.fps / size).max(1.0)));
        left(left(target))
    }

    /// Queues a repair packet after a packet. Returns its size.
    fn protect(&mut self, now: Nanos, last: Packet, protected: Protected) -> u64 {
        let sizes = protected.sequences().filter_map(|sequence| Some(self.media_packet(sequence)?.1));
        let size = sizes.max().unwrap_or(last.size) + fec::MORE;
        let role = Role::Parity(self.protected.len() as u32);
        self.protected.push(protected);
        self.pacer.add(now, Packet { size, role, ..last });
        size.into()
    }

    /// Returns the frame and the size of the packet with an RTP sequence number.
    fn media_packet(&self, sequence: u64) -> Option<(usize, u32)> {
        let index = self.frames.partition_point(|frame| frame.first <= sequence).checked_sub(1)?;
        let frame = self.frames[index];
        Some((index, rtp::sizes(frame.bytes, self.payload).nth((sequence - frame.first) as usize)?))
    }

    /// Returns the packets that each repair packet protects.
    pub fn protected(&self) -> &[Protected] {
        &self.protected
    }

    /// Sends a packet of audio.
    pub fn speak(&mut self, ctx: &mut AppContext<'_>) {
        ctx.send(Side::Source, AUDIO | self.counts.audio, rtp::AUDIO_HEADER + self.audio_payload);
        self.counts.audio += 1;
    }

    /// Sends what may be sent, and sets the timers.
    fn pump(&mut self, ctx: &mut AppContext<'_>) {
        loop {
            let (rate, room) = (self.rates().pacing, self.control.room());
            match self.pacer.poll(ctx.now, rate, room) {
                Next::Idle => break,
                Next::At(at) => {
                    if self.pace_at.is_none_or(|set| set > at || set < ctx.now) {
                        self.pace_at = Some(at);
                        ctx.timer(at, token::PACE);
                    }
                    break;
                }
                Next::Send(packet) => {
                    let number = self.packets.len() as u64;
                    self.packets.push(packet);
                    let sent = Sent { number, size: packet.size, sent: ctx.now };
                    self.history.sent(sent);
                    self.control.on_sent(&sent);
                    self.sent.add(ctx.now, packet.size.into());
                    self.counts.bytes += u64::from(packet.size);
                    let size = u64::from(packet.size);
                    match packet.role {
                        Role::Media => self.counts.media_bytes += size,
                        Role::Retransmission => self.counts.repairs += 1,
                        Role::Parity(_) => {
                            (self.counts.parities, self.counts.parity_bytes) =
                                (self.counts.parities + 1, self.counts.parity_bytes + size);
                        }
                    }
                    ctx.send_marked(Side::Source, number, packet.size - UDP_IPV4, self.ecn);
                }
            }
        }
        self.set_control_timer(ctx);
    }

    fn set_control_timer(&mut self, ctx: &mut AppContext<'_>) {
        if let Some(at) = self.control.due().map(|due| due.max(ctx.now))
            && self.control_at.is_none_or(|set| set > at || set < ctx.now)
        {
            self.control_at = Some(at);
            ctx.timer(at, token::CONTROL);
        }
    }

    /// Handles a timer of the pacer or of the congestion control.
    pub fn on_timer(&mut self, ctx: &mut AppContext<'_>, token: u64) {
        if self.is_stopped() {
            return;
        }
        if token == token::PACE {
            self.pace_at = None;
        } else {
            self.control_at = None;
            if self.control.due().is_some_and(|due| due <= ctx.now) {
                self.account(ctx.now);
                self.control.expire(ctx.now, self.pacer.bytes());
            }
        }
        self.pump(ctx);
    }

    /// Handles a message of the receiver.
    pub fn on_message(&mut self, ctx: &mut AppContext<'_>, message: &Message) {
        if self.is_stopped() {
            return;
        }
        self.account(ctx.now);
        match message {
            Message::Report(report) => {
                let highest = (report.begin + report.arrivals.len() as u64).checked_sub(1);
                let (mut packets, mut lost) = (0, 0);
                if let Some(feedback) = self.history.read(ctx.now, report) {
                    packets = feedback.outcomes.len() as u64;
                    lost = feedback.outcomes.iter().filter(|outcome| outcome.arrival.is_none()).count() as u64;
                    self.rtt = Some(feedback.rtt);
                    self.control.on_feedback(&feedback);
                }
                self.check_breaker(ctx.now, highest, packets, lost);
            }
            Message::Nack(sequences) => {
                let rtt = self.rtt();
                for &sequence in sequences {
                    self.repair(ctx.now, sequence, rtt);
                }
                let expired = ctx.now.saturating_sub(10 * rtt.max(MILLISECOND));
                self.repaired.retain(|_, at| *at >= expired);
            }
            Message::Pli => self.wants_key |= ctx.now >= self.encoder.last_key().saturating_add(KEY_PAUSE),
        }
        self.pump(ctx);
    }

    /// Queues the retransmission of a packet, once in a round-trip time.
    fn repair(&mut self, now: Nanos, sequence: u64, rtt: Nanos) {
        if self.repaired.get(&sequence).is_some_and(|at| now < at.saturating_add(rtt)) {
            return;
        }
        let Some((index, size)) = self.media_packet(sequence) else { return };
        self.repaired.insert(sequence, now);
        let size = size + rtp::ORIGINAL;
        self.pacer.add(now, Packet { sequence, frame: index as u32, size, role: Role::Retransmission });
    }

    fn check_breaker(&mut self, now: Nanos, highest: Option<u64>, packets: u64, lost: u64) {
        let rtt = self.rtt();
        let Some(breaker) = &mut self.breaker else { return };
        let size = self.counts.bytes as f64 / (self.packets.len() as f64).max(1.0);
        let rate = self.sent.rate(now);
        if let Some(reason) = breaker.on_report(now, highest, packets, lost, rtt, rate, size) {
            self.stop(now, reason);
        }
    }

    /// Returns the time of the circuit breaker's timeout.
    pub fn breaker_due(&self) -> Nanos {
        self.breaker.as_ref().map_or(Nanos::MAX, Breaker::due)
    }

    /// Handles the circuit breaker's timer. Returns the next time; `None` if the media is stopped.
    pub fn expire_breaker(&mut self, now: Nanos) -> Option<Nanos> {
        if let Some(reason) = self.breaker.as_ref()?.expire(now) {
            self.account(now);
            self.stop(now, reason);
        }
        (!self.is_stopped()).then(|| self.breaker_due())
    }

    /// Ceases transmission (RFC 8083 section 4.5).
    fn stop(&mut self, now: Nanos, reason: Reason) {
        if self.stopped.is_none() {
            self.stopped = Some((now, reason));
            self.pacer.clear();
        }
    }
}
