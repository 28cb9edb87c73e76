//! A wire with outages during which no packet starts.

use crate::Rate;

use super::{Meter, Server};
use crate::{NEVER, Nanos, Schedule};

/// A wire with outages. No packet starts during an outage, so the queue stays. A packet that is on the wire when an
/// outage begins is still sent completely.
pub struct Interrupted {
    wire: Box<dyn Server>,
    down: Schedule<bool>,
    /// Times from the start of an outage to the end of the packet that was on the wire then, in order.
    overruns: Vec<(Nanos, Nanos)>,
}

impl Interrupted {
    /// Adds outages to a wire; it takes no packet while `down` is true.
    pub fn new(wire: Box<dyn Server>, down: Schedule<bool>) -> Interrupted {
        Interrupted { wire, down, overruns: Vec::new() }
    }
}

impl Server for Interrupted {
    /// In an outage the wire is not asked when it could start after it: where its rate varies, the answer costs time for each
    /// instant until then, of which a run may see none.
    fn start(&mut self, at: Nanos) -> Nanos {
        let start = self.wire.start(at);
        if start == NEVER {
            return start;
        }
        let piece = self.down.at(start);
        if piece.value { piece.until } else { start }
    }

    fn transmit(&mut self, at: Nanos, size: u32, follows: bool) -> Nanos {
        let end = self.wire.transmit(at, size, follows);
        let up = self.down.at(at);
        // A wire of opportunities may end a packet at the very start of an outage.
        if up.until <= end {
            self.overruns.push((up.until, end));
        }
        end
    }

    fn meter(&self) -> Meter<'_> {
        self.wire.meter().interrupted(&self.down, &self.overruns)
    }

    fn mean_rate(&self) -> Rate {
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
        let wire = Transmitter::new(Rate::new(8_000_000_000).unwrap());
        let down = Schedule::during(&[(10, 20), (30, 35)], Some(100));
        let mut wire = Interrupted::new(Box::new(wire), down);
        assert_eq!([0, 9, 10, 19, 20, 34, 99, 112].map(|at| wire.start(at)), [0, 9, 20, 20, 20, 35, 99, 120]);
        assert_eq!(wire.transmit(9, 4, false), 13, "a packet that has started is sent completely");
        assert_eq!(wire.start(13), 20);
        assert_eq!(wire.transmit(20, 12, false), 32);
        assert_eq!(wire.start(21), 35);
        let mut meter = wire.meter();
        let bits = [5, 10, 12, 15, 20, 25, 100, 215].map(|at| meter.by(at) / PARTS_OF_A_BIT);
        // The two packets on the wire when an outage began took 3 ns and 2 ns of it.
        assert_eq!(bits, [40, 80, 96, 104, 104, 144, 720, 720 + 680 + 80]);
        assert_eq!(wire.meter().by(215), meter.by(215), "one call counts the same as several");
    }

    /// The wire has an opportunity each millisecond. Those at 2 and 3 ms are in the outage; the one at 4 ms is at its
    /// end.
    #[test]
    fn an_outage_includes_the_opportunity_at_its_start_and_not_at_its_end() {
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

    /// An opportunity each millisecond, and packets of two. Each packet began before an outage and takes one opportunity in
    /// it: the first at its start, the second within it.
    #[test]
    fn an_opportunity_that_a_packet_takes_in_an_outage_counts() {
        let ms = |at: u64| at * 1_000_000;
        let trace = Arc::new(Trace::parse(b"1\n").unwrap());
        let down = Schedule::during(&[(ms(2), ms(4)), (ms(5) + 1, ms(8))], None);
        let mut wire = Interrupted::new(Box::new(Opportunities::new(Playback::new(trace))), down);
        assert_eq!((wire.start(0), wire.transmit(ms(1), 3000, false)), (ms(1), ms(2)));
        assert_eq!((wire.start(ms(2)), wire.start(ms(5))), (ms(4), ms(5)));
        assert_eq!(wire.transmit(ms(5), 3000, false), ms(6));
        let mut meter = wire.meter();
        let packets = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(|at| meter.by(ms(at)) / (12_000 * PARTS_OF_A_BIT));
        assert_eq!(packets, [1, 2, 2, 3, 4, 5, 5, 6, 7]);
        assert_eq!(wire.meter().by(ms(9)), meter.by(ms(9)), "one call counts the same as several");
    }

    /// An opportunity each 3 ms. That of 6 ms is in the outage, which ends at 7 ms; the next comes at 9 ms.
    #[test]
    fn the_end_of_an_outage_is_when_to_ask_again() {
        let ms = |at: u64| at * 1_000_000;
        let trace = Arc::new(Trace::parse(b"3\n").unwrap());
        let down = Schedule::during(&[(ms(5), ms(7))], None);
        let mut wire = Interrupted::new(Box::new(Opportunities::new(Playback::new(trace))), down);
        assert_eq!([ms(4), ms(7)].map(|at| wire.start(at)), [ms(7), ms(9)]);
    }

    /// Ten years of opportunities each millisecond are not gone through one by one.
    #[test]
    fn what_comes_after_a_long_outage_is_found_at_once() {
        let years = 315_360_000 * 1_000_000_000;
        let trace = Arc::new(Trace::parse(b"1\n").unwrap());
        let mut wire = Opportunities::new(Playback::new(trace));
        assert_eq!([0, years + 1].map(|at| wire.start(at)), [1_000_000, years + 1_000_000]);
    }

    #[test]
    fn an_outage_may_last_for_ever() {
        let wire = Transmitter::new(Rate::new(8).unwrap());
        let down = Schedule::new(vec![(0, false), (10, true)], None);
        let mut wire = Interrupted::new(Box::new(wire), down);
        assert_eq!((wire.start(9), wire.start(10)), (9, NEVER));
    }
}
