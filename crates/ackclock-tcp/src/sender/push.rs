//! Which segments carry PSH, and where records end.

use std::collections::VecDeque;

use super::{Sender, Transmission};
use crate::Push;

/// Ends of what the application wrote, as stream offsets.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(super) struct Marks {
    /// End of the last segment sent with PSH.
    pushed: u64,
    /// Whether nothing but these marks and the end of what was written is a reason for PSH.
    marked_only: bool,
    /// Ends of records that were not acknowledged.
    records: VecDeque<u64>,
    /// Ends of the segments that were sent with PSH and may be sent again.
    sent: VecDeque<u64>,
}

impl Sender {
    /// The application appends `bytes`.
    pub fn write(&mut self, bytes: u64, push: Push) {
        if self.closed {
            return;
        }
        if self.tells_sent {
            self.check_application_limited();
        }
        self.written = self.written.saturating_add(bytes);
        self.small.more = push == Push::More;
        self.small.unmarked = push == Push::More;
        if push == Push::EndOfRecord {
            let una = self.una;
            self.marks.records.retain(|&end| end > una);
            self.marks.records.push_back(self.written);
        }
    }

    /// The application takes back what it wrote and was never sent. After a close there is no way back.
    pub fn withdraw(&mut self) {
        if !self.closed {
            let end = self.nxt;
            self.written = end;
            self.marks.records.retain(|&record| record <= end);
        }
    }

    /// How many of the `len` bytes from `offset` on belong to one record.
    #[inline]
    pub(super) fn within_record(&self, offset: u64, len: u64) -> u64 {
        if self.marks.records.is_empty() {
            return len;
        }
        let end = self.marks.records.iter().find(|&&end| end > offset);
        end.map_or(len, |end| len.min(end - offset))
    }

    /// Whether a segment carries PSH: it ends what was written, or a record, or, as in Linux (net/ipv4/tcp.c, forced_push), the
    /// last one was half of the largest window ago. Sent again, it carries it again; a FIN alone never does.
    #[inline]
    pub fn pushes(&mut self, sent: &Transmission) -> bool {
        if sent.len == 0 {
            // A FIN alone implies a push (RFC 9293 section 3.9.1.2) and needs no flag for it.
            return false;
        }
        let end = sent.offset + u64::from(sent.len);
        if sent.retransmission {
            return self.was_pushed(sent.offset, end);
        }
        let recorded = !self.marks.records.is_empty() && self.marks.records.contains(&end);
        let marked = end == self.written && !self.small.unmarked || recorded;
        let due = end - self.marks.pushed > self.small.largest_window / 2;
        if !marked && (!due || self.marks.marked_only) && !self.small.push_next {
            return false;
        }
        self.mark_pushed(end);
        true
    }

    /// Whether what was sent of `offset..end` carried PSH.
    #[inline(never)]
    fn was_pushed(&self, offset: u64, end: u64) -> bool {
        let after = self.marks.sent.partition_point(|&pushed| pushed <= offset);
        self.marks.sent.get(after).is_some_and(|&pushed| pushed <= end)
    }

    /// PSH goes only where a write or a record ends: whoever writes knows where else the kernel would set it.
    pub fn push_where_marked(&mut self) {
        self.marks.marked_only = true;
    }

    #[inline(never)]
    fn mark_pushed(&mut self, end: u64) {
        let una = self.una;
        while self.marks.sent.front().is_some_and(|&pushed| pushed <= una) {
            self.marks.sent.pop_front();
        }
        self.marks.sent.push_back(end);
        self.marks.pushed = end;
        self.small.push_next = false;
    }
}
