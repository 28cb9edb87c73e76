//! The queueing delay of SCReAM and its target, which adapts to loss-based flows (RFC 8298 section 4.1.2.3).

use std::collections::VecDeque;

use ackclock_core::Nanos;

use crate::Feedback;

/// Interval at which the queueing delay enters the histories (RFC 8298 section 4.1.2), in ns.
const SAMPLE: Nanos = 50_000_000;
/// Numbers of samples of the variance and of the mean in `adjust_qdelay_target`.
const VARIANCE: usize = 200;
const MEAN: usize = 50;
/// Weight of a round-trip time in the loss event rate; RFC 8298 leaves the estimator open, and the authors' code has
/// this weight.
const LOSS_EVENT_WEIGHT: f64 = 0.01;

/// The queueing delay of the newest packet, over the least delay of the call.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct QueueingDelay {
    base: Option<Nanos>,
    /// Delay in seconds.
    pub now: f64,
}

impl QueueingDelay {
    /// Reads the delays of a report.
    pub fn read(&mut self, feedback: &Feedback<'_>) {
        for outcome in feedback.outcomes {
            let Some(arrival) = outcome.arrival else { continue };
            let delay = arrival.saturating_sub(outcome.packet.sent);
            let base = self.base.map_or(delay, |base| base.min(delay));
            self.base = Some(base);
            self.now = (delay - base) as f64 / 1e9;
        }
    }
}

/// The share of round-trip times with losses.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct LossEvents {
    pub rate: f64,
    end: Nanos,
    lost: bool,
}

impl LossEvents {
    /// Takes note of a report; `srtt` is in seconds.
    pub fn report(&mut self, now: Nanos, lost: bool, srtt: f64) {
        self.lost |= lost;
        if now >= self.end {
            let event = if std::mem::take(&mut self.lost) { 1.0 } else { 0.0 };
            self.rate += LOSS_EVENT_WEIGHT * (event - self.rate);
            self.end = now.saturating_add((srtt * 1e9) as Nanos);
        }
    }
}

/// The target of the queueing delay, in seconds.
#[derive(Clone, Debug)]
pub(super) struct Target {
    low: f64,
    high: f64,
    adapts: bool,
    norms: VecDeque<f64>,
    sampled: Option<Nanos>,
    pub now: f64,
}

impl Target {
    /// Creates a target with its least and its largest value in seconds; `adapts` says whether it changes.
    pub fn new(low: f64, high: f64, adapts: bool) -> Target {
        Target { low, high, adapts, norms: VecDeque::from(vec![0.0; VARIANCE]), sampled: None, now: low }
    }

    /// Whether a sample is due at `now`, which is then taken.
    pub fn is_due(&mut self, now: Nanos) -> bool {
        let is_due = self.sampled.is_none_or(|last| now >= last + SAMPLE);
        if is_due {
            self.sampled = Some(now);
        }
        is_due
    }

    /// The procedure `adjust_qdelay_target` (RFC 8298 section 4.1.2.3), with a sample of the queueing delay in seconds.
    pub fn adjust(&mut self, qdelay: f64, loss_event_rate: f64) {
        self.norms.pop_front();
        self.norms.push_back(qdelay / self.low);
        if !self.adapts {
            return;
        }
        let mean = |values: &mut dyn Iterator<Item = f64>, count: usize| values.sum::<f64>() / count as f64;
        let all = mean(&mut self.norms.iter().copied(), VARIANCE);
        let variance = mean(&mut self.norms.iter().map(|norm| (norm - all) * (norm - all)), VARIANCE);
        let average = mean(&mut self.norms.iter().rev().take(MEAN).copied(), MEAN);
        let new = (average + libm::sqrt(variance)) * self.low;
        if loss_event_rate > 0.002 {
            self.now = 1.5 * new;
        } else if variance < 0.2 {
            self.now = new;
        } else if new < self.low {
            self.now = (self.now * 0.5).max(new);
        } else {
            self.now *= 0.9;
        }
        self.now = self.now.min(self.high).max(self.low);
    }
}
