//! The modes and their responses. Windows are in segments of 1,000 bytes.

use super::*;
use crate::cc::path::{MSS, Path, near};
use crate::{MILLISECOND, SECOND};

const LAW: Law = Law { alpha: 80.0, gamma: 1.0, delta: 3, epsilon: 1, phi: 8.0, rho: 16, zeta: 50 };
const BASE: Nanos = 100 * MILLISECOND;

fn yeah(state: State) -> Yeah {
    Yeah { law: LAW, rounds: Rounds::default(), state, before: Saved::default(), increase: Increase::default() }
}

fn fresh() -> State {
    State { count: 0, fast: 0, slow: 0, queue: 0 }
}

fn window(cwnd: u64) -> Window {
    Window { cwnd: cwnd * MSS, ssthresh: 2 * MSS, pacing_rate: None }
}

#[test]
fn the_mode_follows_from_the_backlog_and_the_queueing_delay() {
    for (cwnd, rtt_ms, slow, what) in [
        (400, 110, 0, "36 segments, and a tenth of the base RTT"),
        (400, 113, 1, "46 segments, but more than an eighth of the base RTT"),
        (1000, 108, 0, "74 segments"),
        (1000, 109, 1, "82 segments"),
    ] {
        let mut s = yeah(fresh());
        s.decide(&mut window(cwnd), BASE, rtt_ms * MILLISECOND, MSS);
        assert_eq!(s.state.slow, slow, "{what}");
    }
}

#[test]
fn the_backlog_is_drained_down_to_renos_window() {
    let mut s = yeah(fresh());
    let mut w = window(1000);
    s.decide(&mut w, BASE, 125 * MILLISECOND, MSS);
    assert_eq!((w.cwnd, w.ssthresh), (800 * MSS, 800 * MSS), "a backlog of 200");
    assert_eq!(s.state.count, 400);
    let mut w = window(1000);
    s.decide(&mut w, BASE, 400 * MILLISECOND, MSS);
    assert_eq!(w.cwnd, 500 * MSS, "at most half");
    assert_eq!(s.state.count, 401);
    let mut w = window(450);
    s.decide(&mut w, BASE, 130 * MILLISECOND, MSS);
    assert_eq!(w.cwnd, 401 * MSS, "not below count");
    let mut w = window(300);
    s.decide(&mut w, BASE, 120 * MILLISECOND, MSS);
    assert_eq!(w.cwnd, 300 * MSS, "a backlog of 50 is below alpha");
    assert_eq!(s.state.slow, 4);
}

#[test]
fn fifty_fast_rounds_reset_renos_window() {
    let mut s = yeah(State { count: 300, slow: 4, ..fresh() });
    for round in 0..51 {
        assert_eq!(s.state.count, 300, "round {round}");
        s.decide(&mut window(400), BASE, BASE, MSS);
        assert_eq!(s.state.slow, 0);
    }
    assert_eq!((s.state.count, s.state.fast), (2, 0));
}

#[test]
fn a_loss_reduces_by_the_backlog_or_by_half_against_greedy_flows() {
    for (slow, queue, left, what) in [
        (3, 200, 600, "the backlog"),
        (3, 10, 700, "at least an eighth"),
        (3, 700, 400, "at most half"),
        (15, 200, 600, "fifteen rounds of slow mode"),
        (16, 200, 400, "sixteen rounds of slow mode"),
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
fn a_single_flow_is_fast_on_an_empty_path_and_never_loses() {
    let mut s = Path::avoiding("yeah", 500);
    s.round();
    near(s.segments(), 505.0, 0.2, "growth by a hundredth");
    let mut s = Path::avoiding("yeah", 40).behind(4000, 400);
    s.run(120 * SECOND);
    assert_eq!(s.losses, 0);
    let (mut least, mut most) = (f64::MAX, 0.0f64);
    for _ in 0..200 {
        s.round();
        (least, most) = (least.min(s.segments()), most.max(s.segments()));
    }
    // The path holds 400 segments. An eighth of its RTT adds 50, and a backlog of 80 is drained.
    assert!(least > 380.0 && most < 490.0, "{least} to {most}");
}
