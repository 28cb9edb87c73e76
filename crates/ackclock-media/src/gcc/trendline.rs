//! The trendline filter, which replaced the Kalman filter in WebRTC: the slope of a line through the smoothed delays of
//! the last groups. The slope estimates (rate - capacity) / capacity.

use std::collections::VecDeque;

use super::detector::{Detector, Gains};
use super::groups::Delta;
use super::{Constants, Usage};

/// Number of groups in the line, weight of the past in the smoothed delay, and gain of the slope.
const WINDOW: usize = 20;
const SMOOTHING: f64 = 0.9;
const GAIN: f64 = 4.0;
/// Number of groups from which on the slope has its full weight.
const FULL: u32 = 60;
/// Gains of the threshold.
const GAINS: Gains = Gains { up: 0.0087, down: 0.039 };

/// The filter's state.
#[derive(Debug)]
pub(super) struct Trendline {
    detector: Detector,
    groups: u32,
    /// Sum of the delay variations and its smoothed form, in ms.
    accumulated: f64,
    smoothed: f64,
    /// Arrivals since the first, and smoothed delays, in ms.
    line: VecDeque<(f64, f64)>,
    first: Option<u64>,
    slope: f64,
}

impl Trendline {
    pub fn new(constants: &Constants) -> Trendline {
        Trendline {
            detector: Detector::new(GAINS, constants.threshold, constants.overuse_time),
            groups: 0,
            accumulated: 0.0,
            smoothed: 0.0,
            line: VecDeque::new(),
            first: None,
            slope: 0.0,
        }
    }

    /// Takes the difference between two groups.
    pub fn update(&mut self, delta: &Delta) -> Usage {
        self.groups = (self.groups + 1).min(FULL);
        self.accumulated += delta.variation();
        self.smoothed += (1.0 - SMOOTHING) * (self.accumulated - self.smoothed);
        let first = *self.first.get_or_insert(delta.at);
        self.line.push_back(((delta.at as f64 - first as f64) / 1e6, self.smoothed));
        if self.line.len() > WINDOW {
            self.line.pop_front();
        }
        if self.line.len() == WINDOW {
            self.slope = slope(&self.line).unwrap_or(self.slope);
        }
        let estimate = f64::from(self.groups) * self.slope * GAIN;
        self.detector.update(estimate, self.slope, delta.sent, delta.at)
    }
}

/// Returns the slope of the least-squares line; `None` if all abscissae are the same.
fn slope(points: &VecDeque<(f64, f64)>) -> Option<f64> {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let products: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let squares: f64 = points.iter().map(|point| (point.0 - x) * (point.0 - x)).sum();
    (squares > 0.0).then(|| products / squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONSTANTS: Constants =
        Constants { beta: 0.85, eta: 1.08, threshold: 12.5, overuse_time: 10.0, pacing_gain: 2.5 };

    #[test]
    fn the_slope_is_that_of_the_delay() {
        let line: VecDeque<_> = (0..20).map(|x| (f64::from(x) * 10.0, 3.0 + f64::from(x) * 0.5)).collect();
        assert!((slope(&line).unwrap() - 0.05).abs() < 1e-12);
        assert_eq!(slope(&VecDeque::from(vec![(1.0, 2.0); 20])), None);
    }

    /// At 1.1 times the capacity, delay grows by a tenth of the time at the sender: 0.0909 of that at the receiver. The
    /// detector sees 60 * 4 * 0.0909 = 21.8 against 12.5.
    #[test]
    fn a_rate_above_the_capacity_is_over_use() {
        let mut filter = Trendline::new(&CONSTANTS);
        let mut found = Vec::new();
        for group in 1..100 {
            found.push(filter.update(&Delta { sent: 30.0, arrived: 33.0, at: group * 33_000_000 }));
        }
        assert!((filter.slope - 0.1 / 1.1).abs() < 0.002, "{}", filter.slope);
        assert!(found[..19].iter().all(|usage| *usage == Usage::Normal), "no line before 20 groups");
        assert!(found.contains(&Usage::Over));
        for group in 100..200 {
            found.push(filter.update(&Delta { sent: 30.0, arrived: 25.0, at: (3300 + (group - 99) * 25) * 1_000_000 }));
        }
        assert_eq!(found.last(), Some(&Usage::Under));
    }
}
