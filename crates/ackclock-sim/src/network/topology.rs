//! Links and routes before a run, and how routes are divided into stages.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ackclock_core::NEVER;
use ackclock_net::{Large, Link, Port};

use super::parts::Imports;
use super::senders::Senders;
use super::{LinkMtu, LinkState, Network, PortState, Route, Tunnel};
use crate::endpoint::Contents;
use crate::event::{EventQueue, Key};
use crate::ids::LinkId;
use crate::packet::{Packet, Stored};

/// Links and routes before they are joined.
#[derive(Default)]
pub struct Topology {
    links: Vec<LinkState>,
    ports: Vec<PortState>,
    routes: Vec<Vec<LinkId>>,
    tunnels: BTreeMap<u32, Tunnel>,
    in_the_present: bool,
}

impl Topology {
    /// Creates a topology whose links with counts are all ports. Their counts are correct at any time of a run, and not
    /// only at its end.
    pub fn in_the_present() -> Topology {
        Topology { in_the_present: true, ..Topology::default() }
    }

    /// Whether a link may compute the times of its packets in advance.
    pub fn computes_ahead(&self) -> bool {
        !self.in_the_present
    }

    /// Adds a link.
    pub fn link(&mut self, link: Link) -> LinkId {
        self.links.push(LinkState {
            link,
            large: Large::Split,
            on_host: false,
            lane: 0,
            port: None,
            queueing_delays: None,
        });
        LinkId(self.links.len() as u32 - 1)
    }

    /// Adds a link that is a port.
    pub fn port(&mut self, port: Port<Packet>) -> LinkId {
        let link = self.link(Link::of_port(port.server().mean_rate(), port.delay()));
        self.links[link.0 as usize].port = Some(self.ports.len() as u32);
        self.ports.push(PortState {
            port,
            link,
            mtu: None,
            due: NEVER,
            poll: Key::NEVER,
            flight: BTreeMap::new(),
            departed: 0,
            latest: 0,
            leaving: VecDeque::new(),
        });
        link
    }

    /// Limits the sizes of the packets of a link.
    ///
    /// # Panics
    /// If the link is not a port.
    pub fn limit_size(&mut self, link: LinkId, mtu: LinkMtu) {
        let port = self.links[link.0 as usize].port.expect("a link with an MTU is a port");
        self.ports[port as usize].mtu = Some(mtu);
    }

    /// Sets the treatment of large packets by a link.
    pub fn treat_large(&mut self, link: LinkId, large: Large) {
        self.links[link.0 as usize].large = large;
    }

    /// Returns the treatment of large packets by a link.
    pub fn large(&self, link: LinkId) -> Large {
        self.links[link.0 as usize].large
    }

    /// Notes that the queue of a link, which must be a port, is that of the sending host ([`Network::tell_of_hosts`]).
    pub fn put_on_host(&mut self, link: LinkId) {
        self.links[link.0 as usize].on_host = true;
    }

    /// Whether the queue of a link is that of the sending host.
    pub fn is_on_host(&self, link: LinkId) -> bool {
        self.links[link.0 as usize].on_host
    }

    /// Records the queueing delays of a link.
    pub fn measure(&mut self, link: LinkId) {
        self.links[link.0 as usize].queueing_delays = Some(Box::default());
    }

    /// Adds a route from one host to another over `links`.
    ///
    /// # Panics
    /// If `links` is empty or names a link of another topology.
    pub fn route(&mut self, links: &[LinkId]) -> Route {
        assert!(!links.is_empty(), "a route has links");
        assert!(links.iter().all(|link| (link.0 as usize) < self.links.len()), "a route has links of its topology");
        self.routes.push(links.to_vec());
        Route(self.routes.len() as u32 - 1)
    }

    /// Puts a part of a route into a tunnel.
    ///
    /// # Panics
    /// If there are not both a link inside of the tunnel, and one before and behind it.
    pub fn put_into_tunnel(&mut self, route: Route, tunnel: Tunnel) {
        let inside = &tunnel.links;
        let fits = 0 < inside.start && inside.start < inside.end && inside.end < self.routes[route.0 as usize].len();
        assert!(fits, "a tunnel has links inside, before and behind it");
        self.tunnels.insert(route.0, tunnel);
    }

    /// Returns the tunnel of a route.
    pub fn tunnel(&self, route: Route) -> Option<&Tunnel> {
        self.tunnels.get(&route.0)
    }

    /// Returns the links in the order of their numbers.
    pub fn links(&self) -> impl Iterator<Item = &Link> {
        self.links.iter().map(|link_state| &link_state.link)
    }

    /// Returns the port of a link; `None` if the link is not a port.
    pub fn as_port(&self, link: LinkId) -> Option<&Port<Packet>> {
        self.links[link.0 as usize].port.map(|port| &self.ports[port as usize].port)
    }

    /// Returns the links of a route.
    pub fn hops(&self, route: Route) -> &[LinkId] {
        &self.routes[route.0 as usize]
    }

    /// Joins links and routes to a network.
    pub fn join<P: Contents>(self) -> Network<P> {
        // The upstreams of each link: other links, and any number of hosts, which send in the present and therefore in
        // order.
        let mut upstreams = vec![BTreeSet::new(); self.links.len()];
        for route in &self.routes {
            let mut upstream = None;
            for link in route {
                upstreams[link.0 as usize].insert(upstream);
                upstream = Some(*link);
            }
        }
        let reorders = |link: LinkId| self.as_port(link).is_some_and(Port::reorders);
        let ends = |(route, tunnel): (&u32, &Tunnel)| {
            [tunnel.links.start, tunnel.links.end].map(|place| self.routes[*route as usize][place])
        };
        let ends: BTreeSet<LinkId> = self.tunnels.iter().flat_map(ends).collect();
        let opens: Vec<bool> = self
            .links
            .iter()
            .zip(&upstreams)
            .enumerate()
            .map(|(number, (link_state, upstreams))| {
                link_state.port.is_some()
                    || ends.contains(&LinkId(number as u32))
                    || upstreams.len() > 1
                    || upstreams.iter().flatten().any(|link| reorders(*link))
            })
            .collect();

        let mut network = Network {
            links: self.links,
            ports: self.ports,
            routes: Vec::new(),
            stages: Vec::new(),
            gates: Vec::new(),
            hops: Vec::new(),
            shared: 0,
            lanes: Vec::new(),
            stored: Stored::default(),
            senders: Senders::default(),
            tells_hosts: false,
            notices: VecDeque::new(),
            end: NEVER,
            beyond: 0,
            part: 0,
            exports: Vec::new(),
            imports: Imports::default(),
            events: EventQueue::new(0, 0),
        };
        for (number, route) in (0..).zip(&self.routes) {
            network.routes.push(network.stages.len() as u32);
            let tunnel = self.tunnels.get(&number);
            let (mut ranges, mut inside) = (Vec::<(u32, u32)>::new(), 0..0);
            for (hop, link) in route.iter().enumerate() {
                if tunnel.is_some_and(|tunnel| tunnel.links.start == hop) {
                    inside.start = ranges.len();
                }
                if tunnel.is_some_and(|tunnel| tunnel.links.end == hop) {
                    inside.end = ranges.len();
                }
                let index = network.hops.len() as u32;
                match ranges.last_mut().filter(|_| !opens[link.0 as usize]) {
                    Some((_, end)) => *end = index + 1,
                    None => ranges.push((index, index + 1)),
                }
                network.hops.push(*link);
            }
            network.add_stages(&ranges, inside, tunnel);
        }
        network.share_lanes(&opens);
        network
    }
}
