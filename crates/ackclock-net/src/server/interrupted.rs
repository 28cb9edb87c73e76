//! A wire that takes nothing at times.

use std::num::NonZeroU64;

use super::{NEVER, Server};
use crate::{Nanos, Schedule};

/// A wire with outages: no packet starts in one, so that the queue before it stays. What is on the wire when an outage begins
/// is sent to its end.
pub struct Interrupted {
    wire: Box<dyn Server>,
    down: Schedule<bool>,
}

impl Interrupted {
    /// The wire, taking nothing while it is down.
    pub fn new(wire: Box<dyn Server>, down: Schedule<bool>) -> Interrupted {
        Interrupted { wire, down }
    }
}

impl Server for Interrupted {
    fn start(&mut self, at: Nanos) -> Nanos {
        let mut start = self.wire.start(at);
        while start < NEVER {
            let piece = self.down.at(start);
            if !piece.value || piece.until == NEVER {
                return if piece.value { NEVER } else { start };
            }
            start = self.wire.start(piece.until);
        }
        start
    }

    fn transmit(&mut self, at: Nanos, size: u32, follows: bool) -> Nanos {
        self.wire.transmit(at, size, follows)
    }

    fn capacity(&self, at: Nanos) -> f64 {
        let (mut time, mut sum) = (0, 0.0);
        while time < at {
            let piece = self.down.at(time);
            let end = piece.until.min(at);
            if !piece.value {
                sum += self.wire.capacity(end) - if time > 0 { self.wire.capacity(time) } else { 0.0 };
            }
            time = end;
        }
        sum
    }

    fn mean_rate(&self) -> NonZeroU64 {
        self.wire.mean_rate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Transmitter;

    #[test]
    fn nothing_starts_while_the_wire_is_down() {
        let wire = Transmitter::new(NonZeroU64::new(8_000_000_000).unwrap());
        let down = Schedule::during(&[(10, 20), (30, 35)], Some(100));
        let mut wire = Interrupted::new(Box::new(wire), down);
        assert_eq!([0, 9, 10, 19, 20, 34, 99, 112].map(|at| wire.start(at)), [0, 9, 20, 20, 20, 35, 99, 120]);
        assert_eq!(wire.transmit(9, 4, false), 13, "what has started is sent");
        assert_eq!(wire.start(13), 20);
        assert_eq!(wire.transmit(20, 12, false), 32);
        assert_eq!(wire.start(21), 35);
        let bits = [5, 10, 15, 20, 25, 100, 215].map(|at| wire.capacity(at));
        assert_eq!(bits, [40.0, 80.0, 80.0, 80.0, 120.0, 680.0, 1360.0 + 80.0]);
    }

    #[test]
    fn an_outage_may_last_for_ever() {
        let wire = Transmitter::new(NonZeroU64::new(8).unwrap());
        let down = Schedule::new(vec![(0, false), (10, true)], None);
        let mut wire = Interrupted::new(Box::new(wire), down);
        assert_eq!((wire.start(9), wire.start(10)), (9, NEVER));
    }
}
