//! Algorithms that keep a queue of a given length: LEDBAT, LEDBAT++ and Copa.

mod common;

use ackclock_tcp::cc::{self, Algorithm};
use ackclock_tcp::{Config, MILLISECOND, Nanos, SECOND};
use common::path::{HEADERS, Path};
use common::{MSS, config, linux};

/// Rate of a segment per millisecond.
const RATE: u64 = 1000 * (MSS + HEADERS);
const DELAY: Nanos = 20 * MILLISECOND;

fn path(name: &str, given: &[(&str, f64)], base: Config) -> Path {
    let entry = cc::by_name(name).expect("in the catalogue");
    let cc = Algorithm::given(entry, given).expect("within its range");
    let mut path = Path::new(&Config { cc, ..base }, RATE, DELAY, 1000);
    path.client.write(0, 1 << 40);
    path
}

/// Configurations that measure RTTs and send ACKs in different ways.
fn bases() -> [Config; 3] {
    [config(), Config { timestamps: true, delayed_ack: 0, ..config() }, linux()]
}

#[test]
fn ledbat_comes_to_rest_at_its_target() {
    for target in [25.0, 60.0] {
        for base in bases() {
            // Timestamps have a resolution of one millisecond.
            let mut path = path("ledbat", &[("target", target)], base);
            path.run(30 * SECOND);
            let since = (path.now, path.server.received());
            path.run(40 * SECOND);
            let queue = path.mean_queue(since.0);
            assert!((target - 3.0..=target + 1.0).contains(&queue), "{queue} of {target} segments, a millisecond each");
            assert!(path.utilisation(since, MSS) > 0.98);
            assert_eq!(path.dropped, 0);
        }
    }
}

#[test]
fn ledbat_gives_way_where_the_path_becomes_slower() {
    let mut path = path("ledbat", &[("target", 25.0)], config());
    path.run(20 * SECOND);
    path.rate = RATE / 2;
    path.run(40 * SECOND);
    let since = path.now;
    path.run(50 * SECOND);
    // Each segment of the queue takes two milliseconds.
    let queue = path.mean_queue(since);
    assert!((10.0..14.0).contains(&queue), "{queue}");
}

#[test]
fn ledbat_looks_at_the_way_there_alone_where_timestamps_tell() {
    // The delay of the reverse path increases. Only a sender that measures round trips takes this for a queue.
    for (timestamps, stays) in [(true, true), (false, false)] {
        let mut path = path("ledbat", &[("target", 25.0)], Config { timestamps, ..config() });
        path.run(40 * SECOND);
        path.back = DELAY + 15 * MILLISECOND;
        path.run(70 * SECOND);
        let queue = path.mean_queue(60 * SECOND);
        assert_eq!(queue > 20.0, stays, "{queue}");
    }
}

#[test]
fn ledbat_plus_plus_keeps_its_target_and_slows_down_for_a_tenth_of_the_time() {
    for base in bases() {
        let mut path = path("ledbat++", &[("target", 25.0)], base);
        path.run(5 * SECOND);
        let since = (path.now, path.server.received());
        let (mut slow, mut slowdowns, mut was) = (0, 0, false);
        while path.now < 45 * SECOND {
            path.run(path.now + 10 * MILLISECOND);
            let is = path.client.window().cwnd <= 2 * path.client.info(path.now).snd_mss as u64;
            slow += u64::from(is);
            slowdowns += u64::from(is && !was);
            was = is;
        }
        // Two round trips of two segments and five of the ramp take 400 ms; the next slowdown begins after nine times that.
        assert!((8..=14).contains(&slowdowns), "{slowdowns}");
        assert!((50..400).contains(&slow), "{slow} of 4000");
        let queue = path.mean_queue(since.0);
        assert!((20.0..26.0).contains(&queue), "{queue}");
        assert!(path.utilisation(since, MSS) > 0.9);
        assert_eq!(path.dropped, 0);
    }
}

#[test]
fn copa_keeps_one_over_delta_segments_waiting() {
    for rate in [RATE, 10 * RATE] {
        for (delta, least, most) in [(0.5, 0.9, 4.0), (0.1, 7.0, 13.5)] {
            for base in bases() {
                let mut path = path("copa", &[("delta", delta)], base);
                path.rate = rate;
                // At the higher rate, the queue of a slow start that overshoots takes some seconds to drain.
                path.run(10 * SECOND);
                let since = (path.now, path.server.received());
                path.run(20 * SECOND);
                let queue = path.mean_queue(since.0);
                assert!((least..most).contains(&queue), "{rate} {delta}: {queue}");
                let utilisation = path.utilisation(since, MSS);
                assert!(utilisation > 0.95, "{rate} {delta}: {utilisation}");
                assert_eq!(path.dropped, 0);
            }
        }
    }
}

#[test]
fn lp_alone_uses_the_path_whatever_the_receiver_waits_with_its_acks() {
    for base in bases() {
        let mut path = path("lp", &[], base);
        path.run(10 * SECOND);
        let since = (path.now, path.server.received());
        path.run(50 * SECOND);
        let used = path.utilisation(since, MSS);
        assert!(used > 0.8, "{used}");
    }
}
