//! RFC 7661, rule by rule. Windows are in segments of 1,000 bytes; the RTT is 100 ms, so the sampling period is 1 s.

use crate::context::Window;
use crate::validation::harness::{MSS, Sender};
use crate::{MILLISECOND, Nanos, SECOND};

const MINUTE: Nanos = 60 * SECOND;

/// Makes a sender with `cwnd`: the window was used in full a moment ago, and then `used` segments for longer than the
/// sampling period.
fn rate_limited(cwnd: u64, used: u64) -> Sender {
    let mut s = Sender::still("newcwv", cwnd);
    s.burst(cwnd);
    s.wait(SECOND);
    if used > 0 {
        s.burst(used);
    } else {
        let ctx = s.ctx();
        s.rule.before_send(&mut s.window, &ctx, 0);
    }
    assert!(s.non_validated());
    assert_eq!(s.pipe_ack(), Some(used));
    s
}

// ---- 4.1, 4.2: pipeACK

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.1
//= type=test
//# A sender starts a TCP connection in the validated phase and initialises the pipeACK variable to the "undefined"
//# value
#[test]
fn starts_validated_and_undefined() {
    let mut s = Sender::still("newcwv", 100);
    s.send(10);
    s.wait(100 * MILLISECOND);
    s.ack(2);
    assert_eq!((s.pipe_ack(), s.non_validated()), (None, false), "no whole round trip was measured yet");
    s.ack(8);
    assert_eq!((s.pipe_ack(), s.non_validated()), (Some(10), true));
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.2
//= type=test
//# SHOULD perform a pipeACK sample at least once per RTT when it has sent unacknowledged segments
#[test]
fn sample_of_a_bulk_sender_is_its_window() {
    let mut s = Sender::still("newcwv", 40);
    for _ in 0..20 {
        s.bulk_round();
        assert_eq!((s.pipe_ack(), s.non_validated()), (Some(40), false));
    }
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.2
//= type=test
//# SHOULD perform a pipeACK sample at least once per RTT when it has sent unacknowledged segments
#[test]
fn sample_is_the_volume_of_one_round_trip() {
    // One segment is sent every 20 ms: five or six are acknowledged in a round trip of 100 ms, for any duration.
    let mut s = Sender::still("newcwv", 40);
    for tick in 0..200 {
        s.send(1);
        s.wait(20 * MILLISECOND);
        if tick >= 4 {
            s.ack(1);
        }
        if tick >= 20 {
            assert!((4..=6).contains(&s.pipe_ack().unwrap()), "{:?}", s.pipe_ack());
        }
    }
}

#[test]
fn slow_start_stays_validated() {
    // The check runs at each ACK, with samples that expire in the middle of rounds from the ninth round on.
    let mut s = Sender::with_cc("newcwv", "reno");
    s.srtt = Some(130 * MILLISECOND);
    s.send(1 << 20);
    for _ in 0..12 {
        let target = s.nxt;
        let step = 130 * MILLISECOND / (s.flight() / (2 * MSS));
        while s.una < target {
            s.wait(step);
            s.ack(2);
            assert!(!s.non_validated(), "{:?}", s.state());
            s.send(1 << 20);
        }
        assert!(s.pipe_ack().is_some());
    }
    assert!(s.window.cwnd > 10_000 * MSS);
}

#[test]
fn loss_in_slow_start_has_the_standard_response() {
    let mut s = Sender::with_cc("newcwv", "reno");
    for _ in 0..5 {
        s.bulk_round();
    }
    // Half a round later, more than twice the last sample is in flight.
    for _ in 0..s.flight() / MSS / 4 {
        s.ack(2);
        s.send(1 << 20);
    }
    let flight = s.flight();
    assert!(s.pipe_ack().unwrap() * MSS < flight / 2);
    s.lose();
    s.recover(40);
    assert_eq!(s.window.cwnd, flight / 2, "no R");
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.2
//= type=test
//# The pipeACK variable MAY consider multiple pipeACK samples over the pipeACK Sampling Period
//= https://www.rfc-editor.org/rfc/rfc7661#section-4.2
//= type=test
//# The value of the pipeACK variable MUST NOT exceed the maximum (highest value) within the pipeACK Sampling Period
#[test]
fn highest_sample_of_the_sampling_period_counts() {
    // The pattern of figure 1: samples of 5 and 3, none, then 4 and 2, each in a separate measurement period of 200 ms.
    let mut s = Sender::still("newcwv", 8);
    let start = s.now;
    let at = |s: &mut Sender, ms: u64, segments: u64| {
        let ack_time = start + ms * MILLISECOND;
        s.now = ack_time - 100 * MILLISECOND;
        s.send(segments);
        s.now = ack_time;
        s.ack(segments);
        s.pipe_ack().unwrap()
    };
    assert_eq!(at(&mut s, 200, 5), 5);
    assert_eq!(at(&mut s, 450, 3), 5);
    assert_eq!(at(&mut s, 900, 4), 5);
    assert_eq!(at(&mut s, 1150, 2), 5);
    assert_eq!(at(&mut s, 1250, 1), 4, "the 5 was taken over 1 s ago");
    assert_eq!(at(&mut s, 1800, 1), 4);
    assert_eq!(at(&mut s, 1950, 1), 2);
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.2
//= type=test
//# This specification defines the pipeACK Sampling Period as Max(3*RTT, 1 second)
#[test]
fn sampling_period_is_three_round_trips_when_longer() {
    let mut s = Sender::still("newcwv", 40);
    s.srtt = Some(700 * MILLISECOND);
    s.burst(40);
    s.wait(1300 * MILLISECOND);
    s.burst(2);
    assert_eq!(s.pipe_ack(), Some(40), "2.0 s of 2.1 s have passed");
    s.wait(50 * MILLISECOND);
    s.send(1);
    assert_eq!(s.pipe_ack(), Some(40));
    s.wait(60 * MILLISECOND);
    s.send(1);
    assert_eq!(s.pipe_ack(), Some(2));
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.2
//= type=test
//# This specification defines the pipeACK Sampling Period as Max(3*RTT, 1 second)
#[test]
fn sampling_period_is_a_second_when_round_trips_are_short() {
    let mut s = Sender::still("newcwv", 40);
    s.srtt = Some(MILLISECOND);
    s.burst(40);
    s.wait(999 * MILLISECOND);
    s.send(1);
    assert_eq!(s.pipe_ack(), Some(40));
    s.wait(2 * MILLISECOND);
    s.send(1);
    assert_eq!(s.pipe_ack(), Some(0));
}

#[test]
fn expired_samples_count_as_zero_not_as_undefined() {
    // Pitfall: after every sample expired the sender counts as validated.
    let mut s = Sender::still("newcwv", 40);
    s.burst(40);
    assert!(!s.non_validated());
    s.wait(20 * SECOND);
    s.send(1);
    assert_eq!((s.pipe_ack(), s.non_validated()), (Some(0), true));
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.2
//= type=test
//# The value of the pipeACK variable MUST NOT exceed the maximum (highest value) within the pipeACK Sampling Period
#[test]
fn a_sample_does_not_outlive_the_sampling_period_for_being_noticed_late() {
    // Pitfall: the last round before an idle time gets the time of the first event after it.
    let mut s = Sender::still("newcwv", 40);
    s.burst(40);
    s.wait(20 * SECOND);
    s.burst(3);
    assert_eq!((s.pipe_ack(), s.non_validated()), (Some(3), true));
}

#[test]
fn many_rounds_fit_in_the_sampling_period() {
    // A thousand round trips of 1 ms in a period of 1 s must not push the highest sample out.
    let mut s = Sender::still("newcwv", 40);
    s.srtt = Some(MILLISECOND);
    s.burst(40);
    for _ in 0..780 {
        s.burst(5);
    }
    assert_eq!(s.pipe_ack(), Some(40));
    for _ in 0..230 {
        s.burst(5);
    }
    assert_eq!(s.pipe_ack(), Some(5));
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.2
//= type=test
//# The pipeACK variable MUST NOT be updated during TCP Fast Recovery
//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.1
//= type=test
//# After completing the loss recovery phase, the sender MUST re-initialise the pipeACK variable to the "undefined"
//# value
#[test]
fn no_samples_in_fast_recovery() {
    let mut s = rate_limited(40, 10);
    s.send(20);
    s.wait(100 * MILLISECOND);
    s.lose();
    assert_eq!(s.pipe_ack(), Some(10));
    for _ in 0..8 {
        s.wait(10 * MILLISECOND);
        s.ack(2);
        assert_eq!(s.pipe_ack(), Some(10), "pipeACK is kept as it was");
    }
    s.recover(1);
    assert_eq!((s.pipe_ack(), s.non_validated()), (None, false));
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.1
//= type=test
//# After completing the loss recovery phase, the sender MUST re-initialise the pipeACK variable to the "undefined"
//# value
#[test]
fn what_recovery_acknowledged_is_no_sample_of_the_time_after() {
    let mut s = rate_limited(40, 10);
    s.send(20);
    s.wait(100 * MILLISECOND);
    s.lose();
    s.recover(1);
    s.burst(4);
    assert_eq!(s.pipe_ack(), Some(4), "the first sample after recovery");
}

#[test]
fn what_a_timeout_repairs_is_no_sample() {
    // The first ACK may cover all data that the receiver had kept out of order.
    let mut s = Sender::still("newcwv", 40);
    s.burst(40);
    s.send(30);
    s.wait(SECOND);
    s.timeout(true);
    assert!(!s.non_validated());
    s.window.cwnd = 40 * MSS;
    s.recover(0);
    assert_eq!((s.flight(), s.pipe_ack(), s.non_validated()), (0, None, false));
    s.burst(3);
    assert_eq!((s.pipe_ack(), s.non_validated()), (Some(3), true));
}

// ---- 4.3, 4.4: the phases and growth

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
//= type=test
//# MUST enter the non-validated phase when the pipeACK is less than (1/2)*cwnd
#[test]
fn half_the_window_validates_it() {
    for (used, non_validated) in [(19, true), (20, false)] {
        let mut s = Sender::still("newcwv", 40);
        s.burst(used);
        assert_eq!(s.non_validated(), non_validated, "{used} of 40");
    }
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
//= type=test
//# MUST enter the non-validated phase when the pipeACK is less than (1/2)*cwnd
#[test]
fn window_is_kept_while_idle_and_while_little_is_sent() {
    let mut s = rate_limited(100, 10);
    for _ in 0..150 {
        s.wait(SECOND);
        s.burst(10);
    }
    s.wait(90 * SECOND);
    s.burst(10);
    assert_eq!(s.state(), (100, 1, 10));
    assert!(
        crate::validation::by_name("newcwv").unwrap().replaces_restart,
        "a restart after idle would make the kept window moot"
    );
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
//= type=test
//# A sender that is not cwnd-limited MUST NOT increase the cwnd when ACK packets are received in this phase
#[test]
fn a_window_not_filled_does_not_grow_in_the_non_validated_phase() {
    let mut s = Sender::with_cc("newcwv", "reno");
    for _ in 0..4 {
        s.bulk_round();
    }
    while s.flight() > 0 {
        s.ack(2);
    }
    // Validated and in slow start: cwnd grows with each ACK up to twice the volume sent, and then stops.
    let cwnd = s.window.cwnd;
    for _ in 0..50 {
        s.burst(cwnd / MSS);
    }
    assert!(s.non_validated());
    assert!(s.window.cwnd > 19 * cwnd / 10 && s.window.cwnd <= 2 * cwnd + 2 * MSS, "{} of {cwnd}", s.window.cwnd);
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
//= type=test
//# A sender that is cwnd-limited MAY use the standard TCP method to increase cwnd
//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
//= type=test
//# The sender MAY then use the standard method to increase the cwnd
#[test]
fn a_filled_window_grows_in_the_non_validated_phase() {
    let mut s = rate_limited(40, 5);
    s.slow_start = (crate::slow_start::by_name("standard").unwrap().make)();
    s.send(100);
    s.wait(100 * MILLISECOND);
    s.window.ssthresh = 1000 * MSS;
    s.ack(2);
    assert!(s.non_validated());
    assert_eq!(s.window.cwnd, 42 * MSS);
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
//= type=test
//# A sender with a pipeACK variable greater than (1/2)*cwnd SHOULD enter the validated phase
#[test]
fn using_half_the_window_ends_the_phase() {
    let mut s = rate_limited(40, 5);
    s.send(40);
    s.wait(100 * MILLISECOND);
    s.ack(18);
    assert!(s.non_validated());
    s.ack(2);
    assert!(!s.non_validated(), "20 of 40 were acknowledged in this round trip");
}

// ---- 4.4.1: congestion

#[test]
fn loss_in_the_validated_phase_has_the_standard_response() {
    let mut s = Sender::with_cc("newcwv", "reno");
    s.window.ssthresh = MSS;
    s.window.cwnd = 40 * MSS;
    s.burst(40);
    s.send(40);
    s.wait(100 * MILLISECOND);
    s.lose();
    assert_eq!(s.window, Window { cwnd: 20 * MSS, ssthresh: 20 * MSS, pacing_rate: None });
    s.recover(6);
    assert_eq!(s.window, Window { cwnd: 20 * MSS, ssthresh: 20 * MSS, pacing_rate: None }, "no R");
    assert_eq!(s.pipe_ack(), None);
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
//= type=test
//# If the sender receives an indication of congestion while in the non-validated phase (i.e., detects loss), the
//# sender MUST exit the non-validated phase
//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.1
//= type=test
//# A sender that detects a packet drop MUST record the current FlightSize in the variable LossFlightSize and MUST
//# calculate a safe cwnd for loss recovery
//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.1
//= type=test
//# At the end of the recovery phase, the TCP sender MUST reset the cwnd using the method below
#[test]
fn loss_in_the_non_validated_phase_halves_the_flight_if_that_is_more() {
    let mut s = rate_limited(100, 10);
    s.send(60);
    s.wait(100 * MILLISECOND);
    s.lose();
    assert_eq!(s.state(), (30, 30, 10));
    assert!(!s.non_validated(), "congestion ends the phase");
    s.recover(20);
    assert_eq!(s.state(), (20, 20, -1), "(60 - 20) / 2");
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.1
//= type=test
//# A sender that detects a packet drop MUST record the current FlightSize in the variable LossFlightSize and MUST
//# calculate a safe cwnd for loss recovery
#[test]
fn loss_in_the_non_validated_phase_halves_pipe_ack_if_that_is_more() {
    let mut s = rate_limited(100, 40);
    s.send(4);
    s.wait(100 * MILLISECOND);
    s.lose();
    assert_eq!(s.state(), (20, 20, 40));
    s.recover(2);
    assert_eq!(s.state(), (19, 19, -1), "(40 - 2) / 2");
}

#[test]
fn a_burst_whose_tail_is_lost_counts_with_what_was_acknowledged_of_it() {
    // The case of section 4.2's note: much data was sent and acknowledged, the loss is at the end, and FlightSize is
    // small.
    let mut s = rate_limited(200, 5);
    s.send(90);
    s.wait(100 * MILLISECOND);
    for _ in 0..43 {
        s.ack(2);
    }
    s.lose();
    assert_eq!(s.state(), (43, 43, 86));
    s.recover(4);
    assert_eq!(s.state(), (41, 41, -1));
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.1
//= type=test
//# The calculated cwnd value MUST NOT be reduced below 1 TCP Maximum Segment Size (MSS)
#[test]
fn floors_of_the_response() {
    let mut s = rate_limited(100, 3);
    s.send(4);
    s.wait(100 * MILLISECOND);
    s.lose();
    assert_eq!(s.window, Window { cwnd: 2 * MSS, ssthresh: 2 * MSS, pacing_rate: None });
    s.recover(4);
    assert_eq!(s.window, Window { cwnd: MSS, ssthresh: 2 * MSS, pacing_rate: None });
    let mut s = rate_limited(100, 3);
    s.send(4);
    s.lose();
    s.recover(400);
    assert_eq!(s.window.cwnd, MSS, "more sent again than was in flight");
}

#[test]
fn the_response_does_not_depend_on_the_congestion_control() {
    for cc in crate::cc::CATALOGUE {
        let mut s = rate_limited(100, 10);
        s.cc = crate::cc::Algorithm::from(cc).make();
        s.send(60);
        s.wait(100 * MILLISECOND);
        s.lose();
        s.recover(20);
        assert_eq!(s.state(), (20, 20, -1), "{}", cc.name);
    }
}

#[test]
fn a_sender_that_idled_past_its_samples_loses_as_non_validated() {
    // Only time passed between the last ACK of a full window and the loss.
    let mut s = Sender::still("newcwv", 100);
    s.burst(100);
    s.send(30);
    s.wait(5 * SECOND);
    s.lose();
    assert_eq!(s.state(), (15, 15, 0));
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
//= type=test
//# If the Retransmission Timeout (RTO) expires while in the non-validated phase, the sender MUST exit the
//# non-validated phase
#[test]
fn a_timeout_in_the_non_validated_phase_is_standard() {
    let mut s = rate_limited(100, 10);
    s.cc = crate::cc::Algorithm::from(crate::cc::by_name("reno").unwrap()).make();
    s.send(60);
    s.wait(SECOND);
    s.timeout(true);
    assert_eq!(s.state(), (1, 30, 0), "pipeACK is kept until the losses are repaired");
    assert!(!s.non_validated());
    s.recover(0);
    assert_eq!(s.state(), (1, 30, -1), "no (capacity - R)/2 after a timeout");
}

#[test]
fn a_timeout_in_fast_recovery_cancels_its_end() {
    let mut s = rate_limited(100, 10);
    s.send(60);
    s.wait(100 * MILLISECOND);
    s.lose();
    s.wait(SECOND);
    s.timeout(true);
    s.recover(20);
    assert_eq!(s.window.cwnd, MSS);
}

// ---- 4.4.3, 4.5.2: the end of the non-validated period

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4
//= type=test
//# The NVP SHOULD NOT exceed five minutes
//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.3
//= type=test
//# If the sender exits the non-validated phase after this period, it MUST update the ssthresh
//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.3
//= type=test
//# The sender MUST then update cwnd to be not greater than
#[test]
fn the_window_is_halved_after_five_minutes_unused() {
    let mut s = Sender::still("newcwv", 80);
    s.burst(80);
    let last = s.now;
    // The sample of `last` expires 1 s later: only then does the non-validated period begin.
    s.now = last + SECOND + 5 * MINUTE;
    s.send(1);
    assert_eq!(s.state(), (80, 1, 0));
    s.now = last + SECOND + 5 * MINUTE + 1;
    s.send(1);
    assert_eq!(s.state(), (40, 60, 0), "cwnd/2, and ssthresh 3/4 of the old cwnd");
    assert!(s.window.in_slow_start());
}

#[test]
fn one_reduction_for_each_period_passed() {
    let mut s = Sender::still("newcwv", 80);
    s.burst(80);
    s.wait(10 * MINUTE + 2 * SECOND);
    s.send(1);
    assert_eq!(s.state(), (20, 60, 0), "ssthresh keeps the larger memory");
    s.wait(4 * MINUTE);
    s.send(1);
    assert_eq!(s.state(), (20, 60, 0), "the third period is not over");
    s.wait(MINUTE);
    s.send(1);
    assert_eq!(s.state(), (10, 60, 0));
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.3
//= type=test
//# The sender MUST then update cwnd to be not greater than
#[test]
fn the_reduction_ends_at_the_initial_window_and_never_raises() {
    let mut s = Sender::still("newcwv", 80);
    s.burst(80);
    s.wait(24 * 60 * MINUTE);
    s.send(1);
    assert_eq!(s.state(), (10, 60, 0));
    let mut s = Sender::still("newcwv", 6);
    s.burst(6);
    s.wait(6 * MINUTE);
    s.send(1);
    assert_eq!(s.window.cwnd, 6 * MSS, "below IW already");
}

//= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.3
//= type=test
//# If the sender exits the non-validated phase after this period, it MUST update the ssthresh
#[test]
fn a_larger_ssthresh_is_kept_at_the_reduction() {
    let mut s = Sender::still("newcwv", 80);
    s.window.ssthresh = 70 * MSS;
    s.burst(80);
    s.wait(6 * MINUTE);
    s.send(1);
    assert_eq!(s.state(), (40, 70, 0));
}

#[test]
fn a_slow_sender_is_reduced_too_until_half_is_used() {
    let mut s = Sender::still("newcwv", 80);
    s.burst(80);
    let last = s.now;
    while s.now < last + 4 * MINUTE + 50 * SECOND {
        s.wait(400 * MILLISECOND);
        s.burst(21);
        assert_eq!(s.window.cwnd, 80 * MSS);
    }
    while s.now < last + 30 * MINUTE {
        s.wait(400 * MILLISECOND);
        s.burst(21);
    }
    assert_eq!(s.state(), (40, 60, 21), "21 of 40 validate the window");
    assert!(!s.non_validated());
}

#[test]
fn the_ack_that_ends_the_phase_after_the_period_reduces_first() {
    for (minutes, expected) in [(5, (40, 60, 60)), (10, (20, 60, 60))] {
        let mut s = rate_limited(80, 5);
        s.send(60);
        s.wait(minutes * MINUTE + 10 * SECOND);
        s.ack(60);
        assert_eq!(s.state(), expected, "what this ACK says of the path does not undo the time before it");
        assert!(!s.non_validated());
    }
}

#[test]
fn the_period_counts_from_the_last_entry_into_the_phase() {
    let mut s = Sender::still("newcwv", 80);
    s.burst(80);
    s.wait(4 * MINUTE);
    s.burst(80);
    s.wait(4 * MINUTE);
    s.send(1);
    assert_eq!(s.state(), (80, 1, 0));
    assert!(s.non_validated());
}

#[test]
fn the_period_does_not_count_validated_time_before_old_samples() {
    // The sender is validated by 40 of 80 at first, and non-validated only since cwnd grew to 90: an old sample of 45
    // has no effect.
    let mut s = Sender::still("newcwv", 80);
    s.burst(80);
    s.wait(4 * MINUTE);
    s.send(1);
    assert!(s.non_validated());
    s.burst(40);
    assert!(!s.non_validated());
    s.window.cwnd = 90 * MSS;
    s.burst(1);
    assert!(s.non_validated());
    s.wait(2 * MINUTE);
    s.send(1);
    assert_eq!(s.window.cwnd, 90 * MSS);
}
