//! A stack behind the interface of `ackclock-transport` as an endpoint.

mod streams;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ackclock_app::StreamEvent;
use ackclock_core::{Ecn, Nanos, Rate, Stream};
use ackclock_tcp::context::{Cause, Window};
use ackclock_tcp::validation::Report;
use ackclock_transport::{Event as StackEvent, Parameters, Role, Setup, Stack, Statistics, StreamId, Transport};

use streams::Streams;

use super::{Contents, Counts, Endpoint, Event, Events, NEVER, Progress, TcpEvent};

/// Datagrams that an end may send without the time going on: more than any window of this simulator holds.
const MOST_AT_ONCE: u32 = 1_000_000;

/// Timeouts that may expire one after the other without the time going on.
const MOST_EXPIRIES: u32 = 1000;

/// The bytes of all streams are zeros. A write hands over at most so many of them.
static ZEROS: [u8; 1 << 22] = [0; 1 << 22];

/// A mistake of a stack, which ends the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed {
    /// Name of the stack.
    pub stack: String,
    /// Name of the flow.
    pub flow: String,
    /// Simulated time, in ns.
    pub now: Nanos,
    /// Method of the interface that was called.
    pub call: &'static str,
    /// The mistake, as a predicate.
    pub what: String,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failed { stack, flow, now, call, what } = self;
        write!(f, "transport {stack}, flow {flow}, {call} at {} s: {what}", *now as f64 / 1e9)
    }
}

/// Observer of each call to a stack, and of the stack's mistakes.
pub trait Calls: Send + Sync {
    /// Whether there was a mistake; no stack is called any more then.
    fn failed(&self) -> bool;

    /// Keeps a mistake, unless there is one already.
    fn fail(&self, failed: Failed);

    /// Returns the mistake.
    fn failure(&self) -> Option<Failed>;

    /// A call to the stack of a flow begins.
    fn enter(&self, stack: &str, flow: &str, call: &'static str, now: Nanos) {
        let _ = (stack, flow, call, now);
    }

    /// A call has ended.
    fn leave(&self) {}
}

/// Configuration of both ends of a flow's connections.
#[derive(Clone)]
pub struct ForeignConfig {
    /// The stack.
    pub stack: Arc<dyn Stack>,
    /// The parameters that the scenario gives.
    pub parameters: Parameters,
    /// Largest datagram, in bytes.
    pub datagram: u32,
    /// Whether the stack is to write a log.
    pub log: bool,
    /// Name of the flow.
    pub flow: Arc<str>,
    /// The receiver of mistakes.
    pub calls: Arc<dyn Calls>,
}

/// A datagram with the headers below it.
#[derive(Clone, PartialEq, Debug)]
pub struct Datagram {
    bytes: Arc<[u8]>,
    overhead: u32,
    payload: u32,
    ecn: Ecn,
}

impl Contents for Datagram {
    fn size(&self) -> u32 {
        self.overhead + self.bytes.len() as u32
    }

    fn payload(&self) -> u32 {
        self.payload
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn set_ecn(&mut self, ecn: Ecn) {
        self.ecn = ecn;
    }
}

/// One end of a connection of a stack. It writes on one stream in both directions and on unidirectional streams of its
/// own, and reads from all.
pub struct Foreign {
    config: ForeignConfig,
    seed: [u8; 32],
    role: Role,
    transport: Option<Box<dyn Transport>>,
    connected: bool,
    /// The stream that this end writes to, and the first stream that the peer has opened.
    stream: Option<StreamId>,
    peers: Option<StreamId>,
    /// The unidirectional streams of both ends.
    streams: Streams,
    /// Bytes that were written and that the stack has not taken.
    pending: u64,
    /// Stream bytes that were taken, which is the offset of the next byte.
    taken: u64,
    closing: bool,
    finished: bool,
    received: u64,
    peer_finished: bool,
    delivered: bool,
    closed: bool,
    /// Progress that no call has returned yet.
    progress: Progress,
    counts: Counts,
    /// Statistics that were read last.
    statistics: Statistics,
    /// Payload that was sent, without retransmissions.
    sent: u64,
    at_once: u32,
    expiries: u32,
    last: Nanos,
    buffer: Vec<u8>,
}

impl Foreign {
    /// Calls the stack; a panic ends the run. Returns `None` if there is no transport, or after a mistake.
    fn call<T>(
        &mut self,
        call: &'static str,
        now: Nanos,
        body: impl FnOnce(&mut dyn Transport, &mut Vec<u8>) -> T,
    ) -> Option<T> {
        if self.config.calls.failed() {
            return None;
        }
        let transport = self.transport.as_deref_mut()?;
        self.config.calls.enter(self.config.stack.name(), &self.config.flow, call, now);
        let done = catch_unwind(AssertUnwindSafe(|| body(transport, &mut self.buffer)));
        self.config.calls.leave();
        match done {
            Ok(value) => Some(value),
            Err(panic) => {
                let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                self.fail(call, now, format!("it panicked: {}", text.unwrap_or_else(|| "without a text".to_owned())));
                None
            }
        }
    }

    #[cold]
    fn fail(&self, call: &'static str, now: Nanos, what: String) {
        let (stack, flow) = (self.config.stack.name().to_owned(), self.config.flow.to_string());
        self.config.calls.fail(Failed { stack, flow, now, call, what });
    }

    fn create(&mut self, now: Nanos, role: Role) {
        self.role = role;
        let ForeignConfig { stack, parameters, datagram, log, calls, .. } = &self.config;
        if calls.failed() {
            return;
        }
        let setup = Setup { role, seed: self.seed, datagram: *datagram, parameters, log: *log };
        calls.enter(stack.name(), &self.config.flow, "create", now);
        let made = catch_unwind(AssertUnwindSafe(|| stack.create(now, &setup)));
        calls.leave();
        match made {
            Ok(Ok(transport)) => self.transport = Some(transport),
            Ok(Err(message)) => self.fail("create", now, message),
            Err(_) => self.fail("create", now, "it panicked".to_owned()),
        }
    }

    /// Hands over what the application has written, and the end of the stream.
    fn pump(&mut self, now: Nanos) {
        let finishes = self.closing && !self.finished;
        if !self.connected || self.closed || (self.pending == 0 && !finishes) {
            return;
        }
        if self.stream.is_none() {
            // A server answers on the client's stream. Where it speaks first, the stream is its own.
            let peers = self.peers.filter(|_| self.role == Role::Server);
            self.stream = peers.or_else(|| self.call("open", now, |transport, _| transport.open(now)).flatten());
        }
        let Some(stream) = self.stream else { return };
        while self.pending > 0 {
            let most = self.pending.min(ZEROS.len() as u64) as usize;
            let Some(taken) = self.call("write", now, |transport, _| transport.write(now, stream, &ZEROS[..most]))
            else {
                return;
            };
            if taken > most {
                return self.fail("write", now, format!("it took {taken} of {most} bytes"));
            }
            self.pending -= taken as u64;
            self.taken += taken as u64;
            if taken == 0 {
                return;
            }
        }
        if self.closing && !self.finished {
            self.finished = true;
            self.call("finish", now, |transport, _| transport.finish(now, stream));
        }
    }

    /// Takes the stack's events.
    fn drain<V: Events<Datagram>>(&mut self, now: Nanos, events: &mut V) {
        let mut progress = Progress::default();
        while let Some(event) = self.call("poll", now, |transport, _| transport.poll()).flatten() {
            match event {
                StackEvent::Connected => {
                    self.connected = true;
                    progress = progress.with(Progress::CONNECTED);
                }
                StackEvent::Opened(stream) => drop(self.peers.get_or_insert(stream)),
                StackEvent::OpenedUnidirectional(stream) => self.streams.accept(stream),
                StackEvent::Readable(stream) => {
                    let read = self.read_all(now, stream);
                    self.received += read;
                    if read > 0 && !self.streams.read(stream, read) {
                        progress = progress.with(Progress::RECEIVED);
                    }
                }
                StackEvent::Writable(_) => {}
                StackEvent::Reset(stream, code) => self.streams.end(stream, StreamEvent::Reset(code)),
                StackEvent::PeerFinished(stream) if self.streams.accepted(stream) => {
                    self.streams.end(stream, StreamEvent::Finished);
                }
                StackEvent::PeerFinished(_) => {
                    if !std::mem::replace(&mut self.peer_finished, true) {
                        progress = progress.with(Progress::PEER_CLOSED);
                    }
                }
                StackEvent::Delivered(stream) => {
                    self.streams.deliver(stream);
                    self.delivered |= self.stream == Some(stream);
                }
                StackEvent::Closed(_) => {
                    if !std::mem::replace(&mut self.closed, true) {
                        progress = progress.with(Progress::CLOSED);
                    }
                }
            }
        }
        if self.streams.has_events() {
            progress = progress.with(Progress::STREAMS);
        }
        self.progress = self.progress.with(progress);
        self.pump(now);
        self.pump_streams(now);
        if let Some(statistics) = self.call("statistics", now, |transport, _| transport.statistics()) {
            self.count(&statistics);
            if V::ACTIVE && (!progress.is_empty() || statistics != self.statistics) {
                report(now, &self.statistics, &statistics, events);
            }
            self.statistics = statistics;
        }
        if self.config.log
            && let Some(bytes) = self.call("take_log", now, |transport, _| transport.take_log())
            && !bytes.is_empty()
        {
            events.event(now, Event::Log { bytes: &bytes });
        }
    }

    /// Reads all bytes that have arrived of a stream, and returns their number.
    fn read_all(&mut self, now: Nanos, stream: StreamId) -> u64 {
        let mut total = 0;
        loop {
            let read = self.call("read", now, |transport, buffer| {
                buffer.resize(1 << 16, 0);
                (transport.read(now, stream, buffer), buffer.len())
            });
            match read {
                Some((read, most)) if read > most => {
                    self.fail("read", now, format!("it returned {read} for a buffer of {most} bytes"));
                    return total;
                }
                Some((read @ 1.., _)) => total += read as u64,
                _ => return total,
            }
        }
    }

    fn count(&mut self, statistics: &Statistics) {
        self.counts.retransmits = statistics.retransmitted;
        self.counts.timeouts = statistics.timeouts;
        self.counts.recoveries = statistics.reductions;
        self.counts.srtt = statistics.srtt;
        self.counts.min_rtt = statistics.min_rtt;
    }
}

/// Reports the timeouts and the reductions since `before`, and the window with the other quantities that are recorded
/// with it.
fn report<V: Events<Datagram>>(now: Nanos, before: &Statistics, statistics: &Statistics, events: &mut V) {
    for count in before.timeouts..statistics.timeouts {
        events.event(now, Event::Timeout { count: (count + 1 - before.timeouts) as u32 });
    }
    for _ in before.reductions..statistics.reductions {
        events.event(now, Event::Tcp(TcpEvent::RecoveryStarted { cause: Cause::Loss }));
    }
    let Some(cwnd) = statistics.window else { return };
    let rate = |bits: Option<u64>| bits.and_then(Rate::new);
    let window =
        Window { cwnd, ssthresh: statistics.threshold.unwrap_or(u64::MAX), pacing_rate: rate(statistics.pacing_rate) };
    let in_flight = statistics.in_flight.unwrap_or(0);
    let event = TcpEvent::Window {
        window,
        flight_size: in_flight,
        pipe: in_flight,
        srtt: statistics.srtt,
        rttvar: statistics.rtt_variation,
        rtt: statistics.latest_rtt,
        min_rtt: statistics.min_rtt,
        pacing_rate: rate(statistics.pacing_rate),
        delivery_rate: rate(statistics.delivery_rate),
        cc_state: statistics.state,
        in_recovery: false,
        validation: Report::default(),
    };
    events.event(now, Event::Tcp(event));
}

impl Endpoint for Foreign {
    type Config = ForeignConfig;
    type Packet = Datagram;

    fn new(config: &ForeignConfig, random: &mut Stream) -> Foreign {
        let mut seed = [0; 32];
        for four in seed.as_chunks_mut::<4>().0 {
            *four = random.bits32().to_le_bytes();
        }
        Foreign {
            config: config.clone(),
            seed,
            role: Role::Server,
            transport: None,
            connected: false,
            stream: None,
            peers: None,
            streams: Streams::default(),
            pending: 0,
            taken: 0,
            closing: false,
            finished: false,
            received: 0,
            peer_finished: false,
            delivered: false,
            closed: false,
            progress: Progress::default(),
            counts: Counts::default(),
            statistics: Statistics::default(),
            sent: 0,
            at_once: 0,
            expiries: 0,
            last: 0,
            buffer: Vec::new(),
        }
    }

    fn connect(&mut self, now: Nanos) {
        self.create(now, Role::Client);
        self.call("connect", now, |transport, _| transport.connect(now));
    }

    /// The server's end is created when the first datagram arrives.
    fn listen(&mut self) {}

    fn write(&mut self, now: Nanos, bytes: u64) {
        self.pending += bytes;
        self.pump(now);
    }

    fn open_stream(&mut self, now: Nanos, priority: i32) {
        self.streams.open(priority);
        self.pump_streams(now);
    }

    fn write_stream(&mut self, now: Nanos, stream: u32, bytes: u64) {
        self.streams.write(stream, bytes);
        self.pump_streams(now);
    }

    fn finish_stream(&mut self, now: Nanos, stream: u32) {
        self.streams.finish(stream);
        self.pump_streams(now);
    }

    fn reset_stream(&mut self, now: Nanos, stream: u32, code: u64) {
        self.streams.reset(stream, code);
        self.pump_streams(now);
    }

    fn stream_event(&mut self) -> Option<(u32, StreamEvent)> {
        self.streams.event()
    }

    fn received_in_streams(&self) -> u64 {
        self.streams.received()
    }

    /// Bytes that the stack has taken stay written.
    fn withdraw(&mut self) {
        self.pending = 0;
    }

    fn close(&mut self, now: Nanos) {
        self.closing = true;
        self.pump(now);
    }

    fn deliver<V: Events<Datagram>>(&mut self, now: Nanos, datagram: &Datagram, events: &mut V) -> Progress {
        events.event(now, Event::Received { contents: datagram });
        if self.transport.is_none() {
            self.create(now, Role::Server);
        }
        self.call("receive", now, |transport, _| transport.receive(now, datagram.ecn, &datagram.bytes));
        self.drain(now, events);
        std::mem::take(&mut self.progress)
    }

    fn transmit<V: Events<Datagram>>(&mut self, now: Nanos, events: &mut V) -> Option<Datagram> {
        if now > self.last {
            (self.last, self.at_once, self.expiries) = (now, 0, 0);
        }
        let sent = self.call("transmit", now, |transport, buffer| {
            buffer.clear();
            transport.transmit(now, buffer)
        });
        let Some(transmit) = sent.flatten() else {
            let silent = self.role == Role::Client && self.counts.packets_sent == 0 && self.transport.is_some();
            if silent && self.deadline() == NEVER {
                self.fail("transmit", now, "it sends nothing after connect, and has no timeout".to_owned());
            }
            return None;
        };
        let (length, most) = (self.buffer.len() as u64, u64::from(self.config.datagram));
        if length == 0 || length > most {
            self.fail("transmit", now, format!("it wrote a datagram of {length} bytes; accepted: from 1 to {most}"));
            return None;
        }
        self.at_once += 1;
        if self.at_once > MOST_AT_ONCE {
            self.fail("transmit", now, format!("it sent {MOST_AT_ONCE} datagrams without the time going on"));
            return None;
        }
        let datagram = Datagram {
            bytes: self.buffer.as_slice().into(),
            overhead: self.config.stack.overhead(),
            payload: transmit.payload,
            ecn: transmit.ecn,
        };
        self.counts.packets_sent += 1;
        self.counts.data_packets_sent += u64::from(transmit.payload > 0);
        let retransmission = transmit.retransmission;
        let offset = self.sent.saturating_sub(if retransmission { transmit.payload.into() } else { 0 });
        if !retransmission {
            self.sent += u64::from(transmit.payload);
        }
        events.event(now, Event::Sent { contents: &datagram, offset, retransmission });
        Some(datagram)
    }

    fn deadline(&self) -> Nanos {
        match &self.transport {
            Some(transport) if !self.config.calls.failed() => transport.timeout(),
            _ => NEVER,
        }
    }

    fn expire<V: Events<Datagram>>(&mut self, now: Nanos, events: &mut V) -> Progress {
        if now > self.last {
            (self.last, self.at_once, self.expiries) = (now, 0, 0);
        }
        self.expiries += 1;
        if self.expiries > MOST_EXPIRIES {
            let due = self.deadline();
            self.fail(
                "expire",
                now,
                format!("it asks for a timeout at {} s, which is not after the present", due as f64 / 1e9),
            );
        }
        self.call("expire", now, |transport, _| transport.expire(now));
        self.drain(now, events);
        std::mem::take(&mut self.progress)
    }

    fn received(&self) -> u64 {
        self.received
    }

    fn is_over(&self) -> bool {
        self.closed || (self.delivered && self.peer_finished) || self.config.calls.failed()
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}
