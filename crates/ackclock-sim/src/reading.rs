//! Applications that do not read at once what has arrived: the times of their reads.

use ackclock_core::{Nanos, Rate};
use ackclock_scenario::Reading;

/// Reading pattern of an application.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reader {
    /// Maximum bytes of one read.
    pub step: u64,
    /// Mean rate at which it reads; `None` for no limit.
    rate: Option<Rate>,
    /// Times in which it reads nothing, in order.
    pauses: Vec<(Nanos, Nanos)>,
}

/// The reads of one end of a connection.
#[derive(Clone, Copy, Default, Debug)]
pub struct Reads {
    /// Earliest time of the next read.
    next: Nanos,
    /// Whether an event for the next read exists.
    pub waits: bool,
    /// Whether the peer has closed its direction, of which the application is told after its last read.
    pub ended: bool,
    /// Bytes that have arrived in order.
    pub arrived: u64,
}

impl Reader {
    /// The reader that a scenario describes.
    pub fn new(reading: &Reading) -> Reader {
        let pauses = reading.pauses.iter().flatten().map(|pause| (pause.from, pause.to));
        Reader { step: reading.step, rate: reading.rate.and_then(Rate::new), pauses: pauses.collect() }
    }

    /// Time of the next read, at the earliest `now`.
    pub fn time(&self, reads: &Reads, now: Nanos) -> Nanos {
        let at = reads.next.max(now);
        let in_pause = self.pauses.iter().find(|&&(from, to)| from <= at && at < to);
        in_pause.map_or(at, |&(_, to)| to)
    }

    /// Takes note of a read of `bytes` at `now`.
    pub fn on_read(&self, reads: &mut Reads, now: Nanos, bytes: u64) {
        reads.next = now.saturating_add(self.rate.map_or(0, |rate| rate.time_of(bytes)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;

    #[test]
    fn reads_follow_the_rate_and_wait_for_the_end_of_a_pause() {
        let pauses = vec![(10 * MS, 30 * MS), (30 * MS, 40 * MS)];
        let reader = Reader { step: 1000, rate: Rate::new(8_000_000), pauses };
        let mut reads = Reads::default();
        assert_eq!(reader.time(&reads, 5 * MS), 5 * MS);
        reader.on_read(&mut reads, 5 * MS, 1000);
        assert_eq!(reader.time(&reads, 5 * MS), 6 * MS);
        reader.on_read(&mut reads, 9 * MS, 1000);
        assert_eq!(reader.time(&reads, 9 * MS), 30 * MS, "the next pause begins then");
        assert_eq!(reader.time(&reads, 30 * MS), 40 * MS);
        assert_eq!(reader.time(&reads, 50 * MS), 50 * MS);
        let free = Reader { step: 1000, rate: None, pauses: Vec::new() };
        free.on_read(&mut reads, 50 * MS, 1000);
        assert_eq!(free.time(&reads, 50 * MS), 50 * MS);
    }
}
