//! Packets on their way, as a router sees them: of any protocol, with or without a correct checksum of the payload.

use core::net::IpAddr;

use ackclock_core::Ecn;

use crate::checksum::Sum;
use crate::error::DecodeError;
use crate::ip::{FRAGMENTED, Hosts, read_start, u16_at};

/// Protocols whose header begins with two ports: TCP, UDP, DCCP, SCTP and UDP-Lite.
const WITH_PORTS: [u8; 5] = [6, 17, 33, 132, 136];

/// Fields of a packet that a router reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transit {
    /// Length of the packet in bytes, as its header says.
    pub len: usize,
    /// ECN field (RFC 3168, section 5).
    pub ecn: Ecn,
    /// Fields that all packets of a connection have in common.
    pub connection: Pair,
}

/// Protocol, addresses and ports, in the same order for both directions of a connection. Ports are zero where a packet
/// shows none: fragments, extension headers, and protocols without ports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pair {
    /// Number of the protocol above IP.
    pub protocol: u8,
    /// Address and port of one end, which is not greater than the other end's.
    pub low: (IpAddr, u16),
    /// Address and port of the other end.
    pub high: (IpAddr, u16),
}

impl Transit {
    /// Reads the header of a packet.
    ///
    /// # Errors
    /// The packet is shorter than it says, or it is neither IPv4 nor IPv6.
    pub fn of(bytes: &[u8]) -> Result<Transit, DecodeError> {
        let start = read_start(bytes)?;
        let header = start.header;
        let len = header.len() + start.len;
        if len > bytes.len() {
            return Err(DecodeError::Truncated { part: "IP packet", needed: len, have: bytes.len() });
        }
        let fragment = start.version == 4 && u16_at(header, 6) & FRAGMENTED != 0;
        let (protocol, bits) = if start.version == 4 { (header[9], header[1]) } else { (header[6], header[1] >> 4) };
        let rest = &bytes[header.len()..len];
        let ports = if WITH_PORTS.contains(&protocol) && !fragment && rest.len() >= 4 {
            [u16_at(rest, 0), u16_at(rest, 2)]
        } else {
            [0; 2]
        };
        let hosts: [IpAddr; 2] = match start.hosts() {
            Hosts::V4(source, destination) => [source.into(), destination.into()],
            Hosts::V6(source, destination) => [source.into(), destination.into()],
        };
        let ends = [(hosts[0], ports[0]), (hosts[1], ports[1])];
        let [low, high] = if ends[0] <= ends[1] { ends } else { [ends[1], ends[0]] };
        Ok(Transit { len, ecn: Ecn::from_bits(bits), connection: Pair { protocol, low, high } })
    }
}

/// Sets the ECN field of a packet to CE (RFC 3168, section 5) and mends the checksum of an IPv4 header.
///
/// # Errors
/// The packet has no whole header; it is not changed.
pub fn mark(bytes: &mut [u8]) -> Result<(), DecodeError> {
    let start = read_start(bytes)?;
    let (version, len) = (start.version, start.header.len());
    if version == 6 {
        bytes[1] |= (Ecn::Ce as u8) << 4;
        return Ok(());
    }
    bytes[1] |= Ecn::Ce as u8;
    bytes[10..12].fill(0);
    let checksum = Sum::of(&bytes[..len]).checksum();
    bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use ackclock_tcp::{Flags, Segment};
    use proptest::prelude::*;

    use super::*;
    use crate::{Addresses, Packet, decode, encode, encode_datagram};

    fn addresses(v6: bool) -> Addresses {
        let [source, destination] =
            if v6 { ["[fd00::1]:5000", "[fd00::2]:80"] } else { ["10.0.0.1:5000", "10.0.0.2:80"] };
        Addresses { source: source.parse().unwrap(), destination: destination.parse().unwrap() }
    }

    fn packet(addresses: &Addresses, ecn: Ecn) -> Vec<u8> {
        let segment = Segment { seq: 7, ecn, ..Segment::new(Flags::ACK) };
        let mut bytes = vec![0; 100];
        let len = encode(addresses, &segment, Sum::default(), &mut bytes).unwrap();
        bytes.truncate(len);
        bytes
    }

    #[test]
    fn both_directions_of_a_connection_are_one() {
        for v6 in [false, true] {
            let there = Transit::of(&packet(&addresses(v6), Ecn::Ect0)).unwrap();
            let back = Transit::of(&packet(&addresses(v6).reversed(), Ecn::NotEct)).unwrap();
            assert_eq!(there.connection, back.connection);
            assert_eq!((there.ecn, back.ecn, there.connection.protocol), (Ecn::Ect0, Ecn::NotEct, 6));
            assert_eq!([there.connection.low.1, there.connection.high.1], [5000, 80]);
            let mut bytes = [0; 200];
            let len = encode_datagram(&addresses(v6), Ecn::NotEct, 10, &mut bytes).unwrap();
            // A frame may be longer than its packet.
            let datagram = Transit::of(&bytes).unwrap();
            assert_eq!((datagram.len, datagram.connection.protocol), (len + 10, 17));
            assert_ne!(datagram.connection, there.connection);
        }
    }

    #[test]
    fn a_fragment_shows_no_ports() {
        let mut bytes = packet(&addresses(false), Ecn::NotEct);
        bytes[6] = 0x20;
        let transit = Transit::of(&bytes).unwrap();
        assert_eq!((transit.connection.low.1, transit.connection.high.1), (0, 0));
    }

    #[test]
    fn a_mark_is_seen_and_the_checksum_holds() {
        for v6 in [false, true] {
            let mut bytes = packet(&addresses(v6), Ecn::Ect1);
            mark(&mut bytes).unwrap();
            assert_eq!(Transit::of(&bytes).unwrap().ecn, Ecn::Ce);
            let Packet::Tcp { segment, .. } = decode(&bytes).unwrap() else { panic!() };
            assert_eq!((segment.ecn, segment.seq), (Ecn::Ce, 7));
        }
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_strange(mut bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            if let Ok(transit) = Transit::of(&bytes) {
                prop_assert!(transit.len <= bytes.len());
            }
            let len = bytes.len();
            let _ = mark(&mut bytes);
            prop_assert_eq!(bytes.len(), len);
        }
    }
}
