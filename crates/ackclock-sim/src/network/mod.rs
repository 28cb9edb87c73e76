//! Links that are joined to routes, and the packets in flight on them.
//!
//! Routes are static. A route is divided into stages at the places where its packets need an event. These places are
//! the host, and each link with several upstream links, whose packets have to be brought into order. Within a stage
//! every link is fed only by the link before it, so its arrivals are in order and its times are computed at once, in
//! advance. On a dumbbell with three links in each direction this leaves two events for each packet: at the bottleneck
//! and at the host. A port is asked in the present, when a packet arrives at its queue and when the packet leaves for
//! the wire. A port therefore begins a stage, too, and needs one event for each packet that is queued.

mod least;
mod parts;
mod ports;
mod senders;
mod topology;
mod tunnel;

use std::collections::{BTreeMap, VecDeque};

use ackclock_net::queue::Headers;
use ackclock_net::server::{Meter, PARTS_OF_A_BIT};
use ackclock_net::{Carried, DropCause, Lane, Large, Link, Passage, Place, Port, Refusal};
use ackclock_tcp::Segment;

use crate::endpoint::Contents;
use crate::event::{EventQueue, Key};
use crate::ids::{EndpointId, LinkId, Receiver, Slot};
use crate::measures::push_link;
use crate::observe::{NetworkEvent, Observer};
use crate::packet::{Address, Packet, Stored};
use ackclock_core::Nanos;
use ackclock_core::prefetch::prefetch_item;
use ackclock_results::{Sketch, Table, quotient};
use parts::Imports;
pub use parts::{Division, Exports};
use senders::Senders;
pub use topology::Topology;
use tunnel::Gate;
pub use tunnel::Tunnel;

/// A step in which memory is brought for packets of a stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The stage.
    Stage,
    /// The numbers of its links.
    Hops,
    /// The links.
    Links,
}

/// A route of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Route(u32);

/// Links that a packet passes without an event in between.
#[derive(Clone, Copy, Debug)]
struct Stage {
    /// The links, as a range of `Network::hops`.
    first: u32,
    end: u32,
    /// The next stage.
    next: u32,
    /// The part of a divided run that has the packets after this stage.
    part: u32,
    /// Bytes that a tunnel adds to a packet on these links.
    header: u32,
    /// Number of the end of a tunnel at which the stage begins, or [`Stage::OPEN`].
    gate: u32,
}

impl Stage {
    /// Placeholder of the number of a gate where no tunnel begins or ends.
    const OPEN: u32 = u32::MAX;
}

struct LinkState {
    link: Link,
    large: Large,
    /// Whether the queue is that of the sending host.
    on_host: bool,
    /// Lane of the packets that were sent into the link, if a stage ends with the link.
    lane: u32,
    /// Number of its port; `None` if the link is not a port.
    port: Option<u32>,
    queueing_delays: Option<Box<Sketch>>,
}

/// A port in a network.
struct PortState {
    port: Port<Packet>,
    link: LinkId,
    /// The limit of the sizes of its packets, if it has one.
    mtu: Option<LinkMtu>,
    /// Time of the next poll (`due`), and its event (`poll`).
    due: Nanos,
    poll: Key,
    /// Packets in flight behind a port that may reorder them, in the order of their arrivals and of their departures.
    flight: BTreeMap<(Key, u64), Packet>,
    /// Number of packets that have departed from a port that may reorder them.
    departed: u64,
    /// Arrival of the packet that was sent last, behind a port that keeps their order.
    latest: Nanos,
    /// Packets on the wire of a host, with the times at which their last bits leave.
    leaving: VecDeque<(Key, Left)>,
}

/// The largest packet that a link takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkMtu {
    /// Size of the packet in bytes.
    pub bytes: u32,
    /// Whether the sender of a larger packet is told (ICMP). Otherwise the link is a black hole for large packets.
    pub tells: bool,
}

/// A segment that a link has dropped because it is too large, and the message that its sender gets.
#[derive(Clone, Copy, Debug)]
pub struct TooLarge {
    /// The endpoint that sent it.
    pub endpoint: EndpointId,
    /// Generation of the endpoint's connection.
    pub generation: u16,
    /// Largest packet that the link takes, bytes.
    pub mtu: u32,
    /// Sequence number of the segment.
    pub seq: u32,
    /// Time for which the segment has been on its way.
    pub took: Nanos,
}

/// A message of the network to the host of a packet's sender.
#[derive(Clone, Copy, Debug)]
pub enum Notice {
    /// A packet has left the queue of the host.
    Left(Left),
    /// A link has dropped a packet that is too large for it.
    TooLarge(TooLarge),
}

/// A packet that has left the queue of its host: it has been on the wire, or the queue has dropped it.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    /// The endpoint that sent it.
    pub endpoint: EndpointId,
    /// Generation of the endpoint's connection.
    pub generation: u16,
    /// Its payload, bytes.
    pub payload: u32,
}

/// Links, routes, packets in flight with contents `P`, and the queue of all events.
pub struct Network<P = Segment> {
    links: Vec<LinkState>,
    ports: Vec<PortState>,
    /// First stage of each route.
    routes: Vec<u32>,
    stages: Vec<Stage>,
    gates: Vec<Gate>,
    hops: Vec<LinkId>,
    /// Number of the first lane that belongs to a single link.
    shared: u32,
    /// Packets between two stages, or between a stage and the host. The first lanes have the numbers of ports and are
    /// not used; then come the shared lanes, then one lane for each link.
    lanes: Vec<Lane<Key, Packet>>,
    stored: Stored<P>,
    senders: Senders,
    /// Whether the packets that leave the queue of their host are told (`tells_hosts`), and what hosts are to be told.
    tells_hosts: bool,
    notices: VecDeque<Notice>,
    /// End of the run (`end`), and the number of packets that reach one of their links after it (`beyond`).
    end: Nanos,
    beyond: usize,
    /// The number of the part that this network is in a divided run, the packets that have left it for each part, and
    /// those that come from other parts.
    part: u32,
    exports: Vec<Exports<P>>,
    imports: Imports,
    /// The event queue. The sources with the numbers of ports and lanes belong to the network.
    pub events: EventQueue,
}

impl<P: Contents> Network<P> {
    /// Gives links a common lane if their packets arrive nearly in the order of sending. This holds for links with the
    /// same delay whose packets come from hosts, which send in the present, or from one upstream link, which sends one
    /// packet after the other.
    fn share_lanes(&mut self, opens: &[bool]) {
        let ports = self.ports.len() as u32;
        let mut lanes = BTreeMap::new();
        for stage in &self.stages {
            let hops = &self.hops[stage.first as usize..stage.end as usize];
            let (first, last) = (hops[0], hops[hops.len() - 1]);
            let delay = hops.iter().map(|link| self.links[link.0 as usize].link.delay()).fold(0, Nanos::saturating_add);
            let number = ports + lanes.len() as u32;
            self.links[last.0 as usize].lane =
                *lanes.entry((opens[first.0 as usize].then_some(first), delay)).or_insert(number);
        }
        self.shared = ports + lanes.len() as u32;
        self.lanes.resize_with(self.shared as usize + self.links.len(), Lane::default);
        self.events = EventQueue::new(self.shared, self.lanes.len());
    }

    /// Sets the flow number by which queue disciplines identify the packets on a route, together with the number of
    /// their connection.
    pub fn name(&mut self, route: Route, flow: u64) {
        let stages = self.stages_of(route);
        self.senders.flows.resize(self.stages.len(), 0);
        self.senders.flows[stages.clone()].fill(flow);
        for (inside, number) in self.senders.tunnels_of(stages) {
            self.senders.flows[inside.clone()].fill(number);
            self.senders.hides.resize(self.stages.len(), false);
            self.senders.hides[inside].fill(true);
        }
    }

    /// Sets the hosts and the code point of the packets on a route.
    fn describe(&mut self, route: Route, headers: Headers) {
        let stages = self.stages_of(route);
        self.senders.headers.resize(self.stages.len(), Headers::default());
        self.senders.headers[stages.clone()].fill(headers);
        for (inside, number) in self.senders.tunnels_of(stages) {
            let (source, destination) = (number, number.wrapping_add(1));
            self.senders.headers[inside].fill(Headers { source, destination, ..headers });
        }
    }

    /// Sets the hosts and the code point of the packets on the routes of a flow, in the forward and in the reverse
    /// direction; the code point is the same in both.
    fn describe_both(&mut self, routes: [Route; 2], headers: Headers) {
        self.describe(routes[0], headers);
        let (source, destination) = (headers.destination, headers.source);
        self.describe(routes[1], Headers { source, destination, ..headers });
    }

    fn stages_of(&self, route: Route) -> std::ops::Range<usize> {
        let next = self.routes.get(route.0 as usize + 1).map_or(self.stages.len(), |first| *first as usize);
        self.first_stage(route) as usize..next
    }

    /// Sets the flow numbers and the headers of the routes of all pairs of hosts of a flow, and returns their first
    /// stages. `flows` has the numbers by the side that sends, `headers` those of the first hosts, and `hosts` the numbers
    /// of hosts on both sides.
    pub fn name_pairs(
        &mut self,
        routes: &[[Route; 2]],
        flows: [u64; 2],
        headers: Headers,
        hosts: [u32; 2],
    ) -> Vec<[u32; 2]> {
        for (number, pair) in (0..).zip(routes) {
            for (route, flow) in pair.iter().zip(flows) {
                self.name(*route, flow);
            }
            let [source, destination] = hosts.map(|hosts| u64::from(number % hosts));
            let source = headers.source.wrapping_add(source);
            let destination = headers.destination.wrapping_add(destination);
            self.describe_both(*pair, Headers { source, destination, ..headers });
        }
        routes.iter().map(|pair| pair.map(|route| self.first_stage(route))).collect()
    }

    /// Notes that a connection begins in a slot: packets of that generation to either of its ends belong to it.
    pub fn opened(&mut self, slot: Slot, generation: u16, connection: u32) {
        let open = &mut self.senders.open;
        open.resize(open.len().max(slot.0 as usize + 1), None);
        open[slot.0 as usize] = Some((generation, connection));
    }

    /// Notes that the connection in a slot is closed.
    pub fn closed(&mut self, slot: Slot) {
        self.senders.open[slot.0 as usize] = None;
    }

    /// Returns the number of event sources that belong to the network.
    pub fn sources(&self) -> u32 {
        self.lanes.len() as u32
    }

    /// Sets the end of the run. Events at a link after the end are not evaluated, so the link's counts and queueing
    /// delays are those of the run, although its times are computed in advance.
    pub fn end_at(&mut self, end: Nanos) {
        self.end = end;
    }

    /// Returns the first stage of a route.
    pub fn first_stage(&self, route: Route) -> u32 {
        self.routes[route.0 as usize]
    }

    /// Sends `contents` at the time and to the receiver that the address gives.
    #[inline(always)]
    pub fn send<O: Observer<P>>(&mut self, contents: &P, address: Address, observer: &mut O) {
        let packet = Packet::new(contents, address, &mut self.stored);
        self.forward(address.sent, packet, observer);
    }

    /// Like [`Network::send`], for contents that are rarely packed: not inlined.
    #[inline(never)]
    pub fn send_other<O: Observer<P>>(&mut self, contents: &P, address: Address, observer: &mut O) {
        self.send(contents, address, observer);
    }

    /// Moves a packet through the links of its stage; the packet reaches the stage at `now`.
    #[inline(always)]
    pub fn forward<O: Observer<P>>(&mut self, now: Nanos, packet: Packet, observer: &mut O) {
        let stage = self.stages[packet.stage() as usize];
        if stage.gate != Stage::OPEN {
            return self.pass_gate(now, packet, stage, observer);
        }
        self.pass(now, packet, stage, 0, observer);
    }

    /// Moves a packet through the links of a stage, or through the rest of the stage. The packet arrives at `at` from
    /// the link `last`, if it comes from a link.
    #[inline(always)]
    fn pass<O: Observer<P>>(&mut self, mut at: Nanos, packet: Packet, stage: Stage, mut last: u32, observer: &mut O) {
        for (hop, &link) in (stage.first..).zip(&self.hops[stage.first as usize..stage.end as usize]) {
            if at > self.end {
                return self.give_up(packet);
            }
            if packet.is_large() && self.splits(link, packet) {
                return self.split(at, packet, Stage { first: hop, ..stage }, last, observer);
            }
            last = link.0;
            let link_state = &mut self.links[last as usize];
            let passage = match link_state.link.offer(at, packet.size() + stage.header) {
                Ok(passage) => passage,
                Err(Refusal::Drop(cause)) => return self.refuse(at, packet, link, (cause, None), observer),
                Err(Refusal::Port) => return self.enter(at, packet, link, observer),
            };
            if let Some(queueing_delays) = &mut link_state.queueing_delays
                && passage.start <= self.end
            {
                queueing_delays.record(passage.start - at);
            }
            if O::ACTIVE {
                let contents = packet.contents(&self.stored);
                observer.network(at, contents.as_ref(), NetworkEvent::Enqueued { link, packet, passage });
            }
            at = passage.arrival;
        }
        let packet = packet.before(stage.next);
        if stage.part != self.part {
            return self.export(at, last, packet, stage.part);
        }
        self.land(at, last, packet);
    }

    /// Adds a packet to the lane of the link from which it arrives at `at`.
    #[inline(always)]
    fn land(&mut self, at: Nanos, link: u32, packet: Packet) {
        let lane = self.links[link as usize].lane;
        // Packets that arrive at the same time and were sent at the same time are ordered by their links, whichever
        // lanes they are in.
        let key = self.events.stamp(at, self.shared + link);
        match self.lanes[lane as usize].push(key, packet) {
            Place::First => self.events.set_for(lane, key),
            Place::Behind => {}
            Place::None => self.append(key, packet),
        }
    }

    /// Whether a large packet is split when it arrives at a link.
    #[cold]
    fn splits(&self, link: LinkId, packet: Packet) -> bool {
        let link_state = &self.links[link.0 as usize];
        let by_port = |port: u32| self.ports[port as usize].port.splits(packet.size());
        link_state.large == Large::Split || link_state.port.is_some_and(by_port)
    }

    /// Splits a large packet into its segments, and moves them through the rest of a stage.
    #[cold]
    #[inline(never)]
    fn split<O: Observer<P>>(&mut self, at: Nanos, packet: Packet, rest: Stage, last: u32, observer: &mut O) {
        for segment in packet.split(&mut self.stored) {
            self.pass(at, segment, rest, last, observer);
        }
    }

    /// Handles a packet that reaches its next link after the end of the run.
    #[cold]
    #[inline(never)]
    fn give_up(&mut self, packet: Packet) {
        self.beyond += 1;
        packet.release(&mut self.stored);
    }

    /// Handles a packet that a link drops, with the cause and, if it is lost on the wire, its times.
    #[cold]
    #[inline(never)]
    fn refuse<O: Observer<P>>(
        &mut self,
        at: Nanos,
        packet: Packet,
        link: LinkId,
        (cause, passage): (DropCause, Option<Passage>),
        observer: &mut O,
    ) {
        if self.tells_hosts && self.links[link.0 as usize].on_host {
            self.notices.extend(self.sender_of(packet).map(Notice::Left));
        }
        if O::ACTIVE {
            let contents = packet.contents(&self.stored);
            observer.network(at, contents.as_ref(), NetworkEvent::Dropped { link, packet, cause, passage });
        }
        packet.release(&mut self.stored);
    }

    /// Returns the endpoint that has sent a packet, and what that endpoint has to know of it.
    #[cold]
    #[inline(never)]
    fn sender_of(&self, packet: Packet) -> Option<Left> {
        let Receiver::Endpoint(receiver) = packet.receiver() else { return None };
        let payload = packet.contents(&self.stored)?.payload();
        Some(Left { endpoint: receiver.peer(), generation: packet.generation(), payload })
    }

    /// Has [`Network::notice`] tell of the packets that leave the queues of their hosts.
    pub fn tell_of_hosts(&mut self) {
        self.tells_hosts = true;
    }

    /// Returns what a host is to be told, each once.
    #[inline]
    pub fn notice(&mut self) -> Option<Notice> {
        if self.notices.is_empty() { None } else { self.notices.pop_front() }
    }

    /// Adds a packet to the lane of its link alone, where it overtakes no packet; in the shared lane it would have to
    /// overtake too many.
    #[cold]
    #[inline(never)]
    fn append(&mut self, key: Key, packet: Packet) {
        let lane = key.source();
        if self.lanes[lane as usize].push(key, packet) == Place::First {
            self.events.set(lane, key);
        }
    }

    /// Removes the packet with the earliest event from its lane. The packet is to be passed to [`Network::forward`] or,
    /// if it is at its host according to [`Packet::is_at_host`] and no datagram, to [`Network::unpack`].
    ///
    /// # Panics
    /// If the earliest event is not one of the network's.
    #[inline]
    pub fn arrive(&mut self) -> Packet {
        let source = self.events.first().source();
        let lane = &mut self.lanes[source as usize];
        let packet = lane.pop().expect("a lane with an event holds a packet");
        self.events.set_for(source, lane.first().unwrap_or(Key::NEVER));
        packet
    }

    /// Brings what packets need on a stage into the processor's caches, one step after the other: the stage, the numbers of its
    /// links, and the links.
    #[inline]
    pub fn prefetch(&self, stage: u32, step: Step) {
        if step == Step::Stage {
            return prefetch_item(&self.stages, stage as usize);
        }
        let Some(stage) = self.stages.get(stage as usize) else { return };
        if step == Step::Hops {
            return prefetch_item(&self.hops, stage.first as usize);
        }
        for hop in &self.hops[stage.first as usize..stage.end as usize] {
            self.links[hop.0 as usize].link.prefetch();
        }
    }

    /// Returns the next four packets of a lane, if they are there and adjacent in memory.
    #[inline]
    pub fn coming(&self, lane: u32) -> Option<&[(Key, Packet); 4]> {
        self.lanes[lane as usize].coming()
    }

    /// Returns the contents of a packet that is at its host and is not a datagram.
    #[inline(always)]
    pub fn unpack(&mut self, packet: Packet) -> P {
        let contents = packet.contents_of_transport(&self.stored);
        packet.release(&mut self.stored);
        contents
    }

    /// Returns a link.
    pub fn link(&self, link: LinkId) -> &Link {
        &self.links[link.0 as usize].link
    }

    /// Returns the counts of a link up to `at`, the end of the run; `None` if the link has no counts.
    pub fn carried(&mut self, link: LinkId, at: Nanos) -> Option<Carried> {
        let link_state = &mut self.links[link.0 as usize];
        match link_state.port {
            Some(port) => Some(self.ports[port as usize].port.carried(at)),
            None => link_state.link.carried(at),
        }
    }

    /// Returns the number of packets and of bytes in the queue of a link whose packets are polled; zero for others.
    pub fn backlog(&self, link: LinkId) -> (u64, u64) {
        self.links[link.0 as usize].port.map_or((0, 0), |port| self.ports[port as usize].port.backlog())
    }

    /// Returns the meter of the link's capacity, which does not depend on the traffic.
    pub fn meter(&self, link: LinkId) -> Meter<'_> {
        let link_state = &self.links[link.0 as usize];
        match link_state.port {
            Some(port) => self.ports[port as usize].port.server().meter(),
            None => Meter::of_rate(link_state.link.rate()),
        }
    }

    /// Returns the table of links up to `at`, the end of the run, with a row for each of `links` that keeps counts.
    pub fn rows(&mut self, links: &[(LinkId, String)], at: Nanos) -> Table {
        let mut rows = Table::default();
        for (link, name) in links {
            self.push_row(*link, name, at, &mut rows);
        }
        rows
    }

    /// Adds the row of a link up to `at`, the end of the run, if the link keeps counts.
    pub fn push_row(&mut self, link: LinkId, name: &str, at: Nanos, rows: &mut Table) {
        if let Some(carried) = self.carried(link, at) {
            let rate = self.link(link).rate();
            let capacity = quotient(self.meter(link).by(at), PARTS_OF_A_BIT);
            push_link(rows, name, rate, capacity, carried, self.queueing_delays(link));
        }
    }

    /// Returns the queueing delays of a link that is measured.
    pub fn queueing_delays(&self, link: LinkId) -> Option<&Sketch> {
        self.links[link.0 as usize].queueing_delays.as_deref()
    }

    /// Returns the number of packets in flight or queued, and the number of packets with options that are stored.
    /// Packets that reach their next link after the end of the run count only in the first number.
    pub fn in_flight(&self) -> (usize, usize) {
        let behind = |port_state: &PortState| port_state.flight.len() + port_state.port.backlog().0 as usize;
        let lanes: usize = self.lanes.iter().map(Lane::len).sum();
        (lanes + self.ports.iter().map(behind).sum::<usize>() + self.beyond, self.stored.len())
    }
}
