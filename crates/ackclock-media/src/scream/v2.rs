//! SCReAM version 2 (draft-johansson-ccwg-rfc8298bis-screamv2): a reference window that grows with time and falls with
//! losses, marks and queueing delay, and a media rate of one window in a round-trip time.
//!
//! # Equations
//!
//! The queueing delay q has an average q~, which follows a smaller q at once and a larger one with weight `qdelay_avg_g`,
//! once in min(`virtual_rtt`, SRTT). Its target q* adapts as in version 1. alpha is the average share of marked packets: it
//! rises with weight `l4s_avg_g_up` and falls with `l4s_avg_g_down`, once in 10 ms or an SRTT.
//!
//! With s = (`inflection_scale` (w - w_i) / w_i)^2 within 0.1 and 1, where w_i is the window at the last reduction (the
//! inflection point, at most once in 10 RTTs), the window w falls at most once in min(`virtual_rtt`, SRTT):
//!
//! - after a loss to `beta_loss` w;
//! - after a mark of L4S to (1 - alpha / 2 max(0.5, 1 - `mss` / w)) w, less by max(0.25, s) while q is below q* / 4;
//!   after another mark to `beta_ecn` w;
//! - with q > q* / 2 and alpha below the share of two packets in an RTT, v = 2 `mss` / (rate SRTT): to (1 - b / 2
//!   max(0.5, 1 - `mss` / w)) w, where b = min(1, 2 v (q~ - q* / 2) / (q* / 2)).
//!
//! For each report w grows by acked `mss` / w, times min(1, SRTT / `virtual_rtt`)^2, max(0.25, s) and max(0.5, 1 - `mss` /
//! w); without L4S times max(0.1, 1 - 4 q~ / q*); and times 1 + `mul_increase_factor` w / `mss` p s, where p rises from 0 to 1
//! within `post_congestion_delay_rtt` RTTs after a loss or mark. It does not grow beyond `mss` and
//! `bytes_in_flight_head_room` times the largest flight of two RTTs, nor at the largest media rate.
//!
//! The rate is 8 w / SRTT, less if the flight fills the window while q is above q* / 4, if the window is a few packets, and by
//! `mss` / (`mss` + `packet_overhead`). Packets leave at `packet_pacing_headroom` times the rate while the flight is below
//! `ref_wnd_overhead` w times the 75th percentile of frame sizes over their mean.
//!
//! # Constants
//!
//! The constants are those of the draft after its version -03. A call whose packets have `ecn = "ect1"` is in L4S mode
//! (IS_L4S).
//!
//! # Deviations
//!
//! - Reports come at the draft's interval, 2 % of the rate with 100 bytes each and every 1 to 100 ms, and not also after
//!   each frame. They are those of RFC 8888.
//! - There is no reordering window: a packet is lost when a report has a later one.
//! - The percentile of frame sizes is over the last 100 frames above their mean. The draft leaves the histogram open.
//! - The refresh of the base delay, the bound of the window from a history of flights at the largest rate and the compensation
//!   of encoders with systematic errors, which the draft leaves to the authors' code, do not exist.
//!
//! # Validated against
//!
//! The draft's procedures by hand, and two marked packets in an RTT at equilibrium (section on the increase of the reference
//! window); the cases of RFC 8867, also with DualPI2 ([results](../rmcat.md)).

use std::collections::VecDeque;

use ackclock_core::Nanos;
use ackclock_core::parameters::Given;

use super::delay::{LossEvents, QueueingDelay, Target};
use crate::{Control, Entry, Feedback, Format, Packet, Rates, Setup};

/// The entry of the catalogue.
pub(crate) const ENTRY: Entry = Entry {
    name: "scream2",
    summary: "SCReAM version 2: a reference window from losses, marks (also of L4S) and delay; the rate is a window in an RTT",
    source: "draft-johansson-ccwg-rfc8298bis-screamv2",
    parameters: Constants::ROWS,
    format: Format::Ccfb,
    interval: feedback_interval,
    make: |setup, given| Box::new(Scream2::new(setup, given)),
};

ackclock_core::parameters! {
    /// Constants of SCReAM version 2.
    pub(crate) struct Constants {
        qdelay_target_lo: f64 = is(0.06), (0.001, 10.0), In("s"), "least target of the queueing delay";
        qdelay_target_hi: f64 = is(0.4), (0.001, 10.0), In("s"), "largest target of the queueing delay";
        qdelay_avg_g: f64 = is(0.25), (0.0, 1.0), Number, "weight of a larger queueing delay in its average";
        l4s_avg_g_up: f64 = is(0.125), (0.0, 1.0), Number, "weight of a larger share of marked packets in its average";
        l4s_avg_g_down: f64 = is(0.007_812_5), (0.0, 1.0), Number, "weight by which that average falls";
        min_ref_wnd: f64 = is(3000.0), (100.0, 1e9), In("bytes"), "least reference window";
        bytes_in_flight_head_room: f64 = is(1.5), (1.0, 10.0), Number, "reference window over the largest flight";
        beta_loss: f64 = is(0.7), (0.01, 1.0), Number, "factor of the window after a loss";
        beta_ecn: f64 = is(0.8), (0.01, 1.0), Number, "factor of the window after a mark without L4S";
        mss: f64 = is(1000.0), (100.0, 65_535.0), In("bytes"), "largest packet in the window's arithmetic";
        ref_wnd_overhead: f64 = is(5.0), (1.0, 100.0), Number, "flight over the reference window at most";
        post_congestion_delay_rtt: f64 = is(100.0), (0.0, 1e6), Number, "RTTs after congestion with cautious growth";
        mul_increase_factor: f64 = is(0.02), (0.0, 10.0), Number, "growth in an RTT as a share of the window";
        inflection_scale: f64 = is(8.0), (0.001, 1e9), Number, "slope of s over the distance from the inflection point";
        virtual_rtt: f64 = is(0.025), (0.0001, 10.0), In("s"), "RTT below which growth does not depend on the RTT";
        bytes_in_flight_limit: f64 = is(0.9), (0.01, 10.0), Number, "flight over the window that lowers the rate";
        bytes_in_flight_limit_compensation: f64 = is(1.5), (1.0, 10.0), Number, "largest divisor of the rate for that";
        packet_overhead: f64 = is(20.0), (0.0, 1e3), In("bytes"), "estimated overhead of a packet";
        rate_pace_min: f64 = is(50e3), (1.0, 1e12), In("bit/s"), "least rate from which the pacing rate follows";
        packet_pacing_headroom: f64 = is(1.5), (1.0, 10.0), Number, "pacing rate over the media rate";
        competing_flows: bool = is(1.0), (0.0, 1.0), Flag, "whether the delay target adapts to competing flows";
    }
}

/// Least time between updates of alpha, in seconds.
const ALPHA_INTERVAL: f64 = 0.01;
/// RTTs between two updates of the inflection point.
const INFLECTION_RTTS: f64 = 10.0;
/// RTTs without congestion from which on the window falls to the largest flight first.
const LONG_AGO_RTTS: f64 = 100.0;
/// alpha up to which L4S is taken as not enabled or not working.
const NO_L4S: f64 = 0.0001;
/// Frames above their mean size that the percentile reads, and the percentile.
const FRAMES: usize = 100;
const PERCENTILE: f64 = 0.75;

/// Feedback interval: 2 % of the received rate, with 100 bytes for a report.
fn feedback_interval(rate: f64) -> Nanos {
    (1e9 / (0.02 * rate / 800.0).clamp(10.0, 1000.0)) as Nanos
}

/// The sender's state; times are in seconds.
#[derive(Debug)]
struct Scream2 {
    constants: Constants,
    setup: Setup,
    /// Reference window and its inflection point, in bytes.
    window: f64,
    inflection: f64,
    inflected: f64,
    in_flight: u64,
    /// Largest flights of this round-trip time and of the one before, and the end of this one.
    largest: u64,
    largest_before: u64,
    rtt_end: f64,
    srtt: Option<f64>,
    qdelay: QueueingDelay,
    average: f64,
    averaged: f64,
    target_delay: Target,
    losses: LossEvents,
    /// Average share of marked packets, and the packets since its last update.
    alpha: f64,
    measured: f64,
    delivered: u64,
    marked: u64,
    /// Congestion since the last reaction.
    has_loss: bool,
    has_mark: bool,
    detected: f64,
    reacted: f64,
    rate: f64,
    frames: VecDeque<f64>,
    frame_size: f64,
}

/// Bytes of a report: newly acknowledged ones and those of them that were marked.
#[derive(Clone, Copy, Debug)]
struct Acked {
    all: f64,
    marked: f64,
}

impl Scream2 {
    fn new(setup: &Setup, given: Given<'_>) -> Scream2 {
        let constants = Constants::read(given);
        Scream2 {
            constants,
            setup: *setup,
            window: constants.min_ref_wnd,
            inflection: 1.0,
            inflected: 0.0,
            in_flight: 0,
            largest: 0,
            largest_before: 0,
            rtt_end: 0.0,
            srtt: None,
            qdelay: QueueingDelay::default(),
            average: 0.0,
            averaged: 0.0,
            target_delay: Target::new(
                constants.qdelay_target_lo,
                constants.qdelay_target_hi,
                constants.competing_flows,
            ),
            losses: LossEvents::default(),
            alpha: 0.0,
            measured: 0.0,
            delivered: 0,
            marked: 0,
            has_loss: false,
            has_mark: false,
            detected: 0.0,
            reacted: 0.0,
            rate: setup.clip(setup.start_rate),
            frames: VecDeque::new(),
            frame_size: 1.0,
        }
    }

    fn srtt(&self) -> f64 {
        self.srtt.unwrap_or(self.constants.virtual_rtt)
    }

    /// The least time between two reductions of the window.
    fn pause(&self) -> f64 {
        self.constants.virtual_rtt.min(self.srtt())
    }

    /// ref_wnd_ratio: a packet over the window, at most 1.
    fn ratio(&self) -> f64 {
        (self.constants.mss / self.window).min(1.0)
    }

    /// scl_t: how far the window is from the inflection point, from 0.1 to 1.
    fn distance(&self) -> f64 {
        let scale = self.constants.inflection_scale * (self.window - self.inflection) / self.inflection;
        (scale * scale).clamp(0.1, 1.0)
    }

    /// Updates the averages of marks and of the queueing delay.
    fn measure(&mut self, now: f64, feedback: &Feedback<'_>) {
        let Constants { l4s_avg_g_up, l4s_avg_g_down, qdelay_avg_g, .. } = self.constants;
        self.delivered += feedback.outcomes.iter().filter(|outcome| outcome.arrival.is_some()).count() as u64;
        self.marked += feedback.outcomes.iter().filter(|outcome| outcome.marked).count() as u64;
        if self.delivered > 0 && now - self.measured >= ALPHA_INTERVAL.min(self.srtt()) {
            let share = self.marked as f64 / self.delivered as f64;
            if share >= self.alpha {
                self.alpha += l4s_avg_g_up * (share - self.alpha);
            } else {
                self.alpha *= 1.0 - l4s_avg_g_down;
            }
            (self.measured, self.delivered, self.marked) = (now, 0, 0);
        }
        if now - self.averaged >= self.pause() {
            let larger = self.average + qdelay_avg_g * (self.qdelay.now - self.average);
            self.average = if self.qdelay.now < self.average { self.qdelay.now } else { larger };
            self.averaged = now;
        }
        if self.target_delay.is_due(feedback.now) {
            self.target_delay.adjust(self.qdelay.now, self.losses.rate);
        }
    }

    /// Returns l4s_alpha_v, the virtual share of marked packets for the queueing delay; `None` if the delay does not count.
    fn virtual_alpha(&self) -> Option<f64> {
        let half = self.target_delay.now / 2.0;
        // Two packets in a round-trip time: with a larger share of marks, L4S is at work.
        let limit = 2.0 / self.rate * self.constants.mss * 8.0 / self.srtt();
        let counts = self.qdelay.now > half && self.alpha < limit;
        counts.then(|| (2.0 * limit * ((self.average - half) / half).max(0.0)).min(1.0))
    }

    /// "Reference Window Reduction": the window after congestion, at most once in the pause. `scale` is scl_t.
    fn reduce(&mut self, now: f64, scale: f64) {
        if now - self.reacted < self.pause() {
            return;
        }
        let Constants { beta_loss, beta_ecn, min_ref_wnd, virtual_rtt, .. } = self.constants;
        let (lost, marked) = (std::mem::take(&mut self.has_loss), std::mem::take(&mut self.has_mark));
        let by_delay = if lost || marked { None } else { self.virtual_alpha() };
        if !lost && !marked && by_delay.is_none() {
            return;
        }
        if now - self.inflected > INFLECTION_RTTS * self.srtt() {
            (self.inflected, self.inflection) = (now, self.window);
        }
        if lost {
            self.window *= beta_loss;
        }
        if marked && self.setup.l4s {
            let mut backoff = self.alpha / 2.0 * (1.0 - self.ratio()).max(0.5);
            if self.qdelay.now < 0.25 * self.target_delay.now {
                backoff *= scale.max(0.25);
            }
            if now - self.reacted > LONG_AGO_RTTS * virtual_rtt.max(self.srtt()) {
                self.window = self.window.min(self.largest_before as f64);
            }
            self.window *= 1.0 - backoff;
        } else if marked {
            self.window *= beta_ecn;
        }
        if let Some(alpha) = by_delay {
            self.window *= 1.0 - alpha / 2.0 * (1.0 - self.ratio()).max(0.5);
        }
        self.window = self.window.max(min_ref_wnd);
        self.reacted = now;
    }

    /// "Reference Window Increase". `scale` is scl_t.
    fn grow(&mut self, now: f64, acked: Acked, scale: f64) {
        let Constants { mss, virtual_rtt, mul_increase_factor, post_congestion_delay_rtt: delay, .. } = self.constants;
        let calm = (now - self.detected) / (delay * virtual_rtt.max(self.srtt()));
        let small = (self.srtt() / virtual_rtt).min(1.0);
        let mut increment = (acked.all - acked.marked).max(0.0) * self.ratio() * small * small;
        increment *= scale.max(0.25) * (1.0 - self.ratio()).max(0.5);
        if self.alpha < NO_L4S {
            increment *= (1.0 - self.average / (self.target_delay.now / 4.0)).max(0.1);
        }
        increment *= 1.0 + mul_increase_factor * self.window / mss * calm.clamp(0.0, 1.0) * scale;
        let flight = self.largest.max(self.largest_before) as f64;
        let allowed = mss + flight * self.constants.bytes_in_flight_head_room;
        if self.window + increment <= allowed && self.rate < self.setup.max_rate {
            self.window += increment;
        }
    }

    /// "Media Rate Control": the rate of the window; `filled` is the flight over the window before the report.
    fn set_rate(&mut self, filled: f64) {
        let Constants { bytes_in_flight_limit: limit, packet_overhead, mss, .. } = self.constants;
        let mut scale = 1.0;
        if self.qdelay.now / self.target_delay.now > 0.25 && filled > limit {
            scale /= (filled / limit).min(self.constants.bytes_in_flight_limit_compensation);
        }
        scale *= 1.0 - (self.ratio() - 0.1).clamp(0.0, 0.2);
        scale *= mss / (mss + packet_overhead);
        self.rate = self.setup.clip(scale * 8.0 * self.window / self.srtt());
    }
}

impl Control for Scream2 {
    fn on_sent(&mut self, packet: &Packet) {
        self.in_flight += u64::from(packet.size);
        self.largest = self.largest.max(self.in_flight);
    }

    /// "Calculate Frame Size": the percentile of the frames above the size that the rate gives.
    fn on_encoded(&mut self, _now: Nanos, bytes: u64) {
        let relative = bytes as f64 * 8.0 * self.setup.fps / self.rate;
        if relative <= 1.0 {
            return;
        }
        if self.frames.len() == FRAMES {
            self.frames.pop_front();
        }
        self.frames.push_back(relative);
        let mut sorted: Vec<f64> = self.frames.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        self.frame_size = sorted[(PERCENTILE * (sorted.len() - 1) as f64) as usize];
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        let now = feedback.now as f64 / 1e9;
        let filled = self.in_flight as f64 / self.window;
        let marked = feedback.outcomes.iter().filter(|outcome| outcome.marked);
        let acked = Acked {
            all: self.in_flight.saturating_sub(feedback.in_flight) as f64,
            marked: marked.map(|outcome| f64::from(outcome.packet.size)).sum(),
        };
        self.in_flight = feedback.in_flight;
        // RFC 6298's smoothing of the RTT.
        let rtt = feedback.rtt as f64 / 1e9;
        self.srtt = Some(self.srtt.map_or(rtt, |srtt| srtt + (rtt - srtt) / 8.0));
        if now >= self.rtt_end {
            (self.largest_before, self.largest) = (self.largest, self.in_flight);
            self.rtt_end = now + self.srtt();
        }
        let lost = feedback.outcomes.iter().any(|outcome| outcome.arrival.is_none());
        self.losses.report(feedback.now, lost, self.srtt());
        self.qdelay.read(feedback);
        self.measure(now, feedback);
        self.has_loss |= lost;
        self.has_mark |= acked.marked > 0.0;
        if lost || acked.marked > 0.0 {
            self.detected = now;
        }
        let scale = self.distance();
        self.reduce(now, scale);
        self.grow(now, acked, scale);
        self.set_rate(filled);
    }

    fn rates(&self, _queue: u64) -> Rates {
        let Constants { rate_pace_min, packet_pacing_headroom, .. } = self.constants;
        Rates { target: self.rate, pacing: self.rate.max(rate_pace_min) * packet_pacing_headroom }
    }

    /// The send window.
    fn room(&self) -> u64 {
        let limit = self.window * self.constants.ref_wnd_overhead * self.frame_size;
        (limit - self.in_flight as f64).max(0.0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;

    const SETUP: Setup =
        Setup { min_rate: 150e3, max_rate: 50e6, start_rate: 150e3, packet: 1240, fps: 30.0, l4s: true };
    const MS: Nanos = 1_000_000;

    fn scream() -> Scream2 {
        Scream2::new(&SETUP, &[])
    }

    /// A report, `at` ms after the start, of packets of 1,000 bytes with a queueing delay in ms after 25 ms of path.
    fn report(scream: &mut Scream2, at: u64, outcomes: &[(bool, bool)], queueing: u64) {
        let delay = (25 + queueing) * MS;
        let sent = (at * MS).saturating_sub(delay + 25 * MS);
        let packets: Vec<_> = (0..)
            .zip(outcomes)
            .map(|(number, (arrived, marked))| Outcome {
                packet: Packet { number, size: 1_000, sent },
                arrival: arrived.then_some(sent + delay),
                marked: *marked,
            })
            .collect();
        packets.iter().for_each(|one| scream.on_sent(&one.packet));
        let (now, rtt) = (at * MS, delay + 25 * MS);
        scream.on_feedback(&Feedback { now, reported: now - 25 * MS, rtt, outcomes: &packets, in_flight: 0 });
    }

    const FINE: (bool, bool) = (true, false);
    const MARKED: (bool, bool) = (true, true);
    const LOST: (bool, bool) = (false, false);

    #[test]
    fn the_feedback_interval_of_the_draft() {
        // 0.02 rate / 800: 25 a second at 1 Mbit/s, at least 10 and at most 1,000.
        let intervals = [100e3, 400e3, 1e6, 40e6, 100e6].map(feedback_interval);
        assert_eq!(intervals, [100 * MS, 100 * MS, 40 * MS, MS, MS]);
    }

    #[test]
    fn the_window_grows_by_a_packet_in_a_round_trip_and_by_a_share_of_itself() {
        let mut scream = scream();
        (scream.window, scream.largest, scream.srtt) = (20_000.0, 20_000, Some(0.05));
        let acked = Acked { all: 20_000.0, marked: 0.0 };
        // Long after congestion: 1,000 * 0.95 * (1 + 0.02 * 20) bytes.
        scream.grow(100.0, acked, 1.0);
        assert!((scream.window - 20_000.0 - 950.0 * 1.4).abs() < 1e-9, "{}", scream.window);
        // At the time of congestion and at the inflection point: a quarter of a packet, without the share.
        (scream.window, scream.detected) = (20_000.0, 100.0);
        scream.grow(100.0, acked, 0.1);
        assert!((scream.window - 20_000.0 - 950.0 * 0.25).abs() < 1e-9, "{}", scream.window);
        // Marked bytes do not count, and the flight bounds the window.
        scream.window = 20_000.0;
        scream.grow(100.0, Acked { all: 20_000.0, marked: 20_000.0 }, 1.0);
        assert_eq!(scream.window, 20_000.0);
        (scream.window, scream.largest) = (31_000.0, 20_000);
        scream.grow(100.0, acked, 1.0);
        assert_eq!(scream.window, 31_000.0, "1,000 + 1.5 * 20,000 bytes");
    }

    #[test]
    fn the_slope_near_the_inflection_point_is_a_constant() {
        // 5 % above the inflection point: (8 * 0.05)^2, and with a steep slope all of the change.
        for (given, scale) in [(&[][..], 0.16), (&[("inflection_scale", 1e6)][..], 1.0)] {
            let mut scream = Scream2::new(&SETUP, given);
            (scream.window, scream.inflection) = (21_000.0, 20_000.0);
            assert!((scream.distance() - scale).abs() < 1e-9, "{}", scream.distance());
        }
    }

    #[test]
    fn an_rtt_below_the_virtual_one_slows_growth() {
        let mut scream = scream();
        (scream.window, scream.largest, scream.srtt, scream.detected) = (20_000.0, 20_000, Some(0.0125), 9.0);
        scream.grow(9.0, Acked { all: 20_000.0, marked: 0.0 }, 1.0);
        assert!((scream.window - 20_000.0 - 950.0 / 4.0).abs() < 1e-9, "{}", scream.window);
    }

    #[test]
    fn losses_and_marks_scale_the_window() {
        for (outcome, l4s, factor) in [(LOST, true, 0.7), (MARKED, false, 0.8), (MARKED, true, 1.0 - 0.25 / 2.0 * 0.95)]
        {
            let mut scream = scream();
            scream.setup.l4s = l4s;
            (scream.window, scream.alpha, scream.srtt, scream.reacted) = (20_000.0, 0.25, Some(0.05), 0.9);
            (scream.has_loss, scream.has_mark) = (!outcome.0, outcome.1);
            scream.reduce(1.0, 1.0);
            assert!((scream.window / 20_000.0 - factor).abs() < 1e-9, "{outcome:?} {l4s}: {}", scream.window);
            assert_eq!((scream.inflection, scream.reacted), (20_000.0, 1.0));
            (scream.has_loss, scream.has_mark) = (true, true);
            let before = scream.window;
            scream.reduce(1.02, 1.0);
            assert_eq!(scream.window, before, "within 25 ms");
        }
    }

    #[test]
    fn after_a_long_calm_the_first_mark_takes_the_window_to_the_flight() {
        let mut scream = scream();
        (scream.window, scream.largest_before, scream.srtt) = (20_000.0, 8_000, Some(0.05));
        scream.has_mark = true;
        scream.reduce(6.0, 1.0);
        assert_eq!(scream.window, 8_000.0, "alpha is 0");
    }

    #[test]
    fn alpha_rises_fast_and_falls_slowly() {
        let mut scream = scream();
        report(&mut scream, 100, &[MARKED, FINE], 0);
        assert!((scream.alpha - 0.5 / 8.0).abs() < 1e-9, "{}", scream.alpha);
        report(&mut scream, 120, &[FINE, FINE], 0);
        assert!((scream.alpha - 0.5 / 8.0 * 127.0 / 128.0).abs() < 1e-9, "{}", scream.alpha);
    }

    #[test]
    fn delay_is_a_virtual_mark_without_l4s() {
        let mut scream = scream();
        (scream.window, scream.srtt, scream.rate) = (20_000.0, Some(0.1), 1.6e6);
        (scream.qdelay.now, scream.average) = (0.045, 0.045);
        // 45 ms are half of the way from 30 to 60 ms; two packets of 1,000 bytes are 10 % of 160,000 bit.
        let alpha = scream.virtual_alpha().unwrap();
        assert!((alpha - 2.0 * 0.1 * 0.5).abs() < 1e-9, "{alpha}");
        scream.reduce(5.0, 1.0);
        assert!((scream.window / 20_000.0 - (1.0 - 0.05 * 0.95)).abs() < 1e-9, "{}", scream.window);
        scream.alpha = 0.11;
        assert_eq!(scream.virtual_alpha(), None, "L4S is at work");
        (scream.alpha, scream.qdelay.now) = (0.0, 0.029);
        assert_eq!(scream.virtual_alpha(), None, "below half of the target");
    }

    #[test]
    fn the_average_delay_falls_at_once_and_rises_slowly() {
        let mut scream = scream();
        report(&mut scream, 100, &[FINE], 0);
        report(&mut scream, 200, &[FINE], 40);
        assert!((scream.average - 0.01).abs() < 1e-6, "{}", scream.average);
        report(&mut scream, 300, &[FINE], 4);
        assert!((scream.average - 0.004).abs() < 1e-6, "{}", scream.average);
    }

    #[test]
    fn the_rate_is_a_window_in_a_round_trip() {
        let mut scream = scream();
        (scream.window, scream.srtt) = (20_000.0, Some(0.1));
        scream.set_rate(0.5);
        assert!((scream.rate - 1.6e6 / 1.02).abs() < 1e-6, "{}", scream.rate);
        // The flight is 1.2 times the window with a queue of 30 ms: the rate is divided by 1.2 / 0.9.
        scream.qdelay.now = 0.03;
        scream.set_rate(1.2);
        assert!((scream.rate - 1.6e6 / 1.02 * 0.75).abs() < 1e-6, "{}", scream.rate);
        scream.set_rate(5.0);
        assert!((scream.rate - 1.6e6 / 1.02 / 1.5).abs() < 1e-6, "{}", scream.rate);
        // Five packets: 10 % less.
        (scream.window, scream.qdelay.now) = (5_000.0, 0.0);
        scream.set_rate(0.0);
        assert!((scream.rate - 0.9 * 400e3 / 1.02).abs() < 1e-6, "{}", scream.rate);
    }

    #[test]
    fn the_send_window_follows_large_frames() {
        let mut scream = scream();
        scream.rate = 2.4e6;
        assert_eq!(scream.room(), 15_000);
        // 10,000 bytes are the mean frame; of the sizes 1.1 to 2.0 the third quartile is 1.7.
        (1..=10).for_each(|tenth| scream.on_encoded(0, 10_000 + tenth * 1_000));
        scream.on_encoded(0, 5_000);
        assert_eq!(scream.room(), (15_000.0 * 1.7) as u64);
        scream.in_flight = 40_000;
        assert_eq!(scream.room(), 0);
        assert!((scream.rates(0).pacing - 3.6e6).abs() < 1e-6);
    }

    /// "The SCReAMv2 algorithm will adhere to the 2 marked data units per RTT equilibrium": with two marks of 40 packets
    /// the window loses alpha / 2 = 2.5 %, which is the packet by which it grows; both are scaled alike.
    #[test]
    fn two_marked_packets_in_a_round_trip_hold_the_window() {
        for (marks, changes) in [(0, 200.0..300.0), (2, -20.0..0.0), (4, -300.0..-200.0)] {
            let mut scream = scream();
            (scream.window, scream.inflection, scream.srtt) = (40_000.0, 40_000.0, Some(0.05));
            (scream.alpha, scream.reacted) = (f64::from(marks) / 40.0, 0.95);
            let outcomes: Vec<_> = (0..40).map(|packet| if packet < marks { MARKED } else { FINE }).collect();
            report(&mut scream, 1_000, &outcomes, 0);
            let change = scream.window - 40_000.0;
            assert!(changes.contains(&change), "{marks} marks: {change} bytes");
        }
    }
}
