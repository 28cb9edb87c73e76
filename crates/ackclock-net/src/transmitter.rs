//! Serialisation at a fixed rate, in exact arithmetic.

use crate::Rate;

use crate::Nanos;

/// Duration of one byte at one bit per second, ns.
const BYTE_NS_AT_1_BPS: u64 = 8_000_000_000;

/// Times of a packet on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Service {
    /// Time at which the packet's first bit leaves.
    pub start: Nanos,
    /// Time at which the packet's last bit has left.
    pub end: Nanos,
}

/// Serialises packets one after the other.
///
/// A packet of `size` bytes takes `size * 8e9 / rate` ns, rarely a whole number. The fraction is carried from packet to
/// packet in units of `1 / rate` ns, so a busy period of any length ends exactly where real arithmetic says. Reported
/// times are rounded up to whole nanoseconds. A busy period begins at a whole nanosecond: the arrival that finds the
/// wire idle.
#[derive(Clone, Debug)]
pub struct Transmitter {
    rate: Rate,
    /// The wire is free from `free_at - early / rate` on; `early` is below the rate.
    free_at: Nanos,
    early: u64,
    /// Duration of a packet of `last_size` bytes: `whole + rest / rate`. It is kept because most packets have the size
    /// of the packet before, and the division costs more than all other work.
    last_size: u32,
    whole: u64,
    rest: u64,
}

impl Transmitter {
    /// An idle wire of `rate`.
    pub fn new(rate: Rate) -> Transmitter {
        Transmitter { rate, free_at: 0, early: 0, last_size: 0, whole: 0, rest: 0 }
    }

    /// Rate of the wire.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Time from which on a packet would start at once, rounded up.
    #[inline]
    pub fn free_at(&self) -> Nanos {
        self.free_at
    }

    /// Sends a packet of `size` bytes that is ready at `at`, after all packets before it.
    #[inline]
    pub fn transmit(&mut self, at: Nanos, size: u32) -> Service {
        if size != self.last_size {
            self.measure(size);
        }
        let start = at.max(self.free_at);
        let early = if at >= self.free_at { 0 } else { self.early };
        let longer = self.rest > early;
        // The sum of `early` and the rate may not fit into 64 bits, but the difference does.
        self.early = early.wrapping_sub(self.rest).wrapping_add(if longer { self.rate.bits() } else { 0 });
        self.free_at = start.saturating_add(self.whole).saturating_add(u64::from(longer));
        Service { start, end: self.free_at }
    }

    #[cold]
    fn measure(&mut self, size: u32) {
        let rate = self.rate.bits();
        self.last_size = size;
        (self.whole, self.rest) = match u64::from(size).checked_mul(BYTE_NS_AT_1_BPS) {
            Some(product) => (product / rate, product % rate),
            None => {
                let product = u128::from(size) * u128::from(BYTE_NS_AT_1_BPS);
                let rate = u128::from(rate);
                (u64::try_from(product / rate).unwrap_or(u64::MAX), (product % rate) as u64)
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(rate: u64) -> Transmitter {
        Transmitter::new(Rate::new(rate).unwrap())
    }

    #[test]
    fn a_packet_takes_its_bits_over_the_rate() {
        let mut wire = at(1_000_000);
        assert_eq!(wire.transmit(5, 1500), Service { start: 5, end: 12_000_005 });
        assert_eq!(wire.transmit(6, 40), Service { start: 12_000_005, end: 12_320_005 });
        assert_eq!(wire.transmit(20_000_000, 1500), Service { start: 20_000_000, end: 32_000_000 });
    }

    #[test]
    fn a_long_busy_period_does_not_drift() {
        // 1500 bytes at 7 bit/s take 12000 / 7 s: only every seventh packet ends at a whole number of nanoseconds.
        let mut wire = at(7);
        for sent in 1..=7_000_u128 {
            let exact = sent * 12_000 * 1_000_000_000;
            assert_eq!(u128::from(wire.transmit(0, 1500).end), exact.div_ceil(7));
        }
    }

    #[test]
    fn an_arrival_within_the_last_nanosecond_of_a_packet_waits() {
        // 1 byte at 3 bit/s ends at 2666666666 + 2/3 ns: the wire is busy at ..666 and free at ..667, where the
        // fraction is dropped.
        let mut wire = at(3);
        assert_eq!(wire.transmit(0, 1).end, 2_666_666_667);
        let mut late = wire.clone();
        assert_eq!(wire.transmit(2_666_666_666, 1), Service { start: 2_666_666_667, end: 5_333_333_334 });
        assert_eq!(late.transmit(2_666_666_667, 1), Service { start: 2_666_666_667, end: 5_333_333_334 });
        // The exact ends differ by 1/3 ns. The rounded ends differ from the sixth packet on: 6 * 8/3 s = 16 s against
        // 2666666667 ns + 5 * 8/3 s.
        wire.transmit(0, 1);
        late.transmit(0, 1);
        assert_eq!(wire.transmit(0, 1).end, 10_666_666_667);
        assert_eq!(late.transmit(0, 1).end, 10_666_666_667);
        wire.transmit(0, 1);
        late.transmit(0, 1);
        assert_eq!((wire.transmit(0, 1).end, late.transmit(0, 1).end), (16_000_000_000, 16_000_000_001));
    }

    #[test]
    fn extremes_saturate() {
        let mut slow = at(1);
        assert_eq!(slow.transmit(0, u32::MAX).end, u64::MAX);
        assert_eq!(slow.transmit(0, u32::MAX).end, u64::MAX);
        let mut fast = at(u64::MAX);
        assert_eq!(fast.transmit(3, 1500), Service { start: 3, end: 4 });
        assert_eq!(fast.transmit(3, 1500), Service { start: 4, end: 4 });
    }
}
