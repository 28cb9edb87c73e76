//! Random choices of the generator of scenarios.

use ackclock_core::Stream;

/// A source of random choices, derived from a seed and a name.
pub struct Dice(Stream);

impl Dice {
    /// Creates the choices of the component `name` under `seed`.
    pub fn new(seed: u64, name: &str) -> Dice {
        Dice(Stream::new(seed, name))
    }

    /// Returns a whole number below `bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound as u64) as usize
    }

    /// Returns a number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        f64::from(self.0.bits32()) / f64::from(u32::MAX)
    }

    /// Returns whether an event with this probability happens.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns one of the items, each with the same probability.
    ///
    /// # Panics
    /// If there is no item.
    pub fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Returns a number between two bounds above zero; its logarithm is uniformly distributed.
    pub fn log_uniform(&mut self, least: f64, most: f64) -> f64 {
        (least.ln() + (most.ln() - least.ln()) * self.unit()).exp()
    }

    /// Returns a whole number from `least` to `most`. Small numbers are more frequent: the logarithm of the distance
    /// from `least` is uniform.
    pub fn whole(&mut self, least: u64, most: u64) -> u64 {
        let span = (most - least) as f64 + 1.0;
        least + (self.log_uniform(1.0, span + 1.0) as u64 - 1).min(most - least)
    }
}
