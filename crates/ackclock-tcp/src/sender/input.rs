//! What an arriving acknowledgment does to the sender.

use super::recovery::{DUP_THRESH, Phase};
use super::scoreboard::Delivered;
use super::{NEVER, Sender};
use crate::context::Ack;
use crate::segment::MAX_SACK_BLOCKS;
use crate::validation::Growth;
use crate::{Nanos, Observer};

/// The sender's view of an acceptable acknowledgment, in stream offsets.
pub(crate) struct Arrival<'a> {
    /// Everything below is acknowledged.
    pub ack: u64,
    /// Offset up to which the peer now allows sending.
    pub window_edge: u64,
    /// SACK blocks above `ack`, as ranges of offsets.
    pub blocks: &'a [(u64, u64)],
    /// Whether the segment could be a duplicate ACK of RFC 5681 section 2 as far as its contents go: no payload, no SYN or
    /// FIN.
    pub pure: bool,
    /// The range that a D-SACK block says arrived twice (RFC 2883).
    pub dsack: Option<(u64, u64)>,
    /// When, by the clock of our timestamps, the segment left that this one echoes (TSecr of RFC 7323).
    pub echo: Option<Nanos>,
    /// Whether congestion is echoed: ECE of RFC 3168, or newly marked packets of AccECN.
    pub congestion: bool,
    /// Bytes newly reported as having arrived with a mark.
    pub marked: u64,
}

/// The SACK blocks of the last acknowledgment: what they cover needs no second look.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct SeenBlocks {
    blocks: [(u64, u64); MAX_SACK_BLOCKS],
    count: usize,
}

impl SeenBlocks {
    fn remember(&mut self, blocks: &[(u64, u64)]) {
        self.count = blocks.len().min(MAX_SACK_BLOCKS);
        self.blocks[..self.count].copy_from_slice(&blocks[..self.count]);
    }

    pub(super) fn forget(&mut self) {
        self.count = 0;
    }

    /// Calls `apply` for each part of `start..end` that the last acknowledgment did not cover.
    fn for_unseen(&self, mut start: u64, end: u64, apply: &mut impl FnMut(u64, u64)) {
        while start < end {
            let blocks = &self.blocks[..self.count];
            if let Some(block) = blocks.iter().find(|block| block.0 <= start && start < block.1) {
                start = block.1;
                continue;
            }
            let next = blocks.iter().map(|block| block.0).filter(|&next| next > start).min().unwrap_or(end).min(end);
            apply(start, next);
            start = next;
        }
    }
}

impl Sender {
    /// Takes an acknowledgment with `una <= ack <= nxt`. Returns whether new data was acknowledged.
    pub fn on_ack<O: Observer>(&mut self, now: Nanos, arrival: &Arrival<'_>, obs: &mut O) -> bool {
        let same_window = arrival.window_edge == self.last_edge;
        self.last_edge = arrival.window_edge;
        self.window_edge = arrival.window_edge;
        self.small.largest_window = self.small.largest_window.max(arrival.window_edge - arrival.ack);
        if self.flight_size() == 0 {
            // Nothing to acknowledge: the one who only receives gets here with every segment.
            return false;
        }
        let was_limited = self.una < self.limited_until;
        let mut delivered = Delivered::default();
        let advanced = arrival.ack > self.una;
        if advanced {
            delivered = self.board.ack(arrival.ack);
            self.una = arrival.ack;
            self.expiries = 0;
        }
        if !arrival.blocks.is_empty() && self.sack {
            for &(start, end) in arrival.blocks {
                let board = &mut self.board;
                self.seen.for_unseen(start, end, &mut |start, end| board.sack(start, end, &mut delivered));
            }
            self.seen.remember(arrival.blocks);
        } else if self.board.sacked() == 0 {
            self.seen.forget();
        }

        let duplicate = self.count_duplicate(arrival, advanced, same_window, &mut delivered);
        if !advanced && !duplicate {
            return false;
        }
        let rtt = delivered.sent_at.map(|sent_at| now - sent_at);
        if let Some(rtt) = rtt {
            self.rtt.on_sample(rtt);
        }
        let lost = if delivered.sacked > 0 && self.sack { self.board.mark_lost(DUP_THRESH, self.mss) } else { 0 };

        // Growth is for data acknowledged outside fast recovery; the ACK that ends a recovery does not grow the window.
        let may_grow = advanced && !matches!(self.phase, Phase::Fast(_));
        self.advance_recovery(now, advanced, &delivered, obs);
        let ack = Ack {
            ctx: self.context(now),
            acked: delivered.acked,
            sacked: delivered.sacked,
            lost,
            rtt,
            cwnd_limited: was_limited,
            marked: arrival.marked,
        };
        let growth = self.validation.on_ack(&mut self.window, &ack);
        if may_grow {
            self.grow(&ack, growth);
        }
        if matches!(self.phase, Phase::Open) && self.loss_is_evident() && self.may_enter() {
            self.enter_fast_recovery(now, obs);
        }
        if advanced {
            self.restart_timer(now);
        }
        self.observe_window(now, obs);
        advanced
    }

    /// Counts duplicate ACKs: with SACK a segment that reports data not known to have arrived (RFC 6675 section 2), without it
    /// the five conditions of RFC 5681 section 2.
    fn count_duplicate(
        &mut self,
        arrival: &Arrival<'_>,
        advanced: bool,
        same_window: bool,
        delivered: &mut Delivered,
    ) -> bool {
        if advanced {
            self.dup_acks = 0;
        }
        if self.sack {
            let duplicate = delivered.sacked > 0;
            self.dup_acks += u32::from(duplicate && !advanced);
            return duplicate;
        }
        let duplicate = !advanced && arrival.pure && same_window && arrival.ack == self.una && !self.board.is_empty();
        if duplicate {
            self.dup_acks += 1;
            // Each one says that a segment has left the network.
            delivered.sacked = self.mss;
            if let Phase::Fast(fast) = &mut self.phase {
                fast.inflation += self.mss as i64;
            }
        }
        duplicate
    }

    /// Moves a recovery under way: partial acknowledgments, its end.
    fn advance_recovery<O: Observer>(&mut self, now: Nanos, advanced: bool, delivered: &Delivered, obs: &mut O) {
        let (una, sack, mss) = (self.una, self.sack, self.mss);
        match &mut self.phase {
            Phase::Open => {}
            Phase::Loss { point } => {
                if una >= *point {
                    self.leave_recovery(now, obs);
                }
            }
            Phase::Fast(fast) => {
                fast.retransmitted += delivered.retransmitted;
                if una >= fast.point {
                    self.leave_recovery(now, obs);
                } else if advanced && !sack {
                    // RFC 6582 section 3.2 step 3: retransmit the next hole, deflate by what was acknowledged.
                    fast.inflation -= delivered.acked as i64;
                    if delivered.acked >= mss {
                        fast.inflation += mss as i64;
                    }
                    fast.owed = true;
                    self.board.mark_first_lost();
                }
            }
        }
    }

    /// Whether duplicate ACKs or SACKs amount to a loss (RFC 5681 section 3.2, RFC 6675 section 5).
    fn loss_is_evident(&self) -> bool {
        self.dup_acks >= DUP_THRESH || self.board.first_is_lost()
    }

    /// New data was acknowledged outside fast recovery: the window grows as far as validation allows.
    #[inline]
    fn grow(&mut self, ack: &Ack, growth: Growth) {
        let (before, may_grow) = (self.window.cwnd, growth != Growth::Forbidden);
        let mut acked = ack.acked;
        if self.window.in_slow_start() && !self.runs_slow_start {
            acked = self.slow_start.on_ack(&mut self.window, ack, may_grow);
        }
        if may_grow && acked > 0 {
            self.cc.on_ack(&mut self.window, ack, acked);
        }
        self.window.cwnd = growth.bound(before, self.window.cwnd);
    }

    /// New data was acknowledged (RFC 6298 5.2, 5.3).
    fn restart_timer(&mut self, now: Nanos) {
        if let Phase::Fast(fast) = &mut self.phase
            && !self.sack
        {
            // RFC 6582 section 3.2 step 3: only the first partial acknowledgment restarts the timer.
            if fast.partial {
                return;
            }
            fast.partial = true;
        }
        self.rto_at = if self.board.is_empty() { NEVER } else { now + self.rtt.rto() };
    }
}
