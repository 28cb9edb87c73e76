//! Sizes of headers and packets, in bytes.

/// Size of an IPv4 header without options.
pub const IPV4: u32 = 20;
/// Size of a TCP header without options.
pub const TCP: u32 = 20;
/// Size of a UDP header.
pub const UDP: u32 = 8;
/// Size of an IPv4 and a TCP header, both without options.
pub const TCP_IPV4: u32 = IPV4 + TCP;
/// Size of an IPv4 and a UDP header.
pub const UDP_IPV4: u32 = IPV4 + UDP;
/// Size of the largest packet: the total length of IPv4 has 16 bits.
pub const LARGEST_PACKET: u32 = u16::MAX as u32;
