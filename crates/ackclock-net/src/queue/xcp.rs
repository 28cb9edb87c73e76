//! The router of XCP: tells each sender by how much to change its throughput, so that together they fill the link and each gets
//! the same (D. Katabi, M. Handley, C. Rohrs, "Congestion Control for High Bandwidth-Delay Product Networks", SIGCOMM 2002,
//! section 3.5 and appendix A).
//!
//! # Equations
//!
//! In rates, as in ns-2's implementation; the paper writes the same in windows. Over a control interval d, the average RTT that
//! requests tell of, weighted by their intervals X (packet size over throughput):
//!
//! - Aggregate feedback F = alpha (C - y) - beta Q / d, with the rate C of the link, the traffic y that arrived, and the
//!   persistent queue Q, the least that an arriving packet saw over (d - queueing delay) / 2.
//! - Shuffled traffic h = max(0, gamma y - |F|).
//! - Each packet that leaves in the next interval is given Cp X - Cn s, s being its size: Cp = (h + max(F, 0)) / sum of X,
//!   Cn = (h + max(-F, 0)) / sum of s. A packet that asks for less gets that. Once all of h + max(F, 0) is given away there is no
//!   more, and likewise for h + max(-F, 0).
//!
//! # Constants
//!
//! alpha 0.4, beta 0.226, gamma 0.1 (paper, sections 3.5.1 and 3.5.2). An interval is 1 ms at least and an RTT counts as 1 s at
//! most; Q is taken over at least 2 ms; d is 50 ms before anything is known (the authors' router in ns-2).
//!
//! # Deviations
//!
//! - Packets have changes in whole bytes per second; ns-2 keeps fractions.
//! - Intervals begin with the run; ns-2 draws the first one, so that routers are not synchronised.
//! - The average RTT stays what it was over an interval without requests; in ns-2 it falls back to its first value.
//! - Traffic of other senders counts in y and is drained with the rest, in one queue: ns-2 has a second queue for it.
//!
//! # Validated against
//!
//! Worked numbers of one interval; the sums given away on random traffic; with the senders of `cc = "xcp"` the paper's claims:
//! utilisation, queue, no drops, shares of flows with different RTTs, convergence.

#[cfg(test)]
mod tests;

use super::{
    Discipline, DropCause, Drops, Entry, Fifo, Item, Next, Otherwise, Parameter, Quantity, Request, Settings, anything,
};
use crate::Nanos;

const ALPHA: Parameter = Parameter {
    name: "alpha",
    summary: "Share of the spare bandwidth that is given away in a control interval.",
    quantity: Quantity::Number,
    default: Otherwise::Is(0.4),
    range: (0.0, 2.0),
};
const BETA: Parameter = Parameter {
    name: "beta",
    summary: "Share of the persistent queue that is drained in a control interval.",
    quantity: Quantity::Number,
    default: Otherwise::Is(0.226),
    range: (0.0, 2.0),
};
const GAMMA: Parameter = Parameter {
    name: "gamma",
    summary: "Share of the traffic that is redistributed in a control interval where feedback moves less.",
    quantity: Quantity::Number,
    default: Otherwise::Is(0.1),
    range: (0.0, 1.0),
};

pub(super) const ENTRY: Entry = Entry {
    name: "xcp",
    summary: "A router of XCP over a drop-tail queue: it tells the senders of cc = \"xcp\" by how much to change their throughput.",
    source: "Katabi, Handley, Rohrs, SIGCOMM 2002",
    limit: None,
    parameters: &[ALPHA, BETA, GAMMA],
    check: anything,
    make: |settings| Box::new(Xcp::new(settings)),
};

/// Nanoseconds in a second.
const SECOND: f64 = 1e9;
/// d before anything is known, ns.
const FIRST_RTT: Nanos = 50_000_000;
/// The largest RTT that counts, and the shortest control interval, ns.
const MAX_RTT: Nanos = 1_000_000_000;
const MIN_INTERVAL: Nanos = 1_000_000;
/// The shortest time over which the persistent queue is taken, ns.
const MIN_QUEUE_INTERVAL: Nanos = 2_000_000;

/// What arrived in a control interval.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
struct Arrived {
    bytes: u64,
    /// Sum of the requests' X, ns, and of X times RTT.
    intervals: u128,
    rtts: u128,
}

/// What is to be given away in a control interval, bytes per second.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
struct Feedback {
    /// What is left of it, to raise and to lower throughputs.
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
    /// Bytes per second.
    capacity: f64,
    /// d.
    rtt: Nanos,
    /// When the control interval ends, and how long it is.
    control_at: Nanos,
    interval: Nanos,
    arrived: Arrived,
    feedback: Feedback,
    /// When the interval of the persistent queue ends, the least so far, and Q, bytes.
    queue_at: Nanos,
    least_queue: u64,
    queue: u64,
}

impl Xcp {
    fn new(settings: &Settings<'_>) -> Xcp {
        Xcp {
            items: Fifo::new(settings.limit),
            alpha: settings.get(&ALPHA),
            beta: settings.get(&BETA),
            gamma: settings.get(&GAMMA),
            capacity: settings.rate.get() as f64 / 8.0,
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

    /// Ends the intervals that end by `at`, before anything else happens then.
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

    /// Whether the ends of intervals change nothing until a packet comes or leaves.
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

/// The first time after `at` of those that are `next` and then `interval` apart.
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
    /// Gives a packet its part, or what it asks for if that is less.
    fn give(&mut self, request: &mut Request, size: u32) {
        let mut raise = (self.per_interval * request.interval as f64).min(self.raise);
        let mut lower = (self.per_byte * f64::from(size)).min(self.lower);
        let given = raise - lower;
        let asked = f64::from(request.change);
        if asked >= given {
            request.change = (given.round() as i32).min(Request::UNLIMITED - 1);
        } else {
            // It wants less than it could have: what it gives up in addition counts as lowered.
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
