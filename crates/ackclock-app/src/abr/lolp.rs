//! LoL+: a self-organising map with a neuron for each level.

use ackclock_core::{Nanos, parameters};

use super::estimate::History;
use super::{Abr, Decision, Download, Entry, Setup, State};

pub(super) const ENTRY: Entry = Entry {
    name: "lol-plus",
    summary: "LoL+ as in dash.js: a self-organising map of the levels, for live video at low latency",
    source: "Bentaleb, Akcay, Lim, Begen, Zimmermann, Catching the Moment with LoL+ in Twitch-Like Low-Latency Live \
             Streaming Platforms, IEEE Transactions on Multimedia 2021; dash.js 4, LoLPRule, LearningAbrController",
    parameters: Parameters::ROWS,
    make: |setup, given| Box::new(LolPlus::new(setup, Parameters::read(given))),
};

parameters! {
    /// Parameters of LoL+. The defaults are those of dash.js.
    pub struct Parameters {
        min_buffer: f64 = is(0.3), (0.0, 1000.0), In("s"), "buffer that has to remain after a download";
        learning_rate: f64 = is(0.01), (0.0, 1.0), Number, "share of its distance from a state by which a neuron moves";
        neighbourhood: f64 = is(0.1), (0.001, 10.0), Number, "width of the movement around a neuron";
    }
}

/// dash.js: the weights that the search tries for each dimension.
const WEIGHTS: [f64; 5] = [0.2, 0.4, 0.6, 0.8, 1.0];
/// dash.js: weights if no combination keeps the buffer, here those of its manual mode. dash.js draws them.
const FALLBACK: [f64; 4] = [0.4; 4];
/// dash.js: weight of the throughput for a level that is not to be chosen.
const REFUSED: f64 = 100.0;
/// dash.js: the throughput that a level has to leave, in bit/s.
const MARGIN_BPS: f64 = 10_000.0;
/// dash.js: a latency of this many seconds is 1 in the map.
const LATENCY_SCALE_S: f64 = 100.0;
/// dash.js: least time of rebuffering in the search of weights, in seconds.
const LEAST_REBUFFERING_S: f64 = 1e-5;
/// dash.js: the latency in seconds up to which a second costs [`SHORT_PENALTY`] of the lowest level, and above which it
/// costs [`LONG_PENALTY`] of the highest level.
const SHORT_LATENCY_S: f64 = 1.1;
const SHORT_PENALTY: f64 = 0.05;
const LONG_PENALTY: f64 = 0.1;

/// A point of the map: throughput as a part of the length of the vector of all levels, latency as a part of 100 s, time
/// of rebuffering in seconds, and change of the level like the throughput.
type Point = [f64; 4];

/// LoL+.
///
/// Each level has a neuron, which starts at the level's throughput. The state of the session is the point of 0.9 of the
/// average throughput without latency, rebuffering or change. The rule chooses the level whose neuron is nearest to
/// this point in a weighted distance. Then it moves the neurons around the present level towards what happened, and the
/// neurons around the chosen level towards the state. Two exceptions:
///
/// - If less than the minimum buffer would remain after a segment at the present level, the level falls to the highest
///   lower level that the throughput carries, and the map stays as it is.
/// - A level that leaves less than 10 kbit/s of the throughput, or less than the minimum buffer, has a weight of 100
///   for the throughput.
///
/// The weights are those with the best score among levels and weights. As in dash.js, the score has the level in bit/s
/// and the other terms in kbit/s, so that the level decides; the weights of throughput and switches are not in the
/// score, and are the first in the list.
///
/// The rule was made for live video at low latency, beside a control of the playing speed that keeps the latency. The
/// player of `live` has one; the speed of `dash` is 1. With video on demand the latency is 0, and the minimum buffer of 0.3 s is all that the rule
/// asks for: expect stalls where the throughput falls within a segment, and give a larger `min_buffer`. Weights that no
/// level satisfies are the same in each run, where dash.js draws them at random.
#[derive(Debug)]
pub struct LolPlus {
    ladder: Vec<u64>,
    /// Playing time of a segment in seconds.
    segment: f64,
    parameters: Parameters,
    /// Length of the vector of all levels in bit/s.
    scale: f64,
    neurons: Vec<Point>,
    weights: Point,
    history: History,
    /// Level of the last segment.
    last: usize,
}

impl LolPlus {
    /// Creates the rule for a client.
    pub fn new(setup: &Setup<'_>, parameters: Parameters) -> LolPlus {
        let scale = libm::sqrt(setup.ladder.iter().map(|level| *level as f64 * *level as f64).sum());
        LolPlus {
            ladder: setup.ladder.to_vec(),
            segment: setup.segment as f64 / 1e9,
            parameters,
            scale,
            neurons: setup.ladder.iter().map(|level| [*level as f64 / scale, 0.0, 0.0, 0.0]).collect(),
            weights: FALLBACK,
            history: History::default(),
            last: 0,
        }
    }

    fn bps(&self, level: usize) -> f64 {
        self.ladder[level] as f64
    }

    /// Returns the download time in seconds of a segment at a level.
    fn time(&self, level: usize, throughput: f64) -> f64 {
        self.bps(level) * self.segment / throughput
    }

    /// Returns the buffer in seconds after a segment that takes `time`. A segment that takes longer than it plays
    /// counts as if it did not arrive.
    fn after(&self, buffer: f64, time: f64) -> f64 {
        if time > self.segment { buffer - self.segment } else { buffer + self.segment - time }
    }

    /// Returns the highest level below the present level that the throughput exceeds; the present level if there is
    /// none.
    fn lower(&self, present: usize, throughput: f64) -> usize {
        (0..present).rev().find(|level| throughput > self.bps(*level)).unwrap_or(present)
    }

    /// Returns the weights with the best score; `None` if no level keeps the minimum buffer.
    fn best_weights(&self, buffer: f64, throughput: f64) -> Option<Point> {
        let (lowest, highest) = (self.bps(0) / 1e3, self.bps(self.ladder.len() - 1) / 1e3);
        let mut best: Option<(f64, Point)> = None;
        for (level, neuron) in self.neurons.iter().enumerate() {
            let time = self.time(level, throughput);
            let after = self.after(buffer, time);
            if after < self.parameters.min_buffer {
                continue;
            }
            let rebuffering = (time - after).max(LEAST_REBUFFERING_S);
            for (of_latency, of_buffer) in WEIGHTS.iter().flat_map(|one| WEIGHTS.iter().map(move |two| (*one, *two))) {
                let latency = neuron[1] / of_latency;
                let price = if latency <= SHORT_LATENCY_S { lowest * SHORT_PENALTY } else { highest * LONG_PENALTY };
                let score = self.segment * self.bps(level) - highest * rebuffering / of_buffer - price * latency;
                if best.is_none_or(|(most, _)| score > most) {
                    best = Some((score, [WEIGHTS[0], of_latency, of_buffer, WEIGHTS[0]]));
                }
            }
        }
        best.map(|(_, weights)| weights)
    }

    /// Moves the neurons in the neighbourhood of the neuron of a level towards a point.
    fn move_neurons(&mut self, level: usize, towards: Point) {
        let centre = self.neurons[level];
        let width = self.parameters.neighbourhood;
        for neuron in &mut self.neurons {
            let squares: f64 = neuron.iter().zip(centre).map(|(own, other)| (own - other) * (own - other)).sum();
            let share = self.parameters.learning_rate * libm::exp(-squares / (2.0 * width * width));
            neuron.iter_mut().zip(towards).for_each(|(own, goal)| *own += (goal - *own) * share);
        }
    }
}

impl Abr for LolPlus {
    fn on_segment(&mut self, download: &Download) {
        self.history.add(download);
        self.last = download.level;
    }

    fn choose(&mut self, state: &State<'_>) -> Decision {
        let Some(throughput) = self.history.safe_bps() else { return Decision::now(0) };
        let (present, buffer) = (self.last, seconds(state.buffer));
        let time = self.time(present, throughput);
        if buffer - time < self.parameters.min_buffer {
            return Decision::now(self.lower(present, throughput));
        }
        self.weights = self.best_weights(buffer, throughput).unwrap_or(self.weights);

        // A throughput above all levels is that of the neuron with the most.
        let most = self.neurons.iter().map(|neuron| neuron[0]).fold(0.0, f64::max);
        let normal = if throughput > self.scale { most } else { throughput / self.scale };
        let distance = |level: usize| {
            let low = self.after(buffer, self.time(level, throughput)) < self.parameters.min_buffer;
            let refused = level > 0 && (low || self.bps(level) > throughput - MARGIN_BPS);
            let [own, rest @ ..] = self.weights;
            let weights = std::iter::once(if refused { REFUSED } else { own }).chain(rest);
            let distances = self.neurons[level].iter().zip([normal, 0.0, 0.0, 0.0]);
            weights.zip(distances).map(|(weight, (own, goal))| weight * (own - goal) * (own - goal)).sum::<f64>()
        };
        let level = (1..self.ladder.len()).fold(0, |best, one| if distance(one) < distance(best) { one } else { best });

        let change = (self.bps(present) - self.bps(level)).abs() / self.scale;
        let latency = state.latency.map_or(0.0, seconds) / LATENCY_SCALE_S;
        self.move_neurons(present, [normal, latency, (time - buffer).max(0.0), change]);
        self.move_neurons(level, [normal, 0.0, 0.0, change]);
        Decision::now(level)
    }
}

fn seconds(time: Nanos) -> f64 {
    time as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::super::Estimator;
    use super::super::estimate::tests::{SECOND, download};
    use super::*;

    /// The length of the vector is 1 Mbit/s.
    const LADDER: &[u64] = &[360_000, 480_000, 800_000];

    fn rule() -> LolPlus {
        let setup =
            Setup { ladder: LADDER, segment: SECOND, capacity: 6 * SECOND, safety: 1.0, estimator: Estimator::Mean };
        LolPlus::new(&setup, Parameters::read(&[]))
    }

    /// A rule that has downloaded at this rate, of which 0.9 count.
    fn after(level: usize, bps: u64) -> LolPlus {
        let mut rule = rule();
        rule.on_segment(&Download { level, ..download(bps / 8, 0, SECOND) });
        rule
    }

    fn choose(rule: &mut LolPlus, buffer_ms: u64) -> usize {
        rule.choose(&State::at(0, buffer_ms * 1_000_000, Some(0))).level
    }

    #[test]
    fn neurons_start_at_the_throughputs_of_their_levels() {
        let rule = rule();
        assert!((rule.scale - 1e6).abs() < 1e-6);
        let throughputs: Vec<f64> = rule.neurons.iter().map(|neuron| (neuron[0] * 100.0).round()).collect();
        assert_eq!(throughputs, [36.0, 48.0, 80.0]);
    }

    #[test]
    fn the_nearest_level_that_leaves_a_margin() {
        // 0.9 of 1 Mbit/s is 0.9: the top level is nearest and leaves 100 kbit/s.
        assert_eq!(choose(&mut after(0, 1_000_000), 3_000), 2);
        // 0.9 of 0.8 is 720 kbit/s: 800 kbit/s is nearest, but above the throughput.
        assert_eq!(choose(&mut after(0, 800_000), 3_000), 1);
        // 470 kbit/s do not carry 480 kbit/s, and 495 kbit/s do.
        assert_eq!(choose(&mut after(0, 522_223), 3_000), 0);
        assert_eq!(choose(&mut after(0, 550_000), 3_000), 1);
        // 485 kbit/s leave less than 10 kbit/s, but 100 x 0.005^2 is still less than 0.2 x 0.125^2.
        assert_eq!(choose(&mut after(0, 538_889), 3_000), 1);
    }

    #[test]
    fn a_low_buffer_falls_at_once_and_leaves_the_map() {
        // A segment of 800 kbit/s takes 1.33 s at 0.9 of 667 kbit/s.
        let mut falling = after(2, 666_667);
        let map = falling.neurons.clone();
        assert_eq!(choose(&mut falling, 1_600), 1, "0.27 s would remain");
        assert_eq!(falling.neurons, map);
        assert_eq!(choose(&mut after(0, 100_000), 1_000), 0, "there is no lower level");
        assert_eq!(choose(&mut after(1, 100_000), 1_000), 1, "as in dash.js: the throughput carries no level");
    }

    #[test]
    fn the_weights_are_those_of_the_best_score() {
        let mut rule = after(0, 1_000_000);
        assert_eq!(rule.best_weights(3.0, 9e5), Some([0.2, 0.2, 1.0, 0.2]), "no latency: its first weight");
        rule.neurons[2][1] = 0.05;
        assert_eq!(rule.best_weights(3.0, 9e5), Some([0.2, 1.0, 1.0, 0.2]));
        assert_eq!(rule.best_weights(0.9, 1e5), None, "every segment takes longer than it plays");
    }

    /// The present neuron moves by 1 % of its distance from what happened, and all neurons by the shares that their
    /// distances of 0.12 and 0.44 give with a width of 0.1: exp(-0.72) and exp(-9.68).
    #[test]
    fn neurons_move_by_their_distance() {
        let mut rule = rule();
        rule.move_neurons(0, [1.0, 0.5, 0.0, 0.0]);
        let shares = [0.01, 0.01 * libm::exp(-0.72), 0.01 * libm::exp(-9.68)];
        for ((neuron, start), share) in rule.neurons.iter().zip([0.36, 0.48, 0.8]).zip(shares) {
            assert!((neuron[0] - (start + (1.0 - start) * share)).abs() < 1e-12, "{neuron:?}");
            assert!((neuron[1] - 0.5 * share).abs() < 1e-12, "{neuron:?}");
        }
    }

    #[test]
    fn latency_and_changes_are_learned_by_the_neuron_of_the_present_level() {
        let mut rule = after(0, 1_000_000);
        let state = State { latency: Some(5 * SECOND), ..State::at(0, 3 * SECOND, Some(0)) };
        assert_eq!(rule.choose(&state).level, 2);
        assert!(rule.neurons[0][1] > 0.0004 && rule.neurons[2][1] < 1e-6, "{:?}", rule.neurons);
        assert!(rule.neurons[0][3] > 0.004 && rule.neurons[2][3] > 0.004, "a change by 0.44: {:?}", rule.neurons);
    }
}
