//! DYNAMIC of dash.js: the throughput rule while the buffer is low, BOLA while it is high.

use super::{Abr, Bola, Decision, Download, Entry, Setup, State};
use ackclock_core::Nanos;

pub(super) const ENTRY: Entry = Entry {
    name: "hybrid",
    summary: "DYNAMIC of dash.js: 0.9 of a moving average of throughput at low buffer, BOLA at high",
    source: "Spiteri, Sitaraman, Sparacio, From Theory to Practice, MMSys 2018; dash.js 3, AbrController",
    parameters: &[],
    make: |setup, _| Box::new(Hybrid::new(setup)),
};

/// The default rule of dash.js.
///
/// BOLA takes over when the buffer is above the level at which segments are requested ([`Setup::target`], the player's
/// stable buffer time). This happens when a segment arrives in less than its playing time. The throughput rule takes
/// over when the buffer is at half of that level or below. The throughput rule takes the highest level that 0.9 of the
/// average sustains, with the latency of requests deducted ([`super::estimate::History`]).
#[derive(Debug)]
pub struct Hybrid {
    target: Nanos,
    bola: Bola,
    by_buffer: bool,
}

impl Hybrid {
    /// Creates the rule for a client.
    pub fn new(setup: &Setup<'_>) -> Hybrid {
        Hybrid { target: setup.target(), bola: Bola::new(setup), by_buffer: false }
    }

    /// Switches between the two rules, with hysteresis.
    fn see(&mut self, buffer: Nanos) {
        let threshold = if self.by_buffer { self.target / 2 } else { self.target };
        self.by_buffer = buffer > threshold;
    }
}

impl Abr for Hybrid {
    fn on_segment(&mut self, download: &Download) {
        self.bola.on_segment(download);
        self.see(download.buffer_before);
        self.see(download.buffer_after);
    }

    fn on_stall(&mut self) {
        self.bola.on_stall();
        self.see(0);
    }

    fn choose(&mut self, state: &State<'_>) -> Decision {
        self.see(state.buffer);
        if self.by_buffer {
            return self.bola.choose(state);
        }
        Decision::now(self.bola.sustainable().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Estimator;
    use super::super::estimate::tests::SECOND;
    use super::*;

    const LADDER: &[u64] = &[200_000, 400_000, 800_000];

    fn rule() -> Hybrid {
        Hybrid::new(&Setup {
            ladder: LADDER,
            segment: 2 * SECOND,
            capacity: 12 * SECOND,
            safety: 0.1,
            estimator: Estimator::Last,
        })
    }

    /// A segment at 1 Mbit/s; the argument determines the buffer level at its request, before it is added, and after.
    fn segment(before: Nanos) -> Download {
        Download {
            level: 0,
            bytes: 50_000,
            requested: SECOND,
            first_byte: SECOND,
            done: SECOND + 400_000_000,
            buffer_at_request: before + 400_000_000,
            buffer_before: before,
            buffer_after: before + 2 * SECOND,
        }
    }

    #[test]
    fn switches_above_the_target_and_back_at_half_of_it() {
        let mut rule = rule();
        let mut by_buffer = |before: Nanos| {
            rule.on_segment(&segment(before));
            rule.by_buffer
        };
        assert!(!by_buffer(0));
        assert!(!by_buffer(8 * SECOND), "at the target is not above it");
        assert!(by_buffer(8 * SECOND + 1));
        assert!(by_buffer(5 * SECOND + 1), "above half of the target BOLA stays");
        assert!(!by_buffer(5 * SECOND), "the low point before the segment counts, although it ends at 7 s");
        assert!(by_buffer(9 * SECOND));
        rule.on_stall();
        assert!(!rule.by_buffer);
    }

    #[test]
    fn low_buffer_goes_by_throughput_and_high_by_bola() {
        let mut rule = rule();
        rule.on_segment(&segment(0));
        let state = |buffer| State::at(1_400_000_000, buffer, Some(0));
        assert_eq!(
            rule.choose(&state(2 * SECOND)),
            Decision::now(2),
            "0.9 of 1 Mbit/s, whatever the scenario's safety"
        );
        rule.on_segment(&segment(9 * SECOND));
        assert_eq!(rule.choose(&state(9 * SECOND)), Decision::now(2), "BOLA begins with what the throughput sustains");
        rule.on_stall();
        assert_eq!(rule.choose(&state(0)), Decision::now(2), "throughput again");
        rule.on_segment(&segment(9 * SECOND));
        // The stall removed BOLA's placeholder, and 9 s alone are below its 10 s minimum.
        assert_eq!(rule.choose(&state(9 * SECOND)), Decision::now(0));
    }
}
