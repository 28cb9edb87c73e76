//! The events of a run for its observer: the reports of endpoints, and the events between endpoints. With the unit
//! observer `()` the events cost nothing.

use ackclock_net::{DropCause, Passage};
use ackclock_tcp::Segment;

use crate::endpoint::{Event, Events};
use crate::ids::{EndpointId, FlowId, LinkId, Receiver};
use crate::packet::Packet;
use ackclock_app::{Conn, Side};
use ackclock_core::Nanos;

/// An endpoint: one end of a connection of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Who {
    /// Number of the flow, in the order of the scenario.
    pub flow: FlowId,
    /// Connection within the flow.
    pub conn: Conn,
    /// End of the connection.
    pub side: Side,
}

/// An event of a packet.
#[derive(Clone, Copy, Debug)]
pub enum NetworkEvent {
    /// The packet is a datagram and is sent.
    Datagram {
        /// The packet.
        packet: Packet,
    },
    /// A link that is not a port accepted the packet.
    Enqueued {
        /// The link.
        link: LinkId,
        /// The packet.
        packet: Packet,
        /// Times at which the packet passes the link.
        passage: Passage,
    },
    /// The packet arrived at a port, which has not yet accepted it.
    Arrived {
        /// The link.
        link: LinkId,
        /// The packet.
        packet: Packet,
    },
    /// A port created the packet as a copy of a packet that arrived at it.
    Copied {
        /// The link.
        link: LinkId,
        /// The copy.
        packet: Packet,
    },
    /// The packet leaves a port's queue for the wire.
    Sent {
        /// The link.
        link: LinkId,
        /// The packet.
        packet: Packet,
        /// Times at which the packet passes the link.
        passage: Passage,
        /// Time that the packet spent in the queue, in ns.
        waited: Nanos,
    },
    /// A link dropped the packet.
    Dropped {
        /// The link.
        link: LinkId,
        /// The packet.
        packet: Packet,
        /// Cause of the drop.
        cause: DropCause,
        /// Times of the packet at the link if it was lost on the wire. The event is that of its start.
        passage: Option<Passage>,
    },
    /// The packet reached its host.
    Delivered {
        /// The packet.
        packet: Packet,
    },
}

impl NetworkEvent {
    /// Returns the packet.
    pub fn packet(&self) -> Packet {
        match *self {
            NetworkEvent::Datagram { packet }
            | NetworkEvent::Enqueued { packet, .. }
            | NetworkEvent::Arrived { packet, .. }
            | NetworkEvent::Copied { packet, .. }
            | NetworkEvent::Sent { packet, .. }
            | NetworkEvent::Dropped { packet, .. }
            | NetworkEvent::Delivered { packet } => packet,
        }
    }

    /// Returns the time at which the records of a run have an event that was reported at `at`. A packet that is lost on
    /// the wire is lost when its last bit has left, as the counts of links have it; its event is reported at the start
    /// of its transmission, when it leaves the queue.
    pub fn recorded_at(&self, at: Nanos) -> Nanos {
        match self {
            NetworkEvent::Dropped { passage: Some(passage), .. } => passage.departure,
            _ => at,
        }
    }
}

/// Returns the sender of a datagram; `None` if the packet is not a datagram. Datagrams belong to connection 0 of a
/// flow.
pub(crate) fn datagram_sender(packet: Packet) -> Option<Who> {
    let Receiver::Flow(end) = packet.receiver() else { return None };
    Some(Who { flow: end.flow, conn: Conn(0), side: end.side.peer() })
}

/// An observer of the events of a run whose packets have the contents `P`.
///
/// A link with a single upstream link is evaluated as soon as a packet has left the upstream link. Its events are
/// therefore reported before their time and not in the order of time; the events of any one link are in order.
pub trait Observer<P = Segment> {
    /// Whether the observer uses the events; costly events are only prepared for such an observer.
    const ACTIVE: bool = true;

    /// Handles the opening of a connection: `who` is at the endpoint with this number for packets of this generation. Its
    /// packets take the routes of the flow's pair of hosts with this number.
    fn opened(&mut self, endpoint: EndpointId, generation: u16, who: Who, pair: u32);

    /// Handles an event of an endpoint at `now`.
    fn endpoint(&mut self, now: Nanos, who: Who, event: Event<'_, P>);

    /// Handles the delivery of `bytes` more bytes to the sink's application of a flow.
    fn delivered(&mut self, _now: Nanos, _flow: FlowId, _bytes: u64) {}

    /// Handles the next change of a flow's routes, which packets take that are sent from now on.
    fn rerouted(&mut self, _flow: FlowId) {}

    /// Handles an event at `at` of a packet with these contents; a datagram has none.
    fn network(&mut self, at: Nanos, contents: Option<&P>, event: NetworkEvent);
}

impl<P> Observer<P> for () {
    const ACTIVE: bool = false;

    #[inline(always)]
    fn opened(&mut self, _endpoint: EndpointId, _generation: u16, _who: Who, _pair: u32) {}

    #[inline(always)]
    fn endpoint(&mut self, _now: Nanos, _who: Who, _event: Event<'_, P>) {}

    #[inline(always)]
    fn network(&mut self, _at: Nanos, _contents: Option<&P>, _event: NetworkEvent) {}
}

/// An observer that may be absent.
impl<P, O: Observer<P>> Observer<P> for Option<O> {
    const ACTIVE: bool = O::ACTIVE;

    #[inline]
    fn opened(&mut self, endpoint: EndpointId, generation: u16, who: Who, pair: u32) {
        if let Some(observer) = self {
            observer.opened(endpoint, generation, who, pair);
        }
    }

    #[inline]
    fn endpoint(&mut self, now: Nanos, who: Who, event: Event<'_, P>) {
        if let Some(observer) = self {
            observer.endpoint(now, who, event);
        }
    }

    #[inline]
    fn delivered(&mut self, now: Nanos, flow: FlowId, bytes: u64) {
        if let Some(observer) = self {
            observer.delivered(now, flow, bytes);
        }
    }

    fn rerouted(&mut self, flow: FlowId) {
        if let Some(observer) = self {
            observer.rerouted(flow);
        }
    }

    #[inline]
    fn network(&mut self, at: Nanos, contents: Option<&P>, event: NetworkEvent) {
        if let Some(observer) = self {
            observer.network(at, contents, event);
        }
    }
}

/// Passes the events of one endpoint to a run's observer.
pub(crate) struct Tap<'a, O> {
    pub observer: &'a mut O,
    pub who: Who,
}

impl<P, O: Observer<P>> Events<P> for Tap<'_, O> {
    const ACTIVE: bool = O::ACTIVE;

    #[inline(always)]
    fn event(&mut self, now: Nanos, event: Event<'_, P>) {
        self.observer.endpoint(now, self.who, event);
    }
}
