//! The course of a recovery: its beginning, after duplicate ACKs, SACKs, time or a timeout, and its end.
//!
//! [`super::reduction`] and [`super::output`] decide what may be sent in a recovery; [`super::undo`] and
//! [`super::frto`] decide whether the recovery was spurious.

use super::Sender;
use super::frto::{Frto, News, Verdict};
use super::input::Arrived;
use super::ns2::Sack1;
use super::reduction::Step;
use super::scoreboard::Delivered;
use super::timer::Timer;
use crate::context::{Cause, Congestion, CongestionEnd, Context, Evidence, RecoveryEnd, Window};
use crate::recovery::Recovery;
use crate::{Event, NEVER, Nanos, Observer};

/// State of the sender's loss recovery. Linux's Disorder is `Open` with entries marked on the scoreboard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// No loss is being repaired, and the window is not being reduced.
    Open,
    /// An echoed mark started a reduction of the window, one per window of data (RFC 3168 section 6.1.2).
    Cwr,
    /// Fast recovery.
    Fast,
    /// After a retransmission timeout, or a fast retransmit of Tahoe, until what was outstanding then is acknowledged.
    Loss,
}

/// Result of looking for losses.
#[derive(Default)]
pub(super) struct Detected {
    /// Bytes newly deemed lost.
    pub lost: u64,
    /// Whether the reordering timer now runs for further segments.
    pub waits: bool,
}

/// State of a phase other than `Open`.
#[derive(Clone, Debug, Default)]
pub(super) struct Episode {
    /// RecoveryPoint of RFC 6675, "recover" of RFC 6582: the stream offset whose acknowledgment ends the phase.
    pub point: u64,
    /// Bytes deemed lost, retransmitted in this fast recovery and delivered so far.
    pub retransmitted: u64,
    /// Whether a retransmission is due that pipe does not limit: the first one (RFC 6675 section 5 step 4.3), and
    /// without SACK the one for each partial acknowledgment (RFC 6582 section 3.2 step 3).
    pub owed: bool,
    /// Whether retransmissions wait for the next ACK, since this ACK was caused by an original transmission.
    pub held: bool,
    /// End of the highest retransmitted segment (HighRxt).
    pub high_rxt: u64,
    /// End of RescueRxt: a rescue retransmission is due only once data beyond this is acknowledged (RFC 6675 section 4,
    /// rule 4).
    pub rescue_rxt: u64,
    /// NewReno: net inflation of the window by duplicate ACKs and deflation by partial ACKs (RFC 6582), bytes.
    pub inflation: i64,
    /// Without SACK: whether the first partial ACK was seen; only the first one restarts the timer.
    pub partial: bool,
    /// Time of the last reduction of the window. If a segment sent before it shows the loss of a retransmission, that
    /// loss belongs to the same window.
    pub reduced_at: Nanos,
    /// Whether a timeout began the phase, rather than Tahoe's fast retransmit.
    pub timeout: bool,
    pub frto: Frto,
    /// ns-2's SACK recovery.
    pub ns2: Sack1,
}

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

    /// Whether there is new data and the peer's window allows it.
    pub(super) fn can_send_new(&self) -> bool {
        self.nxt < self.end() && self.window_edge > self.nxt
    }

    /// The state `found` with the FlightSize from which the congestion control reduces.
    fn as_base(&self, found: Context) -> Context {
        Context { flight_size: if self.reduces_from_window { self.window.cwnd } else { found.flight_size }, ..found }
    }

    /// Lets the congestion control reduce the window for `cause` and enters the phase `next`, whose end ends the
    /// response; [`Phase::Open`] is for a loss that is already repaired. `delivered` is the data delivered by the
    /// acknowledgment that showed the congestion. Returns the window before the reduction.
    #[inline(never)]
    pub(super) fn reduce(&mut self, now: Nanos, cause: Cause, delivered: &Delivered, next: Phase) -> Window {
        let mut found = self.context(now);
        if cause == Cause::Ecn {
            // The packet was marked while the data that the echo acknowledges was still outstanding.
            found.flight_size += delivered.acked;
        }
        let before = self.window;
        let met = Congestion { cause, abe: self.config.abe, ctx: found };
        self.take_validated(&met);
        let event = Congestion { ctx: self.as_base(found), ..met };
        self.cc.on_congestion(&mut self.window, &event);
        // LossFlightSize of RFC 7661 is the volume in flight, independent of the base of the congestion control's
        // reduction.
        self.validation.on_congestion(&mut self.window, &met);
        self.slow_start.on_congestion(&event);
        self.with_careful(|careful, window, delivered| careful.on_congestion(window, &event, delivered));
        self.round_window();
        self.truncate_threshold();
        let sacked_before = self.board.sacked().saturating_sub(delivered.sacked);
        let flight_size = self.outstanding();
        self.rare.reduction.begin(&mut self.window, &before, flight_size, sacked_before, delivered.acked);
        self.cwr_due = self.ecn;
        self.phase = next;
        if next == Phase::Open {
            // RFC 8985 section 7.4.2: the probe has repaired the loss, and the response is a reduction alone.
            if !self.scope.window {
                self.window.cwnd = self.window.ssthresh;
            }
            self.end_answer(now, self.rare.tlp.len, false);
        }
        before
    }

    /// Sets the window to its validated part when congestion occurs, unless the algorithm owns the window.
    fn take_validated(&mut self, met: &Congestion) {
        let validated = self.validation.validated(&self.window, met);
        if !self.scope.window {
            self.window.cwnd = validated;
        }
    }

    /// Tells the window validation that the response to congestion is over and the phase is `Open` again.
    fn end_answer(&mut self, now: Nanos, retransmitted: u64, slow_start: bool) {
        let end = CongestionEnd { ctx: self.context(now), retransmitted, slow_start };
        self.validation.on_congestion_end(&mut self.window, &end);
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
    fn begin_undo(&mut self, before: Option<Window>, timeout: bool) {
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

    /// The evidence by which losses are found when acknowledgments arrive.
    pub(super) fn evidence(&self) -> Evidence {
        if self.config.rack && self.sack { Evidence::Time } else { Evidence::Order }
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
    fn reordering_window(&self) -> Nanos {
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

    /// Handles the expiry of the retransmission timer with data outstanding (RFC 6298 section 5, RFC 5681 section 3.1).
    #[cold]
    pub(super) fn on_rto<O: Observer>(&mut self, now: Nanos, obs: &mut O) {
        self.stats.timeouts += 1;
        self.expiries += 1;
        self.on_path_timeout(now);
        let found = self.context(now);
        // ssthresh stays unchanged while the same segment times out again (RFC 5681 section 3.1). In Linux ssthresh
        // also stays unchanged if it was set within this window of data (tcp_enter_loss).
        let linux = self.rtt.is_linux();
        let again = self.expiries > 1;
        let reduced = matches!(self.phase, Phase::Cwr | Phase::Fast) && self.una < self.rare.episode.point;
        //= https://www.rfc-editor.org/rfc/rfc5681#section-4.3
        //= type=exception
        //= reason=Linux reduces no more for a timeout within a recovery (tcp_enter_loss). With PRR it is enough that
        //= the lost retransmission leaves the volume in flight (RFC 8985 section 9.3).
        //# the loss of a retransmission, should be taken as two indications of congestion and, therefore, cwnd (and
        //# ssthresh) MUST be lowered twice
        let answered = linux && reduced;
        // ns-2 halves ssthresh at every timeout (tcp/tcp.cc, timeout and slowdown).
        let first = (!again || self.rare.reduction.rule().is_ns2()) && !answered;
        let before = self.window;
        self.take_validated(&Congestion::timeout(found));
        let base = self.as_base(found);
        self.rtt.on_timeout();
        if self.phase == Phase::Open {
            self.rare.reordering.on_timeout(self.board.segments_sacked());
        }
        self.mark_timed_out(now);
        let event = Congestion::timeout(Context { pipe: self.pipe(), ..base });
        self.cc.on_timeout(&mut self.window, &event, first);
        self.truncate_threshold();
        if first {
            self.begin_undo(Some(before), true);
        }
        if self.samples {
            self.tell_lost(now, Evidence::Timeout, obs);
        }
        if !self.scope.window {
            // Linux's form of one segment: with RACK, recently sent segments are not lost and stay in the network.
            //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
            //# cwnd MUST be set to no more than the loss window, LW, which equals 1 full-sized segment
            self.window.cwnd = self.pipe() + self.mss;
        }
        let met = Congestion::timeout(Context { pipe: self.pipe(), ..found });
        self.validation.on_timeout(&mut self.window, &met);
        self.slow_start.on_timeout(&event);
        self.with_careful(|careful, window, _| careful.on_timeout(window));
        self.round_window();
        //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
        //# After a retransmit timeout, record the highest sequence number transmitted in the variable recover, and
        //# exit the fast recovery procedure
        //= https://www.rfc-editor.org/rfc/rfc6675#section-5.1
        //# If an RTO occurs during loss recovery as specified in this document, RecoveryPoint MUST be set to HighData
        self.recover = Some(self.nxt);
        self.dup_acks = 0;
        let frto = self.config.frto && (matches!(self.phase, Phase::Open | Phase::Cwr) || again);
        self.rare.episode = Episode {
            point: self.nxt,
            timeout: true,
            frto: if frto { Frto::FirstAck } else { Frto::Off },
            ..Episode::default()
        };
        //= https://www.rfc-editor.org/rfc/rfc6675#section-5.1
        //# the new value of RecoveryPoint MUST be preserved and the loss recovery algorithm outlined in this document
        //# MUST be terminated
        self.phase = Phase::Loss;
        self.cwr_due = self.ecn;
        self.forget_probe();
        self.timer = Timer::Rto;
        //= https://www.rfc-editor.org/rfc/rfc6298#section-5
        //# Start the retransmission timer, such that it expires after RTO seconds (for the value of RTO after the
        //# doubling
        self.rto_at = now + self.rtt.rto();
        obs.event(now, Event::Timeout { count: self.expiries });
    }

    //= https://www.rfc-editor.org/rfc/rfc6675#section-5.1
    //# a SACK TCP sender SHOULD utilize all SACK information made available during the loss recovery following an RTO
    #[cold]
    fn mark_timed_out(&mut self, now: Nanos) {
        // RFC 2018 section 8: the receiver may have dropped what it SACKed; RFC 6675 section 5.1 leaves the choice, and
        // keeping the marks is what deployed stacks do unless the very first segment is SACKed (a sign of reneging).
        if self.board.first_is_sacked() || self.rare.reduction.rule() == Recovery::Ns2Sack {
            // ns-2 forgets the blocks at every timeout (tcp/tcp-sack1.cc).
            self.board.forget_sacks();
            self.seen.forget();
            self.board.mark_all_lost();
        } else if self.config.rack && self.sack {
            let window = self.reordering_window();
            self.board.mark_timed_out(self.rare.rack.timed_out_by(now, window));
        } else {
            self.board.mark_all_lost();
        }
    }
}
