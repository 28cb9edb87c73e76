//! Streams of random numbers, each determined by its seed.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Seed of a stream.
pub type Seed = [u8; 32];

/// A probability of one, in parts per billion.
const BILLION: u128 = 1_000_000_000;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// Creates the stream of `seed`.
    pub fn new(seed: Seed) -> Random {
        Random(Xoshiro256PlusPlus::from_seed(seed))
    }

    /// Returns a draw that is uniform in 0 to 2^64 - 1.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a draw that is uniform in [0, 1), as a multiple of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Returns a draw that is uniform in 0 to `most`, both included.
    #[inline]
    pub fn up_to(&mut self, most: u64) -> u64 {
        ((u128::from(self.bits()) * (u128::from(most) + 1)) >> 64) as u64
    }

    /// Returns an exponential draw with a mean of one.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.unit())
    }

    /// Returns a normal draw with a mean of zero and a standard deviation of one (Box and Muller 1958; only the cosine
    /// is used).
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(2.0 * self.exponential());
        radius * libm::cos(2.0 * std::f64::consts::PI * self.unit())
    }

    /// Returns whether an event with a probability of `parts_per_billion` happens.
    #[inline]
    pub fn happens(&mut self, parts_per_billion: u64) -> bool {
        let draw = (u128::from(self.bits()) * BILLION) >> 64;
        draw < u128::from(parts_per_billion)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first four moments of a normal distribution are 0, 1, 0 and 3. Their estimates have standard deviations of
    /// 1, 1.4, 3.9 and 9.8, each divided by the square root of the number of draws.
    #[test]
    fn normal_draws_have_the_moments_of_a_normal_distribution() {
        let mut random = Random::new([5; 32]);
        let draws: Vec<f64> = (0..250_000).map(|_| random.normal()).collect();
        for (power, expected, deviation) in [(1, 0.0, 1.0), (2, 1.0, 1.42), (3, 0.0, 3.88), (4, 3.0, 9.8)] {
            let moment = draws.iter().map(|draw| libm::pow(*draw, power.into())).sum::<f64>() / draws.len() as f64;
            assert!((moment - expected).abs() < 4.0 * deviation / 500.0, "moment {power}: {moment}");
        }
    }

    #[test]
    fn exponential_draws_exceed_a_value_with_the_right_frequency() {
        let mut random = Random::new([6; 32]);
        let draws: Vec<f64> = (0..250_000).map(|_| random.exponential()).collect();
        for value in [0.0, 0.5, 1.0, 2.0, 4.0] {
            let share = draws.iter().filter(|draw| **draw >= value).count() as f64 / draws.len() as f64;
            let expected = libm::exp(-value);
            let deviation = libm::sqrt(expected * (1.0 - expected)) / 500.0;
            assert!((share - expected).abs() <= 4.0 * deviation, "{value}: {share}");
        }
    }

    #[test]
    fn a_bound_is_included() {
        let mut random = Random::new([8; 32]);
        let mut counts = [0_u32; 3];
        (0..30_000).for_each(|_| counts[random.up_to(2) as usize] += 1);
        // Each value has a third of the draws, with a standard deviation of 82.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 330), "{counts:?}");
        assert_eq!(random.up_to(0), 0);
    }

    #[test]
    fn units_are_uniform_and_below_one() {
        let mut random = Random::new([7; 32]);
        let draws: Vec<f64> = (0..100_000).map(|_| random.unit()).collect();
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
        // The mean is 1/2 with a standard deviation of 0.29 / sqrt(n), and each tenth of the range has a tenth of the
        // draws.
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        assert!((mean - 0.5).abs() < 4.0 * 0.2887 / 316.2, "{mean}");
        for tenth in 0..10 {
            let within = draws.iter().filter(|draw| (**draw * 10.0) as usize == tenth).count() as f64;
            assert!((within - 10_000.0).abs() < 4.0 * 95.0, "{tenth}: {within}");
        }
    }
}
