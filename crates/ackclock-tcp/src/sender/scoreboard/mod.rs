//! The outstanding segments: a ring with one entry for each segment sent and not cumulatively acknowledged.

mod by_time;
mod forward;
mod marks;
#[cfg(test)]
mod tests;

use ackclock_core::Ring;
use ackclock_core::prefetch::prefetch;

use crate::Nanos;
pub(super) use by_time::{Found, Resent, sent_after};
pub(super) use forward::Forward;

/// Facts about an entry, as bits.
mod flag {
    /// The receiver has reported the segment by SACK.
    pub const SACKED: u8 = 1;
    /// The segment is deemed lost (IsLost of RFC 6675, or a timeout).
    pub const LOST: u8 = 2;
    /// The segment was retransmitted since it was deemed lost, and so is in the network again.
    pub const RETRANSMITTED: u8 = 4;
    /// The segment was sent more than once (Karn's rule).
    pub const AMBIGUOUS: u8 = 8;
}

/// A segment that was sent.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Stream offset of the segment's first byte.
    pub start: u64,
    /// Time of the segment's last transmission.
    pub sent_at: Nanos,
    len: u32,
    flags: u8,
}

impl Entry {
    /// Stream offset after the segment's last byte.
    #[inline]
    pub fn end(&self) -> u64 {
        self.start + u64::from(self.len)
    }

    /// Whether the segment was sent more than once.
    #[inline]
    pub fn resent(&self) -> bool {
        self.is(flag::AMBIGUOUS)
    }

    #[inline]
    fn is(&self, flags: u8) -> bool {
        self.flags & flags != 0
    }
}

/// Data that an acknowledgment removed from the scoreboard or marked on it, in bytes unless noted.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// Bytes newly acknowledged cumulatively.
    pub acked: u64,
    /// Bytes newly SACKed.
    pub sacked: u64,
    /// Bytes newly known to have arrived, by either: DeliveredData of RFC 9937 section 6.2.
    pub newly: u64,
    /// Bytes newly delivered, by either, that were deemed lost and retransmitted since.
    pub retransmitted: u64,
    /// Send time of the newest segment that the cumulative ACK delivered; `None` where any of these segments was
    /// retransmitted (Karn's rule) or all were SACKed before.
    pub sent_at: Option<Nanos>,
    /// Segments newly known to have arrived.
    pub segments: u32,
}

/// The ring of outstanding segments. Offsets are stream offsets; a FIN occupies one.
//= https://www.rfc-editor.org/rfc/rfc6675#section-4
//# the scoreboard SHOULD implement the following functions
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    entries: Ring<Entry>,
    /// Bytes with each flag, for pipe.
    sacked: u64,
    lost: u64,
    retransmitted: u64,
    /// Bytes deemed lost and not retransmitted since.
    waiting: u64,
    /// End of the highest SACKed segment (HighSACK + 1); 0 where there is none.
    high_sacked: u64,
    /// Everything below this offset has been examined by [`Scoreboard::mark_lost`].
    examined: u64,
    /// No lost segment below this offset waits for its retransmission.
    next_lost: u64,
    /// Offsets of the segments that were sent more than once and have been SACKed since
    /// [`Scoreboard::mark_lost_forward`] looked, if they are noted.
    #[expect(clippy::box_collection, reason = "nearly all scoreboards lack it, and each connection has two")]
    resent: Option<Box<Vec<u64>>>,
    /// Segments with each flag.
    segments_sacked: u32,
    segments_lost: u32,
    segments_retransmitted: u32,
}

/// Segments with each mark, as Linux counts them in tcp_info.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Sent and not cumulatively acknowledged.
    pub outstanding: u32,
    /// SACKed.
    pub sacked: u32,
    /// Deemed lost.
    pub lost: u32,
    /// Retransmitted and not known to have arrived or to be lost again.
    pub retransmitted: u32,
}

impl Scoreboard {
    /// Whether nothing is outstanding.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Brings the first and the last segment ([`crate::Endpoint::prefetch_boxes`]).
    #[inline]
    pub fn prefetch(&self) {
        for entry in [self.entries.front(), self.entries.back()].into_iter().flatten() {
            prefetch(entry);
        }
    }

    /// Bytes SACKed above the cumulative acknowledgment.
    #[inline]
    pub fn sacked(&self) -> u64 {
        self.sacked
    }

    /// Segments SACKed above the cumulative acknowledgment.
    #[inline]
    pub fn segments_sacked(&self) -> u32 {
        self.segments_sacked
    }

    /// Segments sent and not cumulatively acknowledged.
    #[inline]
    pub fn segments(&self) -> usize {
        self.entries.len()
    }

    /// Whether no segment is SACKed, deemed lost or in the network again.
    #[inline]
    pub fn is_clean(&self) -> bool {
        self.sacked | self.lost | self.retransmitted == 0
    }

    /// Bytes deemed lost, whether or not they were retransmitted since.
    #[inline]
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Bytes retransmitted and not known to have arrived or to be lost again.
    #[inline]
    pub fn retransmitted(&self) -> u64 {
        self.retransmitted
    }

    /// Stream offset after the highest SACKed segment; at most snd_una where there is none.
    #[inline]
    pub fn high_sacked(&self) -> u64 {
        self.high_sacked
    }

    /// Time of the last transmission of the first outstanding segment.
    #[inline]
    pub fn first_sent_at(&self) -> Option<Nanos> {
        self.entries.front().map(|entry| entry.sent_at)
    }

    /// Stream offset after the first outstanding segment; 0 where nothing is outstanding.
    pub fn first_end(&self) -> u64 {
        self.entries.front().map_or(0, Entry::end)
    }

    /// Whether the first outstanding segment was sent more than once.
    pub fn first_is_resent(&self) -> bool {
        self.entries.front().is_some_and(Entry::resent)
    }

    /// The last segment sent: its offset and length.
    pub fn last(&self) -> Option<(u64, u32)> {
        self.entries.back().map(|entry| (entry.start, entry.len))
    }

    /// Number of segments wholly inside `[start, end)` that were sent more than once.
    pub fn resent_within(&self, start: u64, end: u64) -> u32 {
        let first = self.entries.partition_point(|entry| entry.start < start);
        let inside = self.entries.range(first..self.entries.len()).take_while(|entry| entry.end() <= end);
        inside.filter(|entry| entry.resent()).count() as u32
    }

    /// Counts the segments with each mark.
    pub fn tally(&self) -> Tally {
        Tally {
            outstanding: self.entries.len() as u32,
            sacked: self.segments_sacked,
            lost: self.segments_lost,
            retransmitted: self.segments_retransmitted,
        }
    }

    /// Number of segments in the network, as [`Scoreboard::pipe`] counts bytes (Linux include/net/tcp.h,
    /// tcp_packets_in_flight).
    #[inline]
    pub fn segments_in_network(&self) -> u64 {
        self.entries.len() as u64 + u64::from(self.segments_retransmitted)
            - u64::from(self.segments_sacked)
            - u64::from(self.segments_lost)
    }

    /// The part of `flight_size` that is still in the network: SetPipe of RFC 6675 section 4. Bytes deemed lost are not
    /// in the network, and retransmitted bytes are in the network again.
    #[inline]
    pub fn pipe(&self, flight_size: u64) -> u64 {
        //= https://www.rfc-editor.org/rfc/rfc6675#section-4
        //# MUST set the "pipe" variable to an estimate of the number of octets that are currently in transit
        //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
        //# connections with SACK enabled and using [RFC6675] loss detection MAY use the "pipe" algorithm as specified
        //# in [RFC6675]
        //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
        //# MUST calculate inflight by starting with SND.NXT - SND.UNA, subtracting out bytes SACKed in the
        //# scoreboard, subtracting out bytes marked lost in the scoreboard, and adding bytes in the scoreboard that
        //# have been retransmitted since they were last marked lost
        flight_size + self.retransmitted - self.sacked - self.lost
    }

    /// Number of segments, and of bytes, that are newly reported by an acknowledgment of everything below `una` and of
    /// `blocks`.
    pub fn news(&self, una: u64, blocks: &[(u64, u64)]) -> (u64, u64) {
        let end = blocks.iter().map(|block| block.1).fold(una, u64::max);
        let within = |entry: &Entry| blocks.iter().any(|&(low, high)| low <= entry.start && entry.end() <= high);
        let (mut segments, mut bytes) = (0, 0);
        for entry in self.entries.iter().take_while(|entry| entry.start < end) {
            if entry.is(flag::SACKED) {
                continue;
            }
            if entry.end() <= una || within(entry) {
                segments += 1;
                bytes += u64::from(entry.len);
            } else if entry.start < una {
                bytes += una - entry.start;
            }
        }
        (segments, bytes)
    }

    /// Appends a segment sent for the first time.
    #[inline]
    pub fn push(&mut self, start: u64, len: u32, now: Nanos) {
        debug_assert!(self.entries.back().is_none_or(|last| last.end() == start));
        self.entries.push_back(Entry { start, sent_at: now, len, flags: 0 });
    }

    /// Removes everything below `una`. `visit` sees each segment that this acknowledgment newly reports as received.
    #[inline]
    pub fn ack(&mut self, una: u64, mut visit: impl FnMut(&Entry)) -> Delivered {
        let mut delivered = Delivered::default();
        let mut ambiguous = false;
        while let Some(entry) = self.entries.front_mut() {
            let taken = if entry.end() <= una {
                entry.len
            } else if entry.start < una {
                (una - entry.start) as u32
            } else {
                break;
            };
            let bytes = u64::from(taken);
            delivered.acked += bytes;
            let flags = entry.flags;
            let whole = taken == entry.len;
            if flags & flag::SACKED != 0 {
                self.sacked -= bytes;
                self.segments_sacked -= u32::from(whole);
            } else {
                delivered.sent_at = Some(entry.sent_at);
                delivered.newly += bytes;
                if whole {
                    delivered.segments += 1;
                    visit(entry);
                }
            }
            ambiguous |= flags & flag::AMBIGUOUS != 0;
            if whole {
                self.entries.pop_front();
            } else {
                entry.start += bytes;
                entry.len -= taken;
            }
            if flags & !flag::SACKED != 0 {
                self.leave(flags, bytes, whole, &mut delivered);
            }
        }
        //= https://www.rfc-editor.org/rfc/rfc6298#section-3
        //# RTT samples MUST NOT be made using segments that were retransmitted
        if ambiguous {
            delivered.sent_at = None;
        }
        delivered
    }

    /// Records that `bytes` of a segment with `flags`, the `last` ones or not, are delivered: they no longer count as lost
    /// or retransmitted.
    fn leave(&mut self, flags: u8, bytes: u64, last: bool, delivered: &mut Delivered) {
        if flags & flag::LOST != 0 {
            self.lost -= bytes;
            self.segments_lost -= u32::from(last);
            if flags & flag::RETRANSMITTED == 0 {
                self.waiting -= bytes;
            } else {
                delivered.retransmitted += bytes;
            }
        }
        if flags & flag::RETRANSMITTED != 0 {
            self.retransmitted -= bytes;
            self.segments_retransmitted -= u32::from(last);
        }
    }

    /// Marks the segments wholly inside `[start, end)` as SACKed. `visit` sees each segment that was not SACKed before.
    pub fn sack(&mut self, start: u64, end: u64, delivered: &mut Delivered, mut visit: impl FnMut(&Entry)) {
        let first = self.entries.partition_point(|entry| entry.start < start);
        for index in first..self.entries.len() {
            let entry = &mut self.entries[index];
            if entry.end() > end {
                break;
            }
            if entry.is(flag::SACKED) {
                continue;
            }
            visit(entry);
            let (flags, bytes, start, end) = (entry.flags, u64::from(entry.len), entry.start, entry.end());
            //= https://www.rfc-editor.org/rfc/rfc6675#section-4
            //# SACKed data MUST NOT be removed from the TCP's retransmission buffer until the data is cumulatively
            //# acknowledged
            entry.flags = flags & flag::AMBIGUOUS | flag::SACKED;
            self.sacked += bytes;
            self.segments_sacked += 1;
            delivered.sacked += bytes;
            //= https://www.rfc-editor.org/rfc/rfc6937#section-3
            //# DeliveredData = change_in(snd.una) + change_in(SACKd)
            //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
            //# With SACK, DeliveredData can be computed precisely as the change in SND.UNA, plus the signed change in
            //# quantity of data marked SACKed in the scoreboard
            delivered.newly += bytes;
            delivered.segments += 1;
            self.high_sacked = self.high_sacked.max(end);
            if flags != 0 {
                if let Some(resent) = self.resent.as_mut().filter(|_| flags & flag::AMBIGUOUS != 0) {
                    resent.push(start);
                }
                self.leave(flags, bytes, true, delivered);
            }
        }
    }

    /// Whether the first outstanding segment is SACKed, which happens only if the receiver reneges.
    pub fn first_is_sacked(&self) -> bool {
        self.entries.front().is_some_and(|entry| entry.is(flag::SACKED))
    }

    /// Records a retransmission of the segment that starts at `start`.
    pub fn on_retransmit(&mut self, start: u64, now: Nanos) {
        let index = self.entries.partition_point(|entry| entry.start < start);
        let entry = &mut self.entries[index];
        if !entry.is(flag::RETRANSMITTED) {
            self.retransmitted += u64::from(entry.len);
            self.segments_retransmitted += 1;
            if entry.is(flag::LOST) {
                self.waiting -= u64::from(entry.len);
            }
        }
        //= https://www.rfc-editor.org/rfc/rfc8985#section-4
        //# For each data segment sent, the sender MUST store its most recent transmission time
        entry.flags |= flag::RETRANSMITTED | flag::AMBIGUOUS;
        entry.sent_at = now;
    }

    /// Checks that the ring agrees with its sums and reaches from `una` to `nxt` without a gap; the error says what is
    /// wrong.
    pub fn check(&self, una: u64, nxt: u64) -> Result<(), String> {
        let mut at = una;
        let (mut sacked, mut lost, mut retransmitted, mut waiting) = (0, 0, 0, 0);
        for entry in &self.entries {
            if entry.start != at || entry.len == 0 {
                return Err(format!("the scoreboard has {entry:?} where {at} begins"));
            }
            let bytes = u64::from(entry.len);
            at = entry.end();
            sacked += if entry.is(flag::SACKED) { bytes } else { 0 };
            lost += if entry.is(flag::LOST) { bytes } else { 0 };
            retransmitted += if entry.is(flag::RETRANSMITTED) { bytes } else { 0 };
            waiting += if entry.is(flag::LOST) && !entry.is(flag::RETRANSMITTED) { bytes } else { 0 };
            if entry.is(flag::SACKED) && entry.is(flag::LOST | flag::RETRANSMITTED) {
                return Err(format!("{entry:?} is delivered and in the network at once"));
            }
        }
        let count = |flags| self.entries.iter().filter(|entry| entry.is(flags)).count() as u32;
        let segments = [flag::SACKED, flag::LOST, flag::RETRANSMITTED].map(count);
        let counted = [self.segments_sacked, self.segments_lost, self.segments_retransmitted];
        if segments != counted {
            return Err(format!("{segments:?} segments are SACKed, lost and retransmitted, counted are {counted:?}"));
        }
        if at != nxt {
            return Err(format!("the scoreboard ends at {at}, what was sent at {nxt}"));
        }
        let sums = (self.sacked, self.lost, self.retransmitted, self.waiting);
        if sums != (sacked, lost, retransmitted, waiting) {
            return Err(format!("sums of the scoreboard: {sums:?}, {:?}", (sacked, lost, retransmitted, waiting)));
        }
        Ok(())
    }

    /// Splits the segment that starts at `start` after `len` bytes. Both parts have its marks and its time, which is returned
    /// if the segment was sent more than once.
    ///
    /// # Panics
    /// If no segment starts there, or if it is not longer.
    pub fn split(&mut self, start: u64, len: u32) -> Option<Nanos> {
        let index = self.entries.partition_point(|entry| entry.start < start);
        let entry = &mut self.entries[index];
        assert!(entry.start == start && entry.len > len, "a segment is split inside");
        let rest = Entry { start: start + u64::from(len), len: entry.len - len, ..*entry };
        entry.len = len;
        self.segments_sacked += u32::from(rest.is(flag::SACKED));
        self.segments_lost += u32::from(rest.is(flag::LOST));
        self.segments_retransmitted += u32::from(rest.is(flag::RETRANSMITTED));
        self.entries.insert(index + 1, rest);
        rest.resent().then_some(rest.sent_at)
    }

    /// Splits segments longer than `mss` into segments of at most `mss` bytes and marks those not SACKed as lost.
    /// Returns whether any segment was marked.
    pub fn resegment(&mut self, mss: u32) -> bool {
        let old = std::mem::take(&mut self.entries);
        let mut cut = false;
        for &entry in &old {
            let mut start = entry.start;
            while start < entry.end() {
                let len = mss.min((entry.end() - start) as u32);
                self.entries.push_back(Entry { start, len, ..entry });
                if start > entry.start {
                    self.segments_sacked += u32::from(entry.is(flag::SACKED));
                    self.segments_lost += u32::from(entry.is(flag::LOST));
                    self.segments_retransmitted += u32::from(entry.is(flag::RETRANSMITTED));
                }
                if entry.len > mss {
                    let index = self.entries.len() - 1;
                    cut |= self.lose_again(index);
                }
                start += u64::from(len);
            }
        }
        self.next_lost = 0;
        cut
    }

    /// Records a retransmission of the segment that starts at `start`, as a tail loss probe or a rescue, while the
    /// segment is not deemed lost. pipe counts the segment once, and a loss that is found later is retransmitted like
    /// any other.
    pub fn on_extra_copy(&mut self, start: u64, now: Nanos) {
        let index = self.entries.partition_point(|entry| entry.start < start);
        let entry = &mut self.entries[index];
        entry.flags |= flag::AMBIGUOUS;
        entry.sent_at = now;
    }

    /// Forgets all SACK marks: the receiver may have reneged (RFC 2018 section 8), as a timeout must assume.
    pub fn forget_sacks(&mut self) {
        for entry in &mut self.entries {
            entry.flags &= !flag::SACKED;
        }
        self.sacked = 0;
        self.segments_sacked = 0;
        self.high_sacked = 0;
        self.examined = 0;
    }
}
