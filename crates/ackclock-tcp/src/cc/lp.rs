//! TCP-LP: a background transfer that uses the capacity left by other traffic, and detects congestion early from the
//! one-way delay (A. Kuzmanovic, E. Knightly, "TCP-LP: low-priority service via end-point congestion control", IEEE/ACM
//! Transactions on Networking 14(4), 2006).
//!
//! # Equations
//!
//! The one-way delay d of each ACK is smoothed, `sd = (1 - gamma) sd + gamma d`. Let dmin and dmax be the smallest and
//! the largest d. Congestion is indicated early if `sd > dmin + delta (dmax - dmin)`.
//!
//! - At an indication, cwnd is halved and stays constant for an inference phase.
//! - At another indication within that phase, other traffic is assumed: cwnd becomes one segment, and the phase starts
//!   again.
//! - After the phase, and without indications, the window grows as in Reno. The responses to loss and timeouts are
//!   Reno's.
//!
//! An ACK for a single segment may have waited at a receiver that delays ACKs. The delay of such an ACK can be the
//! smallest, but counts neither towards sd nor towards dmax. Otherwise a window of one segment, whose ACKs all wait,
//! would indicate congestion for ever.
//!
//! Segments sent before a response give no further indications. The delay is smoothed anew from the first segment sent
//! after it.
//!
//! # Constants
//!
//! delta is 0.15 and gamma 1/8 (the paper). The inference phase is three round-trip times, as in Linux
//! (net/ipv4/tcp_lp.c).
//!
//! # Deviations
//!
//! - The paper's equations have no rule for delayed ACKs.
//! - The one-way delay comes from timestamps (RFC 7323), in milliseconds. Without timestamps the round-trip time takes
//!   its place.
//! - dmin and dmax are those of the connection; Linux resets both at each indication.
//! - ssthresh follows cwnd down to two segments, so that additive increase comes next, as in the paper; Linux keeps
//!   ssthresh.
//! - Slow start is the standard one and is not ended by delay. Without a loss dmax is not known, and any delay would be
//!   a large part of it.
//! - While a loss is being repaired, the recovery sets the window.
//!
//! # Validated against
//!
//! The phases by arithmetic; a single flow uses most of the path and keeps the queue near delta. Not compared with
//! another implementation.

use super::delayed_acks::DelayedAcks;
use super::reno::Reno;
use super::{CongestionControl, Entry, Scope};
use crate::Nanos;
use crate::context::{Ack, Congestion, Context, Delivery, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "lp-paper",
    summary: "background transfer: yields at early signs of congestion in the one-way delay",
    source: "Kuzmanovic, Knightly, IEEE/ACM Transactions on Networking 14(4), 2006",
    parameters: Law::ROWS,
    make: |given| {
        let Law { delta } = Law::read(given);
        Box::new(Lp::new(delta))
    },
};

ackclock_core::parameters! {
    /// Constants of the inference.
    struct Law {
        delta: f64 = is(0.15), (0.01, 1.0), Number, "share of the largest queueing delay that indicates congestion";
    }
}

/// The divisor 1 / gamma.
const SMOOTHING: i64 = 8;
/// Duration of an inference phase, round-trip times.
const PHASE: Nanos = 3;

/// One-way delays in nanoseconds, plus an unknown constant.
#[derive(Clone, Copy, Debug)]
struct Delays {
    smoothed: i64,
    least: i64,
    most: i64,
}

#[derive(Debug)]
struct Lp {
    delta: f64,
    acks: DelayedAcks,
    delays: Option<Delays>,
    /// Time of the last response to an indication, and the round-trip time then.
    answered: Option<(Nanos, Nanos)>,
    /// Whether the next delay restarts the smoothing.
    anew: bool,
    reno: Reno,
}

impl Lp {
    fn new(delta: f64) -> Lp {
        let acks = DelayedAcks::default();
        Lp { delta, acks, delays: None, answered: None, anew: false, reno: Reno::default() }
    }

    /// Adds the delay of an ACK that may have waited at the receiver.
    fn add_delayed(&mut self, delay: i64) {
        if let Some(delays) = &mut self.delays {
            delays.least = delays.least.min(delay);
        }
    }

    /// Adds a delay sample. Returns whether it indicates congestion.
    fn indicates(&mut self, delay: i64) -> bool {
        let delays = self.delays.get_or_insert(Delays { smoothed: delay, least: delay, most: delay });
        if std::mem::take(&mut self.anew) {
            delays.smoothed = delay;
        }
        delays.smoothed += (delay - delays.smoothed) / SMOOTHING;
        delays.least = delays.least.min(delay);
        delays.most = delays.most.max(delay);
        let threshold = self.delta * (delays.most - delays.least) as f64;
        (delays.smoothed - delays.least) as f64 > threshold
    }

    /// Whether the inference phase after the last response is still running.
    fn infers(&self, now: Nanos) -> bool {
        self.answered.is_some_and(|(at, rtt)| now - at < PHASE * rtt)
    }
}

impl CongestionControl for Lp {
    fn scope(&self) -> Scope {
        Scope { slow_start: true, deliveries: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let ctx = &delivery.ack.ctx;
        let waited = self.acks.may_have_waited(&delivery.ack);
        let old = |sent_at: Nanos| self.answered.is_some_and(|(at, _)| sent_at < at);
        let Some(sent_at) = delivery.sent_at.filter(|&sent_at| !old(sent_at)) else { return };
        let rtt = ctx.now - sent_at;
        let delay = delivery.forward_delay.unwrap_or(rtt as i64);
        if waited {
            self.add_delayed(delay);
            return;
        }
        if !self.indicates(delay) || ctx.in_recovery || window.in_slow_start() {
            return;
        }
        let kept = if self.infers(ctx.now) { ctx.mss } else { (window.cwnd / 2).max(ctx.mss) };
        window.cwnd = window.cwnd.min(kept);
        window.ssthresh = kept.max(2 * ctx.mss);
        self.answered = Some((ctx.now, rtt));
        self.anew = true;
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        if self.infers(ack.ctx.now) {
            return;
        }
        if window.in_slow_start() {
            window.cwnd += acked.min(2 * ack.ctx.mss).min(window.ssthresh - window.cwnd);
        } else {
            self.reno.on_ack(window, ack, acked);
        }
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.reno.ssthresh(window, event)
    }

    fn reset(&mut self, ctx: &Context) {
        self.reno.reset(ctx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::path::{MSS, Path};
    use crate::testing;
    use crate::{MILLISECOND, SECOND};

    fn lp() -> Lp {
        Lp::new(0.15)
    }

    /// Delivers a segment with a one-way delay of `delay` ms, 100 ms after it was sent.
    fn deliver(s: &mut Path, ms: u64, delay: u64) -> Ack {
        s.now = ms * MILLISECOND;
        s.nxt = s.una + 40 * MSS;
        let ack = testing::ack(s.ctx(), MSS);
        let delivery = Delivery {
            sent_at: Some(s.now - 100 * MILLISECOND),
            forward_delay: Some((delay * MILLISECOND) as i64),
            ..testing::delivery(ack, MSS)
        };
        s.sender.cc.on_delivery(&mut s.sender.window, &delivery);
        ack
    }

    /// Delivers a segment, lets the window grow by a full window of ACKs, and returns it in segments.
    fn at(s: &mut Path, ms: u64, delay: u64) -> u64 {
        let ack = deliver(s, ms, delay);
        s.sender.cc.on_ack(&mut s.sender.window, &ack, 40 * MSS);
        s.window.cwnd / MSS
    }

    #[test]
    fn the_smoothed_delay_indicates_above_its_part_of_the_range() {
        let mut lp = lp();
        assert!(!lp.indicates(-1000), "a single delay has no range");
        // The range is 8,000 and the threshold 1,200. The first sample raises the smoothed delay by 8,000 / 8 = 1,000.
        assert!(!lp.indicates(7000));
        assert!(lp.indicates(7000));
        let below = (0..20).position(|_| !lp.indicates(-1000)).unwrap();
        assert_eq!(below, 3, "1,875 falls below 1,200 in steps of one eighth");
        assert!(lp.indicates(7000) || lp.indicates(7000));
        lp.anew = true;
        assert!(!lp.indicates(-1000), "the smoothing restarts");
        let mut lp = self::lp();
        assert!(!lp.indicates(7000));
        assert!(lp.indicates(-1000), "a smaller delay shows that there has been a queue before");
    }

    #[test]
    fn halved_then_one_segment_then_additive_increase() {
        let mut s = Path::starting(&ENTRY, &[]);
        (s.window.cwnd, s.window.ssthresh) = (40 * MSS, 2 * MSS);
        assert_eq!(at(&mut s, 1000, 10), 41, "Reno");
        assert_eq!([at(&mut s, 1010, 100), at(&mut s, 1011, 100)], [41, 20], "the second delay indicates congestion");
        assert_eq!(s.window.ssthresh / MSS, 20);
        assert_eq!(at(&mut s, 1110, 100), 20, "the segment was sent before the response");
        assert_eq!(at(&mut s, 1111, 10), 20, "delays before the response do not affect the smoothed delay after it");
        assert_eq!([at(&mut s, 1112, 100), at(&mut s, 1113, 100)], [20, 1], "another indication within the phase");
        assert_eq!(s.window.ssthresh, 2 * MSS, "additive increase comes next");
        assert_eq!(at(&mut s, 1213, 10), 1, "the delay is low again");
        assert_eq!((at(&mut s, 1412, 10), at(&mut s, 1413, 10)), (1, 2), "the phase is over");
    }

    #[test]
    fn recoveries_are_not_interrupted_and_timeouts_are_those_of_reno() {
        let mut s = Path::starting(&ENTRY, &[]);
        (s.window.cwnd, s.window.ssthresh) = (40 * MSS, 2 * MSS);
        s.in_recovery = true;
        for (ms, delay) in [(1000, 10), (1010, 100), (1011, 100), (1012, 100)] {
            deliver(&mut s, ms, delay);
        }
        assert_eq!((s.window.cwnd, s.window.ssthresh), (40 * MSS, 2 * MSS));
        s.in_recovery = false;
        s.send();
        s.timeout(true);
        assert_eq!(s.window.ssthresh, 20 * MSS);
    }

    #[test]
    fn slow_start_adds_two_segments_an_ack_and_ends_at_ssthresh() {
        let mut s = Path::starting(&ENTRY, &[]);
        (s.window.cwnd, s.window.ssthresh) = (10 * MSS, 13 * MSS);
        let windows = [(); 2].map(|()| {
            let ack = deliver(&mut s, 1000, 10);
            s.sender.cc.on_ack(&mut s.sender.window, &ack, 5 * MSS);
            s.window.cwnd / MSS
        });
        assert_eq!(windows, [12, 13]);
    }

    #[test]
    fn a_single_flow_uses_most_of_the_path_and_keeps_the_queue_short() {
        let mut s = Path::starting(&ENTRY, &[]).behind(1000, 100);
        s.run(60 * SECOND);
        let (mut most, losses) = (0.0_f64, s.losses);
        let mut sum = 0.0;
        for _ in 0..400 {
            s.round();
            most = most.max(s.segments());
            sum += s.segments();
        }
        assert_eq!(s.losses, losses);
        // The path holds 100 segments, and the queue 100. The share delta of the queue is 15 segments.
        assert!(most < 125.0 && sum / 400.0 > 70.0, "{most}, {}", sum / 400.0);
    }
}
