//! A flow: an application, its connections, its timers, and its totals.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::connection::Slots;
use super::transfers::{Multipath, Paths};
use crate::endpoint::Endpoint;
use crate::event::Key;
use crate::ids::{EndpointId, Slot};
use crate::measures::{FlowLabels, FlowTotals};
use crate::network::Route;
use crate::reading::{Reader, Reads};
use ackclock_app::{AppContext, Application, Command, Conn, Side};
use ackclock_core::Nanos;
use ackclock_core::Stream;
use ackclock_core::prefetch::prefetch;
use ackclock_net::queue::Headers;
use ackclock_results::Sketch;

/// Segmentation offload and queues of a flow's hosts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Offload {
    /// Whether the source and the sink hand large packets to their links (GSO).
    pub sends_large: [bool; 2],
    /// Whether the queues of the source's and of the sink's host are in the network, so that their TCP keeps the bytes in
    /// them few.
    pub host_queues: [bool; 2],
    /// Time for which a host's network card collects packets before the host merges them (GRO), in ns; `None` if it
    /// hands on each packet by itself.
    pub collects: Option<Nanos>,
}

/// A change of a flow's routes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RouteChange {
    /// Time of the change, in ns.
    pub at: Nanos,
    /// MTU of the new path in bytes, if both ends are told of one.
    pub mtu: Option<u32>,
    /// The new routes from source to sink and from sink to source, for each pair of hosts.
    pub routes: Vec<[Route; 2]>,
}

/// The parts from which a flow with endpoints `E` is created.
pub struct FlowSpec<E: Endpoint = ackclock_tcp::Endpoint> {
    /// Names of the flow and of its algorithms. The flow's name determines its random streams.
    pub labels: FlowLabels,
    /// Configuration of both ends of its connections.
    pub config: E::Config,
    /// Application of the flow.
    pub app: Box<dyn Application>,
    /// Earliest start, in ns.
    pub start: Nanos,
    /// Maximum extra start delay in ns, drawn uniformly from zero.
    pub start_jitter: Nanos,
    /// Numbers of hosts at the source and at the sink.
    pub hosts: [u32; 2],
    /// Routes from source to sink and from sink to source, for each pair of hosts.
    pub routes: Vec<[Route; 2]>,
    /// Changes of its routes, in the order of time.
    pub route_changes: Vec<RouteChange>,
    /// The paths of a transfer over several paths: one for each pair of hosts.
    pub paths: Option<Paths>,
    /// Segmentation offload of its hosts.
    pub offload: Offload,
    /// Traffic class of its packets.
    pub class: u8,
    /// Hosts and code point of its packets from source to sink.
    pub headers: Headers,
    /// Whether the one-way delays of the packets that the sinks receive are recorded.
    pub delays: bool,
    /// Readers of the source and of the sink; `None` for an end that reads at once.
    pub readers: [Option<Reader>; 2],
}

impl<E: Endpoint> FlowSpec<E> {
    /// Returns the time at which the flow starts in a run with `seed`, in ns.
    pub fn start(&self, seed: u64) -> Nanos {
        let jitter =
            Stream::new(seed, &format!("{}/start", self.labels.name)).below(self.start_jitter.saturating_add(1));
        self.start.saturating_add(jitter)
    }

    /// Returns the random stream of the flow's application in a run with `seed`.
    pub fn random(&self, seed: u64) -> Stream {
        Stream::new(seed, &format!("{}/app", self.labels.name))
    }
}

/// Reason for an event of a flow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wake {
    Start,
    Timer(u64),
    /// The network card of an endpoint's host has collected packets for the endpoint of this generation.
    Collected(EndpointId, u16),
    /// A read of the application at a side of a connection.
    Read(Conn, Side),
    /// The change of the routes with this number.
    Reroute(usize),
    /// A router's message about a segment that was too large.
    TooLarge(Message),
}

/// A router's message about a segment that was too large for a link (ICMP).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Message {
    /// The sender of the segment, with its generation.
    pub endpoint: EndpointId,
    pub generation: u16,
    /// Largest packet that the link takes, bytes.
    pub mtu: u32,
    /// Sequence number of the segment.
    pub seq: u32,
}

// The order of the fields is their order in memory: first those that arriving data needs.
#[repr(C)]
pub(super) struct Flow<E: Endpoint> {
    app: Box<dyn Application>,
    next_conn: u32,
    random: Stream,
    /// Readers of the source and of the sink; `None` for an end that reads at once.
    pub readers: [Option<Reader>; 2],
    pub labels: FlowLabels,
    pub config: E::Config,
    pub start: Nanos,
    /// First stages of the routes from source to sink and from sink to source, for each pair of hosts.
    pub stages: Vec<[u32; 2]>,
    /// The same of the routes after each change, and the MTU that the ends are told then.
    pub changes: Vec<(Vec<[u32; 2]>, Option<u32>)>,
    /// MTU of the path in bytes, if a change of the routes has told one.
    pub mtu: Option<u32>,
    /// MTUs of paths in bytes that routers have told, by the first stage of the route.
    pub path_mtus: BTreeMap<u32, u32>,
    /// The paths of its transfers, if there are several, and the state of these transfers.
    pub paths: Option<Paths>,
    pub multipath: Multipath,
    /// Slots of the open connections, and further slots of the flow.
    pub open: BTreeMap<Conn, Slot>,
    pub slots: Slots,
    /// Totals of closed connections and of datagrams.
    pub finished: FlowTotals,
    pub class: u8,
    pub offload: Offload,
    /// Packets that the network cards of hosts have collected and merged, by the endpoint and its generation.
    pub collected: BTreeMap<(EndpointId, u16), Vec<E::Packet>>,
    /// One-way delays of the packets with payload that the sinks have received.
    pub delays: Option<Box<Sketch>>,
    /// The reads of open connections whose applications do not read at once.
    pub reads: BTreeMap<(Conn, Side), Reads>,
    /// Pending events, each with its number in the order of creation, and the number of events so far.
    wakes: BinaryHeap<Reverse<(Key, u64, Wake)>>,
    created: u64,
}

impl<E: Endpoint> Flow<E> {
    pub fn new(
        spec: FlowSpec<E>,
        seed: u64,
        stages: Vec<[u32; 2]>,
        changes: Vec<(Vec<[u32; 2]>, Option<u32>)>,
    ) -> Flow<E> {
        Flow {
            start: spec.start(seed),
            random: spec.random(seed),
            labels: spec.labels,
            config: spec.config,
            stages,
            changes,
            mtu: None,
            path_mtus: BTreeMap::new(),
            multipath: Multipath::new(spec.paths.as_ref()),
            paths: spec.paths,
            open: BTreeMap::new(),
            slots: Slots::default(),
            finished: FlowTotals::default(),
            class: spec.class,
            offload: spec.offload,
            collected: BTreeMap::new(),
            delays: spec.delays.then(Box::default),
            readers: spec.readers,
            reads: BTreeMap::new(),
            app: spec.app,
            next_conn: 0,
            wakes: BinaryHeap::new(),
            created: 0,
        }
    }

    /// Returns the random stream from which the endpoints of a connection are created. Its name is as old as its first
    /// use, the initial sequence numbers of TCP.
    pub fn stream_of(&self, seed: u64, conn: Conn) -> Stream {
        Stream::new(seed, &format!("{}/{}/isn", self.labels.name, conn.0))
    }

    /// Calls the application; its requests are added to `commands`.
    pub fn call(
        &mut self,
        now: Nanos,
        commands: &mut Vec<Command>,
        callback: impl FnOnce(&mut dyn Application, &mut AppContext<'_>),
    ) {
        let mut ctx = AppContext::new(now, &mut self.random, commands, &mut self.next_conn);
        callback(&mut *self.app, &mut ctx);
    }

    /// Records the one-way delay of a packet with payload that reached the sink.
    pub fn delayed(&mut self, delay: Nanos) {
        if let Some(delays) = &mut self.delays {
            delays.record(delay);
        }
    }

    /// Brings what the flow needs when data arrives into the processor's caches ([`ackclock_core::prefetch`]).
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.app);
        prefetch(&self.readers);
    }

    pub fn app(&self) -> &dyn Application {
        &*self.app
    }

    /// Adds an event.
    pub fn wake_at(&mut self, key: Key, wake: Wake) {
        self.wakes.push(Reverse((key, self.created, wake)));
        self.created += 1;
    }

    /// Removes and returns the earliest event.
    pub fn wake(&mut self) -> Option<Wake> {
        self.wakes.pop().map(|Reverse((_, _, wake))| wake)
    }

    /// Returns the key of the earliest event.
    pub fn next_wake(&self) -> Key {
        self.wakes.peek().map_or(Key::NEVER, |Reverse((key, _, _))| *key)
    }
}
