//! The backlog, the increases and the decreases. Windows are in segments of 1,000 bytes.

use super::*;
use crate::MILLISECOND;
use crate::testing::{self, MSS};

/// Veno in a connection with three RTT samples of 100 ms, and its window.
fn veno(cwnd: u64) -> (Veno, Window) {
    let mut cc = Veno::default();
    let mut window = Window { cwnd: cwnd * MSS, ssthresh: 2 * MSS, pacing_rate: None };
    for _ in 0..3 {
        deliver(&mut cc, &mut window, 100);
    }
    cc.least = NO_RTT;
    (cc, window)
}

fn context() -> Context {
    testing::context(1000 * MILLISECOND, 0..20 * MSS)
}

/// Delivers a segment with an RTT in milliseconds.
fn deliver(cc: &mut Veno, window: &mut Window, rtt: u64) -> Ack {
    let ack = Ack { rtt: Some(rtt * MILLISECOND), ..testing::ack(context(), MSS) };
    cc.on_delivery(window, &testing::delivery(ack, 0));
    ack
}

/// Delivers an ACK of `acked` segments, and returns the window.
fn ack(cc: &mut Veno, window: &mut Window, rtt: u64, acked: u64) -> u64 {
    let ack = deliver(cc, window, rtt);
    cc.on_ack(window, &ack, acked * MSS);
    window.cwnd / MSS
}

#[test]
fn the_backlog_is_that_of_the_ack() {
    let (mut cc, mut window) = veno(40);
    // 80 - floor(80 * 100001 / 111001) is 8 halves of a segment; of 108 ms it is 6; of 107 ms 6 as well, of 106 ms 5.
    for (rtt, expected) in [(111, 8), (108, 6), (107, 6), (106, 5), (100, 0)] {
        ack(&mut cc, &mut window, rtt, 0);
        assert_eq!(cc.backlog, expected, "{rtt} ms");
    }
}

#[test]
fn a_free_path_adds_a_segment_for_a_window_and_a_congested_path_for_two() {
    let (mut cc, mut window) = veno(10);
    assert_eq!([9, 1].map(|acked| ack(&mut cc, &mut window, 100, acked)), [10, 11]);
    let (mut cc, mut window) = veno(10);
    // The ACK that finds the count full adds a segment and does not count itself.
    let windows = [5, 5, 1, 5, 5, 1, 6, 5, 1].map(|acked| ack(&mut cc, &mut window, 200, acked));
    assert_eq!(windows, [10, 10, 11, 11, 11, 11, 11, 11, 11]);
    assert_eq!(ack(&mut cc, &mut window, 200, 1), 11, "the second full count adds nothing");
    let windows = [5, 6, 1].map(|acked| ack(&mut cc, &mut window, 200, acked));
    assert_eq!(windows, [11, 12, 12], "the third one does");
}

#[test]
fn the_rtt_of_the_syn_is_the_first_of_the_three_samples_before_the_backlog_counts() {
    let grows = |syn| {
        let mut cc = Veno::default();
        let mut window = Window { cwnd: 10 * MSS, ssthresh: 2 * MSS, pacing_rate: None };
        if syn {
            cc.on_syn_acknowledged(100 * MILLISECOND);
        }
        deliver(&mut cc, &mut window, 100);
        cc.least = NO_RTT;
        [200, 200, 200].map(|rtt| (ack(&mut cc, &mut window, rtt, 0), cc.backlog).1 > 0)
    };
    assert_eq!(grows(true), [true, true, true]);
    assert_eq!(grows(false), [false, true, true]);
}

#[test]
fn the_decrease_depends_on_the_last_backlog() {
    for (rtt, expected) in [(100, 32), (200, 20)] {
        let (mut cc, mut window) = veno(40);
        ack(&mut cc, &mut window, rtt, 0);
        assert_eq!(cc.ssthresh(&window, &Congestion::loss(testing::context(0, 0..40 * MSS))) / MSS, expected);
    }
}

#[test]
fn without_enough_samples_and_while_data_is_sacked_it_is_reno() {
    let mut cc = Veno::default();
    let mut window = Window { cwnd: 10 * MSS, ssthresh: 12 * MSS, pacing_rate: None };
    assert_eq!(ack(&mut cc, &mut window, 100, 2), 12, "slow start");
    assert_eq!(ack(&mut cc, &mut window, 300, 12), 13);
    assert_eq!(cc.backlog, 0);
    ack(&mut cc, &mut window, 300, 0);
    assert!(cc.backlog > 6, "the third sample");
    cc.backlog = 0;
    let sacked = Context { pipe: 19 * MSS, ..context() };
    cc.on_delivery(&mut window, &testing::delivery(testing::ack(sacked, MSS), 0));
    let reno = Ack { rtt: Some(300 * MILLISECOND), ..testing::ack(sacked, MSS) };
    cc.on_delivery(&mut window, &testing::delivery(reno, 0));
    cc.on_ack(&mut window, &reno, 13 * MSS);
    assert_eq!((window.cwnd / MSS, cc.backlog), (14, 0));
    assert_ne!(cc.least, NO_RTT, "the samples are kept until the sender is open");
    cc.on_delivery(&mut window, &testing::delivery(testing::ack(context(), MSS), 0));
    assert!(cc.judges && cc.least == NO_RTT);
}

#[test]
fn sending_with_nothing_in_flight_forgets_the_base() {
    let (mut cc, mut window) = veno(10);
    cc.on_sent(&mut window, &testing::context(0, 0..2 * MSS));
    assert_eq!(cc.base, 100_001);
    cc.judges = false;
    cc.on_sent(&mut window, &testing::context(0, 2 * MSS..3 * MSS));
    assert!(cc.base == NO_RTT && cc.judges);
    ack(&mut cc, &mut window, 200, 0);
    assert_eq!((cc.base, cc.backlog), (200_001, 0));
}
