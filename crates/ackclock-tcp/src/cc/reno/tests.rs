//! RFC 5681 section 3.1. Windows in segments of 1,000 bytes.

use crate::cc::CongestionControl;
use crate::context::Congestion;
use crate::validation::harness::{MSS, Sender};

/// A sender in congestion avoidance.
fn avoiding(cwnd: u64) -> Sender {
    let mut s = Sender::with_cc("none", "reno");
    (s.window.cwnd, s.window.ssthresh) = (cwnd * MSS, 2 * MSS);
    s
}

//= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
//= type=test
//# MAY increment cwnd by SMSS bytes
//= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
//= type=test
//# SHOULD increment cwnd per equation (2) once per RTT
//= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
//= type=test
//# during congestion avoidance, cwnd MUST NOT be increased by more than SMSS bytes per RTT
#[test]
fn a_window_grows_by_a_segment_for_each_window_acknowledged() {
    let mut s = avoiding(10);
    for round in 0..20 {
        assert_eq!(s.window.cwnd, (10 + round) * MSS);
        let window = s.window.cwnd / MSS;
        s.send(window);
        for _ in 0..window - 1 {
            s.ack(1);
        }
        assert_eq!(s.window.cwnd, window * MSS, "not before the window's last segment");
        s.ack(1);
    }
}

//= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
//= type=test
//# The RECOMMENDED way to increase cwnd during congestion avoidance is to count the number of bytes that have been
//# acknowledged
//= https://www.rfc-editor.org/rfc/rfc5681#section-5
//= type=test
//# this document RECOMMENDS increasing the congestion window based on the number of bytes newly acknowledged in each
//# arriving ACK
#[test]
fn growth_depends_on_bytes_not_on_acks() {
    for stretch in [1, 2, 5] {
        let mut s = avoiding(20);
        for _ in 0..8 {
            s.send(20);
            for _ in 0..20 / stretch {
                s.ack(stretch);
            }
        }
        // 160 acknowledged segments: windows of 20 to 26 take 161 together.
        assert_eq!(s.window.cwnd, 26 * MSS, "{stretch} segments an ACK");
    }
}

#[test]
fn what_exceeds_a_window_carries_over() {
    let mut s = avoiding(10);
    s.send(10);
    s.ack(8);
    s.send(10);
    s.ack(8);
    assert_eq!(s.window.cwnd, 11 * MSS, "16 of 10 acknowledged");
    s.ack(2);
    s.send(10);
    s.ack(2);
    assert_eq!(s.window.cwnd, 11 * MSS, "10 of 11");
    s.ack(1);
    assert_eq!(s.window.cwnd, 12 * MSS);
}

//= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
//= type=test
//# MUST NOT increment cwnd by more than SMSS bytes
//= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
//= type=test
//# during congestion avoidance, cwnd MUST NOT be increased by more than SMSS bytes per RTT
#[test]
fn one_ack_grows_the_window_by_one_segment_at_most() {
    let mut s = avoiding(4);
    s.nxt = 500 * MSS;
    s.ack(500);
    assert_eq!(s.window.cwnd, 5 * MSS);
    s.send(2);
    s.ack(2);
    assert_eq!(s.window.cwnd, 5 * MSS, "nothing of it is left over");
}

//= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
//= type=test
//# but ssthresh MUST be reduced in response to congestion
//= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
//= type=test
//# When the third duplicate ACK is received, a TCP MUST set ssthresh to no more than the value given in equation (4)
#[test]
fn loss_halves_the_flight() {
    let mut s = avoiding(40);
    s.send(30);
    s.lose();
    assert_eq!((s.window.cwnd, s.window.ssthresh), (15 * MSS, 15 * MSS), "the flight, not the window");
}

//= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
//= type=test
//# When the third duplicate ACK is received, a TCP MUST set ssthresh to no more than the value given in equation (4)
#[test]
fn ssthresh_is_two_segments_at_least() {
    let mut s = avoiding(40);
    s.send(3);
    s.lose();
    assert_eq!((s.window.cwnd, s.window.ssthresh), (2 * MSS, 2 * MSS));
    s.timeout(true);
    assert_eq!((s.window.cwnd, s.window.ssthresh), (MSS, 2 * MSS));
}

#[test]
fn loss_forgets_what_was_acknowledged_towards_the_next_segment() {
    let mut s = avoiding(20);
    s.send(20);
    s.ack(15);
    s.send(15);
    s.lose();
    s.recover(1);
    assert_eq!(s.window.cwnd, 10 * MSS);
    s.send(9);
    s.ack(9);
    assert_eq!(s.window.cwnd, 10 * MSS);
}

//= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
//= type=test
//# the value of ssthresh MUST be set to no more than the value given in equation (4)
//= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
//= type=test
//# additional data sent in limited transmit MUST NOT be included in this calculation
#[test]
fn a_repeated_timeout_keeps_ssthresh() {
    let mut s = avoiding(40);
    s.send(40);
    s.timeout(true);
    assert_eq!(s.window.ssthresh, 20 * MSS);
    let mut event = Congestion::loss(s.ctx());
    event.ctx.flight_size = 10 * MSS;
    let mut reno = super::Reno::default();
    reno.on_timeout(&mut s.window, &event, false);
    assert_eq!(s.window.ssthresh, 20 * MSS);
    s.window.cwnd = 12 * MSS;
    reno.on_timeout(&mut s.window, &event, true);
    assert_eq!(s.window.ssthresh, 5 * MSS);
    s.window.cwnd = 8 * MSS;
    reno.on_timeout(&mut s.window, &event, true);
    assert_eq!(s.window.ssthresh, 4 * MSS, "what was sent beyond the window does not count");
}
