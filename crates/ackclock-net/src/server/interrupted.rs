//! A wire that takes nothing at times.

use std::num::NonZeroU64;

use super::{Meter, NEVER, Server};
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

    fn meter(&self) -> Meter<'_> {
        self.wire.meter().interrupted(&self.down)
    }

    fn mean_rate(&self) -> NonZeroU64 {
        self.wire.mean_rate()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Transmitter;
    use crate::server::{Opportunities, PARTS_OF_A_BIT, Playback, Trace};

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
        let mut meter = wire.meter();
        let bits = [5, 10, 15, 20, 25, 100, 215].map(|at| meter.by(at) / PARTS_OF_A_BIT);
        assert_eq!(bits, [40, 80, 80, 80, 120, 680, 1360 + 80]);
        assert_eq!(wire.meter().by(215), meter.by(215), "in one step or in several");
    }

    /// An opportunity each millisecond. Those of 2 and 3 ms are in the outage, that of 4 ms is at its end.
    #[test]
    fn an_opportunity_at_the_start_of_an_outage_is_lost_and_one_at_its_end_is_none_of_it() {
        let ms = |at: u64| at * 1_000_000;
        let trace = Arc::new(Trace::parse(b"1\n").unwrap());
        let down = Schedule::during(&[(ms(2), ms(4))], None);
        let mut wire = Interrupted::new(Box::new(Opportunities::new(Playback::new(trace))), down);
        let packets = {
            let mut meter = wire.meter();
            [0, ms(1) - 1, ms(1), ms(2), ms(3), ms(4) - 1, ms(4), ms(6)]
                .map(|at| meter.by(at) / (12_000 * PARTS_OF_A_BIT))
        };
        assert_eq!(packets, [0, 0, 1, 1, 1, 1, 2, 4]);
        assert_eq!([0, ms(2), ms(4)].map(|at| wire.start(at)), [ms(1), ms(4), ms(4)]);
    }

    #[test]
    fn an_outage_may_last_for_ever() {
        let wire = Transmitter::new(NonZeroU64::new(8).unwrap());
        let down = Schedule::new(vec![(0, false), (10, true)], None);
        let mut wire = Interrupted::new(Box::new(wire), down);
        assert_eq!((wire.start(9), wire.start(10)), (9, NEVER));
    }
}
