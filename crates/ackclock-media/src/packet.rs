//! Packets of a sender, and the feedback on these packets.

use ackclock_core::Nanos;

/// An RTP packet that was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// Transport-wide sequence number, which counts all packets of the sender and does not wrap.
    pub number: u64,
    /// Size in bytes, with all headers.
    pub size: u32,
    /// Time of sending.
    pub sent: Nanos,
}

/// The outcome of a packet, as feedback reports it. Each packet has one outcome at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The packet.
    pub packet: Packet,
    /// Time of its arrival, as precise as the format of the feedback; `None` for a packet that is missing.
    pub arrival: Option<Nanos>,
    /// Whether the packet has arrived with a mark (ECN CE).
    pub marked: bool,
}

/// The news of a report, for the sender.
#[derive(Clone, Copy, Debug)]
pub struct Feedback<'a> {
    /// Time at which the report has reached the sender.
    pub now: Nanos,
    /// Time at which the receiver has sent the report.
    pub reported: Nanos,
    /// Round-trip time of the newest packet that has arrived, without the time that the receiver held the report back.
    pub rtt: Nanos,
    /// Packets of which the report has said something for the first time, in the order of their numbers.
    pub outcomes: &'a [Outcome],
    /// Bytes sent after the newest packet that has arrived (RFC 8298 section 4.1.2).
    pub in_flight: u64,
}
