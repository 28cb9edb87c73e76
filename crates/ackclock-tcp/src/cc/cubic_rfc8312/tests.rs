//! RFC 8312: its tables and closed forms. Windows in segments of 1,000 bytes.

use super::*;
use crate::cc::path::{MSS, Path, near};
use crate::context::Cause;
use crate::{MILLISECOND, SECOND};

#[test]
fn the_window_follows_the_closed_form() {
    let mut s = Path::avoiding("cubic-rfc8312", 1000);
    s.lose();
    assert_eq!(s.window.cwnd, 700 * MSS);
    let k = libm::cbrt(300.0 / 0.4);
    let start = s.now;
    while s.now < start + 15 * SECOND {
        s.round();
        let t = (s.now - start) as f64 * 1e-9 - k;
        near(s.segments(), 0.4 * t * t * t + 1000.0, 1.0 + 0.13 * t * t, "W_cubic");
    }
}

#[test]
fn mean_windows_of_the_rfc() {
    // Tables 1 and 2, C = 0.4.
    for (interval, rtt_ms, published) in [
        (10_000, 100, 187.0),
        (100_000, 100, 1054.0),
        (1_000_000, 100, 5926.0),
        (10_000, 10, 120.0),
        (100_000, 10, 379.0),
    ] {
        // Equation 6, which the tables are of, leaves fast convergence out.
        let mut s = Path::starting(&ENTRY, &[("fast_convergence", 0.0)]);
        // From the W_max of that mean, 1 - 0.3/4 of it: near its plateau a window hardly moves from cycle to cycle.
        (s.window.cwnd, s.window.ssthresh) = ((published / 0.925) as u64 * MSS, 2 * MSS);
        s.lose();
        s.base = rtt_ms * MILLISECOND;
        let (mut sum, mut rounds) = (0.0, 0u64);
        for cycle in 0..30 {
            let mut sent = 0;
            while sent < interval {
                if cycle >= 5 {
                    (sum, rounds) = (sum + s.segments(), rounds + 1);
                }
                sent += s.round();
            }
            s.lose();
        }
        near(sum / rounds as f64, published, 0.04 * published, &format!("p = 1/{interval}, RTT {rtt_ms} ms"));
    }
}

#[test]
fn short_round_trips_follow_w_est_which_does_not_speed_up() {
    let mut s = Path::avoiding("cubic-rfc8312", 100);
    s.base = MILLISECOND;
    s.lose();
    for _ in 0..170 {
        s.round();
    }
    // 9/17 a round, before the old window and after it.
    near(s.segments(), 70.0 + 170.0 * 9.0 / 17.0, 1.5, "W_est");
}

#[test]
fn k_is_of_w_max_even_where_the_window_is_not_where_it_should_be() {
    let mut s = Path::avoiding("cubic-rfc8312", 1000);
    s.lose();
    s.window.cwnd = 300 * MSS;
    s.run(9090 * MILLISECOND);
    near(s.segments(), 1000.0, 3.0, "at K");
}

#[test]
fn fast_convergence_compares_with_the_window_itself() {
    let mut s = Path::avoiding("cubic-rfc8312", 1000);
    for (cwnd, k) in [(800u64, libm::cbrt(680.0 * 0.3 / 0.4)), (750, libm::cbrt(637.5 * 0.3 / 0.4))] {
        if cwnd == 800 {
            s.lose();
        }
        s.window.cwnd = cwnd * MSS;
        s.lose();
        let w_max = cwnd as f64 * 0.85;
        let mut at_k = Path::avoiding("cubic-rfc8312", 1000);
        std::mem::swap(&mut at_k, &mut s);
        at_k.run((k * 1e9) as Nanos);
        near(at_k.segments(), w_max, 2.0, "the plateau");
        s = at_k;
    }
}

#[test]
fn a_timeout_starts_flat_from_where_avoidance_begins() {
    let mut s = Path::avoiding("cubic-rfc8312", 1500);
    s.send();
    s.timeout(true);
    assert_eq!((s.window.cwnd, s.window.ssthresh), (MSS, 1050 * MSS));
    s.timeout(false);
    assert_eq!(s.window.ssthresh, 1050 * MSS);
    s.window.cwnd = 1050 * MSS;
    s.run(10 * SECOND);
    near(s.segments(), 1450.0, 15.0, "0.4 * 10^3 above");
}

#[test]
fn time_that_was_not_used_does_not_count() {
    let mut s = Path::avoiding("cubic-rfc8312", 1000);
    s.lose();
    s.run(5 * SECOND);
    let before = s.segments();
    s.supply = 10;
    s.run(60 * SECOND);
    near(s.segments(), before, 0.01, "no growth while application-limited");
    s.supply = u64::MAX;
    s.now += 60 * SECOND;
    let ctx = s.ctx();
    s.sender.cc.on_idle_end(&mut s.sender.window, &ctx, 60 * SECOND);
    s.run(4 * SECOND);
    near(s.segments(), 1000.0, 4.0, "nine seconds after the reduction");
}

#[test]
fn a_mark_with_abe_takes_less_and_undo_puts_everything_back() {
    let mut s = Path::avoiding("cubic-rfc8312", 1000);
    s.congestion(Cause::Ecn, true);
    assert_eq!(s.window.cwnd, 850 * MSS);
    let mut s = Path::avoiding("cubic-rfc8312", 1000);
    s.lose();
    s.run(5 * SECOND);
    let before = s.window;
    s.congestion(Cause::Loss, false);
    s.sender.cc.on_undo(&mut s.sender.window, &before);
    assert_eq!(s.window, before);
    s.run(4100 * MILLISECOND);
    near(s.segments(), 1000.0, 4.0, "the stage goes on where it was");
}

#[test]
fn a_sudden_short_rtt_does_not_open_the_window_at_once() {
    let mut s = Path::avoiding("cubic-rfc8312", 100);
    s.lose();
    s.run(5 * SECOND);
    let before = s.window.cwnd;
    s.srtt = Some(1);
    s.send();
    s.ack_bytes(2 * MSS, None);
    assert!(s.window.cwnd <= before + MSS, "half of what was acknowledged");
}
