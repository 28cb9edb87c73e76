//! ICMP errors about segments that did not arrive (RFC 792, RFC 1191, RFC 4443).

use core::net::IpAddr;

use super::ip::{self, Hosts, IpPacket, u16_at, u32_at};
use super::{Addresses, DecodeError, Sum};

/// Bytes of an ICMP header.
const HEADER: usize = 8;
/// Smallest part of the TCP header that an ICMP message quotes: ports and sequence number (RFC 792).
const QUOTED: usize = 8;

const V4_UNREACHABLE: u8 = 3;
const V4_FRAGMENTATION_NEEDED: u8 = 4;
const V6_UNREACHABLE: u8 = 1;
const V6_TOO_BIG: u8 = 2;

/// Reason for which a segment was not forwarded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum IcmpError {
    /// The destination is unreachable: ICMP type 3 or ICMPv6 type 1.
    Unreachable {
        /// Code of the message.
        code: u8,
    },
    /// The segment is too big for the next link; for IPv4, fragmentation was not allowed.
    TooBig {
        /// Largest packet that fits, in bytes with the IP header; 0 if the router gives no value (RFC 1191 section 3).
        mtu: u32,
    },
}

/// An ICMP error message about a TCP segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Icmp {
    /// Address of the router or host that sent the message.
    pub from: IpAddr,
    /// Addresses of the segment; `source` receives this message.
    pub addresses: Addresses,
    /// Sequence number of the segment.
    pub seq: u32,
    /// The reported error.
    pub error: IcmpError,
}

/// Decodes the message in an IP packet.
pub fn read(packet: &IpPacket<'_>) -> Result<Icmp, DecodeError> {
    let bytes = packet.payload;
    let have = bytes.len();
    if have < HEADER {
        return Err(DecodeError::Truncated { part: "ICMP header", needed: HEADER, have });
    }
    // The checksum of ICMPv6 includes a pseudo header; that of ICMP does not.
    let (v6, pseudo) = match packet.hosts {
        Hosts::V4(..) => (false, Sum::default()),
        Hosts::V6(..) => (true, packet.hosts.pseudo_header(ip::ICMP_V6, have)),
    };
    if v6 != (packet.protocol == ip::ICMP_V6) {
        return Err(DecodeError::Protocol(packet.protocol));
    }
    if !pseudo.and(Sum::of(bytes)).is_intact() {
        return Err(DecodeError::Checksum("ICMP"));
    }
    let (message, code) = (bytes[0], bytes[1]);
    let error = match (v6, message) {
        (false, V4_UNREACHABLE) if code == V4_FRAGMENTATION_NEEDED => {
            IcmpError::TooBig { mtu: u32::from(u16_at(bytes, 6)) }
        }
        (false, V4_UNREACHABLE) | (true, V6_UNREACHABLE) => IcmpError::Unreachable { code },
        (true, V6_TOO_BIG) => IcmpError::TooBig { mtu: u32_at(bytes, 4) },
        _ => return Err(DecodeError::IcmpMessage { message, code }),
    };
    let quoted = ip::read_quoted(&bytes[HEADER..])?;
    if quoted.protocol != ip::TCP {
        return Err(DecodeError::Protocol(quoted.protocol));
    }
    let tcp = quoted.payload;
    if tcp.len() < QUOTED {
        return Err(DecodeError::Truncated { part: "quoted TCP header", needed: QUOTED, have: tcp.len() });
    }
    let addresses = quoted.hosts.with_ports(u16_at(tcp, 0), u16_at(tcp, 2));
    Ok(Icmp { from: packet.hosts.source(), addresses, seq: u32_at(tcp, 4), error })
}
