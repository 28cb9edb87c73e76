//! CUBIC 2.1 of Linux 2.6.22, which ns-2's TCP-Linux contains: a decrease to 0.8, a cap on growth beyond K only, and counts
//! of acknowledgments instead of segments (S. Ha, I. Rhee, L. Xu, "CUBIC: a new TCP-friendly high-speed TCP variant").
//!
//! # Equations
//!
//! An acknowledgment adds a segment if more than `cnt` acknowledgments have arrived since the last one. The count is
//!
//! - cwnd / (W_cubic(t + RTTmin) - cwnd), or 100 cwnd on the plateau;
//! - at least cwnd / (160 RTTmin) with RTTmin in seconds from K on, that is 16 segments in 100 ms at most;
//! - 50 before the first loss and after a timeout;
//! - at most cwnd / (tcp_cwnd - cwnd) if Reno's window, tcp_cwnd, exceeds cwnd;
//! - all of that divided by the segments for each acknowledgment, and at least 1.
//!
//! W_cubic is that of `cubic-linux`. A segment is added to tcp_cwnd for each 23/8 cwnd acknowledgments.
//!
//! # Constants
//!
//! beta is 819/1024 and C 410/1024. A count is kept for HZ/32 jiffies while the window is constant; HZ is 1000, as in
//! TCP-Linux (JIFFY_RATIO). The segments for each acknowledgment begin with 2, in sixteenths, and the change with each
//! acknowledgment is the number of its segments less the whole part of the average. Without delayed acknowledgments the
//! average therefore stays at 31/16, so that the window grows nearly twice as fast as the counts say.
//!
//! # Deviations
//!
//! From net/ipv4/tcp_cubic.c of 2.6.22: the cube root is exact; Linux's has a mean error of 0.2 %.
//!
//! CUBIC 2.1 differs from RFC 9438 as follows:
//!
//! - beta is 0.8 instead of 0.7, and growth beyond K has a cap.
//! - RTTmin needs timestamps, has no samples from the first second after a reduction, and begins anew after timeouts.
//! - Idle periods count in t, and there is no HyStart.
//!
//! # Validated against
//!
//! The counts on worked values, and ns-2's TCP/Linux with this module packet by packet (`make crosscheck`).

use super::super::{CongestionControl, Entry, Scope};
use super::count::{flight, segments};
use super::cubic::{COUNT, STANDS, k, w_cubic};
use super::state::{HZ, State, States, jiffies, packets};
use crate::context::{Ack, Congestion, Context, Delivery, Window};

#[cfg(test)]
mod tests;

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "cubic-2.1",
    summary: "CUBIC of Linux 2.6.22 and of ns-2's TCP/Linux: decrease to 0.8, and a cap of 16 segments in 100 ms beyond K",
    source: "Ha, Rhee, Xu, PFLDnet 2005; Linux 2.6.22 net/ipv4/tcp_cubic.c",
    parameters: &[],
    make: |_| Box::<Cubic>::default(),
};

/// Factor of the multiplicative decrease, in units of 1/1024 (`beta`).
const BETA: u64 = 819;
const SCALE: u64 = 1024;
/// Windows of acknowledgments for each segment of Reno's growth, in eighths (`beta_scale`).
const RENO: u64 = 8 * (SCALE + BETA) / 3 / (SCALE - BETA);
/// Largest growth in 100 ms, segments (`max_increment`).
const MOST: u64 = 16;
/// Count before the first loss and after a timeout.
const UNKNOWN: u64 = 50;
/// One segment for each acknowledgment, in the unit of the ratio.
const RATIO: u64 = 16;

/// A stage of congestion avoidance. Windows in segments, times in jiffies.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: u64,
    origin: u64,
    k: u64,
    /// `tcp_cwnd`.
    reno: u64,
}

#[derive(Debug)]
struct Cubic {
    states: States,
    /// `last_max_cwnd`, segments; 0 if unknown.
    w_max: u64,
    /// `snd_cwnd_cnt`: acknowledgments towards the next segment of growth.
    counted: u64,
    /// `ack_cnt`: acknowledgments towards the next segment of `tcp_cwnd`.
    reno_counted: u64,
    /// Window in segments and time in jiffies for which the count was computed.
    made: (u64, u64),
    /// `cnt`.
    count: u64,
    /// `delay_min`, jiffies; 0 before the first sample.
    min_rtt: u64,
    /// `delayed_ack`: segments for each acknowledgment, in sixteenths.
    ratio: u64,
    epoch: Option<Epoch>,
}

impl Default for Cubic {
    fn default() -> Cubic {
        Cubic {
            states: States::default(),
            w_max: 0,
            counted: 0,
            reno_counted: 0,
            made: (0, 0),
            count: 0,
            min_rtt: 0,
            ratio: 2 * RATIO,
            epoch: None,
        }
    }
}

impl Cubic {
    /// Computes the count for a window of `cwnd` segments after another acknowledgment (`bictcp_update`).
    fn update(&mut self, cwnd: u64, now: u64) {
        self.reno_counted += 1;
        let (for_cwnd, at) = self.made;
        if for_cwnd == cwnd && now - at <= STANDS {
            return;
        }
        self.made = (cwnd, now);
        let w_max = self.w_max;
        let counted = &mut self.reno_counted;
        let epoch = self.epoch.get_or_insert_with(|| {
            *counted = 1;
            Epoch { start: now, origin: w_max.max(cwnd), k: k(w_max.saturating_sub(cwnd)), reno: cwnd }
        });
        let t = (now - epoch.start + self.min_rtt) * SCALE / HZ;
        let target = w_cubic(t, epoch.k, epoch.origin);
        let mut count = if target > cwnd { cwnd / (target - cwnd) } else { COUNT.2 * cwnd };
        if let Some(least) = (cwnd * HZ).checked_div(10 * MOST * self.min_rtt)
            && t >= epoch.k
        {
            count = count.max(least);
        }
        if w_max == 0 {
            count = UNKNOWN;
        }
        let segment = cwnd * RENO / 8;
        while *counted > segment {
            *counted -= segment;
            epoch.reno += 1;
        }
        if epoch.reno > cwnd {
            count = count.min(cwnd / (epoch.reno - cwnd));
        }
        self.count = (count * RATIO / self.ratio.max(1)).max(1);
    }
}

impl CongestionControl for Cubic {
    fn scope(&self) -> Scope {
        Scope { deliveries: true, keeps_threshold: true, ..Scope::default() }
    }

    // bictcp_acked and measure_delay.
    fn on_delivery(&mut self, _window: &mut Window, delivery: &Delivery) {
        let ack = &delivery.ack;
        if ack.acked == 0 || self.states.on_delivery(&ack.ctx).before != State::Open {
            return;
        }
        self.ratio = self.ratio - self.ratio / RATIO + packets(ack.acked, ack.ctx.mss);
        let now = jiffies(ack.ctx.now);
        let Some(echo) = delivery.echo else { return };
        if self.epoch.map_or(now, |epoch| now - epoch.start) < HZ {
            return;
        }
        let rtt = now.saturating_sub(jiffies(echo)).max(1);
        self.min_rtt = if self.min_rtt == 0 { rtt } else { self.min_rtt.min(rtt) };
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        if acked == 0 {
            return;
        }
        self.update(segments(window.cwnd, ack.ctx.mss).max(1), jiffies(ack.ctx.now));
        if self.counted >= self.count {
            window.cwnd += ack.ctx.mss;
            self.counted = 0;
        } else {
            self.counted += 1;
        }
    }

    // bictcp_recalc_ssthresh.
    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.states.on_congestion(event);
        self.counted = 0;
        let cwnd = flight(window, event);
        self.w_max = if cwnd < self.w_max { cwnd * (SCALE + BETA) / (2 * SCALE) } else { cwnd };
        self.epoch = None;
        (cwnd * BETA / SCALE).max(2) * event.ctx.mss
    }

    // bictcp_reset.
    fn reset(&mut self, _ctx: &Context) {
        *self = Cubic { states: self.states, ..Cubic::default() };
        self.states.on_timeout();
    }
}
