//! Scalable TCP: increase and decrease in proportion to the window, so that recovery from a loss takes the same number
//! of round trips at any rate (T. Kelly, "Scalable TCP: improving performance in highspeed wide area networks", 2003).
//!
//! # Equations
//!
//! Above the legacy window, each segment acknowledged adds a: `cwnd += a`. Congestion reduces the window: `cwnd -= b *
//! cwnd`. The window recovers from a loss in `ln(1/(1-b)) / ln(1+a)` round trips, 13.4 with the defaults. Up to the
//! legacy window, Scalable TCP is Reno.
//!
//! # Constants
//!
//! a is 0.01, b 0.125 and the legacy window 16 segments (section 3 of the paper).
//!
//! # Deviations
//!
//! Growth is by bytes; the paper counts ACKs, so that delayed ACKs slow it down. Linux adds a segment for each
//! min(cwnd, 100) segments acknowledged (50 in early versions), which is Reno below 100 segments. A timeout also
//! reduces by `b`, as in Linux.
//!
//! # Validated against
//!
//! The paper's recovery time, and its average window `a / (b * p)` for periodic loss.

use super::increase::{Increase, kept, segments};
use super::{CongestionControl, Entry, reno};
use crate::context::{Ack, Congestion, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "scalable-paper",
    summary: "increase by a hundredth of the window in each round trip, decrease by an eighth",
    source: "T. Kelly, Scalable TCP, ACM CCR 33(2), 2003, section 3",
    parameters: Law::ROWS,
    make: |given| Box::new(Scalable { law: Law::read(given), increase: Increase::default() }),
};

ackclock_core::parameters! {
    /// Constants of the equations.
    struct Law {
        a: f64 = is(0.01), (1e-4, 0.5), In("segments"), "increase for each segment acknowledged";
        b: f64 = is(0.125), (0.01, 0.9), Number, "decrease on loss, share of the window";
        legacy_window: f64 = is(16.0), (0.0, 1e6), In("segments"), "window up to which Scalable TCP is Reno";
    }
}

struct Scalable {
    law: Law,
    increase: Increase,
}

impl Scalable {
    fn is_legacy(&self, window: &Window, mss: u64) -> bool {
        segments(window.cwnd, mss) <= self.law.legacy_window
    }
}

impl CongestionControl for Scalable {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let legacy = self.is_legacy(window, mss);
        let per_window = if legacy { mss } else { (self.law.a * window.cwnd as f64) as u64 };
        self.increase.grow(window, acked, per_window);
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        if self.is_legacy(window, event.ctx.mss) {
            reno::half_flight(window, event)
        } else {
            kept(window, event, 1.0 - self.law.b)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cc::path::{MSS, Path, near};

    #[test]
    fn recovery_from_a_loss_takes_the_same_number_of_rounds_at_any_rate() {
        for cwnd in [100, 1000, 20_000] {
            let mut s = Path::avoiding("scalable", cwnd);
            s.lose();
            assert_eq!(s.window.cwnd, cwnd * MSS * 7 / 8);
            let mut rounds = 0;
            while s.window.cwnd < cwnd * MSS {
                s.round();
                rounds += 1;
            }
            // ln(8/7) / ln(1.01) = 13.4.
            assert_eq!(rounds, 14, "{cwnd} segments");
        }
    }

    #[test]
    fn up_to_the_legacy_window_scalable_is_reno() {
        let mut s = Path::avoiding("scalable", 15);
        s.round();
        near(s.segments(), 16.0, 0.1, "a segment a round");
        let mut s = Path::avoiding("scalable", 16);
        s.lose();
        assert_eq!(s.window.cwnd, 8 * MSS);
        let mut s = Path::avoiding("scalable", 40);
        s.round();
        near(s.segments(), 40.4, 0.01, "a hundredth of the window");
    }

    #[test]
    fn the_average_window_is_that_of_the_response_function() {
        // A loss occurs every 1/p segments. Each cycle wins b * w_max with a per segment, so the window before a loss
        // is w_max = a / (p * b). The mean over rounds is b / ln(1/(1-b)) = 0.936 of it.
        for interval in [10_000u64, 100_000] {
            let mut s = Path::avoiding("scalable", interval / 13);
            let (mut sum, mut rounds) = (0.0, 0);
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
            let theory = interval as f64 * 0.01 / 0.125 * 0.936;
            near(sum / f64::from(rounds), theory, 0.05 * theory, "mean window");
        }
    }

    #[test]
    fn a_timeout_reduces_once() {
        let mut s = Path::avoiding("scalable", 800);
        s.send();
        s.timeout(true);
        assert_eq!((s.window.cwnd, s.window.ssthresh), (MSS, 700 * MSS));
        s.timeout(false);
        assert_eq!(s.window.ssthresh, 700 * MSS);
    }
}
