//! The round-trip estimator of ns-2, which is that of 4.3BSD (V. Jacobson, "Congestion Avoidance and Control", SIGCOMM 1988, appendix A)
//! in ticks of 10 ms: integers with three fractional bits for the mean and two for the deviation.

use crate::{MILLISECOND, Nanos};

/// Agent/TCP tcpTick_.
const TICK: Nanos = 10 * MILLISECOND;
/// Fractional bits.
const MEAN: u32 = 3;
const DEVIATION: u32 = 2;

/// The estimate of one sender.
#[derive(Clone, Default, Debug)]
pub(super) struct Ticks {
    /// In eighths of a tick; 0 before the first sample.
    mean: u64,
    /// In quarters of a tick.
    deviation: u64,
    /// Stream offset from which on a segment is timed again: one is at a time.
    timed: u64,
}

impl Ticks {
    /// Takes a sample, or nothing of it while the segment that is timed is not acknowledged. SRTT, RTTVAR and the timeout
    /// that follows, ns.
    pub fn on_sample(&mut self, rtt: Nanos, una: u64, nxt: u64) -> Option<(Nanos, Nanos, Nanos)> {
        if self.mean > 0 && una <= self.timed {
            return None;
        }
        self.timed = nxt;
        let ticks = (rtt / TICK).max(1);
        if self.mean == 0 {
            (self.mean, self.deviation) = (ticks << MEAN, ticks << (DEVIATION - 1));
        } else {
            let before = self.mean >> MEAN;
            self.mean = (self.mean + ticks - before).max(1);
            // A deviation of less than a tick no longer falls: its quarter is 0 in integers.
            self.deviation = (self.deviation + ticks.abs_diff(before) - (self.deviation >> DEVIATION)).max(1);
        }
        let timeout = (self.deviation << MEAN) + self.mean;
        Some(((self.mean * TICK) >> MEAN, (self.deviation * TICK) >> DEVIATION, (timeout >> MEAN) * TICK))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (SRTT, RTTVAR, timeout) in milliseconds after round trips of so many milliseconds.
    fn after(samples: &[u64]) -> (u64, u64, u64) {
        let mut ticks = Ticks::default();
        let mut last = (0, 0, 0);
        for (&rtt, una) in samples.iter().zip(1..) {
            last = ticks.on_sample(rtt * MILLISECOND, una, una).expect("each is a round trip of its own");
        }
        (last.0 / MILLISECOND, last.1 / MILLISECOND, last.2 / MILLISECOND)
    }

    #[test]
    fn the_first_sample_makes_a_timeout_of_three_times_itself() {
        assert_eq!(after(&[208]), (200, 100, 600));
        assert_eq!(after(&[3]), (10, 5, 30), "a tick at least");
    }

    #[test]
    fn the_deviation_of_a_steady_path_stays_at_three_quarters_of_a_tick() {
        assert_eq!(after(&[208; 100]), (200, 7, 230));
    }

    #[test]
    fn one_segment_is_timed_at_a_time() {
        let mut ticks = Ticks::default();
        assert!(ticks.on_sample(100 * MILLISECOND, 1000, 5000).is_some());
        assert_eq!(ticks.on_sample(900 * MILLISECOND, 5000, 9000), None);
        let (srtt, ..) = ticks.on_sample(180 * MILLISECOND, 5001, 9000).unwrap();
        assert_eq!(srtt, 110 * MILLISECOND);
    }
}
