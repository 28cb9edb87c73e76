//! A small transport that obeys all rules: go-back-N with one stream, cumulative ACKs and a fixed window. A planted
//! fault makes it break one of them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

use ackclock_core::{Ecn, MILLISECOND, Nanos, Random};

use crate::{Event, NEVER, Parameter, Range, Role, Setup, Stack, Statistics, StreamId, Transmit, Transport, Value};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    None,
    NeverSends,
    SendsForEver,
    PastTimeout,
    AcceptsGaps,
    DropsWhatIsUnread,
    IgnoresSeed,
    LargeDatagrams,
    PanicsAtDamage,
    NoBackoff,
    TakesAll,
    Heartbeat,
    SilentClose,
    HalfRtt,
    FallingCounts,
    PanicsInCreate,
    TimerStorm,
}

/// Bytes of the header: checksum, kind, length of the nonce, sequence, acknowledgment and limit.
const HEADER: usize = 33;
const CAPACITY: usize = 200_000;
const WINDOW: u64 = 40_000;
const LEAST: Nanos = 150 * MILLISECOND;

const HELLO: u8 = 0;
const PLAIN: u8 = 1;
const END: u8 = 2;
const PROBE: u8 = 3;
const CLOSE: u8 = 4;

pub struct Toy {
    pub fault: Fault,
    pub parameters: Vec<Parameter>,
}

impl Toy {
    pub fn new(fault: Fault) -> Toy {
        let window = Parameter {
            name: "window".to_owned(),
            summary: "window, in bytes".to_owned(),
            range: Range::Numbers(10_000.0, 100_000.0),
            default: Value::Number(WINDOW as f64),
        };
        Toy { fault, parameters: vec![window] }
    }
}

impl Stack for Toy {
    fn name(&self) -> &str {
        "toy"
    }

    fn summary(&self) -> &str {
        "go-back-N with a fixed window"
    }

    fn source(&self) -> &str {
        "1"
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn overhead(&self) -> u32 {
        28
    }

    fn create(&self, _now: Nanos, setup: &Setup<'_>) -> Result<Box<dyn Transport>, String> {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        let window = setup.parameters.number("window");
        assert!(
            self.fault != Fault::PanicsInCreate || window.is_none_or(|window| window < 100_000.0),
            "a large window"
        );
        let mut nonce = Random::new(setup.seed).bits() | 1;
        if self.fault == Fault::IgnoresSeed {
            nonce = COUNT.fetch_add(1, Ordering::Relaxed);
        }
        Ok(Box::new(End {
            fault: self.fault,
            nonce: if setup.role == Role::Client { nonce } else { 0 },
            payload: setup.datagram as usize - HEADER + usize::from(self.fault == Fault::LargeDatagrams),
            window: window.map_or(WINDOW, |window| window as u64),
            timer: NEVER,
            rto: 2 * LEAST,
            limit: 0,
            ..End::default()
        }))
    }
}

struct End {
    fault: Fault,
    nonce: u64,
    payload: usize,
    window: u64,
    connected: bool,
    hello: bool,
    answer: bool,
    probe: bool,
    /// Whether a close is to be sent; its code; whether the connection is over.
    close: bool,
    code: u64,
    over: bool,
    unsent: VecDeque<u8>,
    /// Offsets of the first byte that is not acknowledged, of the next byte to send, and of all bytes sent before.
    base: u64,
    next: u64,
    highest: u64,
    finished: bool,
    delivered: bool,
    short: bool,
    limit: u64,
    duplicates: u32,
    arrived: VecDeque<u8>,
    expected: u64,
    ended: bool,
    told: bool,
    timer: Nanos,
    rto: Nanos,
    expiries: u32,
    stale: bool,
    timed: Option<(u64, Nanos)>,
    events: VecDeque<Event>,
    statistics: Statistics,
}

impl Default for End {
    fn default() -> End {
        End {
            fault: Fault::None,
            nonce: 0,
            payload: 0,
            window: 0,
            connected: false,
            hello: false,
            answer: false,
            probe: false,
            close: false,
            code: 0,
            over: false,
            unsent: VecDeque::new(),
            base: 0,
            next: 0,
            highest: 0,
            finished: false,
            delivered: false,
            short: false,
            limit: 0,
            duplicates: 0,
            arrived: VecDeque::new(),
            expected: 0,
            ended: false,
            told: false,
            timer: NEVER,
            rto: 0,
            expiries: 0,
            stale: false,
            timed: None,
            events: VecDeque::new(),
            statistics: Statistics::default(),
        }
    }
}

pub fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum: u32, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

impl End {
    /// Offset behind all bytes that were written.
    fn end(&self) -> u64 {
        self.base + self.unsent.len() as u64
    }

    /// Offset behind the end of the stream, which takes one number.
    fn last(&self) -> u64 {
        self.end() + u64::from(self.finished && !self.delivered)
    }

    fn free(&self) -> u64 {
        CAPACITY.saturating_sub(self.arrived.len()) as u64
    }

    /// Offset up to which datagrams may be sent. After a timeout that is one datagram.
    fn edge(&self) -> u64 {
        let window = if self.expiries > 0 { self.payload as u64 } else { self.window };
        (self.base + window).min(self.limit)
    }

    fn has_more(&self) -> bool {
        self.next < self.last() && self.next < self.edge()
    }

    fn compose(&mut self, kind: u8, seq: u64, payload: usize, datagram: &mut Vec<u8>) {
        let acknowledged = self.expected + u64::from(self.ended);
        datagram.extend([0; 4]);
        datagram.push(kind);
        let offered = if self.fault == Fault::DropsWhatIsUnread { CAPACITY as u64 } else { self.free() };
        let fourth = if kind == CLOSE { self.code } else { acknowledged + offered };
        for field in [self.nonce, seq, acknowledged] {
            datagram.extend(field.to_le_bytes());
        }
        datagram.extend((fourth as u32).to_le_bytes());
        let from = seq.saturating_sub(self.base) as usize;
        datagram.extend(self.unsent.iter().skip(from).take(payload));
        let sum = checksum(&datagram[4..]);
        datagram[..4].copy_from_slice(&sum.to_le_bytes());
    }

    fn acknowledge(&mut self, now: Nanos, ack: u64, pure: bool) {
        if ack > self.last() {
            return;
        }
        if ack <= self.base {
            self.duplicates += u32::from(pure && ack == self.base && self.next > self.base);
            if self.duplicates == 3 {
                self.next = self.base;
                self.statistics.lost += 1;
                self.timed = None;
            }
            return;
        }
        if let Some((_, sent)) = self.timed.take_if(|(end, _)| ack >= *end) {
            let sample = if self.fault == Fault::HalfRtt { (now - sent) / 2 } else { now - sent };
            self.statistics.latest_rtt = Some(sample);
            self.statistics.min_rtt = Some(self.statistics.min_rtt.unwrap_or(NEVER).min(sample));
            self.statistics.srtt = Some(self.statistics.srtt.map_or(sample, |srtt| (7 * srtt + sample) / 8));
        }
        let bytes = (ack - self.base).min(self.unsent.len() as u64);
        if ack > self.end() {
            self.delivered = true;
            self.events.push_back(Event::Delivered(0));
        }
        self.unsent.drain(..bytes as usize);
        self.base += bytes;
        self.next = self.next.max(ack);
        self.duplicates = 0;
        if self.fault == Fault::FallingCounts {
            self.statistics.lost = 0;
        }
        self.rto = LEAST.max(2 * self.statistics.srtt.unwrap_or(LEAST));
        self.expiries = 0;
        self.timer = now + self.rto;
        if self.short && self.unsent.len() < CAPACITY / 2 {
            self.short = false;
            self.events.push_back(Event::Writable(0));
        }
    }

    /// Whether something was sent and is not acknowledged, or has to be sent.
    fn waits(&self) -> bool {
        !self.connected && self.nonce != 0 || self.base < self.last() && !self.delivered
    }

    /// Starts the timer if it is needed, and stops it if it is not.
    fn arm(&mut self, now: Nanos) {
        let beats = self.fault == Fault::Heartbeat && self.connected;
        if self.over || !self.waits() && !beats {
            self.timer = NEVER;
        } else if self.timer == NEVER {
            self.timer = now + self.rto;
        }
    }
}

impl Transport for End {
    fn connect(&mut self, now: Nanos) {
        self.hello = true;
        self.timer = now + self.rto;
    }

    fn receive(&mut self, now: Nanos, _ecn: Ecn, datagram: &[u8]) {
        let right = datagram.len() >= HEADER && checksum(&datagram[4..]).to_le_bytes() == datagram[..4];
        if !right {
            assert!(self.fault != Fault::PanicsAtDamage, "a wrong checksum");
            return;
        }
        let (kind, nonce, seq, ack) = (datagram[4], number(datagram, 5), number(datagram, 13), number(datagram, 21));
        let limit = u32::from_le_bytes(datagram[29..33].try_into().expect("four bytes"));
        if self.nonce == 0 && kind == HELLO {
            self.nonce = nonce;
        }
        if nonce != self.nonce {
            return;
        }
        if self.over {
            self.close = kind != CLOSE && self.fault != Fault::SilentClose;
            return;
        }
        if kind == CLOSE {
            self.over = true;
            self.timer = NEVER;
            return self.events.push_back(Event::Closed(Some(format!("closed by the peer with code {limit}"))));
        }
        if !self.connected {
            self.connected = true;
            self.timer = NEVER;
            self.rto = 2 * LEAST;
            self.events.push_back(Event::Connected);
        }
        self.answer |= kind == HELLO || kind == PROBE || kind == END;
        if kind == HELLO {
            return;
        }
        let data = &datagram[HEADER..];
        let moved = u64::from(limit) > self.limit;
        self.limit = self.limit.max(u64::from(limit));
        self.acknowledge(now, ack, data.is_empty() && !moved);
        self.answer |= !data.is_empty();
        let gap = seq > self.expected && self.fault == Fault::AcceptsGaps;
        if (seq == self.expected || gap) && !self.ended && !data.is_empty() {
            if data.len() as u64 <= self.free() {
                self.arrived.extend(data);
                self.expected = seq + data.len() as u64;
                self.events.push_back(Event::Readable(0));
            } else if self.fault == Fault::DropsWhatIsUnread {
                self.expected += data.len() as u64;
            }
        }
        if kind == END && seq + data.len() as u64 == self.expected && !self.ended {
            self.ended = true;
            if self.arrived.is_empty() {
                self.told = true;
                self.events.push_back(Event::PeerFinished(0));
            }
        }
        self.arm(now);
    }

    fn transmit(&mut self, now: Nanos, datagram: &mut Vec<u8>) -> Option<Transmit> {
        let none = Transmit::default();
        if self.fault == Fault::NeverSends {
            return None;
        }
        if std::mem::take(&mut self.close) {
            self.compose(CLOSE, 0, 0, datagram);
            return Some(none);
        }
        if self.over {
            return None;
        }
        if std::mem::take(&mut self.hello) {
            self.compose(HELLO, 0, 0, datagram);
            return Some(none);
        }
        if self.connected && self.has_more() {
            let room = self.edge() - self.next;
            let bytes = (self.end() - self.next.min(self.end())).min(room).min(self.payload as u64);
            let ends = self.finished && self.next + bytes == self.end();
            let (seq, kind) = (self.next, if ends { END } else { PLAIN });
            let retransmission = seq < self.highest;
            self.compose(kind, seq, bytes as usize, datagram);
            self.next += bytes + u64::from(ends);
            self.statistics.retransmitted += u64::from(retransmission);
            if !retransmission && self.timed.is_none() {
                self.timed = Some((self.next, now));
            }
            self.highest = self.highest.max(self.next);
            self.answer = false;
            self.arm(now);
            return Some(Transmit { payload: bytes as u32, retransmission, ..none });
        }
        if std::mem::take(&mut self.probe) {
            self.compose(PROBE, self.next, 0, datagram);
            return Some(none);
        }
        if std::mem::take(&mut self.answer) || self.fault == Fault::SendsForEver && self.connected {
            self.compose(PLAIN, self.next, 0, datagram);
            return Some(none);
        }
        None
    }

    fn timeout(&self) -> Nanos {
        if self.stale { self.timer.min(1) } else { self.timer }
    }

    fn expire(&mut self, now: Nanos) {
        if std::mem::take(&mut self.stale) || self.timer > now {
            return;
        }
        self.stale = self.fault == Fault::PastTimeout;
        if self.fault == Fault::TimerStorm && self.connected {
            return;
        }
        if !self.waits() {
            self.answer = true;
            self.timer = now + LEAST;
            return;
        }
        self.expiries += 1;
        if self.expiries > 20 && self.fault != Fault::NoBackoff {
            self.over = true;
            self.timer = NEVER;
            return self.events.push_back(Event::Closed(Some("20 timeouts without an answer".to_owned())));
        }
        if self.fault != Fault::NoBackoff {
            self.rto = (2 * self.rto).min(400 * LEAST);
        }
        self.hello = !self.connected;
        self.probe = self.limit <= self.next || self.base == self.last();
        self.next = self.base;
        self.timed = None;
        self.statistics.timeouts += 1;
        self.timer = NEVER;
        self.arm(now);
    }

    fn open(&mut self, _now: Nanos) -> Option<StreamId> {
        self.connected.then_some(0)
    }

    fn write(&mut self, now: Nanos, _stream: StreamId, bytes: &[u8]) -> usize {
        let room = if self.fault == Fault::TakesAll { usize::MAX } else { CAPACITY - self.unsent.len() };
        let taken = bytes.len().min(room);
        self.unsent.extend(&bytes[..taken]);
        self.short = taken < bytes.len();
        self.arm(now);
        taken
    }

    fn finish(&mut self, now: Nanos, _stream: StreamId) {
        self.finished = true;
        self.arm(now);
    }

    fn read(&mut self, _now: Nanos, _stream: StreamId, buffer: &mut [u8]) -> usize {
        let little = self.free() < CAPACITY as u64 / 2;
        let count = buffer.len().min(self.arrived.len());
        buffer.iter_mut().zip(self.arrived.drain(..count)).for_each(|(place, byte)| *place = byte);
        self.answer |= little && self.free() >= CAPACITY as u64 / 2;
        if self.ended && self.arrived.is_empty() && !self.told {
            self.told = true;
            self.events.push_back(Event::PeerFinished(0));
        }
        count
    }

    fn close(&mut self, _now: Nanos, code: u64) {
        self.close = self.fault != Fault::SilentClose;
        (self.code, self.over, self.timer) = (code, true, NEVER);
    }

    fn poll(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn statistics(&self) -> Statistics {
        let in_flight = self.next.min(self.end()) - self.base.min(self.next);
        Statistics { window: Some(self.window), in_flight: Some(in_flight), ..self.statistics.clone() }
    }
}
