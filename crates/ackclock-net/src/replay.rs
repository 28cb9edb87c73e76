//! Sends given packets through a queue and a wire of fixed rate and returns the outcome of each. Tests compare these
//! outcomes with a slower implementation of the same queue, packet by packet.

use crate::Rate;

use crate::queue::{Discipline, DropCause, Headers, Item};
use crate::{Ecn, NEVER, Nanos, Port, Transmitter};

/// A packet that arrives at the queue.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Arrival {
    /// Time of arrival.
    pub at: Nanos,
    /// Bytes on the wire.
    pub size: u32,
    /// Number of the packet's flow.
    pub flow: u64,
    /// Traffic class; 0 is the most urgent.
    pub class: u8,
    /// ECN field.
    pub ecn: Ecn,
    /// Headers, if the packet has hosts and a code point.
    pub headers: Option<Headers>,
}

/// Outcome of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The packet's first bit leaves at this time, with this ECN field.
    Sent(Nanos, Ecn),
    /// The packet is dropped at this time.
    Dropped(Nanos, DropCause),
    /// The packet is still in the queue at the end of time.
    Waits,
}

/// Outcomes of packets at a queue and a wire of `rate` bits per second, in the order of the arrivals.
///
/// If a packet waits when the wire becomes free, it starts before a packet that arrives at that instant. Packets that
/// arrive at the same instant are offered to the wire one by one.
///
/// # Panics
/// If the arrivals are not in order of time, or the discipline returns a packet twice.
pub fn replay(queue: Box<dyn Discipline>, rate: Rate, arrivals: &[Arrival]) -> Vec<Outcome> {
    replay_at(Port::new(queue, Box::new(Transmitter::new(rate)), 0), arrivals)
}

/// Same as [`replay`], at a port whose packets have the numbers of their arrivals.
///
/// # Panics
/// If the arrivals are not in order of time, or the discipline returns a packet twice.
pub fn replay_at(port: Port<usize>, arrivals: &[Arrival]) -> Vec<Outcome> {
    assert!(arrivals.is_sorted_by_key(|arrival| arrival.at), "packets arrive in the order of their times");
    let mut run = Replay { port, outcomes: vec![Outcome::Waits; arrivals.len()] };
    for (number, arrival) in arrivals.iter().enumerate() {
        run.serve(arrival.at);
        let Arrival { at, size, flow, class, ecn, headers } = *arrival;
        let item = Item { size, flow, class, ecn, ..Item::default() };
        run.port.arrive_with(at, item, headers.as_ref(), number, |number| *number);
        run.collect(at);
        run.serve(at);
    }
    run.serve(NEVER - 1);
    run.outcomes
}

struct Replay {
    /// Each packet is represented by its index among the arrivals.
    port: Port<usize>,
    outcomes: Vec<Outcome>,
}

impl Replay {
    /// Polls the port at every due time up to `until`.
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

    /// A packet of 1000 bytes takes 8 ms at 1 Mbit/s, and one packet may wait.
    #[test]
    fn packets_are_sent_or_dropped_one_by_one() {
        let rate = Rate::new(1_000_000).unwrap();
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
