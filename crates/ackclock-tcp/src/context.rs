//! The information that the sender passes to its strategies, one context per event, and the window that they change.

use crate::{Nanos, Rate};

/// The state that a congestion control owns. It gets all other information from the event's context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Slow-start threshold, bytes; `u64::MAX` until the first congestion.
    pub ssthresh: u64,
    /// Pacing rate that the congestion control requests; `None` leaves the rate to the pacer.
    pub pacing_rate: Option<Rate>,
}

impl Window {
    /// Whether cwnd is below ssthresh (RFC 5681 section 3.1).
    #[inline]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }
}

/// The sender's state after an event. Volumes are in bytes, times in nanoseconds.
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
    /// Estimate of the bytes in the network: "pipe" of RFC 6675, or FlightSize without SACK. In `flight_size` and `pipe`,
    /// each segment counts as a full one where the window is counted in segments, as in Linux.
    pub pipe: u64,
    /// Bytes that the application has written and that were never sent.
    pub unsent: u64,
    /// The window that the peer advertised last (SND.WND of RFC 9293 section 3.3.1).
    pub receive_window: u64,
    /// Smoothed round-trip time; `None` before the first sample.
    pub srtt: Option<Nanos>,
    /// Smallest RTT sample; `None` before the first sample.
    pub min_rtt: Option<Nanos>,
    /// Current retransmission timeout, backoff included.
    pub rto: Nanos,
    /// Whether loss recovery (fast recovery or after a timeout) is in progress.
    pub in_recovery: bool,
    /// The time from which the pacer lets the next segment leave; not after `now` if it does not wait.
    pub release: Nanos,
}

/// An acknowledgment that advanced snd_una or SACKed new data.
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
    /// RTT sample of this acknowledgment, ns, if Karn's rule allows a sample.
    pub rtt: Option<Nanos>,
    /// Whether the window was full within the flight that this acknowledgment covers.
    pub cwnd_limited: bool,
    /// Bytes newly reported as received with a mark: exact with AccECN; with RFC 3168, `acked` while ECN echo is set.
    pub marked: u64,
}

/// Delivery information of an acknowledgment, in every phase of the sender, for algorithms that ask for it
/// ([`crate::cc::Scope::deliveries`]). Volumes are in bytes, times in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// The acknowledgment.
    pub ack: Ack,
    /// Bytes newly known to have arrived, in order or not.
    pub newly: u64,
    /// Total of bytes known to have arrived.
    pub delivered: u64,
    /// Total of bytes ever deemed lost.
    pub lost: u64,
    /// Send time of the newest segment that this acknowledgment reports as received, if the segment was sent once.
    pub sent_at: Option<Nanos>,
    /// One-way delay from the sender to the receiver. It is the difference of the clocks of both ends' timestamps and
    /// so correct up to a constant, with their resolution of one millisecond. `None` without timestamps (RFC 7323).
    pub forward_delay: Option<i64>,
    /// Send time of the segment whose timestamp the acknowledgment echoes, in whole milliseconds; `None` without
    /// timestamps.
    pub echo: Option<Nanos>,
    /// The delivery rate; `None` if no segment is newly known to have arrived.
    pub rate: Option<RateSample>,
}

/// A sample of the delivery rate, over the flight of the newest segment that an acknowledgment reports as received
/// (draft-ietf-ccwg-bbr section 4.1). Volumes are in bytes, times in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateSample {
    /// Bytes delivered over the interval (RS.delivered).
    pub delivered: u64,
    /// Bytes known to be delivered when the segment was sent (RS.prior_delivered).
    pub prior_delivered: u64,
    /// The longer of the two times over which the flight was sent and acknowledged (RS.interval). Zero if the interval
    /// is shorter than the smallest RTT, so that the sample gives no rate.
    pub interval: Nanos,
    /// Bytes in the network just after the segment was sent, the segment included (RS.tx_in_flight).
    pub tx_in_flight: u64,
    /// Bytes deemed lost since the segment was sent (RS.lost).
    pub lost: u64,
    /// Whether the application had nothing to send at some time in the interval (RS.is_app_limited).
    pub app_limited: bool,
}

impl RateSample {
    /// Delivery rate (RS.delivery_rate), in whole bytes per second; `None` if the interval gives no rate.
    pub fn rate(&self) -> Option<Rate> {
        let ns = u128::from(self.delivered) * u128::from(crate::SECOND);
        (self.interval > 0).then(|| Rate::of_bytes(u64::try_from(ns / u128::from(self.interval)).unwrap_or(u64::MAX)))
    }
}

/// A segment that is deemed lost, for algorithms that ask for it ([`crate::cc::Scope::losses`]). Volumes are in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Lost {
    /// State after the segment was deemed lost.
    pub ctx: Context,
    /// Length of the segment.
    pub len: u64,
    /// Bytes in the network just after the segment was sent, the segment included (P.tx_in_flight).
    pub tx_in_flight: u64,
    /// Bytes deemed lost since the segment was sent, the segment included.
    pub lost_since: u64,
    /// Whether the application had no more data to send when the segment was sent.
    pub app_limited: bool,
}

/// The evidence of congestion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Loss, found by duplicate ACKs, SACK, RACK or a probe.
    Loss,
    /// An ECN mark, without a loss.
    Ecn,
    /// An expiry of the retransmission timer.
    Timeout,
    /// The congestion control itself requested a reduction ([`crate::cc::CongestionControl::requests_reduction`]).
    Delay,
}

/// The evidence that a segment is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// Later segments arrived: duplicate ACKs, SACKs above the segment, or a partial acknowledgment.
    Order,
    /// A segment that was sent sufficiently later arrived (RACK, RFC 8985).
    Time,
    /// The retransmission timer expired.
    Timeout,
}

/// Congestion: loss, a mark, or a retransmission timeout.
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// Evidence of the congestion.
    pub cause: Cause,
    /// Whether ABE (RFC 8511) applies to the response to a mark.
    pub abe: bool,
    /// State at detection, before the response. `flight_size` is the FlightSize at detection; after a timeout `pipe` is
    /// the part of FlightSize that is not deemed lost.
    pub ctx: Context,
}

/// The end of fast recovery: the acknowledgment that covers the recovery point.
#[derive(Clone, Copy, Debug)]
pub struct RecoveryEnd {
    /// State at the end.
    pub ctx: Context,
    /// Bytes that were deemed lost, retransmitted in this recovery and delivered; each byte counts once, regardless of
    /// the number of its retransmissions.
    pub retransmitted: u64,
}

/// The end of the response to congestion: the sender no longer repairs losses or reduces its window.
#[derive(Clone, Copy, Debug)]
pub struct CongestionEnd {
    /// State at the end.
    pub ctx: Context,
    /// Bytes that were deemed lost, retransmitted in fast recovery or by a probe, and delivered; each byte counts once.
    /// This is R of RFC 7661 section 4.4.1.
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
