//! The senders of packets, as queue disciplines see them.

use std::ops::Range;

use ackclock_net::queue::Headers;

use crate::ids::Receiver;
use crate::packet::Packet;

/// The senders of packets, for queue disciplines that tell flows apart. A sender's number depends only on the flow's
/// name, the direction and the connection's number. A further flow changes the slots of connections, but it must not
/// change which connections share a queue.
#[derive(Default)]
pub(super) struct Senders {
    /// Number of the flow and direction, by the stage of a route.
    pub(super) flows: Vec<u64>,
    /// Hosts and code point of the flow and direction, by the stage of a route.
    pub(super) headers: Vec<Headers>,
    /// Whether a tunnel hides the connections, by the stage of a route; empty without tunnels.
    pub(super) hides: Vec<bool>,
    /// Stages inside each tunnel, and the number by which queues know its packets.
    pub(super) tunnels: Vec<(Range<u32>, u64)>,
    /// Generation and number of the open connection, by slot.
    pub(super) open: Vec<Option<(u16, u32)>>,
}

/// Substitutes for a connection's number: one for datagrams, and one for packets in flight of connections that are
/// closed, whose numbers are no longer stored.
const DATAGRAMS: u64 = 1 << 32;
const CLOSED: u64 = 2 << 32;

impl Senders {
    /// Returns the stages inside the tunnels of a route with the stages `route`, each with the number of the tunnel.
    pub(super) fn tunnels_of(&self, route: Range<usize>) -> Vec<(Range<usize>, u64)> {
        let stages = |(inside, number): &(Range<u32>, u64)| (inside.start as usize..inside.end as usize, *number);
        self.tunnels.iter().map(stages).filter(|(inside, _)| route.contains(&inside.start)).collect()
    }

    /// Returns the hosts and the code point of a packet.
    pub(super) fn headers(&self, packet: &Packet) -> Headers {
        self.headers.get(packet.stage() as usize).copied().unwrap_or_default()
    }

    /// Returns the number of a packet's connection and direction, which is the same for all its packets. Disciplines
    /// hash this number.
    pub(super) fn flow(&self, packet: &Packet) -> u64 {
        let flow = self.flows.get(packet.stage() as usize).copied().unwrap_or(0);
        if self.hides.get(packet.stage() as usize) == Some(&true) {
            return flow;
        }
        let connection = match packet.receiver() {
            Receiver::Flow(_) => DATAGRAMS,
            Receiver::Endpoint(endpoint) => match self.open.get(endpoint.slot().0 as usize).copied().flatten() {
                Some((generation, connection)) if generation == packet.generation() => u64::from(connection),
                _ => CLOSED,
            },
        };
        // The factor is odd, so every connection of a flow has a different number, far from those of the others.
        flow.wrapping_add(connection.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}
