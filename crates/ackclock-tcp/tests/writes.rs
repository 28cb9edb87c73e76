//! Writes of the application: the ACK of the handshake by itself, and writes of a limited size. Segments have 1,000
//! bytes.

mod common;

use ackclock_tcp::config::{InitialWindow, NagleRule, WindowUnit};
use ackclock_tcp::{Config, Flags, MILLISECOND, Segment, stack};
use common::peer::Peer;
use common::{MSS, config};

/// The lengths of the segments that leave now, and whether each carries PSH and FIN.
fn lens(peer: &mut Peer) -> Vec<(u32, bool, bool)> {
    let view = |segment: &Segment| (segment.len, segment.flags.has(Flags::PSH), segment.flags.has(Flags::FIN));
    peer.all().iter().map(view).collect()
}

fn with(write_size: u64, nagle: bool) -> Config {
    Config {
        write_size,
        nagle,
        nagle_rule: NagleRule::Minshall,
        initial_window: InitialWindow::Segments(20),
        ..config()
    }
}

#[test]
fn data_rides_on_the_ack_of_the_handshake_or_follows_a_bare_ack() {
    for (handshake_data, expected) in [(true, vec![1000, 1000]), (false, vec![0, 1000, 1000])] {
        let mut peer = Peer::established_with(&Config { handshake_data, ..config() }, |_| {});
        peer.end.write(peer.now, 2 * MSS);
        let sent = peer.all();
        assert_eq!(sent.iter().map(|segment| segment.len).collect::<Vec<_>>(), expected);
        assert!(sent.iter().all(|segment| segment.flags.has(Flags::ACK)));
    }
    assert!(!(stack::by_name("linux").unwrap().config)().handshake_data);
    assert!((stack::by_name("rfc").unwrap().config)().handshake_data);
}

#[test]
fn each_write_ends_in_a_small_segment_unless_nagles_rule_or_a_window_delays_it() {
    // Four writes of 2,500 bytes.
    let lengths = |config: &Config| {
        let mut peer = Peer::established(config);
        peer.end.write(peer.now, 10 * MSS);
        lens(&mut peer).iter().map(|segment| segment.0).collect::<Vec<_>>()
    };
    let whole = vec![1000; 10];
    assert_eq!(lengths(&with(0, true)), whole);
    assert_eq!(lengths(&with(2500, false)), [[1000, 1000, 500]; 4].concat());
    // Minshall: one small segment may be outstanding. The last write ends in a small segment, which waits.
    assert_eq!(lengths(&with(2500, true)), [vec![1000, 1000, 500], vec![1000; 7]].concat());
    // The window delays the first write, and so all data is in the send buffer before its end is sent.
    let narrow = Config { initial_window: InitialWindow::Segments(2), ..with(2500, false) };
    let mut peer = Peer::established(&narrow);
    peer.end.write(peer.now, 10 * MSS);
    let mut sent = Vec::new();
    while sent.iter().sum::<u32>() < 10 * MSS as u32 {
        sent.extend(lens(&mut peer).iter().map(|segment| segment.0));
        let ack = peer.segment(0, 0, sent.iter().map(|&len| u64::from(len)).sum());
        peer.now += 100_000_000;
        peer.give(&ack);
    }
    assert_eq!(sent, whole);
}

#[test]
fn after_limited_writes_the_fin_is_a_segment_of_its_own_unless_data_waits() {
    let closed = |config: &Config| {
        let mut peer = Peer::established(config);
        peer.end.write(peer.now, 2 * MSS);
        peer.end.close(peer.now);
        lens(&mut peer)
    };
    assert_eq!(closed(&with(0, true)), [(1000, false, false), (1000, true, true)]);
    assert_eq!(closed(&with(65_536, true)), [(1000, false, false), (1000, true, false), (0, false, true)]);
    let narrow = Config { initial_window: InitialWindow::Segments(1), ..with(65_536, true) };
    let mut peer = Peer::established(&narrow);
    peer.end.write(peer.now, 2 * MSS);
    peer.end.close(peer.now);
    assert_eq!(lens(&mut peer), [(1000, false, false)]);
    let ack = peer.segment(0, 0, MSS);
    peer.give(&ack);
    assert_eq!(lens(&mut peer), [(1000, true, true)]);
}

/// Linux's window counts packets, whatever their size (include/net/tcp.h, tcp_packets_in_flight); that of RFC 5681 counts
/// bytes.
#[test]
fn a_small_packet_takes_as_much_of_a_window_in_packets_as_a_full_one() {
    for (unit, first, after_ack) in [(WindowUnit::Segments, 4, 2), (WindowUnit::Bytes, 20, 0)] {
        let initial_window = InitialWindow::Segments(4);
        let mut peer = Peer::established(&Config { window_unit: unit, initial_window, nagle: false, ..config() });
        let mut sent = Vec::new();
        for _ in 0..20 {
            peer.end.write(peer.now, 200);
            sent.extend(lens(&mut peer));
        }
        assert_eq!(sent.len(), first, "{unit:?}");
        assert!(sent.iter().all(|segment| segment.0 == 200));
        // The window grows by the acknowledged segment. What waited meanwhile is sent in full segments.
        peer.now += 100 * MILLISECOND;
        let ack = peer.segment(0, 0, 200);
        peer.give(&ack);
        let next = lens(&mut peer);
        assert_eq!(next.len(), after_ack, "{unit:?} {next:?}");
        assert!(next.iter().all(|segment| segment.0 == MSS as u32));
    }
}
