//! alpha, beta, RTTmax and the throughput. Windows in segments of 1,000 bytes; times in jiffies of a millisecond.

use super::*;
use crate::MILLISECOND;
use crate::testing::{self, MSS};

fn event(now: u64) -> Congestion {
    Congestion::loss(testing::context(now * MILLISECOND, 0..100 * MSS))
}

fn window(cwnd: u64) -> Window {
    Window { cwnd: cwnd * MSS, ssthresh: 2 * MSS, pacing_rate: None }
}

#[test]
fn alpha_grows_with_the_time_since_congestion_and_with_the_rtt() {
    for (min_rtt, now, alpha) in [
        // factor 1; RTT scaling makes 8/4, 8/8 and floor(8/80), but one at least.
        (400, 1000, 256),
        (100, 1000, 128),
        (10, 1000, 128),
        // 2 s: 1 + (10 * 1000 + 250) / 1000 = 11.
        (100, 2000, 11 * 128),
        (400, 2000, 22 * 128),
        (50, 2000, 5 * 128),
        (0, 2000, 11 * 128),
        // 5 s: 1 + (40,000 + 4000) / 1000 = 45.
        (100, 5000, 45 * 128),
    ] {
        let mut cc = Htcp { min_rtt, ..Htcp::default() };
        cc.update_alpha(now);
        assert_eq!(cc.alpha, alpha, "{min_rtt} ms, after {now} ms");
    }
    let mut cc = Htcp { min_rtt: 100, beta: 102, ..Htcp::default() };
    cc.update_alpha(0);
    assert_eq!(cc.alpha, 52);
}

#[test]
fn beta_is_the_ratio_of_the_rtts_from_the_second_loss_on() {
    let kept = Kept { max_rtt: 150, last: 1000, ..Kept::default() };
    for (min_rtt, max_rtt, most, adapts, beta, after) in [
        (100, 150, 1000, true, 85, true),
        (100, 101, 1000, true, 102, true),
        (100, 300, 1000, true, 64, true),
        (10, 12, 1000, true, 64, true),
        (100, 150, 1000, false, 64, true),
        (100, 150, 1200, true, 85, true),
        (100, 150, 1201, true, 64, false),
        (100, 150, 799, true, 64, false),
    ] {
        let mut cc = Htcp { min_rtt, most, adapts, kept: Kept { max_rtt, ..kept }, ..Htcp::default() };
        cc.update_beta();
        assert_eq!((cc.beta, cc.adapts, cc.kept.last), (beta, after, most), "{min_rtt}/{max_rtt}, {most} segments/s");
    }
}

#[test]
fn a_loss_leaves_the_share_beta_and_fades_the_largest_rtt() {
    let mut cc = Htcp { min_rtt: 100, adapts: true, count: 7, ..Htcp::default() };
    cc.kept.max_rtt = 160;
    assert_eq!(cc.ssthresh(&window(100), &event(3000)), 62 * MSS, "80/128 of 100");
    assert_eq!((cc.kept.max_rtt, cc.count), (157, 0));
}

#[test]
fn the_largest_rtt_follows_in_steps_while_nothing_is_lost() {
    let mut cc = Htcp::default();
    for (rtt, open, expected) in [
        (100, false, (100, 0)),
        (100, true, (100, 100)),
        (120, true, (100, 120)),
        (141, true, (100, 120)),
        (130, false, (100, 120)),
        (90, true, (90, 120)),
    ] {
        cc.measure_rtt(rtt, open);
        assert_eq!((cc.min_rtt, cc.kept.max_rtt), expected, "{rtt} ms");
    }
}

#[test]
fn the_throughput_is_sampled_once_per_window_and_rtt() {
    let mut cc = Htcp { min_rtt: 100, ..Htcp::default() };
    cc.measure_throughput(50, 20, 19);
    assert_eq!((cc.most, cc.sampled), (0, (0, Some(50))), "the time before the first sample is not known");
    cc.measure_throughput(100, 20, 30);
    assert_eq!(cc.sampled, (30, Some(50)), "less than RTTmin");
    cc.measure_throughput(150, 20, 0);
    assert_eq!((cc.average, cc.most, cc.sampled), (300, 300, (0, Some(150))));
    cc.measure_throughput(450, 20, 18);
    assert_eq!(cc.sampled, (18, Some(150)), "less than a window");
    cc.measure_throughput(450, 20, 42);
    assert_eq!((cc.average, cc.most), (225 + 50, 300), "200 segments/s weigh a quarter");
}

#[test]
fn the_window_grows_an_ack_after_the_count_is_complete() {
    let (mut cc, mut w) = (Htcp { min_rtt: 100, ..Htcp::default() }, window(10));
    let windows: Vec<u64> = (0..7)
        .map(|_| {
            let ack = testing::ack(testing::context(0, 0..10 * MSS), 2 * MSS);
            cc.on_delivery(&mut w, &testing::delivery(ack, 0));
            cc.on_ack(&mut w, &ack, 2 * MSS);
            w.cwnd / MSS
        })
        .collect();
    assert_eq!(windows, [10, 10, 10, 10, 10, 11, 11]);
    assert_eq!((cc.count, cc.acked), (2, 1));
    let ack = testing::ack(testing::context(0, 0..10 * MSS), 2 * MSS);
    cc.on_ack(&mut w, &ack, MSS);
    assert_eq!(cc.count, 2, "an ACK that ends slow start does not count");
}

#[test]
fn congestion_lasts_until_the_return_to_normal() {
    let (mut cc, mut w) = (Htcp { min_rtt: 100, ..Htcp::default() }, window(100));
    (cc.kept, cc.most) = (Kept { since: 10, max_rtt: 200, last: 0 }, 50);
    w.ssthresh = cc.ssthresh(&w, &event(3000));
    assert_eq!((cc.kept.since, cc.kept.max_rtt, cc.kept.last), (3000, 195, 50));
    let mut deliver = |cc: &mut Htcp, now: u64, in_recovery| {
        let ctx = Context { in_recovery, ..testing::context(now * MILLISECOND, 0..10 * MSS) };
        cc.on_delivery(&mut w, &testing::delivery(testing::ack(ctx, MSS), 0));
    };
    deliver(&mut cc, 3100, true);
    assert_eq!((cc.kept.since, cc.sampled), (3000, (0, Some(3100))));
    let mut spurious = Htcp { before: cc.before, states: cc.states, kept: cc.kept, ..Htcp::default() };
    deliver(&mut cc, 3200, false);
    assert_eq!(cc.kept.since, 3200);
    spurious.revert();
    deliver(&mut spurious, 3200, false);
    assert_eq!((spurious.kept.since, spurious.kept.max_rtt), (10, 195));
}
