//! The encoder and its clock: when the chunks of a presentation are there.

use ackclock_core::Nanos;

use crate::abr::{SegmentSizes, segment_bytes};

/// The clock of a presentation that began long before the run. Media time counts from a whole number of segments before
/// the run, so that no media time of the run is negative. Segment `i` has the media from `i` times its duration on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Encoder {
    segment: Nanos,
    chunk: Nanos,
    /// Time from the end of a chunk's recording until the server has the chunk.
    delay: Nanos,
    /// Media time at the beginning of the run.
    epoch: Nanos,
}

impl Encoder {
    /// Creates the clock of a presentation whose clients reach back by at most `reach` nanoseconds before the run.
    pub fn new(segment: Nanos, chunk: Nanos, delay: Nanos, reach: Nanos) -> Encoder {
        Encoder { segment, chunk, delay, epoch: segment.saturating_mul(reach / segment + 1) }
    }

    /// Returns the media time of an event that happens at `now`.
    pub fn edge(&self, now: Nanos) -> Nanos {
        self.epoch.saturating_add(now)
    }

    /// Returns the segment that contains a media time.
    pub fn segment_at(&self, media: Nanos) -> u64 {
        media / self.segment
    }

    /// Returns the number of chunks in a segment.
    pub fn chunks(&self) -> u64 {
        self.segment / self.chunk
    }

    /// Returns the media time at which chunk `chunk` of a segment ends.
    pub fn end(&self, segment: u64, chunk: u64) -> Nanos {
        segment.saturating_mul(self.segment).saturating_add((chunk + 1).saturating_mul(self.chunk))
    }

    /// Returns the time at which the server has chunk `chunk` of a segment; zero if that was before the run.
    pub fn there_at(&self, segment: u64, chunk: u64) -> Nanos {
        self.end(segment, chunk).saturating_add(self.delay).saturating_sub(self.epoch)
    }
}

/// A segment at one level, cut into chunks of equal duration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    bytes: u64,
    chunks: u64,
}

impl Cut {
    /// Returns the next segment of `sizes` at a level, with at least one byte for each of its chunks.
    pub fn next(sizes: &mut SegmentSizes, level_bps: u64, segment: Nanos, chunks: u64) -> Cut {
        let bytes = segment_bytes(level_bps, segment, sizes.next_multiplier()).max(chunks);
        Cut { bytes, chunks }
    }

    /// Returns the bytes of the segment.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the bytes of the first `count` chunks. Chunks differ by one byte at most.
    pub fn upto(&self, count: u64) -> u64 {
        (u128::from(self.bytes) * u128::from(count) / u128::from(self.chunks)) as u64
    }
}

#[cfg(test)]
mod tests {
    use ackclock_core::Stream;

    use super::*;

    #[test]
    fn chunks_are_there_when_they_have_been_recorded_and_encoded() {
        let encoder = Encoder::new(20, 5, 3, 47);
        assert_eq!((encoder.edge(0), encoder.chunks()), (60, 4), "three segments before the run");
        // The run begins with segment 3; the moment 47 before is in segment 0.
        assert_eq!((encoder.segment_at(encoder.edge(0)), encoder.segment_at(encoder.edge(0) - 47)), (3, 0));
        assert_eq!((encoder.end(3, 0), encoder.there_at(3, 0), encoder.there_at(3, 3)), (65, 8, 23));
        assert_eq!((encoder.there_at(2, 3), encoder.there_at(2, 2)), (3, 0), "encoded after the run began, and before");
    }

    #[test]
    fn chunks_share_the_bytes_of_their_segment() {
        let mut sizes = SegmentSizes::new(Stream::new(1, "sizes"), 0.0);
        let cut = Cut::next(&mut sizes, 8_000, 1_000_000_000, 3);
        assert_eq!((cut.bytes(), [0, 1, 2, 3].map(|count| cut.upto(count))), (1_000, [0, 333, 666, 1_000]));
        assert_eq!(Cut::next(&mut sizes, 1, 1, 3).bytes(), 3);
    }
}
