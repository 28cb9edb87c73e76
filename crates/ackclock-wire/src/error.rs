//! Errors of decoding and encoding packets.

use core::fmt;

/// Reason for which bytes could not be decoded as a packet for TCP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DecodeError {
    /// The packet has fewer bytes than a header needs or than its length fields state.
    Truncated {
        /// Truncated part of the packet.
        part: &'static str,
        /// Number of bytes needed.
        needed: usize,
        /// Number of bytes available.
        have: usize,
    },
    /// The first four bits are neither 4 nor 6.
    Version(u8),
    /// A length field is smaller than its header.
    Length {
        /// Name of the field.
        field: &'static str,
        /// Value of the field, in bytes.
        value: usize,
    },
    /// A checksum does not match.
    Checksum(&'static str),
    /// The packet is a fragment; reassembly is not supported.
    Fragment,
    /// Number of a protocol other than TCP and ICMP.
    Protocol(u8),
    /// A TCP option has an invalid length.
    TcpOption {
        /// Kind of the option.
        kind: u8,
        /// Length of the option; `None` if the length byte is missing.
        length: Option<u8>,
    },
    /// The ICMP message reports no error about a TCP segment.
    IcmpMessage {
        /// Type of the message.
        message: u8,
        /// Code of the message.
        code: u8,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Truncated { part, needed, have } => {
                write!(f, "{part} truncated: {have} bytes; at least {needed} needed")
            }
            DecodeError::Version(version) => write!(f, "IP version {version}; accepted: 4, 6"),
            DecodeError::Length { field, value } => write!(f, "{field} of {value} bytes is smaller than the header"),
            DecodeError::Checksum(part) => write!(f, "wrong checksum of {part}"),
            DecodeError::Fragment => write!(f, "IP fragment; accepted: whole packets"),
            DecodeError::Protocol(number) => write!(f, "protocol {number}; accepted: TCP, ICMP"),
            DecodeError::TcpOption { kind, length: Some(length) } => {
                write!(f, "TCP option {kind} with the invalid length {length}")
            }
            DecodeError::TcpOption { kind, length: None } => write!(f, "TCP option {kind} without its length"),
            DecodeError::IcmpMessage { message, code } => {
                write!(f, "ICMP type {message}, code {code}: accepted: destination unreachable, packet too big")
            }
        }
    }
}

impl core::error::Error for DecodeError {}

/// Reason for which a segment could not be encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EncodeError {
    /// One address is an IPv4 address, the other an IPv6 address.
    Families,
    /// The options do not fit into the 40 bytes available in a TCP header.
    Options {
        /// Number of bytes of the options.
        bytes: u32,
    },
    /// An AccECN option has more than three counters.
    Counters(u8),
    /// The packet is longer than its length field can express.
    Length {
        /// Value of the length field, in bytes.
        bytes: u64,
    },
    /// The buffer is too small for the headers.
    Buffer {
        /// Number of bytes needed.
        needed: usize,
        /// Number of bytes available.
        have: usize,
    },
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodeError::Families => write!(f, "source and destination are of different IP versions"),
            EncodeError::Options { bytes } => write!(f, "{bytes} bytes of TCP options; accepted: at most 40"),
            EncodeError::Counters(count) => write!(f, "{count} AccECN counters; accepted: at most 3"),
            EncodeError::Length { bytes } => write!(f, "a packet length of {bytes} bytes; accepted: at most 65535"),
            EncodeError::Buffer { needed, have } => {
                write!(f, "a buffer of {have} bytes; at least {needed} needed for the headers")
            }
        }
    }
}

impl core::error::Error for EncodeError {}
