//! CUBIC 2.0, as Linux 2.6.19 to 2.6.25 had it: the cubic function of time that RFC 8312 was written from later, with a
//! smaller decrease and a cap on growth (S. Ha, I. Rhee, L. Xu, "CUBIC: a new TCP-friendly high-speed TCP variant").
//!
//! # Equations
//!
//! With t the time since the first ACK after the last reduction, growth for each window acknowledged is the largest of
//!
//! - W(t + RTTmin) - w, with W(t) = C (t - K)^3 + W_max and K = cbrt((W_max - w_epoch) / C), but S_max * RTTmin / 100 ms at
//!   most, and a hundredth of a segment at least; w/50 before the first loss and after a timeout;
//! - W_tcp - w, where W_tcp gains a segment for each (1 + beta) / (3 (1 - beta)) windows acknowledged: Reno's mean with this
//!   decrease.
//!
//! On congestion W_max = w, or w (1 + beta)/2 where w is below the last W_max, and w becomes beta * w. The connection starts
//! with an ssthresh of its own.
//!
//! # Constants
//!
//! beta 819/1024, C 0.4 (41/1024 of a tenth of a second), S_max 16 segments, initial ssthresh 100 segments
//! (net/ipv4/tcp_cubic.c of those versions).
//!
//! # Deviations
//!
//! The window is exact in bytes and growth follows each ACK; Linux counts whole segments and holds a count for a 32nd of a
//! second. W_tcp gains with 2.999 windows where Linux's integers have 2.875. Version 2.1 dropped the cap below K, which is
//! not done here; time without anything to send counts, as it did then.
//!
//! # Validated against
//!
//! The cap, the two percent, W_tcp's mean window against Reno's, and the closed form of W where neither binds.

use super::cubic::{k, w_cubic};
use super::increase::{Increase, kept, scaled};
use super::undo::Saved;
use super::{CongestionControl, Entry, Parameter};
use crate::context::{Ack, Congestion, Context, Window};
use crate::{MILLISECOND, Nanos};

#[cfg(test)]
mod tests;

pub(super) const ENTRY: Entry = Entry {
    name: "cubic-2.0",
    summary: "CUBIC of Linux 2.6.19 to 2.6.25: decrease to 0.8, growth of 16 segments in 100 ms at most",
    source: "Ha, Rhee, Xu, PFLDnet 2005; Linux 2.6.19 net/ipv4/tcp_cubic.c",
    parameters: &[
        Parameter {
            name: "beta",
            summary: "share of the window that a loss leaves",
            default: 819.0 / 1024.0,
            range: (0.1, 0.99),
        },
        Parameter { name: "s_max", summary: "most growth in 100 ms, segments", default: 16.0, range: (0.1, 1e6) },
        Parameter {
            name: "initial_ssthresh",
            summary: "ssthresh at the start, segments",
            default: 100.0,
            range: (2.0, 1e6),
        },
    ],
    make: |values| {
        Box::new(Cubic {
            law: Law {
                beta: values.get("beta"),
                s_max: values.get("s_max"),
                initial_ssthresh: values.get("initial_ssthresh"),
            },
            state: State::default(),
            increase: Increase::default(),
            before: Saved::default(),
        })
    },
};

/// The time in which the window grows by S_max at most.
const CAP_INTERVAL: Nanos = 100 * MILLISECOND;
/// Windows acknowledged for the window to grow by all of itself before the first loss.
const UNKNOWN: u64 = 50;
/// Windows acknowledged for a segment on the plateau.
const PLATEAU: u64 = 100;

#[derive(Clone, Copy, Debug)]
struct Law {
    beta: f64,
    s_max: f64,
    initial_ssthresh: f64,
}

impl Law {
    /// (1 + beta) / (3 (1 - beta)): windows that earn W_tcp a segment.
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
    /// Acknowledged towards its next segment.
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
        // An ACK adds half of what it acknowledges at most: Linux's count is two at least.
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
