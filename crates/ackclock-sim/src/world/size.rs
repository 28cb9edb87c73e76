//! Segments that are too large for a link, and what routers tell their senders (RFC 1191).

use super::World;
use super::flow::{Message, Wake};
use crate::endpoint::{Endpoint, Progress};
use crate::ids::FlowId;
use crate::network::TooLarge;
use crate::observe::{Observer, Tap, Who};

impl<O: Observer<E::Packet>, E: Endpoint> World<O, E> {
    /// Sends the message about a segment that a link has dropped to its sender. The message takes as long as the segment
    /// took to the link.
    pub(super) fn answer_too_large(&mut self, TooLarge { endpoint, generation, mtu, seq, took }: TooLarge) {
        let Some(connection) = self.connections.get(endpoint.slot()) else { return };
        let flow = connection.flow;
        let message = Message { endpoint, generation, mtu, seq };
        self.wake_at(flow, self.now.saturating_add(took), Wake::TooLarge(message));
    }

    /// Handles a message about a segment that was too large. Later connections over the same route know the MTU.
    pub(super) fn on_too_large(&mut self, flow: FlowId, Message { endpoint, generation, mtu, seq }: Message) {
        let Some(connection) = self.connections.get(endpoint.slot()) else { return };
        if connection.generation != generation {
            return;
        }
        let side = endpoint.side();
        let (stage, conn) = (connection.stages[side as usize], connection.conn);
        let mut tap = Tap { observer: &mut self.observer, who: Who { flow, conn, side } };
        connection.ends[side as usize].on_too_large(self.now, (mtu, seq), &mut tap);
        let known = self.flows[flow.index()].path_mtus.entry(stage).or_insert(mtu);
        *known = mtu.min(*known);
        self.follow_up(flow, endpoint, Progress::default());
    }
}
