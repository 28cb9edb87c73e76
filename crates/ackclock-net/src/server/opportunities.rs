//! Wires that take packets at certain instants only, as cellular networks do.

use std::num::NonZeroU64;

use super::{Meter, PARTS_OF_A_BIT, Server};
use crate::Nanos;

/// Bytes that can be delivered at one opportunity: those of a full packet.
pub const OPPORTUNITY: u32 = 1500;

/// The times of opportunities.
pub trait Source: Send {
    /// The next one, no earlier than the one before.
    fn next(&mut self) -> Nanos;

    /// How many there are before a time, from the start of all; times come in order.
    fn counter(&self) -> Box<dyn FnMut(Nanos) -> u64 + '_>;

    /// Bits per second on average.
    fn mean_rate(&self) -> NonZeroU64;
}

/// A wire that delivers [`OPPORTUNITY`] bytes at each time of a source and nothing between.
///
/// As in Mahimahi's mm-link, bytes are what is counted: small packets that wait share an opportunity, a large one takes as
/// many as it needs and arrives with the last, what that leaves is for the next packet, and what finds nobody waiting is
/// lost. A packet that comes in the nanosecond of an opportunity may still use it.
pub struct Opportunities<S> {
    source: S,
    /// The one that is served, and what is left of it.
    at: Nanos,
    left: u32,
}

impl<S: Source> Opportunities<S> {
    /// An idle wire.
    pub fn new(source: S) -> Opportunities<S> {
        Opportunities { source, at: 0, left: 0 }
    }

    fn advance(&mut self) {
        self.at = self.source.next();
        self.left = OPPORTUNITY;
    }
}

impl<S: Source> Server for Opportunities<S> {
    fn start(&mut self, at: Nanos) -> Nanos {
        while self.left == 0 || self.at < at {
            self.advance();
        }
        self.at
    }

    fn transmit(&mut self, _at: Nanos, size: u32, _follows: bool) -> Nanos {
        let mut size = size;
        while size > self.left {
            size -= self.left;
            self.advance();
        }
        self.left -= size;
        self.at
    }

    fn meter(&self) -> Meter<'_> {
        let each = u128::from(OPPORTUNITY) * 8 * PARTS_OF_A_BIT;
        let mut count = self.source.counter();
        Meter::at_instants(move |at| u128::from(count(at)) * each)
    }

    fn mean_rate(&self) -> NonZeroU64 {
        self.source.mean_rate()
    }
}
