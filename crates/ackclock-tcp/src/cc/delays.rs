//! Filters of delay samples: the base delay, which is that of a path without a queue, and the current delay (RFC 6817
//! section 2.4.2).

use crate::{Nanos, SECOND};

/// BASE_HISTORY: number of minutes whose smallest samples are kept.
const MINUTES: usize = 10;
const MINUTE: Nanos = 60 * SECOND;
/// CURRENT_FILTER: number of samples whose smallest is the current delay, unless they are older than a round trip
/// (section 2.5).
const SAMPLES: usize = 4;

/// The smallest delay of the last ten minutes, kept by the minute, and the smallest of the last four samples of a round
/// trip. Delays are in nanoseconds plus an unknown constant, which may be negative.
#[derive(Clone, Copy, Debug)]
pub struct Delays {
    minute: u64,
    minima: [i64; MINUTES],
    /// Time and delay of each sample.
    last: [(Nanos, i64); SAMPLES],
    next: usize,
}

impl Default for Delays {
    fn default() -> Delays {
        Delays { minute: 0, minima: [i64::MAX; MINUTES], last: [(0, i64::MAX); SAMPLES], next: 0 }
    }
}

impl Delays {
    /// Adds a sample. Samples older than `rtt` no longer count as current. Minutes without samples are ignored.
    pub fn update(&mut self, now: Nanos, delay: i64, rtt: Nanos) {
        let minute = now / MINUTE;
        let gone = minute.saturating_sub(self.minute).min(MINUTES as u64);
        for _ in 0..gone {
            self.minima.rotate_left(1);
            self.minima[MINUTES - 1] = i64::MAX;
        }
        self.minute = minute;
        let newest = &mut self.minima[MINUTES - 1];
        *newest = delay.min(*newest);
        for (at, old) in &mut self.last {
            if now - *at > rtt {
                *old = i64::MAX;
            }
        }
        self.last[self.next] = (now, delay);
        self.next = (self.next + 1) % SAMPLES;
    }

    /// The base delay; `None` before the first sample.
    pub fn base(&self) -> Option<i64> {
        self.minima.into_iter().min().filter(|&base| base < i64::MAX)
    }

    /// The queueing delay: the current delay minus the base delay.
    pub fn queueing(&self) -> Option<Nanos> {
        let current = self.last.into_iter().map(|(_, delay)| delay).min().filter(|&current| current < i64::MAX)?;
        Some(current.saturating_sub(self.base()?).max(0) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_is_the_smallest_of_ten_minutes() {
        let mut delays = Delays::default();
        assert_eq!((delays.base(), delays.queueing()), (None, None));
        delays.update(0, -500, SECOND);
        for minute in 1..10 {
            delays.update(minute * MINUTE, 100 + minute as i64, SECOND);
            assert_eq!(delays.base(), Some(-500));
        }
        delays.update(10 * MINUTE, 300, SECOND);
        assert_eq!(delays.base(), Some(101));
        delays.update(100 * MINUTE, 900, SECOND);
        assert_eq!(delays.base(), Some(900), "after a long pause all older samples have expired");
    }

    #[test]
    fn the_current_delay_is_the_smallest_of_four() {
        let mut delays = Delays::default();
        for delay in [10, 50, 60, 70] {
            delays.update(0, delay, SECOND);
        }
        assert_eq!(delays.queueing(), Some(0));
        delays.update(0, 80, SECOND);
        assert_eq!(delays.queueing(), Some(40));
    }

    #[test]
    fn samples_of_an_earlier_round_trip_are_not_current() {
        let mut delays = Delays::default();
        let at = |ms: u64| ms * SECOND / 1000;
        delays.update(at(1000), 10, at(100));
        delays.update(at(1050), 30, at(100));
        delays.update(at(1100), 90, at(100));
        assert_eq!(delays.queueing(), Some(0), "the first sample is exactly a round trip old");
        delays.update(at(1101), 80, at(100));
        assert_eq!(delays.queueing(), Some(20));
        delays.update(at(1300), 70, at(100));
        assert_eq!(delays.queueing(), Some(60), "the newest sample always counts");
    }
}
