//! A first-in, first-out queue before a wire; the start of each packet's service is known when the packet arrives.

use ackclock_core::Ring;

use crate::{Limit, Nanos};

#[derive(Clone, Copy, Debug)]
struct Waiting {
    start: Nanos,
    size: u32,
}

/// A queue of packets, each with the time at which its service starts.
#[derive(Clone, Debug)]
pub struct Backlog {
    limit: Limit,
    waiting: Ring<Waiting>,
    bytes: u64,
    /// Size in bytes of the packet that started last.
    in_service: u32,
}

impl Backlog {
    /// An empty queue.
    pub fn new(limit: Limit) -> Backlog {
        Backlog { limit, waiting: Ring::default(), bytes: 0, in_service: 0 }
    }

    /// Limit of the queue.
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// Whether the queue has room for a packet of `size` bytes that arrives at `at` and has to wait. A packet whose
    /// service starts at `at` frees its room first.
    #[inline]
    pub fn admits(&mut self, at: Nanos, size: u32) -> bool {
        self.advance(at);
        self.limit.fits(self.waiting.len() as u64, self.bytes, size)
    }

    /// Queues an admitted packet whose service starts at `start`.
    #[inline]
    pub fn push(&mut self, start: Nanos, size: u32) {
        self.waiting.push_back(Waiting { start, size });
        self.bytes += u64::from(size);
    }

    /// Records a packet that went onto the idle wire without waiting.
    #[inline]
    pub fn pass(&mut self, size: u32) {
        self.waiting.clear();
        self.bytes = 0;
        self.in_service = size;
    }

    /// Removes the packets whose service has started by `at`.
    #[inline]
    pub fn advance(&mut self, at: Nanos) {
        while let Some(first) = self.waiting.front()
            && first.start <= at
        {
            self.bytes -= u64::from(first.size);
            self.in_service = first.size;
            self.waiting.pop_front();
        }
    }

    /// Number of packets and of bytes in the queue, as of the last [`Backlog::advance`].
    pub fn total(&self) -> (u64, u64) {
        (self.waiting.len() as u64, self.bytes)
    }

    /// Size in bytes of the packet that started last, as of the last [`Backlog::advance`].
    pub fn in_service(&self) -> u32 {
        self.in_service
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_that_starts_now_makes_room() {
        let mut queue = Backlog::new(Limit::Packets(1));
        assert!(queue.admits(0, 100));
        queue.push(10, 100);
        assert!(!queue.admits(9, 100));
        assert!(queue.admits(10, 100));
        assert_eq!(queue.total(), (0, 0));
        assert_eq!(queue.in_service(), 100);
    }

    #[test]
    fn packets_fit_up_to_the_last_byte() {
        let mut queue = Backlog::new(Limit::Bytes(150));
        queue.push(10, 100);
        assert!(queue.admits(0, 50));
        assert!(!queue.admits(0, 51));
        assert!(Backlog::new(Limit::Unlimited).admits(0, u32::MAX));
        assert!(!Backlog::new(Limit::Packets(0)).admits(0, 1));
    }
}
