//! A bucket of tokens, in exact arithmetic.

use crate::{Nanos, Rate};

/// Number of nanobits in a byte.
const BYTE: u128 = 8_000_000_000;

/// A token bucket. The level is in integer nanobits, so that nothing is lost to rounding. The bucket is full at the
/// start.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    /// Rate in bits per second, which is nanobits per nanosecond.
    rate: u128,
    /// Size of the bucket, nanobits.
    depth: u128,
    /// Tokens at the time `at`, nanobits.
    level: u128,
    at: Nanos,
}

impl Bucket {
    /// A full bucket of `depth` bytes that fills at `rate`.
    pub(crate) fn new(rate: Rate, depth: u64) -> Bucket {
        let depth = u128::from(depth) * BYTE;
        Bucket { rate: u128::from(rate.bits()), depth, level: depth, at: 0 }
    }

    /// Adds the tokens that have come by `at`. Returns those that found no room, nanobits.
    pub(crate) fn fill(&mut self, at: Nanos) -> u128 {
        let sum = self.level + u128::from(at - self.at) * self.rate;
        self.level = sum.min(self.depth);
        self.at = at;
        sum - self.level
    }

    /// Adds tokens, in nanobits, as far as there is room.
    pub(crate) fn add(&mut self, tokens: u128) {
        self.level = self.depth.min(self.level.saturating_add(tokens));
    }

    /// Whether a packet of `size` bytes is not larger than the bucket.
    pub(crate) fn holds(&self, size: u32) -> bool {
        u128::from(size) * BYTE <= self.depth
    }

    /// Whether there are tokens for a packet of `size` bytes.
    pub(crate) fn has(&self, size: u32) -> bool {
        u128::from(size) * BYTE <= self.level
    }

    /// Time until there are tokens for a packet, ns. The packet is not larger than the bucket.
    pub(crate) fn wait(&self, size: u32) -> Nanos {
        let missing = (u128::from(size) * BYTE).saturating_sub(self.level);
        u64::try_from(missing.div_ceil(self.rate)).unwrap_or(Nanos::MAX)
    }

    /// Uses up the tokens for a packet; there are enough.
    pub(crate) fn take(&mut self, size: u32) {
        self.level -= u128::from(size) * BYTE;
    }
}
