//! The dumbbell: every flow has its own access links on both sides of one bottleneck, or of several links.

use ackclock_net::queue::{CATALOGUE, Settings};
use ackclock_net::{Limit, Link, Policer, Port, Seed, Transmitter};

use crate::ids::LinkId;
use crate::link::LinkSpec;
use crate::network::{Route, Topology};
use ackclock_core::{Nanos, Rate};

/// The access links of one flow's hosts, the same in both directions. Their queues belong to the hosts and are
/// unlimited.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Rate.
    pub rate: Rate,
    /// Propagation delay between the source and the bottleneck, in ns.
    pub source_delay: Nanos,
    /// Propagation delay between the bottleneck and the sink, in ns.
    pub sink_delay: Nanos,
}

/// The policers of one flow's access links, in the order of [`Dumbbell::own_links`].
pub type Policers = [Option<Policer>; 4];

/// A dumbbell under construction.
pub struct Dumbbell {
    /// Its links and routes so far.
    pub topology: Topology,
    /// The bottleneck from sources to sinks.
    pub forward: LinkId,
    /// The bottleneck from sinks to sources.
    pub reverse: LinkId,
}

impl Dumbbell {
    /// Creates a bottleneck with these two directions: from sources to sinks, and from sinks to sources.
    pub fn new(forward: LinkSpec, reverse: LinkSpec) -> Dumbbell {
        Dumbbell::in_topology(Topology::default(), forward, reverse)
    }

    /// Creates the same bottleneck in a topology.
    pub fn in_topology(mut topology: Topology, forward: LinkSpec, reverse: LinkSpec) -> Dumbbell {
        let (forward, reverse) = (forward.put_into(&mut topology), reverse.put_into(&mut topology));
        Dumbbell { topology, forward, reverse }
    }

    /// Adds the access links of a flow over the bottleneck. Returns its routes from source to sink and from sink to
    /// source.
    pub fn flow(&mut self, access: Access) -> [Route; 2] {
        self.flow_over(access, &Policers::default(), &[self.forward], &[self.reverse])
    }

    /// Adds the access links of a flow over the links `forward` (from source to sink) and `reverse` (from sink to source).
    /// Returns its routes in the same order.
    pub fn flow_over(
        &mut self,
        access: Access,
        policers: &Policers,
        forward: &[LinkId],
        reverse: &[LinkId],
    ) -> [Route; 2] {
        let Access { rate, source_delay, sink_delay } = access;
        self.pairs_over(rate, [&[source_delay], &[sink_delay]], policers, forward, reverse)[0]
    }

    /// Adds the access links of a flow with several hosts at an end, of which each has a propagation delay. Returns the
    /// routes of each pair of hosts, as [`Dumbbell::flow_over`] does; pair `n` has the host `n % hosts` of each end.
    ///
    /// # Panics
    /// If an end has no host.
    pub fn pairs_over(
        &mut self,
        rate: Rate,
        delays: [&[Nanos]; 2],
        policers: &Policers,
        forward: &[LinkId],
        reverse: &[LinkId],
    ) -> Vec<[Route; 2]> {
        let way = [forward.to_vec(), reverse.to_vec()];
        self.pairs_over_each(rate, delays, policers, &[way]).remove(0)
    }

    /// Adds the access links of a flow that changes between ways over the network, each with its links in the forward and
    /// in the reverse direction. Returns the routes of each way, as [`Dumbbell::pairs_over`] does.
    ///
    /// # Panics
    /// If an end has no host.
    pub fn pairs_over_each(
        &mut self,
        rate: Rate,
        delays: [&[Nanos]; 2],
        policers: &Policers,
        ways: &[[Vec<LinkId>; 2]],
    ) -> Vec<Vec<[Route; 2]>> {
        let hosts = self.hosts(rate, delays, policers);
        let pairs = delays[0].len().max(delays[1].len());
        ways.iter().map(|way| (0..pairs).map(|number| self.pair(&hosts, number, way)).collect()).collect()
    }

    /// Adds the access links of a flow over several paths, each with its links in the forward and in the reverse direction,
    /// and with a host of its own at both ends. Returns the routes of each path.
    pub fn paths_over(
        &mut self,
        rate: Rate,
        delays: [&[Nanos]; 2],
        policers: &Policers,
        paths: &[[Vec<LinkId>; 2]],
    ) -> Vec<[Route; 2]> {
        let hosts = self.hosts(rate, delays, policers);
        paths.iter().enumerate().map(|(number, path)| self.pair(&hosts, number, path)).collect()
    }

    /// Adds the access links of a flow's hosts. Returns those of the sources and of the sinks: from each host, and to it,
    /// as a packet from a source meets them.
    fn hosts(&mut self, rate: Rate, delays: [&[Nanos]; 2], policers: &Policers) -> [Vec<[LinkId; 2]>; 2] {
        let topology = &mut self.topology;
        let mut link = |delay: Nanos, policer: &Option<Policer>| match policer {
            None => topology.link(Link::uncounted(rate, delay)),
            Some(policer) => {
                let link = topology.port(policed(rate, delay, policer.clone()));
                topology.measure(link);
                link
            }
        };
        let mut links = |delays: &[Nanos], policers: [&Option<Policer>; 2]| -> Vec<[LinkId; 2]> {
            delays.iter().map(|delay| policers.map(|policer| link(*delay, policer))).collect()
        };
        let [up, down, to_sink, from_sink] = policers;
        [links(delays[0], [up, down]), links(delays[1], [to_sink, from_sink])]
    }

    /// Adds the routes of a pair of hosts over the links of a way.
    fn pair(
        &mut self,
        [sources, sinks]: &[Vec<[LinkId; 2]>; 2],
        number: usize,
        [forward, reverse]: &[Vec<LinkId>; 2],
    ) -> [Route; 2] {
        let ([source_out, source_in], [sink_in, sink_out]) =
            (sources[number % sources.len()], sinks[number % sinks.len()]);
        let topology = &mut self.topology;
        let mut route = |first, between: &[LinkId], last| topology.route(&[&[first], between, &[last]].concat());
        [route(source_out, forward, sink_in), route(sink_out, reverse, source_in)]
    }

    /// Returns the names of the own links of a flow with these numbers of hosts at the source and at the sink, in the
    /// order of the links' numbers. A name has the host and the direction: away from the host (`up`) or to the host
    /// (`down`).
    pub fn own_links(flow: &str, [sources, sinks]: [u32; 2]) -> Vec<String> {
        let names = |side: &str, hosts: u32, directions: [&str; 2]| -> Vec<String> {
            let host = |number| if hosts == 1 { side.to_owned() } else { format!("{side}.{number}") };
            (0..hosts).flat_map(|number| directions.map(|end| format!("{flow}.{}.{end}", host(number)))).collect()
        };
        [names("source", sources, ["up", "down"]), names("sink", sinks, ["down", "up"])].concat()
    }
}

/// Returns a link with a policer and an unlimited queue.
fn policed<T>(rate: Rate, delay: Nanos, policer: Policer) -> Port<T> {
    let settings = Settings { rate, limit: Limit::Unlimited, packet_size: 1500, given: &[], seed: Seed::default() };
    Port::new((CATALOGUE[0].make)(&settings), Box::new(Transmitter::new(rate)), delay).with_policer(policer)
}
