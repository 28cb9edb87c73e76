//! Sending of the packets of an endpoint, and its timer.

use ackclock_core::Nanos;

use super::World;
use super::connection::Connection;
use super::offload::transmit_large;
use crate::endpoint::Endpoint;
use crate::ids::EndpointId;
use crate::observe::{Observer, Tap, Who};
use crate::packet::Address;

impl<O: Observer<E::Packet>, E: Endpoint> World<O, E> {
    /// Sends the packets of an endpoint and updates its timer. This is the last step after every call to the endpoint.
    #[inline]
    pub(super) fn transmit(&mut self, endpoint: EndpointId) {
        let side = endpoint.side();
        let Some(connection) = self.connections.get(endpoint.slot()) else { return };
        if connection.sends_specially(side) {
            return self.transmit_specially(endpoint);
        }
        if !connection.ends[side as usize].is_silent() {
            self.transmit_packets(endpoint);
        }
        let source = self.source(endpoint);
        let Some(connection) = self.connections.get(endpoint.slot()) else { return };
        // A timer that moved to a later time keeps its event; when the event comes, a new one is created.
        let due = connection.ends[side as usize].deadline();
        if due < connection.armed[side as usize] {
            connection.armed[side as usize] = due;
            let key = self.network.events.stamp(due.max(self.now), source);
            self.network.events.set(source, key);
        }
        if connection.is_over() {
            self.retire(endpoint.slot());
        }
    }

    /// Returns the address of the packets that an endpoint sends now, and who it is.
    #[inline(always)]
    fn address_of(connection: &Connection<E>, endpoint: EndpointId, sent: Nanos) -> (Address, Who) {
        let side = endpoint.side();
        let stage = connection.stages[side as usize];
        let Connection { generation, class, .. } = *connection;
        let address = Address { to: endpoint.peer(), generation, class, stage, sent };
        (address, Who { flow: connection.flow, conn: connection.conn, side })
    }

    /// Sends the packets of an endpoint.
    #[inline(never)]
    fn transmit_packets(&mut self, endpoint: EndpointId) {
        let Some(connection) = self.connections.get(endpoint.slot()) else { return };
        let (address, who) = Self::address_of(connection, endpoint, self.now);
        let end = &mut connection.ends[who.side as usize];
        let mut tap = Tap { observer: &mut self.observer, who };
        loop {
            // Two calls, so that plain packets stay in registers.
            if end.sends_plainly() {
                let Some(contents) = end.transmit_plain(self.now, &mut tap) else { break };
                self.network.send(&contents, address, tap.observer);
            } else {
                let Some(contents) = end.transmit_other(self.now, &mut tap) else { break };
                self.network.send_other(&contents, address, tap.observer);
            }
            if end.is_silent() {
                break;
            }
        }
    }

    /// Sends the packets of an endpoint that sends large ones, or of an end of a subflow.
    #[inline(never)]
    fn transmit_specially(&mut self, endpoint: EndpointId) {
        let Some(connection) = self.connections.get(endpoint.slot()) else { return };
        let (address, who) = Self::address_of(connection, endpoint, self.now);
        if connection.is_subflow() {
            self.deal(endpoint, address, who);
        } else {
            let end = &mut connection.ends[who.side as usize];
            transmit_large(&mut self.network, end, address, &mut Tap { observer: &mut self.observer, who });
        }
        self.settle(endpoint);
    }

    /// Updates the timer of an endpoint that has sent its packets, and ends its connection if that is over.
    #[inline(never)]
    fn settle(&mut self, endpoint: EndpointId) {
        let source = self.source(endpoint);
        let Some(connection) = self.connections.get(endpoint.slot()) else { return };
        let side = endpoint.side() as usize;
        let due = connection.ends[side].deadline();
        let is_over = connection.is_over();
        if due < connection.armed[side] {
            connection.armed[side] = due;
            let key = self.network.events.stamp(due.max(self.now), source);
            self.network.events.set(source, key);
        }
        if is_over {
            self.retire(endpoint.slot());
        }
    }
}
