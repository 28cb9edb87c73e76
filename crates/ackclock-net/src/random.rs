//! Random numbers, from streams that a seed decides.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The seed of a stream.
pub type Seed = [u8; 32];

/// Parts of a probability of one.
const BILLION: u128 = 1_000_000_000;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: Seed) -> Random {
        Random(Xoshiro256PlusPlus::from_seed(seed))
    }

    /// Uniform in 0 to 2^64 - 1.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1), a multiple of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Whether an event of so many parts in a billion happens.
    #[inline]
    pub fn happens(&mut self, parts_per_billion: u64) -> bool {
        let draw = (u128::from(self.bits()) * BILLION) >> 64;
        draw < u128::from(parts_per_billion)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_uniform_and_below_one() {
        let mut random = Random::new([7; 32]);
        let draws: Vec<f64> = (0..100_000).map(|_| random.unit()).collect();
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
        // Mean 1/2 with a standard deviation of 0.29 / sqrt(n); a tenth of them in each tenth.
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        assert!((mean - 0.5).abs() < 4.0 * 0.2887 / 316.2, "{mean}");
        for tenth in 0..10 {
            let within = draws.iter().filter(|draw| (**draw * 10.0) as usize == tenth).count() as f64;
            assert!((within - 10_000.0).abs() < 4.0 * 95.0, "{tenth}: {within}");
        }
    }
}
