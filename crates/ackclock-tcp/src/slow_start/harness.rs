//! Two senders for tests of slow start: one without a network, for arithmetic, and one over a bottleneck with a queue.

use std::collections::VecDeque;

use super::{Sample, SlowStart, by_name};
use crate::context::{Ack, Congestion, Context, Window};
use crate::{Nanos, SECOND, testing};

pub(super) use crate::testing::MSS;

fn sample(now: Nanos, rtt: Nanos, srtt: Option<Nanos>, (snd_una, snd_nxt): (u64, u64)) -> Sample {
    Sample { now, rtt, srtt, snd_una, snd_nxt, mss: MSS }
}

fn context(now: Nanos, una: u64, nxt: u64, srtt: Option<Nanos>) -> Context {
    Context { srtt, min_rtt: srtt, ..testing::context(now, una..nxt) }
}

/// A sender whose clock, sequence numbers and RTT are set by the test.
pub(super) struct Flat {
    pub now: Nanos,
    pub window: Window,
    pub slow_start: Box<dyn SlowStart>,
    pub una: u64,
    pub nxt: u64,
    /// RTT sample of each ACK.
    pub rtt: Option<Nanos>,
    pub srtt: Option<Nanos>,
    pub may_grow: bool,
}

impl Flat {
    /// A sender established at 10 s with `cwnd` segments, without pacing.
    pub fn new(variant: &str, cwnd: u64) -> Flat {
        let mut slow_start = (by_name(variant).expect("a slow start").make)();
        slow_start.on_start(false);
        Flat {
            now: 10 * SECOND,
            window: Window { cwnd: cwnd * MSS, ssthresh: u64::MAX, pacing_rate: None },
            slow_start,
            una: 0,
            nxt: 0,
            rtt: None,
            srtt: None,
            may_grow: true,
        }
    }

    /// Delivers an ACK of `bytes`, which are sent first if necessary. Returns the bytes that slow start has not used;
    /// above ssthresh these are all.
    pub fn ack(&mut self, bytes: u64) -> u64 {
        self.una += bytes;
        self.nxt = self.nxt.max(self.una);
        if let Some(rtt) = self.rtt {
            self.sample(rtt);
        }
        if !self.window.in_slow_start() {
            return bytes;
        }
        let ctx = context(self.now, self.una, self.nxt, self.srtt);
        let ack = Ack { rtt: self.rtt, ..testing::ack(ctx, bytes) };
        self.slow_start.on_ack(&mut self.window, &ack, self.may_grow)
    }

    /// Gives an RTT sample.
    pub fn sample(&mut self, rtt: Nanos) {
        let sample = sample(self.now, rtt, self.srtt, (self.una, self.nxt));
        self.slow_start.on_sample(&mut self.window, &sample);
    }

    /// Acknowledges a window segment by segment.
    pub fn round(&mut self) {
        for _ in 0..self.window.cwnd / MSS {
            self.ack(MSS);
        }
    }

    pub fn congestion(&mut self) {
        let event = Congestion::loss(context(self.now, self.una, self.nxt, self.srtt));
        self.slow_start.on_congestion(&event);
    }

    pub fn timeout(&mut self) {
        let event = Congestion::timeout(context(self.now, self.una, self.nxt, self.srtt));
        self.slow_start.on_timeout(&event);
    }
}

/// A sender over a bottleneck with an unlimited queue, from its first window on. Each ACK is for two segments.
pub(super) struct Path {
    pub now: Nanos,
    pub window: Window,
    pub slow_start: Box<dyn SlowStart>,
    pub longest_queue: u64,
    /// Data that the application writes, bytes per second; `None` for unlimited data.
    pub application: Option<u64>,
    una: u64,
    nxt: u64,
    /// Rate of the bottleneck, bytes per second.
    rate: u64,
    base_rtt: Nanos,
    /// Time at which the bottleneck's queue becomes empty.
    busy_until: Nanos,
    /// Segments outstanding: arrival time of the ACK, end of the segment, and send time.
    outstanding: VecDeque<(Nanos, u64, Nanos)>,
    srtt: Option<Nanos>,
}

impl Path {
    pub fn new(variant: &str, rate: u64, base_rtt: Nanos) -> Path {
        let mut slow_start = (by_name(variant).expect("a slow start").make)();
        slow_start.on_start(false);
        Path {
            now: 0,
            window: Window { cwnd: 10 * MSS, ssthresh: u64::MAX, pacing_rate: None },
            slow_start,
            longest_queue: 0,
            application: None,
            una: 0,
            nxt: 0,
            rate,
            base_rtt,
            busy_until: 0,
            outstanding: VecDeque::new(),
            srtt: None,
        }
    }

    /// Bytes in the bottleneck's queue.
    pub fn queue(&self) -> u64 {
        self.busy_until.saturating_sub(self.now) * self.rate / SECOND
    }

    fn send(&mut self) {
        let written = self.application.map_or(u64::MAX, |rate| 10 * MSS + self.now / 1000 * rate / 1_000_000);
        while self.nxt - self.una + MSS <= self.window.cwnd && self.nxt + MSS <= written {
            self.nxt += MSS;
            self.busy_until = self.busy_until.max(self.now) + MSS * SECOND / self.rate;
            self.outstanding.push_back((self.busy_until + self.base_rtt, self.nxt, self.now));
        }
        self.longest_queue = self.longest_queue.max(self.queue());
    }

    /// Runs until `done` holds after an ACK.
    pub fn run_until(&mut self, mut done: impl FnMut(&Path) -> bool) {
        self.send();
        for _ in 0..1_000_000 {
            let Some(first) = self.outstanding.pop_front() else {
                // The application had no data to send.
                self.now += self.base_rtt;
                self.send();
                continue;
            };
            let (arrival, end, sent_at) = self.outstanding.pop_front().unwrap_or(first);
            self.now = arrival;
            let acked = end - self.una;
            self.una = end;
            let rtt = arrival - sent_at;
            self.srtt = Some(self.srtt.map_or(rtt, |srtt| srtt - srtt / 8 + rtt / 8));
            let sample = sample(self.now, rtt, self.srtt, (self.una, self.nxt));
            self.slow_start.on_sample(&mut self.window, &sample);
            if self.window.in_slow_start() {
                let ctx = context(self.now, self.una, self.nxt, self.srtt);
                let cwnd_limited = self.nxt - self.una + 3 * MSS > self.window.cwnd;
                let ack = Ack { rtt: Some(rtt), cwnd_limited, ..testing::ack(ctx, acked) };
                self.slow_start.on_ack(&mut self.window, &ack, cwnd_limited);
            }
            self.send();
            if done(self) {
                return;
            }
        }
        panic!("the condition never held");
    }
}
