//! LEDBAT: a background transfer that keeps a target delay in the queue and gives way to others.
//!
//! # Equations
//!
//! `off_target = (TARGET - queueing delay) / TARGET`; for each ACK
//! `cwnd += GAIN * off_target * bytes acknowledged * SMSS / cwnd`, at most what was in flight and a segment more, at least two
//! segments. The queueing delay is the smallest of the last four one-way delays of a round trip less the smallest of ten minutes.
//! A loss halves the window.
//!
//! # Constants
//!
//! RFC 6817 section 2.5: GAIN 1, ALLOWED_INCREASE 1, MIN_CWND 2, BASE_HISTORY 10, TARGET 100 ms at most, a parameter. The
//! algorithm is that of section 2.4.2; it leaves FILTER() open, but for at least four samples of a round trip, and none that is
//! older: here it is the smallest of the last four. The RFC's page was not at hand: its sections 2.4.2 and 2.5 were read as
//! others quote them, word by word, in their sources.
//!
//! # Deviations
//!
//! - The initial window is the sender's, not two segments (section 2.5: SHOULD be 2, and no larger than TCP's).
//! - The one-way delay comes from timestamps (RFC 7323), in milliseconds; without them the round-trip time stands in.
//! - While loss is repaired the window is the recovery's.
//!
//! # Validated against
//!
//! The promise: the queue comes to rest at the target, by either measure. Not against another implementation.

use super::delays::Delays;
use super::{CongestionControl, Entry, Parameter, Scope};
use crate::context::{Ack, Congestion, Context, Delivery, Window};
use crate::{MILLISECOND, Nanos};

/// The target of RFC 6817 and of LEDBAT++, by scenarios.
pub(super) const fn target(default: f64) -> Parameter {
    Parameter { name: "target", summary: "queueing delay to keep, ms", default, range: (1.0, 100.0) }
}

pub(super) const ENTRY: Entry = Entry {
    name: "ledbat",
    summary: "background transfer: keeps a target delay in the queue, linearly",
    source: "RFC 6817",
    parameters: &[target(100.0)],
    make: |values| Box::new(Ledbat::new((values.get("target") * MILLISECOND as f64) as Nanos)),
};

/// MIN_CWND, segments.
const MIN_WINDOW: u64 = 2;

#[derive(Debug)]
struct Ledbat {
    target: Nanos,
    delays: Delays,
    /// Growth that did not yet amount to a byte, bytes * bytes * nanoseconds.
    credit: i128,
}

impl Ledbat {
    fn new(target: Nanos) -> Ledbat {
        Ledbat { target, delays: Delays::default(), credit: 0 }
    }

    fn off_target(&self) -> Option<i128> {
        Some(i128::from(self.target) - i128::from(self.delays.queueing()?))
    }

    /// The window after `acked` more bytes at `off` nanoseconds from the target.
    fn steer(&mut self, window: &mut Window, acked: u64, off: i128, mss: u64) {
        let unit = i128::from(window.cwnd.max(1)) * i128::from(self.target);
        // What is left over from a larger window is less than a byte of this one, too.
        self.credit = self.credit.clamp(-unit, unit) + off * i128::from(acked.min(window.cwnd)) * i128::from(mss);
        let bytes = self.credit / unit;
        self.credit -= bytes * unit;
        let cwnd = i128::from(window.cwnd) + bytes;
        window.cwnd = u64::try_from(cwnd).unwrap_or(0).max(MIN_WINDOW * mss);
    }
}

/// The window that a loss leaves: half, but not less than two segments, nor more than it was.
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

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        window.ssthresh = halved(window, &event.ctx);
        window.cwnd = window.cwnd.min(window.ssthresh);
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, first: bool) {
        if first {
            window.ssthresh = halved(window, &event.ctx);
        }
    }

    fn scope(&self) -> Scope {
        Scope { slow_start: true, deliveries: true, ..Scope::default() }
    }

    // A decrease is not the application's doing, so that whatever says of growth it is made here.
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
