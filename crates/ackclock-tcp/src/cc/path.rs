//! A sender on a path for tests by arithmetic: a delay, optionally with a link and its queue, and an ACK for each
//! segment.

use std::collections::VecDeque;

use super::{Algorithm, CongestionControl, Entry, Scope, Values, by_name};
use crate::context::{Ack, Cause, Congestion, Context, Delivery, RecoveryEnd, Window};
use crate::{MILLISECOND, Nanos, SECOND};

/// SMSS, bytes. It makes a window in segments a multiple of one thousand bytes.
pub(super) const MSS: u64 = 1000;

/// A link with a rate in segments per second, and its queue.
#[derive(Default)]
struct Link {
    rate: u64,
    /// Limit of the queue, segments.
    buffer: u64,
    /// Arrival time of the ACK of the last segment sent.
    last: Nanos,
    /// Segments in flight: the arrival times of their ACKs, their send times, and whether they are lost.
    flight: VecDeque<(Nanos, Nanos, bool)>,
    /// End of the present recovery, as a sequence number.
    recover: u64,
}

pub(super) struct Path {
    pub cc: Box<dyn CongestionControl>,
    pub scope: Scope,
    pub window: Window,
    pub now: Nanos,
    pub una: u64,
    pub nxt: u64,
    pub mss: u64,
    /// Round-trip time of an empty path.
    pub base: Nanos,
    link: Option<Link>,
    /// Largest flight that the application allows, segments.
    pub supply: u64,
    pub srtt: Option<Nanos>,
    pub min_rtt: Option<Nanos>,
    pub in_recovery: bool,
    /// Reductions so far.
    pub losses: u32,
    delivered: u64,
}

impl Path {
    /// A sender with an entry of the catalogue and its defaults, in congestion avoidance with `cwnd` segments, on a
    /// path of 100 ms without a link.
    pub fn avoiding(name: &str, cwnd: u64) -> Path {
        let mut path = Path::starting(by_name(name).expect("an entry"), &[]);
        (path.window.cwnd, path.window.ssthresh) = (cwnd * MSS, 2 * MSS);
        path
    }

    /// A sender before its first segment, with an initial window of ten segments.
    pub fn starting(entry: &'static Entry, parameters: &[(&str, f64)]) -> Path {
        let values = Values::given(entry, parameters).expect("parameters");
        let cc = Algorithm::with(entry, values).make();
        let mut path = Path {
            scope: cc.scope(),
            cc,
            window: Window { cwnd: 10 * MSS, ssthresh: u64::MAX, pacing_rate: None },
            now: 10 * SECOND,
            una: 0,
            nxt: 0,
            mss: MSS,
            base: 100 * MILLISECOND,
            link: None,
            supply: u64::MAX,
            srtt: None,
            min_rtt: None,
            in_recovery: false,
            losses: 0,
            delivered: 0,
        };
        let ctx = path.ctx();
        path.cc.on_start(&mut path.window, &ctx);
        path
    }

    /// Adds a link of `rate` segments per second with a queue of `buffer` segments.
    pub fn behind(mut self, rate: u64, buffer: u64) -> Path {
        self.link = Some(Link { rate, buffer, ..Link::default() });
        self
    }

    pub fn ctx(&self) -> Context {
        Context {
            now: self.now,
            mss: self.mss,
            initial_window: 10 * self.mss,
            snd_una: self.una,
            snd_nxt: self.nxt,
            flight_size: self.nxt - self.una,
            pipe: self.nxt - self.una,
            unsent: u64::MAX,
            receive_window: u64::MAX,
            srtt: self.srtt,
            min_rtt: self.min_rtt,
            rto: SECOND,
            in_recovery: self.in_recovery,
        }
    }

    pub fn segments(&self) -> f64 {
        self.window.cwnd as f64 / self.mss as f64
    }

    /// Sends as much as the window and the application allow.
    pub fn send(&mut self) {
        let limit = self.window.cwnd.min(self.supply.saturating_mul(self.mss)) / self.mss * self.mss;
        let (now, base) = (self.now, self.base);
        while self.nxt < self.una + limit {
            self.nxt += self.mss;
            let Some(link) = &mut self.link else { continue };
            let acked_at = (now + base).max(link.last + SECOND / link.rate);
            let lost = (acked_at - now - base) * link.rate > link.buffer * SECOND;
            if !lost {
                link.last = acked_at;
            }
            link.flight.push_back((acked_at, now, lost));
        }
    }

    /// Delivers an ACK for `bytes` bytes, with the RTT sample `rtt`.
    pub fn ack_bytes(&mut self, bytes: u64, rtt: Option<Nanos>) {
        let acked = bytes.min(self.nxt - self.una);
        self.una += acked;
        if let Some(rtt) = rtt {
            self.srtt = Some(self.srtt.map_or(rtt, |srtt| (7 * srtt + rtt) / 8));
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |min| min.min(rtt)));
        }
        let cwnd_limited = self.supply == u64::MAX;
        let ack = Ack { ctx: self.ctx(), acked, sacked: 0, lost: 0, rtt, cwnd_limited, marked: 0 };
        self.delivered += acked;
        if self.scope.deliveries {
            let delivery = Delivery {
                ack,
                newly: acked,
                delivered: self.delivered,
                lost: 0,
                sent_at: rtt.map(|rtt| self.now.saturating_sub(rtt)),
                forward_delay: None,
                rate: None,
            };
            self.cc.on_delivery(&mut self.window, &delivery);
        }
        if acked == 0 || self.in_recovery {
            return;
        }
        let mut left = acked;
        if self.window.in_slow_start() && !self.scope.slow_start {
            let room = self.window.ssthresh - self.window.cwnd;
            let grown = acked.min(2 * self.mss).min(room);
            self.window.cwnd += grown;
            left = if grown == room { acked - grown } else { 0 };
        }
        if left > 0 && cwnd_limited {
            self.cc.on_ack(&mut self.window, &ack, left);
        }
    }

    pub fn ack(&mut self, rtt: Nanos) {
        self.ack_bytes(self.mss, Some(rtt));
    }

    /// Runs a round trip: the flight is acknowledged, and more is sent. Without a link, ACKs are evenly spaced. Returns
    /// the number of segments acknowledged.
    pub fn round(&mut self) -> u64 {
        self.send();
        let (start, end) = (self.now, self.nxt);
        let flight = (end - self.una) / self.mss;
        for segment in 1..=flight {
            if self.link.is_some() {
                self.arrive();
            } else {
                self.now = start + self.base * segment / flight;
                self.ack(self.base);
            }
            self.send();
        }
        flight
    }

    /// Delivers the ACK of the oldest segment. A lost segment is repaired at once; losses are answered once per window.
    fn arrive(&mut self) {
        let link = self.link.as_mut().expect("a link");
        let (at, sent_at, lost) = link.flight.pop_front().expect("a segment");
        self.now = self.now.max(at);
        if lost && !self.in_recovery {
            link.recover = self.nxt;
            self.congestion(Cause::Loss, false);
            self.losses += 1;
            self.in_recovery = true;
        }
        let rtt = self.now - sent_at;
        self.ack_bytes(self.mss, (!lost).then_some(rtt));
        if self.in_recovery && self.link.as_ref().is_some_and(|link| self.una >= link.recover) {
            self.end_recovery();
        }
    }

    pub fn end_recovery(&mut self) {
        self.in_recovery = false;
        let end = RecoveryEnd { ctx: self.ctx(), retransmitted: self.mss };
        self.cc.on_recovery_end(&mut self.window, &end);
    }

    pub fn run(&mut self, duration: Nanos) {
        let end = self.now + duration;
        while self.now < end {
            self.round();
        }
    }

    pub fn congestion(&mut self, cause: Cause, abe: bool) {
        self.send();
        let event = Congestion { cause, abe, ctx: self.ctx() };
        self.cc.on_congestion(&mut self.window, &event);
    }

    /// Loses a segment of a full window, which is repaired at once.
    pub fn lose(&mut self) {
        self.congestion(Cause::Loss, false);
        self.losses += 1;
        if self.link.is_none() {
            self.una = self.nxt;
        }
        self.end_recovery();
    }

    pub fn timeout(&mut self, first: bool) {
        let event = Congestion::timeout(self.ctx());
        self.cc.on_timeout(&mut self.window, &event, first);
        if !self.scope.window {
            self.window.cwnd = self.mss;
        }
    }
}

/// Asserts that `value` is within `tolerance` of `expected`.
#[track_caller]
pub(super) fn near(value: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((value - expected).abs() <= tolerance, "{what}: {value} instead of {expected}");
}
