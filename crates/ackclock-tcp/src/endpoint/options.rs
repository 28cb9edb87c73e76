//! Socket options: settings that an application may change on a connection.

use super::output::MAX_OPTIONS;
use super::{Endpoint, State};
use crate::cc::Algorithm;
use crate::config::Keepalive;
use crate::slow_start::Entry;
use crate::{NEVER, Nanos};

impl Endpoint {
    /// Turns Nagle's rule on or off (off with TCP_NODELAY): with the rule, small segments wait while data is
    /// outstanding. Turning the rule off releases waiting data.
    pub fn set_nagle(&mut self, on: bool) {
        self.sender.set_nagle(on);
    }

    /// Chooses another congestion control and its slow start (TCP_CONGESTION). On an open connection the window and its
    /// threshold stay, and the state of the algorithm begins anew (Linux net/ipv4/tcp_cong.c,
    /// tcp_reinit_congestion_control).
    pub fn set_congestion_control(&mut self, now: Nanos, cc: Algorithm, slow_start: &'static Entry) {
        let handshake = matches!(self.state, State::Closed | State::Listen | State::SynSent | State::SynReceived);
        self.sender.exchange(now, cc, slow_start, self.iss, !handshake);
    }

    /// Lets a bare ACK of the SYN-ACK not establish the connection during the first `timeouts` timeouts of the SYN-ACK, so
    /// that it is established with its first data. An end that connects lets its ACK of the SYN-ACK wait for data
    /// (TCP_DEFER_ACCEPT; Linux net/ipv4/tcp_minisocks.c, tcp_check_req). 0 turns this off.
    pub fn set_defer_accept(&mut self, timeouts: u32) {
        self.cold.defer.timeouts = timeouts;
    }

    /// Sets whether the offered window may shrink when memory runs short, if it is scaled (Linux tcp_shrink_window).
    pub fn set_window_shrinking(&mut self, on: bool) {
        self.receiver.set_shrinking(on);
    }

    /// Raises the receive buffer to a window of `bytes`, if it is smaller; auto-tuning goes on (SO_RCVLOWAT).
    pub fn widen_receive_buffer(&mut self, bytes: u64) {
        self.receiver.widen(bytes);
    }

    /// Sets the number of retransmissions of the SYN before an attempt to connect is given up (TCP_SYNCNT).
    pub fn set_syn_retries(&mut self, retries: u32) {
        self.sender.config_mut().syn_retries = retries;
    }

    /// Sets the offset of the clock of this end's timestamps from the time, milliseconds modulo 2^32 (RFC 7323
    /// section 5.4), before the first segment. By default it is derived from the initial sequence number.
    pub fn set_timestamps_offset(&mut self, offset: u32) {
        self.stamps.offset = offset;
    }

    /// Turns on or off that segments wait until they are full (TCP_CORK), at most for a retransmission timeout.
    pub fn set_cork(&mut self, on: bool) {
        self.sender.set_cork(on);
    }

    /// Restricts PSH to the ends of writes and records; PSH is no longer set every half of the largest window. This is
    /// for a caller that fills buffers as Linux does, where the ends of buffers decide (net/ipv4/tcp.c, forced_push).
    pub fn push_where_marked(&mut self) {
        self.sender.push_where_marked();
    }

    /// Turns probes of an idle connection on or off (SO_KEEPALIVE, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT).
    pub fn set_keepalive(&mut self, now: Nanos, keepalive: Option<Keepalive>) {
        let timers = &mut self.cold.timers;
        timers.keeping = keepalive;
        timers.keepalive = NEVER;
        if self.is_established() {
            self.cold.timers.on_established(now);
        }
        self.retime();
    }

    /// Sets the time for which data, or probes, may stay unacknowledged before the connection is given up, nanoseconds
    /// (TCP_USER_TIMEOUT, RFC 5482); with 0, retries are counted instead.
    pub fn set_user_timeout(&mut self, timeout: Nanos) {
        self.cold.timers.user_timeout = timeout;
    }

    /// Sets the receive buffer, bytes, and turns auto-tuning off (SO_RCVBUF). Window already offered is not withdrawn.
    pub fn set_receive_buffer(&mut self, bytes: u64) {
        let config = self.sender.config_mut();
        (config.receive_buffer, config.receive_buffer_max) = (bytes, bytes);
        self.receiver.set_buffer(bytes);
    }

    /// Sets that an arriving packet of several segments lies in one buffer, as Linux's virtual devices hand it over
    /// (drivers/net/tun.c), and that the receive buffer counts its memory. It is counted by segments otherwise.
    pub fn count_packets(&mut self) {
        self.receiver.count_packets();
    }

    /// Sets the largest window to offer, bytes (TCP_WINDOW_CLAMP).
    pub fn set_window_clamp(&mut self, bytes: u64) {
        self.receiver.set_clamp(bytes);
    }

    /// Sets the largest segment to send and to accept, bytes of payload (TCP_MAXSEG); to be called before the
    /// handshake.
    pub fn set_max_segment(&mut self, bytes: u32) {
        self.sender.config_mut().mss = bytes;
    }

    /// Limits the payload and the options of segments of an existing connection to `bytes` (FreeBSD TCP_MAXSEG), as far as
    /// they are not smaller.
    pub fn resize_segments(&mut self, bytes: u32) {
        self.sender.config_mut().mss = self.sender.config.mss.min(bytes);
        let payload = u64::from(bytes.saturating_sub(self.stamps_len()).max(1));
        if payload < u64::from(self.sender.mss()) {
            self.sender.resize_segments(payload);
        }
    }

    /// Keeps bytes of each header free for options that the driver adds, such as the 20 bytes of a signature (RFC 2385), at
    /// most 40; to be called before the handshake.
    pub fn leave_room(&mut self, bytes: u32) {
        self.cold.room = bytes.min(MAX_OPTIONS);
    }

    /// Turns immediate ACKs on or off (TCP_QUICKACK); alternating receiving and sending ends them.
    pub fn set_quick_ack(&mut self, on: bool) {
        self.receiver.set_quick_ack(on);
    }
}
