//! Random numbers for algorithms, determined by the connection's initial sequence number.

/// A generator of 64-bit numbers: a mixed Weyl sequence (SplitMix64; Steele, Lea and Flood, OOPSLA 2014).
#[derive(Clone, Copy, Default, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of a connection with the initial sequence number `seed`.
    pub fn new(seed: u32) -> Random {
        Random(u64::from(seed))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, uniform to within `bound` in 2^64.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_depend_on_the_seed_alone() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            (0..100).map(|_| random.below(8)).collect::<Vec<u64>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let drawn = draw(7);
        assert!((0..8).all(|value| drawn.contains(&value)) && drawn.iter().all(|&value| value < 8));
    }
}
