//! The curves, and a window that follows them. Windows are in segments of 1,000 bytes.

use super::*;
use crate::MILLISECOND;
use crate::cc::path::{MSS, Path, near};

const LAW: Law = Law { alpha_min: 0.3, alpha_max: 10.0, beta_min: 0.125, beta_max: 0.5, win_thresh: 15.0, theta: 5 };

fn illinois() -> Illinois {
    Illinois {
        law: LAW,
        rounds: Rounds::default(),
        longest: 0,
        state: State::START,
        before: Saved::default(),
        increase: Increase::default(),
    }
}

#[test]
fn alpha_is_a_hyperbola_between_its_corners() {
    let dm = 100 * MILLISECOND;
    // k1 is 99 * 3 / 9.7 = 30.62 ms, and k2 is 99 * 0.3 / 9.7 - 1 = 2.062 ms.
    for (da_ms, expected) in [(0, 10.0), (1, 10.0), (2, 7.538), (10, 2.538), (50, 0.5881), (100, 0.3)] {
        near(LAW.alpha(da_ms * MILLISECOND, dm), expected, 0.001, &format!("alpha at {da_ms} ms"));
    }
    assert_eq!(LAW.alpha(0, 0), 10.0, "no queueing delay so far");
}

#[test]
fn beta_is_linear_between_its_corners() {
    let dm = 100 * MILLISECOND;
    for (da_ms, expected) in [(0, 0.125), (10, 0.125), (45, 0.3125), (80, 0.5), (100, 0.5)] {
        near(LAW.beta(da_ms * MILLISECOND, dm), expected, 1e-9, &format!("beta at {da_ms} ms"));
    }
}

#[test]
fn alpha_returns_to_its_maximum_after_theta_low_rounds() {
    let mut s = illinois();
    let dm = 100 * MILLISECOND;
    s.update(100.0, 0, dm);
    assert_eq!(s.state.alpha, 10_000_000, "the delay has not been above d1 yet");
    s.update(100.0, 50 * MILLISECOND, dm);
    let high = s.state.alpha;
    assert!(high < 1_000_000);
    for round in 1..=4 {
        s.update(100.0, 0, dm);
        assert_eq!(s.state.alpha, high, "round {round}");
        assert_eq!(s.state.beta, 125_000, "beta changes at once");
    }
    s.update(100.0, 0, dm);
    assert_eq!(s.state.alpha, 10_000_000);
    s.update(14.0, 50 * MILLISECOND, dm);
    assert_eq!((s.state.alpha, s.state.beta), (1_000_000, 500_000), "below win_thresh Illinois is Reno");
}

#[test]
fn the_window_is_concave_and_its_decrease_depends_on_the_delay() {
    let mut s = Path::avoiding("illinois", 60).behind(1000, 100);
    while s.losses < 4 {
        s.round();
    }
    // The queue was full at the loss, so the window was halved.
    near(s.segments(), 100.0, 6.0, "after a loss at a full queue");
    let mut growth = Vec::new();
    while s.losses < 5 {
        let before = s.segments();
        s.round();
        growth.push(s.segments() - before);
    }
    let rounds = growth.len();
    assert!(growth[..rounds / 4].iter().sum::<f64>() > 2.0 * growth[rounds * 3 / 4..rounds - 1].iter().sum::<f64>());
    // Without a queue, a loss on the same path reduces the window by an eighth only.
    s.window.cwnd = 50 * MSS;
    for _ in 0..3 {
        s.round();
    }
    let before = s.segments();
    s.lose();
    near(s.segments() / before, 0.875, 0.01, "after a random loss");
}

#[test]
fn a_timeout_resets_the_state_and_undo_restores_it() {
    let mut s = illinois();
    s.state = State { alpha: 7_000_000, beta: 200_000, was_above: true, low: 2 };
    let mut path = Path::avoiding("reno", 100);
    path.send();
    let (before, event) = (path.window, Congestion::timeout(path.ctx()));
    s.on_timeout(&mut path.window, &event, true);
    assert_eq!((path.window.ssthresh, s.state.alpha, s.state.beta), (80 * MSS, 1_000_000, 500_000));
    s.on_undo(&mut path.window, &before);
    assert_eq!((s.state.alpha, s.state.beta), (7_000_000, 200_000));
}
