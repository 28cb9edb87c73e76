//! What an application may change about a connection: socket options.

use super::Endpoint;
use crate::config::Keepalive;
use crate::{NEVER, Nanos};

impl Endpoint {
    /// Whether small segments wait while data is outstanding (Nagle; off with TCP_NODELAY). Turned off, what waits goes.
    pub fn set_nagle(&mut self, on: bool) {
        self.sender.set_nagle(on);
    }

    /// Whether segments wait until they are full (TCP_CORK), at most for a retransmission timeout.
    pub fn set_cork(&mut self, on: bool) {
        self.sender.set_cork(on);
    }

    /// PSH goes only where a write or a record ends, and no longer every half of the largest window: for a caller that fills
    /// buffers as Linux does, whose ends decide (net/ipv4/tcp.c, forced_push).
    pub fn push_where_marked(&mut self) {
        self.sender.push_where_marked();
    }

    /// Probes an idle connection from now on, or no longer (SO_KEEPALIVE, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT).
    pub fn set_keepalive(&mut self, now: Nanos, keepalive: Option<Keepalive>) {
        let timers = &mut self.cold.timers;
        timers.keeping = keepalive;
        timers.keepalive = NEVER;
        if self.is_established() {
            self.cold.timers.on_established(now);
        }
        self.retime();
    }

    /// How long data, or probes, may go without an acknowledgment before the connection is given up, nanoseconds
    /// (TCP_USER_TIMEOUT, RFC 5482); 0 to count retries instead.
    pub fn set_user_timeout(&mut self, timeout: Nanos) {
        self.cold.timers.user_timeout = timeout;
    }

    /// The receive buffer in bytes, which auto-tuning no longer changes (SO_RCVBUF). What was offered already stays so.
    pub fn set_receive_buffer(&mut self, bytes: u64) {
        self.cold.config.receive_buffer = bytes;
        self.cold.config.receive_buffer_max = bytes;
        self.receiver.set_buffer(bytes);
    }

    /// The largest window to offer, bytes (TCP_WINDOW_CLAMP).
    pub fn set_window_clamp(&mut self, bytes: u64) {
        self.receiver.set_clamp(bytes);
    }

    /// The largest segment to send and to offer to take, bytes of payload (TCP_MAXSEG); before the handshake.
    pub fn set_max_segment(&mut self, bytes: u32) {
        self.cold.config.mss = bytes;
    }

    /// Whether ACKs are sent at once for now (TCP_QUICKACK); receiving and sending in turn ends it.
    pub fn set_quick_ack(&mut self, on: bool) {
        self.receiver.set_quick_ack(on);
    }
}
