//! Encoding of segments as bytes: IPv4 (RFC 791), IPv6 (RFC 8200) and TCP (RFC 9293) with its options, and decoding of
//! ICMP errors about segments.
//!
//! [`encode`] writes the headers of a segment into a buffer. The endpoint has no payload; the caller writes it after
//! the headers. [`decode`] reads a packet of either IP version and checks all lengths and checksums. Neither function
//! allocates, and neither panics on any input.
//!
//! ```
//! use ackclock_wire::{Addresses, Packet, Sum, decode, encode};
//! use ackclock_tcp::{Flags, Segment};
//!
//! let addresses = Addresses { source: "10.0.0.1:5000".parse()?, destination: "10.0.0.2:80".parse()? };
//! let segment = Segment { seq: 7, len: 5, ..Segment::new(Flags::ACK) };
//! let mut packet = [0; 1500];
//! let headers = encode(&addresses, &segment, Sum::of(b"hello"), &mut packet)?;
//! packet[headers..headers + 5].copy_from_slice(b"hello");
//! assert_eq!(decode(&packet[..headers + 5])?, Packet::Tcp { addresses, segment, payload: b"hello" });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checksum;
mod error;
mod icmp;
mod ip;
pub mod pcapng;
mod tcp;
#[cfg(test)]
mod tests;
pub mod transit;

use core::net::SocketAddr;

use ackclock_core::Ecn;
use ackclock_tcp::Segment;

pub use checksum::Sum;
pub use error::{DecodeError, EncodeError};
pub use icmp::{Icmp, IcmpError};

/// Largest number of header bytes that [`encode`] writes: IPv6, and TCP with all options that fit.
pub const MAX_HEADERS: usize = ip::V6_HEADER + 60;

/// Source and destination of a segment, with the same IP version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Addresses {
    /// Address and port of the sender.
    pub source: SocketAddr,
    /// Address and port of the receiver.
    pub destination: SocketAddr,
}

impl Addresses {
    /// The addresses of a reply.
    #[must_use]
    pub fn reversed(self) -> Addresses {
        Addresses { source: self.destination, destination: self.source }
    }
}

/// A decoded packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Packet<'a> {
    /// A TCP segment.
    Tcp {
        /// Source and destination of the segment.
        addresses: Addresses,
        /// Header of the segment; `len` is the length of the payload.
        segment: Segment,
        /// Payload of the segment.
        payload: &'a [u8],
    },
    /// An ICMP error about an earlier segment.
    Icmp(Icmp),
}

/// Length of a segment on the wire over IPv4 or IPv6, with headers and payload, bytes.
pub fn packet_len(segment: &Segment, v6: bool) -> u64 {
    let ip = if v6 { ip::V6_HEADER } else { ip::V4_HEADER };
    ip as u64 + u64::from(segment.header_len()) + u64::from(segment.len)
}

/// Writes the IP and TCP headers of a segment to the front of `buffer` and returns their length; the payload follows
/// them. `payload` is the sum of the payload's bytes; [`Sum::default`] is the sum of zeros and of an empty payload.
///
/// IPv4 packets may not be fragmented and so carry the identification 0 (RFC 6864 section 4.1). The hop limit is 64.
///
/// # Errors
/// [`EncodeError`] if the addresses differ in IP version or the segment does not fit.
pub fn encode(addresses: &Addresses, segment: &Segment, payload: Sum, buffer: &mut [u8]) -> Result<usize, EncodeError> {
    let hosts = ip::Hosts::of(addresses).ok_or(EncodeError::Families)?;
    let v6 = addresses.source.is_ipv6();
    let options = tcp::Options::of(segment)?;
    // The length field of IPv4 includes the header; that of IPv6 does not.
    let counted = u64::from(segment.header_len()) + u64::from(segment.len) + if v6 { 0 } else { ip::V4_HEADER as u64 };
    let counted = u16::try_from(counted).map_err(|_| EncodeError::Length { bytes: counted })?;
    let needed = hosts.header_len() + segment.header_len() as usize;
    let have = buffer.len();
    let headers = buffer.get_mut(..needed).ok_or(EncodeError::Buffer { needed, have })?;
    let (ip_header, tcp_header) = headers.split_at_mut(hosts.header_len());
    hosts.write(ip::TCP, segment.ecn, counted, ip_header);
    let rest = hosts.pseudo_header(ip::TCP, (segment.header_len() + segment.len) as usize).and(payload);
    tcp::write(addresses, segment, &options, rest, tcp_header);
    Ok(needed)
}

/// Length of a UDP header, bytes.
const UDP_HEADER: usize = 8;

/// Writes the IP and UDP headers (RFC 768) of a datagram with a payload of `len` zeros to the front of `buffer` and
/// returns their length.
///
/// # Errors
/// [`EncodeError`] if the addresses differ in IP version or the datagram does not fit.
pub fn encode_datagram(addresses: &Addresses, ecn: Ecn, len: u32, buffer: &mut [u8]) -> Result<usize, EncodeError> {
    let hosts = ip::Hosts::of(addresses).ok_or(EncodeError::Families)?;
    let whole = UDP_HEADER as u64 + u64::from(len);
    let counted = whole + if addresses.source.is_ipv6() { 0 } else { ip::V4_HEADER as u64 };
    let counted = u16::try_from(counted).map_err(|_| EncodeError::Length { bytes: counted })?;
    let needed = hosts.header_len() + UDP_HEADER;
    let have = buffer.len();
    let headers = buffer.get_mut(..needed).ok_or(EncodeError::Buffer { needed, have })?;
    let (ip_header, header) = headers.split_at_mut(hosts.header_len());
    hosts.write(ip::UDP, ecn, counted, ip_header);
    header[..2].copy_from_slice(&addresses.source.port().to_be_bytes());
    header[2..4].copy_from_slice(&addresses.destination.port().to_be_bytes());
    header[4..6].copy_from_slice(&(whole as u16).to_be_bytes());
    header[6..8].fill(0);
    let checksum = Sum::of(header).and(hosts.pseudo_header(ip::UDP, whole as usize)).checksum();
    // A checksum of zero would mean that there is no checksum.
    let checksum = if checksum == 0 { u16::MAX } else { checksum };
    header[6..8].copy_from_slice(&checksum.to_be_bytes());
    Ok(needed)
}

/// Decodes a packet. Bytes after its end, which a link may add, are ignored.
///
/// Unknown options are skipped, and so are options that only a SYN may carry in other segments. An option with an
/// invalid length makes the whole packet invalid.
///
/// # Errors
/// [`DecodeError`] for the first error found.
pub fn decode(bytes: &[u8]) -> Result<Packet<'_>, DecodeError> {
    let packet = ip::read(bytes)?;
    match packet.protocol {
        ip::TCP => tcp::read(&packet),
        ip::ICMP_V4 | ip::ICMP_V6 => icmp::read(&packet).map(Packet::Icmp),
        other => Err(DecodeError::Protocol(other)),
    }
}
