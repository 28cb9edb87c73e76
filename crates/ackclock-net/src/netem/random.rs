//! netem's random numbers: the kernel's generator `prandom_u32_state` (lib/random32.c), and numbers with correlation.

/// L'Ecuyer's combined Tausworthe generator taus113, as the kernel seeds it (include/linux/prandom.h).
#[derive(Clone, Debug)]
pub(super) struct Prandom([u32; 4]);

impl Prandom {
    pub(super) fn new(seed: u64) -> Prandom {
        let word = ((seed >> 32) ^ (seed << 10) ^ seed) as u32;
        // A component must not be below its minimum.
        Prandom([2, 8, 16, 128].map(|least| if word < least { word + least } else { word }))
    }

    pub(super) fn next(&mut self) -> u32 {
        let step =
            |state: u32, a: u32, b: u32, mask: u32, d: u32| ((state & mask) << d) ^ (((state << a) ^ state) >> b);
        let [one, two, three, four] = self.0;
        self.0 = [
            step(one, 6, 13, 0xffff_fffe, 18),
            step(two, 2, 27, 0xffff_fff8, 2),
            step(three, 13, 21, 0xffff_fff0, 7),
            step(four, 3, 12, 0xffff_ff80, 13),
        ];
        self.0.iter().fold(0, |sum, part| sum ^ part)
    }
}

/// A source of numbers of which each depends on the one before (`get_crandom`).
#[derive(Clone, Debug)]
pub(super) struct Correlated {
    last: u32,
    rho: u32,
}

impl Correlated {
    /// A source with the correlation `rho` of 2^32 - 1 parts. `first` stands for the number before the first.
    pub(super) fn new(rho: u32, first: u32) -> Correlated {
        Correlated { last: first, rho }
    }

    pub(super) fn next(&mut self, random: &mut Prandom) -> u32 {
        let value = u128::from(random.next());
        if self.rho == 0 {
            return value as u32;
        }
        let rho = u128::from(self.rho) + 1;
        let answer = (value * ((1 << 32) - rho) + u128::from(self.last) * rho) >> 32;
        self.last = answer as u32;
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors of lib/random32.c (`test1`): a state that a linear congruential generator fills, and its eleventh
    /// number.
    #[test]
    fn numbers_are_those_of_the_kernel() {
        for (seed, expected) in [(1_u32, 3_484_351_685), (2, 2_623_130_059), (3, 3_125_133_893), (4, 984_847_254)] {
            let mut word = seed;
            let state = [2, 8, 16, 128].map(|least| {
                word = word.wrapping_mul(69_069);
                word = if word < least { word + least } else { word };
                word
            });
            let mut random = Prandom(state);
            (0..10).for_each(|_| {
                random.next();
            });
            assert_eq!(random.next(), expected, "{seed}");
        }
        // The seed of 64 bits is folded to one word.
        assert_eq!(Prandom::new((5 << 32) | 3).0, [(3 << 10) ^ 3 ^ 5; 4]);
    }

    #[test]
    fn correlated_numbers_move_by_their_share() {
        let mut random = Prandom::new(7);
        let plain: Vec<u32> = {
            let mut random = random.clone();
            (0..3).map(|_| random.next()).collect()
        };
        let mut none = Correlated::new(0, 9);
        assert_eq!((0..3).map(|_| none.next(&mut random.clone())).collect::<Vec<_>>(), [plain[0]; 3]);
        // With full correlation every number is the one before.
        let mut full = Correlated::new(u32::MAX, 1234);
        assert_eq!((0..3).map(|_| full.next(&mut random)).collect::<Vec<_>>(), [1234; 3]);
    }
}
