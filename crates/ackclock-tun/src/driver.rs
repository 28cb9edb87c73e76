//! The loop between a device and its connections.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Instant;

use ackclock_core::{Random, stream_seed};
use ackclock_tcp::{Config, Flags, Nanos, State};
use ackclock_wire::{self as wire, Addresses, DecodeError, Packet};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::{Connection, Impairment, Tun};

/// A connection of a driver: the local port and the peer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Id {
    /// The local port.
    pub port: u16,
    /// The peer.
    pub peer: SocketAddr,
}

/// Counts of the packets that a driver discarded, and of ICMP errors.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Packets from the device with a wrong checksum.
    pub damaged: u64,
    /// Packets that are not TCP, or that cannot be decoded for another reason.
    pub other: u64,
    /// Packets that belong to no connection.
    pub stray: u64,
    /// ICMP errors.
    pub icmp: u64,
}

/// Size of the largest packet, in bytes.
const LONGEST: usize = 65_575;
/// Maximum number of packets taken from the device before connections and timers are handled.
const AT_ONCE: usize = 64;

/// The connections of one address behind a device.
pub struct Driver {
    tun: Tun,
    address: IpAddr,
    config: Config,
    began: Instant,
    random: Random,
    /// Impairment towards the connections (`inward`), and from them (`outward`).
    inward: Impairment,
    outward: Impairment,
    connections: BTreeMap<Id, Connection>,
    listening: Option<u16>,
    counts: Counts,
    buffer: Vec<u8>,
}

impl Driver {
    /// Creates a driver of endpoints with the configuration `config` at `address`. Packets pass `inward` on their way
    /// in and `outward` on their way out. The seed determines the initial sequence numbers.
    pub fn new(
        tun: Tun,
        address: IpAddr,
        config: Config,
        seed: u64,
        inward: Impairment,
        outward: Impairment,
    ) -> Driver {
        Driver {
            tun,
            address,
            config,
            began: Instant::now(),
            random: Random::new(stream_seed(seed, "initial sequence numbers")),
            inward,
            outward,
            connections: BTreeMap::new(),
            listening: None,
            counts: Counts::default(),
            buffer: vec![0; LONGEST],
        }
    }

    /// Returns the current time of the monotonic clock.
    pub fn now(&self) -> Nanos {
        self.began.elapsed().as_nanos() as Nanos
    }

    /// Returns the counts so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns the impairments inward and outward.
    pub fn impairments(&self) -> [&Impairment; 2] {
        [&self.inward, &self.outward]
    }

    /// Accepts connections to a port from now on.
    pub fn listen(&mut self, port: u16) {
        self.listening = Some(port);
    }

    /// Starts to connect from `port` to `peer`.
    pub fn connect(&mut self, port: u16, peer: SocketAddr) -> Id {
        let (id, now) = (Id { port, peer }, self.now());
        let mut connection = self.make(id);
        connection.connect(now);
        self.connections.insert(id, connection);
        id
    }

    fn make(&mut self, id: Id) -> Connection {
        let addresses = Addresses { source: SocketAddr::new(self.address, id.port), destination: id.peer };
        Connection::new(&self.config, addresses, self.random.bits() as u32)
    }

    /// Returns a connection.
    pub fn connection(&mut self, id: Id) -> Option<&mut Connection> {
        self.connections.get_mut(&id)
    }

    /// Returns the identifiers of all connections.
    pub fn ids(&self) -> Vec<Id> {
        self.connections.keys().copied().collect()
    }

    /// Forgets a connection.
    pub fn remove(&mut self, id: Id) -> Option<Connection> {
        self.connections.remove(&id)
    }

    /// Waits until a packet arrives, a timer expires or `until` has come, and handles the event.
    ///
    /// # Errors
    /// The system's error on the device.
    pub fn turn(&mut self, until: Nanos) -> io::Result<()> {
        self.transmit()?;
        let timers = self.connections.values().map(Connection::next_timeout).min().unwrap_or(until);
        let wake = until.min(timers).min(self.inward.next()).min(self.outward.next());
        let wait = wake.saturating_sub(self.now());
        let timeout = Timespec { tv_sec: (wait / 1_000_000_000) as i64, tv_nsec: (wait % 1_000_000_000) as i64 };
        match poll(&mut [PollFd::new(&self.tun, PollFlags::IN)], Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        for _ in 0..AT_ONCE {
            let Some(packet) = self.tun.receive(&mut buffer)? else { break };
            let now = self.now();
            if self.inward.pass(now, packet) {
                self.take(now, packet);
            }
        }
        self.buffer = buffer;
        let now = self.now();
        while let Some(packet) = self.inward.due(now) {
            self.take(now, &packet);
        }
        for connection in self.connections.values_mut() {
            connection.on_time(now);
        }
        self.transmit()
    }

    fn take(&mut self, now: Nanos, packet: &[u8]) {
        let (addresses, segment, payload) = match wire::decode(packet) {
            Ok(Packet::Tcp { addresses, segment, payload }) => (addresses, segment, payload),
            Ok(Packet::Icmp(_)) => return self.counts.icmp += 1,
            Err(DecodeError::Checksum(_)) => return self.counts.damaged += 1,
            Ok(_) | Err(_) => return self.counts.other += 1,
        };
        let id = Id { port: addresses.destination.port(), peer: addresses.source };
        if addresses.destination.ip() != self.address {
            return self.counts.stray += 1;
        }
        let opens = segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK);
        let over = self.connections.get(&id).is_none_or(|connection| connection.state() == State::Closed);
        if over && opens && self.listening == Some(id.port) {
            let mut connection = self.make(id);
            connection.listen();
            self.connections.insert(id, connection);
        }
        match self.connections.get_mut(&id) {
            Some(connection) => connection.on_segment(now, &segment, payload),
            None => self.counts.stray += 1,
        }
    }

    fn transmit(&mut self) -> io::Result<()> {
        let now = self.now();
        for connection in self.connections.values_mut() {
            while let Some(packet) = connection.poll_transmit(now, &mut self.buffer).map_err(io::Error::other)? {
                if self.outward.pass(now, packet) {
                    self.tun.send(packet)?;
                }
            }
        }
        while let Some(packet) = self.outward.due(now) {
            self.tun.send(&packet)?;
        }
        Ok(())
    }
}
