//! Packets of the script that arrive, and the connection that each of them reaches.

use crate::ast::{Packet, Tcp, TcpOption};
use crate::settings::IpVersion;
use crate::simulated::host::{Host, ISS, sent};
use crate::simulated::out_of_band::Pointed;
use crate::simulated::segments::segment_of;
use crate::simulated::socket::{Connection, Role, SocketId};
use crate::verdict::Stop;
use ackclock_tcp::config::Conformance;
use ackclock_tcp::{Flags, Segment, State, reset_for};

/// The segment size of a peer that states none, with IPv6 (FreeBSD net.inet.tcp.v6mssdflt), bytes.
const V6_MSS: u16 = 1220;

impl Host {
    /// Delivers a TCP packet of the script.
    pub fn arrive(&mut self, packet: &Packet, tcp: &Tcp) -> Result<(), Stop> {
        let signed = tcp.options.iter().flatten().any(|option| *option == TcpOption::Md5);
        if signed && self.base.conformance == Conformance::Linux {
            // The signature cannot be checked without a key, and Linux drops the packet (net/ipv4/tcp.c,
            // tcp_inbound_hash).
            return Ok(());
        }
        let listener = self.under_test.filter(|&id| matches!(self.sockets[id].role, Role::Listening(_)));
        if listener.is_some_and(|id| self.needs_cookies(id, tcp)) {
            return Stop::unsupported("Fast Open cookies of a server");
        }
        if self.is_freebsd() && (self.distrusts(tcp, signed) || self.is_too_far(packet)) {
            return Ok(());
        }
        let back = packet.udp.map(|(source, destination)| (destination, source));
        if back.is_some_and(|(port, _)| Some(port) != self.sysctls.freebsd.tunnel_port) {
            return Stop::unsupported("UDP ports other than net.inet.tcp.udp_tunneling_port");
        }
        let id = self.receiver(back)?;
        let Role::Connection(connection) = &mut self.sockets[id].role else {
            unreachable!("receiver finds connections")
        };
        let passive = connection.parent.is_some() || connection.over;
        connection.numbers.learn_remote(tcp, passive);
        let mut segment = segment_of(packet, &connection.numbers.arriving(tcp, &self.settings)?)?;
        let v6 = self.settings.ip_version == IpVersion::V6;
        if v6 && self.base.conformance == Conformance::FreeBsd && segment.flags.has(Flags::SYN) && segment.mss == 0 {
            segment.mss = V6_MSS;
        }
        if connection.parent.is_some() && self.sysctls.always_cookies {
            crate::simulated::cookies::keep_in_cookie(&mut segment, v6);
        }
        // An established peer does not change its UDP port (sys/netinet/tcp_input.c, tcp_input_with_port).
        let stranger = connection.udp != back;
        connection.over |= !stranger && connection.endpoint.gives_way_to(&segment);
        let syn = segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK);
        if connection.over
            && syn
            && let Some(parent) = connection.parent
        {
            // A listening port accepts the next connection of the same peer.
            if matches!(self.sockets[parent].role, Role::Listening(_)) {
                let mut fresh = self.connection(parent, true)?;
                fresh.endpoint.listen();
                fresh.udp = back;
                self.sockets[id].role = Role::Connection(fresh);
            }
        }
        let now = self.now;
        let connection = self.sockets[id].connection_mut().expect("it is one");
        if connection.over || stranger {
            // A port that a socket has is not closed, although nothing listens (tcp_input_with_port).
            let closed = connection.over && !self.sockets[id].bound;
            let swallowed = |segment: &Segment| closed && self.sysctls.freebsd.is_swallowed(segment);
            let answer = reset_for(&segment).filter(|_| !swallowed(&segment));
            if let Some(reset) = answer {
                self.outbox.push_back(sent(now, id, &reset, &self.sockets[id].options, back));
            }
            self.drain();
            return Ok(());
        }
        // The window of a SYN is forgotten (net/ipv4/tcp_minisocks.c, tcp_create_openreq_child); that of an answer counts.
        if segment.flags.has(Flags::SYN.with(Flags::ACK)) {
            connection.send_buffer.offered(u64::from(segment.window));
        }
        if !segment.flags.has(Flags::SYN) {
            // tcp_check_urg: the pointer is that of the urgent byte only if a setting says so.
            let ahead = u16::from(self.sysctls.standard_urgent);
            let pointer = segment.flags.has(Flags::URG).then(|| tcp.urgent.saturating_add(ahead));
            let inline = self.sockets[id].options.takes_urgent_inline();
            let pointed = Pointed { start: tcp.seq.wrapping_sub(1).into(), len: tcp.len.into(), pointer };
            let freebsd = self.is_freebsd();
            let socket = &mut self.sockets[id];
            let connection = socket.connection_mut().expect("it is one");
            if !freebsd || takes_pointer(connection, &segment, pointed.start) {
                let news = connection.note_urgent(now, &pointed, inline);
                socket.woken_in += u64::from(news);
            }
        }
        // A packet larger than the device's MTU arrives as it is with Linux, or as one unit of the segments that --mss asks
        // for, and as several segments at the same time elsewhere, with no response between them.
        let linux = self.base.conformance == Conformance::Linux;
        let (segment, most) = match self.settings.arriving_mss {
            most if linux => (most.map_or(segment, |most| merged(segment, most)), u32::MAX),
            most => (segment, most.unwrap_or_else(|| self.settings.mss())),
        };
        for part in parts(segment, most) {
            let connection = self.sockets[id].connection_mut().expect("it is one");
            let before = connection.endpoint.state();
            let progress = connection.endpoint.on_segment(now, &part, &mut ());
            connection.settle_out_of_band(now);
            self.note(id, progress, before);
        }
        let pending = |one: &&mut Connection| one.write_pending && one.connected;
        match self.sockets[id].connection_mut().filter(pending) {
            Some(connection) if linux => connection.endpoint.join_handshake_ack(now),
            Some(_) => {}
            None => self.drain(),
        }
        Ok(())
    }

    /// Whether a packet has passed more routers than IP_MINTTL allows (sys/netinet/tcp_input.c, tcp_input_with_port). A
    /// packet of the script has a time to live of 255 unless it names another.
    fn is_too_far(&self, packet: &Packet) -> bool {
        let least = self.under_test.and_then(|id| self.sockets[id].options.stored.get("IP_MINTTL").copied());
        i64::from(packet.ip.ttl.unwrap_or(u8::MAX)) < least.unwrap_or(0)
    }

    /// Whether a packet is dropped because of the signature that it has or has not. The sockets' peer has a key, and the
    /// signatures of a script are right (sys/netinet: tcp_input.c, tcp_input_with_port; tcp_syncache.c, syncache_add).
    fn distrusts(&self, tcp: &Tcp, signed: bool) -> bool {
        let Some(socket) = self.under_test.map(|id| &self.sockets[id]) else { return false };
        match &socket.role {
            Role::Listening(_) if tcp.flags & Flags::SYN.0 != 0 => signed != socket.options.signs,
            Role::Connection(connection) if !connection.over => socket.options.signs && !signed,
            _ => false,
        }
    }

    /// The connection that receives a packet: the one under test, or a new child of the listener under test.
    /// `udp` are the ports of the datagrams of a new child.
    fn receiver(&mut self, udp: Option<(u16, u16)>) -> Result<SocketId, Stop> {
        let (parent, listening) = match self.under_test {
            Some(id) => match self.sockets[id].role {
                Role::Connection(_) => return Ok(id),
                Role::Listening(_) => (id, true),
                Role::Fresh => (id, false),
            },
            None => (self.open(), false),
        };
        let mut child = self.connection(parent, listening)?;
        if listening {
            child.endpoint.listen();
        } else {
            // No socket listens on the port.
            child.over = true;
        }
        child.udp = udp;
        let id = self.open();
        self.sockets[id].options = self.sockets[parent].options.clone();
        self.sockets[id].bound = !listening && self.sockets[parent].bound;
        self.sockets[id].role = Role::Connection(child);
        Ok(id)
    }
}

/// Whether FreeBSD reads the urgent pointer of a segment that begins at offset `start`: the connection is established, the
/// segment begins in the window or before it, and its acknowledgment is not beyond what was sent.
fn takes_pointer(connection: &Connection, segment: &Segment, start: u64) -> bool {
    let endpoint = &connection.endpoint;
    let established = !matches!(endpoint.state(), State::SynSent | State::SynReceived | State::TimeWait);
    // A FIN has a sequence number of its own.
    let last = ISS.wrapping_add(2).wrapping_add(endpoint.sent() as u32);
    let acknowledges = segment.flags.has(Flags::ACK) && segment.ack.wrapping_sub(last).cast_signed() <= 0;
    let next = endpoint.received();
    let window = endpoint.info(0).rcv_wnd.max(1);
    established && acknowledges && !segment.flags.has(Flags::RST) && start < next + window
}

/// A packet of segments with at most `most` bytes of payload.
fn merged(whole: Segment, most: u32) -> Segment {
    let part = if whole.len > most { u16::try_from(most).unwrap_or(u16::MAX) } else { whole.part };
    Segment { part, ..whole }
}

/// Splits a segment into parts of at most `most` bytes of payload; FIN and PSH are on the last.
fn parts(whole: Segment, most: u32) -> impl Iterator<Item = Segment> {
    let count = whole.len.div_ceil(most).max(1);
    (0..count).map(move |index| {
        let mut part = whole;
        part.seq = whole.seq.wrapping_add(index * most);
        part.len = (whole.len - index * most).min(most);
        if index + 1 < count {
            part.flags = whole.flags.without(Flags::FIN.with(Flags::PSH));
        }
        part
    })
}
