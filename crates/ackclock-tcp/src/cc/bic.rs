//! BIC: a binary search for the window of the last congestion, and a search beyond it (L. Xu, K. Harfoush, I. Rhee,
//! "Binary increase congestion control for fast long-distance networks", INFOCOM 2004).
//!
//! # Equations
//!
//! Growth in segments for each window acknowledged, at a window w:
//!
//! - up to low_window: 1, as in Reno;
//! - below W_max: (W_max - w)/B, but at most S_max, and B/smooth if (W_max - w)/B is at most a segment;
//! - above W_max: B/smooth up to W_max + B, then (w - W_max)/(B - 1), but at most S_max;
//! - while W_max is unknown: at least w/20.
//!
//! On congestion W_max = w, or w (1 + beta)/2 if w is below the last W_max (fast convergence). w becomes beta * w, or
//! w/2 up to low_window. A timeout resets W_max.
//!
//! # Constants
//!
//! The defaults are those of Linux: beta 819/1024, low_window 14 segments, S_max 16 segments, B 4, smooth 20
//! (net/ipv4/tcp_bic.c).
//!
//! # Deviations
//!
//! Linux counts in whole segments, and keeps a count for 1/32 s while the window is constant. Here the window is exact
//! in bytes, and the growth is computed at each ACK. Linux's correction for delayed ACKs is not needed when bytes are
//! counted. In the paper, S_max is 32, beta 0.875 and B 2.
//!
//! # Validated against
//!
//! The equations above on worked values, and the course of a search: additive, logarithmic, flat at W_max, and away
//! from W_max.

use super::increase::{Increase, kept, scaled, segments};
use super::undo::Saved;
use super::{CongestionControl, Entry, reno};
use crate::context::{Ack, Congestion, Context, Window};

#[cfg(test)]
mod tests;

pub(super) const ENTRY: Entry = Entry {
    name: "bic-paper",
    summary: "binary search for the window of the last congestion, decrease to 0.8; Linux's constants",
    source: "Xu, Harfoush, Rhee, INFOCOM 2004; Linux net/ipv4/tcp_bic.c",
    parameters: Law::ROWS,
    make: |given| {
        Box::new(Bic { law: Law::read(given), w_max: 0, increase: Increase::default(), before: Saved::default() })
    },
};

ackclock_core::parameters! {
    /// Constants of the equations, with windows in segments.
    struct Law {
        beta: f64 = is(819.0 / 1024.0), (0.1, 0.99), Number, "share of the window kept on loss";
        low_window: f64 = is(14.0), (0.0, 1e6), In("segments"), "window up to which BIC is Reno";
        s_max: f64 = is(16.0), (1.0, 1e4), In("segments"), "largest growth in a round trip";
        b: f64 = is(4.0), (2.0, 64.0), Number, "divisor of the distance to the target";
        smooth: f64 = is(20.0), (1.0, 1e3), Number, "round trips for a growth of b segments near the last maximum";
    }
}

/// While W_max is unknown, the window grows by at least its own size in this number of round trips.
const UNKNOWN: f64 = 20.0;

impl Law {
    /// Growth for each window acknowledged; `w_max` is zero if unknown.
    fn growth(&self, w: f64, w_max: f64) -> f64 {
        let slowly = self.b / self.smooth;
        let grown = if w <= self.low_window {
            return 1.0;
        } else if w < w_max {
            let step = (w_max - w) / self.b;
            if step > 1.0 { step.min(self.s_max) } else { slowly }
        } else if w < w_max + self.b {
            slowly
        } else {
            ((w - w_max) / (self.b - 1.0)).min(self.s_max)
        };
        if w_max == 0.0 { grown.max(w / UNKNOWN) } else { grown }
    }
}

struct Bic {
    law: Law,
    /// W_max, bytes; 0 if unknown.
    w_max: u64,
    increase: Increase,
    before: Saved<u64>,
}

impl CongestionControl for Bic {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let growth = self.law.growth(segments(window.cwnd, mss), segments(self.w_max, mss));
        self.increase.grow(window, acked, scaled(mss, growth));
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.before.save(self.w_max);
        let converges = window.cwnd < self.w_max;
        self.w_max = if converges { scaled(window.cwnd, (1.0 + self.law.beta) / 2.0) } else { window.cwnd };
        let w = segments(window.cwnd, event.ctx.mss);
        if w <= self.law.low_window { reno::half_flight(window, event) } else { kept(window, event, self.law.beta) }
    }

    fn reset(&mut self, _ctx: &Context) {
        self.w_max = 0;
    }

    fn revert(&mut self) {
        self.before.restore(&mut self.w_max);
    }
}
