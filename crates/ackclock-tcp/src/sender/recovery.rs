//! The course of a recovery: its beginning, after duplicate ACKs, SACKs or time, and its end.
//!
//! [`super::detection`] finds the losses, [`super::response`] reduces the window, and [`super::expiry`] begins the
//! recovery of a timeout. [`super::reduction`] and [`super::output`] decide what may be sent in a recovery;
//! [`super::undo`] and [`super::frto`] decide whether the recovery was spurious.

use super::Sender;
use super::episode::{Episode, Phase};
use super::frto::{Frto, News, Verdict};
use super::input::Arrived;
use super::scoreboard::Delivered;
use crate::context::{Cause, RecoveryEnd, Window};
use crate::recovery::Recovery;
use crate::{Event, Nanos, Observer};

impl Sender {
    /// Whether duplicate ACKs or SACKs may start a fast recovery. They may not within a window of data that has had a
    /// recovery. Without SACK, more than that window must be acknowledged first (RFC 6582 section 3.2 step 1).
    pub(super) fn may_enter(&self) -> bool {
        let repaired = match self.recover {
            None => true,
            //= https://www.rfc-editor.org/rfc/rfc6675#section-5.1
            //# a new recovery phase (as described in Section 5) MUST NOT be initiated until HighACK is greater than
            //# or equal to the new value of RecoveryPoint
            Some(recover) if self.sack => self.una >= recover,
            //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
            //# the TCP sender first checks the value of recover to see if the Cumulative Acknowledgment field covers
            //# more than recover
            Some(recover) => self.una > recover,
        };
        let open = match self.phase {
            //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
            //# If not, the TCP does not enter fast retransmit and does not reset ssthresh
            Phase::Open => repaired,
            Phase::Cwr => true,
            Phase::Fast | Phase::Loss => false,
        };
        open && !self.board.is_empty()
    }

    /// Whether there is new data and the peer's window allows it.
    pub(super) fn can_send_new(&self) -> bool {
        self.nxt < self.end() && self.window_edge > self.nxt
    }

    /// Enters fast recovery after a loss: reduces the window, unless a mark has just reduced it by as much, and starts
    /// retransmission. Returns the bytes newly deemed lost on entry.
    #[inline(never)]
    pub(super) fn enter_fast_recovery<O: Observer>(&mut self, now: Nanos, delivered: &Delivered, obs: &mut O) -> u64 {
        if self.takes_lost_probe() {
            return 0;
        }
        let answered = self.phase == Phase::Cwr && !self.scope.proportional;
        //= https://www.rfc-editor.org/rfc/rfc5681#section-4.3
        //# when the first loss in a window of data is detected, ssthresh MUST be set to no more than the value given
        //# by equation (4)
        let before = (!answered).then(|| self.reduce(now, Cause::Loss, delivered, Phase::Fast));
        self.begin_undo(before, false);
        self.stats.recoveries += 1;
        let found_by_time = self.config.rack && self.sack;
        let first = !found_by_time && !self.board.first_is_lost();
        let mut lost = if first { self.board.mark_first_lost() } else { 0 };
        if self.sack && self.rare.reduction.rule() == Recovery::FreeBsd {
            // Every gap is a loss once the first one is.
            lost += self.board.mark_lost(1, self.mss);
        }
        let ns2 = self.begin_sack1();
        let rare = &mut self.rare;
        let gradual = rare.reduction.is_gradual();
        rare.episode = Episode {
            point: self.nxt,
            //= https://www.rfc-editor.org/rfc/rfc6675#section-5
            //# RecoveryPoint = HighData
            //= https://www.rfc-editor.org/rfc/rfc6675#section-5
            //# Retransmit the first data segment presumed dropped
            owed: !rare.reduction.is_proportional() && rare.reduction.rule() != Recovery::FreeBsd,
            high_rxt: self.una,
            // Section 5 step 4.3: RescueRxt starts at the end of the first retransmission, against "a premature rescue
            // retransmission".
            rescue_rxt: self.board.first_end(),
            //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
            //# The lost segment starting at SND.UNA MUST be retransmitted and cwnd set to ssthresh plus 3*SMSS
            inflation: i64::from(rare.reordering.threshold()) * self.mss as i64,
            reduced_at: now,
            ns2,
            ..Episode::default()
        };
        if !self.sack && gradual {
            // The last duplicate ACK is reported to the reduction separately.
            rare.reduction.start_from_duplicates(u64::from(self.dup_acks.saturating_sub(1)) * self.mss);
        }
        //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
        //# If so, the value of recover is incremented to the value of the highest sequence number transmitted by the
        //# TCP so far
        self.recover = Some(self.nxt);
        self.phase = Phase::Fast;
        self.forget_probe();
        obs.event(now, Event::RecoveryStarted { cause: Cause::Loss });
        if self.rare.reduction.rule() == Recovery::Tahoe {
            self.begin_slow_start_over();
        }
        if self.samples {
            self.tell_lost(now, self.evidence(), obs);
        }
        lost
    }

    /// Tahoe: retransmits outstanding data that is not SACKed in slow start.
    #[cold]
    fn begin_slow_start_over(&mut self) {
        self.board.mark_all_lost();
        self.window.cwnd = self.mss;
        self.dup_acks = 0;
        self.phase = Phase::Loss;
    }

    /// Retransmits outstanding data that is marked as lost, as after a timeout, without a response to congestion.
    #[cold]
    pub(super) fn repair_without_response(&mut self) {
        self.recover = Some(self.nxt);
        self.rare.episode = Episode { point: self.nxt, ..Episode::default() };
        self.phase = Phase::Loss;
    }

    /// Saves the state to restore if the recovery is spurious.
    pub(super) fn begin_undo(&mut self, before: Option<Window>, timeout: bool) {
        if !self.undoes {
            return;
        }
        let probe = self.rare.tlp.end.is_some() && self.rare.tlp.is_retransmission;
        let in_flight = if self.board.retransmitted() > 0 { self.board.tally().retransmitted } else { 0 };
        if in_flight == 0 && !self.board.first_is_resent() {
            self.rare.undo.forget_first_retransmit();
        }
        self.rare.undo.begin(self.una, before, in_flight + u32::from(probe), timeout);
    }

    /// Responds to an echoed mark, or to the request of the congestion control: reduces the window once per window of
    /// data.
    #[cold]
    pub(super) fn enter_cwr<O: Observer>(&mut self, now: Nanos, cause: Cause, delivered: &Delivered, obs: &mut O) {
        self.rare.undo.take();
        self.reduce(now, cause, delivered, Phase::Cwr);
        if self.rare.reduction.rule() == Recovery::FreeBsd && !self.scope.window {
            // FreeBSD's rule is one for losses: a mark halves the window at once.
            self.window.cwnd = self.window.ssthresh;
        }
        self.rare.counts.reductions_for_marks += u64::from(cause == Cause::Ecn);
        self.rare.episode = Episode { point: self.nxt, ..Episode::default() };
        self.forget_probe();
        obs.event(now, Event::RecoveryStarted { cause });
    }

    /// Advances the current phase: handles partial acknowledgments, evidence that the phase was spurious, and its end.
    /// Returns the bytes newly deemed lost because of a partial acknowledgment.
    pub(super) fn advance_phase<O: Observer>(
        &mut self,
        now: Nanos,
        advanced: bool,
        delivered: &Delivered,
        arrived: &Arrived,
        obs: &mut O,
    ) -> u64 {
        self.rare.episode.held = false;
        match self.phase {
            Phase::Open => {
                if self.rare.undo.proven_by_dsack() {
                    self.undo(now, false, obs);
                }
            }
            // CWR lasts until data above the point is acknowledged, so that the peer has seen CWR (Linux, and RFC 3168
            // section 6.1.2: a further reduction only for data sent after the last).
            Phase::Cwr => {
                if self.una > self.rare.episode.point {
                    self.leave_phase(now, false, obs);
                }
            }
            //= https://www.rfc-editor.org/rfc/rfc6675#section-5
            //# the following procedure MUST be used for each arriving ACK
            //= https://www.rfc-editor.org/rfc/rfc6675#section-5
            //# Upon receipt of an ACK that does not cover RecoveryPoint, the following actions MUST be taken
            Phase::Fast => return self.advance_fast(now, advanced, delivered, arrived, obs),
            Phase::Loss => self.advance_loss(now, advanced, arrived, obs),
        }
        0
    }

    fn advance_fast<O: Observer>(
        &mut self,
        now: Nanos,
        advanced: bool,
        delivered: &Delivered,
        arrived: &Arrived,
        obs: &mut O,
    ) -> u64 {
        self.rare.episode.retransmitted += delivered.retransmitted;
        self.rare.episode.ns2.on_ack(advanced);
        //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
        //# Do not exit the fast recovery procedure
        //= https://www.rfc-editor.org/rfc/rfc6675#section-5
        //# the loss recovery phase MUST be terminated
        if self.una >= self.rare.episode.point {
            let spurious = self.rare.undo.proven(arrived.echo);
            if spurious {
                self.undo(now, false, obs);
            }
            //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
            //# Exit the fast recovery procedure
            self.leave_phase(now, spurious, obs);
            return 0;
        }
        if advanced && self.rare.undo.proven_by_timestamp(arrived.echo) {
            // A late original filled the hole: this was reordering.
            let high = self.board.high_sacked().max(self.una);
            self.rare.reordering.on_late(arrived.una, high, self.mss);
            if self.board.retransmitted() > 0 {
                self.rare.episode.held = true;
            } else {
                self.undo(now, true, obs);
                self.leave_phase(now, true, obs);
            }
            return 0;
        }
        if self.rare.undo.proven_by_dsack() {
            self.undo(now, false, obs);
            self.leave_phase(now, true, obs);
            return 0;
        }
        if advanced && !self.sack {
            // RFC 6582 section 3.2 step 3: retransmit the next hole, deflate by the amount acknowledged.
            let mss = self.mss;
            let episode = &mut self.rare.episode;
            //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
            //# Deflate the congestion window by the amount of new data acknowledged by the Cumulative Acknowledgment
            //# field
            episode.inflation -= delivered.acked as i64;
            if delivered.acked >= mss {
                //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
                //# If the partial ACK acknowledges at least one SMSS of new data, then add back SMSS bytes to the
                //# congestion window
                episode.inflation += mss as i64;
            }
            //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
            //# retransmit the first unacknowledged segment
            episode.owed = !self.rare.reduction.is_proportional();
            self.deflate_window();
            return self.board.mark_first_lost();
        }
        0
    }

    #[inline(never)]
    fn advance_loss<O: Observer>(&mut self, now: Nanos, advanced: bool, arrived: &Arrived, obs: &mut O) {
        let point = self.rare.episode.point;
        let complete = self.una >= point;
        let mut spurious = advanced && self.rare.undo.proven(arrived.echo);
        if self.rare.episode.frto != Frto::Off {
            let news = News {
                advanced,
                complete,
                original: arrived.original && (self.sack || !arrived.resent),
                duplicate: arrived.duplicate || arrived.sacked,
                can_send: self.can_send_new(),
                sack: self.sack,
                eager: self.rtt.is_linux() && self.sack,
            };
            //= https://www.rfc-editor.org/rfc/rfc9438#section-4.9.1
            //# An implementation MAY detect spurious timeouts based on the mechanisms described in Forward
            //# RTO-Recovery [RFC5682]
            match self.rare.episode.frto.on_ack(&news) {
                Verdict::Open => {}
                Verdict::Spurious => spurious = true,
                // Linux keeps the window that slow start has reached.
                Verdict::Real if news.eager || complete => {}
                Verdict::Real if self.scope.window => {}
                Verdict::Real => self.window.cwnd = 3 * self.mss,
            }
        }
        if spurious {
            self.undo(now, true, obs);
            self.expiries = 0;
        }
        if spurious || complete {
            self.leave_phase(now, spurious, obs);
        }
    }

    /// Undoes the current recovery, which was spurious: restores the window. `unmark` is whether to clear all loss
    /// marks.
    #[cold]
    fn undo<O: Observer>(&mut self, now: Nanos, unmark: bool, obs: &mut O) {
        let (before, timeout) = self.rare.undo.take();
        if unmark {
            self.board.unmark_lost();
        }
        self.rare.rack.look_again();
        let counts = &mut self.rare.counts;
        *(if timeout { &mut counts.spurious_timeouts } else { &mut counts.spurious_recoveries }) += 1;
        if let Some(before) = before {
            self.cc.on_undo(&mut self.window, &before);
            self.round_window();
            self.validation.on_undo();
            self.cwr_due = false;
        }
        obs.event(now, Event::Undone { timeout });
    }

    /// Leaves the current phase: its point is acknowledged, or it was `undone`.
    #[inline(never)]
    pub(super) fn leave_phase<O: Observer>(&mut self, now: Nanos, undone: bool, obs: &mut O) {
        //= https://www.rfc-editor.org/rfc/rfc6675#section-5
        //# Any information contained in the scoreboard for sequence numbers greater than the new value of HighACK
        //# SHOULD NOT be cleared when leaving the loss recovery phase
        let phase = std::mem::replace(&mut self.phase, Phase::Open);
        if phase != Phase::Cwr {
            // Duplicate ACKs that arrive in loss recovery are not counted (RFC 6675 section 5); CWR is not loss
            // recovery.
            self.dup_acks = 0;
        }
        if undone && self.sack {
            // Losses in the same window of data start a new recovery.
            self.recover = None;
        }
        if self.config.rack && phase != Phase::Cwr && !undone {
            self.rare.rack.on_recovery_end();
        }
        if self.rare.reduction.rule() == Recovery::Ns2Linux && phase != Phase::Cwr {
            self.forget_marks();
        }
        match phase {
            Phase::Cwr => self.end_reduction(),
            Phase::Fast => self.end_fast_recovery(now, undone),
            Phase::Open | Phase::Loss => {}
        }
        self.end_answer(now, self.rare.episode.retransmitted, phase == Phase::Loss);
        obs.event(now, Event::RecoveryEnded);
    }

    #[inline(never)]
    fn end_fast_recovery(&mut self, now: Nanos, undone: bool) {
        let restored = self.window;
        if !undone {
            if self.rare.reduction.rule() == Recovery::FreeBsd && !self.scope.window {
                // FreeBSD sys/netinet/cc/cc_newreno.c, newreno_post_recovery.
                self.window.cwnd = self.window.ssthresh.min(self.outstanding() + self.mss);
            }
            let bounded = self.rare.reduction.rule() != Recovery::Ns2NewReno;
            if bounded && !self.sack && !self.rare.reduction.is_gradual() && !self.scope.window {
                // RFC 6582 section 3.2 step 3, full acknowledgment, option 1: no burst after recovery.
                //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
                //# Set cwnd to either (1) min (ssthresh, max(FlightSize, SMSS) + SMSS) or (2) ssthresh
                let flight = self.outstanding().max(self.mss) + self.mss;
                //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
                //# a TCP MUST set cwnd to ssthresh (the value set in step 2)
                self.window.cwnd = self.window.ssthresh.min(flight);
            }
            self.end_reduction();
        }
        let end = RecoveryEnd { ctx: self.context(now), retransmitted: self.rare.episode.retransmitted };
        self.cc.on_recovery_end(&mut self.window, &end);
        self.round_window();
        self.with_careful(|careful, _, _| careful.on_recovery_end(end.retransmitted));
        if undone {
            self.window = restored;
        }
    }

    fn end_reduction(&mut self) {
        let flight_size = self.outstanding();
        self.rare.reduction.end(&mut self.window, flight_size, self.mss);
    }

    /// Responds to lost retransmissions. PRR only needs their count (RFC 8985 section 9.3); without PRR the window is
    /// reduced again, once per round trip. After a timeout, lost retransmissions start a fast recovery, as in Linux.
    pub(super) fn after_losses<O: Observer>(&mut self, now: Nanos, delivered: &Delivered, obs: &mut O) {
        if !std::mem::take(&mut self.rare.lost_retransmission) {
            return;
        }
        match self.phase {
            //= https://www.rfc-editor.org/rfc/rfc6675#section-5.1
            //= type=exception
            //= reason=With RACK a lost retransmission begins a recovery after a timeout, as in Linux.
            //# a new recovery phase (as described in Section 5) MUST NOT be initiated until HighACK is greater than
            //# or equal to the new value of RecoveryPoint
            Phase::Loss if self.rare.episode.timeout => {
                self.enter_fast_recovery(now, delivered, obs);
            }
            //= https://www.rfc-editor.org/rfc/rfc5681#section-4.3
            //# the loss of a retransmission, should be taken as two indications of congestion and, therefore, cwnd
            //# (and ssthresh) MUST be lowered twice
            Phase::Fast if !self.rare.reduction.is_gradual() && self.rare.rack.since(self.rare.episode.reduced_at) => {
                self.reduce(now, Cause::Loss, delivered, Phase::Fast);
                //= https://www.rfc-editor.org/rfc/rfc8985#section-9.3
                //# when RACK-TLP detects a lost retransmission, the congestion control MUST trigger an additional
                //# congestion response
                self.rare.episode.reduced_at = now;
            }
            _ => {}
        }
    }
}
