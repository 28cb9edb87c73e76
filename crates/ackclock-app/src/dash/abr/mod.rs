//! Rate adaptation: which level of the ladder the next segment is asked for in. One file a rule, one line in
//! [`CATALOGUE`].

use ackclock_core::Nanos;

mod bba;
mod bola;
pub mod estimate;
mod hybrid;
mod throughput;

pub use bba::Bba;
pub use bola::Bola;
pub use estimate::Estimator;
pub use hybrid::Hybrid;
pub use throughput::Throughput;

/// What a rule is made from.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// Levels in bit/s, ascending, at least one.
    pub ladder: &'a [u64],
    /// Playing time of a segment.
    pub segment: Nanos,
    /// Most media the player holds, at least one segment.
    pub capacity: Nanos,
    /// Share of its estimate that the throughput rule spends.
    pub safety: f64,
    /// How the throughput rule estimates.
    pub estimator: Estimator,
}

impl Setup<'_> {
    /// The highest buffer level at which a segment is asked for: there must be room for it. What papers and players call
    /// their buffer size or target is this level, as they ask for a segment whenever the buffer is below it.
    pub fn target(&self) -> Nanos {
        self.capacity.saturating_sub(self.segment)
    }
}

/// A segment that has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Download {
    /// Its level's index in the ladder.
    pub level: usize,
    /// Its size, without the response header.
    pub bytes: u64,
    /// When it was asked for.
    pub requested: Nanos,
    /// When the first byte of the response came.
    pub first_byte: Nanos,
    /// When the last byte came.
    pub done: Nanos,
    /// Buffer level when it was asked for.
    pub buffer_at_request: Nanos,
    /// Buffer level when it was there, without it.
    pub buffer_before: Nanos,
    /// Buffer level with it.
    pub buffer_after: Nanos,
}

/// What a rule knows when it chooses.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// The time.
    pub now: Nanos,
    /// Buffer level.
    pub buffer: Nanos,
    /// Level of the segment before, none for the first.
    pub previous: Option<usize>,
}

/// A choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Index in the ladder.
    pub level: usize,
    /// Do not ask yet, but let this much media play and choose again. 0 to ask now.
    pub wait: Nanos,
}

impl Choice {
    /// To ask now.
    pub fn now(level: usize) -> Choice {
        Choice { level, wait: 0 }
    }
}

/// A rate adaptation rule of one client.
pub trait Abr: Send {
    /// A segment has arrived.
    fn on_segment(&mut self, _download: &Download) {}

    /// Playback has run out of media since the segment before; called ahead of [`Abr::on_segment`] for the one that
    /// arrived too late.
    fn on_stall(&mut self) {}

    /// The level of the next segment, for which there is room in the buffer.
    fn choose(&mut self, state: &State) -> Choice;
}

/// An entry of the catalogue.
pub struct Entry {
    /// Name in scenarios.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Where it is specified.
    pub source: &'static str,
    /// Makes one for a client.
    pub make: fn(&Setup<'_>) -> Box<dyn Abr>,
}

/// Every rule, by name.
pub const CATALOGUE: &[Entry] = &[throughput::ENTRY, bba::ENTRY, bola::ENTRY, hybrid::ENTRY];

/// The entry of a name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}

/// The highest level of a ladder that is at most `bps`; the lowest where all are above.
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
            let mut rule = (entry.make)(&setup);
            let mut first = (entry.make)(&Setup { ladder: &[300_000, 600_000], ..setup });
            let state = State { now: 0, buffer: 0, previous: None };
            assert_eq!(first.choose(&state), Choice::now(0), "{}", entry.name);
            for index in 0..20 {
                let now = index * setup.segment;
                let buffer = (index * setup.segment).min(setup.target());
                let choice = rule.choose(&State { now, buffer, previous: index.checked_sub(1).map(|_| 0) });
                assert_eq!(choice, Choice::now(0), "{}", entry.name);
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
