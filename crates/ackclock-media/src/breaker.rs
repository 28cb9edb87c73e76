//! The circuit breaker of RTP (RFC 8083): conditions under which a sender ceases transmission, whatever its congestion
//! control does.

use std::collections::VecDeque;

use ackclock_core::Nanos;

/// Condition that made a sender cease transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// No report has come (section 4.1).
    RtcpTimeout,
    /// Reports say that no media arrives (section 4.2).
    MediaTimeout,
    /// The rate is ten times that of a TCP flow with the same losses (section 4.3).
    Congestion,
}

/// Intervals without a report until the RTCP timeout, and the least length of an interval in ns: T_min of 5 s.
const TIMEOUT: u64 = 3;
const LEAST_INTERVAL: Nanos = 5_000_000_000;
/// Reports without media until the media timeout: k.
const REPORTS: f64 = 5.0;
/// Times by which the rate may exceed that of TCP.
const ORDER: f64 = 10.0;

/// A report, for the congestion condition.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// Fraction of packets lost.
    lost: f64,
    /// Time since the report before, in seconds.
    duration: f64,
}

/// The breaker of a sender.
#[derive(Debug)]
pub struct Breaker {
    /// Time between frames in seconds, T_f.
    frame: f64,
    last: Nanos,
    highest: Option<u64>,
    silent: u32,
    blocks: VecDeque<Block>,
}

impl Breaker {
    /// Creates the breaker of a sender that starts at `now` and sends a frame each `frame` seconds.
    pub fn new(now: Nanos, frame: f64) -> Breaker {
        Breaker { frame, last: now, highest: None, silent: 0, blocks: VecDeque::new() }
    }

    /// Returns the time at which the RTCP timeout comes if there is no report before it: three reporting intervals,
    /// each of 5 s at least (section 4.1).
    pub fn due(&self) -> Nanos {
        self.last.saturating_add(TIMEOUT * LEAST_INTERVAL)
    }

    /// Returns whether the RTCP timeout has come.
    pub fn expire(&self, now: Nanos) -> Option<Reason> {
        (now >= self.due()).then_some(Reason::RtcpTimeout)
    }

    /// Takes a report: the highest number received, the packets of which it has news and how many of them are lost, the
    /// RTT in ns, the sending rate in bit/s and the size of packets in bytes. Returns a condition that holds.
    #[expect(clippy::too_many_arguments, reason = "the quantities of the RFC's conditions")]
    pub fn on_report(
        &mut self,
        now: Nanos,
        highest: Option<u64>,
        packets: u64,
        lost: u64,
        rtt: Nanos,
        rate: f64,
        size: f64,
    ) -> Option<Reason> {
        let duration = now.saturating_sub(self.last) as f64 / 1e9;
        self.last = now;
        let (interval, rtt) = (duration.max(1e-3), rtt as f64 / 1e9);
        if highest > self.highest || packets > 0 {
            (self.highest, self.silent) = (highest.max(self.highest), 0);
        } else {
            self.silent += 1;
            // MEDIA_TIMEOUT = ceil(k * max(Tf, Tr, Tdr) / Tdr).
            let timeout = libm::ceil(REPORTS * self.frame.max(rtt).max(interval) / interval);
            if f64::from(self.silent) >= timeout {
                return Some(Reason::MediaTimeout);
            }
        }
        let lost = if packets > 0 { lost as f64 / packets as f64 } else { 0.0 };
        self.blocks.push_back(Block { lost, duration });
        // CB_INTERVAL = ceil(3 * min(max(10 * G * Tf, 10 * Tr, 3 * Tdr), max(15, 3 * Td)) / (3 * Tdr)), with groups of
        // one frame.
        let mean = self.blocks.iter().map(|block| block.duration).sum::<f64>() / self.blocks.len() as f64;
        let mean = mean.max(1e-3);
        let reaction = (10.0 * self.frame).max(10.0 * rtt).max(3.0 * mean).min(f64::max(15.0, 3.0 * mean));
        let count = libm::ceil(3.0 * reaction / (3.0 * mean)) as usize;
        if self.blocks.len() <= count {
            return None;
        }
        while self.blocks.len() > count {
            self.blocks.pop_front();
        }
        let total: f64 = self.blocks.iter().map(|block| block.duration).sum();
        let loss = self.blocks.iter().map(|block| block.lost * block.duration).sum::<f64>() / total;
        // X = s / (Tr * sqrt(2 b p / 3)), with an acknowledgment of each packet (b = 1).
        let tcp = size * 8.0 / (rtt.max(1e-6) * libm::sqrt(2.0 * loss / 3.0));
        (loss > 0.0 && rate > ORDER * tcp).then_some(Reason::Congestion)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;

    /// Reports every 100 ms of ten packets each, from the second report on, with a loss ratio in tenths.
    fn feed(breaker: &mut Breaker, reports: std::ops::Range<u64>, lost: u64, rate: f64) -> Option<(u64, Reason)> {
        reports.into_iter().find_map(|report| {
            let now = report * 100 * MS;
            let found = breaker.on_report(now, Some(report * 10), 10, lost, 100 * MS, rate, 1_000.0);
            found.map(|reason| (report, reason))
        })
    }

    #[test]
    fn fifteen_seconds_without_a_report() {
        let mut breaker = Breaker::new(0, 0.033);
        assert_eq!((breaker.due(), breaker.expire(14_999 * MS)), (15_000 * MS, None));
        assert_eq!(breaker.expire(15_000 * MS), Some(Reason::RtcpTimeout));
        feed(&mut breaker, 1..11, 0, 1e6);
        assert_eq!(breaker.due(), 16_000 * MS);
    }

    #[test]
    fn reports_without_media() {
        let mut breaker = Breaker::new(0, 0.033);
        assert_eq!(feed(&mut breaker, 1..11, 0, 1e6), None);
        let mut silent = |report: u64| breaker.on_report(report * 100 * MS, Some(100), 0, 0, 400 * MS, 1e6, 1_000.0);
        // ceil(5 * max(33, 400, 100) / 100) = 20 reports.
        assert!((11..30).all(|report| silent(report).is_none()));
        assert_eq!(silent(30), Some(Reason::MediaTimeout));
    }

    /// With an RTT of 100 ms, packets of 1,000 bytes and a loss of 20 %, TCP has 80,000 / sqrt(0.4 / 3) = 219 kbit/s.
    #[test]
    fn ten_times_the_rate_of_tcp() {
        let mut breaker = Breaker::new(0, 0.033);
        assert_eq!(feed(&mut breaker, 1..100, 2, 2.1e6), None);
        let mut breaker = Breaker::new(0, 0.033);
        // CB_INTERVAL = ceil(max(0.33, 1, 0.3) / 0.1) = 10, and more reports than that are needed.
        assert_eq!(feed(&mut breaker, 1..100, 2, 2.2e6), Some((11, Reason::Congestion)));
        let mut breaker = Breaker::new(0, 0.033);
        assert_eq!(feed(&mut breaker, 1..100, 0, 1e12), None);
    }
}
