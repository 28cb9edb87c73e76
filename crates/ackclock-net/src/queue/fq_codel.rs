//! FQ-CoDel (RFC 8290): flows are hashed into queues with a CoDel each, and served by deficit round robin in which new
//! flows go first.
//!
//! # Equations
//!
//! A queue that gets its first packet joins the list of new queues with `quantum` bytes of credit. Its packets are sent
//! as long as the credit is positive; then it gets another quantum and goes to the end of the old queues. New queues
//! are served before old ones, and a new queue that is found empty becomes an old one before it leaves the lists
//! (section 4.2).
//!
//! CoDel runs in each queue (RFC 8289), with the bytes of all queues in its test for more than one packet behind (RFC
//! 8289 section 4.4). When the queues exceed the limit, half of the packets of the queue with the most bytes are
//! dropped from its head, but at most 64 (section 4.1).
//!
//! # Constants
//!
//! There are 1024 queues. `quantum` is 1514 bytes, the limit 10240 packets, `target` 5 ms and `interval` 100 ms; ECN is
//! on, and there is no `ce_threshold` (section 5.2).
//!
//! # Deviations
//!
//! - The hash is of the flow's number and the seed, not Jenkins's hash of addresses and ports.
//! - Half of an odd number of packets is rounded up, so that the last one can be dropped too. With a limit in bytes,
//!   dropping is repeated until the limit holds.
//! - Linux has an additional limit of 32 MB of memory. Here the limit is in packets or in bytes.
//! - With `rules` `linux`, CoDel has the arithmetic of Linux (see `codel`). When the queues exceed the limit, half of the
//!   bytes of the longest queue are dropped, and its CoDel counts each dropped packet as a signal (net/sched/sch_fq_codel.c,
//!   fq_codel_drop).
//!
//! # Validated against
//!
//! Both RFCs, implemented in Python, packet by packet on random traffic; worked cases of new and old queues and of the
//! limit. With `rules` `linux`: Linux 6.12, packet by packet (docs/residuals-of-queues.md).

use ackclock_core::{joined, parameters};

use super::codel_control::{self, Codel, Constants, Delays, Marking};
use super::flow_queues::{FlowQueues, Flows, Half};
use super::rules::{Description, Rules};
use super::{Discipline, Drops, Entry, Item, Limit, Next, Settings};
use crate::Nanos;

parameters! {
    /// Length of a turn.
    struct Turns {
        quantum: i64 = is(1514.0), (256.0, 1e9), Volume, "Number of bytes that a queue may send at its turn.";
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "fq-codel",
    summary: "FQ-CoDel: fair queueing of flows with a CoDel for each; sparse flows go first.",
    source: "RFC 8290",
    limit: Some(Limit::Packets(10_240)),
    parameters: joined!(Delays::ROWS, Turns::ROWS, Flows::ROWS, Marking::ROWS, Description::ROWS),
    check: codel_control::check,
    make: |settings| Box::new(FqCodel::new(settings)),
};

#[derive(Debug)]
struct FqCodel {
    limit: Limit,
    queues: FlowQueues<Codel>,
    constants: Constants,
}

impl FqCodel {
    fn new(settings: &Settings<'_>) -> FqCodel {
        FqCodel {
            limit: settings.limit,
            queues: FlowQueues::new(settings, Turns::read(settings.given).quantum, &mut settings.random()),
            constants: Constants::new(settings),
        }
    }
}

impl Discipline for FqCodel {
    fn enqueue(&mut self, _at: Nanos, item: Item, drops: &mut Drops) {
        self.queues.push(item);
        match self.constants.rules {
            Rules::Rfc => self.queues.enforce(self.limit, Half::Packets, drops, |_, _| {}),
            Rules::Linux => {
                let overflowed = |codel: &mut Codel, packets| codel.overflowed(&self.constants, packets);
                self.queues.enforce(self.limit, Half::Bytes, drops, overflowed);
            }
        }
    }

    fn dequeue(&mut self, at: Nanos, drops: &mut Drops) -> Next {
        let constants = &self.constants;
        let sent = self.queues.dequeue(|codel, turn| {
            let take = || turn.take().map(|item| (item, turn.total_bytes()));
            codel.dequeue(constants, at, take, drops)
        });
        sent.map_or(Next::Empty, Next::Send)
    }

    fn backlog(&self) -> (u64, u64) {
        (self.queues.total.packets, self.queues.total.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::DropCause;

    fn queue(limit: Limit, given: &[(&'static str, f64)]) -> FqCodel {
        let rate = crate::Rate::new(8_000_000).unwrap();
        FqCodel::new(&Settings { rate, limit, packet_size: 1500, given, seed: [3; 32] })
    }

    fn arrive(queue: &mut FqCodel, flow: u64, count: u32, size: u32) -> Drops {
        let mut drops = Drops::new();
        for id in 0..count {
            queue.enqueue(0, Item { id, flow, size, ..Item::default() }, &mut drops);
        }
        drops
    }

    /// Flows of the next `count` packets.
    fn flows(queue: &mut FqCodel, count: usize) -> Vec<u64> {
        let mut drops = Drops::new();
        (0..count)
            .map(|_| match queue.dequeue(0, &mut drops) {
                Next::Send(item) => item.flow,
                Next::Wait(_) | Next::Empty => panic!("a packet waits"),
            })
            .collect()
    }

    #[test]
    fn a_sparse_flow_overtakes_a_bulk_flow_without_starving_it() {
        let mut queue = queue(Limit::Unlimited, &[]);
        arrive(&mut queue, 1, 100, 1500);
        // After two packets the credit of the bulk flow is 1514 - 2 * 1500 < 0, so the flow is old.
        assert_eq!(flows(&mut queue, 3), [1, 1, 1]);
        arrive(&mut queue, 2, 1, 100);
        assert_eq!(flows(&mut queue, 2), [2, 1], "new before old");
        // A flow with a packet at each turn overtakes once per round: its queue becomes old before it can be new again.
        let mut served = Vec::new();
        for _ in 0..8 {
            arrive(&mut queue, 2, 1, 1500);
            served.extend(flows(&mut queue, 1));
        }
        let bulk = served.iter().filter(|flow| **flow == 1).count();
        assert!((3..=5).contains(&bulk), "{served:?}");
    }

    #[test]
    fn bytes_are_shared_not_packets() {
        let mut queue = queue(Limit::Unlimited, &[]);
        arrive(&mut queue, 1, 100, 1500);
        arrive(&mut queue, 2, 1000, 150);
        let small = flows(&mut queue, 550).iter().filter(|flow| **flow == 2).count();
        assert!((490..=510).contains(&small), "{small}");
    }

    #[test]
    fn half_of_the_longest_queue_is_dropped_from_its_head() {
        let mut queue = queue(Limit::Packets(30), &[]);
        assert!(arrive(&mut queue, 1, 9, 1500).is_empty(), "the flow with the most bytes");
        assert!(arrive(&mut queue, 2, 21, 100).is_empty(), "the flow with the most packets");
        let drops = arrive(&mut queue, 3, 1, 40);
        let dropped: Vec<(u64, u32, DropCause)> =
            drops.iter().map(|(item, cause)| (item.flow, item.id, *cause)).collect();
        assert_eq!(dropped, [0, 1, 2, 3, 4].map(|id| (1, id, DropCause::Queue)));
        assert_eq!(queue.backlog(), (26, 4 * 1500 + 21 * 100 + 40));
        let mut queue = self::queue(Limit::Packets(1000), &[]);
        assert_eq!(arrive(&mut queue, 1, 1001, 100).len(), 64, "at most 64 at once");
    }

    #[test]
    fn with_linux_s_rules_half_of_the_bytes_are_dropped_and_counted() {
        let arrivals = |rules: f64| {
            let mut queue = queue(Limit::Packets(6), &[("rules", rules)]);
            arrive(&mut queue, 1, 2, 1500);
            arrive(&mut queue, 1, 5, 100).len()
        };
        // 3,500 bytes in seven packets: two have 3,000 of them, and four are half of the packets.
        assert_eq!((arrivals(0.0), arrivals(1.0)), (4, 2));
    }

    #[test]
    fn the_seed_determines_the_queues_of_flows() {
        let queues = |seed| {
            let hash = super::super::flow_queues::Hash::new(2, &mut crate::Random::new(seed));
            (0..64).map(|flow| hash.queue(flow)).collect::<Vec<_>>()
        };
        let one = queues([1; 32]);
        assert_ne!(one, queues([2; 32]));
        assert!((20..44).contains(&one.iter().sum::<usize>()), "{one:?}");
    }
}
