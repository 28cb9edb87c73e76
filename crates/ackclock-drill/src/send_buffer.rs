//! How much a socket takes before a write blocks: Linux's accounting, which scripts with small buffers state to the byte.
//!
//! The kernel fills buffers of a size goal, whole segments of at most half the largest window the peer offered, and looks at
//! its limits only before it begins another (net/ipv4/tcp.c, tcp_sendmsg_locked). What is queued counts with the memory of
//! the buffers themselves. Without SO_SNDBUF the limit grows with the congestion window (net/ipv4/tcp_input.c,
//! tcp_sndbuf_expand).

use crate::socket::Connection;
use ackclock_tcp::Nanos;

/// Memory of a buffer beside its payload, bytes (since Linux 6.3; include/linux/skbuff.h, SKB_TRUESIZE of MAX_TCP_HEADER).
const OVERHEAD: u64 = 896;
/// Payload that one buffer holds at most, bytes.
const MOST: u64 = 65_535 - 320;
/// The least SO_SNDBUF, bytes.
pub const LEAST: u64 = 4608;

/// The send buffer of a connection.
#[derive(Clone, Debug)]
pub struct SendBuffer {
    /// The limit in bytes of memory.
    limit: u64,
    /// Up to where it may grow; `None` after SO_SNDBUF.
    most: Option<u64>,
    /// Where in the stream the buffer begins that is being filled.
    tail: u64,
    /// The largest window the peer has offered.
    window: u64,
    /// Where the last buffer ends that was marked to be pushed.
    pushed: u64,
    /// Whether the device's queue paces, so that what the window lets go counts as sent while it waits there.
    pub paced: bool,
    /// Whether someone found no room, and waits to hear of it.
    pub wanted: bool,
    /// Whether it has been seen to since something last arrived.
    pub checked: bool,
}

impl SendBuffer {
    /// A buffer of `limit` bytes of memory that may grow to `most`.
    pub fn new(limit: u64, most: Option<u64>) -> SendBuffer {
        SendBuffer { limit, most, tail: 0, window: 0, pushed: 0, paced: false, wanted: false, checked: true }
    }

    /// SO_SNDBUF: the limit, which stays.
    pub fn fix(&mut self, limit: u64) {
        self.limit = limit;
        self.most = None;
    }

    /// The limit, as `getsockopt` reports it.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// The peer offers a window of so many bytes.
    pub fn offered(&mut self, window: u64) {
        self.window = self.window.max(window);
    }

    /// The limit follows the congestion window.
    pub fn grow(&mut self, cwnd_segments: u64, mss: u64) {
        let Some(most) = self.most else { return };
        let per_segment = (mss + 640).next_power_of_two() + 256;
        let wanted = 2 * cwnd_segments.max(10) * per_segment;
        self.limit = self.limit.max(wanted.min(most));
    }

    /// Payload of a full buffer.
    fn goal(&self, mss: u64) -> u64 {
        let half = if self.window > 536 { self.window / 2 } else { self.window };
        let bound = MOST.min(half.max(mss));
        (bound / mss).max(1) * mss
    }

    /// Memory that `queued` bytes of payload take.
    fn memory(&self, queued: u64, mss: u64) -> u64 {
        queued + queued.div_ceil(self.goal(mss)) * OVERHEAD
    }

    /// Bytes that the connection takes before the limits are looked at again; 0 where it takes none.
    pub fn room(&mut self, connection: Numbers, low: Option<u64>) -> u64 {
        let Numbers { written, sent, queued, mss } = connection;
        self.tail = self.tail.max(sent).min(written);
        let goal = self.goal(mss);
        let filled = written - self.tail;
        if filled > 0 && filled < goal {
            return goal - filled;
        }
        let fits = self.memory(queued, mss) < self.limit && low.is_none_or(|low| written - sent < low);
        if !fits {
            return 0;
        }
        self.tail = written;
        goal
    }

    /// Bytes up to `written` are in. `last` is whether the write ends here, and nothing is to follow at once. Whether the
    /// buffer that ends here is to be pushed: at the end of a write, or when one is full and half of the largest window was
    /// not (net/ipv4/tcp.c, tcp_push and forced_push).
    pub fn pushes(&mut self, written: u64, last: bool, mss: u64) -> bool {
        let full = written == self.tail + self.goal(mss);
        let pushes = last || full && written > self.pushed + self.window / 2;
        if pushes {
            self.push(written);
        }
        pushes
    }

    /// What ends at `written` is marked to be pushed.
    pub fn push(&mut self, written: u64) {
        self.pushed = written;
    }

    /// Whether `poll` calls the socket writable, and a sleeping writer is woken: a third of the limit is free, and of what
    /// is unsent there is less than half of `low`.
    pub fn writable(&self, connection: Numbers, low: Option<u64>) -> bool {
        let Numbers { written, sent, queued, mss } = connection;
        let memory = self.memory(queued, mss);
        self.limit.saturating_sub(memory) >= memory / 2 && low.is_none_or(|low| 2 * (written - sent) < low)
    }
}

/// Where a connection's stream stands.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    /// Bytes written.
    pub written: u64,
    /// Bytes of these that were sent.
    pub sent: u64,
    /// Bytes written and not acknowledged.
    pub queued: u64,
    /// Payload of a full segment.
    pub mss: u64,
}

impl Connection {
    /// After something has arrived, and what may leave has left: a buffer that someone wants larger follows the congestion
    /// window, unless that is full (net/ipv4/tcp_input.c, tcp_new_space and tcp_should_expand_sndbuf). Half a round trip after
    /// the oldest outstanding segment left, the kernel waits for more window before it fills the rest of it
    /// (net/ipv4/tcp_output.c, tcp_tso_should_defer).
    pub fn check_send_buffer(&mut self, now: Nanos) {
        if std::mem::replace(&mut self.send_buffer.checked, true) || !self.send_buffer.wanted {
            return;
        }
        let info = self.endpoint.info(now);
        let defers = self.endpoint.oldest_sent_at().is_none_or(|sent_at| now - sent_at >= info.rtt / 2);
        let in_flight = info.unacked + info.retrans - (info.sacked + info.lost).min(info.unacked);
        if defers || in_flight < info.snd_cwnd {
            self.send_buffer.grow(u64::from(info.snd_cwnd), u64::from(info.snd_mss));
        }
    }

    /// Where the stream stands.
    pub fn stream(&self) -> Numbers {
        let mut sent = self.written - self.unsent();
        if self.send_buffer.paced {
            sent = sent.max((self.endpoint.acked() + self.endpoint.window().cwnd).min(self.written));
        }
        Numbers { written: self.written, sent, queued: self.queued(), mss: u64::from(self.peer_mss.max(1)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes taken in one go, where the first `window` of them leave at once.
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
        // The first buffer holds 16,000 bytes, of which 10,000 leave; then it is filled up again.
        assert_eq!(taken(&mut buffer(), 59_000, 10_000, None), 58_000);
        assert_eq!(taken(&mut buffer(), 59_000, 10_000, Some(32_000)), 42_000);
        assert_eq!(taken(&mut buffer(), 59_000, 10_000, Some(4000)), 26_000);
        assert_eq!(taken(&mut buffer(), 9000, 10_000, None), 9000);
    }

    #[test]
    fn buffers_count_with_their_own_memory() {
        let taken = |limit| {
            let mut buffer = SendBuffer::new(limit, None);
            buffer.offered(257 << 7);
            taken(&mut buffer, 59_000, 10_000, None)
        };
        // Three buffers hold 42,000 bytes.
        assert_eq!(taken(42_000 + 3 * OVERHEAD), 42_000);
        assert_eq!(taken(42_000 + 3 * OVERHEAD + 1), 58_000);
    }

    #[test]
    fn a_writer_is_woken_when_a_third_is_free() {
        let mut buffer = SendBuffer::new(42_000, None);
        buffer.offered(50_000);
        let numbers = |queued| Numbers { written: 60_000, sent: 60_000, queued, mss: 1000 };
        assert!(!buffer.writable(numbers(30_000), None));
        assert!(buffer.writable(numbers(24_000), None));
    }

    #[test]
    fn the_limit_grows_with_the_window_unless_it_was_set() {
        let mut buffer = SendBuffer::new(50_000, Some(1 << 22));
        buffer.grow(20, 1000);
        assert_eq!(buffer.limit(), 2 * 20 * 2304);
        buffer.fix(8192);
        buffer.grow(100, 1000);
        assert_eq!(buffer.limit(), 8192);
    }
}
