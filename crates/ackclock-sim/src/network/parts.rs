//! The parts of a network that is divided for several threads.
//!
//! Each part has all links, but uses only its own: those of its flows. The first part also has all links that flows of
//! several parts share. Links have delays, so what happens in the first part reaches another one no sooner than the delay
//! `out` from the shared links to hosts, and the way back takes at least the delay `back` from hosts to shared links. A
//! part may therefore be ahead of another by so much, and each packet that leaves a part still arrives in time.
//!
//! The order of events does not depend on the parts ([`crate::event::Key`]), so the results are the same for any number
//! of parts. This is the conservative synchronisation of Chandy and Misra (IEEE Transactions on Software Engineering,
//! 1979).

use std::collections::BTreeMap;

use ackclock_core::{NEVER, Nanos};

use super::{Network, Route, Stage};
use crate::endpoint::Contents;
use crate::event::Key;
use crate::ids::LinkId;
use crate::packet::{AT_HOST, Packet};

/// Packets on their way from one part to another, each with its key, whose source follows from its last link. The few
/// contents that are stored beside packets are in the same order.
pub struct Exports<P> {
    packets: Vec<(Key, Packet)>,
    contents: Vec<P>,
}

impl<P> Default for Exports<P> {
    fn default() -> Exports<P> {
        Exports { packets: Vec::new(), contents: Vec::new() }
    }
}

impl<P> Exports<P> {
    /// Moves the packets of `others` behind these.
    pub fn append(&mut self, others: &mut Exports<P>) {
        self.packets.append(&mut others.packets);
        self.contents.append(&mut others.contents);
    }

    /// Whether there are no packets.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
}

/// The packets that a network imports, by lane.
#[derive(Default)]
pub(super) struct Imports {
    /// Packets for each lane, in the order of the lanes' numbers; and the lanes that have some.
    by_lane: Vec<Vec<(Key, Packet)>>,
    lanes: Vec<u32>,
}

/// Least sum of the delays from shared links to hosts and back, in ns. With less, parts would mostly wait.
const LEAST: Nanos = 10_000;

/// The division of a network into parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Division {
    /// Part that has the packets after a stage, for each stage.
    stages: Vec<u32>,
    /// Links that begin a stage and belong to a part behind the first; first links of routes only if they have counts.
    links: BTreeMap<LinkId, u32>,
    /// Least time from a shared link to a host, in ns.
    pub out: Nanos,
    /// Least time from a host to a shared link, in ns.
    pub back: Nanos,
}

impl Division {
    /// Returns the part that has the counts of a link.
    pub fn part_of(&self, link: LinkId) -> u32 {
        self.links.get(&link).copied().unwrap_or(0)
    }
}

impl<P: Contents> Network<P> {
    /// Divides the network for flows with these routes, each with the number of its part. Returns `None` if packets may go
    /// from one part to another and back in less than 10 us.
    pub fn divide(&self, flows: &[(u32, Vec<[Route; 2]>)]) -> Option<Division> {
        let routes = || {
            let of = |(part, pairs): &(u32, Vec<[Route; 2]>)| {
                let part = *part;
                pairs.iter().flatten().map(move |route| (part, self.stages_of(*route))).collect::<Vec<_>>()
            };
            flows.iter().flat_map(of)
        };
        let first_link = |stage: usize| self.hops[self.stages[stage].first as usize];
        let mut links = BTreeMap::new();
        for (part, stages) in routes() {
            let begins = |stage: &usize| *stage > stages.start || self.is_port_first(*stage);
            for stage in stages.clone().filter(begins) {
                let owner = links.entry(first_link(stage)).or_insert(part);
                *owner = if *owner == part { part } else { 0 };
            }
        }
        links.retain(|_, part| *part > 0);

        let mut division = Division { stages: vec![0; self.stages.len()], links, out: NEVER, back: NEVER };
        for (part, stages) in routes() {
            let mut here = part;
            for number in stages {
                let stage = self.stages[number];
                let there = match stage.next {
                    AT_HOST => part,
                    next => division.part_of(first_link(next as usize)),
                };
                division.stages[number] = there;
                if here != there {
                    let least = if here == 0 { &mut division.out } else { &mut division.back };
                    *least = self.least_time(stage).min(*least);
                }
                here = there;
            }
        }
        (division.out.saturating_add(division.back) >= LEAST).then_some(division)
    }

    /// Whether a stage begins with a port, which has counts of its own.
    fn is_port_first(&self, stage: usize) -> bool {
        self.links[self.hops[self.stages[stage].first as usize].0 as usize].port.is_some()
    }

    /// Returns the least time that a packet takes through a stage, in ns; 0 if that is not known.
    pub(super) fn least_time(&self, stage: Stage) -> Nanos {
        let delay = |link: &LinkId| {
            let link_state = &self.links[link.0 as usize];
            match link_state.port {
                None => link_state.link.delay(),
                Some(port) if self.ports[port as usize].port.reorders() => 0,
                Some(port) => self.ports[port as usize].port.least_delay(),
            }
        };
        self.hops[stage.first as usize..stage.end as usize].iter().map(delay).fold(0, Nanos::saturating_add)
    }

    /// Makes the network one part of a divided one.
    pub fn become_part(&mut self, part: u32, parts: u32, division: &Division) {
        self.part = part;
        self.exports.resize_with(parts as usize, Exports::default);
        for (stage, part) in self.stages.iter_mut().zip(&division.stages) {
            stage.part = *part;
        }
    }

    /// Hands a packet that arrives at `at` over `link` to another part.
    #[inline(never)]
    pub(super) fn export(&mut self, at: Nanos, link: u32, packet: Packet, part: u32) {
        let key = self.events.stamp(at, self.shared + link);
        if key != Key::NEVER {
            let exports = &mut self.exports[part as usize];
            exports.packets.push((key, packet));
            exports.contents.extend(packet.left(&mut self.stored));
        }
    }

    /// Returns the packets that have left for another part, for it to take.
    pub fn exports(&mut self, part: usize) -> &mut Exports<P> {
        &mut self.exports[part]
    }

    /// Takes packets from another part. [`Network::land_imports`] completes this.
    pub fn import(&mut self, exports: &mut Exports<P>) {
        let mut contents = exports.contents.drain(..);
        let imports = &mut self.imports;
        imports.by_lane.resize_with(self.shared as usize, Vec::new);
        for (key, mut packet) in exports.packets.drain(..) {
            if packet.is_stored() {
                packet = packet.entered(contents.next().as_ref(), &mut self.stored);
            }
            let lane = self.links[(key.source() - self.shared) as usize].lane;
            let packets = &mut imports.by_lane[lane as usize];
            if packets.is_empty() {
                imports.lanes.push(lane);
            }
            packets.push((key, packet));
        }
    }

    /// Adds the imported packets to their lanes.
    pub fn land_imports(&mut self) {
        for lane in self.imports.lanes.drain(..) {
            let target = &mut self.lanes[lane as usize];
            if target.merge(&mut self.imports.by_lane[lane as usize])
                && let Some(first) = target.first()
            {
                self.events.set_for(lane, first);
            }
        }
    }
}
