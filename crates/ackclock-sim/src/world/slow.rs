//! Applications that do not read at once what has arrived.

use ackclock_app::{Conn, Side};

use super::World;
use super::connection::Connection;
use super::flow::Wake;
use crate::endpoint::{Endpoint, Progress};
use crate::ids::{EndpointId, FlowId};
use crate::observe::Observer;

impl<O: Observer<E::Packet>, E: Endpoint> World<O, E> {
    /// Changes the routes of a flow: the packets that its hosts send from now on take the new ones.
    #[cold]
    pub(super) fn reroute(&mut self, flow: FlowId, change: usize) {
        let state = &mut self.flows[flow.index()];
        let (new, mtu) = state.changes[change].clone();
        let old = std::mem::replace(&mut state.stages, new);
        state.mtu = mtu.or(state.mtu);
        for slot in state.open.values() {
            let Some(connection) = self.connections.get(*slot) else { continue };
            let pair = old.iter().position(|stages| *stages == connection.stages).expect("a connection has a pair");
            connection.stages = state.stages[pair];
            for (end, mtu) in connection.ends.iter_mut().zip(mtu.into_iter().cycle()) {
                end.change_path_mtu(mtu);
            }
        }
        self.observer.rerouted(flow);
    }

    /// Tells an application that reads slowly of progress: of data only when it reads, and of the end of the stream after
    /// its last read.
    pub(super) fn tell_slowly(&mut self, endpoint: EndpointId, progress: Progress) {
        let Some(connection) = self.connections.get(endpoint.slot()) else { return };
        let (flow, conn, side) = (connection.flow, connection.conn, endpoint.side());
        let received = connection.ends[side as usize].received();
        let reads = self.flows[flow.index()].reads.entry((conn, side)).or_default();
        reads.arrived = received;
        reads.ended |= progress.has(Progress::PEER_CLOSED);
        if progress.has(Progress::CONNECTED) {
            self.call(flow, |app, ctx| app.on_connected(ctx, conn, side));
        }
        self.read(endpoint);
        self.carry_out(flow);
    }

    /// Handles the time of a read.
    pub(super) fn on_read_due(&mut self, flow: FlowId, conn: Conn, side: Side) {
        let state = &mut self.flows[flow.index()];
        let Some(&slot) = state.open.get(&conn) else { return };
        if let Some(reads) = state.reads.get_mut(&(conn, side)) {
            reads.waits = false;
        }
        let endpoint = EndpointId::new(slot, side);
        self.read(endpoint);
        self.transmit(endpoint);
    }

    /// Reads what the application at an end reads now.
    fn read(&mut self, endpoint: EndpointId) {
        let side = endpoint.side();
        loop {
            let Some(connection) = self.connections.get(endpoint.slot()) else { return };
            let (flow, conn) = (connection.flow, connection.conn);
            let state = &mut self.flows[flow.index()];
            let (Some(reader), Some(reads)) = (&state.readers[side as usize], state.reads.get_mut(&(conn, side)))
            else {
                return;
            };
            let read = &mut connection.read[side as usize];
            let unread = reads.arrived - *read;
            if unread == 0 {
                if std::mem::take(&mut reads.ended) {
                    self.call(flow, |app, ctx| app.on_peer_closed(ctx, conn, side));
                }
                return;
            }
            let at = reader.time(reads, self.now);
            if at > self.now {
                if !std::mem::replace(&mut reads.waits, true) {
                    self.wake_at(flow, at, Wake::Read(conn, side));
                }
                return;
            }
            let bytes = unread.min(reader.step);
            reader.on_read(reads, self.now, bytes);
            *read += bytes;
            let total = *read;
            connection.ends[side as usize].read(self.now, bytes);
            if side == Side::Sink {
                self.observer.delivered(self.now, flow, bytes);
            }
            self.call(flow, |app, ctx| app.on_received(ctx, conn, side, total));
        }
    }

    /// Lets applications read what is left of a connection that is closed at both ends.
    pub(super) fn read_rest(&mut self, connection: &Connection<E>) {
        let (flow, conn) = (connection.flow, connection.conn);
        for side in [Side::Source, Side::Sink] {
            let Some(reads) = self.flows[flow.index()].reads.remove(&(conn, side)) else { continue };
            let left = reads.arrived - connection.read[side as usize];
            if left > 0 && side == Side::Sink {
                self.observer.delivered(self.now, flow, left);
            }
            if left > 0 {
                self.call(flow, |app, ctx| app.on_received(ctx, conn, side, reads.arrived));
            }
            if reads.ended {
                self.call(flow, |app, ctx| app.on_peer_closed(ctx, conn, side));
            }
        }
    }
}
