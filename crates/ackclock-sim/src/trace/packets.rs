//! Numbers of packets by the bytes of the stream that they carry, for logs in which packets are acknowledged by number.

use std::collections::BTreeMap;

use ackclock_tcp::Segment;

/// Relative sequence numbers of a direction, 64 bits wide.
#[derive(Clone, Copy, Default, Debug)]
pub struct Offsets {
    /// The last sequence number with its relative number.
    last: Option<(u32, u64)>,
}

impl Offsets {
    /// Returns the relative number of a sequence number that a segment has; that of the first segment is `first`. Sequence
    /// numbers wrap; relative numbers do not.
    pub fn relative(&mut self, seq: u32, first: u64) -> u64 {
        let relative = self.peek(seq).unwrap_or(first);
        self.last = Some((seq, relative));
        relative
    }

    /// Returns the relative number of a sequence number that is acknowledged; `None` before the first segment.
    pub fn peek(self, seq: u32) -> Option<u64> {
        let (last, relative) = self.last?;
        Some(relative.saturating_add_signed(i64::from(seq.wrapping_sub(last) as i32)))
    }
}

/// The packets of a direction that were not acknowledged, by the relative sequence number of their first byte.
#[derive(Clone, Default, Debug)]
pub struct Packets {
    /// End and number of each packet.
    waiting: BTreeMap<u64, (u64, u64)>,
    count: u64,
}

impl Packets {
    /// Returns the number of the next packet, which has the sequence numbers from `start` up to `end`. Numbers begin with
    /// one. A packet with bytes that another had takes its place.
    pub fn add(&mut self, start: u64, end: u64) -> u64 {
        self.count += 1;
        if end > start {
            self.waiting.insert(start, (end, self.count));
        }
        self.count
    }

    /// Returns the number of the packet that starts at a sequence number.
    pub fn starting_at(&self, start: u64) -> Option<u64> {
        self.waiting.get(&start).map(|(_, number)| *number)
    }

    /// Removes the packets that an acknowledgment covers: everything before `ack`, and the blocks. Returns ranges of their
    /// numbers, both ends included, in ascending order.
    pub fn acknowledge(&mut self, ack: u64, blocks: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let mut numbers = Vec::new();
        while let Some(entry) = self.waiting.first_entry()
            && entry.get().0 <= ack
        {
            numbers.push(entry.remove().1);
        }
        for &(left, right) in blocks.iter().filter(|(left, right)| left < right) {
            let within = self.waiting.range(left..right).filter(|(_, (end, _))| *end <= right);
            let starts: Vec<_> = within.map(|(start, _)| *start).collect();
            numbers.extend(starts.iter().filter_map(|start| self.waiting.remove(start)).map(|(_, number)| number));
        }
        numbers.sort_unstable();
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for number in numbers {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == number => *last = number,
                _ => ranges.push((number, number)),
            }
        }
        ranges
    }

    /// Forgets all packets, but not their number.
    pub fn clear(&mut self) {
        self.waiting.clear();
    }
}

/// Returns the number of sequence numbers that a segment takes: its payload, SYN and FIN.
pub fn sequence_len(segment: &Segment) -> u64 {
    use ackclock_tcp::Flags;
    u64::from(segment.len) + u64::from(segment.flags.has(Flags::SYN)) + u64::from(segment.flags.has(Flags::FIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_do_not_wrap() {
        let mut offsets = Offsets::default();
        assert_eq!(offsets.peek(7), None);
        let first = u32::MAX - 1;
        assert_eq!([first, u32::MAX, 1, u32::MAX].map(|seq| offsets.relative(seq, 0)), [0, 1, 3, 1]);
        for step in 1..=5u64 {
            let distance = step << 30;
            assert_eq!(offsets.relative(first.wrapping_add(distance as u32), 0), distance, "beyond 4 GiB");
        }
        assert_eq!(Offsets::default().relative(7, 1), 1, "without a SYN");
        assert_eq!(offsets.peek(first.wrapping_add(1)), Some((5 << 30) - (1 << 30) + 1), "the nearest");
    }

    #[test]
    fn packets_are_acknowledged_once_in_ranges_of_their_numbers() {
        let mut packets = Packets::default();
        let numbers = [(0, 10), (10, 20), (20, 30), (30, 30), (30, 40)].map(|(start, end)| packets.add(start, end));
        assert_eq!(numbers, [1, 2, 3, 4, 5]);
        assert_eq!(packets.acknowledge(5, &[]), []);
        assert_eq!(packets.acknowledge(10, &[(20, 25), (30, 40)]), [(1, 1), (5, 5)], "a part does not count");
        // The second packet is retransmitted.
        assert_eq!((packets.add(10, 20), packets.starting_at(10), packets.starting_at(0)), (6, Some(6), None));
        assert_eq!(packets.acknowledge(40, &[]), [(3, 3), (6, 6)]);
        assert_eq!(packets.acknowledge(40, &[(0, 40)]), []);
    }
}
