//! Detection of traffic policers: two consecutive intervals with much loss and about the same rate.

use crate::{MILLISECOND, Nanos};

/// Rounds of an interval, at least and at most.
const ROUNDS: (u32, u32) = (4, 16);
/// Rounds for which the rate is used.
const USE: u32 = 48;
/// Share of lost data from which an interval is lossy, of 256.
const LOSSY: u64 = 50;
/// Rates are the same if they differ by at most an eighth, or by this many bytes per second.
const SAME: u64 = 500;

/// Facts from an acknowledgment. Volumes in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub now: Nanos,
    pub round_start: bool,
    /// Whether data is newly deemed lost.
    pub loses: bool,
    pub app_limited: bool,
    /// Whether the state is ProbeBW.
    pub probes: bool,
    /// Totals of delivered and of lost data.
    pub delivered: u64,
    pub lost: u64,
}

/// The state of the detection.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Policer {
    samples: bool,
    in_use: bool,
    /// The rate of the last interval, or of the policer, bytes per second; 0 if unknown.
    rate: u64,
    rounds: u32,
    /// Start of the interval in milliseconds, and the totals then.
    since: u64,
    delivered: u64,
    lost: u64,
}

impl Policer {
    /// The policer's rate, bytes per second, while it replaces the bandwidth.
    pub fn rate(&self) -> Option<u64> {
        self.in_use.then_some(self.rate)
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        *self = Policer::default();
    }

    fn begin(&mut self, sample: &Sample) {
        self.since = sample.now / MILLISECOND;
        (self.delivered, self.lost, self.rounds) = (sample.delivered, sample.lost, 0);
    }

    /// Processes an acknowledgment. Returns whether the use of the policer's rate has ended.
    pub fn on_sample(&mut self, sample: &Sample) -> bool {
        if self.in_use {
            self.rounds += u32::from(sample.probes && sample.round_start);
            let over = self.rounds >= USE;
            if over {
                self.reset();
            }
            return over;
        }
        if !self.samples {
            // The first loss shows that the policer's tokens are used up.
            if !sample.loses {
                return false;
            }
            self.begin(sample);
            self.samples = true;
        }
        self.rounds += u32::from(sample.round_start);
        if sample.app_limited || self.rounds > ROUNDS.1 {
            self.reset();
        } else if self.rounds >= ROUNDS.0 && sample.loses {
            self.end_interval(sample);
        }
        false
    }

    /// Ends the interval, provided that it is lossy.
    fn end_interval(&mut self, sample: &Sample) {
        let delivered = sample.delivered - self.delivered;
        let took = sample.now / MILLISECOND - self.since;
        if delivered == 0 || took == 0 || (sample.lost - self.lost) * 256 < LOSSY * delivered {
            return;
        }
        let rate = delivered * 1000 / took;
        let difference = rate.abs_diff(self.rate);
        if self.rate > 0 && (8 * difference <= self.rate || difference * 99 / 100 <= SAME) {
            (self.rate, self.in_use, self.rounds) = (rate.midpoint(self.rate), true, 0);
        } else {
            self.rate = rate;
            self.begin(sample);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(round: u64, lost: u64) -> Sample {
        Sample {
            now: round * 100 * MILLISECOND,
            round_start: true,
            loses: true,
            app_limited: false,
            probes: true,
            delivered: round * 100_000,
            lost,
        }
    }

    #[test]
    fn two_lossy_intervals_of_the_same_rate_are_a_policer_for_48_rounds() {
        let mut policer = Policer::default();
        policer.on_sample(&Sample { loses: false, ..sample(9, 0) });
        assert!(!policer.samples);
        for round in 10..=17 {
            assert_eq!(policer.rate(), None, "round {round}");
            policer.on_sample(&sample(round, round * 30_000));
        }
        assert_eq!(policer.rate(), Some(1_000_000));
        for round in 18..=64 {
            assert!(!policer.on_sample(&sample(round, 0)), "round {round}");
        }
        assert!(!policer.on_sample(&Sample { probes: false, ..sample(65, 0) }));
        assert!(policer.on_sample(&sample(66, 0)));
        assert_eq!(policer.rate(), None);
    }

    #[test]
    fn little_loss_other_rates_and_an_idle_application_are_none() {
        let lossy = |round: u64| sample(round, round * 30_000);
        type Case = fn(Sample) -> Sample;
        let cases: [(&str, Case); 3] = [
            ("little loss", |sample| Sample { lost: sample.lost / 2, ..sample }),
            ("idle", |sample| Sample { app_limited: sample.now == 1300 * MILLISECOND, ..sample }),
            ("rates that double", |sample| {
                let rounds = sample.now / (100 * MILLISECOND) - 10;
                let delivered = 1_000_000 + (100_000 * rounds) * (1 + rounds / 4);
                Sample { delivered, lost: delivered / 3, ..sample }
            }),
        ];
        for (what, case) in cases {
            let mut policer = Policer::default();
            for round in 10..=19 {
                policer.on_sample(&case(lossy(round)));
                assert_eq!(policer.rate(), None, "{what}, round {round}");
            }
        }
    }
}
