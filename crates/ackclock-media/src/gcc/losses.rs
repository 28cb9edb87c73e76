//! The loss-based rate (draft-ietf-rmcat-gcc-02 section 6): it falls above 10 % of loss and grows below 2 %.

use std::collections::VecDeque;

use ackclock_core::Nanos;

use crate::{Feedback, Setup};

/// Loss ratios below which the rate grows and above which it falls.
const LOW: f64 = 0.02;
const HIGH: f64 = 0.10;
/// Packets of which a loss ratio is made at least (WebRTC).
const LEAST: u64 = 20;
/// Time of the draft's reports in ns; its rule changes the rate once for each report.
const REPORT: Nanos = 1_000_000_000;
/// Least time between two decreases beyond the round-trip time (WebRTC), in ns.
const DECREASE: Nanos = 300_000_000;

/// The loss-based rate's state.
#[derive(Debug)]
pub(super) struct Losses {
    is_webrtc: bool,
    rate: f64,
    lost: u64,
    packets: u64,
    /// Time of the last change, and of the last decrease.
    changed: Option<Nanos>,
    decreased: Option<Nanos>,
    /// Rates of the last second, ascending, with their times.
    recent: VecDeque<(Nanos, f64)>,
}

impl Losses {
    pub fn new(rate: f64, is_webrtc: bool) -> Losses {
        Losses { is_webrtc, rate, lost: 0, packets: 0, changed: None, decreased: None, recent: VecDeque::new() }
    }

    /// Returns the rate in bit/s.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Takes a report; `bound` is the delay-based rate, which the loss-based rate does not exceed.
    pub fn update(&mut self, feedback: &Feedback<'_>, bound: f64, setup: &Setup) {
        let now = feedback.now;
        self.packets += feedback.outcomes.len() as u64;
        self.lost += feedback.outcomes.iter().filter(|outcome| outcome.arrival.is_none()).count() as u64;
        let interval = if self.is_webrtc { 0 } else { REPORT };
        let is_due = now >= *self.changed.get_or_insert(now) + interval;
        self.forget(now);
        if self.packets >= LEAST && is_due {
            let ratio = self.lost as f64 / self.packets as f64;
            (self.packets, self.lost, self.changed) = (0, 0, Some(now));
            if self.is_webrtc { self.adapt(now, ratio, feedback.rtt) } else { self.adapt_as_drafted(ratio) }
        }
        self.rate = setup.clip(self.rate.min(bound.max(setup.min_rate)));
        self.record(now);
    }

    /// "A_s(i) = A_s(i-1) * (1 - 0.5 p)" above 10 %, "1.05 A_s(i-1)" below 2 %.
    fn adapt_as_drafted(&mut self, ratio: f64) {
        if ratio > HIGH {
            self.rate *= 1.0 - 0.5 * ratio;
        } else if ratio < LOW {
            // The bound is the delay-based rate, which grows by 8 % in the same second.
            self.rate *= 1.05;
        }
    }

    /// WebRTC's rule: 8 % and 1 kbit/s above the least rate of the last second, and one decrease in 300 ms and a
    /// round-trip time.
    fn adapt(&mut self, now: Nanos, ratio: f64, rtt: Nanos) {
        if ratio <= LOW {
            let least = self.recent.front().map_or(self.rate, |(_, rate)| *rate);
            self.rate = self.rate.max(least * 1.08 + 1_000.0);
        } else if ratio > HIGH && self.decreased.is_none_or(|at| now >= at + DECREASE + rtt) {
            self.rate *= 1.0 - 0.5 * ratio;
            self.decreased = Some(now);
        }
    }

    fn forget(&mut self, now: Nanos) {
        while self.recent.front().is_some_and(|(at, _)| at + REPORT < now) {
            self.recent.pop_front();
        }
    }

    fn record(&mut self, now: Nanos) {
        while self.recent.back().is_some_and(|(_, rate)| *rate >= self.rate) {
            self.recent.pop_back();
        }
        self.recent.push_back((now, self.rate));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, Packet};

    const MS: Nanos = 1_000_000;
    const SETUP: Setup = Setup { min_rate: 1e5, max_rate: 3e6, start_rate: 1e6, packet: 1240, fps: 30.0, l4s: false };

    /// A report of 100 packets, some of which are lost.
    fn report(losses: &mut Losses, now: Nanos, lost: usize) -> f64 {
        let packet = Packet { number: 0, size: 1_000, sent: now };
        let outcome = |index| Outcome { packet, arrival: (index >= lost).then_some(now), marked: false };
        let outcomes: Vec<_> = (0..100).map(outcome).collect();
        losses.update(&Feedback { now, reported: now, rtt: 100 * MS, outcomes: &outcomes, in_flight: 0 }, 2e6, &SETUP);
        losses.rate()
    }

    #[test]
    fn the_rule_of_the_draft() {
        let mut losses = Losses::new(1e6, false);
        report(&mut losses, 0, 0);
        assert!((report(&mut losses, 1_000 * MS, 0) - 1.05e6).abs() < 1e-6);
        assert!((report(&mut losses, 1_500 * MS, 20) - 1.05e6).abs() < 1e-6, "once in a report");
        // 40 of 200 since the last change.
        assert!((report(&mut losses, 2_000 * MS, 20) - 1.05e6 * 0.9).abs() < 1e-6);
        assert!((report(&mut losses, 3_000 * MS, 5) - 0.945e6).abs() < 1e-6, "nothing between 2 and 10 %");
    }

    #[test]
    fn the_rule_of_webrtc() {
        let mut losses = Losses::new(1e6, true);
        assert_eq!(report(&mut losses, 0, 5), 1e6);
        assert!((report(&mut losses, 100 * MS, 0) - 1.081e6).abs() < 1e-6);
        assert!((report(&mut losses, 500 * MS, 0) - 1.081e6).abs() < 1e-6, "8 % of the least rate of a second");
        let after = report(&mut losses, 1_200 * MS, 0);
        assert!((after - (1.081e6 * 1.08 + 1e3)).abs() < 1e-3, "{after}");
        assert!((report(&mut losses, 1_300 * MS, 20) - after * 0.9).abs() < 1e-3);
        assert!((report(&mut losses, 1_600 * MS, 20) - after * 0.9).abs() < 1e-3, "once in 300 ms and an RTT");
        assert!((report(&mut losses, 1_700 * MS, 20) - after * 0.81).abs() < 1e-3);
    }
}
