//! The degree to which ACKs are aggregated: data that ACKs cover beyond what the bandwidth delivers in the same time.

use crate::{MILLISECOND, Nanos, SECOND};

/// Rounds after which the older maximum is forgotten.
const ROUNDS: u32 = 5;
/// Longest time of data by which the window is increased.
const LONGEST: Nanos = 100 * MILLISECOND;
/// Segments after which an epoch ends in any case.
const MOST: u64 = 1 << 20;

/// Segments that `rate` bytes per second deliver in `time`.
fn delivered(rate: u64, time: Nanos, mss: u64) -> u64 {
    (u128::from(rate) * u128::from(time) / (u128::from(SECOND) * u128::from(mss.max(1)))) as u64
}

/// The largest surplus of the last five to ten rounds, in segments.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Aggregation {
    /// Start of the present epoch, and segments delivered since.
    since: Nanos,
    acked: u64,
    /// The maxima of the present and of the last rounds, alternately, and the index of the present one.
    most: [u64; 2],
    present: usize,
    rounds: u32,
}

impl Aggregation {
    /// Begins an epoch.
    pub fn begin(&mut self, now: Nanos) {
        (self.since, self.acked) = (now, 0);
    }

    /// An ACK delivers `newly` segments. `rate` is the bandwidth in bytes per second and `cwnd` the window in segments.
    pub fn on_ack(&mut self, now: Nanos, newly: u64, round_start: bool, rate: u64, cwnd: u64, mss: u64) {
        if round_start {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                (self.rounds, self.present) = (0, 1 - self.present);
                self.most[self.present] = 0;
            }
        }
        let mut expected = delivered(rate, now.saturating_sub(self.since), mss);
        if self.acked <= expected || self.acked + newly >= MOST {
            self.begin(now);
            expected = 0;
        }
        self.acked += newly;
        let extra = (self.acked - expected).min(cwnd);
        self.most[self.present] = self.most[self.present].max(extra);
    }

    /// The segments to add to the window.
    pub fn extra(&self, rate: u64, mss: u64) -> u64 {
        self.most[0].max(self.most[1]).min(delivered(rate, LONGEST, mss))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surplus_over_the_bandwidth_is_kept_for_five_to_ten_rounds() {
        let mut ack = Aggregation::default();
        // 1000 segments of 1000 bytes per second; ten arrive at once every 10 ms.
        for now in 1..=5 {
            ack.on_ack(now * 10 * MILLISECOND, 10, false, 1_000_000, 100, 1000);
        }
        assert_eq!(ack.extra(1_000_000, 1000), 10);
        ack.on_ack(51 * MILLISECOND, 500, false, 1_000_000, 100, 1000);
        assert_eq!(ack.extra(10_000_000, 1000), 100, "at most the window");
        assert_eq!(ack.extra(500_000, 1000), 50, "at most 100 ms of data");
        for round in 0..9 {
            assert_eq!(ack.extra(10_000_000, 1000), 100, "{round} rounds");
            ack.on_ack(SECOND + round * 10 * MILLISECOND, 1, true, 1_000_000, 100, 1000);
        }
        ack.on_ack(2 * SECOND, 1, true, 1_000_000, 100, 1000);
        assert_eq!(ack.extra(10_000_000, 1000), 1);
    }
}
