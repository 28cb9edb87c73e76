//! Backlogs on a path that holds 100 segments. Windows are in segments of 1,000 bytes.

use super::*;
use crate::SECOND;
use crate::cc::path::{MSS, Path, near};

#[test]
fn a_single_flow_keeps_alpha_to_beta_segments_in_the_queue() {
    for (alpha, beta) in [(2.0, 4.0), (1.0, 3.0), (20.0, 30.0)] {
        for cwnd in [20, 100, 180] {
            let mut s = Path::starting(&ENTRY, &[("alpha", alpha), ("beta", beta)]).behind(1000, 300);
            (s.window.cwnd, s.window.ssthresh) = (cwnd * MSS, 2 * MSS);
            s.run(30 * SECOND);
            let waiting = s.segments() - 100.0;
            assert!(waiting > alpha - 1.0 && waiting < beta + 1.0, "{waiting} from {cwnd}, {alpha} to {beta}");
            let before = s.window.cwnd;
            s.run(10 * SECOND);
            near(s.segments(), before as f64 / 1000.0, 1.01, "the window is stable");
            assert_eq!(s.losses, 0);
        }
    }
}

#[test]
fn slow_start_doubles_every_other_round_and_ends_before_it_overflows_the_queue() {
    // The queue is half of the capacity of the path.
    let mut s = Path::starting(&ENTRY, &[]).behind(1000, 50);
    let mut windows = vec![10.0];
    for _ in 0..4 {
        s.round();
        windows.push(s.segments());
    }
    // The first ACK of a round ends the round before, so that one or two segments are early.
    assert!(windows[1] > 17.0 && windows[2] < 1.25 * windows[1] && windows[3] > 1.6 * windows[2], "{windows:?}");
    s.run(30 * SECOND);
    assert!(!s.window.in_slow_start());
    near(s.segments(), 103.0, 2.0, "the capacity of the path and the backlog");
    assert_eq!(s.losses, 0);
}

#[test]
fn slow_start_ends_at_the_capacity_of_the_path_and_one_segment() {
    let law = Law { alpha: 2.0, beta: 4.0, gamma: 1.0, kept: 0.75 };
    let mut vegas = Vegas { law, rounds: Rounds::default(), grows: true, increase: Increase::default() };
    let mut window = Window { cwnd: 160 * MSS, ssthresh: u64::MAX, pacing_rate: None };
    vegas.decide(&mut window, 60 * MSS, MSS);
    assert_eq!((window.cwnd, window.ssthresh), (101 * MSS, 101 * MSS));
    let mut window = Window { cwnd: 80 * MSS, ssthresh: u64::MAX, pacing_rate: None };
    vegas.decide(&mut window, MSS, MSS);
    assert_eq!((window.cwnd, window.ssthresh), (80 * MSS, u64::MAX), "a backlog of gamma does not end slow start");
}

#[test]
fn responses_to_loss_and_timeout() {
    let mut s = Path::avoiding("vegas", 80);
    s.lose();
    assert_eq!(s.window.cwnd, 60 * MSS);
    s.send();
    s.timeout(true);
    assert_eq!((s.window.cwnd, s.window.ssthresh), (MSS, 30 * MSS));
    s.timeout(false);
    assert_eq!(s.window.ssthresh, 30 * MSS);
}

#[test]
fn decreases_stop_at_two_segments() {
    let mut s = Path::avoiding("vegas", 20);
    // The base RTT is a hundredth of the path's real one.
    s.send();
    s.ack(s.base / 100);
    s.run(60 * SECOND);
    // Rounds with fewer than three samples are ignored, and the window grows again.
    assert!(s.window.cwnd >= 2 * MSS && s.window.cwnd <= 5 * MSS, "{:?}", s.window);
    assert!(s.window.ssthresh >= 2 * MSS);
}
