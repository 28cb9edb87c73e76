//! The maximum of a sliding window, from three samples (Kathleen Nichols's algorithm, to which draft-ietf-ccwg-bbr
//! section 5.5.5 refers).

/// A windowed maximum. Time has any unit, such as rounds or nanoseconds.
#[derive(Clone, Copy, Default, Debug)]
pub struct WindowedMax {
    /// Time and value of the largest sample, of the largest after it, and of the largest after that.
    best: [(u64, u64); 3],
}

impl WindowedMax {
    /// Adds `value` at `time` to a window of the last `length`, and returns the maximum.
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

    /// Removes samples that have left the window. Replaces the second and the third sample as the window advances, so
    /// that a recent one is available when the first leaves.
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
    fn the_maximum_expires_with_the_window() {
        let mut filter = WindowedMax::default();
        assert_eq!(filter.update(0, 100, 10), 100);
        for time in 1..=10 {
            assert_eq!(filter.update(time, 50 + time, 10), 100, "{time}");
        }
        let later = filter.update(11, 20, 10);
        assert!((56..=60).contains(&later), "a large value of the window: {later}");
        assert_eq!(filter.update(12, 200, 10), 200);
        assert_eq!(filter.update(1000, 5, 10), 5);
    }

    proptest::proptest! {
        #[test]
        fn the_result_is_between_the_newest_value_and_the_maximum(
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
