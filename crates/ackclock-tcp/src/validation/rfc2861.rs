//! CWV: a window that decays while it is not used (RFC 2861, now historic).
//!
//! Two decays, both once per RTO: by half while idle, and halfway towards what is used while the application sends less
//! than the window. ssthresh remembers three quarters of the window, so slow start soon wins most of it back.
//!
//! RFC 2861 says what the floor of the idle decay is, one segment. Linux stops at the restart window min(IW, cwnd), and
//! takes what is used for no less than IW; that is a rule of its own here, with this one's clock (all of Linux's is
//! `linux`). Where RFC 2861 is silent: loss begins a new period, and in loss recovery, where the window belongs to
//! the recovery, nothing decays.

#[cfg(test)]
mod tests;

use super::{Entry, Growth, WindowValidation, remember};
use crate::Nanos;
use crate::context::{Ack, Congestion, CongestionEnd, Context, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "rfc2861",
    summary: "the window decays with each RTO in which it is idle or not filled, and grows only when full",
    source: "RFC 2861",
    // RFC 2861 takes the place of the restart of RFC 5681 section 4.1.
    replaces_restart: true,
    watches_sending: true,
    make: || Box::new(Cwv::new(Floor::Segment)),
};

pub(super) const LINUX: Entry = Entry {
    name: "rfc2861-linux",
    summary: "rfc2861 as Linux has it: idle decay ends at the restart window, use counts for no less than IW",
    source: "RFC 2861; Linux net/ipv4/tcp_output.c, tcp_cwnd_restart and tcp_cwnd_application_limited",
    replaces_restart: true,
    watches_sending: true,
    make: || Box::new(Cwv::new(Floor::InitialWindow)),
};

/// Below what the decays do not go.
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

/// The rule.
#[derive(Debug)]
struct Cwv {
    floor: Floor,
    /// T_prev: when the window was last full, or was last reduced.
    since: Nanos,
    /// W_used: the most bytes outstanding since then.
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

    // RFC 2861 section 3: the window grows only if it was full. In loss recovery there is more to send than it allows.
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
        // A window that has no room for another segment is full, whether or not there is one to send.
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
            // One segment at least: the RFC's formula alone can give less where segments are small.
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
