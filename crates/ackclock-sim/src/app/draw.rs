//! Random times and volumes.

use crate::rng::Stream;

/// What a time in nanoseconds or a volume in bytes is drawn from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distribution {
    /// Always the same.
    Constant(u64),
    /// Exponential with that mean, to the nearest whole number.
    Exponential(u64),
}

/// A power of two is drawn without rejection, so that every draw takes one number of the stream.
const UNIT: u64 = 1 << 53;

impl Distribution {
    /// A draw.
    pub fn draw(self, random: &mut Stream) -> u64 {
        match self {
            Distribution::Constant(value) => value,
            Distribution::Exponential(mean) => {
                let uniform = (random.below(UNIT) + 1) as f64 / UNIT as f64;
                libm::round(-libm::log(uniform) * mean as f64) as u64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_draws_have_their_mean_and_no_memory() {
        let mut random = Stream::new(3, "draws");
        let mean = 1_000_000_u64;
        let draws: Vec<u64> = (0..200_000).map(|_| Distribution::Exponential(mean).draw(&mut random)).collect();
        let average = |draws: &[u64]| draws.iter().sum::<u64>() as f64 / draws.len() as f64;
        assert!((average(&draws) / mean as f64 - 1.0).abs() < 0.01, "{}", average(&draws));
        // What is left beyond any value is distributed as the whole is.
        let rest: Vec<u64> = draws.iter().filter(|&&draw| draw > 2 * mean).map(|draw| draw - 2 * mean).collect();
        assert!((average(&rest) / mean as f64 - 1.0).abs() < 0.03, "{}", average(&rest));
        let beyond = rest.len() as f64 / draws.len() as f64;
        assert!((beyond / libm::exp(-2.0) - 1.0).abs() < 0.03, "{beyond}");
    }

    #[test]
    fn a_constant_takes_no_draw() {
        let (mut random, mut untouched) = (Stream::new(3, "draws"), Stream::new(3, "draws"));
        assert_eq!(Distribution::Constant(7).draw(&mut random), 7);
        assert_eq!(random.bits32(), untouched.bits32());
    }
}
