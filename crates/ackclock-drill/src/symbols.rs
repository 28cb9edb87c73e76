//! Names of the system-call interface and their values on Linux.

/// Number of an error (`errno.h`).
pub fn errno_number(name: &str) -> Option<i64> {
    find(ERRORS, name)
}

/// Name of an error with this number.
pub fn errno_name(number: i64) -> Option<&'static str> {
    ERRORS.iter().find(|(_, known)| *known == number).map(|&(name, _)| name)
}

/// Number of a socket option with this name.
pub fn option(name: &str) -> Option<i64> {
    find(OPTIONS, name)
}

/// Value of a symbol in an argument.
pub fn value(name: &str) -> Option<i64> {
    find(SYMBOLS, name).or_else(|| errno_number(name))
}

fn find(table: &[(&str, i64)], name: &str) -> Option<i64> {
    table.iter().find(|(known, _)| *known == name).map(|&(_, number)| number)
}

const ERRORS: &[(&str, i64)] = &[
    ("EPERM", 1),
    ("ENOENT", 2),
    ("EINTR", 4),
    ("EIO", 5),
    ("ENXIO", 6),
    ("EBADF", 9),
    ("ECHILD", 10),
    ("EAGAIN", 11),
    ("EWOULDBLOCK", 11),
    ("ENOMEM", 12),
    ("EACCES", 13),
    ("EFAULT", 14),
    ("EBUSY", 16),
    ("EEXIST", 17),
    ("ENODEV", 19),
    ("EINVAL", 22),
    ("ENFILE", 23),
    ("EMFILE", 24),
    ("ENOTTY", 25),
    ("ESPIPE", 29),
    ("EPIPE", 32),
    ("ERANGE", 34),
    ("ENOSYS", 38),
    ("ENOMSG", 42),
    ("ENODATA", 61),
    ("ENONET", 64),
    ("EPROTO", 71),
    ("EOVERFLOW", 75),
    ("ENOTSOCK", 88),
    ("EDESTADDRREQ", 89),
    ("EMSGSIZE", 90),
    ("ENOPROTOOPT", 92),
    ("EPROTONOSUPPORT", 93),
    ("EOPNOTSUPP", 95),
    ("EPFNOSUPPORT", 96),
    ("EAFNOSUPPORT", 97),
    ("EADDRINUSE", 98),
    ("EADDRNOTAVAIL", 99),
    ("ENETDOWN", 100),
    ("ENETUNREACH", 101),
    ("ENETRESET", 102),
    ("ECONNABORTED", 103),
    ("ECONNRESET", 104),
    ("ENOBUFS", 105),
    ("EISCONN", 106),
    ("ENOTCONN", 107),
    ("ESHUTDOWN", 108),
    ("ETOOMANYREFS", 109),
    ("ETIMEDOUT", 110),
    ("ECONNREFUSED", 111),
    ("EHOSTDOWN", 112),
    ("EHOSTUNREACH", 113),
    ("EALREADY", 114),
    ("EINPROGRESS", 115),
    ("ENOKEY", 126),
    ("EKEYEXPIRED", 127),
    ("EKEYREJECTED", 129),
];

/// Non-blocking mode of a file (`O_NONBLOCK`, `SOCK_NONBLOCK`).
pub const NONBLOCK: i64 = 0o4000;
/// `O_RDWR`
pub const RDWR: i64 = 2;

/// `F_GETFD`
pub const GETFD: i64 = 1;
/// `F_SETFD`
pub const SETFD: i64 = 2;
/// `F_GETFL`
pub const GETFL: i64 = 3;
/// `F_SETFL`
pub const SETFL: i64 = 4;

/// `SIOCINQ`, `FIONREAD`
pub const INQ: i64 = 0x541b;
/// `SIOCATMARK`
pub const ATMARK: i64 = 0x8905;
/// `SIOCOUTQ`, `TIOCOUTQ`
pub const OUTQ: i64 = 0x5411;
/// `SIOCOUTQNSD`
pub const OUTQNSD: i64 = 0x894b;

/// `MSG_PEEK`
pub const MSG_PEEK: i64 = 0x2;
/// `MSG_TRUNC`
pub const MSG_TRUNC: i64 = 0x20;
/// `MSG_DONTWAIT`
pub const MSG_DONTWAIT: i64 = 0x40;
/// `MSG_WAITALL`
pub const MSG_WAITALL: i64 = 0x100;
/// `MSG_ERRQUEUE`
pub const MSG_ERRQUEUE: i64 = 0x2000;
/// `MSG_OOB`
pub const MSG_OOB: i64 = 0x1;
/// `MSG_NOSIGNAL`
pub const MSG_NOSIGNAL: i64 = 0x4000;
/// `MSG_MORE`
pub const MSG_MORE: i64 = 0x8000;
/// `MSG_FASTOPEN`
pub const MSG_FASTOPEN: i64 = 0x2000_0000;
/// `MSG_EOR`
pub const MSG_EOR: i64 = 0x80;
/// `MSG_ZEROCOPY`
pub const MSG_ZEROCOPY: i64 = 0x400_0000;

/// `EPOLLIN`, `POLLIN`
pub const IN: i64 = 0x1;
/// `POLLPRI`
pub const PRI: i64 = 0x2;
/// `EPOLLOUT`, `POLLOUT`
pub const OUT: i64 = 0x4;
/// `EPOLLERR`, `POLLERR`
pub const ERR: i64 = 0x8;
/// `EPOLLHUP`, `POLLHUP`
pub const HUP: i64 = 0x10;
/// `POLLNVAL`
pub const NVAL: i64 = 0x20;
/// `EPOLLRDNORM`, `POLLRDNORM`
pub const RDNORM: i64 = 0x40;
/// `EPOLLWRNORM`, `POLLWRNORM`
pub const WRNORM: i64 = 0x100;
/// `EPOLLRDHUP`, `POLLRDHUP`
pub const RDHUP: i64 = 0x2000;
/// `EPOLLONESHOT`
pub const ONESHOT: i64 = 1 << 30;
/// `EPOLLET`
pub const EDGE: i64 = 1 << 31;

/// `SOL_IP`
pub const SOL_IP: i64 = 0;
/// `SOL_SOCKET`
pub const SOL_SOCKET: i64 = 1;
/// `SOL_TCP`
pub const SOL_TCP: i64 = 6;
/// `SOL_IPV6`
pub const SOL_IPV6: i64 = 41;
/// `IP_RECVERR`
pub const IP_RECVERR: i64 = 11;
/// `IPV6_RECVERR`
pub const IPV6_RECVERR: i64 = 25;

/// `TCP_CM_INQ`
pub const CM_INQ: i64 = 36;
/// `SO_EE_ORIGIN_ZEROCOPY`
pub const ORIGIN_ZEROCOPY: i64 = 5;
/// `SO_EE_ORIGIN_TIMESTAMPING`
pub const ORIGIN_TIMESTAMPING: i64 = 4;
/// `SCM_TIMESTAMPING`
pub const SCM_TIMESTAMPING: i64 = 37;
/// `SO_EE_CODE_ZEROCOPY_COPIED`
pub const CODE_COPIED: i64 = 1;

/// `SOF_TIMESTAMPING_TX_SOFTWARE`
pub const STAMP_TX_SOFTWARE: i64 = 1 << 1;
/// `SOF_TIMESTAMPING_SOFTWARE`
pub const STAMP_SOFTWARE: i64 = 1 << 4;
/// `SOF_TIMESTAMPING_OPT_ID`
pub const STAMP_OPT_ID: i64 = 1 << 7;
/// `SOF_TIMESTAMPING_TX_SCHED`
pub const STAMP_TX_SCHED: i64 = 1 << 8;
/// `SOF_TIMESTAMPING_TX_ACK`
pub const STAMP_TX_ACK: i64 = 1 << 9;
/// `SOF_TIMESTAMPING_OPT_TSONLY`
pub const STAMP_OPT_TSONLY: i64 = 1 << 11;
/// `SOF_TIMESTAMPING_OPT_ID_TCP`
pub const STAMP_OPT_ID_TCP: i64 = 1 << 16;
/// `SCM_TSTAMP_SND`
pub const TSTAMP_SND: i64 = 0;
/// `SCM_TSTAMP_SCHED`
pub const TSTAMP_SCHED: i64 = 1;
/// `SCM_TSTAMP_ACK`
pub const TSTAMP_ACK: i64 = 2;

/// Socket options by name, with the numbers of x86-64 and arm64.
const OPTIONS: &[(&str, i64)] = &[
    ("SO_DEBUG", 1),
    ("SO_REUSEADDR", 2),
    ("SO_TYPE", 3),
    ("SO_ERROR", 4),
    ("SO_DONTROUTE", 5),
    ("SO_BROADCAST", 6),
    ("SO_SNDBUF", 7),
    ("SO_RCVBUF", 8),
    ("SO_KEEPALIVE", 9),
    ("SO_OOBINLINE", 10),
    ("SO_PRIORITY", 12),
    ("SO_LINGER", 13),
    ("SO_REUSEPORT", 15),
    ("SO_RCVLOWAT", 18),
    ("SO_SNDLOWAT", 19),
    ("SO_SNDBUFFORCE", 32),
    ("SO_RCVBUFFORCE", 33),
    ("SO_MARK", 36),
    ("SO_TIMESTAMPING", 37),
    ("SO_BUSY_POLL", 46),
    ("SO_MAX_PACING_RATE", 47),
    ("SO_INCOMING_CPU", 49),
    ("SO_ZEROCOPY", 60),
    ("SO_TXREHASH", 74),
    ("TCP_NODELAY", 1),
    ("TCP_MAXSEG", 2),
    ("TCP_CORK", 3),
    ("TCP_KEEPIDLE", 4),
    ("TCP_KEEPINTVL", 5),
    ("TCP_KEEPCNT", 6),
    ("TCP_SYNCNT", 7),
    ("TCP_LINGER2", 8),
    ("TCP_DEFER_ACCEPT", 9),
    ("TCP_WINDOW_CLAMP", 10),
    ("TCP_QUICKACK", 12),
    ("TCP_CONGESTION", 13),
    ("TCP_THIN_LINEAR_TIMEOUTS", 16),
    ("TCP_THIN_DUPACK", 17),
    ("TCP_USER_TIMEOUT", 18),
    ("TCP_FASTOPEN", 23),
    ("TCP_TIMESTAMP", 24),
    ("TCP_NOTSENT_LOWAT", 25),
    ("TCP_SAVE_SYN", 27),
    ("TCP_FASTOPEN_CONNECT", 30),
    ("TCP_FASTOPEN_KEY", 33),
    ("TCP_FASTOPEN_NO_COOKIE", 34),
    ("TCP_INQ", 36),
    ("TCP_TX_DELAY", 37),
    ("TCP_RTO_MAX_MS", 44),
    ("TCP_RTO_MIN_US", 45),
    ("TCP_DELACK_MAX_US", 46),
    ("IP_TOS", 1),
    ("IP_TTL", 2),
    ("IP_MTU_DISCOVER", 10),
    ("IP_RECVERR", IP_RECVERR),
    ("IP_MTU", 14),
    ("IP_FREEBIND", 15),
    ("IP_TRANSPARENT", 19),
    ("IP_BIND_ADDRESS_NO_PORT", 24),
    ("IP_LOCAL_PORT_RANGE", 51),
    ("IPV6_UNICAST_HOPS", 16),
    ("IPV6_MTU_DISCOVER", 23),
    ("IPV6_RECVERR", IPV6_RECVERR),
    ("IPV6_V6ONLY", 26),
    ("IPV6_TCLASS", 67),
];

const SYMBOLS: &[(&str, i64)] = &[
    ("NULL", 0),
    ("AF_UNSPEC", 0),
    ("AF_INET", 2),
    ("PF_INET", 2),
    ("AF_INET6", 10),
    ("PF_INET6", 10),
    ("SOCK_STREAM", 1),
    ("SOCK_DGRAM", 2),
    ("SOCK_RAW", 3),
    ("SOCK_NONBLOCK", NONBLOCK),
    ("SOCK_CLOEXEC", 0o2_000_000),
    ("IPPROTO_IP", 0),
    ("IPPROTO_ICMP", 1),
    ("IPPROTO_TCP", 6),
    ("IPPROTO_UDP", 17),
    ("IPPROTO_IPV6", 41),
    ("IPPROTO_MPTCP", 262),
    ("SOL_IP", SOL_IP),
    ("SOL_SOCKET", SOL_SOCKET),
    ("SOL_TCP", SOL_TCP),
    ("SOL_IPV6", SOL_IPV6),
    ("IP_RECVERR", IP_RECVERR),
    ("IPV6_RECVERR", IPV6_RECVERR),
    ("SHUT_RD", 0),
    ("SHUT_WR", 1),
    ("SHUT_RDWR", 2),
    ("F_GETFD", GETFD),
    ("F_SETFD", SETFD),
    ("F_GETFL", GETFL),
    ("F_SETFL", SETFL),
    ("FD_CLOEXEC", 1),
    ("O_RDONLY", 0),
    ("O_WRONLY", 1),
    ("O_RDWR", RDWR),
    ("O_NONBLOCK", NONBLOCK),
    ("FIONREAD", INQ),
    ("SIOCATMARK", ATMARK),
    ("SIOCINQ", INQ),
    ("TIOCOUTQ", OUTQ),
    ("SIOCOUTQ", OUTQ),
    ("SIOCOUTQNSD", OUTQNSD),
    ("MSG_OOB", MSG_OOB),
    ("MSG_PEEK", MSG_PEEK),
    ("MSG_DONTROUTE", 0x4),
    ("MSG_CTRUNC", 0x8),
    ("MSG_TRUNC", MSG_TRUNC),
    ("MSG_DONTWAIT", MSG_DONTWAIT),
    ("MSG_EOR", MSG_EOR),
    ("MSG_WAITALL", MSG_WAITALL),
    ("MSG_ERRQUEUE", MSG_ERRQUEUE),
    ("MSG_NOSIGNAL", MSG_NOSIGNAL),
    ("MSG_MORE", MSG_MORE),
    ("MSG_ZEROCOPY", MSG_ZEROCOPY),
    ("MSG_FASTOPEN", MSG_FASTOPEN),
    ("POLLIN", IN),
    ("POLLPRI", PRI),
    ("POLLOUT", OUT),
    ("POLLERR", ERR),
    ("POLLHUP", HUP),
    ("POLLNVAL", NVAL),
    ("POLLRDNORM", RDNORM),
    ("POLLWRNORM", WRNORM),
    ("POLLRDHUP", RDHUP),
    ("EPOLLIN", IN),
    ("EPOLLPRI", PRI),
    ("EPOLLOUT", OUT),
    ("EPOLLERR", ERR),
    ("EPOLLHUP", HUP),
    ("EPOLLRDNORM", RDNORM),
    ("EPOLLWRNORM", WRNORM),
    ("EPOLLRDHUP", RDHUP),
    ("EPOLLEXCLUSIVE", 1 << 28),
    ("EPOLLONESHOT", ONESHOT),
    ("EPOLLET", EDGE),
    ("EPOLL_CTL_ADD", 1),
    ("EPOLL_CTL_DEL", 2),
    ("EPOLL_CTL_MOD", 3),
    ("TCP_CM_INQ", CM_INQ),
    ("SO_EE_ORIGIN_ZEROCOPY", ORIGIN_ZEROCOPY),
    ("SO_EE_CODE_ZEROCOPY_COPIED", CODE_COPIED),
    ("SO_EE_ORIGIN_TIMESTAMPING", ORIGIN_TIMESTAMPING),
    ("SO_TIMESTAMPING", SCM_TIMESTAMPING),
    ("SCM_TIMESTAMPING", SCM_TIMESTAMPING),
    ("SCM_TSTAMP_SND", TSTAMP_SND),
    ("SCM_TSTAMP_SCHED", TSTAMP_SCHED),
    ("SCM_TSTAMP_ACK", TSTAMP_ACK),
    ("SOF_TIMESTAMPING_TX_HARDWARE", 1 << 0),
    ("SOF_TIMESTAMPING_TX_SOFTWARE", STAMP_TX_SOFTWARE),
    ("SOF_TIMESTAMPING_RX_HARDWARE", 1 << 2),
    ("SOF_TIMESTAMPING_RX_SOFTWARE", 1 << 3),
    ("SOF_TIMESTAMPING_SOFTWARE", STAMP_SOFTWARE),
    ("SOF_TIMESTAMPING_SYS_HARDWARE", 1 << 5),
    ("SOF_TIMESTAMPING_RAW_HARDWARE", 1 << 6),
    ("SOF_TIMESTAMPING_OPT_ID", STAMP_OPT_ID),
    ("SOF_TIMESTAMPING_TX_SCHED", STAMP_TX_SCHED),
    ("SOF_TIMESTAMPING_TX_ACK", STAMP_TX_ACK),
    ("SOF_TIMESTAMPING_OPT_CMSG", 1 << 10),
    ("SOF_TIMESTAMPING_OPT_TSONLY", STAMP_OPT_TSONLY),
    ("SOF_TIMESTAMPING_OPT_STATS", 1 << 12),
    ("SOF_TIMESTAMPING_OPT_ID_TCP", STAMP_OPT_ID_TCP),
    ("SPLICE_F_MOVE", 1),
    ("SPLICE_F_NONBLOCK", 2),
    ("SPLICE_F_MORE", 4),
    ("SPLICE_F_GIFT", 8),
    ("IPTOS_DSCP_CS0", 0x00),
    ("IPTOS_DSCP_CS1", 0x20),
    ("IPTOS_DSCP_CS2", 0x40),
    ("IPTOS_DSCP_CS3", 0x60),
    ("IPTOS_DSCP_CS4", 0x80),
    ("IPTOS_DSCP_CS5", 0xa0),
    ("IPTOS_DSCP_CS6", 0xc0),
    ("IPTOS_DSCP_CS7", 0xe0),
    ("IPTOS_DSCP_EF", 0xb8),
    ("IP_PMTUDISC_DONT", 0),
    ("IP_PMTUDISC_WANT", 1),
    ("IP_PMTUDISC_DO", 2),
    ("IP_PMTUDISC_PROBE", 3),
];
