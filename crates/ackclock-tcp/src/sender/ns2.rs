//! Differences between a recovery of the agents of ns-2 and a recovery of the RFCs (ns-2.35 tcp/tcp.cc,
//! tcp/tcp-newreno.cc, tcp/tcp-sack1.cc).

use super::scoreboard::Forward;
use super::{Sender, Transmission};
use crate::recovery::Recovery;
use crate::{Nanos, Observer};

/// The state of a recovery of Sack1.
#[derive(Clone, Debug, Default)]
pub(super) struct Sack1 {
    /// pipe: segments sent, less acknowledgments received. A lost segment stays in it.
    pipe: i64,
    /// Whether an acknowledgment has arrived since the recovery began: before, only the first segment is sent.
    open: bool,
}

impl Sack1 {
    /// Takes an acknowledgment. One that `advanced` the left edge tells of a retransmission and of the loss before it.
    pub fn on_ack(&mut self, advanced: bool) {
        self.open = true;
        self.pipe -= if advanced { 2 } else { 1 };
    }
}

impl Sender {
    /// Begins a recovery: pipe is what is outstanding, less the duplicates. For other rules the state has no effect.
    pub(super) fn begin_sack1(&mut self) -> Sack1 {
        if self.rare.reduction.rule() != Recovery::Ns2Sack {
            return Sack1::default();
        }
        self.board.mark_lost(1, self.mss);
        let left = self.rare.reordering.threshold();
        Sack1 { pipe: self.board.segments() as i64 - i64::from(left), ..Sack1::default() }
    }

    /// The next segment of a recovery of Sack1: the first one, then gaps and new data while pipe is below the window.
    #[inline(never)]
    pub(super) fn poll_sack1<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Option<Transmission> {
        if self.rare.episode.owed {
            let first = self.board.next_missing(self.una)?;
            return Some(self.retransmit(now, first));
        }
        let state = &self.rare.episode.ns2;
        if !state.open || state.pipe >= (self.window.cwnd / self.mss) as i64 {
            self.limited_until = self.nxt;
            return None;
        }
        let sent = match self.board.next_lost() {
            Some(gap) => Some(self.retransmit(now, gap)),
            None => self.new_data_rarely(now, u64::MAX, obs),
        }?;
        self.rare.episode.ns2.pipe += 1;
        Some(sent)
    }

    /// Whether a retransmission of the first segment restarts the timer: in ns-2's NewReno, only the one that begins a
    /// recovery does, and the first partial acknowledgment ("impatient", newreno_changes1_).
    pub(super) fn retransmission_restarts(&self) -> bool {
        let patient = self.rare.reduction.rule() == Recovery::Ns2NewReno && self.rare.episode.partial;
        self.retransmit_restarts_timer && !patient
    }

    /// Returns the bytes that the first two duplicate ACKs after a timeout allow beyond the window. In ns-2's NewReno,
    /// limited transmit sends whatever segments are next, and after a timeout these are retransmissions.
    pub(super) fn limited_retransmit(&self) -> u64 {
        let allows = self.limited_transmit && self.rare.reduction.rule() == Recovery::Ns2NewReno;
        if allows { u64::from(self.dup_acks.min(2)) * self.mss } else { 0 }
    }

    /// Rounds ssthresh down to whole segments, at least two; cwnd keeps its fraction. For other rules it does nothing.
    pub(super) fn truncate_threshold(&mut self) {
        if self.rare.reduction.rule().is_ns2() && self.window.ssthresh < u64::MAX {
            self.window.ssthresh = (self.window.ssthresh / self.mss).max(2) * self.mss;
        }
    }

    /// Takes from cwnd what a partial acknowledgment of NewReno deflates beyond the inflation, of which one segment
    /// stays: after the recovery, the window remains as small.
    pub(super) fn deflate_window(&mut self) {
        let mss = self.mss as i64;
        let missing = mss - self.rare.episode.inflation;
        if self.rare.reduction.rule() == Recovery::Ns2NewReno && missing > 0 && !self.scope.window {
            self.window.cwnd = self.window.cwnd.saturating_sub(missing as u64).max(self.mss);
            self.rare.episode.inflation = mss;
        }
    }

    /// Forgets what the scoreboard knows: in ns-2's TCP/Linux nothing outlasts a recovery, so that only the blocks of the
    /// next acknowledgment count as received (tcp/scoreboard1.cc, ClearScoreBoard).
    pub(super) fn forget_marks(&mut self) {
        self.board.forget_marks();
        self.rare.forward = Forward::default();
        self.seen.forget();
    }

    /// Grows a window that has reached ssthresh by a segment, as slow start does up to and including ssthresh in ns-2's
    /// TCP/Linux (Linux 2.6.22 net/ipv4/tcp_cong.c, tcp_reno_cong_avoid). Returns whether it did so.
    #[inline]
    pub(super) fn grows_at_threshold(&mut self) -> bool {
        let grows = self.counts_acks && self.whole && self.window.cwnd == self.window.ssthresh;
        if grows {
            self.window.cwnd += self.mss;
        }
        grows
    }

    /// The bytes that an acknowledgment of `acked` bytes counts for in the growth of the window: at most one segment,
    /// where acknowledgments count and not bytes.
    #[inline]
    pub(super) fn credited(&self, acked: u64) -> u64 {
        if self.counts_acks { acked.min(self.mss) } else { acked }
    }
}
