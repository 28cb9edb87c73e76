//! Queues for disciplines that keep one for each flow or for each bucket of flows.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use super::{Fifo, Limit};

/// The queue of a flow, with the discipline's state for the flow.
pub struct Flow<S> {
    key: u64,
    /// Packets of the flow.
    pub items: Fifo,
    /// State that the discipline keeps for the flow.
    pub state: S,
}

/// Flows by their keys. Each flow has an index while it is in the table; indices are reused.
pub struct Flows<S> {
    numbers: BTreeMap<u64, usize>,
    flows: Vec<Flow<S>>,
    free: Vec<usize>,
}

impl<S> Flows<S> {
    /// An empty table.
    pub fn new() -> Flows<S> {
        Flows { numbers: BTreeMap::new(), flows: Vec::new(), free: Vec::new() }
    }

    /// Number of flows in the table.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Index of the flow with a key, if it is in the table.
    pub fn find(&self, key: u64) -> Option<usize> {
        self.numbers.get(&key).copied()
    }

    /// Adds a flow with a key and an empty queue, and returns its index.
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

    /// Removes a flow whose queue is empty.
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

/// Bucket of a flow, 0 to `buckets` - 1. The `key` determines which flows share a bucket.
pub fn bucket(flow: u64, key: u64, buckets: u64) -> u64 {
    mixed(flow ^ key) % buckets
}

/// The finaliser of SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
pub fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
