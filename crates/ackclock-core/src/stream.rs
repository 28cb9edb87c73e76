//! Random streams. Each stream is derived from the run's seed and the name of the component that draws from it. A
//! further component therefore does not change the draws of the others, and variants of a scenario share their
//! randomness.

use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sha2::{Digest, Sha256};

/// The random numbers of one component.
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// Creates the stream of the component `name` in a run with `seed`.
    pub fn new(seed: u64, name: &str) -> Stream {
        Stream(Xoshiro256PlusPlus::from_seed(stream_seed(seed, name)))
    }

    /// Returns a whole number below `bound`, without bias (Lemire's multiplication with rejection); 0 if `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(bound);
            if product as u64 >= threshold {
                return (product >> 64) as u64;
            }
        }
    }

    /// Returns a draw from a distribution of `rand_distr`.
    pub fn sample<T>(&mut self, distribution: &impl rand_distr::Distribution<T>) -> T {
        distribution.sample(&mut self.0)
    }

    /// Returns 32 random bits.
    pub fn bits32(&mut self) -> u32 {
        (self.0.next_u64() >> 32) as u32
    }
}

/// Returns a number for the component `name` that is the same in every run, to tell components apart. It is not a
/// random draw.
pub fn stream_number(name: &str) -> u64 {
    let [number, ..] = *stream_seed(0, name).as_chunks::<8>().0 else { unreachable!("a seed has 32 bytes") };
    u64::from_le_bytes(number)
}

/// Returns the seed of the stream of the component `name` in a run with `seed`, for components that keep their own
/// stream.
pub fn stream_seed(seed: u64, name: &str) -> [u8; 32] {
    Sha256::new().chain_update(seed.to_le_bytes()).chain_update(name.as_bytes()).finalize().into()
}
