//! What is on its way over a constant delay.

use std::collections::VecDeque;

/// Items in flight, each with the key of its arrival. Over a constant delay nothing overtakes, so keys arrive in order
/// and only the first needs an event.
#[derive(Clone, Debug)]
pub struct Pipe<K, T> {
    flight: VecDeque<(K, T)>,
}

impl<K, T> Default for Pipe<K, T> {
    fn default() -> Self {
        Pipe { flight: VecDeque::new() }
    }
}

impl<K: Copy + Ord, T> Pipe<K, T> {
    /// Puts in an item that arrives at `key`, no earlier than those before it. Whether it is now the first.
    #[inline]
    pub fn push(&mut self, key: K, item: T) -> bool {
        debug_assert!(self.flight.back().is_none_or(|(last, _)| *last <= key), "nothing overtakes in a pipe");
        self.flight.push_back((key, item));
        self.flight.len() == 1
    }

    /// Takes out the first item, with the key of the one behind it.
    #[inline]
    pub fn pop(&mut self) -> Option<(T, Option<K>)> {
        let (_, item) = self.flight.pop_front()?;
        Some((item, self.flight.front().map(|(key, _)| *key)))
    }

    /// Number of items in flight.
    pub fn len(&self) -> usize {
        self.flight.len()
    }

    /// Whether nothing is in flight.
    pub fn is_empty(&self) -> bool {
        self.flight.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_in_first_out_with_the_key_of_the_next() {
        let mut pipe = Pipe::default();
        assert!(pipe.push(1, 'a'));
        assert!(!pipe.push(1, 'b'));
        assert!(!pipe.push(5, 'c'));
        assert_eq!(pipe.pop(), Some(('a', Some(1))));
        assert_eq!(pipe.pop(), Some(('b', Some(5))));
        assert_eq!(pipe.pop(), Some(('c', None)));
        assert_eq!(pipe.pop(), None);
        assert!(pipe.push(9, 'd'));
    }
}
