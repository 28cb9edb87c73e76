//! Applications of a world: they are told of the progress of their connections, and their requests are carried out.

use ackclock_app::{AppContext, Application, Command, Conn, Side};
use ackclock_core::{Ecn, Nanos};

use super::World;
use super::flow::Wake;
use crate::endpoint::{Endpoint, Progress};
use crate::ids::{EndpointId, FlowEnd, FlowId};
use crate::observe::{NetworkEvent, Observer};
use crate::packet::Packet;

impl<O: Observer<E::Packet>, E: Endpoint> World<O, E> {
    /// Completes a call to an endpoint: the application is told of the progress, its requests are carried out, and the
    /// endpoint's packets are sent. In this order an answer carries the acknowledgment of the request.
    #[inline]
    pub(super) fn follow_up(&mut self, flow: FlowId, endpoint: EndpointId, progress: Progress) {
        // Applications are not told of acknowledgments, the most frequent events.
        let quiet = progress.is_empty() || progress == Progress::ACKED;
        if !(quiet || progress == Progress::RECEIVED && self.reads(endpoint)) {
            self.tell(endpoint, progress);
        }
        self.transmit(endpoint);
        // The connection may have ended with the packets that were sent, and its application may have reacted.
        if !self.commands.is_empty() {
            self.carry_out(flow);
        }
    }

    /// Reads the data that arrived at an endpoint, unless its flow has to be told. Returns whether the data was read.
    #[inline]
    fn reads(&mut self, endpoint: EndpointId) -> bool {
        let Some(connection) = self.connections.get(endpoint.slot()) else { return true };
        let side = endpoint.side();
        if !connection.reads_silently(side) {
            return false;
        }
        let end = &mut connection.ends[side as usize];
        let bytes = end.received() - connection.read[side as usize];
        if bytes > 0 {
            end.read(self.now, bytes);
            connection.read[side as usize] += bytes;
            if side == Side::Sink {
                self.observer.delivered(self.now, connection.flow, bytes);
            }
        }
        true
    }

    fn tell(&mut self, endpoint: EndpointId, progress: Progress) {
        let Some(connection) = self.connections.get(endpoint.slot()) else { return };
        let (flow, conn, side) = (connection.flow, connection.conn, endpoint.side());
        connection.closing |= progress.has(Progress::PEER_CLOSED) || progress.has(Progress::CLOSED);
        if connection.is_subflow() {
            return self.tell_of_subflow(endpoint, progress);
        }
        if self.flows[flow.index()].readers[side as usize].is_some() {
            return self.tell_slowly(endpoint, progress);
        }
        let end = &mut connection.ends[side as usize];
        let read = &mut connection.read[side as usize];
        let (received, in_streams) = (end.received(), end.received_in_streams());
        if received > *read {
            let bytes = received - *read;
            end.read(self.now, bytes);
            *read = received;
            if side == Side::Sink {
                self.observer.delivered(self.now, flow, bytes);
            }
        }
        if progress.has(Progress::CONNECTED) {
            self.call(flow, |app, ctx| app.on_connected(ctx, conn, side));
        }
        if progress.has(Progress::RECEIVED) {
            let total = received - in_streams;
            self.call(flow, |app, ctx| app.on_received(ctx, conn, side, total));
        }
        if progress.has(Progress::STREAMS) {
            self.tell_of_streams(endpoint);
        }
        if progress.has(Progress::PEER_CLOSED) {
            self.call(flow, |app, ctx| app.on_peer_closed(ctx, conn, side));
        }
        if !self.commands.is_empty() {
            self.carry_out(flow);
        }
    }

    /// Tells an application of the events of unidirectional streams at an end.
    #[cold]
    fn tell_of_streams(&mut self, endpoint: EndpointId) {
        let side = endpoint.side();
        while let Some(connection) = self.connections.get(endpoint.slot()) {
            let (flow, conn) = (connection.flow, connection.conn);
            let Some((stream, event)) = connection.ends[side as usize].stream_event() else { return };
            self.call(flow, |app, ctx| app.on_stream(ctx, conn, side, stream, event));
        }
    }

    pub(super) fn call(&mut self, flow: FlowId, callback: impl FnOnce(&mut dyn Application, &mut AppContext<'_>)) {
        self.flows[flow.index()].call(self.now, &mut self.commands, callback);
    }

    /// Carries out the requests of the application of `flow`, including requests that it makes meanwhile.
    pub(super) fn carry_out(&mut self, flow: FlowId) {
        let mut done = 0;
        while let Some(command) = self.commands.get(done).copied() {
            done += 1;
            match command {
                Command::Open { conn, opener, pair } => self.open(flow, conn, opener, pair),
                Command::Timer { at, token } => self.wake_at(flow, at, Wake::Timer(token)),
                Command::Send { side, number, len, ecn } => self.send_datagram(flow, side, (number, len, ecn)),
                about_data if self.is_multipath(flow) => self.change_transfer(flow, about_data),
                Command::Write { conn, side, bytes } => {
                    self.act(flow, conn, side, |end, now| end.write(now, bytes));
                }
                Command::Close { conn, side } => {
                    self.act(flow, conn, side, |end, now| end.close(now));
                }
                Command::OpenStream { conn, side, priority } => {
                    self.act(flow, conn, side, |end, now| end.open_stream(now, priority));
                }
                Command::WriteStream { conn, side, stream, bytes } => {
                    self.act(flow, conn, side, |end, now| end.write_stream(now, stream, bytes));
                }
                Command::FinishStream { conn, side, stream } => {
                    self.act(flow, conn, side, |end, now| end.finish_stream(now, stream));
                }
                Command::ResetStream { conn, side, stream, code } => {
                    self.act(flow, conn, side, |end, now| end.reset_stream(now, stream, code));
                }
                Command::Withdraw { conn, side } => self.act(flow, conn, side, |end, _| end.withdraw()),
                Command::Stop { conn, side } => self.act(flow, conn, side, |end, now| {
                    end.withdraw();
                    end.close(now);
                }),
            }
        }
        self.commands.clear();
    }

    fn send_datagram(&mut self, flow: FlowId, side: Side, (number, len, ecn): (u64, u32, Ecn)) {
        let state = &self.flows[flow.index()];
        let to = FlowEnd { flow, side: side.peer() };
        let stage = state.stages[0][side as usize];
        let packet = Packet::datagram((number, len, ecn), to, state.class, stage, self.now);
        self.observer.network(self.now, None, NetworkEvent::Datagram { packet });
        self.network.forward(self.now, packet, &mut self.observer);
    }

    /// Applies an action to an end of an open connection; a closed connection ignores actions.
    pub(super) fn act(&mut self, flow: FlowId, conn: Conn, side: Side, action: impl FnOnce(&mut E, Nanos)) {
        let Some(&slot) = self.flows[flow.index()].open.get(&conn) else { return };
        let Some(connection) = self.connections.get(slot) else { return };
        action(&mut connection.ends[side as usize], self.now);
        self.transmit(EndpointId::new(slot, side));
    }

    pub(super) fn wake_at(&mut self, flow: FlowId, at: Nanos, wake: Wake) {
        let source = self.network.sources() + flow.0;
        let key = self.network.events.stamp(at, source);
        let state = &mut self.flows[flow.index()];
        state.wake_at(key, wake);
        self.network.events.set(source, state.next_wake());
    }
}
