//! Reordering: how far out of order segments have arrived, and how many duplicate ACKs make a loss therefore.

use crate::config::Config;

/// The largest number of segments of reordering that is tolerated (Linux `tcp_max_reordering`).
const MOST: u32 = 300;

/// State of the reordering estimate.
#[derive(Clone, Debug)]
pub(super) struct Reordering {
    /// DupThresh as it was configured.
    configured: u32,
    /// DupThresh now.
    threshold: u32,
    adapts: bool,
    /// Number of times that reordering was seen.
    seen: u32,
}

impl Reordering {
    pub fn new(config: &Config) -> Reordering {
        let configured = config.dup_thresh.max(1);
        Reordering { configured, threshold: configured, adapts: config.adapt_dup_thresh, seen: 0 }
    }

    /// Records that a segment sent once, starting at `start`, arrived after a segment that ends at `high`.
    // Linux net/ipv4/tcp_input.c, tcp_check_sack_reordering: the distance in full segments.
    pub fn on_late(&mut self, start: u64, high: u64, mss: u64) {
        if start >= high {
            return;
        }
        self.seen = self.seen.saturating_add(1);
        let distance = (high - start).div_ceil(mss.max(1));
        self.raise(u32::try_from(distance).unwrap_or(MOST));
    }

    /// Without SACK: more duplicate ACKs than segments that could be lost indicate that `segments` were reordered.
    pub fn on_excess_duplicates(&mut self, segments: u32) {
        self.seen = self.seen.saturating_add(1);
        if self.adapts {
            self.threshold = segments.min(MOST);
        }
    }

    /// Whether the threshold adapts to the reordering seen.
    pub fn adapts(&self) -> bool {
        self.adapts
    }

    fn raise(&mut self, segments: u32) {
        if self.adapts {
            self.threshold = self.threshold.max(segments.min(MOST));
        }
    }

    /// Handles a timeout. If at least DupThresh segments (`sacked`) were SACKed, the reordering was overestimated.
    pub fn on_timeout(&mut self, sacked: u32) {
        if sacked >= self.configured {
            self.threshold = self.threshold.min(self.configured);
        }
    }

    /// Whether the threshold is above the configured one.
    pub fn is_raised(&self) -> bool {
        self.threshold > self.configured
    }

    /// DupThresh.
    pub fn threshold(&self) -> u32 {
        self.threshold
    }

    /// Number of times that reordering was seen.
    pub fn seen(&self) -> u32 {
        self.seen
    }
}
