//! Deficit round robin (M. Shreedhar, G. Varghese, "Efficient Fair Queueing using Deficit Round Robin", SIGCOMM 1995).
//!
//! Flows with packets take turns. At its turn a flow's deficit grows by the quantum. The flow sends packets while its
//! first packet is no larger than the deficit, which falls by the bytes sent. A flow that becomes empty loses its
//! deficit.
//!
//! Each flow has its own queue; with `buckets`, flows whose hashes share a bucket share a queue. When the queue is
//! full, the longest flow in bytes loses its first packets, as in ns-2 (paper, section 4.1: buffer stealing; McKenney
//! 1990). Among flows of equal length, the one whose turn is next loses. A packet that does not fit into an empty queue
//! is dropped itself.
//!
//! The default quantum is a full packet, the least with which each turn sends a packet (paper, section 4.2). In ns-2 it
//! is 250 bytes. Finding the longest flow takes time proportional to the number of flows.
//!
//! Validated against a slow reference implementation, packet by packet.

use std::collections::VecDeque;

use ackclock_core::parameters;

use super::flows::{Flows, bucket};
use super::{Discipline, DropCause, Drops, Entry, Item, Limit, Next, Settings, anything};
use crate::Nanos;

parameters! {
    /// Parameters of deficit round robin.
    struct Parameters {
        quantum: Option<u64> = follows("a full packet"), (64.0, 1e9), Volume,
            "Number of bytes that a flow may send at its turn.";
        buckets: u64 = is(0.0), (0.0, 65_536.0), Count("queues"),
            "Number of queues into which flows are hashed; 0 for one queue per flow.";
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "drr",
    summary: "Deficit round robin over flows; when the queue is full, the longest flow loses packets.",
    source: "Shreedhar, Varghese, SIGCOMM 1995",
    limit: None,
    parameters: Parameters::ROWS,
    check: anything,
    make: |settings| Box::new(Drr::new(settings)),
};

struct Drr {
    limit: Limit,
    quantum: u64,
    buckets: u64,
    /// Flows with packets, and their deficits in bytes.
    flows: Flows<u64>,
    /// Indices of these flows in the order of their turns.
    turns: VecDeque<usize>,
    /// Whether the flow at the front has had its quantum at this turn.
    begun: bool,
    packets: u64,
    bytes: u64,
}

impl Drr {
    fn new(settings: &Settings<'_>) -> Drr {
        let Parameters { quantum, buckets } = Parameters::read(settings.given);
        Drr {
            limit: settings.limit,
            quantum: quantum.unwrap_or(u64::from(settings.packet_size)),
            buckets,
            flows: Flows::new(),
            turns: VecDeque::new(),
            begun: false,
            packets: 0,
            bytes: 0,
        }
    }

    fn key(&self, flow: u64) -> u64 {
        if self.buckets == 0 { flow } else { bucket(flow, 0, self.buckets) }
    }

    /// Removes the first packet of the flow at `place` in the order of turns.
    fn take(&mut self, place: usize) -> Option<Item> {
        let number = *self.turns.get(place)?;
        let item = self.flows[number].items.pop()?;
        self.packets -= 1;
        self.bytes -= u64::from(item.size);
        if self.flows[number].items.is_empty() {
            self.flows.forget(number);
            self.turns.remove(place);
            self.begun &= place > 0;
        }
        Some(item)
    }

    /// Place of the longest flow in the order of turns.
    fn longest(&self) -> usize {
        let bytes = |place: &usize| self.flows[self.turns[*place]].items.bytes();
        (0..self.turns.len()).rev().max_by_key(bytes).unwrap_or(0)
    }
}

impl Discipline for Drr {
    fn enqueue(&mut self, _at: Nanos, item: Item, drops: &mut Drops) {
        if !self.limit.fits(0, 0, item.size) {
            drops.push((item, DropCause::Queue));
            return;
        }
        let key = self.key(item.flow);
        let number = self.flows.find(key).unwrap_or_else(|| {
            let number = self.flows.add(key, 0);
            self.turns.push_back(number);
            number
        });
        // The new packet counts when the longest flow is sought, and may itself be dropped.
        self.flows[number].items.push(item);
        self.packets += 1;
        self.bytes += u64::from(item.size);
        while self.limit.exceeded_by(self.packets, self.bytes) {
            let victim = self.take(self.longest());
            drops.extend(victim.map(|victim| (victim, DropCause::Queue)));
        }
    }

    fn dequeue(&mut self, _at: Nanos, _drops: &mut Drops) -> Next {
        while let Some(&number) = self.turns.front() {
            let flow = &mut self.flows[number];
            if !self.begun {
                flow.state += self.quantum;
                self.begun = true;
            }
            let size = flow.items.first().map_or(0, |first| u64::from(first.size));
            if size <= flow.state {
                flow.state -= size;
                return self.take(0).map_or(Next::Empty, Next::Send);
            }
            self.turns.rotate_left(1);
            self.begun = false;
        }
        Next::Empty
    }

    fn backlog(&self) -> (u64, u64) {
        (self.packets, self.bytes)
    }
}
