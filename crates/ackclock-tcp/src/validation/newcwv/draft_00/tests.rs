//! draft-ietf-tcpm-newcwv-00. Windows are in segments of 1,000 bytes; the RTT is 100 ms.

use crate::SECOND;
use crate::validation::harness::{MSS, Sender};

#[test]
fn two_thirds_of_the_window_outstanding_validate_it() {
    for (used, non_validated) in [(40, false), (39, true)] {
        let mut s = Sender::still("newcwv-00", 60);
        s.send(used);
        assert_eq!(s.non_validated(), non_validated, "{used} of 60");
        s.ack(1);
        assert_eq!(s.non_validated(), non_validated, "the ACK found {used}");
        s.ack(1);
        assert!(s.non_validated());
    }
}

#[test]
fn a_window_grows_only_while_it_is_validated() {
    let mut s = Sender::with_cc("newcwv-00", "reno");
    // With 30 outstanding, each ACK of two segments adds two until less than two thirds are outstanding: 30/30, 28/32,
    // 26/34, then 24/36.
    s.window.cwnd = 30 * MSS;
    s.burst(30);
    assert_eq!(s.window.cwnd, 38 * MSS);
    s.burst(10);
    assert_eq!(s.window.cwnd, 38 * MSS);
}

#[test]
fn an_unused_window_is_kept_for_five_minutes_and_then_falls_to_twice_what_is_outstanding() {
    for (outstanding, kept, then) in [(0, 80, 10), (4, 80, 10), (20, 80, 40)] {
        let mut s = Sender::still("newcwv-00", 80);
        s.burst(80);
        // The last ACK that found two thirds outstanding was within the burst.
        let since = s.now;
        s.send(outstanding);
        s.now = since + 300 * SECOND;
        s.send(1);
        assert_eq!(s.window.cwnd, kept * MSS);
        s.nxt -= MSS;
        s.wait(1);
        s.send(1);
        assert_eq!(s.state(), (then, 60, -1), "{outstanding} outstanding");
    }
}

#[test]
fn the_adjustment_never_raises_the_window() {
    let mut s = Sender::still("newcwv-00", 12);
    s.send(7);
    s.wait(301 * SECOND);
    s.send(1);
    assert_eq!(s.window.cwnd, 12 * MSS, "twice seven are more");
}

#[test]
fn use_starts_the_five_minutes_anew() {
    let mut s = Sender::still("newcwv-00", 80);
    s.burst(80);
    s.wait(200 * SECOND);
    s.burst(80);
    s.wait(200 * SECOND);
    s.send(1);
    assert_eq!(s.window.cwnd, 80 * MSS);
}

#[test]
fn loss_in_the_non_validated_phase_leaves_half_of_what_was_outstanding_less_what_was_lost() {
    let mut s = Sender::with_cc("newcwv-00", "reno");
    (s.window.cwnd, s.window.ssthresh) = (90 * MSS, 2 * MSS);
    s.send(40);
    s.lose();
    assert_eq!(s.state(), (20, 20, -1), "40 / 2");
    s.recover(6);
    assert_eq!(s.state(), (17, 17, -1), "(40 - 6) / 2");
}

#[test]
fn loss_in_the_validated_phase_has_the_standard_response() {
    let mut s = Sender::with_cc("newcwv-00", "reno");
    (s.window.cwnd, s.window.ssthresh) = (60 * MSS, 2 * MSS);
    s.send(40);
    s.lose();
    s.recover(6);
    assert_eq!(s.state(), (20, 20, -1));
}

#[test]
fn a_timeout_ends_the_phase_and_leaves_the_window_to_the_standard() {
    let mut s = Sender::with_cc("newcwv-00", "reno");
    s.window.cwnd = 90 * MSS;
    s.send(40);
    s.timeout(true);
    assert_eq!((s.state(), s.non_validated()), ((1, 20, -1), false));
    // The time of a repair, however long, does not count as time in which the window was not used.
    s.wait(400 * SECOND);
    s.send(1);
    assert_eq!((s.state(), s.non_validated()), ((1, 20, -1), false));
    s.recover(0);
    assert_eq!((s.state(), s.non_validated()), ((1, 20, -1), false));
    // From then on the window is checked again.
    s.window.cwnd = 40 * MSS;
    s.send(1);
    assert!(s.non_validated());
}

#[test]
fn a_window_never_falls_below_a_segment() {
    let mut s = Sender::with_cc("newcwv-00", "reno");
    (s.window.cwnd, s.window.ssthresh) = (10 * MSS, 2 * MSS);
    s.send(2);
    s.lose();
    s.recover(2);
    assert_eq!(s.state(), (1, 2, -1));
}

#[test]
fn a_window_whose_whole_segments_are_used_grows_though_a_fraction_is_left() {
    let mut s = Sender::with_cc("newcwv-00", "reno");
    (s.window.cwnd, s.window.ssthresh) = (19 * MSS / 10, 2 * MSS);
    s.burst(1);
    assert!(s.window.cwnd > 19 * MSS / 10);
}
