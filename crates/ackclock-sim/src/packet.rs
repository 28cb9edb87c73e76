//! Packets on their way.
//!
//! A segment is written once, where it is sent, and read once, where it arrives. What moves from link to link is the
//! [`Packet`], a few words that say where its segment lies.

use ackclock_tcp::Segment;

/// Bytes of an IPv4 header without options.
pub const IP_HEADER: u32 = 20;

/// The largest packet in bytes, the total length of IPv4 being 16 bits.
pub const MAX_PACKET: u32 = u16::MAX as u32;

/// A packet in flight.
///
/// Two words, so that it stays in registers: four fields of different widths would be written one by one and read back
/// as a whole, which stalls the processor at every hop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// From the low end: segment (32 bits), endpoint (32).
    content: u64,
    /// From the low end: stage (32 bits), size (16), generation (16).
    way: u64,
}

impl Packet {
    /// A packet of `size` bytes around `segment` for those of the endpoints at `to` that have the `generation`, before
    /// `stage` of its route.
    #[inline]
    pub fn new(segment: Handle, size: u16, to: u32, generation: u16, stage: u32) -> Packet {
        Packet {
            content: u64::from(segment.0) | u64::from(to) << 32,
            way: u64::from(stage) | u64::from(size) << 32 | u64::from(generation) << 48,
        }
    }

    /// Where its segment lies.
    #[inline]
    pub fn segment(self) -> Handle {
        Handle(self.content as u32)
    }

    /// The endpoint it is for.
    #[inline]
    pub fn to(self) -> u32 {
        (self.content >> 32) as u32
    }

    /// The stage of its route that comes next.
    #[inline]
    pub fn stage(self) -> u32 {
        self.way as u32
    }

    /// Bytes on the wire, IP header included.
    #[inline]
    pub fn size(self) -> u32 {
        u32::from((self.way >> 32) as u16)
    }

    /// Which of the endpoints that are at the same place one after the other is meant.
    #[inline]
    pub fn generation(self) -> u16 {
        (self.way >> 48) as u16
    }

    /// The same before another stage.
    #[inline]
    pub fn before(self, stage: u32) -> Packet {
        Packet { way: self.way & !u64::from(u32::MAX) | u64::from(stage), ..self }
    }
}

/// Bytes on the wire of a packet around `segment`.
#[inline]
pub fn wire_size(segment: &Segment) -> u16 {
    let size = IP_HEADER + segment.header_len() + segment.len;
    debug_assert!(size <= MAX_PACKET);
    size as u16
}

/// The place of a segment in [`Segments`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handle(u32);

/// The segments of all packets in flight. A place that is free is used again at once, while it is in the cache.
#[derive(Default)]
pub struct Segments {
    places: Vec<Segment>,
    free: Vec<u32>,
}

impl Segments {
    /// Keeps a segment.
    #[inline]
    pub fn insert(&mut self, segment: &Segment) -> Handle {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = *segment;
            Handle(place)
        } else {
            self.places.push(*segment);
            Handle(self.places.len() as u32 - 1)
        }
    }

    /// A segment kept and not yet given up.
    #[inline]
    pub fn get(&self, handle: Handle) -> &Segment {
        &self.places[handle.0 as usize]
    }

    /// Gives up a segment.
    #[inline]
    pub fn release(&mut self, handle: Handle) {
        self.free.push(handle.0);
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
    use ackclock_tcp::Flags;

    use super::*;

    #[test]
    fn a_packet_is_what_was_put_in() {
        let segment = Segment::new(Flags::ACK);
        let mut segments = Segments::default();
        segments.insert(&segment);
        let packet = Packet::new(segments.insert(&segment), 1500, 0xfedc_ba98, 0xabcd, 0x8765_4321);
        let parts =
            |packet: Packet| (packet.segment().0, packet.size(), packet.to(), packet.generation(), packet.stage());
        assert_eq!(parts(packet), (1, 1500, 0xfedc_ba98, 0xabcd, 0x8765_4321));
        assert_eq!(parts(packet.before(u32::MAX)), (1, 1500, 0xfedc_ba98, 0xabcd, u32::MAX));
        assert_eq!(parts(packet.before(0)), (1, 1500, 0xfedc_ba98, 0xabcd, 0));
    }

    #[test]
    fn places_are_used_again() {
        let mut segments = Segments::default();
        let mut segment = Segment::new(Flags::ACK);
        let first = segments.insert(&segment);
        segment.len = 7;
        let second = segments.insert(&segment);
        assert_eq!((segments.get(first).len, segments.get(second).len, segments.len()), (0, 7, 2));
        segments.release(first);
        segment.len = 9;
        assert_eq!(segments.insert(&segment), first);
        assert_eq!((segments.get(first).len, segments.get(second).len, segments.len()), (9, 7, 2));
    }
}
