//! Segments as bytes: IPv4 (RFC 791), IPv6 (RFC 8200) and TCP (RFC 9293) with its options, and what ICMP says about them.
//!
//! [`encode`] writes the headers of a segment into a buffer; the payload, which the endpoint does not have, is the caller's
//! to put behind them. [`decode`] reads a packet of either version and checks every length and checksum in it. Neither
//! allocates, and no input makes either panic.
//!
//! ```
//! use ackclock_tcp::wire::{Addresses, Packet, Sum, decode, encode};
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
mod tcp;
#[cfg(test)]
mod tests;

use core::net::SocketAddr;

use crate::{Ecn, Segment};

pub use checksum::Sum;
pub use error::{DecodeError, EncodeError};
pub use icmp::{Icmp, IcmpError};

/// The most bytes of headers that [`encode`] writes: those of IPv6 and of TCP with all the options that fit.
pub const MAX_HEADERS: usize = ip::V6_HEADER + 60;

/// Where a segment comes from and where it goes, of one IP version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Addresses {
    /// Address and port of the sender.
    pub source: SocketAddr,
    /// Address and port of the receiver.
    pub destination: SocketAddr,
}

impl Addresses {
    /// Those of an answer.
    #[must_use]
    pub fn reversed(self) -> Addresses {
        Addresses { source: self.destination, destination: self.source }
    }
}

/// A packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packet<'a> {
    /// A TCP segment.
    Tcp {
        /// Whose it is.
        addresses: Addresses,
        /// Its header; `len` is the length of the payload.
        segment: Segment,
        /// Its payload.
        payload: &'a [u8],
    },
    /// A message about a segment that was sent before.
    Icmp(Icmp),
}

/// Bytes that a segment takes on the wire, headers and payload, over IPv4 or IPv6.
pub fn packet_len(segment: &Segment, v6: bool) -> u64 {
    let ip = if v6 { ip::V6_HEADER } else { ip::V4_HEADER };
    ip as u64 + u64::from(segment.header_len()) + u64::from(segment.len)
}

/// Writes the IP and TCP headers of a segment to the front of `buffer` and returns their length, behind which the payload
/// goes. `payload` is the sum of the payload's bytes; [`Sum::default`] is that of zeros, and of none.
///
/// IPv4 packets may not be fragmented and so carry the identification 0 (RFC 6864 section 4.1); the hop limit is 64.
///
/// # Errors
/// What does not fit.
pub fn encode(addresses: &Addresses, segment: &Segment, payload: Sum, buffer: &mut [u8]) -> Result<usize, EncodeError> {
    let hosts = ip::Hosts::of(addresses).ok_or(EncodeError::Families)?;
    let v6 = addresses.source.is_ipv6();
    let options = tcp::Options::of(segment)?;
    // The length field of IPv4 counts the header, that of IPv6 does not.
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

/// Bytes of a UDP header.
const UDP_HEADER: usize = 8;

/// Writes the IP and UDP headers (RFC 768) of a datagram with a payload of `len` zeros to the front of `buffer` and returns
/// their length.
///
/// # Errors
/// What does not fit.
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
    // A checksum of zero would mean that there is none.
    let checksum = if checksum == 0 { u16::MAX } else { checksum };
    header[6..8].copy_from_slice(&checksum.to_be_bytes());
    Ok(needed)
}

/// Reads a packet. Bytes behind its end, as a link may add them, are left alone.
///
/// Options that are not known here are passed over, and those of a SYN where there is no SYN. An option with a length it
/// cannot have makes the whole packet unreadable.
///
/// # Errors
/// What is wrong with it.
pub fn decode(bytes: &[u8]) -> Result<Packet<'_>, DecodeError> {
    let packet = ip::read(bytes)?;
    match packet.protocol {
        ip::TCP => tcp::read(&packet),
        ip::ICMP_V4 | ip::ICMP_V6 => icmp::read(&packet).map(Packet::Icmp),
        other => Err(DecodeError::Protocol(other)),
    }
}
