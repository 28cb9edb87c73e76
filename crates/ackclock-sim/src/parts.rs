//! A run that is divided into parts, each with some of the flows and links ([`Division`]). The parts may take turns, or
//! work at the same time on threads of the caller; the results are the same.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{iter, mem};

use ackclock_core::Nanos;
use ackclock_results::{Table, Tables};
use ackclock_scenario::ScenarioError;
use ackclock_tcp::Segment;

use crate::ids::LinkId;
use crate::measures::Achieved;
use crate::network::{Division, Exports, Network, Topology};
use crate::world::{FlowSpec, World};

/// Number of times that a part tells its clock while it works through the time for which a part can be ahead.
const STRIDES: Nanos = 16;

/// A part of a run. Parts share no cache lines, because each is written by another core.
#[repr(align(128))]
struct Part(World<()>);

/// The share of the shared links in the work of a run. A wrong value makes threads wait, and changes no result.
const SHARE_OF_LINKS: f64 = 0.2;

/// A run that is divided into parts.
pub struct Parts {
    worlds: Vec<Part>,
    exchange: Exchange,
    division: Division,
    duration: Nanos,
    /// The part of each flow, and its place among the flows of that part.
    flows: Vec<(usize, usize)>,
}

/// Returns the part of each flow, and its place there. The first part has fewer flows, because it has the shared links.
fn deal(flows: usize, parts: usize) -> Vec<(usize, usize)> {
    let first = ((1.0 / parts as f64 - SHARE_OF_LINKS) / (1.0 - SHARE_OF_LINKS)).max(0.0);
    let other = (1.0 - first) / (parts - 1) as f64;
    let mut counts = vec![0; parts];
    let next = |flow: usize| {
        // The part that lacks most of its share.
        let lacks = |part: usize| {
            let share = if part == 0 { first } else { other };
            share * (flow + 1) as f64 - counts[part] as f64
        };
        let part = (0..parts).max_by(|one, two| lacks(*one).total_cmp(&lacks(*two))).expect("a run has a part");
        counts[part] += 1;
        (part, counts[part] - 1)
    };
    (0..flows).map(next).collect()
}

impl Parts {
    /// Divides a run of `duration` with `seed` into at most `count` parts. `make` creates its topology, its flows and the
    /// names of its links, each time the same. Returns the parts and these names; `None` if there is only one part, or if
    /// a packet may reach another part at once.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn new<L>(
        make: impl Fn() -> Result<(Topology, Vec<FlowSpec>, L), ScenarioError>,
        (seed, duration): (u64, Nanos),
        count: usize,
    ) -> Result<Option<(Parts, L)>, ScenarioError> {
        let (topology, flows, links) = make()?;
        let count = count.min(flows.len());
        if count < 2 {
            return Ok(None);
        }
        let dealt = deal(flows.len(), count);
        let routes: Vec<_> =
            dealt.iter().zip(&flows).map(|((part, _), flow)| (*part as u32, flow.routes.clone())).collect();
        let network = topology.join();
        let Some(division) = network.divide(&routes) else { return Ok(None) };
        let world = |part: usize, mut network: Network, flows: Vec<FlowSpec>| {
            network.become_part(part as u32, count as u32, &division);
            let own = dealt.iter().zip(flows).filter(|((owner, _), _)| *owner == part).map(|(_, flow)| flow).collect();
            Part(World::over(network, own, seed, duration, ()))
        };
        let mut worlds = vec![world(0, network, flows)];
        for part in 1..count {
            let (topology, flows, _) = make()?;
            worlds.push(world(part, topology.join(), flows));
        }
        let exchange = Exchange::new(count, &division, duration);
        Ok(Some((Parts { worlds, exchange, division, duration, flows: dealt }, links)))
    }

    /// Returns the workers of a step of about `max_events` events, one for each part.
    pub fn workers(&mut self, max_events: u64) -> Vec<Worker<'_>> {
        let Parts { worlds, exchange, .. } = self;
        *exchange.handled.get_mut() = 0;
        let exchange = &*exchange;
        let parts = worlds.iter_mut().enumerate();
        parts.map(|(part, Part(world))| Worker { part, world, exchange, max_events }).collect()
    }

    /// Handles about `max_events` events; the parts take turns. Returns whether the run continues.
    pub fn step(&mut self, max_events: u64) -> bool {
        let mut workers = self.workers(max_events);
        while !workers.is_empty() {
            workers.retain_mut(|worker| worker.turn() != Turn::Ended);
        }
        self.continues()
    }

    /// Whether the run has not come to its end.
    pub fn continues(&self) -> bool {
        self.now() < self.duration
    }

    /// Returns the number of parts.
    pub fn count(&self) -> usize {
        self.worlds.len()
    }

    /// Returns the current time, up to which all events have been handled.
    pub fn now(&self) -> Nanos {
        self.worlds.iter().map(|part| part.0.now()).min().expect("a run has a part")
    }

    /// Returns the number of slots of connections in all parts.
    pub fn slots(&self) -> usize {
        self.worlds.iter().map(|part| part.0.slots()).sum()
    }

    /// Returns the achievements of the flows up to now, in their order.
    pub fn achievements(&self) -> Vec<Achieved> {
        let mut parts: Vec<_> = self.worlds.iter().map(|part| part.0.achievements().into_iter()).collect();
        self.flows.iter().map(|(part, _)| parts[*part].next().expect("each flow is in a part")).collect()
    }

    /// Returns the tables of the run at its end, as [`World::report`] does.
    ///
    /// # Panics
    /// If the run is not at its end.
    pub fn report(&mut self, links: &[(LinkId, String)]) -> Tables {
        assert_eq!(self.now(), self.duration, "a run reports when it has ended");
        let (mut tables, mut rows) = (Tables::new(), Table::default());
        for (link, name) in links {
            let owner = &mut self.worlds[self.division.part_of(*link) as usize];
            owner.0.network_mut().push_row(*link, name, self.duration, &mut rows);
        }
        tables.insert("links", mem::take(&mut rows));
        for (part, place) in &self.flows {
            self.worlds[*part].0.report_flow(*place, &mut rows, &mut tables);
        }
        tables.insert("flows", rows);
        tables
    }
}

/// The exchange between the parts.
struct Exchange {
    /// Time before which a part has handled all events and posted all packets that left the part, for each part.
    clocks: Vec<Clock>,
    /// Packets that left a part, by the parts that they leave and enter.
    posts: Vec<Vec<Mutex<Exports<Segment>>>>,
    /// Least times from the first part to the others, and from the others to the first.
    out: Nanos,
    back: Nanos,
    duration: Nanos,
    /// Number of events in this step.
    handled: AtomicU64,
}

/// The clock of a part, in a cache line of its own.
#[derive(Default)]
#[repr(align(128))]
struct Clock(AtomicU64);

impl Exchange {
    fn new(parts: usize, division: &Division, duration: Nanos) -> Exchange {
        let posts = || iter::repeat_with(Mutex::default).take(parts).collect();
        Exchange {
            clocks: iter::repeat_with(Clock::default).take(parts).collect(),
            posts: iter::repeat_with(posts).take(parts).collect(),
            out: division.out,
            back: division.back,
            duration,
            handled: AtomicU64::new(0),
        }
    }

    fn clock(&self, part: usize) -> Nanos {
        self.clocks[part].0.load(Ordering::Acquire)
    }

    /// Returns the time before which a part knows all packets that reach it, if it takes those that are posted.
    fn horizon(&self, part: usize) -> Nanos {
        match part {
            0 => (1..self.clocks.len()).map(|other| self.clock(other)).min().unwrap_or(0).saturating_add(self.back),
            _ => self.clock(0).saturating_add(self.out),
        }
    }
}

/// Result of a [`Worker::turn`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// The part has moved on.
    Worked,
    /// The part cannot move on before another part has.
    Waits,
    /// The part has come to the end of the run, or the step has had its events.
    Ended,
}

/// A part of a run during a step.
pub struct Worker<'a> {
    part: usize,
    world: &'a mut World<()>,
    exchange: &'a Exchange,
    max_events: u64,
}

impl Worker<'_> {
    /// Moves the part on as far as the others allow, but at most by a small part of the time for which it can be ahead,
    /// so that they can follow soon.
    pub fn turn(&mut self) -> Turn {
        let Worker { part, world, exchange, max_events } = self;
        let Exchange { clocks, posts, out, back, duration, handled } = exchange;
        let (now, end) = (exchange.clock(*part), duration.saturating_add(1));
        if now >= end || handled.load(Ordering::Relaxed) >= *max_events {
            return Turn::Ended;
        }
        let stride = (out.saturating_add(*back) / STRIDES).max(1);
        let until = exchange.horizon(*part).min(now.saturating_add(stride)).min(end);
        if until <= now {
            return Turn::Waits;
        }
        let network = world.network_mut();
        for posts in posts {
            network.import(&mut lock(&posts[*part]));
        }
        network.land_imports();
        let events = world.advance(u64::MAX, until);
        for (to, post) in posts[*part].iter().enumerate() {
            let left = world.network_mut().exports(to);
            if !left.is_empty() {
                lock(post).append(left);
            }
        }
        if until == end {
            world.end();
        }
        clocks[*part].0.store(until, Ordering::Release);
        handled.fetch_add(events, Ordering::Relaxed);
        Turn::Worked
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
