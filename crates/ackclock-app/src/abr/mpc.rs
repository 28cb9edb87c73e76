//! MPC and RobustMPC: the plan with the best score over the next segments, for a predicted throughput.

use std::collections::VecDeque;

use ackclock_core::{Nanos, parameters};

use super::estimate::bits_per_second;
use super::{Abr, Decision, Download, Entry, Setup, State};

pub(super) const ENTRY: Entry = Entry {
    name: "mpc",
    summary: "MPC: the best plan for the next segments if the throughput is the harmonic mean of the last downloads",
    source: "Yin, Jindal, Sekar, Sinopoli, A Control-Theoretic Approach for Dynamic Adaptive Video Streaming over HTTP, \
             SIGCOMM 2015, sections 4 and 5",
    parameters: Parameters::ROWS,
    make: |setup, given| Box::new(Mpc::new(setup, Parameters::read(given), false)),
};

pub(super) const ROBUST: Entry = Entry {
    name: "robust-mpc",
    summary: "RobustMPC: MPC for a lower bound of the throughput, from the largest error of the last predictions",
    source: "Yin, Jindal, Sekar, Sinopoli, A Control-Theoretic Approach for Dynamic Adaptive Video Streaming over HTTP, \
             SIGCOMM 2015, section 5; Mao, Netravali, Alizadeh, SIGCOMM 2017, their RobustMPC",
    parameters: Parameters::ROWS,
    make: |setup, given| Box::new(Mpc::new(setup, Parameters::read(given), true)),
};

parameters! {
    /// Parameters of MPC and RobustMPC. The defaults are the paper's.
    pub struct Parameters {
        horizon: usize = is(5.0), (1.0, 8.0), Count("segments"), "number of segments of a plan; a fraction is cut off";
        history: usize = is(5.0), (1.0, 100.0), Count("segments"), "number of downloads and of errors remembered; a fraction is cut off";
        rebuffering: f64 = is(3.0), (0.0, 1000.0), In("Mbit/s"), "score that a second of rebuffering costs";
        switching: f64 = is(1.0), (0.0, 1000.0), Number, "score that a change by 1 Mbit/s costs, in Mbit/s";
    }
}

/// Model predictive control.
///
/// A plan is a level for each of the next segments. Its score is the sum of the levels in Mbit/s, minus `rebuffering`
/// for each second in which the buffer would be empty, minus `switching` for each Mbit/s by which the level changes
/// from one segment to the next. The rule takes the first level of the plan with the best score; of equal plans, the
/// one with the higher first level. The buffer of a plan follows from the sizes of the segments, which are known in
/// advance, and from one throughput for the whole plan:
///
/// - MPC: the harmonic mean of the download rates of the last segments.
/// - RobustMPC: that mean divided by 1 + the largest relative error |predicted - measured| / measured of the last
///   predictions, where the prediction is the mean.
///
/// Differences from the paper: the first segment has the lowest level, since nothing has been measured. The player's
/// startup level is fixed, so the rule does not choose the time at which playback starts, and counts the time that
/// segments take before that as rebuffering. A round trip is a part of each measured download rate.
#[derive(Debug)]
pub struct Mpc {
    /// Levels in Mbit/s.
    levels: Vec<f64>,
    /// Playing time of a segment and the most media that the player holds, in seconds.
    segment: f64,
    capacity: f64,
    parameters: Parameters,
    robust: bool,
    /// The last download rates in bit/s, oldest first.
    rates: VecDeque<f64>,
    /// The last relative errors of predictions, oldest first.
    errors: VecDeque<f64>,
}

impl Mpc {
    /// Creates MPC, or RobustMPC, for a client.
    pub fn new(setup: &Setup<'_>, parameters: Parameters, robust: bool) -> Mpc {
        Mpc {
            levels: setup.ladder.iter().map(|level| *level as f64 / 1e6).collect(),
            segment: seconds(setup.segment),
            capacity: seconds(setup.capacity),
            parameters,
            robust,
            rates: VecDeque::new(),
            errors: VecDeque::new(),
        }
    }

    /// Returns the harmonic mean of the last download rates in bit/s; `None` before the first segment.
    fn mean(&self) -> Option<f64> {
        let inverse: f64 = self.rates.iter().map(|rate| 1.0 / rate).sum();
        (!self.rates.is_empty()).then(|| self.rates.len() as f64 / inverse)
    }

    /// Returns the throughput of plans in bit/s; `None` before the first segment.
    fn predicted(&self) -> Option<f64> {
        let worst = self.errors.iter().fold(0.0f64, |worst, error| worst.max(*error));
        Some(self.mean()? / if self.robust { 1.0 + worst } else { 1.0 })
    }

    fn remember(values: &mut VecDeque<f64>, value: f64, most: usize) {
        values.push_back(value);
        while values.len() > most {
            values.pop_front();
        }
    }
}

impl Abr for Mpc {
    fn on_segment(&mut self, download: &Download) {
        let rate = bits_per_second(download.bytes, (download.done - download.requested).max(1));
        if let Some(predicted) = self.mean() {
            let error = (predicted - rate).abs() / rate;
            Mpc::remember(&mut self.errors, error, self.parameters.history);
        }
        Mpc::remember(&mut self.rates, rate, self.parameters.history);
    }

    fn choose(&mut self, state: &State<'_>) -> Decision {
        let (Some(bps), Some(previous)) = (self.predicted(), state.previous) else { return Decision::now(0) };
        let sizes = state.upcoming.sizes(self.parameters.horizon);
        let times: Vec<Vec<f64>> =
            sizes.iter().map(|segment| segment.iter().map(|bytes| *bytes as f64 * 8.0 / bps).collect()).collect();
        let mut search = Search::new(self, &times, seconds(state.buffer));
        search.extend(0, previous, seconds(state.buffer), 0.0, 0);
        Decision::now(search.best.map_or(0, |(_, level)| level))
    }
}

fn seconds(time: Nanos) -> f64 {
    time as f64 / 1e9
}

/// The search for the best plan: depth first, without the branches whose bound is not above the best score so far.
struct Search<'a> {
    rule: &'a Mpc,
    /// Download time of each segment at each level, in seconds.
    times: &'a [Vec<f64>],
    /// Bound of the score of the segments from an index on, by the level before it.
    bounds: Vec<Vec<f64>>,
    /// The best score so far and the first level of its plan.
    best: Option<(f64, usize)>,
}

/// Scores that differ by less are equal: they are sums of the same terms with different rounding.
const ROUNDING: f64 = 1e-9;

impl<'a> Search<'a> {
    fn new(rule: &'a Mpc, times: &'a [Vec<f64>], buffer: f64) -> Search<'a> {
        let count = rule.levels.len();
        // The most that the buffer can hold before each segment: all earlier segments took their least time.
        let mut most = vec![buffer];
        for time in times {
            let shortest = time.iter().copied().fold(f64::INFINITY, f64::min);
            let before = most[most.len() - 1];
            most.push(rule.after(before, shortest).0);
        }
        let mut bounds = vec![vec![0.0; count]; times.len() + 1];
        for index in (0..times.len()).rev() {
            for before in 0..count {
                let bound = |level: usize| {
                    rule.gain(before, level, rule.after(most[index], times[index][level]).1) + bounds[index + 1][level]
                };
                bounds[index][before] = (0..count).map(bound).fold(f64::NEG_INFINITY, f64::max);
            }
        }
        Search { rule, times, bounds, best: None }
    }

    /// Tries all levels for the segment `index` of a plan whose last level is `before`, whose buffer is `buffer`
    /// seconds and whose first level is `first`.
    fn extend(&mut self, index: usize, before: usize, buffer: f64, score: f64, first: usize) {
        if index == self.times.len() {
            if self.best.is_none_or(|(best, _)| score > best + ROUNDING) {
                self.best = Some((score, first));
            }
            return;
        }
        for level in (0..self.rule.levels.len()).rev() {
            let (after, stalled) = self.rule.after(buffer, self.times[index][level]);
            let score = score + self.rule.gain(before, level, stalled);
            if self.best.is_none_or(|(best, _)| score + self.bounds[index + 1][level] > best) {
                self.extend(index + 1, level, after, score, if index == 0 { level } else { first });
            }
        }
    }
}

impl Mpc {
    /// Returns the buffer with a segment that takes `time` to download, and the time in which the buffer is empty.
    fn after(&self, buffer: f64, time: f64) -> (f64, f64) {
        ((((buffer - time).max(0.0)) + self.segment).min(self.capacity), (time - buffer).max(0.0))
    }

    /// Returns what a segment adds to the score of a plan.
    fn gain(&self, before: usize, level: usize, stalled: f64) -> f64 {
        let change = (self.levels[level] - self.levels[before]).abs();
        self.levels[level] - self.parameters.rebuffering * stalled - self.parameters.switching * change
    }
}

#[cfg(test)]
mod tests {
    use super::super::estimate::tests::{SECOND, download};
    use super::super::{Estimator, Upcoming};
    use super::*;

    const LADDER: &[u64] = &[300_000, 750_000, 1_200_000, 1_850_000, 2_850_000, 4_300_000];

    fn setup() -> Setup<'static> {
        Setup { ladder: LADDER, segment: 4 * SECOND, capacity: 60 * SECOND, safety: 1.0, estimator: Estimator::Mean }
    }

    fn rule(given: &[(&'static str, f64)], robust: bool) -> Mpc {
        Mpc::new(&setup(), Parameters::read(given), robust)
    }

    fn state(buffer: f64, previous: usize) -> State<'static> {
        let upcoming = Upcoming { ladder: LADDER, segment: 4 * SECOND, ..Upcoming::NONE };
        State { upcoming, ..State::at(0, (buffer * 1e9) as Nanos, Some(previous)) }
    }

    /// Adds downloads of one second each, at these rates in kbit/s.
    fn downloads(rule: &mut Mpc, rates: &[u64]) {
        rates.iter().for_each(|kbps| rule.on_segment(&download(kbps * 125, 0, SECOND)));
    }

    #[test]
    fn the_prediction_is_the_harmonic_mean_of_the_last_five() {
        let mut rule = rule(&[], false);
        assert_eq!(rule.predicted(), None);
        downloads(&mut rule, &[9_000, 1_000, 2_000, 1_000, 2_000, 4_000]);
        // 5 / (1 + 1/2 + 1 + 1/2 + 1/4) of a megabit.
        let expected = 5e6 / 3.25;
        assert!((rule.predicted().expect("downloads") - expected).abs() < 1e-3);
    }

    #[test]
    fn the_lower_bound_divides_by_one_and_the_largest_of_the_last_errors() {
        let mut rule = rule(&[], true);
        downloads(&mut rule, &[1_000]);
        assert_eq!(rule.predicted(), Some(1e6), "there was no prediction yet");
        downloads(&mut rule, &[500]);
        // 1000 was predicted and 500 measured: an error of 1. The harmonic mean of both is 667 kbit/s.
        assert!((rule.predicted().expect("downloads") - 1e6 / 1.5 / 2.0).abs() < 1e-6);
        downloads(&mut rule, &[500; 4]);
        assert_eq!(rule.errors.len(), 5);
        downloads(&mut rule, &[500]);
        // The first error is forgotten with the sixth prediction; the largest is that of the second one.
        let mean = 2.0 / 3.0 * 1e6;
        let error = (mean - 5e5) / 5e5;
        assert!((rule.predicted().expect("downloads") - 5e5 / (1.0 + error)).abs() < 1e-3);
    }

    /// A worked example with a horizon of one: a segment of 4 s at 1 Mbit/s takes 1.2, 3, 4.8, 7.4, 11.4 and 17.2 s.
    /// With a buffer of 4 s the scores from level 750 kbit/s are 0.3 - 0.45, 0.75, 1.2 - 2.4 - 0.45, and less.
    #[test]
    fn a_plan_of_one_segment_worked_by_hand() {
        let mut one = rule(&[("horizon", 1.0)], false);
        downloads(&mut one, &[1_000]);
        assert_eq!(one.choose(&state(4.0, 1)), Decision::now(1));
        // With 5 s the 4.8 s of 1200 kbit/s fit: 1.2 - 0.45 equals 0.75, and the higher level is taken.
        assert_eq!(one.choose(&state(5.0, 1)), Decision::now(2));
        // From the top level, each level costs its distance: 0.3 - 4.0, 0.75 - 3.55, 1.2 - 3.1, and 1.85 - 2.45 - 7.2.
        assert_eq!(one.choose(&state(5.0, 5)), Decision::now(2));
        // Without a price for rebuffering, a rise gains what it costs: of equal plans, the highest first level is taken.
        let mut careless = rule(&[("horizon", 1.0), ("rebuffering", 0.0)], false);
        downloads(&mut careless, &[1_000]);
        assert_eq!(careless.choose(&state(4.0, 0)), Decision::now(5));
    }

    /// All plans, one after the other, without bounds.
    fn by_enumeration(rule: &Mpc, state: &State<'_>, bps: f64) -> (f64, usize) {
        let sizes = state.upcoming.sizes(rule.parameters.horizon);
        let count = rule.levels.len();
        let mut best = (f64::NEG_INFINITY, 0);
        for plan in (0..count.pow(sizes.len() as u32)).rev() {
            let level = |index: usize| plan / count.pow((sizes.len() - 1 - index) as u32) % count;
            let (mut buffer, mut before, mut score) = (seconds(state.buffer), state.previous.expect("one"), 0.0);
            for (index, segment) in sizes.iter().enumerate() {
                let (after, stalled) = rule.after(buffer, segment[level(index)] as f64 * 8.0 / bps);
                score += rule.gain(before, level(index), stalled);
                (buffer, before) = (after, level(index));
            }
            if score > best.0 + ROUNDING {
                best = (score, level(0));
            }
        }
        best
    }

    #[test]
    fn the_search_finds_what_an_enumeration_finds() {
        for horizon in [2.0, 4.0] {
            for kbps in [200, 700, 1_300, 2_600, 6_000] {
                let mut rule = rule(&[("horizon", horizon)], false);
                downloads(&mut rule, &[kbps]);
                let bps = rule.predicted().expect("a download");
                for buffer in [0.0, 1.5, 4.0, 9.0, 30.0, 60.0] {
                    for previous in 0..6 {
                        let state = state(buffer, previous);
                        let (_, level) = by_enumeration(&rule, &state, bps);
                        assert_eq!(rule.choose(&state).level, level, "{horizon} {kbps} {buffer} {previous}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_horizon_sees_a_large_segment_coming() {
        // The next segment is small at any level; the one after it takes 20 s at the top level and 4 s at the lowest.
        let given = vec![vec![10_000, 500_000], vec![20_000, 2_500_000]];
        let ladder = &[300_000, 750_000];
        let upcoming = Upcoming { ladder, segment: 4 * SECOND, given: &given, count: Some(2), ..Upcoming::NONE };
        let state = State { upcoming, ..State::at(0, SECOND, Some(1)) };
        let setup = Setup { ladder, ..setup() };
        let mut rule = Mpc::new(&setup, Parameters::read(&[]), false);
        downloads(&mut rule, &[1_000]);
        let times: Vec<Vec<f64>> = vec![vec![0.08, 0.16], vec![4.0, 20.0]];
        let mut search = Search::new(&rule, &times, 1.0);
        search.extend(0, 1, 1.0, 0.0, 0);
        // 0.75 for the next segment, and 0.3 - 0.45 for the one after it.
        let (score, level) = search.best.expect("a plan");
        assert!((score - 0.6).abs() < 1e-12, "{score}");
        assert_eq!((level, rule.choose(&state).level), (1, 1));
    }
}
