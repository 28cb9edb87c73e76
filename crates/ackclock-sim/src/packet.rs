//! Packets on their way.

use ackclock_net::{Item, Request};
use ackclock_tcp::{CongestionHeader, Ecn, Feedback, Flags, Segment};

/// Bytes of an IPv4 header without options.
pub const IP_HEADER: u32 = 20;

/// The largest packet in bytes, the total length of IPv4 being 16 bits.
pub const MAX_PACKET: u32 = u16::MAX as u32;

/// Bytes of IPv4 and TCP header without options.
const HEADERS: u32 = IP_HEADER + 20;

/// A packet in flight: a segment and what it takes to bring it to its endpoint.
///
/// Three words, because memory traffic is what limits a large run, and words rather than fields, because fields of
/// different widths that are written one by one and read back as a whole stall the processor. Only segments without
/// options, which are nearly all, fit in; the others lie in [`Optioned`], and the packet says where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// From the low end: sequence number (32 bits) and acknowledgment number (32); or the place in `Optioned` (32).
    numbers: u64,
    /// Endpoint (32), stage (32).
    way: u64,
    /// Size (16), generation (16), window (16), flags (9), whether the segment has options (1), ECN field (2), whether it
    /// waits for its turn on a wire (1).
    rest: u64,
}

/// The bit of [`Packet::rest`] that says that the segment has options.
const HAS_OPTIONS: u64 = 1 << 57;
/// The bit of [`Packet::rest`] that says that the packet waits.
const WAITS: u64 = 1 << 60;
/// Where the ECN field lies in [`Packet::rest`].
const ECN: u32 = 58;

impl Packet {
    /// The packet around `segment` for those of the endpoints at `to` that have the `generation`, at the beginning of
    /// `stage` of its route.
    #[inline]
    pub fn new(segment: &Segment, to: u32, generation: u16, stage: u32, optioned: &mut Optioned) -> Packet {
        let way = u64::from(to) | u64::from(stage) << 32;
        let common = u64::from(generation) << 16 | (segment.ecn as u64) << ECN;
        if !segment.has_options() {
            let size = HEADERS + segment.len;
            debug_assert!(size <= MAX_PACKET);
            let window = u64::from(segment.window) << 32 | u64::from(segment.flags.0) << 48;
            let numbers = u64::from(segment.seq) | u64::from(segment.ack) << 32;
            return Packet { numbers, way, rest: u64::from(size) | common | window };
        }
        let size = IP_HEADER + segment.header_len() + segment.len;
        debug_assert!(size <= MAX_PACKET);
        Packet { numbers: u64::from(optioned.insert(segment)), way, rest: u64::from(size) | common | HAS_OPTIONS }
    }

    /// The endpoint it is for.
    #[inline]
    pub fn to(&self) -> u32 {
        self.way as u32
    }

    /// The stage of its route that comes next.
    #[inline]
    pub fn stage(&self) -> u32 {
        (self.way >> 32) as u32
    }

    /// Bytes on the wire, IP header included.
    #[inline]
    pub fn size(&self) -> u32 {
        u32::from(self.rest as u16)
    }

    /// Which of the endpoints that are at the same place one after the other is meant.
    #[inline]
    pub fn generation(&self) -> u16 {
        (self.rest >> 16) as u16
    }

    /// The same before another stage.
    #[inline]
    pub fn before(self, stage: u32) -> Packet {
        Packet { way: self.way & u64::from(u32::MAX) | u64::from(stage) << 32, ..self }
    }

    /// Its ECN field.
    #[inline]
    pub fn ecn(&self) -> Ecn {
        Ecn::from_bits((self.rest >> ECN) as u8)
    }

    /// Its segment.
    #[inline]
    pub fn segment(&self, optioned: &Optioned) -> Segment {
        if self.rest & HAS_OPTIONS != 0 {
            return Segment { ecn: self.ecn(), ..optioned.places[self.numbers as u32 as usize] };
        }
        let mut segment = Segment::new(Flags((self.rest >> 48) as u16 & 0x1ff));
        segment.ecn = self.ecn();
        segment.seq = self.numbers as u32;
        segment.ack = (self.numbers >> 32) as u32;
        segment.window = (self.rest >> 32) as u16;
        segment.len = self.size() - HEADERS;
        segment
    }

    /// Whether it waits in a queue with a discipline, which has let it in.
    pub fn waits(&self) -> bool {
        self.rest & WAITS != 0
    }

    /// The same, waiting or not.
    pub fn waiting(self, waits: bool) -> Packet {
        Packet { rest: if waits { self.rest | WAITS } else { self.rest & !WAITS }, ..self }
    }

    /// What the discipline of a queue sees of it.
    pub fn item(&self, optioned: &Optioned) -> Item {
        let header =
            if self.rest & HAS_OPTIONS != 0 { optioned.places[self.numbers as u32 as usize].xcp() } else { None };
        let request = |header: CongestionHeader| Request {
            rtt: header.rtt(),
            interval: header.interval(),
            change: header.change(),
        };
        Item { size: self.size(), request: header.map(request) }
    }

    /// Takes over what the discipline of a queue has changed.
    pub fn update(&self, item: &Item, optioned: &mut Optioned) {
        if let Some(request) = item.request
            && let Some(Feedback::Xcp(header)) = &mut optioned.places[self.numbers as u32 as usize].feedback
        {
            header.set_change(request.change);
        }
    }

    /// Gives up what is kept elsewhere of a packet that arrived or was dropped.
    #[inline]
    pub fn release(self, optioned: &mut Optioned) {
        if self.rest & HAS_OPTIONS != 0 {
            optioned.free.push(self.numbers as u32);
        }
    }
}

/// The segments with options that are in flight. A free place is used again at once, while it is in the cache.
#[derive(Default)]
pub struct Optioned {
    places: Vec<Segment>,
    free: Vec<u32>,
}

impl Optioned {
    fn insert(&mut self, segment: &Segment) -> u32 {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = *segment;
            place
        } else {
            self.places.push(*segment);
            self.places.len() as u32 - 1
        }
    }

    /// Number of segments kept.
    pub fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// Whether none is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use ackclock_tcp::segment::SackBlock;
    use proptest::prelude::*;

    use super::*;

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

    #[test]
    fn what_a_discipline_grants_is_in_the_packet_and_only_a_request_can_be_granted() {
        let mut optioned = Optioned::default();
        let mut segment = Segment::new(Flags::ACK);
        let plain = Packet::new(&segment, 1, 0, 0, &mut optioned);
        let item = plain.item(&optioned);
        assert_eq!(item, Item { size: 40, request: None });
        plain.update(&item, &mut optioned);
        assert_eq!(plain.segment(&optioned), segment);

        let header = CongestionHeader::answer(-3).with_request(100_000_000, 120_000, CongestionHeader::UNLIMITED);
        (segment.feedback, segment.len) = (Some(Feedback::Xcp(header)), 1000);
        let packet = Packet::new(&segment, 1, 0, 0, &mut optioned);
        let mut item = packet.item(&optioned);
        let request = Request { rtt: 100_000_000, interval: 120_000, change: Request::UNLIMITED };
        assert_eq!(item, Item { size: 1040, request: Some(request) });
        item.request = Some(Request { change: -500, ..request });
        assert!(packet.waiting(true).waits() && packet.waiting(true).waiting(false) == packet);
        packet.waiting(true).update(&item, &mut optioned);
        let granted = packet.segment(&optioned).xcp().unwrap();
        assert_eq!((granted.change(), granted.reverse(), granted.rtt()), (-500, -3, 100_000_000));
    }

    proptest! {
        #[test]
        fn segments_come_out_as_they_went_in(sent in prop::collection::vec(segments(), 1..50), keep in 0_usize..50) {
            let mut optioned = Optioned::default();
            for round in 0..2 {
                let packets: Vec<_> = (0..)
                    .zip(&sent)
                    .map(|(number, segment)| {
                        let packet = Packet::new(segment, u32::MAX - number, 0xabcd, 0x8765_4321, &mut optioned);
                        packet.before(number)
                    })
                    .collect();
                for (number, (packet, segment)) in (0..).zip(packets.iter().zip(&sent)) {
                    prop_assert_eq!(packet.segment(&optioned), *segment);
                    prop_assert_eq!(packet.size(), IP_HEADER + segment.header_len() + segment.len);
                    prop_assert_eq!((packet.to(), packet.generation(), packet.stage()), (u32::MAX - number, 0xabcd, number));
                }
                // Some are given up; the places of those are used in the next round.
                let kept = optioned.places.len();
                for packet in packets.into_iter().skip(if round == 0 { 0 } else { keep }) {
                    packet.release(&mut optioned);
                }
                prop_assert!(optioned.places.len() == kept && kept <= sent.len());
                prop_assert!(round == 1 || optioned.is_empty());
            }
        }
    }
}
