//! CoDel (Controlled Delay, RFC 8289): drops packets at the head when the queueing delay has been above a target for an
//! interval. Drops become more frequent until the delay is below the target.
//!
//! # Equations
//!
//! A packet's sojourn time is the time from its arrival until its transmission starts. The drop state is entered when
//! no packet has had a sojourn time below `target` for `interval`. Each of these packets must also have had more than
//! one full packet of bytes behind it. A packet is dropped then, and the n-th drop after it comes `interval` / sqrt(n)
//! after the one before (section 5.6). The drop state ends with a packet whose sojourn time is below the target. If the
//! state is entered again less than 16 intervals after the time at which the next drop was due, the count starts at the
//! number of drops of the last time (section 5.5).
//!
//! # Constants
//!
//! `target` is 5 ms (section 4.3) and `interval` 100 ms (section 4.2). The RFC gives no limit; the default is 1000
//! packets, as in Linux's `codel`.
//!
//! # Deviations
//!
//! - The RFC's pseudocode has no ECN. With `ecn`, an ECN-capable packet is marked and sent instead of being dropped, as
//!   in Linux.
//! - `ce_threshold` is also taken from Linux (RFC 8290 section 5.2.7).
//! - With `rules` `linux`, times are in units of 1024 ns, and the root follows from the last one by a Newton step
//!   (include/net/codel_impl.h). The second drop then comes half an interval after the first, and not
//!   `interval` / sqrt(2).
//!
//! # Validated against
//!
//! The RFC's pseudocode, implemented in Python, packet by packet on random traffic; the spacing of drops by hand. With
//! `rules` `linux`: Linux 6.12, packet by packet (docs/residuals-of-queues.md).

use ackclock_core::joined;

use super::codel_control::{Codel, Constants, Delays, Marking, check};
use super::rules::Description;
use super::{Discipline, DropCause, Drops, Entry, Fifo, Item, Limit, Next};
use crate::Nanos;

pub(super) const ENTRY: Entry = Entry {
    name: "codel",
    summary: "CoDel: drops or marks at the head when the delay has been above a target for an interval.",
    source: "RFC 8289",
    limit: Some(Limit::Packets(1000)),
    parameters: joined!(Delays::ROWS, Marking::ROWS, Description::ROWS),
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
    use crate::Ecn;
    use crate::queue::Settings;

    const MS: Nanos = 1_000_000;

    fn queue(given: &[(&'static str, f64)]) -> Box<dyn Discipline> {
        let rate = crate::Rate::new(8_000_000).unwrap();
        (ENTRY.make)(&Settings { rate, limit: Limit::Unlimited, packet_size: 1000, given, seed: [0; 32] })
    }

    /// Times in ms of all drops and marks in 400 ms, in which two packets arrive and one leaves each ms.
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
        // The packet that leaves at 9 ms arrived at 4 ms and is the first with a sojourn time of 5 ms. The first drop
        // comes 100 ms later. The next come 100, 100 / sqrt(2), 100 / sqrt(3) and 100 / 2 ms after each other, each
        // when the wire takes its next packet.
        assert_eq!(signals(Ecn::NotEct, &[])[..5], [109, 209, 280, 338, 388]);
        assert_eq!(signals(Ecn::Ect0, &[])[..5], [109, 209, 280, 338, 388], "marks have the same times");
        assert_eq!(signals(Ecn::Ect0, &[("ecn", 0.0)]), signals(Ecn::NotEct, &[]));
    }

    #[test]
    fn with_linux_s_rules_the_root_follows_by_newton_steps() {
        // At 109 ms, 97,656 units of 1024 ns have passed since 9 ms: the interval, which has to be exceeded. The roots of
        // 1, 2, 3 and 4 are 1, (3 - 2) / 2 = 0.5, 0.5 (3 - 3 / 4) / 2 = 0.5625, and 0.4878.
        assert_eq!(signals(Ecn::NotEct, &[("rules", 1.0)])[..5], [110, 210, 260, 317, 366]);
        assert_eq!(signals(Ecn::Ect0, &[("rules", 1.0)])[..5], [110, 210, 260, 317, 366]);
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
        // The packet that leaves at n ms arrived at n / 2 ms, rounded down. The sojourn time first exceeds 2 ms at 5
        // ms.
        assert_eq!(signals, (5..400).collect::<Vec<_>>());
    }

    #[test]
    fn the_target_is_below_the_interval() {
        let problems = |given: &[(&'static str, f64)]| {
            let rate = crate::Rate::new(8_000_000).unwrap();
            (ENTRY.check)(&Settings { rate, limit: Limit::Unlimited, packet_size: 1000, given, seed: [0; 32] })
        };
        assert!(problems(&[]).is_empty());
        let accepted = "less than the interval, 4 ms (5 to 10 % of it)".to_string();
        assert_eq!(problems(&[("interval", 4.0 * MS as f64)]), [("target", accepted)]);
    }
}
