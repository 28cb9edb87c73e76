//! Slow start: the growth of the window below ssthresh, and methods that end it before a loss. Each variant has a file
//! and a line in [`CATALOGUE`].
//!
//! A congestion control that grows its window below ssthresh itself ([`crate::cc::Scope::slow_start`]) replaces these
//! variants.

use crate::Nanos;
use crate::context::{Ack, Congestion, Window};

#[cfg(test)]
mod harness;
mod hystart;
mod hystart_plus_plus;
mod limited;
mod linux;
mod per_ack;
#[cfg(test)]
mod properties;
mod search;
mod standard;

/// An RTT sample and the sender's state after the acknowledgment that gave it. Times are in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Time of the acknowledgment.
    pub now: Nanos,
    /// RTT of the newest segment that the acknowledgment reports as received.
    pub rtt: Nanos,
    /// Smoothed RTT, this sample included.
    pub srtt: Option<Nanos>,
    /// Stream offset of the first unacknowledged byte.
    pub snd_una: u64,
    /// Stream offset of the next new byte.
    pub snd_nxt: u64,
    /// Maximum segment size, bytes of payload.
    pub mss: u64,
}

/// Grows the window while `cwnd < ssthresh`, and may end that phase by lowering ssthresh to cwnd.
pub trait SlowStart: Send {
    /// Brings the state into the processor's caches ([`ackclock_core::prefetch`]), if it is more than a few bytes.
    fn prefetch(&self) {}

    /// The connection is established. `paced` tells whether its segments are paced.
    fn on_start(&mut self, _paced: bool) {}

    /// Whether [`SlowStart::on_sample`] does anything.
    fn takes_samples(&self) -> bool {
        false
    }

    /// An acknowledgment gave an RTT sample, in any phase of the sender. This comes before the acknowledgment changes
    /// the window.
    fn on_sample(&mut self, _window: &mut Window, _sample: &Sample) {}

    /// New data was acknowledged below ssthresh, outside fast recovery. If `may_grow` is false, window validation
    /// prevents growth, but measurements continue. Returns the acknowledged bytes that were left when the window
    /// reached ssthresh.
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, may_grow: bool) -> u64;

    /// A loss or a mark was detected, and the congestion control has answered it.
    fn on_congestion(&mut self, _event: &Congestion) {}

    /// The retransmission timer expired; slow start begins again at one segment.
    fn on_timeout(&mut self, _event: &Congestion) {}
}

/// Grows the window by `by` bytes, but at most to ssthresh; each byte uses `cost` bytes of `acked`. Returns the unused
/// part of `acked`.
#[inline]
fn grow(window: &mut Window, by: u64, acked: u64, cost: u64) -> u64 {
    let room = window.ssthresh - window.cwnd;
    if by < room {
        window.cwnd += by;
        return 0;
    }
    window.cwnd = window.ssthresh;
    acked.saturating_sub(room * cost)
}

/// An entry of the catalogue.
pub struct Entry {
    /// Name in scenarios.
    pub name: &'static str,
    /// Short description of the variant.
    pub summary: &'static str,
    /// RFC, paper, draft or code that specifies the variant.
    pub source: &'static str,
    /// Creates the variant for a connection.
    pub make: fn() -> Box<dyn SlowStart>,
}

/// All variants.
//= https://www.rfc-editor.org/rfc/rfc9438#section-4.10
//# CUBIC SHOULD use the HyStart++ slow start algorithm [RFC9406]
pub const CATALOGUE: &[Entry] = &[
    standard::ENTRY,
    limited::ENTRY,
    linux::ENTRY,
    per_ack::ENTRY,
    hystart::ENTRY,
    hystart_plus_plus::ENTRY,
    search::ENTRY,
];

/// The entry with a name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}
