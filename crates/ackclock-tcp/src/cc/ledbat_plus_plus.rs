//! LEDBAT++: LEDBAT with slower start and growth, a multiplicative decrease, and slowdowns during which every flow can
//! measure the path without a queue.
//!
//! # Equations
//!
//! `GAIN = 1 / min(16, ceil(2 * TARGET / base RTT))`. In each round trip with a delay below the target, `cwnd += GAIN`,
//! in segments. Above the target, `cwnd += max(GAIN - cwnd * (queueing delay / TARGET - 1), -cwnd / 2)`. In slow start,
//! each ACK adds GAIN times the acknowledged bytes. The queueing delay is the smallest of the last four round-trip
//! times of a round trip, minus the smallest of ten minutes.
//!
//! The first slow start ends when the queueing delay exceeds 3/4 of the target. The first slowdown begins two round
//! trips later: the window is two segments for two round trips, and then slow start leads back to the previous window.
//! The next slowdown begins after nine times the duration of the last.
//!
//! # Constants
//!
//! The constants are those of draft-irtf-iccrg-ledbat-plus-plus-01, as implementations quote the draft section by
//! section; its text was not read. Section 4.1: 3/4 of the target. Section 4.2: largest divisor of the gain 16. Section
//! 4.3: constant of the decrease 1. Section 4.4: two segments, two round trips, nine times. Section 4.5: TARGET 60 ms,
//! a parameter. Apple's tcp_ledbat.c, which follows the draft, has the same values, except that its TARGET is set from
//! outside.
//!
//! # Deviations
//!
//! - The ramp after a slowdown is standard slow start. The draft only says slow start; with GAIN, as in Apple's
//!   implementation, slowdowns would take more than the tenth of the time that the draft allows.
//! - The initial window is the sender's; section 4.1 has two segments.
//! - After a timeout the window ramps up as after a slowdown, to half of its previous value.
//!
//! # Validated against
//!
//! A queueing delay at the target, and slowdowns that take a tenth of the time. Not compared with another
//! implementation.

use std::borrow::Cow;

use super::delays::Delays;
use super::ledbat::halved;
use super::{CongestionControl, Entry, Scope, milliseconds};
use crate::Nanos;
use crate::context::{Ack, Cause, Congestion, Context, Delivery, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "ledbat++",
    summary: "background transfer: keeps a target delay in the queue, with slowdowns that empty the queue",
    source: "draft-irtf-iccrg-ledbat-plus-plus-01",
    parameters: Parameters::ROWS,
    make: |given| Box::new(LedbatPlusPlus::new(milliseconds(Parameters::read(given).target))),
};

ackclock_core::parameters! {
    /// Constants of LEDBAT++ that a scenario may set.
    struct Parameters {
        target: f64 = is(60.0), (1.0, 100.0), In("ms"), "queueing delay to keep";
    }
}

/// Largest divisor 1 / GAIN.
const MOST_DIVISOR: u64 = 16;
/// Window of a slowdown in segments, and its duration in round trips.
const SLOW_WINDOW: u64 = 2;
const SLOW_ROUNDS: u64 = 2;
/// Time between two slowdowns, as a multiple of the duration of the last.
const INTERVAL: u64 = 9;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// The initial slow start.
    Start,
    Avoidance,
    /// A slowdown.
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
    /// Start of the last slowdown, and start of the next.
    began: Nanos,
    next: Nanos,
    /// Target window of the ramp, bytes.
    goal: u64,
    /// Acknowledged bytes that are less than a byte of growth: in slow start, and in avoidance in units of divisor
    /// times cwnd.
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

    /// The divisor 1 / GAIN.
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

    /// Changes the phase according to the time and the queueing delay.
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

    /// Adds GAIN segments for each window acknowledged.
    fn grow(&mut self, window: &mut Window, acked: u64, mss: u64) {
        let unit = u128::from(self.divisor()) * u128::from(window.cwnd.max(1));
        self.credit = self.credit.min(unit) + u128::from(acked.min(window.cwnd)) * u128::from(mss);
        window.cwnd += (self.credit / unit) as u64;
        self.credit %= unit;
    }

    /// Reduces the window in proportion to the delay above the target, by at most half in a round trip.
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

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        let half = halved(window, &event.ctx);
        match self.phase {
            _ if event.cause == Cause::Timeout => {
                self.goal = half;
                (self.phase, self.began) = (Phase::Ramp, event.ctx.now);
            }
            Phase::Start => self.end_start(&event.ctx),
            Phase::Ramp => self.end_ramp(event.ctx.now),
            Phase::Avoidance | Phase::Slow { .. } => {}
        }
        half
    }

    // A window below the minimum does not grow by a loss.
    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        window.ssthresh = self.ssthresh(window, event);
        window.cwnd = window.cwnd.min(window.ssthresh);
    }

    fn scope(&self) -> Scope {
        Scope { slow_start: true, deliveries: true, ..Scope::default() }
    }

    fn state(&self) -> Option<Cow<'_, str>> {
        let name = match self.phase {
            Phase::Start => "slow_start",
            Phase::Avoidance => "congestion_avoidance",
            Phase::Slow { .. } => "slowdown",
            Phase::Ramp => "ramp",
        };
        Some(name.into())
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
