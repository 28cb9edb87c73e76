//! Statistics that a transport reports.

use ackclock_core::Nanos;

/// State and counts of one end as a sender. What a stack does not know is `None`; counts start at zero.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Statistics {
    /// Congestion window, in bytes.
    pub window: Option<u64>,
    /// Slow start threshold, in bytes.
    pub threshold: Option<u64>,
    /// Bytes that were sent and are neither acknowledged nor deemed lost.
    pub in_flight: Option<u64>,
    /// Smoothed RTT, in ns.
    pub srtt: Option<Nanos>,
    /// Mean deviation of the RTT, in ns.
    pub rtt_variation: Option<Nanos>,
    /// Latest RTT sample, in ns.
    pub latest_rtt: Option<Nanos>,
    /// Smallest RTT sample, in ns.
    pub min_rtt: Option<Nanos>,
    /// Pacing rate, in bit/s.
    pub pacing_rate: Option<u64>,
    /// Delivery rate, in bit/s.
    pub delivery_rate: Option<u64>,
    /// State of the congestion control, such as `slow start`.
    pub state: Option<&'static str>,
    /// Datagrams deemed lost.
    pub lost: u64,
    /// Datagrams with stream bytes that were sent before. A stack that does not count them counts what it deems lost.
    pub retransmitted: u64,
    /// Expiries of the retransmission timer or of the probe timeout.
    pub timeouts: u64,
    /// Reductions of the window because of congestion, one for each round of losses.
    pub reductions: u64,
}
