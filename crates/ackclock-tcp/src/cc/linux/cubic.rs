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
//! Divisions round down, and t and RTTmin are in jiffies of 1/HZ. With x and K in units of 1/1024 s, `d(x) = floor(410 x^3 /
//! 2^40)` segments, and
//!
//! - `W_cubic(x) = W_max - d(K - x)` below the origin, so that the target is rounded up there;
//! - `W_cubic(x) = W_max + d(x - K)` from the origin on, so that the target is rounded down;
//! - `K = floor(cbrt(floor(2^40 / 410) (W_max - cwnd)))`, or 0 if cwnd is W_max or more, which then is cwnd.
//!
//! # Constants
//!
//! beta is 717/1024, C 410/1024, and tcp_cwnd grows by a segment once more than 15/8 windows are acknowledged. A count is
//! kept for HZ/32 jiffies while the window is constant, and is computed at most once in a jiffy apart from tcp_cwnd
//! (net/ipv4/tcp_cubic.c). HZ is 1000.
//!
//! # Deviations
//!
//! From net/ipv4/tcp_cubic.c:
//!
//! The cube root is exact; Linux's has a mean error of 0.2 %. HyStart is a separate slow start.
//!
//! The kernel differs from the RFC as follows:
//!
//! - RTTmin has samples of all ACKs but those of the first second of an epoch, and begins anew after timeouts. RFC 9438 has
//!   SRTT.
//! - The target is not limited to 1.5 cwnd; the count of 2 has this effect.
//! - t continues while the application limits the window, except for idle periods.
//! - tcp_cwnd grows at the same rate above and below W_max, and a spurious reduction does not restore W_max.
//!
//! # Validated against
//!
//! The counts on worked values.

#[cfg(test)]
mod tests;

use super::super::{CongestionControl, Entry, Scope};
use super::count::{Count, flight, segments};
use super::state::{HZ, jiffies, rtt};
use crate::Nanos;
use crate::cc::cubic::scale;
use crate::context::{Ack, Congestion, Context, Delivery, Window};

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
pub(super) const COUNT: (u64, u64, u64) = (2, 20, 100);
/// Time for which a count is kept while the window does not change, jiffies.
pub(super) const STANDS: u64 = HZ / 32;
/// Times of W_cubic are in units of a second over this.
const SECOND: u64 = 1024;
/// C is this, over the unit of `C_UNIT`, segments per cubed unit of time.
const C: u64 = 410;
const C_UNIT: u64 = 1 << 40;

/// Segments by which W_cubic differs from its origin at the distance `x` from K.
fn offset(x: u64) -> u64 {
    let x = u128::from(x);
    u64::try_from(u128::from(C) * x * x * x / u128::from(C_UNIT)).unwrap_or(u64::MAX / 2)
}

/// K for a window that is `below` segments below its origin.
pub(super) fn k(below: u64) -> u64 {
    libm::cbrt((u128::from(C_UNIT / C) * u128::from(below)) as f64) as u64
}

/// W_cubic at the time `t`, segments; `origin` is its value at `k`.
pub(super) fn w_cubic(t: u64, k: u64, origin: u64) -> u64 {
    let delta = offset(t.abs_diff(k));
    if t < k { origin.saturating_sub(delta) } else { origin + delta }
}

/// A stage of congestion avoidance. Windows in segments, times in jiffies.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: u64,
    /// bic_origin_point.
    origin: u64,
    k: u64,
    /// tcp_cwnd, the window that Reno would have.
    reno: u64,
}

#[derive(Default, Debug)]
struct Linux {
    /// last_max_cwnd, segments; 0 if unknown.
    w_max: u64,
    /// snd_cwnd_cnt.
    acked: Count,
    /// ack_cnt: segments acknowledged towards the next segment of tcp_cwnd.
    reno_acked: u64,
    /// last_cwnd and last_time: window in segments and time in jiffies for which the count was computed.
    made: (u64, u64),
    /// cnt: number of acknowledged segments for a segment of growth.
    count: u64,
    /// delay_min, microseconds; 0 before the first sample.
    min_rtt: u64,
    epoch: Option<Epoch>,
}

impl Linux {
    /// Computes the count for `cwnd` segments, of which `acked` are newly acknowledged.
    fn update(&mut self, cwnd: u64, acked: u64, now: u64) {
        self.reno_acked += acked;
        let (for_cwnd, at) = self.made;
        if for_cwnd == cwnd && now - at <= STANDS {
            return;
        }
        if self.epoch.is_none() || now != at {
            self.made = (cwnd, now);
            self.count = self.by_target(cwnd, acked, now);
        }
        let Some(epoch) = &mut self.epoch else { return };
        let segment = scale(cwnd, RENO).max(1);
        while self.reno_acked > segment {
            self.reno_acked -= segment;
            epoch.reno += 1;
        }
        if epoch.reno > cwnd {
            self.count = self.count.min(cwnd / (epoch.reno - cwnd));
        }
        self.count = self.count.max(COUNT.0);
    }

    /// The count with which the window becomes W_cubic within the smallest RTT.
    fn by_target(&mut self, cwnd: u64, acked: u64, now: u64) -> u64 {
        let w_max = self.w_max;
        let epoch = *self.epoch.get_or_insert_with(|| {
            self.reno_acked = acked;
            Epoch { start: now, origin: w_max.max(cwnd), k: k(w_max.saturating_sub(cwnd)), reno: cwnd }
        });
        let elapsed = now - epoch.start + self.min_rtt.div_ceil(1_000_000 / HZ);
        let t = elapsed * SECOND / HZ;
        let target = w_cubic(t, epoch.k, epoch.origin);
        let count = if target > cwnd { cwnd / (target - cwnd) } else { COUNT.2 * cwnd };
        if w_max == 0 { count.min(COUNT.1) } else { count }
    }
}

impl CongestionControl for Linux {
    fn prefetch(&self) {
        ackclock_core::prefetch::prefetch(self);
    }

    fn scope(&self) -> Scope {
        Scope { deliveries: true, ..Scope::default() }
    }

    // cubictcp_acked.
    fn on_delivery(&mut self, _window: &mut Window, delivery: &Delivery) {
        let now = jiffies(delivery.ack.ctx.now);
        let Some(rtt) = rtt(delivery) else { return };
        if self.epoch.is_some_and(|epoch| now - epoch.start < HZ) {
            return;
        }
        let rtt = rtt.max(1);
        self.min_rtt = if self.min_rtt == 0 { rtt } else { self.min_rtt.min(rtt) };
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let acked = self.acked.segments(acked, mss);
        if acked == 0 {
            return;
        }
        self.update(segments(window.cwnd, mss).max(1), acked, jiffies(ack.ctx.now));
        self.acked.grow(window, self.count, acked, mss);
    }

    // cubictcp_recalc_ssthresh. The flight with which the reduction starts is the sender's choice.
    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        let mss = event.ctx.mss;
        let cwnd = segments(window.cwnd, mss);
        self.acked.clear();
        self.w_max = if cwnd < self.w_max { scale(cwnd, FAST_CONVERGENCE) } else { cwnd };
        self.epoch = None;
        scale(flight(window, event), BETA).max(2) * mss
    }

    // bictcp_reset.
    fn reset(&mut self, _ctx: &Context) {
        *self = Linux::default();
    }

    // The time without transmissions does not count (cubictcp_cwnd_event).
    fn on_idle_end(&mut self, _window: &mut Window, ctx: &Context, idle: Nanos) {
        let now = jiffies(ctx.now);
        if let Some(epoch) = &mut self.epoch {
            epoch.start = (epoch.start + now - jiffies(ctx.now.saturating_sub(idle))).min(now);
        }
    }
}
