//! Fair queueing as Linux's `fq`: a queue for each flow, new flows before old ones, and a rate that no flow exceeds.
//!
//! A flow that gets its first packet is new, and has a credit of `initial_quantum` bytes where it was never seen. The first of the
//! new flows sends, of the old ones where there are none, as long as its credit is positive; then it gets `quantum` more and its
//! turn is after those of the old ones. A flow found empty at its turn as a new one has a turn as an old one first, and is idle
//! after that; with a packet after more than `refill_delay` it has a quantum at least. A flow that was idle for more than 3 s is
//! forgotten.
//!
//! With `max_rate`, a flow that has used up its credit is throttled: for the time that its last packet, or a quantum where that is
//! more, takes at the rate, 1 s at most, less what it was late, by half of that at most. Up to `low_rate_threshold` each packet is
//! followed by the time it takes. A throttled flow becomes an old one when its time comes.
//!
//! A flow that has `flow_limit` packets gets no more. Packets that wait for more than `ce_threshold` beyond their time are marked.
//!
//! # Constants
//!
//! 10,000 packets and 100 of a flow, quantum of 2 and initial quantum of 10 full packets, refill delay 40 ms, low rate threshold
//! 550 kbit/s: Linux, tc-fq(8).
//!
//! # Deviations
//!
//! - Packets have no departure times of their own (`SO_TXTIME`, and TCP's internal pacing): senders pace themselves here.
//! - No bands, and no hash that lets flows share a queue. Times are in nanoseconds, not in ticks of the kernel's clock.
//! - Linux forgets flows when it looks for others: some later, some never.
//!
//! Validated against a slow reference, packet by packet; and that no flow exceeds its rate.

use std::collections::{BTreeMap, VecDeque};

use super::flows::Flows;
use super::{
    Discipline, DropCause, Drops, Entry, Item, Limit, Next, Otherwise, Parameter, Quantity, Settings, anything,
};
use crate::Nanos;

const QUANTUM: Parameter = Parameter {
    name: "quantum",
    summary: "Bytes that a flow may send at its turn.",
    quantity: Quantity::Volume,
    default: Otherwise::Follows("two full packets"),
    range: (64.0, 1e9),
};
const INITIAL_QUANTUM: Parameter = Parameter {
    name: "initial_quantum",
    summary: "Bytes that a flow may send at its first turn.",
    quantity: Quantity::Volume,
    default: Otherwise::Follows("ten full packets"),
    range: (0.0, 1e9),
};
const FLOW_LIMIT: Parameter = Parameter {
    name: "flow_limit",
    summary: "Packets of a flow that may wait.",
    quantity: Quantity::Count("packets"),
    default: Otherwise::Is(100.0),
    range: (1.0, 1e9),
};
const MAX_RATE: Parameter = Parameter {
    name: "max_rate",
    summary: "Rate that no flow exceeds.",
    quantity: Quantity::Rate,
    default: Otherwise::Follows("the link's rate"),
    range: (1.0, 1e15),
};
const LOW_RATE_THRESHOLD: Parameter = Parameter {
    name: "low_rate_threshold",
    summary: "Rate up to which flows are throttled after each packet, and not after each quantum.",
    quantity: Quantity::Rate,
    default: Otherwise::Is(550e3),
    range: (0.0, 1e15),
};
const REFILL_DELAY: Parameter = Parameter {
    name: "refill_delay",
    summary: "Idle time after which a flow has a quantum.",
    quantity: Quantity::Time,
    default: Otherwise::Is(40e6),
    range: (0.0, 1e12),
};
const CE_THRESHOLD: Parameter = Parameter {
    name: "ce_threshold",
    summary: "Waiting time above which packets capable of ECN are marked.",
    quantity: Quantity::Time,
    default: Otherwise::Follows("no marks"),
    range: (0.0, 1e12),
};

pub(super) const ENTRY: Entry = Entry {
    name: "fq",
    summary: "Linux's fq: a queue for each flow, new flows first, and a rate that none exceeds.",
    source: "Linux, net/sched/sch_fq.c",
    limit: Some(Limit::Packets(10_000)),
    parameters: &[QUANTUM, INITIAL_QUANTUM, FLOW_LIMIT, MAX_RATE, LOW_RATE_THRESHOLD, REFILL_DELAY, CE_THRESHOLD],
    check: anything,
    make: |settings| Box::new(Fq::new(settings)),
};

/// After so long an idle flow is forgotten.
const FORGET_AFTER: Nanos = 3_000_000_000;
/// The longest that a packet makes a flow wait.
const LONGEST_GAP: Nanos = 1_000_000_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// In one of the two lists, or throttled.
    Listed,
    /// Without packets, since this time.
    Idle(Nanos),
}

struct State {
    credit: i64,
    /// No packet before this time; 0 where it was never throttled.
    next: Nanos,
    place: Place,
}

impl State {
    /// Of a flow never seen before.
    fn new(credit: i64, at: Nanos) -> State {
        State { credit, next: 0, place: Place::Idle(at) }
    }
}

struct Fq {
    limit: Limit,
    quantum: i64,
    initial_quantum: i64,
    flow_limit: usize,
    max_rate: Option<u64>,
    low_rate_threshold: u64,
    refill_delay: Nanos,
    ce_threshold: Option<Nanos>,
    flows: Flows<State>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    /// Throttled flows by the time at which they may go on, and the order in which they were throttled.
    throttled: BTreeMap<(Nanos, u64), usize>,
    throttles: u64,
    /// Every flow, with the time at which it was made known or found to be in use or idle for less, in the order of these.
    known: VecDeque<(Nanos, usize)>,
    packets: u64,
    bytes: u64,
}

impl Fq {
    fn new(settings: &Settings<'_>) -> Fq {
        let packets = |parameter, count: i64| {
            settings.given(parameter).map_or(count * i64::from(settings.packet_size), |bytes| bytes as i64)
        };
        Fq {
            limit: settings.limit,
            quantum: packets(&QUANTUM, 2),
            initial_quantum: packets(&INITIAL_QUANTUM, 10),
            flow_limit: settings.get(&FLOW_LIMIT) as usize,
            max_rate: settings.given(&MAX_RATE).map(|rate| rate as u64),
            low_rate_threshold: settings.get(&LOW_RATE_THRESHOLD) as u64,
            refill_delay: settings.get(&REFILL_DELAY) as Nanos,
            ce_threshold: settings.given(&CE_THRESHOLD).map(|time| time as Nanos),
            flows: Flows::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            throttled: BTreeMap::new(),
            throttles: 0,
            known: VecDeque::new(),
            packets: 0,
            bytes: 0,
        }
    }

    /// The number of a flow, known from now on.
    fn flow(&mut self, at: Nanos, key: u64) -> usize {
        self.forget_idle(at);
        self.flows.find(key).unwrap_or_else(|| {
            let number = self.flows.add(key, State::new(self.initial_quantum, at));
            self.known.push_back((at, number));
            number
        })
    }

    /// Looks at the flows at which no look was taken for 3 s. What is idle for longer and still known is as good as forgotten.
    fn forget_idle(&mut self, at: Nanos) {
        while let Some(&(seen, number)) = self.known.front()
            && at - seen > FORGET_AFTER
        {
            self.known.pop_front();
            match self.flows[number].state.place {
                Place::Idle(since) if at - since > FORGET_AFTER => self.flows.forget(number),
                _ => self.known.push_back((at, number)),
            }
        }
    }

    /// Makes flows old ones whose time has come.
    fn release(&mut self, at: Nanos) {
        while let Some(first) = self.throttled.first_entry()
            && first.key().0 <= at
        {
            self.old.push_back(first.remove());
        }
    }

    /// How long a flow waits after a packet of `size` bytes.
    fn gap(&self, state: &State, rate: u64, bytes: u64, at: Nanos) -> Nanos {
        let time = u128::from(bytes) * 8_000_000_000 / u128::from(rate);
        let time = u64::try_from(time).map_or(LONGEST_GAP, |time| time.min(LONGEST_GAP));
        let late = if state.next > 0 { at - state.next } else { 0 };
        time - late.min(time / 2)
    }

    fn charge(&mut self, number: usize, size: u32, at: Nanos) {
        self.flows[number].state.credit -= i64::from(size);
        let Some(rate) = self.max_rate else { return };
        let low = rate <= self.low_rate_threshold;
        if low {
            self.flows[number].state.credit = 0;
        } else if self.flows[number].state.credit > 0 {
            return;
        }
        let bytes = if low { u64::from(size) } else { u64::from(size).max(self.quantum as u64) };
        let gap = self.gap(&self.flows[number].state, rate, bytes, at);
        self.flows[number].state.next = at.saturating_add(gap);
    }
}

impl Discipline for Fq {
    fn enqueue(&mut self, at: Nanos, item: Item, drops: &mut Drops) {
        if !self.limit.fits(self.packets, self.bytes, item.size) {
            drops.push((item, DropCause::Queue));
            return;
        }
        let number = self.flow(at, item.flow);
        let flow = &mut self.flows[number];
        if flow.items.len() >= self.flow_limit {
            drops.push((item, DropCause::Queue));
            return;
        }
        if let Place::Idle(since) = flow.state.place {
            if at - since > FORGET_AFTER {
                flow.state = State::new(self.initial_quantum, at);
            } else if at - since > self.refill_delay {
                flow.state.credit = flow.state.credit.max(self.quantum);
            }
            flow.state.place = Place::Listed;
            self.new.push_back(number);
        }
        flow.items.push(item);
        self.packets += 1;
        self.bytes += u64::from(item.size);
    }

    fn dequeue(&mut self, at: Nanos, _drops: &mut Drops) -> Next {
        if self.packets == 0 {
            return Next::Empty;
        }
        self.release(at);
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let Some(&number) = list.front() else { break };
            let flow = &mut self.flows[number];
            let first = flow.items.first().copied();
            if flow.state.credit > 0
                && flow.state.next <= at
                && let Some(mut item) = first
            {
                flow.items.pop();
                self.packets -= 1;
                self.bytes -= u64::from(item.size);
                let waited = at - item.arrival.max(flow.state.next);
                if self.ce_threshold.is_some_and(|most| waited > most) {
                    item.mark();
                }
                self.charge(number, item.size, at);
                return Next::Send(item);
            }
            list.pop_front();
            if flow.state.credit <= 0 {
                flow.state.credit += self.quantum;
                self.old.push_back(number);
            } else if first.is_some() {
                self.throttled.insert((flow.state.next, self.throttles), number);
                self.throttles += 1;
            } else if is_new {
                self.old.push_back(number);
            } else {
                flow.state.place = Place::Idle(at);
            }
        }
        self.throttled.first_key_value().map_or(Next::Empty, |((at, _), _)| Next::Wait(*at))
    }

    fn backlog(&self) -> (u64, u64) {
        (self.packets, self.bytes)
    }
}
