//! Names of the types and codes of ICMP in scripts (RFC 792, RFC 1812, RFC 4443).

use crate::ast::Icmp;

/// Types of ICMP and of ICMPv6, by their numbers.
const KINDS: [&[(u8, &str)]; 2] = [
    &[
        (0, "echo_reply"),
        (3, "unreachable"),
        (4, "source_quench"),
        (5, "redirect"),
        (8, "echo_request"),
        (11, "time_exceeded"),
        (12, "parameter_problem"),
        (13, "timestamp_request"),
        (14, "timestamp_reply"),
        (15, "information_request"),
        (16, "information_reply"),
        (17, "address_mask_request"),
        (18, "address_mask_reply"),
    ],
    &[
        (1, "unreachable"),
        (2, "packet_too_big"),
        (3, "time_exceeded"),
        (4, "parameter_problem"),
        (128, "echo_request"),
        (129, "echo_reply"),
    ],
];

/// Codes of "unreachable", in the order of their numbers, for ICMP and for ICMPv6.
const UNREACHABLE: [&[&str]; 2] = [
    &[
        "net_unreachable",
        "host_unreachable",
        "protocol_unreachable",
        "port_unreachable",
        "frag_needed",
        "source_route_failed",
        "net_unknown",
        "host_unknown",
        "source_host_isolated",
        "net_prohibited",
        "host_prohibited",
        "net_unreachable_for_tos",
        "host_unreachable_for_tos",
        "packet_filtered",
        "precedence_violation",
        "precedence_cutoff",
    ],
    &[
        "no_route",
        "admin_prohibited",
        "not_neighbour",
        "address_unreachable",
        "port_unreachable",
        "policy_fail",
        "reject_route",
    ],
];

/// Codes of the other types that have names, in the order of their numbers, for ICMP and for ICMPv6.
const OTHERS: [&[(&str, &[&str])]; 2] = [
    &[("time_exceeded", &["ttl_exceeded_in_transit", "frag_reass_exceeded"])],
    &[
        ("time_exceeded", &["exceeded_hop_limit", "exceeded_frag_time"]),
        ("parameter_problem", &["header_field", "unknown_next_header", "unknown_option"]),
    ],
];

/// Names of the codes of a type.
fn codes(kind: &str, v6: bool) -> &'static [&'static str] {
    match kind {
        "unreachable" => UNREACHABLE[usize::from(v6)],
        _ => OTHERS[usize::from(v6)].iter().find(|(name, _)| *name == kind).map_or(&[], |&(_, codes)| codes),
    }
}

/// The names of a message's type and code. `type_3` and `code_1` are numbers, and packetdrill sends code 0 where none is
/// written.
pub(crate) fn names(icmp: &Icmp, v6: bool) -> (&str, &str) {
    let numbered = |text: &str, prefix| text.strip_prefix(prefix).and_then(|number: &str| number.parse::<u8>().ok());
    let kinds = KINDS[usize::from(v6)];
    let kind = numbered(&icmp.kind, "type_").and_then(|number| kinds.iter().find(|&&(known, _)| known == number));
    let kind = kind.map_or(icmp.kind.as_str(), |&(_, name)| name);
    let code = icmp.code.as_deref().unwrap_or("code_0");
    let named = numbered(code, "code_").and_then(|number| codes(kind, v6).get(usize::from(number)));
    (kind, named.copied().unwrap_or(code))
}

/// Whether a name is that of a type.
pub(crate) fn is_known(kind: &str, v6: bool) -> bool {
    KINDS[usize::from(v6)].iter().any(|&(_, name)| name == kind)
}

/// Other names of codes of "unreachable" in ICMP.
const ALSO: [(&str, u8); 2] = [("filter_prohibited", 13), ("host_precedence_violation", 14)];

/// The number of a code of "unreachable"; `None` for a name that is not known.
pub fn unreachable_code(name: &str, v6: bool) -> Option<u8> {
    let listed = UNREACHABLE[usize::from(v6)].iter().position(|known| *known == name);
    let also = || ALSO.iter().find(|(known, _)| !v6 && *known == name).map(|(_, code)| *code);
    listed.map(|code| code as u8).or_else(also)
}
