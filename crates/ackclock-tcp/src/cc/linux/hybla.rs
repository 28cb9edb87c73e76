//! Hybla as Linux implements it: the window grows with each ACK, whatever the ACK covers, and starts with rho segments.
//!
//! # Equations
//!
//! Let SRTT be the smallest smoothed RTT that an ACK of new data has seen, and `r = max(floor(8 SRTT / 25 ms), 8)`, rho in
//! eighths; `rho = floor(r / 8)`.
//!
//! - Initial window: rho segments.
//! - Slow start: each ACK adds `(2^rho floor(128 2^(r/8 - rho)) - 128) / 128` segments, up to ssthresh.
//! - Congestion avoidance: each ACK adds `floor(2 r^2 / cwnd) / 128` segments, which is rho^2 / cwnd. Where this is zero,
//!   each cwnd ACKs since the last segment of growth add a segment.
//! - While data is SACKed and after timeouts, the window grows like Reno's.
//! - Congestion: ssthresh = max(cwnd / 2, 2), rounded down to whole segments.
//!
//! Fractions of 1/128 are kept until they are a segment. A window is at most 65,535 segments.
//!
//! # Constants
//!
//! The reference RTT is 25 ms. In slow start rho counts as 16 at most (net/ipv4/tcp_hybla.c).
//!
//! # Deviations
//!
//! None from net/ipv4/tcp_hybla.c. The kernel differs from the paper as follows:
//!
//! - An ACK for two segments adds as much as an ACK for one, so that delayed ACKs halve the growth.
//! - The window starts with rho segments, which is one segment for RTTs below 50 ms.
//! - rho is in eighths. Growth of less than 1/128 segment is lost.
//!
//! # Validated against
//!
//! The initial window and the growth on worked values.

use super::super::{CongestionControl, Entry, Scope};
use super::count::{Count, flight, segments};
use super::state::{State, States, microseconds};
use crate::context::{Ack, Congestion, Context, Delivery, Window};

#[cfg(test)]
mod tests;

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "hybla-linux",
    summary: "Hybla as Linux has it: growth with each ACK whatever it covers, and an initial window of rho segments",
    source: "Linux net/ipv4/tcp_hybla.c",
    parameters: &[],
    make: |_| Box::<Hybla>::default(),
};

/// The reference RTT, microseconds (`rtt0`).
const RTT0: u64 = 25_000;
/// The unit of growth is a segment over this.
const UNIT: u64 = 128;
/// Largest rho in slow start.
const MOST_RHO: u64 = 16;
/// Largest window, segments.
const MOST: u64 = 65_535;

#[derive(Default, Debug)]
struct Hybla {
    count: Count,
    states: States,
    /// The smallest smoothed RTT, in eighths of a microsecond.
    least: Option<u64>,
    /// rho in eighths; 0 before the connection is established.
    eighths: u64,
    /// Growth of less than a segment, in units of 1/128.
    rest: u64,
}

impl Hybla {
    /// Takes the smoothed RTT into account.
    fn measure(&mut self, ctx: &Context) {
        let srtt = microseconds(8 * ctx.srtt.unwrap_or(0));
        if self.least.is_none_or(|least| srtt < least) {
            self.least = Some(srtt);
            self.eighths = (srtt / RTT0).max(8);
        }
    }

    /// The growth for an ACK in slow start, in units of 1/128.
    fn slow_start(&self) -> u64 {
        let fraction = (UNIT as f64 * libm::exp2((self.eighths % 8) as f64 / 8.0)) as u64;
        (fraction << (self.eighths / 8).min(MOST_RHO)) - UNIT
    }
}

impl CongestionControl for Hybla {
    fn scope(&self) -> Scope {
        Scope { slow_start: true, deliveries: true, every_ack: true, ..Scope::default() }
    }

    fn on_start(&mut self, window: &mut Window, ctx: &Context) {
        self.measure(ctx);
        window.cwnd = self.eighths / 8 * ctx.mss;
    }

    fn on_delivery(&mut self, _window: &mut Window, delivery: &Delivery) {
        self.states.on_delivery(&delivery.ack.ctx);
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        self.measure(&ack.ctx);
        if !ack.cwnd_limited {
            return;
        }
        if self.states.state() != State::Open {
            let acked = self.count.segments(acked, mss);
            self.count.reno(window, acked, mss);
            return;
        }
        let (cwnd, starts) = (segments(window.cwnd, mss).max(1), window.in_slow_start());
        let growth = if starts { self.slow_start() } else { 2 * self.eighths * self.eighths / cwnd };
        if !starts && growth < UNIT {
            self.count.acked += 1;
        }
        self.rest += growth;
        let mut grown = cwnd + self.rest / UNIT;
        // Whole segments of the growth of this ACK leave the count of ACKs as it is.
        if self.rest / UNIT > growth / UNIT {
            self.count.clear();
        }
        self.rest %= UNIT;
        if growth == 0 && self.count.acked >= cwnd {
            grown += 1;
            self.count.clear();
        }
        if starts {
            grown = grown.min(segments(window.ssthresh, mss));
        }
        window.cwnd = grown.min(MOST) * mss;
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.states.on_congestion(event);
        self.count.clear();
        (flight(window, event) / 2).max(2) * event.ctx.mss
    }

    fn reset(&mut self, _ctx: &Context) {
        self.states.on_timeout();
        self.count.clear();
    }
}
