//! COBALT (CoDel and BLUE alternate): the AQM of CAKE's queues, for a single queue (T. Høiland-Jørgensen, D. Täht, J.
//! Morton, "Piece of CAKE", LANMAN 2018; J. Palmei and others, "Design and Evaluation of COBALT Queue Discipline",
//! LANMAN 2019).
//!
//! # Equations
//!
//! COBALT runs CoDel without its estimator. A packet that has waited longer than `target` starts a schedule of signals,
//! of which the n-th comes `interval` / sqrt(n) after the one before. Each signal marks or drops a packet. While the
//! delay is at most the target, the schedule runs backwards: the count falls by one at each time at which a signal
//! would have been due. A queue that grows again thus meets the signalling rate that is left. A queue that is found
//! empty also takes one step back. The very first signal of all is due at once, as in Linux, whose controller starts with
//! a reciprocal root of zero.
//!
//! BLUE acts on flows that do not respond: with probability p a packet is dropped, not marked. p grows by `increment`
//! when the queue overflows and falls by `decrement` when the queue is found empty, at most once per `target`. An
//! overflow also makes CoDel's next signal due at once. The last packet of a queue is not dropped.
//!
//! # Constants
//!
//! CAKE's values in Linux:
//!
//! - `target` is 5 ms, or the time of 1.5 packets at the link's rate if that is more.
//! - `interval` is 100 ms plus the amount by which `target` exceeds 5 ms.
//! - A delay of up to four packets' times at the link's rate is never too long.
//! - `increment` is 1/256 and `decrement` 1/4096.
//!
//! The limit is 1000 packets, as in Linux's `codel`.
//!
//! # Deviations
//!
//! - The queue drops its first packet when it overflows, as CAKE does with its longest queue.
//! - The queue is found empty when a packet arrives at an idle wire. In Linux it is found empty when the wire becomes
//!   idle.
//!
//! # Validated against
//!
//! An implementation of the description above in Python, packet by packet on random traffic.

use ackclock_core::parameters;

use super::cobalt_control::{Cobalt, Constants};
use super::{Discipline, DropCause, Drops, Entry, Fifo, Item, Limit, Next, Settings};
use crate::Nanos;
use crate::Random;

/// CAKE's target and interval on a fast link, ns.
const FAST_TARGET: f64 = 5e6;
const FAST_INTERVAL: f64 = 1e8;
/// Lower bound of the target, in packets' times.
const TARGET_PACKETS: f64 = 1.5;
/// A probability of one, in the units of BLUE's.
const PARTS: f64 = 4_294_967_296.0;

parameters! {
    /// Parameters of COBALT.
    struct Parameters {
        target: Option<f64> = follows("5 ms, or 1.5 packets' times at the link's rate if that is more"), (1.0, 1e12), Time,
            "Acceptable queueing delay.";
        interval: Option<f64> = follows("95 ms plus the target"), (1.0, 1e12), Time,
            "Time until the first signal after the delay exceeds the target: a worst-case round-trip time.";
        ecn: bool = is(1.0), (0.0, 1.0), Flag, "Whether ECN-capable packets are marked instead of dropped.";
        increment: f64 = is(1.0 / 256.0), (0.0, 1.0), Probability,
            "Increase of BLUE's drop probability when the queue overflows.";
        decrement: f64 = is(1.0 / 4096.0), (0.0, 1.0), Probability,
            "Decrease of BLUE's drop probability when the queue is found empty.";
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "cobalt",
    summary: "COBALT: CAKE's CoDel combined with BLUE against flows that do not respond.",
    source: "Høiland-Jørgensen, Täht, Morton, LANMAN 2018; Palmei and others, LANMAN 2019",
    limit: Some(Limit::Packets(1000)),
    parameters: Parameters::ROWS,
    check,
    make: |settings| Box::new(Queue::new(settings)),
};

/// Target and interval, ns.
fn times(settings: &Settings<'_>) -> (f64, f64) {
    let given = Parameters::read(settings.given);
    let target = given.target.unwrap_or((TARGET_PACKETS * packet_time(settings)).max(FAST_TARGET));
    let interval = given.interval.unwrap_or(FAST_INTERVAL - FAST_TARGET + target);
    (target, interval)
}

/// Time of a full packet at the link's rate, ns.
fn packet_time(settings: &Settings<'_>) -> f64 {
    f64::from(settings.packet_size) * 8e9 / settings.rate.bits() as f64
}

fn check(settings: &Settings<'_>) -> Vec<(&'static str, String)> {
    let (target, interval) = times(settings);
    if target < interval {
        return Vec::new();
    }
    vec![("interval", format!("more than the target, {} ms", target / 1e6))]
}

#[derive(Debug)]
struct Queue {
    items: Fifo,
    random: Random,
    constants: Constants,
    cobalt: Cobalt,
}

impl Queue {
    fn new(settings: &Settings<'_>) -> Queue {
        let (target, interval) = times(settings);
        let Parameters { ecn, increment, decrement, .. } = Parameters::read(settings.given);
        let parts = |share: f64| (share * PARTS) as u32;
        Queue {
            items: Fifo::new(settings.limit),
            random: settings.random(),
            constants: Constants {
                target: target as Nanos,
                interval: interval as Nanos,
                spacing: interval as Nanos,
                packet_time: packet_time(settings) as Nanos,
                increment: parts(increment),
                decrement: parts(decrement),
                ecn,
            },
            cobalt: Cobalt::default(),
        }
    }
}

impl Discipline for Queue {
    fn enqueue(&mut self, at: Nanos, item: Item, drops: &mut Drops) {
        self.items.push(item);
        while self.items.limit().exceeded_by(self.items.len() as u64, self.items.bytes()) {
            self.cobalt.overflowed(&self.constants, at);
            drops.extend(self.items.pop().map(|item| (item, DropCause::Queue)));
        }
    }

    fn dequeue(&mut self, at: Nanos, drops: &mut Drops) -> Next {
        while let Some(mut item) = self.items.pop() {
            let strikes = self.cobalt.strikes(&self.constants, at, &mut item, 0, &mut self.random);
            if !strikes || self.items.is_empty() {
                return Next::Send(item);
            }
            drops.push((item, DropCause::Aqm));
        }
        self.cobalt.found_empty(&self.constants, at);
        Next::Empty
    }

    fn backlog(&self) -> (u64, u64) {
        self.items.backlog()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ecn;

    const MS: Nanos = 1_000_000;

    fn settings(rate: u64) -> Settings<'static> {
        let rate = crate::Rate::new(rate).unwrap();
        Settings { rate, limit: Limit::Packets(2), packet_size: 1500, given: &[], seed: [9; 32] }
    }

    #[test]
    fn target_and_interval_grow_on_slow_links() {
        assert_eq!(times(&settings(100_000_000)), (5e6, 1e8));
        // A packet takes 12 ms at 1 Mbit/s.
        assert_eq!(times(&settings(1_000_000)), (18e6, 113e6));
        let given = [("target", 5e6), ("interval", 5e6)];
        let problems = check(&Settings { given: &given, ..settings(1_000_000) });
        assert_eq!(problems, [("interval", "more than the target, 5 ms".to_string())]);
    }

    #[test]
    fn an_overflow_drops_the_first_packet_and_makes_a_signal_due() {
        let mut cobalt = Queue::new(&settings(100_000_000));
        let mut drops = Drops::new();
        for id in 0..3 {
            cobalt.enqueue(0, Item { id, size: 1500, ecn: Ecn::Ect0, ..Item::default() }, &mut drops);
        }
        assert_eq!(drops.iter().map(|(item, cause)| (item.id, *cause)).collect::<Vec<_>>(), [(0, DropCause::Queue)]);
        let Next::Send(item) = cobalt.dequeue(6 * MS, &mut drops) else { panic!("a packet waits") };
        assert_eq!((item.id, item.ecn), (1, Ecn::Ce));
    }
}
