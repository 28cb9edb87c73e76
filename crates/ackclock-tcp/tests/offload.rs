//! Packets of Linux's segmentation offload: PSH at their ends, and the wait for larger ones.

mod common;

use ackclock_tcp::cc::{self, Algorithm};
use ackclock_tcp::{Config, Flags, MILLISECOND, stack};
use common::MSS;
use common::peer::Peer;

const MICROSECOND: u64 = MILLISECOND / 1000;

/// A peer of a stack whose window has `segments` segments; the handshake has taken 100 ms.
fn peer(name: &str, segments: f64) -> Peer {
    let entry = cc::by_name("fixed-window").expect("in the catalogue");
    let cc = Algorithm::given(entry, &[("segments", segments)]).expect("within its range");
    let config = Config { mss: MSS as u32, timestamps: false, cc, ..(stack::by_name(name).expect("a stack").config)() };
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
