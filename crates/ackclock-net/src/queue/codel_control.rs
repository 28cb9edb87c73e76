//! CoDel's estimator and controller for one queue of packets (RFC 8289 section 5), shared by `codel` and `fq-codel`.

use ackclock_core::parameters;

use super::rules::{Description, Rules};
use super::{DropCause, Drops, Item, Settings};
use crate::Nanos;

/// One millisecond, in ns.
const MS: f64 = 1e6;

parameters! {
    /// Target and interval of the estimator.
    pub(super) struct Delays {
        target: Nanos = is(5.0 * MS), (1.0, 1e12), Time, "Acceptable standing queueing delay.";
        interval: Nanos = is(100.0 * MS), (1.0, 1e12), Time,
            "Time for which the delay has to stay above the target before a drop: a worst-case round-trip time.";
    }
}

parameters! {
    /// Marking instead of dropping.
    pub(super) struct Marking {
        ecn: bool = is(1.0), (0.0, 1.0), Flag, "Whether ECN-capable packets are marked instead of dropped.";
        ce_threshold: Option<Nanos> = follows("no such threshold"), (0.0, 1e12), Time,
            "Queueing delay above which every ECN-capable packet is marked, in addition to CoDel's signals.";
    }
}

/// Problems of target and interval in combination.
pub(super) fn check(settings: &Settings<'_>) -> Vec<(&'static str, String)> {
    let Delays { target, interval } = Delays::read(settings.given);
    if target < interval {
        return Vec::new();
    }
    vec![("target", format!("less than the interval, {} ms (5 to 10 % of it)", interval as f64 / MS))]
}

/// Time of the next drop: INTERVAL / sqrt(count) after `from`, rounded down to whole nanoseconds (RFC 8289 section
/// 5.6).
pub(super) fn control_law(from: Nanos, interval: Nanos, count: u32) -> Nanos {
    let squared = u128::from(interval) * u128::from(interval);
    from.saturating_add((squared / u128::from(count.max(1))).isqrt() as Nanos)
}

/// One in the fixed point of Linux's reciprocal roots (REC_INV_SQRT_SHIFT).
const ONE: u16 = u16::MAX;
/// Bits of a time in ns that Linux leaves away (CODEL_SHIFT).
const SHIFT: u32 = 10;

/// Linux's approximation of 1 / sqrt(count) from that of the last count: one Newton step in 32 bits, of which 16 are
/// kept (include/net/codel_impl.h, codel_Newton_step).
fn newton(root: u16, count: u32) -> u16 {
    let root = u64::from(root) << 16;
    let square = (root * root) >> 32;
    let value = (3_u64 << 32).wrapping_sub(u64::from(count).wrapping_mul(square)) >> 2;
    ((value.wrapping_mul(root) >> 31) as u32 >> 16) as u16
}

/// Constants of a controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants {
    pub(super) rules: Rules,
    delays: Delays,
    /// `maxpacket_`: a packet is not dropped if at most this number of bytes waits behind it.
    packet_size: u64,
    marking: Marking,
}

impl Constants {
    pub(super) fn new(settings: &Settings<'_>) -> Constants {
        Constants {
            rules: Description::read(settings.given).rules.unwrap_or(Rules::Rfc),
            delays: Delays::read(settings.given),
            packet_size: u64::from(settings.packet_size),
            marking: Marking::read(settings.given),
        }
    }
}

/// A packet, and the number of bytes that wait behind it.
pub(super) type Taken = (Item, u64);

/// A packet, and whether the delay has been above the target for an interval.
#[derive(Clone, Copy)]
struct Head {
    item: Item,
    ok_to_drop: bool,
}

/// The controller of one queue (RFC 8289 section 5.2).
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Codel {
    /// Time at which the delay will have been above the target for an interval.
    first_above: Option<Nanos>,
    drop_next: Nanos,
    /// Number of drops in the drop state, and the number at which it started.
    count: u32,
    last_count: u32,
    dropping: bool,
    /// Linux's approximation of 1 / sqrt(count).
    root: u16,
}

impl Constants {
    /// A time as the rules have it.
    fn time(&self, at: Nanos) -> Nanos {
        match self.rules {
            Rules::Rfc => at,
            Rules::Linux => at >> SHIFT << SHIFT,
        }
    }
}

impl Codel {
    /// Notes that packets were dropped because the queues were full; Linux's rules count them as signals.
    pub(super) fn overflowed(&mut self, constants: &Constants, packets: u32) {
        if constants.rules == Rules::Linux {
            self.count = self.count.wrapping_add(packets);
        }
    }

    /// Sets the time of the next drop in the drop state.
    fn advance(&mut self, constants: &Constants) {
        self.drop_next = self.following(constants, self.drop_next);
    }

    /// Time of the next drop after `from`, by the present count.
    fn following(&self, constants: &Constants, from: Nanos) -> Nanos {
        let interval = constants.time(constants.delays.interval);
        match constants.rules {
            Rules::Rfc => control_law(from, interval, self.count),
            Rules::Linux => {
                let units = ((interval >> SHIFT) * (u64::from(self.root) << 16)) >> 32;
                from.saturating_add(units << SHIFT)
            }
        }
    }

    /// Takes packets from `take` in order and returns the first that is to be sent at `at` (RFC 8289 section 5.5).
    pub(super) fn dequeue(
        &mut self,
        constants: &Constants,
        at: Nanos,
        mut take: impl FnMut() -> Option<Taken>,
        drops: &mut Drops,
    ) -> Option<Item> {
        let at = constants.time(at);
        let mut head = self.head(constants, at, take());
        if self.dropping {
            self.dropping = head.is_some_and(|head| head.ok_to_drop);
            while let Some(current) = head.as_mut().filter(|_| self.dropping && at >= self.drop_next) {
                self.count = self.count.saturating_add(1);
                self.root = newton(self.root, self.count);
                if constants.marking.ecn && current.item.mark() {
                    self.advance(constants);
                    break;
                }
                drops.push((current.item, DropCause::Aqm));
                head = self.head(constants, at, take());
                self.dropping = head.is_some_and(|head| head.ok_to_drop);
                if self.dropping {
                    self.advance(constants);
                }
            }
        } else if let Some(current) = head.as_mut().filter(|head| head.ok_to_drop) {
            if !(constants.marking.ecn && current.item.mark()) {
                drops.push((current.item, DropCause::Aqm));
                head = self.head(constants, at, take());
            }
            self.enter(constants, at);
        }
        let mut item = head?.item;
        let sojourn = at - constants.time(item.arrival);
        if constants.marking.ce_threshold.is_some_and(|threshold| sojourn > constants.time(threshold)) {
            item.mark();
        }
        Some(item)
    }

    /// Enters the drop state. If the last drop state ended recently, its count is used again.
    fn enter(&mut self, constants: &Constants, at: Nanos) {
        let drops_last_time = self.count.wrapping_sub(self.last_count);
        let recent = at < self.drop_next.saturating_add(16 * constants.time(constants.delays.interval));
        self.dropping = true;
        if recent && drops_last_time > 1 {
            self.count = drops_last_time;
            self.root = newton(self.root, self.count);
        } else {
            self.count = 1;
            self.root = ONE;
        }
        self.drop_next = self.following(constants, at);
        self.last_count = self.count;
    }

    /// Updates the estimate with the sojourn time of the packet taken (RFC 8289 section 5.6, dodequeue).
    fn head(&mut self, constants: &Constants, at: Nanos, taken: Option<Taken>) -> Option<Head> {
        let Some((item, behind)) = taken else {
            self.first_above = None;
            return None;
        };
        let mut ok_to_drop = false;
        let Delays { target, interval } = constants.delays;
        if at - constants.time(item.arrival) < constants.time(target) || behind <= constants.packet_size {
            self.first_above = None;
        } else {
            match (self.first_above, constants.rules) {
                (None, _) => self.first_above = Some(at.saturating_add(constants.time(interval))),
                (Some(first_above), Rules::Rfc) => ok_to_drop = at >= first_above,
                (Some(first_above), Rules::Linux) => ok_to_drop = at > first_above,
            }
        }
        Some(Head { item, ok_to_drop })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_control_law_is_the_interval_over_the_root_rounded_down() {
        let interval = 100_000_000;
        assert_eq!(control_law(7, interval, 1), 7 + interval);
        assert_eq!(control_law(0, interval, 4), 50_000_000);
        assert_eq!(control_law(0, interval, 2), 70_710_678, "70710678.118");
        assert_eq!(control_law(0, interval, 3), 57_735_026, "57735026.918");
        for count in 1..2000_u64 {
            let spacing = control_law(0, interval, count as u32);
            assert!(spacing * spacing * count <= interval * interval, "{count}");
            assert!((spacing + 1) * (spacing + 1) * count > interval * interval, "{count}");
        }
    }
}
