//! One run on several threads: each thread has a part of the flows and links ([`Division`]).

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::{hint, iter, mem, thread};

use ackclock_core::Nanos;
use ackclock_results::{Table, Tables};
use ackclock_scenario::ScenarioError;
use ackclock_tcp::Segment;

use crate::ids::LinkId;
use crate::measures::Achieved;
use crate::network::{Division, Export, Network, Topology};
use crate::world::{FlowSpec, World};

/// Number of looks at a barrier before a thread lets others run.
const LOOKS: u32 = 2000;

/// A run that is divided into parts, one for each thread. Flow `n` is in part `n % parts`.
pub struct Parts {
    worlds: Vec<World<()>>,
    division: Division,
    duration: Nanos,
    flows: usize,
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
        let (total, count) = (flows.len(), count.min(flows.len()));
        let routes: Vec<_> = flows.iter().map(|flow| flow.routes.clone()).collect();
        let network = topology.join();
        let Some(division) = (count > 1).then(|| network.divide(&routes, count as u32)).flatten() else {
            return Ok(None);
        };
        let world = |part: usize, mut network: Network, flows: Vec<FlowSpec>| {
            network.become_part(part as u32, count as u32, &division);
            let own = flows.into_iter().skip(part).step_by(count).collect();
            World::over(network, own, seed, duration, ())
        };
        let mut worlds = vec![world(0, network, flows)];
        let others: Result<Vec<_>, ScenarioError> = thread::scope(|scope| {
            let (make, world) = (&make, &world);
            let other = |part| {
                scope.spawn(move || make().map(|(topology, flows, _)| world(part, topology.join(), flows)))
            };
            let threads: Vec<_> = (1..count).map(other).collect();
            threads.into_iter().map(|thread| thread.join().expect("a part is created")).collect()
        });
        worlds.extend(others?);
        Ok(Some((Parts { worlds, division, duration, flows: total }, links)))
    }

    /// Handles about `max_events` events on one thread for each part. Returns whether the run continues.
    pub fn step(&mut self, max_events: u64) -> bool {
        let exchange = Exchange::new(self.worlds.len(), self.division.lookahead, self.duration, max_events);
        let (first, others) = self.worlds.split_first_mut().expect("a run has a part");
        thread::scope(|scope| {
            for (part, world) in (1..).zip(others) {
                let exchange = &exchange;
                scope.spawn(move || exchange.work(part, world));
            }
            exchange.work(0, first)
        })
    }

    /// Returns the number of threads, and of parts.
    pub fn threads(&self) -> usize {
        self.worlds.len()
    }

    /// Returns the current time, up to which all events have been handled.
    pub fn now(&self) -> Nanos {
        self.worlds.iter().map(World::now).min().expect("a run has a part")
    }

    /// Returns the number of slots of connections in all parts.
    pub fn slots(&self) -> usize {
        self.worlds.iter().map(World::slots).sum()
    }

    /// Returns the achievements of the flows up to now, in their order.
    pub fn achievements(&self) -> Vec<Achieved> {
        let mut parts: Vec<_> = self.worlds.iter().map(|world| world.achievements().into_iter()).collect();
        let count = parts.len();
        (0..self.flows).map(|flow| parts[flow % count].next().expect("each flow is in a part")).collect()
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
            owner.network_mut().push_row(*link, name, self.duration, &mut rows);
        }
        tables.insert("links", mem::take(&mut rows));
        let count = self.worlds.len();
        for flow in 0..self.flows {
            self.worlds[flow % count].report_flow(flow / count, &mut rows, &mut tables);
        }
        tables.insert("flows", rows);
        tables
    }
}

/// What a part tells the others at the end of a window.
#[derive(Default)]
struct Post {
    /// Time of the earliest event that this part knows, its exports included.
    next: AtomicU64,
    /// Number of events in the window.
    handled: AtomicU64,
    /// Packets for each part.
    exports: Vec<Mutex<Vec<Export<Segment>>>>,
}

/// The exchange between the parts during one step of a run.
///
/// Posts alternate between two sets: a part may write its next post while another still reads the last one, but not the
/// one after that, because a barrier is in between.
struct Exchange {
    posts: [Vec<Post>; 2],
    barrier: Barrier,
    lookahead: Nanos,
    duration: Nanos,
    max_events: u64,
}

impl Exchange {
    fn new(parts: usize, lookahead: Nanos, duration: Nanos, max_events: u64) -> Exchange {
        let post = || Post { exports: iter::repeat_with(Mutex::default).take(parts).collect(), ..Post::default() };
        let set = || iter::repeat_with(post).take(parts).collect();
        Exchange { posts: [set(), set()], barrier: Barrier::new(parts), lookahead, duration, max_events }
    }

    /// Works through the windows of a part. Returns whether the run continues; all parts return the same.
    fn work(&self, part: usize, world: &mut World<()>) -> bool {
        let _poison = Poison(&self.barrier);
        let (mut handled, mut total) = (0, 0);
        for posts in self.posts.iter().cycle() {
            self.post(&posts[part], handled, world);
            self.barrier.wait();
            let mut next = Nanos::MAX;
            for post in posts {
                world.network_mut().import(&mut lock(&post.exports[part]));
                next = next.min(post.next.load(Ordering::Relaxed));
                total += post.handled.load(Ordering::Relaxed);
            }
            if next > self.duration {
                world.end();
                return false;
            }
            if total >= self.max_events {
                return true;
            }
            let end = next.saturating_add(self.lookahead).min(self.duration.saturating_add(1));
            handled = world.advance(u64::MAX, end);
        }
        unreachable!("the sets of posts alternate for ever")
    }

    fn post(&self, post: &Post, handled: u64, world: &mut World<()>) {
        let mut next = world.next_event();
        for (part, exports) in post.exports.iter().enumerate() {
            let left = world.network_mut().exports(part);
            next = left.iter().map(Export::at).fold(next, Nanos::min);
            mem::swap(&mut *lock(exports), left);
        }
        post.next.store(next, Ordering::Relaxed);
        post.handled.store(handled, Ordering::Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A barrier at which threads look again and again, because windows are short.
struct Barrier {
    parts: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
    poisoned: AtomicBool,
}

impl Barrier {
    fn new(parts: usize) -> Barrier {
        Barrier {
            parts,
            arrived: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            poisoned: AtomicBool::new(false),
        }
    }

    /// Waits until all parts are here. What a part wrote before is visible to all afterwards.
    ///
    /// # Panics
    /// If another part has panicked.
    fn wait(&self) {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.parts {
            self.arrived.store(0, Ordering::Relaxed);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut looks = 0;
        while self.round.load(Ordering::Acquire) == round {
            assert!(!self.poisoned.load(Ordering::Relaxed), "another part of the run has panicked");
            looks += 1;
            if looks < LOOKS { hint::spin_loop() } else { thread::yield_now() }
        }
    }
}

/// Ends the other parts if this one panics.
struct Poison<'a>(&'a Barrier);

impl Drop for Poison<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.poisoned.store(true, Ordering::Relaxed);
        }
    }
}
