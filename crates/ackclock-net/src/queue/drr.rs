//! Deficit round robin (M. Shreedhar, G. Varghese, "Efficient Fair Queueing using Deficit Round Robin", SIGCOMM 1995).
//!
//! Flows with packets take turns. At its turn a flow's deficit grows by the quantum; it sends while its first packet is no larger
//! than its deficit, which falls by what is sent. A flow that runs empty loses its deficit.
//!
//! Flows are the packets' own, or with `buckets` those that share a bucket of a hash. Where the queue is full, the longest flow in
//! bytes loses its first packets, as in ns-2 (paper, section 4.1: buffer stealing; McKenney 1990), the one whose turn is next among
//! equals. A packet that would not fit into an empty queue is dropped itself.
//!
//! The quantum is a full packet where none is given, the least with which each turn sends (paper, section 4.2); 250 bytes in ns-2.
//! To find the longest flow takes a look at each.
//!
//! Validated against a slow reference, packet by packet.

use std::collections::VecDeque;

use super::flows::{Flows, bucket};
use super::{
    Discipline, DropCause, Drops, Entry, Item, Limit, Next, Otherwise, Parameter, Quantity, Settings, anything,
};
use crate::Nanos;

const QUANTUM: Parameter = Parameter {
    name: "quantum",
    summary: "Bytes that a flow may send at its turn.",
    quantity: Quantity::Volume,
    default: Otherwise::Follows("a full packet"),
    range: (64.0, 1e9),
};
const BUCKETS: Parameter = Parameter {
    name: "buckets",
    summary: "Number of queues into which flows are hashed; 0 for one each.",
    quantity: Quantity::Count("queues"),
    default: Otherwise::Is(0.0),
    range: (0.0, 65_536.0),
};

pub(super) const ENTRY: Entry = Entry {
    name: "drr",
    summary: "Deficit round robin over flows; where it is full the longest loses.",
    source: "Shreedhar, Varghese, SIGCOMM 1995",
    limit: None,
    parameters: &[QUANTUM, BUCKETS],
    check: anything,
    make: |settings| Box::new(Drr::new(settings)),
};

struct Drr {
    limit: Limit,
    quantum: u64,
    buckets: u64,
    /// Flows with packets, and their deficits in bytes.
    flows: Flows<u64>,
    /// Their numbers in the order of their turns.
    turns: VecDeque<usize>,
    /// Whether the first has had its quantum.
    begun: bool,
    packets: u64,
    bytes: u64,
}

impl Drr {
    fn new(settings: &Settings<'_>) -> Drr {
        Drr {
            limit: settings.limit,
            quantum: settings.given(&QUANTUM).map_or(u64::from(settings.packet_size), |quantum| quantum as u64),
            buckets: settings.get(&BUCKETS) as u64,
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

    /// Takes out the first packet of the flow with the turn at a place.
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

    /// The place of the longest flow.
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
        // The newcomer counts when the longest is sought, and may be what is dropped.
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
