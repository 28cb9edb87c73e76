//! What a link of a run is made of, and how it is put into the network: evaluated ahead of time where it can be, else as a port.

use std::num::NonZeroU64;

use ackclock_net::queue::{CATALOGUE, Entry, Settings};
use ackclock_net::{Limit, Link, Loss, Port, Seed, Transmitter};

use crate::Nanos;
use crate::network::{LinkId, Topology};

/// One direction of a link.
#[derive(Clone)]
pub struct LinkSpec {
    /// Bits per second.
    pub rate: NonZeroU64,
    /// Propagation, ns.
    pub delay: Nanos,
    /// The queue's entry in the catalogue.
    pub queue: &'static Entry,
    /// What may wait.
    pub limit: Limit,
    /// Parameters of the queue that are not to have their defaults, by name.
    pub given: Vec<(&'static str, f64)>,
    /// What is lost before it reaches the queue.
    pub loss: Option<Loss>,
    /// Size of a full packet, bytes.
    pub packet_size: u32,
    /// Seed of what the queue draws.
    pub seed: Seed,
}

impl LinkSpec {
    /// A link with a drop-tail queue and without loss.
    pub fn drop_tail(rate: NonZeroU64, delay: Nanos, limit: Limit) -> LinkSpec {
        let queue = &CATALOGUE[0];
        LinkSpec { rate, delay, queue, limit, given: Vec::new(), loss: None, packet_size: 1500, seed: Seed::default() }
    }

    /// What its queue is made for.
    pub fn settings(&self) -> Settings<'_> {
        let LinkSpec { rate, limit, packet_size, seed, .. } = *self;
        Settings { rate, limit, packet_size, given: &self.given, seed }
    }

    /// Adds it to a network; its queueing delays are recorded.
    pub fn put_into(self, topology: &mut Topology) -> LinkId {
        let link = if self.queue.name == CATALOGUE[0].name {
            let link = Link::new(self.rate, self.delay, self.limit);
            topology.link(match self.loss {
                Some(loss) => link.with_loss(loss),
                None => link,
            })
        } else {
            let queue = (self.queue.make)(&self.settings());
            let port = Port::new(queue, Box::new(Transmitter::new(self.rate)), self.delay);
            topology.port(match self.loss {
                Some(loss) => port.with_loss(loss),
                None => port,
            })
        };
        topology.measure(link);
        link
    }
}
