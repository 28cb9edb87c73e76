//! Connections and their slots.

use std::collections::VecDeque;

use ackclock_app::{Conn, Side};
use ackclock_core::{Nanos, Stream};

use crate::endpoint::{Endpoint, NEVER};
use crate::ids::{EndpointId, FlowId, Slot};

/// A connection between the two ends of a flow.
// The fields are kept in this order in memory, so that the data of both ends shares cache lines with the data that the
// first end uses most.
#[repr(C)]
pub(super) struct Connection<E> {
    /// Generation, which tells apart the connections that used the slot: a packet for one of them does not belong to
    /// the next.
    pub generation: u16,
    pub flow: FlowId,
    pub conn: Conn,
    /// Traffic class of its packets.
    pub class: u8,
    /// Whether the delays of its packets are recorded.
    pub measured: bool,
    /// Whether the source and the sink send large packets, in the bits 0 and 1, and whether packets are collected before
    /// they are delivered, in the bit 2.
    pub offload: u8,
    /// Whether any end was closed, by its application or by its peer.
    pub closing: bool,
    /// First stage of the routes from the source and from the sink.
    pub stages: [u32; 2],
    /// Stream bytes that the applications have read.
    pub read: [u64; 2],
    /// Times of the timer events in the queue; the endpoints may have moved their timeouts to later times since.
    pub armed: [Nanos; 2],
    /// Source and sink.
    pub ends: [E; 2],
}

impl<E: Endpoint> Connection<E> {
    /// Whether an end sends large packets.
    #[inline]
    pub fn sends_large(&self, side: Side) -> bool {
        self.offload >> side as u8 & 1 == 1
    }

    /// Whether packets are collected before they are delivered.
    #[inline]
    pub fn collects(&self) -> bool {
        self.offload >> 2 == 1
    }

    /// Whether both ends are closed, or only wait for stray segments.
    pub fn is_over(&self) -> bool {
        self.closing && self.ends.iter().all(Endpoint::is_over)
    }
}

/// The properties that a connection takes from its flow.
#[derive(Clone, Copy)]
pub(super) struct About {
    pub flow: FlowId,
    pub conn: Conn,
    pub class: u8,
    pub measured: bool,
    pub offload: u8,
    pub stages: [u32; 2],
}

/// All open connections. Slots of closed connections are reused, the longest free first. A run with any number of
/// connections one after the other therefore needs only the memory of those that are open at once.
pub(super) struct Connections<E> {
    slots: Vec<Option<Connection<E>>>,
    /// Free slots, each with the generation of its next connection.
    free: VecDeque<(Slot, u16)>,
}

impl<E: Endpoint> Connections<E> {
    pub fn new() -> Connections<E> {
        Connections { slots: Vec::new(), free: VecDeque::new() }
    }

    /// Stores a connection in a free slot. Returns the slot and the connection's generation in it.
    pub fn insert(&mut self, about: About, config: &E::Config, random: &mut Stream) -> (Slot, u16) {
        let (slot, generation) = self.free.pop_front().unwrap_or_else(|| {
            self.slots.push(None);
            (Slot(self.slots.len() as u32 - 1), 0)
        });
        let mut ends = [E::new(config, random), E::new(config, random)];
        for (end, side) in ends.iter_mut().zip([Side::Source, Side::Sink]) {
            end.identify(EndpointId::new(slot, side), generation);
        }
        let About { flow, conn, class, measured, offload, stages } = about;
        self.slots[slot.0 as usize] = Some(Connection {
            generation,
            flow,
            conn,
            class,
            measured,
            offload,
            closing: false,
            stages,
            read: [0; 2],
            armed: [NEVER; 2],
            ends,
        });
        (slot, generation)
    }

    /// Removes a connection from its slot.
    pub fn remove(&mut self, slot: Slot) -> Option<Connection<E>> {
        let connection = self.slots[slot.0 as usize].take()?;
        self.free.push_back((slot, connection.generation.wrapping_add(1)));
        Some(connection)
    }

    /// Returns the connection in a slot.
    #[inline]
    pub fn get(&mut self, slot: Slot) -> Option<&mut Connection<E>> {
        self.slots[slot.0 as usize].as_mut()
    }

    /// Returns the connection in a slot, which cannot be changed.
    pub fn peek(&self, slot: Slot) -> Option<&Connection<E>> {
        self.slots[slot.0 as usize].as_ref()
    }

    /// Returns the number of slots.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }
}
