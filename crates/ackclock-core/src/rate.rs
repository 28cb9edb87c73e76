//! Rates of links and senders.

use std::num::NonZeroU64;

use crate::parameters::Held;
use crate::{Nanos, SECOND};

/// A rate above zero. It is kept in bits per second, as rates of links are written; senders count in bytes per second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rate(NonZeroU64);

impl Rate {
    /// The smallest rate, one bit per second.
    pub const MIN: Rate = Rate(NonZeroU64::MIN);

    /// The rate of `bits` per second; `None` for zero.
    #[inline]
    pub const fn new(bits: u64) -> Option<Rate> {
        match NonZeroU64::new(bits) {
            Some(bits) => Some(Rate(bits)),
            None => None,
        }
    }

    /// The rate of `bytes` per second. Zero becomes one byte per second, and more than `u64::MAX` bits become that.
    #[inline]
    pub const fn of_bytes(bytes: u64) -> Rate {
        match Rate::new(bytes.saturating_mul(8)) {
            Some(rate) => rate,
            None => Rate(NonZeroU64::MIN.saturating_add(7)),
        }
    }

    /// Bits per second.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0.get()
    }

    /// Whole bytes per second.
    #[inline]
    pub const fn bytes(self) -> u64 {
        self.0.get() / 8
    }

    /// The time that `bytes` take at this rate, rounded down, ns.
    #[inline]
    pub fn time_of(self, bytes: u64) -> Nanos {
        let ns = u128::from(bytes) * u128::from(8 * SECOND) / u128::from(self.bits());
        u64::try_from(ns).unwrap_or(u64::MAX)
    }
}

/// A parameter below one bit per second has the smallest rate.
impl Held for Rate {
    fn held(number: f64) -> Rate {
        Rate::new(number as u64).unwrap_or(Rate::MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_reads_in_bits_and_in_bytes() {
        let rate = Rate::of_bytes(125_000);
        assert_eq!((Rate::new(1_000_000), rate.bits(), rate.bytes()), (Some(rate), 1_000_000, 125_000));
        assert_eq!((Rate::new(0), Rate::of_bytes(0).bits(), Rate::of_bytes(u64::MAX).bits()), (None, 8, u64::MAX));
        assert_eq!(Rate::new(15).map(Rate::bytes), Some(1));
    }

    #[test]
    fn bytes_take_their_bits_over_the_rate() {
        assert_eq!(Rate::new(1_000_000).unwrap().time_of(1500), 12_000_000);
        assert_eq!(Rate::new(3).unwrap().time_of(1), 2_666_666_666);
        assert_eq!(Rate::MIN.time_of(u64::MAX), u64::MAX);
    }

    #[test]
    fn a_parameter_is_in_bits_per_second() {
        assert_eq!((Rate::held(1e6), Rate::held(0.5)), (Rate::new(1_000_000).unwrap(), Rate::MIN));
    }
}
