//! Packets of Linux's segmentation offload: PSH at their ends, and the wait for larger ones.

mod common;

use ackclock_tcp::cc::{self, Algorithm};
use ackclock_tcp::{Config, Flags, MILLISECOND, Segment, stack};
use common::MSS;
use common::peer::Peer;

const MICROSECOND: u64 = MILLISECOND / 1000;

/// A peer of a stack whose window has `segments` segments; the handshake has taken 100 ms.
fn peer(name: &str, segments: f64) -> Peer {
    let entry = cc::by_name("fixed-window").expect("in the catalogue");
    let cc = Algorithm::given(entry, &[("segments", segments)]).expect("within its range");
    let stack = (stack::by_name(name).expect("a stack").config)();
    // A send buffer without a limit takes every write at once.
    let config = Config { mss: MSS as u32, timestamps: false, send_buffer: 0, cc, ..stack };
    Peer::established(&config)
}

/// The number of segments that leave now, and which of them carry PSH.
fn sent(peer: &mut Peer) -> (usize, Vec<usize>) {
    let all = peer.all();
    (all.len(), (0..all.len()).filter(|&index| all[index].flags.has(Flags::PSH)).collect())
}

/// A peer with `segments` segments in flight, and data left; the first acknowledgment is due.
fn waiting(name: &str, segments: u64) -> Peer {
    let mut peer = peer(name, segments as f64);
    peer.end.write(peer.now, 1000 * MSS);
    assert_eq!(sent(&mut peer).0 as u64, segments);
    peer.now += 100 * MILLISECOND;
    peer
}

/// Acknowledges up to a segment, and tells how many leave.
fn acked(peer: &mut Peer, segments: u64) -> usize {
    let ack = peer.segment(0, 0, segments * MSS);
    peer.give(&ack);
    sent(peer).0
}

#[test]
fn a_packet_of_several_segments_ends_with_psh() {
    // At 100 ms a window of ten segments is worth less than two segments in a millisecond, and two leave together.
    for (name, pushed) in [("linux", vec![1, 3, 5, 7, 9]), ("linux-3.12", vec![]), ("rfc", vec![])] {
        let mut peer = peer(name, 10.0);
        peer.end.write(peer.now, 30 * MSS);
        assert_eq!(sent(&mut peer), (10, pushed), "{name}");
    }
}

/// The application's data is pushed every 60 segments here. Packets of two segments that begin at an odd one carry that push at
/// their end.
#[test]
fn no_segment_within_a_packet_is_pushed() {
    let mut peer = waiting("linux", 10);
    let ack = peer.segment(0, 0, MSS);
    peer.give(&ack);
    assert_eq!(sent(&mut peer).0, 1);
    for pairs in 1..60 {
        peer.now += 10 * MILLISECOND;
        let ack = peer.segment(0, 0, (1 + 2 * pairs) * MSS);
        peer.give(&ack);
        assert_eq!(sent(&mut peer), (2, vec![1]), "after {pairs} pairs");
    }
}

#[test]
fn a_single_segment_is_not_pushed_unless_it_ends_the_data() {
    let mut peer = waiting("linux", 10);
    let ack = peer.segment(0, 0, MSS);
    peer.give(&ack);
    assert_eq!(sent(&mut peer), (1, vec![]), "the last packet left long ago");
}

#[test]
fn segments_wait_for_a_larger_packet_while_packets_and_acks_follow_fast() {
    for (name, leaving) in [("linux", [1, 0, 2, 0]), ("rfc", [1, 1, 1, 1])] {
        let mut peer = waiting(name, 10);
        for (index, expected) in leaving.into_iter().enumerate() {
            assert_eq!(acked(&mut peer, index as u64 + 1), expected, "{name}, acknowledgment {index}");
            peer.now += 300 * MICROSECOND;
        }
    }
}

#[test]
fn segments_do_not_wait_if_the_last_packet_left_a_millisecond_ago() {
    let mut peer = waiting("linux", 10);
    assert_eq!(acked(&mut peer, 1), 1);
    peer.now += MILLISECOND;
    assert_eq!(acked(&mut peer, 2), 0, "exactly a millisecond");
    peer.now += 1;
    assert_eq!(acked(&mut peer, 3), 2);
    peer.now += MILLISECOND + 1;
    assert_eq!(acked(&mut peer, 4), 1);
}

#[test]
fn segments_do_not_wait_for_an_acknowledgment_that_is_far() {
    let mut peer = peer("linux", 10.0);
    peer.end.write(peer.now, 1000 * MSS);
    assert_eq!(sent(&mut peer).0, 10);
    peer.now += 98 * MILLISECOND;
    assert_eq!(acked(&mut peer, 1), 1);
    // The smoothed RTT is 99.75 ms, so that the next acknowledgment is expected in more than a millisecond.
    peer.now += 100 * MICROSECOND;
    assert_eq!(acked(&mut peer, 2), 1);
}

#[test]
fn a_third_of_the_window_does_not_wait() {
    let mut peer = waiting("linux", 3);
    for index in 1..4 {
        assert_eq!(acked(&mut peer, index), 1);
        peer.now += 300 * MICROSECOND;
    }
}

#[test]
fn the_end_of_the_data_waits_unless_it_is_closed() {
    for (closes, leaving) in [(false, 0), (true, 2)] {
        let mut peer = peer("linux", 24.0);
        // The RTT falls to 2 ms, at which a packet has up to eight segments.
        let mut segments = 0;
        while segments < 80 {
            peer.end.write(peer.now, MSS);
            assert_eq!(sent(&mut peer).0, 1);
            peer.now += 2 * MILLISECOND;
            segments += 1;
            assert_eq!(acked(&mut peer, segments), 0);
        }
        peer.end.write(peer.now, 20 * MSS);
        assert_eq!(sent(&mut peer).0, 20);
        peer.now += 2 * MILLISECOND;
        assert_eq!(acked(&mut peer, segments + 4), 0);
        peer.end.write(peer.now, MSS);
        assert_eq!(sent(&mut peer).0, 1);
        peer.now += 300 * MICROSECOND;
        peer.end.write(peer.now, MSS + 100);
        if closes {
            peer.end.close(peer.now);
        }
        assert_eq!(sent(&mut peer).0, leaving, "{closes}");
    }
}

/// tcp_tso_should_defer is asked when an acknowledgment arrives or the application writes: no timer ends the wait.
#[test]
fn the_passing_of_time_alone_does_not_end_the_wait() {
    let mut peer = waiting("linux", 10);
    assert_eq!((acked(&mut peer, 1), acked(&mut peer, 2)), (1, 0));
    peer.now += 2 * MILLISECOND;
    assert_eq!(sent(&mut peer).0, 0, "nothing has happened");
    peer.end.write(peer.now, MSS);
    assert_eq!(sent(&mut peer).0, 1, "the last packet left two milliseconds ago");
}

/// Linux 6.12 fills the window to its edge with the end of a packet of several segments (tcp_mss_split_point), unless a
/// short segment is outstanding; the other stacks leave the rest.
#[test]
fn a_packet_may_end_short_at_the_edge_of_the_window() {
    let full = MSS as u32;
    for (name, short) in [("linux", Some(300)), ("rfc", None)] {
        let mut peer = peer(name, 1000.0);
        let mut lens = |acked: u64, window: u16| -> Vec<u32> {
            peer.now += 100 * MILLISECOND;
            let ack = Segment { window, ..peer.segment(0, 0, acked) };
            peer.give(&ack);
            peer.end.write(peer.now, 1000 * MSS);
            peer.all().iter().map(|segment| segment.len).collect()
        };
        assert_eq!(lens(0, 60_000).len(), 60, "{name}");
        let expected: Vec<u32> = [full; 3].into_iter().chain(short).collect();
        assert_eq!(lens(3 * MSS, 60_300), expected, "{name}");
        assert_eq!(lens(5 * MSS, 60_800), [full; 2], "{name}: a short segment is outstanding in Linux");
    }
}

/// include/net/tcp.h, tcp_bound_to_half_wnd: at most half of the largest window that the peer has offered, or the whole of
/// one of at most 536 bytes.
#[test]
fn segments_have_at_most_half_of_a_small_window() {
    for (window, len) in [(3 * MSS as u16, MSS as u32), (1200, 600), (538, 269), (536, 536), (300, 300)] {
        let config =
            Config { mss: MSS as u32, timestamps: false, ..(stack::by_name("linux").expect("a stack").config)() };
        let mut peer = Peer::established_with(&config, |answer| answer.window = window);
        peer.all();
        peer.end.write(peer.now, 100 * MSS);
        assert_eq!(peer.all()[0].len, len, "a window of {window} bytes");
        // A larger window makes larger segments.
        let ack = Segment { window: 60_000, ..peer.segment(0, 0, u64::from(len)) };
        peer.now += 100 * MILLISECOND;
        peer.give(&ack);
        assert_eq!(peer.all()[0].len, MSS as u32, "after a window of {window} bytes");
    }
}
