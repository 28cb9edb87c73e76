//! CoDel (Controlled Delay, RFC 8289): drops at the head once the delay of each packet has been above a target for an
//! interval, and then ever more often until it no longer is.
//!
//! # Equations
//!
//! A packet's sojourn time is the time from its arrival until the wire takes it. Once it has been at least `target` for
//! `interval`, with more than a packet of bytes behind it each time, a packet is dropped, and the n-th after it `interval` /
//! sqrt(n) later than the one before (section 5.6), until a packet has waited for less. Entering that state again within 16
//! intervals of the last drop due, it goes on with as many as there were drops before (section 5.5).
//!
//! # Constants
//!
//! `target` 5 ms (section 4.3), `interval` 100 ms (section 4.2). The limit is that of Linux's `codel`, 1000 packets: the RFC
//! names none.
//!
//! # Deviations
//!
//! - The RFC's pseudocode has no ECN. With it a mark takes the place of a drop, and the packet is sent, as in Linux.
//! - `ce_threshold` is Linux's too (RFC 8290 section 5.2.7).
//!
//! # Validated against
//!
//! The RFC's pseudocode written out in Python, packet by packet on random traffic; the spacing of drops by hand.

use super::codel_control::{CE_THRESHOLD, Codel, Constants, ECN, INTERVAL, TARGET, check};
use super::{Discipline, DropCause, Drops, Entry, Fifo, Item, Limit, Next};
use crate::Nanos;

pub(super) const ENTRY: Entry = Entry {
    name: "codel",
    summary: "CoDel: drops or marks at the head when the delay has been above a target for an interval.",
    source: "RFC 8289",
    limit: Some(Limit::Packets(1000)),
    parameters: &[TARGET, INTERVAL, ECN, CE_THRESHOLD],
    check,
    make: |settings| {
        Box::new(Queue {
            items: Fifo::new(settings.limit),
            constants: Constants::new(settings),
            codel: Codel::default(),
        })
    },
};

#[derive(Debug)]
struct Queue {
    items: Fifo,
    constants: Constants,
    codel: Codel,
}

impl Discipline for Queue {
    fn enqueue(&mut self, _at: Nanos, item: Item, drops: &mut Drops) {
        if self.items.fits(item.size) {
            self.items.push(item);
        } else {
            drops.push((item, DropCause::Queue));
        }
    }

    fn dequeue(&mut self, at: Nanos, drops: &mut Drops) -> Next {
        let items = &mut self.items;
        let take = || items.pop().map(|item| (item, items.bytes()));
        self.codel.dequeue(&self.constants, at, take, drops).map_or(Next::Empty, Next::Send)
    }

    fn backlog(&self) -> (u64, u64) {
        self.items.backlog()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Ecn, Settings};

    const MS: Nanos = 1_000_000;

    fn queue(given: &[(&'static str, f64)]) -> Box<dyn Discipline> {
        let rate = 8_000_000.try_into().unwrap();
        (ENTRY.make)(&Settings { rate, limit: Limit::Unlimited, packet_size: 1000, given, seed: [0; 32] })
    }

    /// Times in ms of what is dropped or marked in 400 ms of two packets arriving in each ms, of which the wire takes one.
    fn signals(ecn: Ecn, given: &[(&'static str, f64)]) -> Vec<Nanos> {
        let (mut queue, mut drops, mut signals) = (queue(given), Drops::new(), Vec::new());
        for at in (0..400).map(|ms| ms * MS) {
            for _ in 0..2 {
                queue.enqueue(at, Item { size: 1000, arrival: at, ecn, ..Item::default() }, &mut drops);
            }
            let Next::Send(item) = queue.dequeue(at, &mut drops) else { panic!("a packet waits") };
            let marked = item.ecn == Ecn::Ce && ecn != Ecn::Ce;
            signals.extend(std::iter::repeat_n(at / MS, drops.drain(..).count() + usize::from(marked)));
        }
        signals
    }

    #[test]
    fn drops_come_at_intervals_over_the_root_of_their_number() {
        // The packet that leaves at 9 ms is the first to have waited for 5: it came at 4. 100 ms later the first drop, then
        // 100, 100 / sqrt(2), 100 / sqrt(3) and 100 / 2 ms after each other, each when the wire takes a packet next.
        assert_eq!(signals(Ecn::NotEct, &[])[..5], [109, 209, 280, 338, 388]);
        assert_eq!(signals(Ecn::Ect0, &[])[..5], [109, 209, 280, 338, 388], "marks too");
        assert_eq!(signals(Ecn::Ect0, &[("ecn", 0.0)]), signals(Ecn::NotEct, &[]));
    }

    #[test]
    fn the_last_packet_is_not_dropped() {
        let (mut queue, mut drops) = (queue(&[]), Drops::new());
        for at in [0, 1000 * MS, 2000 * MS] {
            queue.enqueue(at, Item { size: 1000, arrival: at, ..Item::default() }, &mut drops);
            assert!(matches!(queue.dequeue(at + 500 * MS, &mut drops), Next::Send(_)));
        }
        assert!(drops.is_empty());
    }

    #[test]
    fn above_the_threshold_every_packet_is_marked() {
        let signals = signals(Ecn::Ect0, &[("ce_threshold", 2.0 * MS as f64)]);
        // The packet that leaves at n ms came at n / 2, rounded down: 3 ms are first exceeded at 5.
        assert_eq!(signals, (5..400).collect::<Vec<_>>());
    }

    #[test]
    fn the_target_is_below_the_interval() {
        let problems = |given: &[(&'static str, f64)]| {
            let rate = 8_000_000.try_into().unwrap();
            (ENTRY.check)(&Settings { rate, limit: Limit::Unlimited, packet_size: 1000, given, seed: [0; 32] })
        };
        assert!(problems(&[]).is_empty());
        let accepted = "less than the interval, 4 ms (5 to 10 % of it)".to_string();
        assert_eq!(problems(&[("interval", 4.0 * MS as f64)]), [("target", accepted)]);
    }
}
