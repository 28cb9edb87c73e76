//! The tables of RFC 3649.

use super::*;
use crate::cc::path::{MSS, Path, near};

fn law() -> Law {
    Law::new(&Response::read(&[]))
}

#[test]
fn the_table_of_appendix_b() {
    for (w, a, b) in [
        (38.0, 1.0, 0.50),
        (118.0, 2.0, 0.44),
        (221.0, 3.0, 0.41),
        (347.0, 4.0, 0.38),
        (495.0, 5.0, 0.37),
        (851.0, 7.0, 0.34),
        (1529.0, 10.0, 0.31),
        (2699.0, 14.0, 0.28),
        (5036.0, 20.0, 0.25),
        (10_661.0, 30.0, 0.21),
        (18_955.0, 40.0, 0.18),
        (30_975.0, 50.0, 0.15),
        (48_961.0, 60.0, 0.13),
        (79_517.0, 70.0, 0.10),
    ] {
        // The table gives the windows at which a(w) reaches the next whole number, with p(w) rounded to 0.078/w^1.2.
        near(law().increase(w), a, 0.03 * a, &format!("a({w})"));
        near(law().decrease(w), b, 0.006, &format!("b({w})"));
    }
    // These are the values of equation 2 at High_Window.
    near(law().increase(83_000.0), 72.5, 0.1, "a(83000)");
    near(law().decrease(83_000.0), 0.1, 1e-9, "b(83000)");
    assert_eq!((law().increase(20.0), law().decrease(20.0)), (1.0, 0.5));
    assert!(law().decrease(1e9) > 0.0);
}

#[test]
fn the_window_grows_as_in_table_6() {
    let mut s = Path::avoiding("highspeed", 1);
    for (round, window) in [(100, 131.0), (200, 475.0), (500, 3601.0), (800, 10_567.0)] {
        while s.now < 10 * crate::SECOND + (round - 1) * s.base {
            s.round();
        }
        // Growth within a round raises a(w) for the rest of the round; the program of the table ignores this.
        near(s.segments(), window, 0.05 * window, &format!("after {round} round trips"));
    }
}

#[test]
fn a_loss_reduces_the_window_by_its_share() {
    let mut s = Path::avoiding("highspeed", 10_661);
    s.lose();
    near(s.segments(), 10_661.0 * 0.79, 60.0, "1 - 0.21");
    let mut s = Path::avoiding("highspeed", 30);
    s.lose();
    assert_eq!(s.window.cwnd, 15 * MSS);
}

#[test]
fn mean_windows_of_table_3() {
    for (interval, published) in [(1000u64, 38.0), (10_000, 263.0), (100_000, 1795.0)] {
        let mut s = Path::avoiding("highspeed", published as u64);
        let (mut sum, mut rounds) = (0.0, 0u64);
        for cycle in 0..60 {
            let mut sent = 0;
            while sent < interval {
                if cycle >= 20 {
                    (sum, rounds) = (sum + s.segments(), rounds + 1);
                }
                sent += s.round();
            }
            s.lose();
        }
        near(sum / rounds as f64, published, 0.1 * published, &format!("p = 1/{interval}"));
    }
}
