//! The configuration of an endpoint: every choice has a name.

use crate::recovery::Recovery;
use crate::{Nanos, careful_resume, cc, pacing::Pacing, slow_start, validation};

/// Restart of a sender that resumes after an idle period longer than the RTO.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Restart {
    /// The window stays unchanged.
    Off,
    /// cwnd = min(IW, cwnd); ssthresh stays (RFC 5681 section 4.1).
    Rfc5681,
    /// cwnd as in RFC 5681, and ssthresh wrongly lowered to the new cwnd: every burst after idle then grows linearly
    /// from IW. This is one interpretation of the flawed New Reno control of a retracted study; it is never correct.
    LowersSsthresh,
    /// cwnd as in RFC 5681, and ssthresh wrongly set to infinity: every burst after idle then overshoots in slow start.
    /// This is the other interpretation of that flawed control; it is never correct.
    RaisesSsthresh,
    /// cwnd = 1 segment; ssthresh stays (ns-2 tcp/tcp.cc, timeout, with slow_start_restart_ and wnd_restart_ 1).
    OneSegment,
}

/// How a connection begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handshake {
    /// By SYN, SYN-ACK and ACK (RFC 9293 section 3.5).
    ThreeWay,
    /// Both ends are established at once and know each other's options and receive buffer, as the one-way agents of
    /// ns-2 do. Sequence numbers begin at 0. No RTT sample precedes the data, and ECN is that of RFC 3168 or none.
    None,
}

/// Computation of the retransmission timeout from the RTT samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RtoRule {
    /// max(min_rto, SRTT + max(G, 4*RTTVAR)) (RFC 6298 section 2.3).
    Rfc6298,
    /// SRTT + RTTVAR with an RTTVAR that is never below min_rto, follows increases within a round trip and decays
    /// slowly (Linux net/ipv4/tcp_input.c, tcp_rtt_estimator). The dependent timers follow Linux, too: the events that
    /// restart them (tcp_rearm_rto), the slack of probe and reordering timers, and that a timeout within a recovery
    /// causes no further reduction.
    Linux,
    /// SRTT + 4*RTTVAR in ticks of 10 ms, with one segment timed at once, in integers that keep RTTVAR above zero (ns-2
    /// tcp/tcp.cc, rtt_update, with the defaults of Agent/TCP).
    Ns2,
    /// As [`RtoRule::Ns2`] with the timestamps of ns-2 (ts_ true), which give a sample with every new ACK, in ticks of 0.1
    /// ms (tcpTick_ 0.0001).
    Ns2Fine,
    /// As [`RtoRule::Ns2Fine`] in ticks of 1 ms, and an RTT below the mean hardly raises the deviation (ns-2
    /// tcp/tcp-linux.cc, rtt_update).
    Ns2Linux,
}

/// Use of Explicit Congestion Notification by an endpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EcnMode {
    /// ECN is not used.
    Off,
    /// RFC 3168 if the peer requests it, as Linux does by default.
    Passive,
    /// RFC 3168, requested in the SYN.
    Classic,
    /// Accurate ECN (RFC 9768), requested in the SYN; RFC 3168 with a peer that supports no more.
    Accurate,
    /// RFC 3168 in the handshake; then each ACK echoes whether the last segment was marked, and every segment is
    /// ECN-capable (DCTCP, RFC 8257 sections 3.2, 3.6 and 4.1). The peer must do the same; this is not negotiated.
    Dctcp,
    /// Accurate ECN with ECT(1) for L4S (RFC 9331); with a peer that supports no more, RFC 3168 with ECT(0).
    L4s,
}

impl EcnMode {
    /// The mode whose handshake this mode uses.
    pub(crate) fn handshake(self) -> EcnMode {
        match self {
            EcnMode::Dctcp => EcnMode::Classic,
            EcnMode::L4s => EcnMode::Accurate,
            other => other,
        }
    }
}

/// The segments that carry the option of Accurate ECN (RFC 9768 section 3.2.3), if Accurate ECN is in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccEcnOptions {
    /// No segment, not even the SYN-ACK.
    Never,
    /// Segments with changed counters: the recommended simple scheme of section 3.2.3.3.
    Changes,
    /// All segments with room for the option, until the path proves to drop them (section 3.2.3.2.2).
    Always,
    /// All segments with room for the option, even if the path drops them.
    Persistent,
}

/// Probing of an idle connection (RFC 9293 section 3.8.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keepalive {
    /// Idle time before the first probe, ns.
    pub idle: Nanos,
    /// Time between probes, ns.
    pub interval: Nanos,
    /// Number of unanswered probes after which the connection is given up.
    pub probes: u32,
}

/// Rule for the time at which payload is acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckRule {
    /// At the latest `delayed_ack` after the payload arrived, and with `ack_every` full segments (RFC 5681 section
    /// 4.2).
    Rfc5681,
    /// With more than one full segment; after a delay of 40 to 500 ms that follows the gaps between arrivals; at once
    /// for the first `quick_acks`, and again after a pause; and with our data if the two ends alternate (Linux
    /// net/ipv4/tcp_input.c, tcp_event_data_recv). `delayed_ack` and `ack_every` have no effect.
    Linux,
    /// At the latest `delayed_ack` after the payload arrived, and with every `ack_every`th segment of whatever size
    /// (FreeBSD sys/netinet/tcp_input.c, DELAY_ACK).
    FreeBsd,
}

/// Rule for the receive window that an endpoint offers and accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WindowRule {
    /// The right edge advances in steps of a full segment or half of the buffer (RFC 9293 section 3.8.6.2.2). Data
    /// beyond the offered edge is not accepted.
    Rfc9293,
    /// As [`WindowRule::Rfc9293`]; a buffer that tunes itself counts the memory of segments, and the window is the share of
    /// payload in it, which is assumed to be half until a full segment arrives (Linux 6.12 net/ipv4/tcp_input.c,
    /// tcp_measure_rcv_mss).
    Linux,
    /// The buffer is rounded up to whole segments. Each segment offers all free space, and data is accepted as far as
    /// the buffer has room, even beyond the offered edge. A read causes a window update if the window grows by two
    /// segments and a quarter of the buffer, or by half of the buffer (FreeBSD sys/netinet: tcp_input.c, tcp_mss and
    /// tcp_do_segment; tcp_output.c, tcp_default_output).
    FreeBsd,
    /// As [`WindowRule::FreeBsd`], with the auto-tuning of FreeBSD 10: the buffer grows by 16 KiB if more than seven
    /// eighths of it arrive within a round trip that timestamps show.
    FreeBsd10,
}

/// Base of a reduction of the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReductionBase {
    /// FlightSize, so that the unused part of a window does not count (RFC 5681 section 3.1, RFC 9438 section 4.6).
    FlightSize,
    /// cwnd, as in Linux and others, whose validation keeps cwnd close to the used volume (RFC 9438 section 4.6 then
    /// allows it).
    Window,
}

/// Unit in which a sender counts its window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WindowUnit {
    /// Bytes, as in RFC 5681: windows may contain a part of a segment.
    Bytes,
    /// Whole segments, as in Linux: each acknowledged segment counts as a full one, and reductions round down. Windows
    /// are stored in bytes, as multiples of SMSS.
    Segments,
}

/// Data that the pacing rate of a congestion control releases at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacingBurst {
    /// One segment; unused credit expires at once.
    Segment,
    /// The segments of one packet of Linux's segmentation offload, which exists in TCP even where the device does not
    /// offload: 1/1024 s of the pacing rate, more where the minimum RTT is below 16 ms, and at least two segments (one
    /// below 1.2 Mbit/s). A flow that is late has its next packet charged by that time less, but at least by half. The
    /// first nine segments of a connection are not paced (net/ipv4/tcp_output.c: tcp_tso_autosize,
    /// tcp_update_skb_after_send; net/ipv4/tcp_bbr.c, bbr_min_tso_segs).
    Linux,
}

/// Treatment of unacceptable segments, where standards and Linux differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conformance {
    /// An ACK of data that was not sent is answered (RFC 9293 section 3.10.7.4). A segment without timestamps is
    /// dropped if timestamps are in use (RFC 7323 section 3.2). Only challenge ACKs are limited in number (RFC 5961
    /// section 7).
    Rfc,
    /// An ACK of data that was not sent is dropped. A segment without timestamps is accepted. All segments of an AccECN
    /// connection are ECN-capable. No empty segment is answered twice within `challenge_interval` (Linux
    /// net/ipv4/tcp_input.c: tcp_ack, tcp_validate_incoming, tcp_oow_rate_limited).
    Linux,
    /// As [`Conformance::Rfc`], with these differences (FreeBSD sys/netinet: tcp_input.c, tcp_output.c, tcp_subr.c). A
    /// SYN-ACK to a listener is ignored. The ACK of a segment that arrived before is processed. An ACK carries the FIN
    /// again while the FIN is not acknowledged, and a challenge ACK never does. A connection attempt ends with an ICMP
    /// message about a protocol or a prohibition, and not with one about an unreachable network or host.
    FreeBsd,
}

/// Initial window of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InitialWindow {
    /// A number of full segments, whatever their size.
    Segments(u32),
    /// RFC 6928 section 2, equation 1: ten segments, of at most 14,600 bytes unless two segments are more.
    Rfc6928,
}

impl InitialWindow {
    /// The window in bytes for segments of `mss` bytes.
    pub fn bytes(self, mss: u64) -> u64 {
        match self {
            InitialWindow::Segments(count) => u64::from(count) * mss,
            //= https://www.rfc-editor.org/rfc/rfc6928#section-2
            //# the upper bound for the initial window will be min (10*MSS, max (2*MSS, 14600))
            InitialWindow::Rfc6928 => (10 * mss).min((2 * mss).max(14_600)),
        }
    }
}

/// Rule for lost SYNs or SYN-ACKs that reduce the initial window to one segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SynLosses {
    /// Number of retransmissions of the SYN or SYN-ACK from which on the window is one segment: 1 in RFC 5681 section
    /// 3.1; 2 in RFC 6928 section 2 ("more than one").
    pub count: u32,
    /// Whether the retransmissions do not count if the reply echoes the timestamp of the first SYN, which then was late
    /// and not lost (Linux net/ipv4/tcp_input.c, tcp_try_undo_spurious_syn, since 5.2).
    pub forgives_spurious: bool,
}

/// Configuration of an endpoint.
#[derive(Clone)]
pub struct Config {
    /// Maximum segment size in bytes of payload; it is offered to the peer and limits our own segments.
    pub mss: u32,
    /// Initial window.
    pub initial_window: InitialWindow,
    /// Rule for lost SYNs that reduce the initial window to one segment.
    pub syn_losses: SynLosses,
    /// Retransmission timeout before the first RTT sample, ns (RFC 6298: 1 s).
    pub initial_rto: Nanos,
    /// Smallest retransmission timeout, ns (RFC 6298: 1 s; Linux: 200 ms).
    pub min_rto: Nanos,
    /// Largest retransmission timeout, ns (RFC 6298: at least 60 s).
    pub max_rto: Nanos,
    /// Time that is added to every timeout computed from samples and to every doubled timeout, ns (FreeBSD
    /// net.inet.tcp.rexmit_slop: 200 ms).
    pub rto_slop: Nanos,
    /// Computation of the timeout from the samples.
    pub rto_rule: RtoRule,
    /// Number of SYN retransmissions before a connection attempt is given up, in addition to `syn_linear` (Linux
    /// `tcp_syn_retries`: 6).
    pub syn_retries: u32,
    /// Number of SYN retransmissions before the time between them doubles (Linux `tcp_syn_linear_timeouts`: 4; RFC
    /// 6298: 0).
    pub syn_linear: u32,
    /// Time after which an attempt to connect is given up, ns (FreeBSD net.inet.tcp.keepinit: 75 s); with 0, only
    /// retransmissions are counted.
    pub connect_timeout: Nanos,
    /// Number of SYN retransmissions from which on the SYN carries no option except the maximum segment size (FreeBSD
    /// net.inet.tcp.rexmit_drop_options: 3); 0 for never.
    pub plain_syn_after: u32,
    /// Whether SYNs carry options and the options of the peer's SYN are used (without them: FreeBSD TCP_NOOPT).
    pub syn_options: bool,
    /// Whether window scaling is offered and, if both ends offer it, used (RFC 7323).
    pub window_scaling: bool,
    /// Consecutive retransmission timeouts before a connection is given up (R2 of RFC 9293 section 3.8.3; Linux
    /// `tcp_retries2`: 15).
    pub data_retries: u32,
    /// Whether timestamps are offered and, if both ends offer them, used for RTT samples and PAWS (RFC 7323).
    pub timestamps: bool,
    /// Whether SACK is offered and, if both ends offer it, used (RFC 2018).
    pub sack: bool,
    /// Whether the receiver reports duplicates by D-SACK (RFC 2883).
    pub dsack: bool,
    /// Rule for the volume and rate of transmission while a loss is repaired.
    pub recovery: Recovery,
    /// Number of duplicate ACKs, or of segments SACKed above a segment, that indicate its loss (DupThresh of RFC 5681
    /// and RFC 6675: 3).
    pub dup_thresh: u32,
    /// Whether observed reordering raises DupThresh, as in Linux (`tcp_reordering`, at most 300). Once DupThresh is
    /// raised, SACKed data counts for the window's growth as soon as it is reported (tcp_may_raise_cwnd).
    pub adapt_dup_thresh: bool,
    /// Base of a reduction of the window.
    pub reduction_base: ReductionBase,
    /// Unit of the window. A congestion control that owns the window ([`cc::Scope::window`]) has its own unit.
    pub window_unit: WindowUnit,
    /// Whether the first duplicate ACKs allow new segments (RFC 3042).
    pub limited_transmit: bool,
    /// Whether fewer duplicate ACKs suffice with less than four segments outstanding (RFC 5827).
    pub early_retransmit: bool,
    /// Whether SACK recovery sends one rescue retransmission, of the highest outstanding segment, if there is nothing
    /// else to send (RFC 6675 section 4, rule 4). RACK does not use it (RFC 8985 section 9.2).
    pub rescue: bool,
    /// Whether a retransmission of the first outstanding segment restarts the retransmission timer. RFC 6298 does not
    /// specify a restart; most stacks do it. With [`RtoRule::Linux`] the timer restarts in any case.
    pub retransmit_restarts_timer: bool,
    /// Whether losses are detected by time (RACK of RFC 8985) rather than by counting.
    pub rack: bool,
    /// Whether a probe is sent when the tail of a flight is not acknowledged (TLP of RFC 8985 section 7).
    pub tlp: bool,
    /// Whether a timeout waits for two ACKs before all outstanding data is deemed lost (F-RTO, RFC 5682).
    pub frto: bool,
    /// Whether a recovery or timeout is undone if D-SACKs show that it was spurious.
    pub dsack_undo: bool,
    /// Whether a recovery or timeout is undone if timestamps show that it was spurious (Eifel, RFC 3522, RFC 4015).
    pub eifel: bool,
    /// Use of Explicit Congestion Notification.
    pub ecn: EcnMode,
    /// The segments that carry the option of Accurate ECN.
    pub accecn_options: AccEcnOptions,
    /// Whether a mark reduces the window by less than a loss (ABE, RFC 8511).
    pub abe: bool,
    /// Whether small segments wait while data is outstanding (Nagle, RFC 9293 section 3.7.4).
    pub nagle: bool,
    /// Whether small segments wait only while another small segment is outstanding (Minshall's variant, as in Linux).
    pub minshall: bool,
    /// Largest number of bytes that the application writes at once: TCP sends what it can after each write. With 0, each
    /// write has any size.
    pub write_size: u64,
    /// Probing of an idle connection, if any.
    pub keepalive: Option<Keepalive>,
    /// Duration of TIME-WAIT, ns: twice the maximum segment lifetime (RFC 9293 section 3.4.2).
    pub time_wait: Nanos,
    /// Time for which a connection that its application has closed stays in FIN-WAIT-2, ns (Linux `tcp_fin_timeout`: 60
    /// s).
    pub fin_timeout: Nanos,
    /// Time for which data may go unacknowledged before the connection is given up, ns (RFC 5482); with 0, retries are
    /// counted instead.
    pub user_timeout: Nanos,
    /// Whether an end that gives up a connection for lack of acknowledgments sends a RST, so that the peer's end does
    /// not stay open.
    pub reset_on_give_up: bool,
    /// Receive buffer in bytes; it limits the advertised window.
    pub receive_buffer: u64,
    /// Maximum to which auto-tuning may raise the receive buffer, bytes; equal to `receive_buffer` if auto-tuning is
    /// off.
    pub receive_buffer_max: u64,
    /// The window scale to offer; `None` for the smallest scale with which the window field holds `receive_buffer_max`.
    pub window_scale: Option<u8>,
    /// Rule for the window that is offered and accepted.
    pub window_rule: WindowRule,
    /// Rule for the time at which payload is acknowledged.
    pub ack_rule: AckRule,
    /// How the connection begins.
    pub handshake: Handshake,
    /// Whether data may ride on the ACK that completes the handshake of an active open. If not, that ACK is sent by
    /// itself, before the application learns that the connection is established (connect(), then write()).
    pub handshake_data: bool,
    /// Maximum delay of an ACK, ns (RFC 9293 section 3.8.6.3: below 500 ms); with 0, every segment is acknowledged.
    pub delayed_ack: Nanos,
    /// Number of full-sized segments after which an ACK is due at once (RFC 5681 section 4.2: 2).
    pub ack_every: u32,
    /// Number of segments at the start of a connection, and after an idle period, that are acknowledged at once.
    pub quick_acks: u32,
    /// Treatment of unacceptable segments.
    pub conformance: Conformance,
    /// Minimum time between two challenge ACKs, ns (RFC 5961 section 7; Linux `tcp_invalid_ratelimit`: 500 ms).
    pub challenge_interval: Nanos,
    /// Whether any RST in the window resets the connection, as before RFC 5961 (FreeBSD net.inet.tcp.insecure_rst).
    pub insecure_rst: bool,
    /// Whether a SYN in the window resets the connection, as before RFC 5961 (FreeBSD net.inet.tcp.insecure_syn).
    pub insecure_syn: bool,
    /// Whether TIME-WAIT ignores a RST (RFC 1337; Linux `tcp_rfc1337`).
    pub rfc1337: bool,
    /// Restart after idle.
    pub restart: Restart,
    /// Pacing.
    pub pacing: Pacing,
    /// Data that a congestion control's own pacing rate releases at once.
    pub pacing_burst: PacingBurst,
    /// Parameters of the path from an earlier connection, for careful resume (RFC 9959); `None` turns careful resume
    /// off.
    pub careful_resume: Option<careful_resume::Saved>,
    /// Congestion control.
    pub cc: cc::Algorithm,
    /// Slow start.
    pub slow_start: &'static slow_start::Entry,
    /// Window validation.
    pub validation: &'static validation::Entry,
}

impl Config {
    /// Offers no option in a SYN except the maximum segment size.
    pub(crate) fn offer_no_features(&mut self) {
        (self.timestamps, self.sack, self.window_scaling) = (false, false, false);
    }
}
