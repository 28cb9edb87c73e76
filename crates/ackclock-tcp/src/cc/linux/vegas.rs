//! Vegas as Linux implements it: slow start doubles the window in every round, rounds are judged by their smallest RTT, and
//! a loss halves the window.
//!
//! # Equations
//!
//! A round ends with the first ACK above SND.NXT at its start. Let base be the smallest RTT since sending last began with
//! nothing in flight, and rtt the smallest RTT of the round. RTTs are in microseconds, and one is added to each. The backlog
//! is `Q = floor(cwnd (rtt - base) / base)`, in segments.
//!
//! - A round with at least three RTT samples ends as follows; `Q > 1` in slow start: cwnd = min(cwnd, floor(cwnd base / rtt) +
//!   1), and ssthresh is at most cwnd. Otherwise slow start continues. In congestion avoidance, cwnd changes by one segment:
//!   down if Q > 4, and ssthresh is at most cwnd; up if Q < 2. At least two segments remain, and ssthresh is at least three
//!   quarters of cwnd.
//! - A round with fewer samples ends with Reno's growth.
//! - Within rounds, the window grows in slow start alone, by each acknowledged segment.
//! - Congestion: ssthresh = max(cwnd / 2, 2), rounded down to whole segments.
//!
//! While data is SACKed and losses are repaired, the window grows like Reno's. A round begins anew at the return to normal,
//! and whenever a segment is sent with nothing in flight.
//!
//! # Constants
//!
//! alpha is 2 segments, beta 4 and gamma 1 (net/ipv4/tcp_vegas.c).
//!
//! # Deviations
//!
//! None from net/ipv4/tcp_vegas.c. The kernel differs from the paper as follows:
//!
//! - Slow start doubles the window in every round, instead of every other.
//! - A round is judged by its smallest RTT, and Q is the backlog relative to base RTT: `cwnd (rtt - base) / base` exceeds
//!   the paper's `cwnd (rtt - base) / rtt` where the queue is long.
//! - The end of slow start sets the window to the measured rate times base RTT, instead of seven eighths.
//! - Losses are found and answered as by Reno: the paper's early retransmissions and its reduction by a quarter are absent.
//! - Base RTT begins anew after idle periods, so that the queue of other flows becomes part of it.
//! - A window that the application does not fill changes all the same.
//!
//! # Validated against
//!
//! Slow start and its end, the thresholds of congestion avoidance, rounds with few samples, and new beginnings on worked
//! values.

use super::super::{CongestionControl, Entry, Scope};
use super::count::{Count, flight, segments, slow_start};
use super::rtts::{NO_RTT, Rtts};
use super::state::{Starts, State, States};
use crate::context::{Ack, Congestion, Context, Delivery, Window};

#[cfg(test)]
mod tests;

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "vegas-linux",
    summary: "Vegas as Linux has it: rounds judged by their smallest RTT, slow start in every round, half at a loss",
    source: "Linux net/ipv4/tcp_vegas.c",
    parameters: &[],
    make: |_| Box::<Vegas>::default(),
};

/// Backlog below which the window grows, and above which it shrinks, segments.
const ALPHA: u64 = 2;
const BETA: u64 = 4;
/// Backlog above which slow start ends, segments.
const GAMMA: u64 = 1;
/// RTT samples that a round needs.
const SAMPLES: u64 = 3;

#[derive(Debug)]
struct Vegas {
    count: Count,
    states: States,
    starts: Starts,
    /// Whether rounds are judged, instead of Reno's growth (`doing_vegas_now`).
    judges: bool,
    /// The round ends with an ACK above this stream offset (`beg_snd_nxt`).
    end: u64,
    rtts: Rtts,
}

impl Default for Vegas {
    fn default() -> Vegas {
        Vegas {
            count: Count::default(),
            states: States::default(),
            starts: Starts::default(),
            judges: true,
            end: 0,
            rtts: Rtts::default(),
        }
    }
}

impl Vegas {
    fn begin(&mut self, snd_nxt: u64) {
        (self.judges, self.end) = (true, snd_nxt);
        self.rtts.begin();
    }

    /// Adjusts the window at the end of a round.
    fn judge(&mut self, window: &mut Window, acked: u64, mss: u64) {
        let Rtts { least, base, .. } = self.rtts;
        let cwnd = segments(window.cwnd, mss);
        let backlog = cwnd * (least - base) / base;
        let mut bound = false;
        if window.in_slow_start() {
            if backlog > GAMMA {
                window.cwnd = cwnd.min(cwnd * base / least + 1) * mss;
                bound = true;
            } else {
                slow_start(window, acked, mss);
            }
        } else if backlog > BETA {
            window.cwnd -= mss;
            bound = true;
        } else if backlog < ALPHA {
            window.cwnd += mss;
        }
        if bound {
            window.ssthresh = window.ssthresh.min(window.cwnd);
        }
        window.cwnd = window.cwnd.max(2 * mss);
        let cwnd = segments(window.cwnd, mss);
        window.ssthresh = window.ssthresh.max((cwnd / 2 + cwnd / 4) * mss);
    }
}

impl CongestionControl for Vegas {
    fn scope(&self) -> Scope {
        Scope { slow_start: true, deliveries: true, sends: true, every_ack: true, ..Scope::default() }
    }

    fn on_sent(&mut self, _window: &mut Window, ctx: &Context) {
        if let Some(before) = self.starts.on_sent(ctx) {
            self.rtts.base = NO_RTT;
            // The event precedes the advance of SND.NXT.
            self.begin(before);
        }
    }

    // tcp_vegas_pkts_acked and tcp_vegas_state.
    fn on_delivery(&mut self, _window: &mut Window, delivery: &Delivery) {
        self.rtts.on_delivery(delivery);
        let ctx = &delivery.ack.ctx;
        let change = self.states.on_delivery(ctx);
        if change.is_to(State::Open) {
            self.begin(ctx.snd_nxt);
        } else if change.is_to(State::Disorder) {
            self.judges = false;
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let acked = self.count.segments(acked, mss);
        let ends = self.judges && ack.ctx.snd_una > self.end;
        if ends && self.rtts.samples >= SAMPLES {
            self.judge(window, acked, mss);
        } else if ends || !self.judges {
            if ack.cwnd_limited {
                self.count.reno(window, acked, mss);
            }
        } else if window.in_slow_start() {
            slow_start(window, acked, mss);
        }
        if ends {
            self.end = ack.ctx.snd_nxt;
            self.rtts.begin();
        }
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.states.on_congestion(event);
        self.judges = false;
        self.count.clear();
        (flight(window, event) / 2).max(2) * event.ctx.mss
    }

    fn reset(&mut self, _ctx: &Context) {
        self.states.on_timeout();
        self.judges = false;
        self.count.clear();
    }
}
