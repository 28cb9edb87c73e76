//! Hosts with segmentation offload: large packets, what a network card collects, and the queue of the host itself.

use super::World;
use super::flow::Wake;
use crate::endpoint::{Contents, Endpoint};
use crate::ids::{EndpointId, FlowId};
use crate::network::{Left, Network, Notice};
use crate::observe::{Observer, Tap, Who};
use crate::packet::Address;

impl<O: Observer<E::Packet>, E: Endpoint> World<O, E> {
    /// Tells a host what the network has to tell of its packets.
    #[cold]
    #[inline(never)]
    pub(super) fn on_notice(&mut self, notice: Notice) {
        match notice {
            Notice::Left(left) => self.on_left_host(left),
            Notice::TooLarge(dropped) => self.answer_too_large(dropped),
        }
    }

    /// Tells an endpoint that a packet has left the queue of its host.
    fn on_left_host(&mut self, Left { endpoint, generation, payload }: Left) {
        let sender = self.connections.get(endpoint.slot());
        let Some(connection) = sender.filter(|connection| connection.generation == generation) else { return };
        connection.ends[endpoint.side() as usize].left_host(payload);
        self.transmit(endpoint);
    }

    /// Adds a packet to those that a host's network card has collected for an endpoint, and merges it with the one
    /// before if possible.
    #[inline(never)]
    pub(super) fn collect(&mut self, endpoint: EndpointId, generation: u16, contents: E::Packet) {
        let Some(connection) = self.connections.get(endpoint.slot()) else { return };
        let flow = connection.flow;
        let state = &mut self.flows[flow.index()];
        let Some(interval) = state.offload.collects else { return };
        let collected = state.collected.entry((endpoint, generation)).or_default();
        let is_first = collected.is_empty();
        if !collected.last_mut().is_some_and(|last| last.merge(&contents)) {
            collected.push(contents);
        }
        if is_first {
            self.wake_at(flow, self.now.saturating_add(interval), Wake::Collected(endpoint, generation));
        }
    }

    /// Delivers the packets that a host's network card has collected for an endpoint.
    pub(super) fn on_collected(&mut self, flow: FlowId, endpoint: EndpointId, generation: u16) {
        let collected = self.flows[flow.index()].collected.remove(&(endpoint, generation)).unwrap_or_default();
        for contents in collected {
            let receiver = self.connections.get(endpoint.slot());
            let Some(connection) = receiver.filter(|connection| connection.generation == generation) else { return };
            let who = Who { flow, conn: connection.conn, side: endpoint.side() };
            let mut tap = Tap { observer: &mut self.observer, who };
            let progress = connection.ends[who.side as usize].deliver(self.now, &contents, &mut tap);
            self.follow_up(flow, endpoint, progress);
        }
    }
}

/// Sends the packets of an endpoint, of which the network gets as many as possible in one.
#[inline(never)]
pub(super) fn transmit_large<O: Observer<E::Packet>, E: Endpoint>(
    network: &mut Network<E::Packet>,
    end: &mut E,
    address: Address,
    tap: &mut Tap<'_, O>,
) {
    let mut large: Option<E::Packet> = None;
    loop {
        let next = end.transmit(address.sent, tap);
        let merges = |large: &mut E::Packet| next.as_ref().is_some_and(|contents| large.merge(contents));
        if large.as_mut().is_some_and(merges) {
            continue;
        }
        let ends = next.is_none();
        if let Some(whole) = std::mem::replace(&mut large, next) {
            network.send(&whole, address, tap.observer);
        }
        if ends {
            return;
        }
    }
}
