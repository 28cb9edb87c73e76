//! The headers of IPv4 and IPv6.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::{Addresses, DecodeError, Sum};
use ackclock_core::Ecn;

/// Bytes of an IPv4 header without options.
pub const V4_HEADER: usize = 20;
/// Bytes of an IPv6 header.
pub const V6_HEADER: usize = 40;

/// Protocol numbers.
pub const TCP: u8 = 6;
pub const UDP: u8 = 17;
pub const ICMP_V4: u8 = 1;
pub const ICMP_V6: u8 = 58;

/// IPv6 extension headers, between the IPv6 header and the header of the protocol (RFC 8200 section 4).
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const DESTINATION: u8 = 60;

const DONT_FRAGMENT: u16 = 0x4000;
/// Mask of the flag More Fragments and of the fragment offset.
pub const FRAGMENTED: u16 = 0x3fff;
const HOP_LIMIT: u8 = 64;

/// Source and destination host.
#[derive(Clone, Copy)]
pub enum Hosts {
    V4(Ipv4Addr, Ipv4Addr),
    V6(Ipv6Addr, Ipv6Addr),
}

/// A packet without its IP header.
pub struct IpPacket<'a> {
    pub hosts: Hosts,
    pub ecn: Ecn,
    pub protocol: u8,
    pub payload: &'a [u8],
}

impl Hosts {
    /// Hosts of a pair of addresses; `None` if their IP versions differ.
    pub fn of(addresses: &Addresses) -> Option<Hosts> {
        match (addresses.source.ip(), addresses.destination.ip()) {
            (IpAddr::V4(source), IpAddr::V4(destination)) => Some(Hosts::V4(source, destination)),
            (IpAddr::V6(source), IpAddr::V6(destination)) => Some(Hosts::V6(source, destination)),
            _ => None,
        }
    }

    pub fn source(self) -> IpAddr {
        match self {
            Hosts::V4(source, _) => source.into(),
            Hosts::V6(source, _) => source.into(),
        }
    }

    pub fn with_ports(self, source: u16, destination: u16) -> Addresses {
        let (from, to): (IpAddr, IpAddr) = match self {
            Hosts::V4(from, to) => (from.into(), to.into()),
            Hosts::V6(from, to) => (from.into(), to.into()),
        };
        Addresses { source: SocketAddr::new(from, source), destination: SocketAddr::new(to, destination) }
    }

    /// Sum of the pseudo header in the checksums of TCP and ICMPv6; `len` is the length of header and payload (RFC 9293
    /// section 3.1, RFC 8200 section 8.1).
    pub fn pseudo_header(self, protocol: u8, len: usize) -> Sum {
        let addresses = match self {
            Hosts::V4(source, destination) => Sum::of(&source.octets()).and(Sum::of(&destination.octets())),
            Hosts::V6(source, destination) => Sum::of(&source.octets()).and(Sum::of(&destination.octets())),
        };
        addresses.and(Sum::of(&(len as u32).to_be_bytes())).and(Sum::of(&[0, protocol]))
    }

    /// Length of the header, bytes.
    pub fn header_len(self) -> usize {
        match self {
            Hosts::V4(..) => V4_HEADER,
            Hosts::V6(..) => V6_HEADER,
        }
    }

    /// Writes a header for a protocol to `out`, which it fills; `len` is the value of the length field.
    pub fn write(self, protocol: u8, ecn: Ecn, len: u16, out: &mut [u8]) {
        out.fill(0);
        match self {
            Hosts::V4(source, destination) => {
                out[0] = 4 << 4 | (V4_HEADER / 4) as u8;
                out[1] = ecn as u8;
                out[2..4].copy_from_slice(&len.to_be_bytes());
                out[6..8].copy_from_slice(&DONT_FRAGMENT.to_be_bytes());
                out[8] = HOP_LIMIT;
                out[9] = protocol;
                out[12..16].copy_from_slice(&source.octets());
                out[16..20].copy_from_slice(&destination.octets());
                let checksum = Sum::of(out).checksum();
                out[10..12].copy_from_slice(&checksum.to_be_bytes());
            }
            Hosts::V6(source, destination) => {
                out[0] = 6 << 4;
                // The traffic class begins in the first byte.
                out[1] = (ecn as u8) << 4;
                out[4..6].copy_from_slice(&len.to_be_bytes());
                out[6] = protocol;
                out[7] = HOP_LIMIT;
                out[8..24].copy_from_slice(&source.octets());
                out[24..40].copy_from_slice(&destination.octets());
            }
        }
    }
}

/// Decodes the header of a whole packet.
pub fn read(bytes: &[u8]) -> Result<IpPacket<'_>, DecodeError> {
    let packet = read_start(bytes)?;
    if packet.version == 4 && !Sum::of(packet.header).is_intact() {
        return Err(DecodeError::Checksum("the IPv4 header"));
    }
    let needed = packet.header.len() + packet.len;
    let payload = bytes.get(packet.header.len()..needed).ok_or(DecodeError::Truncated {
        part: "IP packet",
        needed,
        have: bytes.len(),
    })?;
    packet.finish(payload)
}

/// Decodes the header of a packet that an ICMP message quotes. Its checksum may have changed on the path, and its end
/// may be missing.
pub fn read_quoted(bytes: &[u8]) -> Result<IpPacket<'_>, DecodeError> {
    let packet = read_start(bytes)?;
    packet.finish(&bytes[packet.header.len()..])
}

/// The header of a packet, and what it says of the rest.
pub struct Start<'a> {
    /// Version of IP, 4 or 6.
    pub version: u8,
    /// The header without extension headers.
    pub header: &'a [u8],
    /// Number of bytes after the header.
    pub len: usize,
}

pub fn read_start(bytes: &[u8]) -> Result<Start<'_>, DecodeError> {
    let have = bytes.len();
    let version = bytes.first().map_or(0, |first| first >> 4);
    let (part, least) = match version {
        4 => ("IPv4 header", V4_HEADER),
        6 => ("IPv6 header", V6_HEADER),
        _ if have == 0 => return Err(DecodeError::Truncated { part: "IP packet", needed: V4_HEADER, have }),
        other => return Err(DecodeError::Version(other)),
    };
    if have < least {
        return Err(DecodeError::Truncated { part, needed: least, have });
    }
    if version == 6 {
        return Ok(Start { version, header: &bytes[..V6_HEADER], len: usize::from(u16_at(bytes, 4)) });
    }
    let header = usize::from(bytes[0] & 15) * 4;
    if header < V4_HEADER {
        return Err(DecodeError::Length { field: "IPv4 header length", value: header });
    }
    if have < header {
        return Err(DecodeError::Truncated { part, needed: header, have });
    }
    let total = usize::from(u16_at(bytes, 2));
    if total < header {
        return Err(DecodeError::Length { field: "IPv4 total length", value: total });
    }
    Ok(Start { version, header: &bytes[..header], len: total - header })
}

impl<'a> Start<'a> {
    /// The source and the destination.
    pub fn hosts(&self) -> Hosts {
        let header = self.header;
        if self.version == 4 {
            let address = |at: usize| Ipv4Addr::from_bits(u32_at(header, at));
            return Hosts::V4(address(12), address(16));
        }
        let address = |at: usize| {
            let mut octets = [0; 16];
            octets.copy_from_slice(&header[at..at + 16]);
            Ipv6Addr::from(octets)
        };
        Hosts::V6(address(8), address(24))
    }

    fn finish(&self, payload: &'a [u8]) -> Result<IpPacket<'a>, DecodeError> {
        let header = self.header;
        let hosts = self.hosts();
        if self.version == 4 {
            if u16_at(header, 6) & FRAGMENTED != 0 {
                return Err(DecodeError::Fragment);
            }
            return Ok(IpPacket { hosts, ecn: Ecn::from_bits(header[1]), protocol: header[9], payload });
        }
        let (protocol, payload) = skip_extensions(header[6], payload)?;
        Ok(IpPacket { hosts, ecn: Ecn::from_bits(header[1] >> 4), protocol, payload })
    }
}

/// Skips extension headers; returns the protocol and its bytes.
fn skip_extensions(mut protocol: u8, mut payload: &[u8]) -> Result<(u8, &[u8]), DecodeError> {
    while matches!(protocol, HOP_BY_HOP | ROUTING | FRAGMENT | DESTINATION) {
        let have = payload.len();
        let cut = |needed| DecodeError::Truncated { part: "IPv6 extension header", needed, have };
        if have < 8 {
            return Err(cut(8));
        }
        // RFC 6946: a fragment that is the whole packet is accepted.
        if protocol == FRAGMENT && u16_at(payload, 2) & !6 != 0 {
            return Err(DecodeError::Fragment);
        }
        let len = if protocol == FRAGMENT { 8 } else { 8 + 8 * usize::from(payload[1]) };
        protocol = payload[0];
        payload = payload.get(len..).ok_or(cut(len))?;
    }
    Ok((protocol, payload))
}

/// The big-endian number at offset `at`, which is within `bytes`.
pub fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// The big-endian number at offset `at`, which is within `bytes`.
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) << 16 | u32::from(u16_at(bytes, at + 2))
}
