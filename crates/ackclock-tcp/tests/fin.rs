//! A FIN takes one place of the sequence space (RFC 9293 section 3.4), in gaps, in SACK and D-SACK blocks and in the
//! detection of losses, as a byte of payload does.

mod common;

use ackclock_tcp::{Config, Flags, MILLISECOND, Segment, State, stack};
use common::peer::Peer;
use common::{MSS, Pair};

const FULL: u32 = MSS as u32;

fn of(stack: &str) -> Config {
    Config { mss: MSS as u32, ..(stack::by_name(stack).unwrap().config)() }
}

fn fin(peer: &Peer, seq: u64, len: u32) -> Segment {
    Segment { flags: Flags::ACK.with(Flags::FIN), ..peer.segment(seq, len, 0) }
}

/// The SACK blocks of the answer to a FIN behind `len` bytes, above a gap of one segment.
fn blocks_above_a_gap(stack: &str, len: u32) -> Vec<(u64, u64)> {
    let mut peer = Peer::established(&of(stack));
    peer.give(&fin(&peer, MSS, len));
    let answer = peer.next();
    assert_eq!(answer.ack, peer.seq(0), "{stack}: the gap is not filled");
    peer.blocks(&answer)
}

/// Linux 6.12, as the script 09c-ooo-fin-sack.pkt shows. FreeBSD's tcp_do_segment reports segments with payload, and the
/// payload alone.
#[test]
fn a_fin_above_a_gap_is_reported() {
    for stack in ["linux", "linux-3.12", "rfc"] {
        assert_eq!(blocks_above_a_gap(stack, 0), [(MSS, MSS + 1)], "{stack}");
        assert_eq!(blocks_above_a_gap(stack, FULL), [(MSS, 2 * MSS + 1)], "{stack}");
    }
    assert_eq!(blocks_above_a_gap("freebsd", 0), []);
    assert_eq!(blocks_above_a_gap("freebsd", FULL), [(MSS, 2 * MSS)]);
}

#[test]
fn the_connection_closes_when_the_gap_below_the_fin_is_filled() {
    for stack in ["linux", "linux-3.12", "rfc", "freebsd"] {
        let mut peer = Peer::established(&of(stack));
        peer.give(&fin(&peer, 2 * MSS, 0));
        peer.data(MSS, FULL);
        peer.all();
        assert_eq!((peer.end.state(), peer.end.received()), (State::Established, 0), "{stack}");
        peer.data(0, FULL);
        let answer = peer.all().pop().expect("an answer at once");
        assert_eq!((peer.end.state(), peer.end.received()), (State::CloseWait, 2 * MSS), "{stack}");
        assert_eq!((answer.ack, peer.blocks(&answer)), (peer.seq(2 * MSS + 1), vec![]), "{stack}");
    }
}

/// RFC 2883 section 4: the block is the duplicate sequence space.
#[test]
fn a_fin_that_arrives_again_is_a_duplicate() {
    for (len, block) in [(0, (MSS, MSS + 1)), (FULL, (MSS, 2 * MSS + 1))] {
        let mut peer = Peer::established(&of("linux"));
        peer.data(0, FULL);
        peer.give(&fin(&peer, MSS, len));
        peer.all();
        peer.give(&fin(&peer, MSS, len));
        let answer = peer.next();
        assert_eq!(peer.blocks(&answer), [block]);
    }
}

/// A server that sends `segments` and closes; those of its segments that `lost` names are lost once. Returns the time from
/// its first segment to the arrival of all, in milliseconds, and the number of its timeouts.
fn tail(stack: &str, segments: u64, lost: &'static [u64]) -> (u64, u64) {
    let mut pair =
        Pair::new(&of(stack), &of(stack), move |number, from_client, _| from_client || !lost.contains(&number));
    pair.delay = 10 * MILLISECOND;
    pair.run(20 * MILLISECOND);
    let begin = pair.now;
    pair.ends[1].write(begin, segments * MSS);
    pair.ends[1].shutdown_write(begin);
    while pair.ends[0].state() != State::CloseWait {
        let until = pair.now + MILLISECOND;
        pair.run(until);
        assert!(pair.now < begin + 2_000 * MILLISECOND, "{stack} {lost:?}: never finished");
    }
    ((pair.now - begin) / MILLISECOND, pair.ends[1].stats().timeouts)
}

/// A lost tail below a lone FIN is repaired by what the FIN's block shows, within a few round trips of 20 ms. Segment 0 is
/// the SYN-ACK. Over a similar path Linux 6.12 needs
/// 58.6 ms for the last segment and 78.7 ms for the last two.
#[test]
fn a_tail_below_the_fin_is_repaired_without_a_timeout() {
    for lost in [&[9][..], &[8, 9], &[9, 10], &[7, 8, 9]] {
        let (took, timeouts) = tail("linux", 9, lost);
        assert!(took < 130, "{lost:?}: {took} ms");
        assert_eq!(timeouts, 0, "{lost:?}");
    }
}

/// Linux's probe waits for two round trips and, as one segment is outstanding, for its least timeout of 200 ms.
#[test]
fn a_lost_fin_alone_is_repaired_by_a_probe() {
    assert_eq!(tail("linux", 9, &[10]), (260, 0));
}

/// The FIN of a connection that has filled the peer's window. Linux's tcp_snd_wnd_test asks for room for it, as RFC 9293
/// section 3.10.4 does; FreeBSD's tcp_output sends it all the same.
#[test]
fn a_fin_waits_for_room_in_the_window() {
    for (stack, leaves) in [("linux", false), ("linux-3.12", false), ("rfc", false), ("freebsd", true)] {
        let mut peer = Peer::established(&Config { timestamps: false, ..of(stack) });
        let offer = |peer: &mut Peer, acked: u64, window: u16| {
            peer.now += 100 * MILLISECOND;
            let ack = Segment { window, ..peer.segment(0, 0, acked) };
            peer.give(&ack);
            peer.all()
        };
        offer(&mut peer, 0, 4 * FULL as u16);
        peer.end.write(peer.now, 4 * MSS);
        assert_eq!(peer.all().len(), 4, "{stack}");
        peer.end.close(peer.now);
        let fins = |segments: &[Segment]| segments.iter().filter(|segment| segment.flags.has(Flags::FIN)).count();
        assert_eq!(fins(&peer.all()), usize::from(leaves), "{stack}: the window is full");
        let opened = offer(&mut peer, 4 * MSS, 4 * FULL as u16);
        assert_eq!(fins(&opened), usize::from(!leaves), "{stack}: the window is open again");
    }
}
