//! The receiving end of a call: reports, requests for missing packets, assembly and decoding of frames, play-out.

use std::collections::BTreeMap;

use ackclock_core::{Ecn, Nanos};
use ackclock_media::{Meter, Recorder, Report};
use ackclock_results::Sketch;

use super::fec::{Code, Decoder, Protected, insert};
use super::fields::Fields;
use super::playout::Playout;
use super::repair::{PERIOD, Repair};
use super::rtp::{Frame, Packet, Role};
use super::{AUDIO, MILLISECOND, Message};
use crate::Datagram;

/// Window of the receiving rate, from which the time between reports follows, in ns.
const RATE_WINDOW: Nanos = 500 * MILLISECOND;
/// Time without news after which the last report is repeated, in ns.
const SILENCE: Nanos = 500 * MILLISECOND;
/// Time between two requests for a key frame, in ns, besides a round-trip time.
const KEY_PAUSE: Nanos = 200 * MILLISECOND;
/// Time without frames from which on there is no freeze but a pause of the media, in ns. The receiver cannot know
/// why nothing comes; a call that is frozen for so long is counted by the time that its frames are shown late.
const PAUSE: Nanos = 5_000 * MILLISECOND;

/// A frame of which some packets have arrived.
#[derive(Clone, Debug)]
struct Assembly {
    arrived: Vec<bool>,
    left: u32,
}

/// The receiver's state.
#[derive(Debug)]
pub(super) struct Receiver {
    interval: Option<Nanos>,
    interval_of: fn(f64) -> Nanos,
    recorder: Recorder,
    reported: Nanos,
    has_reported: bool,
    received: Meter,
    repair: Repair,
    code: Option<Code>,
    fec: Decoder,
    /// One more than the largest RTP sequence number that has arrived.
    highest: u64,
    wait: Nanos,
    assemblies: BTreeMap<u32, Assembly>,
    /// Frames that are complete and not decoded.
    complete: BTreeMap<u32, Nanos>,
    /// The frame that is decoded next.
    next: u32,
    /// One more than the largest number of a frame of which a packet has arrived.
    seen: u32,
    /// Whether a frame is lost, so that only a key frame can be decoded.
    needs_key: bool,
    asked_for_key: Option<Nanos>,
    playout: Playout,
    /// Times at which frames are shown, by number.
    played: BTreeMap<u32, Nanos>,
    pub counts: Counts,
    /// One-way delays of packets, and those of audio.
    pub delays: Sketch,
    pub audio_delays: Sketch,
    audio_end: u64,
    audio_seen: Vec<u64>,
    /// One more than the largest transport-wide number, and the numbers that have arrived.
    end: u64,
    numbers: Vec<u64>,
    last_frame: Option<Nanos>,
}

/// Counts of a receiver.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Counts {
    /// Packets of video that have arrived, duplicates aside, and their bytes with all headers.
    pub packets: u64,
    pub bytes: u64,
    /// Packets that were marked.
    pub marked: u64,
    /// Requests for key frames.
    pub plis: u64,
    /// Packets that parities have repaired.
    pub parity_repaired: u64,
    /// Packets of audio that have arrived.
    pub audio: u64,
    /// Sum of the one-way delays since the last sample, in ns, and their number.
    pub sample_delay: u64,
    pub sample_packets: u64,
}

impl Receiver {
    pub fn new(fields: &Fields) -> Receiver {
        let entry = fields.control.entry();
        Receiver {
            interval: fields.feedback_interval,
            interval_of: entry.interval,
            recorder: Recorder::new(fields.feedback.unwrap_or(entry.format)),
            reported: 0,
            has_reported: false,
            received: Meter::new(RATE_WINDOW),
            repair: Repair::new(fields.nack, fields.nack_retries),
            code: fields.code(),
            fec: Decoder::default(),
            highest: 0,
            wait: fields.wait,
            assemblies: BTreeMap::new(),
            complete: BTreeMap::new(),
            next: 0,
            seen: 0,
            needs_key: false,
            asked_for_key: None,
            playout: Playout::new(fields.playout, fields.playout_max),
            played: BTreeMap::new(),
            counts: Counts::default(),
            delays: Sketch::default(),
            audio_delays: Sketch::default(),
            audio_end: 0,
            audio_seen: Vec::new(),
            end: 0,
            numbers: Vec::new(),
            last_frame: None,
        }
    }

    /// Returns the time to the next report in ns.
    pub fn interval(&mut self, now: Nanos) -> Nanos {
        self.interval.unwrap_or_else(|| (self.interval_of)(self.received.rate(now)))
    }

    /// Returns the report that is due; the last one again if there was no news for half a second.
    pub fn report(&mut self, now: Nanos) -> Option<Report> {
        let report = self.recorder.report(now).or_else(|| {
            let is_silent = self.has_reported && now >= self.reported.saturating_add(SILENCE);
            is_silent.then(|| self.recorder.again(now))
        })?;
        (self.reported, self.has_reported) = (now, true);
        Some(report)
    }

    /// Returns the time of the next requests, if something is missing.
    pub fn repair_due(&self, now: Nanos) -> Option<Nanos> {
        (self.needs_key || self.repair.is_waiting()).then(|| now.saturating_add(PERIOD))
    }

    /// Returns the requests that are due at `now`.
    pub fn requests(&mut self, now: Nanos, rtt: Nanos) -> Vec<Message> {
        let mut messages = Vec::new();
        let missing = self.repair.due_requests(now, rtt);
        if !missing.is_empty() {
            messages.push(Message::Nack(missing));
        }
        let is_early = self.asked_for_key.is_some_and(|at| now < at.saturating_add(rtt + KEY_PAUSE));
        if self.needs_key && !is_early {
            self.asked_for_key = Some(now);
            self.counts.plis += 1;
            messages.push(Message::Pli);
        }
        messages
    }

    /// Handles a packet of audio.
    pub fn on_audio(&mut self, now: Nanos, datagram: Datagram) {
        let number = datagram.number & !AUDIO;
        if insert(&mut self.audio_seen, number) {
            self.counts.audio += 1;
            self.audio_end = self.audio_end.max(number + 1);
            self.audio_delays.record(now - datagram.sent);
        }
    }

    /// Returns the packets of audio that are lost: numbers below the largest that has arrived.
    pub fn audio_lost(&self) -> u64 {
        self.audio_end - self.counts.audio
    }

    /// Returns the packets that are lost, retransmissions included, and how many were expected.
    pub fn lost(&self) -> (u64, u64) {
        (self.end - self.counts.packets, self.end)
    }

    /// Returns the packets that were requested.
    pub fn requested(&self) -> u64 {
        self.repair.requests
    }

    /// Returns the play-out.
    pub fn playout(&self) -> &Playout {
        &self.playout
    }

    /// Returns the times at which frames are shown, by number.
    pub fn played(&self) -> &BTreeMap<u32, Nanos> {
        &self.played
    }

    /// Handles a packet of video.
    pub fn on_packet(
        &mut self,
        now: Nanos,
        datagram: Datagram,
        packet: Packet,
        frames: &[Frame],
        protected: &[Protected],
    ) {
        let is_marked = datagram.ecn == Ecn::Ce;
        self.recorder.received(datagram.number, now, is_marked);
        if !insert(&mut self.numbers, datagram.number) {
            return;
        }
        self.end = self.end.max(datagram.number + 1);
        self.counts.packets += 1;
        self.counts.bytes += u64::from(packet.size);
        self.counts.marked += u64::from(is_marked);
        self.counts.sample_delay += now - datagram.sent;
        self.counts.sample_packets += 1;
        self.delays.record(now - datagram.sent);
        self.received.add(now, packet.size.into());
        self.seen = self.seen.max(packet.frame + 1);
        let repaired = match packet.role {
            Role::Media => {
                self.highest = self.highest.max(packet.sequence + 1);
                self.repair.received(packet.sequence);
                self.assemble(now, packet.frame, packet.sequence, frames);
                self.fec_arrival(packet.sequence)
            }
            Role::Retransmission => {
                self.repair.repaired(packet.sequence);
                self.assemble(now, packet.frame, packet.sequence, frames);
                self.fec_arrival(packet.sequence)
            }
            Role::Parity(number) => self.fec.repair(protected[number as usize]),
        };
        for sequence in repaired {
            self.counts.parity_repaired += 1;
            // All packets before it have arrived or are missing, as if it had arrived itself.
            self.repair.received(sequence);
            let frame = frames.partition_point(|frame| frame.first <= sequence) - 1;
            self.assemble(now, frame as u32, sequence, frames);
        }
        self.decode(now, frames);
    }

    fn fec_arrival(&mut self, sequence: u64) -> Vec<u64> {
        if self.code.is_some() { self.fec.arrive(sequence) } else { Vec::new() }
    }

    fn assemble(&mut self, now: Nanos, number: u32, sequence: u64, frames: &[Frame]) {
        let frame = &frames[number as usize];
        if number < self.next || self.complete.contains_key(&number) {
            return;
        }
        let assembly = self
            .assemblies
            .entry(number)
            .or_insert_with(|| Assembly { arrived: vec![false; frame.packets as usize], left: frame.packets });
        let index = (sequence - frame.first) as usize;
        if !std::mem::replace(&mut assembly.arrived[index], true) {
            assembly.left -= 1;
        }
        if assembly.left == 0 {
            self.assemblies.remove(&number);
            self.complete.insert(number, now);
        }
    }

    /// Decodes the frames that can be decoded, and gives up the ones that cannot.
    fn decode(&mut self, now: Nanos, frames: &[Frame]) {
        loop {
            if self.complete.contains_key(&self.next) && (!self.needs_key || frames[self.next as usize].is_key) {
                self.show(now, self.next, &frames[self.next as usize]);
                continue;
            }
            // A complete key frame makes all before it needless, if the decoder waits or has waited long enough.
            let is_late =
                frames.get(self.next as usize).is_some_and(|frame| now > frame.captured.saturating_add(self.wait));
            let missing = self.next < self.seen;
            if missing && (is_late || self.needs_key || self.is_given_up(frames)) {
                let key = self.complete.keys().copied().find(|frame| frames[*frame as usize].is_key);
                if let Some(key) = key {
                    self.skip_to(key, frames);
                    continue;
                }
                self.needs_key = true;
                // Nobody waits for the packets of frames that are too late.
                let on_time = |frame: &Frame| now <= frame.captured.saturating_add(self.wait);
                if let Some(frame) = frames[self.next as usize..].iter().find(|frame| on_time(frame)) {
                    self.repair.forget(frame.first);
                }
            }
            return;
        }
    }

    /// Whether the frame that is decoded next has a packet missing that is not requested any more: without NACK, as soon
    /// as a packet of a later frame is there. With forward error correction, the packet has to be after all repair packets
    /// of the frame.
    fn is_given_up(&self, frames: &[Frame]) -> bool {
        let next = &frames[self.next as usize];
        let end = next.first + u64::from(next.packets);
        let protects = self.code.is_some_and(|code| self.highest <= code.block_end(end - 1, end));
        self.next + 1 < self.seen && !self.complete.contains_key(&self.next) && !self.repair.is_waiting() && !protects
    }

    fn skip_to(&mut self, frame: u32, frames: &[Frame]) {
        self.assemblies = self.assemblies.split_off(&frame);
        self.complete = self.complete.split_off(&frame);
        self.next = frame;
        self.repair.forget(frames[frame as usize].first);
        self.fec.forget(frames[frame as usize].first);
    }

    fn show(&mut self, now: Nanos, number: u32, frame: &Frame) {
        self.complete.remove(&number);
        (self.needs_key, self.asked_for_key) = (false, None);
        if self.last_frame.is_some_and(|last| frame.captured.saturating_sub(last) > PAUSE) {
            self.playout.pause();
        }
        self.last_frame = Some(frame.captured);
        let at = self.playout.play(now, frame.captured);
        self.played.insert(number, at);
        self.next = number + 1;
        self.fec.forget(frame.first + u64::from(frame.packets));
    }
}
