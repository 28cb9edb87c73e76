//! The measurement of throughput while chunks arrive as they are made.

use ackclock_core::Nanos;

/// Method of measuring the throughput of a segment's download, which a rate adaptation hears of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// The bytes of each chunk over the time from the chunk's first to its last byte.
    Chunks,
    /// The bytes of the segment over the time from its first to its last byte.
    Segments,
}

/// The meter of one segment. The first bytes of a chunk tell when the chunk began to arrive, and are not counted
/// themselves: they were under way before. So the time in which the server has nothing to send does not count.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Meter {
    /// Time and stream bytes when the first bytes of the chunk under way were read.
    began: Option<(Nanos, u64)>,
    bytes: u64,
    time: Nanos,
}

impl Meter {
    /// Notes that `total` bytes of the stream have been read at `now`, of which some belong to the chunk under way.
    pub fn read(&mut self, now: Nanos, total: u64) {
        self.began.get_or_insert((now, total));
    }

    /// Notes that the chunk under way ends with byte `end` of the stream and is complete at `now`.
    pub fn complete(&mut self, now: Nanos, end: u64) {
        if let Some((began, read)) = self.began.take() {
            self.bytes += end.saturating_sub(read);
            self.time += now - began;
        }
    }

    /// Returns the time in which a number of bytes arrives at the rate that was measured; `None` if each chunk came in
    /// one piece, which says nothing about the rate.
    pub fn time_of(&self, bytes: u64) -> Option<Nanos> {
        let time = u128::from(bytes) * u128::from(self.time);
        (self.bytes > 0 && self.time > 0).then(|| (time / u128::from(self.bytes)) as Nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two chunks of 1,000 bytes, each read in ten pieces of 100 bytes, one a millisecond, with a pause between them.
    #[test]
    fn pauses_between_chunks_do_not_count() {
        let mut meter = Meter::default();
        for chunk in 0..2 {
            for piece in 1..=10 {
                meter.read(500 * chunk + piece, 1_000 * chunk + 100 * piece);
            }
            meter.complete(500 * chunk + 10, 1_000 * (chunk + 1));
        }
        assert_eq!(meter.time_of(2_000), Some(20), "100 bytes a millisecond");
    }

    #[test]
    fn a_chunk_in_one_piece_says_nothing() {
        let mut meter = Meter::default();
        meter.read(7, 1_000);
        meter.complete(7, 1_000);
        assert_eq!(meter.time_of(1_000), None);
    }
}
