//! A packet on its way: one cache line.

use ackclock_tcp::Segment;

/// Bytes of an IPv4 header without options.
pub const IP_HEADER: u32 = 20;

/// The largest packet, the total length of IPv4 being 16 bits.
pub const MAX_PACKET: u32 = u16::MAX as u32;

/// A segment with what it takes to bring it to its endpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// The segment.
    pub segment: Segment,
    /// Bytes on the wire, IP header included.
    pub size: u16,
    /// Which of the endpoints that were at `to` one after the other is meant.
    pub generation: u16,
    /// The endpoint it is for.
    pub to: u32,
    /// The stage of its route that comes next.
    pub stage: u32,
}

const _: () = assert!(size_of::<Packet>() == 64);

impl Packet {
    /// A packet around `segment` that sets out on a route's first `stage`.
    #[inline]
    pub fn new(segment: Segment, to: u32, generation: u16, stage: u32) -> Packet {
        let size = IP_HEADER + segment.header_len() + segment.len;
        debug_assert!(size <= MAX_PACKET);
        Packet { segment, size: size as u16, generation, to, stage }
    }
}
