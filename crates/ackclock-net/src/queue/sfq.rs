//! Stochastic fairness queueing (P. McKenney, "Stochastic Fairness Queueing", INFOCOM 1990), as implemented in Linux.
//!
//! Flows are hashed into `buckets` queues, which take turns. A queue sends at its turn as long as its allotment is
//! positive; the allotment falls by the bytes sent. Then the allotment grows by the quantum, and the next queue has its
//! turn. So one turn may send more than the quantum, and the next turns less; McKenney's queues send one packet per
//! turn. A queue begins with an allotment of a quantum, behind all waiting queues.
//!
//! When there are more packets than the limit allows, the longest queue in packets loses its last packet, or its first
//! with `headdrop`. Among queues of equal length, the one that reached this length last loses; among queues of one packet,
//! the one whose turn is next. A packet that finds `depth` packets
//! in its queue is dropped; with `headdrop`, the first packet of the queue is dropped instead. A packet of a new queue
//! is dropped if `flows` queues have packets. Every `perturb` the hash changes, and the waiting packets are hashed
//! anew.
//!
//! # Constants
//!
//! The defaults are those of Linux, tc-sfq(8): 1024 buckets, at most 127 queues with packets, at most 127 packets in
//! each queue and in total, a quantum of a full packet, and no perturbation.
//!
//! # Deviations
//!
//! - The hash is [`super::flows::bucket`]. Linux's hash also starts from a random key.
//! - Allotments are in bytes; older versions of Linux rounded sizes up to 8 bytes.
//! - After a change of the hash, queues take turns in the order in which their packets would have been sent; in Linux, in
//!   the order of its slots.
//! - There is no RED within the queues.
//! - ns-2's SFQ is a different discipline: it sends one packet per turn and refuses arrivals by shares of the remaining
//!   room.
//!
//! Validated against a slow reference implementation, packet by packet.

use std::collections::VecDeque;

use ackclock_core::parameters;

use super::flows::{Flows, bucket, mixed};
use super::{Discipline, DropCause, Drops, Entry, Item, Limit, Next, Settings, anything};
use crate::Nanos;

parameters! {
    /// Parameters of SFQ.
    struct Parameters {
        quantum: Option<i64> = follows("a full packet"), (64.0, 1e9), Volume,
            "Number of bytes by which a queue's allotment grows at its turn.";
        buckets: u64 = is(1024.0), (1.0, 65_536.0), Count("buckets"), "Number of buckets into which flows are hashed.";
        flows: usize = is(127.0), (1.0, 65_536.0), Count("buckets"), "Largest number of buckets with packets.";
        depth: usize = is(127.0), (1.0, 1e9), Count("packets"), "Largest number of packets in a bucket.";
        headdrop: bool = is(0.0), (0.0, 1.0), Flag,
            "Whether the first packets of a queue are dropped instead of the last ones.";
        perturb: Nanos = is(0.0), (0.0, 1e15), Time, "Time after which the hash changes; 0 for never.";
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "sfq",
    summary: "Stochastic fairness queueing as in Linux: buckets of flows take turns; when the queue is full, the longest loses.",
    source: "McKenney, INFOCOM 1990; Linux, net/sched/sch_sfq.c",
    limit: Some(Limit::Packets(127)),
    parameters: Parameters::ROWS,
    check: anything,
    make: |settings| Box::new(Sfq::new(settings)),
};

/// State of a bucket with packets.
struct State {
    /// Bytes that it may send.
    allotment: i64,
    /// Number of the change with which it reached its length.
    changed: u64,
}

struct Sfq {
    limit: Limit,
    quantum: i64,
    buckets: u64,
    most: usize,
    depth: usize,
    headdrop: bool,
    /// Time between two changes of the hash, 0 if it never changes; and the number of the present period.
    perturb: Nanos,
    period: u64,
    /// Secret from which the key of each period follows, and the present key.
    secret: u64,
    key: u64,
    /// Buckets with packets.
    queues: Flows<State>,
    /// Number of changes of the lengths of queues so far.
    changes: u64,
    /// Indices of these buckets in the order of their turns.
    turns: VecDeque<usize>,
    packets: u64,
    bytes: u64,
}

impl Sfq {
    fn new(settings: &Settings<'_>) -> Sfq {
        let secret = settings.random().bits();
        let Parameters { quantum, buckets, flows, depth, headdrop, perturb } = Parameters::read(settings.given);
        Sfq {
            limit: settings.limit,
            quantum: quantum.unwrap_or(i64::from(settings.packet_size)),
            buckets,
            most: flows,
            depth,
            headdrop,
            perturb,
            period: 0,
            secret,
            key: mixed(secret),
            queues: Flows::new(),
            changes: 0,
            turns: VecDeque::new(),
            packets: 0,
            bytes: 0,
        }
    }

    /// Removes the first or the last packet of the queue at `place` in the order of turns.
    fn take(&mut self, place: usize, first: bool) -> Option<Item> {
        let number = *self.turns.get(place)?;
        self.change(number);
        let items = &mut self.queues[number].items;
        let item = if first { items.pop() } else { items.pop_last() }?;
        self.packets -= 1;
        self.bytes -= u64::from(item.size);
        if items.is_empty() {
            self.queues.forget(number);
            self.turns.remove(place);
        }
        Some(item)
    }

    /// Notes that the length of a queue changes.
    fn change(&mut self, number: usize) {
        self.changes += 1;
        self.queues[number].state.changed = self.changes;
    }

    /// Place in the order of turns of the queue that loses a packet.
    fn longest(&self) -> usize {
        let rank = |place: &usize| {
            let queue = &self.queues[self.turns[*place]];
            let changed = if queue.items.len() > 1 { queue.state.changed } else { 0 };
            (queue.items.len(), changed)
        };
        (0..self.turns.len()).rev().max_by_key(rank).unwrap_or(0)
    }

    /// Adds a packet to its queue, regardless of the total limit.
    fn put(&mut self, item: Item, drops: &mut Drops) {
        let key = bucket(item.flow, self.key, self.buckets);
        let number = match self.queues.find(key) {
            Some(number) => number,
            None if self.queues.len() == self.most => {
                drops.push((item, DropCause::Queue));
                return;
            }
            None => {
                let number = self.queues.add(key, State { allotment: self.quantum, changed: 0 });
                self.turns.push_back(number);
                number
            }
        };
        let items = &mut self.queues[number].items;
        let is_full = items.len() == self.depth;
        if is_full {
            if !self.headdrop {
                drops.push((item, DropCause::Queue));
                return;
            }
            if let Some(head) = items.pop() {
                self.packets -= 1;
                self.bytes -= u64::from(head.size);
                drops.push((head, DropCause::Queue));
            }
        }
        items.push(item);
        self.packets += 1;
        self.bytes += u64::from(item.size);
        if !is_full {
            self.change(number);
        }
    }

    fn change_hash(&mut self, at: Nanos, drops: &mut Drops) {
        let period = at.checked_div(self.perturb).unwrap_or(0);
        if period == self.period {
            return;
        }
        self.period = period;
        // The keys are a SplitMix64 stream, any element of which can be computed directly.
        self.key = mixed(self.secret.wrapping_add(period.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let mut waiting = Vec::with_capacity(self.packets as usize);
        while let Some(item) = self.next() {
            waiting.push(item);
        }
        for item in waiting {
            self.put(item, drops);
        }
    }

    /// Removes the packet whose turn it is.
    fn next(&mut self) -> Option<Item> {
        loop {
            let queue = &mut self.queues[*self.turns.front()?];
            if queue.state.allotment > 0 {
                queue.state.allotment -= queue.items.first().map_or(0, |first| i64::from(first.size));
                return self.take(0, true);
            }
            queue.state.allotment += self.quantum;
            self.turns.rotate_left(1);
        }
    }
}

impl Discipline for Sfq {
    fn enqueue(&mut self, at: Nanos, item: Item, drops: &mut Drops) {
        self.change_hash(at, drops);
        if !self.limit.fits(0, 0, item.size) {
            drops.push((item, DropCause::Queue));
            return;
        }
        self.put(item, drops);
        while self.limit.exceeded_by(self.packets, self.bytes) {
            let victim = self.take(self.longest(), self.headdrop);
            drops.extend(victim.map(|victim| (victim, DropCause::Queue)));
        }
    }

    fn dequeue(&mut self, at: Nanos, drops: &mut Drops) -> Next {
        self.change_hash(at, drops);
        self.next().map_or(Next::Empty, Next::Send)
    }

    fn backlog(&self) -> (u64, u64) {
        (self.packets, self.bytes)
    }
}
