//! A queue that sorts records by time.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use ackclock_core::Nanos;

/// Records that wait until no earlier record can follow. Records with the same time keep their order.
pub struct Ordered<T> {
    waiting: BinaryHeap<Entry<T>>,
    count: u64,
}

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Ordered { waiting: BinaryHeap::new(), count: 0 }
    }
}

struct Entry<T> {
    at: Nanos,
    number: u64,
    record: T,
}

impl<T> Ordered<T> {
    /// Adds a record.
    pub fn push(&mut self, at: Nanos, record: T) {
        self.waiting.push(Entry { at, number: self.count, record });
        self.count += 1;
    }

    /// Removes and returns the earliest record before `end`.
    pub fn pop_before(&mut self, end: Nanos) -> Option<(Nanos, T)> {
        if self.waiting.peek()?.at >= end {
            return None;
        }
        self.waiting.pop().map(|entry| (entry.at, entry.record))
    }
}

impl<T> Entry<T> {
    fn key(&self) -> (Nanos, u64) {
        (self.at, self.number)
    }
}

// The greatest entry of the heap is the earliest.
impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Entry<T>) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Entry<T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Entry<T>) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for Entry<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_sorted_by_time_and_keep_their_order_at_the_same_time() {
        let mut ordered = Ordered::default();
        for (at, record) in [(5, 'c'), (3, 'a'), (5, 'd'), (3, 'b'), (9, 'e')] {
            ordered.push(at, record);
        }
        let taken: Vec<_> = std::iter::from_fn(|| ordered.pop_before(9)).collect();
        assert_eq!(taken, [(3, 'a'), (3, 'b'), (5, 'c'), (5, 'd')]);
        ordered.push(8, 'f');
        assert_eq!(ordered.pop_before(9), Some((8, 'f')));
        assert_eq!(ordered.pop_before(Nanos::MAX), Some((9, 'e')));
        assert_eq!(ordered.pop_before(Nanos::MAX), None);
    }
}
