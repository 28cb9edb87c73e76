//! The segments that a client has still to request, as a manifest describes them.

use ackclock_core::Nanos;

use super::sizes::{SegmentSizes, segment_bytes};

/// The segments to come.
#[derive(Clone, Copy, Debug)]
pub struct Upcoming<'a> {
    /// Levels in bit/s.
    pub ladder: &'a [u64],
    /// Playing time of a segment.
    pub segment: Nanos,
    /// Sizes of the segments by level, which repeat; empty if they follow from the levels.
    pub given: &'a [Vec<u64>],
    /// The multipliers of the segments from the next one on; `None` if all are 1.
    pub multipliers: Option<&'a SegmentSizes>,
    /// Index of the next segment.
    pub index: usize,
    /// Number of segments of the presentation; `None` for a presentation that outlasts the run.
    pub count: Option<u32>,
}

impl Upcoming<'_> {
    /// No segments.
    #[cfg(test)]
    pub(super) const NONE: Upcoming<'static> =
        Upcoming { ladder: &[], segment: 0, given: &[], multipliers: None, index: 0, count: None };

    /// Returns the bytes of the next segments: at most `most` segments, each with its size at every level.
    pub fn sizes(&self, most: usize) -> Vec<Vec<u64>> {
        let left = self.count.map_or(most, |count| (count as usize).saturating_sub(self.index).min(most));
        let mut multipliers = self.multipliers.cloned();
        let segment = |ahead: usize| {
            let multiplier = multipliers.as_mut().map_or(1.0, SegmentSizes::next_multiplier);
            let bytes = |(level, bps): (usize, &u64)| match self.given.get(level) {
                Some(own) => own[(self.index + ahead) % own.len()],
                None => segment_bytes(*bps, self.segment, multiplier),
            };
            self.ladder.iter().enumerate().map(bytes).collect()
        };
        (0..left).map(segment).collect()
    }
}

#[cfg(test)]
mod tests {
    use ackclock_core::Stream;

    use super::super::estimate::tests::SECOND;
    use super::*;

    const LADDER: &[u64] = &[400_000, 800_000];

    fn from(index: usize, count: Option<u32>) -> Upcoming<'static> {
        Upcoming { ladder: LADDER, segment: 2 * SECOND, index, count, ..Upcoming::NONE }
    }

    #[test]
    fn the_sizes_are_those_of_the_levels_and_end_with_the_presentation() {
        assert_eq!(from(0, None).sizes(2), [[100_000, 200_000], [100_000, 200_000]]);
        assert_eq!(from(7, Some(9)).sizes(5).len(), 2);
        assert!(from(9, Some(9)).sizes(5).is_empty());
    }

    #[test]
    fn given_sizes_repeat_from_the_index() {
        let given = vec![vec![1, 2, 3], vec![4, 5, 6]];
        let upcoming = Upcoming { given: &given, ..from(2, None) };
        assert_eq!(upcoming.sizes(3), [[3, 6], [1, 4], [2, 5]]);
    }

    /// A look ahead does not move the draws of the presentation.
    #[test]
    fn multipliers_are_those_that_the_segments_will_have() {
        let mut sizes = SegmentSizes::new(Stream::new(3, "sizes"), 0.5);
        sizes.next_multiplier();
        let ahead = Upcoming { multipliers: Some(&sizes), ..from(1, None) }.sizes(3);
        let drawn: Vec<u64> = (0..3).map(|_| segment_bytes(LADDER[0], 2 * SECOND, sizes.next_multiplier())).collect();
        assert_eq!(ahead.iter().map(|segment| segment[0]).collect::<Vec<_>>(), drawn);
        assert!(drawn[0] != drawn[1] && drawn[1] != drawn[2]);
    }
}
