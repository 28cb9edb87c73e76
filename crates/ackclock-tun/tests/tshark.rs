//! Packets with every option, each in IPv4 and IPv6, decoded by Wireshark's own dissector.

use std::process::Command;

use ackclock_tcp::segment::SackBlock;
use ackclock_tcp::{AccEcnOption, Ecn, Feedback, Flags, Segment, Timestamps};
use ackclock_wire::pcapng::{About, Direction, Writer};
use ackclock_wire::{Addresses, MAX_HEADERS, Sum, encode};

/// Initial sequence numbers.
const CLIENT: u32 = 1000;
const SERVER: u32 = 9000;

/// Returns the client's data segment with a number.
fn data(number: u32, ecn: Ecn) -> Segment {
    let seq = CLIENT + 1 + 100 * number;
    let timestamps = Some(Timestamps { val: 6, ecr: 77 });
    Segment { seq, ack: SERVER + 1, window: 500, len: 100, ecn, timestamps, ..Segment::new(Flags::ACK) }
}

/// Returns the server's acknowledgment of only every second segment.
fn ack(sack_count: u8) -> Segment {
    let block =
        |number: u32| SackBlock { start: data(number, Ecn::NotEct).seq, end: data(number + 1, Ecn::NotEct).seq };
    let sack = [block(1), block(3), block(5), block(7)];
    Segment { seq: SERVER + 1, ack: CLIENT + 1, window: 500, sack, sack_count, ..Segment::new(Flags::ACK) }
}

/// Returns a handshake that negotiates every option, then data and ACKs that use the options: for each segment whether
/// the client sends it, and the segment.
fn segments() -> Vec<(bool, Segment)> {
    let ace = Flags::AE.with(Flags::CWR).with(Flags::ECE);
    let syn = Segment {
        seq: CLIENT,
        window: 64_000,
        mss: 1460,
        window_scale: 7,
        sack_permitted: true,
        timestamps: Some(Timestamps { val: 5, ecr: 0 }),
        ..Segment::new(Flags::SYN.with(ace))
    };
    let syn_ack = Segment {
        seq: SERVER,
        ack: CLIENT + 1,
        timestamps: Some(Timestamps { val: 77, ecr: 5 }),
        feedback: Some(Feedback::AccEcn(AccEcnOption::default())),
        flags: Flags::SYN.with(Flags::ACK).with(Flags::CWR),
        mss: 1440,
        ..syn
    };
    let timestamps = Some(Timestamps { val: 78, ecr: 6 });
    let accecn =
        |order1, count| Some(Feedback::AccEcn(AccEcnOption { order1, count, counters: [1, 0x0a_0b0c, 0xff_ffff] }));
    vec![
        (true, syn),
        (false, syn_ack),
        (true, data(0, Ecn::NotEct)),
        (true, data(1, Ecn::Ect0)),
        (true, data(3, Ecn::Ect1)),
        (true, data(5, Ecn::Ce)),
        (true, data(7, Ecn::NotEct)),
        (false, ack(4)),
        (false, Segment { timestamps, ..ack(3) }),
        (false, Segment { timestamps, feedback: accecn(false, 1), ..ack(2) }),
        (false, Segment { timestamps, feedback: accecn(true, 2), ..ack(1) }),
        (false, Segment { feedback: accecn(false, 3), ..ack(0) }),
        (false, Segment { feedback: accecn(true, 3), flags: Flags::ACK.with(Flags::AE), ..ack(0) }),
    ]
}

const FIELDS: [&str; 17] = [
    "tcp.seq_raw",
    "tcp.flags",
    "tcp.len",
    "tcp.hdr_len",
    "tcp.options.mss_val",
    "tcp.options.wscale.shift",
    "tcp.options.sack_le",
    "tcp.options.sack_re",
    "tcp.options.timestamp.tsval",
    "tcp.options.timestamp.tsecr",
    "tcp.options.acc_ecn.ee0b",
    "tcp.options.acc_ecn.eceb",
    "tcp.options.acc_ecn.ee1b",
    "tcp.checksum.status",
    "_ws.malformed",
    "_ws.expert.severity",
    "_ws.expert.group",
];

/// Group of the dissector's warnings from its analysis of TCP, such as a segment out of order.
const SEQUENCE: &str = "33554432";
const WARNING: u32 = 0x60_0000;

/// Returns the expected fields without the expert information.
fn expected(segment: &Segment) -> Vec<String> {
    let some = |value: Option<u32>| value.map_or(String::new(), |value| value.to_string());
    let list = |edge: fn(&SackBlock) -> u32| {
        segment.sack_blocks().iter().map(|block| edge(block).to_string()).collect::<Vec<_>>().join(",")
    };
    let syn = segment.flags.has(Flags::SYN);
    // The counters are in the order of their names; the option has another order.
    let counter = |index: usize| {
        let accecn = segment.accecn()?;
        let place = if accecn.order1 { 2 - index } else { index };
        (place < usize::from(accecn.count)).then(|| accecn.counters[place])
    };
    vec![
        segment.seq.to_string(),
        format!("0x{:04x}", segment.flags.0),
        segment.len.to_string(),
        segment.header_len().to_string(),
        some(syn.then_some(u32::from(segment.mss))),
        some(syn.then_some(u32::from(segment.window_scale))),
        list(|block| block.start),
        list(|block| block.end),
        some(segment.timestamps.map(|timestamps| timestamps.val)),
        some(segment.timestamps.map(|timestamps| timestamps.ecr)),
        some(counter(0)),
        some(counter(1)),
        some(counter(2)),
        "1".to_owned(),
        String::new(),
    ]
}

fn capture(addresses: Addresses) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = Writer(&mut file);
    writer.section("test");
    writer.interface("wire", "packets made by hand", 1 << 18);
    for (number, (from_client, segment)) in (0..).zip(segments()) {
        let addresses = if from_client { addresses } else { addresses.reversed() };
        let payload = vec![b'x'; segment.len as usize];
        let mut packet = vec![0; MAX_HEADERS];
        let headers = encode(&addresses, &segment, Sum::of(&payload), &mut packet).unwrap();
        packet.truncate(headers);
        packet.extend_from_slice(&payload);
        let len = packet.len() as u32;
        let about = About { interface: 0, at: 1_000_000 * number, len, direction: Direction::Through, comment: None };
        writer.packet(&about, &packet);
    }
    writer.statistics(0, 1_000_000_000, segments().len() as u64, 0);
    file
}

#[test]
fn a_dissector_reads_every_option_and_finds_nothing_wrong() {
    let v4 = Addresses { source: "10.0.0.1:40000".parse().unwrap(), destination: "10.128.0.1:49152".parse().unwrap() };
    let v6 = Addresses { source: "[fd00::1]:40000".parse().unwrap(), destination: "[fd00::2]:49152".parse().unwrap() };
    for (name, addresses, ecn) in [("v4", v4, "ip.dsfield.ecn"), ("v6", v6, "ipv6.tclass.ecn")] {
        let path = std::env::temp_dir().join(format!("ackclock-wire-{}-{name}.pcapng", std::process::id()));
        std::fs::write(&path, capture(addresses)).unwrap();
        let mut tshark = Command::new("tshark");
        tshark.arg("-r").arg(&path).args(["-T", "fields", "-E", "separator=|"]);
        for preference in ["tcp.check_checksum:TRUE", "ip.check_checksum:TRUE", "tcp.relative_sequence_numbers:FALSE"] {
            tshark.args(["-o", preference]);
        }
        for field in FIELDS.iter().chain([&ecn]) {
            tshark.args(["-e", field]);
        }
        let output = tshark.output();
        std::fs::remove_file(&path).unwrap();
        let output = match output {
            Ok(output) => output,
            Err(_) if std::env::var_os("CI").is_none() => return eprintln!("skipped: tshark is not installed"),
            Err(error) => panic!("tshark: {error}"),
        };
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().count(), segments().len(), "{}", String::from_utf8_lossy(&output.stderr));
        for (line, (_, segment)) in text.lines().zip(segments()) {
            let read: Vec<_> = line.split('|').collect();
            let opinion = FIELDS.len() - 2;
            assert_eq!(read[..opinion], expected(&segment), "{name}: {segment:?}");
            assert_eq!(read[FIELDS.len()], (segment.ecn as u8).to_string());
            for (severity, group) in read[opinion].split(',').zip(read[opinion + 1].split(',')) {
                let severe = severity.parse::<u32>().is_ok_and(|severity| severity >= WARNING);
                assert!(!severe || group == SEQUENCE, "{name}: {line}");
            }
        }
    }
}
