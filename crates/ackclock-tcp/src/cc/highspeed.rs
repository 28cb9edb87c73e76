//! HighSpeed TCP: Reno with an increase and a decrease that depend on the window, so that large windows do not require
//! unrealistically low loss rates (RFC 3649).
//!
//! # Equations
//!
//! For windows w above Low_Window, let S = (log High_Window - log Low_Window) / (log High_P - log Low_P).
//!
//! - p(w) = Low_P * (w / Low_Window)^(1/S), the inverse of the response function (section 5);
//! - b(w) = (High_Decrease - 0.5) * (log w - log Low_Window) / (log High_Window - log Low_Window) + 0.5 (section 7);
//! - a(w) = w^2 * p(w) * 2 * b(w) / (2 - b(w)) (section 7).
//!
//! Each window acknowledged adds a(w) segments, and congestion reduces the window by the share b(w). Up to Low_Window,
//! a = 1 and b = 0.5.
//!
//! # Constants
//!
//! Low_Window is 38 segments, High_Window 83,000 segments, High_P 10^-7 and High_Decrease 0.1 (sections 5 and 7). Low_P
//! is the value of Reno's response function at Low_Window, 1.44 / Low_Window^2 = 0.000997 (section 5).
//!
//! # Deviations
//!
//! a(w) and b(w) are computed, not looked up in the table of appendix B, which rounds a(w) down to whole segments. The
//! slow start of RFC 3742 is a separate setting, which any congestion control can use.
//!
//! # Validated against
//!
//! The table of appendix B, the growth over time of table 6, and the response function of table 3.

use super::increase::{Increase, kept, scaled, segments};
use super::{CongestionControl, Entry, reno};
use crate::context::{Ack, Congestion, Window};

#[cfg(test)]
mod tests;

pub(super) const ENTRY: Entry = Entry {
    name: "highspeed-rfc3649",
    summary: "Reno with an increase that grows and a decrease that shrinks with the window",
    source: "RFC 3649 sections 5 and 7",
    parameters: Response::ROWS,
    make: |given| Box::new(HighSpeed { law: Law::new(&Response::read(given)), increase: Increase::default() }),
};

ackclock_core::parameters! {
    /// Points of the response function.
    struct Response {
        low_window: f64 = is(38.0), (2.0, 1e4), In("segments"), "window up to which HighSpeed TCP is Reno";
        high_window: f64 = is(83_000.0), (2e4, 1e7), In("segments"), "window at a loss rate of high_p";
        high_p: f64 = is(1e-7), (1e-12, 1e-6), Number, "loss rate at high_window";
        high_decrease: f64 = is(0.1), (0.01, 0.5), Number, "decrease on loss at high_window, share of the window";
    }
}

/// Functions of the window, in segments.
#[derive(Clone, Copy, Debug)]
struct Law {
    low_window: f64,
    high_decrease: f64,
    /// The difference log High_Window - log Low_Window.
    span: f64,
    low_p: f64,
    /// The exponent 1/S.
    slope: f64,
}

impl Law {
    fn new(&Response { low_window, high_window, high_p, high_decrease }: &Response) -> Law {
        let low_p = 1.44 / (low_window * low_window);
        let span = libm::log(high_window / low_window);
        let slope = libm::log(high_p / low_p) / span;
        Law { low_window, high_decrease, span, low_p, slope }
    }

    /// The decrease b(w).
    fn decrease(&self, w: f64) -> f64 {
        let share = libm::log(w.max(self.low_window) / self.low_window) / self.span;
        // Beyond High_Window the line continues, but must not reach zero.
        ((self.high_decrease - 0.5) * share + 0.5).max(0.01)
    }

    /// The increase a(w).
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

impl CongestionControl for HighSpeed {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let per_window = scaled(mss, self.law.increase(segments(window.cwnd, mss)));
        self.increase.grow(window, acked, per_window);
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        let w = segments(window.cwnd, event.ctx.mss);
        if w <= self.law.low_window {
            reno::half_flight(window, event)
        } else {
            kept(window, event, 1.0 - self.law.decrease(w))
        }
    }
}
