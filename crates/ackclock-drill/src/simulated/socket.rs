//! Sockets from the view of system calls: options, queues and readiness.

use std::collections::{BTreeMap, VecDeque};

use crate::simulated::chrono::Chrono;
use crate::simulated::cookies::Key;
use crate::simulated::out_of_band::OutOfBand;
use crate::simulated::send_buffer::{Numbers as Positions, SendBuffer};
use crate::simulated::stamps::Stamps;
use crate::symbols;
use ackclock_tcp::fast_open::Client;
use ackclock_tcp::{Endpoint, Flags, Nanos, Segment};

/// Number of a socket in the host; numbers are never reused.
pub type SocketId = usize;

/// Options set by `setsockopt`. `None` keeps the default.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Options whose value is only stored and returned.
    pub stored: BTreeMap<String, i64>,
    /// SO_SNDBUF, doubled as in the kernel.
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
    /// TCP_KEEPINIT
    pub keep_init: Option<Nanos>,
    /// TCP_FASTOPEN: with Linux the length of a listener's queue, with FreeBSD whether it is used.
    pub fast_open: i64,
    /// TCP_FASTOPEN_CONNECT
    pub fast_open_connect: bool,
    /// TCP_FASTOPEN_NO_COOKIE
    pub fast_open_no_cookie: bool,
    /// TCP_FASTOPEN_KEY
    pub fast_open_key: Option<Key>,
    /// TCP_MD5SIG, whether packets have signatures (FreeBSD).
    pub signs: bool,
    /// TCP_NOOPT
    pub no_options: bool,
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
    /// SO_RCVLOWAT; `None` is one byte.
    pub receive_low: Option<u64>,
    /// TCP_DEFER_ACCEPT: timeouts of the SYN-ACK for which an ACK without data is ignored.
    pub defer_accept: u32,
}

/// A socket.
pub struct Socket {
    /// Present role of the socket.
    pub role: Role,
    /// Options of the socket.
    pub options: Options,
    /// O_NONBLOCK
    pub nonblocking: bool,
    /// Whether `bind` gave the socket a port, and neither `listen` nor `connect` followed.
    pub bound: bool,
    /// Counter of events that wake a reader or report an error.
    pub woken_in: u64,
    /// Counter of events that wake a writer.
    pub woken_out: u64,
}

/// An epoll instance.
#[derive(Clone, Debug, Default)]
pub struct Epoll {
    /// Descriptors, by their numbers in the script.
    pub items: BTreeMap<i64, Item>,
}

/// A descriptor that an instance watches.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Requested events, with EPOLLET and EPOLLONESHOT.
    pub events: i64,
    /// Wake-ups already reported; `None` if the descriptor was just added.
    pub seen: Option<(u64, u64)>,
    /// Whether EPOLLONESHOT has disabled the descriptor.
    pub off: bool,
}

/// Role of a socket.
pub enum Role {
    /// Not connected.
    Fresh,
    /// Listening, with the connected children that wait to be accepted.
    Listening(VecDeque<SocketId>),
    /// A connection, or an attempt to connect.
    Connection(Box<Connection>),
}

/// A TCP connection of the script.
pub struct Connection {
    /// The endpoint under test.
    pub endpoint: Endpoint,
    /// Listener that created the connection.
    pub parent: Option<SocketId>,
    /// Whether it was ever established.
    pub connected: bool,
    /// Whether a `connect` has not yet reported its result.
    pub connect_pending: bool,
    /// Whether the connection has ended.
    pub over: bool,
    /// Time at which the connection entered TIME-WAIT.
    pub time_wait_since: Option<Nanos>,
    /// Whether the peer's FIN arrived.
    pub peer_closed: bool,
    /// Whether reading was shut down: SHUT_RD, SHUT_RDWR or close.
    pub read_shut: bool,
    /// Whether writing was shut down.
    pub write_shut: bool,
    /// Reason for the end of the connection, until a call reports it.
    pub error: Option<&'static str>,
    /// Bytes the application has read.
    pub read: u64,
    /// Bytes the application has written.
    pub written: u64,
    /// Mark of urgent data that arrived (Linux).
    pub urgent: Option<Urgent>,
    /// Urgent data that arrives (FreeBSD).
    pub band: Option<Box<OutOfBand>>,
    /// Offset of the end of our own urgent data, until it is acknowledged.
    pub urgent_end: Option<u64>,
    /// Ends of zero-copy writes, and their completions.
    pub zerocopy: ZeroCopy,
    /// Times spent with each activity.
    pub chrono: Chrono,
    /// Notifications of SO_TIMESTAMPING.
    pub stamps: Stamps,
    /// Send buffer, which determines when a write blocks.
    pub send_buffer: SendBuffer,
    /// Mapping between the script's numbers and those on the wire.
    pub numbers: crate::wire::Numbers,
    /// Ports of the UDP datagrams around packets that leave, unless they are those of all packets of the script.
    pub udp: Option<(u16, u16)>,
    /// Payload of a full segment, as negotiated by the SYNs.
    pub peer_mss: u32,
    /// Whether a call waits to write until the handshake ends. Its data then carries the ACK of the SYN-ACK (Linux
    /// net/ipv4/tcp_input.c, tcp_rcv_synsent_state_process).
    pub write_pending: bool,
    /// Fast Open of the SYN, until the answer to it is known.
    pub fast_open: Option<Client>,
    /// Whether `connect` has left the SYN to the first write (TCP_FASTOPEN_CONNECT).
    pub deferred: bool,
    /// Whether `connect` has requested a cookie, after which no write may (Linux `fastopen_req`).
    pub fast_request: bool,
}

/// The mark of urgent data in a connection's stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Urgent {
    /// Offset of the urgent byte.
    pub at: u64,
    /// Whether the byte has arrived.
    pub arrived: bool,
    /// Whether MSG_OOB has read the byte.
    pub taken: bool,
}

/// Notifications of writes with MSG_ZEROCOPY. Each reports that the data were copied.
#[derive(Clone, Debug, Default)]
pub struct ZeroCopy {
    /// Number of the next write.
    pub next: u32,
    /// Unfinished writes: the stream offset that must be acknowledged, and the number of the write.
    pub under_way: VecDeque<(u64, u32)>,
    /// Completed ranges of numbers, to be read from the error queue.
    pub done: VecDeque<(u32, u32)>,
}

impl Options {
    /// Number of bytes from which there is something to read (SO_RCVLOWAT).
    pub fn low(&self) -> u64 {
        self.receive_low.unwrap_or(1)
    }

    /// Whether urgent bytes are part of the stream (SO_OOBINLINE).
    pub fn takes_urgent_inline(&self) -> bool {
        self.stored.get("SO_OOBINLINE").is_some_and(|&on| on != 0)
    }
}

impl Socket {
    /// A new socket.
    pub fn new() -> Socket {
        Socket {
            role: Role::Fresh,
            options: Options::default(),
            nonblocking: false,
            bound: false,
            woken_in: 0,
            woken_out: 0,
        }
    }

    /// The connection, if the socket has one.
    pub fn connection(&self) -> Option<&Connection> {
        match &self.role {
            Role::Connection(connection) => Some(connection),
            _ => None,
        }
    }

    /// The connection, if the socket has one.
    pub fn connection_mut(&mut self) -> Option<&mut Connection> {
        match &mut self.role {
            Role::Connection(connection) => Some(connection),
            _ => None,
        }
    }

    /// Events that poll reports (`POLLIN` and so on).
    pub fn readiness(&self, room: bool) -> i64 {
        use symbols::{ERR, HUP, IN, OUT, PRI, RDHUP, RDNORM, WRNORM};
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
                if connection.has_urgent() {
                    events |= PRI;
                }
                if connection.is_readable(&self.options) || peer_closed {
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
                if (connection.connected && room) || connection.write_shut || ended || connection.deferred {
                    events |= OUT | WRNORM;
                }
                events
            }
        }
    }
}

impl Connection {
    /// Whether `poll` reports data: as many bytes as SO_RCVLOWAT asks for. With Linux, any data counts once the window has
    /// room for less than a segment (net/ipv4/tcp.c, tcp_stream_is_readable; tcp_input.c, tcp_epollin_ready).
    pub fn is_readable(&self, options: &Options) -> bool {
        let (available, freebsd) = (self.available(), self.band.is_some());
        // A mark at which reading stands is no data by itself in Linux.
        let mark = u64::from(!freebsd && self.is_at_mark() && !options.takes_urgent_inline());
        let info = || self.endpoint.info(0);
        let full = || !freebsd && info().rcv_wnd <= u64::from(info().rcv_mss);
        available >= options.low() + mark || options.low() > 1 && available > mark && full()
    }

    /// The window field of a segment that leaves, rounded up where it is the free space rounded down: FreeBSD's kernels do
    /// the one before 13.0 and the other since (sys/netinet/tcp_output.c, tcp_default_output with roundup2).
    pub fn rounded_up(&self, segment: &Segment) -> Option<u16> {
        let scale = u64::from(self.endpoint.info(0).rcv_wscale);
        let free = self.endpoint.receive_buffer().saturating_sub(self.available());
        let field = free.div_ceil(1 << scale).min(u16::MAX.into()) as u16;
        let scaled = scale > 0 && !segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::RST);
        Some(field).filter(|_| scaled && u64::from(segment.window) == free >> scale)
    }

    /// Number of bytes that can be read.
    pub fn available(&self) -> u64 {
        self.endpoint.received() - self.read - self.band.as_ref().map_or(0, |band| band.missing())
    }

    /// Number of bytes written and not acknowledged.
    pub fn queued(&self) -> u64 {
        self.written - self.endpoint.acked().min(self.written)
    }

    /// Number of bytes written and never sent.
    pub fn unsent(&self) -> u64 {
        self.written - self.endpoint.sent().min(self.written)
    }

    /// Checks the send buffer after an arrival.
    pub fn check_send_buffer(&mut self, now: Nanos) {
        let volumes = [self.queued(), self.unsent()];
        self.send_buffer.check(now, &self.endpoint.info(now), volumes, self.endpoint.oldest_sent_at());
    }

    /// Updates the times of each activity; `sent` is whether data have just been sent.
    pub fn follow_chrono(&mut self, now: Nanos, sent: bool) {
        let volumes = [self.queued(), self.unsent()];
        self.chrono.follow(now, &self.endpoint.info(now), volumes, self.send_buffer.wanted, sent);
    }

    /// Positions in the stream.
    pub fn stream(&self) -> Positions {
        let mut sent = self.written - self.unsent();
        if self.send_buffer.paced {
            sent = sent.max((self.endpoint.acked() + self.endpoint.window().cwnd).min(self.written));
        }
        Positions { written: self.written, sent, queued: self.queued(), mss: u64::from(self.peer_mss.max(1)) }
    }

    /// Completes the zero-copy writes that have been acknowledged. Returns whether there were any.
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
