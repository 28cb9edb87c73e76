//! The event queue: it holds the next event of each source and finds the earliest in constant time.
//!
//! A source is a pipe, an endpoint's timer or an application. Each source has at most one pending event, because a
//! pipe's packets arrive in order and a timer has one expiry. The queue is therefore not a heap of events but the
//! minimum over sources whose keys change in place. This structure is a tournament: a binary tree whose leaves are the
//! sources and whose nodes hold the earlier of two keys. An update is one pass from a leaf towards the root, and a
//! timer that moves leaves no stale entry behind. Of a few sources, all keys are looked at, which takes less.

use std::hint;

use ackclock_core::{NEVER, Nanos};

const SOURCE_BITS: u32 = 24;
const CREATION_BITS: u32 = 44;

/// Last time that an event can have, in ns: about 36 years. Later events never happen.
pub const LAST: Nanos = (1 << (128 - SOURCE_BITS - CREATION_BITS)) - 2;

/// Maximum number of sources of a queue.
pub const MAX_SOURCES: usize = 1 << SOURCE_BITS;

/// The time of a source's next event, and its place among the events of that time: by the time of their creation, then
/// by the source.
///
/// This order depends on the events alone, and not on how a run's parts take turns, so that a run has the same results on
/// any number of threads. The key is one number of 128 bits, with the time above the time of creation (its low 44 bits,
/// which cover 4.9 hours) above the source, so one comparison orders two events. It is stored in halves, so that it fits
/// next to 64-bit words without padding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Key {
    high: u64,
    low: u64,
}

impl Key {
    /// A key after every event, which means that no event is pending.
    pub const NEVER: Key = Key { high: u64::MAX, low: u64::MAX };

    #[inline]
    fn new(number: u128) -> Key {
        Key { high: (number >> 64) as u64, low: number as u64 }
    }

    #[inline]
    fn number(self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }

    /// Returns the time.
    #[inline]
    pub fn time(self) -> Nanos {
        (self.number() >> (SOURCE_BITS + CREATION_BITS)) as Nanos
    }

    /// Returns the source.
    #[inline]
    pub fn source(self) -> u32 {
        self.low as u32 & ((1 << SOURCE_BITS) - 1)
    }

    /// Returns the same key for another source.
    #[inline]
    pub fn of(self, source: u32) -> Key {
        Key { low: self.low >> SOURCE_BITS << SOURCE_BITS | u64::from(source), ..self }
    }

    /// Returns the earlier of two keys, without a branch: the winner of a match is nearly random, and a branch that is
    /// mispredicted half the time costs more than the rest of the match. Two events rarely have the same time.
    #[inline]
    fn earlier(self, other: Key, ranks: &[u32]) -> Key {
        if self.high == other.high {
            return self.created_first(other, ranks);
        }
        let wins = self.high < other.high;
        Key {
            high: hint::select_unpredictable(wins, self.high, other.high),
            low: hint::select_unpredictable(wins, self.low, other.low),
        }
    }

    #[cold]
    #[inline(never)]
    fn created_first(self, other: Key, ranks: &[u32]) -> Key {
        let place = |key: Key| {
            let source = key.source();
            (key.low >> SOURCE_BITS, ranks.get(source as usize).copied().unwrap_or(source), source)
        };
        if place(self) < place(other) { self } else { other }
    }
}

/// Largest number of participants of which all keys are looked at, four at a time.
const FEW: usize = 8;

/// A tournament: node `n` holds the earlier key of nodes `2n` and `2n + 1`; the root is node 1, and the leaves are the
/// upper half.
#[derive(Clone, Debug)]
struct Tournament {
    /// Rivals are adjacent: node `n` is `matches[n / 2][n % 2]`, and node 0 is not used.
    matches: Vec<[Key; 2]>,
    /// The ranks of the first sources, which stand for their numbers where two keys are equal otherwise.
    ranks: Vec<u32>,
}

impl Tournament {
    fn new(leaves: usize) -> Tournament {
        Tournament { matches: vec![[Key::NEVER; 2]; leaves.next_power_of_two()], ranks: Vec::new() }
    }

    /// Returns the number of leaves. It equals the number of matches, of which one is not played because node 0 is not
    /// used.
    fn leaves(&self) -> usize {
        self.matches.len()
    }

    fn grown(&self, leaves: usize) -> Tournament {
        let mut grown = Tournament::new(leaves);
        let (old, new) = (self.leaves(), grown.leaves());
        let keys = self.matches.as_flattened();
        grown.matches.as_flattened_mut()[new..new + old].copy_from_slice(&keys[old..]);
        for node in (1..new).rev() {
            let [left, right] = grown.matches[node];
            grown.matches[node / 2][node % 2] = left.earlier(right, &grown.ranks);
        }
        grown
    }

    #[inline]
    fn first(&self) -> Key {
        self.matches[0][1]
    }

    /// Returns the keys of the leaves.
    fn keys(&self) -> impl Iterator<Item = Key> {
        self.matches.as_flattened()[self.leaves()..].iter().copied()
    }

    #[inline]
    fn set(&mut self, leaf: usize, key: Key) {
        let mut node = self.leaves() + leaf;
        let mut winner = key;
        loop {
            let pair = &mut self.matches[node / 2];
            // If a node keeps its key, so do all nodes above it.
            if pair[node % 2] == winner {
                break;
            }
            pair[node % 2] = winner;
            if node == 1 {
                break;
            }
            winner = winner.earlier(pair[1 - node % 2], &self.ranks);
            node /= 2;
        }
    }

    /// Like [`Tournament::set`], for the leaf that has won all its matches.
    #[inline]
    fn set_first(&mut self, leaf: usize, key: Key) {
        let mut node = self.leaves() + leaf;
        let mut winner = key;
        while node > 1 {
            let pair = &mut self.matches[node / 2];
            pair[node % 2] = winner;
            winner = winner.earlier(pair[1 - node % 2], &self.ranks);
            node /= 2;
        }
        self.matches[0][1] = winner;
    }
}

/// The pending events of all sources.
///
/// The few sources with most of the events have a tournament of their own, whose other participant is the winner of all
/// other sources. With thousands of sources this saves most of the matches.
#[derive(Clone, Debug)]
pub struct EventQueue {
    /// The earliest event.
    first: Key,
    /// The keys of the first `busy` sources, followed by that of the winner of the others, if these are at most [`FEW`]. A source
    /// that stands for others has the key of the other source.
    few: [Key; FEW],
    /// Number of sources in `few`, without the winner of the others; 0 where there are none or too many.
    alone: u32,
    /// Whether there are few participants.
    is_small: bool,
    /// The tournament of the same participants otherwise.
    near: Tournament,
    far: Tournament,
    busy: u32,
    now: Nanos,
}

impl EventQueue {
    /// Creates a queue with room for `sources` and without events. The first `busy` sources are expected to have most
    /// events.
    pub fn new(busy: u32, sources: usize) -> EventQueue {
        let far = Tournament::new(sources.saturating_sub(busy as usize));
        let participants = busy as usize + 1;
        let is_small = participants <= FEW;
        let (alone, many) = if is_small { (busy, 1) } else { (0, participants) };
        let near = Tournament { ranks: (0..busy).collect(), ..Tournament::new(many) };
        EventQueue { first: Key::NEVER, few: [Key::NEVER; FEW], alone, is_small, near, far, busy, now: 0 }
    }

    /// Makes room for `sources` in total and keeps the pending events.
    ///
    /// # Panics
    /// If `sources` is above [`MAX_SOURCES`].
    #[inline]
    pub fn reserve(&mut self, sources: usize) {
        if sources > self.busy as usize + self.far.leaves() {
            assert!(sources <= MAX_SOURCES, "a run has at most 2^24 links, flows and open endpoints");
            self.far = self.far.grown(sources - self.busy as usize);
        }
    }

    /// Sets the present, in which events are created.
    #[inline]
    pub fn advance(&mut self, now: Nanos) {
        self.now = now;
    }

    /// Returns the key of an event of `source` at `at` that is created now; [`Key::NEVER`] if `at` is after [`LAST`].
    #[inline]
    pub fn stamp(&self, at: Nanos, source: u32) -> Key {
        if at > LAST {
            return Key::NEVER;
        }
        let created = self.now & ((1 << CREATION_BITS) - 1);
        Key::new(
            u128::from(at) << (SOURCE_BITS + CREATION_BITS) | u128::from(created << SOURCE_BITS | u64::from(source)),
        )
    }

    /// Returns the earliest event, or [`Key::NEVER`] if there is none. The event stays until a new event of its source
    /// is set.
    #[inline]
    pub fn first(&self) -> Key {
        self.first
    }

    /// Returns the earliest of the times of all events plus what `after` has for their sources; `NEVER` without events.
    pub fn earliest_after(&self, after: &[Nanos]) -> Nanos {
        let few = self.few.iter().copied().take(self.alone as usize);
        let near = few.chain(self.near.keys()).take(self.busy as usize);
        let keys = near.chain(self.far.keys()).zip(after).filter(|(key, _)| *key != Key::NEVER);
        keys.map(|(key, after)| key.time().saturating_add(*after)).min().unwrap_or(NEVER)
    }

    /// Sets the key of a participant, of which there are few.
    #[inline(always)]
    fn set_among_few(&mut self, place: usize, key: Key) {
        self.few[place] = key;
        let [a, b, c, d, e, f, g, h] = self.few;
        let (mut first, mut winner) = least((a, 0), [(b, 1), (c, 2), (d, 3)]);
        if self.busy > 3 {
            (first, winner) = least((first, winner), [(e, 4), (f, 5), (g, 6)]);
            (first, winner) = least((first, winner), [(h, 7)]);
        }
        let is_own = winner >= self.busy || first == Key::NEVER;
        self.first = if is_own { first } else { first.of(winner) };
    }

    /// Sets the next event of `source`, which replaces the previous one.
    #[inline]
    pub fn set(&mut self, source: u32, key: Key) {
        if source >= self.busy {
            self.set_far(source, key);
        } else if self.is_small {
            self.set_among_few(source as usize, key);
        } else {
            self.near.set(source as usize, key);
            self.first = self.near.first();
        }
    }

    #[inline(never)]
    fn set_far(&mut self, source: u32, key: Key) {
        let before = self.far.first();
        self.far.set((source - self.busy) as usize, key);
        let first = self.far.first();
        if first == before {
            return;
        }
        if self.is_small {
            self.set_among_few(self.busy as usize, first);
        } else {
            self.near.set(self.busy as usize, first);
            self.first = self.near.first();
        }
    }

    /// Sets the next event of a source that stands for others: the source of the key is the other source, by which the
    /// event is ordered among those of the same time and the same time of creation. Sources that are not busy stand for
    /// themselves.
    #[inline]
    pub fn set_for(&mut self, source: u32, key: Key) {
        if source < self.alone {
            return self.set_among_few(source as usize, key);
        }
        self.set_for_among_many(source, key);
    }

    #[inline(never)]
    fn set_for_among_many(&mut self, source: u32, key: Key) {
        if source >= self.busy || key == Key::NEVER {
            return self.set(source, key);
        }
        let rank = std::mem::replace(&mut self.near.ranks[source as usize], key.source());
        if rank == key.source() {
            self.near.set(source as usize, key.of(source));
        } else {
            // Another rank may decide other matches, also where the key stays as it is.
            self.near.set_first(source as usize, key.of(source));
        }
        self.first = self.near.first();
    }

    /// Like [`EventQueue::set`], for the source of the earliest event, which has won all its matches.
    #[inline]
    pub fn set_first(&mut self, key: Key) {
        let source = self.first().source();
        if self.is_small {
            return self.set(source, key);
        }
        if source < self.busy {
            self.near.set_first(source as usize, key);
        } else {
            self.far.set_first((source - self.busy) as usize, key);
            self.near.set_first(self.busy as usize, self.far.first());
        }
        self.first = self.near.first();
    }
}

/// Returns the earliest of a key and others, each with its place, of which the first counts among equal keys. There is no branch,
/// as in [`Key::earlier`].
#[inline(always)]
fn least<const N: usize>(first: (Key, u32), others: [(Key, u32); N]) -> (Key, u32) {
    let (mut first, mut winner) = first;
    for (other, place) in others {
        let wins = other.number() < first.number();
        first = Key {
            high: hint::select_unpredictable(wins, other.high, first.high),
            low: hint::select_unpredictable(wins, other.low, first.low),
        };
        winner = hint::select_unpredictable(wins, place, winner);
    }
    (first, winner)
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_times_come_in_the_order_of_creation_and_then_of_sources() {
        let mut queue = EventQueue::new(1, 4);
        for (now, source) in [(3, 2), (4, 0), (5, 3), (5, 1)] {
            queue.advance(now);
            let key = queue.stamp(7, source);
            queue.set(source, key);
        }
        let mut order = Vec::new();
        while queue.first() != Key::NEVER {
            assert_eq!(queue.first().time(), 7);
            order.push(queue.first().source());
            queue.set_first(Key::NEVER);
        }
        assert_eq!(order, [2, 0, 1, 3]);
    }

    #[test]
    fn beyond_the_last_time_is_never() {
        let queue = EventQueue::new(0, 1);
        assert_eq!(queue.stamp(LAST + 1, 0), Key::NEVER);
        assert_eq!(queue.stamp(u64::MAX, 0), Key::NEVER);
        let last = queue.stamp(LAST, 0);
        assert!(last < Key::NEVER);
        assert_eq!(last.time(), LAST);
    }

    /// Sources that stand for others come in the same order, whether all keys are looked at or a tournament is played.
    #[test]
    fn few_and_many_sources_have_the_same_order() {
        let mut random = ackclock_core::Stream::new(1, "events");
        for busy in 1..FEW as u32 {
            let (mut few, mut many) = (EventQueue::new(busy, 60), EventQueue::new(FEW as u32 + 5, 60));
            assert!(few.is_small && !many.is_small);
            let mut now = 0;
            for _ in 0..5_000 {
                let at = now + random.below(4);
                let (near, far) = (random.below(u64::from(busy)) as u32, 40 + random.below(20) as u32);
                let sets = random.below(3);
                let first = few.first();
                if sets == 2 && first != Key::NEVER {
                    now = first.time();
                }
                for queue in [&mut few, &mut many] {
                    queue.advance(now);
                    match sets {
                        0 => {
                            let key = queue.stamp(at.max(now), 20 + far % 10);
                            queue.set_for(near, key);
                        }
                        1 => {
                            let key = queue.stamp(at.max(now), far);
                            queue.set(far, key);
                        }
                        _ => {
                            let source = first.source();
                            if source < busy && at.is_multiple_of(2) {
                                let key = queue.stamp(now + at % 3, 20 + far % 10);
                                queue.set_for(source, key);
                            } else if first != Key::NEVER {
                                queue.set_first(Key::NEVER);
                            }
                        }
                    }
                }
                assert_eq!(few.first(), many.first());
            }
        }
    }

    #[derive(Clone, Debug)]
    enum Operation {
        Set(u32, u64),
        Clear(u32),
        PopAndSet(u64),
        Pop,
        Reserve(usize),
    }

    fn operations() -> impl Strategy<Value = Vec<Operation>> {
        let source = 0_u32..20;
        let delay = prop_oneof![Just(0_u64), 0_u64..5, 0_u64..1_000_000];
        prop::collection::vec(
            prop_oneof![
                4 => (source.clone(), delay.clone()).prop_map(|(source, delay)| Operation::Set(source, delay)),
                1 => source.prop_map(Operation::Clear),
                4 => delay.prop_map(Operation::PopAndSet),
                4 => Just(Operation::Pop),
                1 => (0_usize..100).prop_map(Operation::Reserve),
            ],
            0..400,
        )
    }

    proptest! {
        /// Compares the queue with a heap of (time, creation, source) in which replaced events are skipped.
        #[test]
        fn behaves_as_a_binary_heap(operations in operations(), busy in 0_u32..12) {
            let mut queue = EventQueue::new(busy, 20);
            let mut heap = BinaryHeap::new();
            let mut current = [None; 20];
            let mut now = 0;
            let put = |heap: &mut BinaryHeap<_>, current: &mut [Option<(u64, u64)>; 20], source: u32, now, at| {
                heap.push(Reverse((at, now, source)));
                current[source as usize] = Some((at, now));
            };
            for operation in operations {
                while let Some(Reverse((at, created, source))) = heap.peek()
                    && current[*source as usize] != Some((*at, *created))
                {
                    heap.pop();
                }
                match operation {
                    Operation::Set(source, delay) => {
                        let key = queue.stamp(now + delay, source);
                        queue.set(source, key);
                        put(&mut heap, &mut current, source, now, now + delay);
                    }
                    Operation::Clear(source) => {
                        queue.set(source, Key::NEVER);
                        current[source as usize] = None;
                    }
                    Operation::Reserve(sources) => queue.reserve(sources),
                    Operation::Pop | Operation::PopAndSet(_) => match heap.pop() {
                        None => prop_assert_eq!(queue.first(), Key::NEVER),
                        Some(Reverse((at, _, source))) => {
                            prop_assert_eq!((queue.first().time(), queue.first().source()), (at, source));
                            now = at;
                            queue.advance(now);
                            current[source as usize] = None;
                            if let Operation::PopAndSet(delay) = operation {
                                let key = queue.stamp(now + delay, source);
                                queue.set_first(key);
                                put(&mut heap, &mut current, source, now, now + delay);
                            } else {
                                queue.set_first(Key::NEVER);
                            }
                        }
                    },
                }
            }
        }
    }
}
