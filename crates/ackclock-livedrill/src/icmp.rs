//! ICMP messages of scripts as bytes (RFC 792, RFC 1191, RFC 4443).

use std::net::SocketAddr;

use crate::packet::{self, TCP};
use ackclock_drill::Stop;
use ackclock_drill::ast::{Icmp, Ip};
use ackclock_drill::icmp::unreachable_code;
use ackclock_wire::Sum;

const ICMP_V4: u8 = 1;
const ICMP_V6: u8 = 58;

/// Names of the codes of the other types, from code 0.
const TIME_V4: &[&str] = &["exceeded_ttl", "exceeded_frag"];
const TIME_V6: &[&str] = &["exceeded_hop_limit", "exceeded_frag"];
const PARAMETER_V6: &[&str] = &["erroneous_header_field", "unknown_next_header", "unknown_option"];

/// A message from the peer about a packet with the sequence number `seq` that was sent from `local` to `remote`.
///
/// # Errors
/// A message that is not known here.
pub fn message(icmp: &Icmp, local: SocketAddr, remote: SocketAddr, seq: u32, fields: &Ip) -> Result<Vec<u8>, Stop> {
    let v6 = local.is_ipv6();
    let (kind, codes): (u8, &[&str]) = match (icmp.kind.as_str(), v6) {
        ("unreachable", false) => (3, &[]),
        ("source_quench", false) => (4, &[]),
        ("time_exceeded", false) => (11, TIME_V4),
        ("unreachable", true) => (1, &[]),
        ("packet_too_big", true) => (2, &[]),
        ("time_exceeded", true) => (3, TIME_V6),
        ("parameter_problem", true) => (4, PARAMETER_V6),
        (kind, _) => return Stop::unsupported(format!("ICMP {kind} of this version of IP")),
    };
    let code = match &icmp.code {
        None => 0,
        Some(name) => {
            let listed = || codes.iter().position(|known| known == name).map(|code| code as u8);
            let code = if icmp.kind == "unreachable" { unreachable_code(name, v6) } else { listed() };
            let Some(code) = code else { return Stop::unsupported(format!("ICMP {} {name}", icmp.kind)) };
            code
        }
    };
    let mut quoted = Vec::new();
    quoted.extend(local.port().to_be_bytes());
    quoted.extend(remote.port().to_be_bytes());
    quoted.extend(seq.to_be_bytes());
    // The rest of a TCP header, so that the quoted packet is as long as its IP header says.
    let length = icmp.echoed.map_or(0, |(_, length)| length as usize);
    quoted.extend([0, 0, 0, 0, 0x50, 0x10, 0, 0, 0, 0, 0, 0]);
    let mut original = packet::ip(local, remote, TCP, &Ip::default(), &quoted)?;
    let at = if v6 { 4 } else { 2 };
    let stated = u16::from_be_bytes([original[at], original[at + 1]]) as usize + length;
    let Ok(stated) = u16::try_from(stated) else { return Stop::unsupported("packets of more than 65,535 bytes") };
    original[at..at + 2].copy_from_slice(&stated.to_be_bytes());
    if !v6 {
        original[10..12].copy_from_slice(&[0, 0]);
        let sum = Sum::of(&original[..20]).checksum();
        original[10..12].copy_from_slice(&sum.to_be_bytes());
    }
    let mut bytes = vec![kind, code, 0, 0];
    bytes.extend(icmp.mtu.unwrap_or(0).to_be_bytes());
    bytes.extend(original);
    let protocol = if v6 { ICMP_V6 } else { ICMP_V4 };
    let pseudo = if v6 { packet::pseudo_header(remote, local, protocol, bytes.len()) } else { Sum::default() };
    let sum = pseudo.and(Sum::of(&bytes)).checksum();
    bytes[2..4].copy_from_slice(&sum.to_be_bytes());
    packet::ip(remote, local, protocol, fields, &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn icmp(kind: &str, code: Option<&str>) -> Icmp {
        let code = code.map(str::to_owned);
        Icmp { kind: kind.to_owned(), code, mtu: Some(1280), echoed: Some((1, 1000)), foreign: false }
    }

    #[test]
    fn a_message_quotes_the_packet() {
        let [local, remote] = ["192.168.0.1:8080", "192.0.2.1:40000"].map(|text| text.parse().unwrap());
        let bytes = message(&icmp("unreachable", Some("frag_needed")), local, remote, 7, &Ip::default()).unwrap();
        assert!(Sum::of(&bytes[..20]).is_intact() && Sum::of(&bytes[20..]).is_intact());
        let Ok(ackclock_wire::Packet::Icmp(decoded)) = ackclock_wire::decode(&bytes) else { panic!("no ICMP") };
        assert_eq!((decoded.seq, decoded.error), (7, ackclock_wire::IcmpError::TooBig { mtu: 1280 }));
        assert_eq!((decoded.addresses.source, decoded.addresses.destination), (local, remote));
    }

    #[test]
    fn unknown_messages_are_named() {
        let [local, remote] = ["192.168.0.1:8080", "192.0.2.1:40000"].map(|text| text.parse().unwrap());
        let refused = |kind, code| message(&icmp(kind, code), local, remote, 7, &Ip::default()).unwrap_err();
        assert_eq!(refused("unreachable", Some("no_route")), Stop::Unsupported("ICMP unreachable no_route".to_owned()));
        assert!(matches!(refused("packet_too_big", None), Stop::Unsupported(_)));
        for (name, code) in [("net_unreachable", 0), ("packet_filtered", 13), ("host_precedence_violation", 14)] {
            let bytes = message(&icmp("unreachable", Some(name)), local, remote, 7, &Ip::default()).unwrap();
            assert_eq!(bytes[20..22], [3, code], "{name}");
        }
    }
}
