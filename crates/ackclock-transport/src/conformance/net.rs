//! Two ends and the path between them, in virtual time.

use std::hash::{DefaultHasher, Hasher};

use ackclock_core::{Ecn, Nanos, SECOND, Seed};

use super::end::{Check, End, Task, shown};
use super::pipe::{Path, Pipe};
use crate::{NEVER, Parameters, Role, Setup, Stack, Statistics};

/// Time at which ends are created, and time at which the client connects.
pub const CREATED: Nanos = SECOND;
pub const START: Nanos = CREATED + SECOND / 2;
/// Bytes of a packet on the path, headers included.
const PACKET: u32 = 1_500;
/// Datagrams of one end at one instant, beyond which it is deemed to send for ever.
const DATAGRAMS: u32 = 20_000;
/// Calls of expire of one end at one instant, beyond which its timers are deemed to fire for ever.
const EXPIRIES: u32 = 1_000;
/// Instants of a run, beyond which it is given up.
const INSTANTS: u64 = 5_000_000;

/// First violations, in all runs of a check, of two rules that hold at every call.
#[derive(Default)]
pub struct Watch {
    /// The first datagram of a wrong size.
    pub size: Option<String>,
    /// The first timeout that was due after it had been handled.
    pub timeout: Option<String>,
}

/// A datagram that was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sent {
    pub at: Nanos,
    /// The end: 0 for the client and 1 for the server.
    pub end: usize,
    pub length: usize,
    pub payload: u32,
    digest: u64,
}

/// The stack under test with the parameters to create it with, and the seed of its ends.
#[derive(Clone, Copy)]
pub struct Tested<'a> {
    pub stack: &'a dyn Stack,
    pub parameters: &'a Parameters,
    pub seed: u8,
}

impl Tested<'_> {
    /// Largest datagram of the path, in bytes.
    pub fn datagram(&self) -> u32 {
        PACKET.saturating_sub(self.stack.overhead())
    }
}

/// Two ends and the path between them.
pub struct Net<'a> {
    pub now: Nanos,
    pub ends: [End; 2],
    /// The directions from the client and from the server.
    pub pipes: [Pipe; 2],
    pub sent: Vec<Sent>,
    /// Calls of expire so far.
    pub expiries: u64,
    /// Whether the connection may end before the run does.
    pub may_close: bool,
    /// Statistics are taken after each datagram, if they are asked for.
    pub samples: Option<Vec<(usize, Nanos, bool, Statistics)>>,
    watch: &'a mut Watch,
    overhead: u32,
    datagram: u32,
    /// Instant of the last handling of both ends, and expiries of each end at it.
    instant: (Nanos, [u32; 2]),
    instants: u64,
}

impl<'a> Net<'a> {
    /// Creates both ends at the time [`CREATED`].
    pub fn new(tested: Tested<'_>, path: Path, tasks: [Task; 2], watch: &'a mut Watch) -> Check<Net<'a>> {
        let seed = |of: u8| -> Seed { std::array::from_fn(|at| (at as u8).wrapping_mul(37) ^ of) };
        let end = |role, own: u8, task| {
            let setup = Setup {
                role,
                seed: seed(tested.seed.wrapping_mul(2).wrapping_add(own)),
                datagram: tested.datagram(),
                parameters: tested.parameters,
                log: false,
            };
            let made = created(tested.stack, &setup)?;
            Ok::<_, String>(End::new(role, made, task))
        };
        Ok(Net {
            now: CREATED,
            ends: [end(Role::Client, 0, tasks[0])?, end(Role::Server, 1, tasks[1])?],
            pipes: [Pipe::new(path, seed(200)), Pipe::new(path, seed(201))],
            sent: Vec::new(),
            expiries: 0,
            may_close: false,
            samples: None,
            watch,
            overhead: tested.stack.overhead(),
            datagram: tested.datagram(),
            instant: (CREATED, [0; 2]),
            instants: 0,
        })
    }

    /// Runs to the time [`START`], and lets the client connect.
    pub fn connect(&mut self) -> Check<()> {
        self.run(START, |_| false)?;
        let now = self.now;
        self.ends[0].call(now, "connect", |transport| transport.connect(now))?;
        self.settle(0)
    }

    /// Closes the connection at one end, whose application makes no more calls.
    pub fn close(&mut self, end: usize, code: u64) -> Check<()> {
        let now = self.now;
        self.ends[end].stopped = true;
        self.ends[end].call(now, "close", |transport| transport.close(now, code))?;
        self.settle(end)
    }

    /// Runs until `done`, and returns whether that came before the time `until`.
    pub fn run(&mut self, until: Nanos, done: impl Fn(&Net<'_>) -> bool) -> Check<bool> {
        loop {
            if done(self) {
                return Ok(true);
            }
            let mut next = self.pipes.iter().filter_map(Pipe::next).min().unwrap_or(NEVER);
            for end in 0..2 {
                next = next.min(self.timeout(end)?);
            }
            // A timeout that has passed is due now.
            let next = next.max(self.now);
            if next > until || next == NEVER {
                self.now = until;
                return Ok(false);
            }
            self.now = next;
            self.instants += 1;
            if self.instants > INSTANTS {
                return Err(format!("the run has more than {INSTANTS} events at {}", shown(self.now)));
            }
            self.step()?;
        }
    }

    /// Runs until `done`, which has to come within so many seconds.
    pub fn reach(&mut self, seconds: u64, goal: &str, done: impl Fn(&Net<'_>) -> bool) -> Check<()> {
        if self.run(self.now + seconds * SECOND, done)? {
            return Ok(());
        }
        let [client, server] = self.ends.each_ref().map(End::progress);
        Err(format!("{goal} did not come by {}: {client}; {server}", shown(self.now)))
    }

    /// Lets the application of an end act, after a change of its task.
    pub fn settle(&mut self, end: usize) -> Check<()> {
        let mut opens = true;
        loop {
            self.flush(end)?;
            let (own, peer) = pair(&mut self.ends, end);
            own.take_events(self.now, peer)?;
            if let (Some((at, reason)), false) = (&own.closed, self.may_close || own.ended()) {
                let reason = reason.as_deref().unwrap_or("no reason");
                return Err(format!("the connection of the {} ended at {}: {reason}", own.name(), shown(*at)));
            }
            let acted = own.act(self.now, &mut opens, peer)?;
            self.timeout(end)?;
            if !acted {
                return Ok(());
            }
        }
    }

    /// The statistics of an end.
    pub fn statistics(&mut self, end: usize) -> Check<Statistics> {
        self.ends[end].call(self.now, "statistics", |transport| transport.statistics())
    }

    fn timeout(&mut self, end: usize) -> Check<Nanos> {
        self.ends[end].call(self.now, "timeout", |transport| transport.timeout())
    }

    /// Handles what is due at this instant.
    fn step(&mut self) -> Check<()> {
        let now = self.now;
        for end in 0..2 {
            while let Some((ecn, datagram)) = self.pipes[1 - end].arrived(now) {
                self.ends[end].call(now, "receive", |transport| transport.receive(now, ecn, &datagram))?;
                self.settle(end)?;
            }
            if self.timeout(end)? <= now {
                self.expire(end)?;
            }
        }
        Ok(())
    }

    fn expire(&mut self, end: usize) -> Check<()> {
        let now = self.now;
        if self.instant.0 != now {
            self.instant = (now, [0; 2]);
        }
        self.instant.1[end] += 1;
        self.expiries += 1;
        if self.instant.1[end] > EXPIRIES {
            let at = self.ends[end].at("expire", now);
            return Err(format!("{at}: timers were due after {EXPIRIES} calls at one instant"));
        }
        self.ends[end].call(now, "expire", |transport| transport.expire(now))?;
        self.flush(end)?;
        let timeout = self.timeout(end)?;
        if timeout <= now && self.watch.timeout.is_none() {
            let at = self.ends[end].at("timeout", now);
            self.watch.timeout = Some(format!("{at} is {} after expire and transmit", shown(timeout)));
        }
        self.settle(end)
    }

    /// Sends all datagrams of an end.
    fn flush(&mut self, end: usize) -> Check<()> {
        let now = self.now;
        let mut burst = 0;
        loop {
            let mut datagram = Vec::new();
            let transmit = self.ends[end].call(now, "transmit", |transport| transport.transmit(now, &mut datagram))?;
            let Some(transmit) = transmit else { return Ok(()) };
            burst += 1;
            if burst > DATAGRAMS {
                let at = self.ends[end].at("transmit", now);
                return Err(format!("{at} returned more than {DATAGRAMS} datagrams at one instant"));
            }
            let length = datagram.len();
            let wrong = if length == 0 {
                Some("an empty datagram".to_owned())
            } else if length > self.datagram as usize {
                Some(format!("a datagram of {length} bytes; accepted: at most {}", self.datagram))
            } else if transmit.payload as usize > length {
                Some(format!("{} bytes of payload in a datagram of {length} bytes", transmit.payload))
            } else {
                None
            };
            if let (Some(wrong), None) = (wrong, &self.watch.size) {
                self.watch.size = Some(format!("{} returned {wrong}", self.ends[end].at("transmit", now)));
            }
            let mut digest = DefaultHasher::new();
            digest.write(&datagram);
            digest.write_u8(transmit.ecn as u8);
            let digest = digest.finish();
            self.sent.push(Sent { at: now, end, length, payload: transmit.payload, digest });
            self.pipes[end].send(now, self.overhead, transmit.ecn, datagram);
            if self.samples.is_some() {
                let statistics = self.statistics(end)?;
                self.samples.iter_mut().for_each(|all| all.push((end, now, transmit.payload > 0, statistics.clone())));
            }
        }
    }

    /// Lets a datagram that nobody sent arrive at an end.
    pub fn inject(&mut self, end: usize, at: Nanos, datagram: Vec<u8>) {
        self.pipes[1 - end].deliver(at, Ecn::NotEct, datagram);
    }
}

/// An end and its peer.
fn pair(ends: &mut [End; 2], end: usize) -> (&mut End, &End) {
    let [client, server] = ends;
    if end == 0 { (client, server) } else { (server, client) }
}

/// Creates an end.
pub fn created(stack: &dyn Stack, setup: &Setup<'_>) -> Check<Box<dyn crate::Transport>> {
    let role = if setup.role == Role::Client { "client" } else { "server" };
    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| stack.create(CREATED, setup)));
    match made {
        Ok(Ok(made)) => Ok(made),
        Ok(Err(error)) => Err(format!("create of the {role} at {}: {error}", shown(CREATED))),
        Err(panic) => {
            Err(format!("create of the {role} at {} panicked: {}", shown(CREATED), super::end::message(&*panic)))
        }
    }
}
