//! CUBIC 2.1, the version of Linux 2.6.22, which ns-2's Agent/TCP/Linux runs: the decrease of CUBIC 2.0, no cap on growth
//! below the origin, growth by whole segments for a count of ACKs, and no HyStart.
//!
//! # Equations
//!
//! Each ACK of new data with a full window counts. More than `cnt` ACKs add a segment, where cnt is
//!
//! - cwnd / (W(t + RTTmin) - cwnd), or 100 cwnd on the plateau, with W as in `cubic-linux`;
//! - from the origin on, at least the count that is a growth of S_max segments in 100 ms;
//! - 50 before the first loss and after a timeout;
//! - at most cwnd / (tcp_cwnd - cwnd) if Reno's window, tcp_cwnd, exceeds cwnd;
//! - divided at last by the mean number of segments that an ACK acknowledges, in sixteenths: 32 at first, and then
//!   `ratio + acked - floor(ratio / 16)`. In these integers, 31 stands where every segment is acknowledged, so that the
//!   window grows almost twice as fast as without the division, by a segment in 26 ACKs before the first loss.
//!
//! On congestion, W_max becomes cwnd, or cwnd (1 + beta)/2 if cwnd is below the last W_max, and cwnd becomes beta cwnd.
//!
//! # Constants
//!
//! beta is 819/1024, C 410/1024, S_max 16 segments, and tcp_cwnd grows by a segment once more than 23/8 windows are
//! acknowledged. A count is kept for HZ/32 jiffies while the window is constant. HZ is 1000, as in ns-2.
//!
//! # Deviations
//!
//! The cube root is exact; the original's has a mean error of 0.2 %. The window is full where the sender says so.
//!
//! # Validated against
//!
//! The counts on worked values.

#[cfg(test)]
mod tests;

use super::super::{CongestionControl, Entry, Scope};
use super::count::segments;
use super::state::{HZ, jiffies, packets, rtt};
use crate::cc::cubic::scale;
use crate::context::{Ack, Congestion, Context, Delivery, Window};

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "cubic-2.1",
    summary: "CUBIC of Linux 2.6.22, as ns-2's Agent/TCP/Linux runs it: decrease to 0.8, a segment in so many ACKs",
    source: "Linux 2.6.22 net/ipv4/tcp_cubic.c; ns-2.35 tcp/linux/src/tcp_cubic.c",
    parameters: &[],
    make: |_| Box::new(Cubic::default()),
};

const BETA: (u64, u64) = (819, 1024);
const FAST_CONVERGENCE: (u64, u64) = (1024 + 819, 2 * 1024);
/// Windows that Reno of the same average acknowledges for each segment of growth (`beta_scale` / 8).
const RENO: (u64, u64) = (23, 8);
/// ACKs for a segment of growth while no loss is known, and on the plateau in windows.
const UNKNOWN: u64 = 50;
const PLATEAU: u64 = 100;
/// S_max, segments in a tenth of a second.
const MOST_GROWTH: u64 = 16;
const STANDS: u64 = HZ / 32;
/// Times of W are in units of a second over this; C is `C` over `C_UNIT` segments per cubed unit.
const SECOND: u64 = 1024;
const C: u64 = 410;
const C_UNIT: u64 = 1 << 40;
/// The unit of the mean number of segments that an ACK acknowledges.
const PER_ACK: u64 = 16;

/// Segments by which W differs from its origin at the distance `x` from K.
fn offset(x: u64) -> u64 {
    let x = u128::from(x);
    u64::try_from(u128::from(C) * x * x * x / u128::from(C_UNIT)).unwrap_or(u64::MAX / 2)
}

/// A stage of congestion avoidance. Windows in segments, times in jiffies.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: u64,
    origin: u64,
    k: u64,
    /// tcp_cwnd, the window that Reno would have.
    reno: u64,
}

#[derive(Debug)]
struct Cubic {
    /// last_max_cwnd, segments; 0 if unknown.
    w_max: u64,
    /// Whether a loss is known since the start or the last timeout (loss_cwnd).
    has_lost: bool,
    /// snd_cwnd_cnt: ACKs towards the next segment.
    acks: u64,
    /// ack_cnt: ACKs towards the next segment of tcp_cwnd.
    reno_acks: u64,
    /// last_cwnd and last_time: window in segments and time in jiffies for which the count was computed.
    made: Option<(u64, u64)>,
    /// cnt.
    count: u64,
    /// delay_min, jiffies.
    min_rtt: Option<u64>,
    /// delayed_ack.
    per_ack: u64,
    epoch: Option<Epoch>,
}

impl Default for Cubic {
    fn default() -> Cubic {
        Cubic {
            w_max: 0,
            has_lost: false,
            acks: 0,
            reno_acks: 0,
            made: None,
            count: 0,
            min_rtt: None,
            per_ack: 2 * PER_ACK,
            epoch: None,
        }
    }
}

impl Cubic {
    /// Computes the count for `cwnd` segments.
    fn update(&mut self, cwnd: u64, now: u64) {
        self.reno_acks += 1;
        if self.made.is_some_and(|(for_cwnd, at)| for_cwnd == cwnd && now - at <= STANDS) {
            return;
        }
        self.made = Some((cwnd, now));
        if self.epoch.is_none() {
            let below = self.w_max.saturating_sub(cwnd);
            let k = libm::cbrt((u128::from(C_UNIT / C) * u128::from(below)) as f64) as u64;
            self.epoch = Some(Epoch { start: now, origin: self.w_max.max(cwnd), k, reno: cwnd });
            self.reno_acks = 1;
        }
        let Some(epoch) = &mut self.epoch else { return };
        let t = (now + self.min_rtt.unwrap_or(0) - epoch.start) * SECOND / HZ;
        let delta = offset(t.abs_diff(epoch.k));
        let target = if t < epoch.k { epoch.origin.saturating_sub(delta) } else { epoch.origin + delta };
        let mut count = if target > cwnd { cwnd / (target - cwnd) } else { PLATEAU * cwnd };
        if let Some(rtt) = self.min_rtt.filter(|_| t >= epoch.k) {
            count = count.max(cwnd * HZ / (10 * MOST_GROWTH * rtt.max(1)));
        }
        if !self.has_lost {
            count = UNKNOWN;
        }
        let segment = scale(cwnd, RENO).max(1);
        while self.reno_acks > segment {
            self.reno_acks -= segment;
            epoch.reno += 1;
        }
        if epoch.reno > cwnd {
            count = count.min(cwnd / (epoch.reno - cwnd));
        }
        self.count = (count * PER_ACK / self.per_ack).max(1);
    }
}

impl CongestionControl for Cubic {
    fn scope(&self) -> Scope {
        Scope { deliveries: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, _window: &mut Window, delivery: &Delivery) {
        let ctx = &delivery.ack.ctx;
        let acked = packets(delivery.ack.acked, ctx.mss);
        if acked == 0 {
            return;
        }
        if !ctx.in_recovery {
            self.per_ack = (self.per_ack + acked - self.per_ack / PER_ACK).max(1);
        }
        // Samples of the first second of an epoch are not used.
        let now = jiffies(ctx.now);
        if now - self.epoch.map_or(0, |epoch| epoch.start) < HZ {
            return;
        }
        if let Some(sample) = rtt(delivery).map(|rtt| rtt * HZ / 1_000_000) {
            self.min_rtt = Some(self.min_rtt.map_or(sample, |least| least.min(sample)));
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        if acked == 0 || !ack.cwnd_limited {
            return;
        }
        self.update(segments(window.cwnd, mss).max(1), jiffies(ack.ctx.now));
        if self.acks >= self.count {
            window.cwnd += mss;
            self.acks = 0;
        } else {
            self.acks += 1;
        }
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        let mss = event.ctx.mss;
        let cwnd = segments(window.cwnd, mss);
        self.acks = 0;
        self.w_max = if cwnd < self.w_max { scale(cwnd, FAST_CONVERGENCE) } else { cwnd };
        self.has_lost = true;
        self.epoch = None;
        scale(cwnd, BETA).max(2) * mss
    }

    fn reset(&mut self, _ctx: &Context) {
        *self = Cubic::default();
    }
}
