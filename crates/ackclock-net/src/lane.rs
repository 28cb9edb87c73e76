//! Items in flight, in the order of their arrivals.

use ackclock_core::Ring;

/// Largest number of items that a new item may overtake on insertion.
const REACH: usize = 8;

/// Result of [`Lane::push`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The item is now the first; the caller schedules the event for its key.
    First,
    /// The item is behind others.
    Behind,
    /// The item was not added: it would have had to overtake more items than [`Lane::push`] searches through.
    None,
}

/// Items in flight, each with the key of its arrival. Only the first item needs an event.
///
/// Packets that one link sends over a constant delay never overtake each other. Packets of different links with the
/// same delay overtake each other only as far as their serialisation and queueing delays differ. So any number of such
/// links can share a lane: a new item is inserted before the few items that arrive later. The lane's memory is read
/// from one end to the other, however many links share it.
#[derive(Clone, Debug)]
pub struct Lane<K, T> {
    items: Ring<(K, T)>,
}

impl<K, T> Default for Lane<K, T> {
    fn default() -> Self {
        Lane { items: Ring::default() }
    }
}

impl<K: Copy + Ord, T: Copy> Lane<K, T> {
    /// Adds an item that arrives at `key`, behind items with the same key.
    // Inlined, so that the item is written where it stays.
    #[inline(always)]
    pub fn push(&mut self, key: K, item: T) -> Place {
        match self.items.back() {
            None => {
                self.items.push_back((key, item));
                Place::First
            }
            Some(&(last, _)) if last <= key => {
                self.items.push_back((key, item));
                Place::Behind
            }
            Some(_) => self.pass(key, item),
        }
    }

    #[inline(never)]
    fn pass(&mut self, key: K, item: T) -> Place {
        let later = self.items.iter().rev().take(REACH + 1).take_while(|(other, _)| key < *other).count();
        if later > REACH {
            return Place::None;
        }
        let place = self.items.len() - later;
        self.items.insert(place, (key, item));
        if place == 0 { Place::First } else { Place::Behind }
    }

    /// Adds items from elsewhere, of which those with the same key are in their order, and empties `items`. Returns whether
    /// the first item of the lane is another than before.
    pub fn merge(&mut self, items: &mut Vec<(K, T)>) -> bool {
        items.sort_by_key(|(key, _)| *key);
        let Some(&(first, _)) = items.first() else { return false };
        let before = self.first();
        if self.items.back().is_none_or(|(last, _)| *last <= first) {
            self.items.extend(items.drain(..));
            return before.is_none();
        }
        let kept = self.items.partition_point(|(key, _)| *key <= first);
        let mut later = self.items.split_off(kept).into_iter().peekable();
        for (key, item) in items.drain(..) {
            while let Some(other) = later.next_if(|(other, _)| *other <= key) {
                self.items.push_back(other);
            }
            self.items.push_back((key, item));
        }
        self.items.extend(later);
        self.first() != before
    }

    /// Removes the first item and returns it.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.items.pop_front().map(|(_, item)| item)
    }

    /// The key of the first item.
    #[inline]
    pub fn first(&self) -> Option<K> {
        self.items.front().map(|(key, _)| *key)
    }

    /// The first `N` items, if they are there and adjacent in memory.
    #[inline]
    pub fn coming<const N: usize>(&self) -> Option<&[(K, T); N]> {
        self.items.as_slices().0.first_chunk()
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether the lane is empty.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_item_is_inserted_before_later_arrivals() {
        let mut lane = Lane::default();
        assert_eq!(lane.push(5, 'b'), Place::First);
        assert_eq!(lane.push(9, 'd'), Place::Behind);
        assert_eq!(lane.push(7, 'c'), Place::Behind);
        assert_eq!(lane.push(1, 'a'), Place::First);
        assert_eq!((lane.first(), lane.len()), (Some(1), 4));
        let items: String = std::iter::from_fn(|| lane.pop()).collect();
        assert_eq!(items, "abcd");
        assert!(lane.is_empty() && lane.first().is_none());
    }

    #[test]
    fn an_item_overtakes_at_most_reach_items() {
        let mut lane = Lane::default();
        for number in 0..=REACH {
            lane.push(10 * number + 10, number);
        }
        assert_eq!(lane.push(5, 0), Place::None);
        assert_eq!(lane.push(15, 0), Place::Behind);
        assert_eq!((lane.first(), lane.len()), (Some(10), REACH + 2));
    }

    proptest! {
        #[test]
        fn merged_items_are_in_the_order_of_keys(
            mut own in prop::collection::vec(0_u64..50, 0..20),
            others in prop::collection::vec(0_u64..50, 0..20),
        ) {
            own.sort_unstable();
            let mut lane = Lane::default();
            for (number, key) in own.iter().enumerate() {
                lane.push(*key, (0, number));
            }
            let mut items: Vec<_> = others.iter().enumerate().map(|(number, key)| (*key, (1, number))).collect();
            let mut expected: Vec<_> = own.iter().enumerate().map(|(number, key)| (*key, (0, number))).collect();
            expected.extend(&items);
            expected.sort_unstable();
            let before = lane.first();
            prop_assert_eq!(lane.merge(&mut items), lane.first() != before);
            prop_assert!(items.is_empty());
            let merged: Vec<_> = std::iter::from_fn(|| lane.first().zip(lane.pop())).collect();
            prop_assert_eq!(merged, expected);
        }

        #[test]
        fn items_come_out_in_key_order(steps in prop::collection::vec(prop::option::weighted(0.6, 0_u64..30), 0..200)) {
            let (mut lane, mut model) = (Lane::default(), Vec::new());
            for (number, step) in (0_u64..).zip(steps) {
                let Some(at) = step else {
                    let expected = (!model.is_empty()).then(|| model.remove(0));
                    prop_assert_eq!(lane.pop(), expected);
                    continue;
                };
                let key = (number / 4 + at, number);
                let place = model.partition_point(|other| *other < key);
                let expected = match place {
                    _ if model.len() - place > REACH => Place::None,
                    0 => Place::First,
                    _ => Place::Behind,
                };
                prop_assert_eq!(lane.push(key, key), expected);
                if expected != Place::None {
                    model.insert(place, key);
                }
                prop_assert_eq!(lane.first(), model.first().copied());
            }
        }
    }
}
