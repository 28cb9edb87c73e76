//! Flow queueing: packets are hashed by flow into queues and served by deficit round robin, new flows first (RFC 8290
//! sections 3 and 4). `fq-codel` and `fq-pie` share this module and add an AQM for each queue.

use std::collections::VecDeque;

use ackclock_core::parameters;

use super::{DropCause, Drops, Fifo, Item, Limit, Settings};
use crate::Random;

parameters! {
    /// Number of queues.
    pub(super) struct Flows {
        flows: u64 = is(1024.0), (1.0, 65536.0), Count("queues"), "Number of queues into which flows are hashed.";
    }
}

/// Largest number of packets dropped from the longest queue at once (RFC 8290 section 4.1).
const DROP_BATCH: usize = 64;

/// A hash of flows into queues, determined by the seed of the discipline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash {
    salt: u64,
    queues: u64,
}

impl Hash {
    /// A hash into this number of queues, with a random salt.
    pub(super) fn new(queues: u64, random: &mut Random) -> Hash {
        Hash { salt: random.bits(), queues }
    }

    pub(super) fn queues(self) -> usize {
        self.queues as usize
    }

    /// The queue of a flow. The hash is the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), in which each
    /// bit of the input affects each bit of the result.
    pub(super) fn queue(self, flow: u64) -> usize {
        let mut mixed = flow ^ self.salt;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % self.queues) as usize
    }
}

/// The quantity by which a queue that loses packets is halved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Half {
    /// The number of its packets.
    Packets,
    /// The number of its bytes, up to the packet with which half of them are dropped.
    Bytes,
}

/// Number of packets and of bytes in all queues together.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Total {
    pub(super) packets: u64,
    pub(super) bytes: u64,
}

impl Total {
    pub(super) fn add(&mut self, item: &Item) {
        self.packets += 1;
        self.bytes += u64::from(item.size);
    }

    pub(super) fn take(&mut self, item: &Item) {
        self.packets -= 1;
        self.bytes -= u64::from(item.size);
    }
}

/// A queue with the state of its AQM.
#[derive(Clone, Debug)]
struct Queue<State> {
    items: Fifo,
    credits: i64,
    /// Whether the queue is in one of the two lists.
    active: bool,
    state: State,
}

/// The packets of the queue whose turn it is.
pub(super) struct Turn<'a> {
    items: &'a mut Fifo,
    total: &'a mut Total,
}

impl Turn<'_> {
    /// Removes the first packet and returns it.
    pub(super) fn take(&mut self) -> Option<Item> {
        let item = self.items.pop()?;
        self.total.take(&item);
        Some(item)
    }

    /// Bytes in the queue.
    pub(super) fn bytes(&self) -> u64 {
        self.items.bytes()
    }

    /// Bytes in all queues.
    pub(super) fn total_bytes(&self) -> u64 {
        self.total.bytes
    }
}

/// The queues and their schedule.
#[derive(Debug)]
pub(super) struct FlowQueues<State> {
    hash: Hash,
    quantum: i64,
    queues: Vec<Queue<State>>,
    /// Queues with new flows, and queues with a backlog, in the order of their turns.
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    pub(super) total: Total,
}

impl<State: Clone + Default> FlowQueues<State> {
    /// Empty queues with a quantum of `quantum` bytes.
    pub(super) fn new(settings: &Settings<'_>, quantum: i64, random: &mut Random) -> FlowQueues<State> {
        let hash = Hash::new(Flows::read(settings.given).flows, random);
        let queue = Queue { items: Fifo::new(Limit::Unlimited), credits: 0, active: false, state: State::default() };
        FlowQueues {
            hash,
            quantum,
            queues: vec![queue; hash.queues()],
            new: VecDeque::new(),
            old: VecDeque::new(),
            total: Total::default(),
        }
    }

    /// State of the AQM of a flow's queue, and the number of bytes in that queue.
    pub(super) fn state(&mut self, flow: u64) -> (&mut State, u64) {
        let queue = &mut self.queues[self.hash.queue(flow)];
        (&mut queue.state, queue.items.bytes())
    }

    /// Adds a packet at the end of its flow's queue (RFC 8290 section 4.1).
    pub(super) fn push(&mut self, item: Item) {
        let index = self.hash.queue(item.flow);
        let queue = &mut self.queues[index];
        self.total.add(&item);
        queue.items.push(item);
        if !queue.active {
            queue.active = true;
            queue.credits = self.quantum;
            self.new.push_back(index);
        }
    }

    /// Drops half of the longest queue in bytes, from its head, until the total is within `limit` (RFC 8290 section 4.1).
    /// `overflowed` is called with the queue's state and the number of packets.
    pub(super) fn enforce(
        &mut self,
        limit: Limit,
        half: Half,
        drops: &mut Drops,
        mut overflowed: impl FnMut(&mut State, u32),
    ) {
        while limit.exceeded_by(self.total.packets, self.total.bytes) {
            let mut longest = 0;
            for (index, queue) in self.queues.iter().enumerate() {
                if queue.items.bytes() > self.queues[longest].items.bytes() {
                    longest = index;
                }
            }
            let Queue { items, state, .. } = &mut self.queues[longest];
            let (packets, bytes) = (items.len().div_ceil(2), items.bytes() / 2);
            let (mut dropped, mut dropped_bytes) = (0, 0);
            while dropped < DROP_BATCH
                && (dropped == 0 || if half == Half::Packets { dropped < packets } else { dropped_bytes < bytes })
                && let Some(item) = items.pop()
            {
                dropped += 1;
                dropped_bytes += u64::from(item.size);
                self.total.take(&item);
                drops.push((item, DropCause::Queue));
            }
            overflowed(state, dropped as u32);
        }
    }

    /// The packet to send: the first that `serve` returns, for the queues in the order of their turns (RFC 8290 section
    /// 4.2).
    pub(super) fn dequeue(&mut self, mut serve: impl FnMut(&mut State, &mut Turn<'_>) -> Option<Item>) -> Option<Item> {
        loop {
            let from_new = !self.new.is_empty();
            let list = if from_new { &mut self.new } else { &mut self.old };
            let index = *list.front()?;
            let queue = &mut self.queues[index];
            if queue.credits <= 0 {
                queue.credits += self.quantum;
                list.pop_front();
                self.old.push_back(index);
                continue;
            }
            let mut turn = Turn { items: &mut queue.items, total: &mut self.total };
            if let Some(item) = serve(&mut queue.state, &mut turn) {
                queue.credits -= i64::from(item.size);
                return Some(item);
            }
            list.pop_front();
            if from_new {
                // Old queues get their turn first, even if packets for this queue keep arriving.
                self.old.push_back(index);
            } else {
                queue.active = false;
            }
        }
    }
}
