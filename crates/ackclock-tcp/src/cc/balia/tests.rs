//! Section 3 of the draft, with values worked by hand. Windows in segments of 1,000 bytes.

use super::*;
use crate::MILLISECOND;
use crate::cc::by_name;
use crate::context::Cause;
use crate::testing::{Arrival, MSS, Sender};

fn sibling(segments: u64, rtt_ms: u64) -> Sibling {
    Sibling { cwnd: segments * MSS, srtt: rtt_ms * MILLISECOND }
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
}

#[test]
fn increase_and_decrease_are_those_of_the_draft() {
    // One subflow: 2x * 5x / (10 x^2) = 1 segment a window, and half of the window at a loss.
    let alone = Rates::of([sibling(10, 40)].into_iter()).unwrap();
    near(alone.increase(), 1.0);
    near(alone.kept(), 0.5);
    // Two equal ones: 2x * 5x / (10 * 4 x^2) = 1/4, as LIA.
    let equal = Rates::of([sibling(10, 40); 2].into_iter()).unwrap();
    near(equal.increase(), 0.25);
    near(equal.kept(), 0.5);
    // Rates of 1 and 3: (1 + 3) * (4 + 3) / (10 * 16) = 7/40; alpha is 3, and 1.5 bounds the decrease.
    let slower = Rates::of([sibling(10, 40), sibling(30, 40)].into_iter()).unwrap();
    near(slower.increase(), 7.0 / 40.0);
    near(slower.kept(), 0.25);
    // The other one: 6 * 15 / 160 = 9/16.
    let faster = Rates::of([sibling(30, 40), sibling(10, 40)].into_iter()).unwrap();
    near(faster.increase(), 9.0 / 16.0);
    near(faster.kept(), 0.5);
}

#[test]
fn the_window_follows() {
    let avoiding = |others: &[Sibling]| {
        let mut sender = Sender::new((by_name("balia").unwrap().make)(&[]), 0, MSS, 10);
        (sender.window.cwnd, sender.window.ssthresh) = (20 * MSS, 2 * MSS);
        sender.srtt = Some(100 * MILLISECOND);
        sender.cc.on_siblings(others);
        sender.send();
        sender
    };
    let mut alone = avoiding(&[]);
    let mut coupled = avoiding(&[sibling(20, 100)]);
    for _ in 0..20 {
        alone.receive(&Arrival { acked: MSS, ..Arrival::default() });
        coupled.receive(&Arrival { acked: MSS, ..Arrival::default() });
    }
    assert_eq!((alone.window.cwnd, coupled.window.cwnd), (21 * MSS, 20 * MSS));
    // Three more windows.
    for _ in 0..3 {
        coupled.send();
        for _ in 0..20 {
            coupled.receive(&Arrival { acked: MSS, ..Arrival::default() });
        }
    }
    assert_eq!(coupled.window.cwnd, 21 * MSS);
    // A sibling three times as fast: 3/4 of FlightSize go.
    let mut slower = avoiding(&[sibling(60, 100)]);
    slower.congestion(Cause::Loss, false);
    assert_eq!(slower.window.cwnd, 5 * MSS);
}
