//! A network simple enough to compute by hand, for the tests of applications. The source-to-sink link has a constant or
//! stepped rate and sends in small pieces; the sink-to-source path is instant. The delay is the same in both
//! directions, and there is no loss.

use std::collections::BTreeMap;

use super::completion::Path;
use super::{AppContext, Application, Command, Conn, Datagram, Side, StreamEvent};
use ackclock_core::Stream;
use ackclock_core::{Nanos, Rate};
use ackclock_results::{Column, Table};

pub(crate) const MILLISECOND: Nanos = 1_000_000;
pub(crate) const SECOND: Nanos = 1_000_000_000;

/// A path of 1 Mbit/s without delay.
pub(crate) const PATH: Path = Path { rate: Rate::new(1_000_000).unwrap(), rtt: 0, delay: 0, handshake: 0 };

/// Bytes of a piece, which takes 1 ms at 1 Mbit/s.
const PIECE: u64 = 125;

#[derive(Clone, Copy, Debug)]
enum Event {
    Start,
    Connected(Conn, Side),
    /// A piece leaves the link, and the next piece may start.
    Sent,
    Received(Conn, Side, u64),
    PeerClosed(Conn, Side),
    Closed(Conn),
    Timer(u64),
    Datagram(Side, Datagram),
    Stream(Conn, Side, u32, StreamEvent),
}

/// A write, or the end of the stream, that is queued for the link.
#[derive(Clone, Copy, Debug)]
enum Item {
    Bytes(Conn, u64),
    Fin(Conn),
}

/// A unidirectional stream of the source.
#[derive(Debug, Default)]
struct Outgoing {
    priority: i32,
    /// Bytes that were written and have not left.
    bytes: u64,
    /// Bytes that have left.
    left: u64,
    /// Whether the end of the stream is to be sent.
    ends: bool,
}

/// Drives one application.
pub(crate) struct FakeNetwork<A> {
    pub(crate) app: A,
    pub(crate) now: Nanos,
    /// One-way delay of both directions.
    pub(crate) delay: Nanos,
    /// Every command of the application, with its time.
    pub(crate) log: Vec<(Nanos, Command)>,
    /// Rate in bit/s from each time on; a piece that has begun keeps its rate.
    rates: BTreeMap<Nanos, u64>,
    /// Random stream of the application; it has seed 1 unless it is replaced.
    pub(crate) random: Stream,
    next_conn: u32,
    next_event: u64,
    events: BTreeMap<(Nanos, u64), Event>,
    queue: std::collections::VecDeque<Item>,
    /// Streams of the source by the order of opening, and their number.
    streams: BTreeMap<(Conn, u32), Outgoing>,
    opened: u32,
    sending: bool,
    received: BTreeMap<(Conn, u8), u64>,
    /// Ends that have closed (`closed`), and ends that have read the other end's FIN (`over`).
    closed: BTreeMap<Conn, Vec<Side>>,
    over: BTreeMap<Conn, Vec<Side>>,
}

impl<A: Application> FakeNetwork<A> {
    /// Creates a network of `rate` bit/s without delay. The application starts at time 0.
    pub(crate) fn new(rate: u64, app: A) -> Self {
        let mut network = FakeNetwork {
            app,
            now: 0,
            delay: 0,
            log: Vec::new(),
            rates: BTreeMap::from([(0, rate)]),
            random: Stream::new(1, "application"),
            next_conn: 0,
            next_event: 0,
            events: BTreeMap::new(),
            queue: Default::default(),
            streams: BTreeMap::new(),
            opened: 0,
            sending: false,
            received: BTreeMap::new(),
            closed: BTreeMap::new(),
            over: BTreeMap::new(),
        };
        network.at(0, Event::Start);
        network
    }

    /// Changes the rate to `rate` bit/s from the time `at` on.
    pub(crate) fn step(mut self, at: Nanos, rate: u64) -> Self {
        self.rates.insert(at, rate);
        self
    }

    /// Returns the bytes received so far at an end.
    pub(crate) fn received(&self, conn: Conn, side: Side) -> u64 {
        self.received.get(&(conn, side as u8)).copied().unwrap_or(0)
    }

    /// Returns the times at which `side` wrote, with the bytes.
    pub(crate) fn writes(&self, from: Side) -> Vec<(Nanos, u64)> {
        let write = |(time, command): &(Nanos, Command)| match command {
            Command::Write { side, bytes, .. } if *side == from => Some((*time, *bytes)),
            _ => None,
        };
        self.log.iter().filter_map(write).collect()
    }

    /// Runs all events up to and at `end`.
    pub(crate) fn run_until(&mut self, end: Nanos) {
        while let Some(entry) = self.events.first_entry().filter(|entry| entry.key().0 <= end) {
            let ((time, _), event) = entry.remove_entry();
            self.now = time;
            self.dispatch(event);
        }
        self.now = end;
    }

    /// Resets a connection, as when TCP gives it up: no further event of the connection follows.
    pub(crate) fn reset(&mut self, conn: Conn) {
        self.queue.retain(|item| !matches!(item, Item::Bytes(of, _) | Item::Fin(of) if *of == conn));
        self.events.retain(|_, event| {
            !matches!(event, Event::Connected(of, _) | Event::Received(of, ..) | Event::PeerClosed(of, _) if *of == conn)
        });
        self.at(self.now, Event::Closed(conn));
    }

    fn at(&mut self, time: Nanos, event: Event) {
        self.events.insert((time, self.next_event), event);
        self.next_event += 1;
    }

    fn dispatch(&mut self, event: Event) {
        if let Event::Received(conn, side, bytes) = event {
            *self.received.entry((conn, side as u8)).or_default() += bytes;
        }
        let mut commands = Vec::new();
        let mut ctx = AppContext::new(self.now, &mut self.random, &mut commands, &mut self.next_conn);
        match event {
            Event::Start => self.app.on_start(&mut ctx),
            Event::Connected(conn, side) => self.app.on_connected(&mut ctx, conn, side),
            Event::Received(conn, side, _) => {
                self.app.on_received(&mut ctx, conn, side, self.received[&(conn, side as u8)]);
            }
            Event::PeerClosed(conn, side) => {
                self.app.on_peer_closed(&mut ctx, conn, side);
                let over = self.over.entry(conn).or_default();
                over.push(side);
                if over.len() == 2 {
                    self.app.on_closed(&mut ctx, conn);
                }
            }
            Event::Closed(conn) => self.app.on_closed(&mut ctx, conn),
            Event::Timer(token) => self.app.on_timer(&mut ctx, token),
            Event::Datagram(side, datagram) => self.app.on_datagram(&mut ctx, side, datagram),
            Event::Stream(conn, side, stream, event) => self.app.on_stream(&mut ctx, conn, side, stream, event),
            Event::Sent => self.sending = false,
        }
        for command in commands {
            self.log.push((self.now, command));
            self.carry_out(command);
        }
        self.send();
    }

    fn carry_out(&mut self, command: Command) {
        if let Command::Close { conn, side } | Command::Stop { conn, side } = command {
            // Closing a direction that is closed has no effect.
            let closed = self.closed.entry(conn).or_default();
            if closed.contains(&side) {
                return;
            }
            closed.push(side);
        }
        match command {
            Command::Open { conn, opener, .. } => {
                let listener = if opener == Side::Source { Side::Sink } else { Side::Source };
                self.at(self.now + 2 * self.delay, Event::Connected(conn, opener));
                self.at(self.now + 3 * self.delay, Event::Connected(conn, listener));
            }
            Command::Write { conn, side: Side::Sink, bytes } => {
                self.at(self.now + self.delay, Event::Received(conn, Side::Source, bytes));
            }
            Command::Write { conn, side: Side::Source, bytes } => self.queue.push_back(Item::Bytes(conn, bytes)),
            Command::Close { conn, side: Side::Sink } => {
                self.at(self.now + self.delay, Event::PeerClosed(conn, Side::Source));
            }
            Command::Close { conn, side: Side::Source } => self.queue.push_back(Item::Fin(conn)),
            Command::Withdraw { conn, .. } => {
                self.queue.retain(|item| !matches!(item, Item::Bytes(of, _) if *of == conn));
            }
            Command::Stop { conn, .. } => {
                self.queue.retain(|item| !matches!(item, Item::Bytes(of, _) if *of == conn));
                self.queue.push_back(Item::Fin(conn));
            }
            Command::OpenStream { conn, priority, .. } => {
                self.streams.insert((conn, self.opened), Outgoing { priority, ..Outgoing::default() });
                self.opened += 1;
            }
            Command::WriteStream { conn, stream, bytes, .. } => {
                self.streams.entry((conn, stream)).and_modify(|one| one.bytes += bytes);
            }
            Command::FinishStream { conn, stream, .. } => {
                self.streams.entry((conn, stream)).and_modify(|one| one.ends = true);
            }
            Command::ResetStream { conn, stream, code, .. } => {
                if self.streams.remove(&(conn, stream)).is_some() {
                    self.at(self.now + self.delay, Event::Stream(conn, Side::Sink, stream, StreamEvent::Reset(code)));
                }
            }
            Command::Timer { at, token } => self.at(at, Event::Timer(token)),
            Command::Send { side, number, len, ecn } => {
                let datagram = Datagram { number, len, sent: self.now, ecn };
                self.at(self.now + self.delay, Event::Datagram(side.peer(), datagram));
            }
        }
    }

    /// Starts the next piece of the stream with the highest priority that has one.
    fn send_stream(&mut self) {
        let waiting = self.streams.iter().filter(|(_, one)| one.bytes > 0);
        let Some((&(conn, stream), _)) = waiting.max_by_key(|(_, one)| one.priority) else { return };
        let one = self.streams.get_mut(&(conn, stream)).expect("a stream");
        let piece = one.bytes.min(PIECE);
        (one.bytes, one.left) = (one.bytes - piece, one.left + piece);
        let (total, ends) = (one.left, one.ends && one.bytes == 0);
        let arrives = self.occupy(piece) + self.delay;
        self.at(arrives, Event::Stream(conn, Side::Sink, stream, StreamEvent::Received(total)));
        if ends {
            self.streams.remove(&(conn, stream));
            self.at(arrives, Event::Stream(conn, Side::Sink, stream, StreamEvent::Finished));
            self.at(arrives + self.delay, Event::Stream(conn, Side::Source, stream, StreamEvent::Delivered));
        }
    }

    /// Occupies the link with a piece, and returns the time at which the piece has left.
    fn occupy(&mut self, piece: u64) -> Nanos {
        let rate = *self.rates.range(..=self.now).next_back().expect("a rate from time 0 on").1;
        let sent = self.now + piece * 8 * SECOND / rate;
        self.sending = true;
        // The link is freed first, so that an arrival can start a response at the same instant.
        self.at(sent, Event::Sent);
        sent
    }

    /// Starts the next piece if the link is free.
    fn send(&mut self) {
        while !self.sending {
            match self.queue.pop_front() {
                None => return self.send_stream(),
                Some(Item::Fin(conn)) => self.at(self.now + self.delay, Event::PeerClosed(conn, Side::Sink)),
                Some(Item::Bytes(_, 0)) => {}
                Some(Item::Bytes(conn, bytes)) => {
                    let piece = bytes.min(PIECE);
                    self.queue.push_front(Item::Bytes(conn, bytes - piece));
                    let sent = self.occupy(piece);
                    self.at(sent + self.delay, Event::Received(conn, Side::Sink, piece));
                }
            }
        }
    }
}

/// Returns the times of a column in seconds, rounded to milliseconds; no cell may be empty.
pub(crate) fn milliseconds(table: &Table, name: &str) -> Vec<u64> {
    let Some(Column::Float(cells)) = table.column(name) else { panic!("{name}") };
    cells.iter().map(|cell| libm::round(cell.unwrap() * 1e3) as u64).collect()
}

/// Returns the cells of a column of whole numbers; no cell may be empty.
pub(crate) fn ints(table: &Table, name: &str) -> Vec<i64> {
    let Some(Column::Int(cells)) = table.column(name) else { panic!("{name}") };
    cells.iter().map(|cell| cell.unwrap()).collect()
}
