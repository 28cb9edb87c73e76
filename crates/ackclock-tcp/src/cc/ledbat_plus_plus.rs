//! LEDBAT++: LEDBAT with a slower start and growth, a multiplicative decrease, and slowdowns in which every flow can see the
//! path without a queue.
//!
//! # Equations
//!
//! `GAIN = 1 / min(16, ceil(2 * TARGET / base RTT))`. For each round trip below the target `cwnd += GAIN`, in segments, and above
//! `cwnd += max(GAIN - cwnd * (queueing delay / TARGET - 1), -cwnd / 2)`. In slow start each ACK adds GAIN times what it
//! acknowledges. The queueing delay is the smallest of the last four round-trip times, none older than a round trip, less that of
//! ten minutes.
//!
//! The first slow start ends when the queueing delay exceeds 3/4 of the target. Two round trips later the first slowdown begins: two
//! segments for two round trips, then slow start up to the window before. The next follows after nine times as long as that
//! took.
//!
//! # Constants
//!
//! draft-irtf-iccrg-ledbat-plus-plus-01, as implementations quote it section by section; its text was not read. Section
//! 4.1: 3/4 of the target. Section 4.2: divisor of the gain 16. Section 4.3: constant of the decrease 1. Section 4.4: two
//! segments, two round trips, nine times. Section 4.5: TARGET 60 ms, a parameter. Apple's tcp_ledbat.c, which follows the
//! draft, has the same numbers but for TARGET, which it is given.
//!
//! # Deviations
//!
//! - The ramp after a slowdown is standard slow start: the draft says slow start and no more, and with GAIN, as Apple has it,
//!   the slowdowns would cost more than the tenth that it allows them.
//! - The initial window is the sender's, where section 4.1 has two segments.
//! - After a timeout the window is ramped up like after a slowdown, to half of what it was.
//!
//! # Validated against
//!
//! Promises: a queue at the target, slowdowns that take a tenth of the time. Not against another implementation.

use super::delays::Delays;
use super::ledbat::{halved, target};
use super::{CongestionControl, Entry, Scope};
use crate::context::{Ack, Congestion, Context, Delivery, Window};
use crate::{MILLISECOND, Nanos};

pub(super) const ENTRY: Entry = Entry {
    name: "ledbat++",
    summary: "background transfer: keeps a target delay in the queue, with slowdowns that show the path without it",
    source: "draft-irtf-iccrg-ledbat-plus-plus-01",
    parameters: &[target(60.0)],
    make: |values| Box::new(LedbatPlusPlus::new((values.get("target") * MILLISECOND as f64) as Nanos)),
};

/// The largest divisor that stands for GAIN.
const MOST_DIVISOR: u64 = 16;
/// The window of a slowdown, segments, and how long it stays, round trips.
const SLOW_WINDOW: u64 = 2;
const SLOW_ROUNDS: u64 = 2;
/// The time between two slowdowns over the length of the last.
const INTERVAL: u64 = 9;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// The initial slow start.
    Start,
    Avoidance,
    /// In a slowdown.
    Slow {
        until: Nanos,
    },
    /// Slow start up to the window before the slowdown.
    Ramp,
}

#[derive(Debug)]
struct LedbatPlusPlus {
    target: Nanos,
    delays: Delays,
    phase: Phase,
    /// When the last slowdown began, and the next does.
    began: Nanos,
    next: Nanos,
    /// The window to ramp up to, bytes.
    goal: u64,
    /// Bytes acknowledged that did not yet amount to a byte of growth: over the divisor, and over divisor times cwnd.
    slow_credit: u64,
    credit: u128,
}

impl LedbatPlusPlus {
    fn new(target: Nanos) -> LedbatPlusPlus {
        LedbatPlusPlus {
            target,
            delays: Delays::default(),
            phase: Phase::Start,
            began: 0,
            next: Nanos::MAX,
            goal: 0,
            slow_credit: 0,
            credit: 0,
        }
    }

    /// 1 / GAIN.
    fn divisor(&self) -> u64 {
        let base = self.delays.base().unwrap_or(0).max(0) as u64;
        if base == 0 { MOST_DIVISOR } else { (2 * self.target).div_ceil(base).clamp(1, MOST_DIVISOR) }
    }

    fn end_start(&mut self, ctx: &Context) {
        self.phase = Phase::Avoidance;
        self.next = ctx.now + SLOW_ROUNDS * ctx.srtt.unwrap_or(ctx.rto);
    }

    fn end_ramp(&mut self, now: Nanos) {
        self.phase = Phase::Avoidance;
        self.next = now + INTERVAL * (now - self.began);
    }

    /// Whatever time and the queue say of the phase.
    fn advance(&mut self, window: &mut Window, ctx: &Context, queueing: Nanos) {
        match self.phase {
            Phase::Start if queueing > self.target / 4 * 3 => self.end_start(ctx),
            Phase::Avoidance if ctx.now >= self.next && !ctx.in_recovery => {
                self.goal = window.cwnd;
                window.cwnd = window.cwnd.min(SLOW_WINDOW * ctx.mss);
                self.began = ctx.now;
                self.phase = Phase::Slow { until: ctx.now + SLOW_ROUNDS * ctx.srtt.unwrap_or(ctx.rto) };
            }
            Phase::Slow { until } if ctx.now >= until => self.phase = Phase::Ramp,
            _ => {}
        }
    }

    /// GAIN segments for each window acknowledged.
    fn grow(&mut self, window: &mut Window, acked: u64, mss: u64) {
        let unit = u128::from(self.divisor()) * u128::from(window.cwnd.max(1));
        self.credit = self.credit.min(unit) + u128::from(acked.min(window.cwnd)) * u128::from(mss);
        window.cwnd += (self.credit / unit) as u64;
        self.credit %= unit;
    }

    /// Less for what the queue is above the target, at most half in a round trip.
    fn shrink(&self, window: &mut Window, acked: u64, queueing: Nanos, mss: u64) {
        let over =
            u128::from(queueing.saturating_sub(self.target)) * u128::from(acked) / u128::from(self.target.max(1));
        let less = u64::try_from(over).unwrap_or(u64::MAX).min(acked / 2);
        window.cwnd = window.cwnd.saturating_sub(less).max(SLOW_WINDOW * mss);
    }
}

impl CongestionControl for LedbatPlusPlus {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let acked = acked.min(window.cwnd);
        match self.phase {
            Phase::Start => {
                self.slow_credit += acked;
                window.cwnd += self.slow_credit / self.divisor();
                self.slow_credit %= self.divisor();
            }
            Phase::Ramp => {
                window.cwnd = (window.cwnd + acked).min(self.goal.max(window.cwnd));
                if window.cwnd >= self.goal {
                    self.end_ramp(ack.ctx.now);
                }
            }
            Phase::Avoidance => self.grow(window, acked, ack.ctx.mss),
            Phase::Slow { .. } => {}
        }
    }

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        window.ssthresh = halved(window, &event.ctx);
        window.cwnd = window.cwnd.min(window.ssthresh);
        match self.phase {
            Phase::Start => self.end_start(&event.ctx),
            Phase::Ramp => self.end_ramp(event.ctx.now),
            Phase::Avoidance | Phase::Slow { .. } => {}
        }
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, first: bool) {
        if first {
            window.ssthresh = halved(window, &event.ctx);
            self.goal = window.ssthresh;
            (self.phase, self.began) = (Phase::Ramp, event.ctx.now);
        }
    }

    fn scope(&self) -> Scope {
        Scope { slow_start: true, deliveries: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let Ack { ctx, acked, .. } = delivery.ack;
        let Some(sent_at) = delivery.sent_at else { return };
        self.delays.update(ctx.now, (ctx.now - sent_at) as i64, ctx.srtt.unwrap_or(Nanos::MAX));
        let queueing = self.delays.queueing().unwrap_or(0);
        self.advance(window, &ctx, queueing);
        if self.phase == Phase::Avoidance && !ctx.in_recovery {
            self.shrink(window, acked, queueing, ctx.mss);
        }
    }
}
