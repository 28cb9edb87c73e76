//! A rate that changes in steps.

use crate::Rate;

use super::{Meter, Server};
use crate::{NEVER, Nanos, Schedule};

/// Duration of one byte, in ns times bits per second.
const BYTE: u128 = 8_000_000_000;

/// A wire whose rate changes at given times; a rate of zero is an outage.
///
/// If the rate changes while a packet is on the wire, its first part is sent at the old rate and the rest at the new
/// rate. The end of a packet is reported rounded up, and the next packet follows at the exact end, as in a
/// [`crate::Transmitter`]. A packet whose rounded start falls into an outage waits for the end of the outage.
pub struct Steps {
    rates: Schedule<u64>,
    mean: Rate,
    /// The wire is free from `free_at + fraction / rate` on, with the rate of that nanosecond.
    free_at: Nanos,
    fraction: u64,
}

impl Steps {
    /// An idle wire with the given rates in bits per second. Its mean rate is that of a period, or that up to `horizon`
    /// if the schedule does not repeat.
    ///
    /// # Panics
    /// If the rate is never above zero.
    pub fn new(rates: Schedule<u64>, horizon: Nanos) -> Steps {
        assert!(rates.steps().iter().any(|(_, rate)| *rate > 0), "a wire has a rate at some time");
        let mean = Steps::mean(&rates, horizon);
        Steps { rates, mean, free_at: 0, fraction: 0 }
    }

    /// Mean rate in bits per second over a period, or up to `horizon` if the schedule does not repeat; at least one.
    pub fn mean(rates: &Schedule<u64>, horizon: Nanos) -> Rate {
        let over = rates.period().unwrap_or(horizon).max(1);
        let mean = (rates.integral()(over) / u128::from(over)) as u64;
        Rate::new(mean).unwrap_or(Rate::MIN)
    }
}

impl Server for Steps {
    fn start(&mut self, at: Nanos) -> Nanos {
        let mut start = at.max(self.free_at.saturating_add(u64::from(self.fraction > 0)));
        while start < NEVER {
            let piece = self.rates.at(start);
            if piece.value > 0 {
                break;
            }
            start = piece.until;
        }
        start
    }

    fn transmit(&mut self, at: Nanos, size: u32, follows: bool) -> Nanos {
        if !follows {
            (self.free_at, self.fraction) = (at, 0);
        }
        let mut left = u128::from(size) * BYTE;
        while self.free_at < NEVER {
            let piece = self.rates.at(self.free_at);
            let rate = u128::from(piece.value);
            let done = u128::from(self.fraction);
            let most = rate * u128::from(piece.until - self.free_at) - done;
            if left < most {
                self.free_at += ((done + left) / rate) as u64;
                self.fraction = ((done + left) % rate) as u64;
                break;
            }
            (self.free_at, self.fraction) = (piece.until, 0);
            left -= most;
            if left == 0 {
                break;
            }
        }
        self.free_at.saturating_add(u64::from(self.fraction > 0))
    }

    fn meter(&self) -> Meter<'_> {
        Meter::flowing(self.rates.integral())
    }

    fn mean_rate(&self) -> Rate {
        self.mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::PARTS_OF_A_BIT;

    const MS: u64 = 1_000_000;

    #[test]
    fn a_packet_on_the_wire_is_sent_at_the_new_rate_after_a_change() {
        // The rate is 1 Mbit/s, from 6 ms on 2 Mbit/s, from 20 ms on zero, and from 30 ms on 1 Mbit/s.
        let rates = vec![(0, 1_000_000), (6 * MS, 2_000_000), (20 * MS, 0), (30 * MS, 1_000_000)];
        let mut wire = Steps::new(Schedule::new(rates, None), 40 * MS);
        assert_eq!(wire.start(0), 0);
        assert_eq!(wire.transmit(0, 1500, false), 9 * MS, "6000 bits in 6 ms, 6000 in 3 ms");
        assert_eq!(wire.start(1), 9 * MS);
        assert_eq!(wire.transmit(18 * MS, 1000, false), 34 * MS, "4000 bits before the outage, 4000 after it");
        assert_eq!((wire.start(20 * MS), wire.start(35 * MS)), (34 * MS, 35 * MS));
        let mut meter = wire.meter();
        assert_eq!(
            [5, 6, 7, 20, 25, 30, 31].map(|at| meter.by(at * MS) / PARTS_OF_A_BIT),
            [5_000, 6_000, 8_000, 34_000, 34_000, 34_000, 35_000]
        );
        drop(meter);
        assert_eq!(wire.mean_rate().bits(), 44_000 * 25);
    }

    #[test]
    fn nothing_starts_in_an_outage() {
        let mut wire = Steps::new(Schedule::new(vec![(0, 0), (5, 8_000_000_000), (10, 0)], Some(20)), 0);
        assert_eq!([0, 5, 9, 10, 19, 25, 31].map(|at| wire.start(at)), [5, 5, 9, 25, 25, 25, 45]);
        let mut last = Steps::new(Schedule::new(vec![(0, 8), (10, 0)], None), 10);
        assert_eq!((last.start(9), last.start(10)), (9, NEVER));
        assert_eq!(last.transmit(9, 1, false), NEVER, "a packet on the wire when the last outage begins never ends");
        assert_eq!(last.start(9), NEVER);
    }
}
