//! A stochastic model of a cellular link, for use without a measured trace.

use crate::Rate;
use std::f64::consts::SQRT_2;

use super::{OPPORTUNITY, Source};
use crate::{NEVER, Nanos};
use crate::{Random, Seed};

/// Time for which the rate is constant, as in Sprout.
const STEP: Nanos = 20_000_000;
const STEP_SECONDS: f64 = 0.02;
/// Rates are held in packets per 10^6 s. Their integrals over time are held in 10^-15 packets.
const RATE_UNIT: f64 = 1e6;
const AMOUNT_UNIT: f64 = 1e15;
/// Mean overshoot of a sum of normal steps over a bound, in standard deviations of a step (Siegmund 1979).
const OVERSHOOT: f64 = 0.582_597_157_9;

/// The doubly stochastic model of a cellular link in Winstein, Sivaraman, Balakrishnan, "Stochastic Forecasts Achieve High
/// Throughput and Low Delay over Cellular Networks", NSDI 2013, section 3.1.
///
/// Deliveries of full packets are a Poisson process. Its rate is a Brownian motion of power `sigma`, in steps of 20 ms,
/// between zero and a largest rate. When the rate reaches zero an outage begins, which lasts for an exponential time
/// with the rate `escape`. The paper's receiver keeps a distribution over such rates; here one rate is drawn, uniformly
/// at first.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CellularModel {
    /// Largest rate, bits per second. The paper's value is 1000 packets of 1500 bytes per second.
    pub max_rate: Rate,
    /// Noise power, packets per second per square root of a second.
    pub sigma: f64,
    /// Rate at which outages end, per second.
    pub escape: f64,
}

impl CellularModel {
    /// The paper's values.
    pub const SPROUT: CellularModel =
        CellularModel { max_rate: Rate::new(12_000_000).unwrap(), sigma: 200.0, escape: 1.0 };

    fn max_packets(&self) -> f64 {
        self.max_rate.bits() as f64 / f64::from(OPPORTUNITY * 8)
    }

    /// Standard deviation of the change of the rate in a step, packets per second.
    fn deviation(&self) -> f64 {
        self.sigma * libm::sqrt(STEP_SECONDS)
    }

    /// The probability that an outage does not end within a step.
    fn stay(&self) -> f64 {
        libm::exp(-self.escape * STEP_SECONDS)
    }

    /// The expected number of delivery opportunities and of changes of the rate within a duration.
    pub fn opportunities(&self, duration: Nanos) -> f64 {
        let bits = self.mean_rate().bits() as f64 * duration as f64 / 1e9;
        bits / f64::from(OPPORTUNITY * 8) + (duration / STEP) as f64
    }

    /// Mean rate over a long time, bits per second.
    ///
    /// The rate is a random walk that is renewed at each outage. Let W be the walk from one outage to the next, and M
    /// the largest rate, both in standard deviations of a step. Let o be the amount by which W falls below zero at its
    /// end, and L the amount that the largest rate cuts off. W, W^2 and W^3 without their drifts are martingales, which
    /// gives:
    ///
    /// - E L = E W_0 + E o = sqrt(2), from the mean ladder height of a normal walk;
    /// - mean number of steps = 2 sqrt(2) M + 1.296;
    /// - mean sum of W over the steps = sqrt(2) M (M + 2 * 0.583).
    ///
    /// The results are exact except for terms of (1 / M)^2.
    pub fn mean_rate(&self) -> Rate {
        let most = self.max_packets() / self.deviation();
        let steps = 2.0 * SQRT_2 * most + 1.296;
        let sum = SQRT_2 * most * (most + 2.0 * OVERSHOOT);
        let outage = 1.0 / (1.0 - self.stay());
        let packets = sum / (steps + outage) * self.deviation();
        Rate::new((packets * f64::from(OPPORTUNITY * 8)) as u64).unwrap_or(Rate::MIN)
    }
}

/// Delivery opportunities of a [`CellularModel`], drawn from the stream of a seed.
#[derive(Clone, Debug)]
pub struct Cellular {
    model: CellularModel,
    seed: Seed,
    random: Random,
    /// Present rate, in packets per 10^6 s; zero is an outage.
    rate: u64,
    /// Time of the next change of the rate.
    until: Nanos,
    now: Nanos,
    /// Integral of the rate up to the next delivery, in 10^-15 packets.
    need: u64,
}

impl Cellular {
    /// A source at the start of the stream of `seed`.
    pub fn new(model: CellularModel, seed: Seed) -> Cellular {
        let random = Random::new(seed);
        let mut cellular = Cellular { model, seed, random, rate: 0, until: STEP, now: 0, need: 0 };
        cellular.rate = cellular.random.up_to(cellular.most());
        cellular.need = cellular.draw();
        cellular
    }

    fn most(&self) -> u64 {
        (self.model.max_packets() * RATE_UNIT) as u64
    }

    fn draw(&mut self) -> u64 {
        (self.random.exponential() * AMOUNT_UNIT) as u64
    }

    /// Draws the rate of the next step.
    fn step(&mut self) {
        let deviation = self.model.deviation() * RATE_UNIT;
        let rate = if self.rate > 0 {
            self.rate as f64 + self.random.normal() * deviation
        } else if self.random.unit() < self.model.stay() {
            0.0
        } else {
            libm::fabs(self.random.normal()) * deviation
        };
        // The conversion to an unsigned integer makes a negative rate zero.
        self.rate = (rate as u64).min(self.most());
    }
}

impl Source for Cellular {
    fn next(&mut self) -> Nanos {
        while self.now < NEVER {
            let amount = u128::from(self.rate) * u128::from(self.until - self.now);
            if u128::from(self.need) <= amount && self.rate > 0 {
                self.now += self.need.div_ceil(self.rate);
                self.need = self.draw();
                break;
            }
            self.need -= amount as u64;
            self.now = self.until;
            self.until = self.until.saturating_add(STEP);
            self.step();
        }
        self.now
    }

    fn counter(&self) -> Box<dyn FnMut(Nanos) -> u64 + '_> {
        let mut anew = Cellular::new(self.model, self.seed);
        let (mut next, mut count) = (anew.next(), 0);
        Box::new(move |at| {
            while next < at {
                count += 1;
                next = anew.next();
            }
            count
        })
    }

    fn mean_rate(&self) -> Rate {
        self.model.mean_rate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// Distribution of the rate in the long run, from the model's transition probabilities: the share of outages, then
    /// the shares of `cells` equal intervals of the rate.
    fn stationary(model: &CellularModel, cells: usize) -> Vec<f64> {
        let width = model.max_packets() / cells as f64;
        let below = |x: f64| 0.5 * (1.0 + libm::erf(x / model.deviation() / SQRT_2));
        // Row 0 is an outage.
        let mut rows = vec![vec![0.0; cells + 1]; cells + 1];
        for (from, row) in rows.iter_mut().enumerate() {
            for (to, share) in row.iter_mut().enumerate().skip(1) {
                let (low, high) = ((to - 1) as f64 * width, to as f64 * width);
                *share = if from == 0 {
                    (1.0 - model.stay()) * 2.0 * (below(high) - below(low))
                } else {
                    let rate = (from as f64 - 0.5) * width;
                    let high = if to == cells { f64::INFINITY } else { high };
                    below(high - rate) - below(low - rate)
                };
            }
            row[0] = 1.0 - row[1..].iter().sum::<f64>();
        }
        // After 2^15 steps the initial state has no influence.
        for _ in 0..15 {
            rows = rows.iter().map(|row| product(row, &rows)).collect();
        }
        rows.swap_remove(0)
    }

    fn product(shares: &[f64], rows: &[Vec<f64>]) -> Vec<f64> {
        let mut sum = vec![0.0; shares.len()];
        for (share, row) in shares.iter().zip(rows) {
            sum.iter_mut().zip(row).for_each(|(sum, part)| *sum += share * part);
        }
        sum
    }

    #[test]
    fn rates_are_distributed_as_the_model_says() {
        let model = CellularModel::SPROUT;
        let expected = stationary(&model, 300);
        const STEPS: usize = 4_000_000;
        let mut cellular = Cellular::new(model, [1; 32]);
        let mut tenths = [0_usize; 11];
        let mut sum = 0.0;
        for _ in 0..STEPS {
            cellular.step();
            let packets = cellular.rate as f64 / RATE_UNIT;
            sum += packets;
            tenths[if cellular.rate == 0 { 0 } else { 1 + ((packets / 100.0) as usize).min(9) }] += 1;
        }
        // A cycle takes about 150 steps. The 26,000 cycles determine the shares to within about 2 %.
        for (tenth, count) in tenths.iter().enumerate() {
            let cells = if tenth == 0 { 0..1 } else { 30 * tenth - 29..30 * tenth + 1 };
            let (found, share) = (*count as f64 / STEPS as f64, expected[cells].iter().sum::<f64>());
            assert!((found / share - 1.0).abs() < 0.04, "tenth {tenth}: {found} of {share}");
        }
        assert!((tenths[0] as f64 / STEPS as f64 - 0.33).abs() < 0.01, "a third of the time is an outage");
        let mean = sum / STEPS as f64 * 12_000.0;
        assert!((mean / model.mean_rate().bits() as f64 - 1.0).abs() < 0.02, "{mean}");
    }

    #[test]
    fn the_mean_rate_is_that_of_the_stationary_distribution() {
        for (max_rate, sigma, escape) in
            [(12_000_000, 200.0, 1.0), (3_000_000, 200.0, 1.0), (60_000_000, 400.0, 5.0), (12_000_000, 150.0, 0.2)]
        {
            let model = CellularModel { max_rate: Rate::new(max_rate).unwrap(), sigma, escape };
            let cell = model.max_packets() / 250.0;
            let mean = |shares: &[f64]| {
                shares.iter().zip(0..).skip(1).map(|(s, n)| s * (f64::from(n) - 0.5) * cell).sum::<f64>()
            };
            let expected = mean(&stationary(&model, 250)) * 12_000.0;
            assert!((model.mean_rate().bits() as f64 / expected - 1.0).abs() < 0.02, "{model:?}: {expected}");
        }
    }

    #[test]
    fn as_many_opportunities_are_drawn_as_expected() {
        let model = CellularModel::SPROUT;
        let drawn: u64 = (0..20).map(|seed| Cellular::new(model, [seed; 32]).counter()(1_000 * SECOND)).sum();
        let expected = 20.0 * model.opportunities(1_000 * SECOND);
        // The expectation counts 50 changes of the rate a second besides some 330 opportunities.
        assert!((1.05..1.3).contains(&(expected / drawn as f64)), "{expected} for {drawn}");
    }

    #[test]
    fn deliveries_are_poisson_at_the_present_rate() {
        let mut cellular = Cellular::new(CellularModel { sigma: 0.0, ..CellularModel::SPROUT }, [2; 32]);
        let rate = cellular.rate as f64 / RATE_UNIT;
        let times: Vec<u64> = (0..200_000).map(|_| cellular.next()).collect();
        let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / SECOND as f64 * rate).collect();
        for gap in [0.0, 0.1, 1.0, 3.0, 20.0 * rate / 1000.0] {
            let share = gaps.iter().filter(|own| **own > gap).count() as f64 / gaps.len() as f64;
            let (expected, deviation) = (libm::exp(-gap), libm::sqrt(libm::exp(-gap) / gaps.len() as f64));
            assert!((share - expected).abs() < 4.0 * deviation + 1e-5, "{gap}: {share}");
        }
    }

    #[test]
    fn outages_have_the_right_mean_length_and_deliver_nothing() {
        let mut cellular = Cellular::new(CellularModel::SPROUT, [3; 32]);
        let (mut outages, mut steps) = (0_u32, 0_u32);
        for _ in 0..2_000_000 {
            let before = cellular.rate;
            cellular.step();
            outages += u32::from(before > 0 && cellular.rate == 0);
            steps += u32::from(cellular.rate == 0);
        }
        let mean = f64::from(steps) / f64::from(outages) * STEP_SECONDS;
        // An outage lasts 50.5 steps of 20 ms on average, with a standard deviation of about 1 s, and there are 13,000
        // outages.
        assert!((mean - 1.01).abs() < 4.0 / libm::sqrt(13_000.0), "{mean} s");

        let mut idle = Cellular { rate: 0, ..Cellular::new(CellularModel::SPROUT, [4; 32]) };
        let mut walk = idle.clone();
        let mut end = 0;
        while walk.rate == 0 {
            end += STEP;
            walk.step();
        }
        assert!(end > STEP && idle.next() > end);
    }

    #[test]
    fn deliveries_depend_on_the_seed_alone_and_counting_has_no_effect() {
        let times = |seed: u8, counted: bool| -> Vec<u64> {
            let mut cellular = Cellular::new(CellularModel::SPROUT, [seed; 32]);
            let next = |n: u64| {
                assert!(!counted || cellular.counter()(n * SECOND) < 1000 * n + 300);
                cellular.next()
            };
            (0..20).map(next).collect()
        };
        assert_eq!(times(1, false), times(1, true));
        assert_ne!(times(1, false), times(2, false));
        let mut cellular = Cellular::new(CellularModel::SPROUT, [5; 32]);
        let all: Vec<u64> = (0..500).map(|_| cellular.next()).collect();
        let mut count = cellular.counter();
        for at in [0, all[0], all[0] + 1, all[77], all[499]] {
            assert_eq!(count(at), all.iter().filter(|time| **time < at).count() as u64);
        }
    }
}
