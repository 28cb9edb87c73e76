//! The expiry of the retransmission timer.

use super::Sender;
use super::episode::{Episode, Phase};
use super::frto::Frto;
use super::timer::Timer;
use crate::context::{Congestion, Context, Evidence};
use crate::recovery::Recovery;
use crate::{Event, Nanos, Observer};

impl Sender {
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
