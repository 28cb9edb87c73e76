//! A fixed rate, the baseline without congestion control.
//!
//! # Equations
//!
//! The target is the call's `start_rate`, and packets of a frame leave at `pacing_gain` times this rate.
//!
//! # Constants
//!
//! `pacing_gain` is 2.5, as the pacer of WebRTC has it.
//!
//! # Deviations
//!
//! None. RFC 8083 asks such a sender for a circuit breaker: `breaker = true` in the call.
//!
//! # Validated against
//!
//! A test: nothing moves it.

use ackclock_core::parameters::Given;

use crate::control::every_100_ms;
use crate::{Control, Entry, Feedback, Format, Rates, Setup};

/// The entry of the catalogue.
pub(crate) const ENTRY: Entry = Entry {
    name: "fixed",
    summary: "the start rate, whatever feedback says",
    source: "a baseline without congestion control",
    parameters: Constants::ROWS,
    format: Format::Ccfb,
    interval: every_100_ms,
    make: |setup, given| Box::new(Fixed::new(setup, given)),
};

ackclock_core::parameters! {
    /// Constants of a fixed rate.
    pub(crate) struct Constants {
        pacing_gain: f64 = is(2.5), (1.0, 1e3), Number, "pacing rate over the target rate";
    }
}

/// A rate that does not change.
#[derive(Debug)]
struct Fixed {
    rate: f64,
    gain: f64,
}

impl Fixed {
    fn new(setup: &Setup, given: Given<'_>) -> Fixed {
        Fixed { rate: setup.clip(setup.start_rate), gain: Constants::read(given).pacing_gain }
    }
}

impl Control for Fixed {
    fn on_feedback(&mut self, _feedback: &Feedback<'_>) {}

    fn rates(&self, _queue: u64) -> Rates {
        Rates { target: self.rate, pacing: self.rate * self.gain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;
    use crate::Packet;

    #[test]
    fn nothing_moves_it() {
        let setup = Setup { min_rate: 1e5, max_rate: 1e6, start_rate: 5e5, packet: 1240, fps: 30.0, l4s: false };
        let mut fixed = (ENTRY.make)(&setup, &[("pacing_gain", 2.0)]);
        let lost = Outcome { packet: Packet { number: 0, size: 1000, sent: 0 }, arrival: None, marked: false };
        fixed.on_feedback(&Feedback { now: 1, reported: 0, rtt: 1, outcomes: &[lost; 9], in_flight: 0 });
        assert_eq!(fixed.rates(9_999), Rates { target: 5e5, pacing: 1e6 });
        assert_eq!((fixed.room(), fixed.due()), (u64::MAX, None));
    }
}
