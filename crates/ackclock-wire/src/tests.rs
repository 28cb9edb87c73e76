use proptest::prelude::*;

use super::*;
use ackclock_tcp::fast_open::FastOpen;
use ackclock_tcp::segment::SackBlock;
use ackclock_tcp::{AccEcnOption, Ecn, Feedback, Flags, Timestamps};

fn v4() -> Addresses {
    Addresses { source: "10.0.0.1:5001".parse().unwrap(), destination: "192.168.7.9:49152".parse().unwrap() }
}

fn v6() -> Addresses {
    Addresses { source: "[fd00::1]:80".parse().unwrap(), destination: "[2001:db8::ff:9]:1234".parse().unwrap() }
}

/// The bytes of a packet.
fn packet(addresses: &Addresses, segment: &Segment, payload: &[u8]) -> Vec<u8> {
    let mut buffer = vec![0xaa; MAX_HEADERS];
    let headers = encode(addresses, segment, Sum::of(payload), &mut buffer).unwrap();
    buffer.truncate(headers);
    buffer.extend_from_slice(payload);
    buffer
}

fn syn() -> Segment {
    let mut segment = Segment { seq: 0x0102_0304, window: 0xfaf0, ..Segment::new(Flags::SYN) };
    segment.mss = 1460;
    segment.window_scale = 7;
    segment.sack_permitted = true;
    segment.timestamps = Some(Timestamps { val: 0x1112_1314, ecr: 0 });
    segment
}

/// The bytes of the options after a TCP header.
fn options(segment: &Segment) -> Vec<u8> {
    packet(&v4(), segment, &[])[40..].to_vec()
}

#[test]
fn a_syn_byte_by_byte() {
    let bytes = packet(&v4(), &Segment { ecn: Ecn::Ect0, ..syn() }, &[]);
    let ip = [0x45, 2, 0, 60, 0, 0, 0x40, 0, 64, 6];
    assert_eq!(bytes[..10], ip);
    assert_eq!(bytes[12..20], [10, 0, 0, 1, 192, 168, 7, 9]);
    let tcp = [0x13, 0x89, 0xc0, 0x00, 1, 2, 3, 4, 0, 0, 0, 0, 0xa0, 2, 0xfa, 0xf0];
    assert_eq!(bytes[20..36], tcp);
    let options = [2, 4, 5, 180, 4, 2, 8, 10, 0x11, 0x12, 0x13, 0x14, 0, 0, 0, 0, 1, 3, 3, 7];
    assert_eq!(bytes[40..], options);
    // Both checksums are computed by hand from the words in hexadecimal, with end-around carry.
    let sum = |words: &[u32]| {
        let total: u32 = words.iter().sum();
        (!((total >> 16) + (total & 0xffff)) as u16).to_be_bytes()
    };
    assert_eq!(bytes[10..12], sum(&[0x4502, 60, 0x4000, 0x4006, 0x0a00, 1, 0xc0a8, 0x0709]));
    let pseudo = [0x0a00, 1, 0xc0a8, 0x0709, 6, 40];
    let header = [0x1389, 0xc000, 0x0102, 0x0304, 0xa002, 0xfaf0];
    let options = [0x0204, 0x05b4, 0x0402, 0x080a, 0x1112, 0x1314, 0x0103, 0x0307];
    assert_eq!(bytes[36..38], sum(&[&pseudo[..], &header, &options].concat()));
}

#[test]
fn numbers_in_options_are_aligned() {
    let mut ack = Segment::new(Flags::ACK);
    ack.sack[0] = SackBlock { start: 1, end: 2 };
    ack.sack_count = 1;
    assert_eq!(options(&ack), [1, 1, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2]);
    ack.timestamps = Some(Timestamps { val: 3, ecr: 4 });
    assert_eq!(options(&ack), [1, 1, 8, 10, 0, 0, 0, 3, 0, 0, 0, 4, 1, 1, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2]);
    ack.sack_count = 0;
    ack.set_accecn(Some(AccEcnOption { order1: true, count: 3, counters: [1, 0x0002_0304, 0xff_ffff] }));
    let expected = [174, 11, 0, 0, 1, 2, 3, 4, 255, 255, 255, 1];
    assert_eq!(options(&ack)[12..], expected);
    ack.set_accecn(Some(AccEcnOption::default()));
    assert_eq!(options(&ack)[12..], [172, 2, 1, 1]);
}

#[test]
fn segments_that_do_not_fit_are_refused() {
    let mut buffer = [0; MAX_HEADERS];
    let mut try_encode = |addresses: &Addresses, segment: &Segment, room: usize| {
        encode(addresses, segment, Sum::default(), &mut buffer[..room])
    };
    let mixed = Addresses { destination: v6().destination, ..v4() };
    assert_eq!(try_encode(&mixed, &syn(), MAX_HEADERS), Err(EncodeError::Families));
    let mut crowded = syn();
    crowded.sack_count = 3;
    assert_eq!(try_encode(&v4(), &crowded, MAX_HEADERS), Err(EncodeError::Options { bytes: 48 }));
    crowded.sack_count = u8::MAX;
    assert!(matches!(try_encode(&v4(), &crowded, MAX_HEADERS), Err(EncodeError::Options { .. })));
    let accecn = Some(AccEcnOption { count: 4, ..AccEcnOption::default() });
    assert_eq!(
        try_encode(&v4(), &Segment { feedback: accecn.map(Feedback::AccEcn), ..syn() }, MAX_HEADERS),
        Err(EncodeError::Counters(4))
    );
    // The length field of IPv4 includes the header; that of IPv6 does not.
    let longest = |v6| Segment { len: 65_535 - if v6 { 40 } else { 60 }, ..syn() };
    for (addresses, headers) in [(v4(), 60), (v6(), 80)] {
        let longest = longest(headers == 80);
        assert_eq!(try_encode(&addresses, &longest, headers), Ok(headers));
        let longer = Segment { len: longest.len + 1, ..longest };
        assert_eq!(try_encode(&addresses, &longer, headers), Err(EncodeError::Length { bytes: 65_536 }));
        let huge = Segment { len: u32::MAX, ..syn() };
        assert!(matches!(try_encode(&addresses, &huge, headers), Err(EncodeError::Length { .. })));
    }
    assert_eq!(try_encode(&v6(), &syn(), 79), Err(EncodeError::Buffer { needed: 80, have: 79 }));
}

/// The error of [`decode`] for the packet after `change`, with corrected checksums.
fn altered(addresses: &Addresses, segment: &Segment, payload: &[u8], change: impl Fn(&mut Vec<u8>)) -> DecodeError {
    let mut bytes = packet(addresses, segment, payload);
    change(&mut bytes);
    mend(&mut bytes);
    match decode(&bytes) {
        Err(error) => error,
        Ok(packet) => panic!("{packet:?} is fine"),
    }
}

/// Corrects the checksums of a TCP or ICMP packet, as far as the packet is long enough to have them.
fn mend(bytes: &mut [u8]) {
    let (ip, pseudo) = match bytes.first().map(|first| first >> 4) {
        Some(4) if bytes.len() >= 20 => {
            let len = (usize::from(bytes[0] & 15) * 4).min(bytes.len());
            if len >= 12 {
                bytes[10..12].fill(0);
                let checksum = Sum::of(&bytes[..len]).checksum();
                bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
            }
            (len, Sum::of(&bytes[12..20]))
        }
        Some(6) if bytes.len() >= 40 => (40, Sum::of(&bytes[8..40])),
        _ => return,
    };
    let protocol = if bytes[0] >> 4 == 4 { bytes[9] } else { bytes[6] };
    let (at, pseudo) = match protocol {
        6 => (ip + 16, pseudo),
        1 => (ip + 2, Sum::default()),
        58 => (ip + 2, pseudo),
        _ => return,
    };
    if bytes.len() < at + 2 {
        return;
    }
    let len = (bytes.len() - ip) as u32;
    let pseudo =
        if protocol == 1 { pseudo } else { pseudo.and(Sum::of(&len.to_be_bytes())).and(Sum::of(&[0, protocol])) };
    bytes[at..at + 2].fill(0);
    let checksum = pseudo.and(Sum::of(&bytes[ip..])).checksum();
    bytes[at..at + 2].copy_from_slice(&checksum.to_be_bytes());
}

#[test]
fn each_mistake_has_its_own_error() {
    use DecodeError::*;
    let (data, text) = (Segment { len: 4, ..Segment::new(Flags::ACK) }, b"data");
    type Change = fn(&mut Vec<u8>);
    let cases: [(DecodeError, Change); 11] = [
        (Truncated { part: "IP packet", needed: 20, have: 0 }, |bytes| bytes.clear()),
        (Truncated { part: "IPv4 header", needed: 20, have: 19 }, |bytes| bytes.truncate(19)),
        (Truncated { part: "IP packet", needed: 44, have: 43 }, |bytes| bytes.truncate(43)),
        (Version(5), |bytes| bytes[0] = 0x55),
        (Length { field: "IPv4 header length", value: 16 }, |bytes| bytes[0] = 0x44),
        (Length { field: "IPv4 total length", value: 19 }, |bytes| bytes[3] = 19),
        (Fragment, |bytes| bytes[7] = 1),
        (Fragment, |bytes| bytes[6] = 0x20),
        (Protocol(17), |bytes| bytes[9] = 17),
        (Length { field: "TCP data offset", value: 16 }, |bytes| bytes[32] = 0x40),
        (Truncated { part: "TCP header", needed: 28, have: 24 }, |bytes| bytes[32] = 0x70),
    ];
    for (expected, change) in cases {
        assert_eq!(altered(&v4(), &data, text, change), expected);
    }
    let cut = |bytes: &mut Vec<u8>| {
        bytes.truncate(39);
        bytes[3] = 39;
    };
    assert_eq!(altered(&v4(), &data, text, cut), Truncated { part: "TCP header", needed: 20, have: 19 });
    assert_eq!(
        altered(&v6(), &data, text, |b| b.truncate(39)),
        Truncated { part: "IPv6 header", needed: 40, have: 39 }
    );

    // Bytes that a link adds after the packet are ignored.
    for addresses in [v4(), v6()] {
        let whole = packet(&addresses, &data, text);
        assert_eq!(decode(&[&whole[..], b"padding"].concat()), decode(&whole));
    }
    let mut bytes = packet(&v4(), &data, text);
    bytes[8] -= 1;
    assert_eq!(decode(&bytes), Err(Checksum("the IPv4 header")));
    for addresses in [v4(), v6()] {
        let mut bytes = packet(&addresses, &data, text);
        *bytes.last_mut().unwrap() ^= 1;
        assert_eq!(decode(&bytes), Err(Checksum("TCP")));
    }
}

#[test]
fn reserved_bits_are_ignored() {
    let segment = Segment { seq: 9, ..Segment::new(Flags::ACK.with(Flags::AE)) };
    let mut bytes = packet(&v4(), &segment, &[]);
    bytes[32] |= 0x0e;
    mend(&mut bytes);
    assert_eq!(decode(&bytes), Ok(Packet::Tcp { addresses: v4(), segment, payload: &[] }));
}

/// Decodes a segment with the given flags and bytes of options.
fn with_options(flags: Flags, options: &[u8]) -> Result<Segment, DecodeError> {
    assert_eq!(options.len() % 4, 0);
    let mut bytes = packet(&v4(), &Segment::new(flags), &[]);
    bytes.extend_from_slice(options);
    bytes[3] += options.len() as u8;
    bytes[32] += (options.len() as u8 / 4) << 4;
    mend(&mut bytes);
    match decode(&bytes)? {
        Packet::Tcp { segment, .. } => Ok(segment),
        Packet::Icmp(icmp) => panic!("{icmp:?}"),
    }
}

#[test]
fn fast_open_in_a_syn() {
    let mut syn = Segment::new(Flags::SYN);
    for (bytes, cookie, experimental) in [
        (&[1, 1, 34, 2][..], &[][..], false),
        (&[34, 6, 1, 2, 3, 4, 1, 1], &[1, 2, 3, 4], false),
        (&[254, 8, 0xf9, 0x89, 1, 2, 3, 4], &[1, 2, 3, 4], true),
    ] {
        let option = FastOpen::new(cookie, experimental);
        syn.set_fast_open(Some(option));
        assert_eq!(with_options(Flags::SYN, bytes), Ok(syn));
        let ones = |bytes: &[u8]| bytes.iter().copied().filter(|&byte| byte != 1).collect::<Vec<u8>>();
        assert_eq!(ones(&options(&syn)), ones(bytes), "the padding may be elsewhere");
        assert_eq!(with_options(Flags::ACK, bytes), Ok(Segment::new(Flags::ACK)), "only a SYN may carry it");
    }
    // A cookie of a wrong length is known as such.
    let wrong = with_options(Flags::SYN, &[34, 5, 1, 2, 3, 1, 1, 1]).unwrap().fast_open().unwrap();
    assert!(!wrong.has_cookie() && !wrong.is_request());
    for len in 0..=38 {
        syn.set_fast_open(Some(FastOpen::new(&vec![7; len], false)));
        assert_eq!(with_options(Flags::SYN, &options(&syn)), Ok(syn), "{len} bytes");
    }
}

#[test]
fn options_of_other_kinds_and_lengths() {
    let plain = Segment::new(Flags::SYN);
    // Unknown options are skipped, and bytes after the end of the list are ignored.
    let mss = Segment { mss: 256, ..plain };
    assert_eq!(with_options(Flags::SYN, &[253, 4, 9, 9, 2, 4, 1, 0]), Ok(mss));
    assert_eq!(with_options(Flags::SYN, &[2, 4, 1, 0, 0, 2, 0, 0]), Ok(mss));
    assert_eq!(with_options(Flags::SYN, &[1, 3, 3, 15]), Ok(Segment { window_scale: 15, ..plain }));
    // Options that only a SYN may carry are ignored in other segments.
    assert_eq!(with_options(Flags::ACK, &[2, 4, 1, 0, 1, 3, 3, 9, 4, 2, 1, 1]), Ok(Segment::new(Flags::ACK)));
    let wrong = |kind, length| Err(DecodeError::TcpOption { kind, length });
    for (options, kind, length) in [
        ([1, 1, 1, 2], 2, None),
        ([34, 0, 0, 0], 34, Some(0)),
        ([34, 1, 0, 0], 34, Some(1)),
        ([34, 5, 0, 0], 34, Some(5)),
        ([2, 3, 0, 0], 2, Some(3)),
        ([3, 4, 0, 0], 3, Some(4)),
        ([4, 3, 0, 0], 4, Some(3)),
        ([5, 2, 0, 0], 5, Some(2)),
        ([8, 4, 0, 0], 8, Some(4)),
    ] {
        assert_eq!(with_options(Flags::SYN, &options), wrong(kind, length), "{options:?}");
    }
    let mut five_blocks = [0; 44 - 4];
    five_blocks[..2].copy_from_slice(&[5, 39]);
    assert_eq!(with_options(Flags::ACK, &five_blocks), wrong(5, Some(39)));
    // RFC 9768 section 3.2.3.1: an incomplete counter is padding, and so are bytes after three counters.
    let odd = with_options(Flags::ACK, &[172, 7, 0, 0, 5, 1, 1, 1]).unwrap().accecn();
    assert_eq!(odd, Some(AccEcnOption { order1: false, count: 1, counters: [5, 0, 0] }));
    let long = with_options(Flags::ACK, &[174, 14, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0]).unwrap().accecn();
    assert_eq!(long, Some(AccEcnOption { order1: true, count: 3, counters: [1, 2, 3] }));
}

#[test]
fn ipv6_extension_headers_are_skipped() {
    let segment = Segment { seq: 9, len: 4, ecn: Ecn::Ce, ..Segment::new(Flags::ACK) };
    let plain = packet(&v6(), &segment, b"data");
    let with = |extensions: &[u8], first: u8| {
        let mut bytes = [&plain[..40], extensions, &plain[40..]].concat();
        bytes[6] = first;
        bytes[5] += extensions.len() as u8;
        bytes
    };
    let expected = decode(&plain);
    assert!(matches!(expected, Ok(Packet::Tcp { segment: read, .. }) if read == segment));
    // The extensions are hop-by-hop options, destination options of 16 bytes and an atomic fragment.
    let mut extensions = [0; 32];
    extensions[0] = 60;
    (extensions[8], extensions[9]) = (44, 1);
    extensions[24] = 6;
    assert_eq!(decode(&with(&extensions, 0)), expected);
    extensions[27] = 1;
    assert_eq!(decode(&with(&extensions, 0)), Err(DecodeError::Fragment), "more fragments follow");
    extensions[26..28].copy_from_slice(&[0, 8]);
    assert_eq!(decode(&with(&extensions, 0)), Err(DecodeError::Fragment), "the fragment does not begin the packet");
    let cut = DecodeError::Truncated { part: "IPv6 extension header", needed: 2048, have: 32 };
    assert_eq!(decode(&with(&[6, 255, 0, 0, 0, 0, 0, 0], 43)), Err(cut));
}

/// An ICMP message about a segment of `addresses`.
fn icmp(addresses: &Addresses, message: u8, code: u8, rest: u32, quoted: usize) -> Vec<u8> {
    let segment = Segment { seq: 0x0a0b_0c0d, len: 100, ..Segment::new(Flags::ACK) };
    let about = packet(addresses, &segment, &[7; 100]);
    let v6 = addresses.source.is_ipv6();
    let mut bytes = packet(&addresses.reversed(), &Segment::new(Flags::RST), &[]);
    bytes.truncate(if v6 { 40 } else { 20 });
    bytes.extend_from_slice(&[message, code, 0, 0]);
    bytes.extend_from_slice(&rest.to_be_bytes());
    bytes.extend_from_slice(&about[..quoted]);
    if v6 {
        bytes[6] = 58;
        bytes[5] = (bytes.len() - 40) as u8;
    } else {
        bytes[9] = 1;
        bytes[3] = bytes.len() as u8;
    }
    mend(&mut bytes);
    bytes
}

#[test]
fn icmp_names_the_segment_that_did_not_arrive() {
    use IcmpError::*;
    for (addresses, message, code, rest, error) in [
        (v4(), 3, 1, 0, Unreachable { code: 1 }),
        (v4(), 3, 4, 1400, TooBig { mtu: 1400 }),
        (v6(), 1, 3, 0, Unreachable { code: 3 }),
        (v6(), 2, 0, 1280, TooBig { mtu: 1280 }),
    ] {
        let least = if addresses.source.is_ipv6() { 48 } else { 28 };
        let expected = Icmp { from: addresses.destination.ip(), addresses, seq: 0x0a0b_0c0d, error };
        for quoted in [least, least + 30] {
            assert_eq!(decode(&icmp(&addresses, message, code, rest, quoted)), Ok(Packet::Icmp(expected)));
        }
        let short = icmp(&addresses, message, code, rest, least - 1);
        assert_eq!(decode(&short), Err(DecodeError::Truncated { part: "quoted TCP header", needed: 8, have: 7 }));
        let mut broken = icmp(&addresses, message, code, rest, least);
        *broken.last_mut().unwrap() ^= 1;
        assert_eq!(decode(&broken), Err(DecodeError::Checksum("ICMP")));
    }
    // An echo request, and a message of one IP version in a packet of the other, are refused.
    assert_eq!(decode(&icmp(&v4(), 8, 0, 0, 28)), Err(DecodeError::IcmpMessage { message: 8, code: 0 }));
    let mut other = icmp(&v4(), 3, 1, 0, 28);
    other[9] = 58;
    mend(&mut other);
    assert_eq!(decode(&other), Err(DecodeError::Protocol(58)));
}

prop_compose! {
    fn addresses()(v6 in any::<bool>(), hosts in any::<[u128; 2]>(), ports in any::<[u16; 2]>()) -> Addresses {
        let at = |index: usize| {
            let ip = if v6 {
                core::net::IpAddr::V6(hosts[index].into())
            } else {
                core::net::IpAddr::V4((hosts[index] as u32).into())
            };
            SocketAddr::new(ip, ports[index])
        };
        Addresses { source: at(0), destination: at(1) }
    }
}

prop_compose! {
    /// Segments with options that fit, as the decoder returns them: absent fields are zero.
    fn segments()(
        numbers in any::<[u32; 2]>(),
        flags in 0_u16..0x200,
        (window, mss, scale, ecn, permitted) in (any::<u16>(), any::<u16>(), any::<u8>(), 0_u8..4, any::<bool>()),
        timestamps in prop::option::of(any::<[u32; 2]>()),
        blocks in prop::collection::vec(any::<[u32; 2]>(), 0..=4),
        accecn in prop::option::of((any::<bool>(), prop::collection::vec(0_u32..1 << 24, 0..=3))),
    ) -> Segment {
        let mut segment = Segment { seq: numbers[0], ack: numbers[1], window, ..Segment::new(Flags(flags)) };
        segment.ecn = Ecn::from_bits(ecn);
        if segment.flags.has(Flags::SYN) {
            (segment.mss, segment.window_scale, segment.sack_permitted) = (mss, scale, permitted);
        }
        segment.timestamps = timestamps.map(|[val, ecr]| Timestamps { val, ecr });
        for (slot, [start, end]) in segment.sack.iter_mut().zip(&blocks) {
            *slot = SackBlock { start: *start, end: *end };
        }
        segment.sack_count = blocks.len() as u8;
        segment.set_accecn(accecn.map(|(order1, list)| {
            let mut counters = [0; 3];
            counters[..list.len()].copy_from_slice(&list);
            AccEcnOption { order1, count: list.len() as u8, counters }
        }));
        segment
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn a_decoded_segment_equals_the_encoded_one(
        addresses in addresses(),
        segment in segments(),
        payload in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        let segment = Segment { len: payload.len() as u32, ..segment };
        let mut buffer = vec![0; MAX_HEADERS];
        match encode(&addresses, &segment, Sum::of(&payload), &mut buffer) {
            Err(error) => {
                prop_assert_eq!(error, EncodeError::Options { bytes: segment.header_len() - 20 });
                prop_assert!(segment.header_len() > 60);
            }
            Ok(headers) => {
                let ip = if addresses.source.is_ipv6() { 40 } else { 20 };
                prop_assert_eq!(headers, ip + segment.header_len() as usize);
                prop_assert_eq!(packet_len(&segment, ip == 40), (headers + payload.len()) as u64);
                buffer.truncate(headers);
                buffer.extend_from_slice(&payload);
                prop_assert_eq!(decode(&buffer), Ok(Packet::Tcp { addresses, segment, payload: &payload }));
            }
        }
    }

    #[test]
    fn arbitrary_bytes_make_no_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..200), version in 0_u8..4, protocol in 0_u8..4) {
        let _ = decode(&bytes);
        // The same bytes with a valid version, protocol, length and checksum get further.
        if bytes.len() >= 40 {
            let number = [6, 1, 58, 44][usize::from(protocol)];
            if version % 2 == 0 {
                bytes[0] = 0x45;
                (bytes[2], bytes[3], bytes[6], bytes[7], bytes[9]) = (0, bytes.len() as u8, 0, 0, number);
            } else {
                bytes[0] = 0x60;
                (bytes[4], bytes[5], bytes[6]) = (0, bytes.len() as u8 - 40, number);
            }
            mend(&mut bytes);
            if let Ok(Packet::Tcp { segment, payload, addresses }) = decode(&bytes) {
                prop_assert_eq!(segment.len as usize, payload.len());
                // A decoded segment can be encoded again, unless its options leave no room to align the timestamps.
                let again = encode(&addresses, &segment, Sum::of(payload), &mut [0; MAX_HEADERS]);
                prop_assert!(matches!(again, Ok(_) | Err(EncodeError::Options { bytes: 44 })), "{:?}", again);
            }
        }
    }

    /// Changed bytes in encoded packets reach the options.
    #[test]
    fn altered_packets_make_no_panic(
        addresses in addresses(),
        segment in segments(),
        changes in prop::collection::vec((0_usize..100, any::<u8>()), 1..6),
    ) {
        let mut buffer = vec![0; MAX_HEADERS];
        if let Ok(headers) = encode(&addresses, &segment, Sum::default(), &mut buffer) {
            buffer.truncate(headers);
            for (at, value) in changes {
                let len = buffer.len();
                buffer[at % len] = value;
            }
            mend(&mut buffer);
            let _ = decode(&buffer);
        }
    }
}

#[test]
fn a_datagram_byte_by_byte() {
    let mut buffer = [0xff; 48];
    assert_eq!(encode_datagram(&v4(), Ecn::Ect0, 2, &mut buffer), Ok(28));
    let packet =
        ip::read(&[&buffer[..28], &[0, 0]].concat()).map(|packet| (packet.protocol, packet.payload.len(), packet.ecn));
    assert_eq!(packet, Ok((ip::UDP, 10, Ecn::Ect0)));
    let ports = [v4().source.port().to_be_bytes(), v4().destination.port().to_be_bytes(), [0, 10]].concat();
    assert_eq!(buffer[20..26], ports);
    let hosts = ip::Hosts::of(&v4()).unwrap();
    assert!(Sum::of(&buffer[20..28]).and(hosts.pseudo_header(ip::UDP, 10)).is_intact());
    assert_eq!(encode_datagram(&v6(), Ecn::NotEct, 0, &mut buffer), Ok(48));
    let too_long = EncodeError::Length { bytes: 65_536 };
    assert_eq!(encode_datagram(&v4(), Ecn::NotEct, 65_508, &mut buffer), Err(too_long));
    assert_eq!(
        encode_datagram(&v4(), Ecn::NotEct, 0, &mut buffer[..27]),
        Err(EncodeError::Buffer { needed: 28, have: 27 })
    );
}
