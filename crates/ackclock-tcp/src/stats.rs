//! What an endpoint counts.

/// Counters of an endpoint since it was made.
// In memory as it stands here: what both ends of a one-way transfer count comes first.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
#[repr(C)]
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
    /// Segments with payload or FIN sent again.
    pub retransmits: u64,
    /// Segments with payload sent again.
    pub data_retransmits: u64,
    /// Payload bytes sent again.
    pub bytes_retransmitted: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Fast recoveries entered.
    pub recoveries: u64,
}
