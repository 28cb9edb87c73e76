//! Linux's rules of PIE that RFC 8033 does not have (net/sched/sch_pie.c; `rules` `linux`).

use super::pie_control::{Constants, Pie};
use crate::Nanos;

/// Delay above which the drop probability grows by [`STEP`] in each update, ns.
const LARGE_DELAY: Nanos = 250_000_000;
const STEP: f64 = 0.02;
/// Share of the drop probability that remains in an update without delay.
const REST: f64 = 1.0 - 1.0 / 64.0;
/// Largest drop probability: it has 56 bits in a variable of 64, and only an overflow of the variable limits it.
const MOST: f64 = 256.0;

impl Pie {
    /// Takes the time since the last packet left off the burst allowance (pie_process_dequeue).
    pub(super) fn spend_burst(&mut self, at: Nanos) {
        let since = self.left_at.map_or(0, |left_at| at - left_at);
        self.left_at = Some(at);
        self.burst_allowance = self.burst_allowance.saturating_sub(since);
    }

    /// Adjusts a drop probability to which the change was added, with `waiting` bytes in the queue
    /// (pie_calculate_probability).
    pub(super) fn adjust(&mut self, constants: &Constants, delay: Nanos, waiting: u64) {
        if delay > LARGE_DELAY {
            self.probability += STEP;
        }
        self.probability = self.probability.clamp(0.0, MOST);
        // Without a delay but with packets, the queue is short, and not empty.
        if delay == 0 && self.old_delay == 0 && (waiting == 0 || constants.estimate_rate) {
            self.probability *= REST;
        }
    }

    /// Restores the burst allowance after a time without congestion (pie_vars_init).
    pub(super) fn begin_again(&mut self, constants: &Constants) {
        (self.burst_allowance, self.left_at, self.sum) = (constants.control.burst, None, 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Drops, Item, Settings};
    use crate::{Limit, Random, Rate};

    const MS: Nanos = 1_000_000;

    fn constants(rules: f64) -> Constants {
        let given = &[("rules", rules)];
        let rate = Rate::new(8_000_000).unwrap();
        Constants::new(&Settings { rate, limit: Limit::Unlimited, packet_size: 1500, given, seed: [0; 32] }, true)
    }

    /// The drop probability after one update, from `probability`, with a constant `delay`.
    fn updated(rules: f64, probability: f64, delay: Nanos, waiting: u64) -> f64 {
        let constants = constants(rules);
        let mut pie = Pie::default();
        pie.activate(&constants, 0, waiting);
        (pie.probability, pie.delay, pie.old_delay) = (probability, delay, delay);
        pie.advance(&constants, 15 * MS, waiting);
        pie.probability
    }

    #[test]
    fn the_probability_grows_faster_above_250_ms() {
        for (delay, more) in [(250 * MS, 0.0), (251 * MS, 0.02)] {
            let difference = updated(1.0, 0.2, delay, 9000) - updated(0.0, 0.2, delay, 9000);
            assert!((difference - more).abs() < 1e-12, "{delay}: {difference}");
        }
    }

    #[test]
    fn the_probability_decays_only_without_delay_and_packets() {
        // alpha (0 - 15 ms) = -0.001875 of 0.2 and more.
        let lower = 0.2 - 0.001_875;
        assert!((updated(1.0, 0.2, 0, 0) - lower * 63.0 / 64.0).abs() < 1e-12);
        assert!((updated(1.0, 0.2, 0, 1500) - lower).abs() < 1e-12);
        assert!((updated(0.0, 0.2, 0, 1500) - lower * 0.98).abs() < 1e-12);
    }

    #[test]
    fn a_packet_behind_two_full_ones_may_be_dropped() {
        for (rules, waiting, admitted) in [(0.0, 3000, true), (1.0, 3000, false), (1.0, 2999, true)] {
            let constants = constants(rules);
            let mut pie = Pie::default();
            pie.activate(&constants, 0, 0);
            (pie.probability, pie.sum, pie.burst_allowance) = (0.5, 9.0, 0);
            (pie.delay, pie.old_delay) = (20 * MS, 20 * MS);
            let mut random = Random::new([5; 32]);
            let found = pie.admits(&constants, waiting, &mut Item::default(), &mut random, &mut Drops::new());
            assert_eq!(found, admitted, "{rules} {waiting}");
        }
    }

    #[test]
    fn departures_spend_the_burst_allowance() {
        let constants = constants(1.0);
        let mut pie = Pie::default();
        pie.activate(&constants, 0, 0);
        (pie.delay, pie.old_delay) = (20 * MS, 20 * MS);
        for at in [100 * MS, 130 * MS] {
            pie.dequeued(&constants, at, &Item { arrival: at - 20 * MS, ..Item::default() }, 1500);
        }
        assert_eq!(pie.burst_allowance, 120 * MS, "the time before the first departure does not count");
    }
}
