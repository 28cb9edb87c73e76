//! Retransmissions after segments have become smaller (Linux net/ipv4/tcp_output.c, __tcp_retransmit_skb): a segment that
//! is too large is cut, and its parts are retransmitted one by one.

mod common;

use ackclock_tcp::config::InitialWindow;
use ackclock_tcp::{Config, Icmp, Segment};
use common::peer::{ISS, Peer};
use common::{MSS, config};

/// A sender with five segments of 1,000 bytes outstanding and one more written, whose path then allows 600 bytes of payload
/// in packets of 640. The next segment is the first that meets the new path.
fn moved(config: &Config) -> Peer {
    let mut peer = Peer::established(&Config { initial_window: InitialWindow::Segments(20), ..config.clone() });
    peer.end.write(peer.now, 5 * MSS);
    assert_eq!(peer.all().len(), 5);
    peer.now += 10_000_000;
    peer.end.change_path_mtu(640);
    peer.end.write(peer.now, MSS);
    assert_eq!(ranges(&peer.all()), [(5000, 6000)], "as in Linux, the size follows with the segment after");
    peer
}

/// Offset and end of each segment.
fn ranges(segments: &[Segment]) -> Vec<(u32, u32)> {
    let range = |segment: &Segment| {
        let start = segment.seq.wrapping_sub(ISS.wrapping_add(1));
        (start, start + segment.len)
    };
    segments.iter().map(range).collect()
}

/// Acknowledges up to `ack` and reports blocks of payload.
fn ack(peer: &mut Peer, ack: u64, blocks: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut segment = peer.segment(0, 0, ack);
    segment.sack_count = blocks.len() as u8;
    for (block, &(start, end)) in segment.sack.iter_mut().zip(blocks) {
        let wire = |offset: u32| ISS.wrapping_add(1).wrapping_add(offset);
        (block.start, block.end) = (wire(start), wire(end));
    }
    peer.give(&segment);
    ranges(&peer.all())
}

#[test]
fn a_timeout_retransmits_the_first_part_and_then_the_rest() {
    let mut peer = moved(&config());
    while peer.all().is_empty() {
        peer.expire();
        if peer.end.stats().timeouts > 0 {
            break;
        }
    }
    assert_eq!(ranges(&peer.all()), [(0, 600)]);
    // The window is one segment of 600 bytes, and grows by what is acknowledged.
    assert_eq!(ack(&mut peer, 600, &[]), [(600, 1000), (1000, 1600)]);
    peer.end.check().unwrap();
    let mut next = 1600;
    while next < 6000 {
        let sent = ack(&mut peer, u64::from(next), &[]);
        let Some(&(_, end)) = sent.last() else { panic!("nothing was sent after {next}") };
        assert!(sent.iter().all(|(start, end)| end - start <= 600), "{sent:?}");
        next = end;
        peer.end.check().unwrap();
    }
}

#[test]
fn a_fast_retransmit_cuts_the_lost_segment() {
    let mut peer = moved(&config());
    let mut sent = Vec::new();
    for top in 2..=6 {
        sent.extend(ack(&mut peer, 0, &[(1000, 1000 * top)]));
    }
    assert_eq!(sent, [(0, 600), (600, 1000)], "both parts of the segment that is missing, each once");
    peer.end.check().unwrap();
    assert_eq!(ack(&mut peer, 6000, &[]), []);
    assert_eq!(peer.end.acked(), 6000);
}

#[test]
fn a_router_that_tells_the_mtu_has_everything_sent_again_in_smaller_segments() {
    let mut peer = Peer::established(&Config { initial_window: InitialWindow::Segments(20), ..config() });
    peer.end.write(peer.now, 2 * MSS);
    assert_eq!(peer.all().len(), 2);
    let message = Icmp::FragmentationNeeded { mtu: 640, seq: ISS.wrapping_add(1) };
    peer.end.on_icmp(peer.now, message, &mut ());
    assert_eq!(ranges(&peer.all()), [(0, 600), (600, 1000), (1000, 1600), (1600, 2000)]);
    peer.end.check().unwrap();
}

#[test]
fn a_segment_with_a_fin_that_fits_is_not_cut() {
    let mut peer = Peer::established(&config());
    peer.end.write(peer.now, MSS);
    peer.end.shutdown_write(peer.now);
    let first = peer.next();
    assert_eq!((first.len, first.flags.has(ackclock_tcp::Flags::FIN)), (MSS as u32, true));
    while peer.end.stats().timeouts == 0 {
        peer.expire();
        let again = peer.all();
        assert!(again.iter().all(|segment| segment.len == MSS as u32), "{again:?}");
    }
}
