//! RFC 6356 section 3, with values worked by hand. Windows in segments of 1,000 bytes.

use super::*;
use crate::cc::by_name;
use crate::context::Cause;
use crate::testing::{Arrival, MSS, Sender};
use crate::{MILLISECOND, Nanos};

fn sibling(segments: u64, rtt_ms: u64) -> Sibling {
    Sibling { cwnd: segments * MSS, srtt: rtt_ms * MILLISECOND }
}

/// Alpha for windows in segments and RTTs in ms.
fn alpha(subflows: &[(u64, u64)]) -> f64 {
    let all: Vec<_> = subflows.iter().map(|&(segments, rtt)| sibling(segments, rtt)).collect();
    let total: u64 = all.iter().map(|subflow| subflow.cwnd).sum();
    alpha_per_byte(all.into_iter()).unwrap() * total as f64
}

//= https://www.rfc-editor.org/rfc/rfc6356#section-3
//= type=test
//# The formula to compute alpha is:
#[test]
fn alpha_is_that_of_equation_2() {
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
    // One subflow: cwnd * (cwnd / rtt^2) / (cwnd / rtt)^2 = 1.
    near(alpha(&[(17, 30)]), 1.0);
    // Two equal subflows: 2w * (w / r^2) / (2w / r)^2 = 1/2.
    near(alpha(&[(10, 100), (10, 100)]), 0.5);
    // n equal subflows: 1/n.
    near(alpha(&[(10, 50); 4]), 0.25);
    // Equal RTTs, 10 and 30 segments: 40 * 30 / 40^2 = 3/4.
    near(alpha(&[(10, 100), (30, 100)]), 0.75);
    // 10 segments at 10 ms and 40 at 100 ms: 50 * max(0.1, 0.004) / (1 + 0.4)^2 = 5 / 1.96.
    near(alpha(&[(10, 10), (40, 100)]), 5.0 / 1.96);
}

/// A sender in congestion avoidance with these windows of siblings.
fn avoiding(segments: u64, rtt_ms: u64, others: &[Sibling]) -> Sender {
    let mut sender = Sender::new((by_name("lia").unwrap().make)(&[]), 0, MSS, 10);
    (sender.window.cwnd, sender.window.ssthresh) = (segments * MSS, 2 * MSS);
    sender.srtt = Some(rtt_ms * MILLISECOND);
    sender.cc.on_siblings(others);
    sender
}

/// Number of windows that are acknowledged until the window has grown by a segment.
fn windows_for_a_segment(sender: &mut Sender) -> u64 {
    let before = sender.window.cwnd;
    for windows in 1..=1000 {
        sender.send();
        for _ in 0..before / MSS {
            sender.receive(&Arrival { acked: MSS, ..Arrival::default() });
        }
        if sender.window.cwnd > before {
            assert_eq!(sender.window.cwnd, before + MSS);
            return windows;
        }
    }
    panic!("the window does not grow");
}

//= https://www.rfc-editor.org/rfc/rfc6356#section-3
//= type=test
//# For each ACK received on subflow i, increase cwnd_i by
#[test]
fn a_subflow_grows_by_its_share_of_alpha() {
    let rtt: Nanos = 100;
    assert_eq!(windows_for_a_segment(&mut avoiding(20, rtt, &[])), 1, "Reno on one path");
    // Two equal subflows: alpha is 1/2, and the share of a window that is half of the total is 1/4 of a segment.
    assert_eq!(windows_for_a_segment(&mut avoiding(20, rtt, &[sibling(20, rtt)])), 4);
    // Five equal ones: 1/5 * 1/5.
    assert_eq!(windows_for_a_segment(&mut avoiding(20, rtt, &[sibling(20, rtt); 4])), 25);
}

//= https://www.rfc-editor.org/rfc/rfc6356#section-3
//= type=test
//# In this case, the increase MUST be set to 1
#[test]
fn no_subflow_grows_faster_than_reno_and_each_grows() {
    // 10 segments at 10 ms beside 40 at 100 ms: alpha * 40 / 50 = 2.04 is more than Reno's segment.
    assert_eq!(windows_for_a_segment(&mut avoiding(40, 100, &[sibling(10, 10)])), 1);
    // 2 segments at 1,000 ms beside 10,000 at 1 ms earn less than a byte a window, and get one.
    let mut slow = avoiding(2, 1000, &[sibling(10_000, 1)]);
    assert_eq!(windows_for_a_segment(&mut slow), 1000);
}

//= https://www.rfc-editor.org/rfc/rfc6356#section-3
//= type=test
//# as well as the multiplicative decrease of the congestion avoidance state are the same as in standard TCP [RFC5681]
#[test]
fn the_decrease_is_that_of_reno() {
    for others in [&[][..], &[sibling(50, 20)]] {
        let mut sender = avoiding(20, 100, others);
        sender.send();
        sender.congestion(Cause::Loss, false);
        assert_eq!((sender.window.cwnd, sender.window.ssthresh), (10 * MSS, 10 * MSS));
    }
}
