//! The choices that make up an endpoint, each by name.

use crate::recovery::Recovery;
use crate::{Nanos, careful_resume, cc, pacing::Pacing, slow_start, validation};

/// What a sender does with its window when it resumes after an idle period longer than the RTO.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Restart {
    /// Nothing: the window stays.
    Off,
    /// cwnd = min(IW, cwnd); ssthresh stays (RFC 5681 section 4.1).
    Rfc5681,
    /// cwnd as in RFC 5681, and ssthresh wrongly lowered to the new cwnd: every burst after idle then grows linearly from
    /// IW. One reading of the flawed New Reno control of a retracted study; never right.
    LowersSsthresh,
    /// cwnd as in RFC 5681, and ssthresh wrongly set to infinity: every burst after idle then overshoots in slow start. The
    /// other reading of that flawed control; never right.
    RaisesSsthresh,
}

/// How the retransmission timeout follows from the round-trip samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RtoRule {
    /// max(min_rto, SRTT + max(G, 4*RTTVAR)) (RFC 6298 section 2.3).
    Rfc6298,
    /// SRTT + RTTVAR with an RTTVAR that is never below min_rto, follows increases within a round trip and decays slowly
    /// (Linux net/ipv4/tcp_input.c, tcp_rtt_estimator). The timers that depend on it are Linux's, too: what restarts them
    /// (tcp_rearm_rto), the slack of probe and reordering timers, and that a timeout within a recovery reduces no more.
    Linux,
    /// SRTT + 4*RTTVAR in ticks of 10 ms, of one segment at a time, in integers that keep RTTVAR from vanishing (ns-2
    /// tcp/tcp.cc, rtt_update, with the defaults of Agent/TCP).
    Ns2,
}

/// What an endpoint does about Explicit Congestion Notification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EcnMode {
    /// Nothing.
    Off,
    /// RFC 3168 where the peer asks for it, as Linux does by default.
    Passive,
    /// RFC 3168, asked for in the SYN.
    Classic,
    /// Accurate ECN (RFC 9768), asked for in the SYN; RFC 3168 with a peer that knows no more.
    Accurate,
    /// RFC 3168 in the handshake; then each ACK echoes whether the last segment was marked, and every segment is ECN-capable
    /// (DCTCP, RFC 8257 sections 3.2, 3.6 and 4.1). The peer must do the same, which nothing negotiates.
    Dctcp,
    /// Accurate ECN with ECT(1) for L4S (RFC 9331); with a peer that knows no more, RFC 3168 with ECT(0).
    L4s,
}

impl EcnMode {
    /// The mode that the handshake is that of.
    pub(crate) fn handshake(self) -> EcnMode {
        match self {
            EcnMode::Dctcp => EcnMode::Classic,
            EcnMode::L4s => EcnMode::Accurate,
            other => other,
        }
    }
}

/// Which segments carry the option of Accurate ECN (RFC 9768 section 3.2.3), where that is in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccEcnOptions {
    /// None, the SYN-ACK included.
    Never,
    /// Those that bring news: the recommended simple scheme of section 3.2.3.3.
    Changes,
    /// All with room for it, until the path proves to drop them (section 3.2.3.2.2).
    Always,
    /// All with room for it, whatever happens.
    Persistent,
}

/// Probing of an idle connection (RFC 9293 section 3.8.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keepalive {
    /// Idle time before the first probe.
    pub idle: Nanos,
    /// Time between probes.
    pub interval: Nanos,
    /// Unanswered probes after which the connection is given up.
    pub probes: u32,
}

/// When payload is acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckRule {
    /// At the latest `delayed_ack` after it arrived, and with `ack_every` full segments (RFC 5681 section 4.2).
    Rfc5681,
    /// With more than one full segment; a delay of 40 to 500 ms that follows the gaps between arrivals; at once for the first
    /// `quick_acks`, and again after a pause; and with data of ours where the two ends take turns (Linux
    /// net/ipv4/tcp_input.c, tcp_event_data_recv). `delayed_ack` and `ack_every` say nothing here.
    Linux,
}

/// What a reduction of the window starts from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReductionBase {
    /// FlightSize, so that a window that was not used counts for nothing (RFC 5681 section 3.1, RFC 9438 section 4.6).
    FlightSize,
    /// cwnd, as in Linux and others, whose validation keeps it close to what is used (RFC 9438 section 4.6 allows it then).
    Window,
}

/// What is done with segments that are not acceptable, where standards and Linux differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conformance {
    /// An ACK of what was not sent is answered (RFC 9293 section 3.10.7.4), a segment without timestamps is dropped where they
    /// are in use (RFC 7323 section 3.2), and only challenge ACKs are limited in number (RFC 5961 section 7).
    Rfc,
    /// An ACK of what was not sent is dropped, a segment without timestamps is taken, all segments of an AccECN connection are
    /// ECN-capable, and no empty segment is answered twice
    /// within `challenge_interval` (Linux net/ipv4/tcp_input.c: tcp_ack, tcp_validate_incoming, tcp_oow_rate_limited).
    Linux,
}

/// Initial window of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InitialWindow {
    /// Full segments, whatever their size.
    Segments(u32),
    /// RFC 6928 section 2, equation 1: ten segments, of at most 14,600 bytes unless two segments are more.
    Rfc6928,
}

impl InitialWindow {
    /// The window in bytes, with segments of `mss` bytes.
    pub fn bytes(self, mss: u64) -> u64 {
        match self {
            InitialWindow::Segments(count) => u64::from(count) * mss,
            //= https://www.rfc-editor.org/rfc/rfc6928#section-2
            //# the upper bound for the initial window will be min (10*MSS, max (2*MSS, 14600))
            InitialWindow::Rfc6928 => (10 * mss).min((2 * mss).max(14_600)),
        }
    }
}

/// Lost SYNs or SYN-ACKs that leave an initial window of one segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SynLosses {
    /// Retransmissions of the SYN or SYN-ACK from which on the window is one segment. RFC 5681 section 3.1: 1. RFC 6928
    /// section 2: 2, "more than one".
    pub count: u32,
    /// Whether they are forgiven where the reply echoes the timestamp of the first SYN, which so was late and not lost (Linux
    /// net/ipv4/tcp_input.c, tcp_try_undo_spurious_syn, since 5.2).
    pub forgives_spurious: bool,
}

/// Configuration of an endpoint.
#[derive(Clone)]
pub struct Config {
    /// Maximum segment size in bytes of payload, offered to the peer and bounding our own segments.
    pub mss: u32,
    /// Initial window.
    pub initial_window: InitialWindow,
    /// Lost SYNs that leave an initial window of one segment.
    pub syn_losses: SynLosses,
    /// Retransmission timeout before the first RTT sample (RFC 6298: 1 s).
    pub initial_rto: Nanos,
    /// Smallest retransmission timeout (RFC 6298: 1 s; Linux: 200 ms).
    pub min_rto: Nanos,
    /// Largest retransmission timeout (RFC 6298: at least 60 s).
    pub max_rto: Nanos,
    /// How the timeout follows from the samples.
    pub rto_rule: RtoRule,
    /// SYNs sent again before a connection attempt is given up, beside `syn_linear` (Linux `tcp_syn_retries`: 6).
    pub syn_retries: u32,
    /// SYNs sent again before the time between them doubles (Linux `tcp_syn_linear_timeouts`: 4; RFC 6298: 0).
    pub syn_linear: u32,
    /// Consecutive retransmission timeouts before a connection is given up (R2 of RFC 9293 section 3.8.3; Linux
    /// `tcp_retries2`: 15).
    pub data_retries: u32,
    /// Whether timestamps are offered and, where both offer them, used for RTT samples and PAWS (RFC 7323).
    pub timestamps: bool,
    /// Whether SACK is offered and, where both offer it, used (RFC 2018).
    pub sack: bool,
    /// Whether the receiver reports duplicates by D-SACK (RFC 2883).
    pub dsack: bool,
    /// What is sent, and how fast, while loss is repaired.
    pub recovery: Recovery,
    /// Duplicate ACKs, or segments SACKed above, that make a loss (DupThresh of RFC 5681 and RFC 6675: 3).
    pub dup_thresh: u32,
    /// Whether reordering seen raises that threshold, as in Linux (`tcp_reordering`, at most 300). Once it is raised, SACKed data
    /// counts for the window's growth as soon as it is reported (tcp_may_raise_cwnd).
    pub adapt_dup_thresh: bool,
    /// What a reduction of the window starts from.
    pub reduction_base: ReductionBase,
    /// Whether the first duplicate ACKs let new segments go (RFC 3042).
    pub limited_transmit: bool,
    /// Whether fewer duplicate ACKs suffice with less than four segments outstanding (RFC 5827).
    pub early_retransmit: bool,
    /// Whether SACK recovery sends one rescue retransmission, of the highest outstanding segment, where nothing else is left to
    /// send (RFC 6675 section 4, rule 4). RACK does without it (RFC 8985 section 9.2).
    pub rescue: bool,
    /// Whether the retransmission timer starts anew when the first segment outstanding is sent again. RFC 6298 does not say so;
    /// most stacks do it. With [`RtoRule::Linux`] it does in any case.
    pub retransmit_restarts_timer: bool,
    /// Whether losses are found by time (RACK of RFC 8985) rather than by counting.
    pub rack: bool,
    /// Whether a probe is sent when the tail of a flight is not acknowledged (TLP of RFC 8985 section 7).
    pub tlp: bool,
    /// Whether a timeout waits for two ACKs before it deems everything lost (F-RTO, RFC 5682).
    pub frto: bool,
    /// Whether a recovery or timeout that D-SACKs show to have been spurious is undone.
    pub dsack_undo: bool,
    /// Whether a recovery or timeout that timestamps show to have been spurious is undone (Eifel, RFC 3522, RFC 4015).
    pub eifel: bool,
    /// Explicit Congestion Notification.
    pub ecn: EcnMode,
    /// Which segments carry the option of Accurate ECN.
    pub accecn_options: AccEcnOptions,
    /// Whether a mark reduces the window by less than a loss (ABE, RFC 8511).
    pub abe: bool,
    /// Whether small segments wait while data is outstanding (Nagle, RFC 9293 section 3.7.4).
    pub nagle: bool,
    /// Whether they wait only while another small one is outstanding (Minshall's variant, as in Linux).
    pub minshall: bool,
    /// Probing of an idle connection, if any.
    pub keepalive: Option<Keepalive>,
    /// How long TIME-WAIT lasts: twice the maximum segment lifetime (RFC 9293 section 3.4.2).
    pub time_wait: Nanos,
    /// How long a connection that its application has closed stays in FIN-WAIT-2 (Linux `tcp_fin_timeout`: 60 s).
    pub fin_timeout: Nanos,
    /// How long data may go unacknowledged before the connection is given up (RFC 5482); 0 counts retries instead.
    pub user_timeout: Nanos,
    /// Whether an end that gives up a connection for want of acknowledgments sends a RST, so that the peer is not left open.
    pub reset_on_give_up: bool,
    /// Receive buffer in bytes; it bounds the advertised window.
    pub receive_buffer: u64,
    /// What auto-tuning may raise the receive buffer to, bytes; `receive_buffer` where it is off.
    pub receive_buffer_max: u64,
    /// The window scale to offer; `None` for the least that lets the window field hold `receive_buffer_max`.
    pub window_scale: Option<u8>,
    /// When payload is acknowledged.
    pub ack_rule: AckRule,
    /// How long an ACK may be held back (RFC 9293 section 3.8.6.3: below 500 ms); 0 acknowledges every segment.
    pub delayed_ack: Nanos,
    /// Full-sized segments after which an ACK is due at once (RFC 5681 section 4.2: 2).
    pub ack_every: u32,
    /// Segments at the start of a connection, and after an idle period, that are acknowledged at once.
    pub quick_acks: u32,
    /// What is done with segments that are not acceptable.
    pub conformance: Conformance,
    /// The least time between two challenge ACKs (RFC 5961 section 7; Linux `tcp_invalid_ratelimit`: 500 ms).
    pub challenge_interval: Nanos,
    /// Whether TIME-WAIT ignores a RST (RFC 1337; Linux `tcp_rfc1337`).
    pub rfc1337: bool,
    /// Restart after idle.
    pub restart: Restart,
    /// Pacing.
    pub pacing: Pacing,
    /// What is known of the path from an earlier connection, for careful resume (RFC 9959); `None` is off.
    pub careful_resume: Option<careful_resume::Saved>,
    /// Congestion control.
    pub cc: cc::Algorithm,
    /// Slow start.
    pub slow_start: &'static slow_start::Entry,
    /// Window validation.
    pub validation: &'static validation::Entry,
}
