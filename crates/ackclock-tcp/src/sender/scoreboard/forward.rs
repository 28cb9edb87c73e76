//! Loss detection by forward acknowledgment, as in ns-2's TCP/Linux (tcp/scoreboard1.cc): a segment is lost if segments far
//! enough above it are SACKed, and a retransmission if data after it, or a much later retransmission, has arrived.

use std::collections::{BTreeMap, VecDeque};

use super::Scoreboard;

/// A retransmission that may still arrive.
#[derive(Clone, Copy, Debug)]
struct Sent {
    /// Stream offset of its segment.
    start: u64,
    /// Its number, in the order of transmission, and SND.NXT at that time.
    number: u64,
    nxt: u64,
}

/// The retransmissions.
#[derive(Clone, Default, Debug)]
pub struct Forward {
    /// Numbers of the latest retransmissions that have neither arrived nor been lost, by stream offset.
    open: BTreeMap<u64, u64>,
    /// Retransmissions in the order of transmission. One that is not in `open` with its number is over.
    sent: VecDeque<Sent>,
    next: u64,
    /// Number of a retransmission that has arrived, usually of the last one.
    arrived: Option<u64>,
}

impl Forward {
    /// Records a retransmission of the segment at `start`.
    pub fn on_retransmit(&mut self, start: u64, nxt: u64) {
        self.open.insert(start, self.next);
        self.sent.push_back(Sent { start, number: self.next, nxt });
        self.next += 1;
    }

    /// Takes the retransmissions below `una` as arrived.
    fn acknowledge(&mut self, una: u64) {
        while let Some(first) = self.open.first_entry().filter(|first| *first.key() < una) {
            self.arrived = self.arrived.max(Some(first.remove()));
        }
    }

    /// Takes those of the segments in `sacked` that were retransmitted as arrived, and returns their offsets and numbers,
    /// ascending by offset. Each is the one that arrived last for the offsets above it.
    fn arrive(&mut self, mut sacked: Vec<u64>) -> Vec<(u64, u64)> {
        sacked.sort_unstable();
        sacked.into_iter().filter_map(|start| Some((start, self.open.remove(&start)?))).collect()
    }

    /// Whether a retransmission has neither arrived nor been lost.
    fn is_open(&self, sent: &Sent) -> bool {
        self.open.get(&sent.start) == Some(&sent.number)
    }
}

impl Scoreboard {
    /// Marks as lost what is more than `beyond` segments of `mss` bytes below the highest SACKed segment, and the
    /// retransmissions that are followed by data or by more than `beyond` retransmissions that have arrived. Returns the
    /// bytes newly marked.
    pub fn mark_lost_forward(&mut self, forward: &mut Forward, beyond: u64, mss: u64) -> u64 {
        forward.acknowledge(self.entries.front().map_or(u64::MAX, |entry| entry.start));
        let above = self.entries.partition_point(|entry| entry.start < self.high_sacked);
        let Some(highest) = above.checked_sub(1).map(|index| self.entries[index].start) else { return 0 };
        let from = self.entries.partition_point(|entry| entry.start < self.examined);
        let to = self.entries.partition_point(|entry| entry.start + beyond * mss <= highest);
        let mut lost = 0;
        if from < to {
            self.examined = self.entries[to - 1].end();
            lost += self.mark(from, to);
        }
        let before = forward.arrived;
        let sacked = self.resent.as_mut().map(|resent| std::mem::take(&mut **resent)).unwrap_or_default();
        let arrivals = forward.arrive(sacked);
        let latest = arrivals.iter().map(|(_, number)| Some(*number)).max().flatten().max(before);
        // A segment below an arrival has been examined already, so that it is lost with the next acknowledgment only.
        let arrived = |start: u64| {
            let below = arrivals.partition_point(|(arrival, _)| *arrival < start);
            below.checked_sub(1).map_or(before, |index| Some(arrivals[index].1))
        };
        let overtakes =
            |arrived: Option<u64>, sent: &Sent| arrived.is_some_and(|arrived| sent.number + beyond < arrived);
        // Numbers and SND.NXT ascend, so that what may be lost comes first.
        let mut kept = Vec::new();
        while let Some(sent) = forward.sent.front().copied() {
            let is_open = forward.is_open(&sent);
            if is_open && sent.nxt > highest && !overtakes(latest, &sent) {
                break;
            }
            forward.sent.pop_front();
            if !is_open {
                continue;
            }
            if sent.nxt <= highest || overtakes(arrived(sent.start), &sent) {
                forward.open.remove(&sent.start);
                let index = self.entries.partition_point(|entry| entry.end() <= sent.start);
                lost += self.lose_retransmission(index);
            } else {
                kept.push(sent);
            }
        }
        for sent in kept.into_iter().rev() {
            forward.sent.push_front(sent);
        }
        forward.arrived = arrivals.last().map_or(before, |(_, number)| Some(*number));
        lost
    }

    /// A scoreboard that takes note of each segment that was sent more than once and is SACKed, for
    /// [`Scoreboard::mark_lost_forward`].
    pub fn that_notes_resent() -> Scoreboard {
        Scoreboard { resent: Some(Box::default()), ..Scoreboard::default() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Delivered, flag};
    use super::*;

    const MSS: u64 = 1000;

    /// The losses that are found if each retransmission is looked at with each acknowledgment, as the original does.
    #[derive(Default)]
    struct Naive {
        sent: BTreeMap<u64, (u64, u64)>,
        next: u64,
        arrived: Option<u64>,
    }

    impl Naive {
        fn on_retransmit(&mut self, start: u64, nxt: u64) {
            self.sent.insert(start, (self.next, nxt));
            self.next += 1;
        }

        fn lost(&mut self, board: &Scoreboard, beyond: u64) -> Vec<u64> {
            let una = board.entries.front().map_or(u64::MAX, |entry| entry.start);
            let above = self.sent.split_off(&una);
            for (number, _) in std::mem::replace(&mut self.sent, above).into_values() {
                self.arrived = self.arrived.max(Some(number));
            }
            let sacked = board.entries.iter().rev().find(|entry| entry.is(flag::SACKED));
            let Some(highest) = sacked.map(|entry| entry.start) else { return Vec::new() };
            let mut lost = Vec::new();
            self.sent.retain(|&start, &mut (number, nxt)| {
                if board.entries.iter().any(|entry| entry.start == start && entry.is(flag::SACKED)) {
                    self.arrived = Some(number);
                    return false;
                }
                let over = nxt <= highest || self.arrived.is_some_and(|arrived| number + beyond < arrived);
                lost.extend(over.then_some(start / MSS));
                !over
            });
            lost
        }
    }

    proptest! {
        /// Arrivals in any order, each followed by the retransmissions that a window allows.
        #[test]
        fn nothing_else_is_lost_than_if_each_retransmission_were_looked_at(
            arrivals in proptest::collection::vec((0..60_u64, 0..4_usize, 0..3_u64), 1..120),
            beyond in 1..5_u64,
        ) {
            let mut board = Scoreboard::that_notes_resent();
            let (mut forward, mut naive) = (Forward::default(), Naive::default());
            let mut nxt = 40;
            for number in 0..nxt {
                board.push(number * MSS, MSS as u32, number);
            }
            for (number, resends, new) in arrivals {
                if number >= nxt {
                    continue;
                }
                sack(&mut board, number);
                let before: Vec<_> = board.entries.iter().map(|entry| entry.flags).collect();
                let given_up = naive.lost(&board, beyond);
                board.mark_lost_forward(&mut forward, beyond, MSS);
                let changed: Vec<_> = (0..board.entries.len())
                    .filter(|index| before[*index] & !board.entries[*index].flags & flag::RETRANSMITTED != 0)
                    .map(|index| board.entries[index].start / MSS)
                    .collect();
                prop_assert_eq!(changed, given_up);
                for _ in 0..resends {
                    let Some((start, _)) = board.next_lost() else { break };
                    board.on_retransmit(start, 100);
                    forward.on_retransmit(start, nxt * MSS);
                    naive.on_retransmit(start, nxt * MSS);
                }
                for _ in 0..new {
                    board.push(nxt * MSS, MSS as u32, nxt);
                    nxt += 1;
                }
            }
        }
    }

    fn sack(board: &mut Scoreboard, number: u64) {
        board.sack(number * MSS, (number + 1) * MSS, &mut Delivered::default(), |_| {});
    }

    /// Segments 0 to 29 in flight, of which some are SACKed.
    fn board(sacked: &[u64]) -> Scoreboard {
        let mut board = Scoreboard::that_notes_resent();
        for number in 0..30 {
            board.push(number * MSS, MSS as u32, number);
        }
        for &number in sacked {
            sack(&mut board, number);
        }
        board
    }

    fn lost(board: &mut Scoreboard) -> Vec<u64> {
        let mut found = Vec::new();
        while let Some((start, _)) = board.next_lost() {
            found.push(start / MSS);
            board.on_retransmit(start, 100);
        }
        found
    }

    #[test]
    fn segments_are_lost_four_below_the_highest_sacked_however_many_arrived_between() {
        let mut board = board(&[9]);
        assert_eq!(board.mark_lost_forward(&mut Forward::default(), 4, MSS), 6 * MSS);
        assert_eq!(lost(&mut board), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_retransmission_is_lost_once_data_after_it_has_arrived() {
        let mut board = board(&[9]);
        let mut forward = Forward::default();
        board.mark_lost_forward(&mut forward, 4, MSS);
        for number in lost(&mut board) {
            forward.on_retransmit(number * MSS, 12 * MSS);
        }
        sack(&mut board, 11);
        board.mark_lost_forward(&mut forward, 4, MSS);
        assert_eq!(lost(&mut board), [6, 7], "segment 11 was sent before");
        sack(&mut board, 12);
        board.mark_lost_forward(&mut forward, 4, MSS);
        assert_eq!(lost(&mut board), [0, 1, 2, 3, 4, 5, 8], "6 and 7 are not in the record");
    }

    #[test]
    fn a_retransmission_is_lost_once_the_fifth_after_it_has_arrived_with_the_next_acknowledgment() {
        let mut board = board(&[19]);
        let mut forward = Forward::default();
        board.mark_lost_forward(&mut forward, 4, MSS);
        for number in lost(&mut board) {
            forward.on_retransmit(number * MSS, 30 * MSS);
        }
        for (arrives, expected) in [(4, vec![]), (5, vec![]), (6, vec![0]), (7, vec![1])] {
            sack(&mut board, arrives);
            board.mark_lost_forward(&mut forward, 4, MSS);
            assert_eq!(lost(&mut board), expected, "{arrives}");
        }
    }
}
