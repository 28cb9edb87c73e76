//! Loss detection by forward acknowledgment, as in ns-2's TCP/Linux (tcp/scoreboard1.cc): a segment is lost if segments far
//! enough above it are SACKed, and a retransmission if data after it, or a much later retransmission, has arrived.

use std::collections::BTreeMap;

use super::{Scoreboard, flag};

/// A retransmission that may still arrive.
#[derive(Clone, Copy, Debug)]
struct Sent {
    /// Its number, in the order of transmission, and SND.NXT at that time.
    number: u64,
    nxt: u64,
}

/// The retransmissions.
#[derive(Clone, Default, Debug)]
pub struct Forward {
    /// By stream offset.
    sent: BTreeMap<u64, Sent>,
    next: u64,
    /// Number of a retransmission that has arrived, usually of the last one.
    arrived: Option<u64>,
}

impl Forward {
    /// Records a retransmission of the segment at `start`.
    pub fn on_retransmit(&mut self, start: u64, nxt: u64) {
        self.sent.insert(start, Sent { number: self.next, nxt });
        self.next += 1;
    }
}

impl Scoreboard {
    /// Marks as lost what is more than `beyond` segments of `mss` bytes below the highest SACKed segment, and the
    /// retransmissions that are followed by data or by more than `beyond` retransmissions that have arrived. Returns the
    /// bytes newly marked.
    pub fn mark_lost_forward(&mut self, forward: &mut Forward, beyond: u64, mss: u64) -> u64 {
        let una = self.entries.front().map_or(u64::MAX, |entry| entry.start);
        let above = forward.sent.split_off(&una);
        for acknowledged in std::mem::replace(&mut forward.sent, above).into_values() {
            forward.arrived = forward.arrived.max(Some(acknowledged.number));
        }
        let above = self.entries.partition_point(|entry| entry.start < self.high_sacked);
        let Some(highest) = above.checked_sub(1).map(|index| self.entries[index].start) else { return 0 };
        let from = self.entries.partition_point(|entry| entry.start < self.examined);
        let to = self.entries.partition_point(|entry| entry.start + beyond * mss <= highest);
        let mut lost = 0;
        if from < to {
            self.examined = self.entries[to - 1].end();
            lost += self.mark(from, to);
        }
        let arrived = &mut forward.arrived;
        forward.sent.retain(|&start, sent| {
            let index = self.entries.partition_point(|entry| entry.end() <= start);
            let entry = self.entries[index];
            if entry.is(flag::SACKED) {
                // A segment below has been examined already, so that it is lost with the next acknowledgment only.
                *arrived = Some(sent.number);
                return false;
            }
            let overtaken = arrived.is_some_and(|arrived| sent.number + beyond < arrived);
            if sent.nxt <= highest || overtaken {
                lost += self.lose_retransmission(index);
                return false;
            }
            true
        });
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::super::Delivered;
    use super::*;

    const MSS: u64 = 1000;

    fn sack(board: &mut Scoreboard, number: u64) {
        board.sack(number * MSS, (number + 1) * MSS, &mut Delivered::default(), |_| {});
    }

    /// Segments 0 to 29 in flight, of which some are SACKed.
    fn board(sacked: &[u64]) -> Scoreboard {
        let mut board = Scoreboard::default();
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
