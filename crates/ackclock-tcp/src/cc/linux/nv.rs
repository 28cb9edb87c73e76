//! NV: congestion avoidance for data centers, from the largest delivery rate and the smallest RTT (L. Brakmo, Linux
//! net/ipv4/tcp_nv.c, 2016). The module is the specification of this successor of Vegas, so there is no other form.
//!
//! # Equations
//!
//! With each ACK outside reductions and recoveries, where R is the ACK's RTT in microseconds:
//!
//! - rtt = (R + rtt)/2. The first sample, and the first after a reduction, is R, and the smallest RTT becomes 2 R.
//! - rate = 80000 D / rtt, where D bytes were delivered since the newest acknowledged segment was sent; `most` is the
//!   largest rate since the last decision.
//! - min is the smallest rtt since about ten seconds: every 3.75 to 6.2 s (5 (384 + r)/512 s, r random below 256; 2 s
//!   at the start) the smallest rtt since the last such time takes its place, and the bound c of stretched ACKs is
//!   halved, to 4 at least.
//!
//! Once a round trip, W = most min / (80000 MSS) is the window that the rate needs, and M = W + 10.
//!
//! - cwnd > M: decided from the second round on, with 60 samples, or 30 in the first slow start. Growth stops, ssthresh
//!   = M, and cwnd falls by 30 % (38/128) of the excess, by two at least, or to M if the excess is at most two. With
//!   too few samples, growth stops after ten rounds without a decision.
//! - cwnd <= M - 2: decided with 20 samples. Growth is allowed. After more than eight such decisions a negative
//!   exponent f rises by one.
//! - otherwise nothing changes, and the round adds to the next.
//!
//! A decision leaves at least two segments, and forgets `most` and the numbers of samples and rounds. A round with a
//! single ACK that covers c - 1 segments or more is not judged; it allows growth, raises c by 2 (up to 81) and makes
//! the next round c segments longer.
//!
//! - Growth, if allowed: slow start, then a segment for each max(cwnd, 4) segments acknowledged, or for each
//!   cwnd 2^-f while f < 0.
//! - Loss, mark and timeout: ssthresh = 819 cwnd/1024, at least 2. Growth stops until a decision allows it, and the
//!   measurement begins anew at the return to normal. A timeout lowers f by one, to -8 at least.
//!
//! # Constants
//!
//! All constants are the defaults of the module's parameters. A jiffy is 1 ms (HZ = 1000).
//!
//! # Deviations
//!
//! From net/ipv4/tcp_nv.c: there is no base RTT from a BPF program, and the growth of f above zero, which is off by
//! default, is absent. Random numbers come from the connection's seed.
//!
//! # Validated against
//!
//! The decisions, the bounds on samples, the resets and the growth on worked values.
//!
//! The module of Linux 6.12 itself: the windows are the same after every event of 60 random sequences of ACKs, losses,
//! marks, timeouts and idle periods. Linux 6.12 in virtual time, one flow with a queue of one bandwidth-delay product
//! (20 Mbit/s and 40 ms, 1 Mbit/s and 200 ms, 100 Mbit/s and 20 ms): goodput within 0.5 %, mean
//! window within 2.6 % over eight seeds.

use super::super::random::Random;
use super::super::{CongestionControl, Entry, Scope};
use super::count::{Count, flight, segments, slow_start};
use super::state::{HZ, State, States, jiffies, packets, rtt};
use crate::context::{Ack, Congestion, Context, Delivery, Window};

#[cfg(test)]
mod tests;

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "nv",
    summary: "congestion avoidance for data centers: the window that the largest rate needs, and ten segments",
    source: "Linux net/ipv4/tcp_nv.c",
    parameters: &[],
    make: |_| Box::<Nv>::default(),
};

/// Segments that may be queued (`nv_pad`), and the distance from that within which the window stays (`nv_pad_buffer`).
const PAD: (u64, u64) = (10, 2);
/// Time for which the smallest RTT is kept, seconds (`nv_reset_period`).
const PERIOD: u64 = 5;
/// Share of the excess that a decision takes off, in units of 1/128 (`nv_cong_dec_mult`).
const DECREASE: u64 = 30 * 128 / 100;
/// Factor of the decrease on loss, in units of 1/1024 (`nv_loss_dec_factor`).
const KEPT: u64 = 819;
/// Samples for a decrease, a decrease in the first slow start, and growth (`nv_dec_eval_min_calls`,
/// `nv_ssthresh_eval_min_calls`, `nv_inc_eval_min_calls`).
const SAMPLES: (u64, u64, u64) = (60, 30, 20);
/// Rounds before a decrease (`nv_rtt_min_cnt`), and rounds without a decision after which growth stops
/// (`nv_stop_rtt_cnt`).
const ROUNDS: (u64, u64) = (2, 10);
/// Decisions for growth that raise the exponent (`nv_cwnd_growth_rate_neg`), and the least exponent.
const EXPONENT: (u64, i32) = (8, -8);
/// Bounds of the smallest window that gives more than an ACK in a round trip, and the step between them.
const STRETCH: (u64, u64, u64) = (4, 81, 2);
/// Unit of rates: 100 bit/s for bytes in a microsecond.
const UNIT: u64 = 80_000;
/// An RTT before the first sample, microseconds.
const NO_RTT: u64 = u32::MAX as u64;

#[derive(Debug)]
struct Nv {
    count: Count,
    states: States,
    random: Random,
    /// `nv_allow_cwnd_growth`.
    grows: bool,
    /// `nv_reset`: whether the return to normal begins the measurement anew.
    resets: bool,
    /// `cwnd_growth_factor`: f.
    exponent: i32,
    /// `nv_eval_call_cnt` and `nv_rtt_cnt`: samples and rounds since the last decision.
    samples: u64,
    rounds: u64,
    /// `nv_no_cong_cnt`: decisions for growth.
    free: u64,
    /// `nv_min_cwnd`: c, segments.
    stretch: u64,
    /// `nv_last_rtt`, `nv_min_rtt` and `nv_min_rtt_new`, microseconds; the first is zero if unknown.
    rtt: u64,
    least: u64,
    least_next: u64,
    /// `nv_min_rtt_reset_jiffies`.
    replaced_at: u64,
    /// `nv_rtt_max_rate`.
    most: u64,
    /// `nv_rtt_start_seq` and `nv_last_snd_una`, stream offsets.
    end: u64,
    una: u64,
}

impl Default for Nv {
    fn default() -> Nv {
        Nv {
            count: Count::default(),
            states: States::default(),
            random: Random::default(),
            grows: true,
            resets: false,
            exponent: 0,
            samples: 0,
            rounds: 0,
            free: 0,
            stretch: STRETCH.0,
            rtt: 0,
            least: NO_RTT,
            least_next: NO_RTT,
            replaced_at: 0,
            most: 0,
            end: 0,
            una: 0,
        }
    }
}

impl Nv {
    // tcpnv_reset.
    fn restart(&mut self, ctx: &Context) {
        (self.resets, self.free, self.rounds, self.rtt, self.most, self.samples) = (false, 0, 0, 0, 0, 0);
        (self.end, self.una) = (ctx.snd_una, ctx.snd_una);
    }

    /// Adds the sample of an ACK: an RTT in microseconds, and the bytes delivered within that time.
    fn add(&mut self, rtt: u64, delivered: u64, now: u64) {
        let mean = if self.rtt > 0 { (rtt + self.rtt) / 2 } else { rtt };
        if self.rtt == 0 {
            self.least = 2 * rtt;
        }
        self.rtt = mean;
        // Linux keeps the lower 32 bits.
        let rate = (delivered * UNIT / mean.max(1)) & u64::from(u32::MAX);
        self.most = self.most.max(rate);
        self.samples = (self.samples + 1).min(255);
        self.least = self.least.min(mean);
        self.least_next = self.least_next.min(mean);
        if now >= self.replaced_at {
            self.least = std::mem::replace(&mut self.least_next, NO_RTT);
            self.replaced_at = now + PERIOD * (384 + self.random.below(256)) * HZ / 512;
            self.stretch = (self.stretch / 2).max(STRETCH.0);
        }
    }

    /// Decides at the end of a round.
    fn decide(&mut self, window: &mut Window, mss: u64) {
        let cwnd = segments(window.cwnd, mss);
        let most = self.most * self.least / (UNIT * mss) + PAD.0;
        if cwnd > most {
            let enough = if window.ssthresh == u64::MAX { SAMPLES.1 } else { SAMPLES.0 };
            if self.rounds < ROUNDS.0 {
                return;
            }
            if self.samples < enough {
                // In the first slow start only a decision stops growth.
                self.grows &= window.ssthresh == u64::MAX || self.rounds <= ROUNDS.1;
                return;
            }
            self.grows = false;
            window.ssthresh = most * mss;
            let excess = cwnd - most;
            let kept = if excess > 2 { cwnd - (excess * DECREASE / 128).max(2) } else { most };
            window.cwnd = kept * mss;
            self.free = 0;
        } else if cwnd <= most - PAD.1 {
            if self.samples < SAMPLES.2 {
                return;
            }
            self.grows = true;
            self.free += 1;
            if self.exponent < 0 && self.free > EXPONENT.0 {
                self.exponent += 1;
                self.free = 0;
            }
        } else {
            return;
        }
        (self.samples, self.rounds, self.most) = (0, 0, 0);
        window.cwnd = window.cwnd.max(2 * mss);
    }

    // tcpnv_acked, in the states in which it measures.
    fn measure(&mut self, window: &mut Window, delivery: &Delivery) {
        let ctx = &delivery.ack.ctx;
        let Some(rtt) = rtt(delivery) else { return };
        let acked = ctx.snd_una - std::mem::replace(&mut self.una, ctx.snd_una);
        // Linux counts segments, and a small one as a full one.
        let delivered = delivery.rate.map_or(delivery.delivered, |rate| rate.delivered);
        let delivered = packets(delivered, ctx.mss) * ctx.mss;
        if delivered == 0 {
            return;
        }
        self.add(rtt, delivered, jiffies(ctx.now));
        if ctx.snd_una <= self.end {
            return;
        }
        self.end = ctx.snd_nxt;
        self.rounds = (self.rounds + 1).min(255);
        if self.samples == 1 && acked >= (self.stretch - 1) * ctx.mss && self.stretch < STRETCH.1 {
            self.stretch = (self.stretch + STRETCH.2).min(STRETCH.1);
            self.end = ctx.snd_nxt + self.stretch * ctx.mss;
            self.samples = 0;
            self.grows = true;
            return;
        }
        self.decide(window, ctx.mss);
    }

    // tcpnv_state, for the states of congestion.
    fn stop(&mut self) {
        (self.resets, self.grows) = (true, false);
        self.count.clear();
    }
}

impl CongestionControl for Nv {
    fn seed(&mut self, seed: u32) {
        self.random = Random::new(seed);
    }

    fn on_start(&mut self, _window: &mut Window, ctx: &Context) {
        self.replaced_at = jiffies(ctx.now) + 2 * HZ;
        self.restart(ctx);
    }

    fn scope(&self) -> Scope {
        Scope { slow_start: true, rates: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let ctx = &delivery.ack.ctx;
        let change = self.states.on_delivery(ctx);
        if matches!(change.before, State::Open | State::Disorder) {
            self.measure(window, delivery);
        }
        if change.is_to(State::Open) && self.resets {
            self.restart(ctx);
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let acked = self.count.segments(acked, mss);
        if !self.grows {
            return;
        }
        let left = slow_start(window, acked, mss);
        if left > 0 {
            let cwnd = segments(window.cwnd, mss);
            let per = if self.exponent < 0 { cwnd << -self.exponent } else { cwnd.max(4) };
            self.count.grow(window, per, left, mss);
        }
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.states.on_congestion(event);
        self.stop();
        (flight(window, event) * KEPT / 1024).max(2) * event.ctx.mss
    }

    fn reset(&mut self, _ctx: &Context) {
        self.states.on_timeout();
        self.stop();
        self.exponent = (self.exponent - 1).max(EXPONENT.1);
    }
}
