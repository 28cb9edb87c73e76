//! Loss whose probability depends on the time and not on the packets: bursts, fades and interference.
//!
//! The times are drawn from a stream of their own. They are therefore the same whatever the traffic is, so that variants
//! of a scenario under one seed meet the same bursts.

use ackclock_core::Distribution;

use crate::{Nanos, Random, Schedule, Seed};
use ackclock_core::Stream;

/// Alternating good and bad periods of random lengths, each with its own loss probability.
///
/// With exponential lengths this is the Gilbert-Elliott model in continuous time: a Markov chain with the rates 1 / mean
/// of each period. A run begins with a good period.
#[derive(Clone, Debug)]
pub struct Alternating {
    /// Length of the good and of the bad periods, ns.
    lengths: [Distribution; 2],
    /// Probability of loss in the good and in the bad periods, in parts per billion.
    loss: [u64; 2],
    is_bad: bool,
    /// End of the present period.
    until: Nanos,
    periods: Stream,
    random: Random,
}

impl Alternating {
    /// Periods with these lengths, drawn from `periods`, and with these loss probabilities, drawn from the stream of
    /// `seed`. The first of each pair belongs to the good periods.
    pub fn new(lengths: [Distribution; 2], loss: [u64; 2], mut periods: Stream, seed: Seed) -> Alternating {
        let until = lengths[0].draw(&mut periods);
        Alternating { lengths, loss, is_bad: false, until, periods, random: Random::new(seed) }
    }

    /// Whether the next packet, at `at`, is lost. Calls are in the order of their times.
    #[inline]
    pub fn strikes(&mut self, at: Nanos) -> bool {
        while at >= self.until {
            self.is_bad = !self.is_bad;
            // A period of no length would not end.
            let length = self.lengths[usize::from(self.is_bad)].draw(&mut self.periods).max(1);
            self.until = self.until.saturating_add(length);
        }
        self.random.happens(self.loss[usize::from(self.is_bad)])
    }
}

/// A loss probability that follows a schedule.
#[derive(Clone, Debug)]
pub struct Scheduled {
    probabilities: Schedule<u64>,
    random: Random,
}

impl Scheduled {
    /// Loss with these probabilities over time, in parts per billion, drawn from the stream of `seed`.
    pub fn new(probabilities: Schedule<u64>, seed: Seed) -> Scheduled {
        Scheduled { probabilities, random: Random::new(seed) }
    }

    /// Whether the next packet, at `at`, is lost.
    #[inline]
    pub fn strikes(&mut self, at: Nanos) -> bool {
        self.random.happens(self.probabilities.at(at).value)
    }
}

/// Bursts of interference at a fixed distance.
#[derive(Clone, Debug)]
pub struct Interference {
    /// Start of the first burst, length of each, and time from one start to the next, ns.
    pub phase: Nanos,
    /// Length of each burst, ns.
    pub duration: Nanos,
    /// Time from the start of one burst to the start of the next, ns; above zero.
    pub period: Nanos,
    /// Probability of loss between and in the bursts, in parts per billion.
    pub loss: [u64; 2],
    /// Stream of the draws.
    pub random: Random,
}

impl Interference {
    /// Whether the next packet, at `at`, is lost.
    #[inline]
    pub fn strikes(&mut self, at: Nanos) -> bool {
        let in_burst = at.checked_sub(self.phase).is_some_and(|since| since % self.period < self.duration);
        self.random.happens(self.loss[usize::from(in_burst)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;
    const ALL: u64 = 1_000_000_000;

    fn bursts(mean_good: Nanos, mean_bad: Nanos, seed: u64) -> Alternating {
        let lengths = [mean_good, mean_bad].map(Distribution::Exponential);
        Alternating::new(lengths, [0, ALL], Stream::new(seed, "periods"), [3; 32])
    }

    /// In the long run the share of the bad time is bad / (good + bad), and the lengths of the bad periods are exponential:
    /// their standard deviation is their mean.
    #[test]
    fn bad_periods_have_their_share_of_the_time_and_their_lengths() {
        let mut loss = bursts(80 * MS, 20 * MS, 1);
        let step = 100_000;
        let struck: Vec<bool> = (0..4_000_000_u64).map(|n| loss.strikes(n * step)).collect();
        let lost = struck.iter().filter(|lost| **lost).count() as f64;
        let starts = struck.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
        // 400 s have 4,000 cycles. The share has a standard deviation of 0.2 * 0.8 * sqrt(2 / 4000).
        assert!((lost / 4e6 - 0.2).abs() < 4.0 * 0.16 * (2.0_f64 / 4e3).sqrt(), "{lost}");
        assert!((starts - 4e3).abs() < 4.0 * 55.0, "{starts} bursts");
        let mean = lost * step as f64 / starts / MS as f64;
        assert!((mean - 20.0).abs() < 4.0 * 20.0 / 63.0, "{mean} ms");
        let lengths: Vec<f64> =
            struck.split(|lost| !lost).map(|run| run.len() as f64).filter(|len| *len > 0.0).collect();
        let average = lengths.iter().sum::<f64>() / lengths.len() as f64;
        let spread =
            (lengths.iter().map(|len| libm::pow(len - average, 2.0)).sum::<f64>() / lengths.len() as f64).sqrt();
        assert!((spread / average - 1.0).abs() < 0.12, "{spread} {average}");
    }

    #[test]
    fn bursts_are_at_the_same_times_whatever_the_traffic() {
        let times = |step: Nanos| {
            let mut loss = bursts(80 * MS, 20 * MS, 7);
            (0..2_000 * MS / step).map(|n| n * step).filter(|at| loss.strikes(*at)).collect::<Vec<_>>()
        };
        let (often, seldom) = (times(MS), times(4 * MS));
        let common: Vec<_> = often.iter().filter(|at| **at % (4 * MS) == 0).copied().collect();
        assert_eq!(common, seldom);
        assert!(seldom.len() > 20);
    }

    #[test]
    fn interference_and_schedules_lose_packets_at_their_times() {
        let mut loss =
            Interference { phase: 30, duration: 5, period: 20, loss: [0, ALL], random: Random::new([1; 32]) };
        let lost: Vec<Nanos> = (0..80).filter(|at| loss.strikes(*at)).collect();
        assert_eq!(lost, [30, 31, 32, 33, 34, 50, 51, 52, 53, 54, 70, 71, 72, 73, 74]);
        let steps = Schedule::new(vec![(0, 0), (3, ALL), (5, 0)], Some(10));
        let mut loss = Scheduled::new(steps, [1; 32]);
        assert_eq!((0..20).filter(|at| loss.strikes(*at)).collect::<Vec<_>>(), [3, 4, 13, 14]);
    }
}
