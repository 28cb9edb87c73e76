//! PIE's controller for one queue of packets (RFC 8033), shared by `pie` and `fq-pie`.

use ackclock_core::parameters;

use super::rules::{Description, Rules};
use super::{DropCause, Drops, Item, Settings};
use crate::Nanos;
use crate::Random;

/// One millisecond and one second, in ns.
const MS: f64 = 1e6;
const SECOND: f64 = 1e9;

parameters! {
    /// Constants of the controller.
    pub(super) struct Control {
        target: Nanos = is(15.0 * MS), (1.0, 1e12), Time, "Queueing delay at which the controller aims (QDELAY_REF).";
        update: Nanos = is(15.0 * MS), (1e5, 1e12), Time,
            "Time between two calculations of the drop probability (T_UPDATE).";
        alpha: f64 = is(0.125), (0.0, 1e6), Number,
            "Increase of the drop probability in an update, per second by which the delay exceeds the target.";
        beta: f64 = is(1.25), (0.0, 1e6), Number,
            "Increase of the drop probability in an update, per second by which the delay has grown.";
        burst: Nanos = is(150.0 * MS), (0.0, 1e12), Time,
            "Time after an uncongested period during which no packet is dropped (MAX_BURST).";
    }
}

parameters! {
    /// Limit of marking, and the estimate of the delay.
    pub(super) struct Estimate {
        mark_limit: f64 = is(0.1), (0.0, 1.0), Probability,
            "Drop probability from which ECN-capable packets are dropped as well (mark_ecnth).";
        estimate_rate: bool = is(0.0), (0.0, 1.0), Flag,
            "Whether the delay is the backlog over the measured departure rate instead of the last packet's sojourn time.";
        rate_sample: u64 = is(16_384.0), (1.0, 65_536.0), Volume,
            "Bytes over which the departure rate is measured, and queue length at which measurements start (DQ_THRESHOLD).";
    }
}

/// Drop probability below which no packet is dropped while the delay is below half the target (section 4.1).
const SAFE: f64 = 0.2;
/// Packets are dropped at random while the sum of probabilities is between these bounds (section 5.4).
const LEAST_SUM: f64 = 0.85;
const LARGEST_SUM: f64 = 8.5;
/// Factor of the drop probability in an update without congestion (section 4.2).
const DECAY: f64 = 0.98;
/// Drop probability from which its growth in an update is capped, and the cap (section 5.5).
const CAP_FROM: f64 = 0.1;
const CAP: f64 = 0.02;
/// Pairs of a drop probability and a divisor, which applies to changes below that probability (section 4.2).
const SCALES: [(f64, f64); 6] =
    [(0.000001, 2048.0), (0.00001, 512.0), (0.0001, 128.0), (0.001, 32.0), (0.01, 8.0), (0.1, 2.0)];

/// Constants of a controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants {
    pub(super) rules: Rules,
    pub(super) control: Control,
    /// Drop probability below which ECN-capable packets are marked instead of dropped; `None` without ECN.
    mark_limit: Option<f64>,
    pub(super) estimate_rate: bool,
    rate_sample: u64,
    /// MEAN_PKTSIZE, in bytes.
    pub(super) packet_size: u64,
}

impl Constants {
    pub(super) fn new(settings: &Settings<'_>, ecn: bool) -> Constants {
        let Estimate { mark_limit, estimate_rate, rate_sample } = Estimate::read(settings.given);
        Constants {
            rules: Description::read(settings.given).rules.unwrap_or(Rules::Rfc),
            control: Control::read(settings.given),
            mark_limit: ecn.then_some(mark_limit),
            estimate_rate,
            rate_sample,
            packet_size: u64::from(settings.packet_size),
        }
    }
}

/// A measurement of the departure rate (RFC 8033 section 5.2).
#[derive(Clone, Copy, PartialEq, Debug)]
struct Measurement {
    start: Nanos,
    bytes: u64,
}

/// The controller of one queue.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(super) struct Pie {
    /// Time of the next update; `None` while PIE is inactive.
    update_at: Option<Nanos>,
    pub(super) probability: f64,
    /// Sum of probabilities since the last drop.
    pub(super) sum: f64,
    pub(super) burst_allowance: Nanos,
    /// Sojourn time of the last packet that left, 0 if the queue was empty after it; and the delay at the last update.
    pub(super) delay: Nanos,
    pub(super) old_delay: Nanos,
    /// Linux: time at which a packet left last.
    pub(super) left_at: Option<Nanos>,
    measurement: Option<Measurement>,
    /// Mean time in which `rate_sample` bytes leave, ns; 0 before the first measurement.
    pub(super) sample_time: f64,
}

impl Pie {
    /// Whether a packet that arrives with `waiting` bytes before it is accepted. An accepted packet may be marked.
    pub(super) fn admits(
        &mut self,
        constants: &Constants,
        waiting: u64,
        item: &mut Item,
        random: &mut Random,
        drops: &mut Drops,
    ) -> bool {
        if self.update_at.is_none() || self.burst_allowance > 0 || !self.strikes(constants, waiting, random) {
            return true;
        }
        let forced = self.sum >= LARGEST_SUM;
        if constants.mark_limit.is_some_and(|limit| self.marks(constants.rules, limit)) && item.mark() {
            if constants.rules == Rules::Rfc || !forced {
                self.sum = 0.0;
            }
            return true;
        }
        self.sum = 0.0;
        drops.push((*item, DropCause::Aqm));
        false
    }

    /// Whether ECN-capable packets are marked up to a drop probability of `limit`, which Linux includes.
    fn marks(&self, rules: Rules, limit: f64) -> bool {
        match rules {
            Rules::Rfc => self.probability < limit,
            Rules::Linux => self.probability <= limit,
        }
    }

    /// Records that a packet did not fit into the queue.
    pub(super) fn overflowed(&mut self) {
        self.sum = 0.0;
    }

    /// Becomes active at `at` if inactive, with `waiting` bytes in the queue (RFC 8033 section 5.3).
    pub(super) fn activate(&mut self, constants: &Constants, at: Nanos, waiting: u64) {
        if self.update_at.is_none() {
            let update = constants.control.update;
            *self = Pie {
                update_at: Some(match constants.rules {
                    Rules::Rfc => at.saturating_add(update),
                    // One timer runs for all queues, from the beginning.
                    Rules::Linux => (at / update + 1).saturating_mul(update),
                }),
                burst_allowance: constants.control.burst,
                measurement: (waiting >= constants.rate_sample).then_some(Measurement { start: at, bytes: 0 }),
                ..Pie::default()
            };
        }
    }

    /// Records that a packet leaves at `at` with `waiting` bytes behind it.
    pub(super) fn dequeued(&mut self, constants: &Constants, at: Nanos, item: &Item, waiting: u64) {
        self.advance(constants, at, waiting + u64::from(item.size));
        self.delay = if waiting == 0 { 0 } else { at - item.arrival };
        if constants.rules == Rules::Linux {
            self.spend_burst(at);
        }
        if let Some(Measurement { start, bytes }) = self.measurement.as_mut() {
            *bytes += u64::from(item.size);
            if *bytes >= constants.rate_sample {
                let time = (at - *start) as f64;
                let weight = constants.rate_sample as f64 / 65_536.0;
                let smoothed = time * weight + self.sample_time * (1.0 - weight);
                self.sample_time = if self.sample_time == 0.0 { time } else { smoothed };
                self.measurement = None;
            }
        }
        if self.measurement.is_none() && self.update_at.is_some() && waiting >= constants.rate_sample {
            self.measurement = Some(Measurement { start: at, bytes: 0 });
        }
    }

    /// Whether the packet is to be dropped. Drops are neither too close together nor too far apart (RFC 8033 section
    /// 5.4).
    fn strikes(&mut self, constants: &Constants, waiting: u64, random: &mut Random) -> bool {
        let (delay, few) = match constants.rules {
            Rules::Rfc => (self.old_delay, waiting <= 2 * constants.packet_size),
            Rules::Linux => (self.delay, waiting < 2 * constants.packet_size),
        };
        if few || 2 * delay < constants.control.target && self.probability < SAFE {
            return false;
        }
        if self.probability == 0.0 {
            self.sum = 0.0;
        }
        self.sum += self.probability;
        self.sum >= LEAST_SUM && (self.sum >= LARGEST_SUM || random.unit() < self.probability)
    }

    /// Performs the updates that are due by `at`. The queue has held `waiting` bytes since the last call. Once an
    /// update changes nothing, the remaining ones change nothing either and are skipped.
    pub(super) fn advance(&mut self, constants: &Constants, at: Nanos, waiting: u64) {
        while let Some(due) = self.update_at.filter(|due| *due <= at) {
            let before = *self;
            self.update(constants, waiting);
            let left = if *self == before { (at - due) / constants.control.update } else { 0 };
            let next = (due + left * constants.control.update).saturating_add(constants.control.update);
            self.update_at = self.update_at.map(|_| next);
        }
    }

    /// Calculates the drop probability (RFC 8033 sections 4.2, 4.4, 5.3 and 5.5).
    fn update(&mut self, constants: &Constants, waiting: u64) {
        let delay = if constants.estimate_rate {
            (waiting as f64 * self.sample_time / constants.rate_sample as f64) as Nanos
        } else {
            self.delay
        };
        let above = (delay as f64 - constants.control.target as f64) / SECOND;
        let growth = (delay as f64 - self.old_delay as f64) / SECOND;
        let scale = SCALES.iter().find(|(below, _)| self.probability < *below).map_or(1.0, |(_, scale)| *scale);
        let mut change = (constants.control.alpha * above + constants.control.beta * growth) / scale;
        if self.probability >= CAP_FROM {
            change = change.min(CAP);
        }
        self.probability += change;
        let uncongested = 2 * delay < constants.control.target && 2 * self.old_delay < constants.control.target;
        if constants.rules == Rules::Linux {
            self.adjust(constants, delay, waiting);
            self.old_delay = delay;
            if uncongested && self.probability == 0.0 {
                self.begin_again(constants);
            }
            return;
        }
        if uncongested {
            self.probability *= DECAY;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.old_delay = delay;
        self.burst_allowance = self.burst_allowance.saturating_sub(constants.control.update);
        let unmeasured = constants.estimate_rate && self.sample_time == 0.0 && waiting > 0;
        if uncongested && !unmeasured && self.probability == 0.0 {
            self.update_at = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ecn;
    use crate::Limit;

    const MILLISECOND: Nanos = 1_000_000;

    fn constants(given: &[(&'static str, f64)]) -> Constants {
        let rate = crate::Rate::new(8_000_000).unwrap();
        let limit = Limit::Unlimited;
        Constants::new(&Settings { rate, limit, packet_size: 1500, given, seed: [0; 32] }, true)
    }

    /// Change of a drop probability in an update with a delay of 35 ms, after a delay of 25 ms at the last update.
    fn change(probability: f64) -> f64 {
        let (delay, old_delay) = (35 * MILLISECOND, 25 * MILLISECOND);
        let mut pie = Pie { probability, delay, old_delay, update_at: Some(0), ..Pie::default() };
        pie.update(&constants(&[]), 0);
        pie.probability - probability
    }

    #[test]
    fn the_change_is_scaled_by_the_drop_probability_and_capped() {
        // 0.125 * 20 ms + 1.25 * 10 ms = 0.015.
        let scales = [(0.0, 2048.0), (5e-6, 512.0), (5e-5, 128.0), (5e-4, 32.0), (5e-3, 8.0), (0.05, 2.0), (0.1, 1.0)];
        for (probability, scale) in scales {
            let expected = 0.015 / scale;
            assert!((change(probability) - expected).abs() < 1e-12, "{probability}: {}", change(probability));
        }
        let delay = 515 * MILLISECOND;
        for (probability, expected) in [(0.1, 0.02), (0.09, (0.125 + 1.25) * 0.5 / 2.0)] {
            let old_delay = 15 * MILLISECOND;
            let mut pie = Pie { probability, delay, old_delay, update_at: Some(0), ..Pie::default() };
            pie.update(&constants(&[]), 0);
            assert!((pie.probability - probability - expected).abs() < 1e-12, "{}", pie.probability);
        }
    }

    #[test]
    fn overdue_updates_are_performed_and_end_without_congestion() {
        let constants = constants(&[]);
        let mut pie = Pie::default();
        pie.activate(&constants, 5, 1500);
        pie.advance(&constants, 45 * MILLISECOND + 4, 1500);
        assert_eq!((pie.update_at, pie.burst_allowance), (None, 135 * MILLISECOND), "no delay in the first update");
        pie.activate(&constants, 0, 1500);
        pie.delay = 20 * MILLISECOND;
        pie.advance(&constants, 45 * MILLISECOND, 1500);
        assert_eq!((pie.update_at, pie.burst_allowance), (Some(60 * MILLISECOND), 105 * MILLISECOND));
        pie.advance(&constants, 1000 * MILLISECOND, 1500);
        assert_eq!(pie.burst_allowance, 0);
    }

    #[test]
    fn drops_are_neither_too_close_nor_too_far_apart() {
        let constants = constants(&[]);
        let mut random = Random::new([5; 32]);
        // With a probability of 1/100, a drop comes no earlier than at packet 85 and no later than at packet 850.
        let mut spacings = Vec::new();
        for _ in 0..2000 {
            let mut pie = Pie { probability: 0.01, old_delay: 20 * MILLISECOND, ..Pie::default() };
            spacings.push((1..).find(|_| pie.strikes(&constants, 3001, &mut random)).unwrap());
        }
        assert_eq!(*spacings.iter().min().unwrap(), 85);
        assert!(*spacings.iter().max().unwrap() <= 850);
        let mut pie = Pie { probability: 1e-9, sum: 8.5, old_delay: 20 * MILLISECOND, ..Pie::default() };
        assert!(pie.strikes(&constants, 3001, &mut random), "a sum of 8.5 forces a drop");
        assert!(!pie.strikes(&constants, 3000, &mut random), "two full packets are in the queue");
        pie.old_delay = 7 * MILLISECOND;
        assert!(!pie.strikes(&constants, 3001, &mut random), "the delay is below half the target");
    }

    #[test]
    fn marks_take_the_place_of_drops_up_to_the_limit() {
        let mut random = Random::new([5; 32]);
        let mut admits = |probability, ecn, given: &[(&'static str, f64)]| {
            let (old_delay, update_at) = (20 * MILLISECOND, Some(MILLISECOND));
            let mut pie = Pie { probability, sum: 9.0, old_delay, update_at, ..Pie::default() };
            let mut item = Item { ecn, ..Item::default() };
            let admitted = pie.admits(&constants(given), 5000, &mut item, &mut random, &mut Drops::new());
            assert_eq!(pie.sum, 0.0);
            (admitted, item.ecn == Ecn::Ce)
        };
        assert_eq!(admits(0.09, Ecn::Ect0, &[]), (true, true));
        assert_eq!(admits(0.1, Ecn::Ect0, &[]), (false, false));
        assert_eq!(admits(0.09, Ecn::NotEct, &[]), (false, false));
        assert_eq!(admits(0.09, Ecn::Ect0, &[("mark_limit", 0.05)]), (false, false));
    }
}
