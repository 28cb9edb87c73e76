//! The choice of segments that carry PSH, and the ends of records.

use std::collections::VecDeque;

use ackclock_core::Ring;
use ackclock_core::prefetch::prefetch;

use super::{Sender, Transmission};
use crate::Push;

/// Data that an application is assumed to write at once, bytes, where the scenario does not say: the end of each write is
/// pushed.
const WRITE: u64 = 64 << 10;

/// Ends of the application's writes, as stream offsets.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(super) struct Marks {
    /// End of the last segment sent with PSH.
    pushed: u64,
    /// Whether only these marks and the end of the written data set PSH.
    marked_only: bool,
    /// Ends of records that are not yet acknowledged.
    records: VecDeque<u64>,
    /// Ends of the segments that were sent with PSH and may be retransmitted.
    sent: Ring<u64>,
}

impl Marks {
    /// Brings the segments that were sent with PSH ([`crate::Endpoint::prefetch_boxes`]).
    #[inline]
    pub fn prefetch(&self) {
        for end in [self.sent.front(), self.sent.back()].into_iter().flatten() {
            prefetch(end);
        }
    }
}

impl Sender {
    /// Appends `bytes` from the application.
    pub fn write(&mut self, bytes: u64, push: Push) {
        if self.closed || self.writes.closing() {
            return;
        }
        if self.tells_sent {
            self.check_application_limited();
        }
        self.note_buffer();
        self.begin_output(push);
        self.append(bytes);
        self.small.more = push == Push::More;
        self.small.unmarked = push == Push::More;
        if push == Push::EndOfRecord {
            let una = self.una;
            self.marks.records.retain(|&end| end > una);
            self.marks.records.push_back(self.written + self.writes.left());
        }
    }

    /// Discards data that the application wrote and that was never sent, except what is in a send buffer with a limit, which
    /// the connection has taken. After a close this has no effect.
    pub fn withdraw(&mut self) {
        if !self.closed && !self.writes.closing() {
            self.forget_writes();
            if self.queue.is_none() {
                self.written = self.nxt;
            }
            let end = self.written;
            self.marks.records.retain(|&record| record <= end);
        }
    }

    /// Number of the `len` bytes from `offset` on that belong to one record.
    #[inline]
    pub(super) fn within_record(&self, offset: u64, len: u64) -> u64 {
        if self.marks.records.is_empty() {
            return len;
        }
        let end = self.marks.records.iter().find(|&&end| end > offset);
        end.map_or(len, |end| len.min(end - offset))
    }

    /// Whether a segment carries PSH. It does if it ends the written data, a record or [`WRITE`], or, as in Linux
    /// (net/ipv4/tcp.c, forced_push, tcp_xmit_size_goal), a second piece of at most half of the largest window, or a
    /// packet of several segments ([`Sender::ends_packet`]). A retransmission repeats the PSH of its original; a FIN alone never carries PSH.
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
        if !self.offload.is_between_packets() {
            // A buffer that was pushed takes its PSH along as it grows (tcp_grow_skb), so that the packet's end has it.
            return false;
        }
        let recorded = !self.marks.records.is_empty() && self.ends_record(end);
        let marked = end == self.written && !self.small.unmarked || recorded;
        let due = end - self.marks.pushed >= self.push_after();
        let unmarked = (due || self.ends_packet()) && !self.marks.marked_only;
        if !marked && !unmarked && !self.small.push_next {
            return false;
        }
        self.mark_pushed(end, marked || due);
        true
    }

    /// Number of bytes after which a segment is pushed: two pieces of at most half of the largest window, at most [`WRITE`].
    #[inline]
    fn push_after(&self) -> u64 {
        let window = self.small.largest_window;
        if window >= WRITE + 2 * self.mss {
            // Two pieces of whole segments are larger; this spares a division for each segment.
            return WRITE;
        }
        WRITE.min(2 * (window / 2 / self.mss).max(1) * self.mss)
    }

    /// Whether a record ends at a stream offset.
    pub(super) fn ends_record(&self, end: u64) -> bool {
        self.marks.records.contains(&end)
    }

    /// Whether a segment sent within `offset..end` carried PSH.
    #[inline(never)]
    fn was_pushed(&self, offset: u64, end: u64) -> bool {
        let after = self.marks.sent.partition_point(|&pushed| pushed <= offset);
        self.marks.sent.get(after).is_some_and(|&pushed| pushed <= end)
    }

    /// Restricts PSH to the ends of writes and records: the writer knows at which other points the kernel would set
    /// PSH.
    pub fn push_where_marked(&mut self) {
        self.marks.marked_only = true;
    }

    /// Records that the data of the SYN up to `end` is pushed when it is sent again (Linux net/ipv4/tcp_output.c,
    /// tcp_send_syn_data).
    pub(super) fn mark_syn_data(&mut self, end: u64) {
        self.marks.sent.push_back(end);
    }

    #[inline(never)]
    fn mark_pushed(&mut self, end: u64, by_writer: bool) {
        let una = self.una;
        while self.marks.sent.front().is_some_and(|&pushed| pushed <= una) {
            self.marks.sent.pop_front();
        }
        self.marks.sent.push_back(end);
        if by_writer {
            self.marks.pushed = end;
        }
        self.small.push_next = false;
    }
}
