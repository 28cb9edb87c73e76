//! Packets in flight.

use ackclock_core::headers::{LARGEST_PACKET, UDP_IPV4};
use ackclock_core::{Ecn, Nanos};
use ackclock_net::queue::Item;
use ackclock_tcp::Segment;

use crate::endpoint::{Contents, Packed, Sending};
use crate::ids::{EndpointId, FlowEnd, Receiver};

/// A packet in flight: a packet of a transport or a datagram, with the information that brings it to its receiver.
///
/// A packet has four words, because memory traffic limits large runs. It has words instead of fields, because fields of
/// different widths that are written one by one and read as a whole stall the processor. Only contents that are packed
/// ([`Contents::pack`]) fit in; other contents are stored in [`Stored`], and the packet holds their place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// The number of packed contents (64 bits); or the place in `Stored` (32) and the size of a large packet (32); or the
    /// number of a datagram (64).
    numbers: u64,
    /// Endpoint (32), stage (31), whether the packed contents have an extra part (1).
    way: u64,
    /// Size (16; 0 for a large packet), generation (16), bits of packed contents (25), whether the contents are stored (1), ECN field (2),
    /// whether it is a datagram (1), traffic class (3).
    rest: u64,
    /// Time at which the packet was sent (64); or that time (50) and the extra part of packed contents (14).
    sent: u64,
}

/// Bit of [`Packet::way`] that is set if the packed contents have an extra part.
const EXTRA: u64 = 1 << 63;
/// Number of bits of the time at which a packet with an extra part was sent.
const SENT_LEN: u32 = u64::BITS - Packed::EXTRA_LEN;
/// Position and number of the bits of packed contents in [`Packet::rest`].
const BITS: u32 = 32;
const BITS_LEN: u32 = 25;
/// Bit of [`Packet::rest`] that is set if the contents are stored.
const STORED: u64 = 1 << 57;
/// Position of the ECN field in [`Packet::rest`].
const ECN: u32 = 58;
/// Bit of [`Packet::rest`] that is set for a datagram.
const DATAGRAM: u64 = 1 << 60;
/// Position of the traffic class in [`Packet::rest`].
const CLASS: u32 = 61;

/// Number of traffic classes.
pub const CLASSES: u8 = 8;

/// The stage of a packet that has passed all links.
pub(crate) const AT_HOST: u32 = u32::MAX >> 1;

/// Destination of a packet, its class, and the time at which it is sent.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Address {
    /// Endpoint that receives the packet.
    pub to: EndpointId,
    /// Generation of the endpoint, which tells apart the endpoints that use the same slot one after the other.
    pub generation: u16,
    /// Traffic class, below [`CLASSES`].
    pub class: u8,
    /// Next stage of its route, below 2^31.
    pub stage: u32,
    /// Time at which the packet is sent.
    pub sent: Nanos,
}

impl Packet {
    /// Creates the packet that carries `contents`.
    ///
    /// # Panics
    /// If the contents are larger than the largest packet, 65,535 bytes, and no large packet of several segments.
    // Inlined, and other contents are copied for a separate function, so that contents that are packed stay in registers.
    #[inline(always)]
    pub fn new<P: Contents>(contents: &P, address: Address, stored: &mut Stored<P>) -> Packet {
        let Address { to, generation, class, stage, sent } = address;
        let way = u64::from(to.number()) | u64::from(stage) << 32;
        let common = u64::from(generation) << 16 | (contents.ecn() as u64) << ECN | u64::from(class) << CLASS;
        let sending = Sending { at: sent, to, generation };
        if let Some(Packed { numbers, bits, extra, size }) = contents.pack(sending) {
            debug_assert!(size <= LARGEST_PACKET && bits >> BITS_LEN == 0);
            let rest = u64::from(size) | common | u64::from(bits) << BITS;
            let Some(extra) = extra else { return Packet { numbers, way, rest, sent } };
            debug_assert!(sending.leaves_room() && extra >> Packed::EXTRA_LEN == 0);
            return Packet { numbers, way: way | EXTRA, rest, sent: sent | u64::from(extra) << SENT_LEN };
        }
        Packet::beside(contents.clone(), Packet { numbers: 0, way, rest: common | STORED, sent }, stored)
    }

    /// Adds contents that are not packed to a packet.
    #[inline(never)]
    fn beside<P: Contents>(contents: P, packet: Packet, stored: &mut Stored<P>) -> Packet {
        let size = contents.size();
        if contents.segments() > 1 {
            let numbers = u64::from(stored.insert(contents)) | u64::from(size) << 32;
            return Packet { numbers, ..packet };
        }
        assert!(size <= LARGEST_PACKET, "a packet has at most {LARGEST_PACKET} bytes, and not {size}: {contents:?}");
        let numbers = u64::from(stored.insert(contents));
        Packet { numbers, rest: u64::from(size) | packet.rest, ..packet }
    }

    /// Creates a UDP datagram with a number for its receiver, `len` bytes of payload and an ECN field. The datagram starts at the
    /// stage `stage` of its route at the time `sent`.
    pub fn datagram((number, len, ecn): (u64, u32, Ecn), to: FlowEnd, class: u8, stage: u32, sent: Nanos) -> Packet {
        let size = UDP_IPV4 + len;
        debug_assert!(size <= LARGEST_PACKET);
        let way = u64::from(to.number()) | u64::from(stage) << 32;
        let rest = u64::from(size) | (ecn as u64) << ECN | u64::from(class) << CLASS | DATAGRAM;
        Packet { numbers: number, way, rest, sent }
    }

    /// Returns the number and the bytes of payload of a datagram; `None` for a packet of a transport.
    #[inline]
    pub fn as_datagram(&self) -> Option<(u64, u32)> {
        (self.rest & DATAGRAM != 0).then(|| (self.numbers, self.size() - UDP_IPV4))
    }

    /// Returns the time at which the packet was sent.
    #[inline]
    pub fn sent(&self) -> Nanos {
        if self.way & EXTRA != 0 { self.sent & ((1 << SENT_LEN) - 1) } else { self.sent }
    }

    /// Returns the receiver of the packet.
    #[inline]
    pub fn receiver(&self) -> Receiver {
        let number = self.way as u32;
        if self.rest & DATAGRAM == 0 {
            Receiver::Endpoint(EndpointId::of_number(number))
        } else {
            Receiver::Flow(FlowEnd::of_number(number))
        }
    }

    /// Returns the next stage of its route.
    #[inline]
    pub fn stage(&self) -> u32 {
        ((self.way & !EXTRA) >> 32) as u32
    }

    /// Returns the size on the wire in bytes, including the IP header; for a large packet, the sum of the sizes of its
    /// segments.
    #[inline]
    pub fn size(&self) -> u32 {
        if self.is_large() { (self.numbers >> 32) as u32 } else { u32::from(self.rest as u16) }
    }

    /// Whether this is a large packet of several segments.
    #[inline]
    pub fn is_large(&self) -> bool {
        self.rest & (STORED | 0xffff) == STORED
    }

    /// Returns the packets into which the network splits a large packet.
    #[cold]
    pub(crate) fn split<P: Contents>(self, stored: &mut Stored<P>) -> Vec<Packet> {
        let Receiver::Endpoint(to) = self.receiver() else { unreachable!("a datagram is not large") };
        let class = (self.rest >> CLASS) as u8;
        let address = Address { to, generation: self.generation(), class, stage: self.stage(), sent: self.sent() };
        let contents: P = self.contents_of_transport(stored);
        self.release(stored);
        (0..contents.segments()).map(|index| Packet::new(&contents.segment(index), address, stored)).collect()
    }

    /// Returns the generation, which tells apart the endpoints that use the same slot one after the other.
    #[inline]
    pub fn generation(&self) -> u16 {
        (self.rest >> 16) as u16
    }

    /// Returns the same packet with another next stage.
    #[inline]
    pub fn before(self, stage: u32) -> Packet {
        Packet { way: self.way & (u64::from(u32::MAX) | EXTRA) | u64::from(stage) << 32, ..self }
    }

    /// Returns its ECN field.
    #[inline]
    pub fn ecn(&self) -> Ecn {
        Ecn::from_bits((self.rest >> ECN) as u8)
    }

    /// Returns the same packet with another ECN field.
    pub fn with_ecn(self, ecn: Ecn) -> Packet {
        Packet { rest: self.rest & !(3 << ECN) | (ecn as u64) << ECN, ..self }
    }

    /// Whether the packet has passed all links.
    #[inline]
    pub fn is_at_host(&self) -> bool {
        self.stage() == AT_HOST
    }

    /// Returns its receiver, if the packet has passed all links and is no datagram.
    #[inline]
    pub fn endpoint_at_host(&self) -> Option<EndpointId> {
        let arrives = self.is_at_host() && self.rest & DATAGRAM == 0;
        arrives.then(|| EndpointId::of_number(self.way as u32))
    }

    /// Returns its contents; `None` for a datagram.
    #[inline]
    pub fn contents<P: Contents>(&self, stored: &Stored<P>) -> Option<P> {
        (self.rest & DATAGRAM == 0).then(|| self.contents_of_transport(stored))
    }

    /// Returns the contents of a packet that is not a datagram.
    #[inline]
    pub(crate) fn contents_of_transport<P: Contents>(&self, stored: &Stored<P>) -> P {
        debug_assert!(self.rest & DATAGRAM == 0);
        if self.rest & STORED != 0 {
            let mut contents = stored.places[self.numbers as u32 as usize].clone();
            contents.set_ecn(self.ecn());
            return contents;
        }
        self.unpack()
    }

    /// Returns the contents of a packet of a transport that are not stored.
    #[inline(always)]
    pub(crate) fn unpack<P: Contents>(&self) -> P {
        debug_assert!(self.rest & (DATAGRAM | STORED) == 0);
        let bits = (self.rest >> BITS) as u32 & ((1 << BITS_LEN) - 1);
        let extra = (self.way & EXTRA != 0).then_some((self.sent >> SENT_LEN) as u16);
        let to = EndpointId::of_number(self.way as u32);
        let sending = Sending { at: self.sent(), to, generation: self.generation() };
        P::unpack(Packed { numbers: self.numbers, bits, extra, size: self.size() }, self.ecn(), sending)
    }

    /// Returns the view of the packet that a queue discipline has; `flow` identifies its connection and direction.
    pub fn item<P: Contents>(&self, stored: &Stored<P>, flow: u64) -> Item {
        let stored = if self.rest & STORED != 0 { Some(&stored.places[self.numbers as u32 as usize]) } else { None };
        let class = (self.rest >> CLASS) as u8;
        let request = stored.and_then(Contents::request);
        let part = stored.filter(|contents| contents.segments() > 1).map_or(0, |large| large.segment(0).size());
        Item { size: self.size(), part, flow, class, ecn: self.ecn(), request, ..Item::default() }
    }

    /// Returns a copy of the packet.
    #[cold]
    pub fn duplicate<P: Contents>(&self, stored: &mut Stored<P>) -> Packet {
        if self.rest & STORED == 0 {
            return *self;
        }
        let contents = stored.places[self.numbers as u32 as usize].clone();
        self.entered(Some(&contents), stored)
    }

    /// Returns the packet with the changes that a policer and a queue discipline made.
    pub fn updated<P: Contents>(self, item: &Item, stored: &mut Stored<P>) -> Packet {
        if let Some(request) = item.request {
            stored.places[self.numbers as u32 as usize].grant(request);
        }
        let marked = if item.ecn == Ecn::Ce { (Ecn::Ce as u64) << ECN } else { 0 };
        let class = u64::from(item.class) << CLASS;
        Packet { rest: self.rest << 3 >> 3 | class | marked, ..self }
    }

    /// Whether the contents of the packet are stored beside it.
    #[inline]
    pub fn is_stored(&self) -> bool {
        self.rest & STORED != 0
    }

    /// Takes the stored contents of a packet that leaves for another network, where [`Packet::entered`] stores them.
    pub fn left<P: Contents>(&self, stored: &mut Stored<P>) -> Option<P> {
        (self.rest & STORED != 0).then(|| {
            self.release(stored);
            stored.places[self.numbers as u32 as usize].clone()
        })
    }

    /// Returns the packet with its contents stored in another network.
    pub fn entered<P: Contents>(self, contents: Option<&P>, stored: &mut Stored<P>) -> Packet {
        let Some(contents) = contents else { return self };
        Packet { numbers: self.numbers >> 32 << 32 | u64::from(stored.insert(contents.clone())), ..self }
    }

    /// Frees the stored contents of a packet that arrived or was dropped.
    #[inline]
    pub fn release<P>(self, stored: &mut Stored<P>) {
        if self.rest & STORED != 0 {
            stored.free.push(self.numbers as u32);
        }
    }
}

/// The contents in flight that do not fit into packets. A free place is reused at once, while it is in the cache.
pub struct Stored<P = Segment> {
    places: Vec<P>,
    free: Vec<u32>,
}

impl<P> Default for Stored<P> {
    fn default() -> Stored<P> {
        Stored { places: Vec::new(), free: Vec::new() }
    }
}

impl<P> Stored<P> {
    fn insert(&mut self, contents: P) -> u32 {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = contents;
            place
        } else {
            self.places.push(contents);
            self.places.len() as u32 - 1
        }
    }

    /// Returns the number of stored contents.
    pub fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// Whether no contents are stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use ackclock_core::headers::IPV4;
    use ackclock_net::queue::Request;
    use ackclock_tcp::segment::{SackBlock, Timestamps};
    use ackclock_tcp::{CongestionHeader, Feedback, Flags};
    use proptest::prelude::*;

    use ackclock_app::Side;

    use super::*;
    use crate::ids::FlowId;

    fn segments() -> impl Strategy<Value = Segment> {
        let numbers = (any::<u32>(), any::<u32>(), any::<u16>());
        let flags = prop_oneof![Just(Flags::ACK), Just(Flags::ACK.with(Flags::FIN).with(Flags::PSH)), Just(Flags::RST)];
        (numbers, 0_u32..65_000, flags, any::<bool>(), 0_u8..=4).prop_map(
            |((seq, ack, window), len, flags, syn, blocks)| {
                let mut segment = Segment { seq, ack, window, len, ..Segment::new(flags) };
                segment.sack_count = blocks;
                if len % 3 == 0 {
                    let header = CongestionHeader::answer(seq as i32).with_request(u64::from(ack), u64::from(len), 7);
                    segment.feedback = Some(Feedback::Xcp(header));
                }
                for (index, block) in segment.sack[..usize::from(blocks)].iter_mut().enumerate() {
                    *block = SackBlock { start: index as u32, end: seq };
                }
                if len % 4 == 1 {
                    segment.timestamps = Some(Timestamps { val: seq, ecr: ack });
                }
                if syn {
                    segment.flags = flags.with(Flags::SYN);
                    segment.mss = 1460;
                    segment.window_scale = 7;
                    segment.sack_permitted = true;
                }
                segment
            },
        )
    }

    const TO: Address = Address { to: EndpointId::of_number(1), generation: 0, class: 5, stage: 0, sent: 7 };

    #[test]
    fn a_mark_is_in_the_packet_and_nothing_else_is_changed() {
        let mut stored = Stored::default();
        for ecn in [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce] {
            let segment = Segment { ecn, seq: 9, len: 100, ..Segment::new(Flags::ACK) };
            let packet = Packet::new(&segment, TO, &mut stored);
            let mut item = packet.item(&stored, 1);
            assert_eq!(packet.updated(&item, &mut stored), packet);
            let marked = item.mark();
            assert_eq!(marked, ecn != Ecn::NotEct);
            let ecn = if marked { Ecn::Ce } else { ecn };
            assert_eq!(packet.updated(&item, &mut stored).contents(&stored).unwrap(), Segment { ecn, ..segment });
        }
    }

    const END: FlowEnd = FlowEnd { flow: FlowId(3), side: Side::Sink };

    #[test]
    fn a_datagram_is_its_number_and_its_length() {
        let packet = Packet::datagram((u64::MAX - 3, 172, Ecn::Ect0), END, 5, 0, 7);
        assert_eq!((packet.as_datagram(), packet.size()), (Some((u64::MAX - 3, 172)), 200));
        assert_eq!(packet.receiver(), Receiver::Flow(END));
        assert_eq!((packet.generation(), packet.stage(), packet.sent()), (0, 0, 7));
        let stored = Stored::<Segment>::default();
        assert_eq!(packet.contents::<Segment>(&stored), None);
        let item = packet.item(&stored, 9);
        assert_eq!((item.size, item.class, item.request, item.flow), (200, 5, None, 9));
        assert_eq!((packet.ecn(), item.ecn), (Ecn::Ect0, Ecn::Ect0));
        let segment = Segment { len: 172, ..Segment::new(Flags::ACK) };
        assert!(Packet::new(&segment, TO, &mut Stored::default()).as_datagram().is_none());
    }

    #[test]
    fn what_a_discipline_grants_is_in_the_packet_and_only_a_request_can_be_granted() {
        let mut stored = Stored::default();
        let mut segment = Segment::new(Flags::ACK);
        let plain = Packet::new(&segment, TO, &mut stored);
        let item = plain.item(&stored, 1);
        assert_eq!(item, Item { size: 40, flow: 1, class: 5, ..Item::default() });
        assert_eq!(plain.updated(&item, &mut stored), plain);

        let header = CongestionHeader::answer(-3).with_request(100_000_000, 120_000, CongestionHeader::UNLIMITED);
        (segment.feedback, segment.len) = (Some(Feedback::Xcp(header)), 1000);
        let packet = Packet::new(&segment, TO, &mut stored);
        let mut item = packet.item(&stored, 1);
        let request = Request { rtt: 100_000_000, interval: 120_000, change: Request::UNLIMITED };
        assert_eq!((item.size, item.request), (1040, Some(request)));
        item.request = Some(Request { change: -500, ..request });
        assert_eq!(packet.updated(&item, &mut stored), packet);
        let granted = packet.contents(&stored).unwrap().xcp().unwrap();
        assert_eq!((granted.change(), granted.reverse(), granted.rtt()), (-500, -3, 100_000_000));
    }

    proptest! {
        #[test]
        fn segments_come_out_as_they_went_in(sent in prop::collection::vec(segments(), 1..50), keep in 0_usize..50) {
            let mut stored = Stored::default();
            for round in 0..2 {
                let packets: Vec<_> = (0..)
                    .zip(&sent)
                    .map(|(number, segment)| {
                        let to = EndpointId::of_number(u32::MAX - number);
                        let class = number as u8 % CLASSES;
                        let address =
                            Address { to, generation: 0xabcd, class, stage: 0x7654_3210, sent: number.into() };
                        Packet::new(segment, address, &mut stored).before(number)
                    })
                    .collect();
                for (number, (packet, segment)) in (0..).zip(packets.iter().zip(&sent)) {
                    prop_assert_eq!(packet.contents(&stored).unwrap(), *segment);
                    prop_assert_eq!(packet.size(), IPV4 + segment.header_len() + segment.len);
                    let endpoint = EndpointId::of_number(u32::MAX - number);
                    prop_assert_eq!(packet.receiver(), Receiver::Endpoint(endpoint));
                    prop_assert_eq!((packet.generation(), packet.stage()), (0xabcd, number));
                    prop_assert_eq!((packet.sent(), packet.item(&stored, 0).class), (number.into(), number as u8 % CLASSES));
                    prop_assert!(packet.as_datagram().is_none());
                }
                // Some packets are given up; their places are used in the next round.
                let kept = stored.places.len();
                for packet in packets.into_iter().skip(if round == 0 { 0 } else { keep }) {
                    packet.release(&mut stored);
                }
                prop_assert!(stored.places.len() == kept && kept <= sent.len());
                prop_assert!(round == 1 || stored.is_empty());
            }
        }
    }
}
