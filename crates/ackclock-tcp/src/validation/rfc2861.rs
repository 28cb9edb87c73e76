//! CWV: a window that decays while it is not used (RFC 2861, now historic).
//!
//! There are two decays, each once per RTO: by half while the sender is idle, and halfway towards the used volume while
//! the application sends less than the window. ssthresh keeps three quarters of the window, so slow start soon restores
//! most of it.
//!
//! RFC 2861 specifies one segment as the floor of the idle decay. Linux stops at the restart window min(IW, cwnd), and
//! counts at least IW as used; this is a separate rule here, with the clock of RFC 2861 (the rule `linux` contains all
//! of Linux's behaviour). RFC 2861 leaves two points open. Here a loss begins a new period, and nothing decays in loss
//! recovery, where the recovery controls the window.

#[cfg(test)]
mod tests;

use super::{Entry, Growth, WindowValidation, remember};
use crate::Nanos;
use crate::context::{Ack, Congestion, CongestionEnd, Context, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "rfc2861",
    summary: "the window decays with each RTO in which it is idle or not filled, and grows only when full",
    source: "RFC 2861",
    // RFC 2861 replaces the restart of RFC 5681 section 4.1.
    replaces_restart: true,
    watches_sending: true,
    before_sending: false,
    make: || Box::new(Cwv::new(Floor::Segment)),
};

pub(super) const LINUX: Entry = Entry {
    name: "rfc2861-linux",
    summary: "rfc2861 as Linux has it: idle decay ends at the restart window, use counts for no less than IW",
    source: "RFC 2861; Linux net/ipv4/tcp_output.c, tcp_cwnd_restart and tcp_cwnd_application_limited",
    replaces_restart: true,
    watches_sending: true,
    before_sending: false,
    make: || Box::new(Cwv::new(Floor::InitialWindow)),
};

/// Floor of the decays.
#[derive(Clone, Copy, Debug)]
enum Floor {
    /// One segment (RFC 2861 section 3.2).
    Segment,
    /// The initial window (Linux).
    InitialWindow,
}

impl Floor {
    #[inline]
    fn bytes(self, ctx: &Context) -> u64 {
        match self {
            Floor::Segment => ctx.mss,
            Floor::InitialWindow => ctx.initial_window,
        }
    }
}

/// State of the rule.
#[derive(Debug)]
struct Cwv {
    floor: Floor,
    /// T_prev: time at which the window was last full or last reduced.
    since: Nanos,
    /// W_used: the largest outstanding volume since then, bytes.
    used: u64,
}

impl Cwv {
    fn new(floor: Floor) -> Cwv {
        Cwv { floor, since: 0, used: 0 }
    }

    fn restart(&mut self, now: Nanos) {
        (self.since, self.used) = (now, 0);
    }
}

impl WindowValidation for Cwv {
    fn on_start(&mut self, ctx: &Context) {
        self.restart(ctx.now);
    }

    // RFC 2861 section 3: the window grows only if it was full. In loss recovery there is more to send than the window
    // allows.
    #[inline]
    fn on_ack(&mut self, _window: &mut Window, ack: &Ack) -> Growth {
        if ack.cwnd_limited || ack.ctx.in_recovery { Growth::Allowed } else { Growth::Forbidden }
    }

    // RFC 2861 section 3.2, first part: the sender has been idle.
    #[inline]
    fn before_send(&mut self, window: &mut Window, ctx: &Context, idle: Nanos) {
        if idle < ctx.rto || idle == 0 || ctx.in_recovery {
            return;
        }
        remember(window);
        let floor = self.floor.bytes(ctx).min(window.cwnd);
        for _ in 0..idle / ctx.rto.max(1) {
            window.cwnd = (window.cwnd.min(ctx.receive_window) / 2).max(floor);
            if window.cwnd == floor {
                break;
            }
        }
        self.restart(ctx.now);
    }

    // RFC 2861 section 3.2, second part.
    #[inline]
    fn on_sent(&mut self, window: &mut Window, ctx: &Context, cwnd_limited: bool) {
        // A window without room for another segment is full, whether or not there is a segment to send.
        if cwnd_limited || ctx.in_recovery || ctx.flight_size + ctx.mss > window.cwnd {
            self.restart(ctx.now);
            return;
        }
        if ctx.unsent > 0 {
            return;
        }
        self.used = self.used.max(ctx.flight_size);
        if ctx.now.saturating_sub(self.since) >= ctx.rto {
            remember(window);
            // The floor is one segment: the RFC's formula alone can give less where segments are small.
            let used = match self.floor {
                Floor::Segment => self.used,
                Floor::InitialWindow => self.used.max(ctx.initial_window.min(window.cwnd)),
            };
            window.cwnd = ((window.cwnd.min(ctx.receive_window) + used) / 2).max(ctx.mss);
            self.restart(ctx.now);
        }
    }

    fn on_congestion(&mut self, _window: &mut Window, event: &Congestion) {
        self.restart(event.ctx.now);
    }

    fn on_congestion_end(&mut self, _window: &mut Window, end: &CongestionEnd) {
        self.restart(end.ctx.now);
    }

    fn on_timeout(&mut self, _window: &mut Window, event: &Congestion) {
        self.restart(event.ctx.now);
    }
}
