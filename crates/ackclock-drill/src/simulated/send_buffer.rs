//! Amount of data that a socket accepts before a write blocks: the accounting of [`ackclock_tcp::send_buffer`] for writes
//! of a script. Scripts with small buffers state Linux's accounting to the byte.
//!
//! The kernel fills buffers of a size goal: whole segments of at most half the largest window that the peer offered.

use ackclock_tcp::Nanos;
use ackclock_tcp::info::Info;
pub use ackclock_tcp::send_buffer::LEAST;
use ackclock_tcp::send_buffer::{Counts, OVERHEAD, SendBuffer as Limit};

/// Largest payload of a buffer, bytes.
const MOST: u64 = 65_535 - 320;

/// FreeBSD's low-water mark of a send buffer, bytes (MCLBYTES; sys/kern/uipc_sockbuf.c, soreserve).
const LOW_WATER: u64 = 2048;

/// The send buffer of a connection.
#[derive(Clone, Debug)]
pub struct SendBuffer {
    limit: Limit,
    /// Stream offset at which the present buffer begins.
    tail: u64,
    /// Largest window that the peer has offered.
    window: u64,
    /// Payload of the largest segment that the handshake allows; 0 before.
    pub peer_mss: u64,
    /// Stream offset at which the last pushed buffer ends.
    pushed: u64,
    /// Whether the device's queue paces; data in that queue then count as sent.
    pub paced: bool,
    /// Whether a writer found no room and waits for it.
    pub wanted: bool,
    /// Whether the buffer was checked since the last arrival.
    pub checked: bool,
}

impl SendBuffer {
    /// A buffer of `limit` bytes of memory that may grow to `most`.
    pub fn new(limit: u64, most: Option<u64>) -> SendBuffer {
        SendBuffer::of(Limit::new(Counts::Memory, limit, most))
    }

    /// A buffer of `limit` bytes of payload that may grow to `most`.
    pub fn plain(limit: u64, most: Option<u64>) -> SendBuffer {
        SendBuffer::of(Limit::new(Counts::Payload, limit, most))
    }

    fn of(limit: Limit) -> SendBuffer {
        SendBuffer { limit, tail: 0, window: 0, peer_mss: 0, pushed: 0, paced: false, wanted: false, checked: true }
    }

    /// Fixes the limit, as SO_SNDBUF does.
    pub fn fix(&mut self, limit: u64) {
        self.limit.fix(limit);
    }

    /// The limit, as `getsockopt` reports it.
    pub fn limit(&self) -> u64 {
        self.limit.limit()
    }

    fn is_plain(&self) -> bool {
        self.limit.counts() == Counts::Payload
    }

    /// Records the window that the peer offers, in bytes.
    pub fn offered(&mut self, window: u64) {
        self.window = self.window.max(window);
    }

    /// Raises the limit according to the congestion window, in segments of `mss` bytes or of those that the peer accepts
    /// (net/ipv4/tcp_input.c, tcp_sndbuf_expand).
    pub fn grow(&mut self, cwnd_segments: u64, mss: u64) {
        self.limit.grow(cwnd_segments, mss.max(self.peer_mss), 2);
    }

    /// Rounds FreeBSD's limit up to whole segments of `mss` bytes, as the handshake does.
    pub fn round(&mut self, mss: u64) {
        self.limit.round(mss.max(1));
    }

    /// Payload of a full buffer.
    fn goal(&self, mss: u64) -> u64 {
        let half = if self.window > 536 { self.window / 2 } else { self.window };
        let bound = MOST.min(half.max(mss));
        (bound / mss).max(1) * mss
    }

    /// Memory of `queued` bytes of payload.
    fn memory(&self, queued: u64, mss: u64) -> u64 {
        queued + queued.div_ceil(self.goal(mss)) * OVERHEAD
    }

    /// Number of bytes that the connection accepts before the limits are checked again; 0 if it accepts none.
    pub fn room(&mut self, connection: Numbers, low: Option<u64>) -> u64 {
        let Numbers { written, sent, queued, mss } = connection;
        if self.is_plain() {
            return self.limit().saturating_sub(queued);
        }
        self.tail = self.tail.max(sent).min(written);
        let goal = self.goal(mss);
        let filled = written - self.tail;
        if filled > 0 && filled < goal {
            return goal - filled;
        }
        if !self.limit.has_room(self.memory(queued, mss), written - sent, low) {
            return 0;
        }
        self.tail = written;
        goal
    }

    /// Records that bytes up to `written` are in the buffer; `last` is whether the write ends here. Returns whether the
    /// buffer that ends here is to be pushed: at the end of a write, or if it is full and more than half of the largest
    /// window has been written since the last push (net/ipv4/tcp.c, tcp_push and forced_push).
    pub fn pushes(&mut self, written: u64, last: bool, mss: u64) -> bool {
        let full = !self.is_plain() && written == self.tail + self.goal(mss);
        let pushes = last || full && written > self.pushed + self.window / 2;
        if pushes {
            self.push(written);
        }
        pushes
    }

    /// Records that the buffer that ends at `written` is pushed.
    pub fn push(&mut self, written: u64) {
        self.pushed = written;
    }

    /// Checks the buffer after an arrival, when all segments that may be sent have been sent; the oldest outstanding one
    /// was sent at `oldest`. A buffer for which a writer waits grows with the congestion window, unless the window is
    /// full (net/ipv4/tcp_input.c, tcp_new_space and tcp_should_expand_sndbuf). Half a round trip after the oldest
    /// outstanding segment was sent, the kernel waits for more window before it fills the rest (net/ipv4/tcp_output.c,
    /// tcp_tso_should_defer).
    pub fn check(&mut self, now: Nanos, info: &Info, [queued, unsent]: [u64; 2], oldest: Option<Nanos>) {
        if std::mem::replace(&mut self.checked, true) {
            return;
        }
        let (mss, cwnd) = (u64::from(info.snd_mss), u64::from(info.snd_cwnd));
        let window = info.snd_wnd.min(cwnd * mss);
        self.limit.autoscale(queued, window, queued - unsent, info.snd_wnd);
        if !self.wanted {
            return;
        }
        let defers = oldest.is_none_or(|sent_at| now - sent_at >= info.rtt / 2);
        let in_flight = info.unacked + info.retrans - (info.sacked + info.lost).min(info.unacked);
        if defers || in_flight < info.snd_cwnd {
            self.grow(cwnd, mss);
        }
    }

    /// Whether `poll` reports the socket as writable and a sleeping writer is woken.
    pub fn writable(&self, connection: Numbers, low: Option<u64>) -> bool {
        let Numbers { written, sent, queued, mss } = connection;
        if self.is_plain() {
            return self.limit().saturating_sub(queued) >= self.low();
        }
        self.limit.is_writable(self.memory(queued, mss), written - sent, low)
    }

    /// Whether a write of `rest` bytes may fill `room`: without Linux's memory, room for all or for the low-water mark
    /// (sys/kern/uipc_socket.c, sosend_generic).
    pub fn accepts(&self, room: u64, rest: u64) -> bool {
        !self.is_plain() || room >= rest || room >= self.low()
    }

    fn low(&self) -> u64 {
        LOW_WATER.min(self.limit())
    }
}

/// Positions in a connection's stream.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    /// Bytes written.
    pub written: u64,
    /// Bytes of these that have been sent.
    pub sent: u64,
    /// Bytes written and not acknowledged.
    pub queued: u64,
    /// Payload of a full segment.
    pub mss: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes accepted at once if the first `window` bytes are sent at once.
    fn taken(buffer: &mut SendBuffer, wanted: u64, cwnd: u64, low: Option<u64>) -> u64 {
        let mut written = 0;
        loop {
            let numbers = Numbers { written, sent: written.min(cwnd), queued: written, mss: 1000 };
            let room = buffer.room(numbers, low).min(wanted - written);
            if room == 0 {
                return written;
            }
            written += room;
        }
    }

    #[test]
    fn limits_are_looked_at_between_buffers_of_half_the_window() {
        let buffer = || {
            let mut buffer = SendBuffer::new(50_000, None);
            buffer.offered(257 << 7);
            buffer
        };
        // The first buffer holds 16,000 bytes, of which 10,000 are sent; then the buffer is filled up again.
        assert_eq!(taken(&mut buffer(), 59_000, 10_000, None), 58_000);
        assert_eq!(taken(&mut buffer(), 59_000, 10_000, Some(32_000)), 42_000);
        assert_eq!(taken(&mut buffer(), 59_000, 10_000, Some(4000)), 26_000);
        assert_eq!(taken(&mut buffer(), 9000, 10_000, None), 9000);
    }

    #[test]
    fn buffers_include_their_overhead() {
        let taken = |limit| {
            let mut buffer = SendBuffer::new(limit, None);
            buffer.offered(257 << 7);
            taken(&mut buffer, 59_000, 10_000, None)
        };
        // Three buffers have 42,000 bytes.
        assert_eq!(taken(42_000 + 3 * OVERHEAD), 42_000);
        assert_eq!(taken(42_000 + 3 * OVERHEAD + 1), 58_000);
    }

    #[test]
    fn freebsd_counts_payload() {
        let mut buffer = SendBuffer::plain(32_768, Some(40_000));
        buffer.offered(257 << 7);
        assert_eq!(taken(&mut buffer, 59_000, 10_000, None), 32_768);
    }

    #[test]
    fn a_writer_is_woken_when_a_third_is_free() {
        let mut buffer = SendBuffer::new(42_000, None);
        buffer.offered(50_000);
        let numbers = |queued| Numbers { written: 60_000, sent: 60_000, queued, mss: 1000 };
        assert!(!buffer.writable(numbers(30_000), None));
        assert!(buffer.writable(numbers(24_000), None));
    }
}
