//! The loop of applications over the kernel's sockets.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::net::SocketAddrV4;
use std::sync::{Arc, Mutex};

use ackclock_app::{AppContext, Application, Command, Conn, Datagram, Side};
use ackclock_core::{Ecn, Nanos};
use ackclock_emu::{Forwarder, Lateness, Waiter, Witness, clock};
use ackclock_results::{Table, Tables};
use ackclock_sim::ids::FlowId;
use ackclock_sim::measures::{LIMITS, Limit, Limited, push_flow, push_limits};
use ackclock_sim::series::Rates;
use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, SocketFlags, acceptfrom_with, recv, send, sockopt};

use crate::connections::{Connection, End};
use crate::flow::Flow;
use crate::kernel::{self, Counters, Info};
use crate::samples::{Samples, locked};

/// Smallest datagram that has room for its number.
pub const NUMBER: usize = 8;
const SIDES: [Side; 2] = [Side::Source, Side::Sink];
/// Kinds of descriptors, in the upper half of their numbers; the lower half has twice an index, and the side. The numbers
/// of devices are those of the forwarder.
const LISTENER: u64 = 1 << 32;
const DATAGRAMS: u64 = 2 << 32;
const DEVICE: u64 = 3 << 32;
const LOWER: u64 = LISTENER - 1;

/// Reason for which a flow is woken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wake {
    Start,
    Timer(u64),
    /// A read of an application that does not read at once, at a side of a connection.
    Read(Conn, usize),
}

/// A run in progress.
pub struct World {
    flows: Vec<Flow>,
    connections: Vec<Option<Connection>>,
    free: Vec<usize>,
    /// Times, numbers in the order of creation, flows and reasons.
    wakes: BinaryHeap<Reverse<(Nanos, u64, usize, Wake)>>,
    created: u64,
    commands: Vec<Command>,
    waiter: Waiter,
    /// The samples of windows, if there are any; the thread that forwards takes them.
    samples: Option<Arc<Mutex<Samples>>>,
    rates: Option<Rates>,
    /// Whether the table `limits` is asked for.
    limits: bool,
    /// Time 0 on the monotonic clock.
    start: Nanos,
    now: Nanos,
    data: Vec<u8>,
    buffer: Vec<u8>,
}

impl World {
    /// Creates a run whose time 0 is `start` on the monotonic clock.
    pub fn new(
        flows: Vec<Flow>,
        start: Nanos,
        waiter: Waiter,
        samples: Option<Arc<Mutex<Samples>>>,
        rates: Option<Rates>,
        limits: bool,
    ) -> io::Result<World> {
        let most = flows.iter().map(|flow| flow.wanted.write_size).max().unwrap_or(1);
        let mut world = World {
            connections: Vec::new(),
            free: Vec::new(),
            wakes: BinaryHeap::new(),
            created: 0,
            commands: Vec::new(),
            waiter,
            samples,
            rates,
            limits,
            start,
            now: 0,
            // The pages have to be there before a system call: see the notes on kernels in user mode.
            data: vec![1; most],
            buffer: vec![1; 1 << 18],
            flows,
        };
        for flow in 0..world.flows.len() {
            world.wake(world.flows[flow].start, flow, Wake::Start);
        }
        Ok(world)
    }

    fn wake(&mut self, at: Nanos, flow: usize, wake: Wake) {
        self.created += 1;
        self.wakes.push(Reverse((at, self.created, flow, wake)));
    }

    /// Runs until `end`.
    pub fn run(&mut self, end: Nanos) -> io::Result<()> {
        let mut ready = Vec::new();
        loop {
            self.now = clock() - self.start;
            self.wake_until(end)?;
            if self.now >= end {
                return Ok(());
            }
            let next = self.next_wake(end);
            self.waiter.wait(self.start + self.now, self.start + next, &mut ready)?;
            for (number, flags) in ready.drain(..) {
                self.now = clock() - self.start;
                // What comes after the end of the run is not a part of it.
                if self.now > end {
                    return Ok(());
                }
                self.respond(number, flags)?;
            }
        }
    }

    /// Runs until `end` in a kernel with a virtual clock, and forwards the packets meanwhile. One thread does both: turns of
    /// two would cost more system calls, and nothing is late. One look at the clock serves a whole turn.
    pub fn run_with(
        &mut self,
        end: Nanos,
        mut network: Forwarder<'_>,
        witness: &mut impl Witness,
    ) -> io::Result<Lateness> {
        network.watch(&self.waiter, DEVICE)?;
        let mut ready = Vec::new();
        let mut time_passed = true;
        loop {
            if time_passed {
                self.now = clock() - self.start;
            }
            for (number, _) in ready.extract_if(.., |(number, _)| *number & !LOWER == DEVICE) {
                network.note((number & LOWER) as usize);
            }
            let (_, gave) = network.turn(self.now, witness)?;
            self.wake_until(end)?;
            if self.now >= end {
                return Ok(network.finish());
            }
            for (number, flags) in ready.drain(..) {
                self.respond(number, flags)?;
            }
            // The kernel has answered the packets that it was given, most often: then no time passes.
            time_passed = !gave;
            let next = if gave { 0 } else { self.next_wake(end).min(network.next()) };
            self.waiter.wait(self.start + self.now, self.start + next, &mut ready)?;
        }
    }

    /// Wakes the flows whose times have come, up to `end`.
    fn wake_until(&mut self, end: Nanos) -> io::Result<()> {
        while let Some(&Reverse((at, _, flow, wake))) = self.wakes.peek()
            && at <= self.now.min(end)
        {
            self.wakes.pop();
            self.woken(flow, wake)?;
        }
        Ok(())
    }

    fn next_wake(&self, end: Nanos) -> Nanos {
        self.wakes.peek().map_or(end, |Reverse((at, ..))| (*at).min(end))
    }

    /// Handles news of a descriptor that is no device.
    fn respond(&mut self, number: u64, flags: EventFlags) -> io::Result<()> {
        let (index, side) = ((number & LOWER) as usize / 2, (number & 1) as usize);
        match number & !LOWER {
            LISTENER => self.accept(index, side),
            DATAGRAMS => self.hear(index, side),
            _ => self.react(index, side, flags),
        }
    }

    fn woken(&mut self, flow: usize, wake: Wake) -> io::Result<()> {
        match wake {
            Wake::Start => self.call(flow, |app, ctx| app.on_start(ctx)),
            Wake::Timer(token) => self.call(flow, |app, ctx| app.on_timer(ctx, token)),
            Wake::Read(conn, side) => {
                let Some(&place) = self.flows[flow].open.get(&conn) else { return Ok(()) };
                if let Some(connection) = &mut self.connections[place] {
                    connection.ends[side].reads.waits = false;
                }
                self.read_slowly(place, side)?;
                self.retire(place)
            }
        }
    }

    /// Calls an application and carries out its requests, also those that it makes meanwhile.
    fn call(
        &mut self,
        flow: usize,
        callback: impl FnOnce(&mut dyn Application, &mut AppContext<'_>),
    ) -> io::Result<()> {
        self.flows[flow].call(self.now, &mut self.commands, callback);
        for command in std::mem::take(&mut self.commands) {
            match command {
                Command::Open { conn, opener, .. } => self.open(flow, conn, opener as usize)?,
                Command::Timer { at, token } => self.wake(at, flow, Wake::Timer(token)),
                // Sockets of the kernel send datagrams without ECN, and applications learn of no marks.
                Command::Send { side, number, len, .. } => self.send(flow, side as usize, number, len)?,
                Command::Write { conn, side, bytes } => self.act(flow, conn, side, |end| end.pending += bytes)?,
                Command::Close { conn, side } => self.act(flow, conn, side, |end| end.closing = true)?,
                // A scenario whose application needs streams is refused for TCP.
                Command::OpenStream { .. }
                | Command::WriteStream { .. }
                | Command::FinishStream { .. }
                | Command::ResetStream { .. } => {}
                // What the kernel has taken cannot be withdrawn.
                Command::Withdraw { conn, side } => self.act(flow, conn, side, |end| end.pending = 0)?,
                Command::Stop { conn, side } => self.act(flow, conn, side, |end| {
                    end.pending = 0;
                    end.closing = true;
                })?,
            }
        }
        Ok(())
    }

    /// Applies an action to an end of an open connection; a closed connection ignores it.
    fn act(&mut self, flow: usize, conn: Conn, side: Side, action: impl FnOnce(&mut End)) -> io::Result<()> {
        let Some(&place) = self.flows[flow].open.get(&conn) else { return Ok(()) };
        let Some(connection) = &mut self.connections[place] else { return Ok(()) };
        let end = &mut connection.ends[side as usize];
        action(end);
        end.flush(&self.data[..self.flows[flow].wanted.write_size])?;
        self.retire(place)
    }

    fn open(&mut self, flow: usize, conn: Conn, opener: usize) -> io::Result<()> {
        let peer = 1 - opener;
        let about = &mut self.flows[flow];
        if about.listeners[peer].is_none() {
            kernel::enter(&about.places.namespaces[peer])?;
            let listener = kernel::listener(&about.wanted, about.places.addresses[peer])?;
            self.waiter.watch(&listener, LISTENER | (2 * flow + peer) as u64, EventFlags::IN)?;
            about.listeners[peer] = Some(listener);
        }
        kernel::enter(&about.places.namespaces[opener])?;
        let (socket, port) = kernel::connected(&about.wanted, about.places.addresses[peer])?;
        let place = self.free.pop().unwrap_or_else(|| {
            self.connections.push(None);
            self.connections.len() - 1
        });
        let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        self.waiter.watch(&socket, (2 * place + opener) as u64, flags)?;
        let mut connection = Connection { flow, conn, ends: Default::default() };
        connection.ends[opener].socket = Some(socket);
        about.open.insert(conn, place);
        about.expected.insert((peer, port), place);
        self.connections[place] = Some(connection);
        Ok(())
    }

    /// Accepts the connections that have arrived at a listener.
    fn accept(&mut self, flow: usize, side: usize) -> io::Result<()> {
        loop {
            let about = &mut self.flows[flow];
            let Some(listener) = &about.listeners[side] else { return Ok(()) };
            let (socket, from) = match acceptfrom_with(listener, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK) {
                Ok(accepted) => accepted,
                Err(Errno::AGAIN | Errno::CONNABORTED) => return Ok(()),
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            let from = from.map(SocketAddrV4::try_from).transpose()?;
            let Some(place) = from.and_then(|from| about.expected.remove(&(side, from.port()))) else { continue };
            let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
            self.waiter.watch(&socket, (2 * place + side) as u64, flags)?;
            let Some(connection) = &mut self.connections[place] else { continue };
            connection.ends[side].socket = Some(socket);
            self.established(place, side)?;
        }
    }

    fn established(&mut self, place: usize, side: usize) -> io::Result<()> {
        let Some(connection) = &mut self.connections[place] else { return Ok(()) };
        let (flow, conn) = (connection.flow, connection.conn);
        connection.ends[side].established = true;
        // Before the handshake is complete there is no window.
        if side == Side::Source as usize
            && let (Some(samples), Some(socket)) = (&self.samples, &connection.ends[side].socket)
        {
            locked(samples).watch(self.now, place, flow, &self.flows[flow], socket)?;
        }
        self.call(flow, |app, ctx| app.on_connected(ctx, conn, SIDES[side]))?;
        let Some(connection) = &mut self.connections[place] else { return Ok(()) };
        connection.ends[side].flush(&self.data[..self.flows[flow].wanted.write_size])
    }

    /// Handles news of a connection's socket.
    fn react(&mut self, place: usize, side: usize, flags: EventFlags) -> io::Result<()> {
        let Some(connection) = &mut self.connections[place] else { return Ok(()) };
        let (flow, conn) = (connection.flow, connection.conn);
        let end = &mut connection.ends[side];
        if !end.established {
            let Some(socket) = end.socket.as_ref().filter(|_| flags.intersects(EventFlags::OUT | EventFlags::ERR))
            else {
                return Ok(());
            };
            sockopt::socket_error(socket)?
                .map_err(|error| io::Error::other(format!("{}: {error}", self.flows[flow].labels.name)))?;
            self.established(place, side)?;
        }
        let Some(connection) = &mut self.connections[place] else { return Ok(()) };
        let end = &mut connection.ends[side];
        end.flush(&self.data[..self.flows[flow].wanted.write_size])?;
        if self.flows[flow].readers[side].is_some() {
            self.read_slowly(place, side)?;
            return self.retire(place);
        }
        let (before, had_ended) = (end.received, end.ended);
        let hung_up = flags.intersects(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR);
        end.drain(hung_up, &mut self.buffer)?;
        let (received, ended) = (end.received, end.ended);
        if received > before {
            if side == Side::Sink as usize {
                self.delivered(flow, received - before);
            }
            self.call(flow, |app, ctx| app.on_received(ctx, conn, SIDES[side], received))?;
        }
        if ended && !had_ended {
            self.call(flow, |app, ctx| app.on_peer_closed(ctx, conn, SIDES[side]))?;
        }
        self.retire(place)
    }

    /// Reads what an application that does not read at once reads now.
    fn read_slowly(&mut self, place: usize, side: usize) -> io::Result<()> {
        loop {
            let Some(connection) = &mut self.connections[place] else { return Ok(()) };
            let (flow, conn) = (connection.flow, connection.conn);
            let Some(reader) = &self.flows[flow].readers[side] else { return Ok(()) };
            let end = &mut connection.ends[side];
            let at = reader.time(&end.reads, self.now);
            if at > self.now {
                if !std::mem::replace(&mut end.reads.waits, true) {
                    self.wake(at, flow, Wake::Read(conn, side));
                }
                return Ok(());
            }
            let (before, had_ended) = (end.received, end.ended);
            let most = self.buffer.len().min(usize::try_from(reader.step).unwrap_or(usize::MAX));
            if !end.read_once(&mut self.buffer[..most])? {
                if end.ended && !had_ended {
                    self.call(flow, |app, ctx| app.on_peer_closed(ctx, conn, SIDES[side]))?;
                }
                return Ok(());
            }
            let received = end.received;
            reader.on_read(&mut end.reads, self.now, received - before);
            if side == Side::Sink as usize {
                self.delivered(flow, received - before);
            }
            self.call(flow, |app, ctx| app.on_received(ctx, conn, SIDES[side], received))?;
        }
    }

    fn delivered(&mut self, flow: usize, bytes: u64) {
        if let Some(rates) = &mut self.rates {
            rates.delivered(self.now, FlowId(flow as u32), bytes);
        }
    }

    /// Frees the place of a connection if it is over.
    fn retire(&mut self, place: usize) -> io::Result<()> {
        let Some(connection) = self.connections[place].take_if(|connection| connection.is_over()) else {
            return Ok(());
        };
        let (flow, conn) = (connection.flow, connection.conn);
        self.flows[flow].open.remove(&conn);
        if let Some(samples) = &self.samples {
            locked(samples).forget(place);
        }
        self.count(&connection)?;
        drop(connection);
        self.free.push(place);
        self.call(flow, |app, ctx| app.on_closed(ctx, conn))
    }

    /// Adds the totals of a connection to those of its flow.
    fn count(&mut self, connection: &Connection) -> io::Result<()> {
        let [source, sink] = &connection.ends;
        let totals = &mut self.flows[connection.flow].finished;
        totals.bytes_delivered += sink.received;
        let Some(socket) = &source.socket else { return Ok(()) };
        let info = Info::of(socket)?;
        totals.segments_sent += u64::from(info.segs_out);
        totals.data_segments_sent += u64::from(info.data_segs_out);
        totals.retransmits += u64::from(info.total_retrans);
        if self.limits {
            let spent = LIMITS.map(|limit| match limit {
                Limit::ReceiveWindow => Some(info.rwnd_limited * 1000),
                Limit::SendBuffer => Some(info.sndbuf_limited * 1000),
                _ => None,
            });
            totals.limited.get_or_insert_default().add(&Limited { busy: info.busy * 1000, spent });
        }
        totals.srtt = info.srtt().or(totals.srtt);
        totals.min_rtt = info.smallest_rtt().into_iter().chain(totals.min_rtt).min();
        Ok(())
    }

    fn send(&mut self, flow: usize, side: usize, number: u64, len: u32) -> io::Result<()> {
        for side in [0, 1] {
            let about = &mut self.flows[flow];
            if about.datagrams[side].is_none() {
                kernel::enter(&about.places.namespaces[side])?;
                let socket = kernel::datagrams(about.places.addresses[side], about.places.addresses[1 - side])?;
                self.waiter.watch(&socket, DATAGRAMS | (2 * flow + side) as u64, EventFlags::IN)?;
                about.datagrams[side] = Some(socket);
            }
        }
        let about = &mut self.flows[flow];
        about.sends(side, number, self.now);
        let mut payload = vec![1; (len as usize).max(NUMBER)];
        payload[..NUMBER].copy_from_slice(&number.to_be_bytes());
        let Some(socket) = &about.datagrams[side] else { return Ok(()) };
        match send(socket, &payload, SendFlags::empty()) {
            // A host whose queue is full drops the datagram, as one without a reader does.
            Ok(_) | Err(Errno::AGAIN | Errno::NOBUFS | Errno::CONNREFUSED) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads the datagrams that have arrived at a side.
    fn hear(&mut self, flow: usize, side: usize) -> io::Result<()> {
        loop {
            let about = &mut self.flows[flow];
            let Some(socket) = &about.datagrams[side] else { return Ok(()) };
            let len = match recv(socket, &mut *self.buffer, RecvFlags::empty()) {
                Ok((_, len)) => len,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR | Errno::CONNREFUSED) => continue,
                Err(error) => return Err(error.into()),
            };
            let Some(number) = self.buffer[..len].first_chunk::<NUMBER>() else { continue };
            let number = u64::from_be_bytes(*number);
            let Some(sent) = about.sent(1 - side, number) else { continue };
            if side == Side::Sink as usize {
                about.finished.bytes_delivered += len as u64;
                self.delivered(flow, len as u64);
            }
            let datagram = Datagram { number, len: len as u32, sent, ecn: Ecn::NotEct };
            self.call(flow, |app, ctx| app.on_datagram(ctx, SIDES[side], datagram))?;
        }
    }

    /// Ends the run and returns the tables of flows, applications and windows at `now`.
    pub fn report(mut self, now: Nanos) -> io::Result<Tables> {
        for place in 0..self.connections.len() {
            if let Some(connection) = self.connections[place].take() {
                self.count(&connection)?;
                connection.abort()?;
            }
        }
        let mut tables = Tables::new();
        let mut rows = Table::default();
        for flow in &mut self.flows {
            kernel::enter(&flow.places.namespaces[0])?;
            let (after, totals) = (Counters::present()?, &mut flow.finished);
            totals.timeouts = after.timeouts - flow.before.timeouts;
            totals.recoveries = after.recoveries - flow.before.recoveries;
            totals.spurious_timeouts = after.spurious - flow.before.spurious;
            push_flow(&mut rows, &flow.labels, flow.start, now, totals);
            if let Some(limited) = &totals.limited {
                push_limits(&mut tables, &flow.labels.name, limited);
            }
            flow.app().report(&flow.labels.name, now, &mut tables);
        }
        tables.insert("flows", rows);
        if let Some(rates) = self.rates {
            let names: Vec<_> = self.flows.iter().map(|flow| flow.labels.name.clone()).collect();
            tables.insert("rates", rates.report(now, &names));
        }
        Ok(tables)
    }
}
