//! The estimate and the responses. Windows in segments of 1,000 bytes.

use super::*;
use crate::MILLISECOND;
use crate::testing::{self, MSS};

fn window(cwnd: u64) -> Window {
    Window { cwnd: cwnd * MSS, ssthresh: 2 * MSS, pacing_rate: None }
}

/// Westwood whose first sample begins at 1 s.
fn started() -> Westwood {
    Westwood { since: 1000, ..Westwood::default() }
}

/// Delivers an ACK of `acked` bytes `now` ms after 1 s, with an RTT in milliseconds.
fn ack(cc: &mut Westwood, window: &mut Window, now: u64, acked: u64, rtt: u64) {
    let ctx = testing::context((1000 + now) * MILLISECOND, 100 * MSS..120 * MSS);
    let ack = Ack { rtt: Some(rtt * MILLISECOND), ..testing::ack(ctx, acked) };
    cc.on_delivery(window, &testing::delivery(ack, 0));
}

#[test]
fn a_sample_takes_more_than_an_rtt_and_leaves_out_its_first_and_last_ack() {
    let (mut cc, mut window) = (started(), window(10));
    for (now, bytes) in [(10, 0), (20, 2 * MSS), (100, 4 * MSS)] {
        ack(&mut cc, &mut window, now, 2 * MSS, 100);
        assert_eq!((cc.estimate, cc.bytes), ((0, 0), bytes), "{now} ms");
    }
    ack(&mut cc, &mut window, 101, MSS, 100);
    assert_eq!((cc.estimate, cc.bytes), ((39, 39), MSS), "4,000 bytes in 101 ms");
}

#[test]
fn two_filters_follow_the_samples() {
    let mut cc = Westwood { rtt: 40, bytes: 51_000, ..Westwood::default() };
    cc.sample(50);
    assert_eq!(cc.estimate, (0, 0), "50 ms at least");
    cc.sample(51);
    assert_eq!(cc.estimate, (1000, 1000));
    cc.bytes = 100 * 1800;
    cc.sample(151);
    assert_eq!((cc.estimate, cc.since, cc.bytes), ((1100, 1012), 151, 0));
    cc.rtt = 200;
    cc.sample(351);
    assert_eq!(cc.since, 151, "not longer than the last RTT");
}

#[test]
fn duplicate_acks_count_once() {
    let mut cc = Westwood::default();
    let counted = [0, 0, 0, 1000, 2000, 5000, 3000].map(|acked| cc.counted(acked, MSS));
    assert_eq!(counted, [1000, 1000, 1000, 1000, 1000, 4000, 3000]);
}

#[test]
fn a_loss_halves_and_the_end_of_the_recovery_sets_the_estimate() {
    let (mut cc, mut w) = (started(), window(20));
    (cc.started, cc.estimate) = (true, (150, 150));
    ack(&mut cc, &mut w, 10, MSS, 100);
    assert_eq!(w.cwnd, 20 * MSS);
    let lost = Congestion::loss(testing::context(0, 99 * MSS..100 * MSS));
    let lost = Congestion { ctx: Context { flight_size: 21 * MSS, ..lost.ctx }, ..lost };
    cc.on_congestion(&mut w, &lost);
    assert_eq!(w.ssthresh, 10 * MSS);
    let repairing = testing::context(1015 * MILLISECOND, 99 * MSS..120 * MSS);
    let repairing = Context { in_recovery: true, ..repairing };
    cc.on_delivery(&mut w, &testing::delivery(testing::ack(repairing, 0), 0));
    assert_eq!(w.ssthresh, 10 * MSS);
    ack(&mut cc, &mut w, 20, MSS, 110);
    assert_eq!((w.cwnd, w.ssthresh), (15 * MSS, 15 * MSS), "150 bytes per ms for 100 ms");
    w.cwnd = 16 * MSS;
    ack(&mut cc, &mut w, 30, MSS, 110);
    assert_eq!(w.cwnd, 16 * MSS, "once");
}

#[test]
fn a_timeout_sets_the_estimate_and_the_next_rtt_begins_anew() {
    let (mut cc, mut w) = (started(), window(20));
    (cc.estimate, cc.started) = ((150, 150), true);
    ack(&mut cc, &mut w, 10, MSS, 100);
    ack(&mut cc, &mut w, 11, MSS, 140);
    let event = Congestion::timeout(testing::context(0, 0..20 * MSS));
    cc.on_timeout(&mut w, &event, true);
    assert_eq!(w.ssthresh, 15 * MSS);
    ack(&mut cc, &mut w, 500, MSS, 130);
    assert_eq!(cc.min_rtt, Some(140), "of the ACK before");
    ack(&mut cc, &mut w, 501, MSS, 150);
    assert_eq!(cc.min_rtt, Some(130));
    cc.on_timeout(&mut Window { ssthresh: 7 * MSS, ..w }, &event, false);
    assert_eq!(cc.min_rtt, Some(130), "the same segment again");
    let mut fresh = Westwood::default();
    fresh.on_timeout(&mut w, &event, true);
    assert_eq!(w.ssthresh, 2 * MSS, "without a sample");
}
