//! Links joined to routes, and the packets between them.
//!
//! Routes are static. A route is cut into stages where its packets need an event: before a link that several upstreams
//! feed, whose packets have to be brought into order, and at the host. Within a stage every link is fed by the one
//! before it alone, so it sees its arrivals in order and is evaluated at once, ahead of time. On a dumbbell with three
//! links each way this leaves two events a packet: at the bottleneck and at the host. A port is asked in the present, as a
//! packet arrives before its queue and as it leaves for the wire: it begins a stage, too, and takes an event for each packet
//! that waits.

use std::collections::{BTreeMap, BTreeSet};

use ackclock_net::server::Meter;
use ackclock_net::{Carried, DropCause, Lane, Link, NEVER, Place, Port, Refusal, Sent};
use ackclock_tcp::Segment;

use crate::event::{EventQueue, Key};
use crate::ids::{LinkId, Receiver, Slot};
use crate::measures::Waits;
use crate::observe::{NetworkEvent, Observer};
use crate::packet::{Address, Optioned, Packet};
use ackclock_core::Nanos;

/// A route of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Route(u32);

/// The stage of a packet that has passed all links.
const AT_HOST: u32 = u32::MAX;

/// Links passed without an event in between.
#[derive(Clone, Copy, Debug)]
struct Stage {
    /// The links, as a range of `Network::hops`.
    first: u32,
    end: u32,
    /// What comes then.
    next: u32,
}

struct Line {
    link: Link,
    /// The lane of what has been sent into the link, where a stage ends with it.
    lane: u32,
    /// The number of its port, where it is one.
    port: Option<u32>,
    waits: Option<Box<Waits>>,
}

/// A port in a network.
struct Gate {
    port: Port<Packet>,
    link: LinkId,
    /// When it is to be polled, and the event of that.
    due: Nanos,
    poll: Key,
    /// Packets in flight behind a port from which they may arrive in another order.
    flight: BTreeMap<Key, Packet>,
}

/// Links and routes before they are joined.
#[derive(Default)]
pub struct Topology {
    lines: Vec<Line>,
    gates: Vec<Gate>,
    routes: Vec<Vec<LinkId>>,
}

impl Topology {
    /// Adds a link.
    pub fn link(&mut self, link: Link) -> LinkId {
        self.lines.push(Line { link, lane: 0, port: None, waits: None });
        LinkId(self.lines.len() as u32 - 1)
    }

    /// Adds a link that is a port.
    pub fn port(&mut self, port: Port<Packet>) -> LinkId {
        let link = self.link(Link::of_port(port.server().mean_rate(), port.delay()));
        self.lines[link.0 as usize].port = Some(self.gates.len() as u32);
        self.gates.push(Gate { port, link, due: NEVER, poll: Key::NEVER, flight: BTreeMap::new() });
        link
    }

    /// Has the queueing delays of a link recorded.
    pub fn measure(&mut self, link: LinkId) {
        self.lines[link.0 as usize].waits = Some(Box::default());
    }

    /// Adds a route from one host to another over `links`.
    ///
    /// # Panics
    /// If `links` is empty or names a link of another topology.
    pub fn route(&mut self, links: &[LinkId]) -> Route {
        assert!(!links.is_empty(), "a route has links");
        assert!(links.iter().all(|link| (link.0 as usize) < self.lines.len()), "a route has links of its topology");
        self.routes.push(links.to_vec());
        Route(self.routes.len() as u32 - 1)
    }

    /// The links in the order of their numbers.
    pub fn links(&self) -> impl Iterator<Item = &Link> {
        self.lines.iter().map(|line| &line.link)
    }

    /// The port that a link is, if it is one.
    pub fn as_port(&self, link: LinkId) -> Option<&Port<Packet>> {
        self.lines[link.0 as usize].port.map(|port| &self.gates[port as usize].port)
    }

    /// The links of a route.
    pub fn hops(&self, route: Route) -> &[LinkId] {
        &self.routes[route.0 as usize]
    }

    /// Joins links and routes.
    pub fn join(self) -> Network {
        // Who feeds each link: other links, and any number of hosts, which send at the present and so in order.
        let mut upstreams = vec![BTreeSet::new(); self.lines.len()];
        for route in &self.routes {
            let mut upstream = None;
            for link in route {
                upstreams[link.0 as usize].insert(upstream);
                upstream = Some(*link);
            }
        }
        let reorders = |link: LinkId| self.as_port(link).is_some_and(Port::reorders);
        let opens: Vec<bool> = self
            .lines
            .iter()
            .zip(&upstreams)
            .map(|(line, upstreams)| {
                line.port.is_some() || upstreams.len() > 1 || upstreams.iter().flatten().any(|link| reorders(*link))
            })
            .collect();

        let mut network = Network {
            lines: self.lines,
            gates: self.gates,
            routes: Vec::new(),
            stages: Vec::new(),
            hops: Vec::new(),
            shared: 0,
            lanes: Vec::new(),
            optioned: Optioned::default(),
            senders: Senders::default(),
            end: NEVER,
            beyond: 0,
            events: EventQueue::new(0, 0),
        };
        for route in &self.routes {
            network.routes.push(network.stages.len() as u32);
            for (hop, link) in route.iter().enumerate() {
                let index = network.hops.len() as u32;
                if hop == 0 || opens[link.0 as usize] {
                    let next = network.stages.len() as u32 + 1;
                    network.stages.push(Stage { first: index, end: index, next });
                }
                network.hops.push(*link);
                network.stages.last_mut().expect("the first hop opens a stage").end = index + 1;
            }
            network.stages.last_mut().expect("a route has links").next = AT_HOST;
        }
        network.share_lanes(&opens);
        network
    }
}

/// Whose packets they are, for queue disciplines that tell flows apart. It follows from the flow's name, the direction and the
/// connection's number alone: a further flow changes the places of connections, and must not change which of them share a queue.
#[derive(Default)]
struct Senders {
    /// By the stage of a route: the number of its flow and direction.
    flows: Vec<u64>,
    /// By place: the generation and the number of the connection that is open.
    open: Vec<Option<(u16, u32)>>,
}

/// What packets of a flow have in the place of a connection's number: datagrams, and what is left on the way of connections
/// that are over, whose numbers nobody keeps.
const DATAGRAMS: u64 = 1 << 32;
const CLOSED: u64 = 2 << 32;

impl Senders {
    /// The number of a packet's connection and direction, the same for all packets of it. Disciplines hash it.
    fn flow(&self, packet: &Packet) -> u64 {
        let flow = self.flows.get(packet.stage() as usize).copied().unwrap_or(0);
        let connection = match packet.receiver() {
            Receiver::Flow(_) => DATAGRAMS,
            Receiver::Endpoint(endpoint) => match self.open.get(endpoint.slot().0 as usize).copied().flatten() {
                Some((generation, connection)) if generation == packet.generation() => u64::from(connection),
                _ => CLOSED,
            },
        };
        // An odd factor: every connection of a flow has its own number, far from those of the others.
        flow.wrapping_add(connection.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

/// Links, routes, packets in flight, and the queue of all events.
pub struct Network {
    lines: Vec<Line>,
    gates: Vec<Gate>,
    /// First stage of each route.
    routes: Vec<u32>,
    stages: Vec<Stage>,
    hops: Vec<LinkId>,
    /// The number of the first lane that is of one link alone.
    shared: u32,
    /// What is between two stages, or a stage and the host. The first have the numbers of ports and are not used, then come
    /// the lanes shared, then one for each link.
    lanes: Vec<Lane<Key, Packet>>,
    optioned: Optioned,
    senders: Senders,
    /// The end of the run, and the packets that reach one of their links after it.
    end: Nanos,
    beyond: usize,
    /// The event queue. The sources with the numbers of ports and lanes are the network's own.
    pub events: EventQueue,
}

impl Network {
    /// Gives links a common lane where what they send arrives nearly in the order of sending: after the same delay, and
    /// from hosts, which send at the present, or from one link before them, which sends one packet after the other.
    fn share_lanes(&mut self, opens: &[bool]) {
        let ports = self.gates.len() as u32;
        let mut lanes = BTreeMap::new();
        for stage in &self.stages {
            let hops = &self.hops[stage.first as usize..stage.end as usize];
            let (first, last) = (hops[0], hops[hops.len() - 1]);
            let delay = hops.iter().map(|link| self.lines[link.0 as usize].link.delay()).fold(0, Nanos::saturating_add);
            let number = ports + lanes.len() as u32;
            self.lines[last.0 as usize].lane =
                *lanes.entry((opens[first.0 as usize].then_some(first), delay)).or_insert(number);
        }
        self.shared = ports + lanes.len() as u32;
        self.lanes.resize_with(self.shared as usize + self.lines.len(), Lane::default);
        self.events = EventQueue::new(self.shared, self.lanes.len());
    }

    /// Gives the packets on a route the flow that queue disciplines know them by, with the number of their connection.
    pub fn name(&mut self, route: Route, flow: u64) {
        let next = self.routes.get(route.0 as usize + 1).map_or(self.stages.len(), |first| *first as usize);
        let first = self.first_stage(route) as usize;
        self.senders.flows.resize(self.stages.len(), 0);
        self.senders.flows[first..next].fill(flow);
    }

    /// A connection begins in a slot: packets of that generation to either of its ends are its own.
    pub fn opened(&mut self, slot: Slot, generation: u16, connection: u32) {
        let open = &mut self.senders.open;
        open.resize(open.len().max(slot.0 as usize + 1), None);
        open[slot.0 as usize] = Some((generation, connection));
    }

    /// The connection in a slot is over.
    pub fn closed(&mut self, slot: Slot) {
        self.senders.open[slot.0 as usize] = None;
    }

    /// Number of event sources that are the network's.
    pub fn sources(&self) -> u32 {
        self.lanes.len() as u32
    }

    /// Tells the network when the run ends. What happens at a link after that is not evaluated, so that its counts and
    /// queueing delays are those of the run, although links are evaluated ahead of time.
    pub fn end_at(&mut self, end: Nanos) {
        self.end = end;
    }

    /// The stage on which the packets of a route set out.
    pub fn first_stage(&self, route: Route) -> u32 {
        self.routes[route.0 as usize]
    }

    /// Sends `segment` at the time and to where the address says.
    #[inline]
    pub fn send<O: Observer>(&mut self, segment: &Segment, address: Address, observer: &mut O) {
        let packet = Packet::new(segment, address, &mut self.optioned);
        self.forward(address.sent, packet, observer);
    }

    /// Takes a packet through the links of its stage, which it reaches at `now`.
    #[inline]
    pub fn forward<O: Observer>(&mut self, now: Nanos, packet: Packet, observer: &mut O) {
        let stage = self.stages[packet.stage() as usize];
        self.pass(now, packet, stage, 0, observer);
    }

    /// Takes a packet through the links of a stage, or the rest of it, which it reaches at `at` from the link `last`, if from
    /// any.
    #[inline(always)]
    fn pass<O: Observer>(&mut self, mut at: Nanos, packet: Packet, stage: Stage, mut last: u32, observer: &mut O) {
        for &link in &self.hops[stage.first as usize..stage.end as usize] {
            if at > self.end {
                return self.give_up(packet);
            }
            last = link.0;
            let line = &mut self.lines[last as usize];
            let passage = match line.link.offer(at, packet.size()) {
                Ok(passage) => passage,
                Err(Refusal::Drop(cause)) => return self.refuse(at, packet, link, cause, observer),
                Err(Refusal::Port) => return self.enter(at, packet, link, observer),
            };
            if let Some(waits) = &mut line.waits
                && passage.start <= self.end
            {
                waits.record(passage.start - at);
            }
            if O::ACTIVE {
                let segment = packet.segment(&self.optioned);
                observer.network(at, &segment, NetworkEvent::Enqueued { link, packet, passage });
            }
            at = passage.arrival;
        }
        let packet = packet.before(stage.next);
        let lane = self.lines[last as usize].lane;
        let key = self.events.stamp(at, lane);
        match self.lanes[lane as usize].push(key, packet) {
            Place::First => self.events.set(lane, key),
            Place::Behind => {}
            Place::None => self.append(key.of(self.shared + last), packet),
        }
    }

    /// A packet reaches its next link after the end of the run.
    #[cold]
    #[inline(never)]
    fn give_up(&mut self, packet: Packet) {
        self.beyond += 1;
        packet.release(&mut self.optioned);
    }

    /// A packet does not pass a link.
    #[cold]
    #[inline(never)]
    fn refuse<O: Observer>(&mut self, at: Nanos, packet: Packet, link: LinkId, cause: DropCause, observer: &mut O) {
        if O::ACTIVE {
            let segment = packet.segment(&self.optioned);
            observer.network(at, &segment, NetworkEvent::Dropped { link, packet, cause });
        }
        packet.release(&mut self.optioned);
    }

    /// A packet arrives at a port.
    #[inline(never)]
    fn enter<O: Observer>(&mut self, at: Nanos, packet: Packet, link: LinkId, observer: &mut O) {
        let port = self.lines[link.0 as usize].port.expect("only a port refuses to tell times");
        if O::ACTIVE {
            let segment = packet.segment(&self.optioned);
            observer.network(at, &segment, NetworkEvent::Arrived { link, packet });
        }
        let item = packet.item(&self.optioned, self.senders.flow(&packet));
        let mut copied = None;
        let copy = |packet: &Packet| *copied.insert(packet.duplicate(&mut self.optioned));
        self.gates[port as usize].port.arrive_with(at, item, packet, copy);
        if O::ACTIVE
            && let Some(packet) = copied
        {
            observer.network(at, &packet.segment(&self.optioned), NetworkEvent::Copied { link, packet });
        }
        self.drive(at, port, observer);
    }

    /// Whether the earliest event, which is one of the network's, is a port's: it is for [`Network::serve`].
    #[inline]
    pub fn is_port(&self, source: u32) -> bool {
        (source as usize) < self.gates.len()
    }

    /// Sees to the port whose event is the earliest. A packet, if one arrives from it: as from [`Network::arrive`].
    pub fn serve<O: Observer>(&mut self, observer: &mut O) -> Option<Packet> {
        let first = self.events.first();
        let port = first.source();
        let packet = self.gates[port as usize].flight.remove(&first);
        if packet.is_none() {
            self.drive(first.time(), port, observer);
        }
        self.arm(port);
        packet
    }

    /// Lets a port do what it can do at `at`.
    fn drive<O: Observer>(&mut self, at: Nanos, port: u32, observer: &mut O) {
        loop {
            let gate = &mut self.gates[port as usize];
            let link = gate.link;
            if let Some(dropped) = gate.port.dropped() {
                self.refuse(at, dropped.packet, link, dropped.cause, observer);
            } else if let Some(sent) = gate.port.poll(at) {
                self.launch(at, port, sent, observer);
            } else if !gate.port.has_dropped() {
                break;
            }
        }
        let gate = &mut self.gates[port as usize];
        let due = gate.port.due();
        if gate.due != due {
            gate.due = due;
            gate.poll = self.events.stamp(due, port);
        }
        self.arm(port);
    }

    /// A packet leaves a port for the wire.
    fn launch<O: Observer>(&mut self, at: Nanos, port: u32, sent: Sent<Packet>, observer: &mut O) {
        let gate = &mut self.gates[port as usize];
        let link = gate.link;
        let Sent { packet, item, passage, .. } = sent;
        let packet = packet.updated(&item, &mut self.optioned);
        let waited = passage.start - item.arrival;
        if let Some(waits) = &mut self.lines[link.0 as usize].waits {
            waits.record(waited);
        }
        if O::ACTIVE {
            let segment = packet.segment(&self.optioned);
            observer.network(at, &segment, NetworkEvent::Sent { link, packet, passage, waited });
        }
        let stage = self.stages[packet.stage() as usize];
        if gate.port.reorders() {
            let key = self.events.stamp(passage.arrival, port);
            if key != Key::NEVER {
                gate.flight.insert(key, packet.before(stage.next));
            }
            return;
        }
        self.pass(passage.arrival, packet, Stage { first: stage.first + 1, ..stage }, link.0, observer);
    }

    /// Sets the event of a port.
    fn arm(&mut self, port: u32) {
        let gate = &self.gates[port as usize];
        let first = gate.flight.first_key_value().map_or(Key::NEVER, |(key, _)| *key);
        self.events.set(port, gate.poll.min(first));
    }

    /// Puts a packet in the lane of its link alone, in which none is passed: in the lane shared it would have to pass too
    /// many.
    #[cold]
    #[inline(never)]
    fn append(&mut self, key: Key, packet: Packet) {
        let lane = key.source();
        if self.lanes[lane as usize].push(key, packet) == Place::First {
            self.events.set(lane, key);
        }
    }

    /// Takes the packet whose event is the earliest out of its lane. It is for [`Network::forward`] or, at its host
    /// according to [`Network::is_at_host`], for [`Network::unpack`].
    ///
    /// # Panics
    /// If the earliest event is not one of the network's.
    #[inline]
    pub fn arrive(&mut self) -> Packet {
        let lane = &mut self.lanes[self.events.first().source() as usize];
        let packet = lane.pop().expect("a lane with an event holds a packet");
        self.events.set_first(lane.first().unwrap_or(Key::NEVER));
        packet
    }

    /// Whether a packet has all links behind it.
    #[inline]
    pub fn is_at_host(packet: &Packet) -> bool {
        packet.stage() == AT_HOST
    }

    /// Takes the segment out of a packet that is at its host.
    #[inline]
    pub fn unpack(&mut self, packet: Packet) -> Segment {
        let segment = packet.segment(&self.optioned);
        packet.release(&mut self.optioned);
        segment
    }

    /// A link.
    pub fn link(&self, link: LinkId) -> &Link {
        &self.lines[link.0 as usize].link
    }

    /// What a link has carried by `at`, the end of the run; `None` where it keeps no counts.
    pub fn carried(&mut self, link: LinkId, at: Nanos) -> Option<Carried> {
        let line = &mut self.lines[link.0 as usize];
        match line.port {
            Some(port) => Some(self.gates[port as usize].port.carried(at)),
            None => line.link.carried(at),
        }
    }

    /// What a link could have carried, whatever it has.
    pub fn meter(&self, link: LinkId) -> Meter<'_> {
        let line = &self.lines[link.0 as usize];
        match line.port {
            Some(port) => self.gates[port as usize].port.server().meter(),
            None => Meter::of_rate(line.link.rate()),
        }
    }

    /// The queueing delays of a measured link.
    pub fn waits(&self, link: LinkId) -> Option<&Waits> {
        self.lines[link.0 as usize].waits.as_deref()
    }

    /// Packets in flight or queued, and those of them that have options and are not given up because the run will have ended
    /// when they reach their next link.
    pub fn in_flight(&self) -> (usize, usize) {
        let behind = |gate: &Gate| gate.flight.len() + gate.port.backlog().0 as usize;
        let lanes: usize = self.lanes.iter().map(Lane::len).sum();
        (lanes + self.gates.iter().map(behind).sum::<usize>() + self.beyond, self.optioned.len())
    }
}
