//! The start times of a flow's copies.

use ackclock_core::{Distribution, Nanos, Stream};
use ackclock_scenario::Arrival;

/// The start times of a flow's copies, from the common start time on.
pub(super) struct Arrivals {
    random: Stream,
    /// Time from one start to the next.
    gap: Distribution,
    next: Nanos,
}

impl Arrivals {
    /// Creates the start times of a flow's copies. The first start of a Poisson process comes after an exponential
    /// time, like all others.
    pub(super) fn new(arrival: Option<&Arrival>, seed: u64, flow: &str) -> Arrivals {
        let mut random = Stream::new(seed, &format!("{flow}/arrivals"));
        let gap = match arrival {
            None | Some(Arrival::Together) => Distribution::Constant(0),
            Some(Arrival::Poisson(poisson)) => Distribution::Exponential(libm::round(1e9 / poisson.rate) as u64),
            Some(Arrival::Staggered(staggered)) => Distribution::Constant(staggered.interval),
        };
        let next = if let Distribution::Exponential(_) = gap { gap.draw(&mut random) } else { 0 };
        Arrivals { random, gap, next }
    }

    pub(super) fn next(&mut self) -> Nanos {
        let start = self.next;
        self.next = start.saturating_add(self.gap.draw(&mut self.random));
        start
    }
}
