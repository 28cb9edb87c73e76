//! Captures: what a tool like tcpdump would have seen at a place, as pcapng.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ackclock_tcp::wire::{self, Addresses, MAX_HEADERS, Sum};
use ackclock_tcp::{Flags, Segment};

use super::ordered::Ordered;
use super::pcapng::{About, Direction, Writer};
use crate::Nanos;
use crate::app::Side;
use crate::network::LinkId;
use crate::observe::Who;

/// More bytes than any packet has.
const WHOLE: u32 = 1 << 18;

/// Where packets are captured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// Before links, an interface each: a packet is seen when it arrives there, and said to be dropped where it is.
    Links(Vec<LinkId>),
    /// The host of one side of a flow: what its end of every connection sends and receives.
    Host {
        /// The flow's number.
        flow: u32,
        /// The side.
        side: Side,
    },
}

/// How packets are written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Form {
    /// Whether they have IPv6 headers rather than the IPv4 headers whose size the links count.
    pub v6: bool,
    /// Whether the payload, which is zeros, is kept; otherwise headers are, and the length of the rest.
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

/// A capture under way.
pub struct Capture {
    place: Place,
    form: Form,
    counts: Vec<Count>,
    records: Ordered<Record>,
    bytes: Vec<u8>,
}

impl Capture {
    /// Begins a capture at a place with interfaces of these names: one for each of its links, or one.
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

    /// A packet of `sender` arrives at a link; `comment` says what the link did to it, if anything.
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

    /// A packet of `sender` leaves its host, or arrives at the other.
    pub fn at_host(&mut self, at: Nanos, sender: Who, segment: &Segment, arrives: bool) {
        let host = if arrives { sender.side.peer() } else { sender.side };
        if self.place != (Place::Host { flow: sender.flow, side: host }) {
            return;
        }
        let direction = if arrives { Direction::Inbound } else { Direction::Outbound };
        let record = Record { interface: 0, direction, sender, segment: *segment, comment: None, dropped: false };
        self.records.push(at, record);
    }

    /// Takes out what there is of the file from before `end`.
    pub fn take(&mut self, end: Nanos) -> Vec<u8> {
        while let Some((at, record)) = self.records.pop_before(end) {
            self.write(at, &record);
        }
        std::mem::take(&mut self.bytes)
    }

    /// Takes out the rest of the file, with the statistics of its interfaces; `end` is the last moment.
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
        // The sum of a payload of zeros is nothing.
        let addresses = addresses(record.sender, self.form.v6);
        let len = if segment.flags == Flags::default() {
            // A segment has flags; what has none is a datagram.
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

/// The first of the ports of RFC 6335's dynamic range, and how many there are.
const DYNAMIC: u32 = 49_152;
const DYNAMIC_PORTS: u32 = 16_384;
/// The port of every source, of no registered service.
const SOURCE_PORT: u16 = 40_000;

/// The addresses of the sender and the receiver of a packet: those of the flow's source and sink, from private ranges, in
/// the order of the flows. Each connection has a port of its own at the sink.
pub fn addresses(sender: Who, v6: bool) -> Addresses {
    let number = sender.flow + 1;
    let ip = |side: Side| -> IpAddr {
        if v6 {
            let host = 1 + side as u16;
            Ipv6Addr::new(0xfd00, 0, 0, host, 0, 0, (number >> 16) as u16, number as u16).into()
        } else {
            // 10.0.0.0/9 and 10.128.0.0/9.
            Ipv4Addr::from_bits(10 << 24 | (side as u32) << 23 | number).into()
        }
    };
    let sink_port = (DYNAMIC + sender.conn.0 % DYNAMIC_PORTS) as u16;
    let source = SocketAddr::new(ip(Side::Source), SOURCE_PORT);
    let sink = SocketAddr::new(ip(Side::Sink), sink_port);
    let from_source = Addresses { source, destination: sink };
    if sender.side == Side::Source { from_source } else { from_source.reversed() }
}
