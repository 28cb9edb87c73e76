//! HighSpeed TCP: Reno whose increase and decrease depend on the window, so that large windows need not wait for loss rates
//! that no network has (RFC 3649).
//!
//! # Equations
//!
//! For windows w above Low_Window, with S = (log High_Window - log Low_Window) / (log High_P - log Low_P):
//!
//! - p(w) = Low_P * (w / Low_Window)^(1/S), the inverse of the response function (section 5);
//! - b(w) = (High_Decrease - 0.5) * (log w - log Low_Window) / (log High_Window - log Low_Window) + 0.5 (section 7);
//! - a(w) = w^2 * p(w) * 2 * b(w) / (2 - b(w)) (section 7).
//!
//! A window acknowledged adds a(w) segments, congestion takes the share b(w). At and below Low_Window a = 1 and b = 0.5.
//!
//! # Constants
//!
//! Low_Window 38 segments, High_Window 83,000 segments, High_P 10^-7, High_Decrease 0.1 (sections 5 and 7). Low_P is that of
//! Reno's response function at Low_Window, 1.44 / Low_Window^2 = 0.000997 (section 5).
//!
//! # Deviations
//!
//! a(w) and b(w) are evaluated, not looked up in the table of appendix B, which rounds a(w) down to whole segments. The slow
//! start that RFC 3742 adds is one of those that go with any congestion control.
//!
//! # Validated against
//!
//! The table of appendix B, the growth over time of table 6 and the response function of table 3.

use super::increase::{Increase, kept, scaled, segments};
use super::{CongestionControl, Entry, Parameter, Values, reno};
use crate::context::{Ack, Congestion, Window};

#[cfg(test)]
mod tests;

pub(super) const ENTRY: Entry = Entry {
    name: "highspeed",
    summary: "Reno with an increase that grows and a decrease that shrinks with the window",
    source: "RFC 3649 sections 5 and 7",
    parameters: &[
        Parameter {
            name: "low_window",
            summary: "the window up to which it is Reno, segments",
            default: 38.0,
            range: (2.0, 1e4),
        },
        Parameter {
            name: "high_window",
            summary: "the window at a loss rate of high_p, segments",
            default: 83_000.0,
            range: (2e4, 1e7),
        },
        Parameter { name: "high_p", summary: "the loss rate at high_window", default: 1e-7, range: (1e-12, 1e-6) },
        Parameter {
            name: "high_decrease",
            summary: "share of the window that a loss takes at high_window",
            default: 0.1,
            range: (0.01, 0.5),
        },
    ],
    make: |values| Box::new(HighSpeed { law: Law::new(values), increase: Increase::default() }),
};

/// The functions of the window, segments.
#[derive(Clone, Copy, Debug)]
struct Law {
    low_window: f64,
    high_decrease: f64,
    /// log High_Window - log Low_Window.
    span: f64,
    low_p: f64,
    /// 1/S.
    slope: f64,
}

impl Law {
    fn new(values: &Values) -> Law {
        let low_window = values.get("low_window");
        let low_p = 1.44 / (low_window * low_window);
        let span = libm::log(values.get("high_window") / low_window);
        let slope = libm::log(values.get("high_p") / low_p) / span;
        Law { low_window, high_decrease: values.get("high_decrease"), span, low_p, slope }
    }

    /// b(w).
    fn decrease(&self, w: f64) -> f64 {
        let share = libm::log(w.max(self.low_window) / self.low_window) / self.span;
        // Beyond High_Window the line goes on, and must not reach zero.
        ((self.high_decrease - 0.5) * share + 0.5).max(0.01)
    }

    /// a(w).
    fn increase(&self, w: f64) -> f64 {
        if w <= self.low_window {
            return 1.0;
        }
        let p = self.low_p * libm::pow(w / self.low_window, self.slope);
        let b = self.decrease(w);
        (w * w * p * 2.0 * b / (2.0 - b)).max(1.0)
    }
}

struct HighSpeed {
    law: Law,
    increase: Increase,
}

impl HighSpeed {
    fn reduced(&self, window: &Window, event: &Congestion) -> u64 {
        let w = segments(window.cwnd, event.ctx.mss);
        if w <= self.law.low_window {
            reno::reduced(window, event)
        } else {
            kept(window, event, 1.0 - self.law.decrease(w))
        }
    }
}

impl CongestionControl for HighSpeed {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let per_window = scaled(mss, self.law.increase(segments(window.cwnd, mss)));
        self.increase.grow(window, acked, per_window);
    }

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        window.ssthresh = self.reduced(window, event);
        window.cwnd = window.ssthresh;
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, first: bool) {
        if first {
            window.ssthresh = self.reduced(window, event);
        }
    }
}
