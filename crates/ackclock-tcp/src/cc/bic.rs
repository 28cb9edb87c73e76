//! BIC: a binary search for the window at which congestion was last met, and a search beyond it once it is passed (L. Xu,
//! K. Harfoush, I. Rhee, "Binary increase congestion control for fast long-distance networks", INFOCOM 2004).
//!
//! # Equations
//!
//! Growth in segments for each window acknowledged, at a window w:
//!
//! - up to low_window: 1, as Reno;
//! - below W_max: (W_max - w)/B, but S_max at most, and B/smooth once that distance is a segment;
//! - above W_max: B/smooth up to W_max + B, then (w - W_max)/(B - 1), and S_max from W_max + S_max (B - 1) on;
//! - while W_max is unknown, w/20 at least.
//!
//! On congestion W_max = w, or w (1 + beta)/2 where w has not reached the W_max before (fast convergence), and w becomes
//! beta * w, or w/2 up to low_window. A timeout forgets W_max.
//!
//! # Constants
//!
//! Linux's: beta 819/1024, low_window 14 segments, S_max 16 segments, B 4, smooth 20 (net/ipv4/tcp_bic.c).
//!
//! # Deviations
//!
//! Linux counts in whole segments and holds a count for a 32nd of a second while the window stands; here the window is
//! exact in bytes and the count follows each ACK. Linux's correction for delayed ACKs has no place where bytes are counted.
//! The paper's S_max is 32, its beta 0.875 and B 2.
//!
//! # Validated against
//!
//! The equations above on worked values, and the course of a search: additive, logarithmic, flat at W_max, and away from it.

use super::increase::{Increase, kept, scaled, segments};
use super::{CongestionControl, Entry, Parameter, Values, reno, restore};
use crate::context::{Ack, Congestion, Window};

#[cfg(test)]
mod tests;

pub(super) const ENTRY: Entry = Entry {
    name: "bic",
    summary: "binary search for the window of the last congestion, decrease to 0.8; Linux's constants",
    source: "Xu, Harfoush, Rhee, INFOCOM 2004; Linux net/ipv4/tcp_bic.c",
    parameters: &[
        Parameter {
            name: "beta",
            summary: "share of the window that a loss leaves",
            default: 819.0 / 1024.0,
            range: (0.1, 0.99),
        },
        Parameter {
            name: "low_window",
            summary: "the window up to which it is Reno, segments",
            default: 14.0,
            range: (0.0, 1e6),
        },
        Parameter { name: "s_max", summary: "most growth a round trip, segments", default: 16.0, range: (1.0, 1e4) },
        Parameter { name: "b", summary: "divisor of the distance to the target", default: 4.0, range: (2.0, 64.0) },
        Parameter {
            name: "smooth",
            summary: "round trips spent around the old maximum, for each of b segments",
            default: 20.0,
            range: (1.0, 1e3),
        },
    ],
    make: |values| Box::new(Bic { law: Law::new(values), w_max: 0, increase: Increase::default(), before: None }),
};

/// Windows acknowledged for the window to grow by all of itself, at most, while W_max is unknown.
const UNKNOWN: f64 = 20.0;

/// Windows in segments.
#[derive(Clone, Copy, Debug)]
struct Law {
    beta: f64,
    low_window: f64,
    s_max: f64,
    b: f64,
    smooth: f64,
}

impl Law {
    fn new(values: &Values) -> Law {
        Law {
            beta: values.get("beta"),
            low_window: values.get("low_window"),
            s_max: values.get("s_max"),
            b: values.get("b"),
            smooth: values.get("smooth"),
        }
    }

    /// Growth for each window acknowledged; `w_max` is zero where unknown.
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
    /// W_max, bytes; 0 where unknown.
    w_max: u64,
    increase: Increase,
    /// W_max before the last reduction, should it prove spurious.
    before: Option<u64>,
}

impl Bic {
    fn reduced(&self, window: &Window, event: &Congestion) -> u64 {
        let w = segments(window.cwnd, event.ctx.mss);
        if w <= self.law.low_window { reno::reduced(window, event) } else { kept(window, event, self.law.beta) }
    }
}

impl CongestionControl for Bic {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let growth = self.law.growth(segments(window.cwnd, mss), segments(self.w_max, mss));
        self.increase.grow(window, acked, scaled(mss, growth));
    }

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        self.before = Some(self.w_max);
        let converges = window.cwnd < self.w_max;
        self.w_max = if converges { scaled(window.cwnd, (1.0 + self.law.beta) / 2.0) } else { window.cwnd };
        window.ssthresh = self.reduced(window, event);
        window.cwnd = window.ssthresh;
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, first: bool) {
        if first {
            self.before = Some(self.w_max);
            window.ssthresh = self.reduced(window, event);
        }
        self.w_max = 0;
    }

    fn on_undo(&mut self, window: &mut Window, before: &Window) {
        restore(window, before);
        self.w_max = self.before.take().unwrap_or(self.w_max);
    }
}
