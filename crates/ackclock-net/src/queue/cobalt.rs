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
//! empty also takes one step back.
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
//! - The square root is exact. Linux approximates it with 32 bits and one Newton step.
//!
//! # Validated against
//!
//! An implementation of the description above in Python, packet by packet on random traffic.

use ackclock_core::parameters;

use super::codel_control::control_law;
use super::{Discipline, DropCause, Drops, Entry, Fifo, Item, Limit, Next, Settings};
use crate::Nanos;
use crate::Random;

/// CAKE's target and interval on a fast link, ns.
const FAST_TARGET: f64 = 5e6;
const FAST_INTERVAL: f64 = 1e8;
/// Lower bounds in packets' times: of the target, and of a delay that is too long.
const TARGET_PACKETS: f64 = 1.5;
const LEAST_PACKETS: f64 = 4.0;
/// A probability of one, in the units of `probability`.
const PARTS: u64 = 1 << 32;

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
    make: |settings| Box::new(Cobalt::new(settings)),
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
struct Cobalt {
    items: Fifo,
    random: Random,
    target: Nanos,
    interval: Nanos,
    /// Delay up to which CoDel does not signal, ns.
    least: Nanos,
    ecn: bool,
    increment: u64,
    decrement: u64,
    /// CoDel: whether the delay is above the target, the number of signals so far, and the time of the next.
    dropping: bool,
    count: u32,
    drop_next: Nanos,
    /// BLUE: its drop probability in units of 1 / `PARTS`, and the time of its last change.
    probability: u64,
    changed_at: Nanos,
}

impl Cobalt {
    fn new(settings: &Settings<'_>) -> Cobalt {
        let (target, interval) = times(settings);
        let Parameters { ecn, increment, decrement, .. } = Parameters::read(settings.given);
        Cobalt {
            items: Fifo::new(settings.limit),
            random: settings.random(),
            target: target as Nanos,
            interval: interval as Nanos,
            least: (LEAST_PACKETS * packet_time(settings)) as Nanos,
            ecn,
            increment: (increment * PARTS as f64) as u64,
            decrement: (decrement * PARTS as f64) as u64,
            dropping: false,
            count: 0,
            drop_next: 0,
            probability: 0,
            changed_at: 0,
        }
    }

    fn is_due(&self, at: Nanos) -> bool {
        self.count > 0 && at >= self.drop_next
    }

    /// Moves the schedule to signal number `count`.
    fn schedule(&mut self, count: u32) {
        self.count = count;
        self.drop_next = control_law(self.drop_next, self.interval, count);
    }

    fn may_change(&self, at: Nanos) -> bool {
        at - self.changed_at > self.target
    }

    fn overflowed(&mut self, at: Nanos) {
        if self.may_change(at) {
            self.probability = (self.probability + self.increment).min(PARTS);
            self.changed_at = at;
        }
        self.dropping = true;
        self.drop_next = at;
        self.count = self.count.max(1);
    }

    fn found_empty(&mut self, at: Nanos) {
        if self.probability > 0 && self.may_change(at) {
            self.probability = self.probability.saturating_sub(self.decrement);
            self.changed_at = at;
        }
        self.dropping = false;
        if self.is_due(at) {
            self.schedule(self.count - 1);
        }
    }

    /// Whether a packet is to be dropped. Instead of being dropped, the packet may be marked.
    fn strikes(&mut self, at: Nanos, item: &mut Item) -> bool {
        let sojourn = at - item.arrival;
        let due = self.is_due(at);
        let mut strikes = false;
        if sojourn > self.target && sojourn > self.least {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = control_law(at, self.interval, self.count);
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        if self.dropping && due {
            strikes = !(self.ecn && item.mark());
            self.schedule(self.count.saturating_add(1));
        } else if due {
            while self.is_due(at) {
                self.schedule(self.count - 1);
            }
        }
        if self.probability > 0 && self.random.bits() >> 32 < self.probability {
            strikes = true;
        }
        if self.is_due(at) && !strikes {
            // Overdue marks are not made up for.
            self.drop_next = at;
        }
        strikes
    }
}

impl Discipline for Cobalt {
    fn enqueue(&mut self, at: Nanos, item: Item, drops: &mut Drops) {
        self.items.push(item);
        while self.items.limit().exceeded_by(self.items.len() as u64, self.items.bytes()) {
            self.overflowed(at);
            drops.extend(self.items.pop().map(|item| (item, DropCause::Queue)));
        }
    }

    fn dequeue(&mut self, at: Nanos, drops: &mut Drops) -> Next {
        while let Some(mut item) = self.items.pop() {
            if !self.strikes(at, &mut item) || self.items.is_empty() {
                return Next::Send(item);
            }
            drops.push((item, DropCause::Aqm));
        }
        self.found_empty(at);
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
    fn blue_steps_once_in_a_target() {
        let mut cobalt = Cobalt::new(&settings(100_000_000));
        for at in [10, 11, 15, 16] {
            cobalt.overflowed(at * MS);
        }
        assert_eq!(cobalt.probability, 2 * PARTS / 256, "at 10 and 16 ms");
        for at in [21, 22, 27] {
            cobalt.found_empty(at * MS);
        }
        assert_eq!(
            cobalt.probability,
            2 * PARTS / 256 - PARTS / 4096,
            "at 22 ms; 27 ms is not more than a target later"
        );
        cobalt.probability = PARTS / 8192;
        cobalt.found_empty(100 * MS);
        assert_eq!(cobalt.probability, 0);
    }

    #[test]
    fn the_schedule_goes_back_when_the_delay_is_low() {
        let mut cobalt = Cobalt::new(&settings(100_000_000));
        (cobalt.count, cobalt.drop_next) = (4, 100 * MS);
        let mut strikes = |at, arrival| cobalt.strikes(at * MS, &mut Item { arrival: arrival * MS, ..Item::default() });
        assert!(!strikes(100, 99));
        // Three signals are left after 100 / sqrt(3) = 57.7 ms, and two after 70.7 ms more.
        assert!(!strikes(230, 229));
        assert_eq!((cobalt.count, cobalt.drop_next), (1, 328_445_704));
    }

    #[test]
    fn a_queue_that_is_found_empty_takes_one_step_back() {
        let mut cobalt = Cobalt::new(&settings(100_000_000));
        (cobalt.count, cobalt.drop_next, cobalt.dropping) = (4, 100 * MS, true);
        cobalt.found_empty(100 * MS - 1);
        assert_eq!((cobalt.count, cobalt.dropping), (4, false));
        cobalt.found_empty(500 * MS);
        assert_eq!((cobalt.count, cobalt.drop_next), (3, 157_735_026));
    }

    #[test]
    fn overdue_drops_are_made_up_for_and_overdue_marks_are_not() {
        for (ecn, strikes, next) in [(Ecn::NotEct, true, 57_735_026), (Ecn::Ect0, false, 900 * MS)] {
            let mut cobalt = Cobalt::new(&settings(100_000_000));
            (cobalt.count, cobalt.drop_next, cobalt.dropping) = (2, 0, true);
            assert_eq!(cobalt.strikes(900 * MS, &mut Item { ecn, ..Item::default() }), strikes);
            assert_eq!((cobalt.count, cobalt.drop_next), (3, next));
        }
    }

    #[test]
    fn an_overflow_drops_the_first_packet_and_makes_a_signal_due() {
        let mut cobalt = Cobalt::new(&settings(100_000_000));
        let mut drops = Drops::new();
        for id in 0..3 {
            cobalt.enqueue(0, Item { id, size: 1500, ecn: Ecn::Ect0, ..Item::default() }, &mut drops);
        }
        assert_eq!(drops.iter().map(|(item, cause)| (item.id, *cause)).collect::<Vec<_>>(), [(0, DropCause::Queue)]);
        let Next::Send(item) = cobalt.dequeue(6 * MS, &mut drops) else { panic!("a packet waits") };
        assert_eq!((item.id, item.ecn), (1, Ecn::Ce));
    }
}
