//! The beginning and the end of connections.

use ackclock_app::{Conn, Side};

use super::World;
use super::connection::{About, Connection};
use super::flow::Offload;
use crate::endpoint::Endpoint;
use crate::event::Key;
use crate::ids::{EndpointId, FlowId, Slot};
use crate::observe::{Observer, Who};

impl<O: Observer<E::Packet>, E: Endpoint> World<O, E> {
    pub(super) fn open(&mut self, flow: FlowId, conn: Conn, opener: Side, pair: u32) {
        if self.is_multipath(flow) {
            return self.open_transfer(flow, conn, opener);
        }
        let pair = pair % self.flows[flow.index()].stages.len() as u32;
        self.begin(self.about(flow, conn, pair), opener, pair);
        if E::opens_at_once(&self.flows[flow.index()].config) {
            for side in [opener, opener.peer()] {
                self.call(flow, |app, ctx| app.on_connected(ctx, conn, side));
            }
        }
    }

    /// Returns the properties of a connection between a pair of hosts.
    pub(super) fn about(&self, flow: FlowId, conn: Conn, pair: u32) -> About {
        let state = &self.flows[flow.index()];
        let stages = state.stages[pair as usize];
        let Offload { sends_large: [source, sink], collects, .. } = state.offload;
        let [source_tells, sink_tells] = [Side::Source, Side::Sink]
            .map(|side| u8::from(state.readers[side as usize].is_some() || state.app().listens()));
        let tells = (source_tells | sink_tells << 1) * Connection::<E>::TELLS;
        let offload = u8::from(source) | u8::from(sink) << 1 | u8::from(collects.is_some()) << 2 | tells;
        About { flow, conn, class: state.class, measured: state.delays.is_some(), offload, stages }
    }

    /// Creates a connection between a pair of hosts and has `opener` open it. Returns its slot.
    pub(super) fn begin(&mut self, about: About, opener: Side, pair: u32) -> Slot {
        let About { flow, conn, stages, .. } = about;
        let state = &mut self.flows[flow.index()];
        let mut random = state.stream_of(self.seed, conn);
        let watches = state.offload.host_queues;
        let (slot, generation) = self.connections.insert(about, &mut state.slots, &state.config, &mut random);
        let mtu = state.mtu;
        let known = stages.map(|stage| state.path_mtus.get(&stage).copied());
        let ends = self.connections.get(slot).into_iter().flat_map(|connection| &mut connection.ends);
        for (end, mtu) in ends.zip(mtu.into_iter().cycle()) {
            end.change_path_mtu(mtu);
        }
        let ends = self.connections.get(slot).into_iter().flat_map(|connection| &mut connection.ends);
        for (end, known) in ends.zip(known) {
            known.into_iter().for_each(|mtu| end.know_path_mtu(mtu));
        }
        let ends = self.connections.get(slot).into_iter().flat_map(|connection| &mut connection.ends);
        for (end, _) in ends.zip(watches).filter(|(_, watches)| *watches) {
            end.watch_host_queue();
        }
        self.flows[flow.index()].open.insert(conn, slot);
        self.network.opened(slot, generation, conn.0);
        self.network
            .events
            .reserve(self.source(EndpointId::new(Slot(self.connections.slots() as u32), Side::Source)) as usize);
        for side in [Side::Source, Side::Sink] {
            self.observer.opened(EndpointId::new(slot, side), generation, Who { flow, conn, side }, pair);
        }
        if E::opens_at_once(&self.flows[flow.index()].config) {
            for side in [opener, opener.peer()] {
                self.act(flow, conn, side, |end, now| end.connect(now));
            }
            return slot;
        }
        self.act(flow, conn, opener.peer(), |end, _| end.listen());
        self.act(flow, conn, opener, |end, now| end.connect(now));
        slot
    }

    /// Frees the slot of a closed connection.
    pub(super) fn retire(&mut self, slot: Slot) {
        let Some(connection) = self.connections.remove(slot) else { return };
        self.network.closed(slot);
        for side in [Side::Source, Side::Sink] {
            self.network.events.set(self.source(EndpointId::new(slot, side)), Key::NEVER);
        }
        let flow = &mut self.flows[connection.flow.index()];
        flow.finished.add(&connection.ends[0], &connection.ends[1], self.now);
        flow.open.remove(&connection.conn);
        self.connections.free(slot, connection.generation, &mut flow.slots, flow.open.is_empty());
        if connection.is_subflow() {
            return self.retire_subflow(&connection);
        }
        self.read_rest(&connection);
        self.call(connection.flow, |app, ctx| app.on_closed(ctx, connection.conn));
    }
}
