//! A queue in a ring of memory, for items that are copied.

use std::iter::Chain;
use std::ops::{Index, IndexMut, Range};
use std::slice::{Iter, IterMut};

/// Least number of items for which a ring that is used has room.
const LEAST: usize = 4;

/// A first-in, first-out queue. Its room is a power of two, so that a place in it takes no comparison, and its short functions are
/// inlined into their callers: with [`std::collections::VecDeque`], adding and removing an item takes three times the
/// instructions, and every packet is in half a dozen queues.
#[derive(Clone, Debug)]
pub struct Ring<T> {
    /// The room; its length is a power of two, or zero before the first item. Places without an item hold some other item.
    room: Vec<T>,
    /// Place of the first item.
    head: usize,
    len: usize,
}

impl<T> Default for Ring<T> {
    #[inline]
    fn default() -> Ring<T> {
        Ring { room: Vec::new(), head: 0, len: 0 }
    }
}

impl<T> Ring<T> {
    /// Number of items.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no items.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Removes all items.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Place of the item with a number.
    #[inline]
    fn place(&self, number: usize) -> usize {
        self.head.wrapping_add(number) & self.room.len().wrapping_sub(1)
    }

    /// The first item.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        if self.len == 0 { None } else { Some(&self.room[self.head]) }
    }

    /// The first item, to be changed.
    #[inline]
    pub fn front_mut(&mut self) -> Option<&mut T> {
        if self.len == 0 { None } else { Some(&mut self.room[self.head]) }
    }

    /// The last item.
    #[inline]
    pub fn back(&self) -> Option<&T> {
        if self.len == 0 { None } else { Some(&self.room[self.place(self.len - 1)]) }
    }

    /// The item with a number, of which the first is 0.
    #[inline]
    pub fn get(&self, number: usize) -> Option<&T> {
        if number < self.len { Some(&self.room[self.place(number)]) } else { None }
    }

    /// The items that follow each other in memory from the first one on, and the rest.
    #[inline]
    pub fn as_slices(&self) -> (&[T], &[T]) {
        let first = self.len.min(self.room.len() - self.head);
        (&self.room[self.head..self.head + first], &self.room[..self.len - first])
    }

    fn as_mut_slices(&mut self) -> (&mut [T], &mut [T]) {
        let first = self.len.min(self.room.len() - self.head);
        let (low, high) = self.room.split_at_mut(self.head);
        (&mut high[..first], &mut low[..self.len - first])
    }

    /// All items.
    #[inline]
    pub fn iter(&self) -> Chain<Iter<'_, T>, Iter<'_, T>> {
        let (first, rest) = self.as_slices();
        first.iter().chain(rest)
    }

    /// All items, to be changed.
    pub fn iter_mut(&mut self) -> Chain<IterMut<'_, T>, IterMut<'_, T>> {
        let (first, rest) = self.as_mut_slices();
        first.iter_mut().chain(rest)
    }

    /// The items with the given numbers.
    ///
    /// # Panics
    /// If there are no such items.
    pub fn range(&self, numbers: Range<usize>) -> Chain<Iter<'_, T>, Iter<'_, T>> {
        let (first, rest) = self.as_slices();
        let (low, high) = parts(&numbers, first.len());
        first[low].iter().chain(&rest[high])
    }

    /// The items with the given numbers, to be changed.
    ///
    /// # Panics
    /// If there are no such items.
    pub fn range_mut(&mut self, numbers: Range<usize>) -> Chain<IterMut<'_, T>, IterMut<'_, T>> {
        let (first, rest) = self.as_mut_slices();
        let (low, high) = parts(&numbers, first.len());
        first[low].iter_mut().chain(&mut rest[high])
    }

    /// The number of the first item that does not meet a condition, which the items before it meet and those after it do not.
    #[inline]
    pub fn partition_point(&self, mut meets: impl FnMut(&T) -> bool) -> usize {
        let (first, rest) = self.as_slices();
        match rest.first() {
            Some(item) if meets(item) => first.len() + rest.partition_point(meets),
            _ => first.partition_point(meets),
        }
    }
}

/// The parts of a range of numbers below `first`, and of the numbers from there on, which count from there.
fn parts(numbers: &Range<usize>, first: usize) -> (Range<usize>, Range<usize>) {
    let &Range { start, end } = numbers;
    (start.min(first)..end.min(first), start.saturating_sub(first)..end.saturating_sub(first))
}

impl<T: Copy> Ring<T> {
    /// Adds an item behind the others.
    #[inline]
    pub fn push_back(&mut self, item: T) {
        if self.len == self.room.len() {
            self.grow(item);
        }
        let place = self.place(self.len);
        self.room[place] = item;
        self.len += 1;
    }

    /// Removes the first item and returns it.
    #[inline]
    pub fn pop_front(&mut self) -> Option<T> {
        if self.len == 0 {
            return None;
        }
        let item = self.room[self.head];
        self.head = self.place(1);
        self.len -= 1;
        Some(item)
    }

    /// Inserts an item before the one with the given number: those after it move by one place.
    ///
    /// # Panics
    /// If `number` is above the number of items.
    pub fn insert(&mut self, number: usize, item: T) {
        assert!(number <= self.len, "an item is inserted behind the last one");
        self.push_back(item);
        for later in (number + 1..self.len).rev() {
            self[later] = self[later - 1];
        }
        self[number] = item;
    }

    /// Adds an item before the others.
    #[inline]
    pub fn push_front(&mut self, item: T) {
        if self.len == self.room.len() {
            self.grow(item);
        }
        self.head = self.place(usize::MAX);
        self.room[self.head] = item;
        self.len += 1;
    }

    /// Removes the last item and returns it.
    pub fn pop_back(&mut self) -> Option<T> {
        let item = *self.back()?;
        self.len -= 1;
        Some(item)
    }

    /// Keeps the first `len` items, and removes the others and returns them.
    pub fn split_off(&mut self, len: usize) -> Vec<T> {
        let rest = self.range(len..self.len).copied().collect();
        self.len = len;
        rest
    }

    /// Doubles the room; `item` fills it.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, item: T) {
        let len = (2 * self.room.len()).max(LEAST);
        let mut room = Vec::with_capacity(len);
        room.extend(self.iter().copied());
        room.resize(len, item);
        (self.room, self.head) = (room, 0);
    }
}

impl<T> Index<usize> for Ring<T> {
    type Output = T;

    #[inline]
    fn index(&self, number: usize) -> &T {
        assert!(number < self.len, "the ring has no such item");
        &self.room[self.place(number)]
    }
}

impl<T> IndexMut<usize> for Ring<T> {
    #[inline]
    fn index_mut(&mut self, number: usize) -> &mut T {
        assert!(number < self.len, "the ring has no such item");
        let place = self.place(number);
        &mut self.room[place]
    }
}

impl<T: Copy> Extend<T> for Ring<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push_back(item));
    }
}

impl<'a, T> IntoIterator for &'a Ring<T> {
    type Item = &'a T;
    type IntoIter = Chain<Iter<'a, T>, Iter<'a, T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut Ring<T> {
    type Item = &'a mut T;
    type IntoIter = Chain<IterMut<'a, T>, IterMut<'a, T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::Stream;

    #[test]
    fn a_ring_behaves_as_the_queue_of_the_standard_library() {
        let mut random = Stream::new(1, "ring");
        let (mut ring, mut model) = (Ring::default(), VecDeque::new());
        let mut next = 0_u64;
        for step in 0..20_000_u64 {
            let len = model.len();
            // The queue grows for a while, and shrinks for a while.
            match random.below(if step / 500 % 2 == 0 { 12 } else { 18 }) {
                0..=6 => {
                    next += 1 + random.below(3);
                    ring.push_back(next);
                    model.push_back(next);
                }
                7 => {
                    let number = random.below(len as u64 + 1) as usize;
                    let item = if number > 0 { model[number - 1] } else { 0 };
                    ring.insert(number, item);
                    model.insert(number, item);
                }
                8 if len > 0 && step % 50 == 0 => {
                    let kept = random.below(len as u64) as usize;
                    assert!(ring.split_off(kept).into_iter().eq(model.split_off(kept)));
                }
                8 => {
                    assert_eq!(ring.pop_back(), model.pop_back());
                    let item = model.front().map_or(0, |first: &u64| first.saturating_sub(1));
                    ring.push_front(item);
                    model.push_front(item);
                }
                9 if len > 0 => {
                    let number = random.below(len as u64) as usize;
                    assert_eq!((ring[number], ring.get(number)), (model[number], model.get(number)));
                    ring[number] += 0;
                    let limit = model[number];
                    let point = ring.partition_point(|item| *item < limit);
                    assert_eq!(point, model.partition_point(|item| *item < limit));
                    let numbers = number..number + random.below((len - number) as u64 + 1) as usize;
                    assert!(ring.range(numbers.clone()).eq(model.range(numbers.clone())));
                    assert!(ring.range_mut(numbers.clone()).eq(model.range_mut(numbers)));
                }
                10 if step % 1_000 == 0 => {
                    ring.clear();
                    model.clear();
                }
                _ => assert_eq!(ring.pop_front(), model.pop_front()),
            }
            assert_eq!((ring.len(), ring.is_empty()), (model.len(), model.is_empty()));
            assert_eq!((ring.front(), ring.back()), (model.front(), model.back()));
            assert_eq!(ring.front_mut(), model.front_mut());
            assert!(ring.get(model.len()).is_none());
            if step % 10 == 0 {
                assert!(ring.iter().eq(&model) && ring.iter().rev().eq(model.iter().rev()));
                assert!(ring.iter_mut().eq(&mut model));
            }
        }
    }
}
