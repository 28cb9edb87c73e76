//! The running kernel as the machine of a script.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};

use crate::calls;
use crate::device::{Device, Split};
use crate::packet::{self, Seen, TCP};
use crate::worker::Worker;
use crate::{icmp, info, shell, system};
use ackclock_drill::Outcome;
use ackclock_drill::Stop;
use ackclock_drill::ast::{Action, Body, Call, Event, Icmp, Packet, Tcp, TcpOption};
use ackclock_drill::calls::{Answer, CallState};
use ackclock_drill::machine::{FlowId, Machine, Sent};
use ackclock_drill::settings::{IpVersion, Settings};
use ackclock_drill::wire::Numbers;
use ackclock_tcp::{Flags, NEVER, Nanos};

/// Port of the sockets that a script binds, and the port to which it connects.
pub const PORT: u16 = 8080;
/// Port of the first peer that connects; each further one has the next number.
const PEERS: u16 = 40_000;

/// Default of `--tolerance_percent`, as in packetdrill: a timer of the kernel may be late by an eighth of its time
/// (Linux kernel/time/timer.c).
const TIMER_WHEEL: f64 = 12.5;

/// Context in which a script runs.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// Folder of the script, in which its commands run.
    pub folder: &'a Path,
    /// Symbols and their values, as with packetdrill's option `-D`.
    pub defines: &'a [(String, String)],
    /// The device file of TUN, which is usually `/dev/net/tun`.
    pub tun: &'a Path,
    /// Time of the kernel's clock for which a late packet is still awaited.
    pub patience: Nanos,
    /// The script starts at a multiple of this time, so that the kernel's timers, whose granularity grows with their
    /// length, are the same in each run; 0 to start at once.
    pub alignment: Nanos,
}

/// Runs the text of a script in a network namespace of its own, which the calling thread enters.
pub fn run(text: &str, context: &Context<'_>) -> Outcome {
    ackclock_drill::run_on(text, context.defines, "Linux", &mut Live::new(context))
}

/// What a socket is.
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
    /// What it is.
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

/// The kernel, with a script above and below it.
pub struct Live {
    folder: PathBuf,
    tun: PathBuf,
    patience: Nanos,
    alignment: Nanos,
    settings: Settings,
    parts: Option<Parts>,
    /// All sockets that were ever created.
    pub sockets: Vec<Socket>,
    /// Descriptors of this process, by their numbers in the script, with their sockets.
    pub fds: BTreeMap<i64, (RawFd, Option<FlowId>)>,
    /// The socket to which the script's packets belong.
    pub under_test: Option<FlowId>,
    outbox: VecDeque<Sent>,
    peers: u16,
    /// Whether the application is in a call.
    calling: bool,
    /// Start of the script on the monotonic clock.
    started: Nanos,
    /// Start of the script on the realtime clock.
    pub started_real: Nanos,
}

/// Parts that exist once the namespace does.
struct Parts {
    device: Device,
    worker: Worker,
}

impl Live {
    fn new(context: &Context<'_>) -> Live {
        let mut settings = Settings::default();
        settings.tolerance_percent = TIMER_WHEEL;
        Live {
            folder: context.folder.to_path_buf(),
            tun: context.tun.to_path_buf(),
            patience: context.patience,
            alignment: context.alignment,
            settings,
            parts: None,
            sockets: Vec::new(),
            fds: BTreeMap::new(),
            under_test: None,
            outbox: VecDeque::new(),
            peers: PEERS,
            calling: false,
            started: 0,
            started_real: 0,
        }
    }

    fn parts(&mut self) -> &mut Parts {
        self.parts.as_mut().expect("the script is configured first")
    }

    /// Adds a socket, to which the script's packets now belong.
    pub fn add(&mut self, role: Role, fd: Option<RawFd>) -> FlowId {
        let numbers = Numbers::default();
        self.sockets.push(Socket { role, fd, local: None, remote: PORT, passive: false, numbers });
        self.under_test = Some(self.sockets.len() - 1);
        self.sockets.len() - 1
    }

    /// Our address and the peer's.
    pub fn addresses(&self) -> [IpAddr; 2] {
        self.settings.addresses()
    }

    /// Whether sockets are those of IPv6.
    pub fn has_v6_sockets(&self) -> bool {
        self.settings.ip_version != IpVersion::V4
    }

    /// Our end and the peer's of a connection.
    fn ends(&self, id: FlowId) -> Result<(SocketAddr, SocketAddr), Stop> {
        let [local, remote] = self.addresses();
        let socket = &self.sockets[id];
        match socket.local {
            Some(port) => Ok((SocketAddr::new(local, port), SocketAddr::new(remote, socket.remote))),
            None => Stop::fail("no packet has left yet that tells the port of the connection"),
        }
    }

    /// The connection that receives a packet: the one under test, or a new one of the listener under test.
    fn receiver(&mut self) -> FlowId {
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

    fn arrive_tcp(&mut self, packet: &Packet, tcp: &Tcp) -> Result<(), Stop> {
        let id = self.receiver();
        let passive = self.sockets[id].passive;
        self.sockets[id].numbers.learn_remote(tcp, passive);
        let live = self.sockets[id].numbers.arriving(tcp, &self.settings)?;
        let (local, remote) = self.ends(id)?;
        let mut payload = packet::tcp(remote, local, &live)?;
        let header = payload.len() - live.len as usize;
        let ip = packet::ip_header(local);
        let mss = self.settings.arriving_mss.filter(|&mss| live.len > mss);
        let split =
            mss.map(|mss| Split { mss: mss as u16, ip, headers: ip + header, cwr: live.flags & Flags::CWR.0 != 0 });
        if split.is_some() {
            // The checksum of each segment is still to be computed, from that of the pseudo header.
            let pseudo = !packet::pseudo_header(remote, local, TCP, payload.len()).checksum();
            payload[16..18].copy_from_slice(&pseudo.to_be_bytes());
        }
        let bytes = packet::ip(remote, local, TCP, &packet.ip, &payload)?;
        self.parts().device.deliver(&bytes, split)
    }

    fn arrive_icmp(&mut self, packet: &Packet, icmp: &Icmp) -> Result<(), Stop> {
        let Some(id) = self.under_test else { return Stop::fail("no socket that the ICMP message could concern") };
        let (local, remote) = self.ends(id)?;
        let seq = self.sockets[id].numbers.quoted(icmp.echoed.map_or(0, |(seq, _)| seq));
        let bytes = icmp::message(icmp, local, remote, seq, &packet.ip)?;
        self.parts().device.deliver(&bytes, None)
    }

    /// Reads all packets that have left. Returns whether there were any of a known connection.
    fn collect(&mut self) -> Result<bool, Stop> {
        let mut any = false;
        loop {
            let Some(bytes) = self.parts().device.next()? else { return Ok(any) };
            let seen = packet::read(bytes);
            let at = self.now();
            if let Some((flow, seen)) = seen.and_then(|seen| Some((self.flow_of(&seen)?, seen))) {
                let Seen { tcp, ecn, service, hops, .. } = seen;
                self.outbox.push_back(Sent { at, flow, tcp, ecn, service, hops, udp: None });
                any = true;
            }
        }
    }

    /// The connection to which a packet belongs, the latest one with these ports. The first SYN of a connection tells
    /// our port.
    fn flow_of(&mut self, seen: &Seen) -> Option<FlowId> {
        let remote = seen.destination.port();
        if seen.destination.ip() != self.addresses()[1] {
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

impl Machine for Live {
    fn configure(&mut self, options: &[(String, Option<String>)]) -> Result<(), Stop> {
        for (name, value) in options {
            if name != "define" {
                self.settings.set(name, value.as_deref())?;
            }
        }
        if self.settings.tcp_in_udp {
            return Stop::unsupported("TCP in UDP");
        }
        if self.settings.signatures {
            return Stop::unsupported("MD5 signatures");
        }
        system::enter_namespace()?;
        let device = Device::new(&self.tun)?;
        let [local, remote] = self.addresses();
        shell::set_up(local, remote, self.settings.mtu)?;
        self.parts = Some(Parts { device, worker: Worker::start()? });
        Ok(())
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn beyond(&self, event: &Event) -> Option<String> {
        match &event.action {
            Action::Packet(packet) => beyond(packet),
            Action::Call(call) => calls::beyond(call),
            Action::Command(_) | Action::Code(_) => None,
        }
    }

    fn command(&mut self, command: &str) -> Result<(), Stop> {
        shell::run(command, &self.folder)
    }

    fn start(&mut self) -> Result<(), Stop> {
        if self.alignment > 0 {
            let past = system::clock(libc::CLOCK_MONOTONIC) % self.alignment;
            std::thread::sleep(std::time::Duration::from_nanos(self.alignment - past));
        }
        self.started_real = system::clock(libc::CLOCK_REALTIME);
        self.started = system::clock(libc::CLOCK_MONOTONIC);
        Ok(())
    }

    fn finish(&mut self, command: Option<&str>) {
        if let (Some(command), Some(_)) = (command, &self.parts) {
            // The verdict stands before the last command, which only tidies up.
            let _ = shell::run(command, &self.folder);
        }
    }

    fn now(&self) -> Nanos {
        system::clock(libc::CLOCK_MONOTONIC) - self.started
    }

    fn step(&mut self, limit: Nanos) -> Result<bool, Stop> {
        loop {
            if self.collect()? {
                return Ok(true);
            }
            let now = self.now();
            if now >= limit {
                return Ok(false);
            }
            let parts = self.parts();
            system::wait([parts.device.descriptor(), parts.worker.descriptor()], limit - now);
            let done = self.parts().worker.has_ended();
            if done {
                return Ok(true);
            }
        }
    }

    fn arrive(&mut self, packet: &Packet) -> Result<(), Stop> {
        match &packet.body {
            Body::Tcp(tcp) => self.arrive_tcp(packet, tcp),
            Body::Icmp(icmp) => self.arrive_icmp(packet, icmp),
            Body::Udp(_) => Stop::unsupported("UDP"),
        }
    }

    fn call(&mut self, call: &Call, _: &mut CallState) -> Result<Answer, Stop> {
        if !self.calling {
            let job = calls::prepare(self, call)?;
            self.parts().worker.submit(job)?;
            self.calling = true;
        }
        let Some(reply) = self.parts().worker.settle()? else { return Ok(Answer::Blocks(NEVER)) };
        self.calling = false;
        self.collect()?;
        calls::finish(self, call, &reply)
    }

    fn info(&mut self) -> Result<Vec<(&'static str, u64)>, Stop> {
        let fd = self.under_test.and_then(|id| self.sockets[id].fd);
        let Some(fd) = fd else { return Ok(Vec::new()) };
        let mut values = info::values(&calls::tcp_info(fd));
        values.extend(info::memory(&calls::memory_info(fd)));
        Ok(values)
    }

    fn take_sent(&mut self) -> Option<Sent> {
        let ours = self.under_test;
        self.outbox.retain(|sent| Some(sent.flow) == ours);
        self.outbox.pop_front()
    }

    fn put_back(&mut self, sent: Sent) {
        self.outbox.push_front(sent);
    }

    fn numbers(&mut self, flow: FlowId) -> Option<&mut Numbers> {
        self.sockets.get_mut(flow).map(|socket| &mut socket.numbers)
    }

    fn has_exact_options(&self) -> bool {
        true
    }

    fn patience(&self) -> Nanos {
        self.patience
    }
}

/// A feature of a packet that is not supported.
fn beyond(packet: &Packet) -> Option<String> {
    if let Some(what) = packet.beyond {
        return Some(what.to_owned());
    }
    if packet.udp.is_some() {
        return Some("TCP in UDP".to_owned());
    }
    if packet.ports.is_some() {
        return Some("packets with ports of their own".to_owned());
    }
    if !packet.inbound && packet.ip.flow_label.is_some() {
        return Some("flow labels of packets that leave".to_owned());
    }
    match &packet.body {
        Body::Tcp(tcp) => tcp.options.iter().flatten().find_map(|option| match option {
            TcpOption::Other(name) => Some((*name).to_owned()),
            _ => None,
        }),
        Body::Udp(_) => Some("UDP".to_owned()),
        Body::Icmp(icmp) => icmp.foreign.then(|| "ICMP about packets other than TCP".to_owned()),
    }
}
