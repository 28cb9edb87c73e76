//! Loss detection by time: a segment is lost if it was sent before a segment that has arrived, and has had long enough
//! to arrive (RACK, RFC 8985 section 6.2).
//!
//! The RFC suggests a list in the order of transmission. Here there are two lists: segments sent once are in that order
//! in the ring itself, and retransmissions are in the order of [`Resent`]. Each list is examined from its oldest
//! segment and only up to the newest segment that has arrived. Segments that were found lost or have arrived are not
//! examined again.

use std::collections::VecDeque;

use super::{Entry, Scoreboard, flag};
use crate::Nanos;

/// Retransmissions in the order of their transmission.
#[derive(Clone, Default, Debug)]
pub struct Resent {
    /// Stream offset and time of each retransmission.
    queue: VecDeque<(u64, Nanos)>,
    /// Stream offset below which every segment sent once is known to have arrived or to be lost.
    settled: u64,
}

impl Resent {
    /// Records a retransmission of the segment at `start`.
    pub fn push(&mut self, start: u64, now: Nanos) {
        self.queue.push_back((start, now));
    }

    /// Records that a segment that was retransmitted at `sent_at` was split, and that its second part begins at `rest`.
    pub fn split(&mut self, sent_at: Nanos, rest: u64) {
        let behind = self.queue.partition_point(|(_, at)| *at <= sent_at);
        self.queue.insert(behind, (rest, sent_at));
    }

    /// Makes the next search examine everything again, because loss marks were cleared.
    pub fn unsettle(&mut self) {
        self.settled = 0;
    }
}

/// Result of looking for losses.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Found {
    /// Bytes newly deemed lost, retransmissions included.
    pub lost: u64,
    /// Whether a retransmission was among the lost segments.
    pub retransmission: bool,
    /// Time at which all segments that are not yet overdue will be overdue; `None` if there are no such segments.
    pub wait_until: Option<Nanos>,
}

impl Found {
    fn wait_for(&mut self, deadline: Nanos) {
        self.wait_until = Some(self.wait_until.map_or(deadline, |until| until.max(deadline)));
    }
}

/// Whether segment `a` was sent after segment `b`, each given as send time and end; on ties the order in the stream
/// decides.
pub fn sent_after(a: (Nanos, u64), b: (Nanos, u64)) -> bool {
    a > b
}

impl Scoreboard {
    /// Marks as lost the segments that were sent before `newest` (time and end of the segment sent last that has
    /// arrived) and at least `allowance` ago.
    pub fn mark_lost_by_time(
        &mut self,
        resent: &mut Resent,
        now: Nanos,
        newest: (Nanos, u64),
        allowance: Nanos,
    ) -> Found {
        let mut found = Found::default();
        self.look_at_first_transmissions(resent, now, newest, allowance, &mut found);
        self.look_at_retransmissions(resent, now, newest, allowance, &mut found);
        found
    }

    fn look_at_first_transmissions(
        &mut self,
        resent: &mut Resent,
        now: Nanos,
        newest: (Nanos, u64),
        allowance: Nanos,
        found: &mut Found,
    ) {
        let first = match self.entries.front() {
            Some(front) if front.start < resent.settled => {
                self.entries.partition_point(|entry| entry.start < resent.settled)
            }
            _ => 0,
        };
        let mut all_settled = true;
        for index in first..self.entries.len() {
            let entry = self.entries[index];
            if !entry.is(flag::SACKED | flag::LOST | flag::AMBIGUOUS) {
                if !sent_after(newest, (entry.sent_at, entry.end())) {
                    break;
                }
                let deadline = entry.sent_at + allowance;
                if deadline > now {
                    found.wait_for(deadline);
                    all_settled = false;
                } else {
                    found.lost += self.mark(index, index + 1);
                    self.next_lost = self.next_lost.min(entry.start);
                }
            }
            if all_settled {
                resent.settled = entry.end();
            }
        }
    }

    fn look_at_retransmissions(
        &mut self,
        resent: &mut Resent,
        now: Nanos,
        newest: (Nanos, u64),
        allowance: Nanos,
        found: &mut Found,
    ) {
        let mut waiting = 0;
        while let Some(&(start, sent_at)) = resent.queue.get(waiting) {
            if let Some(index) = self.in_flight_again(start, sent_at) {
                if sent_at > newest.0 {
                    break;
                }
                let at_once = sent_at == now && allowance == 0;
                if !sent_after(newest, (sent_at, self.entries[index].end())) || at_once {
                    // Retransmissions at the same time are not in the order of the stream. What leaves now follows
                    // what was sent at the same time before, where a script's round trip takes no time.
                    waiting += 1;
                    continue;
                }
                if sent_at + allowance > now {
                    found.wait_for(sent_at + allowance);
                    waiting += 1;
                    continue;
                }
                found.lost += self.lose_retransmission(index);
                found.retransmission = true;
            }
            resent.queue.remove(waiting);
        }
    }

    /// Index of the segment at `start`, if its transmission at `sent_at` is the last one and may still arrive.
    fn in_flight_again(&self, start: u64, sent_at: Nanos) -> Option<usize> {
        let index = self.entries.partition_point(|entry| entry.end() <= start);
        let entry = self.entries.get(index)?;
        let given_up = entry.is(flag::LOST) && !entry.is(flag::RETRANSMITTED);
        (entry.sent_at == sent_at && entry.resent() && !entry.is(flag::SACKED) && !given_up).then_some(index)
    }

    pub(super) fn lose_retransmission(&mut self, index: usize) -> u64 {
        let entry = &mut self.entries[index];
        let (start, bytes) = (entry.start, u64::from(entry.len));
        if entry.is(flag::RETRANSMITTED) {
            entry.flags &= !flag::RETRANSMITTED;
            self.retransmitted -= bytes;
            self.segments_retransmitted -= 1;
            if entry.is(flag::LOST) {
                self.waiting += bytes;
            }
        }
        self.next_lost = self.next_lost.min(start);
        self.mark(index, index + 1);
        bytes
    }

    /// Handles a timeout: marks as lost and not retransmitted the first outstanding segment and every other segment
    /// that was last sent at `sent_by` or before (RFC 8985 section 6.3). Segments sent later keep their marks.
    pub fn mark_timed_out(&mut self, sent_by: Nanos) -> u64 {
        let mut lost = 0;
        for index in 0..self.entries.len() {
            let Entry { sent_at, flags, len, .. } = self.entries[index];
            if flags & flag::SACKED != 0 || (index > 0 && sent_at > sent_by) {
                continue;
            }
            if flags & flag::LOST == 0 || flags & flag::RETRANSMITTED != 0 {
                lost += u64::from(len);
                self.lose_retransmission(index);
            }
        }
        lost
    }
}
