//! Captures in pcapng: the packets that a tool such as tcpdump would see at a place.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ackclock_tcp::{Flags, Segment};
use ackclock_wire::pcapng::{About, Direction, Writer};
use ackclock_wire::{self as wire, Addresses, MAX_HEADERS, Sum};

use super::ordered::Ordered;
use crate::ids::{FlowId, LinkId};
use crate::observe::Who;
use ackclock_app::Side;
use ackclock_core::Nanos;

/// Snapshot length above the size of any packet, bytes.
const WHOLE: u32 = 1 << 18;

/// Place at which packets are captured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// Before links, with one interface for each. A packet is captured when it arrives; a comment tells if it is
    /// dropped.
    Links(Vec<LinkId>),
    /// The host of one side of a flow: packets that this end of all connections sends and receives.
    Host {
        /// The flow.
        flow: FlowId,
        /// Side of the flow.
        side: Side,
    },
}

/// Form of captured packets.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Form {
    /// Whether packets have IPv6 headers. Otherwise they have IPv4 headers, whose size the links count.
    pub v6: bool,
    /// Whether the payload, which is zeros, is kept. Otherwise only the headers and the length of the packet are.
    pub payload: bool,
}

struct Record {
    interface: u32,
    direction: Direction,
    sender: Who,
    segment: Segment,
    comment: Option<&'static str>,
    dropped: bool,
}

#[derive(Default)]
struct Count {
    seen: u64,
    dropped: u64,
}

/// A capture in progress.
pub struct Capture {
    place: Place,
    form: Form,
    counts: Vec<Count>,
    records: Ordered<Record>,
    bytes: Vec<u8>,
}

impl Capture {
    /// Begins a capture at a place. The interfaces have these names: one for each link, or one for a host.
    pub fn new(place: Place, interfaces: &[String], form: Form) -> Capture {
        let mut bytes = Vec::new();
        let mut writer = Writer(&mut bytes);
        writer.section(concat!("ackclock ", env!("CARGO_PKG_VERSION")));
        let snap = if form.payload { WHOLE } else { MAX_HEADERS as u32 };
        for interface in interfaces {
            let what = match place {
                Place::Links(_) => "packets as they arrive at the link's queue",
                Place::Host { .. } => "packets as the host sends and receives them",
            };
            writer.interface(interface, what, snap);
        }
        let counts = interfaces.iter().map(|_| Count::default()).collect();
        Capture { place, form, counts, records: Ordered::default(), bytes }
    }

    /// Records a packet of `sender` that arrives at a link; `comment` describes an action of the link.
    pub fn at_link(
        &mut self,
        at: Nanos,
        link: LinkId,
        sender: Who,
        segment: &Segment,
        comment: Option<&'static str>,
        dropped: bool,
    ) {
        let Place::Links(links) = &self.place else { return };
        let Some(interface) = links.iter().position(|own| *own == link) else { return };
        let (interface, direction, segment) = (interface as u32, Direction::Through, *segment);
        self.records.push(at, Record { interface, direction, sender, segment, comment, dropped });
    }

    /// Records a packet of `sender` that leaves its host or arrives at the other host.
    pub fn at_host(&mut self, at: Nanos, sender: Who, segment: &Segment, arrives: bool) {
        let host = if arrives { sender.side.peer() } else { sender.side };
        if self.place != (Place::Host { flow: sender.flow, side: host }) {
            return;
        }
        let direction = if arrives { Direction::Inbound } else { Direction::Outbound };
        let record = Record { interface: 0, direction, sender, segment: *segment, comment: None, dropped: false };
        self.records.push(at, record);
    }

    /// Removes and returns the contents of the file before `end`.
    pub fn take(&mut self, end: Nanos) -> Vec<u8> {
        while let Some((at, record)) = self.records.pop_before(end) {
            self.write(at, &record);
        }
        std::mem::take(&mut self.bytes)
    }

    /// Returns the rest of the file, with the statistics of its interfaces; `end` is the end of the run.
    pub fn finish(mut self, end: Nanos) -> Vec<u8> {
        let mut bytes = self.take(end.saturating_add(1));
        for (interface, count) in (0..).zip(&self.counts) {
            Writer(&mut bytes).statistics(interface, end, count.seen, count.dropped);
        }
        bytes
    }

    fn write(&mut self, at: Nanos, record: &Record) {
        let count = &mut self.counts[record.interface as usize];
        count.seen += 1;
        count.dropped += u64::from(record.dropped);
        let segment = &record.segment;
        let mut headers = [0; MAX_HEADERS];
        // A payload of zeros adds nothing to the sum.
        let addresses = addresses(record.sender, self.form.v6);
        let len = if segment.flags == Flags::default() {
            // Every TCP segment has flags; a packet without flags is a datagram.
            wire::encode_datagram(&addresses, segment.ecn, segment.len, &mut headers)
        } else {
            wire::encode(&addresses, segment, Sum::default(), &mut headers)
        };
        let len = len.expect("segments of a run have options that fit, and packets of at most 65535 bytes");
        let about = About {
            interface: record.interface,
            at,
            len: len as u32 + segment.len,
            direction: record.direction,
            comment: record.comment,
        };
        if self.form.payload {
            let mut packet = headers[..len].to_vec();
            packet.resize(about.len as usize, 0);
            Writer(&mut self.bytes).packet(&about, &packet);
        } else {
            Writer(&mut self.bytes).packet(&about, &headers[..len]);
        }
    }
}

/// First port of the dynamic range of RFC 6335, and number of ports in it.
const DYNAMIC: u32 = 49_152;
const DYNAMIC_PORTS: u32 = 16_384;
/// Port of every source; it belongs to no registered service.
const SOURCE_PORT: u16 = 40_000;

/// Addresses of the sender and the receiver of a packet. Source and sink of each flow have addresses from private
/// ranges, in the order of the flows. Each connection has its own port at the sink.
pub fn addresses(sender: Who, v6: bool) -> Addresses {
    let number = sender.flow.0 + 1;
    let ip = |side: Side| -> IpAddr {
        if v6 {
            let host = 1 + side as u16;
            Ipv6Addr::new(0xfd00, 0, 0, host, 0, 0, (number >> 16) as u16, number as u16).into()
        } else {
            // The ranges are 10.0.0.0/9 and 10.128.0.0/9.
            Ipv4Addr::from_bits(10 << 24 | (side as u32) << 23 | number).into()
        }
    };
    let sink_port = (DYNAMIC + sender.conn.0 % DYNAMIC_PORTS) as u16;
    let source = SocketAddr::new(ip(Side::Source), SOURCE_PORT);
    let sink = SocketAddr::new(ip(Side::Sink), sink_port);
    let from_source = Addresses { source, destination: sink };
    if sender.side == Side::Source { from_source } else { from_source.reversed() }
}
