//! One run on several threads: each thread has a part of the flows and links ([`Division`]).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{hint, iter, mem, thread};

use ackclock_core::Nanos;
use ackclock_results::{Table, Tables};
use ackclock_scenario::ScenarioError;
use ackclock_tcp::Segment;

use crate::ids::LinkId;
use crate::measures::Achieved;
use crate::network::{Division, Exports, Network, Topology};
use crate::world::{FlowSpec, World};

/// Number of times that a thread looks at the clocks of others before it lets other threads run.
const LOOKS: u32 = 20_000;

/// Number of times that a part tells its clock while it works through the time for which a part can be ahead.
const STRIDES: Nanos = 16;

/// A part of a run. Parts share no cache lines, because each is written by another core.
#[repr(align(128))]
struct Part(World<()>);

/// The share of the shared links in the work of a run. A wrong value makes threads wait, and changes no result.
const SHARE_OF_LINKS: f64 = 0.2;

/// A run that is divided into parts, one for each thread.
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
        make: impl Fn() -> Result<(Topology, Vec<FlowSpec>, L), ScenarioError> + Sync,
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
        let others: Result<Vec<_>, ScenarioError> = thread::scope(|scope| {
            let (make, world) = (&make, &world);
            let other =
                |part| scope.spawn(move || make().map(|(topology, flows, _)| world(part, topology.join(), flows)));
            let threads: Vec<_> = (1..count).map(other).collect();
            threads.into_iter().map(|thread| thread.join().expect("a part is created")).collect()
        });
        worlds.extend(others?);
        let exchange = Exchange::new(count, &division, duration);
        Ok(Some((Parts { worlds, exchange, division, duration, flows: dealt }, links)))
    }

    /// Handles about `max_events` events on one thread for each part. Returns whether the run continues.
    pub fn step(&mut self, max_events: u64) -> bool {
        let Parts { worlds, exchange, .. } = self;
        *exchange.handled.get_mut() = 0;
        let exchange = &*exchange;
        let (first, others) = worlds.split_first_mut().expect("a run has a part");
        thread::scope(|scope| {
            for (part, Part(world)) in (1..).zip(others) {
                scope.spawn(move || exchange.work(part, world, max_events));
            }
            exchange.work(0, &mut first.0, max_events);
        });
        self.now() < self.duration
    }

    /// Returns the number of threads, and of parts.
    pub fn threads(&self) -> usize {
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
    /// For each part, the time before which it has handled all events and posted all packets that left it.
    clocks: Vec<Clock>,
    /// Packets that left a part, by the parts that they leave and enter.
    posts: Vec<Vec<Mutex<Exports<Segment>>>>,
    /// Least times from the first part to the others, and from the others to the first.
    out: Nanos,
    back: Nanos,
    duration: Nanos,
    /// Number of events in this step.
    handled: AtomicU64,
    has_panicked: AtomicBool,
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
            has_panicked: AtomicBool::new(false),
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

    /// Lets a part work until the end of the run, or until the parts have handled `max_events` events.
    fn work(&self, part: usize, world: &mut World<()>, max_events: u64) {
        let _poison = Poison(self);
        let end = self.duration.saturating_add(1);
        // A part tells the others how far it is several times while they could be ahead.
        let stride = (self.out.saturating_add(self.back) / STRIDES).max(1);
        let (mut now, mut looks) = (self.clock(part), 0_u32);
        while now < end {
            let until = self.horizon(part).min(now.saturating_add(stride)).min(end);
            if until <= now {
                assert!(!self.has_panicked.load(Ordering::Relaxed), "another part of the run has panicked");
                if self.handled.load(Ordering::Relaxed) >= max_events {
                    return;
                }
                looks += 1;
                if looks < LOOKS {
                    hint::spin_loop()
                } else {
                    thread::yield_now()
                }
                continue;
            }
            looks = 0;
            let network = world.network_mut();
            for posts in &self.posts {
                network.import(&mut lock(&posts[part]));
            }
            network.land_imports();
            let handled = world.advance(u64::MAX, until);
            for (to, post) in self.posts[part].iter().enumerate() {
                let left = world.network_mut().exports(to);
                if !left.is_empty() {
                    lock(post).append(left);
                }
            }
            now = until;
            self.clocks[part].0.store(now, Ordering::Release);
            if self.handled.fetch_add(handled, Ordering::Relaxed) + handled >= max_events {
                return;
            }
        }
        world.end();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the other parts if this one panics.
struct Poison<'a>(&'a Exchange);

impl Drop for Poison<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.has_panicked.store(true, Ordering::Relaxed);
        }
    }
}
