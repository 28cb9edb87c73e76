//! The modes and what each does. Windows in segments of 1,000 bytes.

use super::*;
use crate::cc::path::{MSS, Path, near};
use crate::{MILLISECOND, SECOND};

const LAW: Law = Law { alpha: 80.0, gamma: 1.0, delta: 3, epsilon: 1, phi: 8.0, rho: 16, zeta: 50 };
const BASE: Nanos = 100 * MILLISECOND;

fn yeah(state: State) -> Yeah {
    Yeah { law: LAW, rounds: Rounds::default(), state, before: None, increase: Increase::default() }
}

fn fresh() -> State {
    State { count: 0, fast: 0, slow: 0, queue: 0 }
}

fn window(cwnd: u64) -> Window {
    Window { cwnd: cwnd * MSS, ssthresh: 2 * MSS, pacing_rate: None }
}

#[test]
fn the_mode_is_by_the_queue_and_by_its_delay() {
    for (cwnd, rtt_ms, slow, what) in [
        (400, 110, 0, "36 segments, a tenth of the base"),
        (400, 113, 1, "46 segments, but more than an eighth"),
        (1000, 108, 0, "74 segments"),
        (1000, 109, 1, "82 segments"),
    ] {
        let mut s = yeah(fresh());
        s.decide(&mut window(cwnd), BASE, rtt_ms * MILLISECOND, MSS);
        assert_eq!(s.state.slow, slow, "{what}");
    }
}

#[test]
fn what_waits_is_let_go_down_to_renos_window() {
    let mut s = yeah(fresh());
    let mut w = window(1000);
    s.decide(&mut w, BASE, 125 * MILLISECOND, MSS);
    assert_eq!((w.cwnd, w.ssthresh), (800 * MSS, 800 * MSS), "a queue of 200");
    assert_eq!(s.state.count, 400);
    let mut w = window(1000);
    s.decide(&mut w, BASE, 400 * MILLISECOND, MSS);
    assert_eq!(w.cwnd, 500 * MSS, "half at most");
    assert_eq!(s.state.count, 401);
    let mut w = window(450);
    s.decide(&mut w, BASE, 130 * MILLISECOND, MSS);
    assert_eq!(w.cwnd, 401 * MSS, "not below count");
    let mut w = window(300);
    s.decide(&mut w, BASE, 120 * MILLISECOND, MSS);
    assert_eq!(w.cwnd, 300 * MSS, "a queue of 50 may stay");
    assert_eq!(s.state.slow, 4);
}

#[test]
fn fifty_fast_rounds_forget_renos_window() {
    let mut s = yeah(State { count: 300, slow: 4, ..fresh() });
    for round in 0..51 {
        assert_eq!(s.state.count, 300, "round {round}");
        s.decide(&mut window(400), BASE, BASE, MSS);
        assert_eq!(s.state.slow, 0);
    }
    assert_eq!((s.state.count, s.state.fast), (2, 0));
}

#[test]
fn a_loss_takes_the_queue_or_half_from_the_greedy() {
    for (slow, queue, left, what) in [
        (3, 200, 600, "what waits"),
        (3, 10, 700, "an eighth at least"),
        (3, 700, 400, "half at most"),
        (15, 200, 600, "fifteen rounds of slow mode"),
        (16, 200, 400, "sixteen"),
    ] {
        let mut s = yeah(State { count: 90, fast: 7, slow, queue: queue * MSS });
        let mut path = Path::avoiding("reno", 800);
        path.send();
        let (before, event) = (path.window, Congestion::loss(path.ctx()));
        s.on_congestion(&mut path.window, &event);
        assert_eq!(path.window.cwnd, left * MSS, "{what}");
        assert_eq!((s.state.count, s.state.fast), (45, 0));
        s.on_undo(&mut path.window, &before);
        assert_eq!((s.state.count, s.state.fast, path.window.cwnd), (90, 7, 800 * MSS));
    }
}

#[test]
fn a_flow_alone_is_fast_on_an_empty_path_and_never_loses() {
    let mut s = Path::avoiding("yeah", 500);
    s.round();
    near(s.segments(), 505.0, 0.2, "a hundredth");
    let mut s = Path::avoiding("yeah", 40).behind(4000, 400);
    s.run(120 * SECOND);
    assert_eq!(s.losses, 0);
    let (mut least, mut most) = (f64::MAX, 0.0f64);
    for _ in 0..200 {
        s.round();
        (least, most) = (least.min(s.segments()), most.max(s.segments()));
    }
    // The path holds 400, an eighth of its RTT 50 more, and eighty are let go.
    assert!(least > 380.0 && most < 490.0, "{least} to {most}");
}
