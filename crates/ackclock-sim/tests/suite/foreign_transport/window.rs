//! A transport of its own: a fixed window of packets, an acknowledgment for each packet, and a timer for each packet. A
//! window of one packet is stop-and-wait. Its packets carry bytes that only the transport reads.

use std::collections::{BTreeMap, VecDeque};

use ackclock_core::{Ecn, Nanos, Stream};
use ackclock_sim::endpoint::{Contents, Counts, Endpoint, Event, Events, NEVER, Progress};

/// Bytes of the headers of a packet, including the IP header.
pub const HEADERS: u32 = 40;

#[derive(Clone, PartialEq, Debug)]
pub enum Frame {
    /// Stream bytes from an offset on; without bytes, the end of the stream.
    Data { offset: u64, body: Vec<u8>, ecn: Ecn },
    /// The frame of this offset has arrived.
    Ack { offset: u64, ecn: Ecn },
}

impl Contents for Frame {
    fn size(&self) -> u32 {
        HEADERS + self.payload()
    }

    fn payload(&self) -> u32 {
        match self {
            Frame::Data { body, .. } => body.len() as u32,
            Frame::Ack { .. } => 0,
        }
    }

    fn ecn(&self) -> Ecn {
        let (Frame::Data { ecn, .. } | Frame::Ack { ecn, .. }) = self;
        *ecn
    }

    fn set_ecn(&mut self, new: Ecn) {
        let (Frame::Data { ecn, .. } | Frame::Ack { ecn, .. }) = self;
        *ecn = new;
    }
}

/// Returns `len` bytes that depend on their offset in the stream.
fn body(offset: u64, len: u64) -> Vec<u8> {
    (offset..offset + len).map(|at| (at % 251) as u8).collect()
}

#[derive(Clone, Copy)]
pub struct Config {
    /// Packets that may be in flight.
    pub window: usize,
    /// Bytes of the stream in a packet.
    pub payload: u64,
    /// Time after which a packet that is not acknowledged is retransmitted, in ns.
    pub timeout: Nanos,
}

/// A packet that is not acknowledged.
struct Outstanding {
    len: u64,
    sent: Nanos,
    tries: u32,
    /// Whether its timer has expired and its retransmission is due.
    lost: bool,
}

pub struct Window {
    config: Config,
    written: u64,
    next: u64,
    closed: bool,
    end_sent: bool,
    outstanding: BTreeMap<u64, Outstanding>,
    acks: VecDeque<u64>,
    received: u64,
    /// Bytes that arrived early, by their offset.
    early: BTreeMap<u64, u64>,
    /// End of the peer's stream, if it is known.
    end: Option<u64>,
    connected: bool,
    counts: Counts,
}

impl Window {
    fn is_finished(&self) -> bool {
        self.end_sent && self.outstanding.is_empty()
    }

    fn has_read_all(&self) -> bool {
        self.end == Some(self.received)
    }

    fn on_data(&mut self, offset: u64, bytes: &[u8]) -> Progress {
        assert_eq!(bytes, body(offset, bytes.len() as u64), "the contents of a packet arrive unaltered");
        self.acks.push_back(offset);
        let (before, had_all) = (self.received, self.has_read_all());
        if bytes.is_empty() {
            self.end = Some(offset);
        } else if offset >= self.received {
            self.early.insert(offset, bytes.len() as u64);
        }
        while let Some(len) = self.early.remove(&self.received) {
            self.received += len;
        }
        let mut progress = Progress::default();
        if self.received > before {
            progress = progress.with(Progress::RECEIVED);
        }
        if self.has_read_all() && !had_all {
            progress = progress.with(Progress::PEER_CLOSED);
        }
        progress
    }

    fn on_ack<V: Events<Frame>>(&mut self, now: Nanos, offset: u64, events: &mut V) -> Progress {
        let Some(acked) = self.outstanding.remove(&offset) else { return Progress::default() };
        // The RTT of a packet that was retransmitted is ambiguous.
        if acked.tries == 1 {
            let rtt = now - acked.sent;
            self.counts.srtt = Some(rtt);
            self.counts.min_rtt = Some(self.counts.min_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        let una = self.outstanding.keys().next().copied().unwrap_or(self.next);
        events.event(now, Event::Acknowledged { una });
        let closed = if self.is_finished() { Progress::CLOSED } else { Progress::default() };
        Progress::ACKED.with(closed)
    }

    /// Returns the packet of `len` bytes at `offset` and starts its timer.
    fn launch<V: Events<Frame>>(&mut self, now: Nanos, offset: u64, len: u64, events: &mut V) -> Frame {
        let outstanding =
            self.outstanding.entry(offset).or_insert(Outstanding { len, sent: now, tries: 0, lost: false });
        (outstanding.sent, outstanding.lost) = (now, false);
        outstanding.tries += 1;
        let retransmission = outstanding.tries > 1;
        self.counts.packets_sent += 1;
        self.counts.data_packets_sent += u64::from(len > 0);
        self.counts.retransmits += u64::from(len > 0 && retransmission);
        let frame = Frame::Data { offset, body: body(offset, len), ecn: Ecn::Ect0 };
        events.event(now, Event::Sent { contents: &frame, offset, retransmission });
        frame
    }
}

impl Endpoint for Window {
    type Config = Config;
    type Packet = Frame;

    fn new(config: &Config, _random: &mut Stream) -> Window {
        Window {
            config: *config,
            written: 0,
            next: 0,
            closed: false,
            end_sent: false,
            outstanding: BTreeMap::new(),
            acks: VecDeque::new(),
            received: 0,
            early: BTreeMap::new(),
            end: None,
            connected: false,
            counts: Counts::default(),
        }
    }

    /// There is no handshake.
    fn connect(&mut self, _now: Nanos) {}

    fn listen(&mut self) {}

    fn write(&mut self, _now: Nanos, bytes: u64) {
        self.written += bytes;
    }

    fn withdraw(&mut self) {
        self.written = self.next;
    }

    fn close(&mut self, _now: Nanos) {
        self.closed = true;
    }

    fn deliver<V: Events<Frame>>(&mut self, now: Nanos, frame: &Frame, events: &mut V) -> Progress {
        events.event(now, Event::Received { contents: frame });
        let connected = if self.connected { Progress::default() } else { Progress::CONNECTED };
        self.connected = true;
        connected.with(match frame {
            Frame::Data { offset, body, .. } => self.on_data(*offset, body),
            Frame::Ack { offset, .. } => self.on_ack(now, *offset, events),
        })
    }

    fn transmit<V: Events<Frame>>(&mut self, now: Nanos, events: &mut V) -> Option<Frame> {
        if let Some(offset) = self.acks.pop_front() {
            let frame = Frame::Ack { offset, ecn: Ecn::NotEct };
            self.counts.packets_sent += 1;
            events.event(now, Event::Sent { contents: &frame, offset: self.next, retransmission: false });
            return Some(frame);
        }
        let lost = self.outstanding.iter().find(|(_, outstanding)| outstanding.lost);
        if let Some((&offset, &Outstanding { len, .. })) = lost {
            return Some(self.launch(now, offset, len, events));
        }
        if self.outstanding.len() >= self.config.window {
            return None;
        }
        let (offset, len) = (self.next, self.config.payload.min(self.written - self.next));
        if len == 0 {
            if !self.closed || self.end_sent {
                return None;
            }
            self.end_sent = true;
        }
        self.next += len;
        Some(self.launch(now, offset, len, events))
    }

    fn deadline(&self) -> Nanos {
        self.outstanding.values().map(|packet| packet.sent + self.config.timeout).min().unwrap_or(NEVER)
    }

    fn expire<V: Events<Frame>>(&mut self, now: Nanos, events: &mut V) -> Progress {
        for packet in self.outstanding.values_mut().filter(|packet| packet.sent + self.config.timeout <= now) {
            packet.lost = true;
            self.counts.timeouts += 1;
            events.event(now, Event::Timeout { count: packet.tries });
        }
        Progress::default()
    }

    fn received(&self) -> u64 {
        self.received
    }

    fn is_over(&self) -> bool {
        self.is_finished() && self.has_read_all()
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}
