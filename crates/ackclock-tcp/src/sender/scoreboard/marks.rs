//! Marks of lost segments, and the segment to send next in a recovery.

use super::{Entry, Scoreboard, flag};

impl Scoreboard {
    /// Marks as lost every segment for which IsLost of RFC 6675 section 4 holds: more than `(dup_thresh - 1) * mss`
    /// bytes, or `dup_thresh` separate ranges, are SACKed above the segment. Returns the bytes newly marked.
    #[inline(never)]
    pub fn mark_lost(&mut self, dup_thresh: u32, mss: u64) -> u64 {
        let top = self.entries.partition_point(|entry| entry.start < self.high_sacked);
        let (mut bytes_above, mut ranges_above, mut in_range) = (0, 0, false);
        let enough = u64::from(dup_thresh - 1) * mss;
        // Both counts only grow downwards: once they suffice, they suffice for all lower segments. Counting from the
        // top reaches that point soon, however long the run of SACKed segments is.
        for index in (0..top).rev() {
            let entry = &self.entries[index];
            let (start, sacked) = (entry.start, entry.is(flag::SACKED));
            if start < self.examined {
                break;
            }
            if sacked {
                bytes_above += u64::from(entry.len);
                ranges_above += u32::from(!in_range);
            }
            in_range = sacked;
            //= https://www.rfc-editor.org/rfc/rfc6675#section-4
            //# The routine returns true when either DupThresh discontiguous SACKed sequences have arrived above
            //# 'SeqNum' or more than (DupThresh - 1) * SMSS bytes
            if bytes_above > enough || ranges_above >= dup_thresh {
                let from = self.entries.partition_point(|entry| entry.start < self.examined);
                self.examined = start;
                return self.mark(from, index);
            }
        }
        0
    }

    /// Marks the first outstanding segment as lost, after three duplicate ACKs.
    pub fn mark_first_lost(&mut self) -> u64 {
        self.next_lost = 0;
        self.mark(0, 1)
    }

    /// Marks everything that was not SACKed as lost and not retransmitted, after a timeout.
    #[inline(never)]
    pub fn mark_all_lost(&mut self) -> u64 {
        for entry in &mut self.entries {
            entry.flags &= !flag::RETRANSMITTED;
        }
        (self.retransmitted, self.segments_retransmitted) = (0, 0);
        self.waiting = self.lost;
        self.next_lost = 0;
        self.mark(0, self.entries.len())
    }

    #[inline(never)]
    pub(super) fn mark(&mut self, from: usize, to: usize) -> u64 {
        let mut marked = 0;
        for entry in self.entries.range_mut(from.min(to)..to) {
            if !entry.is(flag::SACKED | flag::LOST) {
                if !entry.is(flag::RETRANSMITTED) {
                    self.waiting += u64::from(entry.len);
                }
                entry.flags |= flag::LOST;
                marked += u64::from(entry.len);
                self.segments_lost += 1;
            }
        }
        self.lost += marked;
        marked
    }

    /// Whether the first outstanding segment is deemed lost.
    #[inline]
    pub fn first_is_lost(&self) -> bool {
        self.entries.front().is_some_and(|entry| entry.is(flag::LOST))
    }

    /// The lowest segment that is deemed lost and was not retransmitted since: rule 1 of NextSeg (RFC 6675 section 4).
    #[inline(never)]
    pub fn next_lost(&mut self) -> Option<(u64, u32)> {
        if self.waiting == 0 {
            return None;
        }
        let first = self.entries.partition_point(|entry| entry.start < self.next_lost);
        //= https://www.rfc-editor.org/rfc/rfc6675#section-4
        //# the sequence range of one segment of up to SMSS octets starting with S2 MUST be returned
        let found = self
            .entries
            .range(first..self.entries.len())
            .find(|entry| entry.is(flag::LOST) && !entry.is(flag::RETRANSMITTED))?;
        self.next_lost = found.start;
        Some((found.start, found.len))
    }

    /// Whether a segment deemed lost waits for its retransmission.
    pub fn is_waiting(&self) -> bool {
        self.waiting > 0
    }

    /// The segments deemed lost that were not retransmitted since: their offsets and lengths.
    pub fn waiting(&self) -> impl Iterator<Item = (u64, u64)> {
        let waits = |entry: &&Entry| entry.is(flag::LOST) && !entry.is(flag::RETRANSMITTED);
        self.entries.iter().filter(waits).map(|entry| (entry.start, u64::from(entry.len)))
    }

    /// The lowest segment below the highest SACKed one that was neither SACKed nor retransmitted and starts at or above
    /// `high_rxt`: rule 3 of NextSeg.
    pub fn next_unsacked(&self, high_rxt: u64) -> Option<(u64, u32)> {
        let first = self.entries.partition_point(|entry| entry.start < high_rxt);
        self.entries
            .range(first..self.entries.len())
            .take_while(|entry| entry.start < self.high_sacked)
            .find(|entry| !entry.is(flag::SACKED | flag::RETRANSMITTED))
            .map(|entry| (entry.start, entry.len))
    }

    /// The lowest outstanding segment that was not SACKed and starts at or above `from`, retransmitted or not.
    pub fn next_missing(&self, from: u64) -> Option<(u64, u32)> {
        let first = self.entries.partition_point(|entry| entry.start < from);
        let missing = self.entries.range(first..self.entries.len()).find(|entry| !entry.is(flag::SACKED));
        missing.map(|entry| (entry.start, entry.len))
    }

    /// The highest outstanding segment that was not SACKed: rule 4 of NextSeg. Deviation from a SHOULD: `None` if that
    /// segment was retransmitted in this recovery, since its retransmission already keeps the ACK clock going.
    pub fn rescue(&self) -> Option<(u64, u32)> {
        //= https://www.rfc-editor.org/rfc/rfc6675#section-4
        //# one segment of up to SMSS octets that MUST include the highest outstanding unSACKed sequence number SHOULD
        //# be returned
        let last = self.entries.iter().rev().find(|entry| !entry.is(flag::SACKED))?;
        (!last.is(flag::RETRANSMITTED)).then_some((last.start, last.len))
    }

    /// Marks a segment as lost and clears its mark of a retransmission. Returns whether the segment was not SACKed.
    pub(super) fn lose_again(&mut self, index: usize) -> bool {
        let entry = &mut self.entries[index];
        if entry.is(flag::SACKED) {
            return false;
        }
        let bytes = u64::from(entry.len);
        if entry.is(flag::RETRANSMITTED) {
            entry.flags &= !flag::RETRANSMITTED;
            self.retransmitted -= bytes;
            self.segments_retransmitted -= 1;
            self.waiting += if entry.is(flag::LOST) { bytes } else { 0 };
        }
        self.mark(index, index + 1);
        true
    }

    /// Clears all loss marks: delay or reordering was mistaken for loss.
    pub fn unmark_lost(&mut self) {
        for entry in &mut self.entries {
            entry.flags &= !flag::LOST;
        }
        (self.lost, self.segments_lost) = (0, 0);
        self.waiting = 0;
        self.examined = 0;
        self.next_lost = 0;
    }

    /// Forgets all marks, so that everything outstanding counts as sent once and in the network.
    pub fn forget_marks(&mut self) {
        self.forget_sacks();
        for entry in &mut self.entries {
            entry.flags &= !(flag::LOST | flag::RETRANSMITTED);
        }
        (self.lost, self.retransmitted, self.waiting, self.next_lost) = (0, 0, 0, 0);
        (self.segments_lost, self.segments_retransmitted) = (0, 0);
    }
}
