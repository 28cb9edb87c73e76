//! The baselines keep their window and their rate.

mod common;

use ackclock_tcp::cc::{self, Algorithm};
use ackclock_tcp::{Config, MILLISECOND, Nanos, SECOND};
use common::path::Path;
use common::{MSS, config, linux};

fn with(name: &str, given: &[(&str, f64)], base: Config) -> Config {
    let entry = cc::by_name(name).expect("in the catalogue");
    Config { cc: Algorithm::given(entry, given).expect("within its range"), ..base }
}

#[test]
fn a_window_over_a_round_trip_is_the_goodput() {
    for base in [config(), linux()] {
        let config = with("fixed-window", &[("segments", 24.0)], base);
        let mut path = Path::new(&config, 1_000_000_000, 50 * MILLISECOND, 1000);
        path.client.write(0, 1 << 30);
        path.run(SECOND);
        let before = path.server.received();
        path.run(11 * SECOND);
        // The window is 24 segments for each 100 ms, and each ACK is for two segments.
        let rounds = (path.server.received() - before) / (24 * MSS);
        assert!((98..=100).contains(&rounds), "{rounds}");
        assert_eq!(path.client.window().cwnd, 24 * MSS);
    }
}

#[test]
fn a_rate_is_kept_whatever_is_lost() {
    for base in [config(), linux()] {
        // A lost retransmission is repaired after a timeout. Until then the peer buffers the data that arrive.
        let base = Config { receive_buffer: 1 << 24, receive_buffer_max: 1 << 24, ..base };
        let config = with("fixed-rate", &[("rate", 8e6)], base);
        let mut path = Path::new(&config, 1_000_000_000, 50 * MILLISECOND, 1000);
        path.lose = |number| number % 50 == 20;
        path.client.write(0, 1 << 30);
        path.run(10 * SECOND);
        // The rate is a million bytes per second, and a segment has 1,040 bytes.
        // The first flight is limited by the window of the SYN, which is not scaled.
        let gaps: Vec<Nanos> = path.arrivals.windows(2).skip(100).map(|pair| pair[1].0 - pair[0].0).collect();
        assert!(path.dropped > 150 && gaps.len() > 9000);
        assert!(gaps.iter().all(|&gap| gap == 1_040_000), "{:?}", gaps.iter().max());
    }
}

#[test]
fn parameters_have_defaults_and_ranges() {
    let entry = cc::by_name("fixed-window").expect("in the catalogue");
    assert_eq!(entry.parameters[0].default_value(), Some(10.0));
    let error = |given: &[(&str, f64)]| Algorithm::given(entry, given).err().expect("an error");
    assert_eq!(error(&[("segments", 0.0)]), "segments of fixed-window is 0; accepted is 1 to 1000000");
    assert_eq!(error(&[("rate", 1.0)]), "fixed-window has no parameter rate; it has segments");
}
