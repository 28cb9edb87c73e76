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
    find(NAMED, name).or_else(|| find(SYMBOLS, name)).or_else(|| errno_number(name))
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
    ("EPROTOTYPE", 91),
    ("ENOPROTOOPT", 92),
    ("EPROTONOSUPPORT", 93),
    ("ESOCKTNOSUPPORT", 94),
    ("EOPNOTSUPP", 95),
    ("ENOTSUP", 95),
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

/// Defines constants, each with its value and the names that it has in scripts.
macro_rules! named {
    ($($constant:ident = $value:expr, $($name:literal),+;)+) => {
        $(
            #[doc = concat!($("`", $name, "` "),+)]
            pub const $constant: i64 = $value;
        )+
        const NAMED: &[(&str, i64)] = &[$($(($name, $constant)),+),+];
    };
}

named! {
    NONBLOCK = 0o4000, "SOCK_NONBLOCK", "O_NONBLOCK", "O_NDELAY", "FNONBLOCK", "FNDELAY";
    SOCK_STREAM = 1, "SOCK_STREAM";
    IPPROTO_TCP = 6, "IPPROTO_TCP";
    RDWR = 2, "O_RDWR";
    GETFD = 1, "F_GETFD";
    SETFD = 2, "F_SETFD";
    GETFL = 3, "F_GETFL";
    SETFL = 4, "F_SETFL";
    INQ = 0x541b, "FIONREAD", "SIOCINQ";
    ATMARK = 0x8905, "SIOCATMARK";
    OUTQ = 0x5411, "TIOCOUTQ", "SIOCOUTQ";
    OUTQNSD = 0x894b, "SIOCOUTQNSD";
    TO_WRITE = 0x4004_6677, "FIONWRITE";
    SPACE = 0x4004_6676, "FIONSPACE";
    MSG_PEEK = 0x2, "MSG_PEEK";
    MSG_TRUNC = 0x20, "MSG_TRUNC";
    MSG_DONTWAIT = 0x40, "MSG_DONTWAIT", "MSG_NBIO";
    MSG_WAITALL = 0x100, "MSG_WAITALL";
    MSG_ERRQUEUE = 0x2000, "MSG_ERRQUEUE";
    MSG_OOB = 0x1, "MSG_OOB";
    MSG_NOSIGNAL = 0x4000, "MSG_NOSIGNAL";
    MSG_MORE = 0x8000, "MSG_MORE";
    MSG_FASTOPEN = 0x2000_0000, "MSG_FASTOPEN";
    MSG_EOR = 0x80, "MSG_EOR";
    MSG_ZEROCOPY = 0x400_0000, "MSG_ZEROCOPY";
    MSG_EOF = 1 << 32, "MSG_EOF";
    SET_NONBLOCKING = 0x8004_667e, "FIONBIO";
    IN = 0x1, "POLLIN", "EPOLLIN";
    PRI = 0x2, "POLLPRI", "EPOLLPRI";
    OUT = 0x4, "POLLOUT", "EPOLLOUT";
    ERR = 0x8, "POLLERR", "EPOLLERR";
    HUP = 0x10, "POLLHUP", "EPOLLHUP";
    NVAL = 0x20, "POLLNVAL";
    RDNORM = 0x40, "POLLRDNORM", "EPOLLRDNORM";
    WRNORM = 0x100, "POLLWRNORM", "EPOLLWRNORM";
    RDHUP = 0x2000, "POLLRDHUP", "EPOLLRDHUP";
    ONESHOT = 1 << 30, "EPOLLONESHOT";
    EDGE = 1 << 31, "EPOLLET";
    SOL_IP = 0, "SOL_IP";
    SOL_SOCKET = 1, "SOL_SOCKET";
    SOL_TCP = 6, "SOL_TCP";
    SOL_IPV6 = 41, "SOL_IPV6";
    IP_RECVERR = 11, "IP_RECVERR";
    IPV6_RECVERR = 25, "IPV6_RECVERR";
    CM_INQ = 36, "TCP_CM_INQ";
    ORIGIN_ZEROCOPY = 5, "SO_EE_ORIGIN_ZEROCOPY";
    ORIGIN_TIMESTAMPING = 4, "SO_EE_ORIGIN_TIMESTAMPING";
    SCM_TIMESTAMPING = 37, "SO_TIMESTAMPING", "SCM_TIMESTAMPING";
    CODE_COPIED = 1, "SO_EE_CODE_ZEROCOPY_COPIED";
    STAMP_TX_SOFTWARE = 1 << 1, "SOF_TIMESTAMPING_TX_SOFTWARE";
    STAMP_SOFTWARE = 1 << 4, "SOF_TIMESTAMPING_SOFTWARE";
    STAMP_OPT_ID = 1 << 7, "SOF_TIMESTAMPING_OPT_ID";
    STAMP_TX_SCHED = 1 << 8, "SOF_TIMESTAMPING_TX_SCHED";
    STAMP_TX_ACK = 1 << 9, "SOF_TIMESTAMPING_TX_ACK";
    STAMP_OPT_TSONLY = 1 << 11, "SOF_TIMESTAMPING_OPT_TSONLY";
    STAMP_OPT_ID_TCP = 1 << 16, "SOF_TIMESTAMPING_OPT_ID_TCP";
    TSTAMP_SND = 0, "SCM_TSTAMP_SND";
    TSTAMP_SCHED = 1, "SCM_TSTAMP_SCHED";
    TSTAMP_ACK = 2, "SCM_TSTAMP_ACK";
}

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

/// Symbols that only scripts name.
const SYMBOLS: &[(&str, i64)] = &[
    ("NULL", 0),
    ("AF_UNSPEC", 0),
    ("AF_INET", 2),
    ("PF_INET", 2),
    ("AF_INET6", 10),
    ("PF_INET6", 10),
    ("SOCK_DGRAM", 2),
    ("SOCK_RAW", 3),
    ("SOCK_CLOEXEC", 0o2_000_000),
    ("IPPROTO_IP", 0),
    ("IPPROTO_ICMP", 1),
    ("IPPROTO_UDP", 17),
    ("IPPROTO_IPV6", 41),
    ("IPPROTO_MPTCP", 262),
    ("SHUT_RD", 0),
    ("SHUT_WR", 1),
    ("SHUT_RDWR", 2),
    ("FD_CLOEXEC", 1),
    ("O_RDONLY", 0),
    ("O_WRONLY", 1),
    ("MSG_DONTROUTE", 0x4),
    ("MSG_CTRUNC", 0x8),
    ("EPOLLEXCLUSIVE", 1 << 28),
    ("EPOLL_CTL_ADD", 1),
    ("EPOLL_CTL_DEL", 2),
    ("EPOLL_CTL_MOD", 3),
    ("SOF_TIMESTAMPING_TX_HARDWARE", 1 << 0),
    ("SOF_TIMESTAMPING_RX_HARDWARE", 1 << 2),
    ("SOF_TIMESTAMPING_RX_SOFTWARE", 1 << 3),
    ("SOF_TIMESTAMPING_SYS_HARDWARE", 1 << 5),
    ("SOF_TIMESTAMPING_RAW_HARDWARE", 1 << 6),
    ("SOF_TIMESTAMPING_OPT_CMSG", 1 << 10),
    ("SOF_TIMESTAMPING_OPT_STATS", 1 << 12),
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
    ("IPTOS_DSCP_AF11", 0x28),
    ("IPTOS_DSCP_AF12", 0x30),
    ("IPTOS_DSCP_AF13", 0x38),
    ("IPTOS_DSCP_AF21", 0x48),
    ("IPTOS_DSCP_AF22", 0x50),
    ("IPTOS_DSCP_AF23", 0x58),
    ("IPTOS_DSCP_AF31", 0x68),
    ("IPTOS_DSCP_AF32", 0x70),
    ("IPTOS_DSCP_AF33", 0x78),
    ("IPTOS_DSCP_AF41", 0x88),
    ("IPTOS_DSCP_AF42", 0x90),
    ("IPTOS_DSCP_AF43", 0x98),
    ("IPTOS_DSCP_VA", 0xb0),
    ("IPTOS_DSCP_EF", 0xb8),
    ("IPTOS_LOWDELAY", 0x10),
    ("IPTOS_THROUGHPUT", 0x08),
    ("IPTOS_RELIABILITY", 0x04),
    ("IPTOS_MINCOST", 0x02),
    ("IP_PMTUDISC_DONT", 0),
    ("IP_PMTUDISC_WANT", 1),
    ("IP_PMTUDISC_DO", 2),
    ("IP_PMTUDISC_PROBE", 3),
];
