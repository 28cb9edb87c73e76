//! A router of XCP: tells each sender by how much to change its throughput, so that together the senders fill the link
//! and get equal shares (D. Katabi, M. Handley, C. Rohrs, "Congestion Control for High Bandwidth-Delay Product
//! Networks", SIGCOMM 2002, section 3.5 and appendix A).
//!
//! # Equations
//!
//! The equations are in rates, as in ns-2's implementation; the paper writes the same in windows. The control interval
//! d is the average RTT of the requests, weighted by their intervals X (packet size over throughput):
//!
//! - The aggregate feedback is F = alpha (C - y) - beta Q / d. C is the rate of the link, y the rate of the arriving
//!   traffic, and Q the persistent queue. Q is the shortest queue that an arriving packet found over (d - queueing
//!   delay) / 2.
//! - The shuffled traffic is h = max(0, gamma y - |F|).
//! - Each packet of s bytes that leaves in the next interval is given Cp X - Cn s. Here Cp = (h + max(F, 0)) / sum of
//!   X, and Cn = (h + max(-F, 0)) / sum of s. A packet that requests less gets its request. Increases end when h +
//!   max(F, 0) has been given away, and decreases when h + max(-F, 0) has.
//!
//! # Constants
//!
//! alpha is 0.4, beta 0.226 and gamma 0.1 (paper, sections 3.5.1 and 3.5.2). As in the authors' router for ns-2, an
//! interval is at least 1 ms, and an RTT counts as at most 1 s. Q is taken over at least 2 ms, and d is initially 50
//! ms.
//!
//! # Deviations
//!
//! - Packets carry changes in whole bytes per second; ns-2 keeps fractions.
//! - Intervals begin with the run; ns-2 draws the first interval, so that routers are not synchronised.
//! - After an interval without requests the average RTT is unchanged; in ns-2 it returns to its initial value.
//! - Traffic of other senders counts in y and shares the queue; ns-2 has a second queue for it.
//!
//! # Validated against
//!
//! Worked numbers of one interval; the totals given away on random traffic. With the senders of `cc = "xcp"`, the
//! paper's claims: utilisation, queue, no drops, shares of flows with different RTTs, and convergence.

#[cfg(test)]
mod tests;

use ackclock_core::parameters;

use super::{Discipline, DropCause, Drops, Entry, Fifo, Item, Next, Request, Settings, anything};
use crate::Nanos;

parameters! {
    /// Parameters of the router.
    struct Parameters {
        alpha: f64 = is(0.4), (0.0, 2.0), Number,
            "Share of the spare bandwidth that is given away in a control interval.";
        beta: f64 = is(0.226), (0.0, 2.0), Number,
            "Share of the persistent queue that is drained in a control interval.";
        gamma: f64 = is(0.1), (0.0, 1.0), Number,
            "Share of the traffic that is redistributed in a control interval if the feedback moves less.";
        capacity: f64 = is(0.0), (0.0, 1e12), In("bit/s"),
            "Rate that the router holds the link to have; 0 for the link's mean rate.";
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "xcp",
    summary: "A router of XCP with a drop-tail queue: tells senders with cc = \"xcp\" by how much to change their throughput.",
    source: "Katabi, Handley, Rohrs, SIGCOMM 2002",
    limit: None,
    parameters: Parameters::ROWS,
    check: anything,
    make: |settings| Box::new(Xcp::new(settings)),
};

/// Nanoseconds in a second.
const SECOND: f64 = 1e9;
/// Initial control interval d, ns.
const FIRST_RTT: Nanos = 50_000_000;
/// Largest RTT that counts, and shortest control interval, ns.
const MAX_RTT: Nanos = 1_000_000_000;
const MIN_INTERVAL: Nanos = 1_000_000;
/// Shortest time over which the persistent queue is taken, ns.
const MIN_QUEUE_INTERVAL: Nanos = 2_000_000;

/// Traffic that arrived in a control interval.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
struct Arrived {
    bytes: u64,
    /// Sum of the requests' X in ns, and sum of X times RTT.
    intervals: u128,
    rtts: u128,
}

/// Feedback to be given away in a control interval, bytes per second.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
struct Feedback {
    /// Remaining increases and decreases of throughputs.
    raise: f64,
    lower: f64,
    /// Cp for X in ns, and Cn.
    per_interval: f64,
    per_byte: f64,
}

#[derive(Debug)]
struct Xcp {
    items: Fifo,
    alpha: f64,
    beta: f64,
    gamma: f64,
    /// Rate of the link, bytes per second.
    capacity: f64,
    /// Average RTT d, ns.
    rtt: Nanos,
    /// End of the control interval, and its length.
    control_at: Nanos,
    interval: Nanos,
    arrived: Arrived,
    feedback: Feedback,
    /// End of the interval of the persistent queue, the shortest queue so far in bytes, and Q in bytes.
    queue_at: Nanos,
    least_queue: u64,
    queue: u64,
}

impl Xcp {
    fn new(settings: &Settings<'_>) -> Xcp {
        let Parameters { alpha, beta, gamma, capacity } = Parameters::read(settings.given);
        Xcp {
            items: Fifo::new(settings.limit),
            alpha,
            beta,
            gamma,
            capacity: if capacity > 0.0 { capacity } else { settings.rate.bits() as f64 } / 8.0,
            rtt: FIRST_RTT,
            control_at: FIRST_RTT,
            interval: FIRST_RTT,
            arrived: Arrived::default(),
            feedback: Feedback::default(),
            queue_at: FIRST_RTT,
            least_queue: 0,
            queue: 0,
        }
    }

    /// Ends the intervals that end by `at`, before any other event at that time.
    fn advance(&mut self, at: Nanos) {
        loop {
            let due = self.queue_at.min(self.control_at);
            if due > at {
                return;
            }
            if due == self.queue_at {
                self.end_queue_interval();
            } else {
                self.end_control_interval();
            }
            if self.is_settled() {
                self.queue_at = after(at, self.queue_at, self.queue_interval());
                self.control_at = after(at, self.control_at, self.interval);
            }
        }
    }

    /// Whether ends of intervals change nothing until the next packet arrives or leaves.
    fn is_settled(&self) -> bool {
        let backlog = self.items.bytes();
        self.arrived == Arrived::default()
            && self.feedback == Feedback::default()
            && (self.queue, self.least_queue) == (backlog, backlog)
            && self.interval == self.control_interval()
    }

    fn end_queue_interval(&mut self) {
        let backlog = self.items.bytes();
        self.queue = self.least_queue;
        self.least_queue = backlog;
        self.queue_at += self.queue_interval();
    }

    fn queue_interval(&self) -> Nanos {
        let draining = (self.items.bytes() as f64 / self.capacity * SECOND) as Nanos;
        (self.rtt.saturating_sub(draining) / 2).max(MIN_QUEUE_INTERVAL)
    }

    fn control_interval(&self) -> Nanos {
        self.rtt.max(MIN_INTERVAL)
    }

    fn end_control_interval(&mut self) {
        let Arrived { bytes, intervals, rtts } = std::mem::take(&mut self.arrived);
        if let Some(average) = rtts.checked_div(intervals) {
            self.rtt = Nanos::try_from(average).unwrap_or(MAX_RTT);
        }
        self.feedback = Feedback::default();
        if bytes > 0 {
            let traffic = bytes as f64 * SECOND / self.interval as f64;
            let drained = self.beta * self.queue as f64 * SECOND / self.rtt.max(1) as f64;
            let aggregate = self.alpha * (self.capacity - traffic) - drained;
            let shuffled = (self.gamma * traffic - aggregate.abs()).max(0.0);
            let (raise, lower) = (shuffled + aggregate.max(0.0), shuffled + (-aggregate).max(0.0));
            let per_interval = if intervals > 0 { raise / intervals as f64 } else { 0.0 };
            self.feedback = Feedback { raise, lower, per_interval, per_byte: lower / bytes as f64 };
        }
        self.interval = self.control_interval();
        self.control_at += self.interval;
    }
}

/// The first time after `at` in the sequence that starts at `next` and has steps of `interval`.
fn after(at: Nanos, next: Nanos, interval: Nanos) -> Nanos {
    at.checked_sub(next).map_or(next, |past| next + (past / interval + 1) * interval)
}

impl Discipline for Xcp {
    fn enqueue(&mut self, at: Nanos, item: Item, drops: &mut Drops) {
        self.advance(at);
        self.least_queue = self.least_queue.min(self.items.bytes());
        self.arrived.bytes += u64::from(item.size);
        if let Some(request) = item.request.filter(|request| request.rtt > 0) {
            let interval = u128::from(request.interval);
            self.arrived.intervals += interval;
            self.arrived.rtts += interval * u128::from(request.rtt.min(MAX_RTT));
        }
        if self.items.fits(item.size) {
            self.items.push(item);
        } else {
            drops.push((item, DropCause::Queue));
        }
    }

    fn dequeue(&mut self, at: Nanos, _drops: &mut Drops) -> Next {
        self.advance(at);
        let Some(mut item) = self.items.pop() else { return Next::Empty };
        if let Some(request) = item.request.as_mut().filter(|request| request.rtt > 0) {
            self.feedback.give(request, item.size);
        }
        Next::Send(item)
    }

    fn backlog(&self) -> (u64, u64) {
        self.items.backlog()
    }
}

impl Feedback {
    /// Gives a packet its share of the feedback, or its request if that is less.
    fn give(&mut self, request: &mut Request, size: u32) {
        let mut raise = (self.per_interval * request.interval as f64).min(self.raise);
        let mut lower = (self.per_byte * f64::from(size)).min(self.lower);
        let given = raise - lower;
        let asked = f64::from(request.change);
        if asked >= given {
            request.change = (given.round() as i32).min(Request::UNLIMITED - 1);
        } else {
            // The packet requests less than its share. The difference counts as a decrease.
            lower = (lower + given - asked).min(self.lower);
            raise = asked + lower;
        }
        self.raise = (self.raise - raise).max(0.0);
        self.lower = (self.lower - lower).max(0.0);
        if self.raise == 0.0 {
            self.per_interval = 0.0;
        }
        if self.lower == 0.0 {
            self.per_byte = 0.0;
        }
    }
}
