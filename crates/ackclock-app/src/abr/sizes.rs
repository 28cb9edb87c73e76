//! Sizes of media segments.

use ackclock_core::Nanos;
use ackclock_core::Stream;
use ackclock_core::standard_normal;

/// The multipliers of the segments of a presentation, in order of their index. They are log-normal with mean 1. All
/// levels of an index share one multiplier, because a scene that is hard to encode is hard at every level. Each index
/// takes the same number of draws from a separate stream, so clients with the same seed see the same presentation,
/// whatever levels they choose.
#[derive(Clone, Debug)]
pub struct SegmentSizes {
    stream: Stream,
    /// Standard deviation of the logarithm.
    sigma: f64,
}

impl SegmentSizes {
    /// Creates multipliers with a coefficient of variation (standard deviation over mean); 0 gives a constant 1.
    pub fn new(stream: Stream, cv: f64) -> SegmentSizes {
        SegmentSizes { stream, sigma: sigma(cv) }
    }

    /// Returns the next segment's multiplier.
    pub fn next_multiplier(&mut self) -> f64 {
        multiplier(self.sigma, standard_normal(&mut self.stream))
    }
}

/// Returns sigma, where sigma^2 = ln(1 + cv^2).
fn sigma(cv: f64) -> f64 {
    libm::sqrt(libm::log1p(cv * cv))
}

/// Returns exp(sigma z - sigma^2 / 2), whose mean over standard normal z is 1.
fn multiplier(sigma: f64, z: f64) -> f64 {
    libm::exp(sigma * z - sigma * sigma / 2.0)
}

/// Returns the bytes of a segment: level x duration / 8 x multiplier, rounded to the nearest byte and at least one.
pub fn segment_bytes(level_bps: u64, duration: Nanos, multiplier: f64) -> u64 {
    // There are 8 bits in a byte and 10^9 nanoseconds in a second.
    let nominal = (u128::from(level_bps) * u128::from(duration) + 4_000_000_000) / 8_000_000_000;
    libm::round(nominal as f64 * multiplier).max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nominal_sizes() {
        assert_eq!(segment_bytes(500_000, 2_000_000_000, 1.0), 125_000);
        assert_eq!(segment_bytes(1_000, 1_000_000_000 / 3, 1.0), 42, "41.67");
        assert_eq!(segment_bytes(500_000, 2_000_000_000, 0.5), 62_500);
        assert_eq!(segment_bytes(1, 1, 1.0), 1);
    }

    #[test]
    fn multipliers_have_mean_one_and_the_variation_asked_for() {
        for cv in [0.1, 0.5, 1.0] {
            let mut sizes = SegmentSizes::new(Stream::new(7, "sizes"), cv);
            let draws: Vec<f64> = (0..200_000).map(|_| sizes.next_multiplier()).collect();
            let count = draws.len() as f64;
            let mean = draws.iter().sum::<f64>() / count;
            let variance = draws.iter().map(|draw| (draw - mean) * (draw - mean)).sum::<f64>() / (count - 1.0);
            let deviation = libm::sqrt(variance);
            assert!((mean - 1.0).abs() < 5.0 * cv / libm::sqrt(count), "mean {mean} for {cv}");
            assert!((deviation / cv - 1.0).abs() < 0.03, "deviation {deviation} for {cv}");
            // The skew is that of a log-normal: the median is exp(-sigma^2 / 2).
            let below = draws.iter().filter(|draw| **draw < 1.0 / libm::sqrt(1.0 + cv * cv)).count();
            assert!((below as f64 / count - 0.5).abs() < 0.01, "{below}");
        }
    }

    #[test]
    fn no_variation_is_exactly_one() {
        let mut sizes = SegmentSizes::new(Stream::new(7, "sizes"), 0.0);
        assert!((0..1000).all(|_| sizes.next_multiplier() == 1.0));
    }
}
