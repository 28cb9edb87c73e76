//! The search and its phases. Windows are in segments of 1,000 bytes.

use super::*;
use crate::cc::path::{MSS, Path, near};

#[test]
fn growth_in_each_phase() {
    let law = Law::read(&[]);
    for (w, w_max, expected, what) in [
        (14.0, 100.0, 1.0, "Reno"),
        (800.0, 1000.0, 16.0, "additive: 200/4 exceeds S_max"),
        (960.0, 1000.0, 10.0, "binary search: 40/4"),
        (997.0, 1000.0, 0.2, "within a step of the maximum: 4/20"),
        (1003.0, 1000.0, 0.2, "just beyond the maximum"),
        (1012.0, 1000.0, 4.0, "away from the maximum: 12/3"),
        (1048.0, 1000.0, 16.0, "additive again"),
        (5000.0, 1000.0, 16.0, "at most S_max"),
        (1000.0, 0.0, 50.0, "W_max unknown: a twentieth"),
        (30.0, 0.0, 10.0, "W_max unknown: 30/3"),
    ] {
        near(law.growth(w, w_max), expected, 1e-9, what);
    }
}

#[test]
fn the_search_is_additive_then_logarithmic_then_flat() {
    let mut s = Path::avoiding("bic", 1000);
    s.lose();
    near(s.segments(), 1000.0 * 819.0 / 1024.0, 0.1, "the decrease");
    let mut grown = Vec::new();
    for _ in 0..60 {
        let before = s.segments();
        s.round();
        grown.push(s.segments() - before);
    }
    // The window grows by sixteen segments a round over 136 segments, then by a quarter of the rest, then by 0.2.
    for (round, growth) in grown.iter().enumerate().take(8) {
        near(*growth, 16.0, 0.3, &format!("round {round}"));
    }
    for pair in grown[10..16].windows(2) {
        // Each ACK halves the distance anew, which gives a factor of e^(-1/4) a round.
        near(pair[1] / pair[0], 0.78, 0.03, "a quarter of the distance");
    }
    near(grown[40], 0.2, 0.02, "at the plateau");
    assert!(s.segments() < 1010.0);
    let mut rounds = 0;
    while s.segments() < 1100.0 {
        s.round();
        rounds += 1;
    }
    assert!(rounds < 40, "the search beyond the maximum speeds up: {rounds} rounds");
}

#[test]
fn fast_convergence_a_timeout_and_undo() {
    let mut cc =
        Bic { law: Law::read(&[]), w_max: 1000 * MSS, increase: Increase::default(), before: Saved::default() };
    let mut s = Path::avoiding("reno", 600);
    s.send();
    let event = Congestion::loss(s.ctx());
    let before = s.window;
    cc.on_congestion(&mut s.window, &event);
    near(cc.w_max as f64, 600_000.0 * (1.0 + 819.0 / 1024.0) / 2.0, 1.0, "W_max");
    cc.on_undo(&mut s.window, &before);
    assert_eq!((cc.w_max, s.window.cwnd), (1000 * MSS, 600 * MSS));
    cc.on_timeout(&mut s.window, &event, true);
    assert_eq!(cc.w_max, 0);
    near(s.window.ssthresh as f64, 600_000.0 * 819.0 / 1024.0, 1.0, "ssthresh");
    cc.on_undo(&mut s.window, &before);
    assert_eq!(cc.w_max, 1000 * MSS);
}

#[test]
fn small_windows_are_halved() {
    let mut s = Path::avoiding("bic", 14);
    s.lose();
    assert_eq!(s.window.cwnd, 7 * MSS);
}
