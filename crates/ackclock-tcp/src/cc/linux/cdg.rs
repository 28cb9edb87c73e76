//! CDG (CAIA delay gradient) as Linux implements it: reductions at random, the more likely the faster the RTT grows,
//! and losses answered from a shadow window.
//!
//! # Equations
//!
//! A round ends with the first ACK above SND.NXT at its start outside reductions and fast recovery, if the round has an
//! RTT sample. Let r and R be the smallest and the largest RTT of the round, in microseconds.
//!
//! - The first round has the RTT of the SYN, too, at the side that connects.
//! - Gradient: the sums of the last eight differences of r and of R between consecutive rounds; g is that of r if it is
//!   positive, else that of R. Before eight rounds, g is scaled up to eight.
//! - For g > 0 the window is reduced with probability `1 - exp(-42 g / 10^6)`, to 724/1024 cwnd, as for a mark. After
//!   five such reductions without a gradient of -32 or less in between, further ones are left out (ineffectual
//!   backoff).
//! - The shadow window s begins as cwnd and grows as cwnd does. A reduction for delay raises it to cwnd. While the
//!   application limits the flow, s is at most cwnd.
//! - Loss, mark and timeout: s = min(s/2, cwnd), and ssthresh = max(s, cwnd/2, 2).
//! - Slow start and increase are Reno's. Slow start ends early (ssthresh = cwnd) if ACKs less than 3 ms apart have
//!   arrived for half the smallest RTT of the connection (at least 125 us), or, from the ninth ACK of the round, if r
//!   exceeds 9/8 of the smallest RTT.
//! - Delayed ACKs: an ACK for one segment counts only towards r, where it is smaller, if ACKs for more than one have
//!   arrived before; each of the former takes one off a counter, and each of the latter adds one, up to five.
//!
//! The gradient begins anew at the end of a reduction or recovery, and everything after an idle period of more than a
//! retransmission timeout.
//!
//! # Constants
//!
//! The window of the gradient is 8 rounds, the factor of the reduction sqrt(1/2), and the limit of ineffectual
//! reductions 5 (net/ipv4/tcp_cdg.c).
//!
//! # Deviations
//!
//! From net/ipv4/tcp_cdg.c: the exponential is exact, where Linux multiplies entries of a table; random numbers come
//! from the connection's seed; ssthresh is at least two segments. From the paper (D. Hayes, G. Armitage, "Revisiting
//! TCP congestion control using delay gradients", IFIP Networking 2011): the paper has a moving average,
//! the probability `1 - exp(-g/G)` with G = 3 ms, distinguishes losses with an empty queue, which it does not answer,
//! from others (off by default in Linux), and has no HyStart. There is no other form.
//!
//! # Validated against
//!
//! Gradients, probabilities, the shadow window, both ends of slow start and the filter of delayed ACKs on worked
//! values.
//!
//! The module of Linux 6.12 itself: the windows are the same, except where ssthresh is one segment there, after every
//! event of 60 random sequences of ACKs, losses, marks, timeouts and idle periods. Linux 6.12 in virtual time: slow start
//! ends at the same window (a queue of a quarter of the bandwidth-delay product, 50 Mbit/s and 30 ms). docs/residuals.md
//! has flows alone, beside CUBIC and with idle periods.

use super::super::random::Random;
use super::super::{CongestionControl, Entry, Scope};
use super::count::{Count, flight, segments};
use super::state::{State, States, microseconds, packets, rtt};
use crate::Nanos;
use crate::context::{Ack, Congestion, Context, Delivery, Window};

#[cfg(test)]
mod tests;

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "cdg",
    summary: "reduces at random, the more likely the faster the RTT grows, and answers losses from a shadow window",
    source: "Linux net/ipv4/tcp_cdg.c; Hayes, Armitage, IFIP Networking 2011",
    parameters: &[],
    make: |_| Box::<Cdg>::default(),
};

/// Rounds of the gradient.
const ROUNDS: usize = 8;
/// Factor of the reduction for delay, in units of 1/1024: the square root of a half.
const KEPT: u64 = 724;
/// Exponent of the probability for a gradient of one microsecond, in millionths.
const FACTOR: f64 = 42.0 / 1e6;
/// Reductions for delay without effect after which further ones are left out.
const INEFFECTUAL: u64 = 5;
/// A gradient at which reductions had an effect, microseconds.
const EFFECT: i64 = -32;
/// Largest distance of ACKs of a train, and the least delay that ends slow start, microseconds.
const TRAIN: u64 = 3000;
const LEAST: u64 = 125;
/// ACKs of a round before its RTT is judged in slow start.
const JUDGED: u64 = 8;
/// Largest number of stretched ACKs that the filter of delayed ACKs remembers.
const STRETCHED: u64 = 5;

/// The smallest and the largest RTT of a round, or differences of them, microseconds. Zero stands for no sample.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Range {
    min: i64,
    max: i64,
}

impl Range {
    fn is_empty(self) -> bool {
        self == Range::default()
    }

    fn add(&mut self, rtt: i64) {
        self.min = if self.min == 0 { rtt } else { self.min.min(rtt) };
        self.max = self.max.max(rtt);
    }

    fn minus(self, other: Range) -> Range {
        Range { min: self.min - other.min, max: self.max - other.max }
    }

    fn plus(self, other: Range) -> Range {
        Range { min: self.min + other.min, max: self.max + other.max }
    }
}

/// State that an idle period resets.
#[derive(Default, Debug)]
struct Measured {
    /// RTTs of this round and of the round before.
    rtt: Range,
    before: Range,
    gradients: [Range; ROUNDS],
    sum: Range,
    next: usize,
    filled: bool,
    /// Whether the present reduction answers delay.
    backs_off: bool,
    /// `delack`: stretched ACKs that the filter of delayed ACKs remembers.
    stretched: u64,
    /// Stream offset above which an ACK ends the round.
    end: u64,
    /// The shadow window, segments.
    shadow: u64,
    /// Consecutive reductions for delay without effect.
    ineffectual: u64,
    /// ACKs of this round in slow start.
    samples: u64,
    /// Smallest RTT, microseconds; zero if unknown.
    least: u64,
    /// Times of the last ACK of the train and of its first, microseconds; zero if there was none.
    train: (u64, u64),
}

#[derive(Default, Debug)]
struct Cdg {
    count: Count,
    states: States,
    random: Random,
    measured: Measured,
    /// Whether a reduction is requested.
    requests: bool,
}

impl Measured {
    /// The state at the start, or after an idle period.
    fn begin(ctx: &Context, cwnd: u64) -> Measured {
        Measured { end: ctx.snd_nxt, shadow: segments(cwnd, ctx.mss), ..Measured::default() }
    }

    /// Adds the RTT sample of an ACK for `acked` segments; `sacked` is whether data is SACKed (tcp_cdg_acked).
    fn add(&mut self, rtt: i64, acked: u64, sacked: bool) {
        if !sacked && acked == 1 && self.stretched > 0 {
            self.rtt.min = self.rtt.min.min(rtt);
            self.stretched -= 1;
            return;
        }
        if !sacked && acked > 1 {
            self.stretched = (self.stretched + 1).min(STRETCHED);
        }
        self.rtt.add(rtt);
    }

    /// Whether slow start ends, at `now` in microseconds (tcp_cdg_hystart_update).
    fn ends_slow_start(&mut self, now: u64, cwnd_limited: bool) -> bool {
        let rtt = self.rtt.min.max(0) as u64;
        self.least = if self.least == 0 || rtt > 0 && rtt < self.least { rtt } else { self.least };
        if self.least == 0 {
            return false;
        }
        if self.train.0 == 0 || !cwnd_limited {
            self.train = (now, now);
        } else if now < self.train.0 + TRAIN {
            self.train.0 = now;
            if now > self.train.1 + (self.least / 2).max(LEAST) {
                return true;
            }
        }
        if self.samples < JUDGED {
            self.samples += 1;
            return false;
        }
        rtt > (self.least + self.least / 8).max(LEAST)
    }

    /// The gradient at the end of a round, eight times its mean, in microseconds (tcp_cdg_grad).
    fn gradient(&mut self) -> i64 {
        let difference = self.rtt.minus(self.before);
        self.sum = self.sum.plus(difference).minus(self.gradients[self.next]);
        self.gradients[self.next] = difference;
        self.next = (self.next + 1) % ROUNDS;
        let Range { min, max } = self.sum;
        if min <= EFFECT || max <= EFFECT {
            self.ineffectual = 0;
        }
        let gradient = if min > 0 { min } else { max };
        self.filled |= self.next == 0;
        if self.filled { gradient } else { gradient * ROUNDS as i64 / self.next as i64 }
    }

    /// Ends a round with RTT samples. Returns its gradient; zero for the first round.
    fn end_round(&mut self, ctx: &Context) -> i64 {
        let gradient = if self.before.is_empty() { 0 } else { self.gradient() };
        self.end = ctx.snd_nxt;
        self.before = std::mem::take(&mut self.rtt);
        (self.train.0, self.samples) = (0, 0);
        gradient
    }
}

impl Cdg {
    /// Whether a gradient reduces the window of `cwnd` segments (tcp_cdg_backoff).
    fn backs_off(&mut self, gradient: i64, cwnd: u64) -> bool {
        let drawn = self.random.below(1 << 32) as f64;
        if drawn <= libm::exp(-FACTOR * gradient as f64) * f64::from(u32::MAX) {
            return false;
        }
        let measured = &mut self.measured;
        measured.ineffectual += 1;
        if measured.ineffectual > INEFFECTUAL {
            return false;
        }
        measured.shadow = measured.shadow.max(cwnd);
        measured.backs_off = true;
        true
    }
}

impl CongestionControl for Cdg {
    fn seed(&mut self, seed: u32) {
        self.random = Random::new(seed);
    }

    fn scope(&self) -> Scope {
        Scope { slow_start: true, deliveries: true, every_ack: true, reductions: true, ..Scope::default() }
    }

    // tcp_cdg_init leaves the sample in place.
    fn on_syn_acknowledged(&mut self, rtt: Nanos) {
        self.measured.rtt.add(microseconds(rtt) as i64);
    }

    fn on_start(&mut self, window: &mut Window, ctx: &Context) {
        let rtt = self.measured.rtt;
        self.measured = Measured { rtt, ..Measured::begin(ctx, window.cwnd) };
    }

    fn on_idle_end(&mut self, window: &mut Window, ctx: &Context, idle: Nanos) {
        if idle > ctx.rto {
            self.measured = Measured::begin(ctx, window.cwnd);
        }
    }

    fn on_delivery(&mut self, _window: &mut Window, delivery: &Delivery) {
        let ctx = &delivery.ack.ctx;
        if let Some(rtt) = rtt(delivery).filter(|&rtt| rtt > 0) {
            self.measured.add(rtt as i64, packets(delivery.ack.acked, ctx.mss), ctx.pipe < ctx.flight_size);
        }
        let change = self.states.on_delivery(ctx);
        let ended = matches!(change.before, State::Reduction | State::Recovery)
            && matches!(change.after, State::Open | State::Disorder);
        if ended {
            let measured = &mut self.measured;
            (measured.backs_off, measured.end) = (false, ctx.snd_nxt);
            measured.before = std::mem::take(&mut measured.rtt);
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let (mss, ctx) = (ack.ctx.mss, &ack.ctx);
        let acked = self.count.segments(acked, mss);
        let cwnd = segments(window.cwnd, mss);
        if cwnd < segments(window.ssthresh, mss)
            && self.measured.ends_slow_start(microseconds(ctx.now), ack.cwnd_limited)
        {
            window.ssthresh = cwnd.max(2) * mss;
        }
        if ctx.snd_una > self.measured.end && !self.measured.rtt.is_empty() {
            let gradient = self.measured.end_round(ctx);
            if gradient > 0 && self.backs_off(gradient, cwnd) {
                self.requests = true;
                return;
            }
        }
        if !ack.cwnd_limited {
            self.measured.shadow = self.measured.shadow.min(cwnd);
            return;
        }
        self.count.reno(window, acked, mss);
        self.measured.shadow += segments(window.cwnd, mss) - cwnd;
    }

    fn requests_reduction(&mut self) -> bool {
        std::mem::take(&mut self.requests)
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.states.on_congestion(event);
        self.count.clear();
        let cwnd = flight(window, event);
        let kept = if self.measured.backs_off {
            cwnd * KEPT / 1024
        } else {
            self.measured.shadow = (self.measured.shadow / 2).min(cwnd);
            self.measured.shadow.max(cwnd / 2)
        };
        kept.max(2) * event.ctx.mss
    }

    fn reset(&mut self, _ctx: &Context) {
        self.states.on_timeout();
        self.count.clear();
    }
}
