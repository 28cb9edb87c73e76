//! The arithmetic of 32 bits and the phases. Times are in milliseconds, windows in segments of 1,000 bytes.

use super::*;
use crate::testing::{self, MSS};

/// Feeds timestamps to an estimate that is `rate`, as differences of the peer's and the echoed timestamp.
fn rates(rate: u32, differences: &[(u32, u32)]) -> Vec<u32> {
    let mut lp = Lp { rate, reference: (u32::MAX, 1), ..Lp::default() };
    let feed = |&(val, ecr): &(u32, u32)| {
        lp.estimate_rate(lp.reference.0.wrapping_add(val), lp.reference.1 + ecr);
        lp.rate
    };
    differences.iter().map(feed).collect()
}

#[test]
fn the_rate_of_the_peers_clock_rises_only_by_large_errors() {
    assert_eq!(rates(0, &[(2, 2), (1, 1)]), [1000, 1000]);
    assert_eq!(rates(1000, &[(2, 1)]), [1015], "1000 / 64 is 15.6");
    assert_eq!(rates(1000, &[(1, 2), (1, 1), (21, 20)]), [992, 992, 992], "992 + 8/64, and 992 + 58/64");
    assert_eq!(rates(1000, &[(1000, 1001)]), [999], "1000 - 1/64 is rounded down");
    assert_eq!(rates(1000, &[(0, 5), (5, 0)]), [1000, 1000], "no difference");
    let mut first = Lp::default();
    first.estimate_rate(7, 5);
    assert_eq!(first.rate, 0, "the first timestamps are references");
}

fn delays(first: u32, rest: &[u32]) -> Delays {
    let mut delays = Delays::default();
    delays.add(first);
    rest.iter().for_each(|&delay| delays.add(delay));
    delays
}

#[test]
fn the_maximum_is_the_largest_delay_but_one() {
    let maxima = [(vec![], (100, 100)), (vec![120], (100, 120)), (vec![120, 110], (110, 120))];
    for (rest, expected) in maxima {
        let delays = delays(100, &rest);
        assert_eq!((delays.most, delays.reserved), expected, "{rest:?}");
    }
    let delays = delays(100, &[120, 130, 90]);
    assert_eq!((delays.most, delays.reserved, delays.least), (120, 130, 90));
}

#[test]
fn a_small_offset_indicates_and_a_large_one_never_does() {
    for (offset, expected) in [(1000, true), ((1 << 29) - 1000, true), (1 << 29, false), (u32::MAX - 1000, false)] {
        let samples: Vec<u32> = [60, 40].into_iter().chain([60; 40]).map(|delay| offset + delay).collect();
        assert_eq!(delays(offset + 20, &samples).indicate(), expected, "{offset}");
    }
    assert!(!Delays::default().indicate(), "without a sample");
    let mut delays = delays(1000, &[1100, 1050]);
    delays.reset();
    assert_eq!(delays.least, delays.smoothed >> 3);
    assert_eq!((delays.most / 2, delays.reserved), (delays.least, delays.most));
}

#[test]
fn a_clock_that_seems_fast_or_slow_changes_the_scale_of_the_delay() {
    for (rate, expected) in [(1000, 300 - 80), (501, 300 - 80), (500, 600 - 80), (1001, 80_u32.wrapping_neg())] {
        let mut lp = Lp { rate, ..Lp::default() };
        lp.sample(300, 80);
        assert_eq!(lp.delays.least, expected, "{rate}");
    }
}

/// Delivers an ACK at `now` that echoes `echo`, with a delay from there of `delay`, and lets the window grow by a window
/// of ACKs.
fn at(lp: &mut Lp, window: &mut Window, now: u64, echo: u64, delay: i64) -> u64 {
    let ack = Ack {
        rtt: Some((now - echo) * MILLISECOND),
        ..testing::ack(testing::context(now * MILLISECOND, 0..100 * MSS), MSS)
    };
    let delivery = crate::context::Delivery {
        echo: Some(echo * MILLISECOND),
        forward_delay: Some(delay * MILLISECOND as i64),
        ..testing::delivery(ack, 0)
    };
    // Without a reference the rate of the peer's clock stays, whatever the delays.
    lp.reference = (0, 0);
    lp.on_delivery(window, &delivery);
    lp.on_ack(window, &ack, window.cwnd);
    window.cwnd / MSS
}

#[test]
fn halved_then_one_segment_and_no_growth_within_three_round_trips() {
    let mut lp = Lp { rate: 1000, ..Lp::default() };
    let mut window = Window { cwnd: 40 * MSS, ssthresh: 2 * MSS, pacing_rate: None };
    let mut at = |now, echo, delay| at(&mut lp, &mut window, now, echo, delay);
    // Without a range the first sample indicates congestion. The phase begins with the next ACK.
    assert_eq!(at(1000, 900, 1000), 21);
    assert_eq!([at(1010, 910, 1000), at(1020, 920, 2000)], [21, 21], "1125 is less than 1000 + 15 % of 1000");
    assert_eq!(at(1050, 950, 2000), 1, "1234 is more, within the phase");
    assert_eq!([at(1349, 1249, 1234), at(1350, 1250, 1234)], [1, 2], "three times 100 ms later");
    assert_eq!(at(1360, 1260, 9000), 2, "outside the phase half of the window, and the growth by the ACK");
    assert_eq!(window.ssthresh, 2 * MSS);
}

#[test]
fn the_responses_to_loss_are_those_of_reno() {
    let window = Window { cwnd: 21 * MSS, ssthresh: u64::MAX, pacing_rate: None };
    let event = Congestion::loss(testing::context(0, 0..21 * MSS));
    assert_eq!(Lp::default().ssthresh(&window, &event), 10 * MSS);
}

#[test]
fn after_the_first_indication_the_offset_is_part_of_the_range() {
    let mut delays = delays(1 << 28, &[]);
    assert!(delays.indicate());
    delays.reset();
    for _ in 0..100 {
        delays.add((1 << 28) + 10_000);
        assert!(!delays.indicate(), "ten seconds of queue are less than 15 % of the offset");
    }
}
