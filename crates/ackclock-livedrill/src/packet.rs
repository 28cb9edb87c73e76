//! TCP packets of scripts as bytes, with every option as it is written and in its order.

use std::net::SocketAddr;

use ackclock_drill::Stop;
use ackclock_drill::ast::{AccEcnField, EcnField, Ip, Tcp, TcpOption};
use ackclock_wire::Sum;

/// Protocol number of TCP.
pub const TCP: u8 = 6;
/// Bytes of a TCP header without options.
const HEADER: usize = 20;
/// Time to live of arriving packets by default, as in packetdrill.
const HOPS: u8 = 255;
/// First bytes of an experimental Fast Open option (RFC 7413 section 4.1.1).
const EXPERIMENT: [u8; 2] = [0xf9, 0x89];

/// A TCP packet from the kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Port that sent the packet.
    pub source: u16,
    /// Address and port to which the packet was sent.
    pub destination: SocketAddr,
    /// The segment.
    pub tcp: Tcp,
    /// The ECN field.
    pub ecn: u8,
    /// Type of service or traffic class, without the ECN field.
    pub service: u8,
    /// Time to live or hop limit.
    pub hops: u8,
}

/// Length of the IP header between these addresses.
pub fn ip_header(from: SocketAddr) -> usize {
    if from.is_ipv4() { 20 } else { 40 }
}

/// An IP packet with `payload`, whose first bytes belong to `protocol`.
///
/// # Errors
/// A packet that is longer than IP can express.
pub fn ip(from: SocketAddr, to: SocketAddr, protocol: u8, fields: &Ip, payload: &[u8]) -> Result<Vec<u8>, Stop> {
    let service = match (fields.tos, fields.ecn) {
        (Some(tos), _) => tos,
        (None, Some(EcnField::Is(bits))) => fields.dscp.unwrap_or(0) << 2 | bits,
        (None, Some(EcnField::Capable)) => return Stop::fail("[ect01] is accepted only in a packet that leaves"),
        (None, None) => fields.dscp.unwrap_or(0) << 2,
    };
    let hops = fields.ttl.unwrap_or(HOPS);
    let too_long = |_| Stop::Unsupported("packets of more than 65,535 bytes".to_owned());
    let mut bytes = Vec::with_capacity(40 + payload.len());
    match (from, to) {
        (SocketAddr::V4(from), SocketAddr::V4(to)) => {
            let total = u16::try_from(20 + payload.len()).map_err(too_long)?;
            bytes.extend([0x45, service]);
            bytes.extend(total.to_be_bytes());
            bytes.extend([0, 0, 0, 0, hops, protocol, 0, 0]);
            bytes.extend(from.ip().octets());
            bytes.extend(to.ip().octets());
            let sum = Sum::of(&bytes).checksum();
            bytes[10..12].copy_from_slice(&sum.to_be_bytes());
        }
        (SocketAddr::V6(from), SocketAddr::V6(to)) => {
            let length = u16::try_from(payload.len()).map_err(too_long)?;
            let first = 6 << 28 | u32::from(service) << 20 | fields.flow_label.unwrap_or(0);
            bytes.extend(first.to_be_bytes());
            bytes.extend(length.to_be_bytes());
            bytes.extend([protocol, hops]);
            bytes.extend(from.ip().octets());
            bytes.extend(to.ip().octets());
        }
        _ => return Stop::fail("addresses of two versions of IP in a packet"),
    }
    bytes.extend(payload);
    Ok(bytes)
}

/// Sum of the pseudo header (RFC 9293 section 3.1).
pub fn pseudo_header(from: SocketAddr, to: SocketAddr, protocol: u8, len: usize) -> Sum {
    let mut bytes = Vec::with_capacity(40);
    for address in [from, to] {
        match address {
            SocketAddr::V4(address) => bytes.extend(address.ip().octets()),
            SocketAddr::V6(address) => bytes.extend(address.ip().octets()),
        }
    }
    bytes.extend((len as u32).to_be_bytes());
    bytes.extend([0, 0, 0, protocol]);
    Sum::of(&bytes)
}

/// The TCP header and a payload of zeros.
///
/// # Errors
/// Options that do not fit in a header.
pub fn tcp(from: SocketAddr, to: SocketAddr, tcp: &Tcp) -> Result<Vec<u8>, Stop> {
    let mut options = Vec::new();
    for option in tcp.options.iter().flatten() {
        write_option(option, &mut options)?;
    }
    while options.len() % 4 != 0 {
        options.push(1);
    }
    let header = HEADER + options.len();
    if header > 60 {
        return Stop::fail(format!("{} bytes of TCP options: at most 40 fit", options.len()));
    }
    let mut bytes = Vec::with_capacity(header + tcp.len as usize);
    bytes.extend(from.port().to_be_bytes());
    bytes.extend(to.port().to_be_bytes());
    bytes.extend(tcp.seq.to_be_bytes());
    bytes.extend(tcp.ack.to_be_bytes());
    let flags = (header as u16 / 4) << 12 | tcp.flags & 0x1ff;
    bytes.extend(flags.to_be_bytes());
    bytes.extend(tcp.window.unwrap_or(0).to_be_bytes());
    bytes.extend([0, 0]);
    bytes.extend(tcp.urgent.to_be_bytes());
    bytes.extend(options);
    bytes.resize(header + tcp.len as usize, 0);
    let sum = pseudo_header(from, to, TCP, bytes.len()).and(Sum::of(&bytes)).checksum();
    bytes[16..18].copy_from_slice(&sum.to_be_bytes());
    Ok(bytes)
}

fn write_option(option: &TcpOption, out: &mut Vec<u8>) -> Result<(), Stop> {
    match option {
        TcpOption::Nop => out.push(1),
        TcpOption::Eol => out.push(0),
        TcpOption::Mss(mss) => {
            out.extend([2, 4]);
            out.extend(mss.to_be_bytes());
        }
        TcpOption::WindowScale(shift) => out.extend([3, 3, *shift]),
        TcpOption::SackPermitted => out.extend([4, 2]),
        TcpOption::Sack(blocks) => {
            out.extend([5, (2 + 8 * blocks.len()) as u8]);
            for (start, end) in blocks {
                out.extend(start.to_be_bytes());
                out.extend(end.to_be_bytes());
            }
        }
        TcpOption::Timestamps { val, ecr } => {
            out.extend([8, 10]);
            out.extend(val.unwrap_or(0).to_be_bytes());
            out.extend(ecr.to_be_bytes());
        }
        // The order of the counters tells the kind of the option (RFC 9768 section 3.2.3).
        TcpOption::AccEcn(counters) => {
            let kind = if counters.first().is_some_and(|(field, _)| *field == AccEcnField::E1b) { 174 } else { 172 };
            out.extend([kind, (2 + 3 * counters.len()) as u8]);
            for (_, value) in counters {
                out.extend(&value.to_be_bytes()[1..]);
            }
        }
        TcpOption::Md5 => {
            out.extend([19, 18]);
            out.extend([0; 16]);
        }
        TcpOption::FastOpen { cookie, experimental: false } => {
            out.extend([34, (2 + cookie.len()) as u8]);
            out.extend(cookie);
        }
        TcpOption::FastOpen { cookie, experimental: true } => {
            out.extend([254, (4 + cookie.len()) as u8]);
            out.extend(EXPERIMENT);
            out.extend(cookie);
        }
        TcpOption::Other(name) => return Stop::unsupported(*name),
    }
    Ok(())
}

/// Reads an IP packet; `None` if it has no complete TCP header.
pub fn read(bytes: &[u8]) -> Option<Seen> {
    let (service, hops, length, destination, rest) = match bytes.first()? >> 4 {
        4 if *bytes.get(9)? == TCP => {
            let to: [u8; 4] = bytes.get(16..20)?.try_into().ok()?;
            let header = usize::from(bytes[0] & 15) * 4;
            let total = usize::from(number16(bytes, 2)?);
            (bytes[1], bytes[8], total.checked_sub(header)?, SocketAddr::from((to, 0)), bytes.get(header..)?)
        }
        6 if *bytes.get(6)? == TCP => {
            let to: [u8; 16] = bytes.get(24..40)?.try_into().ok()?;
            let service = (number16(bytes, 0)? >> 4) as u8;
            (service, bytes[7], usize::from(number16(bytes, 4)?), SocketAddr::from((to, 0)), bytes.get(40..)?)
        }
        _ => return None,
    };
    let offset = number16(rest, 12)?;
    let header = usize::from(offset >> 12) * 4;
    let options = read_options(rest.get(HEADER..header)?);
    let mut destination = destination;
    destination.set_port(number16(rest, 2)?);
    let tcp = Tcp {
        flags: offset & 0x1ff,
        ace: None,
        seq: number32(rest, 4)?,
        absolute: false,
        any_seq: false,
        len: u32::try_from(length.checked_sub(header)?).ok()?,
        ack: number32(rest, 8)?,
        window: Some(number16(rest, 14)?),
        urgent: number16(rest, 18)?,
        options: Some(options),
    };
    Some(Seen { source: number16(rest, 0)?, destination, tcp, ecn: service & 3, service: service & !3, hops })
}

fn number16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn number32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn read_options(mut bytes: &[u8]) -> Vec<TcpOption> {
    let mut options = Vec::new();
    while let Some((&kind, rest)) = bytes.split_first() {
        if kind < 2 {
            options.push(if kind == 0 { TcpOption::Eol } else { TcpOption::Nop });
            bytes = rest;
            continue;
        }
        let length = rest.first().map_or(0, |&length| usize::from(length));
        let Some(data) = bytes.get(2..length) else {
            options.push(TcpOption::Other("malformed option"));
            return options;
        };
        options.push(read_option(kind, data).unwrap_or(TcpOption::Other("unknown option")));
        bytes = &bytes[length..];
    }
    options
}

fn read_option(kind: u8, data: &[u8]) -> Option<TcpOption> {
    Some(match (kind, data.len()) {
        (2, 2) => TcpOption::Mss(number16(data, 0)?),
        (3, 1) => TcpOption::WindowScale(data[0]),
        (4, 0) => TcpOption::SackPermitted,
        (5, length) if length % 8 == 0 => {
            let block = |block: &[u8]| Some((number32(block, 0)?, number32(block, 4)?));
            TcpOption::Sack(data.chunks_exact(8).map(block).collect::<Option<_>>()?)
        }
        (8, 8) => TcpOption::Timestamps { val: Some(number32(data, 0)?), ecr: number32(data, 4)? },
        (172 | 174, length) if length % 3 == 0 => {
            use AccEcnField::{Ceb, E0b, E1b};
            let order = if kind == 172 { [E0b, Ceb, E1b] } else { [E1b, Ceb, E0b] };
            let number = |bytes: &[u8]| u32::from_be_bytes([0, bytes[0], bytes[1], bytes[2]]);
            TcpOption::AccEcn(order.into_iter().zip(data.chunks_exact(3).map(number)).collect())
        }
        (19, 16) => TcpOption::Md5,
        (34, _) => TcpOption::FastOpen { cookie: data.to_vec(), experimental: false },
        (254, _) if data.starts_with(&EXPERIMENT) => {
            TcpOption::FastOpen { cookie: data[2..].to_vec(), experimental: true }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_option() -> Vec<Vec<TcpOption>> {
        use AccEcnField::{Ceb, E0b, E1b};
        vec![
            vec![
                TcpOption::Mss(1460),
                TcpOption::SackPermitted,
                TcpOption::Timestamps { val: Some(100), ecr: 7 },
                TcpOption::Nop,
                TcpOption::WindowScale(8),
            ],
            vec![TcpOption::Nop, TcpOption::Nop, TcpOption::Sack(vec![(1, 1001), (u32::MAX, 5)])],
            vec![TcpOption::Nop, TcpOption::AccEcn(vec![(E1b, 1), (Ceb, 0xff_ffff), (E0b, 3)])],
            vec![TcpOption::AccEcn(vec![(E0b, 9)]), TcpOption::Nop, TcpOption::Nop, TcpOption::Eol],
            vec![TcpOption::Nop, TcpOption::Nop, TcpOption::Md5],
            vec![
                TcpOption::FastOpen { cookie: vec![1, 2, 3, 4], experimental: false },
                TcpOption::FastOpen { cookie: vec![9; 6], experimental: true },
            ],
            vec![],
        ]
    }

    #[test]
    fn a_packet_is_read_as_it_was_written() {
        let pairs: [[SocketAddr; 2]; 2] = [
            ["192.0.2.1:40000", "192.168.0.1:8080"].map(|text| text.parse().unwrap()),
            ["[fd3d::2]:40000", "[fd3d::1]:8080"].map(|text| text.parse().unwrap()),
        ];
        for [from, to] in pairs {
            for options in every_option() {
                let segment = Tcp {
                    flags: 0x1b2,
                    ace: None,
                    seq: 0xffff_fff0,
                    absolute: false,
                    any_seq: false,
                    len: 1001,
                    ack: 77,
                    window: Some(500),
                    urgent: 9,
                    options: Some(options),
                };
                let fields = Ip { tos: Some(0xa2), ttl: Some(3), ..Ip::default() };
                let payload = tcp(from, to, &segment).unwrap();
                let sum = pseudo_header(from, to, TCP, payload.len()).and(Sum::of(&payload));
                assert!(sum.is_intact());
                let bytes = ip(from, to, TCP, &fields, &payload).unwrap();
                let seen = read(&bytes).unwrap();
                let expected = Seen { source: 40_000, destination: to, tcp: segment, ecn: 2, service: 0xa0, hops: 3 };
                assert_eq!(seen, expected);
                for short in 0..ip_header(from) + HEADER {
                    assert_eq!(read(&bytes[..short]), None);
                }
            }
        }
    }

    #[test]
    fn what_the_kernel_should_not_send_is_shown() {
        assert_eq!(read_options(&[253, 3, 1, 1]), [TcpOption::Other("unknown option"), TcpOption::Nop]);
        for malformed in [&[8, 10, 1][..], &[2], &[2, 1, 0], &[2, 0]] {
            assert_eq!(read_options(malformed), [TcpOption::Other("malformed option")], "{malformed:?}");
        }
    }

    #[test]
    fn a_packet_must_fit_in_the_length_field() {
        let [from, to] = ["192.0.2.1:1", "192.168.0.1:2"].map(|text| text.parse().unwrap());
        assert!(ip(from, to, TCP, &Ip::default(), &vec![0; 65_516]).is_err());
        assert!(ip(from, to, TCP, &Ip::default(), &vec![0; 65_515]).is_ok());
    }
}
