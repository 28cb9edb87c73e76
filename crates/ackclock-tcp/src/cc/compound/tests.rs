//! The delay window dwnd, and gamma. Windows are in segments of 1,000 bytes.

use super::*;
use crate::cc::by_name;
use crate::cc::path::{MSS, Path, near};
use crate::{MILLISECOND, SECOND};

const LAW: Law = Law { alpha: 0.125, k: 0.75, zeta: 1.0, low_window: 38.0 };
const TUNING: Tuning = Tuning { gamma_min: 5.0, gamma_max: 30.0, lambda: 0.25 };
const BASE: Nanos = 100 * MILLISECOND;

fn compound(dwnd: u64, tuning: Option<Tuning>) -> Compound {
    Compound {
        law: LAW,
        tuning,
        rounds: Rounds::default(),
        state: State { dwnd: dwnd * MSS, gamma: 30_000 },
        before: Saved::default(),
        grows: false,
        waiting: None,
        by_loss: Increase::default(),
        by_delay: Increase::default(),
    }
}

fn window(cwnd: u64) -> Window {
    Window { cwnd: cwnd * MSS, ssthresh: 2 * MSS, pacing_rate: None }
}

#[test]
fn growth_of_dwnd_on_worked_values() {
    for (win, growth) in [(16.0, 0.0), (37.0, 0.0), (38.0, 0.913), (256.0, 7.0), (10_000.0, 124.0)] {
        near(LAW.growth(win), growth, 0.01, &format!("win {win}"));
    }
}

#[test]
fn dwnd_grows_below_gamma_and_falls_by_the_backlog_above() {
    let mut s = compound(100, None);
    let mut w = window(256);
    s.decide(&mut w, BASE, 113 * MILLISECOND, MSS);
    assert_eq!((s.grows, w.cwnd, s.state.dwnd), (true, 256 * MSS, 100 * MSS), "a backlog of 29.5");
    s.decide(&mut w, BASE, 125 * MILLISECOND, MSS);
    assert!(!s.grows);
    assert_eq!((w.cwnd, s.state.dwnd), (256 * MSS - 51_200, 100 * MSS - 51_200), "a backlog of 51.2");
    s.decide(&mut w, BASE, 200 * MILLISECOND, MSS);
    assert_eq!((w.cwnd, s.state.dwnd), (156 * MSS, 0), "a backlog of 102, but dwnd was 48.8");
    let mut s = Path::avoiding("compound", 256);
    s.round();
    let before = s.segments();
    s.round();
    near(s.segments() - before, 8.0, 0.3, "alpha win^k, including one segment of Reno");
}

#[test]
fn a_loss_halves_both_windows_and_a_timeout_resets_dwnd() {
    let mut path = Path::avoiding("reno", 300);
    path.send();
    let (before, event) = (path.window, Congestion::loss(path.ctx()));
    let mut s = compound(100, None);
    s.on_congestion(&mut path.window, &event);
    assert_eq!((path.window.cwnd, s.state.dwnd), (150 * MSS, 50 * MSS));
    s.on_undo(&mut path.window, &before);
    assert_eq!((path.window.cwnd, s.state.dwnd), (300 * MSS, 100 * MSS));
    s.on_timeout(&mut path.window, &event, true);
    assert_eq!((path.window.ssthresh, s.state.dwnd), (150 * MSS, 0));
}

#[test]
fn gamma_follows_three_quarters_of_renos_backlog_within_bounds() {
    near(TUNING.gamma(30.0, 20.0), 26.25, 1e-9, "0.75 * 30 + 0.25 * 15");
    assert_eq!(TUNING.gamma(30.0, 1000.0), 30.0);
    assert_eq!(TUNING.gamma(5.0, 0.0), 5.0);
    let mut s = compound(60, Some(TUNING));
    let mut path = Path::avoiding("reno", 100);
    path.send();
    let event = Congestion::loss(path.ctx());
    s.decide(&mut path.window, BASE, 125 * MILLISECOND, MSS);
    // dwnd grows while the backlog of 20 segments is below gamma; Reno's 40 segments have 8 of it. gamma is 0.75 * 30 +
    // 0.25 * 6.
    s.on_congestion(&mut path.window, &event);
    assert_eq!(s.state.gamma, 24_000);
    s.on_congestion(&mut path.window, &event);
    assert_eq!(s.state.gamma, 24_000, "no round has been measured since");
    let before = path.window;
    s.on_timeout(&mut path.window, &event, true);
    assert_eq!(s.state.gamma, 30_000, "a timeout resets gamma");
    s.on_undo(&mut path.window, &before);
    assert_eq!(s.state.gamma, 24_000);
}

/// Mean window in segments, and number of losses, of a single flow on a path of 400 segments with a queue of `buffer`.
fn shares(name: &'static str, buffer: u64) -> (f64, u32) {
    let mut s = Path::starting(by_name(name).expect("an entry"), &[]).behind(4000, buffer);
    s.window.ssthresh = 200 * MSS;
    s.run(60 * SECOND);
    let (mut sum, mut rounds) = (0.0, 0);
    let losses = s.losses;
    for _ in 0..1500 {
        s.round();
        (sum, rounds) = (sum + s.segments(), rounds + 1);
    }
    (sum / f64::from(rounds), s.losses - losses)
}

#[test]
fn a_single_flow_fills_the_path_faster_than_reno() {
    let (compound, lost) = shares("compound", 100);
    let (reno, _) = shares("reno", 100);
    assert!(compound > reno + 20.0 && lost > 0, "{compound} and {reno}");
    // With a queue shorter than gamma, dwnd overflows the queue unless gamma is tuned.
    let (fixed, lost_fixed) = shares("compound", 20);
    let (tuned, lost_tuned) = shares("compound-tuned", 20);
    assert!(lost_tuned < lost_fixed, "{lost_tuned} of {lost_fixed} losses; {tuned} and {fixed} segments");
}
