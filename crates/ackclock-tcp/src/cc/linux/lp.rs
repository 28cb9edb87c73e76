//! TCP-LP as Linux implements it, which in most connections never sees congestion and is Reno: the module computes the
//! one-way delay from timestamps that have a random offset, with 32 bits.
//!
//! # Equations
//!
//! All values are unsigned with 32 bits and wrap; the unit is a millisecond. V is the timestamp of the peer in an ACK
//! (TSval), E the echoed timestamp (TSecr), and the prefix d is a difference from the ACK before.
//!
//! - Rate of the peer's clock: for dV and dE other than zero, m = 1000 dV / dE. The first m is H, and later
//!   `H = floor((64 H + m - H) / 64)`. H rises only by an m that exceeds H by 64 or more, and falls by any smaller m.
//! - One-way delay: d = V (1000/H) - E, where 1000/H is rounded down: it is 0 for H > 1000, and 2 for 334 to 500.
//! - `sd = 7/8 sd + 1/8 d`, kept as 8 sd, so that its upper three bits are lost. dmin is the smallest d. dmax is the
//!   largest but one: a d above all earlier ones takes the place of the largest, which becomes dmax.
//! - Congestion is indicated unless `sd < dmin + 15 (dmax - dmin) / 100`. Then cwnd is halved, or set to one segment
//!   within the inference phase after the last indication; dmin becomes sd, and dmax and the reserved maximum become
//!   2 sd. ssthresh does not change.
//! - The inference phase is three times the present time minus E. Within it the window does not grow, neither in slow
//!   start. Otherwise growth, and all responses to loss, are Reno's.
//!
//! The peer's timestamps begin at a random number of 32 bits. In seven connections of eight that number is 2^29 or
//! more: sd, which has 29 bits, is then below dmin for ever, and no congestion is indicated. In the others the first
//! sample indicates congestion, because dmax is dmin; then dmax is twice the offset, and delays of a network are far
//! below 15 % of that. Further indications need an H that changes the scale of d.
//!
//! # Constants
//!
//! The share of the largest delay is 15 %, the gain 1/8, and the gain of H 1/64 (net/ipv4/tcp_lp.c). Timestamps are in
//! milliseconds (TCP_TS_HZ = 1000).
//!
//! # Deviations
//!
//! None from net/ipv4/tcp_lp.c, except that E is the time of the simulation, where Linux has the time since boot. The
//! form `lp-paper` does what the paper (A. Kuzmanovic, E. Knightly, "TCP-LP: low-priority service via end-point congestion
//! control", IEEE/ACM Transactions on Networking 14(4), 2006) says. Without timestamps Linux computes with zeros, and
//! this form with no delay; both are Reno.
//!
//! # Validated against
//!
//! The rate of the clock, the delays, indications and phases on worked values.
//!
//! The module of Linux 6.12 itself: the windows are the same after every event of 60 random sequences of ACKs, losses,
//! marks, timeouts and idle periods. Linux 6.12 in virtual time, one flow with a queue of one bandwidth-delay product
//! (20 Mbit/s and 40 ms, 1 Mbit/s and 200 ms, 100 Mbit/s and 20 ms):
//! in most connections both are Reno. Linux halved the window once, at the start, in 3 connections of 22. Here further
//! indications followed in 4 of 16, because H exceeded 1000; why H stays lower in Linux is not known.

use super::super::{CongestionControl, Entry, Scope};
use super::count::{Count, flight, segments};
use super::state::rtt;
use crate::MILLISECOND;
use crate::context::{Ack, Congestion, Context, Delivery, Window};

#[cfg(test)]
mod tests;

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "lp-linux",
    summary: "TCP-LP as Linux has it: in most connections its one-way delay never indicates congestion, and it is Reno",
    source: "Linux net/ipv4/tcp_lp.c",
    parameters: &[],
    make: |_| Box::<Lp>::default(),
};

/// Ticks of the clock of timestamps in a second (TCP_TS_HZ and LP_RESOL).
const TICKS: u32 = 1000;

#[derive(Default, Debug)]
struct Lp {
    count: Count,
    /// `remote_hz`; zero if unknown.
    rate: u32,
    /// `remote_ref_time` and `local_ref_time`; zero before the first ACK.
    reference: (u32, u32),
    delays: Delays,
    /// `inference`, ms.
    phase: u32,
    /// `last_drop`, ms; zero if there was none.
    dropped: u32,
    /// `LP_WITHIN_INF`.
    infers: bool,
}

/// One-way delays, ms.
#[derive(Debug)]
struct Delays {
    /// `sowd`: eight times the smoothed delay.
    smoothed: u32,
    least: u32,
    most: u32,
    /// `owd_max_rsv`: the largest delay.
    reserved: u32,
}

impl Default for Delays {
    fn default() -> Delays {
        Delays { smoothed: 0, least: u32::MAX, most: 0, reserved: 0 }
    }
}

impl Delays {
    // tcp_lp_rtt_sample.
    fn add(&mut self, delay: u32) {
        self.least = self.least.min(delay);
        if delay > self.most {
            self.most = if delay <= self.reserved || self.reserved == 0 { delay } else { self.reserved };
            self.reserved = self.reserved.max(delay);
        }
        self.smoothed = if self.smoothed == 0 {
            delay.wrapping_mul(8)
        } else {
            self.smoothed.wrapping_add(delay).wrapping_sub(self.smoothed >> 3)
        };
    }

    /// Whether the smoothed delay indicates congestion.
    fn indicate(&self) -> bool {
        let range = self.most.wrapping_sub(self.least);
        self.smoothed >> 3 >= self.least.wrapping_add(range.wrapping_mul(15) / 100)
    }

    /// Begins anew after an indication.
    fn reset(&mut self) {
        self.least = self.smoothed >> 3;
        (self.most, self.reserved) = (self.smoothed >> 2, self.smoothed >> 2);
    }
}

impl Lp {
    /// Updates the rate of the peer's clock with its timestamp and the echoed timestamp (tcp_lp_remote_hz_estimator).
    fn estimate_rate(&mut self, val: u32, ecr: u32) {
        let (val_before, ecr_before) = std::mem::replace(&mut self.reference, (val, ecr));
        if val_before == 0 || ecr_before == 0 || val == val_before || ecr == ecr_before {
            return;
        }
        let ticks = TICKS.wrapping_mul(val.wrapping_sub(val_before)) / ecr.wrapping_sub(ecr_before);
        let (scaled, ticks) = (i64::from(self.rate << 6), i64::from(ticks));
        let sum = if scaled > 0 { scaled + ticks - (scaled >> 6) } else { ticks << 6 };
        self.rate = (sum >> 6) as u32;
    }

    // tcp_lp_owd_calculator.
    fn sample(&mut self, val: u32, ecr: u32) {
        self.estimate_rate(val, ecr);
        let Some(scale) = TICKS.checked_div(self.rate) else { return };
        let delay = val.wrapping_mul(scale).wrapping_sub(ecr);
        if delay > 0 {
            self.delays.add(delay);
        }
    }
}

impl CongestionControl for Lp {
    fn scope(&self) -> Scope {
        Scope { slow_start: true, deliveries: true, ..Scope::default() }
    }

    // tcp_lp_pkts_acked.
    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let Some((echo, forward)) = delivery.echo.zip(delivery.forward_delay) else { return };
        let ctx = &delivery.ack.ctx;
        let now = (ctx.now / MILLISECOND) as u32;
        let ecr = (echo / MILLISECOND) as u32;
        if rtt(delivery).is_some_and(|rtt| rtt > 0) {
            self.sample(ecr.wrapping_add((forward / MILLISECOND as i64) as u32), ecr);
        }
        let since = now.wrapping_sub(ecr);
        if since as i32 > 0 {
            self.phase = since.wrapping_mul(3);
        }
        self.infers = self.dropped != 0 && now.wrapping_sub(self.dropped) < self.phase;
        if !self.delays.indicate() {
            return;
        }
        self.delays.reset();
        let kept = if self.infers { 1 } else { (segments(window.cwnd, ctx.mss) / 2).max(1) };
        window.cwnd = kept * ctx.mss;
        self.dropped = now;
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let acked = self.count.segments(acked, ack.ctx.mss);
        if !self.infers {
            self.count.reno(window, acked, ack.ctx.mss);
        }
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.count.clear();
        (flight(window, event) / 2).max(2) * event.ctx.mss
    }

    fn reset(&mut self, _ctx: &Context) {
        self.count.clear();
    }
}
