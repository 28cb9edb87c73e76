//! Connections and the slots they live in.

use std::collections::VecDeque;

use ackclock_tcp::{Config, Endpoint, NEVER, State};

use ackclock_app::Conn;
use ackclock_core::Nanos;

use crate::ids::{FlowId, Slot};

/// Whether this end needs nothing more from the other.
fn is_over(end: &Endpoint) -> bool {
    matches!(end.state(), State::Closed | State::TimeWait | State::Listen)
}

/// A connection between the two ends of a flow.
// In memory as it stands here, so that what concerns both ends shares cache lines with what the first touches most.
#[repr(C)]
pub(super) struct Connection {
    /// Tells apart the connections that had its slot: a packet for one of them is not for the next.
    pub generation: u16,
    pub flow: FlowId,
    pub conn: Conn,
    /// Traffic class of its packets.
    pub class: u8,
    /// Whether the delays of its packets are recorded.
    pub measured: bool,
    /// Whether any end was closed, by its application or by its peer.
    pub closing: bool,
    /// First stage of the routes from the source and from the sink.
    pub stages: [u32; 2],
    /// Stream bytes that the applications have read.
    pub read: [u64; 2],
    /// When the timer events come that the queue holds; the endpoints may have moved their timeouts to later since.
    pub armed: [Nanos; 2],
    /// Source and sink.
    pub ends: [Endpoint; 2],
}

impl Connection {
    /// Whether both ends are done: closed, or only waiting for stray segments.
    pub fn is_over(&self) -> bool {
        self.closing && self.ends.iter().all(is_over)
    }
}

/// What a connection has of its flow.
#[derive(Clone, Copy)]
pub(super) struct About {
    pub flow: FlowId,
    pub conn: Conn,
    pub class: u8,
    pub measured: bool,
    pub stages: [u32; 2],
}

/// All open connections. Slots of those that are over are used again, the longest free first, so that a run with any
/// number of connections one after the other takes the memory of those open at once.
#[derive(Default)]
pub(super) struct Connections {
    slots: Vec<Option<Connection>>,
    /// Free slots with the generation of the connection to come.
    free: VecDeque<(Slot, u16)>,
}

impl Connections {
    /// Puts a connection in a free slot. That slot, and the connection's generation there.
    pub fn insert(&mut self, about: About, config: &Config, isns: [u32; 2]) -> (Slot, u16) {
        let (slot, generation) = self.free.pop_front().unwrap_or_else(|| {
            self.slots.push(None);
            (Slot(self.slots.len() as u32 - 1), 0)
        });
        let ends = isns.map(|isn| Endpoint::new(config, isn));
        let About { flow, conn, class, measured, stages } = about;
        self.slots[slot.0 as usize] = Some(Connection {
            generation,
            flow,
            conn,
            class,
            measured,
            closing: false,
            stages,
            read: [0; 2],
            armed: [NEVER; 2],
            ends,
        });
        (slot, generation)
    }

    /// Takes a connection out of its slot.
    pub fn remove(&mut self, slot: Slot) -> Option<Connection> {
        let connection = self.slots[slot.0 as usize].take()?;
        self.free.push_back((slot, connection.generation.wrapping_add(1)));
        Some(connection)
    }

    /// The connection in a slot.
    #[inline]
    pub fn get(&mut self, slot: Slot) -> Option<&mut Connection> {
        self.slots[slot.0 as usize].as_mut()
    }

    /// Number of slots.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }
}
