//! The receive window of Linux while data waits to be read, and the window updates that reads cause.

use super::Receiver;

/// Part of the buffer below which the window is closed.
const LEAST_PART: u64 = 16;

impl Receiver {
    /// The window that the free part of the buffer allows; 0 if less than a sixteenth of the buffer or than a segment is
    /// free (net/ipv4/tcp_output.c, __tcp_select_window).
    pub(super) fn free_window(&self, used: u64) -> u64 {
        let full = self.buffer.min(self.clamp);
        let limit = self.tuning.as_ref().map_or(u64::MAX, |tuning| tuning.limit);
        let free = full.saturating_sub(used);
        let segment = u64::from(self.acks.largest).min(full);
        if free < full / LEAST_PART || free < segment { 0 } else { free.min(limit) }
    }

    /// Whether the window is as large as at the last ACK, as the acknowledgment of more than a segment needs
    /// (net/ipv4/tcp_input.c, __tcp_ack_snd_check).
    pub(super) fn keeps_window(&self, used: u64, before: u64) -> bool {
        let free = self.free_window(used);
        let window = if self.scale > 0 { self.rounded(free, used) } else { free };
        window >= self.edge - before.saturating_sub(self.acks.pending)
    }

    /// The window field where the window may shrink: what the free memory allows, in whole units (net/ipv4/tcp_output.c,
    /// __tcp_select_window). As in Linux 6.12, what begins beyond the present window is not accepted any more; RFC 7323
    /// section 2.4 and Linux 7.2 accept it.
    pub(super) fn shrunk_field(&mut self, next: u64, used: u64) -> u16 {
        let full = self.buffer.min(self.clamp);
        let unit = 1u64 << self.scale;
        let limit = self.tuning.as_ref().map_or(u64::MAX, |tuning| tuning.limit);
        let free = full.saturating_sub(used) & !(unit - 1);
        let mut window = free;
        if free < full / 2 {
            self.acks.end_quick();
            let segment = u64::from(self.acks.largest).min(full);
            if free < self.buffer / LEAST_PART || free < segment || free < unit {
                window = 0;
            }
        }
        if window > limit {
            window = limit.next_multiple_of(unit);
        }
        let field = (window >> self.scale).min(u64::from(u16::MAX));
        self.offered = field << self.scale;
        self.edge = next + self.offered;
        if std::mem::take(&mut self.waiting) > self.unread() {
            // The application has read since, which may open the window.
            self.acks.due |= self.opens_by_read(field << self.scale);
        }
        field as u16
    }

    /// The part of the window that data takes with its memory: what waits to be read, or waited when the ACK became due,
    /// and what lies beyond a gap.
    #[inline]
    pub(super) fn used(&self) -> u64 {
        let waits = self.unread().max(self.waiting) + self.sequence.held();
        self.tuning.as_ref().map_or(waits, |tuning| tuning.taken(waits))
    }

    /// `offer`, rounded up to the unit of the window field while at least half of the buffer is free (net/ipv4/tcp_output.c,
    /// __tcp_select_window).
    #[inline]
    pub(super) fn rounded(&self, offer: u64, used: u64) -> u64 {
        if self.is_crowded(used) { offer } else { offer.next_multiple_of(1 << self.scale) }
    }

    /// Whether payload from `start` on is accepted whole although it may end beyond the window: the window is open, and the
    /// payload begins in it (net/ipv4/tcp_input.c, tcp_sequence and tcp_data_queue).
    pub(super) fn takes_whole(&self, start: u64) -> bool {
        self.acks.is_linux() && start.max(self.sequence.next()) < self.edge
    }

    /// Whether a packet that ends at offset `end` is not accepted because it ends beyond the window and something waits to be
    /// read (Linux 6.17 net/ipv4/tcp_input.c, tcp_sequence).
    #[inline]
    pub fn refuses_end(&self, end: u64) -> bool {
        let strict = || self.tuning.as_ref().is_some_and(|tuning| tuning.since_6_17);
        end > self.edge && self.unread() > 0 && strict()
    }

    /// The window to offer without a scale where `free` bytes are free: in whole segments, and no other one unless the
    /// present one is larger than that or a segment smaller (__tcp_select_window).
    pub(super) fn whole_segments(&self, free: u64) -> u64 {
        let (full, window) = (self.buffer.min(self.clamp), self.offered);
        let segment = u64::from(self.acks.largest).min(full).max(1);
        if window + segment <= free || window > free {
            free / segment * segment
        } else if segment == full && free > window + full / 2 {
            free
        } else {
            window
        }
    }

    /// Whether what waits to be read takes all memory, so that Linux answers a FIN beyond a closed window at once
    /// (tcp_try_rmem_schedule).
    pub(super) fn has_no_memory(&self) -> bool {
        self.acks.is_linux() && self.received() - self.read > self.buffer
    }

    /// Whether less than half of the buffer is free (__tcp_select_window).
    #[inline]
    pub(super) fn is_crowded(&self, used: u64) -> bool {
        used > self.buffer.min(self.clamp) / 2
    }

    /// Whether a read has opened the window so far that the peer is told at once, where `open` bytes of window are offered:
    /// less than half of the buffer was offered, and the window is at least twice as large now (net/ipv4/tcp.c,
    /// __tcp_cleanup_rbuf).
    pub(super) fn opens_by_read(&self, open: u64) -> bool {
        // Without a scale the field limits the window, whatever the buffer (tcp_select_initial_window).
        let field = u64::from(u16::MAX) << self.scale;
        if 2 * open > self.buffer.min(self.clamp).min(field) {
            return false;
        }
        let window = self.free_window(self.used());
        window > 0 && window >= 2 * open
    }
}
