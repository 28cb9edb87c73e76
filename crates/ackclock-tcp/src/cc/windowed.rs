//! The largest value of a sliding window, from the three that can still become it (the algorithm of Kathleen Nichols that
//! draft-ietf-ccwg-bbr section 5.5.5 refers to).

/// A windowed maximum. Time is whatever is counted: rounds, nanoseconds.
#[derive(Clone, Copy, Default, Debug)]
pub struct WindowedMax {
    /// Time and value of the best, the best since, and the best since that.
    best: [(u64, u64); 3],
}

impl WindowedMax {
    /// Takes `value` at `time`, in a window of the last `length`, and returns the largest.
    pub fn update(&mut self, time: u64, value: u64, length: u64) -> u64 {
        let sample = (time, value);
        if value >= self.best[0].1 || time.saturating_sub(self.best[2].0) > length {
            self.best = [sample; 3];
            return value;
        }
        if value >= self.best[1].1 {
            (self.best[1], self.best[2]) = (sample, sample);
        } else if value >= self.best[2].1 {
            self.best[2] = sample;
        }
        self.age(sample, length);
        self.best[0].1
    }

    /// The best are forgotten where they have left the window. The second and third are renewed as the window goes by, so that
    /// something is at hand when the best leaves.
    fn age(&mut self, sample: (u64, u64), length: u64) {
        let age = sample.0.saturating_sub(self.best[0].0);
        if age > length {
            self.best = [self.best[1], self.best[2], sample];
            if sample.0.saturating_sub(self.best[0].0) > length {
                self.best = [self.best[1], sample, sample];
            }
        } else if self.best[1].0 == self.best[0].0 && age > length / 4 {
            (self.best[1], self.best[2]) = (sample, sample);
        } else if self.best[2].0 == self.best[1].0 && age > length / 2 {
            self.best[2] = sample;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_kept_for_the_window_and_no_longer() {
        let mut filter = WindowedMax::default();
        assert_eq!(filter.update(0, 100, 10), 100);
        for time in 1..=10 {
            assert_eq!(filter.update(time, 50 + time, 10), 100, "{time}");
        }
        let later = filter.update(11, 20, 10);
        assert!((56..=60).contains(&later), "a large one of the window: {later}");
        assert_eq!(filter.update(12, 200, 10), 200);
        assert_eq!(filter.update(1000, 5, 10), 5);
    }

    proptest::proptest! {
        #[test]
        fn it_is_never_more_than_the_window_has_nor_less_than_the_newest(
            samples in proptest::collection::vec((0..4u64, 0..1000u64), 1..200),
        ) {
            let mut filter = WindowedMax::default();
            let mut seen: Vec<(u64, u64)> = Vec::new();
            let mut time = 0;
            for (step, value) in samples {
                time += step;
                seen.push((time, value));
                let most = seen.iter().filter(|sample| time - sample.0 <= 10).map(|sample| sample.1).max().unwrap();
                let got = filter.update(time, value, 10);
                proptest::prop_assert!(value <= got && got <= most, "{got} of {most}");
            }
        }
    }
}
