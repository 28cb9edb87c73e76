//! The change of `max_p` that makes RED adaptive; [`super::ared`] has its equations and sources.

use crate::Nanos;

/// Adaptation of `max_p` to the average queue.
pub(super) struct Adaptation {
    pub alpha: f64,
    pub beta: f64,
    pub top: f64,
    pub bottom: f64,
    pub interval: Nanos,
    /// Averages below and above which `max_p` changes.
    pub low: f64,
    pub high: f64,
    /// Time of the last change.
    pub changed: Nanos,
}

impl Adaptation {
    /// The new `max_p` at an arrival at time `at`.
    pub(super) fn max_p(&mut self, max_p: f64, at: Nanos, average: f64) -> f64 {
        if at - self.changed <= self.interval {
            return max_p;
        }
        if average < self.low && max_p > self.bottom {
            self.changed = at;
            max_p * self.beta
        } else if average > self.high && max_p < self.top {
            self.changed = at;
            max_p + self.alpha.min(0.25 * max_p)
        } else {
            max_p
        }
    }
}
