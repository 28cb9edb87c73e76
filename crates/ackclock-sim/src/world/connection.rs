//! Connections and their slots.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;

use ackclock_app::{Conn, Side};
use ackclock_core::prefetch::prefetch_item;
use ackclock_core::{Nanos, Stream};

use crate::endpoint::{Endpoint, NEVER};
use crate::ids::{EndpointId, FlowId, Slot};

/// Marker that distinguishes an open connection from an empty slot. Of all fields, this one has the most values that it
/// never takes, so the compiler chooses it for the purpose. The marker lies with the fields that each packet needs;
/// otherwise each packet would read a further cache line within the first end.
#[derive(Clone, Copy)]
#[repr(u64)]
enum Open {
    Yes = 1,
}

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
    /// Whether the source and the sink send large packets, in the bits 0 and 1, whether packets are collected before they
    /// are delivered, in the bit 2, whether the connection is a subflow of a transfer over several paths, in the bit 3, and
    /// whether the flow has to be told of data that arrived at the source and the sink, in the bits 4 and 5.
    pub offload: u8,
    /// Whether any end was closed, by its application or by its peer.
    pub closing: bool,
    /// First stage of the routes from the source and from the sink.
    pub stages: [u32; 2],
    /// Stream bytes that the applications have read.
    pub read: [u64; 2],
    /// Times of the timer events in the queue; the endpoints may have moved their timeouts to later times since.
    pub armed: [Nanos; 2],
    #[allow(dead_code, reason = "it is there for its place in memory")]
    open: Open,
    /// Source and sink.
    pub ends: [E; 2],
}

impl<E: Endpoint> Connection<E> {
    const COLLECTS: u8 = 1 << 2;
    /// The bit of a subflow.
    pub const SUBFLOW: u8 = 1 << 3;

    /// The bit of a flow that has to be told of data at its source; that of the sink is the next one.
    pub const TELLS: u8 = 1 << 4;

    /// Whether data that arrived at an end is read at once, and nobody has to be told.
    #[inline]
    pub fn reads_silently(&self, side: Side) -> bool {
        self.offload & (Self::TELLS << side as u8 | Self::SUBFLOW) == 0
    }

    /// Whether an end sends large packets, or data that is dealt to subflows.
    #[inline]
    pub fn sends_specially(&self, side: Side) -> bool {
        self.offload & (1 << side as u8 | Self::SUBFLOW) != 0
    }

    /// Whether packets are collected before they are delivered, or belong to a subflow.
    #[inline]
    pub fn receives_specially(&self) -> bool {
        self.offload & (Self::COLLECTS | Self::SUBFLOW) != 0
    }

    /// Whether the connection is a subflow of a transfer over several paths.
    pub fn is_subflow(&self) -> bool {
        self.offload & Self::SUBFLOW != 0
    }

    /// Whether an end sends large packets.
    #[inline]
    pub fn sends_large(&self, side: Side) -> bool {
        self.offload >> side as u8 & 1 == 1
    }

    /// Whether packets are collected before they are delivered.
    pub fn collects(&self) -> bool {
        self.offload & Self::COLLECTS != 0
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

/// The slots of a flow, besides those of its open connections.
#[derive(Default)]
pub(super) struct Slots {
    /// Free slots, each with the generation of its next connection, the longest free first.
    free: VecDeque<(Slot, u16)>,
    /// The highest slot of the flow, free or not.
    highest: Option<Slot>,
}

/// All open connections. Slots of closed connections are reused, so that a run with any number of connections one after
/// the other needs only the memory of those that are open at once.
///
/// Two timers that were set at the same time and expire at the same time expire in the order of their slots. For the
/// connections of one flow this order must not depend on other flows. A flow therefore reuses its own slots, the longest
/// free first, and a further slot is higher than those that it has. It gives its slots to the others when none of its
/// connections is open.
pub(super) struct Connections<E> {
    slots: Vec<Option<Connection<E>>>,
    /// Slots that no flow has, each with the generation of its next connection.
    free: BTreeMap<Slot, u16>,
}

impl<E: Endpoint> Connections<E> {
    pub fn new() -> Connections<E> {
        Connections { slots: Vec::new(), free: BTreeMap::new() }
    }

    /// Returns a slot for a connection of the flow that has `slots`, and the connection's generation in it.
    fn slot(&mut self, slots: &mut Slots) -> (Slot, u16) {
        if let Some(own) = slots.free.pop_front() {
            return own;
        }
        let above = slots.highest.map_or(Bound::Unbounded, Bound::Excluded);
        let (slot, generation) = match self.free.range((above, Bound::Unbounded)).next() {
            Some((&slot, &generation)) => {
                self.free.remove(&slot);
                (slot, generation)
            }
            None => {
                self.slots.push(None);
                (Slot(self.slots.len() as u32 - 1), 0)
            }
        };
        slots.highest = Some(slot);
        (slot, generation)
    }

    /// Stores a connection of the flow that has `slots`. Returns its slot and its generation in it.
    pub fn insert(&mut self, about: About, slots: &mut Slots, config: &E::Config, random: &mut Stream) -> (Slot, u16) {
        let (slot, generation) = self.slot(slots);
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
            open: Open::Yes,
            ends,
        });
        (slot, generation)
    }

    /// Frees the slot of a closed connection of the flow that has `slots`; `is_last` says whether none is open now.
    pub fn free(&mut self, slot: Slot, generation: u16, slots: &mut Slots, is_last: bool) {
        slots.free.push_back((slot, generation.wrapping_add(1)));
        if is_last {
            self.free.extend(std::mem::take(slots).free);
        }
    }

    /// Removes a connection from its slot; [`Connections::free`] frees the slot.
    pub fn remove(&mut self, slot: Slot) -> Option<Connection<E>> {
        self.slots[slot.0 as usize].take()
    }

    /// Returns the connection in a slot.
    #[inline]
    pub fn get(&mut self, slot: Slot) -> Option<&mut Connection<E>> {
        self.slots[slot.0 as usize].as_mut()
    }

    /// Brings the beginning of a slot into the processor's caches ([`ackclock_core::prefetch`]).
    #[inline]
    pub fn prefetch(&self, slot: Slot) {
        prefetch_item(&self.slots, slot.0 as usize);
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

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn whether_a_slot_is_empty_is_seen_in_its_first_cache_line() {
        type Tcp = Connection<ackclock_tcp::Endpoint>;
        assert_eq!(size_of::<Option<Tcp>>(), size_of::<Tcp>());
        assert!(offset_of!(Tcp, open) < 64 && offset_of!(Tcp, ends) == 64);
    }
}
