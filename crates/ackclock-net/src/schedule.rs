//! Values that change over time.

use crate::NEVER;
use crate::Nanos;

/// A value that changes at given times and may repeat with a period.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule<V> {
    steps: Vec<(Nanos, V)>,
    period: Option<Nanos>,
}

/// An interval of time in which the value is constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece<V> {
    /// The value.
    pub value: V,
    /// Time at which the next piece begins; [`NEVER`] for the last piece.
    pub until: Nanos,
}

impl<V: Copy> Schedule<V> {
    /// Each value holds from its time on. With a `period`, the schedule begins anew at each multiple of the period.
    ///
    /// # Panics
    /// If the times do not ascend from zero, or a time is not before the end of the period.
    pub fn new(steps: Vec<(Nanos, V)>, period: Option<Nanos>) -> Schedule<V> {
        assert!(steps.first().is_some_and(|(at, _)| *at == 0), "a schedule begins at zero");
        assert!(steps.is_sorted_by(|a, b| a.0 < b.0), "a schedule is in order");
        assert!(period.is_none_or(|period| steps.iter().all(|(at, _)| *at < period)), "a period holds all steps");
        Schedule { steps, period }
    }

    /// A schedule with the same value at all times.
    pub fn constant(value: V) -> Schedule<V> {
        Schedule { steps: vec![(0, value)], period: None }
    }

    /// Times and values of the steps; those of the first period if the schedule repeats.
    pub fn steps(&self) -> &[(Nanos, V)] {
        &self.steps
    }

    /// Period of the schedule, if it repeats.
    pub fn period(&self) -> Option<Nanos> {
        self.period
    }

    /// The value at `time`, and when it changes next.
    #[inline]
    pub fn at(&self, time: Nanos) -> Piece<V> {
        if let [(_, value)] = self.steps[..] {
            return Piece { value, until: NEVER };
        }
        let lap = self.period.map_or(0, |period| time - time % period);
        let next = self.steps.partition_point(|(at, _)| *at <= time - lap);
        let end = self.steps.get(next).map(|(at, _)| *at).or(self.period);
        Piece { value: self.steps[next - 1].1, until: end.map_or(NEVER, |end| lap.saturating_add(end)) }
    }
}

impl Schedule<bool> {
    /// A schedule that is true in the given intervals, which include their first time and exclude their second.
    ///
    /// # Panics
    /// If the intervals overlap, are out of order or are empty, or the last interval ends after the period.
    pub fn during(intervals: &[(Nanos, Nanos)], period: Option<Nanos>) -> Schedule<bool> {
        let mut steps = vec![(0, false)];
        for &(from, to) in intervals {
            // The interval begins at zero or where the interval before ends.
            if steps.last().is_some_and(|(at, _)| *at == from) {
                steps.pop();
            }
            if steps.last().is_none_or(|(_, holds)| !holds) {
                steps.push((from, true));
            }
            if period != Some(to) {
                steps.push((to, false));
            }
        }
        Schedule::new(steps, period)
    }
}

impl Schedule<u64> {
    /// Returns a function that gives the integral of the value from zero up to a time.
    pub fn integral(&self) -> impl Fn(Nanos) -> u128 {
        // Integral up to the beginning of each step.
        let mut sums = vec![0];
        for pair in self.steps.windows(2) {
            let [(from, value), (to, _)] = *pair else { unreachable!("windows of two") };
            sums.push(sums[sums.len() - 1] + u128::from(value) * u128::from(to - from));
        }
        let partial = move |until: Nanos| {
            let step = self.steps.partition_point(|(at, _)| *at <= until) - 1;
            let (from, value) = self.steps[step];
            sums[step] + u128::from(value) * u128::from(until - from)
        };
        move |until| match self.period {
            None => partial(until),
            Some(period) => u128::from(until / period) * partial(period) + partial(until % period),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_value_holds_until_the_next_and_the_schedule_repeats() {
        let piece = |value, until| Piece { value, until };
        let once = Schedule::new(vec![(0, 'a'), (10, 'b'), (15, 'c')], None);
        assert_eq!([0, 9, 10, 14, 15, 1000].map(|time| once.at(time)), {
            let (a, b, c) = (piece('a', 10), piece('b', 15), piece('c', NEVER));
            [a, a, b, b, c, c]
        });
        let again = Schedule::new(vec![(0, 'a'), (10, 'b')], Some(15));
        assert_eq!([14, 15, 24, 25, 30].map(|time| again.at(time)), {
            [piece('b', 15), piece('a', 25), piece('a', 25), piece('b', 30), piece('a', 40)]
        });
    }

    #[test]
    fn intervals_include_their_beginning_and_exclude_their_end() {
        let steps = |intervals: &[_], period| Schedule::during(intervals, period).steps().to_vec();
        assert_eq!(steps(&[(5, 8), (20, 21)], None), [(0, false), (5, true), (8, false), (20, true), (21, false)]);
        assert_eq!(steps(&[(0, 8), (8, 9)], Some(30)), [(0, true), (9, false)]);
        assert_eq!(steps(&[(25, 30)], Some(30)), [(0, false), (25, true)]);
    }

    proptest! {
        #[test]
        fn the_integral_is_the_sum_over_every_instant(
            gaps in prop::collection::vec((1_u64..20, 0_u64..9), 1..6),
            tail in prop::option::of(1_u64..20),
            until in 0_u64..200,
        ) {
            let mut at = 0;
            let steps: Vec<_> = gaps.iter().map(|(gap, value)| { at += gap; (at - gap, *value) }).collect();
            let schedule = Schedule::new(steps, tail.map(|tail| at + tail));
            let sum = (0..until).map(|time| u128::from(schedule.at(time).value)).sum::<u128>();
            prop_assert_eq!(schedule.integral()(until), sum);
        }
    }
}
