//! Packet loss that does not depend on a queue. Duplication and corruption use the same models.

use std::num::NonZeroU64;
use std::sync::Arc;

use crate::loss_in_time::{Alternating, Interference, Scheduled};
use crate::{Nanos, Random, Seed};

/// A loss model: decides for each packet of a link whether the packet is lost.
#[derive(Clone, Debug)]
pub enum Loss {
    /// Independent loss of each packet with one probability.
    Random(RandomLoss),
    /// Loss of every n-th packet.
    Periodic(PeriodicLoss),
    /// Loss in bursts.
    GilbertElliott(GilbertElliott),
    /// Loss of the packets with given numbers.
    Listed(ListedLoss),
    /// Loss in good and bad periods of random lengths.
    Alternating(Box<Alternating>),
    /// Loss with a probability that follows a schedule.
    Scheduled(Box<Scheduled>),
    /// Loss in bursts at a fixed distance.
    Interference(Box<Interference>),
}

impl Loss {
    /// Whether the next packet, at `at`, is lost. Calls are in the order of their times.
    #[inline]
    pub fn strikes(&mut self, at: Nanos) -> bool {
        match self {
            Loss::Random(loss) => loss.strikes(),
            Loss::Periodic(loss) => loss.strikes(),
            Loss::GilbertElliott(loss) => loss.strikes(),
            Loss::Listed(loss) => loss.strikes(),
            Loss::Alternating(loss) => loss.strikes(at),
            Loss::Scheduled(loss) => loss.strikes(at),
            Loss::Interference(loss) => loss.strikes(at),
        }
    }
}

/// Loses each packet with the same probability, independently of all other packets (Bernoulli).
#[derive(Clone, Debug)]
pub struct RandomLoss {
    parts_per_billion: u64,
    random: Random,
}

impl RandomLoss {
    /// A model that loses `parts_per_billion` of a billion packets on average, drawn from the stream of `seed`.
    pub fn new(parts_per_billion: u64, seed: Seed) -> RandomLoss {
        RandomLoss { parts_per_billion, random: Random::new(seed) }
    }

    /// Whether the next packet is lost.
    #[inline]
    pub fn strikes(&mut self) -> bool {
        self.random.happens(self.parts_per_billion)
    }
}

/// Loses every n-th packet. Response functions in closed form assume this loss.
#[derive(Clone, Debug)]
pub struct PeriodicLoss {
    every: NonZeroU64,
    /// Packets up to and including the next lost packet.
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

/// Probabilities of a [`GilbertElliott`] model, in parts per billion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GilbertElliottModel {
    /// Probability of a change from the good to the bad state with a packet (p).
    pub to_bad: u64,
    /// Probability of a change from the bad to the good state with a packet (r).
    pub to_good: u64,
    /// Probability that a packet is lost in the good state (1 - k).
    pub good: u64,
    /// Probability that a packet is lost in the bad state (1 - h).
    pub bad: u64,
}

/// Loss in bursts: a Markov chain of two states, each with its own loss probability (Gilbert 1960, Elliott 1963).
///
/// The chain starts in the good state. As in netem, the present state decides whether a packet is lost, and then the
/// state may change. In the long run `(p * bad + r * good) / (p + r)` of the packets are lost.
#[derive(Clone, Debug)]
pub struct GilbertElliott {
    model: GilbertElliottModel,
    is_bad: bool,
    random: Random,
}

impl GilbertElliott {
    /// A model in the good state, drawn from the stream of `seed`.
    pub fn new(model: GilbertElliottModel, seed: Seed) -> GilbertElliott {
        GilbertElliott { model, is_bad: false, random: Random::new(seed) }
    }

    /// Whether the next packet is lost.
    #[inline]
    pub fn strikes(&mut self) -> bool {
        let GilbertElliottModel { to_bad, to_good, good, bad } = self.model;
        let (loss, change) = if self.is_bad { (bad, to_good) } else { (good, to_bad) };
        let strikes = self.random.happens(loss);
        self.is_bad ^= self.random.happens(change);
        strikes
    }
}

/// Loses the packets with given numbers.
#[derive(Clone, Debug)]
pub struct ListedLoss {
    numbers: Arc<[u64]>,
    next: usize,
    seen: u64,
}

impl ListedLoss {
    /// A model that loses the packets with these numbers, counted from one.
    ///
    /// # Panics
    /// If the numbers are not strictly ascending, or one of them is zero.
    pub fn new(numbers: Arc<[u64]>) -> ListedLoss {
        assert!(numbers.is_sorted_by(|a, b| a < b) && !numbers.starts_with(&[0]), "numbers ascend from one");
        ListedLoss { numbers, next: 0, seen: 0 }
    }

    /// Whether the next packet is lost.
    #[inline]
    pub fn strikes(&mut self) -> bool {
        self.seen += 1;
        let strikes = self.numbers.get(self.next) == Some(&self.seen);
        self.next += usize::from(strikes);
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
    fn losses_have_the_given_probability_and_are_independent() {
        const PACKETS: usize = 200_000;
        let struck = lost(30_000_000, 1, PACKETS);
        let count = struck.iter().filter(|lost| **lost).count() as f64;
        // The mean is 6000 and the standard deviation 76; pairs of consecutive losses have mean 180 and standard
        // deviation 14.
        assert!((count - 6000.0).abs() < 4.0 * 76.0, "{count}");
        let pairs = struck.windows(2).filter(|pair| pair[0] && pair[1]).count() as f64;
        assert!((pairs - 180.0).abs() < 4.0 * 14.0, "{pairs}");
    }

    #[test]
    fn probability_zero_loses_nothing_and_probability_one_everything() {
        assert!(!lost(0, 1, 10_000).contains(&true));
        assert!(!lost(1_000_000_000, 1, 10_000).contains(&false));
    }

    #[test]
    fn losses_depend_on_the_seed_alone() {
        assert_eq!(lost(500_000_000, 1, 100), lost(500_000_000, 1, 100));
        assert_ne!(lost(500_000_000, 1, 100), lost(500_000_000, 2, 100));
    }

    #[test]
    fn bursts_have_the_length_and_the_distance_of_the_chain() {
        const PACKETS: usize = 400_000;
        let lost = |model| {
            let mut loss = Loss::GilbertElliott(GilbertElliott::new(model, [9; 32]));
            (0..PACKETS).map(|_| loss.strikes(0)).collect::<Vec<bool>>()
        };
        // Gilbert's chain with p = 1 % and r = 25 %: bursts have 4 packets on average with a standard deviation of 3.5,
        // and the gaps between them 100 packets.
        let model = GilbertElliottModel { to_bad: 10_000_000, to_good: 250_000_000, good: 0, bad: 1_000_000_000 };
        let struck = lost(model);
        let bursts = struck.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
        let count = struck.iter().filter(|lost| **lost).count() as f64;
        assert!(!struck[0], "the chain begins in the good state");
        assert!((count / bursts - 4.0).abs() < 4.0 * 3.47 / libm::sqrt(bursts), "{count} in {bursts} bursts");
        assert!(((PACKETS as f64 - count) / bursts - 100.0).abs() < 4.0 * 99.5 / libm::sqrt(bursts), "{bursts}");
        // Both states lose packets: (p * bad + r * good) / (p + r) of all packets, and a larger share of those after a
        // lost packet.
        let (p, r, good, bad) = (0.02, 0.1, 0.05, 0.5);
        let billion = |share: f64| (share * 1e9) as u64;
        let struck = lost(GilbertElliottModel {
            to_bad: billion(p),
            to_good: billion(r),
            good: billion(good),
            bad: billion(bad),
        });
        let mean = (p * bad + r * good) / (p + r);
        let count = struck.iter().filter(|lost| **lost).count() as f64;
        // Losses n packets apart have correlation (1 - p - r)^n: the variance of the mean is less than 12 times that of
        // independent draws.
        assert!((count / PACKETS as f64 - mean).abs() < 4.0 * libm::sqrt(12.0 * mean / PACKETS as f64), "{count}");
        let pairs = struck.windows(2).filter(|pair| pair[0] && pair[1]).count() as f64;
        let (in_bad, in_good) = (p / (p + r), r / (p + r));
        let both = in_bad * bad * ((1.0 - r) * bad + r * good) + in_good * good * ((1.0 - p) * good + p * bad);
        assert!((pairs / PACKETS as f64 / both - 1.0).abs() < 0.04, "{pairs}, expected {both}");
    }

    #[test]
    fn listed_loss_loses_the_listed_packets() {
        let mut loss = Loss::Listed(ListedLoss::new([1, 4, 5, 9].into()));
        assert_eq!((1..=12u64).filter(|_| loss.strikes(0)).collect::<Vec<_>>(), [1, 4, 5, 9]);
        let mut none = ListedLoss::new([].into());
        assert!(!(0..9).any(|_| none.strikes()));
    }

    #[test]
    fn periodic_loss_loses_the_first_and_every_nth_packet_after_it() {
        let lost = |every, first| {
            let number = |n| NonZeroU64::new(n).unwrap();
            let mut loss = Loss::Periodic(PeriodicLoss::new(number(every), number(first)));
            (1..=12u64).filter(|_| loss.strikes(0)).collect::<Vec<_>>()
        };
        assert_eq!(lost(4, 4), [4, 8, 12]);
        assert_eq!(lost(5, 2), [2, 7, 12]);
        assert_eq!(lost(3, 7), [7, 10], "the first loss may be later than one period");
        assert_eq!(lost(1, 11), [11, 12]);
    }
}
