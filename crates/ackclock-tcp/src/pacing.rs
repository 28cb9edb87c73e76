//! Pacing: the time at which the next segment may be sent.

use crate::{Nanos, SECOND, context::Window};

/// Bytes of IPv4 and TCP header without options, which count for pacing, too.
pub(crate) const HEADERS: u64 = 40;

/// Pacing of a sender, by name in scenarios.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Pacing {
    /// `off`: segments are sent as soon as the window allows.
    Off,
    /// `fq`: segments are spread over the smoothed RTT as in Linux's FQ queue discipline, at `gain * cwnd / SRTT`.
    Fq {
        /// Gain in slow start, per cent (Linux `tcp_pacing_ss_ratio`: 200).
        slow_start_percent: u32,
        /// Gain in congestion avoidance, per cent (Linux `tcp_pacing_ca_ratio`: 120; 200 before Linux 4.3).
        avoidance_percent: u32,
        /// Bytes that may be sent back to back after idle (FQ's quantum: two packets).
        quantum: u64,
        /// Bytes at the start of a connection that are not paced (FQ's initial quantum: ten packets); 0 for none.
        initial: u64,
    },
}

/// The pacer of one sender.
#[derive(Clone, Copy, Debug)]
pub struct Pacer {
    pacing: Pacing,
    /// Time at which the bytes released so far have been sent at the pacing rate, ns.
    paid: Nanos,
    /// Bytes that may still be sent without pacing.
    free: u64,
}

impl Pacer {
    /// Makes a pacer that may release a segment at once.
    pub fn new(pacing: Pacing) -> Pacer {
        let free = match pacing {
            Pacing::Fq { initial, .. } => initial,
            Pacing::Off => 0,
        };
        Pacer { pacing, paid: 0, free }
    }

    /// The pacing rate in bytes per second, `None` if segments are not paced (off, or before the first RTT sample).
    pub fn rate(&self, window: &Window, srtt: Option<Nanos>) -> Option<u64> {
        let Pacing::Fq { slow_start_percent, avoidance_percent, .. } = self.pacing else {
            return window.pacing_rate;
        };
        if window.pacing_rate.is_some() {
            return window.pacing_rate;
        }
        // Linux net/ipv4/tcp_input.c, tcp_update_pacing_rate: the slow-start gain holds below ssthresh / 2.
        let percent = if window.cwnd < window.ssthresh / 2 { slow_start_percent } else { avoidance_percent };
        let srtt = u128::from(srtt?.max(1));
        let rate = u128::from(window.cwnd) * u128::from(percent) * u128::from(SECOND) / (100 * srtt);
        Some(u64::try_from(rate).unwrap_or(u64::MAX).max(1))
    }

    /// The time from which the next segment may be sent.
    #[inline]
    pub fn release_time(&self) -> Nanos {
        self.paid
    }

    /// Accounts for a segment of `bytes` that is sent at `now`.
    //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.2
    //# SHOULD control the maximum burst size, e.g., using a rate-based pacing algorithm
    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.4
    //# It is RECOMMENDED that implementations use pacing to reduce the burstiness of data traffic
    #[inline]
    pub fn on_sent(&mut self, now: Nanos, bytes: u64, rate: Option<u64>) {
        let Some(rate) = rate else { return };
        if bytes <= self.free {
            self.free -= bytes;
            return;
        }
        // An idle flow has at most a quantum of credit; unused credit expires.
        let credit = match self.pacing {
            Pacing::Fq { quantum, .. } => cost(quantum.saturating_sub(bytes), rate),
            Pacing::Off => 0,
        };
        self.paid = self.paid.max(now.saturating_sub(credit)).saturating_add(cost(bytes, rate));
    }

    /// Delays the next segment as if `bytes` had been sent at `rate` from time `last`, when the last segment was sent.
    pub(crate) fn wait_since(&mut self, last: Nanos, bytes: u64, rate: Option<u64>) {
        self.paid = last.saturating_add(rate.map_or(0, |rate| cost(bytes, rate)));
    }
}

/// The time that `bytes` take at `rate` bytes per second, ns.
#[inline]
fn cost(bytes: u64, rate: u64) -> Nanos {
    let ns = u128::from(bytes) * u128::from(SECOND) / u128::from(rate);
    u64::try_from(ns).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MILLISECOND;

    const FQ: Pacing = Pacing::Fq { slow_start_percent: 200, avoidance_percent: 120, quantum: 3000, initial: 0 };
    const RTT: Option<Nanos> = Some(100 * MILLISECOND);

    fn window(cwnd: u64, ssthresh: u64) -> Window {
        Window { cwnd, ssthresh, pacing_rate: None }
    }

    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.4
    //= type=test
    //# It is RECOMMENDED that implementations use pacing to reduce the burstiness of data traffic
    #[test]
    fn the_rate_is_gain_times_cwnd_over_srtt() {
        let pacer = Pacer::new(FQ);
        assert_eq!(pacer.rate(&window(10_000, u64::MAX), RTT), Some(200_000), "slow start: twice");
        assert_eq!(pacer.rate(&window(10_000, 20_000), RTT), Some(120_000), "from half of ssthresh on: 1.2");
        assert_eq!(pacer.rate(&window(9_999, 20_000), RTT), Some(199_980));
    }

    #[test]
    fn nothing_is_paced_when_off_or_before_a_sample() {
        assert_eq!(Pacer::new(Pacing::Off).rate(&window(10_000, 20_000), RTT), None);
        let mut pacer = Pacer::new(FQ);
        assert_eq!(pacer.rate(&window(10_000, 20_000), None), None);
        pacer.on_sent(5, 1500, None);
        assert_eq!(pacer.release_time(), 0);
    }

    #[test]
    fn a_congestion_controls_own_rate_stands() {
        let asked = Window { pacing_rate: Some(7), ..window(10_000, 20_000) };
        assert_eq!(Pacer::new(FQ).rate(&asked, RTT), Some(7));
        assert_eq!(Pacer::new(Pacing::Off).rate(&asked, RTT), Some(7));
    }

    //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.2
    //= type=test
    //# SHOULD control the maximum burst size, e.g., using a rate-based pacing algorithm
    #[test]
    fn after_idle_a_quantum_leaves_at_once_and_the_rest_at_the_rate() {
        let mut pacer = Pacer::new(FQ);
        let start = 10_000 * MILLISECOND;
        let mut released = Vec::new();
        for _ in 0..5 {
            let now = pacer.release_time().max(start);
            released.push((now - start) / MILLISECOND);
            pacer.on_sent(now, 1500, Some(150_000));
        }
        assert_eq!(released, [0, 0, 10, 20, 30], "1500 bytes take 10 ms; a quantum is two of them");
    }

    #[test]
    fn the_initial_quantum_leaves_for_nothing() {
        let fq = Pacing::Fq { slow_start_percent: 200, avoidance_percent: 120, quantum: 3000, initial: 4500 };
        let mut pacer = Pacer::new(fq);
        let start = 10_000 * MILLISECOND;
        for expected in [0, 0, 0, 0, 0, 10, 20] {
            assert_eq!(pacer.release_time().saturating_sub(start) / MILLISECOND, expected);
            pacer.on_sent(start, 1500, Some(150_000));
        }
    }

    #[test]
    fn credit_does_not_pile_up_over_a_long_pause() {
        let mut pacer = Pacer::new(FQ);
        for start in [1_000 * MILLISECOND, 100_000 * MILLISECOND] {
            for expected in [0, 10] {
                pacer.on_sent(start, 1500, Some(150_000));
                assert_eq!(pacer.release_time(), start + expected * MILLISECOND);
            }
        }
    }
}
