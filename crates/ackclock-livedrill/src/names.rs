//! Names of levels, socket options and errors that only a kernel has to be told, with Linux's numbers (x86-64 and arm64).

use ackclock_drill::Stop;
use ackclock_drill::ast::Expr;
use ackclock_drill::symbols;

/// Socket options by name.
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
    ("IP_RECVERR", 11),
    ("IP_MTU", 14),
    ("IP_FREEBIND", 15),
    ("IP_TRANSPARENT", 19),
    ("IP_BIND_ADDRESS_NO_PORT", 24),
    ("IP_LOCAL_PORT_RANGE", 51),
    ("IPV6_UNICAST_HOPS", 16),
    ("IPV6_MTU_DISCOVER", 23),
    ("IPV6_RECVERR", 25),
    ("IPV6_V6ONLY", 26),
    ("IPV6_TCLASS", 67),
];

/// Errors that [`symbols`] does not name.
const ERRORS: &[(&str, i64)] = &[
    ("ENXIO", 6),
    ("ECHILD", 10),
    ("EBUSY", 16),
    ("ENODEV", 19),
    ("ENOTTY", 25),
    ("ENFILE", 23),
    ("EMFILE", 24),
    ("ESPIPE", 29),
    ("ERANGE", 34),
    ("ENOSYS", 38),
    ("ENODATA", 61),
    ("EOVERFLOW", 75),
    ("EPFNOSUPPORT", 96),
    ("EAFNOSUPPORT", 97),
    ("ENETRESET", 102),
    ("ESHUTDOWN", 108),
    ("ETOOMANYREFS", 109),
    ("EKEYREJECTED", 129),
    ("EKEYEXPIRED", 127),
    ("ENOKEY", 126),
];

/// Number of the socket option in an argument.
///
/// # Errors
/// An option without a number here.
pub fn option(expr: &Expr) -> Result<i64, Stop> {
    match expr {
        Expr::Int(number) => Ok(*number),
        Expr::Word(name) => match find(OPTIONS, name) {
            Some(number) => Ok(number),
            None => Stop::unsupported(format!("socket option {name}")),
        },
        _ => Stop::fail("expected the name of a socket option"),
    }
}

/// Whether a word in an argument is known.
pub fn is_known(word: &str) -> bool {
    symbols::value(word).or_else(|| find(OPTIONS, word)).or_else(|| find(ERRORS, word)).is_some()
}

/// Name of an error.
///
/// # Errors
/// An error without a name here.
pub fn error(number: i32) -> Result<&'static str, Stop> {
    let number = i64::from(number);
    let own = ERRORS.iter().find(|(_, known)| *known == number).map(|(name, _)| *name);
    symbols::errno_name(number).or(own).ok_or_else(|| Stop::Fail(format!("error number {number}, without a name here")))
}

fn find(table: &[(&str, i64)], name: &str) -> Option<i64> {
    table.iter().find(|(known, _)| *known == name).map(|&(_, number)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_system() {
        for (name, number) in [
            ("SO_REUSEADDR", libc::SO_REUSEADDR),
            ("SO_ZEROCOPY", libc::SO_ZEROCOPY),
            ("SO_TIMESTAMPING", libc::SO_TIMESTAMPING),
            ("SO_MAX_PACING_RATE", libc::SO_MAX_PACING_RATE),
            ("TCP_INQ", libc::TCP_INQ),
            ("TCP_USER_TIMEOUT", libc::TCP_USER_TIMEOUT),
            ("TCP_FASTOPEN_KEY", libc::TCP_FASTOPEN_KEY),
            ("TCP_NOTSENT_LOWAT", libc::TCP_NOTSENT_LOWAT),
            ("IP_FREEBIND", libc::IP_FREEBIND),
            ("IPV6_TCLASS", libc::IPV6_TCLASS),
        ] {
            assert_eq!(option(&Expr::Word(name.to_owned())), Ok(i64::from(number)), "{name}");
        }
    }

    #[test]
    fn errors_have_their_names() {
        for (name, number) in [("ESHUTDOWN", libc::ESHUTDOWN), ("EAGAIN", libc::EAGAIN), ("EFAULT", libc::EFAULT)] {
            assert_eq!(error(number), Ok(name));
        }
        assert!(error(4000).is_err());
    }
}
