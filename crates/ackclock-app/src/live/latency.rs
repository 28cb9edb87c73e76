//! The latencies of a client over time.

use ackclock_core::Nanos;
use ackclock_results::Sketch;

/// The latencies of a client at equal intervals, from the start of its playback.
#[derive(Default)]
pub(crate) struct Latencies {
    pub all: Sketch,
    pub first: Option<Nanos>,
    pub last: Option<Nanos>,
}

impl Latencies {
    /// Records the latency of a client whose playback has begun.
    pub fn record(&mut self, latency: Nanos) {
        self.first.get_or_insert(latency);
        self.last = Some(latency);
        self.all.record(latency);
    }
}
