//! Two ways to drive an endpoint in tests: against a second one over a pipe, and against a peer played by the test.
#![allow(dead_code, reason = "each test file uses its part")]

pub mod path;
pub mod peer;
pub mod unused;

use std::collections::BTreeMap;

use ackclock_tcp::config::{EcnMode, RtoRule};
use ackclock_tcp::recovery::Recovery;
use ackclock_tcp::segment::SackBlock;
use ackclock_tcp::{
    Config, Ecn, Endpoint, Flags, MILLISECOND, NEVER, Nanos, SECOND, Segment, State, Timestamps, reset_for, stack,
};

pub const MSS: u64 = 1000;
/// Round-trip time of [`in_flight`].
pub const RTT: Nanos = 100 * MILLISECOND;

pub fn config() -> Config {
    Config { mss: MSS as u32, ..(stack::by_name("rfc").unwrap().config)() }
}

/// Loss recovery as Linux 6 has it, with timers that do not depend on timestamps.
pub fn linux() -> Config {
    Config {
        recovery: Recovery::Prr,
        rto_rule: RtoRule::Linux,
        min_rto: 200 * MILLISECOND,
        max_rto: 120 * SECOND,
        adapt_dup_thresh: true,
        rack: true,
        tlp: true,
        frto: true,
        dsack_undo: true,
        eifel: true,
        ..config()
    }
}

/// A connection whose first `segments` of `written` are outstanding, and for which an RTT has passed since.
pub fn in_flight(config: &Config, segments: u64, written: u64) -> Script {
    let mut script = Script::established(config, RTT);
    script.write(written);
    assert_eq!(script.sends(), (0..segments).collect::<Vec<u64>>());
    script.now += RTT;
    script
}

/// Two endpoints with `delay` each way. `fate` sees every segment (its number within its direction from 0, whether it goes
/// from client to server) and decides whether it arrives.
pub struct Pair<F: FnMut(u64, bool, &Segment) -> bool> {
    pub now: Nanos,
    pub delay: Nanos,
    pub ends: [Endpoint; 2],
    pub fate: F,
    pub sent: [Vec<(Nanos, Segment)>; 2],
    /// Whether the applications read what arrives.
    pub reads: bool,
    /// Times at which a timer of the client was due at once after everything was sent.
    pub due: Vec<Nanos>,
    /// Returns whether a segment is marked on the way, by its number within its direction.
    pub mark: Option<fn(u64, &Segment) -> bool>,
    wire: BTreeMap<(Nanos, u64), (usize, Segment)>,
    order: u64,
}

impl<F: FnMut(u64, bool, &Segment) -> bool> Pair<F> {
    /// `ends[0]` has begun to connect to `ends[1]`.
    pub fn new(client: &Config, server: &Config, fate: F) -> Self {
        // The first sequence number is close to the wrap, which every test so crosses.
        let mut ends = [Endpoint::new(client, u32::MAX - 5000), Endpoint::new(server, 77)];
        ends[1].listen();
        ends[0].connect(0);
        Pair {
            now: 0,
            delay: 50 * MILLISECOND,
            ends,
            fate,
            sent: [Vec::new(), Vec::new()],
            reads: true,
            due: Vec::new(),
            mark: None,
            wire: BTreeMap::new(),
            order: 0,
        }
    }

    fn drain(&mut self) {
        for end in 0..2 {
            while let Some(segment) = self.ends[end].poll_transmit(self.now, &mut ()) {
                let number = self.sent[end].len() as u64;
                self.sent[end].push((self.now, segment));
                if (self.fate)(number, end == 0, &segment) {
                    let mut segment = segment;
                    if self.mark.is_some_and(|mark| mark(number, &segment)) {
                        segment.ecn = Ecn::Ce;
                    }
                    self.wire.insert((self.now + self.delay, self.order), (1 - end, segment));
                    self.order += 1;
                }
            }
        }
    }

    /// Runs until `until`, or until nothing is left to happen.
    pub fn run(&mut self, until: Nanos) {
        loop {
            self.drain();
            let arrival = self.wire.first_key_value().map_or(NEVER, |(key, _)| key.0);
            let timeout = self.ends[0].next_timeout().min(self.ends[1].next_timeout());
            if self.ends[0].next_timeout() <= self.now {
                self.due.push(self.now);
            }
            let next = arrival.min(timeout);
            if next > until {
                self.now = until;
                return;
            }
            assert!(next >= self.now, "time goes forward");
            self.now = next;
            if arrival <= timeout {
                let (_, (end, segment)) = self.wire.pop_first().unwrap();
                if self.ends[end].state() == State::Closed {
                    // As whoever finds no connection for a segment does.
                    if let Some(reset) = reset_for(&segment) {
                        self.wire.insert((self.now + self.delay, self.order), (1 - end, reset));
                        self.order += 1;
                    }
                    continue;
                }
                let before = self.ends[end].received();
                self.ends[end].on_segment(self.now, &segment, &mut ());
                let received = self.ends[end].received();
                if self.reads {
                    self.ends[end].read(self.now, received - before);
                }
            } else {
                for end in &mut self.ends {
                    end.on_timeout(self.now, &mut ());
                }
            }
        }
    }

    /// Data segments that `end` sent, as (time in ms, offset in segments).
    pub fn data(&self, end: usize) -> Vec<(u64, u64)> {
        let isn = self.sent[end][0].1.seq;
        let data = self.sent[end].iter().filter(|(_, segment)| segment.len > 0);
        data.map(|(at, segment)| {
            let offset = segment.seq.wrapping_sub(isn).wrapping_sub(1);
            (at / MILLISECOND, u64::from(offset) / MSS)
        })
        .collect()
    }
}

/// One endpoint, established as a client with a peer that the test plays. Offsets are in segments of [`MSS`].
pub struct Script {
    pub now: Nanos,
    pub end: Endpoint,
    /// The peer's window field, in units of 1,024 bytes.
    pub window: u16,
    /// TSval of each data segment that left, and the value that the peer echoes next, with timestamps.
    pub stamps: Vec<u32>,
    pub echo: u32,
    /// Whether the peer's next ACKs echo congestion (RFC 3168), and which data segments, of those that left, carried CWR.
    pub ece: bool,
    pub cwr: Vec<bool>,
    timestamps: bool,
    iss: u32,
}

const PEER_ISS: u32 = 5000;

impl Script {
    /// Established at `rtt` after the SYN left at 0; the peer offers SACK where `config` does.
    pub fn established(config: &Config, rtt: Nanos) -> Script {
        // Segments carry MSS bytes with timestamps, too.
        let options = if config.timestamps { 12 } else { 0 };
        let config = &Config { mss: config.mss + options, ..config.clone() };
        let mut end = Endpoint::new(config, 100);
        end.connect(0);
        let syn = end.poll_transmit(0, &mut ()).expect("a SYN");
        assert!(syn.flags.has(Flags::SYN) && !syn.flags.has(Flags::ACK));
        let mut reply = Segment::new(Flags::SYN.with(Flags::ACK));
        reply.seq = PEER_ISS;
        reply.ack = syn.seq.wrapping_add(1);
        reply.mss = config.mss as u16;
        if config.ecn == EcnMode::Classic {
            reply.flags = reply.flags.with(Flags::ECE);
        }
        reply.timestamps = syn.timestamps.map(|stamps| Timestamps { val: 1, ecr: stamps.val });
        reply.window = u16::MAX;
        reply.window_scale = 10;
        reply.sack_permitted = config.sack;
        end.on_segment(rtt, &reply, &mut ());
        assert_eq!(end.state(), State::Established);
        let ack = end.poll_transmit(rtt, &mut ()).expect("the third segment of the handshake");
        assert_eq!(ack.seq_len(), 0);
        let echo = syn.timestamps.map_or(0, |stamps| stamps.val);
        let timestamps = syn.timestamps.is_some();
        let mut script = Script {
            now: rtt,
            end,
            window: 60_000,
            stamps: Vec::new(),
            echo,
            ece: false,
            cwr: Vec::new(),
            timestamps,
            iss: syn.seq,
        };
        // The window of a SYN is not scaled: the peer now says what it means.
        script.ack(0, &[]);
        script
    }

    /// The application writes `segments` full segments.
    pub fn write(&mut self, segments: u64) {
        self.end.write(self.now, segments * MSS);
    }

    /// Moves the clock by `by`, with timers.
    pub fn wait(&mut self, by: Nanos) {
        let until = self.now + by;
        while self.end.next_timeout() <= until {
            self.now = self.end.next_timeout().max(self.now);
            self.end.on_timeout(self.now, &mut ());
            if self.end.next_timeout() <= self.now {
                // Something is due to be sent; the test asks for it.
                break;
            }
        }
        self.now = until.max(self.now);
    }

    /// Waits for the next timer and takes it.
    pub fn expire(&mut self) {
        self.now = self.end.next_timeout();
        assert_ne!(self.now, NEVER, "a timer runs");
        self.end.on_timeout(self.now, &mut ());
    }

    /// Offsets of the data segments that leave now.
    pub fn sends(&mut self) -> Vec<u64> {
        let mut offsets = Vec::new();
        while let Some(segment) = self.end.poll_transmit(self.now, &mut ()) {
            if segment.len > 0 {
                self.cwr.push(segment.flags.has(Flags::CWR));
                self.stamps.extend(segment.timestamps.map(|stamps| stamps.val));
                offsets.push(u64::from(segment.seq.wrapping_sub(self.iss).wrapping_sub(1)) / MSS);
            }
        }
        offsets
    }

    /// The peer acknowledges up to `ack` and reports `blocks`; returns what leaves in response.
    pub fn ack(&mut self, ack: u64, blocks: &[(u64, u64)]) -> Vec<u64> {
        self.take(ack, blocks);
        self.sends()
    }

    /// The same, and nothing leaves yet.
    pub fn take(&mut self, ack: u64, blocks: &[(u64, u64)]) {
        let mut segment = Segment::new(Flags::ACK);
        let wire = |offset: u64| self.iss.wrapping_add(1).wrapping_add((offset * MSS) as u32);
        segment.seq = PEER_ISS + 1;
        segment.ack = wire(ack);
        segment.window = self.window;
        if self.ece {
            segment.flags = segment.flags.with(Flags::ECE);
        }
        if self.timestamps {
            let val = 2 + (self.now / MILLISECOND) as u32;
            segment.timestamps = Some(Timestamps { val, ecr: self.echo });
        }
        for (slot, &(start, end)) in segment.sack.iter_mut().zip(blocks) {
            *slot = SackBlock { start: wire(start), end: wire(end) };
        }
        segment.sack_count = blocks.len() as u8;
        self.end.on_segment(self.now, &segment, &mut ());
    }

    /// The volume estimated to be in the network, in segments.
    pub fn in_flight(&self) -> u32 {
        let recovery = self.end.loss_recovery();
        recovery.outstanding + recovery.retransmitted - recovery.sacked - recovery.lost
    }

    /// cwnd in segments.
    pub fn cwnd(&self) -> u64 {
        self.end.window().cwnd / MSS
    }

    /// ssthresh in segments.
    pub fn ssthresh(&self) -> u64 {
        self.end.window().ssthresh / MSS
    }
}
