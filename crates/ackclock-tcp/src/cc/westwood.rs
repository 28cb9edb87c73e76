//! Westwood+: Reno that reduces the window to the measured delivery rate times the smallest RTT, instead of half (L.
//! Grieco, S. Mascolo, "Performance evaluation and comparison of Westwood+, New Reno and Vegas TCP congestion control",
//! ACM CCR 34(2), 2004).
//!
//! # Equations
//!
//! - Once a round trip, but at most every 50 ms: b = bytes delivered / time.
//! - Two low-pass filters in series, x <- x + weight (input - x), start at the first sample. BWE is the output of the
//!   second.
//! - On a loss, ssthresh = BWE * RTTmin, and cwnd falls to ssthresh if it is larger. On a timeout, ssthresh is set in
//!   the same way.
//!
//! The increase is Reno's.
//!
//! # Constants
//!
//! weight is 1/8, and the shortest time of a sample 50 ms (Linux net/ipv4/tcp_westwood.c, by the authors' group).
//!
//! # Deviations
//!
//! - The filter is that of Linux; the papers are commonly cited for a filter with a time constant.
//! - The window falls to BWE * RTTmin when a loss is detected. Linux halves the window first, and sets it to BWE *
//!   RTTmin when the loss is repaired.
//! - RTTmin is the smallest RTT so far; Linux measures it anew after a timeout. A sample lasts at least one smoothed
//!   RTT; in Linux, at least the last RTT.
//! - Until the first sample, a loss halves the window; Linux leaves two segments.
//! - Delivered data are counted from SACKs; Linux infers them from duplicate ACKs.
//!
//! # Validated against
//!
//! The filter's step response; a window that falls to the path's capacity for any queue; a random loss that leaves the
//! rate unchanged.

use super::increase::Increase;
use super::{CongestionControl, Entry, Scope, milliseconds, reno};
use crate::context::{Ack, Congestion, Context, Delivery, Window};
use crate::{Nanos, SECOND};

pub(super) const ENTRY: Entry = Entry {
    name: "westwood-paper",
    summary: "Reno that reduces the window to the measured delivery rate times the smallest RTT (Westwood+)",
    source: "Grieco, Mascolo, ACM CCR 34(2), 2004; Linux net/ipv4/tcp_westwood.c",
    parameters: Filter::ROWS,
    make: |given| {
        let Filter { weight, least_interval } = Filter::read(given);
        Box::new(Westwood {
            weight,
            least_interval: milliseconds(least_interval),
            since: None,
            bytes: 0,
            estimate: None,
            increase: Increase::default(),
        })
    },
};

ackclock_core::parameters! {
    /// Constants of the filters.
    struct Filter {
        weight: f64 = is(0.125), (0.001, 1.0), Number, "weight of a sample in each filter";
        least_interval: f64 = is(50.0), (0.0, 1e4), In("ms"), "shortest time of a sample";
    }
}

struct Westwood {
    weight: f64,
    least_interval: Nanos,
    /// Start of the present sample, and bytes delivered since.
    since: Option<Nanos>,
    bytes: u64,
    /// Outputs of the first and of the second filter, bytes per second.
    estimate: Option<(u64, u64)>,
    increase: Increase,
}

/// Output of a low-pass filter after another input.
fn filter(value: u64, input: u64, weight: f64) -> u64 {
    (value as f64 + weight * (input as f64 - value as f64)) as u64
}

impl Westwood {
    fn sample(&mut self, now: Nanos, took: Nanos) {
        let rate = u128::from(self.bytes) * u128::from(SECOND) / u128::from(took.max(1));
        let rate = u64::try_from(rate).unwrap_or(u64::MAX);
        let (once, twice) = self.estimate.unwrap_or((rate, rate));
        let once = filter(once, rate, self.weight);
        self.estimate = Some((once, filter(twice, once, self.weight)));
        (self.since, self.bytes) = (Some(now), 0);
    }

    /// The threshold BWE * RTTmin, bytes.
    fn threshold(&self, ctx: &Context) -> Option<u64> {
        let (_, rate) = self.estimate?;
        let bytes = u128::from(rate) * u128::from(ctx.min_rtt?) / u128::from(SECOND);
        Some(u64::try_from(bytes).unwrap_or(u64::MAX / 2).max(2 * ctx.mss))
    }
}

impl CongestionControl for Westwood {
    fn scope(&self) -> Scope {
        Scope { deliveries: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, _window: &mut Window, delivery: &Delivery) {
        let ctx = &delivery.ack.ctx;
        let Some(since) = self.since else {
            // The first ACK covers data sent before the measurement, so there is no time for the rate.
            self.since = Some(ctx.now);
            return;
        };
        self.bytes += delivery.newly;
        let took = ctx.now.saturating_sub(since);
        if took > ctx.srtt.unwrap_or(0).max(self.least_interval) {
            self.sample(ctx.now, took);
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        self.increase.grow(window, acked, ack.ctx.mss);
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.threshold(&event.ctx).unwrap_or_else(|| reno::half_flight(window, event))
    }

    // The threshold can exceed the window.
    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        window.ssthresh = self.ssthresh(window, event);
        window.cwnd = window.cwnd.min(window.ssthresh);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::path::{MSS, Path, near};

    #[test]
    fn two_filters_follow_a_step() {
        let mut s = Westwood {
            weight: 0.125,
            least_interval: 0,
            since: Some(0),
            bytes: 1_000_000,
            estimate: None,
            increase: Increase::default(),
        };
        s.sample(SECOND, SECOND);
        assert_eq!(s.estimate, Some((1_000_000, 1_000_000)));
        for n in 1..=30i32 {
            s.bytes = 2_000_000;
            s.sample(SECOND, SECOND);
            let left = libm::pow(0.875, f64::from(n));
            let (once, twice) = s.estimate.expect("an estimate");
            near(once as f64, 2e6 - 1e6 * left, 30.0, "after one filter");
            near(twice as f64, 2e6 - 1e6 * left * (1.0 + 0.125 * f64::from(n)), 300.0, "after two filters");
        }
    }

    #[test]
    fn the_window_falls_to_the_capacity_of_the_path_for_any_queue() {
        for buffer in [50, 100, 300] {
            let mut s = Path::avoiding("westwood", 40).behind(1000, buffer);
            while s.losses < 3 {
                let lost = s.losses;
                s.round();
                if s.losses > lost {
                    near(s.segments(), 100.0, 3.0, &format!("a buffer of {buffer}"));
                }
            }
        }
    }

    #[test]
    fn a_random_loss_leaves_a_window_that_fills_the_path() {
        let mut s = Path::avoiding("westwood", 60).behind(1000, 100);
        s.run(3 * SECOND);
        let before = s.window.cwnd.min(100 * MSS);
        s.lose();
        assert!(s.window.cwnd > before * 80 / 100, "{before} -> {}", s.window.cwnd);
        s.send();
        s.timeout(true);
        near(s.window.ssthresh as f64, 80_000.0, 15_000.0, "ssthresh of the timeout");
        s.window.cwnd = 20 * MSS;
        s.congestion(crate::context::Cause::Loss, false);
        assert_eq!(s.window.cwnd, 20 * MSS, "a loss does not increase the window");
    }

    #[test]
    fn without_a_sample_it_is_reno() {
        let mut s = Path::avoiding("westwood", 80);
        s.lose();
        assert_eq!(s.window.cwnd, 40 * MSS);
        s.round();
        near(s.segments(), 41.0, 0.05, "a segment a round");
    }
}
