//! BOLA: the level with the best score, which weighs the utility gained and the buffer spent for each bit.

use super::estimate::History;
use super::{Abr, Decision, Download, Entry, Setup, State};
use ackclock_core::Nanos;

pub(super) const ENTRY: Entry = Entry {
    name: "bola",
    summary: "BOLA as in dash.js: utility and buffer weighed by Lyapunov optimisation, with a placeholder buffer",
    source: "Spiteri, Urgaonkar, Sitaraman, BOLA, INFOCOM 2016 and ToN 2020; Spiteri, Sitaraman, Sparacio, MMSys 2018 \
             (BOLA-E, BOLA-O); dash.js 3, BolaRule",
    parameters: &[],
    make: |setup, _| Box::new(Bola::new(setup)),
};

/// dash.js: buffer level in seconds at which the lowest level still scores best; below it BOLA never pauses.
const MINIMUM_BUFFER_S: f64 = 10.0;
/// dash.js: the buffer at which the highest level begins is above the minimum by at least this many seconds for each
/// level.
const PER_LEVEL_S: f64 = 2.0;
/// dash.js: the placeholder buffer loses one part in this number with each segment.
const PLACEHOLDER_DECAY: u64 = 100;

/// BOLA-BASIC with the extensions of dash.js.
///
/// The utility of level m is v_m = ln(S_m / S_1) + 1. At buffer level Q (in seconds) the level with the highest score
/// (V (v_m + g) - Q) / S_m is chosen; of equal scores, the higher level. dash.js computes V and g from two buffer
/// levels. At 10 s the lowest level is about to be left, and at the target the highest level is reached. The target is
/// that of the player ([`Setup::target`]) or 10 s + 2 s for each level, whichever is more:
///
/// g = (v_M - 1) / (target / 10 - 1), V = 10 / g.
///
/// A player whose capacity is below the target never reaches the target with its real buffer, so a *placeholder* is
/// added to the buffer (BOLA-E). At the start the placeholder is set so that BOLA agrees with the throughput. It grows
/// by the time between a segment's arrival and the next decision, because a full buffer is no sign of a slow network.
/// It shrinks by 1 % with each segment, and to the value that justifies the level last downloaded. A stall removes it.
///
/// During startup, until one segment of media is buffered, the level is the one that 0.9 of the throughput sustains.
/// Later a rise is limited to that level (BOLA-O). Below the top level, BOLA waits while the buffer is above the value
/// that justifies the chosen level.
#[derive(Debug)]
pub struct Bola {
    ladder: Vec<u64>,
    utilities: Vec<f64>,
    /// V (v_m + g): the highest buffer level at which level m is downloaded without a wait.
    highest: Vec<Nanos>,
    /// The lowest buffer level at which level m scores best.
    lowest: Vec<Nanos>,
    gain: Gain,
    segment: Nanos,
    history: History,
    steady: bool,
    placeholder: Nanos,
    last: usize,
    /// Time from which waiting counts into the placeholder: the last segment's arrival, or the last decision after it.
    idle_since: Nanos,
}

/// The constants of the score: V in seconds, and g without a unit.
#[derive(Clone, Copy, Debug)]
struct Gain {
    v: f64,
    g: f64,
}

impl Bola {
    /// Creates the rule for a client.
    pub fn new(setup: &Setup<'_>) -> Bola {
        let utilities = utilities(setup.ladder);
        let gain = gain(&utilities, setup.target() as f64 / 1e9);
        let highest = utilities.iter().map(|utility| nanos(gain.v * (utility + gain.g))).collect();
        let lowest =
            (0..utilities.len()).map(|level| nanos(lowest_buffer(setup.ladder, &utilities, gain, level))).collect();
        Bola {
            ladder: setup.ladder.to_vec(),
            utilities,
            highest,
            lowest,
            gain,
            segment: setup.segment,
            history: History::default(),
            steady: false,
            placeholder: 0,
            last: 0,
            idle_since: 0,
        }
    }

    /// Returns the level that the throughput sustains; `None` before the first segment.
    pub(super) fn sustainable(&self) -> Option<usize> {
        self.history.sustainable(&self.ladder, self.segment)
    }

    /// Returns the level with the best score at a buffer level.
    fn level_at(&self, buffer: Nanos) -> usize {
        let seconds = buffer as f64 / 1e9;
        let score =
            |level: usize| (self.gain.v * (self.utilities[level] + self.gain.g) - seconds) / self.ladder[level] as f64;
        (1..self.ladder.len()).fold(0, |best, level| if score(level) >= score(best) { level } else { best })
    }

    fn choose_steady(&mut self, state: &State<'_>, sustainable: usize) -> Decision {
        self.placeholder = self.placeholder.saturating_add(state.now.saturating_sub(self.idle_since));
        self.idle_since = state.now;

        let effective = state.buffer.saturating_add(self.placeholder);
        let mut level = self.level_at(effective);
        if level > self.last && level > sustainable {
            level = sustainable.max(self.last);
        }
        self.last = level;

        // The excess over this level's highest buffer level is taken from the placeholder first; the rest is waited
        // for.
        let excess = effective.saturating_sub(self.highest[level]);
        let wait = excess.saturating_sub(self.placeholder);
        self.placeholder = self.placeholder.saturating_sub(excess);
        let top = level == self.ladder.len() - 1;
        Decision { level, wait: if top { 0 } else { wait } }
    }
}

impl Abr for Bola {
    fn on_segment(&mut self, download: &Download) {
        self.history.add(download);
        self.last = download.level;
        self.idle_since = download.done;
        let justified = self.highest[download.level].saturating_sub(download.buffer_at_request);
        self.placeholder = (self.placeholder - self.placeholder / PLACEHOLDER_DECAY).min(justified);
    }

    fn on_stall(&mut self) {
        if self.steady {
            self.placeholder = 0;
        }
    }

    fn choose(&mut self, state: &State<'_>) -> Decision {
        let Some(sustainable) = self.sustainable() else {
            return Decision::now(0);
        };
        if self.ladder.len() == 1 {
            return Decision::now(0);
        }
        if self.steady {
            return self.choose_steady(state, sustainable);
        }
        self.placeholder = self.lowest[sustainable].saturating_sub(state.buffer);
        self.last = sustainable;
        self.steady = state.buffer >= self.segment;
        Decision::now(sustainable)
    }
}

/// Returns v_m = ln(S_m / S_1) + 1 for each level.
fn utilities(ladder: &[u64]) -> Vec<f64> {
    ladder.iter().map(|level| libm::log(*level as f64 / ladder[0] as f64) + 1.0).collect()
}

/// Returns V and g for a target in seconds. With one level there is no choice: any finite pair serves.
fn gain(utilities: &[f64], target_s: f64) -> Gain {
    let target = target_s.max(MINIMUM_BUFFER_S + PER_LEVEL_S * utilities.len() as f64);
    let span = utilities[utilities.len() - 1] - 1.0;
    if span <= 0.0 {
        return Gain { v: MINIMUM_BUFFER_S, g: 1.0 };
    }
    let g = span / (target / MINIMUM_BUFFER_S - 1.0);
    Gain { v: MINIMUM_BUFFER_S / g, g }
}

/// Returns the buffer level in seconds at which the score of `level` overtakes the scores of all lower levels.
fn lowest_buffer(ladder: &[u64], utilities: &[f64], gain: Gain, level: usize) -> f64 {
    let (rate, utility) = (ladder[level] as f64, utilities[level]);
    let overtakes = |lower: usize| {
        let lower_rate = ladder[lower] as f64;
        gain.v * (gain.g + (rate * utilities[lower] - lower_rate * utility) / (rate - lower_rate))
    };
    (0..level).map(overtakes).fold(0.0, f64::max)
}

fn nanos(seconds: f64) -> Nanos {
    libm::round(seconds * 1e9) as Nanos
}

#[cfg(test)]
mod tests {
    use super::super::Estimator;
    use super::super::estimate::tests::{SECOND, download};
    use super::*;

    const LADDER: &[u64] = &[200_000, 400_000, 800_000, 1_600_000];

    fn setup(capacity: Nanos) -> Setup<'static> {
        Setup { ladder: LADDER, segment: 2 * SECOND, capacity, safety: 1.0, estimator: Estimator::Mean }
    }

    fn state(now: Nanos, buffer: Nanos) -> State<'static> {
        State::at(now, buffer, Some(0))
    }

    /// A segment of `level` at `bps` and without latency, requested at `requested` with `buffer`.
    fn segment(level: usize, bps: u64, requested: Nanos, buffer: Nanos) -> Download {
        let time = LADDER[level] * 2 * SECOND / bps;
        Download {
            level,
            bytes: LADDER[level] * 2 / 8,
            requested,
            first_byte: requested,
            done: requested + time,
            buffer_at_request: buffer,
            buffer_before: buffer.saturating_sub(time),
            buffer_after: buffer.saturating_sub(time) + 2 * SECOND,
        }
    }

    #[test]
    fn constants_from_the_two_buffer_levels() {
        let small = Bola::new(&setup(12 * SECOND));
        // There are four levels: the highest is reached at 18 s, although the player holds 12 s. ln 8 = 2.079.
        let g = libm::log(8.0) / 0.8;
        assert!((small.gain.g - g).abs() < 1e-12);
        assert!((small.gain.v * small.gain.g - 10.0).abs() < 1e-12);
        // A level downloads while V (v + g - 1) is above the buffer minus V: these are the two anchors.
        let v = nanos(small.gain.v);
        assert_eq!(small.highest[0] - v, 10 * SECOND);
        assert_eq!(small.highest[3] - v, 18 * SECOND);
        let large = Bola::new(&setup(32 * SECOND));
        assert_eq!(large.highest[3] - nanos(large.gain.v), 30 * SECOND);
    }

    #[test]
    fn the_level_never_falls_as_the_buffer_grows_and_every_level_has_its_range() {
        let rule = Bola::new(&setup(32 * SECOND));
        let levels: Vec<_> = (0..400).map(|step| rule.level_at(step * SECOND / 10)).collect();
        assert!(levels.is_sorted());
        assert_eq!((levels[0], levels[399]), (0, 3));
        assert!((0..4).all(|level| levels.contains(&level)));
        for level in 1..4 {
            assert_eq!(rule.level_at(rule.lowest[level] + 1000), level);
            assert_eq!(rule.level_at(rule.lowest[level] - 1000), level - 1);
        }
    }

    #[test]
    fn starts_with_what_the_throughput_sustains_and_keeps_it_by_the_placeholder() {
        let mut rule = Bola::new(&setup(12 * SECOND));
        assert_eq!(rule.choose(&state(0, 0)), Decision::now(0), "nothing is known yet");
        rule.on_segment(&segment(0, 1_000_000, 0, 0));
        let mut now = rule.idle_since;
        assert_eq!(rule.choose(&state(now, 2 * SECOND)), Decision::now(2), "0.9 of 1 Mbit/s sustains 800 kbit/s");
        assert!(rule.steady);
        assert_eq!(rule.placeholder, rule.lowest[2] - 2 * SECOND);
        rule.on_segment(&segment(2, 1_000_000, now, 2 * SECOND));
        now = rule.idle_since;
        // 1.6 s of download left 2.4 s: the real buffer alone would give the lowest level.
        assert_eq!(rule.level_at(2_400_000_000), 0);
        let buffer = 2_400_000_000;
        assert_eq!(rule.choose(&state(now, buffer)), Decision::now(2));
        rule.on_stall();
        assert_eq!(rule.choose(&state(now, buffer)), Decision::now(0), "a stall ends the pretence");
    }

    #[test]
    fn idle_time_counts_and_download_time_does_not() {
        let mut rule = Bola::new(&setup(12 * SECOND));
        rule.steady = true;
        rule.on_segment(&segment(1, 1_000_000, 0, 10 * SECOND));
        let arrived = rule.idle_since;
        assert_eq!(arrived, 800_000_000);
        rule.choose(&state(arrived + SECOND, 10 * SECOND));
        assert_eq!(rule.placeholder, SECOND);
        rule.choose(&state(arrived + 3 * SECOND, 10 * SECOND));
        assert_eq!(rule.placeholder, 3 * SECOND, "each second once");
        rule.on_segment(&segment(1, 1_000_000, arrived + 3 * SECOND, 10 * SECOND));
        assert_eq!(rule.placeholder, 2_970_000_000, "1 % is lost with a segment");
    }

    #[test]
    fn the_placeholder_is_no_more_than_the_downloaded_level_justifies() {
        let mut rule = Bola::new(&setup(12 * SECOND));
        rule.steady = true;
        rule.placeholder = 100 * SECOND;
        rule.on_segment(&segment(0, 1_000_000, 0, 4 * SECOND));
        assert_eq!(rule.placeholder, rule.highest[0] - 4 * SECOND);
    }

    #[test]
    fn a_rise_stops_at_the_sustainable_level_and_a_held_level_stays() {
        let mut rule = Bola::new(&setup(32 * SECOND));
        rule.steady = true;
        rule.on_segment(&segment(1, 1_000_000, 0, 20 * SECOND));
        let now = rule.idle_since;
        assert_eq!(rule.level_at(30 * SECOND), 3);
        assert_eq!(rule.choose(&state(now, 30 * SECOND)).level, 2, "800 kbit/s is what 0.9 Mbit/s carries");
        rule.last = 3;
        assert_eq!(rule.choose(&state(now, 30 * SECOND)).level, 3, "no rise, no cap");
        let falling = rule.lowest[2] + SECOND;
        rule.history = History::default();
        rule.history.add(&segment(1, 500_000, 0, 0));
        assert_eq!(
            rule.choose(&state(now, falling)).level,
            2,
            "a fall is not held up, though 400 kbit/s is sustainable"
        );
    }

    #[test]
    fn too_much_buffer_for_the_level_waits_once() {
        let mut rule = Bola::new(&setup(62 * SECOND));
        rule.steady = true;
        rule.on_segment(&segment(0, 210_000, 0, 40 * SECOND));
        let now = rule.idle_since;
        let buffer = rule.highest[0] + SECOND;
        assert_eq!(rule.choose(&state(now, buffer)), Decision { level: 0, wait: SECOND });
        assert_eq!(rule.choose(&state(now + SECOND, buffer - SECOND)), Decision::now(0));
        assert_eq!(rule.placeholder, 0, "what was too much is gone from the placeholder");
    }

    #[test]
    fn the_top_level_never_waits() {
        let mut rule = Bola::new(&setup(200 * SECOND));
        rule.steady = true;
        rule.on_segment(&segment(3, 5_000_000, 0, 100 * SECOND));
        let buffer = rule.highest[3] + SECOND;
        assert_eq!(rule.choose(&state(rule.idle_since, buffer)), Decision::now(3));
    }

    #[test]
    fn history_feeds_the_estimate() {
        let mut rule = Bola::new(&setup(12 * SECOND));
        rule.on_segment(&download(250_000, 0, SECOND));
        assert_eq!(rule.choose(&state(0, 0)).level, 3, "0.9 of 2 Mbit/s");
    }
}
