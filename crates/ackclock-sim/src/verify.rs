//! The verifier: an observer that replays a run's events against the physics of its network.
//!
//! The verifier uses the network's rates, delays, limits and routes, and shares no code with the links. It checks for
//! every link:
//!
//! - Service begins when the packet has arrived and the packet before it has left. It takes the packet's bits divided
//!   by the rate, to the nanosecond, however long the busy period.
//! - Propagation takes the link's delay.
//! - Packets leave in the order of their arrival.
//! - The queue never exceeds its limit, and no packet is dropped for lack of room while there is room.
//!
//! The discipline of a port is free to choose the order and the drops. For a port the verifier checks that packets
//! leave or are dropped only after they have arrived. If the rate is constant, it also checks that packets leave one
//! after the other and that each takes its bits divided by the rate.
//!
//! A large packet of segmentation offload counts as one packet of a link, and as its segments on their way.
//!
//! For every packet the verifier checks that an endpoint sent it and that it follows its route link by link without a
//! pause. The packet stays unaltered except for a mark, which requires ECN capability. It is delivered once, or
//! dropped, or still in flight when the run ends.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use ackclock_net::queue::Request;
use ackclock_net::{DropCause, Large, Limit, Passage};
use ackclock_tcp::Segment;

use crate::endpoint::{Contents, Event};
use crate::ids::{EndpointId, FlowId, LinkId, Receiver};
use crate::network::{Route, Topology, Tunnel};
use crate::observe::{NetworkEvent, Observer, Who, datagram_sender};
use crate::packet::Packet;
use ackclock_app::{Conn, Side};
use ackclock_core::headers::UDP_IPV4;
use ackclock_core::{Ecn, Nanos, Rate};

/// Maximum number of violations that are kept, because a broken law is often broken many times.
const KEPT: usize = 100;

/// The law that was broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Law {
    /// The events of a link are in the order of time.
    Order,
    /// Service begins as soon as possible, and not before.
    Start,
    /// Serialisation takes the packet's bits over the link's rate.
    Rate,
    /// Propagation takes the link's delay.
    Delay,
    /// A queue does not exceed its limit.
    Limit,
    /// A queue drops only packets that do not fit.
    Room,
    /// A packet keeps its size and content.
    Content,
    /// Only packets of ECN-capable transports are marked, and no mark is removed.
    Mark,
    /// A packet is only at the place and time that its route and the links before determine.
    Way,
    /// A packet that was sent is delivered, dropped, or in flight.
    Conservation,
}

/// A broken law, with its time and details.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The broken law.
    pub law: Law,
    /// Time of the violation.
    pub at: Nanos,
    /// The event, and the correct event.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ns: {:?}: {}", self.at, self.law, self.what)
    }
}

/// The verifier's model of a link, with its state.
struct LinkState<P> {
    rate: Rate,
    delay: Nanos,
    limit: Limit,
    large: Large,
    /// Time at which the link was last offered a packet.
    last: Nanos,
    /// Start of the current busy period, and the bits sent in it.
    busy_from: Nanos,
    bits: u128,
    /// State of a port: the packets that have arrived and neither left nor been dropped, and the time at which the last
    /// packet left.
    port: Option<Inside<P>>,
    /// Packets in the queue, with start and size, and the sum of the sizes.
    waiting: VecDeque<(Nanos, u32)>,
    backlog: u64,
}

impl<P> LinkState<P> {
    /// Returns the time at which all accepted packets have left, rounded up.
    fn free_at(&self) -> Nanos {
        let took = (self.bits * 1_000_000_000).div_ceil(u128::from(self.rate.bits()));
        Nanos::try_from(u128::from(self.busy_from) + took).unwrap_or(Nanos::MAX)
    }

    /// Whether a packet that cannot be sent at once fits into the queue in addition to the packets queued at `at`.
    fn has_room(&mut self, at: Nanos, size: u32) -> bool {
        while let Some((start, size)) = self.waiting.front()
            && *start <= at
        {
            self.backlog -= u64::from(*size);
            self.waiting.pop_front();
        }
        match self.limit {
            Limit::Unlimited => true,
            Limit::Packets(packets) => (self.waiting.len() as u64) < packets,
            Limit::Bytes(bytes) => self.backlog + u64::from(size) <= bytes,
        }
    }
}

/// The packets inside a port.
struct Inside<P> {
    rate: Option<Rate>,
    packets: BTreeMap<Address, Vec<(Nanos, OnWay<P>)>>,
    free_at: Nanos,
    reorders: bool,
    /// Arrival of the packet that was sent last, where the port keeps their order.
    latest: Nanos,
}

/// A packet in flight.
struct OnWay<P> {
    content: Content<P>,
    /// Number of changes of its flow's routes before it was sent.
    way: usize,
    /// Number of links that it has passed.
    hops: usize,
    /// ECN field of its inner header, in a tunnel.
    inner: Ecn,
}

/// A route: its links, and the tunnel on a part of them.
struct Path {
    links: Vec<LinkId>,
    tunnel: Option<Tunnel>,
}

/// Routes from a flow's source and from its sink, for each of its pairs of hosts.
type Routes = Vec<[Path; 2]>;

fn routes_over(topology: &Topology, routes: &[[Route; 2]]) -> Routes {
    let path = |route| Path { links: topology.hops(route).to_vec(), tunnel: topology.tunnel(route).cloned() };
    routes.iter().map(|pair| pair.map(path)).collect()
}

/// Content of a packet.
#[derive(Clone, PartialEq, Debug)]
enum Content<P> {
    Transport(P),
    Datagram { len: u32, ecn: Ecn },
}

impl<P: Contents> Content<P> {
    /// Returns what a packet carries; only a datagram has no contents.
    fn of(contents: Option<&P>, packet: Packet) -> Content<P> {
        match contents {
            Some(contents) => Content::Transport(contents.clone()),
            None => Content::Datagram { len: packet.as_datagram().map_or(0, |(_, len)| len), ecn: packet.ecn() },
        }
    }

    /// Returns the contents of the packets into which the network may split this.
    fn segments(&self) -> Vec<Content<P>> {
        match self {
            Content::Transport(contents) => {
                (0..contents.segments()).map(|index| Content::Transport(contents.segment(index))).collect()
            }
            Content::Datagram { .. } => vec![self.clone()],
        }
    }

    /// Returns the size of a packet that carries this, in bytes.
    fn size(&self) -> u32 {
        match self {
            Content::Transport(contents) => contents.size(),
            Content::Datagram { len, .. } => UDP_IPV4 + len,
        }
    }

    fn ecn(&self) -> Ecn {
        match self {
            Content::Transport(contents) => contents.ecn(),
            Content::Datagram { ecn, .. } => *ecn,
        }
    }

    /// Whether `other` is equal except for marks and for the change that routers grant to a request (XCP), which is at
    /// most the requested change.
    fn became(&self, other: &Content<P>) -> bool {
        match (self, other) {
            (Content::Transport(before), Content::Transport(after)) => {
                let mut expected = before.clone();
                expected.set_ecn(after.ecn());
                if let (Some(asked), Some(granted)) = (before.request(), after.request()) {
                    expected.grant(Request { change: asked.change.min(granted.change), ..asked });
                }
                expected == *after
            }
            (Content::Datagram { len: before, .. }, Content::Datagram { len: after, .. }) => before == after,
            _ => false,
        }
    }
}

/// The receiver of a packet, and the generation of an endpoint's slot.
type Address = (Receiver, u16);

/// The observer that verifies a run.
pub struct Verifier<P = Segment> {
    links: Vec<LinkState<P>>,
    /// Routes of each flow at the start and after each change, and the number of changes up to now.
    routes: Vec<Vec<Routes>>,
    changes: Vec<usize>,
    /// Destination of the packets of each connection end.
    peers: BTreeMap<(FlowId, Conn, bool), Address>,
    /// Sender of the packets to an endpoint, and the pair of hosts.
    senders: BTreeMap<Address, (Who, u32)>,
    /// Packets in flight to an endpoint, by the time at which they are due at the next place on their route; a number
    /// tells apart the packets with the same time.
    on_way: BTreeMap<(Address, Nanos, u64), OnWay<P>>,
    /// Number of packets that were added.
    count: u64,
    violations: Vec<Violation>,
}

impl<P: Contents> Verifier<P> {
    /// Creates a verifier for runs over `topology` of flows with these routes, each from source to sink and from sink
    /// to source, for each pair of hosts.
    pub fn new<'a>(topology: &Topology, routes: impl Iterator<Item = &'a [[Route; 2]]>) -> Verifier<P> {
        let routes: Vec<_> = routes.map(|routes| vec![routes_over(topology, routes)]).collect();
        let link = |(number, link): (u32, &ackclock_net::Link)| LinkState {
            port: topology.as_port(LinkId(number)).map(|port| Inside {
                rate: port.server().fixed_rate(),
                reorders: port.reorders(),
                packets: BTreeMap::new(),
                free_at: 0,
                latest: 0,
            }),
            rate: link.rate(),
            delay: link.delay(),
            limit: link.limit(),
            large: topology.large(LinkId(number)),
            last: 0,
            busy_from: 0,
            bits: 0,
            waiting: VecDeque::new(),
            backlog: 0,
        };
        Verifier {
            links: (0..).zip(topology.links()).map(link).collect(),
            changes: vec![0; routes.len()],
            routes,
            peers: BTreeMap::new(),
            senders: BTreeMap::new(),
            on_way: BTreeMap::new(),
            count: 0,
            violations: Vec::new(),
        }
    }

    /// Adds the routes of a flow after its next change.
    pub fn expect_change(&mut self, flow: usize, topology: &Topology, routes: &[[Route; 2]]) {
        self.routes[flow].push(routes_over(topology, routes));
    }

    /// Returns the violations of a run that ended at `end`, at most the first hundred.
    pub fn finish(mut self, end: Nanos) -> Vec<Violation> {
        for ((to, due, _), packet) in std::mem::take(&mut self.on_way) {
            let what = || format!("a packet to endpoint {to:?} was due after {} links and never came", packet.hops);
            self.expect(Law::Conservation, due, due > end, what);
        }
        self.violations
    }

    fn broken(&mut self, law: Law, at: Nanos, what: String) {
        if self.violations.len() < KEPT {
            self.violations.push(Violation { law, at, what });
        }
    }

    fn expect(&mut self, law: Law, at: Nanos, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.broken(law, at, what());
        }
    }

    /// Adds a packet in flight.
    fn put(&mut self, to: Address, due: Nanos, packet: OnWay<P>) {
        self.on_way.insert((to, due, self.count), packet);
        self.count += 1;
    }

    /// Finds the packet that is now at `link`, or at its host if `link` is `None`, and removes it from the packets in
    /// flight.
    fn take(&mut self, at: Nanos, link: Option<LinkId>, to: Address, content: &Content<P>) -> Option<OnWay<P>> {
        let sender = match to.0 {
            Receiver::Flow(end) => Some((end.flow, 0, end.side.peer())),
            Receiver::Endpoint(_) => self.senders.get(&to).map(|(who, pair)| (who.flow, *pair, who.side)),
        };
        let path = |packet: &OnWay<P>| {
            let (flow, pair, side) = sender?;
            Some(&self.routes[flow.index()][packet.way][pair as usize][side as usize])
        };
        let next = |packet: &OnWay<P>| path(packet)?.links.get(packet.hops).copied();
        let due = self.on_way.range((to, at, 0)..=(to, at, u64::MAX)).filter(|(_, packet)| next(packet) == link);
        let key = due.min_by_key(|(_, packet)| Likeness::of(&packet.content, content)).map(|(key, _)| *key);
        let Some(mut packet) = key.and_then(|key| self.on_way.remove(&key)) else {
            let what = format!("nothing is due to endpoint {to:?} at {link:?}, and {content:?} came");
            self.broken(Law::Way, at, what);
            return None;
        };
        let tunnel = path(&packet).and_then(|path| path.tunnel.clone());
        let what = || format!("{:?} was sent, and {content:?} came", packet.content);
        self.expect(Law::Content, at, packet.content.became(content), what);
        let (mut before, after) = (packet.content.ecn(), content.ecn());
        if let Some(tunnel) = tunnel {
            if packet.hops == tunnel.links.start {
                packet.inner = before;
                before = tunnel.ecn.encapsulate(before);
            } else if packet.hops == tunnel.links.end {
                before = tunnel.ecn.decapsulate(packet.inner, before).unwrap_or(before);
            }
            packet.content = content.clone();
        }
        let may_be = may_become(before, after);
        self.expect(Law::Mark, at, may_be, || format!("{before:?} became {after:?}"));
        Some(packet)
    }

    /// Returns the bytes that a tunnel adds on a link to the packets to an endpoint.
    fn header(&self, to: Address, link: LinkId) -> u32 {
        let sender = match to.0 {
            Receiver::Flow(end) => Some((end.flow, 0, end.side.peer())),
            Receiver::Endpoint(_) => self.senders.get(&to).map(|(who, pair)| (who.flow, *pair, who.side)),
        };
        let path = sender.map(|(flow, pair, side)| {
            &self.routes[flow.index()][self.changes[flow.index()]][pair as usize][side as usize]
        });
        let tunnel = path.and_then(|path| Some((path, path.tunnel.as_ref()?)));
        tunnel.map_or(
            0,
            |(path, tunnel)| {
                if path.links[tunnel.links.clone()].contains(&link) { tunnel.header } else { 0 }
            },
        )
    }

    fn offered(&mut self, at: Nanos, link: LinkId) -> &mut LinkState<P> {
        let last = self.links[link.0 as usize].last;
        self.expect(Law::Order, at, last <= at, || format!("link {} was offered a packet at {last} before", link.0));
        let state = &mut self.links[link.0 as usize];
        state.last = at;
        state
    }

    fn enqueued(&mut self, at: Nanos, link: LinkId, packet: Packet, passage: Passage, content: &Content<P>) {
        let size = packet.size();
        let full = content.size();
        self.expect(Law::Content, at, size == full, || format!("a packet of {full} bytes counts as {size}"));
        let size = size + self.header(address(packet), link);

        let state = self.offered(at, link);
        let free_at = state.free_at();
        let start = at.max(free_at);
        let fits = start == at || state.has_room(at, size);
        if free_at <= at {
            (state.busy_from, state.bits) = (at, 0);
        }
        state.bits += u128::from(size) * 8;
        let departure = state.free_at();
        let arrival = passage.departure.saturating_add(state.delay);
        if start > at {
            state.waiting.push_back((start, size));
            state.backlog += u64::from(size);
        }
        self.expect(Law::Limit, at, fits, || format!("link {} took a packet of {size} bytes over its limit", link.0));
        let Passage { start: began, departure: left, arrival: came } = passage;
        self.expect(Law::Start, at, began == start, || format!("service at {began}, free at {start}"));
        let took = || format!("a packet of {size} bytes left link {} at {left} instead of {departure}", link.0);
        self.expect(Law::Rate, at, left == departure, took);
        self.expect(Law::Delay, at, came == arrival, || format!("it arrived at {came} instead of {arrival}"));

        let to = address(packet);
        for content in content.segments() {
            if let Some(on_way) = self.take(at, Some(link), to, &content) {
                self.put(to, passage.arrival, OnWay { content, hops: on_way.hops + 1, ..on_way });
            }
        }
    }

    /// Handles a packet that arrives at a port.
    fn arrived(&mut self, at: Nanos, link: LinkId, packet: Packet, content: &Content<P>) {
        self.offered(at, link);
        let to = address(packet);
        for content in content.segments() {
            let Some(on_way) = self.take(at, Some(link), to, &content) else { return };
            let Some(inside) = &mut self.links[link.0 as usize].port else {
                return self.broken(Law::Way, at, format!("link {} is no port", link.0));
            };
            inside.packets.entry(to).or_default().push((at, on_way));
        }
    }

    /// Handles the copy of a packet that arrived at a port.
    fn copied(&mut self, at: Nanos, link: LinkId, packet: Packet, content: &Content<P>) {
        content.segments().iter().for_each(|content| self.copied_segment(at, link, packet, content));
    }

    fn copied_segment(&mut self, at: Nanos, link: LinkId, packet: Packet, content: &Content<P>) {
        let inside = self.links[link.0 as usize].port.as_mut();
        let packets = inside.map(|inside| inside.packets.entry(address(packet)).or_default());
        let copy = packets.and_then(|packets| {
            let (_, own) = packets.iter().find(|(came, own)| *came == at && own.content == *content)?;
            let copy = OnWay { content: own.content.clone(), way: own.way, hops: own.hops, inner: own.inner };
            packets.push((at, copy));
            Some(())
        });
        self.expect(Law::Way, at, copy.is_some(), || {
            format!("{content:?} is a copy of nothing that came to link {}", link.0)
        });
    }

    /// Removes a packet from a port. Returns the packet with the time of its arrival.
    fn leave(&mut self, at: Nanos, link: LinkId, packet: Packet, content: &Content<P>) -> Option<(Nanos, OnWay<P>)> {
        let to = address(packet);
        let inside = self.links[link.0 as usize].port.as_mut()?;
        let packets = inside.packets.get_mut(&to);
        let found = packets.and_then(|packets| {
            let likeness = |(_, (_, on_way)): &(usize, &(Nanos, OnWay<P>))| Likeness::of(&on_way.content, content);
            let (place, (_, on_way)) = packets.iter().enumerate().min_by_key(likeness)?;
            on_way.content.became(content).then(|| packets.remove(place))
        });
        let Some((arrived, on_way)) = found else {
            let what = format!("{content:?} to endpoint {to:?} leaves link {} and never came there", link.0);
            self.broken(Law::Way, at, what);
            return None;
        };
        let (before, after) = (on_way.content.ecn(), content.ecn());
        let may_be = may_become(before, after);
        self.expect(Law::Mark, at, may_be, || format!("{before:?} became {after:?}"));
        Some((arrived, on_way))
    }

    /// Handles a packet that leaves a port's queue for the wire.
    fn sent(&mut self, at: Nanos, link: LinkId, packet: Packet, passage: Passage, content: &Content<P>) {
        let mut left = Vec::new();
        for content in content.segments() {
            let Some((arrived, on_way)) = self.leave(at, link, packet, &content) else { return };
            left.push((arrived, OnWay { content, hops: on_way.hops + 1, ..on_way }));
        }
        let arrived = left[0].0;
        let size = packet.size() + self.header(address(packet), link);
        let state = &mut self.links[link.0 as usize];
        let (delay, Some(inside)) = (state.delay, state.port.as_mut()) else { return };
        let Passage { start, departure, arrival } = passage;
        let (free_at, rate, reorders) = (inside.free_at, inside.rate, inside.reorders);
        inside.free_at = departure;
        let earliest = std::mem::replace(&mut inside.latest, if reorders { 0 } else { arrival });
        self.expect(Law::Start, at, start == at && start >= arrived, || format!("service at {start}, not at {at}"));
        if let Some(rate) = rate {
            self.expect(Law::Start, at, start >= free_at, || format!("service at {start}, free at {free_at}"));
            let took = (u128::from(size) * 8_000_000_000).div_ceil(u128::from(rate.bits()));
            let late = u128::from(departure - start).abs_diff(took);
            // The tolerance covers the rounding of the previous departure.
            self.expect(Law::Rate, at, late <= 1, || format!("served for {} ns, not {took}", departure - start));
        }
        if !reorders {
            let due = departure.saturating_add(delay);
            self.expect(Law::Delay, at, arrival >= due, || format!("it arrives at {arrival}, before {due}"));
        }
        let is_split = self.links[link.0 as usize].large == Large::Queued;
        let (all, mut upto) = (content.size(), 0);
        for (_, on_way) in left {
            upto += on_way.content.size();
            let due = if is_split { passage.arrival_of(upto, all, earliest) } else { arrival };
            self.put(address(packet), due, on_way);
        }
    }

    fn dropped(&mut self, at: Nanos, link: LinkId, cause: DropCause, packet: Packet, content: &Content<P>) {
        let size = packet.size() + self.header(address(packet), link);
        let state = self.offered(at, link);
        if state.port.is_some() {
            for content in content.segments() {
                self.leave(at, link, packet, &content);
            }
            return;
        }
        let full = state.free_at() > at && !state.has_room(at, size);
        // Random loss happens before the queue, whether or not the queue has room.
        let right = full || cause == DropCause::Loss;
        self.expect(Law::Room, at, right, || format!("link {} dropped a packet for which it had room", link.0));
        self.take(at, Some(link), address(packet), content);
    }
}

/// Returns the endpoint that receives a packet.
fn address(packet: Packet) -> Address {
    (packet.receiver(), packet.generation())
}

/// Whether a router may change the first codepoint to the second.
fn may_become(before: Ecn, after: Ecn) -> bool {
    before == after || (after == Ecn::Ce && before != Ecn::NotEct)
}

/// Similarity of a packet's contents to earlier contents. A retransmission can equal its original in everything except the
/// codepoint, and the discipline may drop either first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    Equal,
    Marked,
    ButForEcn,
    None,
}

impl Likeness {
    fn of<P: Contents>(before: &Content<P>, after: &Content<P>) -> Likeness {
        match before.became(after) {
            false => Likeness::None,
            true if before.ecn() == after.ecn() => Likeness::Equal,
            true if may_become(before.ecn(), after.ecn()) => Likeness::Marked,
            true => Likeness::ButForEcn,
        }
    }
}

impl<P: Contents> Observer<P> for Verifier<P> {
    fn opened(&mut self, endpoint: EndpointId, generation: u16, who: Who, pair: u32) {
        let sender = Who { side: who.side.peer(), ..who };
        self.peers.insert(
            (sender.flow, sender.conn, sender.side == Side::Source),
            (Receiver::Endpoint(endpoint), generation),
        );
        self.senders.insert((Receiver::Endpoint(endpoint), generation), (sender, pair));
    }

    fn endpoint(&mut self, now: Nanos, who: Who, event: Event<'_, P>) {
        let Event::Sent { contents, .. } = event else { return };
        match self.peers.get(&(who.flow, who.conn, who.side == Side::Source)) {
            Some(&to) => {
                let (content, way) = (Content::Transport(contents.clone()), self.changes[who.flow.index()]);
                self.put(to, now, OnWay { content, way, hops: 0, inner: Ecn::NotEct });
            }
            None => self.broken(Law::Way, now, format!("{who:?} sends and was never opened")),
        }
    }

    fn rerouted(&mut self, flow: FlowId) {
        self.changes[flow.index()] += 1;
    }

    fn network(&mut self, at: Nanos, contents: Option<&P>, event: NetworkEvent) {
        let content = &Content::of(contents, event.packet());
        match event {
            NetworkEvent::Datagram { packet } => {
                let way = datagram_sender(packet).map_or(0, |sender| self.changes[sender.flow.index()]);
                self.put(address(packet), at, OnWay { content: content.clone(), way, hops: 0, inner: Ecn::NotEct });
            }
            NetworkEvent::Arrived { link, packet } => self.arrived(at, link, packet, content),
            NetworkEvent::Copied { link, packet } => self.copied(at, link, packet, content),
            NetworkEvent::Sent { link, packet, passage, .. } => self.sent(at, link, packet, passage, content),
            NetworkEvent::Enqueued { link, packet, passage } => self.enqueued(at, link, packet, passage, content),
            NetworkEvent::Dropped { link, packet, cause, .. } => self.dropped(at, link, cause, packet, content),
            NetworkEvent::Delivered { packet } => {
                for content in content.segments() {
                    self.take(at, None, address(packet), &content);
                }
            }
        }
    }
}
