//! Illinois as Linux implements it: the curves in integers, and the delay of every ACK, with that of delayed ACKs.
//!
//! # Equations
//!
//! A round ends with the first ACK above SND.NXT at its start outside fast recovery. Let da be the mean RTT of the
//! round minus the smallest RTT, and dm the largest RTT minus the smallest, in microseconds.
//!
//! - alpha, in units of 1/128: 1280 for da <= d1 = dm/100, and `1280 (dm - d1) / (dm - d1 + 1242 (da - d1) / 38)` for
//!   larger da. Once da has exceeded d1, alpha becomes 1280 again only with the fifth round of da <= d1, and keeps its
//!   value until then.
//! - beta, in units of 1/64: 8 for da <= d2 = dm/10, 32 for da >= d3 = 8 dm/10, and
//!   `(8 d3 - 32 d2 + 24 da) / (d3 - d2)` between them.
//! - With fewer than 15 segments, alpha is 128 and beta 32.
//! - Congestion avoidance: with n segments acknowledged since the last growth, cwnd grows by `floor(n alpha / 128) /
//!   cwnd` as soon as that is at least one segment; the remainder of n is dropped.
//! - Congestion: ssthresh = cwnd - cwnd beta / 64, at least 2. A timeout sets alpha to 128 and beta to 32 and begins a
//!   round.
//!
//! alpha is 1280 at the start.
//!
//! # Constants
//!
//! alpha is 0.3 (38/128) to 10, beta 1/8 to 1/2, and the largest RTT that counts 3.36 s (net/ipv4/tcp_illinois.c).
//!
//! # Deviations
//!
//! None from net/ipv4/tcp_illinois.c. The paper (S. Liu, T. Basar, R. Srikant, "TCP-Illinois: a loss- and delay-based
//! congestion control algorithm for high-speed networks", Performance Evaluation 65, 2008) starts with alpha 1, as the
//! form `illinois-paper` does. Neither RTT is ever forgotten: the wait of a delayed ACK, after an idle period or for the last
//! segment of a burst, can be the largest RTT of the connection, which makes all later delays small.
//!
//! # Validated against
//!
//! The curves, the five rounds and the growth on worked values.
//!
//! The module of Linux 6.12 itself: the windows are the same after every event of 60 random sequences of ACKs, losses,
//! marks, timeouts and idle periods. Linux 6.12 in virtual time, one flow with a queue of one bandwidth-delay product
//! (20 Mbit/s and 40 ms, 1 Mbit/s and 200 ms, 100 Mbit/s and 20 ms): goodput within 0.3 %, mean window
//! within 1.4 %; bursts after idle periods: as many of them with losses.

use super::super::{CongestionControl, Entry, Scope};
use super::count::{Count, flight, segments, slow_start};
use super::state::{packets, rtt};
use crate::context::{Ack, Congestion, Context, Delivery, Window};

#[cfg(test)]
mod tests;

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "illinois-linux",
    summary: "Illinois as Linux has it: curves in integers, from the delay of every ACK",
    source: "Linux net/ipv4/tcp_illinois.c",
    parameters: &[],
    make: |_| Box::<Illinois>::default(),
};

/// alpha of Reno, and its range, in units of 1/128.
const ALPHA: u64 = 128;
const ALPHA_RANGE: (u64, u64) = (38, 1280);
/// beta of Reno, and its range, in units of 1/64.
const BETA: u64 = 32;
const BETA_RANGE: (u64, u64) = (8, 32);
/// Window below which Illinois is Reno, segments (`win_thresh`).
const LOW: u64 = 15;
/// Rounds of low delay before the increase returns to its maximum (`theta`).
const THETA: u64 = 5;
/// Largest RTT that counts, microseconds.
const MOST_RTT: u64 = u32::MAX as u64 / ALPHA_RANGE.1;
/// The smallest RTT before the first sample, microseconds.
const NO_RTT: u64 = 0x7fff_ffff;

#[derive(Debug)]
struct Illinois {
    count: Count,
    /// `sum_rtt` and `cnt_rtt` of the round.
    sum: u64,
    samples: u64,
    /// `base_rtt` and `max_rtt`, microseconds.
    least: u64,
    most: u64,
    /// Stream offset above which an ACK ends the round.
    end: u64,
    alpha: u64,
    beta: u64,
    /// `acked`: segments that the last acknowledgment covered.
    acked: u64,
    /// `rtt_above`: whether the delay has exceeded d1; and the number of rounds since then that did not.
    was_above: bool,
    low: u64,
}

impl Default for Illinois {
    fn default() -> Illinois {
        Illinois {
            count: Count::default(),
            sum: 0,
            samples: 0,
            least: NO_RTT,
            most: 0,
            end: 0,
            alpha: ALPHA_RANGE.1,
            beta: BETA,
            acked: 0,
            was_above: false,
            low: 0,
        }
    }
}

impl Illinois {
    fn begin_round(&mut self, ctx: &Context) {
        (self.end, self.sum, self.samples) = (ctx.snd_nxt, 0, 0);
    }

    /// alpha for a mean delay `da` of at most `dm`.
    fn alpha(&mut self, da: u64, dm: u64) -> u64 {
        let (least, most) = ALPHA_RANGE;
        let d1 = dm / 100;
        if da <= d1 {
            if self.was_above {
                self.low += 1;
                if self.low < THETA {
                    return self.alpha;
                }
                (self.low, self.was_above) = (0, false);
            }
            return most;
        }
        self.was_above = true;
        let (da, dm) = (da - d1, dm - d1);
        dm * most / (dm + da * (most - least) / least)
    }

    /// Sets alpha and beta at the end of a round, for a window of `cwnd` segments.
    fn update(&mut self, cwnd: u64) {
        if cwnd < LOW {
            (self.alpha, self.beta) = (ALPHA, BETA);
        } else if let Some(mean) = self.sum.checked_div(self.samples) {
            let (da, dm) = (mean - self.least, self.most - self.least);
            self.alpha = self.alpha(da, dm);
            self.beta = beta(da, dm);
        }
    }
}

/// beta for a mean delay `da` of at most `dm`.
fn beta(da: u64, dm: u64) -> u64 {
    let (least, most) = BETA_RANGE;
    let (d2, d3) = (dm / 10, 8 * dm / 10);
    if da <= d2 {
        least
    } else if da >= d3 || d3 <= d2 {
        most
    } else {
        (least * d3 - most * d2 + (most - least) * da) / (d3 - d2)
    }
}

impl CongestionControl for Illinois {
    fn scope(&self) -> Scope {
        Scope { slow_start: true, deliveries: true, every_ack: true, ..Scope::default() }
    }

    fn on_start(&mut self, _window: &mut Window, ctx: &Context) {
        self.begin_round(ctx);
    }

    // tcp_illinois_acked.
    fn on_delivery(&mut self, _window: &mut Window, delivery: &Delivery) {
        let ack = &delivery.ack;
        self.acked = packets(ack.acked, ack.ctx.mss);
        if let Some(rtt) = rtt(delivery) {
            let rtt = rtt.min(MOST_RTT);
            self.least = self.least.min(rtt);
            self.most = self.most.max(rtt);
            self.samples += 1;
            self.sum += rtt;
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        if ack.ctx.snd_una > self.end {
            self.update(segments(window.cwnd, mss));
            self.begin_round(&ack.ctx);
        }
        let acked = self.count.segments(acked, mss);
        if !ack.cwnd_limited {
            return;
        }
        let cwnd = segments(window.cwnd, mss);
        if cwnd < segments(window.ssthresh, mss) {
            slow_start(window, acked, mss);
            return;
        }
        self.count.acked += std::mem::replace(&mut self.acked, 1);
        let grown = self.count.acked * self.alpha / ALPHA / cwnd.max(1);
        if grown > 0 {
            window.cwnd += grown * mss;
            self.count.clear();
        }
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.count.clear();
        let cwnd = flight(window, event);
        (cwnd - cwnd * self.beta / 64).max(2) * event.ctx.mss
    }

    // tcp_illinois_state.
    fn reset(&mut self, ctx: &Context) {
        (self.alpha, self.beta, self.was_above, self.low) = (ALPHA, BETA, false, 0);
        self.count.clear();
        self.begin_round(ctx);
    }
}
