//! The interface of a congestion control for media.

use std::fmt::Debug;

use ackclock_core::Nanos;
use ackclock_core::parameters::{Given, Parameter};

use crate::feedback::Format;
use crate::packet::{Feedback, Packet};

/// The input from which a control is created. Rates are in bit/s, with all headers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Setup {
    /// Least rate of the media.
    pub min_rate: f64,
    /// Largest rate of the media.
    pub max_rate: f64,
    /// Rate at the start.
    pub start_rate: f64,
    /// Size of a full packet in bytes.
    pub packet: u32,
    /// Frames per second.
    pub fps: f64,
    /// Whether packets have ECT(1), so that a mark is one of L4S (RFC 9331).
    pub l4s: bool,
}

impl Setup {
    /// Returns a rate within the limits.
    pub fn clip(&self, rate: f64) -> f64 {
        rate.min(self.max_rate).max(self.min_rate)
    }
}

/// The rates that a control allows, in bit/s with all headers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rates {
    /// Target rate of the encoder.
    pub target: f64,
    /// Rate at which the pacer sends what the encoder has made.
    pub pacing: f64,
}

/// A congestion control of one sender of media.
pub trait Control: Send + Debug {
    /// Takes note of a packet that is sent.
    fn on_sent(&mut self, _packet: &Packet) {}

    /// Takes note of `bytes` of packets that the encoder has handed to the pacer at `now`.
    fn on_encoded(&mut self, _now: Nanos, _bytes: u64) {}

    /// Handles a report.
    fn on_feedback(&mut self, feedback: &Feedback<'_>);

    /// Returns the time of the next call of [`Control::expire`], if the control has a timer.
    fn due(&self) -> Option<Nanos> {
        None
    }

    /// Handles the expiry of the timer; `queue` is the number of bytes that wait in the pacer.
    fn expire(&mut self, _now: Nanos, _queue: u64) {}

    /// Returns the rates; `queue` is the number of bytes that wait in the pacer.
    fn rates(&self, queue: u64) -> Rates;

    /// Returns the bytes that may be sent now; without a window, there is no limit.
    fn room(&self) -> u64 {
        u64::MAX
    }
}

/// An entry of the catalogue.
pub struct Entry {
    /// Name in scenarios.
    pub name: &'static str,
    /// One line that describes the control.
    pub summary: &'static str,
    /// Source of the specification.
    pub source: &'static str,
    /// Parameters that scenarios may set.
    pub parameters: &'static [Parameter],
    /// Format of the feedback unless a scenario says otherwise.
    pub format: Format,
    /// Time between reports in ns, from the rate in bit/s at which the receiver gets packets.
    pub interval: fn(f64) -> Nanos,
    /// Creates the control from the given parameters.
    pub make: fn(&Setup, Given<'_>) -> Box<dyn Control>,
}

/// The time between reports of controls that work best with ten reports a second.
pub(crate) fn every_100_ms(_rate: f64) -> Nanos {
    100_000_000
}
