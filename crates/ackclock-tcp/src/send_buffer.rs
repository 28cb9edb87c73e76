//! The limit of a socket's send buffer: what it counts, how it grows, and when a writer that found no room is woken.
//!
//! Linux counts the memory of the buffers that hold the queued data, and looks at the limit only before it begins another
//! buffer (net/ipv4/tcp.c, tcp_sendmsg_locked). The limit grows with the congestion window (net/ipv4/tcp_input.c,
//! tcp_sndbuf_expand). FreeBSD counts payload alone, and raises the limit by 8 KiB at a time while the buffer limits the
//! sender (sys/netinet/tcp_output.c, tcp_sndbuf_autoscale).

use crate::config::{Config, Conformance};

/// Memory of a buffer in addition to its payload, bytes: its head and the two structures that describe it (Linux since
/// 6.3; include/linux/skbuff.h, SKB_TRUESIZE of MAX_TCP_HEADER).
pub const OVERHEAD: u64 = 896;
/// Smallest limit of Linux, bytes (include/net/sock.h, SOCK_MIN_SNDBUF).
pub const LEAST: u64 = 4608;
/// Segments that Linux always provides for (TCP_INIT_CWND).
const FEWEST: u64 = 10;
/// Step by which FreeBSD's limit grows (net.inet.tcp.sendbuf_inc), bytes.
const STEP: u64 = 8192;
/// Room from which FreeBSD takes data from a writer (so_snd.sb_lowat), bytes.
const LOW: u64 = 2048;

/// The quantity that a send buffer limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counts {
    /// The memory of the buffers, as in Linux.
    Memory,
    /// Payload alone, as in FreeBSD.
    Payload,
}

/// The limit of a send buffer.
#[derive(Clone, Copy, Debug)]
pub struct SendBuffer {
    limit: u64,
    /// Largest value to which the limit may grow; `None` if it is fixed.
    most: Option<u64>,
    counts: Counts,
}

impl SendBuffer {
    /// A limit of `limit` bytes that may grow to `most`.
    pub fn new(counts: Counts, limit: u64, most: Option<u64>) -> SendBuffer {
        SendBuffer { limit, most, counts }
    }

    /// The limit of a connection with this configuration; `None` if the buffer has no limit. Linux doubles the size that a
    /// socket is given, because it counts memory (net/core/sock.c, sk_setsockopt).
    pub fn of(config: &Config) -> Option<SendBuffer> {
        if config.send_buffer == 0 {
            let limited = config.notsent_lowat > 0;
            return limited.then(|| SendBuffer::new(Counts::Payload, u64::MAX, None));
        }
        let linux = config.conformance == Conformance::Linux;
        let memory = |size: u64| if linux { size.saturating_mul(2).max(LEAST) } else { size };
        let tunes = config.send_buffer_max > config.send_buffer;
        let counts = if linux { Counts::Memory } else { Counts::Payload };
        Some(SendBuffer::new(counts, memory(config.send_buffer), tunes.then(|| memory(config.send_buffer_max))))
    }

    /// Fixes the limit, as SO_SNDBUF does.
    pub fn fix(&mut self, limit: u64) {
        self.limit = limit;
        self.most = None;
    }

    /// The limit, bytes.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// The quantity that the buffer limits.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Rounds the limit up to whole segments, as FreeBSD does when the handshake ends (sys/netinet/tcp_input.c, tcp_mss).
    pub fn round(&mut self, mss: u64) {
        if self.counts == Counts::Payload && self.limit >= mss {
            self.limit = self.limit.checked_next_multiple_of(mss).unwrap_or(self.limit);
        }
    }

    /// Linux's growth: `factor` times the memory of a congestion window of `cwnd` segments, each in a buffer of its own.
    /// The factor is 2, and 3 for BBR (net/ipv4/tcp_bbr.c, bbr_sndbuf_expand).
    pub fn grow(&mut self, cwnd: u64, mss: u64, factor: u64) {
        let Some(most) = self.most.filter(|_| self.counts == Counts::Memory) else { return };
        let per_segment = (mss + 640).next_power_of_two() + 256;
        self.limit = self.limit.max(cwnd.max(FEWEST).saturating_mul(factor * per_segment).min(most));
    }

    /// FreeBSD's growth, with `queued` bytes in the buffer, `window` bytes that the peer and the congestion window allow, of
    /// which `in_flight` are in use, and `offered` that the peer allows.
    pub fn autoscale(&mut self, queued: u64, window: u64, in_flight: u64, offered: u64) {
        let Some(most) = self.most.filter(|_| self.counts == Counts::Payload) else { return };
        let limits = queued >= self.limit / 8 * 7 && queued < most && window >= queued - in_flight.min(queued);
        if limits && offered / 4 * 5 >= self.limit {
            self.limit = self.limit.saturating_add(STEP).min(most);
        }
    }

    /// Whether a writer may begin another buffer, with `used` bytes counted and `unsent` bytes not yet sent, of which
    /// `low` may be waiting (TCP_NOTSENT_LOWAT).
    pub fn has_room(&self, used: u64, unsent: u64, low: Option<u64>) -> bool {
        used < self.limit && low.is_none_or(|low| unsent < low)
    }

    /// Whether a writer that sleeps is woken: in Linux if a third of the limit is free and less than half of `low` is
    /// unsent (include/net/sock.h, sk_stream_is_writeable; include/net/tcp.h, tcp_stream_memory_free).
    pub fn is_writable(&self, used: u64, unsent: u64, low: Option<u64>) -> bool {
        let free = self.limit.saturating_sub(used);
        match self.counts {
            Counts::Memory => used < self.limit && free >= used / 2 && low.is_none_or(|low| 2 * unsent < low),
            Counts::Payload => free >= LOW.min(self.limit) && low.is_none_or(|low| unsent < low),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freebsd_counts_payload_and_grows_while_it_limits_the_sender() {
        let mut buffer = SendBuffer::new(Counts::Payload, 32_768, Some(40_000));
        buffer.autoscale(28_000, 100_000, 10_000, 100_000);
        assert_eq!(buffer.limit(), 32_768, "an eighth is free");
        buffer.autoscale(32_768, 20_000, 10_000, 100_000);
        assert_eq!(buffer.limit(), 32_768, "the window limits the sender");
        buffer.autoscale(32_768, 100_000, 10_000, 26_000);
        assert_eq!(buffer.limit(), 32_768, "the peer's window is smaller");
        buffer.autoscale(32_768, 100_000, 10_000, 100_000);
        assert_eq!(buffer.limit(), 40_000);
        assert!(!buffer.is_writable(38_000, 0, None));
        assert!(buffer.is_writable(37_000, 0, None));
    }

    #[test]
    fn linux_wakes_a_writer_when_a_third_is_free_and_half_of_the_low_mark_is_unsent() {
        let buffer = SendBuffer::new(Counts::Memory, 42_000, None);
        assert!(!buffer.is_writable(28_001, 0, None));
        assert!(buffer.is_writable(28_000, 0, None));
        assert!(!buffer.is_writable(28_000, 5000, Some(10_000)));
        assert!(buffer.is_writable(28_000, 4999, Some(10_000)));
        assert!(buffer.has_room(41_999, 9999, Some(10_000)) && !buffer.has_room(42_000, 0, None));
        assert!(!buffer.has_room(0, 10_000, Some(10_000)));
    }

    #[test]
    fn linux_provides_for_twice_the_window_in_buffers_of_one_segment() {
        // `ss -m` shows tb87040 on a connection with an initial window of ten segments.
        let mut buffer = SendBuffer::new(Counts::Memory, 16 << 10, Some(4 << 20));
        buffer.grow(1, 1448, 2);
        assert_eq!(buffer.limit(), 87_040);
        buffer.grow(20, 1448, 3);
        assert_eq!(buffer.limit(), 3 * 20 * 4352);
        buffer.grow(10_000, 1448, 2);
        assert_eq!(buffer.limit(), 4 << 20);
        buffer.fix(8192);
        buffer.grow(100, 1448, 2);
        assert_eq!(buffer.limit(), 8192);
    }
}
