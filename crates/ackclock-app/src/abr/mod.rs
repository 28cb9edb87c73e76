//! Rate adaptation, which chooses the level of the ladder for the next segment. Each rule has one file and one line in
//! [`CATALOGUE`]. Rules of users are [`Registered`].

use ackclock_core::Nanos;
use ackclock_core::parameters::{Given, Parameter};

mod bba;
mod bola;
pub mod estimate;
mod hybrid;
mod l2a;
mod lolp;
mod mpc;
mod rule;
mod sizes;
mod throughput;
mod upcoming;

pub use bba::Bba;
pub use bola::Bola;
pub use estimate::Estimator;
pub use hybrid::Hybrid;
pub use l2a::L2a;
pub use lolp::LolPlus;
pub use mpc::Mpc;
pub(crate) use rule::rate_adaptation;
pub use rule::{Known, Make, Registered, Rule};
pub use sizes::{SegmentSizes, segment_bytes};
pub use throughput::Throughput;
pub use upcoming::Upcoming;

/// The input from which a rule is created.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// Levels in bit/s, ascending, at least one.
    pub ladder: &'a [u64],
    /// Playing time of a segment.
    pub segment: Nanos,
    /// Maximum media that the player holds, at least one segment.
    pub capacity: Nanos,
    /// Fraction of its estimate that the throughput rule uses.
    pub safety: f64,
    /// Method by which the throughput rule estimates the throughput.
    pub estimator: Estimator,
}

impl Setup<'_> {
    /// Returns the highest buffer level at which a segment is requested: the buffer must have room for the segment.
    /// This level is the buffer size or target of papers and players, which request a segment whenever the buffer is
    /// below it.
    pub fn target(&self) -> Nanos {
        self.capacity.saturating_sub(self.segment)
    }
}

/// A segment that has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Download {
    /// Index of its level in the ladder.
    pub level: usize,
    /// Its size in bytes, without the response header.
    pub bytes: u64,
    /// Time of the request.
    pub requested: Nanos,
    /// Time at which the first byte of the response arrived.
    pub first_byte: Nanos,
    /// Time at which the last byte arrived.
    pub done: Nanos,
    /// Buffer level at the request.
    pub buffer_at_request: Nanos,
    /// Buffer level at the arrival, without the segment.
    pub buffer_before: Nanos,
    /// Buffer level with the segment.
    pub buffer_after: Nanos,
}

/// The information that a rule has when it chooses.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    /// Current time.
    pub now: Nanos,
    /// Buffer level.
    pub buffer: Nanos,
    /// Level of the previous segment; `None` for the first segment.
    pub previous: Option<usize>,
    /// Whether the player plays, so that the buffer drains.
    pub playing: bool,
    /// Time from a live event to its playback; `None` for video on demand.
    pub latency: Option<Nanos>,
    /// The segments to come.
    pub upcoming: Upcoming<'a>,
}

#[cfg(test)]
impl State<'static> {
    /// Returns the state of a client that plays and knows nothing of the segments to come.
    fn at(now: Nanos, buffer: Nanos, previous: Option<usize>) -> State<'static> {
        State { now, buffer, previous, playing: true, latency: None, upcoming: Upcoming::NONE }
    }
}

/// A rule's decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Index in the ladder.
    pub level: usize,
    /// Media to play before the rule chooses again; 0 requests the segment now.
    pub wait: Nanos,
}

impl Decision {
    /// Returns the choice to request `level` now.
    pub fn now(level: usize) -> Decision {
        Decision { level, wait: 0 }
    }
}

/// A rate adaptation rule of one client.
pub trait Abr: Send {
    /// Handles the arrival of a segment.
    fn on_segment(&mut self, _download: &Download) {}

    /// Handles a stall since the previous segment. It is called before [`Abr::on_segment`] for the segment that arrived
    /// too late.
    fn on_stall(&mut self) {}

    /// Returns the level of the next segment, for which the buffer has room.
    fn choose(&mut self, state: &State<'_>) -> Decision;
}

/// An entry of the catalogue.
pub struct Entry {
    /// Name in scenarios.
    pub name: &'static str,
    /// One line that describes the rule.
    pub summary: &'static str,
    /// Source of the specification.
    pub source: &'static str,
    /// Parameters that scenarios may set in a table of the rule.
    pub parameters: &'static [Parameter],
    /// Creates the rule for a client from the given parameters.
    pub make: fn(&Setup<'_>, Given<'_>) -> Box<dyn Abr>,
}

/// All rules, by name.
pub const CATALOGUE: &[Entry] =
    &[throughput::ENTRY, bba::ENTRY, bola::ENTRY, hybrid::ENTRY, mpc::ENTRY, mpc::ROBUST, l2a::ENTRY, lolp::ENTRY];

/// Returns the entry with a name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}

/// Returns the highest level of a ladder that is at most `bps`; the lowest level if all are above.
pub fn highest_within(ladder: &[u64], bps: f64) -> usize {
    ladder.iter().rposition(|level| *level as f64 <= bps).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_level_within_a_rate() {
        let ladder = [200, 400, 800];
        for (rate, level) in [(0.0, 0), (199.0, 0), (399.9, 0), (400.0, 1), (799.0, 1), (800.0, 2), (9e9, 2)] {
            assert_eq!(highest_within(&ladder, rate), level, "{rate}");
        }
    }

    #[test]
    fn every_rule_starts_at_the_lowest_level_and_keeps_to_a_ladder_of_one() {
        let setup = Setup {
            ladder: &[300_000],
            segment: 2_000_000_000,
            capacity: 12_000_000_000,
            safety: 1.0,
            estimator: Estimator::Mean,
        };
        for entry in CATALOGUE {
            let mut rule = (entry.make)(&setup, &[]);
            let mut first = (entry.make)(&Setup { ladder: &[300_000, 600_000], ..setup }, &[]);
            let state = State::at(0, 0, None);
            assert_eq!(first.choose(&state), Decision::now(0), "{}", entry.name);
            for index in 0..20 {
                let now = index * setup.segment;
                let buffer = (index * setup.segment).min(setup.target());
                let upcoming = Upcoming { ladder: setup.ladder, segment: setup.segment, ..Upcoming::NONE };
                let previous = index.checked_sub(1).map(|_| 0);
                let choice = rule.choose(&State { upcoming, ..State::at(now, buffer, previous) });
                assert_eq!(choice, Decision::now(0), "{}", entry.name);
                rule.on_segment(&Download {
                    level: 0,
                    bytes: 75_000,
                    requested: now,
                    first_byte: now + 50_000_000,
                    done: now + 100_000_000,
                    buffer_at_request: buffer,
                    buffer_before: buffer.saturating_sub(100_000_000),
                    buffer_after: buffer.saturating_sub(100_000_000) + setup.segment,
                });
            }
        }
    }
}
