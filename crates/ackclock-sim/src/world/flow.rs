//! A flow: an application, its connections, its timers, and what it has done.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use ackclock_tcp::Config;

use crate::event::Key;
use crate::ids::Slot;
use crate::measures::{FlowLabels, FlowTotals, Waits};
use crate::network::Route;
use ackclock_app::{AppContext, Application, Command, Conn};
use ackclock_core::Nanos;
use ackclock_core::Stream;

/// What a flow is made of.
pub struct FlowSpec {
    /// Its name and the names of its choices. The name keys its random streams.
    pub labels: FlowLabels,
    /// What both ends of its connections are.
    pub config: Config,
    /// What it does.
    pub app: Box<dyn Application>,
    /// The earliest start, ns.
    pub start: Nanos,
    /// It starts uniformly within so many ns from then.
    pub start_jitter: Nanos,
    /// The routes from source to sink and back.
    pub routes: [Route; 2],
    /// Traffic class of its packets.
    pub class: u8,
    /// Whether the one-way delays of what the sinks receive are recorded.
    pub delays: bool,
}

/// Why a flow's event comes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wake {
    Start,
    Timer(u64),
}

pub(super) struct Flow {
    pub labels: FlowLabels,
    pub config: Config,
    pub start: Nanos,
    /// First stages of the routes from source to sink and back.
    pub stages: [u32; 2],
    /// Places of the open connections.
    pub open: BTreeMap<Conn, Slot>,
    /// Connections that are over, and datagrams.
    pub finished: FlowTotals,
    pub class: u8,
    /// One-way delays of the packets with payload that the sinks have received.
    pub delays: Option<Box<Waits>>,
    app: Box<dyn Application>,
    random: Stream,
    next_conn: u32,
    wakes: BinaryHeap<Reverse<(Key, Wake)>>,
}

impl Flow {
    pub fn new(spec: FlowSpec, seed: u64, stages: [u32; 2]) -> Flow {
        let name = &spec.labels.name;
        let jitter = Stream::new(seed, &format!("{name}/start")).below(spec.start_jitter.saturating_add(1));
        Flow {
            start: spec.start.saturating_add(jitter),
            random: Stream::new(seed, &format!("{name}/app")),
            labels: spec.labels,
            config: spec.config,
            stages,
            open: BTreeMap::new(),
            finished: FlowTotals::default(),
            class: spec.class,
            delays: spec.delays.then(Box::default),
            app: spec.app,
            next_conn: 0,
            wakes: BinaryHeap::new(),
        }
    }

    /// Initial sequence numbers of a connection's source and sink: random per connection (RFC 9293 section 3.4.1).
    pub fn isns(&self, seed: u64, conn: Conn) -> [u32; 2] {
        let mut stream = Stream::new(seed, &format!("{}/{}/isn", self.labels.name, conn.0));
        [stream.bits32(), stream.bits32()]
    }

    /// Calls the application; what it asks for is added to `commands`.
    pub fn call(
        &mut self,
        now: Nanos,
        commands: &mut Vec<Command>,
        callback: impl FnOnce(&mut dyn Application, &mut AppContext<'_>),
    ) {
        let mut ctx = AppContext::new(now, &mut self.random, commands, &mut self.next_conn);
        callback(&mut *self.app, &mut ctx);
    }

    /// A packet with payload took so long to the sink.
    pub fn delayed(&mut self, delay: Nanos) {
        if let Some(delays) = &mut self.delays {
            delays.record(delay);
        }
    }

    pub fn app(&self) -> &dyn Application {
        &*self.app
    }

    /// Adds an event.
    pub fn wake_at(&mut self, key: Key, wake: Wake) {
        self.wakes.push(Reverse((key, wake)));
    }

    /// Takes out the earliest event.
    pub fn wake(&mut self) -> Option<Wake> {
        self.wakes.pop().map(|Reverse((_, wake))| wake)
    }

    /// The key of the earliest event.
    pub fn next_wake(&self) -> Key {
        self.wakes.peek().map_or(Key::NEVER, |Reverse((key, _))| *key)
    }
}
