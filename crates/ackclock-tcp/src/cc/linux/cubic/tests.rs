//! Linux's form. Windows in segments of 1,000 bytes.

use super::{CongestionControl, Epoch, Linux};
use crate::context::{Ack, Window};
use crate::validation::harness::{MSS, Sender};
use crate::{MILLISECOND, SECOND, testing};

/// A sender in congestion avoidance with `cwnd` segments.
fn avoiding(cwnd: u64) -> Sender {
    let mut s = Sender::with_cc("none", "cubic-linux");
    (s.window.cwnd, s.window.ssthresh) = (cwnd * MSS, 2 * MSS);
    s
}

/// Acknowledges `segments` one by one; the window after each, in segments.
fn windows(s: &mut Sender, segments: u64) -> Vec<u64> {
    s.send(segments);
    (0..segments)
        .map(|_| {
            s.ack(1);
            s.window.cwnd / MSS
        })
        .collect()
}

#[test]
fn without_a_w_max_a_segment_is_won_for_twenty_at_most() {
    let grown = windows(&mut avoiding(48), 41);
    assert_eq!((grown[18], grown[19], grown[38], grown[39]), (48, 49, 49, 50));
}

/// A sender that has just reduced a window of `cwnd` segments, and is through with the recovery.
fn reduced(cwnd: u64) -> Sender {
    let mut s = avoiding(cwnd);
    s.send(cwnd);
    s.lose();
    s.recovery_point = s.una;
    s.recover(0);
    s
}

#[test]
fn the_count_is_the_window_over_what_the_smallest_rtt_ahead_lacks() {
    let mut s = reduced(100);
    assert_eq!(s.window.cwnd, 70 * MSS, "717/1024 of 100, whole segments");
    // K = cbrt(30/0.4) = 4.217 s; W(0.1 s) = 100 - floor(0.4 * 4.117^3) = 100 - 27, three segments more: one for each 23.
    let grown = windows(&mut s, 24);
    assert_eq!((grown[21], grown[22]), (70, 71));
}

#[test]
fn renos_window_is_followed_and_a_count_stands_for_a_32nd_of_a_second() {
    // The window is W_max, and W stays below 5 for a second. Reno wins a segment with more than 15/8 of 4, the eighth.
    for (apart, won) in [(32, 1), (31, 0)] {
        let mut s = reduced(4);
        s.window.cwnd = 4 * MSS;
        let mut one = || {
            s.send(1);
            s.ack(1);
            s.send(1);
            s.wait(apart * MILLISECOND);
            s.window.cwnd / MSS
        };
        let grown: Vec<u64> = (0..9).map(|_| one()).collect();
        assert_eq!((grown[6], grown[7], grown[8]), (4, 4 + won, 5), "{apart} ms apart");
    }
}

#[test]
fn a_second_loss_below_w_max_converges_fast_and_a_timeout_forgets() {
    let mut s = reduced(100);
    s.send(70);
    s.lose();
    s.recovery_point = s.una;
    s.recover(0);
    // W_max = 70 * 0.85 = 59; K = cbrt(10/0.4) = 2.924 s; W(0.1 s) = 59 - floor(0.4 * 2.824^3) = 50, a segment more.
    assert_eq!(s.window.cwnd, 49 * MSS);
    let grown = windows(&mut s, 49);
    assert_eq!((grown[47], grown[48]), (49, 50));
    s.timeout(true);
    s.in_recovery = false;
    (s.window.cwnd, s.window.ssthresh) = (49 * MSS, 2 * MSS);
    let grown = windows(&mut s, 20);
    assert_eq!((grown[18], grown[19]), (49, 50), "W_max is unknown again");
}

#[test]
fn the_smallest_rtt_leaves_out_the_first_second_of_an_epoch_and_begins_anew_after_a_timeout() {
    let mut cc = Linux::default();
    let mut after = |epoch: Option<Epoch>, now: u64, rtt: u64| {
        cc.epoch = epoch;
        let ctx = testing::context(now * MILLISECOND, 0..MSS);
        let ack = Ack { rtt: Some(rtt * MILLISECOND), ..testing::ack(ctx, MSS) };
        cc.on_delivery(&mut Window { cwnd: MSS, ssthresh: MSS, pacing_rate: None }, &testing::delivery(ack, 0));
        let found = cc.min_rtt;
        if rtt == 60 {
            cc.reset(&ctx);
        }
        found
    };
    let epoch = Some(Epoch { start: 10_000, origin: 10, k: 0, reno: 10 });
    let cases = [(None, 9999, 100), (None, 9999, 120), (epoch, 10_999, 50), (epoch, 11_000, 60), (None, 12_000, 130)];
    let found = cases.map(|(epoch, now, rtt)| after(epoch, now, rtt));
    assert_eq!(found, [100_000, 100_000, 100_000, 60_000, 130_000]);
}

#[test]
fn the_count_is_computed_once_in_a_jiffy() {
    let mut cc = Linux { w_max: 143, ..Linux::default() };
    let made = [(100, 7), (101, 7), (101, 8)].map(|(cwnd, now)| {
        cc.update(cwnd, 1, now);
        cc.made
    });
    assert_eq!(made, [(100, 7), (100, 7), (101, 8)]);
}

#[test]
fn idle_time_does_not_count() {
    let mut s = avoiding(48);
    windows(&mut s, 1);
    s.wait(30 * SECOND);
    let ctx = s.ctx();
    s.cc.on_idle_end(&mut s.window, &ctx, 30 * SECOND);
    let grown = windows(&mut s, 19);
    assert_eq!((grown[17], grown[18]), (48, 49));
}
