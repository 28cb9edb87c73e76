//! What wires could have sent.

use crate::{Nanos, Schedule};

/// Bits are counted in so many parts, so that what a rate in bits per second gives in a whole number of nanoseconds is whole.
pub const PARTS_OF_A_BIT: u128 = 1_000_000_000;

/// How much a wire could have sent up to one time after another, from the start on, packets or none.
///
/// Calls come in the order of their times, and take together what a single one of the last time would.
pub struct Meter<'a> {
    /// Billionths of a bit that could have been sent before a time.
    before: Box<dyn FnMut(Nanos) -> u128 + 'a>,
    /// Whether the wire takes packets at instants only.
    instants: bool,
}

impl<'a> Meter<'a> {
    /// Of a wire that sends all the time.
    pub fn flowing(before: impl FnMut(Nanos) -> u128 + 'a) -> Meter<'a> {
        Meter { before: Box::new(before), instants: false }
    }

    /// Of a wire that sends at instants and nothing between.
    pub fn at_instants(before: impl FnMut(Nanos) -> u128 + 'a) -> Meter<'a> {
        Meter { before: Box::new(before), instants: true }
    }

    /// Of a wire that sends so many bits per second.
    pub fn of_rate(rate: u64) -> Meter<'static> {
        Meter::flowing(move |at| u128::from(rate) * u128::from(at))
    }

    /// Of a wire that sends nothing while it is `down`.
    pub fn interrupted(mut self, down: &'a Schedule<bool>) -> Meter<'a> {
        let (mut time, mut all, mut passed) = (0, 0, 0);
        let before = move |at: Nanos| {
            while time < at {
                let piece = down.at(time);
                time = piece.until.min(at);
                let sent = (self.before)(time);
                passed += if piece.value { 0 } else { sent - all };
                all = sent;
            }
            passed
        };
        Meter { before: Box::new(before), instants: self.instants }
    }

    /// Billionths of a bit that could have been sent by `at`. What a wire sends at that very instant counts, as a packet that
    /// leaves then has left.
    pub fn by(&mut self, at: Nanos) -> u128 {
        (self.before)(at.saturating_add(u64::from(self.instants)))
    }
}
