//! Round trips and their RTT samples, for delay-based algorithms.

use crate::Nanos;
use crate::context::Delivery;

/// RTT samples of a round trip.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Samples {
    pub count: u32,
    /// Smallest RTT of the connection's data: BaseRTT. The handshake is excluded, as its segments are shorter and so is
    /// their RTT.
    pub base: Nanos,
    /// Smallest sample, ns; zero if there is none.
    pub min: Nanos,
    sum: Nanos,
}

impl Samples {
    fn add(&mut self, rtt: Nanos) {
        self.min = if self.count == 0 { rtt } else { self.min.min(rtt) };
        self.sum = self.sum.saturating_add(rtt);
        self.count += 1;
    }

    /// Mean of the samples, ns; zero if there is none.
    pub fn mean(&self) -> Nanos {
        self.sum / u64::from(self.count.max(1))
    }

    /// Whether there are so many samples that at least one was not of a delayed ACK.
    pub fn suffice(&self) -> bool {
        self.count > 2
    }
}

/// Divides time into round trips. A round trip ends when the data outstanding at its start are acknowledged.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Rounds {
    /// SND.NXT at the start of the round.
    end: u64,
    samples: Samples,
    base: Option<Nanos>,
}

impl Rounds {
    /// Processes an acknowledgment. If it ends a round, returns the samples of that round, including its own.
    pub fn on_delivery(&mut self, delivery: &Delivery) -> Option<Samples> {
        let ack = &delivery.ack;
        if let Some(rtt) = ack.rtt {
            self.samples.add(rtt);
            self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
        }
        if ack.acked == 0 || ack.ctx.snd_una < self.end {
            return None;
        }
        self.end = ack.ctx.snd_nxt;
        let samples = std::mem::take(&mut self.samples);
        Some(Samples { base: self.base.unwrap_or(samples.min), ..samples })
    }
}

/// Estimate of the part of a window that is in queues, bytes, by Little's law: window * (rtt - base) / rtt.
pub(super) fn backlog(window: u64, base: Nanos, rtt: Nanos) -> u64 {
    let waiting = u128::from(window) * u128::from(rtt.saturating_sub(base)) / u128::from(rtt.max(1));
    waiting as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MILLISECOND;
    use crate::cc::path::Path;
    use crate::context::Ack;
    use crate::testing;

    #[test]
    fn the_backlog_is_the_share_of_the_rtt_spent_waiting() {
        assert_eq!(backlog(100_000, 80 * MILLISECOND, 100 * MILLISECOND), 20_000);
        assert_eq!(backlog(100_000, 80 * MILLISECOND, 80 * MILLISECOND), 0);
        assert_eq!(backlog(100_000, 80 * MILLISECOND, 0), 0);
    }

    #[test]
    fn a_round_ends_with_the_data_outstanding_at_its_start_and_base_is_the_minimum() {
        let mut s = Path::avoiding("reno", 3);
        s.send();
        let mut rounds = Rounds::default();
        let mut ended = Vec::new();
        for rtt_ms in [50, 30, 40, 70, 60, 80, 90] {
            s.una += 1000;
            let rtt = Some(rtt_ms * MILLISECOND);
            let ack = Ack { rtt, ..testing::ack(s.ctx(), 1000) };
            if let Some(samples) = rounds.on_delivery(&testing::delivery(ack, s.una)) {
                ended.push([samples.base, samples.min, samples.mean()].map(|time| time / MILLISECOND));
            }
            s.send();
        }
        // The first round ends with the first ACK, and the others with the ACK of the data outstanding at their start.
        assert_eq!(ended, [[50, 50, 50], [30, 30, 35], [30, 60, 65], [30, 80, 85]]);
    }
}
