//! Losses found by time: what was sent before a segment that has arrived, and has had long enough to arrive (RACK,
//! RFC 8985 section 6.2).
//!
//! The RFC suggests a list in the order of transmission. Here it is two: what was sent once is in that order in the ring
//! itself, and what was sent again is in the order of [`Resent`]. Each is looked at from its oldest and only as far as
//! what has arrived, and what was found lost or has arrived is not looked at again.

use std::collections::VecDeque;

use super::{Entry, Scoreboard, flag};
use crate::Nanos;

/// What was sent again, in the order in which it was.
#[derive(Clone, Default, Debug)]
pub struct Resent {
    /// Stream offset and time of each retransmission.
    queue: VecDeque<(u64, Nanos)>,
    /// Whatever was sent once below this offset is known to have arrived or to be lost.
    settled: u64,
}

impl Resent {
    /// The segment at `start` is sent again.
    pub fn push(&mut self, start: u64, now: Nanos) {
        self.queue.push_back((start, now));
    }

    /// Losses were forgotten: everything is to be looked at again.
    pub fn unsettle(&mut self) {
        self.settled = 0;
    }
}

/// What the look for losses found.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Found {
    /// Bytes newly deemed lost, retransmissions included.
    pub lost: u64,
    /// Whether a retransmission was among them.
    pub retransmission: bool,
    /// When all that still has time will have had it, where there is such.
    pub wait_until: Option<Nanos>,
}

impl Found {
    fn wait_for(&mut self, deadline: Nanos) {
        self.wait_until = Some(self.wait_until.map_or(deadline, |until| until.max(deadline)));
    }
}

/// Whether the segment `a` was sent after `b`, each as time and end; ties go to the order in the stream.
pub fn sent_after(a: (Nanos, u64), b: (Nanos, u64)) -> bool {
    a > b
}

impl Scoreboard {
    /// Marks as lost what was sent before `newest` (time and end of the segment sent last that has arrived) and not later
    /// than `allowance` ago.
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
                if !sent_after(newest, (sent_at, self.entries[index].end())) {
                    // Of what is sent again at one time, the order is not that of the stream.
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

    /// The segment at `start`, if what was sent of it at `sent_at` is the last that was and may still arrive.
    fn in_flight_again(&self, start: u64, sent_at: Nanos) -> Option<usize> {
        let index = self.entries.partition_point(|entry| entry.end() <= start);
        let entry = self.entries.get(index)?;
        let given_up = entry.is(flag::LOST) && !entry.is(flag::RETRANSMITTED);
        (entry.sent_at == sent_at && entry.resent() && !entry.is(flag::SACKED) && !given_up).then_some(index)
    }

    fn lose_retransmission(&mut self, index: usize) -> u64 {
        let entry = &mut self.entries[index];
        let (start, bytes) = (entry.start, u64::from(entry.len));
        if entry.is(flag::RETRANSMITTED) {
            entry.flags &= !flag::RETRANSMITTED;
            self.retransmitted -= bytes;
            if entry.is(flag::LOST) {
                self.waiting += bytes;
            }
        }
        self.next_lost = self.next_lost.min(start);
        self.mark(index, index + 1);
        bytes
    }

    /// Marks as lost and not retransmitted, at a timeout, the first outstanding segment and every other that was last sent at
    /// `sent_by` or before (RFC 8985 section 6.3). What was sent since keeps its marks.
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
