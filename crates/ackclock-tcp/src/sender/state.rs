//! The sender's report on its loss recovery.

use super::Sender;
use super::episode::Phase;
use crate::info::CaState;
use crate::recovery::{Counts, LossRecovery};

impl Sender {
    /// State and counters of loss recovery.
    pub fn loss_recovery(&self) -> LossRecovery {
        let tally = self.board.tally();
        let left_out = tally.sacked > 0 || tally.lost > 0 || self.dup_acks > 0;
        let dubious = left_out || tally.retransmitted > 0 || self.board.first_is_resent();
        LossRecovery {
            state: match self.phase {
                Phase::Open if dubious => CaState::Disorder,
                Phase::Open => CaState::Open,
                Phase::Cwr => CaState::Cwr,
                Phase::Fast => CaState::Recovery,
                Phase::Loss => CaState::Loss,
            },
            outstanding: tally.outstanding,
            sacked: if self.sack { tally.sacked } else { self.dup_acks },
            lost: tally.lost,
            retransmitted: tally.retransmitted,
            sacked_bytes: self.board.sacked(),
            lost_bytes: self.board.lost(),
            retransmitted_bytes: self.board.retransmitted(),
            dup_thresh: self.rare.reordering.threshold(),
            backoff: self.rtt.backoff(),
            counts: Counts {
                delivered: self.delivered,
                reordering_seen: u64::from(self.rare.reordering.seen()),
                ..self.rare.counts
            },
        }
    }
}
