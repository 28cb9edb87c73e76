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
use crate::network::{Division, Exports, Network, Topology};
use crate::world::{FlowSpec, World};

/// Number of looks at a barrier before a thread lets others run.
const LOOKS: u32 = 200_000;

/// A part of a run. Parts share no cache lines, because each is written by another core.
#[repr(align(128))]
struct Part(World<()>);

/// The share of the shared links in the work of a run. A wrong value makes threads wait, and changes no result.
const SHARE_OF_LINKS: f64 = 0.2;

/// A run that is divided into parts, one for each thread.
pub struct Parts {
    worlds: Vec<Part>,
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
        let routes: Vec<_> = dealt.iter().zip(&flows).map(|((part, _), flow)| (*part as u32, flow.routes.clone())).collect();
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
            let other = |part| {
                scope.spawn(move || make().map(|(topology, flows, _)| world(part, topology.join(), flows)))
            };
            let threads: Vec<_> = (1..count).map(other).collect();
            threads.into_iter().map(|thread| thread.join().expect("a part is created")).collect()
        });
        worlds.extend(others?);
        Ok(Some((Parts { worlds, division, duration, flows: dealt }, links)))
    }

    /// Handles about `max_events` events on one thread for each part. Returns whether the run continues.
    pub fn step(&mut self, max_events: u64) -> bool {
        let exchange = Exchange::new(self.worlds.len(), &self.division, self.duration, max_events);
        let (first, others) = self.worlds.split_first_mut().expect("a run has a part");
        thread::scope(|scope| {
            for (part, Part(world)) in (1..).zip(others) {
                let exchange = &exchange;
                scope.spawn(move || exchange.work(part, world));
            }
            exchange.work(0, &mut first.0)
        })
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

/// What a part tells the others at the end of a window.
struct Post {
    /// Time of the earliest arrival of its exports in each part; for the part itself, that of its earliest event.
    next: Vec<AtomicU64>,
    /// Number of events in the window.
    handled: AtomicU64,
    /// Packets for each part.
    exports: Vec<Mutex<Exports<Segment>>>,
}

/// The exchange between the parts during one step of a run.
///
/// Posts alternate between two sets: a part may write its next post while another still reads the last one, but not the
/// one after that, because a barrier is in between.
struct Exchange {
    posts: [Vec<Post>; 2],
    barrier: Barrier,
    window: Nanos,
    lags: [Nanos; 2],
    duration: Nanos,
    max_events: u64,
}

impl Exchange {
    fn new(parts: usize, division: &Division, duration: Nanos, max_events: u64) -> Exchange {
        let Division { window, lags, .. } = *division;
        let post = || Post {
            next: iter::repeat_with(AtomicU64::default).take(parts).collect(),
            handled: AtomicU64::default(),
            exports: iter::repeat_with(Mutex::default).take(parts).collect(),
        };
        let set = || iter::repeat_with(post).take(parts).collect();
        Exchange { posts: [set(), set()], barrier: Barrier::new(parts), window, lags, duration, max_events }
    }

    /// Works through the windows of a part. Returns whether the run continues; all parts return the same.
    fn work(&self, part: usize, world: &mut World<()>) -> bool {
        let _poison = Poison(&self.barrier);
        let (mut handled, mut total) = (0, 0);
        for posts in self.posts.iter().cycle() {
            self.post(part, &posts[part], handled, world);
            self.barrier.wait();
            let (mut next, mut begin) = (Nanos::MAX, Nanos::MAX);
            for post in posts {
                world.network_mut().import(&mut lock(&post.exports[part]));
                for (to, at) in post.next.iter().map(|at| at.load(Ordering::Relaxed)).enumerate() {
                    next = next.min(at);
                    begin = begin.min(at.saturating_add(self.lag(to)));
                }
                total += post.handled.load(Ordering::Relaxed);
            }
            world.network_mut().land_imports();
            if next > self.duration {
                world.end();
                return false;
            }
            if total >= self.max_events {
                return true;
            }
            let end = begin.saturating_add(self.window).saturating_sub(self.lag(part));
            handled = world.advance(u64::MAX, end.min(self.duration.saturating_add(1)));
        }
        unreachable!("the sets of posts alternate for ever")
    }

    /// Returns the time by which a part lags behind.
    fn lag(&self, part: usize) -> Nanos {
        self.lags[usize::from(part > 0)]
    }

    fn post(&self, part: usize, post: &Post, handled: u64, world: &mut World<()>) {
        for (to, (exports, next)) in post.exports.iter().zip(&post.next).enumerate() {
            let left = world.network_mut().exports(to);
            let earliest = left.earliest();
            mem::swap(&mut *lock(exports), left);
            // A part exports nothing to itself.
            next.store(if to == part { world.next_event() } else { earliest }, Ordering::Relaxed);
        }
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
