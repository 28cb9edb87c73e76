//! A window and a rate that do not respond to congestion: baselines, and load of a known size.
//!
//! # Equations
//!
//! `fixed-window`: `cwnd = segments * SMSS`. `fixed-rate`: a segment every `8 * (SMSS + 40) / rate` seconds, with a
//! window that never limits.
//!
//! # Constants
//!
//! `segments` and `rate` are parameters.
//!
//! # Deviations
//!
//! None, as there is no specification. A window validation that lowers the window lowers it permanently.
//! Retransmissions count against the window and the rate like new data.
//!
//! # Validated against
//!
//! Arithmetic: the goodput of a window divided by a round-trip time, and the gaps between segments.

use super::{CongestionControl, Entry, Scope};
use crate::Rate;
use crate::context::{Ack, Congestion, Context, Window};

pub(super) const WINDOW: Entry = Entry {
    name: "fixed-window",
    summary: "a window that never changes",
    source: "none: a baseline",
    parameters: WindowSize::ROWS,
    make: |given| Box::new(Fixed::Window(WindowSize::read(given).segments)),
};

pub(super) const RATE: Entry = Entry {
    name: "fixed-rate",
    summary: "a constant sending rate that no window limits",
    source: "none: a baseline",
    parameters: SendingRate::ROWS,
    make: |given| Box::new(Fixed::Rate(SendingRate::read(given).rate)),
};

ackclock_core::parameters! {
    /// Size of the window.
    struct WindowSize {
        segments: u64 = is(10.0), (1.0, 1e6), In("segments"), "cwnd";
    }
}

ackclock_core::parameters! {
    /// Constant sending rate.
    struct SendingRate {
        rate: Rate = is(1e6), (1e3, 1e12), In("bit/s"), "rate on the wire with 40 bytes of headers per segment";
    }
}

/// A window that never limits, bytes. It is small enough that sums do not overflow.
const UNLIMITED: u64 = 1 << 48;

#[derive(Debug)]
enum Fixed {
    /// Window, segments.
    Window(u64),
    Rate(Rate),
}

impl CongestionControl for Fixed {
    fn on_start(&mut self, window: &mut Window, ctx: &Context) {
        match *self {
            Fixed::Window(segments) => window.cwnd = segments * ctx.mss,
            Fixed::Rate(rate) => (window.cwnd, window.pacing_rate) = (UNLIMITED, Some(rate)),
        }
    }

    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack, _acked: u64) {}

    fn on_congestion(&mut self, _window: &mut Window, _event: &Congestion) {}

    fn on_timeout(&mut self, _window: &mut Window, _event: &Congestion, _first: bool) {}

    fn scope(&self) -> Scope {
        Scope { slow_start: true, window: true, paces: matches!(self, Fixed::Rate(_)), ..Scope::default() }
    }
}
