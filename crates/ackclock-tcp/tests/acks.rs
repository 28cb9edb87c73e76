//! Acknowledgments by Linux's rule (net/ipv4/tcp_input.c): quick at first, then with more than one full segment, after
//! a delay that follows the traffic, or with data.

mod common;

use ackclock_tcp::config::{AckRule, WindowRule};
use ackclock_tcp::{Config, Flags, MILLISECOND, NEVER, SECOND, Segment};
use common::peer::Peer;
use common::{MSS, config};

const FULL: u32 = MSS as u32;

fn linux() -> Config {
    Config { ack_rule: AckRule::Linux, quick_acks: 16, delayed_ack: 40 * MILLISECOND, ..config() }
}

/// Whether the arrival of a full segment is acknowledged at once; `read` is whether the application reads it.
fn acked(peer: &mut Peer, seq: u64, read: bool) -> bool {
    peer.data(seq, FULL);
    if read {
        peer.end.read(peer.now, MSS);
    }
    !peer.all().is_empty()
}

/// A receiver that has used up its quick ACKs.
fn settled() -> (Peer, u64) {
    let mut peer = Peer::established(&linux());
    for segment in 0..16 {
        peer.now += MILLISECOND;
        assert!(acked(&mut peer, segment * MSS, true), "{segment}: quick at first");
    }
    (peer, 16 * MSS)
}

#[test]
fn the_first_sixteen_are_quick_then_every_second() {
    let (mut peer, mut seq) = settled();
    for expected in [false, true, false, true] {
        peer.now += MILLISECOND;
        assert_eq!(acked(&mut peer, seq, true), expected);
        seq += MSS;
    }
}

/// Linux 6.12 acknowledges 22 segments of 1,448 bytes at once with its default buffer: half of its memory, without a segment,
/// is offered at first, and each of six segments lets it offer two more. Then sixteen quick ACKs follow.
#[test]
fn while_the_window_grows_each_segment_is_acknowledged_at_once() {
    let quick = |window_rule| {
        let full = Config {
            mss: 1448,
            receive_buffer: 64 << 10,
            receive_buffer_max: 1 << 20,
            window_scale: Some(7),
            ..linux()
        };
        let mut peer = Peer::established(&Config { window_rule, ..full });
        (0..200)
            .take_while(|segment| {
                peer.now += MILLISECOND;
                peer.data(segment * 1448, 1448);
                peer.end.read(peer.now, 1448);
                !peer.all().is_empty()
            })
            .count()
    };
    assert_eq!(quick(WindowRule::Linux), 22);
    // The share of payload in memory is taken for a half by older kernels, so that nothing grows.
    assert_eq!(quick(WindowRule::Rfc9293), 16);
}

#[test]
fn a_small_window_has_fewer_quick_ones() {
    let small = Config { receive_buffer: 8 * MSS, receive_buffer_max: 8 * MSS, ..linux() };
    let mut peer = Peer::established(&small);
    let quick = (0..8).take_while(|segment| acked(&mut peer, segment * MSS, true)).count();
    // The limit is half of the window in segments of 536 bytes, before the first segment is measured.
    assert_eq!(quick, 4);
}

#[test]
fn the_delay_is_40_ms_and_doubles_when_nothing_came_in_it() {
    let (mut peer, seq) = settled();
    assert!(!acked(&mut peer, seq, true));
    assert_eq!(peer.end.next_timeout() - peer.now, 40 * MILLISECOND);
    peer.expire();
    assert_eq!(peer.all().len(), 1);
    assert_eq!(peer.end.info(peer.now).ato, 80 * MILLISECOND);
    // Arrivals 15 ms apart reduce the delay again.
    let mut seq = seq + MSS;
    for _ in 0..8 {
        peer.now += 15 * MILLISECOND;
        acked(&mut peer, seq, true);
        seq += MSS;
    }
    assert!(peer.end.info(peer.now).ato <= 41 * MILLISECOND);
}

#[test]
fn after_a_pause_it_is_quick_again() {
    let (mut peer, mut seq) = settled();
    assert!(!acked(&mut peer, seq, true));
    peer.now += 10 * SECOND;
    peer.end.on_timeout(peer.now, &mut ());
    peer.all();
    for _ in 0..5 {
        seq += MSS;
        assert!(acked(&mut peer, seq, true));
    }
}

/// A small segment that is read at once is acknowledged at once, until the two ends alternate.
#[test]
fn the_end_of_a_message_is_acknowledged_when_it_is_read_unless_an_answer_may_carry_it() {
    let (mut peer, mut seq) = settled();
    peer.data(seq, 100);
    assert!(peer.all().is_empty());
    peer.end.read(peer.now, 100);
    assert_eq!(peer.all().len(), 1);
    seq += 100;
    // The response follows within the delay.
    peer.now += MILLISECOND;
    peer.data(seq, 100);
    peer.end.write(peer.now, 50);
    assert_eq!(peer.all().len(), 1, "the answer carries the ACK");
    seq += 100;
    peer.now += MILLISECOND;
    peer.data(seq, 100);
    peer.end.read(peer.now, 200);
    assert!(peer.all().is_empty(), "interactive: the ACK waits for the next answer");
    assert_ne!(peer.end.next_timeout(), NEVER);
    peer.end.set_quick_ack(true);
    assert_eq!(peer.all().len(), 1);
}

//= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
//= type=test
//# a TCP receiver SHOULD send an immediate ACK when the incoming segment fills in all or part of a gap in the sequence
//# space
//= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
//= type=test
//# the receiver SHOULD send an immediate ACK when it receives a data segment that fills in all or part of a gap in the
//# sequence space
//= https://www.rfc-editor.org/rfc/rfc6582#section-5
//= type=test
//# our recommendation is that the data receiver send an immediate acknowledgment for an out-of-order segment, even when
//# that out-of-order segment fills a hole in the buffer
#[test]
fn what_fills_a_gap_is_acknowledged_at_once_however_little_it_is() {
    let mut peer = Peer::established(&config());
    peer.data(0, FULL);
    peer.data(MSS, FULL);
    assert_eq!(peer.all().len(), 1, "two full segments");
    // Four segments of 100 bytes arrive in the order 2, 4, 1, 3: together far less than a full segment.
    for (seq, acknowledged) in [(100, 0), (300, 0), (0, 200), (200, 400)] {
        peer.data(2 * MSS + seq, 100);
        let ack = peer.next();
        assert_eq!(ack.ack, peer.seq(2 * MSS + acknowledged), "{seq}");
    }
}

//= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
//= type=test
//# A TCP receiver MUST NOT generate more than one ACK for every incoming segment
/// Every segment is answered by at most one ACK.
#[test]
fn no_segment_is_answered_by_more_than_one_ack() {
    let acks = |peer: &mut Peer| (0..5).map_while(|_| peer.end.poll_transmit(peer.now, &mut ())).count();
    for config in [config(), linux(), Config { delayed_ack: 0, ..config() }] {
        let mut peer = Peer::established(&config);
        // The segments are: in order, the second in order, above a gap, the same again, filling the gap, below the
        // window, beyond it.
        for (seq, len) in [(0, FULL), (1, FULL), (3, FULL), (3, FULL), (2, FULL), (0, FULL), (1 << 20, 9)] {
            for flags in [Flags::ACK, Flags::ACK.with(Flags::PSH), Flags::SYN] {
                let segment = Segment { flags, ..peer.segment(seq * MSS, len, 0) };
                peer.now += MILLISECOND;
                peer.give(&segment);
                let count = acks(&mut peer);
                assert!(count <= 1, "{count} for {segment:?}");
            }
        }
        let fin = Segment { flags: Flags::ACK.with(Flags::FIN), ..peer.segment(4 * MSS, 0, 0) };
        peer.give(&fin);
        let delayed = config.ack_rule == AckRule::Linux;
        assert_eq!(acks(&mut peer), usize::from(!delayed));
    }
}

/// Linux net/ipv4/tcp_input.c, tcp_fin: the acknowledgment of a FIN waits for our own, except where we have closed.
#[test]
fn linux_lets_the_acknowledgment_of_a_fin_wait() {
    let fin = |peer: &Peer| Segment { flags: Flags::ACK.with(Flags::FIN), ..peer.segment(MSS, 0, 0) };
    let mut peer = Peer::established(&linux());
    peer.data(0, FULL);
    peer.all();
    peer.give(&fin(&peer));
    assert_eq!(peer.all(), []);
    assert_eq!(peer.end.next_timeout() - peer.now, 40 * MILLISECOND);
    peer.expire();
    assert_eq!(peer.next().ack, peer.seq(MSS + 1));

    let mut peer = Peer::established(&linux());
    peer.data(0, FULL);
    peer.all();
    peer.end.read(peer.now, MSS);
    peer.end.close(peer.now);
    let ours = peer.next();
    assert!(ours.flags.has(Flags::FIN), "{ours:?}");
    peer.give(&fin(&peer));
    assert_eq!(peer.next().ack, peer.seq(MSS + 1), "we have closed");
}

/// Linux net/ipv4/tcp_input.c: tcp_fin forgets a duplicate, and tcp_dsack_extend joins two that touch.
#[test]
fn duplicates_that_touch_are_one_block_and_a_fin_forgets_them() {
    let mut peer = Peer::established(&linux());
    for seq in [1, 2] {
        peer.data(seq * MSS, FULL);
    }
    peer.all();
    peer.data(MSS, FULL);
    peer.data(2 * MSS, FULL);
    let report = peer.all()[0];
    assert_eq!(peer.blocks(&report)[0], (MSS, 3 * MSS));
    peer.data(0, FULL);
    peer.all();
    peer.give(&Segment { flags: Flags::ACK.with(Flags::FIN), ..peer.segment(2 * MSS, FULL, 0) });
    peer.expire();
    let last = peer.next();
    assert_eq!(peer.blocks(&last), []);
}

/// Linux net/ipv4/tcp_input.c, __tcp_ack_snd_check: the fourth duplicate ACK and later ones wait, 44 of them at most, and a
/// segment that fills the last gap ends the wait.
#[test]
fn linux_compresses_duplicate_acks_after_the_third() {
    let compressing = Config { sack_compression: true, quick_acks: 0, receive_buffer_max: 1 << 20, ..linux() };
    let losing = |config: &Config| {
        let mut peer = Peer::established(config);
        peer.data(0, FULL);
        peer.all();
        peer.now += MILLISECOND;
        peer.data(MSS, FULL);
        peer.all();
        peer
    };
    let mut peer = losing(&compressing);
    for segment in 3..6 {
        peer.now += MILLISECOND / 10;
        peer.data(segment * MSS, FULL);
        assert_eq!(peer.next().ack, peer.seq(2 * MSS), "{segment}");
    }
    peer.now += MILLISECOND / 10;
    for segment in 6..10 {
        peer.data(segment * MSS, FULL);
        assert_eq!(peer.all(), [], "{segment}");
    }
    assert_eq!(peer.end.next_timeout() - peer.now, 100_000, "no RTT is known, and the slack of the timer is left");
    peer.expire();
    let report = peer.next();
    assert_eq!(peer.blocks(&report)[0], (3 * MSS, 10 * MSS));
    assert_eq!(peer.end.info(peer.now).ato, 40 * MILLISECOND, "the delay of other ACKs stays");
    // At most 44 wait.
    let waiting = (10..100).take_while(|segment| acked(&mut peer, segment * MSS, false).eq(&false)).count();
    assert_eq!(waiting, 44);
    peer.data(55 * MSS, FULL);
    assert_eq!(peer.all(), []);
    peer.data(2 * MSS, FULL);
    assert_eq!(peer.next().ack, peer.seq(56 * MSS), "the gap is filled");
    let mut others = losing(&linux());
    for segment in 3..20 {
        assert!(acked(&mut others, segment * MSS, false), "{segment}: not before Linux 4.18");
    }
}

/// Linux net/ipv4/tcp_input.c, tcp_sack_new_ofo_skb: one compressed ACK reports changes of two blocks. Before a segment changes
/// another one, the ACK that waits is sent with the blocks of before, and the segment waits for an ACK of its own.
#[test]
fn linux_releases_a_compressed_ack_before_a_third_block_changes() {
    let compressing = Config { sack_compression: true, quick_acks: 0, receive_buffer_max: 1 << 20, ..linux() };
    let mut peer = Peer::established(&compressing);
    for segment in [1, 3, 5] {
        assert!(acked(&mut peer, segment * MSS, false), "{segment}: the first duplicates");
    }
    peer.data(6 * MSS, FULL);
    assert_eq!(peer.all(), [], "the newest block grows");
    peer.data(8 * MSS, FULL);
    let released = peer.all();
    assert_eq!(released.len(), 1, "{released:?}");
    assert_eq!(peer.blocks(&released[0]), [(5 * MSS, 7 * MSS), (3 * MSS, 4 * MSS), (MSS, 2 * MSS)]);
    peer.expire();
    let next = peer.next();
    assert_eq!(peer.blocks(&next)[0], (8 * MSS, 9 * MSS));
}

/// Linux net/ipv4/tcp_input.c: a segment below RCV.NXT lets sixteen segments be acknowledged at once (tcp_send_dupack), and
/// one that had arrived beyond a gap is like any other there (tcp_data_queue_ofo).
#[test]
fn a_duplicate_lets_linux_acknowledge_the_next_segments_at_once() {
    let (mut peer, mut seq) = settled();
    let quick = |peer: &mut Peer, seq: &mut u64| {
        let from = *seq;
        while acked(peer, *seq, true) {
            *seq += MSS;
        }
        (*seq - from) / MSS
    };
    assert_eq!(quick(&mut peer, &mut seq), 0);
    peer.data(seq - MSS, FULL);
    assert_eq!(peer.all().len(), 1);
    seq += MSS;
    assert_eq!(quick(&mut peer, &mut seq), 15, "the sixteenth told of the duplicate");
}

/// Linux net/ipv4/tcp.c, __tcp_cleanup_rbuf: where an ACK on arrival offers little, the read that follows opens the window at once.
#[test]
fn a_read_after_an_ack_opens_the_window_at_once() {
    let small = Config { receive_buffer: 20_000, receive_buffer_max: 20_000, window_scale: Some(0), ..linux() };
    let mut peer = Peer::established(&Config { window_rule: WindowRule::Linux, ..small });
    let mut seq = MSS;
    let edge = peer.end.info(peer.now).rcv_wnd;
    while seq + MSS <= edge {
        acked(&mut peer, seq, false);
        seq += MSS;
    }
    peer.data(0, FULL);
    peer.end.read(peer.now, seq);
    let windows: Vec<u16> = peer.all().iter().map(|ack| ack.window).collect();
    assert!(matches!(windows[..], [first, second] if 2 * first <= second), "{windows:?}");
}

/// Linux net/ipv4/tcp_output.c, __tcp_select_window: an ACK that is sent as soon as segments arrive does not offer their memory,
/// although the application reads them at the same time.
#[test]
fn an_ack_at_once_does_not_offer_the_memory_of_what_arrived() {
    let mut peer = Peer::established(&Config {
        receive_buffer: 64 << 10,
        window_rule: WindowRule::Linux,
        receive_buffer_max: 64 << 10,
        window_scale: Some(7),
        ..linux()
    });
    let offered = |peer: &mut Peer, seq: u64| {
        peer.data(seq, FULL);
        peer.end.read(peer.now, 30 * MSS);
        u64::from(peer.next().window) << 7
    };
    // The first window, which never moves back, is larger than the memory of such segments.
    for segment in 0..41 {
        acked(&mut peer, segment * MSS, true);
    }
    let before = offered(&mut peer, 41 * MSS);
    for segment in 43..52 {
        acked(&mut peer, segment * MSS, false);
    }
    let filled = offered(&mut peer, 42 * MSS);
    assert!(filled.abs_diff(before - 9 * 999) <= 128, "nine segments more wait: {filled} after {before}");
    acked(&mut peer, 52 * MSS, true);
    assert_eq!(offered(&mut peer, 53 * MSS), before);
}
