//! Bytes arrive as they were sent, whatever happens on the path.

use ackclock_transport::{Event, NEVER, Parameters};

use super::pipe::{MS, Path, World, download};
use super::stack_under_test::{CCS, HANDSHAKE, IDLE, LATEST_RTT, PAYLOAD, SEEDS};

pub const SIZE: usize = 1_000_000;

#[test]
fn a_megabyte_arrives_over_a_clean_path() {
    let (mut world, time) = download(Path::default(), SIZE, 10_000 * MS);
    // 12000 bytes at first, doubled in each RTT of 20 ms: 7 rounds for 1 MB, and 2 RTTs for the handshake and the request.
    assert!((8 * 20 * MS..12 * 20 * MS).contains(&time), "{time}");
    assert!(world.until(1, 10_000 * MS, |event| matches!(event, Event::Delivered(_))));
    let statistics = world.ends[1].statistics();
    assert_eq!((statistics.lost, statistics.timeouts, statistics.reductions), (0, 0, 0));
    assert_eq!(statistics.in_flight, Some(0));
    assert_eq!(statistics.min_rtt, Some(20 * MS));
    assert!(LATEST_RTT.contains(&statistics.latest_rtt.unwrap()), "{statistics:?}");
    world.run(20_000 * MS);
    assert_eq!(world.ends[0].statistics().in_flight, Some(0), "ACKs are not in flight");
    for (payload, expected) in world.payload.iter().zip(PAYLOAD) {
        assert!(expected.contains(payload), "{:?}", world.payload);
    }
}

#[test]
fn a_megabyte_arrives_over_a_bad_path() {
    for seed in 1..4 {
        let path = Path { trouble: [20, 30, 20, 10], rate: 20_000_000, seed, ..Path::default() };
        let (world, _) = download(path, SIZE, 60_000 * MS);
        let statistics = world.ends[1].statistics();
        assert!(statistics.lost > 10 && statistics.reductions > 3, "{statistics:?}");
        assert!(statistics.retransmitted > 10 && world.payload[1] > SIZE as u64, "{statistics:?}");
    }
}

#[test]
fn the_handshake_takes_one_round_trip() {
    let mut world = World::new(Path::default());
    assert!(world.until(0, 1000 * MS, |event| *event == Event::Connected));
    assert_eq!(world.now, 20 * MS);
    assert!(world.until(1, 1000 * MS, |event| *event == Event::Connected));
    assert_eq!(world.now, 30 * MS);
    // RFC 9000, section 14.1: datagrams with Initial packets have at least 1200 bytes.
    for (bytes, most) in world.bytes.iter().zip(HANDSHAKE) {
        assert!((1200..most).contains(bytes), "{:?}", world.bytes);
    }
    let (_, answered) = download(Path::default(), 1000, 1000 * MS);
    assert_eq!(answered, 40 * MS);
}

#[test]
fn an_idle_connection_is_quiet_and_ends_after_its_timeout() {
    let (mut world, _) = download(Path::default(), 1000, 1000 * MS);
    world.run(1000 * MS);
    let (sent, began) = (world.sent, world.now);
    world.run(began + 28_000 * MS);
    assert_eq!(world.sent, sent);
    let lost = |event: &Event| *event == Event::Closed(Some(IDLE.to_owned()));
    assert!(world.until(0, began + 31_000 * MS, lost));
    assert!(world.until(1, began + 31_000 * MS, lost));
    assert_eq!(world.sent, sent);
    world.run(began + 100_000 * MS);
    assert_eq!([world.ends[0].timeout(), world.ends[1].timeout()], [NEVER; 2]);
}

#[test]
fn a_close_reaches_the_peer() {
    for (code, reason) in [(0, None), (7, Some("the peer closed with code 7".to_owned()))] {
        let (mut world, _) = download(Path::default(), 1000, 1000 * MS);
        world.run(200 * MS);
        let now = world.now;
        world.ends[0].close(now, code);
        world.settle(0);
        assert_eq!(world.events[0].last(), Some(&(now, Event::Closed(None))));
        world.run(10_000 * MS);
        assert_eq!(world.events[1].last(), Some(&(now + 10 * MS, Event::Closed(reason))));
        let sent = world.sent;
        world.run(100_000 * MS);
        assert_eq!(world.sent, sent);
        let closed =
            |end: usize| world.events[end].iter().filter(|(_, event)| matches!(event, Event::Closed(_))).count();
        assert_eq!([closed(0), closed(1)], [1, 1]);
    }
}

#[test]
fn a_lost_first_datagram_is_sent_again_after_a_probe_timeout() {
    for initial in [333, 100] {
        let parameters = Parameters::of(&[], &[("initial_rtt", initial as f64 / 1e3)]);
        let mut world = World::new(Path { lost: vec![0], parameters, ..Path::default() });
        assert!(world.until(0, 10_000 * MS, |event| *event == Event::Connected));
        // RFC 9002, section 6.2.2: without an RTT sample the probe timeout is three times the initial RTT.
        assert_eq!(world.now, 3 * initial * MS + 20 * MS);
        assert_eq!(world.ends[0].statistics().timeouts, 1);
    }
}

/// One download for each seed over a path on which little goes right.
#[test]
fn small_answers_arrive_over_a_terrible_path() {
    for seed in 0..SEEDS {
        let names = [("cc", CCS[usize::from(seed) % 3])];
        let path = Path {
            trouble: [100, 300, 100, 100],
            rate: 5_000_000,
            seed,
            parameters: Parameters::of(&names, &[("max_idle_timeout", 0.0)]),
            ..Path::default()
        };
        download(path, 50_000, 300_000 * MS);
    }
}

/// Timers of less than a nanosecond must not stop the time.
#[test]
fn a_path_may_take_no_time() {
    for delay in [0, 1, 2, 100] {
        let (world, _) = download(Path { delay, ..Path::default() }, SIZE, 10_000 * MS);
        assert_eq!(world.ends[1].statistics().lost, 0);
    }
}
