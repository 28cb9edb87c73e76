//! RFC 2861. Windows are in segments of 1,000 bytes; the RTT is 100 ms, the RTO 1 s.

use crate::validation::Growth;
use crate::validation::harness::{MSS, Sender};
use crate::{MILLISECOND, SECOND};

#[test]
fn idle_halves_the_window_for_each_rto() {
    for (idle_ms, expected) in [(999, (80, 1, -1)), (1000, (40, 60, -1)), (3999, (10, 60, -1)), (4000, (5, 60, -1))] {
        let mut s = Sender::still("rfc2861", 80);
        s.send(80);
        s.ack(80);
        s.wait(idle_ms * MILLISECOND);
        s.send(100);
        assert_eq!(s.state(), expected, "{idle_ms} ms");
    }
}

#[test]
fn the_floor_of_the_idle_decay_is_one_segment() {
    let mut s = Sender::still("rfc2861", 80);
    s.send(80);
    s.ack(80);
    s.wait(24 * 3600 * SECOND);
    s.send(100);
    assert_eq!(s.state(), (1, 60, -1));
}

#[test]
fn decay_starts_from_the_window_the_peer_allows() {
    let mut s = Sender::still("rfc2861", 80);
    s.receive_window = 16 * MSS;
    s.send(16);
    s.ack(16);
    s.wait(2 * SECOND);
    s.send(1);
    assert_eq!(s.state(), (4, 60, -1), "16 -> 8 -> 4");
}

#[test]
fn a_higher_ssthresh_is_kept() {
    let mut s = Sender::still("rfc2861", 80);
    s.window.ssthresh = 90 * MSS;
    s.send(80);
    s.ack(80);
    s.wait(SECOND);
    s.send(1);
    assert_eq!(s.state(), (40, 90, -1));
}

/// Sends `segments` every 100 ms for `rounds` round trips.
fn trickle(s: &mut Sender, segments: u64, rounds: u64) {
    for _ in 0..rounds {
        s.burst(segments);
    }
}

#[test]
fn a_window_not_filled_for_an_rto_decays_towards_what_is_used() {
    let mut s = Sender::still("rfc2861", 80);
    s.burst(80);
    let full = s.now - 100 * MILLISECOND;
    trickle(&mut s, 20, 8);
    s.now = full + 999 * MILLISECOND;
    s.send(1);
    assert_eq!(s.state(), (80, 1, -1));
    s.now += MILLISECOND;
    s.send(1);
    assert_eq!(s.state(), (50, 60, -1), "(80 + 20) / 2");
    s.ack(2);
    trickle(&mut s, 30, 10);
    s.send(1);
    assert_eq!(s.state(), (40, 60, -1), "(50 + 30) / 2: only what was used since the last decay counts");
}

#[test]
fn a_window_not_filled_never_decays_below_a_segment() {
    let mut s = Sender::still("rfc2861", 3);
    for _ in 0..20 {
        s.burst(1);
        s.wait(950 * MILLISECOND);
    }
    assert_eq!(s.window.cwnd, MSS);
    // A small segment and a window that is not a whole number of segments: (1500 + 100) / 2 would be 800 bytes.
    s.window.cwnd = 1500;
    s.nxt += 100;
    s.wait(SECOND);
    let ctx = s.ctx();
    s.rule.on_sent(&mut s.window, &ctx, false);
    assert_eq!(s.window.cwnd, MSS);
}

#[test]
fn a_full_window_starts_the_period_anew() {
    let mut s = Sender::still("rfc2861", 80);
    for _ in 0..10 {
        trickle(&mut s, 20, 8);
        s.burst(80);
    }
    assert_eq!(s.state(), (80, 1, -1));
}

#[test]
fn a_sender_with_more_to_send_is_not_application_limited() {
    // The peer's window limits the data.
    let mut s = Sender::still("rfc2861", 80);
    s.receive_window = 40 * MSS;
    for _ in 0..30 {
        s.burst(60);
    }
    assert_eq!(s.window.cwnd, 80 * MSS);
}

#[test]
fn only_a_full_window_grows() {
    let mut s = Sender::with_cc("rfc2861", "reno");
    trickle(&mut s, 9, 5);
    assert_eq!(s.window.cwnd, 10 * MSS);
    s.burst(11);
    assert_eq!(s.window.cwnd, 20 * MSS);
}

#[test]
fn nothing_decays_in_recovery_and_the_window_grows_after_a_timeout() {
    let mut s = Sender::still("rfc2861", 80);
    s.send(40);
    s.wait(100 * MILLISECOND);
    s.lose();
    for _ in 0..30 {
        s.wait(100 * MILLISECOND);
        s.ack(2);
        s.send(1);
    }
    assert_eq!(s.state(), (80, 1, -1));
    let growth = |s: &mut Sender| {
        let mut ack = s.last_ack(0);
        ack.cwnd_limited = false;
        s.rule.on_ack(&mut s.window, &ack)
    };
    s.timeout(true);
    assert_eq!(growth(&mut s), Growth::Allowed);
    s.in_recovery = false;
    assert_eq!(growth(&mut s), Growth::Forbidden);
}

#[test]
fn loss_begins_a_new_period() {
    let mut s = Sender::still("rfc2861", 80);
    trickle(&mut s, 20, 8);
    s.send(20);
    s.lose();
    // The last segment stays outstanding: the sender is not idle.
    s.recovery_point -= MSS;
    s.wait(2 * SECOND);
    s.recover(0);
    s.wait(500 * MILLISECOND);
    s.send(1);
    assert_eq!(s.window.cwnd, 80 * MSS);
}

#[test]
fn linux_stops_at_the_restart_window() {
    for (cwnd, idle, expected) in [(80, 2, (20, 60, -1)), (80, 3600, (10, 60, -1)), (6, 3600, (6, 4, -1))] {
        let mut s = Sender::still("rfc2861-linux", cwnd);
        s.send(cwnd);
        s.ack(cwnd);
        s.wait(idle * SECOND);
        s.send(1);
        assert_eq!(s.state(), expected, "cwnd {cwnd}, idle for {idle} s");
    }
}

#[test]
fn linux_takes_use_for_no_less_than_the_initial_window() {
    for (rule, expected) in [("rfc2861", 41), ("rfc2861-linux", 45)] {
        let mut s = Sender::still(rule, 80);
        s.burst(80);
        let full = s.now - 100 * MILLISECOND;
        trickle(&mut s, 2, 8);
        s.now = full + SECOND;
        s.send(1);
        assert_eq!(s.window.cwnd / MSS, expected, "{rule}: (80 + 2) / 2 or (80 + 10) / 2");
    }
}
