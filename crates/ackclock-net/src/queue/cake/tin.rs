//! A tin: flows in a set-associative hash, the counts of hosts, and the turns of flows (DRR++).

use std::collections::VecDeque;

use super::acks::superfluous;
use super::chains::{Chains, List};
use super::options::Isolation;
use super::shaper::{ETHERNET, Pace};
use crate::queue::cobalt_control::{Cobalt, Constants};
use crate::queue::{Acknowledgment, Fifo, Item, Limit};
use crate::{Nanos, Random};

/// Queues of a tin, and queues of a set of the hash.
pub(super) const QUEUES: usize = 1024;
const WAYS: usize = 8;

/// State of a flow between its turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Set {
    /// The flow is in no list.
    Idle,
    Sparse,
    /// Empty and counted as sparse, but with a turn among the others.
    SparseWait,
    Bulk,
    Decaying,
}

/// A flow's queue.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) items: Fifo,
    pub(super) deficit: i64,
    pub(super) cobalt: Cobalt,
    pub(super) set: Set,
    /// Places of the hosts in the table of hosts.
    hosts: [u16; 2],
    /// Hash of the flow that had the queue last.
    tag: u32,
}

impl Flow {
    /// Bytes in the queue as Linux counts them.
    pub(super) fn length(&self) -> u64 {
        self.items.bytes() + u64::from(ETHERNET) * self.items.len() as u64
    }
}

/// Hashes of hosts, and the numbers of their bulk flows, as sources and as destinations.
#[derive(Clone, Copy, Default, Debug)]
struct Host {
    tags: [u32; 2],
    bulk: [u16; 2],
}

/// Hashes of a packet's flow, source and destination.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hashes {
    pub(super) party: u32,
    pub(super) hosts: [u32; 2],
}

/// A tin.
#[derive(Clone, Debug)]
pub(super) struct Tin {
    pub(super) flows: Vec<Flow>,
    hosts: Vec<Host>,
    /// Acknowledgments of the packets in each queue, if they are filtered.
    acks: Vec<VecDeque<Option<Acknowledgment>>>,
    pub(super) chains: Chains,
    pub(super) constants: Constants,
    /// Whether the flows of a source share, and those of a destination.
    shares: [bool; 2],
    flow_quantum: u32,
    pub(super) sparse: u32,
    pub(super) bulk: u32,
    /// Packets in the tin.
    pub(super) packets: u64,
    /// Pace at the threshold, and the time at which the next packet is within the threshold.
    pub(super) pace: Pace,
    pub(super) next: Nanos,
    /// Bytes per round, and the rest of them, where there is no shaper.
    pub(super) quantum: i64,
    pub(super) deficit: i64,
}

impl Tin {
    pub(super) fn new(constants: Constants, pace: Pace, rate: u64, quantum: i64, isolation: Isolation) -> Tin {
        let flow = Flow {
            items: Fifo::new(Limit::Unlimited),
            deficit: 0,
            cobalt: Cobalt::default(),
            set: Set::Idle,
            hosts: [0; 2],
            tag: 0,
        };
        let (by_source, by_destination) = isolation.shares();
        Tin {
            flows: vec![flow; QUEUES],
            hosts: vec![Host::default(); QUEUES],
            acks: Vec::new(),
            chains: Chains::new(QUEUES as u16),
            constants,
            shares: [by_source, by_destination],
            flow_quantum: if rate == 0 { 1514 } else { (rate >> 12).clamp(300, 1514) as u32 },
            sparse: 0,
            bulk: 0,
            packets: 0,
            pace,
            next: 0,
            quantum,
            deficit: 0,
        }
    }

    /// Whether a flow of the tin has packets.
    pub(super) fn has_flows(&self) -> bool {
        self.sparse + self.bulk > 0
    }

    /// The queue of a packet (`cake_hash`): the one in which the flow is, or an empty one of its set; if all eight are
    /// in use, two flows share the first choice.
    pub(super) fn queue(&mut self, hashes: Hashes) -> usize {
        let first = hashes.party as usize % QUEUES;
        if self.flows[first].tag == hashes.party && self.flows[first].set != Set::Idle {
            return first;
        }
        let is_reserved = |queue: &usize| self.flows[*queue].tag == hashes.party;
        let is_idle = |queue: &usize| self.flows[*queue].set == Set::Idle;
        let queue = set(first).find(is_reserved).or_else(|| set(first).find(is_idle)).unwrap_or(first);
        let flow = &mut self.flows[queue];
        let (is_same, is_idle) = (flow.tag == hashes.party, flow.set == Set::Idle);
        if is_same && !is_idle {
            return queue;
        }
        flow.tag = hashes.party;
        if !is_idle {
            self.count_bulk(queue, false);
        }
        for side in 0..2 {
            if self.shares[side] {
                self.flows[queue].hosts[side] = self.host(side, hashes.hosts[side]);
            }
        }
        if !is_idle {
            self.count_bulk(queue, true);
        }
        queue
    }

    /// The place of a host: the one with its hash, or one without bulk flows; if all eight are in use, the first choice.
    fn host(&mut self, side: usize, hash: u32) -> u16 {
        let first = hash as usize % QUEUES;
        let is_known = |place: &usize| self.hosts[*place].tags[side] == hash;
        let is_free = |place: &usize| self.hosts[*place].bulk[side] == 0;
        let place = set(first).find(is_known).or_else(|| set(first).find(is_free)).unwrap_or(first);
        self.hosts[place].tags[side] = hash;
        place as u16
    }

    /// Counts a bulk flow at its hosts, or no longer counts it.
    fn count_bulk(&mut self, queue: usize, more: bool) {
        let flow = &self.flows[queue];
        if flow.set != Set::Bulk {
            return;
        }
        for side in 0..2 {
            if self.shares[side] {
                let bulk = &mut self.hosts[usize::from(flow.hosts[side])].bulk[side];
                *bulk = if more { (*bulk + 1).min(QUEUES as u16) } else { bulk.saturating_sub(1) };
            }
        }
    }

    /// Bytes of a flow's turn: the quantum over the number of bulk flows at its busier host. A random remainder keeps
    /// roundings from adding up.
    fn turn(&self, queue: usize, random: &mut Random) -> i64 {
        let flow = &self.flows[queue];
        let bulk = |side: usize| self.hosts[usize::from(flow.hosts[side])].bulk[side];
        let loads = (0..2).filter(|side| self.shares[*side]).map(bulk);
        let load = loads.fold(1, u16::max);
        let share = self.flow_quantum * (65_535 / u32::from(load));
        i64::from((share + (random.bits() >> 48) as u32) >> 16)
    }

    /// Changes a flow's state, with the counts that depend on it.
    fn enter(&mut self, queue: usize, state: Set) {
        match self.flows[queue].set {
            Set::Sparse | Set::SparseWait => self.sparse -= 1,
            Set::Bulk => {
                self.bulk -= 1;
                self.count_bulk(queue, false);
            }
            Set::Idle | Set::Decaying => {}
        }
        self.flows[queue].set = state;
        match state {
            Set::Sparse | Set::SparseWait => self.sparse += 1,
            Set::Bulk => {
                self.bulk += 1;
                self.count_bulk(queue, true);
            }
            Set::Idle | Set::Decaying => {}
        }
    }

    /// A packet was added to a flow.
    pub(super) fn added(&mut self, queue: usize, random: &mut Random) {
        match self.flows[queue].set {
            Set::Idle | Set::Decaying => {
                self.chains.append(queue as u16, List::New);
                self.enter(queue, Set::Sparse);
                self.flows[queue].deficit = self.turn(queue, random);
            }
            Set::SparseWait => self.enter(queue, Set::Bulk),
            Set::Sparse | Set::Bulk => {}
        }
    }

    /// The flow whose turn it is. A decaying flow has its turn only if it is the `first` of a call.
    pub(super) fn first(&self, first: bool) -> Option<usize> {
        let decaying = self.chains.first(List::Decaying);
        let flow = decaying
            .filter(|_| first)
            .or_else(|| self.chains.first(List::New))
            .or_else(|| self.chains.first(List::Old))
            .or(decaying);
        flow.map(usize::from)
    }

    /// Ends the turn of a flow that has used it up, with which it ceases to be sparse.
    pub(super) fn ended(&mut self, queue: usize, random: &mut Random) {
        if self.flows[queue].set == Set::Sparse {
            let state = if self.flows[queue].items.is_empty() { Set::SparseWait } else { Set::Bulk };
            self.enter(queue, state);
        }
        self.flows[queue].deficit += self.turn(queue, random);
        self.chains.append(queue as u16, List::Old);
    }

    /// A flow had its turn and no packet.
    pub(super) fn found_empty(&mut self, queue: usize, at: Nanos) {
        let flow = &mut self.flows[queue];
        flow.cobalt.found_empty(&self.constants, at);
        if flow.cobalt.is_active(at) {
            self.chains.append(queue as u16, List::Decaying);
            self.enter(queue, Set::Decaying);
        } else {
            self.chains.remove(queue as u16);
            self.enter(queue, Set::Idle);
        }
    }

    /// Keeps the acknowledgments of packets for the filter.
    pub(super) fn keep_acks(&mut self) {
        self.acks = vec![VecDeque::new(); QUEUES];
    }

    /// Adds a packet to a flow.
    pub(super) fn push(&mut self, queue: usize, item: Item, ack: Option<Acknowledgment>) {
        self.packets += 1;
        self.flows[queue].items.push(item);
        if let Some(acks) = self.acks.get_mut(queue) {
            acks.push_back(ack);
        }
    }

    /// Removes the packet that the last one of a flow makes superfluous.
    pub(super) fn filter(&mut self, queue: usize, aggressive: bool) -> Option<Item> {
        let acks = self.acks.get_mut(queue)?;
        let items = &mut self.flows[queue].items;
        let place = superfluous(items, acks, aggressive)?;
        acks.remove(place);
        self.packets -= 1;
        items.remove(place)
    }

    /// Removes the first packet of a flow.
    pub(super) fn take(&mut self, queue: usize) -> Option<Item> {
        let item = self.flows[queue].items.pop()?;
        if let Some(acks) = self.acks.get_mut(queue) {
            acks.pop_front();
        }
        self.packets -= 1;
        Some(item)
    }

    /// Moves the time of the next packet within the threshold on by a packet of `bytes` on the line.
    pub(super) fn charge(&mut self, at: Nanos, bytes: u64) {
        let duration = self.pace.duration(bytes);
        if self.next < at {
            self.next += duration;
        } else {
            self.next = self.next.max(at.saturating_add(duration));
        }
    }
}

/// The places of a set, from one of them on.
fn set(first: usize) -> impl Iterator<Item = usize> {
    (0..WAYS).map(move |way| first - first % WAYS + (first + way) % WAYS)
}
