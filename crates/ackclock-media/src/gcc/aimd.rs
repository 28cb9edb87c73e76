//! The delay-based rate (draft-ietf-rmcat-gcc-02 section 5.5): increase, hold and decrease by the detector's signals.

use ackclock_core::Nanos;

use super::{Constants, Usage};
use crate::Setup;

/// State of the rate control (draft section 5.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Increase,
    Hold,
}

/// The rate that a link was found to carry: a moving average of receiving rates at over-use, in kbit/s.
#[derive(Default, Debug)]
struct Capacity {
    average: Option<f64>,
    /// Variance over the average.
    deviation: f64,
}

/// Weight of a new rate in the average, and bounds of the normalised variance (in kbit/s).
const WEIGHT: f64 = 0.05;
const LEAST_DEVIATION: f64 = 0.4;
const MOST_DEVIATION: f64 = 2.5;

impl Capacity {
    fn observe(&mut self, rate: f64) {
        let rate = rate / 1e3;
        let average = self.average.map_or(rate, |average| average + WEIGHT * (rate - average));
        let error = average - rate;
        let deviation =
            (1.0 - WEIGHT) * self.deviation.max(LEAST_DEVIATION) + WEIGHT * error * error / average.max(1.0);
        self.deviation = deviation.clamp(LEAST_DEVIATION, MOST_DEVIATION);
        self.average = Some(average);
    }

    /// Returns whether a rate lies within three standard deviations of the average; `None` without an average.
    fn position(&self, rate: f64) -> Option<std::cmp::Ordering> {
        let average = self.average?;
        let margin = 3.0 * libm::sqrt(self.deviation * average);
        let rate = rate / 1e3;
        Some(match rate {
            _ if rate > average + margin => std::cmp::Ordering::Greater,
            _ if rate < average - margin => std::cmp::Ordering::Less,
            _ => std::cmp::Ordering::Equal,
        })
    }
}

/// The rate control's state.
#[derive(Debug)]
pub(super) struct Aimd {
    beta: f64,
    eta: f64,
    is_webrtc: bool,
    setup: Setup,
    rate: f64,
    state: State,
    usage: Usage,
    capacity: Capacity,
    changed: Option<Nanos>,
    throughput: Option<f64>,
}

impl Aimd {
    pub fn new(setup: &Setup, constants: &Constants, is_webrtc: bool) -> Aimd {
        Aimd {
            beta: constants.beta,
            eta: constants.eta,
            is_webrtc,
            setup: *setup,
            rate: setup.clip(setup.start_rate),
            state: State::Hold,
            usage: Usage::Normal,
            capacity: Capacity::default(),
            changed: None,
            throughput: None,
        }
    }

    /// Returns the rate in bit/s.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Returns the last signal.
    pub fn last_usage(&self) -> Usage {
        self.usage
    }

    /// Takes the signal of a report; `throughput` is the receiving rate, once it is known.
    pub fn update(&mut self, now: Nanos, usage: Usage, throughput: Option<f64>, rtt: Nanos) {
        self.usage = usage;
        self.throughput = throughput.or(self.throughput);
        match usage {
            Usage::Over => self.decrease(now, rtt),
            Usage::Under => self.state = State::Hold,
            Usage::Normal if self.state == State::Hold => {
                self.changed = Some(now);
                self.state = State::Increase;
            }
            Usage::Normal => self.increase(now, rtt),
        }
        self.rate = self.setup.clip(self.rate);
    }

    fn decrease(&mut self, now: Nanos, rtt: Nanos) {
        let Some(throughput) = self.throughput else { return };
        // WebRTC lowers the rate once in a round-trip time of 10 to 200 ms, unless half of the rate does not arrive.
        let pause = rtt.clamp(10_000_000, 200_000_000);
        let is_early = self.changed.is_some_and(|changed| now < changed + pause) && self.state == State::Hold;
        if self.is_webrtc && is_early && throughput >= 0.5 * self.rate {
            return;
        }
        let mut rate = self.beta * throughput;
        if let Some(average) = self.capacity.average
            && rate > self.rate
        {
            rate = self.beta * average * 1e3;
        }
        self.rate = self.rate.min(rate);
        if self.capacity.position(throughput) == Some(std::cmp::Ordering::Less) {
            self.capacity = Capacity::default();
        }
        self.capacity.observe(throughput);
        // The queue drains while the state is hold.
        self.state = State::Hold;
        self.changed = Some(now);
    }

    fn increase(&mut self, now: Nanos, rtt: Nanos) {
        let elapsed = now.saturating_sub(self.changed.unwrap_or(now)) as f64 / 1e9;
        self.changed = Some(now);
        let limit = match self.throughput {
            // "A_hat(i) < 1.5 * R_hat(i)"; WebRTC adds 10 kbit/s.
            Some(throughput) => 1.5 * throughput + if self.is_webrtc { 10e3 } else { 0.0 },
            None => f64::INFINITY,
        };
        if self.throughput.is_some_and(|rate| self.capacity.position(rate) == Some(std::cmp::Ordering::Greater)) {
            self.capacity = Capacity::default();
        }
        if self.rate >= limit {
            return;
        }
        let rate = if self.capacity.average.is_some() {
            self.rate + self.additive(elapsed, rtt)
        } else {
            self.rate + (self.rate * (libm::pow(self.eta, elapsed.min(1.0)) - 1.0)).max(1_000.0 * elapsed.min(1.0))
        };
        self.rate = rate.min(limit);
    }

    /// Returns the additive increase near the capacity: a part of a packet for each response time.
    fn additive(&self, elapsed: f64, rtt: Nanos) -> f64 {
        let bits_per_frame = self.rate / 30.0;
        let packets = libm::ceil(bits_per_frame / (1_200.0 * 8.0)).max(1.0);
        let packet = bits_per_frame / packets;
        let response = 0.1 + rtt as f64 / 1e9;
        if self.is_webrtc {
            // A packet in twice the response time, and at least 4 kbit/s each second.
            (packet / (2.0 * response)).max(4_000.0) * elapsed
        } else {
            // "alpha = 0.5 * min(time_since_last_update_ms / response_time_ms, 1.0)", and at least 1 kbit/s.
            (0.5 * (elapsed / response).min(1.0) * packet).max(1_000.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;
    const SETUP: Setup = Setup { min_rate: 1e5, max_rate: 3e6, start_rate: 1e6, packet: 1240, fps: 30.0, l4s: false };
    const CONSTANTS: Constants =
        Constants { beta: 0.85, eta: 1.08, threshold: 12.5, overuse_time: 10.0, pacing_gain: 2.5 };

    fn aimd(is_webrtc: bool) -> Aimd {
        Aimd::new(&SETUP, &CONSTANTS, is_webrtc)
    }

    #[test]
    fn over_use_lowers_the_rate_to_beta_of_what_arrives() {
        let mut rate = aimd(true);
        rate.update(0, Usage::Normal, Some(0.9e6), 100 * MS);
        rate.update(100 * MS, Usage::Over, Some(0.9e6), 100 * MS);
        assert!((rate.rate() - 0.765e6).abs() < 1e-6);
        // Once in a round-trip time.
        rate.update(150 * MS, Usage::Over, Some(0.8e6), 100 * MS);
        assert!((rate.rate() - 0.765e6).abs() < 1e-6);
        rate.update(200 * MS, Usage::Over, Some(0.8e6), 100 * MS);
        assert!((rate.rate() - 0.68e6).abs() < 1e-6);
        let before = rate.rate();
        rate.update(300 * MS, Usage::Under, Some(0.8e6), 100 * MS);
        rate.update(400 * MS, Usage::Under, Some(0.8e6), 100 * MS);
        assert_eq!(rate.rate(), before, "hold while the queue drains");
    }

    #[test]
    fn increase_is_multiplicative_before_and_additive_near_the_capacity() {
        let mut rate = aimd(true);
        rate.update(0, Usage::Normal, Some(1e6), 100 * MS);
        rate.update(500 * MS, Usage::Normal, Some(1e6), 100 * MS);
        assert!((rate.rate() - 1e6 * libm::pow(1.08, 0.5)).abs() < 1e-3);
        rate.update(600 * MS, Usage::Over, Some(1e6), 100 * MS);
        rate.update(700 * MS, Usage::Normal, Some(0.95e6), 100 * MS);
        rate.update(1_700 * MS, Usage::Normal, Some(0.95e6), 100 * MS);
        // A frame of 850 kbit/s / 30 has 28.3 kbit in three packets; one packet in 2 * (100 + 100) ms.
        let packet = 0.85e6 / 30.0 / 3.0;
        assert!((rate.rate() - 0.85e6 - packet / 0.4).abs() < 1.0, "{}", rate.rate());
        // What arrives is far above the capacity: it is forgotten.
        rate.update(2_700 * MS, Usage::Normal, Some(1.2e6), 100 * MS);
        assert_eq!(rate.capacity.average, None);
    }

    #[test]
    fn the_draft_adds_half_a_packet_in_a_response_time() {
        let mut rate = aimd(false);
        rate.update(0, Usage::Normal, Some(1e6), 100 * MS);
        rate.update(100 * MS, Usage::Over, Some(1e6), 100 * MS);
        rate.update(200 * MS, Usage::Normal, Some(0.95e6), 100 * MS);
        rate.update(300 * MS, Usage::Normal, Some(0.95e6), 100 * MS);
        let packet = 0.85e6 / 30.0 / 3.0;
        assert!((rate.rate() - 0.85e6 - 0.25 * packet).abs() < 1e-3, "{}", rate.rate());
    }

    #[test]
    fn the_rate_is_at_most_half_more_than_what_arrives() {
        for is_webrtc in [false, true] {
            let mut rate = aimd(is_webrtc);
            (0..1_000).for_each(|step| rate.update(step * 100 * MS, Usage::Normal, Some(1e6), 100 * MS));
            assert!((rate.rate() - 1.5e6).abs() <= 10e3, "{}", rate.rate());
        }
    }
}
