//! The stream of events that a run's observer sees: what endpoints report and what happens between them. With the unit
//! observer `()` it costs nothing.

use ackclock_net::{DropCause, Passage};
use ackclock_tcp::{Event, Segment};

use crate::ids::{EndpointId, FlowId, LinkId, Receiver};
use crate::packet::Packet;
use ackclock_app::{Conn, Side};
use ackclock_core::Nanos;

/// An endpoint: an end of a connection of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Who {
    /// The flow's number, in the order of the scenario.
    pub flow: FlowId,
    /// The connection within the flow.
    pub conn: Conn,
    /// The end.
    pub side: Side,
}

/// What happened to a packet.
#[derive(Clone, Copy, Debug)]
pub enum NetworkEvent {
    /// It is a datagram, and is sent.
    Datagram {
        /// The packet.
        packet: Packet,
    },
    /// A link that is no port took it.
    Enqueued {
        /// The link.
        link: LinkId,
        /// The packet.
        packet: Packet,
        /// When it passes.
        passage: Passage,
    },
    /// It came before a port, which has yet to let it in.
    Arrived {
        /// The link.
        link: LinkId,
        /// The packet.
        packet: Packet,
    },
    /// A port has made it of another that came before it.
    Copied {
        /// The link.
        link: LinkId,
        /// The copy.
        packet: Packet,
    },
    /// It leaves a port's queue for the wire.
    Sent {
        /// The link.
        link: LinkId,
        /// The packet.
        packet: Packet,
        /// When it passes.
        passage: Passage,
        /// How long it was in the queue.
        waited: Nanos,
    },
    /// It did not pass a link.
    Dropped {
        /// The link.
        link: LinkId,
        /// The packet.
        packet: Packet,
        /// Why not.
        cause: DropCause,
    },
    /// It reached its host.
    Delivered {
        /// The packet.
        packet: Packet,
    },
}

/// Who sent a datagram; `None` if the packet is none. Datagrams belong to a flow's connection 0.
pub(crate) fn datagram_sender(packet: Packet) -> Option<Who> {
    let Receiver::Flow(end) = packet.receiver() else { return None };
    Some(Who { flow: end.flow, conn: Conn(0), side: end.side.peer() })
}

/// Receives a run's events.
///
/// A link that is fed by one other is evaluated as soon as a packet has left that one, so its events come before their
/// time and are not in the order of time; those of any one link are.
pub trait Observer {
    /// Whether anything is wanted; costly events are put together only then.
    const ACTIVE: bool = true;

    /// A connection begins: `who` will be at the endpoint of that number for packets of that generation.
    fn opened(&mut self, endpoint: EndpointId, generation: u16, who: Who);

    /// An endpoint's event at `now`.
    fn endpoint(&mut self, now: Nanos, who: Who, event: Event<'_>);

    /// The sink's application of the flow of that number has got so many bytes more.
    fn delivered(&mut self, _now: Nanos, _flow: FlowId, _bytes: u64) {}

    /// The event at `at` of a packet around `segment`.
    fn network(&mut self, at: Nanos, segment: &Segment, event: NetworkEvent);
}

impl Observer for () {
    const ACTIVE: bool = false;

    #[inline(always)]
    fn opened(&mut self, _endpoint: EndpointId, _generation: u16, _who: Who) {}

    #[inline(always)]
    fn endpoint(&mut self, _now: Nanos, _who: Who, _event: Event<'_>) {}

    #[inline(always)]
    fn network(&mut self, _at: Nanos, _segment: &Segment, _event: NetworkEvent) {}
}

/// An observer that may be absent.
impl<O: Observer> Observer for Option<O> {
    const ACTIVE: bool = O::ACTIVE;

    #[inline]
    fn opened(&mut self, endpoint: EndpointId, generation: u16, who: Who) {
        if let Some(observer) = self {
            observer.opened(endpoint, generation, who);
        }
    }

    #[inline]
    fn endpoint(&mut self, now: Nanos, who: Who, event: Event<'_>) {
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

    #[inline]
    fn network(&mut self, at: Nanos, segment: &Segment, event: NetworkEvent) {
        if let Some(observer) = self {
            observer.network(at, segment, event);
        }
    }
}

/// Hands the events of one endpoint on to a run's observer.
pub(crate) struct Tap<'a, O> {
    pub observer: &'a mut O,
    pub who: Who,
}

impl<O: Observer> ackclock_tcp::Observer for Tap<'_, O> {
    const ACTIVE: bool = O::ACTIVE;

    #[inline(always)]
    fn event(&mut self, now: Nanos, event: Event<'_>) {
        self.observer.endpoint(now, self.who, event);
    }
}
