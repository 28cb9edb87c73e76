//! How much an application may ask of the network, before anything runs: the part of an estimate that only the application
//! knows (see [`crate::scenario::Estimate`]).

use super::completion::Path;
use ackclock_core::Distribution;
use ackclock_results::BINS;

/// An upper bound, with few exceptions, on what one flow's application does in a time. Numbers are real, as they may be
/// beyond every integer; infinite bytes are as many as the network takes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Demand {
    /// Bytes of payload from the source to the sink.
    pub bytes: f64,
    /// Messages from the source to the sink, each of which may end in a packet that is not full.
    pub messages: f64,
    /// Bytes of payload from the sink to the source.
    pub back_bytes: f64,
    /// Messages from the sink to the source.
    pub back_messages: f64,
    /// Connections opened.
    pub connections: f64,
    /// Datagrams, which are packets outside TCP, with their mean size in bytes, headers included.
    pub datagrams: f64,
    /// Bytes of a datagram, headers included.
    pub datagram_size: f64,
    /// Rows of the application's tables.
    pub rows: f64,
}

/// Rows of a kind of things that has a row each: those, their summary in `completions`, and a bin of `completion_bins` for each
/// at most.
pub(crate) fn rows_of(things: f64) -> f64 {
    things + 1.0 + things.min(BINS)
}

/// By how much the number of drawn things may exceed its mean: half of it, and three.
const DRAWN_PART: f64 = 1.5;
const DRAWN_MORE: f64 = 3.0;

/// A number of things that are drawn, from its mean.
pub(crate) fn drawn(mean: f64) -> f64 {
    mean * DRAWN_PART + DRAWN_MORE
}

/// How many things begin within `time` seconds if one follows the other after `each` seconds.
pub(crate) fn repeated(time: f64, each: f64) -> f64 {
    if each > 0.0 { time / each + 1.0 } else { f64::INFINITY }
}

/// The typical time of a distribution of nanoseconds, in seconds. It is the median: a mean that rare large draws decide is
/// hardly ever met within a run.
pub(crate) fn typical_s(distribution: &Distribution) -> f64 {
    distribution.median() / 1e9
}

impl Path {
    /// Seconds that an exchange of `bytes` from the source takes at least: half a round trip and the bytes at the path's rate.
    pub(crate) fn least_s(self, bytes: f64) -> f64 {
        self.rtt as f64 / 2e9 + bytes * 8.0 / self.rate.max(1) as f64
    }
}
