//! Options of FreeBSD's sockets that Linux's do not have, and the values that FreeBSD gives for switches (sys/kern/
//! uipc_socket.c, sosetopt and sogetopt; sys/netinet: in_pcb.h, ip_output.c, tcp_usrreq.c).

use super::{Called, Halt};
use crate::calls::{Answer, Value};
use crate::simulated::host::Host;
use crate::simulated::socket::{Options, SocketId};
use crate::verdict::Stop;

/// Checks that options of TCP may be used: a connection that has ended gives ECONNRESET (sys/netinet/tcp_usrreq.c,
/// tcp_ctloutput_set and tcp_ctloutput_get, INP_DROPPED).
pub(super) fn check_live(host: &Host, id: SocketId, name: &str) -> Result<(), Halt> {
    let ended = || host.sockets[id].connection().is_some_and(|connection| connection.over);
    if host.is_freebsd() && name.starts_with("TCP_") && ended() {
        return Err(Halt::Errno("ECONNRESET"));
    }
    Ok(())
}

/// Options that do not affect the connection of a script.
const STORED: &[&str] = &[
    "IPV6_AUTOFLOWLABEL",
    "IPV6_BINDANY",
    "IPV6_DONTFRAG",
    "IPV6_PORTRANGE",
    "IPV6_RECVHOPLIMIT",
    "IPV6_RECVPKTINFO",
    "IPV6_RECVTCLASS",
    "IP_BINDANY",
    "IP_DONTFRAG",
    "IP_MINTTL",
    "IP_PORTRANGE",
    "IP_RECVDSTADDR",
    "IP_RECVIF",
    "IP_RECVTOS",
    "IP_RECVTTL",
    "SO_BINTIME",
    "SO_BROADCAST",
    "SO_DONTROUTE",
    "SO_NOSIGPIPE",
    "SO_NO_DDP",
    "SO_NO_OFFLOAD",
    "SO_REUSEPORT_LB",
    "SO_SETFIB",
    "SO_USELOOPBACK",
    "SO_USER_COOKIE",
    "TCP_LOG",
    "TCP_PCAP_IN",
    "TCP_PCAP_OUT",
    "TCP_STATS",
];

/// Options of other stacks than the default one, besides those whose names begin with TCP_RACK_ or TCP_BBR_.
const OTHER_STACKS: &[&str] = &[
    "TCP_DATA_AFTER_CLOSE",
    "TCP_DEFER_OPTIONS",
    "TCP_DELACK",
    "TCP_FAST_RSM_HACK",
    "TCP_HYSTART_ENABLE",
    "TCP_NO_PRR",
    "TCP_NO_TIMELY",
    "TCP_PACING_RATE_CAP",
    "TCP_REC_ABC_VAL",
    "TCP_SHARED_CWND_ALLOWED",
    "TCP_SHARED_CWND_ENABLE",
    "TCP_SHARED_CWND_TIME_LIMIT",
    "TCP_TIMELY_DYN_ADJ",
    "TCP_USE_CMP_ACKS",
];

/// Flags that `getsockopt` gives for switches that are on.
const FLAGS: &[(&str, i64)] = &[
    ("SO_ACCEPTCONN", 0x2),
    ("SO_REUSEADDR", 0x4),
    ("SO_KEEPALIVE", 0x8),
    ("SO_DONTROUTE", 0x10),
    ("SO_BROADCAST", 0x20),
    ("SO_USELOOPBACK", 0x40),
    ("SO_OOBINLINE", 0x100),
    ("SO_REUSEPORT", 0x200),
    ("SO_NOSIGPIPE", 0x800),
    ("SO_NO_OFFLOAD", 0x4000),
    ("SO_NO_DDP", 0x8000),
    ("SO_REUSEPORT_LB", 0x1_0000),
    ("TCP_NODELAY", 0x4),
    ("TCP_NOOPT", 0x8),
    ("TCP_NOPUSH", 0x1000),
];

/// Whether an option is only stored and returned.
pub(super) fn is_stored(name: &str) -> bool {
    STORED.contains(&name)
}

/// The value of an option, from the number that the socket has.
pub(super) fn flag(name: &str, value: i64) -> i64 {
    let bit = FLAGS.iter().find(|(known, _)| *known == name).map(|&(_, bit)| bit);
    bit.map_or(value, |bit| if value != 0 { bit } else { 0 })
}

/// Sets an option that only FreeBSD has; `None` for others. `connected` is whether the socket has a connection.
pub(super) fn set(name: &str, value: &Value, options: &mut Options, connected: bool) -> Option<Called> {
    let other = name.starts_with("TCP_RACK_") || name.starts_with("TCP_BBR_") || OTHER_STACKS.contains(&name);
    if other {
        // tcp_default_ctloutput
        return Some(Err(Halt::Errno("ENOPROTOOPT")));
    }
    match (name, value) {
        ("TCP_FUNCTION_BLK", Value::Named(stack)) if stack == "freebsd" || stack == "default" => {}
        // A stack whose module is not loaded.
        ("TCP_FUNCTION_BLK", Value::Named(_)) => return Some(Err(Halt::Errno("ENOENT"))),
        ("TCP_REMOTE_UDP_ENCAPS_PORT", _) => return Some(set_tunnel(value, options, connected)),
        _ if is_stored(name) => match value.number() {
            Ok(number) => {
                options.stored.insert(name.to_owned(), number);
            }
            Err(stop) => return Some(Err(stop.into())),
        },
        _ => return None,
    }
    Some(Ok(Answer::Value(0)))
}

/// The peer's UDP port, for TCP in UDP. It cannot change once there is a connection.
fn set_tunnel(value: &Value, options: &mut Options, connected: bool) -> Called {
    let port = u16::try_from(value.number()?).map_err(|_| Halt::Errno("EINVAL"))?;
    if connected {
        return Err(Halt::Errno("EINVAL"));
    }
    if port != 0 {
        return Err(Stop::Unsupported("TCP in UDP of a socket that connects".to_owned()).into());
    }
    options.stored.insert("TCP_REMOTE_UDP_ENCAPS_PORT".to_owned(), 0);
    Ok(Answer::Value(0))
}
