//! Slow start: how the window grows below ssthresh. One file a variant, one line in [`CATALOGUE`].

use crate::context::{Ack, Window};

mod standard;

/// Grows the window while `cwnd < ssthresh`.
pub trait SlowStart: Send {
    /// New data was acknowledged below ssthresh and the window may grow. Returns the acknowledged bytes left over when
    /// the window reached ssthresh.
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) -> u64;
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
pub const CATALOGUE: &[Entry] = &[standard::ENTRY];

/// The entry of a name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}
