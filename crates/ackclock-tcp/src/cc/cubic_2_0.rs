//! CUBIC 2.0, the version of Linux 2.6.19 to 2.6.25: the cubic function of time that RFC 8312 specified later, with a smaller
//! decrease and a cap on growth (S. Ha, I. Rhee, L. Xu, "CUBIC: a new TCP-friendly high-speed TCP variant").
//!
//! # Equations
//!
//! Let t be the time since the first ACK after the last reduction. Growth for each window acknowledged is the larger of
//!
//! - W(t + RTTmin) - w, with W(t) = C (t - K)^3 + W_max and K = cbrt((W_max - w_epoch) / C), but at most S_max * RTTmin /
//!   100 ms and at least a hundredth of a segment. Before the first loss and after a timeout, it is w/50;
//! - W_tcp - w, where each (1 + beta) / (3 (1 - beta)) windows acknowledged add a segment to W_tcp. This is Reno's mean with
//!   the decrease of CUBIC.
//!
//! On congestion, W_max becomes w, or w (1 + beta)/2 if w is below the last W_max, and w becomes beta * w. The connection
//! starts with a finite ssthresh.
//!
//! # Constants
//!
//! beta is 819/1024, C 0.4 (41/1024 of a tenth of a second), S_max 16 segments, and the initial ssthresh 100 segments
//! (net/ipv4/tcp_cubic.c of those versions).
//!
//! # Deviations
//!
//! - The window is exact in bytes, and it grows with each ACK. Linux counts whole segments and keeps a count for 1/32 s.
//! - W_tcp grows by a segment for 2.999 windows; in Linux's integers, for 2.875.
//! - Version 2.1 dropped the cap below K; here the cap always applies. Idle time counts, as in that version of Linux.
//!
//! # Validated against
//!
//! The cap, the growth by two percent, W_tcp's mean window compared with Reno's, and the closed form of W where neither bound
//! applies.

use super::cubic::{k, w_cubic};
use super::increase::{Increase, kept, scaled};
use super::undo::Saved;
use super::{CongestionControl, Entry};
use crate::context::{Ack, Congestion, Context, Window};
use crate::{MILLISECOND, Nanos};

#[cfg(test)]
mod tests;

pub(super) const ENTRY: Entry = Entry {
    name: "cubic-2.0",
    summary: "CUBIC of Linux 2.6.19 to 2.6.25: decrease to 0.8, growth of 16 segments in 100 ms at most",
    source: "Ha, Rhee, Xu, PFLDnet 2005; Linux 2.6.19 net/ipv4/tcp_cubic.c",
    parameters: Law::ROWS,
    make: |given| {
        Box::new(Cubic {
            law: Law::read(given),
            state: State::default(),
            increase: Increase::default(),
            before: Saved::default(),
        })
    },
};

ackclock_core::parameters! {
    /// Constants of the equations.
    struct Law {
        beta: f64 = is(819.0 / 1024.0), (0.1, 0.99), Number, "share of the window that a loss leaves";
        s_max: f64 = is(16.0), (0.1, 1e6), In("segments"), "most growth in 100 ms";
        initial_ssthresh: f64 = is(100.0), (2.0, 1e6), In("segments"), "ssthresh at the start";
    }
}

/// Time in which the window grows by at most S_max.
const CAP_INTERVAL: Nanos = 100 * MILLISECOND;
/// Number of windows acknowledged in which the window doubles before the first loss.
const UNKNOWN: u64 = 50;
/// Number of windows acknowledged for a segment of growth on the plateau.
const PLATEAU: u64 = 100;

impl Law {
    /// Number of windows acknowledged that add a segment to W_tcp: (1 + beta) / (3 (1 - beta)).
    fn friendly(&self) -> f64 {
        (1.0 + self.beta) / (3.0 * (1.0 - self.beta))
    }
}

/// A stage of congestion avoidance. Windows in bytes.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: Nanos,
    origin: u64,
    k: Nanos,
    w_tcp: u64,
    /// Bytes acknowledged towards the next segment of `w_tcp`.
    credit: u64,
}

impl Epoch {
    fn begin(cwnd: u64, w_max: u64, ctx: &Context) -> Epoch {
        let k = k(w_max, cwnd, ctx.mss);
        Epoch { start: ctx.now, origin: w_max.max(cwnd), k, w_tcp: cwnd, credit: 0 }
    }

    /// W_tcp after `acked` more bytes.
    fn follow(&mut self, law: &Law, cwnd: u64, acked: u64, mss: u64) {
        self.credit += acked;
        let cost = scaled(cwnd, law.friendly()).max(1);
        self.w_tcp += self.credit / cost * mss;
        self.credit %= cost;
    }

    /// Growth for each window of `cwnd` acknowledged.
    fn growth(&self, law: &Law, cwnd: u64, has_lost: bool, ctx: &Context) -> u64 {
        let rtt = ctx.min_rtt.unwrap_or(0);
        let t = ctx.now.saturating_sub(self.start).saturating_add(rtt);
        let ahead = w_cubic(t, self.k, self.origin, ctx.mss).saturating_sub(cwnd).max(ctx.mss / PLATEAU);
        let cap = scaled(ctx.mss, law.s_max * rtt as f64 / CAP_INTERVAL as f64);
        let cubic = if has_lost { ahead.min(cap) } else { cwnd / UNKNOWN };
        // An ACK adds at most half of the bytes it acknowledges: the count of Linux is at least two.
        cubic.max(self.w_tcp.saturating_sub(cwnd)).min(cwnd / 2)
    }
}

#[derive(Clone, Copy, Default, Debug)]
struct State {
    /// W_max, bytes; 0 before the first loss and after a timeout.
    w_max: u64,
    epoch: Option<Epoch>,
}

struct Cubic {
    law: Law,
    state: State,
    increase: Increase,
    before: Saved<State>,
}

impl CongestionControl for Cubic {
    fn on_start(&mut self, window: &mut Window, ctx: &Context) {
        window.ssthresh = scaled(ctx.mss, self.law.initial_ssthresh);
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let (cwnd, w_max) = (window.cwnd, self.state.w_max);
        let epoch = self.state.epoch.get_or_insert_with(|| Epoch::begin(cwnd, w_max, &ack.ctx));
        epoch.follow(&self.law, cwnd, acked.min(cwnd), ack.ctx.mss);
        let growth = epoch.growth(&self.law, cwnd, w_max > 0, &ack.ctx);
        self.increase.grow(window, acked, growth);
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.before.save(self.state);
        let converges = window.cwnd < self.state.w_max;
        let w_max = if converges { scaled(window.cwnd, (1.0 + self.law.beta) / 2.0) } else { window.cwnd };
        self.state = State { w_max, epoch: None };
        kept(window, event, self.law.beta)
    }

    fn reset(&mut self, _ctx: &Context) {
        self.state = State::default();
    }

    fn revert(&mut self) {
        self.before.restore(&mut self.state);
    }
}
