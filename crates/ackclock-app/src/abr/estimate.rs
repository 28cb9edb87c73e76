//! Estimates of throughput from the segments downloaded so far.

use super::{Download, highest_within};
use ackclock_core::Nanos;

/// dash.js: half-lives of the fast and the slow average of throughput, in seconds of download time.
const FAST_HALF_LIFE_S: f64 = 3.0;
const SLOW_HALF_LIFE_S: f64 = 8.0;
/// dash.js: half-lives of the fast and the slow average of latency, in segments.
const FAST_HALF_LIFE_SEGMENTS: f64 = 1.0;
const SLOW_HALF_LIFE_SEGMENTS: f64 = 2.0;
/// dash.js: shortest transfer in ns, which is the resolution of its clock.
const SHORTEST_TRANSFER: Nanos = 1_000_000;
/// dash.js: `bandwidthSafetyFactor`, the fraction of the estimate that is used.
const DASH_JS_SAFETY: f64 = 0.9;

/// An average in which the weight of a sample halves with every `half_life` of weight that follows. The bias from
/// starting at zero is divided out, so the first sample is the first average.
#[derive(Clone, Copy, Debug)]
struct Ewma {
    half_life: f64,
    sum: f64,
    weight: f64,
}

impl Ewma {
    fn new(half_life: f64) -> Ewma {
        Ewma { half_life, sum: 0.0, weight: 0.0 }
    }

    fn add(&mut self, value: f64, weight: f64) {
        let keep = libm::exp2(-weight / self.half_life);
        self.sum = keep * self.sum + (1.0 - keep) * value;
        self.weight += weight;
    }

    fn average(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.sum / (1.0 - libm::exp2(-self.weight / self.half_life)))
    }
}

/// Two averages with different half-lives, of which the lower or the higher is used.
#[derive(Clone, Copy, Debug)]
struct FastAndSlow(Ewma, Ewma);

impl FastAndSlow {
    fn throughput() -> FastAndSlow {
        FastAndSlow(Ewma::new(FAST_HALF_LIFE_S), Ewma::new(SLOW_HALF_LIFE_S))
    }

    fn latency() -> FastAndSlow {
        FastAndSlow(Ewma::new(FAST_HALF_LIFE_SEGMENTS), Ewma::new(SLOW_HALF_LIFE_SEGMENTS))
    }

    fn add(&mut self, value: f64, weight: f64) {
        self.0.add(value, weight);
        self.1.add(value, weight);
    }

    fn lower(&self) -> Option<f64> {
        Some(self.0.average()?.min(self.1.average()?))
    }

    fn higher(&self) -> Option<f64> {
        Some(self.0.average()?.max(self.1.average()?))
    }
}

/// Method of estimating the throughput, in bit/s, from download rates. A segment's download rate is its size divided by
/// the time from the request to the last byte, so the round trip of the request and the server's think time count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Estimator {
    /// The rate of the last segment.
    Last,
    /// The sum of all bytes so far divided by the sum of their download times.
    Mean,
    /// The lower of two averages with half-lives of 3 s and 8 s of download time, weighted as in dash.js.
    Ewma,
}

/// A running estimate.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    estimator: Estimator,
    last: Option<f64>,
    bytes: u64,
    time: Nanos,
    averages: FastAndSlow,
}

impl Estimate {
    /// Creates an estimate without samples.
    pub fn new(estimator: Estimator) -> Estimate {
        Estimate { estimator, last: None, bytes: 0, time: 0, averages: FastAndSlow::throughput() }
    }

    /// Adds a download.
    pub fn add(&mut self, download: &Download) {
        let time = (download.done - download.requested).max(1);
        let rate = bits_per_second(download.bytes, time);
        self.last = Some(rate);
        self.bytes = self.bytes.saturating_add(download.bytes);
        self.time += time;
        self.averages.add(rate, time as f64 / 1e9);
    }

    /// Returns the estimate in bit/s; `None` before the first segment.
    pub fn bps(&self) -> Option<f64> {
        match self.estimator {
            Estimator::Last => self.last,
            Estimator::Mean => (self.time > 0).then(|| bits_per_second(self.bytes, self.time)),
            Estimator::Ewma => self.averages.lower(),
        }
    }
}

/// The throughput history of dash.js (versions 3 and 4, moving averages by EWMA, dead time counted as latency). A rate
/// in this history is that of the transfer alone, from the first byte to the last. The time to the first byte is a
/// latency. It is averaged separately, and its share of each segment's duration is deducted.
#[derive(Clone, Copy, Debug)]
pub struct History {
    throughput: FastAndSlow,
    /// Averages of the latency, in seconds.
    latency: FastAndSlow,
}

impl Default for History {
    /// Creates an empty history.
    fn default() -> History {
        History { throughput: FastAndSlow::throughput(), latency: FastAndSlow::latency() }
    }
}

impl History {
    /// Adds a download.
    pub fn add(&mut self, download: &Download) {
        let transfer = (download.done - download.first_byte).max(SHORTEST_TRANSFER);
        self.throughput.add(bits_per_second(download.bytes, transfer), transfer as f64 / 1e9);
        self.latency.add((download.first_byte - download.requested) as f64 / 1e9, 1.0);
    }

    /// Returns 0.9 of the throughput in bit/s; `None` before the first segment.
    pub fn safe_bps(&self) -> Option<f64> {
        Some(self.throughput.lower()? * DASH_JS_SAFETY)
    }

    /// Returns the highest level that 0.9 of the throughput sustains if each segment of `duration` first costs the
    /// latency; `None` before the first segment.
    pub fn sustainable(&self, ladder: &[u64], duration: Nanos) -> Option<usize> {
        let throughput = self.safe_bps()?;
        let dead = self.latency.higher()? / (duration as f64 / 1e9);
        Some(highest_within(ladder, throughput * (1.0 - dead).max(0.0)))
    }
}

/// Returns the rate of `bytes` in `time` ns.
pub(super) fn bits_per_second(bytes: u64, time: Nanos) -> f64 {
    bytes as f64 * 8e9 / time as f64
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) const SECOND: Nanos = 1_000_000_000;

    /// A download of `bytes` whose first byte arrives after `latency`, and whose transfer then takes `transfer`.
    pub(crate) fn download(bytes: u64, latency: Nanos, transfer: Nanos) -> Download {
        Download {
            level: 0,
            bytes,
            requested: SECOND,
            first_byte: SECOND + latency,
            done: SECOND + latency + transfer,
            buffer_at_request: 0,
            buffer_before: 0,
            buffer_after: 0,
        }
    }

    fn estimate(estimator: Estimator, downloads: &[Download]) -> Option<f64> {
        let mut estimate = Estimate::new(estimator);
        downloads.iter().for_each(|download| estimate.add(download));
        estimate.bps()
    }

    #[test]
    fn estimators_differ_in_memory() {
        // The first download has 1 Mbit/s for 1 s, the second 100 kbit/s for 3 s.
        let downloads = [download(125_000, SECOND / 4, 3 * SECOND / 4), download(37_500, 0, 3 * SECOND)];
        assert_eq!(estimate(Estimator::Last, &[]), None);
        assert_eq!(estimate(Estimator::Mean, &[]), None);
        assert_eq!(estimate(Estimator::Ewma, &[]), None);
        assert_eq!(estimate(Estimator::Last, &downloads), Some(100_000.0));
        assert_eq!(estimate(Estimator::Mean, &downloads), Some(325_000.0), "1.3 Mbit in 4 s");
        // With a half-life of 3 s the first sample has weight (1 - 2^-1/3) / 2 and the second 1/2, of 1 - 2^-4/3.
        let (first, second) = ((1.0 - libm::exp2(-1.0 / 3.0)) / 2.0, 0.5);
        let fast = (first * 1e6 + second * 1e5) / (first + second);
        let ewma = estimate(Estimator::Ewma, &downloads).expect("two samples");
        assert!((ewma - fast).abs() < 1e-6, "{ewma} {fast}");
    }

    #[test]
    fn the_ewma_of_a_constant_is_the_constant_from_the_first_sample() {
        for count in 1..30 {
            let ewma = estimate(Estimator::Ewma, &vec![download(125_000, 0, SECOND); count]).expect("samples");
            assert!((ewma - 1e6).abs() < 1e-3, "{ewma}");
        }
    }

    #[test]
    fn latency_costs_its_share_of_a_segment() {
        let ladder = [100_000, 400_000, 449_000, 899_000];
        let level = |latency, duration| {
            let mut history = History::default();
            history.add(&download(125_000, latency, SECOND));
            history.sustainable(&ladder, duration)
        };
        assert_eq!(History::default().sustainable(&ladder, SECOND), None);
        assert_eq!(level(0, 2 * SECOND), Some(3), "0.9 of 1 Mbit/s");
        assert_eq!(level(SECOND, 2 * SECOND), Some(2), "half of each segment's time is dead");
        assert_eq!(level(SECOND + SECOND / 100, 2 * SECOND), Some(1));
        assert_eq!(level(3 * SECOND, 2 * SECOND), Some(0), "no time is left at all");
    }
}
