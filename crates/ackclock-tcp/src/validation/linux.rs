//! Linux 6's rule for a window that the application does not fill. It has three parts: growth only where the window was
//! the limit, or where slow start has not yet reached twice the outstanding volume; a decay over idle periods; and RFC
//! 2861's decay towards the used volume.
//!
//! The last decay hardly ever happens: Linux restarts its clock with every ACK of new data (tcp_cong_avoid). The decay
//! needs a sender that is neither idle nor acknowledged for an RTO. All of this applies with
//! `tcp_slow_start_after_idle` on, which is Linux's default, and to congestion controls that do not own the window
//! (`cong_control`). The decays round down to whole segments. Linux counts packets in flight; here they are bytes, so
//! that a small segment in flight counts by its size.

#[cfg(test)]
mod tests;

use super::{Entry, Growth, Sent, WindowValidation};
use crate::Nanos;
use crate::context::{Ack, Congestion, CongestionEnd, Context, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "linux",
    summary: "Linux 6: growth where the window was full or, in slow start, below twice what was sent; idle decay to IW",
    source: "Linux 6.12 include/net/tcp.h, tcp_is_cwnd_limited; net/ipv4/tcp_output.c, tcp_cwnd_validate, \
             tcp_cwnd_application_limited and tcp_cwnd_restart; net/ipv4/tcp_input.c, tcp_cong_avoid",
    replaces_restart: true,
    watches_sending: true,
    before_sending: false,
    make: || Box::new(Linux { decays: true, ..Linux::default() }),
};

pub(super) const KEPT: Entry = Entry {
    name: "linux-kept",
    summary: "linux with tcp_slow_start_after_idle off: growth where the window was full, and no decay over idle periods",
    make: || Box::new(Linux::default()),
    ..ENTRY
};

/// State of the rule.
#[derive(Default, Debug)]
struct Linux {
    /// tcp_slow_start_after_idle, which also enables tcp_cwnd_application_limited.
    decays: bool,
    /// is_cwnd_limited: the window was full within the flight that ends at `usage_end`.
    limited: bool,
    /// max_packets_out: the largest outstanding volume within that flight, bytes, if the window was not full.
    most_out: u64,
    /// cwnd_usage_seq, a stream offset.
    usage_end: u64,
    /// snd_cwnd_stamp: time at which the window was last full, acknowledged or reduced.
    since: Nanos,
    /// snd_cwnd_used: the largest outstanding volume since then, bytes.
    used: u64,
}

/// Saves three quarters of the window in ssthresh, in whole segments (include/net/tcp.h, tcp_current_ssthresh).
fn remember(window: &mut Window, mss: u64) {
    let cwnd = window.cwnd / mss;
    window.ssthresh = window.ssthresh.max((cwnd / 2 + cwnd / 4) * mss);
}

impl Linux {
    // tcp_is_cwnd_limited.
    #[inline]
    fn may_grow(&self, window: &Window) -> bool {
        self.limited || window.in_slow_start() && window.cwnd < 2 * self.most_out
    }

    fn restart(&mut self, now: Nanos) {
        (self.since, self.used) = (now, 0);
    }
}

impl WindowValidation for Linux {
    fn prefetch(&self) {
        ackclock_core::prefetch::prefetch(self);
    }

    fn on_start(&mut self, ctx: &Context) {
        self.restart(ctx.now);
    }

    // tcp_slow_start_after_idle_check and tcp_cwnd_validate exempt controls with `cong_control`.
    fn on_owned_window(&mut self) {
        self.decays = false;
    }

    //= https://www.rfc-editor.org/rfc/rfc9438#section-4.6
    //# Implementations that use _cwnd_ MUST use other measures to prevent _cwnd_ from growing when the volume of
    //# bytes in flight is smaller than _cwnd_
    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) -> Growth {
        if ack.acked > 0 {
            self.since = ack.ctx.now;
        }
        if self.may_grow(window) { Growth::Allowed } else { Growth::Forbidden }
    }

    // tcp_slow_start_after_idle_check and tcp_cwnd_restart: the window is halved for each RTO begun after the first,
    // down to the restart window min(IW, cwnd).
    #[inline]
    fn before_send(&mut self, window: &mut Window, ctx: &Context, idle: Nanos) {
        if !self.decays || idle <= ctx.rto {
            return;
        }
        remember(window, ctx.mss);
        let floor = ctx.initial_window.min(window.cwnd);
        for _ in 1..idle.div_ceil(ctx.rto.max(1)) {
            window.cwnd = (window.cwnd / ctx.mss / 2 * ctx.mss).max(floor);
            if window.cwnd == floor {
                break;
            }
        }
        self.restart(ctx.now);
    }

    // tcp_cwnd_validate. Linux calls it once for all segments sent together: the state after the last segment of a
    // burst counts.
    #[inline]
    fn on_sent_briefly(&mut self, window: &Window, sent: &Sent) -> bool {
        let full = sent.pipe + sent.mss > window.cwnd;
        if sent.snd_una >= self.usage_end || full || !self.limited && sent.flight_size > self.most_out {
            self.limited = full;
            self.most_out = sent.flight_size;
            self.usage_end = sent.snd_nxt;
        }
        if self.may_grow(window) {
            self.restart(sent.now);
            return true;
        }
        !self.decays
    }

    // To look a second time at what the brief call has looked at changes nothing.
    #[inline]
    fn on_sent(&mut self, window: &mut Window, ctx: &Context, _cwnd_limited: bool) {
        let &Context { now, mss, snd_una, snd_nxt, flight_size, pipe, .. } = ctx;
        if self.on_sent_briefly(window, &Sent { now, mss, snd_una, snd_nxt, flight_size, pipe }) {
            return;
        }
        // More of the burst follows, unless the peer's window prevents it.
        let room = ctx.receive_window.saturating_sub(ctx.flight_size);
        if ctx.unsent > 0 && room >= ctx.unsent.min(ctx.mss) {
            return;
        }
        self.used = self.used.max(ctx.flight_size);
        if ctx.now.saturating_sub(self.since) < ctx.rto {
            return;
        }
        // tcp_cwnd_application_limited; in recovery only the clock is set.
        if !ctx.in_recovery {
            let used = self.used.max(ctx.initial_window).div_ceil(ctx.mss);
            let cwnd = window.cwnd / ctx.mss;
            if used < cwnd {
                remember(window, ctx.mss);
                window.cwnd = (cwnd + used) / 2 * ctx.mss;
            }
            self.used = 0;
        }
        self.since = ctx.now;
    }

    // tcp_write_xmit: tcp_tso_should_defer sets is_cwnd_limited, of which tcp_cwnd_validate is told even where nothing was
    // sent.
    #[inline]
    fn on_deferred(&mut self, now: Nanos, flight_size: u64, snd_nxt: u64) {
        (self.limited, self.most_out, self.usage_end) = (true, flight_size, snd_nxt);
        self.restart(now);
    }

    // tcp_end_cwnd_reduction and tcp_enter_loss.
    fn on_congestion_end(&mut self, _window: &mut Window, end: &CongestionEnd) {
        self.since = end.ctx.now;
    }

    fn on_timeout(&mut self, _window: &mut Window, event: &Congestion) {
        self.since = event.ctx.now;
    }
}
