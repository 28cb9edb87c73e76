//! Connections and the places they live in.

use std::collections::VecDeque;

use ackclock_tcp::{Config, Endpoint, NEVER, State};

use ackclock_app::{Conn, Side};
use ackclock_core::Nanos;

/// Whether this end needs nothing more from the other.
fn is_over(end: &Endpoint) -> bool {
    matches!(end.state(), State::Closed | State::TimeWait | State::Listen)
}

/// A connection between the two ends of a flow.
// In memory as it stands here, so that what concerns both ends shares cache lines with what the first touches most.
#[repr(C)]
pub(super) struct Connection {
    /// Tells apart the connections that had its place: a packet for one of them is not for the next.
    pub generation: u16,
    pub flow: u32,
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
    pub flow: u32,
    pub conn: Conn,
    pub class: u8,
    pub measured: bool,
    pub stages: [u32; 2],
}

/// The number of an endpoint: twice its connection's place, plus its side. Its peer's differs in the last bit.
pub(super) fn endpoint(place: u32, side: Side) -> u32 {
    2 * place + side as u32
}

/// The side of the endpoint of a number.
pub(super) fn side_of(endpoint: u32) -> Side {
    if endpoint & 1 == 0 { Side::Source } else { Side::Sink }
}

/// All open connections. Places of those that are over are used again, the longest free first, so that a run with any
/// number of connections one after the other takes the memory of those open at once.
#[derive(Default)]
pub(super) struct Connections {
    places: Vec<Option<Connection>>,
    /// Free places with the generation of the connection to come.
    free: VecDeque<(u32, u16)>,
}

impl Connections {
    /// Puts a connection in a free place. That place, and the connection's generation there.
    pub fn insert(&mut self, about: About, config: &Config, isns: [u32; 2]) -> (u32, u16) {
        let (place, generation) = self.free.pop_front().unwrap_or_else(|| {
            self.places.push(None);
            (self.places.len() as u32 - 1, 0)
        });
        let ends = isns.map(|isn| Endpoint::new(config, isn));
        let About { flow, conn, class, measured, stages } = about;
        self.places[place as usize] = Some(Connection {
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
        (place, generation)
    }

    /// Takes a connection out of its place.
    pub fn remove(&mut self, place: u32) -> Option<Connection> {
        let connection = self.places[place as usize].take()?;
        self.free.push_back((place, connection.generation.wrapping_add(1)));
        Some(connection)
    }

    /// The connection in a place.
    #[inline]
    pub fn get(&mut self, place: u32) -> Option<&mut Connection> {
        self.places[place as usize].as_mut()
    }

    /// Number of places.
    pub fn places(&self) -> usize {
        self.places.len()
    }
}
