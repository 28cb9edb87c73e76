//! The numbers that identify a run's links, flows, connections and their ends.

use ackclock_app::Side;

/// A link of a network, in the order in which the links were added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LinkId(pub u32);

/// A flow, in the order of the scenario; each copy counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FlowId(pub u32);

impl FlowId {
    /// Returns the flow's index in a list of all flows.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The slot of an open connection. Slots of closed connections are reused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Slot(pub u32);

/// An end of the connection in a slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct EndpointId(u32);

impl EndpointId {
    /// Returns the end of the connection in `slot` on this side.
    #[inline]
    pub fn new(slot: Slot, side: Side) -> EndpointId {
        EndpointId(joined(slot.0, side))
    }

    /// Returns the endpoint with a number.
    #[inline]
    pub const fn of_number(number: u32) -> EndpointId {
        EndpointId(number)
    }

    /// Returns the number: twice the connection's slot, plus one for the sink.
    #[inline]
    pub fn number(self) -> u32 {
        self.0
    }

    /// Returns the slot of the connection.
    #[inline]
    pub fn slot(self) -> Slot {
        Slot(self.0 / 2)
    }

    /// Returns the side.
    #[inline]
    pub fn side(self) -> Side {
        side(self.0)
    }

    /// Returns the other end of the connection.
    #[inline]
    pub fn peer(self) -> EndpointId {
        EndpointId(self.0 ^ 1)
    }
}

/// The end of a flow that receives a datagram.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FlowEnd {
    /// The flow.
    pub flow: FlowId,
    /// The side.
    pub side: Side,
}

impl FlowEnd {
    /// Returns the end with a number.
    #[inline]
    pub(crate) fn of_number(number: u32) -> FlowEnd {
        FlowEnd { flow: FlowId(number / 2), side: side(number) }
    }

    /// Returns the number: twice the flow's number, plus one for the sink.
    #[inline]
    pub(crate) fn number(self) -> u32 {
        joined(self.flow.0, self.side)
    }
}

/// The receiver of a packet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Receiver {
    /// A segment is for an end of a connection.
    Endpoint(EndpointId),
    /// A datagram is for an end of a flow.
    Flow(FlowEnd),
}

#[inline]
fn joined(number: u32, side: Side) -> u32 {
    2 * number + side as u32
}

#[inline]
fn side(number: u32) -> Side {
    if number & 1 == 0 { Side::Source } else { Side::Sink }
}
