//! Loss recovery: fast recovery with SACK (RFC 6675) or without (RFC 6582), and recovery after a timeout (RFC 5681).

use super::Sender;
use crate::context::{Congestion, RecoveryEnd};
use crate::{Event, Nanos, Observer};

/// DupThresh of RFC 5681 and RFC 6675.
pub const DUP_THRESH: u32 = 3;

/// Where the sender stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Phase {
    /// No loss is being repaired.
    Open,
    /// Fast recovery.
    Fast(Fast),
    /// After a retransmission timeout, until what was outstanding then is acknowledged.
    Loss {
        /// Stream offset that ends it.
        point: u64,
    },
}

/// State of a fast recovery.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fast {
    /// RecoveryPoint of RFC 6675, "recover" of RFC 6582: the stream offset that ends it.
    pub point: u64,
    /// Volume retransmitted in this recovery and delivered so far.
    pub retransmitted: u64,
    /// A retransmission that is sent whatever pipe says: the first one (RFC 6675 section 5 step 4.3), and without SACK the one
    /// for each partial acknowledgment (RFC 6582 section 3.2 step 3).
    pub owed: bool,
    /// End of the highest retransmitted segment (HighRxt).
    pub high_rxt: u64,
    /// Whether the one rescue retransmission of this recovery was used (RFC 6675 section 4, rule 4).
    pub rescued: bool,
    /// Without SACK: what duplicate and partial ACKs add to and take from the window (RFC 6582), bytes.
    pub inflation: i64,
    /// Without SACK: whether the first partial ACK was seen; only that one restarts the timer.
    pub partial: bool,
}

impl Sender {
    /// Whether duplicate ACKs or SACKs may start a fast recovery: not within a window of data that has had one, and without
    /// SACK not before more than that window is acknowledged (RFC 6582 section 3.2 step 1).
    pub(super) fn may_enter(&self) -> bool {
        let repaired = match self.recover {
            None => true,
            Some(recover) if self.sack => self.una >= recover,
            Some(recover) => self.una > recover,
        };
        repaired && matches!(self.phase, Phase::Open) && !self.board.is_empty()
    }

    /// Loss was found: halve, and retransmit the first segment.
    pub(super) fn enter_fast_recovery<O: Observer>(&mut self, now: Nanos, obs: &mut O) {
        let event = Congestion::loss(self.context(now));
        let before = self.window;
        self.cc.on_congestion(&mut self.window, &event);
        self.validation.on_congestion(&mut self.window, &event, &before);
        self.slow_start.on_congestion(&event);
        self.recover = Some(self.nxt);
        self.stats.recoveries += 1;
        if !self.board.first_is_lost() {
            self.board.mark_first_lost();
        }
        self.phase = Phase::Fast(Fast {
            point: self.nxt,
            retransmitted: 0,
            owed: true,
            high_rxt: self.una,
            rescued: false,
            inflation: i64::from(DUP_THRESH) * self.mss as i64,
            partial: false,
        });
        obs.event(now, Event::RecoveryStarted);
    }

    /// The recovery point is acknowledged.
    pub(super) fn leave_recovery<O: Observer>(&mut self, now: Nanos, obs: &mut O) {
        let phase = std::mem::replace(&mut self.phase, Phase::Open);
        self.dup_acks = 0;
        if let Phase::Fast(fast) = phase {
            if !self.sack {
                // RFC 6582 section 3.2 step 3, full acknowledgment, option 1: no burst after recovery.
                let flight = self.flight_size().max(self.mss) + self.mss;
                self.window.cwnd = self.window.ssthresh.min(flight);
            }
            let end = RecoveryEnd { ctx: self.context(now), retransmitted: fast.retransmitted };
            self.cc.on_recovery_end(&mut self.window, &end);
            self.validation.on_recovery_end(&mut self.window, &end);
        }
        obs.event(now, Event::RecoveryEnded);
    }

    /// The retransmission timer expired with data outstanding (RFC 6298 section 5, RFC 5681 section 3.1).
    pub(super) fn on_rto<O: Observer>(&mut self, now: Nanos, obs: &mut O) {
        self.stats.timeouts += 1;
        self.expiries += 1;
        let event = Congestion::timeout(self.context(now));
        // ssthresh holds still while the same segment times out again (RFC 5681 section 3.1).
        self.cc.on_timeout(&mut self.window, &event, self.expiries == 1);
        self.window.cwnd = self.mss;
        self.validation.on_timeout(&mut self.window, &event);
        self.slow_start.on_timeout(&event);
        self.rtt.on_timeout();
        // RFC 2018 section 8: the receiver may have dropped what it SACKed; RFC 6675 section 5.1 leaves the choice, and
        // keeping the marks is what deployed stacks do unless the very first segment is SACKed (a sign of reneging).
        if self.board.first_is_sacked() {
            self.board.forget_sacks();
            self.seen.forget();
        }
        self.board.mark_all_lost();
        self.recover = Some(self.nxt);
        self.dup_acks = 0;
        self.phase = Phase::Loss { point: self.nxt };
        self.rto_at = now + self.rtt.rto();
        obs.event(now, Event::Timeout { count: self.expiries });
    }
}
