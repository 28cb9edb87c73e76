//! The network of a scenario for packets from outside: those of a real kernel, or recorded ones.
//!
//! A relay has the links, queues, losses and traces of a run, built by the same code from the same seeds, but neither
//! endpoints nor applications. It is told when packets enter and says when they leave, so its user has the clock.

use ackclock_core::{Ecn, NEVER, Nanos, stream_number};
use ackclock_net::{Carried, DropCause, Link};
use ackclock_results::{Table, Tables};
use ackclock_scenario::{Scenario, ScenarioError};

use ackclock_app::Side;

use crate::build;
use crate::endpoint::{Contents, Event, Packed, Sending};
use crate::event::Key;
use crate::ids::{EndpointId, LinkId, Receiver, Slot};
use crate::network::{Network, Topology};
use crate::observe::{NetworkEvent, Observer, Who};
use crate::packet::{Address, Packet};
use crate::series::{Instants, Queues};
use crate::world::FlowSpec;

/// A packet from outside as the network sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parcel {
    /// Number by which the relay's user knows the packet.
    pub number: u64,
    /// Size in bytes with all headers from the IP header on, at most 65,535.
    pub size: u32,
    /// ECN field.
    pub ecn: Ecn,
}

impl Contents for Parcel {
    fn size(&self) -> u32 {
        self.size
    }

    fn payload(&self) -> u32 {
        0
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn set_ecn(&mut self, ecn: Ecn) {
        self.ecn = ecn;
    }

    fn pack(&self, _sending: Sending) -> Option<Packed> {
        Some(Packed { numbers: self.number, bits: 0, extra: None, size: self.size })
    }

    fn unpack(packed: Packed, ecn: Ecn, _sending: Sending) -> Parcel {
        Parcel { number: packed.numbers, size: packed.size, ecn }
    }
}

/// The sender of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sender {
    /// Index of the flow whose route the packet takes, in the order of the scenario; each copy counts.
    pub flow: usize,
    /// The end of the flow that sends the packet.
    pub side: Side,
    /// Number of the packet's connection. Queues that tell flows apart hash it.
    pub connection: u32,
    /// Number of the connection among those of its flow. The connections join the flow's pairs of hosts in turn.
    pub pair: u32,
}

/// Fate of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// The packet reached the host at the other end, perhaps with a mark.
    Delivered {
        /// The end of the flow that receives it.
        to: Side,
        /// The packet as it arrives.
        parcel: Parcel,
    },
    /// A link dropped it.
    Dropped {
        /// Number of the packet.
        number: u64,
        /// Cause of the drop.
        cause: DropCause,
    },
    /// A link duplicated it: a second packet with this number is under way.
    Copied {
        /// Number of the packet.
        number: u64,
    },
}

/// A fate and its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Happened {
    /// Time in ns since the start of the relay.
    pub at: Nanos,
    /// Fate of the packet.
    pub fate: Fate,
}

/// A link at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Gauge {
    /// Counts since the start.
    pub carried: Carried,
    /// Packets in the queue.
    pub queued_packets: u64,
    /// Bytes in the queue.
    pub queued_bytes: u64,
}

/// Notes the events of a network that a relay tells, and the queues if the scenario asks for them.
struct Notes {
    happened: Vec<Happened>,
    queues: Option<Queues>,
}

impl Observer<Parcel> for Notes {
    fn opened(&mut self, _endpoint: EndpointId, _generation: u16, _who: Who, _pair: u32) {}

    fn endpoint(&mut self, _now: Nanos, _who: Who, _event: Event<'_, Parcel>) {}

    fn network(&mut self, at: Nanos, contents: Option<&Parcel>, event: NetworkEvent) {
        if let Some(queues) = &mut self.queues {
            queues.network(at, event);
        }
        let Some(&Parcel { number, .. }) = contents else { return };
        let fate = match event {
            NetworkEvent::Dropped { cause, .. } => Fate::Dropped { number, cause },
            NetworkEvent::Copied { .. } => Fate::Copied { number },
            _ => return,
        };
        self.happened.push(Happened { at, fate });
    }
}

/// The way of a flow's packets.
struct Way {
    /// First stages of its routes, by the pair of hosts and the side that sends.
    stages: Vec<[u32; 2]>,
    class: u8,
    /// Propagation delay of both routes at the start, in ns.
    rtt: Nanos,
}

/// The network of a scenario, for packets from outside.
pub struct Relay {
    network: Network<Parcel>,
    /// Least time from an event of each source until a packet reaches a host, in ns.
    least: Vec<Nanos>,
    links: Vec<(LinkId, String)>,
    flows: Vec<Way>,
    connections: u32,
    notes: Notes,
    now: Nanos,
}

impl Relay {
    /// Creates the network of a scenario at time 0 with a seed.
    ///
    /// # Errors
    /// Parameters with which an application cannot run.
    pub fn new(scenario: &Scenario, seed: u64) -> Result<Relay, ScenarioError> {
        let (mut dumbbell, mut links) = build::network(Topology::in_the_present(), scenario, seed);
        let specs = build::tcp_flows(scenario, seed, &mut dumbbell, &links)?;
        links.extend(build::policed(&dumbbell.topology, &specs));
        let topology = dumbbell.topology;
        let delays: Vec<Nanos> = topology.links().map(Link::delay).collect();
        let hops = |flow: &FlowSpec| flow.routes[0].map(|route| topology.hops(route).to_vec()).concat();
        let rtts: Vec<Nanos> = specs
            .iter()
            .map(|flow| hops(flow).iter().map(|link| delays[link.0 as usize]).fold(0, Nanos::saturating_add))
            .collect();
        let mut network = topology.join();
        network.end_at(NEVER);
        let mut flows = Vec::new();
        for (spec, rtt) in specs.into_iter().zip(rtts) {
            let numbers =
                [Side::Source, Side::Sink].map(|side| stream_number(&format!("{}/{}", spec.labels.name, side.name())));
            let stages = network.name_pairs(&spec.routes, numbers, spec.headers, spec.hosts);
            flows.push(Way { stages, class: spec.class, rtt });
        }
        network.events.reserve(network.sources() as usize);
        let probes = &scenario.probes;
        let to = probes.to.unwrap_or(scenario.duration);
        let instants = Instants { from: probes.from, interval: probes.interval, to };
        let queues = probes.queues.then(|| Queues::new(instants, links.iter().map(|(link, _)| *link)));
        let notes = Notes { happened: Vec::new(), queues };
        let least = network.least_times();
        Ok(Relay { network, least, links, flows, connections: 0, notes, now: 0 })
    }

    /// Returns the number of flows, and with it that of routes.
    pub fn flows(&self) -> usize {
        self.flows.len()
    }

    /// Returns the propagation delay of both routes of a flow at the start, in ns.
    ///
    /// # Panics
    /// If there is no such flow.
    pub fn rtt(&self, flow: usize) -> Nanos {
        self.flows[flow].rtt
    }

    /// Lets a packet enter at `at`. All that happens up to that time is added to `happened` first.
    ///
    /// # Panics
    /// If `at` is earlier than the time of an earlier call, or if there is no such flow.
    pub fn enter(&mut self, at: Nanos, from: Sender, parcel: Parcel, happened: &mut Vec<Happened>) {
        self.advance(at, happened);
        let Sender { flow, side, connection, pair } = from;
        let Way { stages, class, .. } = &self.flows[flow];
        let (stages, class) = (stages[pair as usize % stages.len()], *class);
        while self.connections <= connection {
            self.network.opened(Slot(self.connections), 0, self.connections);
            self.connections += 1;
        }
        let to = EndpointId::new(Slot(connection), side.peer());
        let address = Address { to, generation: 0, class, stage: stages[side as usize], sent: at };
        self.network.send(&parcel, address, &mut self.notes);
        happened.append(&mut self.notes.happened);
    }

    /// Returns a time before which no packet reaches a host, most often that at which the next packet does; `NEVER` if the
    /// network is empty. Events before it need no call of their own.
    pub fn next(&self) -> Nanos {
        self.network.events.earliest_after(&self.least)
    }

    fn next_event(&self) -> Nanos {
        let first = self.network.events.first();
        if first == Key::NEVER { NEVER } else { first.time() }
    }

    /// Adds all that happens up to `to`, that time included, to `happened` in the order of time.
    ///
    /// # Panics
    /// If `to` is earlier than the time of an earlier call.
    pub fn advance(&mut self, to: Nanos, happened: &mut Vec<Happened>) {
        assert!(to >= self.now, "a relay's clock runs forward");
        while self.next_event() <= to && self.next_event() != NEVER {
            let key = self.network.events.first();
            self.now = key.time();
            self.network.events.advance(self.now);
            if self.network.is_port(key.source()) {
                if let Some(packet) = self.network.serve(&mut self.notes) {
                    self.arrived(packet);
                }
            } else {
                let packet = self.network.arrive();
                self.arrived(packet);
            }
            happened.append(&mut self.notes.happened);
        }
        self.now = to;
        self.network.events.advance(to);
    }

    fn arrived(&mut self, packet: Packet) {
        if !packet.is_at_host() {
            return self.network.forward(self.now, packet, &mut self.notes);
        }
        let Receiver::Endpoint(to) = packet.receiver() else { unreachable!("a relay sends no datagrams") };
        let parcel = self.network.unpack(packet);
        self.notes.happened.push(Happened { at: self.now, fate: Fate::Delivered { to: to.side(), parcel } });
    }

    /// Returns the table `links` up to the present, with a row for each direction of each link of the scenario.
    pub fn report(&mut self) -> Table {
        self.network.rows(&self.links, self.now)
    }

    /// Returns the names of the links in each direction, in the order of [`Relay::gauges`].
    pub fn links(&self) -> impl Iterator<Item = &str> {
        self.links.iter().map(|(_, name)| name.as_str())
    }

    /// Returns the counts of each link up to the present, and the packets and bytes in its queue.
    pub fn gauges(&mut self) -> Vec<Gauge> {
        let Relay { network, links, now, .. } = self;
        let gauge = |(link, _): &(LinkId, String)| {
            let (packets, bytes) = network.backlog(*link);
            Gauge {
                carried: network.carried(*link, *now).unwrap_or_default(),
                queued_packets: packets,
                queued_bytes: bytes,
            }
        };
        links.iter().map(gauge).collect()
    }

    /// Ends the relay and returns the tables `links` and, if the scenario asks for it, `queues`.
    pub fn finish(mut self) -> Tables {
        let mut tables = Tables::new();
        tables.insert("links", self.report());
        if let Some(queues) = self.notes.queues {
            let name = |id| self.links.iter().find(|(link, _)| *link == id).map_or("", |(_, name)| name.as_str());
            tables.insert("queues", queues.report(self.now, &self.network, name));
        }
        tables
    }
}

#[cfg(test)]
mod tests;
