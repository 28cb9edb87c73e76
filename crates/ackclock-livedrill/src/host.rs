//! Sockets and descriptors of the kernel as the script sees them.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::RawFd;

use crate::packet::Seen;
use ackclock_drill::Stop;
use ackclock_drill::machine::FlowId;
use ackclock_drill::settings::{IpVersion, Settings};
use ackclock_drill::wire::Numbers;
use ackclock_tcp::{Flags, Nanos};

/// Port of the sockets that a script binds, and the port to which it connects.
pub const PORT: u16 = 8080;
/// Port of the first peer that connects; each further one has the next number.
const PEERS: u16 = 40_000;

/// Role of a socket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Not connected.
    Fresh,
    /// Listening.
    Listening,
    /// A connection, or an attempt to connect.
    Connection,
}

/// A socket, or a connection that no call has yet accepted.
#[derive(Clone, Debug)]
pub struct Socket {
    /// Role.
    pub role: Role,
    /// Descriptor in this process; `None` before the connection is accepted.
    pub fd: Option<RawFd>,
    /// Our port, as soon as it is known.
    pub local: Option<u16>,
    /// Port of the peer.
    pub remote: u16,
    /// Whether the peer opened the connection.
    pub passive: bool,
    /// Numbers of the connection.
    pub numbers: Numbers,
}

/// The sockets and descriptors of a script.
pub struct Host {
    /// Options of the script.
    pub settings: Settings,
    /// All sockets that were ever created.
    pub sockets: Vec<Socket>,
    /// Descriptors of this process, by their numbers in the script, with their sockets.
    pub fds: BTreeMap<i64, (RawFd, Option<FlowId>)>,
    /// The socket to which the script's packets belong.
    pub under_test: Option<FlowId>,
    /// Start of the script on the realtime clock.
    pub started_real: Nanos,
    peers: u16,
}

impl Host {
    /// A host without sockets.
    pub fn new(settings: Settings) -> Host {
        let (sockets, fds) = (Vec::new(), BTreeMap::new());
        Host { settings, sockets, fds, under_test: None, started_real: 0, peers: PEERS }
    }

    /// Adds a socket, to which the script's packets now belong.
    pub fn add(&mut self, role: Role, fd: Option<RawFd>) -> FlowId {
        let numbers = Numbers::default();
        self.sockets.push(Socket { role, fd, local: None, remote: PORT, passive: false, numbers });
        self.under_test = Some(self.sockets.len() - 1);
        self.sockets.len() - 1
    }

    /// The descriptor in this process behind that of the script; a number that names nothing is one that is not open.
    pub fn fd(&self, number: i64) -> RawFd {
        self.fds.get(&number).map_or(-1, |&(fd, _)| fd)
    }

    /// The socket of a descriptor of the script.
    pub fn socket(&self, number: i64) -> Option<FlowId> {
        self.fds.get(&number).and_then(|&(_, id)| id)
    }

    /// Takes note that a socket connects to the peer.
    pub fn begin(&mut self, id: FlowId) {
        let socket = &mut self.sockets[id];
        if socket.role == Role::Fresh {
            socket.role = Role::Connection;
            socket.passive = false;
            socket.numbers = Numbers::default();
            self.under_test = Some(id);
        }
    }

    /// Whether sockets are those of IPv6.
    pub fn has_v6_sockets(&self) -> bool {
        self.settings.ip_version != IpVersion::V4
    }

    /// The `struct sockaddr` of our sockets that a script binds.
    pub fn own(&self) -> Vec<u8> {
        self.address(self.settings.addresses()[0])
    }

    /// The `struct sockaddr` of the peer, to which the script connects.
    pub fn peer(&self) -> Vec<u8> {
        self.address(self.settings.addresses()[1])
    }

    /// A `struct sockaddr` of this address, as sockets of the script's version have it.
    fn address(&self, ip: IpAddr) -> Vec<u8> {
        let port = PORT.to_be_bytes();
        let ip = match ip {
            IpAddr::V4(ip) if self.has_v6_sockets() => IpAddr::V6(ip.to_ipv6_mapped()),
            ip => ip,
        };
        let mut bytes = Vec::new();
        match ip {
            IpAddr::V4(ip) => {
                bytes.extend((libc::AF_INET as u16).to_ne_bytes());
                bytes.extend(port);
                bytes.extend(ip.octets());
                bytes.extend([0; 8]);
            }
            IpAddr::V6(ip) => {
                bytes.extend((libc::AF_INET6 as u16).to_ne_bytes());
                bytes.extend(port);
                bytes.extend([0; 4]);
                bytes.extend(ip.octets());
                bytes.extend([0; 4]);
            }
        }
        bytes
    }

    /// Our end and the peer's of a connection.
    pub fn ends(&self, id: FlowId) -> Result<(SocketAddr, SocketAddr), Stop> {
        let [local, remote] = self.settings.addresses();
        let socket = &self.sockets[id];
        match socket.local {
            Some(port) => Ok((SocketAddr::new(local, port), SocketAddr::new(remote, socket.remote))),
            None => Stop::fail("no packet has left yet that tells the port of the connection"),
        }
    }

    /// The connection that receives a packet: the one under test, or a new one of the listener under test.
    pub fn receiver(&mut self) -> FlowId {
        let (parent, role) = match self.under_test {
            Some(id) => (Some(id), self.sockets[id].role),
            None => (None, Role::Fresh),
        };
        if let (Some(id), Role::Connection) = (parent, role) {
            return id;
        }
        let local = parent.and_then(|id| self.sockets[id].local).unwrap_or(PORT);
        let id = self.add(Role::Connection, None);
        let remote = self.peers;
        self.peers += 1;
        let socket = &mut self.sockets[id];
        (socket.local, socket.remote, socket.passive) = (Some(local), remote, true);
        id
    }

    /// The connection to which a packet belongs, the latest one with these ports. The first SYN of a connection tells
    /// our port.
    pub fn flow_of(&mut self, seen: &Seen) -> Option<FlowId> {
        let remote = seen.destination.port();
        if seen.destination.ip() != self.settings.addresses()[1] {
            return None;
        }
        let ours = |socket: &Socket| socket.role == Role::Connection && socket.remote == remote;
        let known = self.sockets.iter().rposition(|socket| ours(socket) && socket.local == Some(seen.source));
        if known.is_some() || seen.tcp.flags & Flags::SYN.0 == 0 {
            return known;
        }
        let id = self.sockets.iter().rposition(|socket| ours(socket) && socket.local.is_none())?;
        self.sockets[id].local = Some(seen.source);
        Some(id)
    }
}
