//! Tail loss probes: when the last segments of a flight are not acknowledged in time, one is sent to learn why
//! (RFC 8985 section 7).

use super::recovery::Phase;
use super::timer::Timer;
use super::{Sender, Transmission};
use crate::{Event, MILLISECOND, Nanos, Observer, SECOND};

/// TLP.max_ack_delay: how long a peer may hold back the ACK of a lone segment. Linux takes its least timeout for it, which is the
/// same unless configured otherwise.
const MAX_ACK_DELAY: Nanos = 200 * MILLISECOND;
/// What Linux adds where no ACK is held back (TCP_TIMEOUT_MIN_US).
const LINUX_SLACK: Nanos = 2 * MILLISECOND;

/// State of the probe.
#[derive(Clone, Debug)]
pub(super) struct Tlp {
    /// TLP.end_seq: snd_nxt when the probe that is outstanding was sent.
    pub end: Option<u64>,
    /// TLP.is_retrans.
    pub is_retransmission: bool,
    /// Whether the RTT was sampled since the last probe.
    pub sampled: bool,
}

impl Default for Tlp {
    fn default() -> Tlp {
        Tlp { end: None, is_retransmission: false, sampled: true }
    }
}

impl Sender {
    /// What Linux adds to the waits of its probe and reordering timers.
    pub(super) fn timer_slack(&self) -> Nanos {
        if self.rtt.is_linux() { LINUX_SLACK } else { 0 }
    }

    /// TLP_calc_PTO without the bound that the RTO sets.
    fn probe_timeout(&self) -> Nanos {
        let Some(srtt) = self.rtt.srtt() else { return SECOND };
        let held_back = if self.board.segments() > 1 {
            self.timer_slack()
        } else if self.rtt.is_linux() {
            self.rtt.min_rto()
        } else {
            MAX_ACK_DELAY
        };
        2 * srtt + held_back
    }

    /// Starts the probe timer in place of the retransmission timer, which would expire at `rto_at`; false where no probe is to
    /// be sent: without SACK, in recovery, and where SACKs or retransmissions already tell.
    #[inline]
    pub(super) fn schedule_probe(&mut self, now: Nanos, rto_at: Nanos) -> bool {
        let quiet = match self.phase {
            Phase::Open => self.board.is_clean() && !self.board.first_is_resent(),
            Phase::Cwr => true,
            Phase::Fast | Phase::Loss => false,
        };
        if !(self.tlp && self.sack && quiet) || self.board.is_empty() {
            return false;
        }
        self.rto_at = rto_at.min(now + self.probe_timeout()).max(now);
        self.timer = Timer::Probe;
        true
    }

    /// The probe timer expired (section 7.3).
    pub(super) fn on_probe_timeout(&mut self, now: Nanos) {
        let allowed = self.rare.tlp.end.is_none() && (self.rtt.is_linux() || self.rare.tlp.sampled);
        if allowed {
            self.probe_due = true;
            self.timer = Timer::Rto;
            self.rto_at = now + self.rtt.rto();
        } else {
            self.fall_back_to_rto(now);
        }
    }

    /// The probe leaves: new data where there is any that the peer takes, else the last segment again.
    pub(super) fn send_probe<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Option<Transmission> {
        self.probe_due = false;
        if self.board.is_empty() {
            return None;
        }
        let timer = (self.timer, self.rto_at);
        let new = self.new_data_rarely(now, u64::MAX, obs);
        // The retransmission timer runs beside the probe, not another probe's.
        (self.timer, self.rto_at) = timer;
        let sent = match new {
            Some(sent) => sent,
            None => {
                let (start, len) = self.board.last()?;
                self.board.on_probe(start, now);
                self.rare.rack.on_retransmit(start, now);
                self.stats.retransmits += 1;
                self.transmission(start, len, true)
            }
        };
        self.rare.counts.probes += 1;
        self.rare.tlp = Tlp { end: Some(self.nxt), is_retransmission: new.is_none(), sampled: false };
        self.probing = true;
        obs.event(now, Event::ProbeSent { retransmission: new.is_none() });
        Some(sent)
    }

    /// The episode of the probe is over, or of no interest any more.
    pub(super) fn forget_probe(&mut self) {
        self.rare.tlp.end = None;
        self.probing = false;
    }

    /// An acknowledgment up to `ack` while a probe is outstanding (section 7.4.2). `duplicated` is whether a D-SACK reports the
    /// probe, `bare` whether the ACK is a duplicate without any news. Returns whether the probe has repaired a loss,
    /// which has not been answered for yet.
    #[inline(never)]
    pub(super) fn on_probe_ack(&mut self, ack: u64, duplicated: bool, bare: bool) -> bool {
        let Some(end) = self.rare.tlp.end else { return false };
        if ack < end {
            return false;
        }
        let repaired = self.rare.tlp.is_retransmission && !duplicated && ack > end;
        if !self.rare.tlp.is_retransmission || duplicated || ack > end || bare {
            self.forget_probe();
        }
        repaired
    }
}
