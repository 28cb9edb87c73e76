//! A sender on a path for tests by arithmetic: a delay, optionally with a link and its queue, and an ACK for each
//! segment.

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};

use super::{Algorithm, Entry, by_name};
use crate::context::Cause;
use crate::testing::{Arrival, Sender};
use crate::{MILLISECOND, Nanos, SECOND};

pub(super) use crate::testing::MSS;

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

/// A sender, and the path of its segments and their ACKs.
pub(super) struct Path {
    pub sender: Sender,
    /// Round-trip time of an empty path.
    pub base: Nanos,
    link: Option<Link>,
    /// Reductions so far.
    pub losses: u32,
}

impl Deref for Path {
    type Target = Sender;

    fn deref(&self) -> &Sender {
        &self.sender
    }
}

impl DerefMut for Path {
    fn deref_mut(&mut self) -> &mut Sender {
        &mut self.sender
    }
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
        let cc = Algorithm::given(entry, parameters).expect("parameters").make();
        let sender = Sender::new(cc, 10 * SECOND, MSS, 10);
        Path { sender, base: 100 * MILLISECOND, link: None, losses: 0 }
    }

    /// Adds a link of `rate` segments per second with a queue of `buffer` segments.
    pub fn behind(mut self, rate: u64, buffer: u64) -> Path {
        self.link = Some(Link { rate, buffer, ..Link::default() });
        self
    }

    /// Sends as much as the window and the application allow.
    pub fn send(&mut self) {
        let (sender, base) = (&mut self.sender, self.base);
        let Some(link) = &mut self.link else { return sender.send() };
        let (now, limit) = (sender.now, sender.limit());
        while sender.nxt < limit {
            sender.nxt += sender.mss;
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
        self.receive(&Arrival { acked, rtt, ..Arrival::default() });
    }

    /// Delivers an ACK for a segment.
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
        self.sender.now = self.sender.now.max(at);
        if lost && !self.sender.in_recovery {
            link.recover = self.sender.nxt;
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

    /// Runs whole round trips for at least `duration`.
    pub fn run(&mut self, duration: Nanos) {
        let end = self.now + duration;
        while self.now < end {
            self.round();
        }
    }

    /// Congestion is detected with a full window in flight.
    pub fn congestion(&mut self, cause: Cause, abe: bool) {
        self.send();
        self.sender.congestion(cause, abe);
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
}

/// Asserts that `value` is within `tolerance` of `expected`.
#[track_caller]
pub(super) fn near(value: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((value - expected).abs() <= tolerance, "{what}: {value} instead of {expected}");
}
