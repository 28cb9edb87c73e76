//! Vegas of Linux 2.6.22. Windows in segments of 1,000 bytes.

use super::{Rtts, Vegas, Window};

const MSS: u64 = 1000;

/// The window and ssthresh in segments after a round of `sent` segments in which the smallest RTT was `least` and that of
/// all rounds 100 ms.
fn judged(cwnd: u64, ssthresh: u64, sent: u64, before: u64, least: u64) -> (u64, u64) {
    let mut window = Window { cwnd: cwnd * MSS, ssthresh: ssthresh * MSS, pacing_rate: None };
    Vegas { rtts: Rtts { base: 100_000, least, samples: 3 }, ..Vegas::default() }.judge(&mut window, sent, before, MSS);
    (window.cwnd / MSS, window.ssthresh / MSS)
}

#[test]
fn slow_start_ends_for_good_above_a_backlog_of_one_segment() {
    // Of 20 segments at 110 ms, 36 half segments would be sent without a queue: a backlog of four halves.
    assert_eq!(judged(30, 1000, 20, 20, 110_000), (20, 2), "18 + 1, and slow start adds one");
    assert_eq!(judged(30, 1000, 20, 20, 105_000), (31, 1000), "38 half segments, two of backlog");
    assert_eq!(judged(2, 2, 2, 2, 100_000), (3, 2), "up to and including ssthresh");
}

#[test]
fn congestion_avoidance_moves_by_a_segment_towards_the_window_at_the_start_of_the_round() {
    // Backlogs of 20 segments: 40 - floor(4000 / least).
    assert_eq!(judged(20, 2, 20, 20, 105_000).0, 21, "2 halves");
    assert_eq!(judged(20, 2, 20, 20, 115_000).0, 20, "6 halves");
    assert_eq!(judged(20, 2, 20, 20, 130_000).0, 19, "10 halves");
    assert_eq!(judged(24, 2, 20, 20, 115_000).0, 23, "down to 20 again");
}
