//! The description of a link of a run, and its construction in the network: its times are computed in advance if
//! possible, otherwise it is a port.

use std::sync::Arc;

use ackclock_net::netem::{self, Netem};
use ackclock_net::queue::{CATALOGUE, Entry, Settings};
use ackclock_net::server::{Cellular, CellularModel, Interrupted, Opportunities, Playback, Steps, Trace};
use ackclock_net::{Large, Limit, Link, Loss, Policer, Port, Propagation, Schedule, Seed, Server, Transmitter};

use crate::ids::LinkId;
use crate::network::{LinkMtu, Topology};
use ackclock_core::{Nanos, Rate};

/// One direction of a link.
#[derive(Clone)]
pub struct LinkSpec {
    /// Rate; the mean rate if it varies.
    pub rate: Rate,
    /// Propagation delay at the start, in ns.
    pub delay: Nanos,
    /// The queue's entry in the catalogue.
    pub queue: &'static Entry,
    /// Limit of the queue.
    pub limit: Limit,
    /// Parameters of the queue that differ from their defaults, by name.
    pub given: Vec<(&'static str, f64)>,
    /// Loss of packets before the queue.
    pub loss: Option<Loss>,
    /// Further impairments.
    pub impairments: Impairments,
    /// Size of a full packet, in bytes.
    pub packet_size: u32,
    /// Treatment of large packets of segmentation offload.
    pub large: Large,
    /// Whether the queue is that of the sending host.
    pub on_host: bool,
    /// The largest packet, if there is one.
    pub mtu: Option<LinkMtu>,
    /// Seed of the queue's random draws.
    pub seed: Seed,
}

/// The properties in which a link may differ from a plain link.
#[derive(Clone, Default)]
pub struct Impairments {
    /// The transmission process of the link.
    pub wire: Wire,
    /// Propagation delay that varies.
    pub path: Option<Propagation>,
    /// Policer before the loss and the queue.
    pub policer: Option<Policer>,
    /// netem before the queue, with the seed of its stream.
    pub netem: Option<(netem::Model, Seed)>,
    /// Duplication of packets before the queue.
    pub duplication: Option<Loss>,
    /// Corruption of packets on the wire.
    pub corruption: Option<Loss>,
    /// Times in which the link is down and packets wait.
    pub held: Option<Schedule<bool>>,
    /// Times in which the link is down and transmitted packets are lost.
    pub lost: Option<Schedule<bool>>,
}

/// The transmission process of a link.
#[derive(Clone, Default)]
pub enum Wire {
    /// Constant rate.
    #[default]
    Fixed,
    /// Rates that change, in bits per second. For rates that do not repeat, the mean is computed up to the given time.
    Steps(Schedule<u64>, Nanos),
    /// A recorded trace.
    Trace(Arc<Trace>),
    /// A recorded trace of which packets take whole opportunities.
    PacketTrace(Arc<Trace>),
    /// The cellular model, with draws from the stream of the seed.
    Cellular(CellularModel, Seed),
}

impl Impairments {
    fn are_none(&self) -> bool {
        let Impairments { wire, path, policer, netem, duplication, corruption, held, lost } = self;
        let losses = duplication.is_none() && corruption.is_none();
        let plain = matches!(wire, Wire::Fixed) && path.is_none() && policer.is_none() && netem.is_none();
        plain && losses && held.is_none() && lost.is_none()
    }

    fn server(&self, rate: Rate) -> Box<dyn Server> {
        let wire: Box<dyn Server> = match &self.wire {
            Wire::Fixed => Box::new(Transmitter::new(rate)),
            Wire::Steps(rates, horizon) => Box::new(Steps::new(rates.clone(), *horizon)),
            Wire::Trace(trace) => Box::new(Opportunities::new(Playback::new(trace.clone()))),
            Wire::PacketTrace(trace) => Box::new(Opportunities::of_packets(Playback::new(trace.clone()))),
            Wire::Cellular(model, seed) => Box::new(Opportunities::new(Cellular::new(*model, *seed))),
        };
        match &self.held {
            Some(down) => Box::new(Interrupted::new(wire, down.clone())),
            None => wire,
        }
    }
}

impl LinkSpec {
    /// Creates a link with a drop-tail queue and without loss.
    pub fn drop_tail(rate: Rate, delay: Nanos, limit: Limit) -> LinkSpec {
        LinkSpec {
            rate,
            delay,
            queue: &CATALOGUE[0],
            limit,
            given: Vec::new(),
            loss: None,
            impairments: Impairments::default(),
            packet_size: 1500,
            large: Large::Split,
            on_host: false,
            mtu: None,
            seed: Seed::default(),
        }
    }

    /// Returns the settings from which its queue is created.
    pub fn settings(&self) -> Settings<'_> {
        let LinkSpec { rate, limit, packet_size, seed, .. } = *self;
        Settings { rate, limit, packet_size, given: &self.given, seed }
    }

    /// Adds the link to a network; its queueing delays are recorded.
    pub fn put_into(self, topology: &mut Topology) -> LinkId {
        let LinkSpec { large, on_host, mtu, .. } = self;
        let is_plain = self.queue.name == CATALOGUE[0].name
            && self.impairments.are_none()
            && large == Large::Split
            && !self.on_host
            && mtu.is_none();
        let link = if is_plain && topology.computes_ahead() {
            let link = Link::new(self.rate, self.delay, self.limit);
            topology.link(match self.loss {
                Some(loss) => link.with_loss(loss),
                None => link,
            })
        } else {
            topology.port(self.port())
        };
        if on_host {
            topology.put_on_host(link);
        }
        if let Some(mtu) = mtu {
            topology.limit_size(link, mtu);
        }
        topology.measure(link);
        topology.treat_large(link, large);
        link
    }

    fn port<T>(self) -> Port<T> {
        let queue = (self.queue.make)(&self.settings());
        let server = self.impairments.server(self.rate);
        let Impairments { path, policer, netem, duplication, corruption, lost, .. } = self.impairments;
        let mut port = match netem {
            Some((model, seed)) => {
                Port::new(Box::new(Netem::new(model, queue, seed)), server, self.delay).with_verdicts()
            }
            None => Port::new(queue, server, self.delay),
        };
        if self.large == Large::Queued {
            port = port.with_parts();
        }
        if let Some(policer) = policer {
            port = port.with_policer(policer);
        }
        if let Some(loss) = self.loss {
            port = port.with_loss(loss);
        }
        if let Some(duplication) = duplication {
            port = port.with_duplication(duplication);
        }
        if let Some(corruption) = corruption {
            port = port.with_corruption(corruption);
        }
        if let Some(down) = lost {
            port = port.with_outages(down);
        }
        if let Some(path) = path {
            port = port.with_path(path);
        }
        port
    }
}

#[cfg(test)]
mod tests {
    use ackclock_net::{Action, Jitter, ListedLoss, Meter, Spread};

    use super::*;

    #[test]
    fn a_plain_link_is_evaluated_ahead_and_every_other_is_a_port() {
        let is_port = |impairments: Impairments| {
            let rate = Rate::new(1_000_000).unwrap();
            let mut topology = Topology::default();
            let link =
                LinkSpec { impairments, ..LinkSpec::drop_tail(rate, 5, Limit::Unlimited) }.put_into(&mut topology);
            topology.as_port(link).is_some()
        };
        assert!(!is_port(Impairments::default()));
        let struck = || Some(Loss::Listed(ListedLoss::new([1].into())));
        let down = || Some(Schedule::during(&[(1, 2)], None));
        let jitter = Jitter::new(Spread::Uniform(1), false, [0; 32]);
        let none = Impairments::default;
        assert!(is_port(Impairments { wire: Wire::Steps(Schedule::constant(1), 1), ..none() }));
        assert!(is_port(Impairments { path: Some(Propagation::new(Schedule::constant(1), Some(jitter))), ..none() }));
        let meter = Meter::TokenBucket { committed: (Rate::MIN, 1500), peak: None };
        let policer = Policer::new(meter, Action::Drop, Action::Drop);
        assert!(is_port(Impairments { policer: Some(policer), ..none() }));
        assert!(is_port(Impairments { duplication: struck(), ..none() }));
        assert!(is_port(Impairments { corruption: struck(), ..none() }));
        assert!(is_port(Impairments { held: down(), ..none() }));
        assert!(is_port(Impairments { lost: down(), ..none() }));
    }
}
