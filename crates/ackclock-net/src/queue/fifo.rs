//! A first-in, first-out queue.

use std::collections::VecDeque;

use super::{Item, Limit};

/// Packets in the order of their arrival, with a limit. Most disciplines are built on this queue.
#[derive(Clone, Debug)]
pub struct Fifo {
    limit: Limit,
    items: VecDeque<Item>,
    bytes: u64,
}

impl Fifo {
    /// An empty queue.
    pub fn new(limit: Limit) -> Fifo {
        Fifo { limit, items: VecDeque::new(), bytes: 0 }
    }

    /// Limit of the queue.
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// Whether the queue has room for a packet of `size` bytes.
    #[inline]
    pub fn fits(&self, size: u32) -> bool {
        self.limit.fits(self.len() as u64, self.bytes, size)
    }

    /// Adds a packet at the end, whether it fits or not.
    #[inline]
    pub fn push(&mut self, item: Item) {
        self.bytes += u64::from(item.size);
        self.items.push_back(item);
    }

    /// Removes the first packet and returns it.
    #[inline]
    pub fn pop(&mut self) -> Option<Item> {
        let item = self.items.pop_front()?;
        self.bytes -= u64::from(item.size);
        Some(item)
    }

    /// Removes the last packet and returns it.
    pub fn pop_last(&mut self) -> Option<Item> {
        let item = self.items.pop_back()?;
        self.bytes -= u64::from(item.size);
        Some(item)
    }

    /// Removes the packet at a place, counted from 0, and returns it.
    pub fn remove(&mut self, place: usize) -> Option<Item> {
        let item = self.items.remove(place)?;
        self.bytes -= u64::from(item.size);
        Some(item)
    }

    /// Whether the queue is longer than the limit allows.
    pub fn exceeds(&self) -> bool {
        self.limit.exceeded_by(self.len() as u64, self.bytes)
    }

    /// The packet at a place, counted from 0.
    pub fn at(&self, place: usize) -> Option<&Item> {
        self.items.get(place)
    }

    /// The first packet.
    #[inline]
    pub fn first(&self) -> Option<&Item> {
        self.items.front()
    }

    /// Number of packets.
    #[inline]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether the queue is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Total size of the packets, bytes.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Number of packets and of bytes.
    #[inline]
    pub fn backlog(&self) -> (u64, u64) {
        (self.len() as u64, self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_fit_up_to_the_last_byte_and_removal_frees_their_bytes() {
        let item = |size| Item { size, ..Item::default() };
        let mut queue = Fifo::new(Limit::Bytes(150));
        queue.push(item(100));
        assert!(queue.fits(50) && !queue.fits(51));
        queue.push(item(50));
        assert_eq!((queue.backlog(), queue.first().unwrap().size), ((2, 150), 100));
        assert_eq!((queue.pop().unwrap().size, queue.bytes()), (100, 50));
        queue.push(item(70));
        assert_eq!((queue.pop_last().unwrap().size, queue.backlog()), (70, (1, 50)));
        queue.push(item(100));
        assert!(!queue.exceeds());
        queue.push(item(1));
        assert!(queue.exceeds());
        assert_eq!((queue.remove(1).unwrap().size, queue.backlog()), (100, (2, 51)));
        assert_eq!(queue.remove(2), None);
        assert!(Fifo::new(Limit::Unlimited).fits(u32::MAX));
        let mut queue = Fifo::new(Limit::Packets(1));
        assert!(queue.fits(u32::MAX) && queue.is_empty());
        queue.push(item(1));
        assert!(!queue.fits(1));
    }
}
