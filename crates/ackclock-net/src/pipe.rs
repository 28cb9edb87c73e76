//! What is on its way over a constant delay.

/// Slots are numbered; this is none of them.
const NONE: u32 = u32::MAX;

/// Items in flight, each with the key of its arrival. Over a constant delay nothing overtakes, so keys arrive in order
/// and only the first needs an event.
///
/// The items themselves lie in a [`Flight`], the same one for every call.
#[derive(Clone, Copy, Debug)]
pub struct Pipe {
    first: u32,
    last: u32,
}

impl Default for Pipe {
    fn default() -> Self {
        Pipe { first: NONE, last: NONE }
    }
}

#[derive(Clone, Copy, Debug)]
struct Slot<K, T> {
    item: T,
    /// The slot of the item behind it in its pipe.
    behind: u32,
    /// That item's key, which so need not be fetched when this one leaves; this item's own where there is none.
    key_behind: K,
}

/// The items of any number of pipes.
///
/// A ring of its own for each pipe would walk through all the memory that its fullest moment took. Here the slot freed
/// last is used first, so that thousands of pipes that hold little have their items in the cache.
#[derive(Clone, Debug)]
pub struct Flight<K, T> {
    slots: Vec<Slot<K, T>>,
    free: Vec<u32>,
}

impl<K, T> Default for Flight<K, T> {
    fn default() -> Self {
        Flight { slots: Vec::new(), free: Vec::new() }
    }
}

impl<K: Copy, T: Copy> Flight<K, T> {
    /// Puts in an item that arrives at `key`, no earlier than those before it in the pipe. Whether it is now the first,
    /// whose key is the caller's to keep.
    ///
    /// # Panics
    /// Above 2^32 - 1 items in flight.
    #[inline]
    pub fn push(&mut self, pipe: &mut Pipe, key: K, item: T) -> bool {
        // Made in each place, not once for both: what may be passed on by reference is made in memory, and copied.
        let place = match self.free.pop() {
            Some(place) => {
                self.slots[place as usize] = Slot { item, behind: NONE, key_behind: key };
                place
            }
            None => self.add(Slot { item, behind: NONE, key_behind: key }),
        };
        let alone = pipe.first == NONE;
        if alone {
            pipe.first = place;
        } else {
            let last = &mut self.slots[pipe.last as usize];
            last.behind = place;
            last.key_behind = key;
        }
        pipe.last = place;
        alone
    }

    /// Puts in one slot more than there ever were: rare, and out of the way of what is not.
    #[cold]
    fn add(&mut self, slot: Slot<K, T>) -> u32 {
        let place = self.slots.len();
        assert!(place < NONE as usize, "at most 2^32 - 1 packets are in flight");
        self.slots.push(slot);
        place as u32
    }

    /// Takes out the first item of a pipe, with the key of the one behind it.
    #[inline]
    pub fn pop(&mut self, pipe: &mut Pipe) -> Option<(T, Option<K>)> {
        let slot = self.slots.get(pipe.first as usize)?;
        self.free.push(pipe.first);
        pipe.first = slot.behind;
        Some((slot.item, (slot.behind != NONE).then_some(slot.key_behind)))
    }

    /// Number of items in flight, over all pipes.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether nothing is in flight.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_in_first_out_with_the_key_of_the_next() {
        let (mut flight, mut pipe) = (Flight::default(), Pipe::default());
        assert!(flight.push(&mut pipe, 1, 'a'));
        assert!(!flight.push(&mut pipe, 1, 'b'));
        assert!(!flight.push(&mut pipe, 5, 'c'));
        assert_eq!(flight.pop(&mut pipe), Some(('a', Some(1))));
        assert_eq!(flight.pop(&mut pipe), Some(('b', Some(5))));
        assert_eq!(flight.pop(&mut pipe), Some(('c', None)));
        assert_eq!(flight.pop(&mut pipe), None);
        assert!(flight.push(&mut pipe, 9, 'd'));
    }

    #[test]
    fn pipes_share_slots_and_nothing_else() {
        let mut flight = Flight::default();
        let mut pipes = [Pipe::default(); 3];
        for round in 0..50_u32 {
            for (index, pipe) in pipes.iter_mut().enumerate() {
                let number = 10 * round + index as u32;
                assert_eq!(flight.push(pipe, number, number), round == 0);
                if round > 0 {
                    let first = number - 10;
                    assert_eq!(flight.pop(pipe), Some((first, Some(number))));
                }
            }
        }
        assert_eq!(flight.len(), 3);
        assert_eq!(flight.slots.len(), 4, "a freed slot is used again");
        for pipe in &mut pipes {
            assert!(flight.pop(pipe).is_some());
        }
        assert!(flight.is_empty());
    }
}
