//! Links joined to routes, and the packets between them.
//!
//! Routes are static. A route is cut into stages where its packets need an event: before a link that several upstreams
//! feed, whose packets have to be brought into order, and at the host. Within a stage every link is fed by the one
//! before it alone, so it sees its arrivals in order and is evaluated at once, ahead of time. On a dumbbell with three
//! links each way this leaves two events a packet: at the bottleneck and at the host. A discipline is asked in the present,
//! as a packet arrives before its queue and as it leaves for the wire: a link that has one begins a stage, too, and what its
//! queue lets in waits in a lane of its own, with an event a packet.

use std::collections::{BTreeMap, BTreeSet};

use ackclock_net::{Carried, DropCause, Lane, Link, Place, Refusal};
use ackclock_tcp::Segment;

use crate::Nanos;
use crate::event::{EventQueue, Key};
use crate::measures::Waits;
use crate::observe::{NetworkEvent, Observer};
use crate::packet::{Optioned, Packet};

/// A link of a network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LinkId(pub u32);

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
    /// The lane of what waits for its turn on the wire, where the queue has a discipline.
    gate: u32,
    waits: Option<Box<Waits>>,
}

/// Links and routes before they are joined.
#[derive(Default)]
pub struct Topology {
    lines: Vec<Line>,
    routes: Vec<Vec<LinkId>>,
}

impl Topology {
    /// Adds a link.
    pub fn link(&mut self, link: Link) -> LinkId {
        self.lines.push(Line { link, lane: 0, gate: 0, waits: None });
        LinkId(self.lines.len() as u32 - 1)
    }

    /// Adds a link whose queueing delays are recorded.
    pub fn measured_link(&mut self, link: Link) -> LinkId {
        let id = self.link(link);
        self.lines[id.0 as usize].waits = Some(Box::default());
        id
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
        let opens: Vec<bool> = self
            .links()
            .zip(&upstreams)
            .map(|(link, upstreams)| link.has_discipline() || upstreams.len() > 1)
            .collect();

        let mut network = Network {
            lines: self.lines,
            routes: Vec::new(),
            stages: Vec::new(),
            hops: Vec::new(),
            shared: 0,
            lanes: Vec::new(),
            optioned: Optioned::default(),
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

/// Links, routes, packets in flight, and the queue of all events.
pub struct Network {
    lines: Vec<Line>,
    /// First stage of each route.
    routes: Vec<u32>,
    stages: Vec<Stage>,
    hops: Vec<LinkId>,
    /// The lanes that links share, and those before a wire.
    shared: u32,
    /// What is between two stages, or a stage and the host, or waits: the lanes shared, then one for each link.
    lanes: Vec<Lane<Key, Packet>>,
    optioned: Optioned,
    /// The event queue. The sources with the numbers of lanes are the network's own.
    pub events: EventQueue,
}

impl Network {
    /// Gives links a common lane where what they send arrives nearly in the order of sending: after the same delay, and
    /// from hosts, which send at the present, or from one link before them, which sends one packet after the other.
    fn share_lanes(&mut self, opens: &[bool]) {
        let mut lanes = BTreeMap::new();
        for stage in &self.stages {
            let hops = &self.hops[stage.first as usize..stage.end as usize];
            let (first, last) = (hops[0], hops[hops.len() - 1]);
            let delay: Nanos = hops.iter().map(|link| self.lines[link.0 as usize].link.delay()).sum();
            let number = lanes.len() as u32;
            self.lines[last.0 as usize].lane =
                *lanes.entry((opens[first.0 as usize].then_some(first), delay)).or_insert(number);
        }
        self.shared = lanes.len() as u32;
        for line in self.lines.iter_mut().filter(|line| line.link.has_discipline()) {
            line.gate = self.shared;
            self.shared += 1;
        }
        self.lanes.resize_with(self.shared as usize + self.lines.len(), Lane::default);
        self.events = EventQueue::new(self.shared, self.lanes.len());
    }

    /// Number of event sources that are the network's.
    pub fn sources(&self) -> u32 {
        self.lanes.len() as u32
    }

    /// The stage on which the packets of a route set out.
    pub fn first_stage(&self, route: Route) -> u32 {
        self.routes[route.0 as usize]
    }

    /// Sends `segment` at `now` to the endpoint `to`, on a route that begins with `stage`.
    #[inline]
    pub fn send<O: Observer>(
        &mut self,
        now: Nanos,
        segment: &Segment,
        to: u32,
        generation: u16,
        stage: u32,
        observer: &mut O,
    ) {
        let packet = Packet::new(segment, to, generation, stage, &mut self.optioned);
        self.forward(now, packet, observer);
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
            last = link.0;
            let line = &mut self.lines[last as usize];
            let passage = match line.link.offer(at, packet.size()) {
                Ok(passage) => passage,
                Err(Refusal::Drop(cause)) => return self.refuse(at, packet, link, cause, observer),
                Err(Refusal::Discipline) => return self.ask(at, packet, link, observer),
            };
            if let Some(waits) = &mut line.waits {
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

    /// A packet is before a queue with a discipline: it arrives or, having waited, leaves for the wire.
    #[inline(never)]
    fn ask<O: Observer>(&mut self, at: Nanos, packet: Packet, link: LinkId, observer: &mut O) {
        let line = &mut self.lines[link.0 as usize];
        let mut item = packet.item(&self.optioned);
        if packet.waits() {
            let arrival = line.link.depart(at, &mut item);
            packet.update(&item, &mut self.optioned);
            let stage = self.stages[packet.stage() as usize];
            let rest = Stage { first: stage.first + 1, ..stage };
            return self.pass(arrival, packet.waiting(false), rest, link.0, observer);
        }
        let passage = match line.link.enqueue(at, &item) {
            Ok(passage) => passage,
            Err(cause) => return self.refuse(at, packet, link, cause, observer),
        };
        let gate = line.gate;
        if let Some(waits) = &mut line.waits {
            waits.record(passage.start - at);
        }
        if O::ACTIVE {
            let segment = packet.segment(&self.optioned);
            observer.network(at, &segment, NetworkEvent::Enqueued { link, packet, passage });
        }
        let key = self.events.stamp(passage.start, gate);
        self.append(key, packet.waiting(true));
    }

    /// Puts a packet in a lane in which none is passed: that before a wire, or the one of its link alone, where it would
    /// have to pass too many in the lane shared.
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

    /// What a link has carried by `at`; `None` where it keeps no counts.
    pub fn carried(&mut self, link: LinkId, at: Nanos) -> Option<Carried> {
        self.lines[link.0 as usize].link.carried(at)
    }

    /// The queueing delays of a measured link.
    pub fn waits(&self, link: LinkId) -> Option<&Waits> {
        self.lines[link.0 as usize].waits.as_deref()
    }

    /// Packets in flight or queued, and those of them that have options.
    pub fn in_flight(&self) -> (usize, usize) {
        (self.lanes.iter().map(Lane::len).sum(), self.optioned.len())
    }
}
