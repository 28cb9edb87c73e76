//! Random times, volumes and counts.
//!
//! All distributions except the log-normal are drawn by inverting the distribution function; the log-normal uses Box
//! and Muller's normal. Sources: the Pareto flow sizes of Winstein and Balakrishnan (SIGCOMM 2013) for the shifted
//! form, and the log-normal bodies of web objects of Barford and Crovella (SIGMETRICS 1998). The empirical distribution
//! follows ns-2's `EmpiricalRandomVariable` with `INTER_INTEGRAL`: it is linear between two points and rounded up, and
//! every quantile up to the first point's probability gives the first value.

use std::sync::Arc;

use crate::Stream;

/// The distribution of a time in nanoseconds, a volume in bytes or a count. No draw is more than 2^60, which leaves
/// room for sums.
#[derive(Clone, PartialEq, Debug)]
pub enum Distribution {
    /// The same value for every draw.
    Constant(u64),
    /// Exponential with this mean, rounded to the nearest whole number.
    Exponential(u64),
    /// Every whole number from `min` to `max` with the same probability.
    Uniform {
        /// Minimum.
        min: u64,
        /// Maximum, not below the minimum.
        max: u64,
    },
    /// Pareto, shifted or not.
    Pareto(Pareto),
    /// Log-normal, rounded to the nearest whole number.
    LogNormal {
        /// The median.
        median: u64,
        /// The standard deviation of the logarithm, above zero.
        sigma: f64,
        /// Maximum; larger draws become this value.
        cap: Option<u64>,
    },
    /// Values, each with the probability that a draw does not exceed it. Both ascend, and the last probability is one.
    Empirical(Arc<[(u64, f64)]>),
}

/// A shifted Pareto distribution: for a draw X, X - `plus` + `shift` exceeds x with probability (`scale` / x)^`shape`
/// for any x above `scale`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pareto {
    /// Exponent of the tail, above zero; the mean is infinite if the exponent is at most one and there is no cap.
    pub shape: f64,
    /// Minimum before the shifts, above `shift`.
    pub scale: f64,
    /// Value that is subtracted.
    pub shift: u64,
    /// Value that is added.
    pub plus: u64,
    /// Maximum; larger draws become this value.
    pub cap: Option<u64>,
}

/// A power of two is drawn without rejection, so every draw takes one number of the stream.
const UNIT: u64 = 1 << 53;

/// Maximum of a draw.
const MOST: u64 = 1 << 60;

/// Returns a draw that is uniform in (0, 1].
fn uniform(random: &mut Stream) -> f64 {
    (random.below(UNIT) + 1) as f64 / UNIT as f64
}

/// Returns a standard normal draw (Box and Muller 1958). The ziggurat of `rand_distr` is not used, because its number
/// of draws varies.
pub fn standard_normal(random: &mut Stream) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(uniform(random)));
    radius * libm::cos(2.0 * core::f64::consts::PI * (random.below(UNIT) as f64 / UNIT as f64))
}

impl Distribution {
    /// Returns a draw.
    pub fn draw(&self, random: &mut Stream) -> u64 {
        let drawn = match self {
            Distribution::Constant(value) => *value,
            Distribution::Exponential(mean) => libm::round(-libm::log(uniform(random)) * *mean as f64) as u64,
            Distribution::Uniform { min, max } => min + random.below(max - min + 1),
            Distribution::Pareto(pareto) => pareto.draw(uniform(random)),
            Distribution::LogNormal { median, sigma, cap } => {
                let value = libm::round(*median as f64 * libm::exp(sigma * standard_normal(random))) as u64;
                cap.map_or(value, |cap| value.min(cap))
            }
            Distribution::Empirical(points) => empirical(points, uniform(random)),
        };
        drawn.min(MOST)
    }

    /// Returns the median, without the rounding to whole numbers.
    pub fn median(&self) -> f64 {
        match self {
            Distribution::Constant(value) => *value as f64,
            Distribution::Exponential(mean) => *mean as f64 * core::f64::consts::LN_2,
            Distribution::Uniform { min, max } => (*min as f64 + *max as f64) / 2.0,
            Distribution::Pareto(pareto) => pareto.draw(0.5) as f64,
            Distribution::LogNormal { median, cap, .. } => cap.map_or(*median, |cap| cap.min(*median)) as f64,
            Distribution::Empirical(points) => empirical(points, 0.5) as f64,
        }
    }

    /// Returns the mean, without the rounding to whole numbers; infinite for a Pareto with a shape up to one and no
    /// cap.
    pub fn mean(&self) -> f64 {
        match self {
            Distribution::Constant(value) | Distribution::Exponential(value) => *value as f64,
            Distribution::Uniform { min, max } => (*min as f64 + *max as f64) / 2.0,
            Distribution::Pareto(pareto) => pareto.mean(),
            Distribution::LogNormal { median, sigma, cap } => {
                let mean = *median as f64 * libm::exp(sigma * sigma / 2.0);
                cap.map_or(mean, |cap| {
                    let z = libm::log(cap as f64 / *median as f64) / sigma;
                    mean * normal_below(z - sigma) + cap as f64 * normal_below(-z)
                })
            }
            Distribution::Empirical(points) => {
                let Some(&(value, probability)) = points.first() else { return 0.0 };
                let parts = points.windows(2).map(|pair| {
                    let [(low, before), (high, upto)] = [pair[0], pair[1]];
                    (low as f64 + high as f64) / 2.0 * (upto - before)
                });
                value as f64 * probability + parts.sum::<f64>()
            }
        }
    }
}

impl Pareto {
    fn draw(&self, uniform: f64) -> u64 {
        let value = self.scale * libm::pow(uniform, -1.0 / self.shape);
        let value = (libm::round(value - self.shift as f64) as u64).saturating_add(self.plus);
        self.cap.map_or(value, |cap| value.min(cap))
    }

    /// Returns the mean: the integral over all x up to the cap of the probability that a draw exceeds x.
    fn mean(&self) -> f64 {
        let Pareto { shape, scale, shift, plus, cap } = *self;
        let moved = plus as f64 - shift as f64;
        let tail = match cap.map(|cap| (cap as f64 - moved) / scale) {
            None if shape > 1.0 => scale / (shape - 1.0),
            None => f64::INFINITY,
            Some(top) if shape == 1.0 => scale * libm::log(top),
            Some(top) => scale * (1.0 - libm::pow(top, 1.0 - shape)) / (shape - 1.0),
        };
        scale + tail + moved
    }
}

/// Returns the value at a quantile above zero.
fn empirical(points: &[(u64, f64)], quantile: f64) -> u64 {
    let above = points.partition_point(|&(_, probability)| probability < quantile);
    match (above.checked_sub(1).map(|below| points[below]), points.get(above)) {
        (None, _) => points.first().map_or(0, |(value, _)| *value),
        (Some((value, _)), None) => value,
        (Some((low, before)), Some(&(high, upto))) => {
            let part = (quantile - before) / (upto - before);
            low + libm::ceil(part * (high - low) as f64) as u64
        }
    }
}

/// Returns the probability that a standard normal draw is below z.
fn normal_below(z: f64) -> f64 {
    libm::erfc(-z / core::f64::consts::SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(distribution: &Distribution, count: usize) -> Vec<f64> {
        let mut random = Stream::new(3, "draws");
        (0..count).map(|_| distribution.draw(&mut random) as f64).collect()
    }

    fn pareto(shape: f64, scale: f64) -> Pareto {
        Pareto { shape, scale, shift: 0, plus: 0, cap: None }
    }

    /// One distribution of each kind, with the probability that a draw exceeds some values.
    fn each() -> Vec<(Distribution, Vec<(f64, f64)>)> {
        let remy = Pareto { shift: 40, plus: 16_000, cap: Some(100_000_000), ..pareto(0.5, 147.0) };
        let above = |x: f64| (x, libm::sqrt(147.0 / (x + 40.0 - 16_000.0)));
        let exponential = |x: f64| (x, libm::exp(-x / 1e6));
        let points = [(1_000, 0.1), (10_000, 0.5), (1_000_000, 1.0)];
        let log_normal = |cap| Distribution::LogNormal { median: 11_580, sigma: 1.318, cap };
        let normal =
            [(11_580.0, 0.5), (11_580.0 * libm::exp(1.318), 0.158_655), (11_580.0 * libm::exp(2.636), 0.022_75)];
        vec![
            (Distribution::Exponential(1_000_000), [1e5, 1e6, 4e6].map(exponential).to_vec()),
            (Distribution::Uniform { min: 5, max: 15 }, vec![(4.5, 1.0), (9.5, 6.0 / 11.0), (15.0, 0.0)]),
            (Distribution::Pareto(pareto(2.5, 1e5)), vec![(2e5, libm::pow(0.5, 2.5)), (1e6, libm::pow(0.1, 2.5))]),
            (Distribution::Pareto(remy), vec![above(16_588.0), above(50_000.0), above(1e7)]),
            (Distribution::Pareto(Pareto { cap: Some(1_000_000), ..pareto(1.0, 1e3) }), vec![(1e4, 0.1), (1e5, 0.01)]),
            (log_normal(None), normal.to_vec()),
            (log_normal(Some(50_000)), normal[..2].iter().copied().chain([(50_000.0, 0.0)]).collect()),
            (
                Distribution::Empirical(points.into()),
                vec![(999.0, 1.0), (1_000.0, 0.9), (5_500.0, 0.7), (505_000.0, 0.25)],
            ),
        ]
    }

    /// Means and tails lie within 4.5 standard errors: one of a hundred thousand right generators would fail a check.
    #[test]
    fn every_distribution_has_its_mean_and_its_tail() {
        let count = 400_000;
        for (distribution, tail) in each() {
            let drawn = draws(&distribution, count);
            let n = count as f64;
            let mean = drawn.iter().sum::<f64>() / n;
            let variance = drawn.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
            let error = 4.5 * libm::sqrt(variance / n);
            // Rounding up adds half a unit.
            assert!(
                (mean - distribution.mean()).abs() < error + 0.5,
                "{distribution:?}: {mean}, not {}",
                distribution.mean()
            );
            for (x, above) in tail {
                let measured = drawn.iter().filter(|drawn| **drawn > x).count() as f64 / n;
                let error = 4.5 * libm::sqrt(above * (1.0 - above) / n) + 1e-6;
                assert!((measured - above).abs() < error, "{distribution:?} above {x}: {measured}, not {above}");
            }
        }
    }

    #[test]
    fn exponential_draws_have_no_memory() {
        let drawn = draws(&Distribution::Exponential(1_000_000), 200_000);
        let rest: Vec<f64> = drawn.iter().filter(|&&draw| draw > 2e6).map(|draw| draw - 2e6).collect();
        let average = rest.iter().sum::<f64>() / rest.len() as f64;
        assert!((average / 1e6 - 1.0).abs() < 0.03, "{average}");
    }

    #[test]
    fn the_same_seed_draws_the_same_and_the_values_stay() {
        for (distribution, _) in each() {
            assert_eq!(draws(&distribution, 100), draws(&distribution, 100));
        }
        // Results of published runs depend on these values.
        assert_eq!(draws(&Distribution::Exponential(1_000_000), 3), [203_496.0, 2_283_389.0, 545_644.0]);
    }

    #[test]
    fn a_cap_bounds_what_has_no_mean() {
        assert_eq!(Distribution::Pareto(pareto(0.5, 147.0)).mean(), f64::INFINITY);
        let capped = Distribution::Pareto(Pareto { cap: Some(1_000), ..pareto(0.5, 147.0) });
        let drawn = draws(&capped, 10_000);
        assert!(drawn.iter().all(|&x| (147.0..=1_000.0).contains(&x)) && drawn.contains(&1_000.0));
        // Without a cap a draw still leaves room for sums.
        let wild = draws(&Distribution::Pareto(pareto(0.01, 147.0)), 10_000);
        assert_eq!(wild.iter().copied().fold(0.0, f64::max), MOST as f64);
    }

    #[test]
    fn an_empirical_draw_lies_between_the_points_as_in_ns_2() {
        let points = [(10, 0.25), (20, 0.75), (100, 1.0)];
        let at = |quantile| empirical(&points, quantile);
        assert_eq!([1e-9, 0.25, 0.75, 1.0].map(at), [10, 10, 20, 100]);
        // Half way in probability is half way in value; values between whole numbers are rounded up.
        assert_eq!([0.5, 0.501, 0.875, 0.999].map(at), [15, 16, 60, 100]);
        assert_eq!(empirical(&points[..1], 0.9), 10);
    }

    /// A scenario that is refused for it asks for the mean all the same.
    #[test]
    fn an_empirical_distribution_without_points_is_zero() {
        let none = Distribution::Empirical([].into());
        assert_eq!((none.mean(), none.median(), none.draw(&mut Stream::new(3, "draws"))), (0.0, 0.0, 0));
    }

    #[test]
    fn a_constant_takes_no_draw() {
        let (mut random, mut untouched) = (Stream::new(3, "draws"), Stream::new(3, "draws"));
        assert_eq!(Distribution::Constant(7).draw(&mut random), 7);
        assert_eq!(random.bits32(), untouched.bits32());
    }
}
