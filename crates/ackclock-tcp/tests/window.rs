//! Flow control and small segments: closed and small windows, probes, Nagle, cork, pushes and records, and the receive
//! window.

mod common;

use ackclock_tcp::config::{InitialWindow, NagleRule};
use ackclock_tcp::{Config, Flags, MILLISECOND, Push, SECOND, Segment, stack};
use common::peer::{ISS, Peer};
use common::{MSS, Pair, config};

const FULL: u32 = MSS as u32;

fn offer(peer: &mut Peer, ack: u64, window: u16) {
    let segment = Segment { window, ..peer.segment(0, 0, ack) };
    peer.give(&segment);
}

fn lens(peer: &mut Peer) -> Vec<u32> {
    peer.all().iter().map(|segment| segment.len).collect()
}

/// RFC 9293 section 3.8.6.1, with Linux's probe.
#[test]
fn a_shut_window_is_probed_at_growing_intervals_for_as_long_as_the_peer_answers() {
    let mut peer = Peer::established(&Config { data_retries: 3, ..config() });
    offer(&mut peer, 0, 0);
    peer.end.write(peer.now, MSS);
    let rto = peer.end.info(peer.now).rto;
    let mut last = peer.now;
    assert!(peer.all().is_empty());
    for doubled in 0..6 {
        peer.expire();
        assert_eq!(peer.now - last, rto << doubled);
        let probe = peer.next();
        assert_eq!((probe.seq, probe.len), (ISS, 0));
        offer(&mut peer, 0, 0);
        assert!(peer.all().is_empty());
        last = peer.now;
    }
    offer(&mut peer, 0, 5000);
    assert_eq!(lens(&mut peer), [FULL]);
    assert_eq!(peer.end.info(peer.now).backoff, 0);
}

#[test]
fn a_window_update_that_is_lost_does_not_hold_a_transfer_for_ever() {
    let small = Config { receive_buffer: 2 * MSS, receive_buffer_max: 2 * MSS, ..config() };
    let mut pair = Pair::new(&config(), &small, |_, _, _| true);
    pair.ends[0].write(0, 10 * MSS);
    pair.reads = false;
    pair.run(SECOND);
    assert_eq!(pair.ends[1].received(), 2 * MSS);
    pair.reads = true;
    let now = pair.now;
    pair.ends[1].read(now, 2 * MSS);
    // The window update is removed from the wire.
    while pair.ends[1].poll_transmit(now, &mut ()).is_some() {}
    pair.run(60 * SECOND);
    assert_eq!(pair.ends[1].received(), 10 * MSS);
}

/// SND.WL1 and SND.WL2 (RFC 9293 section 3.10.7.4): an old segment does not set the window, a newer one may shrink it.
#[test]
fn only_a_newer_segment_sets_the_window() {
    let mut peer = Peer::established(&config());
    // The segment is older than the last one, though part of it is new.
    let old = Segment { window: 100, ..peer.segment(5, 10, 0) };
    let new = Segment { window: 5000, ..peer.segment(0, 10, 0) };
    let newer = Segment { window: 3000, ..peer.segment(10, 0, 0) };
    for (segment, window) in [(new, 5000), (newer, 3000), (old, 3000)] {
        peer.give(&segment);
        assert_eq!(peer.end.info(peer.now).snd_wnd, window);
    }
}

/// RFC 9293 section 3.8.6.2.1.
#[test]
fn a_sender_does_not_answer_small_openings_with_small_segments() {
    let mut peer = Peer::established(&config());
    offer(&mut peer, 0, 1500);
    peer.end.write(peer.now, 10 * MSS);
    assert_eq!(lens(&mut peer), [FULL], "500 bytes are less than half of the largest window of 60,000");
    offer(&mut peer, MSS, 600);
    assert!(peer.all().is_empty());
    peer.expire();
    assert_eq!(lens(&mut peer), [600], "after a retransmission timeout what fits goes");
    let mut small = Peer::established_with(&config(), |reply| reply.window = 800);
    small.all();
    small.end.write(small.now, 10 * MSS);
    assert_eq!(lens(&mut small), [800], "all that this peer has ever offered");
}

/// RFC 9293 section 3.8.6.2.2.
#[test]
fn a_receiver_opens_its_window_in_steps() {
    let mut peer = Peer::established(&Config { receive_buffer: 4 * MSS, receive_buffer_max: 4 * MSS, ..config() });
    for segment in 0..4 {
        peer.data(segment * MSS, FULL);
    }
    assert_eq!(peer.all().last().unwrap().window, 0);
    peer.end.read(peer.now, MSS - 1);
    assert!(peer.all().is_empty(), "less than a segment");
    peer.end.read(peer.now, 1);
    assert_eq!(peer.next().window, 1000);
    peer.end.read(peer.now, 3 * MSS);
    assert_eq!(peer.next().window, 4000);
}

/// RFC 9293 section 3.7.4, and Minshall's variant, which lets one small segment follow full ones.
#[test]
fn nagle_holds_back_small_segments_while_data_is_outstanding() {
    for (nagle, nagle_rule, first, second) in [
        (false, NagleRule::Rfc9293, vec![FULL, 500], vec![10]),
        (true, NagleRule::Rfc9293, vec![FULL], vec![]),
        (true, NagleRule::Minshall, vec![FULL, 500], vec![]),
        (true, NagleRule::FreeBsd, vec![FULL, 500], vec![]),
    ] {
        let mut peer = Peer::established(&Config { nagle, nagle_rule, ..config() });
        peer.end.write(peer.now, MSS + 500);
        assert_eq!(lens(&mut peer), first);
        peer.end.write(peer.now, 10);
        assert_eq!(lens(&mut peer), second);
        offer(&mut peer, first.iter().map(|&len| u64::from(len)).sum(), 60_000);
        let held = MSS + 510 - first.iter().chain(&second).map(|&len| u64::from(len)).sum::<u64>();
        assert_eq!(lens(&mut peer), if held > 0 { vec![held as u32] } else { vec![] });
    }
    let mut peer = Peer::established(&Config { nagle: true, ..config() });
    peer.end.write(peer.now, MSS + 1);
    assert_eq!(lens(&mut peer), [FULL]);
    peer.end.set_nagle(false);
    assert_eq!(lens(&mut peer), [1]);
    peer.end.write(peer.now, MSS + 1);
    peer.end.set_nagle(true);
    assert_eq!(lens(&mut peer), [FULL]);
    peer.end.shutdown_write(peer.now);
    assert_eq!(lens(&mut peer), [1], "nothing more is to come");
}

fn freebsd(segments: u32) -> Peer {
    let initial_window = InitialWindow::Segments(segments);
    Peer::established(&Config { nagle: true, nagle_rule: NagleRule::FreeBsd, initial_window, ..config() })
}

/// FreeBSD sys/netinet/tcp_output.c, tcp_default_output: `idle` is taken once, before the loop that sends.
#[test]
fn freebsd_judges_idle_once_for_all_segments_that_a_window_lets_out_at_once() {
    let mut peer = freebsd(10);
    peer.end.write(peer.now, 3 * MSS + 500);
    assert_eq!(lens(&mut peer), [FULL, FULL, FULL, 500]);
    peer.end.write(peer.now, MSS + 1);
    assert_eq!(lens(&mut peer), [FULL], "data was outstanding as this write began");
    offer(&mut peer, 2 * MSS, 60_000);
    assert!(peer.all().is_empty());
    offer(&mut peer, 4 * MSS + 500, 60_000);
    assert_eq!(lens(&mut peer), [1], "all is acknowledged");
    // The window ends the first output; the second one, which an ACK begins, has data outstanding.
    let mut peer = freebsd(2);
    peer.end.write(peer.now, 3 * MSS + 500);
    assert_eq!(lens(&mut peer), [FULL, FULL]);
    offer(&mut peer, MSS, 60_000);
    assert_eq!(lens(&mut peer), [FULL]);
    offer(&mut peer, 2 * MSS, 60_000);
    assert!(peer.all().is_empty());
    offer(&mut peer, 3 * MSS, 60_000);
    assert_eq!(lens(&mut peer), [500]);
    // Each write of limited size is an output of its own.
    let limited = Config { nagle: true, nagle_rule: NagleRule::FreeBsd, write_size: 1500, ..config() };
    let mut peer = Peer::established(&limited);
    peer.end.write(peer.now, 4000);
    assert_eq!(lens(&mut peer), [FULL, 500, FULL, FULL], "later writes fill segments, and the end waits");
    offer(&mut peer, 3500, 60_000);
    assert_eq!(lens(&mut peer), [500]);
}

/// The same source: TF_MORETOCOME and TF_LASTIDLE.
#[test]
fn freebsd_counts_an_output_after_a_write_that_announced_more_as_idle() {
    let mut peer = freebsd(10);
    peer.end.write_with(peer.now, MSS + 500, Push::More);
    assert_eq!(lens(&mut peer), [FULL]);
    peer.end.write(peer.now, 10);
    assert_eq!(lens(&mut peer), [510]);
    peer.end.write_with(peer.now, 500, Push::More);
    assert!(peer.all().is_empty());
    peer.end.write(peer.now, 10);
    assert!(peer.all().is_empty(), "data was outstanding when more was announced");
    offer(&mut peer, MSS + 510, 60_000);
    assert_eq!(lens(&mut peer), [510]);
}

/// The same source: TF_ACKNOW sends what there is, and so does half of the largest window (`max_sndwnd / 2`).
#[test]
fn freebsd_sends_a_small_segment_with_an_ack_or_as_half_of_the_largest_window() {
    let mut peer = freebsd(10);
    peer.end.write(peer.now, MSS);
    assert_eq!(lens(&mut peer), [FULL]);
    peer.end.write(peer.now, 300);
    assert!(peer.all().is_empty());
    peer.data(0, FULL);
    peer.data(MSS, FULL);
    let sent = peer.next();
    assert_eq!((sent.len, sent.ack), (300, peer.seq(2 * MSS)));
    for (rest, held) in [(400, vec![]), (800, vec![800])] {
        let mut peer =
            Peer::established_with(&Config { nagle: true, nagle_rule: NagleRule::FreeBsd, ..config() }, |reply| {
                reply.window = 1600;
            });
        peer.all();
        peer.end.write(peer.now, 200);
        assert_eq!(lens(&mut peer), [200]);
        peer.end.write(peer.now, rest);
        assert_eq!(lens(&mut peer), held);
    }
}

#[test]
fn a_cork_and_more_to_come_hold_back_even_the_first() {
    let mut peer = Peer::established(&config());
    peer.end.set_cork(true);
    peer.end.write(peer.now, 40);
    peer.end.write(peer.now, 40);
    assert!(peer.all().is_empty());
    peer.end.set_cork(false);
    let sent = peer.next();
    assert_eq!((sent.len, sent.flags.has(Flags::PSH)), (80, true));
    peer.end.write_with(peer.now, 40, Push::More);
    assert!(peer.all().is_empty());
    peer.end.write(peer.now, 40);
    assert_eq!(lens(&mut peer), [80]);
    peer.end.write_with(peer.now, 40, Push::More);
    offer(&mut peer, 160, 60_000);
    let sent = peer.next();
    assert_eq!((sent.len, sent.flags.has(Flags::PSH)), (40, false), "an ACK lets it go, and more is to come");
    offer(&mut peer, 200, 60_000);
    peer.end.write_with(peer.now, 40, Push::More);
    assert!(peer.all().is_empty());
    let rto = peer.end.info(peer.now).rto;
    let written = peer.now;
    peer.expire();
    let sent = peer.next();
    assert_eq!((peer.now - written, sent.len, sent.flags.has(Flags::PSH)), (rto, 40, true));
}

#[test]
fn the_last_segment_of_a_write_and_of_every_second_half_window_are_pushed() {
    let mut peer = Peer::established(&Config { initial_window: InitialWindow::Segments(100), ..config() });
    let pushed = |peer: &mut Peer| -> Vec<usize> {
        let sent = peer.all();
        (0..sent.len()).filter(|&index| sent[index].flags.has(Flags::PSH)).collect()
    };
    peer.end.write(peer.now, 3 * MSS);
    assert_eq!(pushed(&mut peer), [2]);
    offer(&mut peer, 3 * MSS, 60_000);
    peer.end.write(peer.now, 70 * MSS);
    assert_eq!(pushed(&mut peer), [59], "the largest window is 60,000 bytes, so pieces have at most 30,000");
    offer(&mut peer, 63 * MSS, 60_000);
    assert_eq!(pushed(&mut peer), [9]);
    peer.expire();
    offer(&mut peer, 72 * MSS, 60_000);
    let again = peer.all();
    assert!(
        again.iter().any(|segment| segment.seq == ISS.wrapping_add(1 + 72 * FULL) && segment.flags.has(Flags::PSH))
    );
}

#[test]
fn no_segment_crosses_the_end_of_a_record() {
    let mut peer = Peer::established(&config());
    offer(&mut peer, 0, 0);
    peer.end.write(peer.now, 1500);
    peer.end.write_with(peer.now, 700, Push::EndOfRecord);
    peer.end.write(peer.now, 1000);
    offer(&mut peer, 0, 60_000);
    let sent: Vec<(u32, bool)> =
        peer.all().iter().map(|segment| (segment.len, segment.flags.has(Flags::PSH))).collect();
    assert_eq!(sent, [(1000, false), (1000, false), (200, true), (1000, true)]);
}

#[test]
fn data_makes_room_for_the_sack_blocks_it_carries() {
    let mut peer = Peer::established(&config());
    peer.data(MSS, FULL);
    peer.end.write(peer.now, 2 * MSS);
    let sent = peer.all();
    assert_eq!((sent[0].len, sent[0].sack_blocks().len()), (FULL - 12, 1));
    assert!(sent.iter().all(|segment| segment.len + segment.header_len() <= FULL + 20));
}

/// Dynamic right-sizing: a window that is used in full each round trip grows, up to its limit.
#[test]
fn the_receive_window_follows_the_sender() {
    let tuned =
        |max: u64| Config { receive_buffer: 16 << 10, receive_buffer_max: max, window_scale: Some(7), ..config() };
    let run = |receiver: &Config| {
        let mut pair =
            Pair::new(&Config { initial_window: InitialWindow::Segments(1000), ..config() }, receiver, |_, _, _| true);
        pair.ends[0].write(0, 4000 * MSS);
        pair.run(3 * SECOND);
        (pair.ends[1].received(), pair.ends[1].info(pair.now))
    };
    let (fixed, _) = run(&tuned(16 << 10));
    let (grown, info) = run(&tuned(1 << 20));
    assert!(fixed < 30 * (16 << 10), "30 round trips of one buffer: {fixed}");
    assert!(grown > 4 * fixed, "{grown} against {fixed}");
    assert!(info.rcv_wnd > 500 << 10 && info.rcv_wnd <= 1 << 20, "{}", info.rcv_wnd);
    assert!(info.rcv_rtt >= 100 * MILLISECOND);
}

#[test]
fn setting_the_receive_buffer_ends_its_tuning() {
    let linux = (stack::by_name("linux").unwrap().config)();
    let mut peer = Peer::established(&linux);
    peer.end.set_receive_buffer(20_000);
    peer.end.set_window_clamp(10_000);
    for segment in 0..100 {
        peer.now += 10 * MILLISECOND;
        peer.data(segment * MSS, FULL);
        peer.end.read(peer.now, MSS);
        peer.all();
    }
    let info = peer.end.info(peer.now);
    assert!(info.rcv_wnd <= 65_536, "what was offered stays offered");
    assert!(info.rcv_wnd < 20_000, "{}", info.rcv_wnd);
}

#[test]
fn what_was_never_sent_can_be_withdrawn() {
    let mut peer = Peer::established(&config());
    offer(&mut peer, 0, 2 * MSS as u16);
    peer.end.write(peer.now, 10 * MSS);
    assert_eq!(lens(&mut peer), [FULL, FULL]);
    peer.end.withdraw();
    offer(&mut peer, 2 * MSS, 60_000);
    assert!(lens(&mut peer).is_empty(), "the other eight are gone");
    // The stream continues where it stopped, and ends there.
    peer.end.write(peer.now, 100);
    peer.end.shutdown_write(peer.now);
    peer.end.withdraw();
    let last = peer.next();
    assert_eq!((last.seq, last.len, last.flags.has(Flags::FIN)), (ISS.wrapping_add(1 + 2 * FULL), 100, true));
}
