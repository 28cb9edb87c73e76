//! Vegas of Linux 2.6.22, which ns-2's Agent/TCP/Linux runs: the end of slow start leaves ssthresh at two segments for
//! good, and sending after an idle period changes nothing.
//!
//! # Equations
//!
//! A round ends with the first ACK above SND.NXT at its start. Let base be the smallest RTT so far, rtt the smallest RTT of
//! the round, sent the segments between the starts of the last two rounds, and target = floor(2 sent base / rtt), in half
//! segments, so that the backlog is Q = 2 sent - target half segments.
//!
//! - A round with at least three RTT samples ends as follows. Q > 2 in slow start: ssthresh = 2 segments, and cwnd =
//!   min(cwnd, floor(target / 2) + 1). Slow start then adds a segment in either case. In congestion avoidance, cwnd moves by
//!   at most a segment towards the window at the start of the round, less one if Q > 8, plus one if Q < 4. At least two
//!   segments remain.
//! - A round with fewer samples ends with Reno's growth. Within rounds, the window grows in slow start alone.
//! - Congestion: ssthresh = max(cwnd / 2, 2), rounded down to whole segments.
//!
//! Slow start lasts up to and including ssthresh. Outside the normal state, the window grows like Reno's; a round begins
//! anew at the return to it.
//!
//! # Constants
//!
//! alpha is 2 segments, beta 4 and gamma 1 (net/ipv4/tcp_vegas.c).
//!
//! # Deviations
//!
//! From Linux 2.6.22: base RTT begins anew there when sending starts with nothing in flight. ns-2 has no such event.
//!
//! # Validated against
//!
//! The end of slow start and congestion avoidance on worked values.

use super::super::{CongestionControl, Entry, Scope};
use super::count::{Count, flight, segments};
use super::rtts::Rtts;
use super::state::{State, States};
use crate::context::{Ack, Congestion, Context, Delivery, Window};

#[cfg(test)]
mod tests;

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "vegas-2.6",
    summary: "Vegas of Linux 2.6.22, as ns-2's Agent/TCP/Linux runs it: slow start ends once and for all",
    source: "Linux 2.6.22 net/ipv4/tcp_vegas.c; ns-2.35 tcp/linux/src/tcp_vegas.c",
    parameters: &[],
    make: |_| Box::<Vegas>::default(),
};

/// Backlogs in half segments: below ALPHA the window grows, above BETA it shrinks, above GAMMA slow start ends.
const ALPHA: u64 = 4;
const BETA: u64 = 8;
const GAMMA: u64 = 2;
/// RTT samples that a round needs.
const SAMPLES: u64 = 3;
const LEAST_WINDOW: u64 = 2;

#[derive(Debug)]
struct Vegas {
    count: Count,
    states: States,
    /// `doing_vegas_now`.
    judges: bool,
    /// Stream offsets of the round, and the window in segments at its start (`beg_snd_una`, `beg_snd_nxt` and
    /// `beg_snd_cwnd`).
    start: u64,
    end: u64,
    cwnd: u64,
    rtts: Rtts,
}

impl Default for Vegas {
    fn default() -> Vegas {
        Vegas {
            count: Count::default(),
            states: States::default(),
            judges: true,
            start: 0,
            end: 0,
            cwnd: 0,
            rtts: Rtts::default(),
        }
    }
}

/// Slow start up to and including ssthresh.
fn slow(window: &Window) -> bool {
    window.cwnd <= window.ssthresh
}

impl Vegas {
    fn reno(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        if !ack.cwnd_limited || acked == 0 {
            return;
        }
        if slow(window) {
            window.cwnd += mss;
        } else {
            self.count.grow(window, segments(window.cwnd, mss), 1, mss);
        }
    }

    /// Adjusts the window at the end of a round in which `sent` segments were sent, from a window of `before` segments.
    fn judge(&self, window: &mut Window, sent: u64, before: u64, mss: u64) {
        let target = 2 * sent * self.rtts.base / self.rtts.least;
        let backlog = 2 * sent - target;
        let cwnd = segments(window.cwnd, mss);
        let next = if slow(window) {
            let ends = backlog > GAMMA;
            if ends {
                window.ssthresh = LEAST_WINDOW * mss;
            }
            1 + if ends { cwnd.min(target / 2 + 1) } else { cwnd }
        } else {
            let wanted = match backlog {
                more if more > BETA => before.saturating_sub(1),
                less if less < ALPHA => before + 1,
                _ => before,
            };
            wanted.clamp(cwnd.saturating_sub(1), cwnd + 1)
        };
        window.cwnd = next.max(LEAST_WINDOW) * mss;
    }
}

impl CongestionControl for Vegas {
    fn scope(&self) -> Scope {
        Scope { slow_start: true, deliveries: true, every_ack: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, _window: &mut Window, delivery: &Delivery) {
        self.rtts.on_delivery(delivery);
        let ctx = &delivery.ack.ctx;
        let change = self.states.on_delivery(ctx);
        if change.is_to(State::Open) {
            (self.judges, self.end) = (true, ctx.snd_nxt);
            self.rtts.begin();
        } else if change.is_to(State::Disorder) {
            self.judges = false;
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let (ctx, mss) = (&ack.ctx, ack.ctx.mss);
        if !self.judges {
            return self.reno(window, ack, acked);
        }
        if ctx.snd_una <= self.end {
            if slow(window) && acked > 0 {
                window.cwnd += mss;
            }
            return;
        }
        let (sent, before) = (segments(self.end.saturating_sub(self.start), mss), self.cwnd);
        (self.start, self.end, self.cwnd) = (self.end, ctx.snd_nxt, segments(window.cwnd, mss));
        if self.rtts.samples < SAMPLES {
            self.reno(window, ack, acked);
        } else {
            self.judge(window, sent, before, mss);
        }
        self.rtts.begin();
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.states.on_congestion(event);
        self.judges = false;
        self.count.clear();
        (flight(window, event) / 2).max(LEAST_WINDOW) * event.ctx.mss
    }

    fn reset(&mut self, _ctx: &Context) {
        self.states.on_timeout();
        self.judges = false;
        self.count.clear();
    }
}
