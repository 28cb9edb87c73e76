//! Numbers of streams (RFC 9000, section 2.1) and their priorities.

use std::collections::{BTreeMap, BTreeSet};

use ackclock_transport::{Role, StreamId};

/// Distance between the numbers of two streams of the same kind.
pub(crate) const STEP: StreamId = 4;

/// Bit of the numbers of unidirectional streams.
const UNIDIRECTIONAL: StreamId = 2;

/// Returns the number of the first stream that an end opens.
pub(crate) fn first(role: Role, one_way: bool) -> StreamId {
    u64::from(role == Role::Server) + if one_way { UNIDIRECTIONAL } else { 0 }
}

/// Whether this end opens the stream.
pub(crate) fn is_own(role: Role, stream: StreamId) -> bool {
    stream & 1 == first(role, false)
}

/// Whether both directions of a stream carry bytes.
pub(crate) fn is_bidirectional(stream: StreamId) -> bool {
    stream & UNIDIRECTIONAL == 0
}

/// Whether a stream carries bytes from this end.
pub(crate) fn is_outgoing(role: Role, stream: StreamId) -> bool {
    is_bidirectional(stream) || is_own(role, stream)
}

/// Whether a stream carries bytes to this end.
pub(crate) fn is_incoming(role: Role, stream: StreamId) -> bool {
    is_bidirectional(stream) || !is_own(role, stream)
}

#[derive(Debug)]
struct Rank {
    priority: i32,
    /// The urgency that quiche knows, if it was told one.
    urgency: Option<u8>,
}

/// The priorities of the streams that this end sends and whose bytes the peer has not acknowledged.
///
/// quiche has 256 urgencies, of which the lowest leaves first. Only the order of streams matters, so that the highest
/// priority in use has the urgency 0 and each lower one the next. With more than 256 different priorities at once, the
/// lowest of them share the last urgency.
#[derive(Default, Debug)]
pub(crate) struct Priorities {
    ranks: BTreeMap<StreamId, Rank>,
    /// Whether an urgency may be another one than quiche knows.
    changed: bool,
}

impl Priorities {
    /// Sets the priority of a stream.
    pub(crate) fn set(&mut self, stream: StreamId, priority: i32) {
        self.changed = true;
        self.ranks.entry(stream).or_insert(Rank { priority, urgency: None }).priority = priority;
    }

    /// Whether the stream has a priority.
    pub(crate) fn contains(&self, stream: StreamId) -> bool {
        self.ranks.contains_key(&stream)
    }

    /// Forgets a stream that has ended.
    pub(crate) fn forget(&mut self, stream: StreamId) {
        self.changed |= self.ranks.remove(&stream).is_some();
    }

    /// Returns the streams whose urgency is another one than quiche knows, with the new one.
    pub(crate) fn changes(&mut self) -> Vec<(StreamId, u8)> {
        if !std::mem::take(&mut self.changed) {
            return Vec::new();
        }
        let used: BTreeSet<i32> = self.ranks.values().map(|rank| rank.priority).collect();
        let urgencies: BTreeMap<i32, u8> = used
            .iter()
            .rev()
            .zip((0..=u8::MAX).chain(std::iter::repeat(u8::MAX)))
            .map(|(one, at)| (*one, at))
            .collect();
        let mut found = Vec::new();
        for (stream, rank) in &mut self.ranks {
            let urgency = urgencies.get(&rank.priority).copied();
            if urgency != rank.urgency {
                rank.urgency = urgency;
                found.extend(urgency.map(|urgency| (*stream, urgency)));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_order_of_priorities_counts() {
        let mut priorities = Priorities::default();
        priorities.set(0, 0);
        assert_eq!(priorities.changes(), [(0, 0)]);
        priorities.set(4, 0);
        assert_eq!(priorities.changes(), [(4, 0)], "equal priorities have one urgency");
        priorities.set(8, 1_000_000);
        priorities.set(12, -3);
        assert_eq!(priorities.changes(), [(0, 1), (4, 1), (8, 0), (12, 2)]);
        priorities.set(12, 5);
        assert_eq!(priorities.changes(), [(0, 2), (4, 2), (12, 1)]);
        priorities.forget(8);
        assert_eq!(priorities.changes(), [(0, 1), (4, 1), (12, 0)]);
    }

    #[test]
    fn the_lowest_of_too_many_priorities_share_the_last_urgency() {
        let mut priorities = Priorities::default();
        for stream in 0..300_u16 {
            priorities.set(stream.into(), -i32::from(stream));
        }
        let urgencies: Vec<u8> = priorities.changes().into_iter().map(|(_, urgency)| urgency).collect();
        assert_eq!(urgencies[..3], [0, 1, 2]);
        assert_eq!(urgencies[254..], [vec![254], vec![255; 45]].concat());
    }

    #[test]
    fn numbers_tell_the_opener_and_the_directions() {
        for (stream, by, both) in
            [(0, Role::Client, true), (1, Role::Server, true), (2, Role::Client, false), (7, Role::Server, false)]
        {
            for role in [Role::Client, Role::Server] {
                assert_eq!(is_own(role, stream), role == by, "{stream}");
                assert_eq!(is_outgoing(role, stream), both || role == by, "{stream}");
                assert_eq!(is_incoming(role, stream), both || role != by, "{stream}");
            }
            assert_eq!(first(by, !both), stream % STEP);
        }
    }
}
