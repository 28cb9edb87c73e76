//! Record of the received part of a stream: everything below `next`, and ranges above it.

/// The ranges above the first gap, sorted and disjoint, and the order in which they last changed.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(super) struct Reassembly {
    next: u64,
    ranges: Vec<(u64, u64)>,
    /// Starts of the ranges that changed last, the latest first (RFC 2018 section 4). A start at which no range begins
    /// any more is skipped.
    recent: Vec<u64>,
    /// Bytes in the ranges.
    held: u64,
}

/// Number of changed ranges that are remembered: as many as a header reports.
const REMEMBERED: usize = crate::segment::MAX_SACK_BLOCKS;

impl Reassembly {
    /// The first offset that has not arrived.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Bytes that have arrived beyond the first gap.
    #[inline]
    pub fn held(&self) -> u64 {
        self.held
    }

    /// Whether data beyond a gap has arrived.
    #[inline]
    pub fn has_gap(&self) -> bool {
        !self.ranges.is_empty()
    }

    /// Adds the data up to `end`, if there is no gap and the data is new.
    #[inline]
    pub fn append(&mut self, end: u64) -> bool {
        let appends = end > self.next && self.ranges.is_empty();
        if appends {
            self.next = end;
        }
        appends
    }

    /// Adds `[start, end)`. Returns whether any of it is new.
    #[inline]
    pub fn insert(&mut self, start: u64, end: u64) -> bool {
        if end <= self.next || end <= start {
            return false;
        }
        if start <= self.next && self.ranges.is_empty() {
            self.next = end;
            return true;
        }
        self.insert_slow(start.max(self.next), end)
    }

    fn insert_slow(&mut self, mut start: u64, mut end: u64) -> bool {
        // The ranges that touch [start, end) are merged into one.
        let first = self.ranges.partition_point(|range| range.1 < start);
        let last = self.ranges.partition_point(|range| range.0 <= end);
        let mut fresh = true;
        if first < last {
            let (low, high) = (self.ranges[first].0, self.ranges[last - 1].1);
            fresh = !(last - first == 1 && low <= start && end <= high);
            start = start.min(low);
            end = end.max(high);
        }
        self.held -= self.ranges[first..last].iter().map(|range| range.1 - range.0).sum::<u64>();
        if start <= self.next {
            self.next = end;
            self.ranges.drain(..last);
        } else {
            self.held += end - start;
            self.ranges.splice(first..last, [(start, end)]);
            self.recent.retain(|&other| other < start || end < other);
            self.recent.insert(0, start);
            self.recent.truncate(REMEMBERED);
        }
        if self.ranges.is_empty() {
            self.recent.clear();
        }
        fresh
    }

    /// Forgets what lies beyond the first gap.
    #[cold]
    pub fn forget_ranges(&mut self) {
        self.ranges.clear();
        self.recent.clear();
        self.held = 0;
    }

    /// The end of the last range above the gap, if there is one.
    pub fn highest(&self) -> Option<u64> {
        self.ranges.last().map(|range| range.1)
    }

    /// The first part of `[start, end)` that has arrived already (RFC 2883 sections 4.1 and 4.2).
    pub fn duplicate(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        if start < self.next {
            return (start < end).then_some((start, end.min(self.next)));
        }
        let index = self.ranges.partition_point(|range| range.1 <= start);
        let range = self.ranges.get(index).filter(|range| range.0 < end)?;
        Some((start.max(range.0), end.min(range.1)))
    }

    /// The place among [`Reassembly::recent`] of the first range that touches `[start, end)`, or their number.
    pub fn rank(&self, start: u64, end: u64) -> usize {
        let touches = |range: &(u64, u64)| start <= range.1 && range.0 <= end;
        self.recent().position(|range| touches(&range)).unwrap_or_else(|| self.recent().count())
    }

    /// The ranges above the gap: the last changed one first, then in the order of the last report (RFC 2018 section 4).
    pub fn recent(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.recent.iter().filter_map(|&start| {
            let index = self.ranges.binary_search_by_key(&start, |range| range.0).ok()?;
            Some(self.ranges[index])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn blocks(stream: &Reassembly) -> Vec<(u64, u64)> {
        stream.recent().collect()
    }

    #[test]
    fn in_order_data_leaves_no_gap() {
        let mut stream = Reassembly::default();
        assert!(stream.insert(0, 100));
        assert!(stream.insert(100, 200));
        assert_eq!(stream.next(), 200);
        assert!(!stream.has_gap());
        assert!(!stream.insert(50, 150), "a duplicate is not fresh");
    }

    /// RFC 2018 section 5, case 2: the first of eight segments is lost; every ACK reports one growing block.
    #[test]
    fn rfc2018_case_2() {
        let mut stream = Reassembly::default();
        for segment in 1..8u64 {
            stream.insert(segment * 500, segment * 500 + 500);
            assert_eq!(blocks(&stream), [(500, segment * 500 + 500)]);
        }
    }

    /// RFC 2018 section 5, case 3: segments 2, 4, 6 and 8 of 5000.. are lost, then the fourth and the second arrive.
    #[test]
    fn rfc2018_case_3() {
        let mut stream = Reassembly::default();
        let at = |segment: u64| (segment - 1) * 500;
        let mut arrive = |segment: u64| {
            stream.insert(at(segment), at(segment) + 500);
            (stream.next(), blocks(&stream))
        };
        assert_eq!(arrive(1), (500, vec![]));
        assert_eq!(arrive(3), (500, vec![(1000, 1500)]));
        assert_eq!(arrive(5), (500, vec![(2000, 2500), (1000, 1500)]));
        assert_eq!(arrive(7), (500, vec![(3000, 3500), (2000, 2500), (1000, 1500)]));
        assert_eq!(arrive(4), (500, vec![(1000, 2500), (3000, 3500)]));
        assert_eq!(arrive(2), (2500, vec![(3000, 3500)]));
    }

    proptest! {
        #[test]
        fn agrees_with_a_bitmap(segments in prop::collection::vec((0u64..120, 1u64..12), 0..60)) {
            let mut stream = Reassembly::default();
            let mut bitmap = [false; 140];
            for (start, len) in segments {
                let range = start as usize..(start + len) as usize;
                let expect_fresh = bitmap[range.clone()].iter().any(|&there| !there);
                bitmap[range].fill(true);
                prop_assert_eq!(stream.insert(start, start + len), expect_fresh);
                let next = bitmap.iter().position(|&there| !there).unwrap();
                prop_assert_eq!(stream.next(), next as u64);
                prop_assert_eq!(stream.held(), bitmap[next..].iter().filter(|&&there| there).count() as u64);
                for (low, high) in stream.recent() {
                    prop_assert!(bitmap[low as usize..high as usize].iter().all(|&there| there));
                    prop_assert!(!bitmap[low as usize - 1] && !bitmap[high as usize]);
                }
                prop_assert_eq!(stream.has_gap(), bitmap[next..].iter().any(|&there| there));
                if let Some((low, high)) = stream.recent().next() && stream.has_gap() && start >= stream.next() {
                    prop_assert!(low <= start && start < high, "the first block holds the segment that arrived");
                }
            }
        }
    }
}
