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

/// What an acknowledgment tells of deliveries, in every phase of the sender, to algorithms that ask for it
/// ([`crate::cc::Scope::deliveries`]). Volumes in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// The acknowledgment.
    pub ack: Ack,
    /// Newly known to have arrived, in order or not.
    pub newly: u64,
    /// Known to have arrived, in all.
    pub delivered: u64,
    /// Ever deemed lost, in all.
    pub lost: u64,
    /// When the newest segment was sent that this acknowledgment says has arrived, if it was sent once.
    pub sent_at: Option<Nanos>,
    /// The time from the sender to the receiver, by the clocks of both ends' timestamps and so up to a constant; in their
    /// resolution of one millisecond. `None` without timestamps (RFC 7323).
    pub forward_delay: Option<i64>,
    /// The delivery rate; `None` where nothing is newly known to have arrived.
    pub rate: Option<RateSample>,
}

/// A sample of the delivery rate, over the flight of the newest segment that an acknowledgment says has arrived
/// (draft-ietf-ccwg-bbr section 4.1). Volumes in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateSample {
    /// Delivered over the interval (RS.delivered).
    pub delivered: u64,
    /// What was known to be delivered when the segment was sent (RS.prior_delivered).
    pub prior_delivered: u64,
    /// The longer of the times over which it was sent and acknowledged (RS.interval); zero where the sample says nothing of
    /// a rate, being shorter than the smallest RTT.
    pub interval: Nanos,
    /// In the network just after the segment was sent, itself included (RS.tx_in_flight).
    pub tx_in_flight: u64,
    /// Deemed lost since the segment was sent (RS.lost).
    pub lost: u64,
    /// Whether the application had nothing to send at some time in the interval (RS.is_app_limited).
    pub app_limited: bool,
}

impl RateSample {
    /// Bytes per second (RS.delivery_rate); `None` where the interval says nothing.
    pub fn bytes_per_second(&self) -> Option<u64> {
        let ns = u128::from(self.delivered) * u128::from(crate::SECOND);
        (self.interval > 0).then(|| u64::try_from(ns / u128::from(self.interval)).unwrap_or(u64::MAX))
    }
}

/// A segment is deemed lost, for algorithms that ask for it ([`crate::cc::Scope::losses`]). Volumes in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Lost {
    /// State after it was.
    pub ctx: Context,
    /// Its length.
    pub len: u64,
    /// In the network just after it was sent, itself included (P.tx_in_flight).
    pub tx_in_flight: u64,
    /// Deemed lost since it was sent, itself included.
    pub lost_since: u64,
    /// Whether the application had nothing more to send when it was sent.
    pub app_limited: bool,
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
    /// State at detection, before the response. `flight_size` is the FlightSize at detection; after a timeout `pipe` is what
    /// of it is not deemed lost.
    pub ctx: Context,
}

/// The end of fast recovery: the acknowledgment that covers the recovery point.
#[derive(Clone, Copy, Debug)]
pub struct RecoveryEnd {
    /// State at the end.
    pub ctx: Context,
    /// Volume that was deemed lost, retransmitted in this recovery and delivered; each byte counts once however often it was
    /// sent.
    pub retransmitted: u64,
}

/// The end of the answer to congestion: the sender neither repairs losses nor reduces its window any more.
#[derive(Clone, Copy, Debug)]
pub struct CongestionEnd {
    /// State at the end.
    pub ctx: Context,
    /// Volume that was deemed lost, retransmitted in fast recovery or by a probe, and delivered; each byte counts once. This
    /// is R of RFC 7661 section 4.4.1.
    pub retransmitted: u64,
    /// Whether losses were repaired in slow start from one segment, after a timeout or a fast retransmit of Tahoe.
    pub slow_start: bool,
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
