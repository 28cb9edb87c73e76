//! Fair queueing as in Linux's `fq`: a queue for each flow, new flows before old ones, and a maximum rate for each
//! flow.
//!
//! A flow without packets becomes a new flow when a packet arrives. A flow that is seen for the first time has a credit
//! of `initial_quantum` bytes. The first new flow sends, or the first old flow if there are no new ones, as long as its
//! credit is positive. Then its credit grows by `quantum`, and the flow goes to the end of the old flows.
//!
//! A new flow that is empty at its turn becomes an old flow; an old flow that is empty at its turn becomes idle. If a
//! flow's next packet arrives after more than `refill_delay` of idle time, its credit is raised to at least a quantum.
//! A flow that has been idle for more than 3 s is forgotten.
//!
//! With `max_rate`, a flow that has used up its credit is throttled for the time that its last packet takes at that
//! rate. The time is at least that of a quantum and at most 1 s. It is reduced by the lateness of the packet, at most
//! by half. If `max_rate` is at most `low_rate_threshold`, the flow is throttled after each packet for the time of that
//! packet. A throttled flow becomes an old flow when its time comes.
//!
//! A flow with `flow_limit` packets in its queue gets no more. Packets that wait longer than `ce_threshold` beyond the
//! time at which their flow may send are marked.
//!
//! Without `max_rate`, packets of all flows share a fast path while no flow has packets in its queue: a first-in,
//! first-out queue of eight packets, which sends before all flows (`fq_fastpath_check`, since Linux 6.7). On the fast
//! path there are no credits, limits and marks.
//!
//! # Constants
//!
//! The defaults are those of Linux, tc-fq(8): 10,000 packets in total and 100 of a flow; a quantum of 2 and an initial
//! quantum of 10 full packets; a refill delay of 40 ms; a low rate threshold of 550 kbit/s.
//!
//! # Deviations
//!
//! - Packets have no departure times of their own (`SO_TXTIME` and TCP's internal pacing); senders pace themselves
//!   here.
//! - There are no bands, and no hash by which flows could share a queue. Times are in nanoseconds, not in ticks of the
//!   kernel's clock.
//! - Linux removes idle flows only while it looks for others, so it forgets some flows later and some never.
//!
//! Validated against a slow reference implementation, packet by packet; a separate test checks that no flow exceeds its
//! rate.

use std::collections::{BTreeMap, VecDeque};

use ackclock_core::parameters;

use super::flows::Flows;
use super::{Discipline, DropCause, Drops, Entry, Fifo, Item, Limit, Next, Settings, anything};
use crate::{Nanos, Rate};

parameters! {
    /// Parameters of fq.
    struct Parameters {
        quantum: Option<i64> = follows("two full packets"), (64.0, 1e9), Volume,
            "Number of bytes that a flow may send at its turn.";
        initial_quantum: Option<i64> = follows("ten full packets"), (0.0, 1e9), Volume,
            "Number of bytes that a flow may send at its first turn.";
        flow_limit: usize = is(100.0), (1.0, 1e9), Count("packets"),
            "Largest number of packets of a flow in the queue.";
        max_rate: Option<Rate> = follows("the link's rate"), (1.0, 1e15), Rate, "Maximum rate of each flow.";
        low_rate_threshold: u64 = is(550e3), (0.0, 1e15), Rate,
            "Value of max_rate up to which flows are throttled after each packet instead of after each quantum.";
        refill_delay: Nanos = is(40e6), (0.0, 1e12), Time,
            "Idle time after which a flow's credit is raised to at least a quantum.";
        ce_threshold: Option<Nanos> = follows("no marks"), (0.0, 1e12), Time,
            "Queueing delay above which ECN-capable packets are marked.";
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "fq",
    summary: "Linux's fq: a queue for each flow, new flows first, and a maximum rate for each flow.",
    source: "Linux, net/sched/sch_fq.c",
    limit: Some(Limit::Packets(10_000)),
    parameters: Parameters::ROWS,
    check: anything,
    make: |settings| Box::new(Fq::new(settings)),
};

/// Time after which an idle flow is forgotten, ns.
const FORGET_AFTER: Nanos = 3_000_000_000;
/// Number of packets that the fast path holds.
const FAST: usize = 8;
/// Longest time for which a flow is throttled after a packet, ns.
const LONGEST_GAP: Nanos = 1_000_000_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// The flow is in one of the two lists, or throttled.
    Listed,
    /// The flow has had no packets since this time.
    Idle(Nanos),
}

struct State {
    credit: i64,
    /// Earliest time of the flow's next packet; 0 if the flow was never throttled.
    next: Nanos,
    place: Place,
}

impl State {
    /// State of a flow that is seen for the first time.
    fn new(credit: i64, at: Nanos) -> State {
        State { credit, next: 0, place: Place::Idle(at) }
    }
}

struct Fq {
    limit: Limit,
    quantum: i64,
    initial_quantum: i64,
    flow_limit: usize,
    max_rate: Option<Rate>,
    low_rate_threshold: u64,
    refill_delay: Nanos,
    ce_threshold: Option<Nanos>,
    flows: Flows<State>,
    /// Packets on the fast path.
    fast: Fifo,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    /// Throttled flows, by the time at which they may send again and by the order in which they were throttled.
    throttled: BTreeMap<(Nanos, u64), usize>,
    throttles: u64,
    /// All flows in the table, each with the time at which it was added or last checked, in the order of these times.
    known: VecDeque<(Nanos, usize)>,
    /// Number of packets and bytes in the flows' queues.
    packets: u64,
    bytes: u64,
}

impl Fq {
    fn new(settings: &Settings<'_>) -> Fq {
        let given = Parameters::read(settings.given);
        let packet_size = i64::from(settings.packet_size);
        Fq {
            limit: settings.limit,
            quantum: given.quantum.unwrap_or(2 * packet_size),
            initial_quantum: given.initial_quantum.unwrap_or(10 * packet_size),
            flow_limit: given.flow_limit,
            max_rate: given.max_rate,
            low_rate_threshold: given.low_rate_threshold,
            refill_delay: given.refill_delay,
            ce_threshold: given.ce_threshold,
            flows: Flows::new(),
            fast: Fifo::new(Limit::Unlimited),
            new: VecDeque::new(),
            old: VecDeque::new(),
            throttled: BTreeMap::new(),
            throttles: 0,
            known: VecDeque::new(),
            packets: 0,
            bytes: 0,
        }
    }

    /// Index of a flow, which is added to the table if it is not there.
    fn flow(&mut self, at: Nanos, key: u64) -> usize {
        self.forget_idle(at);
        self.flows.find(key).unwrap_or_else(|| {
            let number = self.flows.add(key, State::new(self.initial_quantum, at));
            self.known.push_back((at, number));
            number
        })
    }

    /// Checks the flows whose last check is more than 3 s ago, and removes those idle for more than 3 s. `enqueue`
    /// treats flows that have been idle for longer but are still in the table as forgotten.
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

    /// Moves the throttled flows whose time has come to the list of old flows.
    fn release(&mut self, at: Nanos) {
        while let Some(first) = self.throttled.first_entry()
            && first.key().0 <= at
        {
            self.old.push_back(first.remove());
        }
    }

    /// Time for which a flow is throttled after a packet that counts as `bytes` bytes, sent at `at`.
    fn gap(&self, state: &State, rate: Rate, bytes: u64, at: Nanos) -> Nanos {
        let time = rate.time_of(bytes).min(LONGEST_GAP);
        let late = if state.next > 0 { at - state.next } else { 0 };
        time - late.min(time / 2)
    }

    fn charge(&mut self, number: usize, size: u32, at: Nanos) {
        self.flows[number].state.credit -= i64::from(size);
        let Some(rate) = self.max_rate else { return };
        let low = rate.bits() <= self.low_rate_threshold;
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
        let (packets, bytes) = self.backlog();
        if !self.limit.fits(packets, bytes, item.size) {
            drops.push((item, DropCause::Queue));
            return;
        }
        if self.max_rate.is_none() && self.packets == 0 && self.fast.len() < FAST {
            self.fast.push(item);
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
        if let Some(item) = self.fast.pop() {
            return Next::Send(item);
        }
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
        let (packets, bytes) = self.fast.backlog();
        (self.packets + packets, self.bytes + bytes)
    }
}
