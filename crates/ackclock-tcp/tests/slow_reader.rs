//! Receivers whose applications read slowly: the window closes and opens again in large steps.

mod common;

use ackclock_tcp::{Config, Flags, MILLISECOND, SECOND, Timestamps, stack};
use common::peer::{Peer, syn};

/// Payload of a full segment, bytes.
const MSS: u64 = 1448;

/// A stack with a fixed buffer.
fn fixed(name: &str, buffer: u64) -> Config {
    let stack = (stack::by_name(name).unwrap().config)();
    let mut config = Config { mss: MSS as u32, timestamps: false, window_scale: None, ..stack };
    config.fix_receive_window(buffer);
    config
}

/// Lets the peer send segments until the window is closed, of which nothing is read. Returns the last window.
fn fill(peer: &mut Peer) -> u64 {
    let mut sent = 0;
    loop {
        peer.now += 10 * MILLISECOND;
        let info = peer.end.info(peer.now);
        if info.rcv_wnd < MSS {
            return info.rcv_wnd;
        }
        peer.data(sent, MSS as u32);
        sent += MSS;
        peer.all();
        while peer.end.next_timeout() <= peer.now + SECOND {
            peer.expire();
            peer.all();
        }
    }
}

/// Reads of 1,000 bytes until a window update leaves; the bytes read and the window offered.
fn read_until_told(peer: &mut Peer) -> (u64, u64) {
    let mut read = 0;
    loop {
        peer.end.read(peer.now, MSS);
        read += MSS;
        if !peer.all().is_empty() {
            return (read, peer.end.info(peer.now).rcv_wnd);
        }
        assert!(read < 60_000, "a window update leaves");
    }
}

/// net/ipv4/tcp_output.c, __tcp_select_window: the window is closed while less than a sixteenth of the buffer is free. With
/// net/ipv4/tcp.c, __tcp_cleanup_rbuf, a read that opens a closed window tells the peer at once.
#[test]
fn linux_closes_the_window_below_a_sixteenth_of_the_buffer() {
    let mut peer = Peer::established(&fixed("linux", 48_000));
    let last = fill(&mut peer);
    assert!(last < MSS, "{last}");
    assert_eq!(peer.end.received(), 33 * MSS, "each takes 1,440 bytes of the window");
    // 48,000 - 31 * 1440 bytes are free, of which a window without a scale offers whole segments.
    assert_eq!(read_until_told(&mut peer), (2 * MSS, 2 * MSS));
}

/// A small buffer opens with a full segment (RFC 9293 section 3.8.6.2.2).
#[test]
fn linux_opens_a_small_buffer_with_a_segment() {
    let mut peer = Peer::established(&fixed("linux", 8000));
    fill(&mut peer);
    peer.end.read(peer.now, MSS / 2);
    assert!(peer.all().is_empty(), "half a segment is a silly window");
    peer.end.read(peer.now, MSS / 2);
    assert_eq!(peer.all().len(), 1);
}

/// sys/netinet/tcp_output.c: FreeBSD tells of a window that grew by two segments and a quarter of the buffer, or by half of
/// it; of any window by two segments while an eighth of the buffer is offered at most.
#[test]
fn freebsd_opens_by_two_segments() {
    let mut peer = Peer::established(&fixed("freebsd", 48_000));
    fill(&mut peer);
    let (read, window) = read_until_told(&mut peer);
    assert!(read == 2 * MSS && window >= 2 * MSS, "{read} {window}");
}

/// net/ipv4/tcp_input.c, tcp_grow_window with tcp_space: unread data takes memory, so that the window stops growing.
#[test]
fn unread_data_keeps_linux_from_growing_its_window() {
    let tuned = |reads: bool| {
        let linux = (stack::by_name("linux").unwrap().config)();
        let mut peer = Peer::established(&Config { mss: MSS as u32, timestamps: false, ..linux });
        for segment in 0..40 {
            peer.now += MILLISECOND;
            peer.data(segment * MSS, MSS as u32);
            if reads {
                peer.end.read(peer.now, MSS);
            }
            peer.all();
        }
        peer.end.info(peer.now).rcv_wnd
    };
    assert!(tuned(true) >= 55_000, "{}", tuned(true));
    assert!(tuned(false) <= 65_536 - 40_000 + 10_000, "{}", tuned(false));
}

/// The windows of Linux 6.12 with a buffer of 131,070 bytes, in units of four bytes: half of its memory without a segment at
/// first, two segments more with each that arrives, and at last the buffer without the memory of the arriving segment.
#[test]
fn linux_offers_half_of_its_memory_first_and_grows_by_two_segments() {
    let mut config = fixed("linux", 131_070);
    config.scale_receive_window();
    let (mut peer, answer) = Peer::accepted(&config, &syn(Flags::default()));
    assert_eq!((answer.window, answer.window_scale), (65_535, 2));
    let mut ack = peer.segment(0, 0, 0);
    ack.ack = answer.seq.wrapping_add(1);
    peer.give(&ack);
    let windows: Vec<u16> = (0..11)
        .map(|segment| {
            peer.now += MILLISECOND;
            peer.data(segment * MSS, MSS as u32);
            peer.end.read(peer.now, MSS);
            peer.all().last().expect("a quick ACK").window
        })
        .collect();
    assert_eq!(windows, [26_576, 27_300, 28_024, 28_748, 29_472, 30_196, 30_920, 31_644, 32_368, 32_408, 32_408]);
}

/// Without options that give more, the SYN of Linux offers 44 segments of 1,460 bytes, and its SYN-ACK as many of the segments
/// that the timestamps leave: 45 of 1,448.
#[test]
fn the_first_window_of_linux_is_a_number_of_segments() {
    let config = Config { mss: 1460, ..(stack::by_name("linux").unwrap().config)() };
    let (_, mine) = Peer::called(&config);
    assert_eq!((mine.window, mine.window_scale), (64_240, 7));
    let mut with_stamps = syn(Flags::default());
    with_stamps.timestamps = Some(Timestamps { val: 1, ecr: 0 });
    assert_eq!(Peer::accepted(&config, &with_stamps).1.window, 65_160);
    assert_eq!(Peer::accepted(&config, &syn(Flags::default())).1.window, 64_240);
}
