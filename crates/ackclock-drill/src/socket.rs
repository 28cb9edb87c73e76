//! Sockets as the scripts' system calls see them: options, queues, readiness.

use std::collections::{BTreeMap, VecDeque};

use crate::chrono::Chrono;
use crate::send_buffer::SendBuffer;
use crate::stamps::Stamps;
use crate::symbols;
use ackclock_tcp::{Endpoint, Nanos};

/// A socket's number within the host; it is never reused.
pub type SocketId = usize;

/// What `setsockopt` changed. `None` leaves the default.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Options with a number that only has to be given back.
    pub stored: BTreeMap<String, i64>,
    /// SO_SNDBUF, doubled as the kernel does it.
    pub send_buffer: Option<u64>,
    /// SO_RCVBUF, doubled.
    pub receive_buffer: Option<u64>,
    /// SO_LINGER with its time.
    pub linger: Option<Nanos>,
    /// TCP_MAXSEG
    pub max_segment: Option<u32>,
    /// TCP_NODELAY
    pub no_delay: bool,
    /// TCP_CORK
    pub cork: bool,
    /// SO_KEEPALIVE
    pub keepalive: bool,
    /// TCP_KEEPIDLE
    pub keep_idle: Option<Nanos>,
    /// TCP_KEEPINTVL
    pub keep_interval: Option<Nanos>,
    /// TCP_KEEPCNT
    pub keep_count: Option<u32>,
    /// TCP_USER_TIMEOUT
    pub user_timeout: Option<Nanos>,
    /// TCP_SYNCNT
    pub syn_count: Option<u32>,
    /// TCP_CONGESTION
    pub congestion_control: Option<String>,
    /// TCP_NOTSENT_LOWAT
    pub not_sent_low: Option<u64>,
    /// TCP_INQ
    pub inq: bool,
    /// SO_ZEROCOPY
    pub zerocopy: bool,
    /// SO_TIMESTAMPING
    pub timestamping: i64,
    /// TCP_WINDOW_CLAMP
    pub window_clamp: Option<u64>,
    /// SO_MAX_PACING_RATE
    pub max_pacing_rate: Option<u64>,
}

/// One socket.
pub struct Socket {
    /// What it is at the moment.
    pub role: Role,
    /// Its options.
    pub options: Options,
    /// O_NONBLOCK
    pub nonblocking: bool,
    /// Grows with everything that wakes a reader, or reports an error.
    pub woken_in: u64,
    /// Grows with everything that wakes a writer.
    pub woken_out: u64,
}

/// What a socket is.
pub enum Role {
    /// Not connected.
    Fresh,
    /// Listening: children that are connected and wait to be accepted.
    Listening(VecDeque<SocketId>),
    /// A connection, or an attempt.
    Connection(Box<Connection>),
}

/// A TCP connection of the script.
pub struct Connection {
    /// The TCP under test.
    pub endpoint: Endpoint,
    /// The listener that it came from.
    pub parent: Option<SocketId>,
    /// Whether it was ever established.
    pub connected: bool,
    /// Whether a `connect` has still to report how it went.
    pub connect_pending: bool,
    /// Whether it is over.
    pub over: bool,
    /// When it went to TIME-WAIT.
    pub time_wait_since: Option<Nanos>,
    /// Whether the peer's FIN arrived.
    pub peer_closed: bool,
    /// SHUT_RD, SHUT_WR or close
    pub read_shut: bool,
    /// No more writes are taken.
    pub write_shut: bool,
    /// Why it ended, until a call reports it.
    pub error: Option<&'static str>,
    /// Bytes the application has read.
    pub read: u64,
    /// Bytes the application has written.
    pub written: u64,
    /// Ends of zero-copy writes, and their completions.
    pub zerocopy: ZeroCopy,
    /// What its time was spent with.
    pub chrono: Chrono,
    /// Notifications of SO_TIMESTAMPING.
    pub stamps: Stamps,
    /// What it takes before a write blocks.
    pub send_buffer: SendBuffer,
    /// How the script's numbers become those of the wire.
    pub numbers: crate::wire::Numbers,
    /// Payload of a full segment: what the two SYNs leave.
    pub peer_mss: u32,
}

/// Notifications of writes with MSG_ZEROCOPY. The device copies, so each one says so.
#[derive(Clone, Debug, Default)]
pub struct ZeroCopy {
    /// The number of the next write.
    pub next: u32,
    /// Writes under way: where the stream has to be acknowledged up to.
    pub under_way: VecDeque<(u64, u32)>,
    /// Completed ranges of numbers, to be read from the error queue.
    pub done: VecDeque<(u32, u32)>,
}

impl Socket {
    /// A fresh socket.
    pub fn new() -> Socket {
        Socket { role: Role::Fresh, options: Options::default(), nonblocking: false, woken_in: 0, woken_out: 0 }
    }

    /// Its connection, if it has one.
    pub fn connection(&self) -> Option<&Connection> {
        match &self.role {
            Role::Connection(connection) => Some(connection),
            _ => None,
        }
    }

    /// Its connection, if it has one.
    pub fn connection_mut(&mut self) -> Option<&mut Connection> {
        match &mut self.role {
            Role::Connection(connection) => Some(connection),
            _ => None,
        }
    }

    /// What poll would report (`POLLIN` and so on).
    pub fn readiness(&self, room: bool) -> i64 {
        use symbols::{ERR, HUP, IN, OUT, RDHUP, RDNORM, WRNORM};
        match &self.role {
            Role::Fresh => OUT | WRNORM | HUP,
            Role::Listening(queue) => {
                if queue.is_empty() {
                    0
                } else {
                    IN | RDNORM
                }
            }
            Role::Connection(connection) => {
                let mut events = 0;
                let ended = connection.over;
                let peer_closed = connection.peer_closed || ended || connection.read_shut;
                if connection.available() > 0 || peer_closed {
                    events |= IN | RDNORM;
                }
                if peer_closed {
                    events |= RDHUP;
                }
                if ended || (connection.peer_closed && connection.write_shut) {
                    events |= HUP;
                }
                let notified = !connection.zerocopy.done.is_empty() || !connection.stamps.done.is_empty();
                if connection.error.is_some() || notified {
                    events |= ERR;
                }
                if (connection.connected && room) || connection.write_shut || ended {
                    events |= OUT | WRNORM;
                }
                events
            }
        }
    }
}

impl Connection {
    /// Bytes that can be read.
    pub fn available(&self) -> u64 {
        self.endpoint.received() - self.read
    }

    /// Bytes written and not acknowledged.
    pub fn queued(&self) -> u64 {
        self.written - self.endpoint.acked().min(self.written)
    }

    /// Bytes written and never sent.
    pub fn unsent(&self) -> u64 {
        self.written - self.endpoint.sent().min(self.written)
    }

    /// Takes note of what was acknowledged: zero-copy writes that are through. Whether there were any.
    pub fn complete_zerocopy(&mut self) -> bool {
        let acked = if self.over { u64::MAX } else { self.endpoint.acked() };
        let mut any = false;
        while let Some(&(end, number)) = self.zerocopy.under_way.front() {
            if end > acked {
                break;
            }
            self.zerocopy.under_way.pop_front();
            match self.zerocopy.done.back_mut() {
                Some((_, last)) if *last + 1 == number => *last = number,
                _ => self.zerocopy.done.push_back((number, number)),
            }
            any = true;
        }
        any
    }
}
