//! Capacity of wires over time: the amount that a wire could have sent.

use crate::{Nanos, Rate, Schedule};

/// Bits are counted in billionths: a rate in bits per second then gives a whole number in any whole number of
/// nanoseconds.
pub const PARTS_OF_A_BIT: u128 = 1_000_000_000;

/// Capacity of a wire from the start up to a time, whether or not packets used it.
///
/// Calls are in the order of their times. A sequence of calls costs as much as one call with the last time.
pub struct Meter<'a> {
    /// Billionths of a bit that could have been sent before a time.
    before: Box<dyn FnMut(Nanos) -> u128 + 'a>,
    /// Whether the wire takes packets at instants only.
    instants: bool,
}

impl<'a> Meter<'a> {
    /// Meter of a wire that sends continuously.
    pub fn flowing(before: impl FnMut(Nanos) -> u128 + 'a) -> Meter<'a> {
        Meter { before: Box::new(before), instants: false }
    }

    /// Meter of a wire that sends at instants only.
    pub fn at_instants(before: impl FnMut(Nanos) -> u128 + 'a) -> Meter<'a> {
        Meter { before: Box::new(before), instants: true }
    }

    /// Meter of a wire with a fixed rate.
    pub fn of_rate(rate: Rate) -> Meter<'static> {
        Meter::flowing(move |at| u128::from(rate.bits()) * u128::from(at))
    }

    /// Meter of this wire with outages: nothing is sent while `down` is true, except in the `overruns`, which are in order. In
    /// these the packet that was on the wire at the start of an outage is sent completely.
    pub fn interrupted(mut self, down: &'a Schedule<bool>, overruns: &'a [(Nanos, Nanos)]) -> Meter<'a> {
        let (mut time, mut all, mut passed) = (0, 0, 0);
        // The opportunity with which a packet ends is its own.
        let last = u64::from(self.instants);
        let mut overruns = overruns.iter().map(move |(from, to)| (*from, to.saturating_add(last))).peekable();
        let before = move |at: Nanos| {
            while time < at {
                let piece = down.at(time);
                while overruns.next_if(|(_, to)| *to <= time).is_some() {}
                let overrun = overruns.peek().copied().filter(|(from, _)| *from <= time);
                let idle = piece.value && overrun.is_none();
                time = piece.until.min(at).min(overrun.map_or(at, |(_, to)| to));
                let sent = (self.before)(time);
                passed += if idle { 0 } else { sent - all };
                all = sent;
            }
            passed
        };
        Meter { before: Box::new(before), instants: self.instants }
    }

    /// Billionths of a bit that could have been sent by `at`. An opportunity at the instant `at` counts, as a packet
    /// that leaves at `at` has left.
    pub fn by(&mut self, at: Nanos) -> u128 {
        (self.before)(at.saturating_add(u64::from(self.instants)))
    }
}
