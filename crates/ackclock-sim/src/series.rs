//! Data that is recorded at a fixed interval: the packets that are queued at links, and the bytes that sinks receive.

use std::collections::VecDeque;

use crate::endpoint::Contents;
use crate::ids::{FlowId, LinkId};
use crate::network::Network;
use crate::observe::NetworkEvent;
use ackclock_core::Nanos;
use ackclock_results::{Table, declared, quotient, rate_bps, seconds};

const NS_PER_MS: f64 = 1e6;

/// The instants of a series: `from`, and then every `interval` (at least 1 ns) up to `to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instants {
    /// First instant.
    pub from: Nanos,
    /// Time from one instant to the next, in ns.
    pub interval: Nanos,
    /// Last possible instant.
    pub to: Nanos,
}

impl Instants {
    fn at(&self, index: usize) -> Nanos {
        self.from.saturating_add(self.interval.saturating_mul(index as u64))
    }
}

/// Queue lengths over time, exact at each instant, after all events of that instant. As for a queue's limit, the packet
/// on the wire does not count. Each row also has the queueing delay of the packets that left since the previous
/// instant, measured as in the table `links`, and the capacity of the link in that time.
pub struct Queues {
    instants: Instants,
    queues: Vec<Queue>,
}

/// The packets that are queued at a link.
struct Queue {
    link: LinkId,
    packets: u64,
    bytes: u64,
    /// Packets whose start of transmission is known at their arrival; these are the packets at a link that is not a
    /// port.
    starts: VecDeque<Start>,
    /// Whether the link is a port, whose packets are queued from their arrival until they are sent or dropped.
    is_port: bool,
    /// Packets that left since the last sample.
    left: Left,
    /// Samples of the instants that have passed. They may be in the future, because the times of links are computed in
    /// advance.
    samples: Vec<Sample>,
}

/// A packet that will leave a queue at a known time.
struct Start {
    at: Nanos,
    size: u32,
    waited: Nanos,
}

/// Packets that have left a queue for the wire.
#[derive(Default)]
struct Left {
    packets: u64,
    /// Sum of the packets' times in the queue, in ns.
    waited: u128,
    longest: Nanos,
}

/// A queue at an instant.
struct Sample {
    packets: u64,
    bytes: u64,
    /// Packets that left since the previous instant.
    left: Left,
}

impl Queue {
    /// Advances the queue to `at`, the time of an event, without that event.
    fn advance(&mut self, at: Nanos, instants: &Instants) {
        loop {
            let next = instants.at(self.samples.len());
            if next >= at || next > instants.to {
                break;
            }
            self.start(next);
            let left = std::mem::take(&mut self.left);
            // Packets that left before the first instant are not recorded.
            let left = if self.samples.is_empty() { Left::default() } else { left };
            self.samples.push(Sample { packets: self.packets, bytes: self.bytes, left });
        }
        self.start(at);
    }

    /// Removes the packets whose transmission has started by `at`.
    fn start(&mut self, at: Nanos) {
        while let Some(&Start { at: start, size, waited }) = self.starts.front()
            && start <= at
        {
            self.starts.pop_front();
            self.leave(size);
            self.left.add(waited);
        }
    }

    fn enter(&mut self, size: u32) {
        self.packets += 1;
        self.bytes += u64::from(size);
    }

    fn leave(&mut self, size: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(size);
    }
}

impl Left {
    fn add(&mut self, waited: Nanos) {
        self.packets += 1;
        self.waited += u128::from(waited);
        self.longest = self.longest.max(waited);
    }

    fn mean(&self) -> Option<f64> {
        (self.packets > 0).then(|| self.waited as f64 / self.packets as f64)
    }
}

impl Queues {
    /// Creates empty queues before `links`.
    pub fn new(instants: Instants, links: impl Iterator<Item = LinkId>) -> Queues {
        let queue = |link| Queue {
            link,
            packets: 0,
            bytes: 0,
            starts: VecDeque::new(),
            is_port: false,
            left: Left::default(),
            samples: Vec::new(),
        };
        Queues { instants, queues: links.map(queue).collect() }
    }

    /// Handles an event at `at`.
    pub fn network(&mut self, at: Nanos, event: NetworkEvent) {
        let (NetworkEvent::Enqueued { link, packet, .. }
        | NetworkEvent::Arrived { link, packet }
        | NetworkEvent::Copied { link, packet }
        | NetworkEvent::Sent { link, packet, .. }
        | NetworkEvent::Dropped { link, packet, .. }) = event
        else {
            return;
        };
        let Some(queue) = self.queues.iter_mut().find(|queue| queue.link == link) else { return };
        queue.advance(at, &self.instants);
        let size = packet.size();
        match event {
            NetworkEvent::Enqueued { passage, .. } => {
                queue.starts.push_back(Start { at: passage.start, size, waited: passage.start - at });
                queue.enter(size);
            }
            NetworkEvent::Arrived { .. } | NetworkEvent::Copied { .. } => {
                queue.is_port = true;
                queue.enter(size);
            }
            NetworkEvent::Sent { waited, .. } => {
                queue.leave(size);
                queue.left.add(waited);
            }
            // A link that is not a port reports a packet once: a packet that it dropped was never in the queue.
            NetworkEvent::Dropped { .. } if queue.is_port => queue.leave(size),
            _ => {}
        }
    }

    /// Returns the table `queues` up to `now`, for links of `network`; `name` returns each link's name.
    pub fn report<'a, P: Contents>(
        mut self,
        now: Nanos,
        network: &Network<P>,
        name: impl Fn(LinkId) -> &'a str,
    ) -> Table {
        for queue in &mut self.queues {
            queue.advance(now.saturating_add(1), &self.instants);
        }
        let mut table = Table::default();
        let mut meters: Vec<_> = self.queues.iter().map(|queue| (network.meter(queue.link), 0)).collect();
        let end = now.min(self.instants.to);
        for (index, at) in (0..).map(|index| (index, self.instants.at(index))).take_while(|(_, at)| *at <= end) {
            for (queue, (meter, before)) in self.queues.iter().zip(&mut meters) {
                let Sample { packets, bytes, left } = &queue.samples[index];
                let sendable = meter.by(at);
                let rate = (index > 0).then(|| quotient(sendable - *before, self.instants.interval.into()));
                *before = sendable;
                table.push(declared::Queues {
                    time_s: seconds(at).into(),
                    link: name(queue.link).into(),
                    packets: (*packets).into(),
                    bytes: (*bytes).into(),
                    sent: left.packets.into(),
                    sojourn_ms: left.mean().map(|mean| mean / NS_PER_MS).into(),
                    sojourn_max_ms: (left.packets > 0).then(|| left.longest as f64 / NS_PER_MS).into(),
                    capacity_bps: rate.into(),
                });
            }
        }
        table
    }
}

/// Bytes that sinks receive from one instant to the next, in order as applications receive them: the bytes of a stream,
/// and the payload of datagrams.
pub struct Rates {
    instants: Instants,
    /// Bytes of each flow, by interval.
    bytes: Vec<Vec<u64>>,
}

impl Rates {
    /// Creates empty rates for a number of flows.
    pub fn new(instants: Instants, flows: usize) -> Rates {
        Rates { instants, bytes: vec![Vec::new(); flows] }
    }

    /// Adds bytes that a sink of `flow` receives at `at`.
    pub fn delivered(&mut self, at: Nanos, flow: FlowId, bytes: u64) {
        let Instants { from, interval, to } = self.instants;
        if (from..=to).contains(&at) {
            // Bytes that arrive at an instant belong to the interval that ends there.
            let index = ((at - from).saturating_sub(1) / interval) as usize;
            let counts = &mut self.bytes[flow.index()];
            if counts.len() <= index {
                counts.resize(index + 1, 0);
            }
            counts[index] += bytes;
        }
    }

    /// Returns the table `rates` up to `now`. The time of a row is the end of its interval; the last interval may be
    /// shorter.
    pub fn report(&self, now: Nanos, flows: &[String]) -> Table {
        let mut table = Table::default();
        let end = now.min(self.instants.to);
        for (index, start) in (0..).map(|index| (index, self.instants.at(index))).take_while(|(_, start)| *start < end)
        {
            let stop = self.instants.at(index + 1).min(end);
            for (flow, counts) in flows.iter().zip(&self.bytes) {
                let bytes = counts.get(index).copied().unwrap_or(0);
                table.push(declared::Rates {
                    time_s: seconds(stop).into(),
                    flow: flow.as_str().into(),
                    bytes_delivered: bytes.into(),
                    goodput_bps: rate_bps(bytes, stop - start).into(),
                });
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_results::Column;

    const EVERY_TEN: Instants = Instants { from: 100, interval: 10, to: 135 };

    #[test]
    fn bytes_belong_to_the_interval_that_ends_with_or_after_them() {
        let mut rates = Rates::new(EVERY_TEN, 2);
        for (at, bytes) in [(99, 1), (100, 2), (101, 4), (110, 8), (111, 16), (131, 32), (135, 64), (136, 128)] {
            rates.delivered(at, FlowId(1), bytes);
        }
        let flows = ["a".to_owned(), "b".to_owned()];
        let table = rates.report(1_000, &flows);
        let bytes: Vec<_> = [0, 14, 0, 16, 0, 0, 0, 96].map(Some).to_vec();
        assert_eq!(table.column("bytes_delivered"), Some(&Column::Int(bytes)));
        // The last interval has a length of 5 ns.
        let Some(Column::Float(goodput)) = table.column("goodput_bps") else { panic!("{table:?}") };
        assert_eq!((goodput[1], goodput[7]), (Some(14.0 * 8e9 / 10.0), Some(96.0 * 8e9 / 5.0)));
        assert_eq!(rates.report(112, &flows).len(), 4, "a run that was cut short");
        assert_eq!(rates.report(110, &flows).len(), 2);
    }
}
