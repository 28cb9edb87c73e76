//! The arrival-time filter of draft-ietf-rmcat-gcc-02 section 5.3: a scalar Kalman filter on the delay variation.

use std::collections::VecDeque;

use super::detector::{Detector, Gains};
use super::groups::Delta;
use super::{Constants, Usage};

/// Constants of the draft's table: the state noise variance q, the initial error covariance e(0), and chi.
const Q: f64 = 1e-3;
const E0: f64 = 0.1;
const CHI: f64 = 0.01;
/// Gains of the threshold (section 5.4): K_u and K_d.
const GAINS: Gains = Gains { up: 0.01, down: 0.000_18 };
/// Number of groups by which the estimate is multiplied at most before it is compared with the threshold. The draft does
/// not have this factor. WebRTC's detector had it when the draft's constants were chosen, and without it a rate of 1.3
/// times the capacity is no over-use: 30-ms groups grow the delay by 9 ms, and the threshold is 12.5 ms.
const FULL: u32 = 60;
/// Number of recent groups among which the rate of groups is the largest (f_max).
const RECENT: usize = 60;

/// The filter's state.
#[derive(Debug)]
pub(super) struct Kalman {
    detector: Detector,
    groups: u32,
    /// Estimate of the delay variation m_hat in ms, and its error covariance.
    estimate: f64,
    error: f64,
    /// Variance of the measurement noise.
    noise: f64,
    /// Times between the departures of recent groups, in ms.
    intervals: VecDeque<f64>,
}

impl Kalman {
    pub fn new(constants: &Constants) -> Kalman {
        let detector = Detector::new(GAINS, constants.threshold, constants.overuse_time);
        Kalman { detector, groups: 0, estimate: 0.0, error: E0, noise: 1.0, intervals: VecDeque::new() }
    }

    /// Takes the difference between two groups.
    pub fn update(&mut self, delta: &Delta) -> Usage {
        self.intervals.push_back(delta.sent);
        if self.intervals.len() > RECENT {
            self.intervals.pop_front();
        }
        let residual = delta.variation() - self.estimate;
        // "alpha = (1-chi)^(30/(1000 * f_max))", with f_max in groups per ms.
        let shortest = self.intervals.iter().copied().fold(f64::INFINITY, f64::min).max(1.0);
        let alpha = libm::pow(1.0 - CHI, 30.0 * shortest / 1000.0);
        // Outliers enter the noise with three standard deviations.
        let bounded = residual.abs().min(3.0 * libm::sqrt(self.noise));
        self.noise = (alpha * self.noise + (1.0 - alpha) * bounded * bounded).max(1.0);
        let gain = (self.error + Q) / (self.noise + self.error + Q);
        self.estimate += gain * residual;
        self.error = (1.0 - gain) * (self.error + Q);
        self.groups = (self.groups + 1).min(FULL);
        let signal = f64::from(self.groups) * self.estimate;
        self.detector.update(signal, self.estimate, delta.sent, delta.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONSTANTS: Constants =
        Constants { beta: 0.85, eta: 1.08, threshold: 12.5, overuse_time: 10.0, pacing_gain: 2.5 };

    #[test]
    fn the_estimate_tends_to_a_constant_variation() {
        let mut kalman = Kalman::new(&CONSTANTS);
        for group in 1..2_000 {
            kalman.update(&Delta { sent: 33.0, arrived: 38.0, at: group * 38_000_000 });
        }
        assert!((kalman.estimate - 5.0).abs() < 0.1, "{}", kalman.estimate);
    }

    #[test]
    fn the_first_gain_is_that_of_the_equations() {
        let mut kalman = Kalman::new(&CONSTANTS);
        kalman.update(&Delta { sent: 30.0, arrived: 32.0, at: 32_000_000 });
        let alpha = libm::pow(0.99, 0.9);
        let noise = alpha + (1.0 - alpha) * 4.0;
        let gain = (0.1 + 1e-3) / (noise + 0.1 + 1e-3);
        assert!((kalman.estimate - 2.0 * gain).abs() < 1e-12);
        assert!((kalman.error - (1.0 - gain) * 0.101).abs() < 1e-12);
    }
}
