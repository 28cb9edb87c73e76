//! The round-trip estimator of ns-2, which is the estimator of 4.3BSD (V. Jacobson, "Congestion Avoidance and Control",
//! SIGCOMM 1988, appendix A) in ticks, of 10 ms by default: integers with three fractional bits for the mean and two for the
//! deviation.

use crate::{MILLISECOND, Nanos};

/// Default of Agent/TCP tcpTick_.
const TICK: Nanos = 10 * MILLISECOND;
/// Fractional bits.
const MEAN: u32 = 3;
const DEVIATION: u32 = 2;

/// The estimate of one sender.
#[derive(Clone, Debug)]
pub(super) struct Ticks {
    /// tcpTick_, ns.
    tick: Nanos,
    /// Whether every new ACK gives a sample, the difference of two timestamps.
    timestamps: bool,
    /// Whether an RTT below the mean raises the deviation by an eighth only.
    soft: bool,
    /// Mean RTT in eighths of a tick; 0 before the first sample.
    mean: u64,
    /// Mean deviation in quarters of a tick.
    deviation: u64,
    /// Stream offset from which on the next segment is timed; only one segment is timed at a time.
    timed: u64,
}

impl Ticks {
    /// The defaults: one segment is timed at a time, in ticks of 10 ms.
    pub fn new() -> Ticks {
        Ticks { tick: TICK, timestamps: false, soft: false, mean: 0, deviation: 0, timed: 0 }
    }

    /// Creates the estimator with timestamps and ticks of `tick` ns.
    pub fn of_timestamps(tick: Nanos) -> Ticks {
        Ticks { tick, timestamps: true, ..Ticks::new() }
    }

    /// The agent with Linux's congestion controls (tcp/tcp-linux.cc, rtt_update): ticks of 1 ms.
    pub fn of_linux() -> Ticks {
        Ticks { soft: true, ..Ticks::of_timestamps(MILLISECOND) }
    }

    /// Takes a sample; returns `None` while the segment being timed is not acknowledged. The sample is the number of
    /// clock ticks since the segment left. Returns SRTT, RTTVAR and the resulting timeout, ns.
    pub fn on_sample(&mut self, now: Nanos, rtt: Nanos, una: u64, nxt: u64) -> Option<(Nanos, Nanos, Nanos)> {
        if !self.timestamps && self.mean > 0 && una <= self.timed {
            return None;
        }
        self.timed = nxt;
        // With timestamps, tcp/tcp.cc rounds the time to ticks; without, it counts the ticks of the clock.
        let tick = self.tick;
        let ticks = if self.timestamps { (rtt + tick / 2) / tick } else { now / tick - now.saturating_sub(rtt) / tick };
        let ticks = ticks.max(1);
        if self.mean == 0 {
            (self.mean, self.deviation) = (ticks << MEAN, ticks << (DEVIATION - 1));
        } else {
            let before = self.mean >> MEAN;
            self.mean = (self.mean + ticks - before).max(1);
            let (error, quarter) = (ticks.abs_diff(before), self.deviation >> DEVIATION);
            // A deviation of less than a tick no longer decreases: its quarter is 0 in integers.
            self.deviation = if self.soft && ticks < before && error > quarter {
                self.deviation + ((error - quarter) >> MEAN)
            } else {
                self.deviation + error - quarter
            };
            if !self.soft {
                self.deviation = self.deviation.max(1);
            }
        }
        let timeout = (self.deviation << MEAN) + self.mean;
        Some(((self.mean * tick) >> MEAN, (self.deviation * tick) >> DEVIATION, (timeout >> MEAN) * tick))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SECOND;

    /// The mean in eighths of a tick, the deviation in quarters of a tick and the timeout in milliseconds after `count`
    /// consecutive round trips of `rtt` milliseconds, beginning at time 0.
    fn after(rtt: u64, count: u64) -> (u64, u64, u64) {
        let mut ticks = Ticks::new();
        let mut timeout = 0;
        for round in 1..=count {
            let now = round * rtt * MILLISECOND;
            timeout = ticks.on_sample(now, rtt * MILLISECOND, round, round).expect("each is a round trip of its own").2;
        }
        (ticks.mean, ticks.deviation, timeout / MILLISECOND)
    }

    #[test]
    fn the_first_sample_makes_a_timeout_of_three_times_itself() {
        assert_eq!(after(200, 1), (160, 40, 600));
        assert_eq!(after(3, 1), (8, 2, 30), "a tick at least");
    }

    /// Reference values from ns-2.35: srtt_, rttvar_ and the timeout of an Agent/TCP/Sack1 over a path of 208 ms,
    /// recorded 164 times, a round trip apart, from 6 s on.
    #[test]
    fn a_steady_path_is_seen_as_often_in_each_state_as_in_ns_2() {
        let seen = |state| (29..=192).filter(|&count| after(208, count) == state).count();
        assert_eq!([(168, 3, 240), (167, 4, 240), (168, 4, 250)].map(seen), [98, 33, 33]);
    }

    #[test]
    fn timestamps_give_a_sample_with_every_ack_in_ticks_of_their_own() {
        let mut ticks = Ticks::of_timestamps(MILLISECOND / 10);
        // 151.26 ms are 1513 ticks, and the deviation is half of them; another sample of the same size leaves 3/8.
        let first = ticks.on_sample(200 * MILLISECOND, 151_260_000, 1000, 5000).unwrap();
        assert_eq!((first.0, first.2), (151_300_000, 453_900_000));
        let second = ticks.on_sample(200 * MILLISECOND, 151_260_000, 2000, 5000).expect("within the same round trip");
        assert_eq!((second.0, second.1), (151_300_000, 56_750_000));
    }

    #[test]
    fn a_falling_rtt_hardly_raises_the_deviation_of_the_agent_of_linux() {
        let deviations = [Ticks::of_linux(), Ticks::of_timestamps(MILLISECOND)].map(|mut ticks| {
            ticks.on_sample(SECOND, 200 * MILLISECOND, 1, 9);
            ticks.on_sample(SECOND, 100 * MILLISECOND, 2, 9);
            ticks.deviation
        });
        // 400 quarters at first; the error is 100 and a quarter of the deviation 100. The mean is 187 ticks then.
        assert_eq!(deviations, [400, 400]);
        let mut ticks = Ticks::of_linux();
        ticks.on_sample(SECOND, 200 * MILLISECOND, 1, 9);
        ticks.on_sample(SECOND, 20 * MILLISECOND, 2, 9);
        assert_eq!(ticks.deviation, 400 + 10, "an eighth of 80");
    }

    #[test]
    fn one_segment_is_timed_at_a_time() {
        let mut ticks = Ticks::new();
        assert!(ticks.on_sample(100 * MILLISECOND, 100 * MILLISECOND, 1000, 5000).is_some());
        assert_eq!(ticks.on_sample(900 * MILLISECOND, 800 * MILLISECOND, 5000, 9000), None);
        let (srtt, ..) = ticks.on_sample(900 * MILLISECOND, 180 * MILLISECOND, 5001, 9000).unwrap();
        assert_eq!(srtt, 110 * MILLISECOND);
    }
}
