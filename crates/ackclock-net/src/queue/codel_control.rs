//! CoDel's estimator and controller for one queue of packets (RFC 8289 section 5), shared by `codel` and `fq-codel`.

use ackclock_core::parameters;

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

/// Constants of a controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants {
    delays: Delays,
    /// `maxpacket_`: a packet is not dropped if at most this number of bytes waits behind it.
    packet_size: u64,
    marking: Marking,
}

impl Constants {
    pub(super) fn new(settings: &Settings<'_>) -> Constants {
        Constants {
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
}

impl Codel {
    /// Takes packets from `take` in order and returns the first that is to be sent at `at` (RFC 8289 section 5.5).
    pub(super) fn dequeue(
        &mut self,
        constants: &Constants,
        at: Nanos,
        mut take: impl FnMut() -> Option<Taken>,
        drops: &mut Drops,
    ) -> Option<Item> {
        let mut head = self.head(constants, at, take());
        if self.dropping {
            self.dropping = head.is_some_and(|head| head.ok_to_drop);
            while let Some(current) = head.as_mut().filter(|_| self.dropping && at >= self.drop_next) {
                self.count = self.count.saturating_add(1);
                if constants.marking.ecn && current.item.mark() {
                    self.drop_next = control_law(self.drop_next, constants.delays.interval, self.count);
                    break;
                }
                drops.push((current.item, DropCause::Aqm));
                head = self.head(constants, at, take());
                self.dropping = head.is_some_and(|head| head.ok_to_drop);
                if self.dropping {
                    self.drop_next = control_law(self.drop_next, constants.delays.interval, self.count);
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
        if constants.marking.ce_threshold.is_some_and(|threshold| at - item.arrival > threshold) {
            item.mark();
        }
        Some(item)
    }

    /// Enters the drop state. If the last drop state ended recently, its count is used again.
    fn enter(&mut self, constants: &Constants, at: Nanos) {
        let drops_last_time = self.count - self.last_count;
        let recent = at < self.drop_next.saturating_add(16 * constants.delays.interval);
        self.dropping = true;
        self.count = if recent && drops_last_time > 1 { drops_last_time } else { 1 };
        self.drop_next = control_law(at, constants.delays.interval, self.count);
        self.last_count = self.count;
    }

    /// Updates the estimate with the sojourn time of the packet taken (RFC 8289 section 5.6, dodequeue).
    fn head(&mut self, constants: &Constants, at: Nanos, taken: Option<Taken>) -> Option<Head> {
        let Some((item, behind)) = taken else {
            self.first_above = None;
            return None;
        };
        let mut ok_to_drop = false;
        if at - item.arrival < constants.delays.target || behind <= constants.packet_size {
            self.first_above = None;
        } else {
            match self.first_above {
                None => self.first_above = Some(at.saturating_add(constants.delays.interval)),
                Some(first_above) => ok_to_drop = at >= first_above,
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
