//! Transfers over several paths: one connection of an application has a subflow on each path, a connection of TCP.
//!
//! The first path has the handshake; the other subflows are opened when it is complete. New data goes to the subflow with
//! the smallest smoothed RTT of those whose windows have room. A subflow takes data when it sends it, so that no data
//! waits in a subflow. The data-level state is in [`Bundle`].

use super::World;
use super::connection::{About, Connection};
use super::flow::Flow;
use super::offload::transmit_large;
use super::transfers::Transfer;
use crate::bundle::Bundle;
use crate::endpoint::{Endpoint, Progress};
use crate::ids::{EndpointId, FlowId, Slot};
use crate::measures::push_path;
use crate::observe::{Observer, Tap, Who};
use crate::packet::Address;
use ackclock_app::{Command, Conn, Side};
use ackclock_core::Nanos;
use ackclock_results::Tables;
use ackclock_tcp::Push;

impl<O: Observer<E::Packet>, E: Endpoint> World<O, E> {
    /// Whether a flow has several paths.
    pub(super) fn is_multipath(&self, flow: FlowId) -> bool {
        self.flows[flow.index()].paths.is_some()
    }

    /// Opens a connection of an application: its first subflow, or all subflows if there is no handshake.
    pub(super) fn open_transfer(&mut self, flow: FlowId, conn: Conn, opener: Side) {
        let state = &mut self.flows[flow.index()];
        let Some(paths) = &state.paths else { return };
        let count = paths.names.len();
        let bundle = Bundle::new(count, paths.window);
        let transfer = Transfer {
            opener,
            subflows: vec![None; count],
            is_joined: false,
            data: [bundle.clone(), bundle],
            connected: [false; 2],
            peer_closed: [false; 2],
            finished: [false; 2],
        };
        state.multipath.transfers.insert(conn, transfer);
        if !E::opens_at_once(&state.config) {
            return self.open_subflow(flow, conn, 0);
        }
        for path in 0..count {
            self.open_subflow(flow, conn, path);
        }
        for side in [opener, opener.peer()] {
            self.on_subflow_connected(flow, conn, side);
        }
    }

    fn open_subflow(&mut self, flow: FlowId, conn: Conn, path: usize) {
        let count = self.flows[flow.index()].stages.len();
        let subflow = Conn(conn.0 * count as u32 + path as u32);
        let about = self.about(flow, subflow, path as u32);
        let Some(transfer) = self.transfer(flow, conn) else { return };
        let opener = transfer.opener;
        let about = About { offload: about.offload | Connection::<E>::SUBFLOW, ..about };
        let slot = self.begin(about, opener, path as u32);
        if let Some(transfer) = self.transfer(flow, conn) {
            transfer.subflows[path] = Some(slot);
        }
    }

    /// Opens the subflows on all paths that have none.
    fn join(&mut self, flow: FlowId, conn: Conn) {
        let Some(transfer) = self.transfer(flow, conn) else { return };
        if std::mem::replace(&mut transfer.is_joined, true) {
            return;
        }
        let count = transfer.subflows.len();
        for path in 0..count {
            let lacks = self.transfer(flow, conn).is_some_and(|transfer| transfer.subflows[path].is_none());
            if lacks {
                self.open_subflow(flow, conn, path);
            }
        }
    }

    fn transfer(&mut self, flow: FlowId, conn: Conn) -> Option<&mut Transfer> {
        self.flows[flow.index()].multipath.transfers.get_mut(&conn)
    }

    /// Returns the connection of the application to which a subflow belongs, and the number of its path.
    fn transfer_of(&self, flow: FlowId, subflow: Conn) -> (Conn, usize) {
        let count = self.flows[flow.index()].stages.len() as u32;
        (Conn(subflow.0 / count), (subflow.0 % count) as usize)
    }

    /// Carries out a request of an application about a connection over several paths.
    pub(super) fn change_transfer(&mut self, flow: FlowId, command: Command) {
        match command {
            Command::Write { conn, side, bytes } => self.change_data(flow, conn, side, |data| data.write(bytes)),
            Command::Withdraw { conn, side } => self.change_data(flow, conn, side, Bundle::withdraw),
            Command::Close { conn, side } => self.change_data(flow, conn, side, Bundle::close),
            Command::Stop { conn, side } => self.change_data(flow, conn, side, |data| {
                data.withdraw();
                data.close();
            }),
            // Not about a connection, or about streams, which TCP does not have.
            Command::Open { .. }
            | Command::Timer { .. }
            | Command::Send { .. }
            | Command::OpenStream { .. }
            | Command::WriteStream { .. }
            | Command::FinishStream { .. }
            | Command::ResetStream { .. } => {}
        }
    }

    fn change_data(&mut self, flow: FlowId, conn: Conn, side: Side, change: impl FnOnce(&mut Bundle)) {
        let Some(transfer) = self.transfer(flow, conn) else { return };
        change(&mut transfer.data[side as usize]);
        self.deal_to_all(flow, conn, side);
        self.finish(flow, conn, side);
    }

    /// Handles a packet that arrives at an end of a subflow, before its TCP does.
    fn arrive_at_subflow(&mut self, endpoint: EndpointId, sent: Nanos) {
        let Some((flow, conn, path, side)) = self.place_of(endpoint) else { return };
        if let Some(transfer) = self.transfer(flow, conn) {
            let data = &mut transfer.data[side as usize];
            let waits = data.waits_for_window();
            if data.on_segment(sent) {
                if waits {
                    self.deal_to_all(flow, conn, side);
                }
                self.finish(flow, conn, side);
            }
        }
        self.couple(flow, conn, path, side);
    }

    fn place_of(&mut self, endpoint: EndpointId) -> Option<(FlowId, Conn, usize, Side)> {
        let connection = self.connections.get(endpoint.slot())?;
        let (flow, subflow) = (connection.flow, connection.conn);
        let (conn, path) = self.transfer_of(flow, subflow);
        Some((flow, conn, path, endpoint.side()))
    }

    /// Tells the congestion control of a subflow of the others.
    fn couple(&mut self, flow: FlowId, conn: Conn, path: usize, side: Side) {
        let Some(transfer) = self.flows[flow.index()].multipath.transfers.get(&conn) else { return };
        let own = transfer.subflows[path];
        let tcp = own.and_then(|slot| self.connections.peek(slot)?.ends[side as usize].as_tcp());
        if !tcp.is_some_and(ackclock_tcp::Endpoint::is_coupled) {
            return;
        }
        let mut others = std::mem::take(&mut self.siblings);
        others.clear();
        let slots = transfer.subflows.iter().flatten().filter(|slot| Some(**slot) != own);
        others
            .extend(slots.filter_map(|slot| self.connections.peek(*slot)?.ends[side as usize].as_tcp()?.as_sibling()));
        if let Some(tcp) = own.and_then(|slot| self.connections.get(slot)?.ends[side as usize].as_tcp_mut()) {
            tcp.couple(&others);
        }
        self.siblings = others;
    }

    /// Handles the progress of an end of a subflow.
    pub(super) fn tell_of_subflow(&mut self, endpoint: EndpointId, progress: Progress) {
        let Some((flow, conn, path, side)) = self.place_of(endpoint) else { return };
        let now = self.now;
        let Some(connection) = self.connections.get(endpoint.slot()) else { return };
        let end = &mut connection.ends[side as usize];
        let read = &mut connection.read[side as usize];
        let (from, to) = (*read, end.received());
        if to > from {
            end.read(now, to - from);
            *read = to;
        }
        if progress.has(Progress::CONNECTED) {
            self.on_subflow_connected(flow, conn, side);
        }
        let Some(transfer) = self.transfer(flow, conn) else { return };
        let data = &mut transfer.data[side.peer() as usize];
        let before = data.arrived();
        if to > from && data.arrive(now, path, from..to) {
            let total = data.arrived();
            if side == Side::Sink {
                self.flows[flow.index()].multipath.delivered += total - before;
                self.observer.delivered(now, flow, total - before);
            }
            self.call(flow, |app, ctx| app.on_received(ctx, conn, side, total));
        }
        // A subflow is closed when all data has been acknowledged, so that the first FIN ends the data.
        if progress.has(Progress::PEER_CLOSED)
            && let Some(transfer) = self.transfer(flow, conn)
            && !std::mem::replace(&mut transfer.peer_closed[side as usize], true)
        {
            self.call(flow, |app, ctx| app.on_peer_closed(ctx, conn, side));
        }
        self.carry_out(flow);
    }

    fn on_subflow_connected(&mut self, flow: FlowId, conn: Conn, side: Side) {
        let Some(transfer) = self.transfer(flow, conn) else { return };
        let opener = transfer.opener;
        if std::mem::replace(&mut transfer.connected[side as usize], true) {
            return;
        }
        if side == opener {
            self.join(flow, conn);
        }
        self.call(flow, |app, ctx| app.on_connected(ctx, conn, side));
    }

    /// Offers data to all subflows, first to that with the smallest RTT.
    fn deal_to_all(&mut self, flow: FlowId, conn: Conn, side: Side) {
        let Some(transfer) = self.flows[flow.index()].multipath.transfers.get(&conn) else { return };
        let rtt = |slot: Slot| self.connections.peek(slot)?.ends[side as usize].as_tcp()?.srtt();
        let mut order: Vec<_> = transfer
            .subflows
            .iter()
            .flatten()
            .enumerate()
            .map(|(path, slot)| (rtt(*slot).unwrap_or(Nanos::MAX), path, *slot))
            .collect();
        order.sort_unstable();
        for (_, _, slot) in order {
            self.transmit(EndpointId::new(slot, side));
        }
    }

    /// Sends the packets of an end of a subflow, which is first offered data.
    pub(super) fn deal(&mut self, endpoint: EndpointId, address: Address, who: Who) {
        let Some((flow, conn, path, side)) = self.place_of(endpoint) else { return };
        let now = self.now;
        let Some(tcp) = self.tcp(endpoint) else { return };
        let (acked, timeouts, sends) = (tcp.acked(), tcp.stats().timeouts, tcp.sends_data());
        let Some(transfer) = self.transfer(flow, conn) else { return self.flush(endpoint, address, who) };
        let lost = transfer.data[side as usize].note_sender(path, acked, timeouts);
        // After the last flush no data is withdrawn that the pacer holds back, so that the timer of the pacer is known.
        let mut is_flushed = false;
        while let Some(transfer) = self.transfer(flow, conn).filter(|_| sends) {
            let Some(offer) = transfer.data[side as usize].offer(path) else { break };
            let len = offer.data.end - offer.data.start;
            let Some(tcp) = self.tcp(endpoint) else { return };
            let before = tcp.written();
            tcp.write_with(now, len, if offer.ends { Push::Now } else { Push::More });
            self.flush(endpoint, address, who);
            is_flushed = true;
            let Some(tcp) = self.tcp(endpoint) else { return };
            tcp.withdraw();
            let taken = tcp.written() - before;
            if let Some(transfer) = self.transfer(flow, conn) {
                transfer.data[side as usize].take(path, before, &offer, taken);
            }
            if taken < len {
                break;
            }
        }
        if !is_flushed {
            self.flush(endpoint, address, who);
        }
        if lost {
            self.deal_to_others(flow, conn, path, side);
        }
    }

    /// Offers data to the other subflows.
    fn deal_to_others(&mut self, flow: FlowId, conn: Conn, path: usize, side: Side) {
        let Some(transfer) = self.transfer(flow, conn) else { return };
        let slots: Vec<_> = transfer.subflows.iter().enumerate().filter(|(other, _)| *other != path).collect();
        let slots: Vec<Slot> = slots.into_iter().filter_map(|(_, slot)| *slot).collect();
        for slot in slots {
            self.transmit(EndpointId::new(slot, side));
        }
    }

    fn tcp(&mut self, endpoint: EndpointId) -> Option<&mut ackclock_tcp::Endpoint> {
        self.connections.get(endpoint.slot())?.ends[endpoint.side() as usize].as_tcp_mut()
    }

    /// Sends all packets that an endpoint has.
    fn flush(&mut self, endpoint: EndpointId, address: Address, who: Who) {
        let Some(connection) = self.connections.get(endpoint.slot()) else { return };
        let sends_large = connection.sends_large(who.side);
        let end = &mut connection.ends[who.side as usize];
        let mut tap = Tap { observer: &mut self.observer, who };
        if sends_large {
            return transmit_large(&mut self.network, end, address, &mut tap);
        }
        while let Some(contents) = end.transmit(self.now, &mut tap) {
            self.network.send(&contents, address, tap.observer);
        }
    }

    /// Closes the subflows of a side when all its data is acknowledged.
    fn finish(&mut self, flow: FlowId, conn: Conn, side: Side) {
        let now = self.now;
        let Some(transfer) = self.transfer(flow, conn) else { return };
        if !transfer.data[side as usize].is_done() || transfer.finished[side as usize] {
            return;
        }
        transfer.finished[side as usize] = true;
        // A transfer that ends opens no further subflows.
        transfer.is_joined = true;
        for slot in transfer.subflows.iter().copied().flatten().collect::<Vec<_>>() {
            if let Some(connection) = self.connections.get(slot) {
                connection.ends[side as usize].close(now);
                self.transmit(EndpointId::new(slot, side));
            }
        }
    }

    /// Takes note that a subflow has ended: the others get what it has not delivered, and the last one ends the
    /// connection of the application.
    pub(super) fn retire_subflow(&mut self, connection: &Connection<E>) {
        let flow = connection.flow;
        let (conn, path) = self.transfer_of(flow, connection.conn);
        let now = self.now;
        self.flows[flow.index()].multipath.finished[path].add(&connection.ends[0], &connection.ends[1], now);
        let Some(transfer) = self.transfer(flow, conn) else { return };
        transfer.subflows[path] = None;
        let mut lost = [false; 2];
        for side in [Side::Source, Side::Sink] {
            let acked = connection.ends[side as usize].as_tcp().map_or(0, ackclock_tcp::Endpoint::acked);
            lost[side as usize] = transfer.data[side as usize].lose(path, acked);
        }
        if transfer.subflows.iter().all(Option::is_none) {
            self.flows[flow.index()].multipath.transfers.remove(&conn);
            return self.call(flow, |app, ctx| app.on_closed(ctx, conn));
        }
        for side in [Side::Source, Side::Sink].into_iter().filter(|side| lost[*side as usize]) {
            self.deal_to_all(flow, conn, side);
        }
    }

    /// Adds the rows of a flow's paths.
    pub(super) fn report_paths(&self, flow: &Flow<E>, tables: &mut Tables) {
        let Some(paths) = &flow.paths else { return };
        for (path, name) in paths.names.iter().enumerate() {
            let mut totals = flow.multipath.finished[path];
            for transfer in flow.multipath.transfers.values() {
                if let Some(connection) = transfer.subflows[path].and_then(|slot| self.connections.peek(slot)) {
                    totals.add(&connection.ends[0], &connection.ends[1], self.now);
                }
            }
            push_path(tables, (&flow.labels.name, name), flow.start, self.now, &totals);
        }
    }

    /// Delivers a packet to an end whose packets are collected, or that is an end of a subflow.
    #[inline(never)]
    pub(super) fn on_special_arrival(
        &mut self,
        endpoint: EndpointId,
        (generation, sent): (u16, Nanos),
        contents: E::Packet,
    ) {
        let Some(connection) = self.connections.get(endpoint.slot()) else { return };
        if connection.is_subflow() {
            self.arrive_at_subflow(endpoint, sent);
        }
        let Some(connection) = self.connections.get(endpoint.slot()) else { return };
        if connection.generation != generation {
            return;
        }
        if connection.collects() {
            return self.collect(endpoint, generation, contents);
        }
        let who = Who { flow: connection.flow, conn: connection.conn, side: endpoint.side() };
        let mut tap = Tap { observer: &mut self.observer, who };
        let progress = connection.ends[who.side as usize].deliver(self.now, &contents, &mut tap);
        self.follow_up(who.flow, endpoint, progress);
    }
}
