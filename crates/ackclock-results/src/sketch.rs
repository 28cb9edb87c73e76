//! Quantiles in a memory that does not grow with the number of values.

use hdrhistogram::Histogram;

/// Significant digits: the relative error of a quantile is at most one part in a thousand.
const DIGITS: u8 = 3;

/// Maximum number of bins of a sketch of 64-bit values: 1024 for each power of two, and 1024 more for the first.
pub const BINS: f64 = 56.0 * 1024.0;

/// A distribution of whole numbers. Mean and maximum are exact. The relative error of quantiles, and of the bins by
/// which sketches of several runs are added, is at most one part in a thousand. A sketch takes less than 0.5 MB,
/// whatever its content.
#[derive(Clone, Debug)]
pub struct Sketch {
    histogram: Histogram<u64>,
    total: u128,
    max: u64,
}

impl Default for Sketch {
    fn default() -> Self {
        let histogram = Histogram::new(DIGITS).expect("a histogram has at most five digits");
        Sketch { histogram, total: 0, max: 0 }
    }
}

impl Sketch {
    /// Records a value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.histogram.record(value).expect("the histogram grows up to any 64-bit value");
        self.total += u128::from(value);
        self.max = self.max.max(value);
    }

    /// Returns the number of values.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Returns the mean; `None` before the first value.
    pub fn mean(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.total as f64 / self.count() as f64)
    }

    /// Returns the smallest value that at least a fraction `quantile` of the values did not exceed; `None` before the
    /// first value.
    pub fn quantile(&self, quantile: f64) -> Option<u64> {
        (self.count() > 0).then(|| self.histogram.value_at_quantile(quantile).min(self.max))
    }

    /// Returns the largest value; `None` before the first value.
    pub fn max(&self) -> Option<u64> {
        (self.count() > 0).then_some(self.max)
    }

    /// Returns the bins that hold values, in ascending order: the largest value of each, and its number of values.
    pub fn bins(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.histogram.iter_recorded().map(|bin| (bin.value_iterated_to(), bin.count_since_last_iteration()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_summed_up() {
        let mut sketch = Sketch::default();
        assert_eq!((sketch.mean(), sketch.quantile(0.5), sketch.max()), (None, None, None));
        for value in 1..=1000 {
            sketch.record(value * 1_000_000);
        }
        assert_eq!(sketch.mean(), Some(500.5e6));
        assert_eq!(sketch.max(), Some(1_000_000_000));
        for (quantile, exact) in [(0.5, 500e6), (0.95, 950e6), (0.99, 990e6), (1.0, 1000e6)] {
            let measured = sketch.quantile(quantile).unwrap() as f64;
            assert!((measured / exact - 1.0).abs() < 1e-3, "{quantile}: {measured}");
        }
        sketch.record(1 << 62);
        assert_eq!(sketch.quantile(1.0), Some(1 << 62));
    }

    /// The sum of the bins of two sketches equals the bins of all values, so quantiles of several runs can be computed
    /// together.
    #[test]
    fn bins_add_up() {
        let mut random = ackclock_core::Stream::new(1, "values");
        let (mut parts, mut whole) = ([Sketch::default(), Sketch::default()], Sketch::default());
        for index in 0..10_000 {
            let value = random.below(1 << (index % 50));
            parts[index % 2].record(value);
            whole.record(value);
        }
        let mut sum = std::collections::BTreeMap::<u64, u64>::new();
        for (value, count) in parts.iter().flat_map(Sketch::bins) {
            *sum.entry(value).or_default() += count;
        }
        assert!(sum.into_iter().eq(whole.bins()));
        assert!(whole.bins().count() < 10_000 && whole.bins().all(|(_, count)| count > 0));
    }
}
