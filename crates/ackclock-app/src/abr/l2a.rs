//! L2A-LL: online convex optimisation of a probability for each level, with a multiplier for the buffer.

use ackclock_core::{Nanos, parameters};

use super::estimate::{History, bits_per_second};
use super::{Abr, Decision, Download, Entry, Setup, State};

pub(super) const ENTRY: Entry = Entry {
    name: "l2a",
    summary: "L2A-LL as in dash.js: online learning of a probability for each level, for live video at low latency",
    source: "Karagkioules, Mekuria, Griffioen, Wagenaar, Online Learning for Low-Latency Adaptive Streaming, MMSys 2020; \
             dash.js 4, L2ARule",
    parameters: Parameters::ROWS,
    make: |setup, given| Box::new(L2a::new(setup, Parameters::read(given))),
};

parameters! {
    /// Parameters of L2A-LL. The defaults are those of dash.js.
    pub struct Parameters {
        horizon: f64 = is(4.0), (1.0, 1000.0), In("segments"), "steps to converge in";
        react: f64 = is(2.0), (1.0, 100.0), Number, "factor of the multiplier after a level above the throughput";
        target: f64 = is(1.5), (0.0, 1000.0), In("s"), "buffer at which the learning begins";
    }
}

/// dash.js: the caution is the horizon to this power.
const CAUTION_EXPONENT: f64 = 0.99;
/// dash.js: the least throughput of a download, in bit/s.
const LEAST_BPS: f64 = 1000.0;

/// L2A-LL.
///
/// Until the buffer is at the target, the level is the one that 0.9 of the throughput sustains. Then the rule has a
/// probability w for each level. After each download with the rate c, and for segments of V seconds, it computes
///
/// - w_m + s (V / 2 alpha) (Q + v) R_m / c for each level m with the rate R_m, where s is -1 for a level above c and 1
///   for others; the new w is the projection of these numbers to the nearest probabilities;
/// - Q = max(0, Q - V + V (R w + R (w - w_old)) / c), the multiplier of the buffer's constraint;
/// - the level whose rate is nearest to the mean R w. If this is a rise and c carries the level above the present one,
///   the rise is by one level. If c does not carry the chosen level, Q = react max(v, Q).
///
/// The caution is v = horizon^0.99, and the step size is alpha = max(horizon, v sqrt(horizon)).
///
/// The rule was made for live video with a buffer of a second or two, whose player changes its speed to stay close to
/// the live event. The player of `live` does that; the speed of `dash` is 1. The rule never looks at the buffer once the learning has begun: with video
/// on demand, it does not use a full buffer to bridge a fall of the throughput, nor does it raise the level because of
/// one. The download rate is that from the request to the last byte, as in the browser's trace.
#[derive(Debug)]
pub struct L2a {
    ladder: Vec<u64>,
    segment: Nanos,
    parameters: Parameters,
    caution: f64,
    step: f64,
    history: History,
    /// Rate of the last download in bit/s.
    last_bps: f64,
    /// Whether a download has arrived since the last decision.
    news: bool,
    last: usize,
    /// The probabilities and the multiplier; `None` before the learning begins.
    learned: Option<Learned>,
}

#[derive(Clone, PartialEq, Debug)]
struct Learned {
    weights: Vec<f64>,
    multiplier: f64,
}

impl L2a {
    /// Creates the rule for a client.
    pub fn new(setup: &Setup<'_>, parameters: Parameters) -> L2a {
        let caution = libm::pow(parameters.horizon, CAUTION_EXPONENT);
        L2a {
            ladder: setup.ladder.to_vec(),
            segment: setup.segment,
            parameters,
            caution,
            step: parameters.horizon.max(caution * libm::sqrt(parameters.horizon)),
            history: History::default(),
            last_bps: LEAST_BPS,
            news: false,
            last: 0,
            learned: None,
        }
    }

    /// Returns the sum of the rates of the levels in units of the last download rate, weighted by `weights`.
    fn load(&self, weights: impl Iterator<Item = f64>) -> f64 {
        self.ladder.iter().zip(weights).map(|(level, weight)| *level as f64 * weight).sum::<f64>() / self.last_bps
    }

    /// One step of the optimisation: returns what has been learned with the last download, and the next level.
    fn learn(&self, before: &Learned) -> (Learned, usize) {
        let duration = self.segment as f64 / 1e9;
        let gain = duration / (2.0 * self.step) * (before.multiplier + self.caution);
        let moved = self.ladder.iter().zip(&before.weights).map(|(level, weight)| {
            let load = *level as f64 / self.last_bps;
            weight + if load > 1.0 { -gain } else { gain } * load
        });
        let weights = to_probabilities(&moved.collect::<Vec<_>>());
        let change = weights.iter().zip(&before.weights).map(|(new, old)| new - old);
        let load = self.load(weights.iter().copied()) + self.load(change);
        let mut multiplier = (before.multiplier - duration + duration * load).max(0.0);

        let mean = self.load(weights.iter().copied()) * self.last_bps;
        let distance = |level: usize| (self.ladder[level] as f64 - mean).abs();
        let mut level =
            (1..self.ladder.len()).fold(0, |best, one| if distance(one) < distance(best) { one } else { best });
        if level > self.last && self.ladder[self.last + 1] as f64 <= self.last_bps {
            level = self.last + 1;
        }
        if self.ladder[level] as f64 >= self.last_bps {
            multiplier = self.parameters.react * multiplier.max(self.caution);
        }
        (Learned { weights, multiplier }, level)
    }
}

impl Abr for L2a {
    fn on_segment(&mut self, download: &Download) {
        self.history.add(download);
        self.last = download.level;
        self.last_bps = bits_per_second(download.bytes, (download.done - download.requested).max(1)).max(LEAST_BPS);
        self.news = true;
    }

    fn choose(&mut self, state: &State<'_>) -> Decision {
        let Some(sustainable) = self.history.sustainable(&self.ladder, self.segment) else { return Decision::now(0) };
        if !self.news || self.ladder.len() == 1 {
            return Decision::now(self.last);
        }
        self.news = false;
        match &self.learned {
            Some(before) => {
                let (learned, level) = self.learn(before);
                (self.learned, self.last) = (Some(learned), level);
            }
            None => {
                self.last = sustainable;
                if state.buffer as f64 / 1e9 >= self.parameters.target {
                    let weights = (0..self.ladder.len()).map(|level| if level == sustainable { 1.0 } else { 0.0 });
                    self.learned = Some(Learned { weights: weights.collect(), multiplier: self.caution });
                }
            }
        }
        Decision::now(self.last)
    }
}

/// Returns the probabilities that are nearest to the values: each value minus the same number, but not below zero.
fn to_probabilities(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let mut sum = 0.0;
    let mut shift = 0.0;
    for (index, value) in sorted.iter().enumerate() {
        sum += value;
        let candidate = (sum - 1.0) / (index + 1) as f64;
        // The largest values are above the shift, and the others become zero.
        if *value > candidate {
            shift = candidate;
        }
    }
    values.iter().map(|value| (value - shift).max(0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Estimator;
    use super::super::estimate::tests::{SECOND, download};
    use super::*;

    const LADDER: &[u64] = &[200_000, 400_000, 800_000];

    fn rule() -> L2a {
        let setup =
            Setup { ladder: LADDER, segment: SECOND, capacity: 4 * SECOND, safety: 1.0, estimator: Estimator::Mean };
        L2a::new(&setup, Parameters::read(&[]))
    }

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-9
    }

    #[test]
    fn the_projection_keeps_probabilities_and_cuts_the_rest() {
        assert_eq!(to_probabilities(&[0.25, 0.75]), [0.25, 0.75]);
        // 1.5 and 0.9 lose 0.7 each; 0.1 would be below zero.
        let projected = to_probabilities(&[0.1, 1.5, 0.9]);
        assert!(projected.iter().zip([0.0, 0.8, 0.2]).all(|(a, b)| near(*a, b)), "{projected:?}");
        let projected = to_probabilities(&[-1.0, -1.0]);
        assert!(projected.iter().all(|value| near(*value, 0.5)), "{projected:?}");
        assert_eq!(to_probabilities(&[9.0, 0.0, -3.0]), [1.0, 0.0, 0.0]);
    }

    #[test]
    fn caution_and_step_size_follow_from_the_horizon() {
        let rule = rule();
        // 4^0.99 = e^(0.99 ln 4) = 3.9449, and twice that is more than 4.
        assert!((rule.caution - 3.944_930_817_973).abs() < 1e-9, "{}", rule.caution);
        assert!(near(rule.step, 2.0 * rule.caution));
    }

    #[test]
    fn the_throughput_decides_until_the_buffer_is_at_the_target() {
        let mut rule = rule();
        assert_eq!(rule.choose(&State::at(0, 0, None)), Decision::now(0));
        rule.on_segment(&download(125_000, 0, SECOND));
        assert_eq!(rule.choose(&State::at(0, SECOND, Some(0))), Decision::now(2), "0.9 of 1 Mbit/s");
        assert_eq!(rule.learned, None);
        rule.on_segment(&download(125_000, 0, SECOND));
        assert_eq!(rule.choose(&State::at(0, 3 * SECOND / 2, Some(2))), Decision::now(2));
        let learned = rule.learned.expect("the buffer is at 1.5 s");
        assert_eq!((learned.weights, learned.multiplier), (vec![0.0, 0.0, 1.0], rule.caution));
    }

    /// A step worked by hand. With Q = v and alpha = 2 v, the gain of a segment of 1 s is 2 v / 4 v = 1/2.
    #[test]
    fn a_step_of_the_optimisation_worked_by_hand() {
        let mut rule = rule();
        rule.last_bps = 500_000.0;
        rule.last = 2;
        let before = Learned { weights: vec![0.0, 0.0, 1.0], multiplier: rule.caution };
        // Loads of 0.4, 0.8 and 1.6: the values are 0.2, 0.4 and 1 - 0.8 = 0.2, which gain 0.2 / 3 each.
        let (after, level) = rule.learn(&before);
        for (weight, expected) in after.weights.iter().zip([0.2 + 0.2 / 3.0, 0.4 + 0.2 / 3.0, 0.2 + 0.2 / 3.0]) {
            assert!(near(*weight, expected), "{:?}", after.weights);
        }
        // The mean rate is 53.3 + 186.7 + 213.3 = 453.3 kbit/s, which is nearest to 400 kbit/s.
        assert_eq!(level, 1);
        // The load of w is 0.9067 and that of the change is 0.9067 - 1.6.
        let expected = rule.caution - 1.0 + (2.0 * 453_333.333_333_333 / 500_000.0 - 1.6);
        assert!(near(after.multiplier, expected), "{} {expected}", after.multiplier);
    }

    #[test]
    fn a_rise_is_by_one_level_that_the_throughput_carries() {
        let mut rule = rule();
        rule.last_bps = 2_000_000.0;
        let before = Learned { weights: vec![0.0, 0.0, 1.0], multiplier: rule.caution };
        assert_eq!(rule.learn(&before).1, 1, "from the lowest level, although the top one has all of the weight");
        rule.last = 1;
        assert_eq!(rule.learn(&before).1, 2);
    }

    #[test]
    fn a_level_above_the_throughput_raises_the_multiplier() {
        let mut rule = rule();
        rule.last_bps = 100_000.0;
        let before = Learned { weights: vec![1.0, 0.0, 0.0], multiplier: 0.0 };
        let (after, level) = rule.learn(&before);
        assert_eq!(level, 0);
        assert!(after.multiplier >= 2.0 * rule.caution, "{}", after.multiplier);
    }

    #[test]
    fn a_question_without_a_new_download_changes_nothing() {
        let mut rule = rule();
        rule.on_segment(&download(125_000, 0, SECOND));
        rule.choose(&State::at(0, 2 * SECOND, Some(0)));
        let learned = rule.learned.clone();
        assert_eq!(rule.choose(&State::at(0, 2 * SECOND, Some(0))).level, rule.last);
        assert_eq!(rule.learned, learned);
    }
}
