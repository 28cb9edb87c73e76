//! Rate-limited increase: the window does not grow beyond the limit that the outstanding volume justifies
//! (draft-ietf-ccwg-ratelimited-increase).
//!
//! limit() of the draft is the window that the congestion control would make of maxFS in one round trip: twice maxFS in
//! slow start, and one segment more than maxFS after slow start. The draft may allow algorithms other than Reno more
//! than that segment. Here they are not allowed more, and lose nothing: a sender that fills its window raises maxFS
//! with each segment. A window above the limit, as after slow start ended for another reason, is kept: the rule only
//! limits increases.

#[cfg(test)]
mod tests;

use super::{Entry, Growth, WindowValidation};
use crate::Nanos;
use crate::context::{Ack, Congestion, CongestionEnd, Context, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "ratelimited-increase",
    summary: "the window grows to twice the most that was outstanding in slow start, a segment more than that after it",
    source: "draft-ietf-ccwg-ratelimited-increase-09 section 3",
    replaces_restart: false,
    watches_sending: true,
    before_sending: true,
    make: || Box::new(RateLimited::default()),
};

/// State of the rule.
#[derive(Default, Debug)]
struct RateLimited {
    /// maxFS: the largest FlightSize since cwnd was last reduced, bytes.
    max_flight: u64,
    /// The window at the last call, bytes.
    cwnd: u64,
}

impl RateLimited {
    // Section 3: maxFS becomes zero upon any reduction of cwnd, by any component; the FlightSize of the next update
    // then becomes maxFS.
    #[inline]
    fn watch(&mut self, window: &Window) {
        if window.cwnd < self.cwnd {
            self.max_flight = 0;
        }
        self.cwnd = window.cwnd;
    }

    #[inline]
    fn measure(&mut self, window: &Window, ctx: &Context) {
        self.watch(window);
        self.max_flight = self.max_flight.max(ctx.flight_size);
    }
}

impl WindowValidation for RateLimited {
    fn on_start(&mut self, ctx: &Context) {
        self.max_flight = ctx.initial_window;
    }

    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) -> Growth {
        self.measure(window, &ack.ctx);
        let more = if window.in_slow_start() { self.max_flight } else { ack.ctx.mss };
        Growth::UpTo(self.max_flight + more)
    }

    #[inline]
    fn before_send(&mut self, window: &mut Window, _ctx: &Context, _idle: Nanos) {
        self.watch(window);
    }

    #[inline]
    fn on_sent(&mut self, window: &mut Window, ctx: &Context, _cwnd_limited: bool) {
        self.measure(window, ctx);
    }

    fn on_congestion(&mut self, window: &mut Window, _event: &Congestion) {
        self.watch(window);
    }

    fn on_congestion_end(&mut self, window: &mut Window, _end: &CongestionEnd) {
        self.watch(window);
    }

    fn on_timeout(&mut self, window: &mut Window, _event: &Congestion) {
        self.watch(window);
    }
}
