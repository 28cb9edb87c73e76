//! DualPI2 (RFC 9332 appendix A): a low-latency queue for L4S senders and a classic queue. Their controllers are
//! coupled so that flows of both kinds get about the same throughput.
//!
//! # Equations
//!
//! Packets with ECT(1) or CE go to the L queue, all others to the C queue (figure 3). The base probability p' changes
//! every `update` (figure 8):
//!
//! p' += `alpha` (q - `target`) + `beta` (q - q'), bounded to 0 to 1; p_C = p'^2, p_CL = `coupling` p'.
//!
//! Here q is the longer of the sojourn times of the two queues' first packets, and q' is its value at the last update.
//!
//! A packet of the C queue is dropped or marked with p_C when it leaves (figures 4, 5 and 7). A packet of the L queue
//! is marked with the larger of p_CL and the ramp of the L queue. The ramp is 0 for delays below `ramp_from`, rises
//! linearly, and is 1 from `ramp_width` above `ramp_from` on; it is 0 if the queue has at most `ramp_packets` packets.
//!
//! Signals are not random but recur: each packet adds its likelihood to the queue's counter, and a signal is due when
//! the counter exceeds 1. From p_C = 1 / `coupling`^2 on, packets of the C queue are dropped even if they are
//! ECN-capable. From p_CL = 1 on, packets of the L queue are dropped with p_C, and the others are marked.
//!
//! # Scheduler
//!
//! The scheduler is weighted round robin, which appendix A.2 recommends, with a credit in bytes as in Linux. While both
//! queues have packets, each byte sent from L adds `classic_share` to the credit, and each byte sent from C takes 1 -
//! `classic_share` away. C sends when the credit is above 0. When both queues are empty, the credit is set to its value
//! after a full packet of C.
//!
//! # Constants
//!
//! - `target` is 15 ms, `rtt_max` 100 ms, and `update` the smaller of `target` and `rtt_max` / 3.
//! - `alpha` is 0.1 `update` / `rtt_max`^2 and `beta` 0.3 / `rtt_max`, per second; `coupling` is 2.
//! - `ramp_from` is 800 us, `ramp_width` 400 us and `ramp_packets` 1.
//! - `buffer` is 250 ms at the link's rate (figure 2). There is no other limit by default.
//! - `classic_share` is 1/16 (appendix A.2).
//!
//! # Deviations
//!
//! - A packet adds at most 1 to a counter. p_CL can reach `coupling`; without the bound, the counter would cause marks
//!   long after p_CL has fallen.
//! - The ramp uses the sojourn time of the packet that leaves, and that packet counts in `ramp_packets`.
//!
//! # Validated against
//!
//! The RFC's pseudocode, implemented in Python, packet by packet on random traffic; latency and shares by hand.

use ackclock_core::parameters;

use super::{Discipline, DropCause, Drops, Entry, Fifo, Item, Limit, Next, Settings, anything};
use crate::{Ecn, Nanos};

/// One millisecond and one second, in ns.
const MS: f64 = 1e6;
const SECOND: f64 = 1e9;

parameters! {
    /// Parameters of DualPI2.
    struct Parameters {
        target: f64 = is(15.0 * MS), (1e5, 1e12), Time,
            "Queueing delay at which the controller aims in the classic queue.";
        rtt_max: f64 = is(100.0 * MS), (3e5, 1e12), Time, "Longest round-trip time for which the controller is stable.";
        update: Option<f64> = follows("the smaller of target and a third of rtt_max"), (1e5, 1e12), Time,
            "Time between two calculations of the base probability (Tupdate).";
        alpha: Option<f64> = follows("0.1 update / rtt_max^2"), (0.0, 1e6), Number,
            "Increase of the base probability in an update, per second by which the delay exceeds the target.";
        beta: Option<f64> = follows("0.3 / rtt_max"), (0.0, 1e6), Number,
            "Increase of the base probability in an update, per second by which the delay has grown.";
        coupling: f64 = is(2.0), (0.01, 100.0), Number,
            "Factor from the base probability to the marking probability of the L queue (k).";
        ramp_from: Nanos = is(0.8 * MS), (0.0, 1e12), Time,
            "Queueing delay from which packets of the L queue are marked (minTh).";
        ramp_width: Nanos = is(0.4 * MS), (0.0, 1e12), Time,
            "Width of the ramp, at whose end all packets of the L queue are marked; 0 for a step (range).";
        ramp_packets: usize = is(1.0), (0.0, 1e9), Count("packets"),
            "Number of packets in the L queue up to which the ramp marks nothing (Th_len).";
        classic_share: f64 = is(1.0 / 16.0), (0.0, 1.0), Probability,
            "Smallest share of the link for the classic queue.";
        buffer: f64 = is(250.0 * MS), (1e3, 1e12), Time,
            "Buffer of both queues together, as time at the link's rate; it applies in addition to the limit.";
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "dualpi2",
    summary: "DualPI2: a low-latency queue for L4S and a classic queue with coupled controllers.",
    source: "RFC 9332 appendix A",
    limit: Some(Limit::Unlimited),
    parameters: Parameters::ROWS,
    check: anything,
    make: |settings| Box::new(DualPi2::new(settings)),
};

/// The buffer of `time` at the link's rate, in bytes, but at least a full packet, however slow the link.
fn buffer(time: f64, settings: &Settings<'_>) -> u64 {
    let bytes = time * settings.rate.bits() as f64 / (8.0 * SECOND);
    (bytes as u64).max(u64::from(settings.packet_size))
}

/// One of the two queues, with its counter of likelihoods.
#[derive(Debug)]
struct Queue {
    items: Fifo,
    counter: f64,
}

impl Queue {
    fn new() -> Queue {
        Queue { items: Fifo::new(Limit::Unlimited), counter: 0.0 }
    }

    /// Sojourn time of the first packet so far.
    fn delay(&self, at: Nanos) -> Nanos {
        self.items.first().map_or(0, |item| at - item.arrival)
    }

    /// Adds a likelihood to the counter; whether a signal is due (figure 4, recur).
    fn strikes(&mut self, likelihood: f64) -> bool {
        self.counter += likelihood.min(1.0);
        let strikes = self.counter > 1.0;
        if strikes {
            self.counter -= 1.0;
        }
        strikes
    }
}

#[derive(Debug)]
struct DualPi2 {
    low: Queue,
    classic: Queue,
    limit: Limit,
    buffer: u64,
    packet_size: u32,
    target: Nanos,
    update: Nanos,
    alpha: f64,
    beta: f64,
    coupling: f64,
    ramp_from: Nanos,
    ramp_width: Nanos,
    ramp_packets: usize,
    classic_share: f64,
    /// Credit of the classic queue, bytes.
    credit: f64,
    update_at: Nanos,
    old_delay: Nanos,
    /// Base probability p'.
    base: f64,
}

impl DualPi2 {
    fn new(settings: &Settings<'_>) -> DualPi2 {
        let given = Parameters::read(settings.given);
        let Parameters { target, rtt_max, .. } = given;
        let update = given.update.unwrap_or(target.min(rtt_max / 3.0));
        let rtt_seconds = rtt_max / SECOND;
        let mut queue = DualPi2 {
            low: Queue::new(),
            classic: Queue::new(),
            limit: settings.limit,
            buffer: buffer(given.buffer, settings),
            packet_size: settings.packet_size,
            target: target as Nanos,
            update: update as Nanos,
            alpha: given.alpha.unwrap_or(0.1 * (update / SECOND) / (rtt_seconds * rtt_seconds)),
            beta: given.beta.unwrap_or(0.3 / rtt_seconds),
            coupling: given.coupling,
            ramp_from: given.ramp_from,
            ramp_width: given.ramp_width,
            ramp_packets: given.ramp_packets,
            classic_share: given.classic_share,
            credit: 0.0,
            update_at: update as Nanos,
            old_delay: 0,
            base: 0.0,
        };
        queue.reset_credit();
        queue
    }

    fn reset_credit(&mut self) {
        self.credit = -(1.0 - self.classic_share) * f64::from(self.packet_size);
    }

    /// The probabilities p_C and p_CL.
    fn probabilities(&self) -> (f64, f64) {
        (self.base * self.base, self.coupling * self.base)
    }

    /// Performs the updates that are due by `at`. Once an update of empty queues changes nothing, the remaining ones
    /// change nothing either and are skipped.
    fn advance(&mut self, at: Nanos) {
        while self.update_at <= at {
            let due = self.update_at;
            let delay = self.low.delay(due).max(self.classic.delay(due));
            let before = (self.base, self.old_delay);
            let above = (delay as f64 - self.target as f64) / SECOND;
            let growth = (delay as f64 - self.old_delay as f64) / SECOND;
            self.base = (self.base + self.alpha * above + self.beta * growth).clamp(0.0, 1.0);
            self.old_delay = delay;
            let is_idle = self.backlog().0 == 0 && (self.base, self.old_delay) == before;
            let left = if is_idle { (at - due) / self.update } else { 0 };
            self.update_at = (due + left * self.update).saturating_add(self.update);
        }
    }

    /// Marking probability of the L queue's own AQM (figure 5).
    fn ramp(&self, delay: Nanos) -> f64 {
        if delay >= self.ramp_from + self.ramp_width {
            1.0
        } else if delay > self.ramp_from {
            (delay - self.ramp_from) as f64 / self.ramp_width as f64
        } else {
            0.0
        }
    }

    /// Whether the L queue sends next; updates the credit. At least one queue has a packet.
    fn schedule(&mut self) -> bool {
        let (Some(low), Some(classic)) = (self.low.items.first(), self.classic.items.first()) else {
            return !self.low.items.is_empty();
        };
        let low_sends = self.credit <= 0.0;
        self.credit += if low_sends {
            self.classic_share * f64::from(low.size)
        } else {
            (self.classic_share - 1.0) * f64::from(classic.size)
        };
        low_sends
    }

    /// The first packet of the L queue; `None` if it is dropped.
    fn serve_low(&mut self, at: Nanos, drops: &mut Drops) -> Option<Item> {
        let length = self.low.items.len();
        let mut item = self.low.items.pop()?;
        let (classic, coupled) = self.probabilities();
        if coupled < 1.0 {
            let own = if length > self.ramp_packets { self.ramp(at - item.arrival) } else { 0.0 };
            if self.low.strikes(own.max(coupled)) {
                item.mark();
            }
        } else if self.low.strikes(classic) {
            drops.push((item, DropCause::Aqm));
            return None;
        } else if self.low.strikes(coupled) {
            item.mark();
        }
        Some(item)
    }

    /// The first packet of the C queue; `None` if it is dropped.
    fn serve_classic(&mut self, drops: &mut Drops) -> Option<Item> {
        let mut item = self.classic.items.pop()?;
        let (classic, _) = self.probabilities();
        if self.classic.strikes(classic) {
            let overloaded = classic >= (1.0 / (self.coupling * self.coupling)).min(1.0);
            if overloaded || !item.mark() {
                drops.push((item, DropCause::Aqm));
                return None;
            }
        }
        Some(item)
    }
}

impl Discipline for DualPi2 {
    fn enqueue(&mut self, at: Nanos, item: Item, drops: &mut Drops) {
        self.advance(at);
        let (packets, bytes) = self.backlog();
        // Room for a full packet is required whatever the packet's size, so that large packets are not at a
        // disadvantage.
        let size = self.packet_size.max(item.size);
        let fits = bytes + u64::from(size) <= self.buffer;
        if !(fits && self.limit.fits(packets, bytes, size)) {
            drops.push((item, DropCause::Queue));
        } else if matches!(item.ecn, Ecn::Ect1 | Ecn::Ce) {
            self.low.items.push(item);
        } else {
            self.classic.items.push(item);
        }
    }

    fn dequeue(&mut self, at: Nanos, drops: &mut Drops) -> Next {
        self.advance(at);
        while self.backlog().0 > 0 {
            let item = if self.schedule() { self.serve_low(at, drops) } else { self.serve_classic(drops) };
            if let Some(item) = item {
                return Next::Send(item);
            }
        }
        self.reset_credit();
        Next::Empty
    }

    /// Linux net/sched/sch_dualpi2.c: split_gso, which is on by default.
    fn splits(&self, _size: u32) -> bool {
        true
    }

    fn backlog(&self) -> (u64, u64) {
        let (low, classic) = (self.low.items.backlog(), self.classic.items.backlog());
        (low.0 + classic.0, low.1 + classic.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(given: &[(&'static str, f64)]) -> DualPi2 {
        let rate = crate::Rate::new(8_000_000).unwrap();
        DualPi2::new(&Settings { rate, limit: Limit::Unlimited, packet_size: 1000, given, seed: [0; 32] })
    }

    #[test]
    fn the_constants_follow_from_target_and_rtt() {
        let queue = queue(&[]);
        assert_eq!((queue.update, queue.buffer), (15_000_000, 250_000));
        assert!((queue.alpha - 0.15).abs() < 1e-12 && (queue.beta - 3.0).abs() < 1e-12);
        let queue = self::queue(&[("rtt_max", 30.0 * MS)]);
        assert_eq!(queue.update, 10_000_000);
        assert!((queue.alpha - 0.001 / 0.0009).abs() < 1e-12 && (queue.beta - 10.0).abs() < 1e-12);
    }

    #[test]
    fn the_ramp_rises_from_800_to_1200_microseconds_or_steps() {
        let at = |queue: &DualPi2, delays: [Nanos; 4]| delays.map(|delay| queue.ramp(delay * 1000));
        assert_eq!(at(&queue(&[]), [800, 900, 1100, 1200]), [0.0, 0.25, 0.75, 1.0]);
        assert_eq!(at(&queue(&[("ramp_width", 0.0)]), [0, 799, 800, 801]), [0.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn the_classic_queue_gets_its_share_of_an_overloaded_link() {
        let mut queue = queue(&[]);
        let mut drops = Drops::new();
        for id in 0..240 {
            let ecn = if id % 2 == 0 { Ecn::Ect1 } else { Ecn::NotEct };
            queue.enqueue(0, Item { id, size: 1000, ecn, ..Item::default() }, &mut drops);
        }
        let order: Vec<bool> = (0..64)
            .map(|_| match queue.dequeue(0, &mut drops) {
                Next::Send(item) => item.id % 2 == 1,
                Next::Wait(_) | Next::Empty => panic!("a packet waits"),
            })
            .collect();
        // The C queue sends one packet in sixteen, first after a full round of the L queue.
        let classic: Vec<usize> = (0..64).filter(|place| order[*place]).collect();
        assert_eq!(classic, [16, 32, 48]);
    }

    #[test]
    fn overload_drops_ecn_capable_packets_from_both_queues() {
        let mut queue = queue(&[]);
        queue.base = 0.6;
        let mut drops = Drops::new();
        for id in 0..200 {
            let ecn = if id % 2 == 0 { Ecn::Ect1 } else { Ecn::Ect0 };
            queue.enqueue(0, Item { id, size: 1000, ecn, ..Item::default() }, &mut drops);
        }
        let mut sent = Vec::new();
        while let Next::Send(item) = queue.dequeue(0, &mut drops) {
            sent.push(item);
        }
        // The share 0.6^2 of each queue is dropped. The rest of the L queue is marked, except for one packet at the
        // counter's start.
        let low = |items: &[Item]| items.iter().filter(|item| item.id % 2 == 0).count();
        let dropped: Vec<Item> = drops.iter().map(|(item, _)| *item).collect();
        assert!((34..=36).contains(&low(&dropped)) && (69..=72).contains(&dropped.len()), "{}", dropped.len());
        let unmarked = sent.iter().filter(|item| item.ecn == Ecn::Ect1).count();
        assert!(unmarked <= 1, "{unmarked}");
        assert_eq!(sent.iter().filter(|item| item.ecn == Ecn::Ect0).count(), sent.len() - low(&sent));
    }

    #[test]
    fn updates_of_years_without_packets_are_skipped_and_keep_their_phase() {
        const YEARS: Nanos = 10 * 365 * 24 * 3600 * 1_000_000_000;
        for (alpha, base) in [(0.15, 0.0), (0.0, 0.5)] {
            let mut queue = queue(&[("alpha", alpha)]);
            queue.base = 0.5;
            queue.advance(YEARS + 1);
            assert_eq!((queue.base, queue.old_delay), (base, 0));
            assert_eq!(queue.update_at, YEARS / queue.update * queue.update + queue.update);
        }
    }

    #[test]
    fn the_buffer_holds_a_packet() {
        assert_eq!(queue(&[("buffer", 0.9 * MS)]).buffer, 1000);
        assert_eq!(queue(&[("buffer", 1.1 * MS)]).buffer, 1100);
    }
}
