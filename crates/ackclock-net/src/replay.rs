//! Packets at given times through a queue and a wire of fixed rate, and what became of each: what a slower implementation of
//! the same queue can be compared with, packet by packet.

use std::num::NonZeroU64;

use crate::queue::{Discipline, DropCause, Ecn, Item};
use crate::{NEVER, Nanos, Port, Transmitter};

/// A packet that arrives.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Arrival {
    /// When.
    pub at: Nanos,
    /// Bytes on the wire.
    pub size: u32,
    /// Its flow.
    pub flow: u64,
    /// Traffic class, 0 the most urgent.
    pub class: u8,
    /// ECN field.
    pub ecn: Ecn,
}

/// What becomes of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Its first bit leaves at this time, and this is its ECN field then.
    Sent(Nanos, Ecn),
    /// It is dropped at this time.
    Dropped(Nanos, DropCause),
    /// It waits until the end of time.
    Waits,
}

/// What becomes of packets, in the order of their times, before a wire of `rate` bits per second.
///
/// A packet that arrives when the wire becomes free finds it taken by the one that waited; of those that arrive together the
/// first goes before the second arrives.
///
/// # Panics
/// If the packets are not in order, or the discipline gives one back twice.
pub fn replay(queue: Box<dyn Discipline>, rate: NonZeroU64, arrivals: &[Arrival]) -> Vec<Outcome> {
    assert!(arrivals.is_sorted_by_key(|arrival| arrival.at), "packets arrive in the order of their times");
    let mut run = Run {
        port: Port::new(queue, Box::new(Transmitter::new(rate)), 0),
        outcomes: vec![Outcome::Waits; arrivals.len()],
    };
    for (number, arrival) in arrivals.iter().enumerate() {
        run.serve(arrival.at);
        let Arrival { at, size, flow, class, ecn } = *arrival;
        run.port.arrive(at, Item { size, flow, class, ecn, ..Item::default() }, number);
        run.collect(at);
        run.serve(at);
    }
    run.serve(NEVER - 1);
    run.outcomes
}

struct Run {
    /// The packets are their places among the arrivals.
    port: Port<usize>,
    outcomes: Vec<Outcome>,
}

impl Run {
    /// Everything that is due by `until`.
    fn serve(&mut self, until: Nanos) {
        while self.port.due() <= until {
            let at = self.port.due();
            while let Some(sent) = self.port.poll(at) {
                self.outcomes[sent.packet] = Outcome::Sent(sent.passage.start, sent.item.ecn);
            }
            self.collect(at);
        }
    }

    fn collect(&mut self, at: Nanos) {
        while let Some(dropped) = self.port.dropped() {
            self.outcomes[dropped.packet] = Outcome::Dropped(at, dropped.cause);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limit;
    use crate::queue::{Settings, by_name};

    /// 1000 bytes take 8 ms at 1 Mbit/s, and one may wait.
    #[test]
    fn packets_are_sent_or_dropped_one_by_one() {
        let rate = NonZeroU64::new(1_000_000).unwrap();
        let settings = Settings { rate, limit: Limit::Packets(1), packet_size: 1500, given: &[], seed: [0; 32] };
        let queue = (by_name("drop-tail").unwrap().make)(&settings);
        let at = |at| Arrival { at, size: 1000, ecn: Ecn::Ect0, ..Arrival::default() };
        let dropped = |at| Outcome::Dropped(at, DropCause::Queue);
        assert_eq!(
            replay(queue, rate, &[at(5), at(5), at(5), at(8_000_004), at(8_000_005)]),
            [
                Outcome::Sent(5, Ecn::Ect0),
                Outcome::Sent(8_000_005, Ecn::Ect0),
                dropped(5),
                dropped(8_000_004),
                Outcome::Sent(16_000_005, Ecn::Ect0)
            ]
        );
    }
}
