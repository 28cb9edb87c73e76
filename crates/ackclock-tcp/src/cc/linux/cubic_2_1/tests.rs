//! CUBIC 2.1. Windows in segments of 1,000 bytes.

use crate::validation::harness::{MSS, Sender};

/// A sender in congestion avoidance with `cwnd` segments.
fn avoiding(cwnd: u64) -> Sender {
    let mut s = Sender::with_cc("none", "cubic-2.1");
    (s.window.cwnd, s.window.ssthresh) = (cwnd * MSS, 2 * MSS);
    s
}

/// Acknowledges `segments` of a full window one by one; the window after each, in segments.
fn windows(s: &mut Sender, segments: u64) -> Vec<u64> {
    s.send(s.window.cwnd / MSS);
    (0..segments)
        .map(|_| {
            s.ack(1);
            s.send(1);
            s.window.cwnd / MSS
        })
        .collect()
}

#[test]
fn before_a_loss_a_segment_is_won_with_the_26th_ack() {
    // The count is 50 * 16 / 31 = 25 while every segment is acknowledged, and more than 25 ACKs add a segment.
    let grown = windows(&mut avoiding(200), 53);
    assert_eq!((grown[24], grown[25], grown[50], grown[51]), (200, 201, 201, 202));
}

#[test]
fn a_loss_leaves_819_of_1024_and_a_second_one_below_w_max_converges() {
    let mut s = avoiding(100);
    s.send(100);
    s.lose();
    assert_eq!(s.window.cwnd, 79 * MSS, "79.98, whole segments");
}

#[test]
fn after_a_loss_renos_window_is_followed_in_a_small_window() {
    // Reno's window wins a segment with more than 23/8 of 4, the twelfth ACK; the count then is 4 / 1 * 16 / 31 = 2.
    let mut s = avoiding(5);
    s.send(5);
    s.lose();
    s.recovery_point = s.una;
    s.recover(0);
    assert_eq!(s.window.cwnd, 4 * MSS, "four of five");
    let grown = windows(&mut s, 40);
    let first = grown.iter().position(|&cwnd| cwnd > 4).expect("it grows");
    assert!((11..40).contains(&first), "{first}");
}
