//! The over-use detector with its adaptive threshold (draft-ietf-rmcat-gcc-02 section 5.4).

use ackclock_core::Nanos;

use super::Usage;

/// Constants in which the forms differ: the gains of the threshold per ms.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Gains {
    /// Gain while the estimate is above the threshold, K_u.
    pub up: f64,
    /// Gain while the estimate is below the threshold, K_d.
    pub down: f64,
}

/// Bounds of the threshold in ms, and the distance beyond which an estimate does not move it.
const LEAST: f64 = 6.0;
const MOST: f64 = 600.0;
const OUTLIER: f64 = 15.0;
/// Longest time that one update counts, in ms.
const LONGEST: f64 = 100.0;

/// Compares an estimate with a threshold that follows it.
#[derive(Debug)]
pub(super) struct Detector {
    gains: Gains,
    threshold: f64,
    overuse_time: f64,
    /// Time of over-use in ms, once there is any, and its number of estimates.
    over: Option<(f64, u32)>,
    last: f64,
    updated: Option<Nanos>,
    usage: Usage,
}

impl Detector {
    pub fn new(gains: Gains, threshold: f64, overuse_time: f64) -> Detector {
        Detector { gains, threshold, overuse_time, over: None, last: 0.0, updated: None, usage: Usage::Normal }
    }

    /// Takes the estimate of a group, in the unit of the threshold, with the raw `slope` that must not fall for
    /// over-use; `elapsed` is the time since the group before, in ms.
    pub fn update(&mut self, estimate: f64, slope: f64, elapsed: f64, at: Nanos) -> Usage {
        if estimate > self.threshold {
            // Over-use began, on average, half a group ago.
            let (time, count) = self.over.map_or((elapsed / 2.0, 1), |(time, count)| (time + elapsed, count + 1));
            self.over = Some((time, count));
            if time > self.overuse_time && count > 1 && slope >= self.last {
                self.over = None;
                self.usage = Usage::Over;
            }
        } else {
            self.over = None;
            self.usage = if estimate < -self.threshold { Usage::Under } else { Usage::Normal };
        }
        self.last = slope;
        self.adapt(estimate.abs(), at);
        self.usage
    }

    fn adapt(&mut self, size: f64, at: Nanos) {
        let elapsed = (at.saturating_sub(self.updated.unwrap_or(at)) as f64 / 1e6).min(LONGEST);
        self.updated = Some(at);
        // A sudden drop of the capacity must not make the detector deaf.
        if size > self.threshold + OUTLIER {
            return;
        }
        let gain = if size < self.threshold { self.gains.down } else { self.gains.up };
        self.threshold = (self.threshold + gain * (size - self.threshold) * elapsed).clamp(LEAST, MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAINS: Gains = Gains { up: 0.01, down: 0.000_18 };
    const MS: Nanos = 1_000_000;

    #[test]
    fn over_use_needs_time_and_an_estimate_that_does_not_fall() {
        let mut detector = Detector::new(GAINS, 12.5, 10.0);
        assert_eq!(detector.update(13.0, 13.0, 8.0, 0), Usage::Normal, "4 ms");
        assert_eq!(detector.update(14.0, 14.0, 5.0, 5 * MS), Usage::Normal, "9 ms");
        assert_eq!(detector.update(13.5, 13.5, 5.0, 10 * MS), Usage::Normal, "it falls");
        assert_eq!(detector.update(14.0, 14.0, 5.0, 15 * MS), Usage::Over);
        assert_eq!(detector.update(0.0, 0.0, 5.0, 20 * MS), Usage::Normal);
        assert_eq!(detector.update(-20.0, -20.0, 5.0, 25 * MS), Usage::Under);
    }

    #[test]
    fn the_threshold_follows_the_estimate() {
        let mut detector = Detector::new(GAINS, 12.5, 10.0);
        detector.update(0.0, 0.0, 50.0, 0);
        detector.update(0.0, 0.0, 50.0, 50 * MS);
        // del_var_th += (t(i) - t(i-1)) * K * (|m(i)| - del_var_th).
        assert!((detector.threshold - 12.5 * (1.0 - 50.0 * 0.000_18)).abs() < 1e-9);
        let before = detector.threshold;
        detector.update(20.0, 20.0, 50.0, 100 * MS);
        assert!((detector.threshold - before - 50.0 * 0.01 * (20.0 - before)).abs() < 1e-9);
        let before = detector.threshold;
        detector.update(before + 15.1, 50.0, 50.0, 150 * MS);
        assert_eq!(detector.threshold, before, "an outlier does not count");
        for step in 0..2_000 {
            detector.update(0.0, 0.0, 100.0, (200 + step * 100) * MS);
        }
        assert_eq!(detector.threshold, 6.0);
    }
}
