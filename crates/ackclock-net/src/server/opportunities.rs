//! Wires that take packets at certain instants only, as cellular links do.

use crate::Rate;

use super::{Meter, PARTS_OF_A_BIT, Server};
use crate::Nanos;

/// Bytes that can be delivered at one opportunity: one full packet.
pub const OPPORTUNITY: u32 = 1500;

/// A source of the times of delivery opportunities.
pub trait Source: Send {
    /// Time of the next opportunity, no earlier than the one before.
    fn next(&mut self) -> Nanos;

    /// Leaves out some of the opportunities before a time, if that is quicker than to go through them.
    fn skip_to(&mut self, _at: Nanos) {}

    /// Returns a function that gives the number of opportunities from the start up to but excluding a time. Its calls
    /// are in the order of their times.
    fn counter(&self) -> Box<dyn FnMut(Nanos) -> u64 + '_>;

    /// Mean rate, bits per second.
    fn mean_rate(&self) -> Rate;
}

/// A wire that delivers [`OPPORTUNITY`] bytes at each time of a source.
///
/// Opportunities are counted in bytes, as in Mahimahi's mm-link:
///
/// - Small packets that wait share an opportunity.
/// - A large packet takes several opportunities and arrives with the last; the rest of that opportunity serves the next
///   packet.
/// - An opportunity for which no packet waits is lost.
///
/// With [`Opportunities::of_packets`], every packet of up to [`OPPORTUNITY`] bytes takes one opportunity instead, as in the
/// trace link of the authors of TCP ex Machina; a larger one takes as many whole ones as it needs. That link is one of ns-2: a packet leaves the queue when the one before is delivered, and is on the wire
/// until the next opportunity, so that a queue discipline does not see this part of its delay.
///
/// A packet that arrives in the nanosecond of an opportunity may still use it.
pub struct Opportunities<S> {
    source: S,
    /// Time of the present opportunity, and the bytes left of it. On a wire of packets, the time of the last delivery.
    at: Nanos,
    left: u32,
    /// Whether packets take whole opportunities.
    whole: bool,
}

impl<S: Source> Opportunities<S> {
    /// An idle wire.
    pub fn new(source: S) -> Opportunities<S> {
        Opportunities { source, at: 0, left: 0, whole: false }
    }

    /// An idle wire whose packets take whole opportunities, each a single one if it is not larger than that.
    pub fn of_packets(source: S) -> Opportunities<S> {
        Opportunities { whole: true, ..Opportunities::new(source) }
    }

    fn advance(&mut self) {
        self.at = self.source.next();
        self.left = OPPORTUNITY;
    }
}

impl<S: Source> Server for Opportunities<S> {
    fn start(&mut self, at: Nanos) -> Nanos {
        if self.whole {
            return at.max(self.at);
        }
        if self.at < at {
            self.source.skip_to(at);
        }
        while self.left == 0 || self.at < at {
            self.advance();
        }
        self.at
    }

    fn transmit(&mut self, at: Nanos, size: u32, _follows: bool) -> Nanos {
        if self.whole {
            self.source.skip_to(at);
            self.at = self.source.next();
            while self.at < at {
                self.at = self.source.next();
            }
            for _ in 1..size.div_ceil(OPPORTUNITY) {
                self.at = self.source.next();
            }
            return self.at;
        }
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

    fn mean_rate(&self) -> Rate {
        self.source.mean_rate()
    }
}
