//! The packets that a receiver misses, and its requests for them (generic NACK), as WebRTC makes them.

use std::collections::BTreeMap;

use ackclock_core::Nanos;

use super::MILLISECOND;

/// Interval at which requests are repeated at least, in ns.
pub(super) const PERIOD: Nanos = 20 * MILLISECOND;

/// A missing packet.
#[derive(Clone, Copy, Debug)]
struct Missing {
    requested: Option<Nanos>,
    requests: u32,
}

/// The missing packets by RTP sequence number.
#[derive(Debug)]
pub(super) struct Repair {
    is_on: bool,
    retries: u32,
    /// One more than the largest sequence number that has arrived.
    end: u64,
    missing: BTreeMap<u64, Missing>,
    /// Packets that were requested, each request counted.
    pub requests: u64,
}

/// Returns the number of words of a request: each names a packet and up to 16 after it (RFC 4585 section 6.2.1).
pub(super) fn blocks(sequences: &[u64]) -> u32 {
    let (mut count, mut upto) = (0, None);
    for &sequence in sequences {
        if upto.is_none_or(|upto| sequence > upto) {
            upto = Some(sequence + 16);
            count += 1;
        }
    }
    count
}

impl Repair {
    pub fn new(is_on: bool, retries: u32) -> Repair {
        Repair { is_on, retries, end: 0, missing: BTreeMap::new(), requests: 0 }
    }

    /// Takes note of a packet that arrives. Packets before it that have not arrived are missing.
    pub fn received(&mut self, sequence: u64) {
        self.missing.remove(&sequence);
        for gap in self.end..sequence {
            self.missing.insert(gap, Missing { requested: None, requests: 0 });
        }
        self.end = self.end.max(sequence + 1);
    }

    /// Takes note of a retransmission that arrives.
    pub fn repaired(&mut self, sequence: u64) {
        self.missing.remove(&sequence);
    }

    /// Forgets the packets before a sequence number, which nobody waits for.
    pub fn forget(&mut self, before: u64) {
        self.missing = self.missing.split_off(&before);
        self.end = self.end.max(before);
    }

    /// Whether a packet is missing that may be requested.
    pub fn is_waiting(&self) -> bool {
        self.is_on && self.missing.values().any(|missing| missing.requests < self.retries)
    }

    /// Returns the packets to request now: those that were not requested within a round-trip time.
    pub fn due_requests(&mut self, now: Nanos, rtt: Nanos) -> Vec<u64> {
        if !self.is_on {
            return Vec::new();
        }
        let mut due = Vec::new();
        for (sequence, missing) in &mut self.missing {
            let is_early = missing.requested.is_some_and(|at| now < at.saturating_add(rtt.max(PERIOD)));
            if missing.requests < self.retries && !is_early {
                (missing.requested, missing.requests) = (Some(now), missing.requests + 1);
                due.push(*sequence);
            }
        }
        self.requests += due.len() as u64;
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_seventeen_packets() {
        assert_eq!(
            [vec![], vec![5], vec![5, 21], vec![5, 22], vec![1, 2, 40, 50]].map(|all| blocks(&all)),
            [0, 1, 1, 2, 2]
        );
    }

    #[test]
    fn gaps_are_requested_once_in_a_round_trip_and_ten_times_at_most() {
        let mut repair = Repair::new(true, 10);
        [0, 1, 4].into_iter().for_each(|sequence| repair.received(sequence));
        assert!(repair.is_waiting());
        assert_eq!(repair.due_requests(0, 100 * MILLISECOND), [2, 3]);
        assert!(repair.due_requests(99 * MILLISECOND, 100 * MILLISECOND).is_empty());
        repair.received(3);
        let times =
            (1..100).filter(|round| !repair.due_requests(round * 100 * MILLISECOND, 100 * MILLISECOND).is_empty());
        assert_eq!((times.count(), repair.requests), (9, 11));
        assert!(!repair.is_waiting());
        [10, 9].into_iter().for_each(|sequence| repair.received(sequence));
        repair.forget(8);
        assert_eq!(repair.due_requests(0, 0), [8]);
    }

    #[test]
    fn without_nack_nothing_is_requested() {
        let mut repair = Repair::new(false, 10);
        [0, 4].into_iter().for_each(|sequence| repair.received(sequence));
        assert_eq!((repair.due_requests(0, 0), repair.is_waiting()), (vec![], false));
    }
}
