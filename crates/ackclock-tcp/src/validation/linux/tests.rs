//! Linux's rule. Windows are in segments of 1,000 bytes; the RTT is 100 ms, the RTO 1 s.

use crate::validation::Growth;
use crate::validation::harness::{MSS, Sender};
use crate::{MILLISECOND, SECOND};

#[test]
fn slow_start_grows_to_twice_what_was_outstanding() {
    let mut s = Sender::with_cc("linux", "reno");
    for _ in 0..5 {
        s.burst(8);
    }
    assert_eq!(s.window.cwnd, 16 * MSS, "2 * 8");
    for _ in 0..5 {
        s.burst(9);
    }
    assert_eq!(s.window.cwnd, 18 * MSS);
    // The previous flight counts, not the largest flight ever.
    for _ in 0..5 {
        s.burst(4);
    }
    assert_eq!(s.window.cwnd, 18 * MSS);
}

#[test]
fn a_window_filled_within_the_flight_grows() {
    let mut s = Sender::with_cc("linux", "reno");
    s.burst(10);
    assert_eq!(s.window.cwnd, 20 * MSS);
    // The window was filled to the last segment, though there was no more data to send.
    s.burst(20);
    assert_eq!(s.window.cwnd, 40 * MSS);
}

//= https://www.rfc-editor.org/rfc/rfc9438#section-4.6
//= type=test
//# Implementations that use _cwnd_ MUST use other measures to prevent _cwnd_ from growing when the volume of bytes in
//# flight is smaller than _cwnd_
#[test]
fn in_congestion_avoidance_only_a_full_window_grows() {
    for (used, grown) in [(10, 1), (9, 0)] {
        let mut s = Sender::with_cc("linux", "reno");
        (s.window.cwnd, s.window.ssthresh) = (10 * MSS, 2 * MSS);
        s.burst(used);
        assert_eq!(s.window.cwnd, (10 + grown) * MSS, "{used} of 10");
    }
    // Data sent while the flight is acknowledged does not change that the window was full.
    let mut s = Sender::with_cc("linux", "reno");
    (s.window.cwnd, s.window.ssthresh) = (10 * MSS, 2 * MSS);
    s.send(10);
    s.ack(4);
    s.send(1);
    s.ack(6);
    assert_eq!(s.window.cwnd, 11 * MSS);
    // That flight is over: the next flight is checked separately.
    s.ack(1);
    for _ in 0..20 {
        s.burst(5);
    }
    assert_eq!(s.window.cwnd, 11 * MSS);
}

/// Linux 6.12 net/ipv4/tcp_output.c, tcp_tso_should_defer.
#[test]
fn a_window_whose_rest_waits_for_a_larger_packet_grows_as_a_full_one() {
    for (deferred, growth) in [(false, Growth::Forbidden), (true, Growth::Allowed)] {
        let mut s = Sender::still("linux", 10);
        s.window.ssthresh = 2 * MSS;
        s.send(9);
        if deferred {
            s.rule.on_deferred(s.now, 9 * MSS, 9 * MSS);
        }
        let ack = s.last_ack(MSS);
        assert_eq!(s.rule.on_ack(&mut s.window, &ack), growth);
    }
}

#[test]
fn a_window_that_was_full_stays_so_for_its_flight_and_may_become_so_without_more_outstanding() {
    let growth = |s: &mut Sender| {
        let ack = s.last_ack(MSS);
        s.rule.on_ack(&mut s.window, &ack)
    };
    let mut s = Sender::still("linux", 10);
    s.send(10);
    s.window.cwnd = 20 * MSS;
    s.send(3);
    assert_eq!(growth(&mut s), Growth::Allowed, "ten of ten, then thirteen of twenty");
    s.ack(10);
    s.send(1);
    assert_eq!(growth(&mut s), Growth::Forbidden);
    let mut s = Sender::still("linux", 10);
    s.send(8);
    s.ack(1);
    assert_eq!(growth(&mut s), Growth::Forbidden);
    s.window.cwnd = 8 * MSS;
    s.send(1);
    assert_eq!(growth(&mut s), Growth::Allowed, "eight of eight");
}

#[test]
fn the_strongest_signal_of_a_flight_counts() {
    let mut s = Sender::with_cc("linux", "reno");
    s.send(2);
    s.send(3);
    s.ack(1);
    // Less is outstanding now, but the five segments count until their flight is over.
    s.send(1);
    s.window.cwnd = 9 * MSS;
    s.ack(1);
    assert_eq!(s.window.cwnd, 10 * MSS, "9 < 2 * 5");
    s.ack(1);
    assert_eq!(s.window.cwnd, 10 * MSS);
}

#[test]
fn idle_halves_the_window_for_each_rto_begun_after_the_first() {
    for (idle_ms, expected) in
        [(1000, (80, 1)), (1001, (40, 60)), (2000, (40, 60)), (2001, (20, 60)), (3001, (10, 60)), (9_000_000, (10, 60))]
    {
        let mut s = Sender::still("linux", 80);
        s.send(80);
        s.wait(100 * MILLISECOND);
        s.ack(80);
        s.wait((idle_ms - 100) * MILLISECOND);
        s.send(1);
        let (cwnd, ssthresh, _) = s.state();
        assert_eq!((cwnd, ssthresh), expected, "{idle_ms} ms");
    }
}

#[test]
fn decays_round_down_to_whole_segments() {
    let mut s = Sender::still("linux", 47);
    s.send(47);
    s.ack(47);
    s.wait(SECOND + MILLISECOND);
    s.send(1);
    assert_eq!(s.state(), (23, 23 + 11, -1), "47 / 2, and 47 / 2 + 47 / 4");
}

#[test]
fn the_window_of_a_congestion_control_that_owns_it_does_not_decay() {
    let mut s = Sender::still("linux", 80);
    s.rule.on_owned_window();
    s.wait(SECOND * 60);
    s.send(1);
    assert_eq!(s.window.cwnd, 80 * MSS);
    unacknowledged(&mut s, 5);
    assert_eq!(s.window.cwnd, 80 * MSS);
}

#[test]
fn a_window_below_the_initial_one_stays_over_idle() {
    let mut s = Sender::still("linux", 6);
    s.send(6);
    s.ack(6);
    s.wait(SECOND * 3600);
    s.send(1);
    assert_eq!(s.state(), (6, 4, -1));
}

#[test]
fn acknowledgments_keep_a_window_that_is_not_filled() {
    let mut s = Sender::still("linux", 80);
    for _ in 0..100 {
        s.burst(20);
    }
    assert_eq!(s.state(), (80, 1, -1));
}

/// Sends a segment every 200 ms, `segments` in all; none is acknowledged.
fn unacknowledged(s: &mut Sender, segments: u64) {
    for _ in 0..segments {
        s.wait(200 * MILLISECOND);
        s.send(1);
    }
}

#[test]
fn without_acknowledgments_the_window_decays_towards_what_is_used_or_iw_once_an_rto() {
    let mut s = Sender::still("linux", 80);
    unacknowledged(&mut s, 4);
    assert_eq!(s.state(), (80, 1, -1));
    unacknowledged(&mut s, 1);
    assert_eq!(s.state(), (45, 60, -1), "(80 + 10) / 2");
    unacknowledged(&mut s, 9);
    assert_eq!(s.window.cwnd, 27 * MSS, "(45 + 10) / 2 in whole segments, and not before its RTO");
}

#[test]
fn what_was_used_before_a_decay_no_longer_counts() {
    let mut s = Sender::still("linux", 80);
    s.send(30);
    s.wait(SECOND);
    s.send(1);
    assert_eq!(s.window.cwnd, 55 * MSS, "(80 + 31) / 2 in whole segments");
    // Below ssthresh slow start would allow growth up to twice 31.
    s.window.ssthresh = MSS;
    s.ack(30);
    s.wait(SECOND);
    s.send(1);
    assert_eq!(s.window.cwnd, 32 * MSS, "(55 + 10) / 2 in whole segments");
}

#[test]
fn a_receive_window_that_holds_the_sender_back_counts_as_the_application() {
    let mut s = Sender::still("linux", 80);
    s.receive_window = 20 * MSS;
    s.send(40);
    s.nxt -= MSS;
    s.wait(SECOND);
    s.send(40);
    assert_eq!(s.state(), (50, 60, -1), "(80 + 20) / 2");
}

#[test]
fn a_burst_is_judged_by_its_last_segment() {
    let mut s = Sender::still("linux", 80);
    s.send(1);
    s.wait(SECOND);
    s.send(100);
    assert_eq!(s.window.cwnd, 80 * MSS, "it fills the window");
}

#[test]
fn recovery_and_timeouts_start_the_clock_anew() {
    for timeout in [false, true] {
        let mut s = Sender::still("linux", 80);
        s.send(1);
        s.wait(900 * MILLISECOND);
        if timeout {
            s.timeout(true);
            s.in_recovery = false;
        } else {
            s.lose();
            s.recovery_point = s.una;
            s.recover(0);
        }
        s.window.cwnd = 80 * MSS;
        s.wait(900 * MILLISECOND);
        s.send(1);
        assert_eq!(s.window.cwnd, 80 * MSS, "timeout: {timeout}");
    }
}

#[test]
fn nothing_decays_in_recovery() {
    let mut s = Sender::still("linux", 80);
    s.send(1);
    s.lose();
    s.wait(2 * SECOND);
    s.send(1);
    assert_eq!(s.window.cwnd, 80 * MSS);
}
