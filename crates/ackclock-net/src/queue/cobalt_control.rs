//! COBALT's controller for one queue of packets, in the arithmetic of Linux's `sch_cake`, shared by `cobalt` and `cake`.

use super::Item;
use crate::{Nanos, Random};

/// A reciprocal square root of one, in units of 2^-32: the largest number of 32 bits.
const ONE: u32 = u32::MAX;

/// 2^32 / sqrt(count) for small counts, for which a Newton step is too coarse (Linux's `inv_sqrt_cache`).
const CACHED: [u32; 16] = [
    ONE, ONE, 3037000500, 2479700525, 2147483647, 1920767767, 1753413056, 1623345051, 1518500250, 1431655765,
    1358187914, 1294981364, 1239850263, 1191209601, 1147878294, 1108955788,
];

/// Constants of a controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants {
    /// Acceptable queueing delay, and the time until the first signal, ns.
    pub(super) target: Nanos,
    pub(super) interval: Nanos,
    /// The interval from which the spacing of signals is computed: in Linux, its lower 32 bits.
    pub(super) spacing: Nanos,
    /// Time of a full packet at the rate of the queue, ns.
    pub(super) packet_time: Nanos,
    /// Steps of BLUE's drop probability, in units of 2^-32.
    pub(super) increment: u32,
    pub(super) decrement: u32,
    /// Whether ECN-capable packets are marked instead of dropped.
    pub(super) ecn: bool,
}

/// The controller of one queue. Linux creates it with a reciprocal of the root of zero, so the very first signal is due at
/// once when the delay exceeds the target; all later first signals come after an interval.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Cobalt {
    /// CoDel: the number of signals so far, 2^32 over its square root, and the time of the next signal.
    count: u32,
    inverse_root: u32,
    drop_next: Nanos,
    /// Whether the delay is above the target.
    dropping: bool,
    /// BLUE: its drop probability in units of 2^-32, and the time of its last change.
    probability: u32,
    changed_at: Nanos,
}

impl Cobalt {
    /// Whether the controller has a state that still decays at `at`.
    pub(super) fn is_active(&self, at: Nanos) -> bool {
        self.probability > 0 || self.count > 0 || at < self.drop_next
    }

    fn is_due(&self, at: Nanos) -> bool {
        self.count > 0 && at >= self.drop_next
    }

    fn may_change(&self, constants: &Constants, at: Nanos) -> bool {
        at.saturating_sub(self.changed_at) > constants.target
    }

    /// `from` plus the interval over the root of the count.
    fn next(&self, constants: &Constants, from: Nanos) -> Nanos {
        let spacing = (u128::from(constants.spacing) * u128::from(self.inverse_root)) >> 32;
        from.saturating_add(spacing as Nanos)
    }

    /// Moves the schedule to signal number `count`.
    fn schedule(&mut self, constants: &Constants, count: u32) {
        self.count = count;
        self.inverse_root = match CACHED.get(count as usize) {
            Some(root) => *root,
            None => newton(self.inverse_root, count),
        };
        self.drop_next = self.next(constants, self.drop_next);
    }

    /// The queue had to drop a packet because there was no room.
    pub(super) fn overflowed(&mut self, constants: &Constants, at: Nanos) {
        if self.may_change(constants, at) {
            self.probability = self.probability.saturating_add(constants.increment);
            self.changed_at = at;
        }
        self.dropping = true;
        self.drop_next = at;
        self.count = self.count.max(1);
    }

    /// The queue had its turn and was empty.
    pub(super) fn found_empty(&mut self, constants: &Constants, at: Nanos) {
        if self.probability > 0 && self.may_change(constants, at) {
            self.probability = self.probability.saturating_sub(constants.decrement);
            self.changed_at = at;
        }
        self.dropping = false;
        if self.is_due(at) {
            self.schedule(constants, self.count - 1);
        }
    }

    /// Whether a packet is to be dropped; it may be marked instead. A delay of up to two packets' times for each of
    /// `bulk_flows` is never too long.
    pub(super) fn strikes(
        &mut self,
        constants: &Constants,
        at: Nanos,
        item: &mut Item,
        bulk_flows: u32,
        random: &mut Random,
    ) -> bool {
        let sojourn = at - item.arrival;
        let least = constants.packet_time.saturating_mul(u64::from(2 * bulk_flows).max(4));
        let due = self.is_due(at);
        let mut late = at > self.drop_next;
        let mut strikes = false;
        if sojourn > constants.target && sojourn > least {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = self.next(constants, at);
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        if self.dropping && due {
            strikes = !(constants.ecn && item.mark());
            self.schedule(constants, self.count.saturating_add(1));
            late = at > self.drop_next;
        } else if due {
            while self.is_due(at) {
                self.schedule(constants, self.count - 1);
            }
            late = at > self.drop_next;
        }
        if self.probability > 0 && ((random.bits() >> 32) as u32) < self.probability {
            strikes = true;
        }
        if self.count == 0 {
            self.drop_next = at.saturating_add(constants.interval);
        } else if late && !strikes {
            // Overdue marks are not made up for.
            self.drop_next = at;
        }
        strikes
    }
}

/// One Newton step from `root` to 2^32 / sqrt(count).
fn newton(root: u32, count: u32) -> u32 {
    let square = (u64::from(root) * u64::from(root)) >> 32;
    let factor = (3_u64 << 32).wrapping_sub(u64::from(count).wrapping_mul(square)) >> 2;
    (factor.wrapping_mul(u64::from(root)) >> 31) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ecn;

    const MS: Nanos = 1_000_000;
    const CONSTANTS: Constants = Constants {
        target: 5 * MS,
        interval: 100 * MS,
        spacing: 100 * MS,
        packet_time: 0,
        increment: 1 << 24,
        decrement: 1 << 20,
        ecn: true,
    };

    fn strikes(cobalt: &mut Cobalt, at: Nanos, arrival: Nanos, ecn: Ecn) -> bool {
        let mut item = Item { arrival: arrival * MS, ecn, ..Item::default() };
        cobalt.strikes(&CONSTANTS, at * MS, &mut item, 0, &mut Random::new([9; 32]))
    }

    #[test]
    fn blue_steps_once_in_a_target() {
        let mut cobalt = Cobalt::default();
        for at in [10, 11, 15, 16] {
            cobalt.overflowed(&CONSTANTS, at * MS);
        }
        assert_eq!(cobalt.probability, 2 << 24, "at 10 and 16 ms");
        for at in [21, 22, 27] {
            cobalt.found_empty(&CONSTANTS, at * MS);
        }
        assert_eq!(cobalt.probability, (2 << 24) - (1 << 20), "at 22 ms; 27 ms is not more than a target later");
        cobalt.probability = 1 << 19;
        cobalt.found_empty(&CONSTANTS, 100 * MS);
        assert_eq!(cobalt.probability, 0);
    }

    #[test]
    fn the_schedule_goes_back_when_the_delay_is_low() {
        let mut cobalt = Cobalt { count: 4, drop_next: 100 * MS, ..Cobalt::default() };
        assert!(!strikes(&mut cobalt, 100, 99, Ecn::NotEct));
        // Three signals are left after 100 / sqrt(3) = 57.7 ms, and two after 70.7 ms more.
        assert!(!strikes(&mut cobalt, 227, 226, Ecn::NotEct));
        assert_eq!((cobalt.count, cobalt.drop_next), (2, 228_445_704));
    }

    #[test]
    fn a_queue_that_is_found_empty_takes_one_step_back() {
        let mut cobalt = Cobalt { count: 4, drop_next: 100 * MS, dropping: true, ..Cobalt::default() };
        cobalt.found_empty(&CONSTANTS, 100 * MS - 1);
        assert_eq!((cobalt.count, cobalt.dropping), (4, false));
        cobalt.found_empty(&CONSTANTS, 500 * MS);
        assert_eq!((cobalt.count, cobalt.drop_next), (3, 157_735_026));
    }

    #[test]
    fn overdue_drops_are_made_up_for_and_overdue_marks_are_not() {
        for (ecn, dropped, next) in [(Ecn::NotEct, true, 57_735_026), (Ecn::Ect0, false, 900 * MS)] {
            let mut cobalt = Cobalt { count: 2, dropping: true, ..Cobalt::default() };
            assert_eq!(strikes(&mut cobalt, 900, 0, ecn), dropped);
            assert_eq!((cobalt.count, cobalt.drop_next), (3, next));
        }
    }

    /// From 16 signals on, single Newton steps follow the root.
    #[test]
    fn the_root_is_close_at_every_count() {
        let mut cobalt = Cobalt { count: 1, ..Cobalt::default() };
        for count in (2..3000).chain((2..2999).rev()) {
            cobalt.schedule(&CONSTANTS, count);
            let exact = 4_294_967_296.0 / libm::sqrt(f64::from(count));
            assert!((f64::from(cobalt.inverse_root) / exact - 1.0).abs() < 2e-3, "{count}: {}", cobalt.inverse_root);
        }
    }
}
