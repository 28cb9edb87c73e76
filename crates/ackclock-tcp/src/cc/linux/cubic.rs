//! CUBIC as implemented in Linux, which differs from RFC 9438: the window grows by whole segments, each for a count of
//! acknowledged segments; the target is the window after the smallest RTT instead of SRTT; and while W_max is unknown, after
//! the start and after timeouts, the count is at most twenty.
//!
//! # Equations
//!
//! Each `cnt` segments acknowledged add a segment, where cnt is
//!
//! - cwnd / (W_cubic(t + RTTmin) - cwnd), or 100 cwnd on the plateau;
//! - at most 20 while W_max is unknown;
//! - at most cwnd / (tcp_cwnd - cwnd) if Reno's window, tcp_cwnd, exceeds cwnd;
//! - at least 2.
//!
//! W_cubic and K are those of RFC 9438, in whole segments.
//!
//! # Constants
//!
//! beta is 717/1024, C 0.4, and tcp_cwnd grows by a segment for 15/8 windows acknowledged. A count is kept for 1/32 s while
//! the window is constant (net/ipv4/tcp_cubic.c).
//!
//! # Deviations
//!
//! Time is in nanoseconds, and the cube root is exact. HyStart is a separate slow start.
//!
//! # Validated against
//!
//! The counts on worked values.

#[cfg(test)]
mod tests;

use super::super::{CongestionControl, Entry, loss_flight};
use crate::cc::cubic::{k, scale, w_cubic};
use crate::context::{Ack, Congestion, Context, Window};
use crate::{Nanos, SECOND};

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "cubic-linux",
    summary: "cubic as Linux has it: a segment for so many acknowledged, and for twenty at most while W_max is unknown",
    source: "Linux net/ipv4/tcp_cubic.c, bictcp_update; net/ipv4/tcp_cong.c, tcp_cong_avoid_ai",
    parameters: &[],
    make: |_| Box::new(Linux::default()),
};

/// The factor of the multiplicative decrease (`beta`).
const BETA: (u64, u64) = (717, 1024);
/// The factor of fast convergence, (1 + beta) / 2.
const FAST_CONVERGENCE: (u64, u64) = (1024 + 717, 2 * 1024);
/// Windows that Reno of the same average acknowledges for each segment of growth (`beta_scale` / 8).
const RENO: (u64, u64) = (15, 8);
/// Segments acknowledged for a segment of growth: the smallest count, the largest count while W_max is unknown, and the
/// count on the plateau in windows.
const COUNT: (u64, u64, u64) = (2, 20, 100);
/// Time for which a count is kept while the window does not change.
const STANDS: Nanos = SECOND / 32;

/// A stage of congestion avoidance. Windows in segments.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: Nanos,
    /// bic_origin_point.
    origin: u64,
    k: Nanos,
    /// tcp_cwnd, the window that Reno would have.
    reno: u64,
    /// ack_cnt: bytes acknowledged towards its next segment.
    reno_acked: u64,
    /// last_cwnd and last_time: window and time for which the count was computed.
    made: (u64, Nanos),
    /// cnt: number of acknowledged segments for a segment of growth.
    count: u64,
}

#[derive(Default, Debug)]
struct Linux {
    /// last_max_cwnd, segments; 0 if unknown.
    w_max: u64,
    /// snd_cwnd_cnt: bytes acknowledged towards the next segment.
    acked: u64,
    epoch: Option<Epoch>,
}

impl Epoch {
    fn begin(cwnd: u64, w_max: u64, acked: u64, ctx: &Context) -> Epoch {
        Epoch {
            start: ctx.now,
            origin: w_max.max(cwnd),
            k: k(w_max, cwnd, 1),
            reno: cwnd,
            reno_acked: acked,
            made: (0, 0),
            count: 0,
        }
    }

    /// Computes the count for `cwnd`.
    fn update(&mut self, cwnd: u64, w_max: u64, ctx: &Context) {
        let (for_cwnd, at) = self.made;
        if for_cwnd == cwnd && ctx.now - at <= STANDS {
            return;
        }
        self.made = (cwnd, ctx.now);
        let t = ctx.now.saturating_sub(self.start).saturating_add(ctx.min_rtt.unwrap_or(0));
        let target = w_cubic(t, self.k, self.origin * ctx.mss, ctx.mss) / ctx.mss;
        let mut count = if target > cwnd { cwnd / (target - cwnd) } else { COUNT.2 * cwnd };
        if w_max == 0 {
            count = count.min(COUNT.1);
        }
        let segment = scale(cwnd * ctx.mss, RENO);
        self.reno += self.reno_acked / segment;
        self.reno_acked %= segment;
        if self.reno > cwnd {
            count = count.min(cwnd / (self.reno - cwnd));
        }
        self.count = count.max(COUNT.0);
    }
}

impl CongestionControl for Linux {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let (mss, cwnd) = (ack.ctx.mss, window.cwnd / ack.ctx.mss);
        // An ACK that fills a gap at the receiver can cover more than the window, but it ends only one RTT.
        let acked = acked.min(window.cwnd);
        match &mut self.epoch {
            Some(epoch) => epoch.reno_acked += acked,
            None => self.epoch = Some(Epoch::begin(cwnd, self.w_max, acked, &ack.ctx)),
        }
        let Some(epoch) = &mut self.epoch else { return };
        epoch.update(cwnd.max(1), self.w_max, &ack.ctx);
        let due = epoch.count * mss;
        if self.acked >= due {
            self.acked = 0;
            window.cwnd += mss;
        }
        self.acked += acked;
        window.cwnd += self.acked / due * mss;
        self.acked %= due;
    }

    // cubictcp_recalc_ssthresh. The flight with which the reduction starts is the sender's choice.
    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        let mss = event.ctx.mss;
        let cwnd = window.cwnd / mss;
        self.w_max = if cwnd < self.w_max { scale(cwnd, FAST_CONVERGENCE) } else { cwnd };
        self.epoch = None;
        scale(loss_flight(window, event) / mss, BETA).max(2) * mss
    }

    // bictcp_reset.
    fn reset(&mut self, _ctx: &Context) {
        *self = Linux::default();
    }

    // The time without transmissions does not count (cubictcp_cwnd_event).
    fn on_idle_end(&mut self, _window: &mut Window, ctx: &Context, idle: Nanos) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start = epoch.start.saturating_add(idle).min(ctx.now);
        }
    }
}
