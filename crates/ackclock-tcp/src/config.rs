//! The choices that make up an endpoint, each by name.

use crate::{Nanos, cc, pacing::Pacing, slow_start, validation};

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

/// Configuration of an endpoint.
#[derive(Clone)]
pub struct Config {
    /// Maximum segment size in bytes of payload, offered to the peer and bounding our own segments.
    pub mss: u32,
    /// Initial window in segments (RFC 6928: 10).
    pub initial_window: u32,
    /// Retransmission timeout before the first RTT sample (RFC 6298: 1 s).
    pub initial_rto: Nanos,
    /// Smallest retransmission timeout (RFC 6298: 1 s; Linux: 200 ms).
    pub min_rto: Nanos,
    /// Largest retransmission timeout (RFC 6298: at least 60 s).
    pub max_rto: Nanos,
    /// Whether SACK is offered and, where both offer it, used (RFC 2018, RFC 6675).
    pub sack: bool,
    /// Receive buffer in bytes; it bounds the advertised window.
    pub receive_buffer: u64,
    /// How long an ACK may be held back (RFC 9293 section 3.8.6.3: below 500 ms); 0 acknowledges every segment.
    pub delayed_ack: Nanos,
    /// Full-sized segments after which an ACK is due at once (RFC 5681 section 4.2: 2).
    pub ack_every: u32,
    /// Segments at the start of a connection, and after an idle period, that are acknowledged at once.
    pub quick_acks: u32,
    /// Restart after idle.
    pub restart: Restart,
    /// Pacing.
    pub pacing: Pacing,
    /// Congestion control.
    pub cc: &'static cc::Entry,
    /// Slow start.
    pub slow_start: &'static slow_start::Entry,
    /// Window validation.
    pub validation: &'static validation::Entry,
}
