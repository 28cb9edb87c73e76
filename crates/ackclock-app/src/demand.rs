//! The load that an application may offer to the network. It is computed before the run, as the application's part of
//! an estimate (see [`crate::scenario::Estimate`]).

use super::completion::Path;
use ackclock_core::Distribution;
use ackclock_results::BINS;

/// An upper bound, with few exceptions, on the load that one flow's application offers within a time. The numbers are
/// real because they may exceed every integer. Infinite bytes mean as many as the network carries.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Demand {
    /// Bytes of payload from the source to the sink.
    pub bytes: f64,
    /// Messages from the source to the sink; each may end in a packet that is not full.
    pub messages: f64,
    /// Bytes of payload from the sink to the source.
    pub reverse_bytes: f64,
    /// Messages from the sink to the source.
    pub reverse_messages: f64,
    /// Connections opened.
    pub connections: f64,
    /// Connections that are open at the same time, at most.
    pub open: f64,
    /// Number of datagrams, which are packets outside TCP.
    pub datagrams: f64,
    /// Mean size of a datagram in bytes, headers included.
    pub datagram_size: f64,
    /// Rows of the application's tables.
    pub rows: f64,
}

/// Returns the number of rows for things that have one row each: their own rows, one summary row in `completions`, and
/// at most one row of `completion_bins` for each.
pub(crate) fn rows_of(things: f64) -> f64 {
    things + 1.0 + things.min(BINS)
}

/// Margin by which the number of drawn things may exceed its mean: half of the mean, plus three.
const DRAWN_PART: f64 = 1.5;
const DRAWN_MORE: f64 = 3.0;

/// Returns a bound on a number of drawn things, from its mean.
pub(crate) fn drawn(mean: f64) -> f64 {
    mean * DRAWN_PART + DRAWN_MORE
}

/// Returns a bound on a number of things from its mean, where the distributions say whether anything is drawn.
pub(crate) fn drawn_from(mean: f64, distributions: &[&Distribution]) -> f64 {
    let is_constant = |one: &&Distribution| matches!(one, Distribution::Constant(_));
    if distributions.iter().all(is_constant) { mean } else { drawn(mean) }
}

/// Returns the number of things that begin within `time` seconds when one begins every `each` seconds.
pub(crate) fn repeated(time: f64, each: f64) -> f64 {
    if each > 0.0 { time / each + 1.0 } else { f64::INFINITY }
}

/// Returns the typical time of a distribution of nanoseconds, in seconds. It is the median: rare large draws dominate
/// the mean, so a run hardly ever reaches the mean.
pub(crate) fn typical_s(distribution: &Distribution) -> f64 {
    distribution.median() / 1e9
}

/// Connections that are open at the same time where each begins after the end of the one before: an end may wait for
/// acknowledgments of its last packets.
pub(crate) const IN_TURN: f64 = 4.0;

impl Path {
    /// Returns the minimum time until a new connection is open, in seconds.
    pub(crate) fn handshake_s(self) -> f64 {
        self.handshake as f64 / 1e9
    }

    /// Returns the minimum time in which `bytes` from the source arrive, in seconds.
    pub(crate) fn least_s(self, bytes: f64) -> f64 {
        self.delay as f64 / 1e9 + bytes * 8.0 / self.rate.bits() as f64
    }

    /// Returns the minimum time of a request and the arrival of its answer of `bytes`, in seconds.
    pub(crate) fn least_answer_s(self, bytes: f64) -> f64 {
        self.rtt as f64 / 1e9 + bytes * 8.0 / self.rate.bits() as f64
    }
}
