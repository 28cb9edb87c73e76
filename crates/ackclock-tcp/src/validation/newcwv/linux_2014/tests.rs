//! The authors' module of newCWV, rule by rule. Windows are in segments of 1,000 bytes; the RTT is 100 ms, so the sampling
//! period is 1 s and a bin begins each 250 ms at most.

use crate::cc::CongestionControl;
use crate::context::{Ack, Congestion};
use crate::validation::Growth;
use crate::validation::harness::{MSS, Sender};
use crate::{MILLISECOND, Nanos, SECOND, Window, testing};

const MINUTE: Nanos = 60 * SECOND;
const FORMS: [&str; 2] = ["newcwv-2013", "newcwv-2014"];

/// Reno's response in Linux, which halves cwnd whatever is in flight. The window does not grow.
struct Halving;

impl CongestionControl for Halving {
    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack, _acked: u64) {}

    fn on_congestion(&mut self, window: &mut Window, _event: &Congestion) {
        window.cwnd /= 2;
        window.ssthresh = window.cwnd;
    }

    fn on_timeout(&mut self, window: &mut Window, _event: &Congestion, first: bool) {
        if first {
            window.ssthresh = window.cwnd / 2;
        }
    }
}

/// A sender with a window of `cwnd` above ssthresh.
fn halving(rule: &str, cwnd: u64) -> Sender {
    let mut s = Sender::new(rule, Box::new(Halving));
    (s.window.cwnd, s.window.ssthresh) = (cwnd * MSS, 2 * MSS);
    s
}

/// A sender with a window of `cwnd` that used ten segments in each of ten round trips.
fn unused(rule: &str, cwnd: u64) -> Sender {
    let mut s = halving(rule, cwnd);
    for _ in 0..10 {
        s.burst(10);
    }
    assert_eq!((s.state(), s.non_validated()), ((cwnd, 2, 10), true));
    s
}

// ---- pipeACK

#[test]
fn a_connection_starts_validated_with_pipe_ack_undefined() {
    let mut s = Sender::still("newcwv-2014", 100);
    s.send(10);
    s.wait(100 * MILLISECOND);
    s.ack(2);
    assert_eq!((s.pipe_ack(), s.non_validated()), (None, false), "no sample is complete");
    s.ack(8);
    assert_eq!((s.pipe_ack(), s.non_validated()), (Some(10), true), "10 of 100");
}

#[test]
fn a_sample_runs_from_one_snd_nxt_to_the_next() {
    let mut s = Sender::still("newcwv-2014", 40);
    for _ in 0..20 {
        s.bulk_round();
    }
    // A sample covers what is outstanding after the ACK that begins it; that ACK has acknowledged two of the forty.
    assert_eq!((s.pipe_ack(), s.non_validated()), (Some(38), false));
}

#[test]
fn a_bin_keeps_its_largest_sample_for_a_quarter_of_the_sampling_period() {
    let mut s = Sender::still("newcwv-2014", 100);
    // Samples at 0, 100 and 200 ms share a bin; the one at 300 ms begins another.
    for (used, pipe_ack) in [(5, 5), (8, 8), (3, 8), (2, 8)] {
        s.burst(used);
        assert_eq!(s.pipe_ack(), Some(pipe_ack));
    }
    // The bin of the eight is of 100 ms, and expires after 1.1 s; the two of 400 ms has its own.
    while s.now < 10 * SECOND + 1_100 * MILLISECOND {
        s.burst(1);
        assert_eq!(s.pipe_ack(), Some(8), "{}", s.now);
    }
    s.burst(1);
    assert_eq!(s.pipe_ack(), Some(2), "1.2 s");
}

#[test]
fn an_update_removes_one_expired_bin_at_most() {
    let mut s = Sender::still("newcwv-2014", 100);
    for used in [40, 30, 20, 10] {
        s.burst(used);
        s.wait(150 * MILLISECOND);
    }
    // All four bins expire in the pause, and go one by one.
    s.wait(MINUTE);
    for pipe_ack in [30, 20, 10, 1] {
        assert!(s.pipe_ack() > Some(pipe_ack));
        s.burst(1);
        assert_eq!(s.pipe_ack(), Some(pipe_ack));
    }
}

#[test]
fn the_sampling_period_is_three_round_trips_when_longer() {
    for (srtt, kept) in [(400 * MILLISECOND, 40), (300 * MILLISECOND, 2)] {
        let mut s = Sender::still("newcwv-2014", 100);
        s.srtt = Some(srtt);
        s.burst(40);
        s.wait(1_100 * MILLISECOND - srtt);
        s.burst(2);
        assert_eq!(s.pipe_ack(), Some(kept), "1.1 s later, {srtt} ns");
    }
}

// ---- the phase and growth

#[test]
fn half_the_window_validates_it() {
    for (used, non_validated) in [(19, true), (20, false)] {
        let mut s = Sender::still("newcwv-2014", 40);
        s.burst(used);
        assert_eq!(s.non_validated(), non_validated, "{used} of 40");
    }
}

#[test]
fn an_unused_window_grows_where_three_segments_are_free() {
    for (used, growth) in [(56, Growth::Forbidden), (57, Growth::Allowed)] {
        let mut s = unused("newcwv-2014", 60);
        s.send(used);
        s.wait(100 * MILLISECOND);
        s.una += MSS;
        let ack = s.last_ack(MSS);
        assert_eq!(s.rule.on_ack(&mut s.window, &ack), growth, "{used} of 60 in flight");
    }
}

#[test]
fn an_unused_window_grows_in_slow_start_where_half_of_it_is_free() {
    // cwnd = ssthresh is slow start as well.
    let cases = [(29, 60, Growth::Forbidden), (30, 60, Growth::Allowed), (30, 59, Growth::Forbidden)];
    for (used, ssthresh, growth) in cases {
        let mut s = unused("newcwv-2014", 60);
        s.window.ssthresh = ssthresh * MSS;
        s.send(used);
        s.wait(100 * MILLISECOND);
        s.una += MSS;
        let ack = s.last_ack(MSS);
        assert_eq!(s.rule.on_ack(&mut s.window, &ack), growth, "{used} of 60, ssthresh {ssthresh}");
    }
}

#[test]
fn segments_that_an_ack_finds_delivered_or_lost_were_in_flight() {
    let mut s = unused("newcwv-2014", 60);
    s.send(60);
    s.wait(100 * MILLISECOND);
    s.una += 2 * MSS;
    let limited = testing::ack(s.ctx(), 2 * MSS);
    // 58 are outstanding, of which 40 are SACKed or lost by now.
    for (sacked, lost, growth) in [(0, 0, Growth::Forbidden), (30, 9, Growth::Allowed), (0, 39, Growth::Allowed)] {
        let mut ack = limited;
        ack.ctx.pipe = 17 * MSS;
        (ack.sacked, ack.lost) = (sacked * MSS, lost * MSS);
        assert_eq!(s.rule.on_ack(&mut s.window, &ack), growth, "{sacked} SACKed, {lost} lost");
    }
}

// ---- five minutes without validation

#[test]
fn the_window_is_halved_after_five_minutes_without_validation() {
    let mut s = Sender::still("newcwv-2014", 80);
    s.burst(80);
    s.wait(5 * MINUTE);
    s.send(1);
    assert_eq!(s.state(), (80, 1, 80), "not yet");
    s.nxt -= MSS;
    s.wait(1);
    s.send(1);
    assert_eq!(s.state(), (40, 60, 80), "cwnd/2, and ssthresh 3/4 of the old cwnd");
}

#[test]
fn one_check_reduces_once() {
    let mut s = Sender::still("newcwv-2014", 80);
    s.burst(80);
    s.wait(60 * MINUTE);
    s.send(1);
    assert_eq!(s.state(), (40, 60, 80));
    s.ack(1);
    s.wait(4 * MINUTE);
    s.send(1);
    assert_eq!(s.state(), (40, 60, 1), "the next five minutes began with the check");
}

#[test]
fn the_acks_of_a_slow_sender_find_the_five_minutes() {
    let mut s = unused("newcwv-2014", 80);
    let start = s.now;
    while s.now < start + 4 * MINUTE + 50 * SECOND {
        s.burst(10);
        assert_eq!(s.window.cwnd, 80 * MSS);
    }
    while s.now < start + 6 * MINUTE {
        s.burst(10);
    }
    assert_eq!(s.state(), (40, 60, 10));
}

#[test]
fn a_reduced_window_has_ten_segments_at_least() {
    for (cwnd, left) in [(21, 10), (15, 10), (6, 10)] {
        let mut s = Sender::still("newcwv-2014", cwnd);
        s.burst(cwnd);
        s.wait(6 * MINUTE);
        s.send(1);
        assert_eq!(s.window.cwnd, left * MSS, "max({cwnd}/2, 10)");
    }
}

// ---- loss

#[test]
fn a_loss_sets_ssthresh_by_the_form_whatever_was_used() {
    for (used, found) in [(40, [(30, 30), (20, 20)]), (60, [(30, 30), (30, 30)]), (3, [(30, 30), (2, 2)])] {
        for (rule, (cwnd, ssthresh)) in FORMS.into_iter().zip(found) {
            let mut s = unused(rule, 60);
            s.send(used);
            s.wait(100 * MILLISECOND);
            s.lose();
            assert_eq!(s.state(), (cwnd, ssthresh, 10), "{rule}: {used} of 60 in flight");
        }
    }
}

#[test]
fn a_loss_in_the_non_validated_phase_leaves_half_of_what_was_in_flight_less_what_was_sent_again() {
    for rule in FORMS {
        let mut s = unused(rule, 60);
        s.send(40);
        s.wait(100 * MILLISECOND);
        s.lose();
        s.ack(1);
        assert_eq!(s.window.cwnd, 20 * MSS, "{rule}: 40 / 2 with the next ACK");
        s.window.cwnd = 15 * MSS;
        s.ack(1);
        assert_eq!(s.window.cwnd, 15 * MSS, "{rule}: once, and then the kernel's reduction");
        s.recover(6);
        assert_eq!(s.state(), (17, 17, -1), "{rule}: (40 - 6) / 2");
        assert!(!s.non_validated());
    }
}

#[test]
fn a_loss_in_the_non_validated_phase_counts_pipe_ack_if_that_is_more() {
    let mut s = unused("newcwv-2014", 60);
    s.send(4);
    s.wait(100 * MILLISECOND);
    s.lose();
    assert_eq!(s.window.ssthresh, 2 * MSS, "half of the four in flight");
    s.ack(1);
    assert_eq!(s.window.cwnd, 5 * MSS);
    s.recover(1);
    assert_eq!(s.state(), (4, 4, -1), "(10 - 1) / 2 in whole segments");
}

#[test]
fn a_response_leaves_one_segment_at_least() {
    for rule in FORMS {
        let mut s = unused(rule, 60);
        s.send(2);
        s.lose();
        s.recover(30);
        assert_eq!(s.state(), (1, 1, -1), "{rule}: ssthresh is cwnd");
    }
}

#[test]
fn a_loss_in_the_validated_phase_leaves_the_window_and_pipe_ack() {
    for (rule, left) in FORMS.into_iter().zip([20u8, 15]) {
        let mut s = halving(rule, 40);
        s.burst(20);
        s.send(30);
        s.wait(100 * MILLISECOND);
        assert!(!s.non_validated());
        s.lose();
        s.ack(1);
        s.recover(6);
        assert_eq!(s.state(), (left.into(), left.into(), 20), "{rule}: no R, and the sample stays");
    }
}

#[test]
fn what_the_ack_of_the_detection_marks_as_lost_counts_as_in_flight() {
    let mut s = unused("newcwv-2014", 60);
    s.send(40);
    s.wait(100 * MILLISECOND);
    let mut ack = s.last_ack(0);
    // Three SACKed segments show the loss of nine others.
    (ack.sacked, ack.lost, ack.ctx.pipe) = (3 * MSS, 9 * MSS, 28 * MSS);
    s.rule.on_ack(&mut s.window, &ack);
    let event = Congestion::loss(ack.ctx);
    s.rule.validated(&s.window, &event);
    s.rule.on_congestion(&mut s.window, &event);
    assert_eq!(s.window.ssthresh, 18 * MSS, "(28 + 9) / 2");
}

#[test]
fn samples_begin_anew_after_a_recovery() {
    let mut s = unused("newcwv-2014", 60);
    s.send(40);
    s.wait(100 * MILLISECOND);
    s.lose();
    s.ack(30);
    assert_eq!(s.pipe_ack(), Some(10), "no sample in recovery");
    s.recover(1);
    s.burst(3);
    assert_eq!((s.pipe_ack(), s.non_validated()), (Some(3), true));
}

#[test]
fn a_mark_has_the_response_of_a_loss_at_its_end() {
    let mut s = unused("newcwv-2014", 60);
    s.send(40);
    s.wait(100 * MILLISECOND);
    s.mark();
    let window = s.window;
    s.ack(1);
    assert_eq!(s.window, window, "the module reduces by itself in a recovery only");
    s.recover(0);
    assert_eq!(s.state(), (20, 20, -1));
}

#[test]
fn a_second_loss_in_a_recovery_keeps_what_was_in_flight_at_the_first() {
    let mut s = unused("newcwv-2014", 60);
    s.send(40);
    s.wait(100 * MILLISECOND);
    s.lose();
    s.ack(20);
    s.lose();
    s.recover(2);
    assert_eq!(s.state(), (19, 19, -1), "(40 - 2) / 2");
}

#[test]
fn a_timeout_makes_pipe_ack_undefined_and_leaves_the_window_to_slow_start() {
    for (rule, ssthresh) in FORMS.into_iter().zip([30, 20]) {
        let mut s = unused(rule, 60);
        s.send(40);
        s.wait(SECOND);
        s.timeout(true);
        assert_eq!((s.state(), s.non_validated()), ((1, ssthresh, -1), false), "{rule}");
        s.timeout(false);
        s.recover(0);
        assert_eq!(s.state(), (1, ssthresh, -1), "{rule}: repeated timeouts leave ssthresh");
        s.burst(1);
        assert_eq!(s.pipe_ack(), Some(1), "{rule}");
    }
}

#[test]
fn a_timeout_in_a_recovery_cancels_its_end() {
    let mut s = unused("newcwv-2014", 60);
    s.send(40);
    s.wait(100 * MILLISECOND);
    s.lose();
    s.timeout(false);
    s.recover(6);
    assert_eq!(s.state(), (1, 20, -1));
}

#[test]
fn an_undone_reduction_leaves_the_window_to_the_undo() {
    let mut s = unused("newcwv-2014", 60);
    s.send(40);
    s.wait(100 * MILLISECOND);
    s.lose();
    s.undo();
    // The undo keeps the larger ssthresh.
    assert_eq!((s.state(), s.non_validated()), ((60, 20, 10), true));
}

#[test]
fn a_loss_that_a_probe_repaired_has_its_response_at_once() {
    let mut s = unused("newcwv-2014", 60);
    s.send(40);
    s.wait(100 * MILLISECOND);
    s.probe_repairs(1);
    // All is acknowledged when the loss is found, so nothing is in flight and pipeACK counts: (10 - 1) / 2.
    assert_eq!((s.window.cwnd, s.window.ssthresh), (4 * MSS, 4 * MSS));
}
