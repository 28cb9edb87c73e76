//! A snapshot of a connection, with the fields of Linux's `struct tcp_info` under their names without the prefix.

use crate::{Nanos, Rate, State};

/// State of loss recovery (Linux `enum tcp_ca_state`, with its numbers).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(u8)]
pub enum CaState {
    /// No ACK indicates loss or reordering.
    #[default]
    Open = 0,
    /// Duplicate ACKs or SACKs, not yet a loss.
    Disorder = 1,
    /// The window is being reduced because of a mark.
    Cwr = 2,
    /// Fast recovery.
    Recovery = 3,
    /// After a retransmission timeout.
    Loss = 4,
}

/// Feedback about marks that the two ends have agreed on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum EcnUse {
    /// None.
    #[default]
    None,
    /// RFC 3168.
    Classic,
    /// RFC 9768.
    Accurate,
}

/// A snapshot of a connection. Counts of segments are `u32`, as in Linux. Times are in nanoseconds; each field names
/// Linux's unit, microseconds or milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Info {
    /// State of the connection; [`Info::state_number`] is Linux's number.
    pub state: State,
    /// State of loss recovery.
    pub ca_state: CaState,
    /// Consecutive expiries of the retransmission timer, SYNs included.
    pub retransmits: u8,
    /// Unanswered probes of a closed window, or of an idle connection.
    pub probes: u8,
    /// Doublings of the retransmission timeout, or of the interval between probes of a closed window.
    pub backoff: u8,
    /// Options in use: 1 timestamps, 2 SACK, 4 window scaling, 8 ECN negotiated, 16 ECN seen on an arriving packet.
    pub options: u8,
    /// Window scale of the peer's window field, bits.
    pub snd_wscale: u8,
    /// Window scale of our window field, bits.
    pub rcv_wscale: u8,
    /// Retransmission timeout, backoff included (Linux: microseconds).
    pub rto: Nanos,
    /// Delay that the next delayed ACK would have (Linux: microseconds).
    pub ato: Nanos,
    /// Payload of a full segment that we send, without options, bytes.
    pub snd_mss: u32,
    /// Estimate of the payload of the peer's full segments, bytes.
    pub rcv_mss: u32,
    /// Segments sent and not cumulatively acknowledged.
    pub unacked: u32,
    /// Number of outstanding segments that are SACKed; without SACK, duplicate ACKs.
    pub sacked: u32,
    /// Number of outstanding segments that are deemed lost.
    pub lost: u32,
    /// Number of outstanding segments that were retransmitted and are in the network.
    pub retrans: u32,
    /// Time since payload was last sent (Linux: milliseconds).
    pub last_data_sent: Nanos,
    /// Time since payload last arrived (Linux: milliseconds).
    pub last_data_recv: Nanos,
    /// Time since an ACK last arrived (Linux: milliseconds).
    pub last_ack_recv: Nanos,
    /// Path MTU as far as known, bytes of an IPv4 packet.
    pub pmtu: u32,
    /// Largest receive window that auto-tuning now allows, bytes.
    pub rcv_ssthresh: u32,
    /// Smoothed round-trip time (Linux: microseconds); 0 before a sample.
    pub rtt: Nanos,
    /// Mean deviation of the round-trip time (Linux: microseconds).
    pub rttvar: Nanos,
    /// Slow-start threshold in segments; `0x7fff_ffff` while it is infinite.
    pub snd_ssthresh: u32,
    /// Congestion window in segments.
    pub snd_cwnd: u32,
    /// MSS that we offered, bytes.
    pub advmss: u32,
    /// Number of duplicate ACKs, or of segments SACKed above a segment, that indicates its loss at present.
    pub reordering: u32,
    /// Receiver's estimate of the round-trip time (Linux: microseconds); 0 before a sample.
    pub rcv_rtt: Nanos,
    /// Bytes that the application read in the last round trip, as measured by auto-tuning.
    pub rcv_space: u32,
    /// Segments retransmitted so far.
    pub total_retrans: u32,
    /// Pacing rate; `None` if segments are not paced.
    pub pacing_rate: Option<Rate>,
    /// Bytes acknowledged, SYN and FIN included.
    pub bytes_acked: u64,
    /// Payload bytes received in order.
    pub bytes_received: u64,
    /// Segments sent, of any kind.
    pub segs_out: u32,
    /// Segments received, of any kind.
    pub segs_in: u32,
    /// Bytes written and not sent yet.
    pub notsent_bytes: u64,
    /// Smallest RTT sample (Linux: microseconds); before a sample Linux has `u32::MAX` microseconds, and this field
    /// `Nanos::MAX`.
    pub min_rtt: Nanos,
    /// Segments with payload received.
    pub data_segs_in: u32,
    /// Segments with payload sent.
    pub data_segs_out: u32,
    /// Segments delivered to the peer, the SYN included.
    pub delivered: u32,
    /// Segments delivered to the peer with a mark.
    pub delivered_ce: u32,
    /// Payload bytes sent, retransmissions included.
    pub bytes_sent: u64,
    /// Payload bytes retransmitted.
    pub bytes_retrans: u64,
    /// D-SACK blocks received.
    pub dsack_dups: u32,
    /// Number of times that reordering was seen.
    pub reord_seen: u32,
    /// Segments received out of order.
    pub rcv_ooopack: u32,
    /// Window that the peer offers, bytes.
    pub snd_wnd: u64,
    /// Window that we offer, bytes.
    pub rcv_wnd: u64,
    /// Packets received with a mark.
    pub received_ce: u32,
    /// Payload bytes received in packets with ECT(0), ECT(1) and CE.
    pub received_bytes: [u64; 3],
    /// Payload bytes that the peer's options of Accurate ECN reported as received with ECT(0), ECT(1) and CE.
    pub delivered_bytes: [u64; 3],
    /// Feedback about marks that the two ends agreed on.
    pub ecn: EcnUse,
}

impl Info {
    /// The state as Linux numbers it (`enum` of `TCP_ESTABLISHED` to `TCP_CLOSING`).
    pub fn state_number(&self) -> u8 {
        match self.state {
            State::Established => 1,
            State::SynSent => 2,
            State::SynReceived => 3,
            State::FinWait1 => 4,
            State::FinWait2 => 5,
            State::TimeWait => 6,
            State::Closed => 7,
            State::CloseWait => 8,
            State::LastAck => 9,
            State::Listen => 10,
            State::Closing => 11,
        }
    }
}
