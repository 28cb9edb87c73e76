//! FreeBSD's order of checks for arriving segments (sys/netinet: tcp_input.c, tcp_do_segment; tcp_syncache.c;
//! tcp_timewait.c, tcp_twcheck; tcp_subr.c, tcp_ctlinput_with_port), where it differs from that of RFC 9293.

use super::{Due, Endpoint, Progress, State, Uses, unwrap};
use crate::config::{Config, Conformance};
use crate::error::{Error, Icmp};
use crate::{Event, Flags, Nanos, Observer, SECOND, Segment};

/// Retransmissions after which a second soft error ends an attempt to connect (tcp_notify, syncache_unreach).
const SOFT_AFTER: u32 = 3;

/// Silence after which a closed window ends a connection: so many times the timeout (tcp_totbackoff), but no more than this
/// (TCPTV_KEEP_IDLE), and this much if the application has closed the connection (TCPTV_PERSMAX).
const SUM_OF_BACKOFFS: u64 = 2559;
const LONGEST_PERSIST: Nanos = 7200 * SECOND;
const LONGEST_CLOSED_PERSIST: Nanos = 60 * SECOND;

/// The place of a sequence number: in the window, and at its left edge.
struct Place {
    inside: bool,
    exact: bool,
}

impl Endpoint {
    /// Processes a segment in SYN-RECEIVED or later.
    #[inline(never)]
    pub(super) fn on_synchronised_freebsd<O: Observer>(
        &mut self,
        now: Nanos,
        segment: &Segment,
        progress: &mut Progress,
        obs: &mut O,
    ) {
        if self.state == State::TimeWait {
            return self.on_time_wait_freebsd(now, segment);
        }
        if self.state == State::SynReceived && !self.passes_syn_received(now, segment, obs) {
            return;
        }
        if self.has_taken_field() && self.uses_ecn() {
            self.take_field(segment);
        }
        if segment.flags.has(Flags::RST) {
            return self.on_reset_freebsd(now, segment, progress, obs);
        }
        let stamps = self.uses.has(Uses::TIMESTAMPS);
        if stamps && segment.timestamps.is_none() && !self.sender.config.missing_timestamps {
            return;
        }
        if segment.flags.has(Flags::SYN) && self.state != State::SynReceived {
            return self.on_syn_freebsd(now, segment, progress, obs);
        }
        if stamps && !self.passes_timestamps(now, segment) {
            return;
        }
        let mut segment = *segment;
        let mut again = if self.is_crossing() {
            match self.pass_crossing(&mut segment) {
                Some(again) => again,
                None => return,
            }
        } else {
            self.trim_to_first(&mut segment)
        };
        let (next, limit) = (self.receiver.next(), self.receiver.limit());
        if let Some(start) = unwrap(segment.seq.wrapping_sub(self.irs).wrapping_sub(1), next) {
            let end = start + u64::from(segment.len);
            if self.orphan && segment.len > 0 && end > next {
                // The application will not read this data, wherever it lies.
                self.refuse(&segment);
                return self.end(now, progress, obs);
            }
            let finished = self.receiver.finished();
            if segment.flags.has(Flags::FIN) && segment.len == 0 && start == limit && start > next {
                // A FIN has no part in the comparison with the window's edge; it waits for the data below.
                segment.flags = segment.flags.without(Flags::FIN);
                again |= !finished && segment.flags.has(Flags::ACK);
            }
            if self.acceptable(start, segment.seq_len()) {
                // D-SACK reports a part that had arrived before at once.
                again |= start < next && segment.len > 0 && self.sender.uses_sack();
                if !segment.flags.has(Flags::ACK) && again {
                    return self.receiver.owe_ack();
                }
                if finished {
                    // After the peer's FIN, payload is ignored.
                    (segment.len, segment.flags) = (0, segment.flags.without(Flags::FIN));
                }
            }
        }
        self.on_synchronised(now, &segment, progress, obs);
        if again && self.state != State::Closed {
            self.receiver.owe_ack();
        }
    }

    /// Whether the ECN field and the flags of a segment were processed before all checks, as FreeBSD does with every segment
    /// after the handshake (sys/netinet/tcp_input.c, tcp_do_segment).
    pub(super) fn has_taken_field(&self) -> bool {
        self.sender.config.conformance == Conformance::FreeBsd && self.state != State::SynReceived
    }

    /// Processes a SYN in a synchronised state: the place of its first sequence number counts, wherever its payload lies.
    fn on_syn_freebsd<O: Observer>(&mut self, now: Nanos, segment: &Segment, progress: &mut Progress, obs: &mut O) {
        if self.uses.has(Uses::ACCECN) && segment.flags.has(Flags::ACK) && segment.seq == self.irs {
            self.cold.acc.on_syn_ack(segment.ecn);
        }
        if self.sender.config.insecure_syn && self.place(segment).is_some_and(|place| place.inside) {
            self.reset(now);
            return self.fail(now, Error::Reset, progress, obs);
        }
        self.challenge(now);
    }

    /// Whether both ends have sent a SYN, and ours is not acknowledged.
    fn is_crossing(&self) -> bool {
        self.state == State::SynReceived && !self.cold.passive
    }

    /// The checks of a segment while both SYNs have crossed: each ACK that is due is the SYN-ACK again, because the flags of
    /// a segment follow from the state (tcp_output.c, tcp_default_output), and what comes without an ACK waits for the end
    /// of the handshake. Returns whether an ACK is due in any case, and `None` if the segment needs no further processing.
    fn pass_crossing(&mut self, segment: &mut Segment) -> Option<bool> {
        let first = self.irs.wrapping_add(1);
        let mut again = false;
        let mut below = first.wrapping_sub(segment.seq);
        if below.cast_signed() > 0 {
            if segment.flags.has(Flags::SYN) {
                (segment.seq, below) = (segment.seq.wrapping_add(1), below - 1);
            }
            if below > segment.len || below == segment.len && !segment.flags.has(Flags::FIN) {
                segment.flags = segment.flags.without(Flags::FIN);
                (below, again) = (segment.len, true);
            }
            again |= below > 0 && self.sender.uses_sack();
            (segment.seq, segment.len) = (segment.seq.wrapping_add(below), segment.len - below);
        }
        segment.flags = segment.flags.without(Flags::SYN);
        let window = self.receiver.limit() - self.receiver.next();
        let end = i64::from(segment.seq.wrapping_sub(first).cast_signed()) + i64::from(segment.len);
        let beyond = u64::try_from(end).unwrap_or(0).saturating_sub(window);
        let taken = beyond == 0 || beyond < u64::from(segment.len);
        if taken && beyond > 0 {
            segment.len -= beyond as u32;
            segment.flags = segment.flags.without(Flags::FIN.with(Flags::PSH));
        }
        if taken && segment.flags.has(Flags::ACK) {
            return Some(again);
        }
        if taken && segment.len > 0 && segment.seq == first {
            self.cold.early = segment.len;
        }
        let due = again || !taken || segment.len > 0 || segment.flags.has(Flags::FIN);
        self.due.set(Due::SYN, due || self.due.has(Due::SYN));
        None
    }

    /// Removes what lies at or below the sequence number of the peer's SYN. Returns whether anything was removed and
    /// something is left.
    fn trim_to_first(&self, segment: &mut Segment) -> bool {
        let first = self.irs.wrapping_add(1);
        let below = first.wrapping_sub(segment.seq);
        let is_below = unwrap(segment.seq.wrapping_sub(first), self.receiver.next()).is_none();
        let fin = segment.flags.has(Flags::FIN);
        if !is_below || segment.flags.has(Flags::SYN) || below > segment.len || below == segment.len && !fin {
            return false;
        }
        (segment.seq, segment.len) = (first, segment.len - below);
        true
    }

    /// Checks that come first in SYN-RECEIVED; returns false if the segment needs no further processing.
    fn passes_syn_received<O: Observer>(&mut self, now: Nanos, segment: &Segment, obs: &mut O) -> bool {
        let flags = segment.flags;
        if self.cold.passive && !self.cold.fast.accepted {
            return self.passes_syn_cache(now, segment, obs);
        }
        let acks_ours = segment.ack == self.wire(0) || self.cold.fast.accepted;
        let before = (segment.seq.wrapping_sub(self.irs) as i32) < 0;
        let refused = flags.has(Flags::ACK) && !acks_ours || before;
        if refused && !flags.has(Flags::RST) {
            self.refuse(segment);
            return false;
        }
        true
    }

    /// The checks of the SYN cache, which holds a connection until the handshake is complete.
    fn passes_syn_cache<O: Observer>(&mut self, now: Nanos, segment: &Segment, obs: &mut O) -> bool {
        let flags = segment.flags;
        let ahead = segment.seq.wrapping_sub(self.irs.wrapping_add(1));
        let window = u32::from(self.receiver.syn_window());
        if flags.has(Flags::RST) {
            // syncache_chkrst: other flags do not belong to a RST that answers a SYN-ACK.
            let bare = !flags.has(Flags::ACK) && !flags.has(Flags::SYN) && !flags.has(Flags::FIN);
            if bare && (ahead < window || window == 0 && ahead == 0) {
                if ahead == 0 || self.sender.config.insecure_rst {
                    self.relisten(now, obs);
                } else {
                    self.challenge(now);
                }
            }
            return false;
        }
        if flags.has(Flags::SYN) {
            if !flags.has(Flags::ACK) {
                // syncache_add: a duplicate SYN, wherever it begins, has the SYN-ACK sent again.
                self.take_syn_ecn_again(segment);
                let asks = flags.has(Flags::ECE.with(Flags::CWR));
                self.uses.set(Uses::CLASSIC_ECN, asks && self.uses.has(Uses::CLASSIC_ECN));
                self.due.set(Due::SYN, true);
            }
            return false;
        }
        if !flags.has(Flags::ACK) {
            return false;
        }
        // syncache_expand
        if segment.ack != self.wire(0) || ahead >= window.max(1) {
            self.refuse(segment);
            return false;
        }
        true
    }

    /// Whether the SYN cache holds the connection.
    pub(super) fn is_in_syn_cache(&self) -> bool {
        let cached = self.cold.passive && !self.cold.fast.accepted && self.state == State::SynReceived;
        cached && self.sender.config.conformance == Conformance::FreeBsd
    }

    /// Whether a connection whose peer's window stays closed is given up; `often` is whether the interval between probes no
    /// longer grows (sys/netinet/tcp_timer.c, tcp_timer_persist).
    pub(super) fn gives_up_window(&self, now: Nanos, often: bool) -> bool {
        let silent = now - self.last_ack;
        let patience = (SUM_OF_BACKOFFS * self.sender.rtt().without_slop()).min(LONGEST_PERSIST);
        often && silent >= patience || self.sender.is_closed() && silent >= LONGEST_CLOSED_PERSIST
    }

    /// A probe of a closed window: the next byte, which stays unsent as long as the peer does not acknowledge it
    /// (sys/netinet/tcp_output.c, tcp_default_output with TF_FORCEDATA).
    pub(super) fn window_probe<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Segment {
        let sent = self.sender.lend_byte();
        let mut segment = Segment::new(Flags::ACK);
        (segment.seq, segment.len) = (self.wire(sent.offset), sent.len);
        if self.sender.pushes(&sent) {
            segment.flags = segment.flags.with(Flags::PSH);
        }
        self.finish::<false>(now, &mut segment, false);
        obs.event(now, Event::Sent { segment: &segment, offset: sent.offset, retransmission: false });
        segment
    }

    /// Processes a RST. While an ACK is delayed, the peer's view of the window counts.
    fn on_reset_freebsd<O: Observer>(&mut self, now: Nanos, segment: &Segment, progress: &mut Progress, obs: &mut O) {
        if let Some(place) = self.place(segment)
            && (place.exact || place.inside)
        {
            self.on_reset(now, place.exact, progress, obs);
        }
    }

    /// The place of a segment's first sequence number in a window that begins at the last acknowledgment that was sent;
    /// `None` below the peer's SYN.
    fn place(&self, segment: &Segment) -> Option<Place> {
        let next = self.receiver.next();
        let acknowledged = next - self.receiver.unacked();
        let window = self.receiver.limit().saturating_sub(next);
        let start = unwrap(segment.seq.wrapping_sub(self.irs).wrapping_sub(1), next)?;
        let inside = (acknowledged..acknowledged + window).contains(&start);
        Some(Place { inside, exact: start == acknowledged })
    }

    /// Processes a segment in TIME-WAIT (tcp_twcheck). A SYN that ends TIME-WAIT is not passed to the connection (see
    /// [`Endpoint::gives_way_to`]).
    fn on_time_wait_freebsd(&mut self, now: Nanos, segment: &Segment) {
        let flags = segment.flags;
        let tolerant = self.sender.config.missing_timestamps || !self.uses.has(Uses::TIMESTAMPS);
        let stamped = segment.timestamps.is_some() || tolerant;
        if flags.has(Flags::RST) || !flags.has(Flags::ACK) || !stamped {
            return;
        }
        let next = self.receive_next();
        if flags.has(Flags::FIN) && segment.seq.wrapping_add(segment.seq_len()) == next {
            self.linger(now, self.sender.config.time_wait);
        }
        let repeats = flags == Flags::ACK
            && segment.len == 0
            && segment.seq == next
            && segment.ack == self.wire(self.sender.nxt());
        if !repeats {
            self.receiver.owe_ack();
        }
    }

    /// Processes an ICMP message other than one about the path MTU. A hard error ends an attempt to connect before any
    /// SYN has arrived; other errors are kept, and the second one after several retransmissions ends an attempt.
    pub(super) fn on_icmp_freebsd<O: Observer>(
        &mut self,
        now: Nanos,
        message: Icmp,
        progress: &mut Progress,
        obs: &mut O,
    ) {
        // icmp_errmap
        let error = match message {
            Icmp::ProtocolUnreachable | Icmp::PortUnreachable => Error::Refused,
            Icmp::ParameterProblem => Error::ProtocolUnreachable,
            _ => Error::HostUnreachable,
        };
        let hard = error == Error::Refused || message == Icmp::TimeExceeded;
        let repeated = self.cold.soft_error.is_some() && self.cold.syn_retries > SOFT_AFTER;
        match self.state {
            State::SynSent if hard && self.sender.config.icmp_may_rst => self.fail(now, error, progress, obs),
            State::SynReceived if self.cold.passive && repeated => self.relisten(now, obs),
            // Messages that may reset a connection concern SYN-SENT alone (tcp_drop_syn_sent).
            _ if hard && self.sender.config.icmp_may_rst => {}
            State::SynSent => match repeated {
                true => self.fail(now, error, progress, obs),
                false => self.cold.soft_error = Some(error),
            },
            // tcp_notify and tcp_drop: the peer's SYN has arrived, and it is told.
            State::SynReceived if !self.cold.passive && repeated => {
                self.reset(now);
                self.fail(now, error, progress, obs);
            }
            State::Established if error == Error::HostUnreachable => {}
            _ => self.cold.soft_error = Some(error),
        }
    }

    /// Applies settings that FreeBSD reads for every segment, so that a change concerns existing connections, too.
    pub fn set_rules(&mut self, config: &Config) {
        let own = self.sender.config_mut();
        (own.insecure_rst, own.insecure_syn) = (config.insecure_rst, config.insecure_syn);
        (own.drop_synfin, own.icmp_may_rst) = (config.drop_synfin, config.icmp_may_rst);
        own.missing_timestamps = config.missing_timestamps;
        (own.ecn_syn_retries, own.plain_syn_after) = (config.ecn_syn_retries, config.plain_syn_after);
        own.time_wait = config.time_wait;
    }
}
