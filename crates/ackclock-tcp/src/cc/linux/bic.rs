//! BIC as Linux implements it, which differs from the paper: the window grows by whole segments, each for a count of
//! acknowledged segments, and the count is divided by the number of segments for each ACK, although it counts segments.
//!
//! # Equations
//!
//! Each `cnt` segments acknowledged add a segment. Let W be cwnd, Wmax the window before the last reduction (0 if it is
//! not known), and D = (Wmax - W)/4, rounded down. cnt is
//!
//! - W up to 14 segments, and nothing else applies;
//! - below Wmax: W/16 for D > 16, 5 W for D <= 1, and W/D between them (binary search);
//! - at Wmax and above: 5 W within 4 segments of Wmax, 3 W/(W - Wmax) within 48, and W/16 beyond (search for a new
//!   maximum);
//! - at most 20 while Wmax is not known.
//!
//! It is then divided by R, a moving average of the segments that an ACK covers (weight 1/16, 2 at the start), and is
//! at least 1. The count is kept for 31 jiffies while the window is constant.
//!
//! - Congestion: ssthresh = W/2 up to 14 segments, else 819 W/1024, at least 2. Wmax becomes W, or (1024 + 819) W/2048
//!   if W is below Wmax (fast convergence).
//! - A timeout makes Wmax unknown and R 2.
//!
//! # Constants
//!
//! The largest increment is 16 segments, the divisor of the search 4, beta 819/1024, and the window below which Reno
//! applies 14 segments (net/ipv4/tcp_bic.c). A jiffy is 1 ms (HZ = 1000).
//!
//! # Deviations
//!
//! None from net/ipv4/tcp_bic.c. The paper (L. Xu, K. Harfoush, I. Rhee, "Binary increase congestion control (BIC) for
//! fast long-distance networks", INFOCOM 2004) has increments for a round trip. With an ACK for two segments Linux's
//! increments are twice those, because both R and the count take the two segments into account.
//!
//! # Validated against
//!
//! The counts of each region, the ratio and the reductions on worked values.
//!
//! The module of Linux 6.12 itself: the windows are the same after every event of 60 random sequences of ACKs, losses,
//! marks, timeouts and idle periods. Linux 6.12 in virtual time, one flow with a queue of one bandwidth-delay product
//! (20 Mbit/s and 40 ms, 1 Mbit/s and 200 ms, 100 Mbit/s and 20 ms): goodput within 0.4 %, mean window
//! within 1.1 %.

use super::super::{CongestionControl, Entry, Scope};
use super::count::{Count, flight, segments};
use super::state::{HZ, State, States, jiffies, packets};
use crate::context::{Ack, Congestion, Context, Delivery, Window};

#[cfg(test)]
mod tests;

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "bic-linux",
    summary: "BIC as Linux has it: a segment for so many acknowledged, divided by the segments for each ACK",
    source: "Linux net/ipv4/tcp_bic.c, bictcp_update; net/ipv4/tcp_cong.c, tcp_cong_avoid_ai",
    parameters: &[],
    make: |_| Box::<Bic>::default(),
};

/// Divisor of the binary search (`BICTCP_B`).
const B: u64 = 4;
/// Largest increment, segments (`max_increment`).
const MOST: u64 = 16;
/// Largest window with Reno's rules, segments (`low_window`).
const LOW: u64 = 14;
/// Factor of the multiplicative decrease, in units of 1/1024 (`beta`).
const BETA: u64 = 819;
const SCALE: u64 = 1024;
/// Round trips from Wmax - B to Wmax (`smooth_part`).
const SMOOTH: u64 = 20;
/// Largest count while Wmax is not known.
const UNKNOWN: u64 = 20;
/// Time for which a count is kept while the window does not change, jiffies.
const STANDS: u64 = HZ / 32;
/// One segment for each ACK, in the unit of the ratio.
const RATIO: u64 = 16;

#[derive(Debug)]
struct Bic {
    count: Count,
    states: States,
    /// `cnt`: number of acknowledged segments for a segment of growth.
    per: u64,
    /// `last_max_cwnd`, segments; 0 if unknown.
    w_max: u64,
    /// Window in segments and time in jiffies for which `per` was computed.
    made: (u64, u64),
    /// `delayed_ack`: segments for each ACK, in sixteenths.
    ratio: u64,
}

impl Default for Bic {
    fn default() -> Bic {
        Bic { count: Count::default(), states: States::default(), per: 0, w_max: 0, made: (0, 0), ratio: 2 * RATIO }
    }
}

impl Bic {
    /// The count for a window of `cwnd` segments.
    fn per(&self, cwnd: u64) -> u64 {
        if cwnd <= LOW {
            return cwnd;
        }
        let max = self.w_max;
        let mut per = if cwnd < max {
            match (max - cwnd) / B {
                distance if distance > MOST => cwnd / MOST,
                0..=1 => cwnd * SMOOTH / B,
                distance => cwnd / distance,
            }
        } else if cwnd < max + B {
            cwnd * SMOOTH / B
        } else if cwnd < max + MOST * (B - 1) {
            cwnd * (B - 1) / (cwnd - max)
        } else {
            cwnd / MOST
        };
        if max == 0 {
            per = per.min(UNKNOWN);
        }
        (per * RATIO / self.ratio.max(1)).max(1)
    }
}

impl CongestionControl for Bic {
    fn scope(&self) -> Scope {
        Scope { deliveries: true, keeps_threshold: true, ..Scope::default() }
    }

    // bictcp_acked.
    fn on_delivery(&mut self, _window: &mut Window, delivery: &Delivery) {
        let ack = &delivery.ack;
        if self.states.on_delivery(&ack.ctx).before == State::Open {
            self.ratio = self.ratio - self.ratio / RATIO + packets(ack.acked, ack.ctx.mss);
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let (mss, now) = (ack.ctx.mss, jiffies(ack.ctx.now));
        let cwnd = segments(window.cwnd, mss);
        if self.made.0 != cwnd || now - self.made.1 > STANDS {
            self.made = (cwnd, now);
            self.per = self.per(cwnd);
        }
        let acked = self.count.segments(acked, mss);
        self.count.grow(window, self.per, acked, mss);
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.states.on_congestion(event);
        self.count.clear();
        let cwnd = flight(window, event);
        self.w_max = if cwnd < self.w_max { cwnd * (SCALE + BETA) / (2 * SCALE) } else { cwnd };
        let kept = if cwnd <= LOW { cwnd / 2 } else { cwnd * BETA / SCALE };
        kept.max(2) * event.ctx.mss
    }

    // bictcp_reset.
    fn reset(&mut self, _ctx: &Context) {
        *self = Bic { states: self.states, ..Bic::default() };
        self.states.on_timeout();
    }
}
