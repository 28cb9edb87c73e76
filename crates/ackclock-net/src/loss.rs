//! Loss that has nothing to do with a queue.

use std::num::NonZeroU64;

use crate::random::{Random, Seed};

/// What takes packets on a link, queue aside.
#[derive(Clone, Debug)]
pub enum Loss {
    /// Each by chance.
    Random(RandomLoss),
    /// Each so-manieth.
    Periodic(PeriodicLoss),
}

impl Loss {
    /// Whether the next packet is lost.
    #[inline]
    pub fn strikes(&mut self) -> bool {
        match self {
            Loss::Random(loss) => loss.strikes(),
            Loss::Periodic(loss) => loss.strikes(),
        }
    }
}

/// Loses each packet with the same probability, whatever became of those before it (Bernoulli).
#[derive(Clone, Debug)]
pub struct RandomLoss {
    parts_per_billion: u64,
    random: Random,
}

impl RandomLoss {
    /// A loss of so many packets in a billion, on average, drawn from the stream of `seed`.
    pub fn new(parts_per_billion: u64, seed: Seed) -> RandomLoss {
        RandomLoss { parts_per_billion, random: Random::new(seed) }
    }

    /// Whether the next packet is lost.
    #[inline]
    pub fn strikes(&mut self) -> bool {
        self.random.happens(self.parts_per_billion)
    }
}

/// Loses one packet of so many, always the same distance apart: the loss of response functions in closed form.
#[derive(Clone, Debug)]
pub struct PeriodicLoss {
    every: NonZeroU64,
    /// Packets up to and with the one that is lost next.
    left: u64,
}

impl PeriodicLoss {
    /// Loses packet number `first`, counted from one, and each `every`-th after it.
    pub fn new(every: NonZeroU64, first: NonZeroU64) -> PeriodicLoss {
        PeriodicLoss { every, left: first.get() }
    }

    /// Whether the next packet is lost.
    #[inline]
    pub fn strikes(&mut self) -> bool {
        self.left -= 1;
        let strikes = self.left == 0;
        if strikes {
            self.left = self.every.get();
        }
        strikes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(parts_per_billion: u64, seed: u8, packets: usize) -> Vec<bool> {
        let mut loss = RandomLoss::new(parts_per_billion, [seed; 32]);
        (0..packets).map(|_| loss.strikes()).collect()
    }

    #[test]
    fn as_many_as_the_probability_says_and_no_more_in_a_row() {
        const PACKETS: usize = 200_000;
        let struck = lost(30_000_000, 1, PACKETS);
        let count = struck.iter().filter(|lost| **lost).count() as f64;
        // Mean 6000, standard deviation 76; pairs of losses in a row: mean 180, standard deviation 14.
        assert!((count - 6000.0).abs() < 4.0 * 76.0, "{count}");
        let pairs = struck.windows(2).filter(|pair| pair[0] && pair[1]).count() as f64;
        assert!((pairs - 180.0).abs() < 4.0 * 14.0, "{pairs}");
    }

    #[test]
    fn nothing_at_zero_and_everything_at_one() {
        assert!(!lost(0, 1, 10_000).contains(&true));
        assert!(!lost(1_000_000_000, 1, 10_000).contains(&false));
    }

    #[test]
    fn the_seed_decides() {
        assert_eq!(lost(500_000_000, 1, 100), lost(500_000_000, 1, 100));
        assert_ne!(lost(500_000_000, 1, 100), lost(500_000_000, 2, 100));
    }

    #[test]
    fn periodic_loss_takes_the_first_and_each_so_manieth_after_it() {
        let lost = |every, first| {
            let number = |n| NonZeroU64::new(n).unwrap();
            let mut loss = Loss::Periodic(PeriodicLoss::new(number(every), number(first)));
            (1..=12u64).filter(|_| loss.strikes()).collect::<Vec<_>>()
        };
        assert_eq!(lost(4, 4), [4, 8, 12]);
        assert_eq!(lost(5, 2), [2, 7, 12]);
        assert_eq!(lost(3, 7), [7, 10], "the first may be later than one period");
        assert_eq!(lost(1, 11), [11, 12]);
    }
}
