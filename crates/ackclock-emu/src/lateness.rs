//! Lateness of packets that leave an emulator.

use ackclock_core::Nanos;
use ackclock_results::Sketch;

/// The times between the moment at which a packet should have left the network and that at which it left.
#[derive(Default)]
pub struct Lateness {
    times: Sketch,
}

impl Lateness {
    /// Adds a packet that was due at `due` and left at `left`.
    pub fn record(&mut self, due: Nanos, left: Nanos) {
        self.times.record(left.saturating_sub(due));
    }

    /// Returns the number of packets.
    pub fn count(&self) -> u64 {
        self.times.count()
    }

    /// Returns the lateness that this share of the packets did not exceed, in ns; `None` without packets.
    pub fn quantile(&self, share: f64) -> Option<Nanos> {
        self.times.quantile(share)
    }

    /// Returns the greatest lateness, in ns; `None` without packets.
    pub fn max(&self) -> Option<Nanos> {
        self.times.max()
    }
}
