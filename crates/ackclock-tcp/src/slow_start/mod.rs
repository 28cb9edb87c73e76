//! Slow start: how the window grows below ssthresh, and what ends it before a loss does. One file a variant, one line in
//! [`CATALOGUE`].
//!
//! A congestion control that grows its window below ssthresh itself ([`crate::cc::CongestionControl::runs_slow_start`])
//! takes the place of all of this.

use crate::context::{Ack, Congestion, Window};

#[cfg(test)]
mod harness;
mod hystart;
mod hystart_plus_plus;
mod limited;
#[cfg(test)]
mod properties;
mod search;
mod standard;

/// Grows the window while `cwnd < ssthresh`, and may end that phase by lowering ssthresh to cwnd.
pub trait SlowStart: Send {
    /// The connection is established; `paced` is whether its segments are spread over time.
    fn on_start(&mut self, _paced: bool) {}

    /// New data was acknowledged below ssthresh, outside fast recovery. Unless `may_grow` window validation keeps the window
    /// from growing, but there is still something to measure. Returns the acknowledged bytes left over when the window
    /// reached ssthresh.
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, may_grow: bool) -> u64;

    /// Loss or a mark was found and the congestion control has answered it.
    fn on_congestion(&mut self, _event: &Congestion) {}

    /// The retransmission timer expired; slow start begins anew from one segment.
    fn on_timeout(&mut self, _event: &Congestion) {}
}

/// Adds `by` bytes to the window, up to ssthresh, where each took `cost` bytes of `acked`. Returns what was not needed of
/// `acked`.
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
    /// One line on what it is.
    pub summary: &'static str,
    /// Where it is specified.
    pub source: &'static str,
    /// Makes one for a connection.
    pub make: fn() -> Box<dyn SlowStart>,
}

/// Every variant, by name.
pub const CATALOGUE: &[Entry] =
    &[standard::ENTRY, limited::ENTRY, hystart::ENTRY, hystart_plus_plus::ENTRY, search::ENTRY];

/// The entry of a name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}
