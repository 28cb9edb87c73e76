//! Copa: sends at the rate at which the flow has a few segments in the queue, and becomes more aggressive against flows
//! that fill buffers.
//!
//! # Equations
//!
//! Let `dq = RTTstanding - RTTmin`. The target rate is `1 / (delta * dq)` and the rate `cwnd / RTTstanding`, in
//! segments. Each ACK moves the window by `v / (delta * cwnd)` segments towards the target. `RTTstanding` is the
//! smallest RTT of the last SRTT/2, and `RTTmin` that of the last 10 s. In equilibrium, the flow has `1 / delta`
//! segments in the queue (equation 1 and section 2.1 of the paper).
//!
//! The velocity `v` starts at 1. It doubles each round trip once the window has moved in the same direction for three
//! round trips, and returns to 1 when the direction changes. Before the target is first reached, the window doubles
//! each round trip. The pacing rate is `2 * cwnd / RTTstanding` (section 2.1).
//!
//! Mode switching (section 2.2): the queue counts as nearly empty if dq is below a tenth of the difference between the
//! largest RTT of the last four round trips and `RTTmin`. If the queue has not been nearly empty for five round trips,
//! other flows are assumed to fill the buffer. `1 / delta` then grows by one each round trip and is halved on loss, as
//! in AIMD. It returns to the default when the queue is nearly empty.
//!
//! # Constants
//!
//! The source is Arun and Balakrishnan, "Copa: Practical Delay-Based Congestion Control for the Internet", NSDI 2018,
//! sections 2.1 and 2.2, as quoted by Meta's mvfst (Copa.cpp) and others; the full paper was not read. delta is a
//! parameter, 0.5 by default. The paper leaves open how `1 / delta` changes in competition. An increase of a segment
//! each round trip and halving on loss follow the authors' genericCC (markoviancc.cc).
//!
//! # Deviations
//!
//! - The queue also counts as nearly empty if dq is at most the time of two segments. Receivers that acknowledge every
//!   other segment cause the sender to send pairs; at low rates, a lone flow would take its own pairs for the queue of
//!   another flow.
//! - v is bounded so that the window changes by at most itself in a round trip. genericCC bounds v by the window in
//!   segments.
//! - `1 / delta` is at most 1000.
//! - v returns to 1 at the end of a round trip in which the window's direction changed, as in the paper; mvfst does so
//!   at once.
//! - In the default mode loss is not answered, as in the paper. A timeout leaves two segments in addition to the data
//!   still in flight.
//! - ECN marks are not answered; the paper does not use ECN.
//!
//! # Validated against
//!
//! `1 / delta` segments in the queue on average with the link full; the competitive mode when a Reno flow fills the
//! buffer. Not compared with the authors' implementation.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::{CongestionControl, Entry, Scope, paced};
use crate::context::{Ack, Cause, Congestion, Context, Delivery, Window};
use crate::{Nanos, Rate, SECOND};

pub(super) const ENTRY: Entry = Entry {
    name: "copa",
    summary: "targets the rate with 1/delta segments in the queue; competes with flows that fill the buffer",
    source: "Arun and Balakrishnan, NSDI 2018",
    parameters: Law::ROWS,
    make: |given| Box::new(Copa::new((libm::round(Law::read(given).delta * UNIT as f64) as u64).max(1))),
};

ackclock_core::parameters! {
    /// Constants of the target rate.
    struct Law {
        delta: f64 = is(0.5), (0.005, 1.0), Number,
            "weight of queueing delay; the flow has 1/delta segments in the queue";
    }
}

/// delta and 1/delta are in thousandths.
const UNIT: u64 = 1000;
/// Time over which RTTmin is taken, and number of parts into which this time is divided.
const MIN_RTT_LENGTH: Nanos = 10 * SECOND;
const PARTS: usize = 10;
/// Round trips without a nearly empty queue after which other flows are assumed to fill the buffer.
const BUSY_ROUNDS: u32 = 5;
/// Round trips in the same direction after which v doubles.
const STEADY_ROUNDS: u32 = 3;
/// Smallest window, segments.
const MIN_WINDOW: u64 = 2;

/// Smallest RTT of a sliding window, kept by tenths of the window.
#[derive(Clone, Copy, Debug)]
struct WindowedMin {
    minima: [Nanos; PARTS],
    part: u64,
}

impl Default for WindowedMin {
    fn default() -> WindowedMin {
        WindowedMin { minima: [Nanos::MAX; PARTS], part: 0 }
    }
}

impl WindowedMin {
    fn update(&mut self, now: Nanos, rtt: Nanos, length: Nanos) -> Nanos {
        let part = now / (length / PARTS as u64).max(1);
        for _ in 0..part.saturating_sub(self.part).min(PARTS as u64) {
            self.minima.rotate_left(1);
            self.minima[PARTS - 1] = Nanos::MAX;
        }
        self.part = self.part.max(part);
        self.minima[PARTS - 1] = self.minima[PARTS - 1].min(rtt);
        self.minima.into_iter().min().unwrap_or(rtt)
    }
}

/// State of the round trips that decides direction and mode.
#[derive(Clone, Copy, Default, Debug)]
struct Round {
    /// snd_nxt at the start of the round, which ends when data beyond it are acknowledged.
    end: u64,
    /// Window at the start of the round, bytes.
    cwnd: u64,
    /// Whether the window grew in the last round, and the number of rounds since the direction changed.
    up: bool,
    same: u32,
    /// Rounds since the queue was nearly empty, and the largest RTT of each of the last four rounds.
    busy: u32,
    largest: [Nanos; 4],
    lost: bool,
}

#[derive(Debug)]
struct Copa {
    /// Default of delta, thousandths.
    delta: u64,
    /// Present 1/delta, thousandths.
    inverse: u64,
    velocity: u64,
    slow_start: bool,
    standing: Standing,
    min_rtt: WindowedMin,
    round: Round,
    /// Movement of the window that is less than a byte.
    credit: u128,
}

/// RTTstanding: the smallest RTT of the last SRTT/2, kept as the smallest of each half.
#[derive(Clone, Copy, Default, Debug)]
struct Standing {
    since: Nanos,
    this: Option<Nanos>,
    last: Option<Nanos>,
}

impl Standing {
    fn update(&mut self, now: Nanos, rtt: Nanos, length: Nanos) -> Nanos {
        if now.saturating_sub(self.since) >= length / 2 {
            let gap = now.saturating_sub(self.since) >= length;
            (self.last, self.this) = (if gap { None } else { self.this }, None);
            self.since = now;
        }
        let this = self.this.map_or(rtt, |this| this.min(rtt));
        self.this = Some(this);
        self.last.map_or(this, |last| last.min(this))
    }
}

impl Copa {
    fn new(delta: u64) -> Copa {
        Copa {
            delta,
            inverse: UNIT * UNIT / delta,
            velocity: 1,
            slow_start: true,
            standing: Standing::default(),
            min_rtt: WindowedMin::default(),
            round: Round::default(),
            credit: 0,
        }
    }

    /// Whether the rate is below the target: `cwnd / RTTstanding <= 1 / (delta * dq)`, in segments.
    fn is_below_target(&self, cwnd: u64, standing: Nanos, queueing: Nanos, mss: u64) -> bool {
        // cwnd * dq * UNIT <= inverse * mss * RTTstanding
        u128::from(cwnd) * u128::from(queueing) * u128::from(UNIT)
            <= u128::from(self.inverse) * u128::from(mss) * u128::from(standing)
    }

    /// Ends a round trip.
    fn end_round(&mut self, window: &Window, ctx: &Context, rtt: Nanos) {
        let up = window.cwnd > self.round.cwnd;
        self.round.same = if up == self.round.up { self.round.same + 1 } else { 0 };
        self.velocity = match self.round.same {
            0 => 1,
            same if same >= STEADY_ROUNDS => self.velocity * 2,
            _ => self.velocity,
        };
        // In a round trip the window changes by v/delta segments, which must not exceed the window.
        let most = (window.cwnd / ctx.mss.max(1)) * UNIT / self.inverse.max(1);
        self.velocity = self.velocity.min(most.max(1));
        self.round.busy = self.round.busy.saturating_add(1);
        let default = UNIT * UNIT / self.delta;
        self.inverse = if self.round.busy <= BUSY_ROUNDS {
            default
        } else if self.round.lost {
            (self.inverse / 2).max(default)
        } else {
            (self.inverse + UNIT).min(UNIT * UNIT)
        };
        self.round.largest.rotate_left(1);
        self.round.largest[3] = rtt;
        self.round = Round { end: ctx.snd_nxt, cwnd: window.cwnd, up, lost: false, ..self.round };
    }

    fn note_queue(&mut self, rtt: Nanos, min_rtt: Nanos, queueing: Nanos, pair: Nanos) {
        self.round.largest[3] = self.round.largest[3].max(rtt);
        let largest = self.round.largest.into_iter().max().unwrap_or(rtt);
        let nearly_empty = ((largest - min_rtt.min(largest)) / 10).max(pair);
        if queueing <= nearly_empty {
            self.round.busy = 0;
        }
    }

    fn step(&mut self, window: &mut Window, newly: u64, up: bool, mss: u64) {
        // v / (delta * cwnd) segments for each segment acknowledged.
        let unit = u128::from(window.cwnd.max(1)) * u128::from(UNIT);
        let moved = u128::from(self.velocity * self.inverse) * u128::from(newly.min(window.cwnd)) * u128::from(mss);
        self.credit += moved;
        let bytes = (self.credit / unit) as u64;
        self.credit %= unit;
        window.cwnd = if up { window.cwnd + bytes } else { window.cwnd.saturating_sub(bytes) };
        window.cwnd = window.cwnd.max(MIN_WINDOW * mss);
    }
}

impl CongestionControl for Copa {
    fn on_start(&mut self, window: &mut Window, ctx: &Context) {
        self.round.cwnd = window.cwnd;
        if let Some(srtt) = ctx.srtt.filter(|&srtt| srtt > 0) {
            window.pacing_rate = Some(pacing_rate(window.cwnd, srtt, ctx.mss));
        }
    }

    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack, _acked: u64) {}

    fn on_congestion(&mut self, _window: &mut Window, event: &Congestion) {
        self.round.lost |= event.cause != Cause::Ecn;
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, _first: bool) {
        self.round.lost = true;
        self.velocity = 1;
        window.cwnd = window.cwnd.min(event.ctx.pipe + MIN_WINDOW * event.ctx.mss);
    }

    fn scope(&self) -> Scope {
        Scope { slow_start: true, window: true, deliveries: true, paces: true, ..Scope::default() }
    }

    fn state(&self) -> Option<Cow<'_, str>> {
        let name = match (self.slow_start, self.inverse == UNIT * UNIT / self.delta) {
            (true, _) => "slow_start",
            (false, true) => "default",
            (false, false) => "competitive",
        };
        Some(name.into())
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let Ack { ctx, cwnd_limited, .. } = delivery.ack;
        let Some(sent_at) = delivery.sent_at else { return };
        let rtt = (ctx.now - sent_at).max(1);
        let srtt = ctx.srtt.unwrap_or(rtt);
        let min_rtt = self.min_rtt.update(ctx.now, rtt, MIN_RTT_LENGTH);
        let standing = self.standing.update(ctx.now, rtt, srtt / 2).max(min_rtt);
        let queueing = standing - min_rtt;
        // Time of two segments at the present rate.
        let pair = u128::from(2 * ctx.mss) * u128::from(standing) / u128::from(window.cwnd.max(1));
        self.note_queue(rtt, min_rtt, queueing, u64::try_from(pair).unwrap_or(0));
        let up = self.is_below_target(window.cwnd, standing, queueing, ctx.mss);
        if self.slow_start && up {
            if cwnd_limited {
                window.cwnd += delivery.newly;
            }
        } else {
            self.slow_start = false;
            if !up || cwnd_limited {
                self.step(window, delivery.newly, up, ctx.mss);
            }
        }
        if ctx.snd_una > self.round.end {
            self.end_round(window, &ctx, rtt);
        }
        window.pacing_rate = Some(pacing_rate(window.cwnd, standing, ctx.mss));
    }
}

/// The pacing rate 2 * cwnd / RTTstanding, with headers.
fn pacing_rate(cwnd: u64, standing: Nanos, mss: u64) -> Rate {
    let rate = 2 * u128::from(cwnd) * u128::from(SECOND) / u128::from(standing.max(1));
    paced(u64::try_from(rate).unwrap_or(u64::MAX), mss)
}
