//! The authors' module of newCWV in an endpoint of Linux 3.12. Numbers are segments.

mod common;

use ackclock_tcp::{Config, MILLISECOND, SECOND, cc, slow_start, stack};
use common::unused::{MINUTE, RTT, burst, unused, with_rule};
use common::{MSS, Script};

const FORMS: [&str; 2] = ["newcwv-2013", "newcwv-2014"];

/// Reno of Linux 3.12 with `rule`, and without F-RTO, as the module's instructions have it.
fn module(rule: &str) -> Config {
    let base = Config {
        mss: MSS as u32,
        cc: cc::by_name("reno-linux").unwrap().into(),
        slow_start: slow_start::by_name("linux").unwrap(),
        frto: false,
        // The peer of these tests echoes no retransmission, which would prove it spurious (Eifel).
        timestamps: false,
        ..(stack::by_name("linux-3.12").unwrap().config)()
    };
    with_rule(rule, base)
}

/// A sender with a window of 61 segments, of which two are used, that sends forty segments. The first of them is lost. Returns
/// the offset of that segment.
fn burst_with_a_loss(rule: &str) -> (Script, u64) {
    let mut s = unused(&module(rule), 60, 2);
    assert_eq!(s.cwnd(), 61, "the first ACK came before the first sample");
    let from = s.end.sent() / MSS;
    s.write(40);
    assert_eq!(s.sends().len(), 40);
    s.now += RTT;
    (s, from)
}

#[test]
fn prr_heads_for_the_ssthresh_of_the_form() {
    for (rule, target) in FORMS.into_iter().zip([61 / 2, 37 / 2]) {
        let (mut s, from) = burst_with_a_loss(rule);
        for top in 2..=3 {
            s.ack(from, &[(from + 1, from + top)]);
        }
        assert_eq!(s.ack(from, &[(from + 1, from + 4)]), [from], "{rule}: three SACKs, 37 in flight");
        assert_eq!(s.ssthresh(), target, "{rule}");
        // The module sets 37/2 with the next ACK. PRR has the last word: 36 are in flight, and of the two delivered
        // segments it owes ceil(2 ssthresh/61) = 1, which was the retransmission.
        s.ack(from, &[(from + 1, from + 5)]);
        assert_eq!(s.cwnd(), 36, "{rule}");
        for top in 6..=40 {
            s.ack(from, &[(from + 1, from + top)]);
        }
        assert_eq!(s.cwnd(), target, "{rule}: one in flight, and the rest of ssthresh is free");
        s.now += RTT;
        s.ack(from + 40, &[]);
        assert_eq!((s.cwnd(), s.ssthresh()), (18, 18), "{rule}: (37 - 1)/2");
        assert_eq!(s.end.validation().pipe_ack, None, "{rule}");
    }
}

#[test]
fn a_timeout_halves_what_was_in_flight_or_the_window() {
    for (rule, ssthresh) in FORMS.into_iter().zip([61 / 2, 40 / 2]) {
        let (mut s, _) = burst_with_a_loss(rule);
        // The timer of the loss probe expires first.
        while s.end.stats().timeouts == 0 {
            s.expire();
            s.sends();
        }
        assert_eq!((s.cwnd(), s.ssthresh()), (1, ssthresh), "{rule}");
        assert_eq!(s.end.validation().pipe_ack, None, "{rule}");
    }
}

#[test]
fn the_window_is_kept_over_idle_periods_of_up_to_five_minutes() {
    for (idle, cwnd) in [(2 * SECOND, 61), (5 * MINUTE - 10 * SECOND, 61), (5 * MINUTE + 10 * SECOND, 30)] {
        let mut s = unused(&module("newcwv-2014"), 60, 2);
        s.now += idle;
        assert_eq!(burst(&mut s, 2), cwnd, "{idle} ns");
    }
}

#[test]
fn a_burst_after_idle_is_measured_by_round_trips() {
    let mut s = unused(&module("newcwv-2014"), 60, 2);
    s.now += 2 * SECOND;
    burst(&mut s, 50);
    assert_eq!(s.end.validation().pipe_ack, Some(50 * MSS));
    // The bin of the fifty segments counts for a second, and is removed by the first update after it.
    for _ in 0..10 {
        burst(&mut s, 2);
        assert_eq!(s.end.validation().pipe_ack, Some(50 * MSS));
    }
    s.now += 10 * MILLISECOND;
    burst(&mut s, 2);
    assert_eq!(s.end.validation().pipe_ack, Some(2 * MSS));
}
