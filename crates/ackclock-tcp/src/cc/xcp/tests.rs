//! Windows by arithmetic, with segments of 1,000 bytes on a path of 100 ms.

use crate::MILLISECOND;
use crate::cc::path::{MSS, Path};

/// A sender with a window of `cwnd` segments that knows its round-trip time.
fn guided(cwnd: u64) -> Path {
    let mut s = Path::avoiding("xcp", cwnd);
    s.srtt = Some(100 * MILLISECOND);
    s
}

fn answer(s: &mut Path, change: Option<i32>) -> u64 {
    let ctx = s.ctx();
    s.sender.cc.on_router_feedback(&mut s.sender.window, &ctx, change);
    s.window.cwnd
}

#[test]
fn the_window_changes_by_the_granted_throughput_times_the_round_trip_time() {
    let mut s = guided(20);
    assert_eq!(answer(&mut s, Some(50_000)), 25_000, "50 kB/s for 0.1 s");
    assert_eq!(answer(&mut s, Some(-100_000)), 15_000);
    assert_eq!(answer(&mut s, Some(-1_000_000)), MSS, "at least a segment");
    assert_eq!(answer(&mut s, Some(i32::MAX - 1)), MSS + 214_748_364);
    for _ in 0..10 {
        answer(&mut s, Some(i32::MAX - 1));
    }
    assert_eq!(s.window.cwnd, 1 << 30, "at most the largest receive window");
}

#[test]
fn fractions_of_a_byte_are_kept() {
    let mut s = guided(20);
    let windows: Vec<u64> = (0..20).map(|_| answer(&mut s, Some(1))).collect();
    assert_eq!((windows[8], windows[9], windows[18], windows[19]), (20_000, 20_001, 20_001, 20_002));
    (0..20).for_each(|_| assert!(answer(&mut s, Some(-1)) >= 20_000));
    assert_eq!(s.window.cwnd, 20_000);
}

#[test]
fn acknowledgments_change_the_window_only_if_no_router_answers() {
    let mut s = guided(20);
    answer(&mut s, Some(0));
    s.window.ssthresh = 10 * MSS;
    s.round();
    assert_eq!(s.window.cwnd, 21 * MSS, "no router has answered yet: Reno");
    answer(&mut s, Some(10_000));
    assert_eq!((s.window.cwnd, s.window.ssthresh), (22 * MSS, 22 * MSS));
    s.round();
    answer(&mut s, Some(0));
    s.round();
    assert_eq!(s.window.cwnd, 22 * MSS);
    answer(&mut s, None);
    s.round();
    assert_eq!(s.window.cwnd, 23 * MSS, "Reno");
}

#[test]
fn loss_and_timeout_are_answered_as_in_reno_and_a_recovery_ignores_grants() {
    let mut s = guided(20);
    answer(&mut s, Some(10_000));
    s.lose();
    assert_eq!(s.window.cwnd, 10_500);
    s.in_recovery = true;
    assert_eq!(answer(&mut s, Some(50_000)), 10_500);
    s.in_recovery = false;
    assert_eq!(answer(&mut s, Some(50_000)), 15_500);
    s.send();
    s.timeout(true);
    assert_eq!((s.window.cwnd, s.window.ssthresh), (MSS, 7_500), "half of 15 whole segments");
}
