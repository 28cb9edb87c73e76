//! LEDBAT: a background transfer that keeps a target delay in the queue and yields to other traffic.
//!
//! # Equations
//!
//! `off_target = (TARGET - queueing delay) / TARGET`. Each ACK changes the window: `cwnd += GAIN * off_target * bytes
//! acknowledged * SMSS / cwnd`. cwnd is at most the flight plus a segment, and at least two segments. The queueing
//! delay is the smallest of the last four one-way delays of a round trip, minus the smallest of ten minutes. A loss
//! halves the window.
//!
//! # Constants
//!
//! - RFC 6817 section 2.5: GAIN 1, ALLOWED_INCREASE 1, MIN_CWND 2, BASE_HISTORY 10, and TARGET, a parameter of at most
//!   100 ms.
//! - The algorithm is that of section 2.4.2. It leaves FILTER() open, except that FILTER() uses at least four samples of a
//!   round trip and none that is older. Here FILTER() is the smallest of the last four.
//! - Sections 2.4.2 and 2.5 were read as quoted in the sources of other implementations; the RFC itself was not available.
//!
//! # Deviations
//!
//! - The initial window is the sender's, not two segments (section 2.5: SHOULD be 2, and no larger than TCP's).
//! - The one-way delay comes from timestamps (RFC 7323), in milliseconds. Without timestamps the round-trip time takes
//!   its place.
//! - While a loss is being repaired, the recovery sets the window.
//!
//! # Validated against
//!
//! The queueing delay converges to the target with either measure of delay. Not compared with another implementation.

use super::delays::Delays;
use super::{CongestionControl, Entry, Scope, milliseconds};
use crate::Nanos;
use crate::context::{Ack, Congestion, Context, Delivery, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "ledbat",
    summary: "background transfer: keeps a target delay in the queue, linearly",
    source: "RFC 6817",
    parameters: Parameters::ROWS,
    make: |given| Box::new(Ledbat::new(milliseconds(Parameters::read(given).target))),
};

ackclock_core::parameters! {
    /// Constants of LEDBAT that a scenario may set.
    struct Parameters {
        target: f64 = is(100.0), (1.0, 100.0), In("ms"), "queueing delay to keep";
    }
}

/// MIN_CWND, segments.
const MIN_WINDOW: u64 = 2;

#[derive(Debug)]
struct Ledbat {
    target: Nanos,
    delays: Delays,
    /// Growth that is less than a byte, in bytes * bytes * nanoseconds.
    credit: i128,
}

impl Ledbat {
    fn new(target: Nanos) -> Ledbat {
        Ledbat { target, delays: Delays::default(), credit: 0 }
    }

    fn off_target(&self) -> Option<i128> {
        Some(i128::from(self.target) - i128::from(self.delays.queueing()?))
    }

    /// Changes the window for `acked` more bytes at `off` nanoseconds from the target.
    fn steer(&mut self, window: &mut Window, acked: u64, off: i128, mss: u64) {
        let unit = i128::from(window.cwnd.max(1)) * i128::from(self.target);
        // A remainder of a larger window is bounded to one byte of the present window.
        self.credit = self.credit.clamp(-unit, unit) + off * i128::from(acked.min(window.cwnd)) * i128::from(mss);
        let bytes = self.credit / unit;
        self.credit -= bytes * unit;
        let cwnd = i128::from(window.cwnd) + bytes;
        window.cwnd = u64::try_from(cwnd).unwrap_or(0).max(MIN_WINDOW * mss);
    }
}

/// Window after a loss: half, but at least two segments.
pub(super) fn halved(window: &Window, ctx: &Context) -> u64 {
    (window.cwnd / 2).max(MIN_WINDOW * ctx.mss)
}

impl CongestionControl for Ledbat {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        if let Some(off) = self.off_target().filter(|&off| off > 0) {
            let most = ack.ctx.flight_size + acked + ack.ctx.mss;
            let before = window.cwnd;
            self.steer(window, acked, off, ack.ctx.mss);
            window.cwnd = window.cwnd.min(most).max(before.min(most.max(MIN_WINDOW * ack.ctx.mss)));
        }
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        halved(window, &event.ctx)
    }

    // A window below MIN_CWND does not grow by a loss.
    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        window.ssthresh = self.ssthresh(window, event);
        window.cwnd = window.cwnd.min(window.ssthresh);
    }

    fn scope(&self) -> Scope {
        Scope { slow_start: true, deliveries: true, ..Scope::default() }
    }

    // Decreases are made here because `on_ack` is not called while the application limits the window.
    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let Ack { ctx, acked, .. } = delivery.ack;
        let round_trip = delivery.sent_at.map(|sent_at| (ctx.now - sent_at) as i64);
        let Some(delay) = delivery.forward_delay.or(round_trip) else { return };
        self.delays.update(ctx.now, delay, ctx.srtt.unwrap_or(Nanos::MAX));
        if let Some(off) = self.off_target().filter(|&off| off < 0 && !ctx.in_recovery) {
            self.steer(window, acked, off, ctx.mss);
        }
    }
}
