//! The three-way handshake (RFC 9293 section 3.5): active, passive and simultaneous open.

use super::ecn::with_bits;
use super::timestamps::Stamps;
use super::{Due, Endpoint, Progress, State, Uses};
use crate::config::{Conformance, EcnMode, WindowRule};
use crate::receiver::window_scale;
use crate::segment::STAMPS_LEN;
use crate::{CongestionHeader, Error, Event, Feedback, Flags, MILLISECOND, NEVER, Nanos, Observer, Segment};

/// The MSS of a peer that offers none (RFC 9293 section 3.7.1), bytes.
const DEFAULT_MSS: u32 = 536;
/// The least MSS that FreeBSD takes from a peer (sys/netinet/tcp_input.c, tcp_mss_update; net.inet.tcp.minmss), bytes.
const LEAST_MSS: u32 = 216;
/// Time to the repetition of a SYN after a reset of an old connection, ns (TCP_TIMEOUT_MIN).
const SOON: Nanos = 2 * MILLISECOND;

impl Endpoint {
    /// Establishes the connection without a handshake: the peer has our configuration and does the same.
    pub(super) fn begin_established(&mut self, now: Nanos) {
        (self.iss, self.irs) = (0, 0);
        (self.wl1, self.wl2) = (0, 0);
        let cold = &mut self.cold;
        let config = &self.sender.config;
        cold.peer_mss = config.mss;
        cold.peer_sack = config.sack;
        cold.peer_scales = config.window_scaling;
        cold.peer_stamps = config.timestamps;
        cold.peer_xcp = self.sender.asks_routers();
        self.peer_scale = if config.window_scaling { offered_scale(config) } else { 0 };
        let ecn = matches!(config.ecn, EcnMode::Classic | EcnMode::Dctcp);
        // No SYN has brought the peer's clock, so both ends' clocks are the time.
        self.stamps = Stamps::new(0);
        self.stamps.set(now, self.stamps.val(now));
        self.stamps.last_ack = self.irs.wrapping_add(1);
        self.sender.set_window_edge(config.receive_buffer);
        self.agree(now);
        if ecn {
            self.use_ecn(Uses::CLASSIC_ECN);
        }
        self.open_sender(now, 0);
        self.cold.timers.on_established(now);
        self.state = State::Established;
    }

    /// Processes a segment in LISTEN (RFC 9293 section 3.10.7.2).
    pub(super) fn on_listen<O: Observer>(
        &mut self,
        now: Nanos,
        segment: &Segment,
        progress: &mut Progress,
        obs: &mut O,
    ) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        if segment.flags.has(Flags::ACK) {
            let ignored = segment.flags.has(Flags::SYN) && self.sender.config.conformance == Conformance::FreeBsd;
            if !ignored {
                self.refuse(segment);
            }
        } else if segment.flags.has(Flags::SYN) {
            if segment.flags.has(Flags::FIN) && self.sender.config.conformance == Conformance::Linux {
                // net/ipv4/tcp_input.c, tcp_rcv_state_process
                return;
            }
            self.take_syn(now, segment);
            self.take_syn_ecn(segment);
            if self.accept_fast_open(now, segment, progress, obs) {
                return;
            }
            self.due.set(Due::SYN, true);
            self.enter(now, State::SynReceived, obs);
        }
    }

    /// Processes a segment in SYN-SENT (RFC 9293 section 3.10.7.3).
    pub(super) fn on_syn_sent<O: Observer>(
        &mut self,
        now: Nanos,
        segment: &Segment,
        progress: &mut Progress,
        obs: &mut O,
    ) {
        let acked = self.acked_with_syn(segment);
        let acks_ours = acked.is_some();
        if segment.flags.has(Flags::ACK) && !acks_ours {
            if self.cold.syn_retries == 0 && self.sender.config.conformance == Conformance::Linux {
                // The peer has an old connection, which the reset ends: the first SYN leaves again at once
                // (net/ipv4/tcp_input.c, tcp_rcv_synsent_state_process).
                self.cold.timers.syn = self.cold.timers.syn.min(now + SOON);
                self.retime();
            }
            self.refuse(segment);
            return;
        }
        if acks_ours && self.echoes_strangely(now, segment) {
            self.refuse(segment);
            return;
        }
        if segment.flags.has(Flags::RST) {
            if acks_ours {
                self.fail(now, Error::Refused, progress, obs);
            }
            return;
        }
        if !segment.flags.has(Flags::SYN) {
            return;
        }
        self.take_syn(now, segment);
        self.open_window();
        if let Some(acked) = acked {
            self.take_syn_ack_ecn(segment);
            self.take_fast_open_answer(segment, acked, progress);
            self.establish(now, segment, progress, obs);
            // What the peer did not take of the SYN's data leaves again at once (tcp_rcv_fastopen_synack).
            let bare = !self.sender.config.handshake_data && self.cold.fast.left() == 0;
            self.acknowledge_syn_ack(now, bare);
            self.follow_fast_open(now, segment, progress, obs);
        } else {
            // Simultaneous open.
            self.take_syn_ecn(segment);
            self.queue_early(segment);
            self.due.set(Due::SYN, true);
            self.enter(now, State::SynReceived, obs);
        }
    }

    /// Whether Linux refuses an answer to our SYN because it echoes a timestamp that no SYN had (net/ipv4/tcp_input.c,
    /// tcp_rcv_synsent_state_process).
    fn echoes_strangely(&self, now: Nanos, segment: &Segment) -> bool {
        let config = &self.sender.config;
        let echo = segment.timestamps.map_or(0, |stamps| stamps.ecr);
        if echo == 0 || !config.timestamps || config.conformance != Conformance::Linux {
            return false;
        }
        let first = self.cold.syn_stamp;
        echo.wrapping_sub(first) > self.stamps.val(now).wrapping_sub(first)
    }

    fn take_syn(&mut self, now: Nanos, segment: &Segment) {
        self.irs = segment.seq;
        (self.wl1, self.wl2) = (segment.seq, self.iss);
        //= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
        //# (i.e., a <SYN> or <SYN,ACK>) MUST NOT be scaled
        self.sender.set_window_edge(u64::from(segment.window));
        let cold = &mut self.cold;
        // The segment size counts even without options of our own (FreeBSD sys/netinet/tcp_input.c, tcp_do_segment).
        let least = if self.sender.config.conformance == Conformance::FreeBsd { LEAST_MSS } else { 0 };
        cold.peer_mss = if segment.mss != 0 { u32::from(segment.mss).max(least) } else { DEFAULT_MSS };
        cold.peer_sack = segment.sack_permitted;
        cold.peer_scales = segment.window_scale != Segment::NO_OPTION && self.sender.config.window_scaling;
        cold.peer_stamps = segment.timestamps.is_some();
        cold.peer_xcp = segment.xcp().is_some();
        if let Some(stamps) = segment.timestamps {
            //= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
            //# When the ACK bit is not set, the receiver MUST ignore the value of the TSecr field
            self.stamps.set(now, stamps.val);
        }
        //= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
        //# A Window Scale option in a segment without a SYN bit MUST be ignored
        //= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
        //# a TCP MUST set Snd.Wind.Shift to S and MUST set Rcv.Wind.Shift to R
        //= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
        //# the TCP SHOULD log the error but MUST use 14 instead of the specified value
        self.peer_scale = if cold.peer_scales { segment.window_scale.min(14) } else { 0 };
    }

    /// Adapts the receive buffer to the segment size, once both ends have stated theirs.
    fn open_window(&mut self) {
        let mss = self.sender.config.mss.min(self.cold.peer_mss);
        self.receiver.open(u64::from(mss));
    }

    /// Establishes the connection: `segment` completes the handshake.
    pub(super) fn establish<O: Observer>(
        &mut self,
        now: Nanos,
        segment: &Segment,
        progress: &mut Progress,
        obs: &mut O,
    ) {
        let early = self.cold.fast.accepted;
        if !early {
            self.agree(now);
        }
        self.cold.timers.syn = NEVER;
        self.due.set(Due::SYN, false);
        self.sample_handshake(now, segment);
        if !early {
            let cold = &self.cold;
            if cold.passive && self.sender.config.conformance == Conformance::Linux {
                // net/ipv4/tcp_minisocks.c, tcp_check_req and tcp_create_openreq_child: that of the SYN does not count.
                self.sender.set_largest_window(u64::from(segment.window) << self.peer_scale);
            }
            let stamps = segment.timestamps.filter(|_| self.uses.has(Uses::TIMESTAMPS));
            let echoes_first = stamps.is_some_and(|stamps| stamps.ecr == cold.syn_stamp);
            let spurious = self.sender.config.syn_losses.forgives_spurious && echoes_first;
            self.open_sender(now, if spurious { 0 } else { cold.syn_retries });
        }
        self.cold.timers.on_established(now);
        self.end_user_timeout();
        progress.add(Progress::CONNECTED);
        self.enter(now, State::Established, obs);
        if self.cold.early > 0 || self.cold.early_fin {
            self.take_early(now, progress, obs);
        }
    }

    /// Keeps the payload and the FIN of a SYN that does not acknowledge ours (RFC 9293 section 3.10.7.3, fifth step).
    /// Linux drops both, and FreeBSD the FIN (sys/netinet/tcp_reass.c, tcp_reass).
    fn queue_early(&mut self, segment: &Segment) {
        let conformance = self.sender.config.conformance;
        if conformance != Conformance::Linux {
            self.cold.early = segment.len;
            self.cold.early_fin = segment.flags.has(Flags::FIN) && conformance == Conformance::Rfc;
        }
    }

    /// Processes what [`Endpoint::queue_early`] has kept.
    #[inline(never)]
    fn take_early<O: Observer>(&mut self, now: Nanos, progress: &mut Progress, obs: &mut O) {
        let mut segment = Segment::new(Flags::ACK);
        segment.seq = self.irs.wrapping_add(1);
        (segment.len, self.cold.early) = (self.cold.early, 0);
        if std::mem::take(&mut self.cold.early_fin) {
            segment.flags = segment.flags.with(Flags::FIN);
        }
        self.take_payload(now, &segment, 0, progress, obs);
        if self.sender.config.conformance == Conformance::FreeBsd {
            // sys/netinet/tcp_input.c, tcp_do_segment: the queued data is passed on and causes no ACK.
            self.receiver.stop();
        }
    }

    /// Puts the features that both ends offer into use, once both SYNs are known.
    pub(super) fn agree(&mut self, now: Nanos) {
        self.open_window();
        let cold = &self.cold;
        let config = &self.sender.config;
        let sack = config.sack && cold.peer_sack;
        //= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
        //# both sides MUST send Window Scale options in their <SYN> segments to enable window scaling in either
        //# direction
        //= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
        //# otherwise, it MUST set both Snd.Wind.Shift and Rcv.Wind.Shift to zero
        let scale = if cold.peer_scales { offered_scale(config) } else { 0 };
        let stamps = config.timestamps && cold.peer_stamps;
        self.receiver.establish(now, sack, scale, self.own_payload());
        //= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
        //# The TCP SHOULD remember this state by setting a flag, referred to as Snd.TS.OK, to one
        self.uses.set(Uses::TIMESTAMPS, stamps);
        self.uses.set(Uses::XCP, self.sender.asks_routers() && cold.peer_xcp);
    }

    /// Payload of the largest segment that we can receive, with the options that both ends offer, bytes.
    fn own_payload(&self) -> u64 {
        let config = &self.sender.config;
        let stamps = config.timestamps && self.cold.peer_stamps;
        u64::from(config.mss.saturating_sub(if stamps { STAMPS_LEN } else { 0 }))
    }

    /// Starts the sender with the segment size and the initial window; `lost_syns` counts retransmissions of our SYN or
    /// SYN-ACK.
    pub(super) fn open_sender(&mut self, now: Nanos, lost_syns: u32) {
        // The MSS option does not account for options that every segment carries (RFC 6691).
        let cold = &self.cold;
        let mss = self.path_mss().min(cold.peer_mss).saturating_sub(self.stamps_len() + cold.room).max(1);
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
        //# the SYN/ACK and the acknowledgment of the SYN/ACK MUST NOT increase the size of the congestion window
        self.sender.establish(now, mss, self.sender.config.sack && cold.peer_sack, lost_syns);
        self.receiver.guess_segments(self.sender.mss());
        if self.due.has(Due::PATH) {
            self.begin_path();
        }
    }

    /// Takes the RTT sample of the handshake, where Karn's rule allows a sample: our SYN or SYN-ACK was sent once, or
    /// timestamps show which transmission was answered. A SYN-ACK is also sent again where the peer repeats its SYN.
    fn sample_handshake(&mut self, now: Nanos, segment: &Segment) {
        let cold = &self.cold;
        let expired = cold.syn_retries > 0;
        // Linux net/ipv4/tcp_input.c, tcp_ack_update_rtt: the sample of a timestamp comes first. RFC 6298 section 5.7
        // has no such exception.
        let echo = || self.echo(now, segment).filter(|_| !expired || self.sender.rtt().is_linux());
        // FreeBSD's SYN cache does not time its SYN-ACK: only a timestamp gives a sample (sys/netinet/tcp_syncache.c,
        // syncache_socket; tcp_input.c, tcp_do_segment).
        let caches = cold.passive && self.sender.config.conformance == Conformance::FreeBsd;
        let sent_at = match cold.syns_sent {
            ..=1 if caches && !self.uses.has(Uses::TIMESTAMPS) => None,
            ..=1 => Some(cold.syn_sent_at),
            _ => echo(),
        };
        let connects = !cold.passive;
        match sent_at {
            Some(sent_at) => self.sender.on_handshake(now, now - sent_at, connects),
            None if expired => self.sender.rtt_mut().on_handshake_timeout(),
            None => {}
        }
    }

    /// Makes the SYN or SYN-ACK that is due.
    pub(super) fn syn<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Segment {
        self.due.set(Due::SYN, false);
        self.cold.fast.waits = false;
        let mut segment = Segment::new(Flags::SYN);
        // RFC 7323 section 2.5 and RFC 2018 section 2: a SYN-ACK carries only options that the SYN offered.
        let answering = self.state == State::SynReceived;
        if answering {
            segment.flags = Flags::SYN.with(Flags::ACK);
            segment.ack = self.receive_next();
        }
        if answering {
            self.receiver.answer_syn(self.own_payload());
        }
        let ecn = if answering { self.ecn_of_syn_ack() } else { self.ecn_of_syn() };
        segment.flags = with_bits(segment.flags, ecn);
        segment.ecn = self.handshake_field(&segment);
        segment.seq = self.iss;
        segment.window = self.receiver.syn_window();
        let cold = &mut self.cold;
        let config = &self.sender.config;
        // FreeBSD 10 offers no more than the peer has offered (sys/netinet/tcp_syncache.c, syncache_respond).
        let echoes = answering && config.window_rule == WindowRule::FreeBsd10;
        let mss = if echoes { config.mss.min(cold.peer_mss) } else { config.mss };
        segment.mss = if config.syn_options { mss.min(u32::from(u16::MAX)) as u16 } else { 0 };
        segment.sack_permitted = config.sack && (!answering || cold.peer_sack);
        //= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
        //# a TCP that is prepared to scale windows SHOULD send the option, even if its own scale factor is 1 and the
        //# exponent 0
        //= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
        //# If a Window Scale option was received in the initial <SYN> segment, then this option MAY be sent in the
        //# <SYN,ACK> segment
        //= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
        //# it SHOULD send its own Window Scale option in the <SYN,ACK> segment
        if config.window_scaling && (!answering || cold.peer_scales) {
            //= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
            //# The three-byte Window Scale option MAY be sent in a <SYN> segment by a TCP
            //= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
            //# This option MAY be sent in an initial <SYN> segment
            //= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
            //# The Window Scale option MUST be sent with shift.cnt = R, where R is the value that the TCP would like
            //# to use for its receive window
            segment.window_scale = offered_scale(config);
        }
        //= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
        //# A TCP MAY send the TSopt in an initial <SYN> segment
        //= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
        //# MAY send a TSopt in <SYN,ACK> only if it received a TSopt in the initial <SYN> segment for the connection
        if config.timestamps && (!answering || cold.peer_stamps) {
            //= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
            //# the sender of that segment SHOULD set the TSecr field to zero
            segment.timestamps = Some(self.stamps.option(now));
        }
        if answering && self.uses.has(Uses::ACCECN) {
            segment.set_accecn(cold.acc.syn_ack_option());
        }
        if self.sender.asks_routers() && (!answering || cold.peer_xcp) {
            segment.feedback = Some(Feedback::Xcp(CongestionHeader::default()));
        }
        self.fill_syn(&mut segment);
        let cold = &mut self.cold;
        self.stamps.last_ack = segment.ack;
        let retransmission = cold.syns_sent > 0;
        cold.syn_sent_at = now;
        cold.syns_sent += 1;
        cold.timers.syn = now + self.sender.rtt().rto();
        if !retransmission && let Some(stamps) = segment.timestamps {
            cold.syn_stamp = stamps.val;
        }
        self.retime();
        self.sender.stats_mut().segments_sent += 1;
        obs.event(now, Event::Sent { segment: &segment, offset: 0, retransmission });
        segment
    }
}

/// The window scale that we offer.
//= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
//# MAY be zero (offering to scale, while applying a scale factor of 1 to the receive window)
fn offered_scale(config: &crate::Config) -> u8 {
    //= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
    //# the shift count MUST be limited to 14
    let needed = window_scale(config.receive_buffer_max.max(config.receive_buffer));
    config.window_scale.unwrap_or(0).max(needed).min(14)
}
