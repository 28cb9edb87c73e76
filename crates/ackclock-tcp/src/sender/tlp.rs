//! Tail loss probes: when the last segments of a flight are not acknowledged in time, a probe is sent to find out why
//! (RFC 8985 section 7).

use super::episode::Phase;
use super::timer::Timer;
use super::{Sender, Transmission};
use crate::{Event, MILLISECOND, Nanos, Observer, SECOND};

/// TLP.max_ack_delay: maximum time for which a peer may delay the ACK of a lone segment. Linux uses its minimum
/// timeout, which is the same unless configured otherwise.
const MAX_ACK_DELAY: Nanos = 200 * MILLISECOND;
/// Time that Linux adds where no ACK is delayed (TCP_TIMEOUT_MIN_US).
const LINUX_SLACK: Nanos = 2 * MILLISECOND;

/// State of the probe.
#[derive(Clone, Debug)]
pub(super) struct Tlp {
    /// TLP.end_seq: snd_nxt when the outstanding probe was sent.
    pub end: Option<u64>,
    /// TLP.is_retrans.
    pub is_retransmission: bool,
    /// Length of the segment that the probe carried, bytes.
    pub len: u64,
    /// Whether the RTT was sampled since the last probe.
    pub sampled: bool,
}

impl Default for Tlp {
    fn default() -> Tlp {
        Tlp { end: None, is_retransmission: false, len: 0, sampled: true }
    }
}

impl Sender {
    /// Time that Linux adds to the durations of its probe and reordering timers, ns.
    #[inline]
    pub(super) fn timer_slack(&self) -> Nanos {
        //= https://www.rfc-editor.org/rfc/rfc8985#section-7.2
        //= type=exception
        //= reason=Linux adds two milliseconds (TCP_TIMEOUT_MIN_US), and its least timeout where one segment is
        //= outstanding.
        //# a sender SHOULD use the following logic to select the duration of a PTO
        if self.rtt.is_linux() { LINUX_SLACK } else { 0 }
    }

    /// TLP_calc_PTO without the bound that the RTO sets, ns.
    #[inline]
    fn probe_timeout(&self) -> Nanos {
        //= https://www.rfc-editor.org/rfc/rfc8985#section-7.2
        //# when there is no SRTT estimate available, the PTO SHOULD be 1 second
        let Some(srtt) = self.rtt.srtt() else { return SECOND };
        let held_back = if self.board.segments() > 1 {
            self.timer_slack()
        } else if self.rtt.is_linux() {
            self.rtt.min_rto()
        } else {
            //= https://www.rfc-editor.org/rfc/rfc8985#section-7.2
            //# the sender MAY inflate the PTO by TLP.max_ack_delay to accommodate a potentially delayed
            //# acknowledgment
            MAX_ACK_DELAY
        };
        //= https://www.rfc-editor.org/rfc/rfc8985#section-7.2
        //# a sender SHOULD use the following logic to select the duration of a PTO
        2 * srtt + held_back
    }

    /// Starts the probe timer in place of the retransmission timer, which would expire at `rto_at`. Returns false where
    /// no probe may be sent: without SACK, in fast recovery or after a timeout, and where "segments have been SACKed"
    /// (section 7.2).
    ///
    /// Linux decides by its state (net/ipv4/tcp_output.c, tcp_schedule_loss_probe): 6.12 probes in Open and in CWR,
    /// where segments may be SACKed; before RACK it probed only in Open.
    #[inline]
    pub(super) fn schedule_probe(&mut self, now: Nanos, rto_at: Nanos) -> bool {
        let quiet = match self.phase {
            //= https://www.rfc-editor.org/rfc/rfc8985#section-7.2
            //= type=exception
            //= reason=Linux starts the probe while a mark is answered although segments are SACKed.
            //# The sender SHOULD start or restart a loss probe PTO timer after transmitting new data (that was not
            //# itself a loss probe) or upon receiving an ACK that cumulatively acknowledges new data
            Phase::Cwr if self.rtt.is_linux() => self.config.rack,
            Phase::Open | Phase::Cwr => self.board.is_clean() && !self.board.first_is_resent(),
            Phase::Fast | Phase::Loss => false,
        };
        if !(self.config.tlp && self.sack && quiet) || self.board.is_empty() {
            return false;
        }
        self.rto_at = rto_at.min(now + self.probe_timeout()).max(now);
        self.timer = Timer::Probe;
        true
    }

    /// Handles the expiry of the probe timer (section 7.3).
    pub(super) fn on_probe_timeout(&mut self, now: Nanos) {
        //= https://www.rfc-editor.org/rfc/rfc8985#section-7.3
        //# the sender MUST check whether both of the following conditions are met before sending a loss probe
        //= https://www.rfc-editor.org/rfc/rfc8985#section-7.3
        //= type=exception
        //= reason=Linux does not ask for a sample between probes.
        //# the sender MUST check whether both of the following conditions are met before sending a loss probe
        let allowed = self.rare.tlp.end.is_none() && (self.rtt.is_linux() || self.rare.tlp.sampled);
        if allowed {
            self.probe_due = true;
            self.timer = Timer::Rto;
            self.rto_at = now + self.rtt.rto();
        } else {
            //= https://www.rfc-editor.org/rfc/rfc8985#section-7.3
            //# the sender MUST skip sending a loss probe and MUST proceed to re-arm the RTO timer
            self.fall_back_to_rto(now);
        }
    }

    /// Sends the probe: new data if there is any that the peer's window allows, else a retransmission of the last
    /// segment.
    pub(super) fn send_probe<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Option<Transmission> {
        self.probe_due = false;
        if self.board.is_empty() {
            return None;
        }
        let timer = (self.timer, self.rto_at);
        //= https://www.rfc-editor.org/rfc/rfc8985#section-7.3
        //# the sender SHOULD transmit a previously unsent data segment, if one exists and the receive window allows
        let new = self.new_data_rarely(now, u64::MAX, obs);
        // After the probe the retransmission timer runs, not the timer of another probe.
        //= https://www.rfc-editor.org/rfc/rfc8985#section-7.3
        //# the sender MUST re-arm the RTO timer, not the PTO timer, if the FlightSize is not zero
        (self.timer, self.rto_at) = timer;
        let sent = match new {
            Some(sent) => sent,
            None => {
                //= https://www.rfc-editor.org/rfc/rfc8985#section-7.3
                //# the sender SHOULD retransmit the highest-sequence segment sent so far and set TLP.is_retrans to
                //# true
                let last = self.board.last()?;
                let (start, len) = self.cut_to_size(last);
                //= https://www.rfc-editor.org/rfc/rfc8985#section-7.3
                //# The sender MUST follow the RACK transmission procedures in the "Upon Transmitting a Data Segment"
                //# section
                self.board.on_extra_copy(start, now);
                self.rare.rack.on_retransmit(start, now);
                self.stats.retransmits += 1;
                self.transmission(start, len, true)
            }
        };
        self.rare.counts.probes += 1;
        let len = u64::from(sent.len) + u64::from(sent.fin);
        self.rare.tlp = Tlp { end: Some(self.nxt), is_retransmission: new.is_none(), len, sampled: false };
        self.probing = true;
        obs.event(now, Event::ProbeSent { retransmission: new.is_none() });
        Some(sent)
    }

    /// Ends the episode of the probe, because it is over or irrelevant.
    pub(super) fn forget_probe(&mut self) {
        self.rare.tlp.end = None;
        self.probing = false;
    }

    /// Processes an acknowledgment up to `ack` while a probe is outstanding (section 7.4.2). `duplicated` is whether a
    /// D-SACK reports the probe, `bare` whether the ACK is a duplicate ACK that reports nothing new. Returns whether
    /// the probe has repaired a loss to which the sender has not yet responded.
    #[inline(never)]
    pub(super) fn on_probe_ack(&mut self, ack: u64, duplicated: bool, bare: bool) -> bool {
        let Some(end) = self.rare.tlp.end else { return false };
        if ack < end {
            return false;
        }
        //= https://www.rfc-editor.org/rfc/rfc8985#section-7.4.2
        //# it MUST assume that the original data segment, the TLP retransmission, or a corresponding ACK was lost for
        //# congestion control purposes
        let repaired = self.rare.tlp.is_retransmission && !duplicated && ack > end;
        if !self.rare.tlp.is_retransmission || duplicated || ack > end || bare {
            self.forget_probe();
        }
        repaired
    }
}
