//! SCReAM version 1, self-clocked rate adaptation for multimedia (RFC 8298): a congestion window from queueing delay and
//! loss, pacing, and a media rate that follows the queue of RTP packets.
//!
//! # Equations
//!
//! The queueing delay q of the newest packet is sampled every 50 ms, as a fraction of its target q*. The trend is the
//! autocorrelation at lag 1 of the last 20 fractions, times their moving average with weight `qdelay_weight`, within 0 and 1
//! (section 4.1.2).
//!
//! For each report of `acked` bytes (section 4.1.2.2):
//!
//! - In fast increase, while the trend is below `qdelay_trend_th`: cwnd += acked, if 1.5 times the flight and acked exceed
//!   the window. Fast increase resumes after `t_resume_fast_increase` with a low trend.
//! - Otherwise cwnd += `gain` (1 - q / q*) acked `mss` / cwnd, at most `max_bytes_in_flight_head_room` times the largest
//!   flight of 5 s, at least `min_cwnd`.
//! - A loss scales cwnd by `beta_loss`, a mark by `beta_ecn`, once in a smoothed RTT.
//!
//! q* is the mean of the last 50 samples plus the standard deviation of the last 200, within `qdelay_target_lo` and
//! `qdelay_target_hi`; it grows by half with losses and falls while the delay varies (section 4.1.2.3). Packets leave while
//! the flight is below cwnd, plus `mss` if q is at most q*, at the rate max(`rate_pace_min`, cwnd / SRTT).
//!
//! The media rate changes every `rate_adjust_interval`, and at once after a loss (section 4.1.3): by `ramp_up_speed` at most,
//! more slowly near the last rate with congestion, less with a growing delay, times `target_rate_scale_rtp_qdelay` if
//! packets wait for longer than `rtp_qdelay_th`, and at most 2 - trend_mem times the measured rate.
//!
//! # Constants
//!
//! The constants are those of RFC 8298 section 4.1.1.1, with `pre_congestion_guard` 0.1 and `tx_queue_size_factor` 1.0,
//! which the RFC finds suitable. The time between reports is that of section 4.2.2: 20 ms from 500 kbit/s on. Reports
//! are those of RFC 8888.
//!
//! # Deviations
//!
//! - Section 4.1.1.2 has a history of 100 normalised delays, and the procedure of section 4.1.2.3 reads 200 and 50 of them.
//!   Here the history has 200, sampled every 50 ms.
//! - The loss event rate has no formula in RFC 8298; here it is a moving average over RTTs with a weight of 0.01.
//! - target_bitrate_last_max is set at congestion events and at the end of fast increase; section 4.1.3 says "when congestion
//!   is detected".
//! - There is no reordering window: a packet is lost when a report has a later one.
//! - If a window of packets has no feedback for 500 ms, the call sends one packet, because nothing else would open it.
//!
//! # Validated against
//!
//! The procedures by hand; the cases of RFC 8867 ([results](../rmcat.md)).

use std::collections::VecDeque;

use ackclock_core::Nanos;
use ackclock_core::parameters::Given;

use super::delay::{LossEvents, QueueingDelay, Target};
use crate::{Control, Entry, Feedback, Format, Meter, Packet, Rates, Setup};

/// The entry of the catalogue.
pub(crate) const ENTRY: Entry = Entry {
    name: "scream",
    summary: "SCReAM version 1: a window that keeps the queueing delay near its target, and a rate that fits into it",
    source: "RFC 8298",
    parameters: Constants::ROWS,
    format: Format::Ccfb,
    interval: feedback_interval,
    make: |setup, given| Box::new(Scream::new(setup, given)),
};

ackclock_core::parameters! {
    /// Constants of SCReAM: RFC 8298 section 4.1.1.1.
    pub(crate) struct Constants {
        qdelay_target_lo: f64 = is(0.1), (0.001, 10.0), In("s"), "least target of the queueing delay";
        qdelay_target_hi: f64 = is(0.4), (0.001, 10.0), In("s"), "largest target of the queueing delay";
        qdelay_weight: f64 = is(0.1), (0.0, 1.0), Number, "averaging factor of qdelay_fraction_avg";
        qdelay_trend_th: f64 = is(0.2), (0.0, 1.0), Number, "trend at which fast increase ends";
        qdelay_trend_lo: f64 = is(0.2), (0.0, 1.0), Number, "trend below which fast increase may resume";
        t_resume_fast_increase: f64 = is(5.0), (0.0, 1e3), In("s"), "time with a low trend until fast increase resumes";
        min_cwnd: f64 = is(3000.0), (100.0, 1e9), In("bytes"), "least congestion window";
        max_bytes_in_flight_head_room: f64 = is(1.1), (1.0, 10.0), Number, "congestion window over the largest flight";
        gain: f64 = is(1.0), (0.001, 100.0), Number, "gain of the window adjustment";
        beta_loss: f64 = is(0.8), (0.01, 1.0), Number, "factor of the window after a loss";
        beta_ecn: f64 = is(0.9), (0.01, 1.0), Number, "factor of the window and the rate after a mark";
        beta_r: f64 = is(0.9), (0.01, 1.0), Number, "factor of the target rate after a loss";
        mss: f64 = is(1000.0), (100.0, 65_535.0), In("bytes"), "maximum segment size in the window adjustment";
        rate_adjust_interval: f64 = is(0.2), (0.01, 10.0), In("s"), "interval of rate adjustments";
        ramp_up_speed: f64 = is(200e3), (1.0, 1e12), In("bit/s per s"), "largest speed of rate increase";
        pre_congestion_guard: f64 = is(0.1), (0.0, 1.0), Number, "guard factor against early congestion";
        tx_queue_size_factor: f64 = is(1.0), (0.0, 2.0), Number, "guard factor against RTP queue build-up";
        rtp_qdelay_th: f64 = is(0.02), (0.0, 10.0), In("s"), "RTP queue delay at which the rate is reduced";
        target_rate_scale_rtp_qdelay: f64 = is(0.95), (0.01, 1.0), Number, "factor of that reduction";
        rate_pace_min: f64 = is(50e3), (1.0, 1e12), In("bit/s"), "least pacing rate";
        competing_flows: bool = is(1.0), (0.0, 1.0), Flag, "whether the delay target adapts to competing flows";
    }
}

/// Number of samples of the trend.
const TREND: usize = 20;
/// Time over which the largest flight counts (section 4.1.2.2), in ns.
const FLIGHT_WINDOW: Nanos = 5_000_000_000;
/// Window of the rates, "updated every 200 ms" (section 4.1.3), and number of samples of the median over 10 s.
const RATE_WINDOW: Nanos = 200_000_000;
const MEDIAN: usize = 50;

/// Feedback interval of section 4.2.2: 1 / min(50, max(2.5, rate / 10,000)) seconds.
fn feedback_interval(rate: f64) -> Nanos {
    (1e9 / (rate / 10e3).clamp(2.5, 50.0)) as Nanos
}

/// The sender's state.
#[derive(Debug)]
struct Scream {
    constants: Constants,
    setup: Setup,
    cwnd: f64,
    in_flight: u64,
    /// Flights of the last 5 s, descending, with their times.
    flights: VecDeque<(Nanos, u64)>,
    /// Queueing delay, its target and histories; delays in seconds.
    qdelay: QueueingDelay,
    target_delay: Target,
    fraction_avg: f64,
    fractions: VecDeque<f64>,
    trend: f64,
    trend_memory: f64,
    in_fast_increase: bool,
    /// Time since which the trend is low.
    low_since: Option<Nanos>,
    srtt: Option<f64>,
    /// Time until which congestion events are ignored.
    deaf_until: Nanos,
    losses: LossEvents,
    /// Rates: the media target, its last maximum, and the measured ones.
    target: f64,
    last_max: f64,
    transmitted: Meter,
    acked: Meter,
    encoded: Meter,
    media_rates: VecDeque<f64>,
    /// Congestion since the last rate adjustment: loss or mark.
    pending: Option<Congestion>,
    adjust_at: Option<Nanos>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Congestion {
    Loss,
    Mark,
}

impl Scream {
    fn new(setup: &Setup, given: Given<'_>) -> Scream {
        let constants = Constants::read(given);
        Scream {
            constants,
            setup: *setup,
            cwnd: constants.min_cwnd,
            in_flight: 0,
            flights: VecDeque::new(),
            qdelay: QueueingDelay::default(),
            target_delay: Target::new(
                constants.qdelay_target_lo,
                constants.qdelay_target_hi,
                constants.competing_flows,
            ),
            fraction_avg: 0.0,
            fractions: VecDeque::from(vec![0.0; TREND]),
            trend: 0.0,
            trend_memory: 0.0,
            in_fast_increase: true,
            low_since: None,
            srtt: None,
            deaf_until: 0,
            losses: LossEvents::default(),
            target: setup.clip(setup.start_rate),
            last_max: 1.0,
            transmitted: Meter::new(RATE_WINDOW),
            acked: Meter::new(RATE_WINDOW),
            encoded: Meter::new(RATE_WINDOW),
            media_rates: VecDeque::new(),
            pending: None,
            adjust_at: None,
        }
    }

    /// The procedure `update_variables`, once for each 50 ms.
    fn sample(&mut self, now: Nanos) {
        if !self.target_delay.is_due(now) {
            return;
        }
        let fraction = self.qdelay.now / self.target_delay.now;
        self.fraction_avg += self.constants.qdelay_weight * (fraction - self.fraction_avg);
        self.fractions.pop_front();
        self.fractions.push_back(fraction);
        self.trend = (autocorrelation(&self.fractions) * self.fraction_avg).clamp(0.0, 1.0);
        self.trend_memory = self.trend.max(0.99 * self.trend_memory);
        self.target_delay.adjust(self.qdelay.now, self.losses.rate);
        if self.trend >= self.constants.qdelay_trend_lo {
            self.low_since = None;
        } else {
            self.low_since.get_or_insert(now);
        }
    }

    /// Returns the largest flight of the last 5 s, in bytes.
    fn largest_flight(&self) -> f64 {
        self.flights.front().map_or(0, |(_, flight)| *flight) as f64
    }

    fn record_flight(&mut self, now: Nanos) {
        while self.flights.back().is_some_and(|(_, flight)| *flight <= self.in_flight) {
            self.flights.pop_back();
        }
        self.flights.push_back((now, self.in_flight));
        while self.flights.front().is_some_and(|(at, _)| at + FLIGHT_WINDOW < now) {
            self.flights.pop_front();
        }
    }

    /// The procedure `update_cwnd` (section 4.1.2.2).
    fn update_window(&mut self, newly_acked: f64) {
        let Constants { gain, mss, min_cwnd, qdelay_trend_th, max_bytes_in_flight_head_room: room, .. } =
            self.constants;
        let flight = self.in_flight as f64;
        if self.in_fast_increase {
            if self.trend >= qdelay_trend_th {
                self.in_fast_increase = false;
                self.last_max = self.target;
            } else {
                if flight * 1.5 + newly_acked > self.cwnd {
                    self.cwnd += newly_acked;
                }
                return;
            }
        }
        let off_target = (self.target_delay.now - self.qdelay.now) / self.target_delay.now;
        let mut delta = gain * off_target * newly_acked * mss / self.cwnd;
        if off_target > 0.0 && flight * 1.25 + newly_acked <= self.cwnd {
            delta = 0.0;
        }
        self.cwnd = (self.cwnd + delta).min(self.largest_flight() * room).max(min_cwnd);
    }

    /// Handles a loss or a mark, at most once in a smoothed round-trip time (section 4.1.2.1).
    fn on_congestion(&mut self, now: Nanos, kind: Congestion) {
        let Constants { beta_loss, beta_ecn, min_cwnd, .. } = self.constants;
        let beta = if kind == Congestion::Loss { beta_loss } else { beta_ecn };
        self.deaf_until = now.saturating_add((self.srtt.unwrap_or(0.0) * 1e9) as Nanos);
        self.in_fast_increase = false;
        self.low_since = None;
        self.cwnd = (self.cwnd * beta).max(min_cwnd);
        self.last_max = self.target;
        self.pending = Some(kind);
    }

    fn pacing_rate(&self) -> f64 {
        let window = self.srtt.map_or(0.0, |srtt| self.cwnd * 8.0 / srtt);
        // Before an RTT sample, the target rate is the only estimate of the throughput that there is.
        let start = if self.srtt.is_none() { self.target } else { 0.0 };
        window.max(start).max(self.constants.rate_pace_min)
    }

    /// The media rate control of section 4.1.3; `queue` is rtp_queue_size in bytes.
    fn adjust_rate(&mut self, now: Nanos, queue: u64) {
        let constants = self.constants;
        let (transmitted, acked) = (self.transmitted.rate(now), self.acked.rate(now));
        let media = self.encoded.rate(now);
        if self.media_rates.len() == MEDIAN {
            self.media_rates.pop_front();
        }
        self.media_rates.push_back(media);
        match self.pending.take() {
            Some(Congestion::Loss) => self.target *= constants.beta_r,
            Some(Congestion::Mark) => self.target *= constants.beta_ecn,
            None => {
                let ramp = constants.ramp_up_speed.min(self.target / 2.0) * constants.rate_adjust_interval;
                let scale = (self.target - self.last_max) / self.last_max;
                let scale = (16.0 * scale * scale).clamp(0.2, 1.0);
                let current = transmitted.max(acked);
                if self.in_fast_increase {
                    self.target += ramp * scale;
                } else {
                    let bits = queue as f64 * 8.0;
                    let mut delta = current * (1.0 - constants.pre_congestion_guard * self.trend)
                        - constants.tx_queue_size_factor * bits;
                    if delta > 0.0 {
                        delta = (delta * scale).min(ramp);
                    }
                    self.target += delta;
                    if current > 0.0 && bits / current > constants.rtp_qdelay_th {
                        self.target *= constants.target_rate_scale_rtp_qdelay;
                    }
                }
                let limit = current.max(media).max(median(&self.media_rates)) * (2.0 - self.trend_memory);
                self.target = self.target.min(limit);
            }
        }
        self.target = self.setup.clip(self.target);
    }
}

/// Returns R(x, 1) / R(x, 0), the autocorrelation of the values without their mean (section 4.1.2).
fn autocorrelation(values: &VecDeque<f64>) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let zero: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let one: f64 = values.iter().zip(values.iter().skip(1)).map(|(a, b)| (a - mean) * (b - mean)).sum();
    if zero > 0.0 { one / zero } else { 0.0 }
}

fn median(values: &VecDeque<f64>) -> f64 {
    let mut sorted: Vec<f64> = values.iter().copied().collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

impl Control for Scream {
    fn on_sent(&mut self, packet: &Packet) {
        self.in_flight += u64::from(packet.size);
        self.transmitted.add(packet.sent, packet.size.into());
        self.record_flight(packet.sent);
        if self.adjust_at.is_none() {
            self.adjust_at = Some(packet.sent + RATE_WINDOW);
        }
    }

    fn on_encoded(&mut self, now: Nanos, bytes: u64) {
        self.encoded.add(now, bytes);
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        let now = feedback.now;
        let newly_acked = self.in_flight.saturating_sub(feedback.in_flight);
        self.in_flight = feedback.in_flight;
        self.acked.add(now, newly_acked);
        // RFC 6298's smoothing of the RTT.
        let rtt = feedback.rtt as f64 / 1e9;
        self.srtt = Some(self.srtt.map_or(rtt, |srtt| srtt + (rtt - srtt) / 8.0));
        self.qdelay.read(feedback);
        self.sample(now);
        let lost = feedback.outcomes.iter().any(|outcome| outcome.arrival.is_none());
        let marked = feedback.outcomes.iter().any(|outcome| outcome.marked);
        self.losses.report(now, lost, self.srtt.unwrap_or(rtt));
        if (lost || marked) && now >= self.deaf_until {
            self.on_congestion(now, if lost { Congestion::Loss } else { Congestion::Mark });
            return;
        }
        self.update_window(newly_acked as f64);
        let resume = (self.constants.t_resume_fast_increase * 1e9) as Nanos;
        if !self.in_fast_increase && self.low_since.is_some_and(|since| now >= since.saturating_add(resume)) {
            self.in_fast_increase = true;
        }
    }

    fn due(&self) -> Option<Nanos> {
        // "with the exception of a prompt reaction to loss events": the last report has set the time to the present.
        if self.pending.is_some() { Some(0) } else { self.adjust_at }
    }

    fn expire(&mut self, now: Nanos, queue: u64) {
        self.adjust_rate(now, queue);
        self.adjust_at = Some(now + (self.constants.rate_adjust_interval * 1e9) as Nanos);
    }

    fn rates(&self, _queue: u64) -> Rates {
        Rates { target: self.target, pacing: self.pacing_rate() }
    }

    /// The send window of section 4.1.2.5.
    fn room(&self) -> u64 {
        let slack = if self.qdelay.now <= self.target_delay.now { self.constants.mss } else { 0.0 };
        (self.cwnd + slack - self.in_flight as f64).max(0.0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;

    const SETUP: Setup =
        Setup { min_rate: 150e3, max_rate: 1.5e6, start_rate: 150e3, packet: 1240, fps: 30.0, l4s: false };
    const MS: Nanos = 1_000_000;

    /// A report of one packet of 1,000 bytes with a delay.
    fn report(scream: &mut Scream, number: u64, delay: Nanos, lost: bool, marked: bool) {
        let packet = Packet { number, size: 1_000, sent: number * 20 * MS };
        scream.on_sent(&packet);
        let arrival = (!lost).then_some(packet.sent + delay);
        let outcomes = [Outcome { packet, arrival, marked }];
        let reported = packet.sent + delay;
        let (now, rtt) = (reported + 50 * MS, delay + 50 * MS);
        scream.on_feedback(&Feedback { now, reported, rtt, outcomes: &outcomes, in_flight: 0 });
    }

    fn scream() -> Scream {
        Scream::new(&SETUP, &[])
    }

    #[test]
    fn the_feedback_interval_of_section_4_2_2() {
        let intervals = [10e3, 25e3, 100e3, 500e3, 10e6].map(feedback_interval);
        assert_eq!(intervals, [400 * MS, 400 * MS, 100 * MS, 20 * MS, 20 * MS]);
    }

    #[test]
    fn fast_increase_adds_what_is_acknowledged() {
        let mut scream = scream();
        report(&mut scream, 0, 50 * MS, false, false);
        // 1.5 times a flight of zero and 1,000 bytes is not more than 3,000: the window is not used.
        assert_eq!(scream.cwnd, 3_000.0);
        scream.in_flight = 3_000;
        scream.update_window(1_000.0);
        assert_eq!(scream.cwnd, 4_000.0);
    }

    #[test]
    fn the_window_moves_by_its_distance_from_the_target() {
        let mut scream = scream();
        (scream.in_fast_increase, scream.cwnd, scream.in_flight) = (false, 20_000.0, 20_000);
        scream.flights.push_back((0, 20_000));
        scream.qdelay.now = 0.05;
        scream.update_window(2_000.0);
        // GAIN * (0.1 - 0.05) / 0.1 * 2,000 * 1,000 / 20,000 = 50.
        assert_eq!(scream.cwnd, 20_050.0);
        (scream.qdelay.now, scream.cwnd) = (0.3, 20_000.0);
        scream.update_window(2_000.0);
        assert_eq!(scream.cwnd, 19_800.0);
        (scream.qdelay.now, scream.in_flight, scream.cwnd) = (0.0, 1_000, 20_000.0);
        scream.update_window(2_000.0);
        assert_eq!(scream.cwnd, 20_000.0, "an unused window does not grow");
        scream.flights.clear();
        scream.flights.push_back((0, 10_000));
        scream.update_window(2_000.0);
        assert!((scream.cwnd - 11_000.0).abs() < 1e-9, "at most 1.1 times the largest flight");
    }

    #[test]
    fn loss_and_mark_scale_window_and_rate_once_in_a_round_trip() {
        for (lost, window, rate) in [(true, 0.8, 0.9), (false, 0.9, 0.9)] {
            let mut scream = scream();
            report(&mut scream, 0, 50 * MS, false, false);
            (scream.cwnd, scream.target) = (20_000.0, 1e6);
            report(&mut scream, 1, 50 * MS, lost, !lost);
            assert_eq!((scream.cwnd, scream.in_fast_increase), (20_000.0 * window, false));
            assert_eq!((scream.due(), scream.last_max), (Some(0), 1e6));
            scream.expire(120 * MS, 0);
            assert!((scream.target - 1e6 * rate).abs() < 1e-6);
            report(&mut scream, 2, 50 * MS, lost, !lost);
            assert!(scream.pending.is_none(), "within the RTT");
            report(&mut scream, 8, 50 * MS, lost, !lost);
            assert!(scream.pending.is_some());
        }
    }

    #[test]
    fn the_rate_ramps_up_and_backs_off_from_the_rtp_queue() {
        let mut scream = scream();
        // 1 Mbit/s of traffic.
        for number in 0..100 {
            scream.transmitted.add(number * 8 * MS, 1_000);
            scream.encoded.add(number * 8 * MS, 1_000);
        }
        scream.target = 800e3;
        scream.adjust_rate(800 * MS, 0);
        // RAMP_UP_SPEED 200 kbit/s per second, every 200 ms, far from the last maximum.
        assert!((scream.target - 840e3).abs() < 1e-6, "{}", scream.target);
        (scream.in_fast_increase, scream.target, scream.last_max) = (false, 800e3, 800e3);
        scream.adjust_rate(800 * MS, 0);
        assert!(
            (scream.target - 840e3).abs() < 1e-6,
            "the current rate times 0.2 is more than the ramp: {}",
            scream.target
        );
        scream.target = 800e3;
        // 5 kB wait: 40 ms of 1 Mbit/s.
        scream.adjust_rate(800 * MS, 5_000);
        assert!((scream.target - 840e3 * 0.95).abs() < 1e-6, "{}", scream.target);
    }

    #[test]
    fn the_rate_stays_near_what_the_encoder_makes() {
        let mut scream = scream();
        (scream.target, scream.trend_memory) = (1.4e6, 0.5);
        for number in 0..100 {
            scream.encoded.add(number * 8 * MS, 500);
        }
        scream.adjust_rate(799 * MS, 0);
        assert!((scream.target - 750e3).abs() < 1e-6, "(2 - 0.5) times 500 kbit/s: {}", scream.target);
    }

    #[test]
    fn the_trend_sees_a_growing_queue() {
        let mut scream = scream();
        for number in 0..20 {
            report(&mut scream, number * 3, 50 * MS, false, false);
        }
        assert_eq!((scream.trend, scream.in_fast_increase), (0.0, true));
        for number in 20..60 {
            report(&mut scream, number * 3, (50 + (number - 19) * 3) * MS, false, false);
        }
        assert!(scream.trend > 0.2 && !scream.in_fast_increase, "{}", scream.trend);
        // Without delay the trend falls, and fast increase resumes 5 s later.
        for number in 60..200 {
            report(&mut scream, number * 3, 50 * MS, false, false);
        }
        assert!(scream.in_fast_increase && scream.trend < 0.2);
    }

    #[test]
    fn a_standing_queue_of_others_raises_the_delay_target() {
        let mut scream = scream();
        report(&mut scream, 0, 50 * MS, false, false);
        for number in 1..400 {
            report(&mut scream, number * 3, 250 * MS, false, false);
        }
        assert!((scream.target_delay.now - 0.2).abs() < 0.01, "a stable delay of 200 ms: {}", scream.target_delay.now);
        let mut own = Scream::new(&SETUP, &[("competing_flows", 0.0)]);
        report(&mut own, 0, 50 * MS, false, false);
        (1..400).for_each(|number| report(&mut own, number * 3, 250 * MS, false, false));
        assert_eq!(own.target_delay.now, 0.1);
        // The strict rule: no room beyond the window above the target.
        own.in_flight = own.cwnd as u64;
        assert_eq!(own.room(), 0);
        own.qdelay.now = 0.0;
        assert_eq!(own.room(), 1_000);
    }
}
