//! DualPI2 (RFC 9332 appendix A): a queue of low latency for L4S senders beside the classic one, whose controllers are
//! coupled so that flows of both kinds get about the same throughput.
//!
//! # Equations
//!
//! Packets with ECT(1) or CE go to the L queue, the others to the C queue (figure 3). Every `update` (figure 8), q being the
//! longer of the times that the two queues' first packets have waited, and q' that of the last update:
//!
//! p' += `alpha` (q - `target`) + `beta` (q - q'), between 0 and 1; p_C = p'^2, p_CL = `coupling` p'.
//!
//! On leaving (figures 4, 5 and 7), a packet of the C queue is dropped or marked with p_C. One of the L queue is marked with
//! the larger of p_CL and its own ramp: 0 below `ramp_from`, 1 from `ramp_width` above that, linear between; 0 with at most
//! `ramp_packets` in the queue. Both are not random but recur: each adds its likelihood to the queue's counter and strikes
//! when that is above 1. With p_C from 1 / `coupling`^2 packets of the C queue are dropped even if they could be marked, and
//! with p_CL from 1 packets of the L queue are dropped with p_C, and the others marked.
//!
//! # Scheduler
//!
//! Weighted round robin, which appendix A.2 recommends, by a credit in bytes as in Linux: while both queues have packets,
//! each byte that L sends adds `classic_share` to it and each that C sends takes 1 - `classic_share` away; C sends when it is
//! above 0. When nothing waits it is set to what it is after a full packet of C.
//!
//! # Constants
//!
//! `target` 15 ms, `rtt_max` 100 ms, `update` the smaller of `target` and `rtt_max` / 3, `alpha` = 0.1 `update` / `rtt_max`^2
//! and `beta` = 0.3 / `rtt_max` per second, `coupling` 2, `ramp_from` 800 us, `ramp_width` 400 us, `ramp_packets` 1, `buffer`
//! 250 ms at the link's rate (figure 2), `classic_share` 1/16 (appendix A.2). The limit is unlimited but for `buffer`.
//!
//! # Deviations
//!
//! - Likelihoods in counters are 1 at most: p_CL is up to `coupling`, and the counter would mark long after it.
//! - The delay of the ramp is that of the packet that leaves, which counts in `ramp_packets`.
//!
//! # Validated against
//!
//! The RFC's pseudocode written out in Python, packet by packet on random traffic; latency and shares by hand.

use super::{
    Discipline, DropCause, Drops, Ecn, Entry, Fifo, Item, Limit, Next, Otherwise, Parameter, Quantity, Settings,
    anything,
};
use crate::Nanos;

/// Milliseconds and seconds, in ns.
const MS: f64 = 1e6;
const SECOND: f64 = 1e9;

const TARGET: Parameter = Parameter {
    name: "target",
    summary: "The delay that the controller aims at in the classic queue.",
    quantity: Quantity::Time,
    default: Otherwise::Is(15.0 * MS),
    range: (1e5, 1e12),
};
const RTT_MAX: Parameter = Parameter {
    name: "rtt_max",
    summary: "The longest round-trip time for which the controller is stable.",
    quantity: Quantity::Time,
    default: Otherwise::Is(100.0 * MS),
    range: (3e5, 1e12),
};
const UPDATE: Parameter = Parameter {
    name: "update",
    summary: "How often the base probability is calculated (Tupdate).",
    quantity: Quantity::Time,
    default: Otherwise::Follows("the smaller of target and a third of rtt_max"),
    range: (1e5, 1e12),
};
const ALPHA: Parameter = Parameter {
    name: "alpha",
    summary: "Base probability per second that the delay is above the target, in each update.",
    quantity: Quantity::Number,
    default: Otherwise::Follows("0.1 update / rtt_max^2"),
    range: (0.0, 1e6),
};
const BETA: Parameter = Parameter {
    name: "beta",
    summary: "Base probability per second that the delay has grown, in each update.",
    quantity: Quantity::Number,
    default: Otherwise::Follows("0.3 / rtt_max"),
    range: (0.0, 1e6),
};
const COUPLING: Parameter = Parameter {
    name: "coupling",
    summary: "What the base probability is multiplied by for the L queue (k).",
    quantity: Quantity::Number,
    default: Otherwise::Is(2.0),
    range: (0.01, 100.0),
};
const RAMP_FROM: Parameter = Parameter {
    name: "ramp_from",
    summary: "Delay from which packets of the L queue are marked (minTh).",
    quantity: Quantity::Time,
    default: Otherwise::Is(0.8 * MS),
    range: (0.0, 1e12),
};
const RAMP_WIDTH: Parameter = Parameter {
    name: "ramp_width",
    summary: "How much longer a delay all of them are marked at; 0 for a step (range).",
    quantity: Quantity::Time,
    default: Otherwise::Is(0.4 * MS),
    range: (0.0, 1e12),
};
const RAMP_PACKETS: Parameter = Parameter {
    name: "ramp_packets",
    summary: "Packets up to which the L queue's own delay marks nothing (Th_len).",
    quantity: Quantity::Count("packets"),
    default: Otherwise::Is(1.0),
    range: (0.0, 1e9),
};
const CLASSIC_SHARE: Parameter = Parameter {
    name: "classic_share",
    summary: "Share of the link that the classic queue gets at least.",
    quantity: Quantity::Probability,
    default: Otherwise::Is(1.0 / 16.0),
    range: (0.0, 1.0),
};
const BUFFER: Parameter = Parameter {
    name: "buffer",
    summary: "What may wait in both queues besides the limit, as time at the link's rate.",
    quantity: Quantity::Time,
    default: Otherwise::Is(250.0 * MS),
    range: (1e3, 1e12),
};

pub(super) const ENTRY: Entry = Entry {
    name: "dualpi2",
    summary: "DualPI2: a queue of low latency for L4S beside a classic one, with coupled controllers.",
    source: "RFC 9332 appendix A",
    limit: Some(Limit::Unlimited),
    parameters: &[
        TARGET,
        RTT_MAX,
        UPDATE,
        ALPHA,
        BETA,
        COUPLING,
        RAMP_FROM,
        RAMP_WIDTH,
        RAMP_PACKETS,
        CLASSIC_SHARE,
        BUFFER,
    ],
    check: anything,
    make: |settings| Box::new(DualPi2::new(settings)),
};

/// Bytes that `buffer` is: a full packet at least, however slow the link.
fn buffer(settings: &Settings<'_>) -> u64 {
    let bytes = settings.get(&BUFFER) * settings.rate.get() as f64 / (8.0 * SECOND);
    (bytes as u64).max(u64::from(settings.packet_size))
}

/// One of the queues, with the counter of what recurs in it.
#[derive(Debug)]
struct Queue {
    items: Fifo,
    counter: f64,
}

impl Queue {
    fn new() -> Queue {
        Queue { items: Fifo::new(Limit::Unlimited), counter: 0.0 }
    }

    /// How long the first packet has waited.
    fn delay(&self, at: Nanos) -> Nanos {
        self.items.first().map_or(0, |item| at - item.arrival)
    }

    /// Whether what is to happen with this likelihood happens now (figure 4, recur).
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
    /// p'.
    base: f64,
}

impl DualPi2 {
    fn new(settings: &Settings<'_>) -> DualPi2 {
        let target = settings.get(&TARGET);
        let rtt_max = settings.get(&RTT_MAX);
        let update = settings.given(&UPDATE).unwrap_or(target.min(rtt_max / 3.0));
        let rtt_seconds = rtt_max / SECOND;
        let mut queue = DualPi2 {
            low: Queue::new(),
            classic: Queue::new(),
            limit: settings.limit,
            buffer: buffer(settings),
            packet_size: settings.packet_size,
            target: target as Nanos,
            update: update as Nanos,
            alpha: settings.given(&ALPHA).unwrap_or(0.1 * (update / SECOND) / (rtt_seconds * rtt_seconds)),
            beta: settings.given(&BETA).unwrap_or(0.3 / rtt_seconds),
            coupling: settings.get(&COUPLING),
            ramp_from: settings.get(&RAMP_FROM) as Nanos,
            ramp_width: settings.get(&RAMP_WIDTH) as Nanos,
            ramp_packets: settings.get(&RAMP_PACKETS) as usize,
            classic_share: settings.get(&CLASSIC_SHARE),
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

    /// p_C and p_CL.
    fn probabilities(&self) -> (f64, f64) {
        (self.base * self.base, self.coupling * self.base)
    }

    /// Does the updates that are due by `at`. Once one changes nothing while nothing waits, those that are left change nothing
    /// either.
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

    /// The probability of the L queue's own AQM (figure 5).
    fn ramp(&self, delay: Nanos) -> f64 {
        if delay >= self.ramp_from + self.ramp_width {
            1.0
        } else if delay > self.ramp_from {
            (delay - self.ramp_from) as f64 / self.ramp_width as f64
        } else {
            0.0
        }
    }

    /// Whether the L queue is to send, and the credit after that. Something waits.
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

    /// The first packet of the L queue, unless it is dropped.
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

    /// The first packet of the C queue, unless it is dropped.
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
        // Room for a full packet is asked for whatever its size, so that large ones are not at a disadvantage.
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

    fn backlog(&self) -> (u64, u64) {
        let (low, classic) = (self.low.items.backlog(), self.classic.items.backlog());
        (low.0 + classic.0, low.1 + classic.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(given: &[(&'static str, f64)]) -> DualPi2 {
        let rate = 8_000_000.try_into().unwrap();
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
        // One in sixteen, and first a whole round of L.
        let classic: Vec<usize> = (0..64).filter(|place| order[*place]).collect();
        assert_eq!(classic, [16, 32, 48]);
    }

    #[test]
    fn overload_drops_from_both_queues_what_could_be_marked() {
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
        // 0.6^2 of each, and the rest of L is marked but for the one that its counter starts with.
        let low = |items: &[Item]| items.iter().filter(|item| item.id % 2 == 0).count();
        let dropped: Vec<Item> = drops.iter().map(|(item, _)| *item).collect();
        assert!((34..=36).contains(&low(&dropped)) && (69..=72).contains(&dropped.len()), "{}", dropped.len());
        let unmarked = sent.iter().filter(|item| item.ecn == Ecn::Ect1).count();
        assert!(unmarked <= 1, "{unmarked}");
        assert_eq!(sent.iter().filter(|item| item.ecn == Ecn::Ect0).count(), sent.len() - low(&sent));
    }

    #[test]
    fn an_idle_time_of_years_is_over_at_once_with_updates_where_they_were() {
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
