//! Queues of flows, for disciplines that keep one for each or for each of some buckets.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use super::{Fifo, Limit};

/// The queue of a flow, with what the discipline knows of it.
pub struct Flow<S> {
    key: u64,
    /// Its packets.
    pub items: Fifo,
    /// What the discipline knows of it.
    pub state: S,
}

/// Flows by their keys. Each has a number as long as it is known; numbers are used again.
pub struct Flows<S> {
    numbers: BTreeMap<u64, usize>,
    flows: Vec<Flow<S>>,
    free: Vec<usize>,
}

impl<S> Flows<S> {
    /// No flows.
    pub fn new() -> Flows<S> {
        Flows { numbers: BTreeMap::new(), flows: Vec::new(), free: Vec::new() }
    }

    /// How many are known.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The number of the flow of a key, if it is known.
    pub fn find(&self, key: u64) -> Option<usize> {
        self.numbers.get(&key).copied()
    }

    /// Makes the flow of a key known, with an empty queue: its number.
    pub fn add(&mut self, key: u64, state: S) -> usize {
        let number = match self.free.pop() {
            Some(number) => {
                self.flows[number].key = key;
                self.flows[number].state = state;
                number
            }
            None => {
                self.flows.push(Flow { key, items: Fifo::new(Limit::Unlimited), state });
                self.flows.len() - 1
            }
        };
        self.numbers.insert(key, number);
        number
    }

    /// Forgets a flow, whose queue is empty.
    pub fn forget(&mut self, number: usize) {
        debug_assert!(self.flows[number].items.is_empty());
        self.numbers.remove(&self.flows[number].key);
        self.free.push(number);
    }
}

impl<S> Index<usize> for Flows<S> {
    type Output = Flow<S>;

    fn index(&self, number: usize) -> &Flow<S> {
        &self.flows[number]
    }
}

impl<S> IndexMut<usize> for Flows<S> {
    fn index_mut(&mut self, number: usize) -> &mut Flow<S> {
        &mut self.flows[number]
    }
}

/// The bucket of a flow, of so many, for a key that changes which flows share one.
pub fn bucket(flow: u64, key: u64, buckets: u64) -> u64 {
    mixed(flow ^ key) % buckets
}

/// The finaliser of SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
pub fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
