//! Names of the system-call interface and their values on Linux.

use crate::stamps;

/// Number of an error (`errno.h`).
pub fn errno_number(name: &str) -> Option<i64> {
    ERRORS.iter().find(|(known, _)| *known == name).map(|&(_, number)| number)
}

/// Name of an error with this number.
pub fn errno_name(number: i64) -> Option<&'static str> {
    ERRORS.iter().find(|(_, known)| *known == number).map(|&(name, _)| name)
}

/// Value of a symbol in an argument.
pub fn value(name: &str) -> Option<i64> {
    SYMBOLS.iter().find(|(known, _)| *known == name).map(|&(_, value)| value).or_else(|| errno_number(name))
}

const ERRORS: &[(&str, i64)] = &[
    ("EPERM", 1),
    ("ENOENT", 2),
    ("EINTR", 4),
    ("EIO", 5),
    ("EBADF", 9),
    ("EAGAIN", 11),
    ("EWOULDBLOCK", 11),
    ("ENOMEM", 12),
    ("EACCES", 13),
    ("EFAULT", 14),
    ("EEXIST", 17),
    ("EINVAL", 22),
    ("EPIPE", 32),
    ("ENOTSOCK", 88),
    ("ENOMSG", 42),
    ("EDESTADDRREQ", 89),
    ("EMSGSIZE", 90),
    ("ENOPROTOOPT", 92),
    ("ENONET", 64),
    ("EPROTO", 71),
    ("EPROTONOSUPPORT", 93),
    ("EOPNOTSUPP", 95),
    ("EADDRINUSE", 98),
    ("EADDRNOTAVAIL", 99),
    ("ENETDOWN", 100),
    ("ENETUNREACH", 101),
    ("ECONNABORTED", 103),
    ("ECONNRESET", 104),
    ("ENOBUFS", 105),
    ("EISCONN", 106),
    ("ENOTCONN", 107),
    ("ETIMEDOUT", 110),
    ("ECONNREFUSED", 111),
    ("EHOSTDOWN", 112),
    ("EHOSTUNREACH", 113),
    ("EALREADY", 114),
    ("EINPROGRESS", 115),
];

/// Non-blocking mode of a file (`O_NONBLOCK`, `SOCK_NONBLOCK`).
pub const NONBLOCK: i64 = 0o4000;
/// `O_RDWR`
pub const RDWR: i64 = 2;

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
    ("SOL_IP", 0),
    ("SOL_SOCKET", 1),
    ("SOL_TCP", 6),
    ("SOL_IPV6", 41),
    ("IP_RECVERR", 11),
    ("IPV6_RECVERR", 25),
    ("SHUT_RD", 0),
    ("SHUT_WR", 1),
    ("SHUT_RDWR", 2),
    ("F_GETFD", 1),
    ("F_SETFD", 2),
    ("F_GETFL", 3),
    ("F_SETFL", 4),
    ("FD_CLOEXEC", 1),
    ("O_RDONLY", 0),
    ("O_WRONLY", 1),
    ("O_RDWR", RDWR),
    ("O_NONBLOCK", NONBLOCK),
    ("FIONREAD", 0x541b),
    ("SIOCATMARK", 0x8905),
    ("SIOCINQ", 0x541b),
    ("TIOCOUTQ", 0x5411),
    ("SIOCOUTQ", 0x5411),
    ("SIOCOUTQNSD", 0x894b),
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
    ("POLLNVAL", 0x20),
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
    ("SCM_TSTAMP_SND", stamps::SND),
    ("SCM_TSTAMP_SCHED", stamps::SCHED),
    ("SCM_TSTAMP_ACK", stamps::ACK),
    ("SOF_TIMESTAMPING_TX_HARDWARE", 1 << 0),
    ("SOF_TIMESTAMPING_TX_SOFTWARE", stamps::TX_SOFTWARE),
    ("SOF_TIMESTAMPING_RX_HARDWARE", 1 << 2),
    ("SOF_TIMESTAMPING_RX_SOFTWARE", 1 << 3),
    ("SOF_TIMESTAMPING_SOFTWARE", stamps::SOFTWARE),
    ("SOF_TIMESTAMPING_SYS_HARDWARE", 1 << 5),
    ("SOF_TIMESTAMPING_RAW_HARDWARE", 1 << 6),
    ("SOF_TIMESTAMPING_OPT_ID", stamps::OPT_ID),
    ("SOF_TIMESTAMPING_TX_SCHED", stamps::TX_SCHED),
    ("SOF_TIMESTAMPING_TX_ACK", stamps::TX_ACK),
    ("SOF_TIMESTAMPING_OPT_CMSG", 1 << 10),
    ("SOF_TIMESTAMPING_OPT_TSONLY", stamps::OPT_TSONLY),
    ("SOF_TIMESTAMPING_OPT_STATS", 1 << 12),
    ("SOF_TIMESTAMPING_OPT_ID_TCP", stamps::OPT_ID_TCP),
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
