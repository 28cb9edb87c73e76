//! What the sender tells its strategies, one context per event, and the window they act on.

use crate::Nanos;

/// The state a congestion control owns. Everything else it learns from the event's context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Slow-start threshold, bytes; `u64::MAX` until the first congestion.
    pub ssthresh: u64,
    /// Pacing rate in bytes per second that the congestion control asks for; `None` leaves it to the pacer.
    pub pacing_rate: Option<u64>,
}

impl Window {
    /// Whether cwnd is below ssthresh (RFC 5681 section 3.1).
    #[inline]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }
}

/// The sender's state at an event, after the event was taken into account. Volumes in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// The time of the event.
    pub now: Nanos,
    /// Sender maximum segment size (SMSS).
    pub mss: u64,
    /// Initial window, also the restart window (RFC 5681 section 3.1).
    pub initial_window: u64,
    /// Stream offset of the first unacknowledged byte. SYN and FIN do not count.
    pub snd_una: u64,
    /// Stream offset of the next new byte to send.
    pub snd_nxt: u64,
    /// FlightSize: bytes sent and not cumulatively acknowledged (RFC 5681 section 2).
    pub flight_size: u64,
    /// Estimate of the bytes in the network: "pipe" of RFC 6675, or FlightSize without SACK.
    pub pipe: u64,
    /// Bytes the application has written that were never sent.
    pub unsent: u64,
    /// The window the peer advertised last (SND.WND of RFC 9293 section 3.3.1).
    pub receive_window: u64,
    /// Smoothed round-trip time; `None` before the first sample.
    pub srtt: Option<Nanos>,
    /// Smallest round-trip time seen; `None` before the first sample.
    pub min_rtt: Option<Nanos>,
    /// Current retransmission timeout, backoff included.
    pub rto: Nanos,
    /// Whether loss recovery (fast recovery or after a timeout) is under way.
    pub in_recovery: bool,
}

/// An acknowledgment that moved snd_una or SACKed new data.
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    /// State after the acknowledgment.
    pub ctx: Context,
    /// Bytes by which snd_una advanced.
    pub acked: u64,
    /// Bytes newly SACKed; one segment for each duplicate ACK without SACK.
    pub sacked: u64,
    /// Bytes newly deemed lost.
    pub lost: u64,
    /// Round-trip sample of this acknowledgment, if Karn's rule allows one.
    pub rtt: Option<Nanos>,
    /// Whether the window was full within the flight that this acknowledgment covers.
    pub cwnd_limited: bool,
    /// Bytes newly reported as having arrived with a mark: exact with AccECN; with RFC 3168, `acked` while ECN echo is set.
    pub marked: u64,
}

/// What told of congestion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Loss, found by duplicate ACKs, SACK, RACK or a probe.
    Loss,
    /// An ECN mark, no loss.
    Ecn,
    /// The retransmission timer.
    Timeout,
}

/// Congestion: loss, a mark, or a retransmission timeout.
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// What told of it.
    pub cause: Cause,
    /// Whether the response to a mark is to be that of ABE (RFC 8511).
    pub abe: bool,
    /// State at detection, before the response. `flight_size` is the FlightSize at detection.
    pub ctx: Context,
}

/// The end of fast recovery: the acknowledgment that covers the recovery point.
#[derive(Clone, Copy, Debug)]
pub struct RecoveryEnd {
    /// State at the end.
    pub ctx: Context,
    /// Volume retransmitted in this recovery and delivered, each byte counted once however often it was sent.
    pub retransmitted: u64,
}

impl Congestion {
    /// A loss in the state `ctx`.
    pub fn loss(ctx: Context) -> Congestion {
        Congestion { cause: Cause::Loss, abe: false, ctx }
    }

    /// A retransmission timeout in the state `ctx`.
    pub fn timeout(ctx: Context) -> Congestion {
        Congestion { cause: Cause::Timeout, abe: false, ctx }
    }
}
