//! The sender's single timer: retransmission, probe or reordering; only one runs at a time (RFC 8985 section 8).

use super::Sender;
use super::episode::Phase;
use crate::{NEVER, Nanos, Observer};

/// Purpose of the timer.
//= https://www.rfc-editor.org/rfc/rfc8985#section-8
//# When arming a RACK reordering timer or TLP PTO timer, the sender SHOULD cancel any other pending timers
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Timer {
    /// Retransmission (RFC 6298).
    Rto,
    /// A tail loss probe (RFC 8985 section 7).
    Probe,
    /// The end of RACK's reordering window (RFC 8985 section 6.2).
    Reorder,
}

impl Sender {
    /// Time at which the timer expires; [`NEVER`] where none runs.
    #[inline]
    pub fn rto_at(&self) -> Nanos {
        self.rto_at
    }

    /// Handles a possible expiry of the timer.
    pub fn on_timeout<O: Observer>(&mut self, now: Nanos, obs: &mut O) {
        if self.rto_at > now || self.board.is_empty() {
            return;
        }
        if self.tells_sent && !self.rtt.is_linux() {
            self.check_application_limited();
        }
        match self.timer {
            Timer::Rto => self.on_rto(now, obs),
            Timer::Probe => self.on_probe_timeout(now),
            Timer::Reorder => self.on_reorder_timeout(now, obs),
        }
        self.observe_window(now, obs);
    }

    /// Restarts the timer after an acknowledgment of new data (RFC 6298 5.2, 5.3).
    //= https://www.rfc-editor.org/rfc/rfc6298#section-5
    //# The following is the RECOMMENDED algorithm for managing the retransmission timer
    #[inline]
    pub(super) fn restart_timer(&mut self, now: Nanos) {
        if self.board.is_empty() {
            //= https://www.rfc-editor.org/rfc/rfc6298#section-5
            //# When all outstanding data has been acknowledged, turn off the retransmission timer
            (self.timer, self.rto_at) = (Timer::Rto, NEVER);
            return;
        }
        //= https://www.rfc-editor.org/rfc/rfc6298#section-5
        //# a segment is never retransmitted too early, i.e., less than one RTO after the previous transmission of
        //# that segment
        //= https://www.rfc-editor.org/rfc/rfc6298#section-5
        //# When an ACK is received that acknowledges new data, restart the retransmission timer
        //= https://www.rfc-editor.org/rfc/rfc6928#section-9
        //# implementations MUST follow RFC 6298 [RFC6298] to restart the retransmission timer with the current value
        //# of RTO for each ACK received that acknowledges new data
        let rto_at = now + self.rtt.rto();
        //= https://www.rfc-editor.org/rfc/rfc8985#section-7.2
        //# The sender SHOULD start or restart a loss probe PTO timer after transmitting new data (that was not itself
        //# a loss probe) or upon receiving an ACK that cumulatively acknowledges new data
        if self.config.tlp && self.schedule_probe(now, rto_at) {
            return;
        }
        // Linux net/ipv4/tcp_input.c, tcp_rearm_rto: if another timer was running instead, the timeout counts from the
        // time at which the first outstanding segment was sent.
        if self.timer != Timer::Rto && self.rtt.is_linux() {
            self.fall_back_to_rto(now);
        } else {
            self.timer = Timer::Rto;
            self.rto_at = rto_at;
        }
    }

    /// Without SACK only the first partial acknowledgment restarts the timer (RFC 6582 section 3.2 step 3).
    pub(super) fn may_restart_timer(&mut self) -> bool {
        let episode = &mut self.rare.episode;
        //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
        //# For the first partial ACK that arrives during fast recovery, also reset the retransmit timer
        let restarts = self.phase != Phase::Fast || self.sack || !episode.partial;
        episode.partial = true;
        restarts
    }

    /// Replaces another timer by the retransmission timer, with the expiry that it would have without the other timer.
    pub(super) fn fall_back_to_rto(&mut self, now: Nanos) {
        self.timer = Timer::Rto;
        self.rto_at = self.board.first_sent_at().map_or(NEVER, |sent_at| (sent_at + self.rtt.rto()).max(now));
    }

    /// Starts the timer after new data was sent (RFC 6298 5.1; RFC 8985 section 7.2).
    #[inline]
    pub(super) fn on_new_data_sent(&mut self, now: Nanos) {
        //= https://www.rfc-editor.org/rfc/rfc6298#section-5
        //# if the timer is not running, start it running so that it will expire after RTO seconds
        if self.rto_at == NEVER {
            self.timer = Timer::Rto;
            self.rto_at = now + self.rtt.rto();
        }
        if self.config.tlp {
            let rto_at = self.board.first_sent_at().unwrap_or(now) + self.rtt.rto();
            //= https://www.rfc-editor.org/rfc/rfc8985#section-7.2
            //# The sender SHOULD start or restart a loss probe PTO timer after transmitting new data (that was not
            //# itself a loss probe) or upon receiving an ACK that cumulatively acknowledges new data
            if !self.schedule_probe(now, rto_at) && self.timer == Timer::Probe {
                self.fall_back_to_rto(now);
            }
        }
    }

    /// Starts the timer after a retransmission. Stacks restart a retransmission timer that belongs to the first segment
    /// (Linux net/ipv4/tcp_output.c, tcp_xmit_retransmit_queue; FreeBSD sys/netinet/tcp_input.c; ns-2 tcp/tcp.cc); RFC
    /// 6298 does not.
    pub(super) fn on_retransmission_sent(&mut self, now: Nanos, first: bool) {
        //= https://www.rfc-editor.org/rfc/rfc6298#section-5
        //= type=exception
        //= reason=The recommended algorithm itself does not restart a running timer for a retransmission, so that one
        //= may be followed by the timeout earlier. The setting `retransmit_restarts_timer`, on in the stacks of real
        //= systems, restarts it.
        //# a segment is never retransmitted too early, i.e., less than one RTO after the previous transmission of
        //# that segment
        //= https://www.rfc-editor.org/rfc/rfc6675#section-6
        //# a more careful variant that re-arms the RTO timer on each retransmission that is sent during recovery MAY
        //# be used
        if self.rto_at == NEVER || (first && self.retransmission_restarts() && self.timer != Timer::Reorder) {
            self.timer = Timer::Rto;
            self.rto_at = now + self.rtt.rto();
        }
    }
}
