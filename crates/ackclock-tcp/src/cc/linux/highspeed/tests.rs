//! Linux's form. Windows in segments of 1,000 bytes.

use super::*;
use crate::validation::harness::{MSS, Sender};

fn avoiding(cwnd: u64) -> Sender {
    let mut s = Sender::with_cc("none", "highspeed-linux");
    (s.window.cwnd, s.window.ssthresh) = (cwnd * MSS, 2 * MSS);
    s
}

#[test]
fn the_table_of_appendix_b() {
    let mut table = Table { ends: vec![LOW] };
    assert_eq!(table.row(1_000_000), 72);
    for (row, end, share) in [
        (1, 38, 128),
        (2, 118, 112),
        (3, 221, 104),
        (4, 347, 98),
        (10, 1529, 78),
        (20, 5036, 62),
        (40, 18_955, 45),
        (60, 48_961, 32),
        (72, 89_053, 24),
    ] {
        assert_eq!((table.end(row), table.row(end)), (end, row));
        assert_eq!(table.row(end + 1), (row + 1).min(72));
        assert_eq!((256.0 * decrease(end as f64)) as u64, share, "b({end})");
    }
}

#[test]
fn an_ack_counts_the_increase_of_its_row_whatever_it_covers() {
    for covered in [1, 2] {
        let mut s = avoiding(100);
        s.send(100);
        for _ in 0..49 {
            s.ack(covered);
        }
        assert_eq!(s.window.cwnd, 100 * MSS);
        s.ack(covered);
        assert_eq!(s.window.cwnd, 101 * MSS, "two for each of 50 ACKs");
    }
}

#[test]
fn the_ack_that_ends_slow_start_does_not_count() {
    let mut s = avoiding(9);
    s.window.ssthresh = 10 * MSS;
    s.send(9);
    s.ack(2);
    assert_eq!(s.window.cwnd, 10 * MSS);
    s.send(10);
    for _ in 0..9 {
        s.ack(1);
    }
    assert_eq!(s.window.cwnd, 10 * MSS);
    s.send(1);
    s.ack(1);
    assert_eq!(s.window.cwnd, 11 * MSS);
}

#[test]
fn a_loss_leaves_what_the_last_row_says_and_forgets_the_count() {
    for (cwnd, left) in [(30, 15), (100, 100 - 43), (300, 300 - 114), (3, 2)] {
        let mut s = avoiding(cwnd);
        s.send(cwnd);
        s.ack(1);
        s.send(1);
        s.lose();
        assert_eq!(s.window.ssthresh, left * MSS, "{cwnd}");
        s.recovery_point = s.una;
        s.recover(0);
        s.send(cwnd);
        for _ in 0..left.div_ceil(if left > 118 { 3 } else { 1 + u64::from(left > 38) }) - 1 {
            s.ack(1);
        }
        assert_eq!(s.window.cwnd, left * MSS, "{cwnd}: counted from zero");
    }
}
