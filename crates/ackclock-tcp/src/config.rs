//! The configuration of an endpoint: every choice has a name.

use crate::receiver::buffer_for;
use crate::recovery::Recovery;
use crate::settings::{Choice, Count, Kind, SegmentsOrRfc6928, Setting, Shown, Switch, Time, Volume, named};
use crate::{Nanos, careful_resume, cc, pacing::Pacing, slow_start, validation};

named! {
    /// Restart of a sender that resumes after an idle period longer than the RTO.
    pub enum Restart: "restart after idle" {
        /// The window stays unchanged.
        Off = "off", "the window stays";
        /// cwnd = min(IW, cwnd); ssthresh stays (RFC 5681 section 4.1).
        Rfc5681 = "rfc5681", "cwnd falls to the initial window, ssthresh stays (RFC 5681 section 4.1)";
        /// cwnd as in RFC 5681, and ssthresh wrongly lowered to the new cwnd: every burst after idle then grows
        /// linearly from IW. This is one interpretation of the flawed New Reno control of a retracted study; it is
        /// never correct.
        LowersSsthresh = "lowers-ssthresh", "a known mistake: as rfc5681, and ssthresh falls to cwnd";
        /// cwnd = 1 segment; ssthresh stays (ns-2 tcp/tcp.cc, timeout, with slow_start_restart_ and wnd_restart_ 1).
        OneSegment = "one-segment", "cwnd falls to one segment, ssthresh stays, as in ns-2";
        /// cwnd as in RFC 5681, and ssthresh wrongly set to infinity: every burst after idle then overshoots in slow
        /// start. This is the other interpretation of that flawed control; it is never correct.
        RaisesSsthresh = "raises-ssthresh", "a known mistake: as rfc5681, and ssthresh becomes infinite";
        /// cwnd as in RFC 5681; ssthresh is then at least three quarters of the former cwnd (RFC 2861 section 2; FreeBSD 14
        /// sys/netinet/cc/cc.c, newreno_cc_after_idle).
        FreeBsd = "freebsd", "as rfc5681, and ssthresh is at least 3/4 of the former cwnd, as in FreeBSD 14";
        /// cwnd = min(the initial window of RFC 3390, cwnd); ssthresh stays. The idle period begins with the last segment
        /// that arrived, not with the last one sent (FreeBSD 10 sys/netinet: cc/cc_newreno.c, newreno_after_idle;
        /// tcp_output.c).
        FreeBsd10 = "freebsd-10", "cwnd falls to the initial window of RFC 3390, as in FreeBSD 10: idle since a segment arrived";
    }
}

named! {
    /// Nagle's rule: the conditions under which a segment that is not full waits for further data.
    pub enum NagleRule: "Nagle rule" {
        /// While any data is outstanding (RFC 9293 section 3.7.4).
        Rfc9293 = "rfc9293";
        /// While a segment that was not full is outstanding (Minshall's variant; Linux net/ipv4/tcp_output.c,
        /// tcp_nagle_check).
        Minshall = "minshall";
        /// If data was outstanding when the output began: a write with nothing outstanding leaves as a whole as far as
        /// the windows allow. Such a segment does not wait, either, if it is half of the largest window that the peer has
        /// offered, or if an ACK is due (FreeBSD sys/netinet/tcp_output.c, tcp_default_output).
        FreeBsd = "freebsd";
    }
}

named! {
    /// Handshake with which a connection begins.
    pub enum Handshake: "handshake" {
        /// Handshake of SYN, SYN-ACK and ACK (RFC 9293 section 3.5).
        ThreeWay = "three-way", "SYN, SYN-ACK and ACK (RFC 9293)";
        /// Both ends are established at once and know each other's options and receive buffer, as the one-way agents of
        /// ns-2 do. Sequence numbers begin at 0. No RTT sample precedes the data, and ECN is that of RFC 3168 or none.
        None = "none", "both ends are established at once, as in ns-2; no Accurate ECN";
    }
}

named! {
    /// Computation of the retransmission timeout from the RTT samples.
    pub enum RtoRule: "timeout rule" {
        /// max(min_rto, SRTT + max(G, 4*RTTVAR)) (RFC 6298 section 2.3).
        Rfc6298 = "rfc6298", "SRTT + 4*RTTVAR, at least min_rto";
        /// SRTT + RTTVAR with an RTTVAR that is never below min_rto, follows increases within a round trip and decays
        /// slowly (Linux net/ipv4/tcp_input.c, tcp_rtt_estimator). The dependent timers follow Linux, too: the events
        /// that restart them (tcp_rearm_rto), the slack of probe and reordering timers, and that a timeout within a
        /// recovery causes no further reduction.
        Linux = "linux", "SRTT + RTTVAR, RTTVAR at least min_rto and slow to fall, as Linux has it";
        /// SRTT + 4*RTTVAR in ticks of 10 ms, with one segment timed at once, in integers that keep RTTVAR above zero
        /// (ns-2 tcp/tcp.cc, rtt_update, with the defaults of Agent/TCP).
        Ns2 = "ns2", "SRTT + 4*RTTVAR in ticks of 10 ms, of one segment at a time, as ns-2 has it";
        /// As [`RtoRule::Ns2`] with the timestamps of ns-2 (ts_ true), which give a sample with every new ACK, in ticks of
        /// 0.1 ms (tcpTick_ 0.0001).
        Ns2Fine = "ns2-100us", "as ns2 with ns-2's timestamps: a sample with every new ACK, in ticks of 0.1 ms";
        /// As [`RtoRule::Ns2Fine`] in ticks of 1 ms, and an RTT below the mean hardly raises the deviation (ns-2
        /// tcp/tcp-linux.cc, rtt_update).
        Ns2Linux = "ns2-linux", "as ns2-100us in ticks of 1 ms, and a falling RTT hardly raises RTTVAR";
    }
}

named! {
    /// Use of Explicit Congestion Notification by an endpoint.
    pub enum EcnMode: "ECN mode" {
        /// ECN is not used.
        Off = "off", "none";
        /// RFC 3168 if the peer requests it, as Linux does by default.
        Passive = "passive", "RFC 3168 where the peer asks for it";
        /// RFC 3168, requested in the SYN.
        Classic = "classic", "RFC 3168, asked for";
        /// Accurate ECN (RFC 9768), requested in the SYN; RFC 3168 with a peer that supports no more.
        Accurate = "accurate", "Accurate ECN (RFC 9768), asked for";
        /// RFC 3168 in the handshake; then each ACK echoes whether the last segment was marked, and every segment is
        /// ECN-capable (DCTCP, RFC 8257 sections 3.2, 3.6 and 4.1). The peer must do the same; this is not negotiated.
        Dctcp = "dctcp", "each mark echoed, and every segment ECT(0) (DCTCP, RFC 8257); at both ends";
        /// Accurate ECN with ECT(1) for L4S (RFC 9331); with a peer that supports no more, RFC 3168 with ECT(0).
        L4s = "l4s", "Accurate ECN with data as ECT(1), for the L queue (RFC 9331)";
    }
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

named! {
    /// Packets that are ECN-capable besides new data, while ECN is in use.
    pub enum EcnControl: "ECN-capable control packets" {
        /// No other packet (RFC 3168 sections 6.1.1 and 6.1.4 to 6.1.6).
        None = "none";
        /// The first SYN-ACK (RFC 5562).
        SynAck = "syn-ack";
        /// All packets, beginning with the first SYN if it asks for ECN: retransmissions, pure ACKs, FINs and probes
        /// (ECN++, draft-ietf-tcpm-generalized-ecn). The draft requires Accurate ECN for pure ACKs and SYNs; here they
        /// follow with ECN of RFC 3168, too.
        All = "all";
    }
}

named! {
    /// The segment that carries CWR after the window was reduced, where ECN of RFC 3168 is in use.
    pub enum CwrRule: "rule for CWR" {
        /// The first segment of new data (RFC 3168 section 6.1.2).
        NewData = "new-data";
        /// The first segment with data, even a retransmission.
        AnyData = "any-data";
    }
}

named! {
    /// The segments that carry the option of Accurate ECN (RFC 9768 section 3.2.3), if Accurate ECN is in use.
    pub enum AccEcnOptions: "use of AccECN options" {
        /// No segment, not even the SYN-ACK.
        Never = "never";
        /// Segments with changed counters: the recommended simple scheme of section 3.2.3.3.
        Changes = "changes";
        /// Two segments after a mark or a change of the ECN field of what arrives, and three segments in a round trip at
        /// least (Linux tcp_ecn_option = 1).
        Minimum = "minimum";
        /// All segments with room for the option, until the path proves to drop them (section 3.2.3.2.2).
        Always = "always";
        /// All segments with room for the option, even if the path drops them.
        Persistent = "persistent";
    }
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

impl Keepalive {
    /// The setting as the tables of stacks show it.
    fn shown(keepalive: &Option<Keepalive>) -> String {
        let Some(Keepalive { idle, interval, probes }) = keepalive else { return "off".to_owned() };
        let [idle, interval] = [idle, interval].map(|time| Time::POSITIVE.show(time));
        format!("after {idle}, every {interval}, {probes} times")
    }
}

named! {
    /// Rule for the time at which payload is acknowledged.
    pub enum AckRule: "acknowledgment rule" {
        /// At the latest `delayed_ack` after the payload arrived, and with `ack_every` full segments (RFC 5681 section
        /// 4.2).
        Rfc5681 = "rfc5681";
        /// With more than one full segment; after a delay of 40 to 500 ms that follows the gaps between arrivals; at
        /// once for the first `quick_acks`, and again after a pause; and with our data if the two ends alternate (Linux
        /// net/ipv4/tcp_input.c, tcp_event_data_recv). `delayed_ack` and `ack_every` have no effect.
        Linux = "linux";
        /// At the latest `delayed_ack` after the payload arrived, and with every `ack_every`th segment of whatever size
        /// (FreeBSD sys/netinet/tcp_input.c, DELAY_ACK).
        FreeBsd = "freebsd";
    }
}

named! {
    /// Rule for the receive window that an endpoint offers and accepts.
    pub enum WindowRule: "window rule" {
        /// The right edge advances in steps of a full segment or half of the buffer (RFC 9293 section 3.8.6.2.2). Data
        /// beyond the offered edge is not accepted.
        Rfc9293 = "rfc9293";
        /// As [`WindowRule::Rfc9293`]; a buffer that tunes itself counts the memory of segments, and the window is the
        /// share of payload in it, which is assumed to be half until a full segment arrives (Linux 6.12
        /// net/ipv4/tcp_input.c, tcp_measure_rcv_mss).
        Linux = "linux";
        /// As [`WindowRule::Linux`], with two changes of 2025: a packet that ends beyond the window is accepted only while
        /// nothing waits to be read, and a share that was measured raises the limit of the window to what was offered (Linux
        /// 6.17 net/ipv4: tcp_input.c, tcp_sequence; tcp.c, tcp_set_window_clamp).
        Linux617 = "linux-6.17";
        /// The buffer is rounded up to whole segments. Each segment offers all free space, and data is accepted as far
        /// as the buffer has room, even beyond the offered edge. A read causes a window update if the window grows by
        /// two segments and a quarter of the buffer, or by half of the buffer (FreeBSD sys/netinet: tcp_input.c,
        /// tcp_mss and tcp_do_segment; tcp_output.c, tcp_default_output).
        FreeBsd = "freebsd";
        /// As [`WindowRule::FreeBsd`], with the auto-tuning of FreeBSD 10: the buffer grows by 16 KiB if more than
        /// seven eighths of it arrive within a round trip that timestamps show.
        FreeBsd10 = "freebsd-10";
    }
}

impl WindowRule {
    /// Whether the share of payload in memory is measured, as in Linux.
    pub(crate) fn measures(self) -> bool {
        matches!(self, WindowRule::Linux | WindowRule::Linux617)
    }
}

named! {
    /// Base of a reduction of the window.
    pub enum ReductionBase: "reduction base" {
        /// FlightSize, so that the unused part of a window does not count (RFC 5681 section 3.1, RFC 9438 section 4.6).
        FlightSize = "FlightSize";
        /// cwnd, as in Linux and others, whose validation keeps cwnd close to the used volume (RFC 9438 section 4.6
        /// then allows it).
        Window = "cwnd";
    }
}

named! {
    /// Unit in which a sender counts its window.
    pub enum WindowUnit: "window unit" {
        /// Bytes, as in RFC 5681: windows may contain a part of a segment.
        Bytes = "bytes", "bytes, so that a window may contain a part of a segment (RFC 5681)";
        /// Whole segments, as in Linux: each acknowledged segment counts as a full one, and reductions round down.
        /// Windows are stored in bytes, as multiples of SMSS.
        Segments = "segments", "whole segments, as in Linux: small segments count as full ones";
    }
}

named! {
    /// Data that the pacing rate of a congestion control releases at once.
    pub enum PacingBurst: "pacing burst" {
        /// One segment; unused credit expires at once.
        Segment = "segment";
        /// The segments of one packet of Linux's segmentation offload, which exists in TCP even where the device does
        /// not offload: 1/1024 s of the pacing rate, more where the minimum RTT is below 16 ms, and at least two
        /// segments (one below 1.2 Mbit/s). A flow that is late has its next packet charged by that time less, but at
        /// least by half. The first nine segments of a connection are not paced (net/ipv4/tcp_output.c:
        /// tcp_tso_autosize, tcp_update_skb_after_send; net/ipv4/tcp_bbr.c, bbr_min_tso_segs).
        Linux = "linux";
    }
}

named! {
    /// Treatment of unacceptable segments, where standards and Linux differ.
    pub enum Conformance: "conformance" {
        /// An ACK of data that was not sent is answered (RFC 9293 section 3.10.7.4). A segment without timestamps is
        /// dropped if timestamps are in use (RFC 7323 section 3.2). Only challenge ACKs are limited in number (RFC 5961
        /// section 7).
        Rfc = "rfc";
        /// An ACK of data that was not sent is dropped. A segment without timestamps is accepted. All segments of an
        /// AccECN connection are ECN-capable. No empty segment is answered twice within `challenge_interval` (Linux
        /// net/ipv4/tcp_input.c: tcp_ack, tcp_validate_incoming, tcp_oow_rate_limited).
        Linux = "linux";
        /// As [`Conformance::Rfc`], with these differences (FreeBSD sys/netinet: tcp_input.c, tcp_output.c,
        /// tcp_subr.c). A SYN-ACK to a listener is ignored. The ACK of a segment that arrived before is processed. An
        /// ACK carries the FIN again while the FIN is not acknowledged, and a challenge ACK never does. A connection
        /// attempt ends with an ICMP message about a protocol or a prohibition, and not with one about an unreachable
        /// network or host.
        FreeBsd = "freebsd";
    }
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

impl SynLosses {
    /// The setting as the tables of stacks show it.
    fn shown(&self) -> String {
        let forgiven = if self.forgives_spurious { ", unless timestamps show that they were late" } else { "" };
        format!("{} retransmitted{forgiven}", self.count)
    }
}

/// Declares [`Config`] and [`SETTINGS`] from the list of settings.
macro_rules! declare {
    (scenario { $($scenario:tt)* } other { $($other:tt)* }) => {
        declare! { $($scenario)* $($other)* }
    };
    ($($(#[doc = $doc:literal])+ $name:ident: $Type:ty = $kind:expr $(, $absent:literal)?;)*) => {
        /// Configuration of an endpoint. Times are in nanoseconds, volumes in bytes.
        #[derive(Clone)]
        pub struct Config {
            $($(#[doc = $doc])+ pub $name: $Type,)*
            /// Whether the sender samples the delivery rate and notes losses for observers, even if the congestion control
            /// does not ask for this. It changes nothing that is sent.
            pub samples_rate: bool,
            /// Whether the sender notes what limits it ([`crate::limits`]). It changes nothing that is sent.
            pub notes_limits: bool,
        }

        /// All settings of [`Config`].
        pub const SETTINGS: &[Setting] = &[$(Setting {
            name: stringify!($name),
            description: concat!($($doc),+).trim_ascii_start(),
            show: |config| $kind.show(&config.$name),
            set: |config, text| match Kind::<$Type>::parse(&$kind, text) {
                Some(value) => {
                    config.$name = value;
                    true
                }
                None => false,
            },
            accepts: || Kind::<$Type>::accepts(&$kind),
            switch: |config| $kind.switch(&mut config.$name),
        }),*];
    };
}
crate::settings!(declare);

/// Pacing, as tables show it, of a sender whose congestion control sets the pacing rate.
const CC_PACES: &str = "cc";

/// Linux's net.core.rmem_max, bytes.
const RMEM_MAX: u64 = 212_992;

impl Config {
    /// Name of the pacing that the sender does: that of the setting, or `cc` if the congestion control sets the pacing
    /// rate, which it does whatever the setting is.
    pub fn pacing_name(&self) -> &'static str {
        if self.cc.paces() { CC_PACES } else { self.pacing.name() }
    }

    /// Sets a receive buffer that does not grow, in bytes of the window that it offers once full segments arrive.
    pub fn fix_receive_window(&mut self, window: u64) {
        self.receive_buffer = buffer_for(self, window);
        self.receive_buffer_max = self.receive_buffer;
    }

    /// Offers the window scale that Linux computes from the largest buffer and from rmem_max (net/ipv4/tcp_output.c,
    /// tcp_select_initial_window); other stacks take the least that the buffer needs.
    pub fn scale_receive_window(&mut self) {
        if self.ack_rule == AckRule::Linux {
            let memory = 2 * self.receive_buffer_max.max(self.receive_buffer);
            self.window_scale = Some((memory.max(RMEM_MAX).ilog2() - u16::BITS + 1).min(14) as u8);
        }
    }

    /// Offers no option in a SYN except the maximum segment size.
    pub(crate) fn offer_no_features(&mut self) {
        (self.timestamps, self.sack, self.window_scaling) = (false, false, false);
    }
}
