//! BBA-0: the level depends on the buffer alone.

use core::cmp::Ordering;

use super::{Abr, Decision, Entry, Setup, State};
use ackclock_core::Nanos;

pub(super) const ENTRY: Entry = Entry {
    name: "bba",
    summary: "BBA-0: a map from buffer level to rate with a reservoir and a cushion, and hysteresis",
    source: "Huang, Johari, McKeown, Trunnell, Watson, A Buffer-Based Approach to Rate Adaptation, SIGCOMM 2014, section 4",
    parameters: &[],
    make: |setup, _| Box::new(Bba::new(setup)),
};

/// The first version of the buffer-based rule of Netflix's experiment.
///
/// The map f(B) is the lowest level in the reservoir, rises linearly over the cushion, and is the highest level above
/// the cushion. The level is kept while f(B) is between the next lower level of the ladder (Rate-) and the next higher
/// level (Rate+). When f(B) passes one of them, the rule chooses the level that is nearest to f(B) on the side of the
/// old level.
///
/// The paper's player holds 240 s. Its reservoir is 90 s, and its cushion ends at 90 %, 216 s. Both are scaled to
/// [`Setup::target`]. With a buffer of a few segments, the highest buffer level at which a segment is requested is well
/// below the capacity. A cushion that ended at 90 % of the capacity might never be crossed. In the paper the difference
/// is only 4 s of 240 s.
#[derive(Debug)]
pub struct Bba {
    ladder: Vec<u64>,
    reservoir: Nanos,
    /// Buffer level at which the cushion ends.
    upper: Nanos,
}

impl Bba {
    /// Creates the rule for a client.
    pub fn new(setup: &Setup<'_>) -> Bba {
        let target = u128::from(setup.target());
        Bba {
            ladder: setup.ladder.to_vec(),
            reservoir: (target * 90 / 240) as Nanos,
            upper: (target * 9 / 10) as Nanos,
        }
    }

    /// Compares f(B) inside the cushion with a rate, exactly: both sides of (f - lowest) x cushion are whole numbers.
    fn map_against(&self, buffer: Nanos, rate: u64) -> Ordering {
        let (lowest, highest) = (self.ladder[0], self.ladder[self.ladder.len() - 1]);
        let climbed = u128::from(highest - lowest) * u128::from(buffer - self.reservoir);
        climbed.cmp(&(u128::from(rate - lowest) * u128::from(self.upper - self.reservoir)))
    }

    fn level(&self, buffer: Nanos, previous: usize) -> usize {
        let top = self.ladder.len() - 1;
        if buffer <= self.reservoir {
            return 0;
        }
        if buffer >= self.upper {
            return top;
        }
        let map_against = |rate: u64| self.map_against(buffer, rate);
        let (above, below) = ((previous + 1).min(top), previous.saturating_sub(1));
        if map_against(self.ladder[above]).is_ge() {
            self.ladder.iter().rposition(|rate| map_against(*rate).is_gt()).unwrap_or(0)
        } else if map_against(self.ladder[below]).is_le() {
            self.ladder.iter().position(|rate| map_against(*rate).is_lt()).unwrap_or(top)
        } else {
            previous
        }
    }
}

impl Abr for Bba {
    fn choose(&mut self, state: &State<'_>) -> Decision {
        Decision::now(self.level(state.buffer, state.previous.unwrap_or(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Estimator;
    use super::*;

    const SECOND: Nanos = 1_000_000_000;

    /// The paper's player: 4-s segments, requested while the buffer is below 240 s.
    fn paper() -> Bba {
        Bba::new(&Setup {
            ladder: &[200_000, 400_000, 800_000, 1_460_000],
            segment: 4 * SECOND,
            capacity: 244 * SECOND,
            safety: 1.0,
            estimator: Estimator::Mean,
        })
    }

    #[test]
    fn the_map_is_flat_in_the_reservoir_and_straight_in_the_cushion() {
        let rule = paper();
        assert_eq!((rule.reservoir, rule.upper), (90 * SECOND, 216 * SECOND));
        for previous in 0..4 {
            assert_eq!((rule.level(90 * SECOND, previous), rule.level(216 * SECOND, previous)), (0, 3));
        }
        // The slope is 10 kbit/s per second.
        for (seconds, rate) in [(91, 210_000), (110, 400_000), (153, 830_000), (215, 1_450_000)] {
            assert_eq!(rule.map_against(seconds * SECOND, rate), Ordering::Equal, "{seconds} s");
            assert_eq!(rule.map_against(seconds * SECOND + 1, rate), Ordering::Greater, "{seconds} s");
            assert_eq!(rule.map_against(seconds * SECOND - 1, rate), Ordering::Less, "{seconds} s");
        }
    }

    #[test]
    fn levels_on_the_way_up_and_down_differ_by_the_hysteresis() {
        let rule = paper();
        let walk = |levels: &[u64], start| {
            levels
                .iter()
                .scan(start, |previous, seconds| {
                    *previous = rule.level(seconds * SECOND, *previous);
                    Some(*previous)
                })
                .collect::<Vec<_>>()
        };
        // f is 390, 400, 410, 790, 810 and 1450 kbit/s, then past the cushion. Reaching Rate+ exactly changes nothing.
        assert_eq!(walk(&[90, 109, 110, 111, 149, 151, 215, 216], 0), [0, 0, 0, 1, 1, 2, 2, 3]);
        // Downwards: Rate- of the top level is 800 kbit/s, so the level stays there until f is at most 800 kbit/s.
        assert_eq!(walk(&[215, 151, 150, 149, 111, 110, 109, 91, 90], 3), [3, 3, 3, 2, 2, 2, 1, 1, 0]);
    }

    #[test]
    fn a_fall_may_pass_several_levels() {
        let rule = paper();
        assert_eq!(rule.level(111 * SECOND, 3), 2, "the lowest level above f");
        assert_eq!(rule.level(92 * SECOND, 3), 1);
        assert_eq!(rule.level(110 * SECOND, 1), 1, "f at the level itself changes nothing");
        assert_eq!(rule.level(100 * SECOND, 0), 0);
        assert_eq!(rule.level(200 * SECOND, 0), 2, "the highest level below f");
    }

    #[test]
    fn a_small_buffer_reaches_every_level() {
        let rule = Bba::new(&Setup {
            ladder: &[1, 2, 3],
            segment: 3 * SECOND,
            capacity: 12 * SECOND,
            safety: 1.0,
            estimator: Estimator::Mean,
        });
        assert_eq!((rule.reservoir, rule.upper), (3_375_000_000, 8_100_000_000));
        assert_eq!(rule.level(9 * SECOND, 0), 2);
        assert_eq!(rule.level(4 * SECOND, 0), 0, "just above the reservoir");
    }
}
