//! Our TCP as a transport in virtual time, whose datagrams are IPv4 packets.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};

use ackclock_core::{Ecn, NEVER, Nanos, Random, headers::TCP_IPV4};
use ackclock_tcp::config::{EcnMode, Handshake};
use ackclock_tcp::info::CaState;
use ackclock_tcp::settings::Named;
use ackclock_tcp::{Config, Progress, State, cc, stack};
use ackclock_transport::{
    Event, Parameter, Parameters, Range, Role, Setup, Stack, Statistics, StreamId, Transmit, Transport, Value,
};
use ackclock_wire::{self as wire, Addresses, Packet};

use crate::Connection;

/// The single stream of a connection.
const STREAM: StreamId = 0;
/// The value of the parameters `cc` and `ecn` that means the setting of the stack.
const OF_STACK: &str = "of-stack";
/// Expiries of timers at one instant, beyond which the caller is told that one is due.
const MOST_EXPIRIES: u32 = 8;
/// Largest receive buffer, in bytes: the buffer of the stack `rfc` is larger than memory for its bytes should be.
const RECEIVE_BUFFER: u64 = 16 << 20;
const CLIENT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)), 50_000);
const SERVER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2)), 443);

/// Our TCP with the parameters `stack`, `cc` and `ecn`, which are names of the catalogues of [`ackclock_tcp`].
///
/// A connection has one stream, number 0. [`Transport::close`] resets the connection; TCP carries no code. A stack
/// without a handshake on the wire, as those of ns-2, is not accepted. Receive buffers have at most 16 MiB.
pub struct TcpStack {
    parameters: Vec<Parameter>,
}

impl Default for TcpStack {
    fn default() -> TcpStack {
        let stacks = stack::CATALOGUE.iter().filter(|one| (one.config)().handshake == Handshake::ThreeWay);
        let stacks = stacks.map(|one| (one.name.to_owned(), one.summary.to_owned())).collect();
        let with_own = |others: Vec<(String, String)>| {
            [vec![(OF_STACK.to_owned(), "that of the stack".to_owned())], others].concat()
        };
        let modes = EcnMode::all().into_iter().map(|(name, _, summary)| (name.to_owned(), summary.to_owned()));
        // The header of XCP is not encoded in packets.
        let entries = cc::CATALOGUE.iter().filter(|one| one.name != "xcp");
        let entries = entries.map(|one| (one.name.to_owned(), one.summary.to_owned()));
        let parameter = |name: &str, summary: &str, names, default: &str| Parameter {
            name: name.to_owned(),
            summary: summary.to_owned(),
            range: Range::Names(names),
            default: Value::Name(default.to_owned()),
        };
        TcpStack {
            parameters: vec![
                parameter("stack", "stack of the TCP", stacks, "linux"),
                parameter("cc", "congestion control", with_own(entries.collect()), OF_STACK),
                parameter("ecn", "use of ECN", with_own(modes.collect()), OF_STACK),
            ],
        }
    }
}

impl TcpStack {
    /// The configuration for parameters, with packets of at most `packet` bytes.
    fn config(&self, parameters: &Parameters, packet: u32) -> Result<Config, String> {
        for parameter in &self.parameters {
            let given = parameters.0.get(&parameter.name);
            if let Some(value) = given.filter(|value| !parameter.range.accepts(value)) {
                return Err(format!("{} = {value:?} is not accepted", parameter.name));
            }
        }
        let name = parameters.name("stack").unwrap_or("linux");
        let named = stack::by_name(name).ok_or_else(|| format!("there is no stack {name}"))?;
        let config = (named.config)();
        let cc = match parameters.name("cc").filter(|name| *name != OF_STACK) {
            Some(name) => named.form(name).ok_or_else(|| format!("there is no congestion control {name}"))?.into(),
            None => config.cc,
        };
        let given = parameters.name("ecn").unwrap_or(OF_STACK);
        let ecn = EcnMode::all().into_iter().find(|(name, ..)| *name == given).map_or(config.ecn, |(_, mode, _)| mode);
        let mss = packet.checked_sub(TCP_IPV4).filter(|mss| *mss > 0);
        let mss = mss.ok_or_else(|| format!("packets of {packet} bytes have no room for data after {TCP_IPV4}"))?;
        let buffers = [config.receive_buffer, config.receive_buffer_max];
        let [receive_buffer, receive_buffer_max] = buffers.map(|bytes| bytes.min(RECEIVE_BUFFER));
        let slow_start = named.slow_start_of(cc.name());
        Ok(Config { mss, slow_start, cc, ecn, receive_buffer, receive_buffer_max, ..config })
    }
}

impl Stack for TcpStack {
    fn name(&self) -> &str {
        "tcp"
    }

    fn summary(&self) -> &str {
        "the TCP of ackclock, as IPv4 packets"
    }

    fn source(&self) -> &str {
        env!("CARGO_PKG_VERSION")
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn overhead(&self) -> u32 {
        0
    }

    fn create(&self, _now: Nanos, setup: &Setup<'_>) -> Result<Box<dyn Transport>, String> {
        let config = self.config(setup.parameters, setup.datagram)?;
        let (source, destination) = if setup.role == Role::Client { (CLIENT, SERVER) } else { (SERVER, CLIENT) };
        let isn = Random::new(setup.seed).bits() as u32;
        let addresses = Addresses { source, destination };
        let mut connection = Connection::new(&config, addresses, isn);
        if setup.role == Role::Server {
            connection.listen();
        }
        Ok(Box::new(Tcp {
            connection,
            addresses,
            packet: setup.datagram as usize,
            // Twice what the peer's window can be: as much is in flight and as much waits for its place.
            capacity: 2 * config.receive_buffer.max(config.receive_buffer_max) as usize,
            now: 0,
            connected: false,
            readable: false,
            blocked: false,
            finished: false,
            delivered: false,
            peer_finished: false,
            closed: false,
            failure: None,
            events: VecDeque::new(),
            expired: (NEVER, 0),
        }))
    }
}

/// One end of a connection.
struct Tcp {
    connection: Connection,
    addresses: Addresses,
    /// Largest packet, in bytes.
    packet: usize,
    /// Bytes that may be written and not acknowledged.
    capacity: usize,
    /// Time of the last call.
    now: Nanos,
    connected: bool,
    /// Whether the application was told of bytes and has not read all of them.
    readable: bool,
    /// Whether a write did not take all bytes.
    blocked: bool,
    finished: bool,
    delivered: bool,
    peer_finished: bool,
    closed: bool,
    /// Reason why a packet could not be written.
    failure: Option<String>,
    events: VecDeque<Event>,
    /// Time of the last expiry, and how many more followed at once.
    expired: (Nanos, u32),
}

impl Tcp {
    /// Tells the application of all changes.
    fn follow_up(&mut self, now: Nanos) {
        self.now = now;
        let progress = self.connection.take_progress();
        if progress.has(Progress::CONNECTED) && !self.connected {
            self.connected = true;
            self.events.push_back(Event::Connected);
        }
        if self.connection.unread() > 0 && !self.readable {
            self.readable = true;
            self.events.push_back(Event::Readable(STREAM));
        }
        if self.connection.peer_closed() && self.connection.unread() == 0 && !self.peer_finished {
            self.peer_finished = true;
            self.events.push_back(Event::PeerFinished(STREAM));
        }
        if self.blocked && self.connection.unacknowledged() <= self.capacity / 4 * 3 {
            self.blocked = false;
            self.events.push_back(Event::Writable(STREAM));
        }
        let state = self.connection.state();
        let error = self.connection.endpoint().error();
        let acknowledged = match state {
            State::FinWait2 | State::TimeWait => true,
            State::Closed => error.is_none() && progress.has(Progress::CLOSED),
            _ => false,
        };
        if self.finished && acknowledged && !self.delivered {
            self.delivered = true;
            self.events.push_back(Event::Delivered(STREAM));
        }
        if progress.has(Progress::CLOSED) && !self.closed {
            self.closed = true;
            self.events.push_back(Event::Closed(error.map(|error| error.to_string())));
        }
    }

    /// Writes the next packet that the endpoint has now.
    fn transmit_next(&mut self, now: Nanos, datagram: &mut Vec<u8>) -> Option<Transmit> {
        datagram.resize(self.packet, 0);
        let (length, transmit) = match self.connection.poll_packet(now, datagram) {
            Ok(Some((packet, transmit))) => (packet.len(), Some(transmit)),
            Ok(None) => (0, None),
            Err(error) => {
                self.failure = Some(error.to_string());
                if !std::mem::replace(&mut self.closed, true) {
                    self.events.push_back(Event::Closed(self.failure.clone()));
                }
                (0, None)
            }
        };
        datagram.truncate(length);
        transmit
    }
}

impl Transport for Tcp {
    fn connect(&mut self, now: Nanos) {
        self.connection.connect(now);
        self.follow_up(now);
    }

    fn receive(&mut self, now: Nanos, ecn: Ecn, datagram: &[u8]) {
        let Ok(Packet::Tcp { addresses, mut segment, payload }) = wire::decode(datagram) else { return };
        if addresses == self.addresses.reversed() {
            // Routers mark the field beside the packet, so that they need not compute a checksum.
            segment.ecn = ecn;
            self.connection.on_segment(now, &segment, payload);
            self.follow_up(now);
        }
    }

    fn transmit(&mut self, now: Nanos, datagram: &mut Vec<u8>) -> Option<Transmit> {
        if self.failure.is_some() {
            return None;
        }
        let transmit = self.transmit_next(now, datagram);
        if transmit.is_none() && self.expired.0 == now && self.connection.next_timeout() <= now {
            // A timer that expired has set another one that is due at once, and is handled before the caller looks.
            self.expired.1 += 1;
            if self.expired.1 <= MOST_EXPIRIES {
                self.connection.on_time(now);
                self.follow_up(now);
                return self.transmit(now, datagram);
            }
        }
        transmit
    }

    fn timeout(&self) -> Nanos {
        if self.failure.is_some() { NEVER } else { self.connection.next_timeout() }
    }

    fn expire(&mut self, now: Nanos) {
        self.connection.on_time(now);
        self.expired = (now, 0);
        self.follow_up(now);
    }

    fn open(&mut self, now: Nanos) -> Option<StreamId> {
        self.now = now;
        self.connected.then_some(STREAM)
    }

    fn write(&mut self, now: Nanos, stream: StreamId, bytes: &[u8]) -> usize {
        self.now = now;
        if stream != STREAM || self.finished || self.closed {
            return 0;
        }
        let taken = bytes.len().min(self.capacity.saturating_sub(self.connection.unacknowledged()));
        if taken > 0 {
            self.connection.write(now, &bytes[..taken]);
        }
        self.blocked |= taken < bytes.len();
        taken
    }

    fn finish(&mut self, now: Nanos, stream: StreamId) {
        if stream == STREAM && !self.finished {
            self.finished = true;
            self.connection.finish(now);
            self.follow_up(now);
        }
    }

    fn read(&mut self, now: Nanos, stream: StreamId, buffer: &mut [u8]) -> usize {
        if stream != STREAM {
            return 0;
        }
        let mut count = 0;
        self.connection.read_some(now, buffer.len() as u64, |piece| {
            buffer[count..count + piece.len()].copy_from_slice(piece);
            count += piece.len();
        });
        self.readable &= count > 0;
        self.follow_up(now);
        count
    }

    fn close(&mut self, now: Nanos, _code: u64) {
        self.connection.abort(now);
        self.now = now;
        if !std::mem::replace(&mut self.closed, true) {
            self.events.push_back(Event::Closed(None));
        }
    }

    fn poll(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// TCP retransmits what it deems lost, so that its count of retransmissions serves as that of losses, too.
    fn statistics(&self) -> Statistics {
        let endpoint = self.connection.endpoint();
        let (window, stats, recovery) = (endpoint.window(), endpoint.stats(), endpoint.loss_recovery());
        let info = endpoint.info(self.now);
        let outstanding = endpoint.sent().saturating_sub(endpoint.acked()) + recovery.retransmitted_bytes;
        Statistics {
            window: Some(window.cwnd),
            threshold: Some(window.ssthresh).filter(|threshold| *threshold != u64::MAX),
            in_flight: Some(outstanding.saturating_sub(recovery.sacked_bytes + recovery.lost_bytes)),
            srtt: endpoint.srtt(),
            rtt_variation: endpoint.srtt().map(|_| info.rttvar),
            latest_rtt: None,
            min_rtt: endpoint.min_rtt(),
            pacing_rate: info.pacing_rate.map(|rate| rate.bits()),
            delivery_rate: None,
            state: Some(match recovery.state {
                CaState::Open | CaState::Disorder if window.in_slow_start() => "slow start",
                CaState::Open | CaState::Disorder => "congestion avoidance",
                CaState::Cwr => "reduction for marks",
                CaState::Recovery => "recovery",
                CaState::Loss => "loss",
            }),
            lost: stats.data_retransmits,
            retransmitted: stats.data_retransmits,
            timeouts: stats.timeouts,
            reductions: stats.recoveries + stats.timeouts + recovery.counts.reductions_for_marks,
        }
    }
}
