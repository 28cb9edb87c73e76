//! The choice of the next segment to send.

use super::episode::Phase;
use super::frto::Frto;
use super::nagle::Output;
use super::{Sender, Transmission};
use crate::config::{Conformance, CwrRule, Restart};
use crate::limits::{Limit, Limits};
use crate::recovery::Recovery;
use crate::validation::Sent;
use crate::{NEVER, Nanos, Observer};

impl Sender {
    /// Returns the next segment that may be sent at `now` and records it as sent. `overhead` is the size of the headers
    /// on the wire, bytes, for the pacer.
    #[inline(always)]
    pub fn poll<O: Observer>(&mut self, now: Nanos, overhead: u64, obs: &mut O) -> Option<Transmission> {
        self.pacing = false;
        if self.nxt >= self.end() && self.phase == Phase::Open && !self.probe_due {
            return None;
        }
        if self.pacer.blocks(now) {
            self.pacing = true;
            return None;
        }
        let empty = self.una == self.nxt;
        let sent = if self.phase == Phase::Open && !self.probe_due {
            self.new_data(now, self.open_allowance(), obs)
        } else {
            self.poll_rarely(now, obs)
        };
        let Some(sent) = sent else {
            self.end_output();
            return None;
        };
        if empty && self.pacer.is_after_idle() {
            self.pacer.begin_burst(&self.window, self.rtt.srtt());
        }
        let rate = self.pacer.rate(&self.window, self.rtt.srtt());
        self.pacer.on_sent(now, (u64::from(sent.len), overhead), rate, self.mss, self.rtt.min());
        self.last_sent = now;
        self.enter_host(sent.len);
        if matches!(self.phase, Phase::Fast | Phase::Cwr) {
            let bytes = self.counted_length(u64::from(sent.len) + u64::from(sent.fin));
            //= https://www.rfc-editor.org/rfc/rfc6937#section-3
            //# prr_out += (data sent)
            //= https://www.rfc-editor.org/rfc/rfc9937#section-6.3
            //# prr_out += (data sent)
            self.rare.reduction.on_sent(bytes, self.mss);
        }
        if self.tells_sent {
            self.tell_sent(now, &sent);
        }
        Some(sent)
    }

    /// Whether [`Sender::poll`] would find nothing to send and change nothing: so it is with an end that only receives.
    #[inline(always)]
    pub fn is_silent(&self) -> bool {
        let has_more = self.nxt < self.end() || self.writing || self.probe_due || self.phase != Phase::Open;
        !has_more && !self.pacing && self.limits.is_none()
    }

    /// Returns the next segment while losses are repaired or the window is reduced. This function, and the code it
    /// shares with the common case, are separate to keep the common case small.
    #[inline(never)]
    fn poll_rarely<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Option<Transmission> {
        match self.phase {
            _ if self.probe_due => self.send_probe(now, obs),
            Phase::Open | Phase::Cwr => self.new_data_rarely(now, self.window.cwnd, obs),
            //= https://www.rfc-editor.org/rfc/rfc6675#section-5
            //# The scoreboard MUST be queried via NextSeg () for the sequence number range of the next segment to
            //# transmit (if any), and the given segment sent
            Phase::Fast => self.poll_fast(now, obs),
            Phase::Loss => self.poll_loss(now, obs),
        }
    }

    #[inline(never)]
    pub(super) fn new_data_rarely<O: Observer>(
        &mut self,
        now: Nanos,
        allowance: u64,
        obs: &mut O,
    ) -> Option<Transmission> {
        self.new_data(now, allowance, obs)
    }

    /// Takes note of what limits the sender, after nothing more could be sent, if that is asked for.
    #[inline]
    pub fn note_limit(&mut self, now: Nanos) {
        if self.limits.is_some() {
            self.note_limit_now(now);
        }
    }

    #[inline(never)]
    fn note_limit_now(&mut self, now: Nanos) {
        let unsent = self.end().saturating_sub(self.nxt);
        let open = self.window_edge.saturating_sub(self.nxt);
        let next = self.within_record(self.nxt, unsent.min(self.mss));
        let limit = if unsent == 0 {
            match self.waits_for_room() {
                true => Limit::SendBuffer,
                false if self.una < self.nxt => Limit::Application,
                false => Limit::Idle,
            }
        } else if self.pacing {
            Limit::Pacing
        } else if next > open {
            Limit::ReceiveWindow
        } else if next < self.mss
            && self.network_load() + next <= self.window.cwnd
            && self.waits_to_fill(next == unsent)
        {
            Limit::Application
        } else {
            Limit::CongestionWindow
        };
        if let Some(limits) = &mut self.limits {
            limits.note(now, limit);
        }
    }

    /// The time spent with each limit, if it is noted.
    pub fn limits(&self) -> Option<&Limits> {
        self.limits.as_deref()
    }

    /// Reserves `bytes` of the payload of the next new segment for options.
    #[inline]
    pub fn reserve(&mut self, bytes: u32) {
        self.reserved = u64::from(bytes).min(self.mss - 1);
    }

    /// Time at which the pacer releases the next segment, if the pacer delayed the last [`Sender::poll`].
    #[inline]
    pub fn paced_until(&self) -> Nanos {
        if self.pacing { self.pacer.release_time() } else { NEVER }
    }

    /// Volume that counts against the window, bytes: pipe, less the volume told by duplicate ACKs where RFC 9937
    /// section 6.2 asks for that. It is FlightSize in two cases: where duplicate ACKs inflate the window for segments
    /// that have left the network, and where the first duplicate ACKs must not release new data (RFC 3042).
    //= https://www.rfc-editor.org/rfc/rfc6675#section-5
    //# The TCP MAY transmit previously unsent data segments as per Limited Transmit [RFC5681]
    #[inline]
    pub(super) fn network_load(&self) -> u64 {
        match self.phase {
            Phase::Open if !self.limited_transmit => self.outstanding(),
            Phase::Fast if !self.sack && self.rare.reduction.is_gradual() => {
                //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
                //# senders MUST subtract out: min(RecoverFS, 1 SMSS for each preceding duplicate ACK in the fast
                //# recovery episode)
                self.pipe().saturating_sub(self.rare.reduction.told_by_duplicates())
            }
            Phase::Fast if !self.sack => self.outstanding(),
            _ => self.pipe(),
        }
    }

    /// The window outside recovery. Without SACK each of the first two duplicate ACKs allows one more segment (limited
    /// transmit, RFC 3042); with SACK, pipe shrinks by itself (RFC 6675 section 5 step 3).
    #[inline]
    fn open_allowance(&self) -> u64 {
        let limited_transmit =
            //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
            //# a sender using SACK [RFC2018] MUST NOT send new data unless the incoming duplicate acknowledgment
            //# contains new SACK information
            if self.sack || !self.limited_transmit { 0 } else { u64::from(self.dup_acks.min(2)) * self.mss };
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
        //# On the first and second duplicate ACKs received at a sender, a TCP SHOULD send a segment of previously
        //# unsent data per [RFC3042]
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
        //# the TCP sender MUST NOT change cwnd to reflect these two segments
        self.window.cwnd + limited_transmit
    }

    fn fast_allowance(&self) -> u64 {
        let inflates = !self.sack && !self.rare.reduction.is_gradual();
        let inflation = if inflates { self.rare.episode.inflation } else { 0 };
        self.window.cwnd.saturating_add_signed(inflation)
    }

    /// Returns the next segment in fast recovery: lost segments first, then new data, then other retransmissions
    /// (NextSeg, RFC 6675 section 4).
    //= https://www.rfc-editor.org/rfc/rfc6675#section-4
    //# NextSeg () MUST return the sequence number range of the next segment that is to be transmitted
    fn poll_fast<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Option<Transmission> {
        if self.rare.reduction.rule() == Recovery::Ns2Sack && self.sack {
            return self.poll_sack1(now, obs);
        }
        let allowance = self.fast_allowance();
        //= https://www.rfc-editor.org/rfc/rfc5681#section-4.3
        //# the number of segments transmitted in each RTT MUST be no more than half the number of outstanding
        //# segments when the loss was detected
        //= https://www.rfc-editor.org/rfc/rfc6675#section-5
        //# If cwnd - pipe >= 1 SMSS, the sender SHOULD transmit one or more segments as follows
        //= https://www.rfc-editor.org/rfc/rfc9937#section-3
        //# a connection MUST NOT send data if inflight (see below) matches or exceeds cwnd
        let room = self.network_load() + self.mss <= allowance;
        let owed = self.rare.episode.owed;
        //= https://www.rfc-editor.org/rfc/rfc6675#section-4
        //# NextSeg () MUST indicate failure, and no segment is returned
        //= https://www.rfc-editor.org/rfc/rfc8985#section-9.3
        //# A segment marked as lost by RACK-TLP MUST NOT be retransmitted until congestion control deems this
        //# appropriate
        if !owed && !room {
            return None;
        }
        // Rule 1. Without SACK the lost segment is the hole that a partial acknowledgment shows; its retransmission is
        // owed.
        if !self.rare.episode.held
            && let Some(segment) = self.board.next_lost()
        {
            // tcp_xmit_retransmit_queue.
            if self.host_is_full(self.mss, 2) {
                return None;
            }
            return Some(self.retransmit(now, segment));
        }
        if !room {
            return None;
        }
        // Rule 2.
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
        //# a TCP SHOULD send 1*SMSS bytes of previously unsent data
        //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
        //# Send a new segment if permitted by the new value of cwnd
        //= https://www.rfc-editor.org/rfc/rfc6675#section-4
        //# the sequence range of one segment of up to SMSS octets of previously unsent data starting with sequence
        //# number HighData+1 MUST be returned
        if let Some(sent) = self.new_data_rarely(now, allowance, obs) {
            return Some(sent);
        }
        // With RACK, losses are detected by time: RFC 6675 is not to be used with RACK (RFC 8985 section 9.2).
        //= https://www.rfc-editor.org/rfc/rfc8985#section-9.2
        //# the algorithm [RFC6675] MUST NOT be used with RACK-TLP
        let own = matches!(self.rare.reduction.rule(), Recovery::RateHalving | Recovery::FreeBsd | Recovery::Ns2Linux);
        if !self.sack || self.config.rack || own {
            return None;
        }
        // Rule 3.
        //= https://www.rfc-editor.org/rfc/rfc6675#section-4
        //# then one segment of up to SMSS octets starting with S3 SHOULD be returned
        if let Some(segment) = self.board.next_unsacked(self.rare.episode.high_rxt) {
            return Some(self.retransmit(now, segment));
        }
        // Rule 4.
        if self.may_rescue()
            && let Some(segment) = self.board.rescue()
        {
            let (start, len) = self.cut_to_size(segment);
            // "HighRxt MUST NOT be updated": rules 1 and 3 still find later losses, and SetPipe does not count the
            // rescue.
            //= https://www.rfc-editor.org/rfc/rfc6675#section-4
            //# HighRxt MUST NOT be updated
            self.board.on_extra_copy(start, now);
            self.rare.episode.rescue_rxt = self.rare.episode.point;
            return Some(self.resend(now, start, len));
        }
        None
    }

    /// Whether a rescue retransmission is allowed. RFC 6675 section 4, rule 4: "a single "rescue" retransmission per
    /// entry into loss recovery", allowed where "HighACK is greater than RescueRxt".
    fn may_rescue(&self) -> bool {
        self.config.rescue && self.una > self.rare.episode.rescue_rxt
    }

    /// Returns the next segment after a timeout: retransmissions in order, as slow start allows, then new data.
    fn poll_loss<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Option<Transmission> {
        let allowance = self.window.cwnd + self.limited_retransmit();
        if self.pipe() + self.mss > allowance && self.pipe() > 0 {
            self.limited_until = self.nxt;
            return None;
        }
        if self.rare.episode.frto == Frto::SecondAck {
            let sent = self.new_data_rarely(now, self.window.cwnd, obs);
            if sent.is_some() || self.nxt > self.rare.episode.point {
                return sent;
            }
            self.rare.episode.frto = Frto::Off;
        }
        //= https://www.rfc-editor.org/rfc/rfc6298#section-5
        //# Retransmit the earliest segment that has not been acknowledged by the TCP receiver
        //= https://www.rfc-editor.org/rfc/rfc6675#section-5.1
        //# a TCP sender SHOULD use this SACK information when determining what data should be sent in each segment
        //# following an RTO
        match self.board.next_lost() {
            Some(_) if self.host_is_full(self.mss, 2) => None,
            Some(segment) => Some(self.retransmit(now, segment)),
            None => self.new_data_rarely(now, allowance, obs),
        }
    }

    //= https://www.rfc-editor.org/rfc/rfc7323#section-2.4
    //# do normal retransmission(s) without regard to the receiver window as long as the original segment was in
    //# window when it was sent
    //= https://www.rfc-editor.org/rfc/rfc7323#section-2.4
    //= type=exception
    //= reason=No retransmission looks at the window, not the second either. It matters only where a peer takes back
    //= more than it offered.
    //# Subsequent retransmissions MAY only be sent if they are within the window announced by the most recent <ACK>
    pub(super) fn retransmit(&mut self, now: Nanos, segment: (u64, u32)) -> Transmission {
        let (start, len) = self.cut_to_size(segment);
        self.board.on_retransmit(start, now);
        let rare = &mut *self.rare;
        rare.episode.owed = false;
        //= https://www.rfc-editor.org/rfc/rfc6675#section-5
        //# HighRxt MUST be set to the highest sequence number of the retransmitted segment unless NextSeg () rule (4)
        //# was invoked for this retransmission
        rare.episode.high_rxt = rare.episode.high_rxt.max(start + u64::from(len));
        if rare.reduction.rule() == Recovery::Ns2Linux {
            rare.forward.on_retransmit(start, self.nxt);
        }
        if self.config.rack {
            rare.rack.on_retransmit(start, now);
        }
        self.resend(now, start, len)
    }

    /// Counts and makes a retransmission.
    fn resend(&mut self, now: Nanos, start: u64, len: u32) -> Transmission {
        self.rare.undo.on_retransmit(now);
        self.stats.retransmits += 1;
        self.on_retransmission_sent(now, start == self.una);
        let cwr = self.cwr_due && self.config.cwr_rule == CwrRule::AnyData;
        self.cwr_due &= !cwr;
        Transmission { cwr, ..self.transmission(start, len, true) }
    }

    pub(super) fn transmission(&self, offset: u64, len: u32, retransmission: bool) -> Transmission {
        let fin = offset + u64::from(len) > self.written;
        Transmission { offset, len: len - u32::from(fin), fin, retransmission, cwr: false }
    }

    /// Returns the next new segment, if the application, the peer's window and `allowance` permit one.
    // The function is inline so that its result stays in registers: writing the result to memory field by field and
    // reading it back as a whole stalls the processor.
    #[inline(always)]
    fn new_data<O: Observer>(&mut self, now: Nanos, allowance: u64, obs: &mut O) -> Option<Transmission> {
        let end = self.end();
        if self.nxt >= end {
            return None;
        }
        let idle = self.board.is_empty();
        let mss = self.mss - self.reserved;
        let unsent = self.unsent();
        let mut len = self.within_record(self.nxt, unsent.min(mss));
        //= https://www.rfc-editor.org/rfc/rfc5681#section-2
        //# a TCP MUST NOT send data with a sequence number higher than the sum of the highest acknowledged sequence
        //# number and the minimum of cwnd and rwnd
        //= https://www.rfc-editor.org/rfc/rfc7323#section-2.4
        //# Implementations MUST ensure that they handle a shrinking window
        //= https://www.rfc-editor.org/rfc/rfc7323#section-2.4
        //# The initial transmission MUST be within the window announced by the most recent <ACK>
        //= https://www.rfc-editor.org/rfc/rfc9937#section-3
        //# a connection MUST NOT send data with a sequence number higher than the sum of SND.UNA and rwnd
        let open = self.window_edge.saturating_sub(self.nxt);
        if len > open {
            len = self.through_window(now, open);
            if len == 0 {
                return None;
            }
        } else if len < mss && self.waits_to_fill(len == unsent) {
            return None;
        }
        let mut fin = self.closed && self.nxt + len == self.written;
        if fin && len >= open {
            fin = self.fin_leaves(now);
            if !fin && (len == 0 || self.has_packets() && !self.small.overridden) {
                return None;
            }
        }
        let allowance = if idle {
            self.resume(now, obs);
            self.open_allowance()
        } else {
            allowance
        };
        let load = self.network_load();
        //= https://www.rfc-editor.org/rfc/rfc5681#section-2
        //# a TCP MUST NOT send data with a sequence number higher than the sum of the highest acknowledged sequence
        //# number and the minimum of cwnd and rwnd
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3
        //# MUST NOT send data when the value of cwnd computed by the following algorithms would not allow the data to
        //# be sent
        //= https://www.rfc-editor.org/rfc/rfc9937#section-3
        //# a connection MUST NOT send data if inflight (see below) matches or exceeds cwnd
        if load + len > allowance && load > 0 {
            self.limited_until = self.nxt;
            return None;
        }
        if !self.packet_leaves(now, load, allowance) {
            return None;
        }
        if !idle && self.before_sending {
            let ctx = self.context(now);
            self.validation.before_send(&mut self.window, &ctx, 0);
        }
        let offset = self.nxt;
        let seq_len = len as u32 + u32::from(fin);
        self.board.push(offset, seq_len, now);
        self.nxt += u64::from(seq_len);
        if len < mss {
            self.small.last = offset + len;
            self.small.overridden = false;
        }
        let limited = self.nxt < end && load + self.counted_length(len) + self.mss > allowance;
        if limited {
            self.limited_until = self.nxt;
        }
        if self.watches_sending {
            self.tell_validation(now, limited);
        }
        if self.careful.is_some() {
            let ctx = self.context(now);
            self.with_careful(|careful, window, delivered| careful.on_sent(window, &ctx, delivered));
        }
        self.on_new_data_sent(now);
        if self.writing && self.offload.is_between_packets() {
            self.check_space();
        }
        // RFC 3168 section 6.1.2: the first new data after a reduction carries CWR.
        let cwr = std::mem::take(&mut self.cwr_due);
        Some(Transmission { offset, len: len as u32, fin, retransmission: false, cwr })
    }

    /// Tells the window validation that new data was sent.
    #[inline(always)]
    fn tell_validation(&mut self, now: Nanos, limited: bool) {
        let (flight_size, pipe) = (self.outstanding(), self.pipe());
        let sent = Sent { now, mss: self.mss, snd_una: self.una, snd_nxt: self.nxt, flight_size, pipe };
        if !self.validation.on_sent_briefly(&self.window, &sent) {
            self.tell_validation_all(now, limited);
        }
    }

    #[inline(never)]
    fn tell_validation_all(&mut self, now: Nanos, limited: bool) {
        let ctx = self.context(now);
        self.validation.on_sent(&mut self.window, &ctx, limited);
    }

    /// Whether a FIN leaves although the peer's window has no room for it. FreeBSD does not ask (tcp_output.c,
    /// tcp_default_output), and Linux asks about the first segment of a packet alone (tcp_snd_wnd_test).
    fn fin_leaves(&self, now: Nanos) -> bool {
        self.config.conformance == Conformance::FreeBsd || self.goes_on(now)
    }

    /// Applies restart after idle and window validation when sending resumes with nothing outstanding.
    #[inline(never)]
    fn resume<O: Observer>(&mut self, now: Nanos, obs: &mut O) {
        if self.small.output == Output::Busy {
            self.small.output = Output::Idle;
        }
        let idle = now - self.last_sent;
        let ctx = self.context(now);
        self.cc.on_idle_end(&mut self.window, &ctx, idle);
        self.validation.before_send(&mut self.window, &ctx, idle);
        // RFC 5681 section 4.1: nothing was sent for longer than the retransmission timeout.
        // ns-2's timer runs on after the last ACK, and its expiry is the restart (tcp/tcp.cc, newtimer and timeout).
        let from_arrival = self.rtt.is_ns2() || self.restart == Restart::FreeBsd10;
        let quiet = if from_arrival { now - self.last_acked.max(self.last_sent) } else { idle };
        if quiet > self.rtt.rto() && self.nxt > 0 {
            //= https://www.rfc-editor.org/rfc/rfc6928#section-2
            //# a TCP MAY set the restart window to the minimum of the value used for the initial window and the
            //# current value of cwnd
            //= https://www.rfc-editor.org/rfc/rfc6928#section-2
            //= type=exception
            //= reason=Losses in the initial window are not remembered. Linux does not remember them either.
            //# implementations SHOULD fall back to RFC 3390 for the restart window (RW) if any packet loss is
            //# detected during either the initial window or a restart window
            let restart_window = self.initial_window.min(self.window.cwnd);
            match self.restart {
                Restart::Off => {}
                //= https://www.rfc-editor.org/rfc/rfc5681#section-4.1
                //# a TCP SHOULD set cwnd to no more than RW before beginning transmission if the TCP has not sent
                //# data in an interval exceeding the retransmission timeout
                Restart::Rfc5681 => self.window.cwnd = restart_window,
                Restart::LowersSsthresh => {
                    self.window.cwnd = restart_window;
                    self.window.ssthresh = restart_window;
                }
                Restart::RaisesSsthresh => {
                    self.window.cwnd = restart_window;
                    self.window.ssthresh = u64::MAX;
                }
                Restart::OneSegment => self.window.cwnd = self.mss,
                Restart::FreeBsd => {
                    self.window.ssthresh = self.window.ssthresh.max(self.window.cwnd - self.window.cwnd / 4);
                    self.window.cwnd = restart_window;
                }
                Restart::FreeBsd10 => self.window.cwnd = self.window.cwnd.min(rfc3390_window(self.mss)),
            }
        }
        self.observe_window(now, obs);
    }
}

/// The initial window of RFC 3390 section 1, bytes.
fn rfc3390_window(mss: u64) -> u64 {
    (4 * mss).min((2 * mss).max(4380))
}
