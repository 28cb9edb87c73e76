//! One end of a connection.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use ackclock_core::{Ecn, Nanos, Random};
use ackclock_transport::{Event, NEVER, Parameter, Role, Setup, Statistics, StreamId, Transmit, Transport};
use quiche::{Config, ConnectionId, Header, QlogLevel, RecvInfo, Shutdown, Type};

use crate::log::Log;
use crate::parameters::{SMALLEST, Settings, settings};
use crate::pieces::{Piece, Pieces};
use crate::streams::{self, Priorities, is_bidirectional, is_incoming, is_outgoing};
use crate::system::{self, Loan, nanos, time};
use crate::tls;

type Connection = quiche::Connection<Pieces>;

/// Length of a connection id, in bytes, as quiche's own programs have it.
const ID: usize = quiche::MAX_CONN_ID_LEN;

/// Length of the first destination connection id of a client, in bytes, as quiche has it.
const FIRST_ID: usize = 16;

/// Largest number that QUIC encodes (RFC 9000, section 16).
const LARGEST_CODE: u64 = (1 << 62) - 1;

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
    /// Numbers of the next bidirectional and of the next unidirectional stream that this end opens.
    next: [StreamId; 2],
    /// Number of the next unidirectional stream of the peer that is reported.
    next_incoming: StreamId,
    priorities: Priorities,
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
            next: [false, true].map(|one_way| streams::first(setup.role, one_way)),
            next_incoming: streams::first(other(setup.role), true),
            priorities: Priorities::default(),
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

    fn open_one(&mut self, now: Nanos, one_way: bool) -> Option<StreamId> {
        let connection = self.connection.as_ref().filter(|connection| connection.is_established())?;
        let left = if one_way { connection.peer_streams_left_uni() } else { connection.peer_streams_left_bidi() };
        if self.closed || left == 0 {
            return None;
        }
        let next = &mut self.next[usize::from(one_way)];
        let stream = *next;
        *next += streams::STEP;
        self.priorities.set(stream, 0);
        self.rank(now);
        Some(stream)
    }

    /// Tells quiche the urgencies that have changed. quiche creates a stream with its first use, which this is.
    fn rank(&mut self, now: Nanos) {
        let Some(connection) = &mut self.connection else { return };
        let changes = self.priorities.changes();
        if changes.is_empty() {
            return;
        }
        let _loan = Loan::new(now, &mut self.random);
        for (stream, urgency) in changes {
            // It fails only for a stream beyond the peer's limit, which no stream of an end is.
            let _ = connection.stream_priority(stream, urgency, true);
        }
    }

    /// Reports what has happened, and notes the next timeout.
    fn settle(&mut self, now: Nanos) {
        self.report();
        self.rank(now);
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
            if is_bidirectional(stream) {
                if !streams::is_own(self.role, stream) && self.opened.insert(stream) {
                    self.events.push_back(Event::Opened(stream));
                    self.priorities.set(stream, 0);
                }
            } else {
                // A stream is open as soon as a later one is (RFC 9000, section 3.2).
                while self.next_incoming <= stream {
                    self.events.push_back(Event::OpenedUnidirectional(self.next_incoming));
                    self.next_incoming += streams::STEP;
                }
            }
            self.events.push_back(Event::Readable(stream));
        }
        while let Some(stream) = connection.stream_writable_next() {
            if self.blocked.remove(&stream) {
                self.events.push_back(Event::Writable(stream));
            }
        }
        let (log, outgoing, priorities, events) =
            (&self.log, &mut self.outgoing, &mut self.priorities, &mut self.events);
        self.finished.retain(|stream| {
            let is_held = outgoing.get(stream).is_some_and(|mark| Arc::strong_count(mark) > 1);
            if is_held || !log.ended(*stream) {
                return true;
            }
            outgoing.remove(stream);
            priorities.forget(*stream);
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
        self.settle(now);
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
        self.settle(now);
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
        self.settle(now);
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
        self.settle(now);
    }

    fn open(&mut self, now: Nanos) -> Option<StreamId> {
        self.open_one(now, false)
    }

    fn open_unidirectional(&mut self, now: Nanos) -> Option<StreamId> {
        self.open_one(now, true)
    }

    fn prioritize(&mut self, now: Nanos, stream: StreamId, priority: i32) {
        if self.priorities.contains(stream) {
            self.priorities.set(stream, priority);
            self.rank(now);
        }
    }

    fn reset(&mut self, now: Nanos, stream: StreamId, code: u64) {
        let Some(connection) = &mut self.connection else { return };
        if self.closed || !is_outgoing(self.role, stream) || !self.priorities.contains(stream) {
            return;
        }
        let loan = Loan::new(now, &mut self.random);
        let done = connection.stream_shutdown(stream, Shutdown::Write, code.min(LARGEST_CODE));
        drop(loan);
        // quiche refuses it for a stream of which nothing is left to be sent.
        if done.is_ok() {
            self.finished.remove(&stream);
            self.blocked.remove(&stream);
            self.outgoing.remove(&stream);
            self.priorities.forget(stream);
            self.log.abandon(stream);
        }
        self.settle(now);
    }

    fn write(&mut self, now: Nanos, stream: StreamId, bytes: &[u8]) -> usize {
        let Some(connection) = self.connection.as_mut().filter(|connection| connection.is_established()) else {
            return 0;
        };
        if self.closed || !is_outgoing(self.role, stream) || self.finished.contains(&stream) {
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
            let piece = Piece::new(&rest[..length], mark);
            match connection.stream_send_zc(stream, piece, false) {
                Ok((written, _)) => taken += written,
                Err(_) => break,
            }
        }
        drop(loan);
        self.settle(now);
        taken
    }

    fn finish(&mut self, now: Nanos, stream: StreamId) {
        let Some(connection) = &mut self.connection else { return };
        if self.closed || !is_outgoing(self.role, stream) {
            return;
        }
        let loan = Loan::new(now, &mut self.random);
        let done = connection.stream_send(stream, b"", true);
        drop(loan);
        if done.is_ok() && self.finished.insert(stream) {
            self.log.end(stream);
        }
        self.settle(now);
    }

    fn read(&mut self, now: Nanos, stream: StreamId, buffer: &mut [u8]) -> usize {
        let Some(connection) = &mut self.connection else { return 0 };
        if !is_incoming(self.role, stream) {
            return 0;
        }
        let loan = Loan::new(now, &mut self.random);
        let mut length = 0;
        let mut end = None;
        while length < buffer.len() && end.is_none() {
            match connection.stream_recv(stream, &mut buffer[length..]) {
                Ok((read, fin)) => {
                    length += read;
                    end = fin.then_some(Event::PeerFinished(stream));
                }
                Err(quiche::Error::StreamReset(code)) => end = Some(Event::Reset(stream, code)),
                Err(_) => break,
            }
        }
        drop(loan);
        self.events.extend(end);
        self.settle(now);
        length
    }

    fn close(&mut self, now: Nanos, code: u64) {
        if let Some(connection) = &mut self.connection {
            let _loan = Loan::new(now, &mut self.random);
            // It fails only if the connection has ended already.
            let _ = connection.close(true, code.min(LARGEST_CODE), b"");
        }
        if !self.closed {
            self.closed = true;
            self.events.push_back(Event::Closed(None));
        }
        self.settle(now);
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
