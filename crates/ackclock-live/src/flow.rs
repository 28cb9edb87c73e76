//! A flow over the kernel's sockets.

use std::collections::{BTreeMap, VecDeque};
use std::net::Ipv4Addr;
use std::os::fd::OwnedFd;

use ackclock_app::{AppContext, Application, Command, Conn};
use ackclock_core::{Nanos, Stream};
use ackclock_sim::actors::Actor;
use ackclock_sim::measures::{FlowLabels, FlowTotals};
use ackclock_sim::reading::Reader;

use crate::kernel::{Counters, Wanted};

/// Places of the ends of a flow.
pub struct Places {
    /// Network namespaces of the source and of the sink.
    pub namespaces: [OwnedFd; 2],
    /// Their addresses.
    pub addresses: [Ipv4Addr; 2],
}

/// Most times of datagrams under way that are kept.
const DATAGRAMS: usize = 1 << 16;

/// A flow.
pub struct Flow {
    pub labels: FlowLabels,
    pub wanted: Wanted,
    pub places: Places,
    /// Time at which it starts.
    pub start: Nanos,
    /// Totals of closed connections and of datagrams.
    pub finished: FlowTotals,
    /// Counters of the source's namespace at the start.
    pub before: Counters,
    /// Places of the open connections.
    pub open: BTreeMap<Conn, usize>,
    /// Listeners at the source and at the sink, once they are needed.
    pub listeners: [Option<OwnedFd>; 2],
    /// Ends of the datagrams, once they are needed.
    pub datagrams: [Option<OwnedFd>; 2],
    /// Connections that are to be accepted, by the side of the listener and the port of the other end.
    pub expected: BTreeMap<(usize, u16), usize>,
    /// Numbers and times of the datagrams that were sent last, by the sending side.
    sent: [VecDeque<(u64, Nanos)>; 2],
    /// Readers of the source and of the sink; `None` for an end that reads at once.
    pub readers: [Option<Reader>; 2],
    app: Box<dyn Application>,
    random: Stream,
    next_conn: u32,
}

impl Flow {
    pub fn new(actor: Actor, wanted: Wanted, places: Places, before: Counters) -> Flow {
        Flow {
            labels: actor.labels,
            wanted,
            places,
            start: actor.start,
            finished: FlowTotals::default(),
            before,
            open: BTreeMap::new(),
            listeners: [None, None],
            datagrams: [None, None],
            expected: BTreeMap::new(),
            sent: [VecDeque::new(), VecDeque::new()],
            readers: actor.readers,
            app: actor.app,
            random: actor.random,
            next_conn: 0,
        }
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

    pub fn app(&self) -> &dyn Application {
        &*self.app
    }

    /// Notes that a datagram leaves a side.
    pub fn sends(&mut self, side: usize, number: u64, now: Nanos) {
        let sent = &mut self.sent[side];
        if sent.len() == DATAGRAMS {
            sent.pop_front();
        }
        sent.push_back((number, now));
    }

    /// Returns the time at which a datagram left a side, if it is not long ago. Datagrams that left before it are
    /// forgotten only when there are too many, because a network may reorder.
    pub fn sent(&self, side: usize, number: u64) -> Option<Nanos> {
        self.sent[side].iter().rev().find(|(sent, _)| *sent == number).map(|(_, at)| *at)
    }
}
