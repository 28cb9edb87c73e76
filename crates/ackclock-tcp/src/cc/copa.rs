//! Copa: sends at the rate at which its share of the queue is a few packets, and becomes more aggressive where buffer-fillers
//! compete.
//!
//! # Equations
//!
//! `dq = RTTstanding - RTTmin`; target rate `1 / (delta * dq)` and rate `cwnd / RTTstanding`, in segments. Each ACK moves the
//! window by `v / (delta * cwnd)` segments towards the target. `RTTstanding` is the smallest RTT of the last SRTT/2, `RTTmin` that
//! of 10 s. In equilibrium `1 / delta` segments wait in the queue (equation 1 and section 2.1 of the paper).
//!
//! The velocity `v` is 1, doubles each round trip once the window has moved the same way for three, and is 1 again when it
//! turns. Before the target is first reached the window doubles each round trip. Pacing is at `2 * cwnd / RTTstanding` (section
//! 2.1).
//!
//! Mode switching (section 2.2): the queue counts as nearly empty where dq is below a tenth of what the largest RTT of the last
//! four round trips exceeds `RTTmin` by. If it has not been for five round trips, others fill the buffer, and `1 / delta` grows
//! by one each round trip and halves with loss, as AIMD; it falls back to the default when the queue is nearly empty.
//!
//! # Constants
//!
//! Arun and Balakrishnan, "Copa: Practical Delay-Based Congestion Control for the Internet", NSDI 2018, sections 2.1 and 2.2, as
//! Meta's mvfst (Copa.cpp) and others quote them; the whole text was not read. delta is a parameter, 0.5 by default. The paper
//! leaves open what `1 / delta` follows in competition: a segment more each round trip, and a half after loss, is what the
//! authors' genericCC does (markoviancc.cc).
//!
//! # Deviations
//!
//! - The queue also counts as nearly empty where it is two segments' worth: receivers that acknowledge every other segment
//!   make the sender send in pairs, and at low rates a lone flow would take its own pairs for somebody else's queue.
//! - v is at most what moves the window by itself in a round trip; genericCC bounds it by the window in segments.
//! - `1 / delta` is at most 1000.
//! - v is 1 again at the end of a round trip in which the window turned, as in the paper; mvfst does not wait for the end.
//! - In the default mode loss is not answered, as in the paper; a timeout leaves two segments beside what is still in flight.
//! - Marks (ECN) are not answered: the paper knows none.
//!
//! # Validated against
//!
//! Promises: `1 / delta` segments in the queue on average, the link full; with a Reno flow's buffer full, the competitive mode.
//! Not against the authors' implementation.

#[cfg(test)]
mod tests;

use super::{CongestionControl, Entry, Parameter, Scope, paced};
use crate::context::{Ack, Cause, Congestion, Context, Delivery, Window};
use crate::{Nanos, SECOND};

pub(super) const ENTRY: Entry = Entry {
    name: "copa",
    summary: "targets the rate that leaves 1/delta segments in the queue; competes where others fill the buffer",
    source: "Arun and Balakrishnan, NSDI 2018",
    parameters: &[Parameter {
        name: "delta",
        summary: "what a segment of queue is worth; 1/delta segments wait",
        default: 0.5,
        range: (0.005, 1.0),
    }],
    make: |values| Box::new(Copa::new((libm::round(values.get("delta") * UNIT as f64) as u64).max(1))),
};

/// delta is counted in thousandths.
const UNIT: u64 = 1000;
/// How long RTTmin stands, and into how many parts that is divided.
const MIN_RTT_LENGTH: Nanos = 10 * SECOND;
const PARTS: usize = 10;
/// Round trips without a nearly empty queue after which others are taken to fill it.
const BUSY_ROUNDS: u32 = 5;
/// Round trips of the same direction after which v doubles.
const STEADY_ROUNDS: u32 = 3;
/// The least window, segments.
const MIN_WINDOW: u64 = 2;

/// The smallest RTT of a sliding window, by tenths of it.
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

/// The rounds by which direction and mode are decided.
#[derive(Clone, Copy, Default, Debug)]
struct Round {
    /// snd_nxt when it began: it ends when that is acknowledged.
    end: u64,
    /// The window when it began, bytes.
    cwnd: u64,
    /// Whether the window grew in the last, and for how many it has gone the same way.
    up: bool,
    same: u32,
    /// Rounds since the queue was nearly empty, and the largest RTT of each of the last four.
    busy: u32,
    largest: [Nanos; 4],
    lost: bool,
}

#[derive(Debug)]
struct Copa {
    /// The default, thousandths.
    delta: u64,
    /// The present 1/delta, thousandths.
    inverse: u64,
    velocity: u64,
    slow_start: bool,
    standing: Standing,
    min_rtt: WindowedMin,
    round: Round,
    /// Movement that did not yet amount to a byte.
    credit: u128,
}

/// RTTstanding: the smallest RTT of the last SRTT/2, as the smaller of two halves of it.
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

    /// A round trip is over.
    fn end_round(&mut self, window: &Window, ctx: &Context, rtt: Nanos) {
        let up = window.cwnd > self.round.cwnd;
        self.round.same = if up == self.round.up { self.round.same + 1 } else { 0 };
        self.velocity = match self.round.same {
            0 => 1,
            same if same >= STEADY_ROUNDS => self.velocity * 2,
            _ => self.velocity,
        };
        // In a round trip v/delta segments are won or lost: at most the window.
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
        Scope { slow_start: true, window: true, deliveries: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let Ack { ctx, cwnd_limited, .. } = delivery.ack;
        let Some(sent_at) = delivery.sent_at else { return };
        let rtt = (ctx.now - sent_at).max(1);
        let srtt = ctx.srtt.unwrap_or(rtt);
        let min_rtt = self.min_rtt.update(ctx.now, rtt, MIN_RTT_LENGTH);
        let standing = self.standing.update(ctx.now, rtt, srtt / 2).max(min_rtt);
        let queueing = standing - min_rtt;
        // What two segments take at the present rate.
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

/// 2 * cwnd / RTTstanding.
fn pacing_rate(cwnd: u64, standing: Nanos, mss: u64) -> u64 {
    let rate = 2 * u128::from(cwnd) * u128::from(SECOND) / u128::from(standing.max(1));
    paced(u64::try_from(rate).unwrap_or(u64::MAX), mss)
}
