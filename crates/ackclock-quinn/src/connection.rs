//! One end of a connection.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use ackclock_core::{Ecn, Nanos};
use ackclock_transport::{Event, NEVER, Parameter, Role, Setup, Statistics, StreamId, Transmit, Transport};
use bytes::{Bytes, BytesMut};
use quinn_proto::{
    ClientConfig, Connection, ConnectionError, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint,
    FrameStats, ReadError, Side, StreamEvent, VarInt,
};

use crate::clock::{instant, nanos, time};
use crate::controller::{Tally, lock};
use crate::log::Log;
use crate::parameters::{Settings, settings};
use crate::randomness::{Generator, Loan};
use crate::{endpoint, tls};

/// An end with quinn-proto's endpoint and its only connection.
pub(crate) struct End {
    role: Role,
    ecn: bool,
    has_recovery: bool,
    generator: Generator,
    endpoint: Endpoint,
    /// The configuration of a client that has not connected yet.
    client: Option<ClientConfig>,
    connection: Option<(ConnectionHandle, Connection)>,
    /// Datagrams of the endpoint itself, such as version negotiation.
    replies: VecDeque<Vec<u8>>,
    events: VecDeque<Event>,
    /// Whether [`Event::Closed`] was reported.
    closed: bool,
    timeout: Nanos,
    /// The time of the last call of `expire`.
    expired: Option<Nanos>,
    /// Whether the next datagram would be a probe if it elicits an ACK: timers have expired, and none of them has found
    /// a loss.
    probing: bool,
    timeouts: u64,
    tally: Arc<Mutex<Tally>>,
    log: Option<Log>,
}

impl End {
    /// Creates an end.
    ///
    /// # Errors
    /// A message with all parameters that are impossible or do not go together.
    pub(crate) fn new(known: &[Parameter], setup: &Setup<'_>) -> Result<End, String> {
        let tally = Arc::new(Mutex::new(Tally::default()));
        let Settings { mut transport, ecn, discovery, has_recovery } = settings(known, setup, &tally)?;
        let log = setup.log.then(Log::default);
        if let Some(log) = &log {
            transport.qlog_stream(log.stream(setup.role));
        }
        let mut generator = Generator::new(setup.seed);
        let (endpoint, client) = endpoint::create(setup, transport, discovery, &mut generator)?;
        Ok(End {
            role: setup.role,
            ecn,
            has_recovery,
            generator,
            endpoint,
            client,
            connection: None,
            replies: VecDeque::new(),
            events: VecDeque::new(),
            closed: false,
            timeout: NEVER,
            expired: None,
            probing: false,
            timeouts: 0,
            tally,
            log,
        })
    }

    /// Passes events between the connection and the endpoint, and notes the next timeout.
    fn settle(&mut self) {
        let Some((handle, connection)) = &mut self.connection else { return };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        let next = connection.poll_timeout().map_or(NEVER, time);
        // A timer that is still due after it has been handled waits for the next instant.
        self.timeout = match self.expired {
            Some(expired) if next <= expired => expired + 1,
            _ => next,
        };
    }

    /// Reports the end of the connection, once.
    fn end(&mut self, reason: Option<String>) {
        if !self.closed {
            self.closed = true;
            self.events.push_back(Event::Closed(reason));
        }
    }

    /// Reports an event of quinn-proto's.
    fn report(&mut self, event: quinn_proto::Event) {
        match event {
            quinn_proto::Event::Connected => self.events.push_back(Event::Connected),
            quinn_proto::Event::ConnectionLost { reason } => self.end(reason_of(&reason)),
            quinn_proto::Event::Stream(event) => match event {
                StreamEvent::Opened { dir: Dir::Bi } => {
                    let Some((_, connection)) = &mut self.connection else { return };
                    while let Some(id) = connection.streams().accept(Dir::Bi) {
                        // quinn-proto does not report the bytes with which a stream begins.
                        self.events.extend([Event::Opened(id.into()), Event::Readable(id.into())]);
                    }
                }
                StreamEvent::Opened { dir: Dir::Uni } => {
                    let Some((_, connection)) = &mut self.connection else { return };
                    while let Some(id) = connection.streams().accept(Dir::Uni) {
                        self.events.extend([Event::OpenedUnidirectional(id.into()), Event::Readable(id.into())]);
                    }
                }
                StreamEvent::Readable { id } => self.events.push_back(Event::Readable(id.into())),
                StreamEvent::Writable { id } => self.events.push_back(Event::Writable(id.into())),
                StreamEvent::Finished { id } => self.events.push_back(Event::Delivered(id.into())),
                _ => {}
            },
            _ => {}
        }
    }
}

/// The reason of an end of a connection, if it is an error.
fn reason_of(reason: &ConnectionError) -> Option<String> {
    match reason {
        ConnectionError::LocallyClosed => None,
        ConnectionError::ApplicationClosed(close) if close.error_code == VarInt::from_u32(0) => None,
        ConnectionError::ApplicationClosed(close) => Some(format!("the peer closed with code {}", close.error_code)),
        reason => Some(reason.to_string()),
    }
}

/// Returns quinn-proto's number of a stream that carries bytes from an end. quinn-proto panics at other streams.
fn outgoing(role: Role, stream: StreamId) -> Option<quinn_proto::StreamId> {
    let id: quinn_proto::StreamId = VarInt::from_u64(stream).ok()?.into();
    let own = if role == Role::Client { Side::Client } else { Side::Server };
    (id.dir() == Dir::Bi || id.initiator() == own).then_some(id)
}

/// Returns quinn-proto's number of a stream that carries bytes to an end.
fn incoming(role: Role, stream: StreamId) -> Option<quinn_proto::StreamId> {
    outgoing(if role == Role::Client { Role::Server } else { Role::Client }, stream)
}

/// Returns the number of frames that elicit an ACK; those that a probe timeout sends are the second number.
fn eliciting(frames: &FrameStats) -> (u64, u64) {
    let probes = frames.crypto + frames.ping + frames.immediate_ack;
    let others = frames.ack_frequency
        + frames.data_blocked
        + frames.datagram
        + u64::from(frames.handshake_done)
        + frames.max_data
        + frames.max_stream_data
        + frames.max_streams_bidi
        + frames.max_streams_uni
        + frames.new_connection_id
        + frames.new_token
        + frames.path_challenge
        + frames.path_response
        + frames.reset_stream
        + frames.retire_connection_id
        + frames.stream_data_blocked
        + frames.streams_blocked_bidi
        + frames.streams_blocked_uni
        + frames.stop_sending
        + frames.stream;
    (probes + others, probes)
}

impl Transport for End {
    fn connect(&mut self, now: Nanos) {
        let Some(config) = self.client.take() else { return };
        let loan = Loan::new(&mut self.generator);
        let connected = self.endpoint.connect(instant(now), config, endpoint::peer(self.role), tls::SERVER_NAME);
        drop(loan);
        match connected {
            Ok(connection) => self.connection = Some(connection),
            Err(error) => self.end(Some(error.to_string())),
        }
        self.settle();
    }

    fn receive(&mut self, now: Nanos, ecn: Ecn, datagram: &[u8]) {
        let loan = Loan::new(&mut self.generator);
        let mut reply = Vec::new();
        let now = instant(now);
        let ecn = EcnCodepoint::from_bits(ecn as u8);
        let peer = endpoint::peer(self.role);
        match self.endpoint.handle(now, peer, None, ecn, BytesMut::from(datagram), &mut reply) {
            Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                if let Some((own, connection)) = &mut self.connection
                    && *own == handle
                {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                if self.connection.is_some() {
                    self.endpoint.ignore(incoming);
                } else if let Ok(connection) = self.endpoint.accept(incoming, now, &mut reply, None) {
                    self.connection = Some(connection);
                }
            }
            Some(DatagramEvent::Response(_)) | None => {}
        }
        drop(loan);
        if !reply.is_empty() {
            self.replies.push_back(reply);
        }
        self.settle();
    }

    fn transmit(&mut self, now: Nanos, datagram: &mut Vec<u8>) -> Option<Transmit> {
        if let Some(reply) = self.replies.pop_front() {
            datagram.extend_from_slice(&reply);
            return Some(Transmit::default());
        }
        let (_, connection) = self.connection.as_mut()?;
        let before = connection.stats();
        let loan = Loan::new(&mut self.generator);
        let sent = connection.poll_transmit(instant(now), 1, datagram);
        drop(loan);
        let after = connection.stats();
        let result = sent.map(|sent| {
            let bytes = datagram.len() as u64;
            let ((all, probes), (all_before, probes_before)) =
                (eliciting(&after.frame_tx), eliciting(&before.frame_tx));
            if all > all_before {
                lock(&self.tally).in_flight += bytes;
            }
            let discovers = after.path.sent_plpmtud_probes > before.path.sent_plpmtud_probes;
            if self.probing && probes > probes_before && !discovers {
                self.timeouts += 1;
            }
            Transmit {
                ecn: if self.ecn { Ecn::from_bits(sent.ecn.map_or(0, |ecn| ecn as u8)) } else { Ecn::NotEct },
                payload: if after.frame_tx.stream > before.frame_tx.stream { bytes as u32 } else { 0 },
                retransmission: false,
            }
        });
        self.probing = false;
        self.settle();
        result
    }

    fn timeout(&self) -> Nanos {
        self.timeout
    }

    fn expire(&mut self, now: Nanos) {
        self.expired = Some(now);
        if let Some((_, connection)) = &mut self.connection {
            let lost = connection.stats().path.lost_packets;
            let loan = Loan::new(&mut self.generator);
            connection.handle_timeout(instant(now));
            drop(loan);
            self.probing = connection.stats().path.lost_packets == lost;
        }
        self.settle();
    }

    fn open(&mut self, _: Nanos) -> Option<StreamId> {
        let (_, connection) = self.connection.as_mut()?;
        let id = connection.streams().open(Dir::Bi)?;
        Some(id.into())
    }

    fn open_unidirectional(&mut self, _: Nanos) -> Option<StreamId> {
        let (_, connection) = self.connection.as_mut()?;
        let id = connection.streams().open(Dir::Uni)?;
        Some(id.into())
    }

    fn prioritize(&mut self, _: Nanos, stream: StreamId, priority: i32) {
        if let (Some((_, connection)), Some(id)) = (&mut self.connection, outgoing(self.role, stream)) {
            // It fails only for a stream that has ended already.
            let _ = connection.send_stream(id).set_priority(priority);
        }
    }

    fn reset(&mut self, _: Nanos, stream: StreamId, code: u64) {
        if let (Some((_, connection)), Some(id)) = (&mut self.connection, outgoing(self.role, stream)) {
            // It fails only for a stream that has ended already.
            let _ = connection.send_stream(id).reset(VarInt::from_u64(code).unwrap_or(VarInt::MAX));
        }
    }

    fn write(&mut self, _: Nanos, stream: StreamId, bytes: &[u8]) -> usize {
        let (Some((_, connection)), Some(id)) = (&mut self.connection, outgoing(self.role, stream)) else { return 0 };
        let mut taken = 0;
        // quinn-proto reports a stream as writable again only after it has refused a byte.
        while taken < bytes.len() {
            match connection.send_stream(id).write(&bytes[taken..]) {
                Ok(written) => taken += written,
                Err(_) => break,
            }
        }
        self.settle();
        taken
    }

    fn finish(&mut self, _: Nanos, stream: StreamId) {
        if let (Some((_, connection)), Some(id)) = (&mut self.connection, outgoing(self.role, stream)) {
            // It fails only for a stream that has ended already.
            let _ = connection.send_stream(id).finish();
        }
    }

    fn read(&mut self, _: Nanos, stream: StreamId, buffer: &mut [u8]) -> usize {
        let (Some((_, connection)), Some(id)) = (&mut self.connection, incoming(self.role, stream)) else { return 0 };
        let mut stream_in = connection.recv_stream(id);
        let Ok(mut chunks) = stream_in.read(true) else { return 0 };
        let mut length = 0;
        let mut end = None;
        while length < buffer.len() {
            match chunks.next(buffer.len() - length) {
                Ok(Some(chunk)) => {
                    buffer[length..length + chunk.bytes.len()].copy_from_slice(&chunk.bytes);
                    length += chunk.bytes.len();
                }
                Ok(None) => {
                    end = Some(Event::PeerFinished(stream));
                    break;
                }
                Err(ReadError::Reset(code)) => {
                    end = Some(Event::Reset(stream, code.into_inner()));
                    break;
                }
                Err(ReadError::Blocked) => break,
            }
        }
        // The window that reading opens is sent by the next `transmit`.
        let _ = chunks.finalize();
        self.events.extend(end);
        self.settle();
        length
    }

    fn close(&mut self, now: Nanos, code: u64) {
        if let Some((_, connection)) = &mut self.connection {
            connection.close(instant(now), VarInt::from_u64(code).unwrap_or(VarInt::MAX), Bytes::new());
        }
        self.end(None);
        self.settle();
    }

    fn poll(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            if self.closed {
                return None;
            }
            let event = self.connection.as_mut()?.1.poll()?;
            self.report(event);
        }
    }

    fn statistics(&self) -> Statistics {
        let Some((_, connection)) = &self.connection else { return Statistics::default() };
        let path = connection.stats().path;
        let metrics = connection.congestion_state().metrics();
        let tally = lock(&self.tally);
        let threshold = metrics.ssthresh.filter(|threshold| *threshold != u64::MAX);
        let sampled = tally.latest_rtt.is_some();
        let state = if tally.recovery.is_some() {
            "recovery"
        } else if threshold.is_none_or(|threshold| path.cwnd < threshold) {
            "slow start"
        } else {
            "congestion avoidance"
        };
        Statistics {
            window: Some(path.cwnd),
            threshold,
            in_flight: Some(tally.in_flight),
            srtt: sampled.then(|| nanos(path.rtt)),
            rtt_variation: None,
            latest_rtt: tally.latest_rtt.map(nanos),
            min_rtt: sampled.then(|| nanos(path.min_rtt)),
            pacing_rate: (sampled && !path.rtt.is_zero()).then(|| {
                // quinn-proto's pacer sends 5/4 of the window in an RTT.
                const BITS: f64 = 8.0;
                (1.25 * BITS * path.cwnd as f64 / path.rtt.as_secs_f64()) as u64
            }),
            delivery_rate: None,
            state: self.has_recovery.then_some(state),
            lost: path.lost_packets,
            retransmitted: path.lost_packets,
            timeouts: self.timeouts,
            reductions: tally.reductions,
        }
    }

    fn take_log(&mut self) -> Vec<u8> {
        self.log.as_ref().map(Log::take).unwrap_or_default()
    }
}
