//! What can be wrong with a packet.

use core::fmt;

/// Why bytes are no packet that TCP could take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecodeError {
    /// There are fewer bytes than the packet's own lengths say, or than any header has.
    Truncated {
        /// What is cut short.
        part: &'static str,
        /// Bytes it takes.
        needed: usize,
        /// Bytes there are.
        have: usize,
    },
    /// The first four bits are neither 4 nor 6.
    Version(u8),
    /// A length field is less than its header.
    Length {
        /// The field.
        field: &'static str,
        /// Its value, in bytes.
        value: usize,
    },
    /// A checksum does not match.
    Checksum(&'static str),
    /// One fragment of several; nothing here puts them together.
    Fragment,
    /// Another protocol than TCP and ICMP: its number.
    Protocol(u8),
    /// A TCP option with a length it cannot have.
    TcpOption {
        /// Its kind.
        kind: u8,
        /// Its length, as far as there is one.
        length: Option<u8>,
    },
    /// An ICMP message that reports no error to TCP.
    IcmpMessage {
        /// Its type.
        message: u8,
        /// Its code.
        code: u8,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Truncated { part, needed, have } => {
                write!(f, "{part} cut short: {have} bytes of at least {needed}")
            }
            DecodeError::Version(version) => write!(f, "IP version {version}; accepted: 4, 6"),
            DecodeError::Length { field, value } => write!(f, "{field} of {value} bytes is less than its header"),
            DecodeError::Checksum(part) => write!(f, "wrong checksum of {part}"),
            DecodeError::Fragment => write!(f, "a fragment"),
            DecodeError::Protocol(number) => write!(f, "protocol {number}; accepted: TCP, ICMP"),
            DecodeError::TcpOption { kind, length: Some(length) } => {
                write!(f, "TCP option {kind} of length {length}")
            }
            DecodeError::TcpOption { kind, length: None } => write!(f, "TCP option {kind} without its length"),
            DecodeError::IcmpMessage { message, code } => {
                write!(f, "ICMP type {message}, code {code}: no error of TCP's")
            }
        }
    }
}

impl core::error::Error for DecodeError {}

/// Why a segment cannot be put into a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EncodeError {
    /// One address is of IPv4, the other of IPv6.
    Families,
    /// The options do not fit into the 40 bytes that a TCP header has for them.
    Options {
        /// Bytes they take.
        bytes: u32,
    },
    /// An AccECN option has more than three counters.
    Counters(u8),
    /// The packet is longer than its length field can say.
    Length {
        /// What the field counts, in bytes.
        bytes: u64,
    },
    /// The buffer does not hold the headers.
    Buffer {
        /// Bytes they take.
        needed: usize,
        /// Bytes there are.
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
            EncodeError::Buffer { needed, have } => write!(f, "{have} bytes for {needed} bytes of headers"),
        }
    }
}

impl core::error::Error for EncodeError {}
