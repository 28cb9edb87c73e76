//! Differences from later versions. Windows are in segments of 1,000 bytes.

use super::*;
use crate::SECOND;
use crate::cc::path::{MSS, Path, near};

/// Growth over a second, from `cwnd` segments `after` the reduction of a window of `w_max`.
fn growth(rtt_ms: u64, w_max: u64, after: Nanos) -> f64 {
    let mut s = Path::avoiding("cubic-2.0", w_max);
    s.base = rtt_ms * MILLISECOND;
    (s.srtt, s.min_rtt) = (Some(s.base), Some(s.base));
    s.lose();
    s.run(after);
    let before = s.segments();
    s.run(SECOND);
    s.segments() - before
}

#[test]
fn the_first_ssthresh_is_a_hundred_segments_and_stays_undoable() {
    let mut s = Path::starting(&ENTRY, &[]);
    assert_eq!(s.window.ssthresh, 100 * MSS);
    for _ in 0..4 {
        s.round();
    }
    near(s.segments(), 100.0, 2.0, "slow start is over");
    let before = s.window;
    s.congestion(crate::context::Cause::Loss, false);
    assert!(s.window.ssthresh < 100 * MSS);
    s.sender.cc.on_undo(&mut s.sender.window, &before);
    assert_eq!(s.window.ssthresh, before.ssthresh.max(80 * MSS));
    assert_eq!(s.window.cwnd, before.cwnd);
}

#[test]
fn before_the_first_loss_growth_is_two_percent_a_round() {
    let mut s = Path::avoiding("cubic-2.0", 500);
    for _ in 0..35 {
        s.round();
    }
    near(s.segments(), 500.0 * libm::exp(0.02 * 35.0), 10.0, "e^0.02 a round");
    s.lose();
    s.send();
    s.timeout(true);
    s.una = s.nxt;
    (s.window.cwnd, s.window.ssthresh) = (500 * MSS, 2 * MSS);
    s.round();
    near(s.segments(), 510.0, 0.3, "and after a timeout again");
}

#[test]
fn growth_is_sixteen_segments_in_100_ms_at_most() {
    // With W_max = 20,000, the cubic alone would add 4,000 segments in K = 21.5 s, and some 550 in the first second.
    for rtt_ms in [50, 100, 200] {
        near(growth(rtt_ms, 20_000, 0), 160.0, 20.0, &format!("below K, RTT {rtt_ms} ms"));
    }
    // The cap of version 2.0 also applies beyond K. With W_max = 1000, K is 7.9 s, and 20 s later the cubic alone would add
    // 500 segments per second.
    near(growth(100, 1000, 28 * SECOND), 160.0, 5.0, "beyond K");
}

#[test]
fn the_window_follows_the_cubic_where_the_cap_does_not_bind() {
    let mut s = Path::avoiding("cubic-2.0", 400);
    s.min_rtt = Some(s.base);
    s.lose();
    near(s.segments(), 400.0 * 819.0 / 1024.0, 0.1, "the decrease");
    let k = libm::cbrt(400.0 * 205.0 / 1024.0 / 0.4);
    let start = s.now;
    while s.now < start + 8 * SECOND {
        s.round();
        let t = (s.now - start) as f64 * 1e-9 - k;
        if t.abs() > 0.5 {
            near(s.segments(), 0.4 * t * t * t + 400.0, 1.5, "W(t)");
        }
    }
}

#[test]
fn short_round_trips_have_renos_mean_window() {
    // At an RTT of 1 ms the cubic hardly changes. With a loss every 5,000 segments, Reno's mean is sqrt(1.5 * 5000) = 86.6.
    let mut s = Path::avoiding("cubic-2.0", 90);
    s.base = MILLISECOND;
    let (mut sum, mut rounds) = (0.0, 0u32);
    for cycle in 0..60 {
        let mut sent = 0;
        while sent < 5000 {
            sent += s.round();
            if cycle > 20 {
                (sum, rounds) = (sum + s.segments(), rounds + 1);
            }
        }
        s.lose();
    }
    near(sum / f64::from(rounds), 86.6, 5.0, "the mean window");
}

#[test]
fn a_second_loss_below_the_maximum_gives_way() {
    let mut t = Path::avoiding("cubic-2.0", 1000);
    t.lose();
    t.run(7900 * MILLISECOND);
    near(t.segments(), 1000.0, 2.0, "K after one loss");
    let mut u = Path::avoiding("cubic-2.0", 1000);
    u.lose();
    u.lose();
    // W_max = 800 * 0.9 = 720 and K = cbrt(80/0.4) = 5.8 s.
    u.run(5850 * MILLISECOND);
    near(u.segments(), 719.7, 2.0, "K after two");
}
