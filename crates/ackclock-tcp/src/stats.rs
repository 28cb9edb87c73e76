//! Counters of an endpoint.

/// Counters of an endpoint since its creation.
// The order of the fields is their order in memory: the counters of both ends of a one-way transfer come first.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
#[repr(C)]
#[non_exhaustive]
pub struct Stats {
    /// Segments sent, of any kind.
    pub segments_sent: u64,
    /// Segments received, of any kind.
    pub segments_received: u64,
    /// Segments with payload received.
    pub data_segments_received: u64,
    /// Segments with payload sent, retransmissions included.
    pub data_segments_sent: u64,
    /// Payload bytes sent, retransmissions included.
    pub bytes_sent: u64,
    /// Retransmitted segments with payload or FIN.
    pub retransmits: u64,
    /// Retransmitted segments with payload.
    pub data_retransmits: u64,
    /// Retransmitted payload bytes.
    pub bytes_retransmitted: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Fast recoveries entered.
    pub recoveries: u64,
}
