//! One end of a connection.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use ackclock_core::{Ecn, Nanos, Random};
use ackclock_transport::{Event, NEVER, Parameter, Role, Setup, Statistics, StreamId, Transmit, Transport};
use quiche::{BufFactory, BufSplit, Config, ConnectionId, Header, QlogLevel, RecvInfo, Type};

use crate::log::Log;
use crate::parameters::{SMALLEST, Settings, settings};
use crate::system::{self, Loan, nanos, time};
use crate::tls;

type Connection = quiche::Connection<Pieces>;

/// Length of a connection id, in bytes, as quiche's own programs have it.
const ID: usize = quiche::MAX_CONN_ID_LEN;

/// Length of the first destination connection id of a client, in bytes, as quiche has it.
const FIRST_ID: usize = 16;

/// Urgency of a stream, of which quiche has no other by default.
const URGENCY: u8 = 127;

/// Bytes of a stream until the peer has acknowledged them. quiche drops them then.
#[derive(Clone, Debug)]
struct Piece {
    bytes: Arc<[u8]>,
    start: usize,
    end: usize,
    /// Shared by all pieces of a stream, which it counts.
    #[expect(dead_code, reason = "it is there to be dropped")]
    stream: Arc<()>,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }
}

impl BufSplit for Piece {
    fn split_at(&mut self, at: usize) -> Piece {
        let rest = Piece { start: self.start + at, ..self.clone() };
        self.end = self.start + at;
        rest
    }
}

/// Creates pieces of what is not written by the application.
#[derive(Clone, Default, Debug)]
struct Pieces;

impl BufFactory for Pieces {
    type Buf = Piece;
    type DgramBuf = Vec<u8>;

    fn buf_from_slice(bytes: &[u8]) -> Piece {
        Piece { bytes: bytes.into(), start: 0, end: bytes.len(), stream: Arc::default() }
    }

    fn dgram_buf_from_slice(bytes: &[u8]) -> Vec<u8> {
        bytes.to_vec()
    }
}

/// An end with its only connection.
pub(crate) struct End {
    role: Role,
    random: Random,
    config: Config,
    reduces: bool,
    mtu: usize,
    connection: Option<Connection>,
    /// Connection ids by which the client may address the server: the server's own, and the client's first choice.
    addresses: [Vec<u8>; 2],
    /// Datagrams of version negotiation.
    replies: VecDeque<Vec<u8>>,
    events: VecDeque<Event>,
    connected: bool,
    /// Whether [`Event::Closed`] was reported.
    closed: bool,
    /// Number of the next stream that this end opens.
    next: StreamId,
    /// The marks of the pieces of each stream that is not delivered yet.
    outgoing: BTreeMap<StreamId, Arc<()>>,
    /// Streams that this end has finished and the peer has not acknowledged.
    finished: BTreeSet<StreamId>,
    /// Streams that did not take all bytes.
    blocked: BTreeSet<StreamId>,
    /// Streams of the peer that were reported.
    opened: BTreeSet<StreamId>,
    timeout: Nanos,
    /// The time at which the pacer releases the next datagram.
    release: Nanos,
    /// The time of the last call of `expire`.
    expired: Option<Nanos>,
    retransmitted: u64,
    log: Log,
}

/// Returns the address of an end (RFC 5737: addresses for documentation).
fn address(role: Role) -> SocketAddr {
    match role {
        Role::Client => SocketAddr::from((Ipv4Addr::new(192, 0, 2, 1), 50_000)),
        Role::Server => SocketAddr::from((Ipv4Addr::new(192, 0, 2, 2), 443)),
    }
}

fn other(role: Role) -> Role {
    match role {
        Role::Client => Role::Server,
        Role::Server => Role::Client,
    }
}

/// Whether both directions of a stream carry bytes (RFC 9000, section 2.1).
fn is_bidirectional(stream: StreamId) -> bool {
    const UNIDIRECTIONAL: u64 = 2;
    stream & UNIDIRECTIONAL == 0
}

impl End {
    /// Creates an end.
    ///
    /// # Errors
    /// A message with all parameters that are impossible or do not go together.
    pub(crate) fn new(now: Nanos, known: &[Parameter], setup: &Setup<'_>) -> Result<End, String> {
        let mut random = Random::new(setup.seed);
        let loan = Loan::new(now, &mut random);
        let Settings { config, mtu, reduces } = settings(known, setup)?;
        drop(loan);
        Ok(End {
            role: setup.role,
            random,
            config,
            reduces,
            mtu,
            connection: None,
            addresses: Default::default(),
            replies: VecDeque::new(),
            events: VecDeque::new(),
            connected: false,
            closed: false,
            next: u64::from(setup.role == Role::Server),
            outgoing: BTreeMap::new(),
            finished: BTreeSet::new(),
            blocked: BTreeSet::new(),
            opened: BTreeSet::new(),
            timeout: NEVER,
            release: 0,
            expired: None,
            retransmitted: 0,
            log: Log::new(setup.log),
        })
    }

    /// Creates the connection, and begins its log, whose times are simulated times in ms.
    fn start(&mut self, now: Nanos) -> Result<(), quiche::Error> {
        let id: [u8; ID] = system::bytes(&mut self.random);
        let first: [u8; FIRST_ID] = system::bytes(&mut self.random);
        let (own, peer) = (address(self.role), address(other(self.role)));
        let loan = Loan::new(now, &mut self.random);
        let id = ConnectionId::from_ref(&id);
        let mut connection = match self.role {
            Role::Client => quiche::connect_with_dcid_and_buffer_factory(
                Some(tls::SERVER_NAME),
                &id,
                &ConnectionId::from_ref(&first),
                own,
                peer,
                &mut self.config,
            )?,
            Role::Server => quiche::accept_with_buf_factory(&id, None, own, peer, &mut self.config)?,
        };
        let title = match self.role {
            Role::Client => "client",
            Role::Server => "server",
        };
        // The end reads events of the highest importance only; the others cost time.
        let level = if self.log.keeps() { QlogLevel::Extra } else { QlogLevel::Core };
        loan.set(0);
        connection.set_qlog_with_level(
            Box::new(self.log.writer()),
            title.to_owned(),
            "quiche in simulated time".to_owned(),
            level,
        );
        self.addresses[0] = id.to_vec();
        self.connection = Some(connection);
        Ok(())
    }

    /// Lets a server answer the first datagram of a client. Others are dropped.
    fn accept(&mut self, now: Nanos, datagram: &mut [u8]) {
        let length = datagram.len();
        let Ok(header) = Header::from_slice(datagram, ID) else { return };
        if header.ty == Type::Short || header.ty == Type::VersionNegotiation || length < SMALLEST as usize {
            return;
        }
        if !quiche::version_is_supported(header.version) {
            let mut reply = vec![0; SMALLEST as usize];
            let loan = Loan::new(now, &mut self.random);
            let written = quiche::negotiate_version(&header.scid, &header.dcid, &mut reply);
            drop(loan);
            if let Ok(length) = written {
                reply.truncate(length);
                self.replies.push_back(reply);
            }
            return;
        }
        if header.ty != Type::Initial {
            return;
        }
        self.addresses[1] = header.dcid.to_vec();
        // It fails only without memory or with a configuration that `create` has refused.
        let _ = self.start(now);
    }

    /// Reports what has happened, and notes the next timeout.
    fn settle(&mut self) {
        self.report();
        let Some(connection) = &self.connection else { return };
        let next = connection.timeout_instant().map_or(NEVER, time);
        // A timer that is still due after it has been handled waits for the next instant.
        self.timeout = match self.expired {
            Some(expired) if next <= expired => expired + 1,
            _ => next,
        };
    }

    fn report(&mut self) {
        if self.closed {
            return;
        }
        let Some(connection) = &mut self.connection else { return };
        if !self.connected && connection.is_established() {
            self.connected = true;
            self.events.push_back(Event::Connected);
        }
        while let Some(stream) = connection.stream_readable_next() {
            let is_own = stream & 1 == u64::from(self.role == Role::Server);
            if !is_own && self.opened.insert(stream) {
                self.events.push_back(Event::Opened(stream));
            }
            self.events.push_back(Event::Readable(stream));
        }
        while let Some(stream) = connection.stream_writable_next() {
            if self.blocked.remove(&stream) {
                self.events.push_back(Event::Writable(stream));
            }
        }
        let (log, outgoing, events) = (&self.log, &mut self.outgoing, &mut self.events);
        self.finished.retain(|stream| {
            let is_held = outgoing.get(stream).is_some_and(|mark| Arc::strong_count(mark) > 1);
            if is_held || !log.ended(*stream) {
                return true;
            }
            outgoing.remove(stream);
            log.forget(*stream);
            events.push_back(Event::Delivered(*stream));
            false
        });
        if connection.is_closed() || connection.is_draining() || connection.local_error().is_some() {
            self.closed = true;
            self.events.push_back(Event::Closed(reason(connection)));
        }
    }
}

/// The reason of an end of a connection, if it is an error.
fn reason(connection: &Connection) -> Option<String> {
    if let Some(error) = connection.peer_error() {
        return match (error.is_app, error.error_code) {
            (true, 0) => None,
            (true, code) => Some(format!("the peer closed with code {code}")),
            (false, code) => Some(format!("the peer closed with the error {code:#x} of QUIC")),
        };
    }
    if let Some(error) = connection.local_error() {
        return Some(format!("this end closed with the error {:#x} of QUIC", error.error_code));
    }
    Some(
        if connection.is_timed_out() { "the connection was idle for too long" } else { "the connection was lost" }
            .to_owned(),
    )
}

impl Transport for End {
    fn connect(&mut self, now: Nanos) {
        if self.role == Role::Server || self.connection.is_some() {
            return;
        }
        if let Err(error) = self.start(now) {
            self.closed = true;
            self.events.push_back(Event::Closed(Some(error.to_string())));
        }
        self.settle();
    }

    fn receive(&mut self, now: Nanos, _: Ecn, datagram: &[u8]) {
        let mut datagram = datagram.to_vec();
        if self.connection.is_none() && self.role == Role::Server {
            self.accept(now, &mut datagram);
        }
        let Some(connection) = &mut self.connection else { return };
        if self.role == Role::Server {
            let Ok(header) = Header::from_slice(&mut datagram, ID) else { return };
            if !self.addresses.iter().any(|address| **address == *header.dcid) {
                return;
            }
        }
        let loan = Loan::new(now, &mut self.random);
        let from = address(other(self.role));
        // quiche closes the connection itself if there is an error.
        let _ = connection.recv(&mut datagram, RecvInfo { from, to: address(self.role) });
        drop(loan);
        if self.role == Role::Server && connection.is_closed() && connection.stats().recv == 0 {
            // It was no packet of a client's.
            self.connection = None;
            return;
        }
        self.settle();
    }

    fn transmit(&mut self, now: Nanos, datagram: &mut Vec<u8>) -> Option<Transmit> {
        if let Some(reply) = self.replies.pop_front() {
            datagram.extend_from_slice(&reply);
            return Some(Transmit::default());
        }
        let connection = self.connection.as_mut()?;
        let loan = Loan::new(now, &mut self.random);
        let decision = connection.get_next_release_time();
        let release =
            decision.filter(|decision| !decision.can_burst()).and_then(|decision| decision.time(system::now()));
        self.release = release.map_or(0, time);
        if self.release > now {
            return None;
        }
        datagram.resize(self.mtu, 0);
        let sent = connection.send(datagram);
        let length = match sent {
            Ok((length, _)) => length,
            Err(quiche::Error::Done) => 0,
            Err(error) => {
                // RFC 9000, section 20.1: INTERNAL_ERROR is 1.
                let _ = (error, connection.close(false, 1, b""));
                0
            }
        };
        drop(loan);
        datagram.truncate(length);
        let payload = self.log.sent();
        self.settle();
        if length == 0 {
            return None;
        }
        self.retransmitted += u64::from(payload.is_repeated);
        Some(Transmit { ecn: Ecn::NotEct, payload: payload.bytes, retransmission: payload.is_retransmission })
    }

    fn timeout(&self) -> Nanos {
        if self.release > 0 { self.timeout.min(self.release) } else { self.timeout }
    }

    fn expire(&mut self, now: Nanos) {
        self.expired = Some(now);
        self.release = 0;
        if let Some(connection) = &mut self.connection {
            let _loan = Loan::new(now, &mut self.random);
            connection.on_timeout();
        }
        self.settle();
    }

    fn open(&mut self, now: Nanos) -> Option<StreamId> {
        const STEP: StreamId = 4;
        let connection = self.connection.as_mut().filter(|connection| connection.is_established())?;
        if self.closed || connection.peer_streams_left_bidi() == 0 {
            return None;
        }
        let stream = self.next;
        let loan = Loan::new(now, &mut self.random);
        // It gives the stream the urgency that it has by default; quiche creates a stream with its first use.
        connection.stream_priority(stream, URGENCY, true).ok()?;
        drop(loan);
        self.next += STEP;
        Some(stream)
    }

    fn write(&mut self, now: Nanos, stream: StreamId, bytes: &[u8]) -> usize {
        let Some(connection) = self.connection.as_mut().filter(|connection| connection.is_established()) else {
            return 0;
        };
        if self.closed || !is_bidirectional(stream) || self.finished.contains(&stream) {
            return 0;
        }
        let loan = Loan::new(now, &mut self.random);
        let mut taken = 0;
        while taken < bytes.len() {
            let rest = &bytes[taken..];
            let length = connection.stream_capacity(stream).unwrap_or(0).min(rest.len());
            if length == 0 {
                // quiche notes that the stream waits, and for what.
                let _ = connection.stream_send(stream, rest, false);
                self.blocked.insert(stream);
                break;
            }
            let mark = self.outgoing.entry(stream).or_default().clone();
            let piece = Piece { bytes: rest[..length].into(), start: 0, end: length, stream: mark };
            match connection.stream_send_zc(stream, piece, false) {
                Ok((written, _)) => taken += written,
                Err(_) => break,
            }
        }
        drop(loan);
        self.settle();
        taken
    }

    fn finish(&mut self, now: Nanos, stream: StreamId) {
        let Some(connection) = &mut self.connection else { return };
        if self.closed || !is_bidirectional(stream) {
            return;
        }
        let loan = Loan::new(now, &mut self.random);
        let done = connection.stream_send(stream, b"", true);
        drop(loan);
        if done.is_ok() && self.finished.insert(stream) {
            self.log.end(stream);
        }
        self.settle();
    }

    fn read(&mut self, now: Nanos, stream: StreamId, buffer: &mut [u8]) -> usize {
        let Some(connection) = &mut self.connection else { return 0 };
        if !is_bidirectional(stream) {
            return 0;
        }
        let loan = Loan::new(now, &mut self.random);
        let mut length = 0;
        let mut finished = false;
        while length < buffer.len() && !finished {
            match connection.stream_recv(stream, &mut buffer[length..]) {
                Ok((read, fin)) => {
                    length += read;
                    finished = fin;
                }
                Err(_) => break,
            }
        }
        drop(loan);
        if finished {
            self.events.push_back(Event::PeerFinished(stream));
        }
        self.settle();
        length
    }

    fn close(&mut self, now: Nanos, code: u64) {
        /// Largest number that QUIC encodes (RFC 9000, section 16).
        const LARGEST: u64 = (1 << 62) - 1;
        if let Some(connection) = &mut self.connection {
            let _loan = Loan::new(now, &mut self.random);
            // It fails only if the connection has ended already.
            let _ = connection.close(true, code.min(LARGEST), b"");
        }
        if !self.closed {
            self.closed = true;
            self.events.push_back(Event::Closed(None));
        }
        self.settle();
    }

    fn poll(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn statistics(&self) -> Statistics {
        let Some(connection) = &self.connection else { return Statistics::default() };
        let Some(path) = connection.path_stats().next() else { return Statistics::default() };
        let sampled = path.min_rtt.is_some();
        const BITS: u64 = 8;
        self.log.tally(|tally| Statistics {
            window: Some(path.cwnd as u64),
            threshold: tally.threshold,
            in_flight: Some(tally.in_flight.unwrap_or(0)),
            srtt: sampled.then(|| nanos(path.rtt)),
            rtt_variation: sampled.then(|| nanos(path.rttvar)),
            latest_rtt: tally.latest_rtt,
            min_rtt: path.min_rtt.map(nanos),
            pacing_rate: tally.pacing_rate,
            delivery_rate: Some(path.delivery_rate * BITS).filter(|rate| *rate > 0),
            state: self.reduces.then(|| {
                let is_below = tally.threshold.is_none_or(|threshold| (path.cwnd as u64) < threshold);
                if is_below { "slow start" } else { "congestion avoidance" }
            }),
            lost: path.lost as u64,
            retransmitted: self.retransmitted,
            timeouts: path.total_pto_count as u64,
            reductions: if self.reduces { tally.falls } else { 0 },
        })
    }

    fn take_log(&mut self) -> Vec<u8> {
        self.log.take()
    }
}
