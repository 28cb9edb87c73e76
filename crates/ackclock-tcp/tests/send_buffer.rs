//! The send buffer: what an application can write before it has to wait, and when it writes again.

mod common;

use ackclock_tcp::{Config, Flags, MILLISECOND, stack};
use common::MSS;
use common::peer::{PEER_ISS, Peer};

/// Linux with segments of 1,000 bytes and an initial window of ten.
fn linux(send_buffer: u64) -> Config {
    let linux = (stack::by_name("linux").unwrap().config)();
    Config { mss: MSS as u32, timestamps: false, send_buffer, send_buffer_max: send_buffer, ..linux }
}

fn freebsd(send_buffer: u64, send_buffer_max: u64) -> Config {
    let freebsd = (stack::by_name("freebsd").unwrap().config)();
    Config { mss: MSS as u32, timestamps: false, send_buffer, send_buffer_max, ..freebsd }
}

/// A connection whose peer offers 257 times 128 bytes, as the scripts of packetdrill do, and whose application has written
/// more than any buffer takes.
fn full(config: &Config) -> Peer {
    let mut peer = connected(config);
    peer.end.write(peer.now, 1 << 30);
    peer.all();
    peer
}

fn connected(config: &Config) -> Peer {
    let mut peer = Peer::established_with(config, |reply| (reply.window, reply.window_scale) = (257 << 7, 7));
    peer.all();
    peer
}

fn acknowledge(peer: &mut Peer, bytes: u64) {
    let mut segment = peer.segment(0, 0, bytes);
    segment.window = 257;
    peer.give(&segment);
    assert_eq!(segment.seq, PEER_ISS.wrapping_add(1));
}

/// Bytes that the connection has taken from its application.
fn taken(peer: &Peer) -> u64 {
    peer.end.sent() + peer.end.info(peer.now).notsent_bytes
}

/// Linux looks at the limit between buffers of half the window, 16,000 bytes, and counts 896 bytes beside the payload of
/// each (net/ipv4/tcp.c, tcp_sendmsg_locked). The first buffer is cut when ten segments leave, two at a time at the rate of
/// this window (net/ipv4/tcp_output.c, tcp_tso_autosize), and its rest is filled up again.
#[test]
fn linux_counts_the_memory_of_buffers_of_half_the_window() {
    assert_eq!(taken(&full(&linux(25_000))), 58_000);
    // 42,000 bytes lie in seven buffers.
    assert_eq!(taken(&full(&linux((42_000 + 7 * 896) / 2))), 42_000);
    assert_eq!(taken(&full(&linux((42_000 + 7 * 896) / 2 + 1))), 58_000);
    assert_eq!(taken(&full(&linux(1))), 26_000, "the least memory is 4,608 bytes");
}

/// net/ipv4/tcp.c, tcp_sendmsg_locked with tcp_stream_memory_free.
#[test]
fn unsent_data_is_limited_by_its_own_mark() {
    let taken = |notsent_lowat| taken(&full(&Config { notsent_lowat, ..linux(25_000) }));
    assert_eq!([taken(32_000), taken(4000)], [42_000, 26_000]);
}

/// include/net/sock.h, sk_stream_is_writeable: a writer that sleeps is woken when a third of the limit is free.
#[test]
fn a_writer_waits_until_a_third_is_free() {
    let mut peer = full(&linux(25_000));
    let mut acked = 0;
    while taken(&peer) == 58_000 {
        acked += 2 * MSS;
        peer.now += MILLISECOND;
        acknowledge(&mut peer, acked);
        let sent = peer.end.sent();
        peer.all();
        assert!(peer.end.sent() >= sent);
        assert!(acked < 58_000);
    }
    // All data is in flight, in buffers of two segments. 34,752 bytes of memory are more than two thirds of the 50,000, and
    // 31,856 bytes are less.
    assert_eq!(acked, 36_000);
    assert!(taken(&peer) > 58_000, "{}", taken(&peer));
}

/// net/ipv4/tcp_input.c, tcp_sndbuf_expand: `ss -m` shows tb87040 after the handshake, ten segments in buffers of 4,352
/// bytes, twice. It grows with the window, to tcp_wmem at most.
#[test]
fn linux_raises_the_limit_with_the_congestion_window() {
    let tuned = Config { send_buffer: 8 << 10, send_buffer_max: 2 << 20, mss: 1460, ..linux(1) };
    let peer = Peer::established_with(&tuned, |reply| (reply.mss, reply.window_scale) = (1460, 7));
    assert_eq!(peer.end.send_buffer(), Some(87_040));
    let small = Config { send_buffer_max: 10 << 10, ..tuned };
    let peer = Peer::established_with(&small, |reply| (reply.mss, reply.window_scale) = (1460, 7));
    assert_eq!(peer.end.send_buffer(), Some(20 << 10));
}

/// sys/kern/uipc_socket.c, sosend_generic: FreeBSD counts payload, in whole segments (sys/netinet/tcp_input.c, tcp_mss).
#[test]
fn freebsd_counts_payload() {
    assert_eq!(taken(&full(&freebsd(32_768, 32_768))), 33_000);
    let mut peer = full(&freebsd(32_768, 32_768));
    acknowledge(&mut peer, 1000);
    peer.all();
    assert_eq!(taken(&peer), 33_000, "less than so_snd.sb_lowat is free");
    acknowledge(&mut peer, 3000);
    peer.all();
    assert_eq!(taken(&peer), 36_000);
}

/// sys/netinet/tcp_output.c, tcp_sndbuf_autoscale: by 8 KiB while the window allows more than the buffer has.
#[test]
fn freebsd_raises_the_limit_while_it_limits_the_sender() {
    let mut peer = connected(&freebsd(8192, 1 << 20));
    assert_eq!(peer.end.send_buffer(), Some(9000));
    peer.end.write(peer.now, 1 << 30);
    peer.all();
    // Ten segments may leave: 9,000 bytes are sent at once; one of the next 8,192 follows, and 7,192 are less than the
    // window; 15,384 are more.
    assert_eq!((peer.end.send_buffer(), taken(&peer)), (Some(9000 + 2 * 8192), 9000 + 2 * 8192));
}

#[test]
fn data_in_the_buffer_cannot_be_withdrawn_and_a_close_follows_it() {
    let mut peer = full(&linux(25_000));
    peer.end.withdraw();
    peer.end.shutdown_write(peer.now);
    let mut acked = 0;
    let mut last = None;
    while acked < 58_000 {
        acked = peer.end.sent();
        peer.now += MILLISECOND;
        acknowledge(&mut peer, acked);
        last = peer.all().last().copied().or(last);
    }
    assert_eq!((peer.end.sent(), last.unwrap().flags.has(Flags::FIN)), (58_000, true));
}
