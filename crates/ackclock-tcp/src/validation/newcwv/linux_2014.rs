//! newCWV as its authors measured it: their congestion control module for Linux, in two forms of early 2014.
//!
//! The slides of IETF 89 and of NOSSDAV 2014 (March 2014) show this module, not RFC 7661. It follows
//! draft-ietf-tcpm-newcwv-05. All rules here come from a description of the module between December 2013 and 19 February
//! 2014; none of its code was used. Both forms differ in ssthresh at a loss alone:
//!
//! - `newcwv-2013`, until 6 February 2014: the congestion control's own, which is half of cwnd for Reno in Linux, whether
//!   the window was used or not.
//! - `newcwv-2014`, from 19 February 2014: half of the segments in flight, and at least two.
//!
//! Linux 3.12 reduces its window by proportional rate reduction (PRR), whose target is ssthresh. The module's own
//! reduction at the beginning of a recovery therefore lasts for one ACK.
//!
//! # Rules
//!
//! - pipeACK is the largest sample in four bins ([`bins`]).
//! - The window is validated while pipeACK is undefined, or 2 pipeACK >= cwnd.
//! - Growth is that of the congestion control, in the validated phase or where the window is the limit: at most three
//!   segments of the window were free (tcp_is_cwnd_limited in net/ipv4/tcp_cong.c of Linux 3.12), or at most half of the
//!   window in slow start.
//! - After five minutes without validation ssthresh = max(3/4 cwnd, ssthresh) and cwnd = max(cwnd/2, 10 segments), so that
//!   a window below ten segments rises. The time is checked with the ACKs of the non-validated phase, and when sending
//!   begins after idle.
//! - A loss in the non-validated phase: cwnd = max(pipeACK, in flight)/2 at the next ACK of the recovery. At the end of
//!   the recovery cwnd = ssthresh = (max(pipeACK, in flight) - R)/2, and pipeACK is undefined. Neither value is below one
//!   segment.
//! - A loss in the validated phase leaves the window to the congestion control, and pipeACK as it was.
//! - After a timeout pipeACK is undefined.
//!
//! The module's instructions switched off tcp_slow_start_after_idle, so this rule replaces the restart after idle. They
//! switched off F-RTO (`tcp_frto = 0`) as well, which is the setting `frto` of a scenario.
//!
//! # Choices where the description leaves something open
//!
//! - No sample is taken in loss recovery (RFC 7661 section 4.2).
//! - The phase is determined with each ACK, also while slow start raises cwnd above twice the last sample.
//! - "In flight" is the volume at the detection of the loss, before segments are marked as lost.
//! - R counts the bytes that were retransmitted and delivered once each.
//! - One check of the five minutes reduces the window once, however long the sender was idle.
//! - A reduction that is undone leaves the window to the undo.

mod bins;
#[cfg(test)]
mod tests;

use self::bins::Bins;
use super::NON_VALIDATED_PERIOD;
use crate::Nanos;
use crate::context::{Ack, Cause, Congestion, CongestionEnd, Context, Window};
use crate::validation::{Entry, Growth, Report, WindowValidation};

pub(in crate::validation) const ENTRY: Entry = Entry {
    name: "newcwv-2014",
    summary: "newcwv in its authors' module for Linux of February 2014; loss sets ssthresh to half of what is in flight",
    source: "the authors' module for Linux 3.8 to 3.18 of 19 February 2014, after draft-ietf-tcpm-newcwv-05",
    replaces_restart: true,
    watches_sending: false,
    before_sending: false,
    make: || Box::new(Linux2014 { halves_flight: true, ..Linux2014::default() }),
};

pub(in crate::validation) const OF_2013: Entry = Entry {
    name: "newcwv-2013",
    summary: "newcwv-2014 as it was until 6 February 2014: ssthresh at a loss is half of cwnd, whether used or not",
    source: "the authors' module for Linux 3.8 to 3.18 of December 2013, after draft-ietf-tcpm-newcwv-05",
    make: || Box::new(Linux2014::default()),
    ..ENTRY
};

/// Free segments of a window that still counts as the limit (tcp_max_tso_deferred_mss in include/net/tcp.h of Linux 3.12).
const SLACK: u64 = 3;

/// Smallest window after five minutes without validation, in segments.
const LEAST: u64 = 10;

/// A response to congestion in progress.
#[derive(Clone, Copy, Debug)]
enum Episode {
    /// The congestion control reduces the window.
    Reduction {
        /// max(pipeACK, in flight) in bytes, if the window was not validated.
        capacity: Option<u64>,
        /// Whether the module's own reduction is still to come, with the next ACK of a loss recovery.
        due: bool,
    },
    /// The retransmission timer expired.
    Timeout,
}

/// State of the rule.
#[derive(Debug)]
struct Linux2014 {
    /// Whether a loss sets ssthresh to half of the volume in flight.
    halves_flight: bool,
    pipe_ack: Bins,
    validated: bool,
    /// Time of the last ACK that found the window validated, or of the last reduction for lack of use.
    since: Nanos,
    /// Bytes that the last ACK showed to be lost.
    newly_lost: u64,
    /// Bytes in flight when the last congestion was detected, and ssthresh then.
    found: (u64, u64),
    episode: Option<Episode>,
}

impl Default for Linux2014 {
    fn default() -> Linux2014 {
        Linux2014 {
            halves_flight: false,
            pipe_ack: Bins::default(),
            validated: true,
            since: 0,
            newly_lost: 0,
            found: (0, u64::MAX),
            episode: None,
        }
    }
}

/// Half of `bytes` in whole segments, and at least `least` segments.
fn half(bytes: u64, least: u64, mss: u64) -> u64 {
    (bytes / mss / 2).max(least) * mss
}

/// Whether the window was the limit when `ack` arrived, as Linux before 3.16 determines it from the volume in flight.
#[inline]
fn limited(window: &Window, ack: &Ack) -> bool {
    let mss = ack.ctx.mss;
    let in_flight = (ack.ctx.pipe + ack.acked + ack.sacked + ack.lost).div_ceil(mss);
    let cwnd = window.cwnd / mss;
    let free = cwnd.saturating_sub(in_flight);
    free <= SLACK || window.cwnd <= window.ssthresh && free <= cwnd / 2
}

impl Linux2014 {
    #[inline]
    fn assess(&mut self, window: &Window, now: Nanos) {
        self.validated = self.pipe_ack.value().is_none_or(|pipe_ack| pipe_ack.saturating_mul(2) >= window.cwnd);
        if self.validated {
            self.since = now;
        }
    }

    /// Reduces the window after five minutes without validation.
    #[inline]
    fn check_period(&mut self, window: &mut Window, ctx: &Context) {
        if ctx.now.saturating_sub(self.since) <= NON_VALIDATED_PERIOD {
            return;
        }
        let cwnd = window.cwnd / ctx.mss;
        window.ssthresh = window.ssthresh.max(cwnd * 3 / 4 * ctx.mss);
        window.cwnd = half(window.cwnd, LEAST, ctx.mss);
        self.since = ctx.now;
    }

    fn forget(&mut self) {
        self.pipe_ack = Bins::default();
        self.validated = true;
    }
}

impl WindowValidation for Linux2014 {
    fn on_start(&mut self, ctx: &Context) {
        self.pipe_ack.begin(ctx);
        self.since = ctx.now;
    }

    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) -> Growth {
        self.newly_lost = ack.lost;
        if self.episode.is_some() || ack.ctx.in_recovery {
            if let Some(Episode::Reduction { capacity: Some(capacity), due }) = &mut self.episode
                && std::mem::take(due)
            {
                window.cwnd = half(*capacity, 1, ack.ctx.mss);
            }
            return Growth::Allowed;
        }
        self.pipe_ack.on_ack(&ack.ctx);
        self.assess(window, ack.ctx.now);
        if self.validated {
            return Growth::Allowed;
        }
        self.check_period(window, &ack.ctx);
        if limited(window, ack) { Growth::Allowed } else { Growth::Forbidden }
    }

    // The sender calls this only with nothing outstanding.
    fn before_send(&mut self, window: &mut Window, ctx: &Context, _idle: Nanos) {
        if self.episode.is_none() && !ctx.in_recovery {
            self.check_period(window, ctx);
        }
    }

    fn validated(&mut self, window: &Window, event: &Congestion) -> u64 {
        // The kernel asks for ssthresh before it marks segments as lost (tcp_enter_recovery of Linux 3.12).
        let unmarked = if event.cause == Cause::Timeout { 0 } else { self.newly_lost };
        self.found = (event.ctx.pipe + unmarked, window.ssthresh);
        window.cwnd
    }

    // Further congestion within a reduction has the congestion control's response.
    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        self.newly_lost = 0;
        if matches!(self.episode, Some(Episode::Reduction { .. })) {
            return;
        }
        let (in_flight, _) = self.found;
        if self.halves_flight {
            window.ssthresh = half(in_flight, 2, event.ctx.mss);
            window.cwnd = window.ssthresh;
        }
        let capacity = (!self.validated).then(|| in_flight.max(self.pipe_ack.value().unwrap_or(0)));
        self.episode = Some(Episode::Reduction { capacity, due: event.cause == Cause::Loss });
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion) {
        let (in_flight, ssthresh) = self.found;
        // Repeated timeouts, and a timeout within a recovery, leave ssthresh (tcp_enter_loss of Linux 3.12).
        if self.halves_flight && (self.episode.is_none() || window.ssthresh != ssthresh) {
            window.ssthresh = half(in_flight, 2, event.ctx.mss);
        }
        self.forget();
        self.episode = Some(Episode::Timeout);
    }

    fn on_congestion_end(&mut self, window: &mut Window, end: &CongestionEnd) {
        if let Some(Episode::Reduction { capacity: Some(capacity), .. }) = self.episode.take()
            && !end.slow_start
        {
            window.cwnd = half(capacity.saturating_sub(end.retransmitted), 1, end.ctx.mss);
            window.ssthresh = window.cwnd;
            self.forget();
        }
        self.pipe_ack.begin(&end.ctx);
    }

    fn on_undo(&mut self) {
        self.episode = None;
    }

    fn report(&self, _window: &Window) -> Report {
        Report { pipe_ack: self.pipe_ack.value(), non_validated: !self.validated }
    }
}
