//! The world: flows with their connections and applications over a network, and the event loop.

mod connection;
mod flow;
mod multipath;
mod offload;
mod size;
mod slow;
mod transfers;

use crate::endpoint::{Contents, Endpoint, NEVER, Progress};
use crate::event::Key;
use crate::ids::{EndpointId, FlowEnd, FlowId, LinkId, Receiver, Slot};
use crate::measures::{Achieved, FlowTotals, push_delays, push_flow, push_limits};
use crate::network::{Network, Step, Topology};
use crate::observe::{NetworkEvent, Observer, Tap, Who};
use crate::packet::{Address, Packet};
use ackclock_app::{AppContext, Application, Command, Conn, Datagram, Side};
use ackclock_core::stream_number;
use ackclock_core::{Ecn, Nanos};
use ackclock_results::{Column, Table, Tables};

use connection::{About, Connection, Connections};
use flow::{Flow, Wake};
use offload::transmit_large;

pub use flow::{FlowSpec, Offload, RouteChange};
pub use transfers::Paths;

/// Number of connections from which on their state is prefetched: of fewer, most of what the next packet needs is in the caches, and
/// the work of prefetching takes more time than it saves. Runs of tests prefetch always, so that they go this way.
const PREFETCHED: usize = if cfg!(debug_assertions) { 1 } else { 2_000 };

/// A run in progress with endpoints `E` and an observer `O`. It covers the times from 0 to its duration, both included.
pub struct World<O, E: Endpoint = ackclock_tcp::Endpoint> {
    now: Nanos,
    duration: Nanos,
    seed: u64,
    network: Network<E::Packet>,
    flows: Vec<Flow<E>>,
    connections: Connections<E>,
    /// Requests of applications in the callbacks of the current event.
    commands: Vec<Command>,
    /// Subflows that a coupled congestion control is told of.
    siblings: Vec<ackclock_tcp::cc::Sibling>,
    observer: O,
}

impl<O: Observer<E::Packet>, E: Endpoint> World<O, E> {
    /// Creates a world of `topology` in which `flows` will start, on routes of that topology.
    pub fn new(topology: Topology, flows: Vec<FlowSpec<E>>, seed: u64, duration: Nanos, observer: O) -> World<O, E> {
        World::over(topology.join(), flows, seed, duration, observer)
    }

    /// Creates the same world over a network; some routes may belong to flows of other worlds.
    pub(crate) fn over(
        mut network: Network<E::Packet>,
        flows: Vec<FlowSpec<E>>,
        seed: u64,
        duration: Nanos,
        observer: O,
    ) -> World<O, E> {
        network.end_at(duration);
        if flows.iter().any(|flow| flow.offload.host_queues.contains(&true)) {
            network.tell_of_hosts();
        }
        let mut changes = Vec::new();
        let flows: Vec<Flow<E>> = (0..)
            .zip(flows)
            .map(|(number, spec)| {
                let numbers = [Side::Source, Side::Sink]
                    .map(|side| stream_number(&format!("{}/{}", spec.labels.name, side.name())));
                let mut name = |routes: &[_]| network.name_pairs(routes, numbers, spec.headers, spec.hosts);
                let stages = name(&spec.routes);
                let later = spec.route_changes.iter().map(|change| (name(&change.routes), change.mtu)).collect();
                let times = spec.route_changes.iter().enumerate();
                changes.extend(times.map(|(change, RouteChange { at, .. })| (FlowId(number), *at, change)));
                Flow::new(spec, seed, stages, later)
            })
            .collect();
        // Sources of events are, in this order: lanes, flows, endpoints.
        network.events.reserve(network.sources() as usize + flows.len());
        let connections = Connections::new();
        let (commands, siblings) = (Vec::new(), Vec::new());
        let mut world = World { now: 0, duration, seed, network, flows, connections, commands, siblings, observer };
        for (flow, at, change) in changes {
            world.wake_at(flow, at, Wake::Reroute(change));
        }
        for flow in (0..world.flows.len() as u32).map(FlowId) {
            world.wake_at(flow, world.flows[flow.index()].start, Wake::Start);
        }
        world
    }

    /// Whether the run has not come to its end.
    pub fn continues(&self) -> bool {
        self.now < self.duration
    }

    /// Returns the current time.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// Returns the observer.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// Returns the observer, mutably, so that its data can be taken.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// Ends the run and returns the observer.
    pub fn into_observer(self) -> O {
        self.observer
    }

    /// Ends the run and returns the network and the observer.
    pub fn into_parts(self) -> (Network<E::Packet>, O) {
        (self.network, self.observer)
    }

    /// Returns the network.
    pub fn network(&self) -> &Network<E::Packet> {
        &self.network
    }

    /// Returns the number of slots for connections, which is the largest number that were open at once.
    pub fn slots(&self) -> usize {
        self.connections.slots()
    }

    /// Handles up to `max_events` events. Returns whether the run continues.
    pub fn step(&mut self, max_events: u64) -> bool {
        if self.advance(max_events, self.duration.saturating_add(1)) == max_events {
            return true;
        }
        self.now = self.duration;
        false
    }

    /// Handles up to `max_events` events before the time `end`. Returns their number.
    #[inline(always)]
    pub(crate) fn advance(&mut self, max_events: u64, end: Nanos) -> u64 {
        let (lanes, flows) = (self.network.sources(), self.flows.len() as u32);
        for handled in 0..max_events {
            let key = self.network.events.first();
            if key == Key::NEVER || key.time() >= end {
                return handled;
            }
            self.now = key.time();
            self.network.events.advance(self.now);
            match key.source() {
                port if self.network.is_port(port) => self.on_port(),
                lane if lane < lanes => {
                    let packet = self.network.arrive();
                    if self.connections.slots() >= PREFETCHED {
                        self.prefetch(lane);
                    }
                    self.on_arrival(packet);
                }
                flow if flow - lanes < flows => self.on_wake(FlowId(flow - lanes)),
                timer => self.on_timer(EndpointId::of_number(timer - lanes - flows)),
            }
            while let Some(notice) = self.network.notice() {
                self.on_notice(notice);
            }
        }
        max_events
    }

    /// Handles the events before the time `until`. Returns whether the run continues.
    pub fn step_before(&mut self, until: Nanos) -> bool {
        let end = self.duration.saturating_add(1);
        self.advance(u64::MAX, until.min(end));
        let key = self.network.events.first();
        if key != Key::NEVER && key.time() < end {
            return true;
        }
        self.now = self.duration;
        false
    }

    /// Has the processor bring what the next packets of a lane will need from memory while it works on the present packet. What
    /// one part of it holds tells where the next part is, so each of the next four packets is at another step.
    #[inline]
    fn prefetch(&self, lane: u32) {
        let Some([(_, next), (_, second), (_, third), (_, fourth)]) = self.network.coming(lane) else { return };
        if let Some(endpoint) = fourth.endpoint_at_host() {
            self.connections.prefetch(endpoint.slot());
        }
        if let Some((connection, side)) = self.receiver_of(third) {
            connection.ends[side].prefetch();
            self.flows[connection.flow.index()].prefetch();
            self.network.prefetch(connection.stages[side], Step::Stage);
        } else {
            self.network.prefetch(third.stage(), Step::Stage);
        }
        if let Some((connection, side)) = self.receiver_of(second) {
            connection.ends[side].prefetch_boxes();
            self.network.prefetch(connection.stages[side], Step::Hops);
        } else {
            self.network.prefetch(second.stage(), Step::Hops);
        }
        let stage = self.receiver_of(next).map_or(next.stage(), |(connection, side)| connection.stages[side]);
        self.network.prefetch(stage, Step::Links);
    }

    /// Returns the connection of a packet that is on its last way to an endpoint, and the endpoint's side.
    #[inline]
    fn receiver_of(&self, packet: &Packet) -> Option<(&Connection<E>, usize)> {
        let endpoint = packet.endpoint_at_host()?;
        Some((self.connections.peek(endpoint.slot())?, endpoint.side() as usize))
    }

    fn on_port(&mut self) {
        if let Some(packet) = self.network.serve(&mut self.observer) {
            self.on_arrival(packet);
        }
    }

    #[inline]
    fn on_arrival(&mut self, packet: Packet) {
        if !packet.is_at_host() {
            return self.network.forward(self.now, packet, &mut self.observer);
        }
        let endpoint = match packet.receiver() {
            Receiver::Endpoint(endpoint) => endpoint,
            Receiver::Flow(end) => return self.on_datagram(packet, end),
        };
        if packet.is_stored() {
            return self.on_stored(packet, endpoint);
        }
        let contents = packet.unpack();
        self.on_contents(packet, endpoint, contents);
    }

    /// Handles a packet at its host whose contents are stored beside it.
    #[inline(never)]
    fn on_stored(&mut self, packet: Packet, endpoint: EndpointId) {
        let contents = self.network.unpack(packet);
        self.on_contents(packet, endpoint, contents);
    }

    // Inlined in both, so that packed contents stay in registers.
    #[inline(always)]
    fn on_contents(&mut self, packet: Packet, endpoint: EndpointId, contents: E::Packet) {
        self.observer.network(self.now, Some(&contents), NetworkEvent::Delivered { packet });
        // A packet in flight of a closed connection finds its slot empty, or with the next connection.
        let receiver = self.connections.get(endpoint.slot());
        let Some(connection) = receiver.filter(|connection| connection.generation == packet.generation()) else {
            return;
        };
        let side = endpoint.side();
        if connection.measured && contents.payload() > 0 && side == Side::Sink {
            self.flows[connection.flow.index()].delayed(self.now - packet.sent());
        }
        if connection.receives_specially() {
            return self.on_special_arrival(endpoint, (packet.generation(), packet.sent()), contents);
        }
        let who = Who { flow: connection.flow, conn: connection.conn, side };
        let mut tap = Tap { observer: &mut self.observer, who };
        let progress = connection.ends[side as usize].deliver(self.now, &contents, &mut tap);
        self.follow_up(who.flow, endpoint, progress);
    }

    fn on_datagram(&mut self, packet: Packet, FlowEnd { flow, side }: FlowEnd) {
        self.observer.network(self.now, None, NetworkEvent::Delivered { packet });
        let (number, len) = packet.as_datagram().expect("only a datagram is for a flow");
        if side == Side::Sink {
            let state = &mut self.flows[flow.index()];
            state.delayed(self.now - packet.sent());
            state.finished.bytes_delivered += u64::from(len);
            self.observer.delivered(self.now, flow, len.into());
        }
        let datagram = Datagram { number, len, sent: packet.sent(), ecn: packet.ecn() };
        self.call(flow, |app, ctx| app.on_datagram(ctx, side, datagram));
        self.carry_out(flow);
    }

    fn on_timer(&mut self, endpoint: EndpointId) {
        self.network.events.set_first(Key::NEVER);
        let Some(connection) = self.connections.get(endpoint.slot()) else { return };
        let side = endpoint.side();
        let who = Who { flow: connection.flow, conn: connection.conn, side };
        let end = &mut connection.ends[side as usize];
        connection.armed[side as usize] = NEVER;
        // The endpoint may have moved its timeout to a later time; in that case this event is only replaced by the
        // right one.
        let progress = if end.deadline() <= self.now {
            end.expire(self.now, &mut Tap { observer: &mut self.observer, who })
        } else {
            Progress::default()
        };
        self.follow_up(who.flow, endpoint, progress);
    }

    fn on_wake(&mut self, flow: FlowId) {
        let state = &mut self.flows[flow.index()];
        let wake = state.wake();
        self.network.events.set_first(state.next_wake());
        match wake {
            Some(Wake::Start) => self.call(flow, |app, ctx| app.on_start(ctx)),
            Some(Wake::Timer(token)) => self.call(flow, |app, ctx| app.on_timer(ctx, token)),
            Some(Wake::Collected(endpoint, generation)) => self.on_collected(flow, endpoint, generation),
            Some(Wake::Read(conn, side)) => self.on_read_due(flow, conn, side),
            Some(Wake::Reroute(change)) => self.reroute(flow, change),
            Some(Wake::TooLarge(message)) => self.on_too_large(flow, message),
            None => {}
        }
        self.carry_out(flow);
    }

    /// Completes a call to an endpoint: the application is told of the progress, its requests are carried out, and the
    /// endpoint's packets are sent. In this order an answer carries the acknowledgment of the request.
    #[inline]
    fn follow_up(&mut self, flow: FlowId, endpoint: EndpointId, progress: Progress) {
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

    fn call(&mut self, flow: FlowId, callback: impl FnOnce(&mut dyn Application, &mut AppContext<'_>)) {
        self.flows[flow.index()].call(self.now, &mut self.commands, callback);
    }

    /// Carries out the requests of the application of `flow`, including requests that it makes meanwhile.
    fn carry_out(&mut self, flow: FlowId) {
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

    fn open(&mut self, flow: FlowId, conn: Conn, opener: Side, pair: u32) {
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
    fn about(&self, flow: FlowId, conn: Conn, pair: u32) -> About {
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
    fn begin(&mut self, about: About, opener: Side, pair: u32) -> Slot {
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

    /// Applies an action to an end of an open connection; a closed connection ignores actions.
    fn act(&mut self, flow: FlowId, conn: Conn, side: Side, action: impl FnOnce(&mut E, Nanos)) {
        let Some(&slot) = self.flows[flow.index()].open.get(&conn) else { return };
        let Some(connection) = self.connections.get(slot) else { return };
        action(&mut connection.ends[side as usize], self.now);
        self.transmit(EndpointId::new(slot, side));
    }

    /// Sends the packets of an endpoint and updates its timer. This is the last step after every call to the endpoint.
    #[inline]
    fn transmit(&mut self, endpoint: EndpointId) {
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

    /// Frees the slot of a closed connection.
    fn retire(&mut self, slot: Slot) {
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

    fn wake_at(&mut self, flow: FlowId, at: Nanos, wake: Wake) {
        let source = self.network.sources() + flow.0;
        let key = self.network.events.stamp(at, source);
        let state = &mut self.flows[flow.index()];
        state.wake_at(key, wake);
        self.network.events.set(source, state.next_wake());
    }

    /// Returns the event source of an endpoint's timer.
    fn source(&self, endpoint: EndpointId) -> u32 {
        self.network.sources() + self.flows.len() as u32 + endpoint.number()
    }

    /// Returns the totals of a flow over its closed and its open connections.
    fn totals_of(&self, flow: &Flow<E>) -> FlowTotals {
        let mut totals = flow.finished;
        for &slot in flow.open.values() {
            if let Some(connection) = self.connections.peek(slot) {
                totals.add(&connection.ends[0], &connection.ends[1], self.now);
                if flow.readers[Side::Sink as usize].is_some() {
                    totals.bytes_delivered -= connection.ends[1].received() - connection.read[1];
                }
            }
        }
        if flow.paths.is_some() {
            totals.bytes_delivered = flow.multipath.delivered;
        }
        totals
    }

    /// Returns the achievements of the flows up to now, in their order.
    pub fn achievements(&self) -> Vec<Achieved> {
        let of = |flow: &Flow<E>| {
            let mut tables = Tables::new();
            flow.app().report(&flow.labels.name, self.now, &mut tables);
            let time_on = match tables.get("time_on").and_then(|table| table.column("time_on_s")) {
                Some(Column::Float(cells)) => cells.first().copied().flatten(),
                _ => None,
            };
            Achieved {
                bytes: self.totals_of(flow).bytes_delivered,
                time_s: time_on.unwrap_or(self.now.saturating_sub(flow.start) as f64 / 1e9),
                delay: flow.delays.as_ref().and_then(|delays| delays.mean()),
            }
        };
        self.flows.iter().map(of).collect()
    }

    /// Returns the tables of flows, links and applications at the end of the run; `links` names the links that have a
    /// row.
    ///
    /// # Panics
    /// If the run is not at its end, because links whose times are computed in advance have already counted packets
    /// until the end.
    pub fn report(&mut self, links: &[(LinkId, String)]) -> Tables {
        assert_eq!(self.now, self.duration, "a run reports when it has ended");
        let mut tables = Tables::new();
        tables.insert("links", self.network.rows(links, self.now));
        let mut rows = Table::default();
        for flow in 0..self.flows.len() {
            self.report_flow(flow, &mut rows, &mut tables);
        }
        tables.insert("flows", rows);
        tables
    }

    /// Adds the row of a flow to `rows`, and its own tables to `tables`.
    pub(crate) fn report_flow(&self, flow: usize, rows: &mut Table, tables: &mut Tables) {
        let flow = &self.flows[flow];
        let totals = self.totals_of(flow);
        push_flow(rows, &flow.labels, flow.start, self.now, &totals);
        if let Some(limited) = &totals.limited {
            push_limits(tables, &flow.labels.name, limited);
        }
        if let Some(delays) = &flow.delays {
            push_delays(tables, &flow.labels.name, delays);
        }
        self.report_paths(flow, tables);
        flow.app().report(&flow.labels.name, self.now, tables);
    }

    /// Returns the network, mutably.
    pub(crate) fn network_mut(&mut self) -> &mut Network<E::Packet> {
        &mut self.network
    }

    /// Sets the present to the end of the run, which has no further events.
    pub(crate) fn end(&mut self) {
        self.now = self.duration;
    }
}

#[cfg(test)]
mod tests {
    use ackclock_core::Rate;

    use ackclock_net::Link;
    use ackclock_tcp::{Flags, Segment, State, stack};

    use super::*;
    use crate::measures::FlowLabels;

    /// Opens a connection, closes it at both ends, and opens another.
    struct Twice;

    impl Application for Twice {
        fn on_start(&mut self, ctx: &mut AppContext<'_>) {
            let conn = ctx.open(Side::Source);
            ctx.close(conn, Side::Source);
            ctx.close(conn, Side::Sink);
        }

        fn on_closed(&mut self, ctx: &mut AppContext<'_>, _conn: Conn) {
            ctx.open(Side::Source);
        }

        fn report(&self, _flow: &str, _now: Nanos, _tables: &mut Tables) {}
    }

    #[test]
    fn a_packet_for_one_connection_is_not_for_the_next_at_its_place() {
        let rate = Rate::new(1_000_000).unwrap();
        let mut topology = Topology::default();
        let links = [0, 1].map(|_| topology.link(Link::uncounted(rate, 1_000_000)));
        let labels =
            FlowLabels { name: "f".to_owned(), stack: "".into(), cc: "".into(), validation: "", pacing: "", app: "" };
        let config = std::sync::Arc::new((stack::by_name("rfc").unwrap().config)());
        let routes = links.map(|link| topology.route(&[link]));
        let flow = FlowSpec {
            labels,
            config,
            app: Box::new(Twice),
            start: 0,
            start_jitter: 0,
            hosts: [1; 2],
            routes: vec![routes],
            route_changes: Vec::new(),
            paths: None,
            offload: Offload::default(),
            class: 0,
            headers: ackclock_net::queue::Headers::default(),
            delays: false,
            readers: [None, None],
        };
        let mut world: World<()> = World::new(topology, vec![flow], 1, 1_000_000_000, ());
        while world.step(1) {}

        let second = world.connections.get(Slot(0)).unwrap();
        assert_eq!((second.conn, second.generation), (Conn(1), 1));
        assert_eq!(second.ends[1].state(), State::Established);
        // A reset that would end the second connection, sent during the first connection and during the second.
        let mut reset = Segment::new(Flags::RST);
        reset.seq = world.flows[0].stream_of(1, Conn(1)).bits32().wrapping_add(1);
        for (generation, state) in [(0, State::Established), (1, State::Closed)] {
            let address =
                Address { to: EndpointId::new(Slot(0), Side::Sink), generation, sent: world.now, ..Address::default() };
            world.network.send(&reset, address, &mut ());
            world.duration += 1_000_000_000;
            world.network.end_at(world.duration);
            while world.step(1) {}
            assert_eq!(world.connections.get(Slot(0)).unwrap().ends[1].state(), state);
        }
    }
}
