//! Conversions between the terms of system calls, ICMP and `tcp_info` and those of the endpoint.

use crate::ast::Icmp;
use crate::icmp;
use crate::settings::IpVersion;
use crate::symbols::{MSG_EOR, MSG_MORE};
use crate::verdict::Stop;
use ackclock_tcp::config::WindowRule;
use ackclock_tcp::segment::STAMPS_LEN;
use ackclock_tcp::{Endpoint, Error, Icmp as Message, Nanos, Push, Rate, State};

/// Push behaviour of a write with these flags.
pub fn push(flags: i64) -> Push {
    if flags & MSG_MORE != 0 {
        Push::More
    } else if flags & MSG_EOR != 0 {
        Push::EndOfRecord
    } else {
        Push::Now
    }
}

/// Error that a system call reports for a connection that ended in state `before`.
pub fn error(endpoint: &Endpoint, before: State, freebsd: bool) -> Option<&'static str> {
    Some(match endpoint.error()? {
        Error::Refused => "ECONNREFUSED",
        // Linux: the peer has closed its direction, so only writes can fail.
        Error::Reset if before == State::CloseWait && !freebsd => "EPIPE",
        Error::Reset => "ECONNRESET",
        Error::TimedOut => "ETIMEDOUT",
        Error::NetUnreachable => "ENETUNREACH",
        Error::HostUnreachable => "EHOSTUNREACH",
        Error::ProtocolUnreachable => "ENOPROTOOPT",
        Error::ParameterProblem => "EPROTO",
        Error::RouteFailed => "EOPNOTSUPP",
        Error::HostDown => "EHOSTDOWN",
        Error::HostIsolated => "ENONET",
        Error::Prohibited => "EACCES",
        Error::Aborted => "ECONNABORTED",
        // No script expects an error that this version does not know.
        _ => "EIO",
    })
}

/// An ICMP message about the segment with sequence number `seq`; `None` if TCP ignores the message.
pub fn message(message: &Icmp, version: IpVersion, seq: u32, freebsd: bool) -> Result<Option<Message>, Stop> {
    let v6 = version == IpVersion::V6;
    let (kind, code) = icmp::names(message, v6);
    // The endpoint expects a path MTU for IPv4, whose header is 20 bytes shorter.
    let header = if v6 { 20 } else { 0 };
    let mtu = message.mtu.unwrap_or(0).saturating_sub(header);
    if matches!((kind, code), ("unreachable", "frag_needed") | ("packet_too_big", _)) {
        return Ok(Some(Message::FragmentationNeeded { mtu, seq }));
    }
    if !icmp::is_known(kind, v6) && !kind.starts_with("type_") {
        return Stop::unsupported(format!("ICMP {kind} {code}").trim_end().to_owned());
    }
    Ok(if freebsd { freebsd_message(kind, code) } else { linux_message(kind, code) })
}

/// The meaning of an ICMP message for Linux (net/ipv4/icmp.c, icmp_err_convert, and tcp_ipv4.c, tcp_v4_err; net/ipv6/icmp.c,
/// icmpv6_err_convert).
fn linux_message(kind: &str, code: &str) -> Option<Message> {
    Some(match (kind, code) {
        (
            "unreachable",
            "net_unreachable" | "net_unknown" | "net_prohibited" | "net_unreachable_for_tos" | "no_route",
        ) => Message::NetUnreachable,
        ("unreachable", "protocol_unreachable") => Message::ProtocolUnreachable,
        ("unreachable", "port_unreachable") => Message::PortUnreachable,
        ("unreachable", "source_route_failed") => Message::RouteFailed,
        ("unreachable", "host_unknown") => Message::HostUnknown,
        ("unreachable", "source_host_isolated") => Message::HostIsolated,
        ("unreachable", "admin_prohibited" | "policy_fail" | "reject_route") => Message::Prohibited,
        // A number beyond the known ones.
        ("unreachable", code) if code.starts_with("code_") => return None,
        ("unreachable", _) => Message::HostUnreachable,
        ("time_exceeded", _) => Message::TimeExceeded,
        ("parameter_problem", _) => Message::ParameterProblem,
        _ => return None,
    })
}

/// The meaning of an ICMP message for FreeBSD (sys/netinet/ip_icmp.c, icmp_errmap; sys/netinet6/icmp6.c, icmp6_errmap).
fn freebsd_message(kind: &str, code: &str) -> Option<Message> {
    Some(match (kind, code) {
        (
            "unreachable",
            "protocol_unreachable"
            | "net_prohibited"
            | "host_prohibited"
            | "packet_filtered"
            | "filter_prohibited"
            | "admin_prohibited"
            | "port_unreachable",
        )
        | ("parameter_problem", "unknown_next_header") => Message::PortUnreachable,
        ("unreachable", "not_neighbour") => Message::ParameterProblem,
        // icmp_input: a number beyond the known ones is an error of the message.
        ("unreachable", code) if code.starts_with("code_") => return None,
        ("unreachable", _) => Message::HostUnreachable,
        ("time_exceeded", "ttl_exceeded_in_transit" | "exceeded_hop_limit") => Message::TimeExceeded,
        ("parameter_problem", "code_0" | "code_1" | "header_field" | "unknown_option") => Message::ParameterProblem,
        // Other messages are no errors for TCP.
        _ => return None,
    })
}

/// `tcp_info` with the names of packetdrill, in Linux's units.
pub fn info(endpoint: &Endpoint, now: Nanos) -> Vec<(&'static str, u64)> {
    let info = endpoint.info(now);
    let micros = |nanos: Nanos| nanos / 1000;
    let millis = |nanos: Nanos| nanos / 1_000_000;
    let min_rtt = if info.min_rtt == Nanos::MAX { u64::from(u32::MAX) } else { micros(info.min_rtt) };
    vec![
        ("tcpi_state", info.state_number().into()),
        ("tcpi_ca_state", info.ca_state as u64),
        ("tcpi_retransmits", info.retransmits.into()),
        ("tcpi_probes", info.probes.into()),
        ("tcpi_backoff", info.backoff.into()),
        ("tcpi_options", info.options.into()),
        ("tcpi_snd_wscale", info.snd_wscale.into()),
        ("tcpi_rcv_wscale", info.rcv_wscale.into()),
        ("tcpi_rto", micros(info.rto)),
        ("tcpi_ato", micros(info.ato)),
        ("tcpi_snd_mss", info.snd_mss.into()),
        ("tcpi_rcv_mss", info.rcv_mss.into()),
        ("tcpi_unacked", info.unacked.into()),
        ("tcpi_sacked", info.sacked.into()),
        ("tcpi_lost", info.lost.into()),
        ("tcpi_retrans", info.retrans.into()),
        // Linux has not counted this since version 4.15.
        ("tcpi_fackets", 0),
        ("tcpi_last_data_sent", millis(info.last_data_sent)),
        ("tcpi_last_ack_sent", 0),
        ("tcpi_last_data_recv", millis(info.last_data_recv)),
        ("tcpi_last_ack_recv", millis(info.last_ack_recv)),
        ("tcpi_pmtu", info.pmtu.into()),
        ("tcpi_rcv_ssthresh", info.rcv_ssthresh.into()),
        ("tcpi_rtt", micros(info.rtt)),
        ("tcpi_rttvar", micros(info.rttvar)),
        ("tcpi_snd_ssthresh", info.snd_ssthresh.into()),
        ("tcpi_snd_cwnd", info.snd_cwnd.into()),
        ("tcpi_advmss", info.advmss.into()),
        ("tcpi_reordering", info.reordering.into()),
        ("tcpi_rcv_rtt", micros(info.rcv_rtt)),
        ("tcpi_rcv_space", info.rcv_space.into()),
        ("tcpi_total_retrans", info.total_retrans.into()),
        ("tcpi_pacing_rate", info.pacing_rate.map_or(u64::MAX, Rate::bytes)),
        ("tcpi_bytes_acked", info.bytes_acked),
        ("tcpi_bytes_received", info.bytes_received),
        ("tcpi_segs_out", info.segs_out.into()),
        ("tcpi_segs_in", info.segs_in.into()),
        ("tcpi_notsent_bytes", info.notsent_bytes),
        ("tcpi_min_rtt", min_rtt),
        ("tcpi_data_segs_in", info.data_segs_in.into()),
        ("tcpi_data_segs_out", info.data_segs_out.into()),
        ("tcpi_delivered", info.delivered.into()),
        ("tcpi_delivered_ce", info.delivered_ce.into()),
        ("tcpi_bytes_sent", info.bytes_sent),
        ("tcpi_bytes_retrans", info.bytes_retrans),
        ("tcpi_dsack_dups", info.dsack_dups.into()),
        ("tcpi_reord_seen", info.reord_seen.into()),
        ("tcpi_rcv_ooopack", info.rcv_ooopack.into()),
        ("tcpi_snd_wnd", info.snd_wnd),
        ("tcpi_rcv_wnd", info.rcv_wnd),
        ("tcpi_received_ce", info.received_ce.into()),
        ("tcpi_received_e0_bytes", info.received_bytes[0]),
        ("tcpi_received_e1_bytes", info.received_bytes[1]),
        ("tcpi_received_ce_bytes", info.received_bytes[2]),
        ("tcpi_delivered_e0_bytes", info.delivered_bytes[0]),
        ("tcpi_delivered_e1_bytes", info.delivered_bytes[1]),
        ("tcpi_delivered_ce_bytes", info.delivered_bytes[2]),
    ]
}

/// The slow-start threshold of FreeBSD before any congestion, bytes: the largest window (TCP_MAXWIN, TCP_MAX_WINSHIFT).
const NO_THRESHOLD: u64 = 65_535 << 14;

/// Bytes of options that the segment size of FreeBSD includes (sys/netinet/tcp_var.h, t_maxseg; before FreeBSD 11 it did not).
pub fn option_bytes(rule: WindowRule, endpoint: &Endpoint, now: Nanos) -> u32 {
    let stamped = endpoint.info(now).options & 1 != 0;
    if stamped && rule == WindowRule::FreeBsd { STAMPS_LEN } else { 0 }
}

/// Changes `values` of [`info`] to the fields of FreeBSD's `tcp_info`: windows in bytes, the next sequence number from the
/// initial one `iss`, the number of retransmissions, one segment size, of which `option_bytes` are no payload, and times in
/// microseconds (sys/netinet/tcp_usrreq.c, tcp_fill_info).
pub fn freebsd_info(values: &mut Vec<(&'static str, u64)>, endpoint: &Endpoint, iss: u32, option_bytes: u32) {
    let window = endpoint.window();
    let of = |name: &str| values.iter().find(|(known, _)| *known == name).map_or(0, |&(_, value)| value);
    let (mss, received) = (of("tcpi_snd_mss") + u64::from(option_bytes), of("tcpi_last_data_recv"));
    let space = of("tcpi_rcv_wnd");
    let next = u64::from(iss.wrapping_add(1).wrapping_add(endpoint.sent() as u32));
    let resent = of("tcpi_total_retrans");
    for (name, value) in values.iter_mut() {
        match *name {
            "tcpi_snd_cwnd" => *value = window.cwnd,
            "tcpi_snd_ssthresh" => *value = window.ssthresh.min(NO_THRESHOLD),
            "tcpi_snd_mss" | "tcpi_rcv_mss" => *value = mss,
            "tcpi_rcv_space" => *value = space,
            "tcpi_last_data_recv" => *value = 1000 * received,
            _ => {}
        }
    }
    values.extend([("tcpi_snd_nxt", next), ("tcpi_snd_rexmitpack", resent)]);
    values.extend(["tcpi_snd_bwnd", "tcpi_toe_tid"].map(|name| (name, 0)));
}
