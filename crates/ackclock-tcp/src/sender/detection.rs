//! Detection of losses: by the number or the order of acknowledgments, or by time.

use super::Sender;
use super::episode::{Detected, Phase};
use super::reduction::Step;
use super::scoreboard::Delivered;
use super::timer::Timer;
use crate::context::Evidence;
use crate::recovery::Recovery;
use crate::{Event, NEVER, Nanos, Observer};

impl Sender {
    /// Whether duplicate ACKs, SACKs or time indicate a loss (RFC 5681 section 3.2, RFC 6675 section 5, RFC 8985).
    pub(super) fn loss_is_evident(&self) -> bool {
        if (self.config.rack || self.rare.reduction.rule() == Recovery::Ns2Linux) && self.sack {
            return self.board.lost() > 0;
        }
        let threshold = self.threshold();
        let counted = if self.sack { self.dup_acks.max(self.evidence_by_segments()) } else { self.dup_acks };
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
        //# The TCP sender SHOULD use the "fast retransmit" algorithm to detect and repair loss
        //= https://www.rfc-editor.org/rfc/rfc6675#section-5
        //# If DupAcks >= DupThresh, go to step (4)
        //= https://www.rfc-editor.org/rfc/rfc6675#section-5
        //# If DupAcks < DupThresh but IsLost (HighACK + 1) returns true
        counted >= threshold || self.board.first_is_lost()
    }

    /// DupThresh, or its lower replacement with less than four segments outstanding and none to send (early retransmit,
    /// RFC 5827 section 3.2, counting segments, as the scoreboard does).
    fn threshold(&self) -> u32 {
        let threshold = self.rare.reordering.threshold();
        let outstanding = self.board.segments() as u32;
        if self.config.early_retransmit && (2..4).contains(&outstanding) && !self.can_send_new() {
            return threshold.min(outstanding - 1);
        }
        threshold
    }

    /// Duplicate count from SACK. With SACK, early retransmit counts SACKed segments rather than ACKs, and Linux always
    /// does (net/ipv4/tcp_input.c, tcp_dupack_heuristics).
    fn evidence_by_segments(&self) -> u32 {
        if self.config.early_retransmit || self.rtt.is_linux() { self.board.segments_sacked() } else { 0 }
    }

    /// The evidence by which losses are found when acknowledgments arrive.
    pub(super) fn evidence(&self) -> Evidence {
        if self.config.rack && self.sack { Evidence::Time } else { Evidence::Order }
    }

    /// Looks for losses, and starts the reordering timer if more segments may be deemed lost later.
    #[inline]
    pub(super) fn detect_losses(&mut self, now: Nanos, delivered: &Delivered) -> Detected {
        //= https://www.rfc-editor.org/rfc/rfc8985#section-4
        //# The connection MUST use selective acknowledgment (SACK) options [RFC2018], and the sender MUST keep SACK
        //# scoreboard information on a per-connection basis
        if !(self.config.rack && self.sack) {
            if self.rare.reduction.rule() == Recovery::Ns2Linux && self.sack && delivered.newly > 0 {
                let beyond = u64::from(self.rare.reordering.threshold() + 1);
                let lost = self.board.mark_lost_forward(&mut self.rare.forward, beyond, self.mss);
                return Detected { lost, waits: false };
            }
            let news = delivered.sacked > 0 && self.sack;
            let gaps = self.phase == Phase::Fast
                && matches!(self.rare.reduction.rule(), Recovery::FreeBsd | Recovery::Ns2Sack);
            let threshold = if gaps { 1 } else { self.rare.reordering.threshold() };
            let lost = if news { self.board.mark_lost(threshold, self.mss) } else { 0 };
            return Detected { lost, waits: false };
        }
        self.detect_by_time(now)
    }

    #[inline(never)]
    fn detect_by_time(&mut self, now: Nanos) -> Detected {
        if self.rare.episode.held || !self.rare.rack.take_advanced() {
            return Detected { lost: 0, waits: false };
        }
        let window = self.reordering_window();
        let found = self.rare.rack.detect(&mut self.board, now, window);
        if let Some(until) = found.wait_until {
            //= https://www.rfc-editor.org/rfc/rfc8985#section-6.2
            //# it is RECOMMENDED that the sender install a reordering timer
            self.timer = Timer::Reorder;
            self.rto_at = (until + self.timer_slack()).min(now + self.rtt.rto());
        }
        self.rare.lost_retransmission |= found.retransmission;
        Detected { lost: found.lost, waits: found.wait_until.is_some() }
    }

    /// RACK.reo_wnd (RFC 8985 section 6.2 step 4): zero if no reordering was seen and a loss is evident by other means.
    pub(super) fn reordering_window(&self) -> Nanos {
        let rare = &self.rare;
        if rare.reordering.seen() == 0 {
            let many = self.board.segments_sacked() >= rare.reordering.threshold();
            //= https://www.rfc-editor.org/rfc/rfc8985#section-3.3.2
            //# The reordering window SHOULD be set to zero if no reordering has been observed on the connection so
            //# far
            if many || matches!(self.phase, Phase::Fast | Phase::Loss) {
                return 0;
            }
        }
        rare.rack.reordering_window(self.rtt.min(), self.rtt.srtt())
    }

    /// Handles the expiry of RACK's reordering timer: segments that were given time are examined again.
    #[cold]
    pub(super) fn on_reorder_timeout<O: Observer>(&mut self, now: Nanos, obs: &mut O) {
        self.timer = Timer::Rto;
        self.rto_at = NEVER;
        self.rare.rack.look_again();
        let Detected { lost, .. } = self.detect_losses(now, &Delivered::default());
        obs.event(now, Event::ReorderingTimeout { lost });
        if self.samples {
            self.tell_lost(now, Evidence::Time, obs);
        }
        if lost > 0 {
            if self.phase != Phase::Fast {
                self.enter_fast_recovery(now, &Delivered::default(), obs);
                // Linux: the expiry of the timer counts as the delivery of one segment.
                let in_flight = self.pipe();
                let step = Step { delivered: self.mss, in_flight, safe: false, mss: self.mss, acked: 0, sent: 0 };
                self.rare.reduction.on_ack(&mut self.window, &step);
            }
            self.after_losses(now, &Delivered::default(), obs);
        }
        if self.timer != Timer::Reorder {
            self.fall_back_to_rto(now);
        }
    }
}
