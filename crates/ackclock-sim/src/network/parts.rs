//! The parts of a network that is divided for several threads.
//!
//! Each part has all links, but uses only its own: those of its flows, and some of the links that flows of several parts
//! share. Links have delays. Within a window of time that is shorter than the least delay between two parts, what happens
//! in one part cannot reach another. The parts therefore work through a window side by side, and exchange the packets
//! that left them at its end. The order of events does not depend on the parts ([`crate::event::Key`]), so the results
//! are the same for any number of parts.

use std::collections::BTreeMap;

use ackclock_core::{NEVER, Nanos};

use super::{Network, Route, Stage};
use crate::endpoint::Contents;
use crate::event::Key;
use crate::ids::LinkId;
use crate::packet::{AT_HOST, Packet};

/// A packet on its way from one part to another.
pub struct Export<P> {
    key: Key,
    link: u32,
    packet: Packet,
    contents: Option<P>,
}

impl<P> Export<P> {
    /// Returns the time at which the packet arrives.
    pub fn at(&self) -> Nanos {
        self.key.time()
    }
}

/// The division of a network into parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Division {
    /// For each stage, the part that has the packets after it.
    stages: Vec<u32>,
    /// Part of each link that begins a stage, except for the first links of routes that have no counts.
    shared: BTreeMap<LinkId, u32>,
    /// Least time that a packet takes from one part to another, in ns.
    pub lookahead: Nanos,
}

impl Division {
    /// Returns the part that has the counts of a link.
    pub fn part_of(&self, link: LinkId) -> u32 {
        self.shared.get(&link).copied().unwrap_or(0)
    }
}

impl<P: Contents> Network<P> {
    /// Divides the network into `parts`, for flows with these routes; flow `n` belongs to the part `n % parts`. Returns
    /// `None` if a packet may reach another part at once.
    pub fn divide(&self, routes: &[Vec<[Route; 2]>], parts: u32) -> Option<Division> {
        let stages_of = |pairs: &[[Route; 2]]| {
            pairs.iter().flatten().map(|route| self.stages_of(*route)).collect::<Vec<_>>()
        };
        // Links of one part alone belong to it; the others are dealt out.
        let mut users: BTreeMap<LinkId, Option<u32>> = BTreeMap::new();
        for (part, pairs) in (0..parts).cycle().zip(routes) {
            for stages in stages_of(pairs) {
                let begins = |stage: &usize| *stage > stages.start || self.is_port_first(*stage);
                for stage in stages.clone().filter(begins) {
                let link = self.hops[self.stages[stage].first as usize];
                users.entry(link).and_modify(|user| *user = user.filter(|user| *user == part)).or_insert(Some(part));
                }
            }
        }
        let mut next = (0..parts).cycle();
        let deal = |(link, user): (LinkId, Option<u32>)| (link, user.or_else(|| next.next()).unwrap_or(0));
        let shared: BTreeMap<LinkId, u32> = users.into_iter().map(deal).collect();

        let mut division = Division { stages: vec![0; self.stages.len()], shared, lookahead: NEVER };
        for (part, pairs) in (0..parts).cycle().zip(routes) {
            for stages in stages_of(pairs) {
                let mut here = part;
                for number in stages {
                    let stage = self.stages[number];
                    let there = match stage.next {
                        AT_HOST => part,
                        next => division.part_of(self.hops[self.stages[next as usize].first as usize]),
                    };
                    division.stages[number] = there;
                    if here != there {
                        division.lookahead = division.lookahead.min(self.least_time(stage));
                    }
                    here = there;
                }
            }
        }
        (division.lookahead > 0).then_some(division)
    }

    /// Whether a stage begins with a port, which has counts of its own.
    fn is_port_first(&self, stage: usize) -> bool {
        self.links[self.hops[self.stages[stage].first as usize].0 as usize].port.is_some()
    }

    /// Returns the least time that a packet takes through a stage, in ns; 0 if that is not known.
    fn least_time(&self, stage: Stage) -> Nanos {
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
        self.exports.resize_with(parts as usize, Vec::new);
        for (stage, part) in self.stages.iter_mut().zip(&division.stages) {
            stage.part = *part;
        }
    }

    /// Hands a packet that arrives at `at` over `link` to another part.
    #[inline(never)]
    pub(super) fn export(&mut self, at: Nanos, link: u32, packet: Packet, part: u32) {
        let key = self.events.stamp(at, self.shared + link);
        if key != Key::NEVER {
            let contents = packet.left(&mut self.stored);
            self.exports[part as usize].push(Export { key, link, packet, contents });
        }
    }

    /// Returns the packets that have left for another part, for it to take.
    pub fn exports(&mut self, part: usize) -> &mut Vec<Export<P>> {
        &mut self.exports[part]
    }

    /// Takes packets from other parts and empties `exports`.
    pub fn import(&mut self, exports: &mut Vec<Export<P>>) {
        let mut lanes: BTreeMap<u32, Vec<(Key, Packet)>> = BTreeMap::new();
        for Export { key, link, packet, contents } in exports.drain(..) {
            let packet = packet.entered(contents.as_ref(), &mut self.stored);
            lanes.entry(self.links[link as usize].lane).or_default().push((key, packet));
        }
        for (lane, mut packets) in lanes {
            if self.lanes[lane as usize].merge(&mut packets)
                && let Some(first) = self.lanes[lane as usize].first()
            {
                self.events.set_for(lane, first);
            }
        }
    }
}
