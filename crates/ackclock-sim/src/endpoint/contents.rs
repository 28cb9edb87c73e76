//! The contents of packets.

use std::fmt::Debug;

use ackclock_core::{Ecn, Nanos};
use ackclock_net::queue::{Acknowledgment, Request};
use ackclock_tcp::Segment;

use crate::ids::EndpointId;

/// The contents of a packet of a transport. Links and queues use its size, its ECN field and, for XCP, its request to
/// routers; the rest is opaque to them.
///
/// Packets in flight are words, because memory traffic limits large runs. Contents that fit into these words are packed
/// ([`Contents::pack`]); all other contents are stored beside the packets until they arrive or are dropped.
pub trait Contents: Clone + PartialEq + Debug {
    /// Returns the size of the packet on the wire in bytes, with all headers from the IP header on: at most 65,535. For
    /// a large packet it is the sum of the sizes of its segments.
    fn size(&self) -> u32;

    /// Returns the number of packets into which the network splits this large packet; one for any other packet.
    #[inline]
    fn segments(&self) -> u32 {
        1
    }

    /// Returns one of the packets into which the network splits this large packet, by its index.
    #[inline]
    fn segment(&self, index: u32) -> Self {
        debug_assert!(index < self.segments());
        self.clone()
    }

    /// Makes a large packet of this packet and the next one of the same sender, if the two can be one. Returns whether
    /// they are one now.
    #[inline]
    fn merge(&mut self, next: &Self) -> bool {
        let _ = next;
        false
    }

    /// Returns the bytes of the stream in the packet. The one-way delays of a flow are those of its packets with
    /// payload.
    fn payload(&self) -> u32;

    /// Returns the ECN field.
    fn ecn(&self) -> Ecn;

    /// Sets the ECN field. The world calls it for each packet that arrives, with the field that queues may have marked.
    fn set_ecn(&mut self, ecn: Ecn);

    /// Returns the contents as words if they fit, without the ECN field and without what follows from `sending`.
    /// Contents that carry a request to routers are not packed.
    #[inline]
    fn pack(&self, sending: Sending) -> Option<Packed> {
        let _ = sending;
        None
    }

    /// Returns the contents of packed words.
    ///
    /// # Panics
    /// By default, because contents that are never packed are never unpacked.
    #[inline]
    fn unpack(packed: Packed, ecn: Ecn, sending: Sending) -> Self {
        unreachable!("{packed:?} with {ecn:?}, {sending:?}, was not packed by this transport")
    }

    /// Returns the request to routers (XCP).
    #[inline]
    fn request(&self) -> Option<Request> {
        None
    }

    /// Sets the change that routers grant; the packet has a request.
    #[inline]
    fn grant(&mut self, request: Request) {
        let _ = request;
    }

    /// Returns the acknowledgment of the packet, if queues can read it.
    fn acknowledgment(&self) -> Option<Acknowledgment> {
        None
    }

    /// Returns the packet as a TCP segment, for the recorded data that only TCP has: acknowledgment numbers, SACK
    /// blocks and the verdicts of the table `timeouts`.
    #[inline]
    fn as_segment(&self) -> Option<&Segment> {
        None
    }
}

/// Time and receiver of a packet that was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sending {
    /// Time at which the packet was sent.
    pub at: Nanos,
    /// The endpoint that receives the packet.
    pub to: EndpointId,
    /// Generation of that endpoint, which tells apart the endpoints that use the same slot one after the other.
    pub generation: u16,
}

impl Sending {
    /// Whether the packet has room for an extra part of its contents: it is sent before 2^50 ns (13 days).
    #[inline]
    pub fn leaves_room(&self) -> bool {
        self.at >> (u64::BITS - Packed::EXTRA_LEN) == 0
    }
}

/// The contents of a packet as words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packed {
    /// 64 bits of contents.
    pub numbers: u64,
    /// Further contents, below 2^25.
    pub bits: u32,
    /// Further contents, if there are any, of [`Packed::EXTRA_LEN`] bits. Only a packet that
    /// [leaves room](Sending::leaves_room) can have them.
    pub extra: Option<u16>,
    /// Size of the packet in bytes, as [`Contents::size`] returns it.
    pub size: u32,
}

impl Packed {
    /// Number of bits of the extra part.
    pub const EXTRA_LEN: u32 = 14;
}
