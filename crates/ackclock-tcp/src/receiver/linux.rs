//! The receive window of Linux while data waits to be read, and the window updates that reads cause.

use super::Receiver;

/// Part of the buffer below which the window is closed.
const LEAST_PART: u64 = 16;

impl Receiver {
    /// The window that the free part of the buffer allows; 0 if less than a sixteenth of the buffer or than a segment is
    /// free (net/ipv4/tcp_output.c, __tcp_select_window).
    pub(super) fn free_window(&self) -> u64 {
        let full = self.buffer.min(self.clamp);
        let (mut used, mut limit) = (self.received() - self.read, u64::MAX);
        if let Some(tuning) = &self.tuning {
            used += self.sequence.held();
            limit = tuning.limit;
        }
        let free = full.saturating_sub(used);
        let segment = u64::from(self.acks.largest).min(full);
        if free < full / LEAST_PART || free < segment { 0 } else { free.min(limit) }
    }

    /// Whether a read has opened the window so far that the peer is told at once, where `open` bytes of window are offered:
    /// less than half of the buffer was offered, and the window is at least twice as large now (net/ipv4/tcp.c,
    /// __tcp_cleanup_rbuf).
    pub(super) fn opens_by_read(&self, open: u64) -> bool {
        if 2 * open > self.buffer.min(self.clamp) {
            return false;
        }
        let window = self.free_window();
        window > 0 && window >= 2 * open
    }
}
