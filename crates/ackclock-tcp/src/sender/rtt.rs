//! Round-trip time estimation and the retransmission timeout (RFC 6298).

use crate::{MILLISECOND, Nanos};

/// G of RFC 6298: the least the variance term adds.
const GRANULARITY: Nanos = MILLISECOND;

/// The estimator of one sender.
#[derive(Clone, Copy, Debug)]
pub struct Rtt {
    /// SRTT and RTTVAR, once there was a sample.
    smoothed: Option<(Nanos, Nanos)>,
    min: Nanos,
    min_rto: Nanos,
    max_rto: Nanos,
    /// The timeout without backoff.
    base: Nanos,
    /// Doublings since the last sample (RFC 6298 5.5).
    backoff: u32,
}

impl Rtt {
    /// An estimator without a sample, timing out after `initial`; bounds in nanoseconds.
    pub fn new(initial: Nanos, min_rto: Nanos, max_rto: Nanos) -> Rtt {
        Rtt { smoothed: None, min: Nanos::MAX, min_rto, max_rto, base: initial, backoff: 0 }
    }

    /// Takes a sample of a segment that was sent once (Karn's rule), which also ends any backoff.
    #[inline]
    pub fn on_sample(&mut self, rtt: Nanos) {
        self.min = self.min.min(rtt);
        let (srtt, rttvar) = match self.smoothed {
            // 2.2
            None => (rtt, rtt / 2),
            // 2.3: beta 1/4 with the old SRTT, then alpha 1/8.
            Some((srtt, rttvar)) => (srtt - srtt / 8 + rtt / 8, rttvar - rttvar / 4 + srtt.abs_diff(rtt) / 4),
        };
        self.smoothed = Some((srtt, rttvar));
        self.base = (srtt + GRANULARITY.max(4 * rttvar)).clamp(self.min_rto, self.max_rto);
        self.backoff = 0;
    }

    /// The timer expired (5.5).
    pub fn on_timeout(&mut self) {
        self.backoff = (self.backoff + 1).min(32);
    }

    /// The SYN was retransmitted: without a sample yet, data starts with a timeout of at least 3 s (5.7).
    pub fn on_handshake_timeout(&mut self) {
        self.backoff = 0;
        if self.smoothed.is_none() {
            self.base = self.base.max(3 * crate::SECOND);
        }
    }

    /// The retransmission timeout, backoff included.
    #[inline]
    pub fn rto(&self) -> Nanos {
        if self.backoff == 0 {
            return self.base;
        }
        self.backed_off(self.backoff)
    }

    /// The timeout after `doublings`: also the interval between probes of a shut window (RFC 9293 section 3.8.6.1).
    pub fn backed_off(&self, doublings: u32) -> Nanos {
        let doubled = u128::from(self.base) << doublings.min(32);
        doubled.min(u128::from(self.max_rto.max(self.base))) as Nanos
    }

    /// Smoothed RTT, once there was a sample.
    #[inline]
    pub fn srtt(&self) -> Option<Nanos> {
        self.smoothed.map(|(srtt, _)| srtt)
    }

    /// Mean deviation, once there was a sample.
    pub fn rttvar(&self) -> Option<Nanos> {
        self.smoothed.map(|(_, rttvar)| rttvar)
    }

    /// Smallest sample.
    #[inline]
    pub fn min(&self) -> Option<Nanos> {
        (self.min != Nanos::MAX).then_some(self.min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SECOND;

    fn rtt() -> Rtt {
        Rtt::new(SECOND, 200 * MILLISECOND, 60 * SECOND)
    }

    #[test]
    fn first_sample_sets_rto_to_three_times_itself() {
        let mut rtt = rtt();
        assert_eq!(rtt.rto(), SECOND);
        rtt.on_sample(100 * MILLISECOND);
        assert_eq!(rtt.srtt(), Some(100 * MILLISECOND));
        assert_eq!(rtt.rto(), 300 * MILLISECOND);
    }

    #[test]
    fn second_sample_follows_the_worked_arithmetic() {
        let mut rtt = rtt();
        rtt.on_sample(100 * MILLISECOND);
        rtt.on_sample(180 * MILLISECOND);
        // RTTVAR = 3/4*50 + 1/4*80 = 57.5 ms; SRTT = 7/8*100 + 1/8*180 = 110 ms.
        assert_eq!(rtt.srtt(), Some(110 * MILLISECOND));
        assert_eq!(rtt.rto(), 340 * MILLISECOND);
    }

    #[test]
    fn a_steady_rtt_is_bounded_by_the_least_timeout() {
        let mut rtt = rtt();
        for _ in 0..100 {
            rtt.on_sample(50 * MILLISECOND);
        }
        assert_eq!(rtt.rto(), 200 * MILLISECOND);
    }

    #[test]
    fn backoff_doubles_until_the_bound_and_a_sample_ends_it() {
        let mut rtt = rtt();
        rtt.on_sample(100 * MILLISECOND);
        let rtos: Vec<Nanos> = (0..10)
            .map(|_| {
                rtt.on_timeout();
                rtt.rto() / MILLISECOND
            })
            .collect();
        assert_eq!(rtos, [600, 1200, 2400, 4800, 9600, 19_200, 38_400, 60_000, 60_000, 60_000]);
        rtt.on_sample(100 * MILLISECOND);
        assert!(rtt.rto() < 300 * MILLISECOND);
    }

    #[test]
    fn a_lost_syn_raises_the_timeout_for_data_to_three_seconds() {
        let mut rtt = rtt();
        rtt.on_timeout();
        rtt.on_handshake_timeout();
        assert_eq!(rtt.rto(), 3 * SECOND);
    }
}
