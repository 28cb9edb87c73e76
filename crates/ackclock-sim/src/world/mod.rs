//! The world: flows with their connections and applications over a network, and the event loop.

mod applications;
mod connection;
mod flow;
mod multipath;
mod offload;
mod opening;
mod report;
mod sending;
mod size;
mod slow;
mod transfers;

use crate::endpoint::{Contents, Endpoint, NEVER, Progress};
use crate::event::Key;
use crate::ids::{EndpointId, FlowEnd, FlowId, Receiver};
use crate::network::{Network, Step, Topology};
use crate::observe::{NetworkEvent, Observer, Tap, Who};
use crate::packet::Packet;
use ackclock_app::{Command, Datagram, Side};
use ackclock_core::Nanos;
use ackclock_core::stream_number;

use connection::{Connection, Connections};
use flow::{Flow, Wake};

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

    /// Returns the event source of an endpoint's timer.
    fn source(&self, endpoint: EndpointId) -> u32 {
        self.network.sources() + self.flows.len() as u32 + endpoint.number()
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
    use ackclock_app::{AppContext, Application, Conn};
    use ackclock_core::Rate;
    use ackclock_net::Link;
    use ackclock_results::Tables;
    use ackclock_tcp::{Flags, Segment, State, stack};

    use super::*;
    use crate::ids::{EndpointId, Slot};
    use crate::measures::FlowLabels;
    use crate::packet::Address;

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
