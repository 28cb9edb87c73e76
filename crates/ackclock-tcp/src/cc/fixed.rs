//! A window and a rate that do not respond to anything: baselines, and load of a known size.
//!
//! # Equations
//!
//! `fixed-window`: `cwnd = segments * SMSS`. `fixed-rate`: a segment for each `8 * (SMSS + 40) / rate` seconds, and a window
//! that never limits.
//!
//! # Constants
//!
//! `segments` and `rate` are parameters.
//!
//! # Deviations
//!
//! None: there is no specification. A window validation that lowers the window lowers it for good. Losses are repaired, which counts against the window and the rate like new data.
//!
//! # Validated against
//!
//! Arithmetic: the goodput of a window over a round-trip time, and the gaps between segments.

use super::{CongestionControl, Entry, Parameter, Scope};
use crate::context::{Ack, Congestion, Context, Window};

pub(super) const WINDOW: Entry = Entry {
    name: "fixed-window",
    summary: "a window that never changes",
    source: "none: a baseline",
    parameters: &[Parameter { name: "segments", summary: "cwnd, segments", default: 10.0, range: (1.0, 1e6) }],
    make: |values| Box::new(Fixed::Window(values.get("segments") as u64)),
};

pub(super) const RATE: Entry = Entry {
    name: "fixed-rate",
    summary: "a sending rate that never changes, whatever the window",
    source: "none: a baseline",
    parameters: &[Parameter {
        name: "rate",
        summary: "bit/s on the wire, with 40 bytes of headers a segment",
        default: 1e6,
        range: (1e3, 1e12),
    }],
    make: |values| Box::new(Fixed::Rate(values.get("rate") as u64 / 8)),
};

/// The window that stands for none, bytes: far from where sums overflow.
const UNLIMITED: u64 = 1 << 48;

#[derive(Debug)]
enum Fixed {
    /// Segments.
    Window(u64),
    /// Bytes per second.
    Rate(u64),
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
        Scope { slow_start: true, window: true, ..Scope::default() }
    }
}
