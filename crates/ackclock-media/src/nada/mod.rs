//! NADA, network-assisted dynamic adaptation (RFC 8698): one congestion signal from delay, loss and marks drives the rate.
//!
//! # Equations
//!
//! For each packet that arrives, the queueing delay is the one-way delay less its minimum; d is the least of the last
//! `min_filter` of them (section 5.1.1). Loss and marking ratios p_loss and p_mark are those of the last `logwin`, smoothed
//! with `alpha` (Equation 10). With losses not long ago, d is warped from `qth` on (Equation 1):
//!
//! d~ = `qth` exp(-`lambda` (d - `qth`) / `qth`)
//!
//! The congestion signal is x = d~ + `dmark` (p_mark / `pmrref`)^2 + `dloss` (p_loss / `plrref`)^2 (Equation 2). For each
//! report, with r the reference rate and r_recv the receiving rate over `logwin`:
//!
//! - Without loss and with less than `qeps` of queueing delay in `logwin`: r = max(r, (1 + gamma) r_recv), with gamma =
//!   min(`gamma_max`, `qbound` / (RTT + `delta` + `dfilt`)) (Equations 3 and 4).
//! - Otherwise: r -= `kappa` (time since the last report / `tau`) (x - `prio` `xref` r_max / r) / `tau` r + `kappa` `eta`
//!   (x - x') / `tau` r (Equations 5 to 7), where x' is the signal before.
//!
//! The target of the encoder is r less min(5 % of r, `beta_v` times the rate that empties the pacer within a frame), and the
//! pacing rate is r plus the same with `beta_s` (Equations 11 to 14).
//!
//! At equilibrium the queueing delay is `prio` `xref` r_max / r: 15 ms for 1 Mbit/s with a largest rate of 1.5 Mbit/s.
//!
//! # Constants
//!
//! The constants are those of RFC 8698 Table 2. Reports come every 100 ms, in the format of RFC 8888.
//!
//! # Deviations
//!
//! - All statistics are computed at the sender from per-packet feedback, which section 6.4 allows.
//! - The rate starts at `start_rate` of the call, which by default is the least rate: section 4.3 has "set r_ref = RMIN".
//! - The average loss interval counts closed intervals alone. Section 4.2 has the one of RFC 5348 section 5.4, which also
//!   counts the open interval with a sixth of the weight or more; with MULTILOSS of 7, no loss would then ever expire.
//! - Section 4.2 defines the interpolation of the warped delay in words; here its weight falls linearly from 1 to 0 within
//!   one average loss interval after the loss has expired.
//! - The base delay is never estimated anew within a call.
//! - The authors' ns3-rmcat bounds the signal at 500 ms, which RFC 8698 does not; `xmax` does that here if it is set.
//!
//! # Validated against
//!
//! Equations 1 to 14 by hand, the equilibrium for several priorities and delays, the adjustment of 48 kbit/s for 2,000
//! waiting bytes in section 5.2.2, the weights of RFC 5348 section 5.4; the cases of RFC 8867 ([results](../rmcat.md)).

mod loss_intervals;

use std::collections::VecDeque;

use ackclock_core::Nanos;
use ackclock_core::parameters::Given;

use crate::control::every_100_ms;
use crate::{Control, Entry, Feedback, Format, Rates, Setup, ms};
use loss_intervals::LossIntervals;

/// The entry of the catalogue.
pub(crate) const ENTRY: Entry = Entry {
    name: "nada",
    summary: "NADA: one congestion signal from delay, loss and marks; accelerated ramp-up and gradual update",
    source: "RFC 8698",
    parameters: Constants::ROWS,
    format: Format::Ccfb,
    interval: every_100_ms,
    make: |setup, given| Box::new(Nada::new(setup, given)),
};

ackclock_core::parameters! {
    /// Constants of NADA: RFC 8698 Table 2.
    pub(crate) struct Constants {
        prio: f64 = is(1.0), (0.01, 100.0), Number, "weight of priority of the flow, PRIO";
        xref: f64 = is(10.0), (0.1, 1e4), In("ms"), "reference congestion level, XREF";
        kappa: f64 = is(0.5), (0.001, 100.0), Number, "scaling parameter of the gradual update, KAPPA";
        eta: f64 = is(2.0), (0.001, 100.0), Number, "weight of the change of the signal, ETA";
        tau: f64 = is(500.0), (1.0, 1e5), In("ms"), "upper bound of the RTT in the gradual update, TAU";
        delta: f64 = is(100.0), (1.0, 1e4), In("ms"), "target feedback interval in the ramp-up's bound, DELTA";
        logwin: f64 = is(500.0), (10.0, 1e5), In("ms"), "observation window of the statistics, LOGWIN";
        qeps: f64 = is(10.0), (0.0, 1e4), In("ms"), "queueing delay that ends the accelerated ramp-up, QEPS";
        dfilt: f64 = is(120.0), (0.0, 1e4), In("ms"), "bound on the filtering delay, DFILT";
        gamma_max: f64 = is(0.5), (0.0, 10.0), Number, "largest increase in the accelerated ramp-up, GAMMA_MAX";
        qbound: f64 = is(50.0), (0.0, 1e4), In("ms"), "self-inflicted queueing delay allowed in the ramp-up, QBOUND";
        multiloss: f64 = is(7.0), (0.0, 1e3), Number, "average loss intervals until a loss expires, MULTILOSS";
        qth: f64 = is(50.0), (0.1, 1e4), In("ms"), "delay from which on it is warped after losses, QTH";
        lambda: f64 = is(0.5), (0.0, 100.0), Number, "exponent of the non-linear warping, LAMBDA";
        plrref: f64 = is(0.01), (1e-6, 1.0), Number, "reference packet loss ratio, PLRREF";
        pmrref: f64 = is(0.01), (1e-6, 1.0), Number, "reference packet marking ratio, PMRREF";
        dloss: f64 = is(10.0), (0.0, 1e4), In("ms"), "delay penalty at the reference loss ratio, DLOSS";
        dmark: f64 = is(2.0), (0.0, 1e4), In("ms"), "delay penalty at the reference marking ratio, DMARK";
        beta_s: f64 = is(0.1), (0.0, 10.0), Number, "share of the rate-shaping buffer added to the sending rate, BETA_S";
        beta_v: f64 = is(0.1), (0.0, 10.0), Number, "share of the rate-shaping buffer taken from the target rate, BETA_V";
        alpha: f64 = is(0.1), (0.0, 1.0), Number, "smoothing factor of the loss and marking ratios, ALPHA";
        xmax: f64 = is(0.0), (0.0, 1e6), In("ms"), "largest congestion signal; 0: none, as in the RFC; 500 in ns3-rmcat";
        min_filter: usize = is(15.0), (1.0, 1e3), Count("samples"), "window of the minimum filter over delays (section 5.1.1)";
    }
}

/// Part of the reference rate by which the rate-shaping buffer moves the rates at most (Equations 11 and 12).
const SHAPING_LIMIT: f64 = 0.05;

/// A packet of the observation window.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// Arrival of the packet; for a missing packet, of the one after it.
    at: Nanos,
    size: u32,
    /// Queueing delay in ms; `None` for a missing packet.
    queueing: Option<f64>,
    marked: bool,
}

/// The sender's state.
#[derive(Debug)]
struct Nada {
    constants: Constants,
    setup: Setup,
    /// Reference rate r_ref in bit/s.
    rate: f64,
    /// The previous congestion signal x_prev, in ms.
    signal: f64,
    /// Time of the last report, t_last.
    last: Option<Nanos>,
    /// Least one-way delay, d_base, in ns.
    base: Option<Nanos>,
    window: VecDeque<Sample>,
    /// The latest queueing delays, in ms.
    recent: VecDeque<f64>,
    loss: f64,
    marking: f64,
    intervals: LossIntervals,
}

impl Nada {
    fn new(setup: &Setup, given: Given<'_>) -> Nada {
        Nada {
            constants: Constants::read(given),
            setup: *setup,
            rate: setup.clip(setup.start_rate),
            signal: 0.0,
            last: None,
            base: None,
            window: VecDeque::new(),
            recent: VecDeque::new(),
            loss: 0.0,
            marking: 0.0,
            intervals: LossIntervals::default(),
        }
    }

    /// Adds the packets of a report to the observation window.
    fn observe(&mut self, feedback: &Feedback<'_>) {
        let mut before = self.window.back().map_or(feedback.reported, |sample| sample.at);
        for outcome in feedback.outcomes {
            let queueing = outcome.arrival.map(|arrival| {
                before = arrival;
                let delay = arrival.saturating_sub(outcome.packet.sent);
                let base = self.base.map_or(delay, |base| base.min(delay));
                self.base = Some(base);
                ms(delay - base)
            });
            if let Some(delay) = queueing {
                self.recent.push_back(delay);
                if self.recent.len() > self.constants.min_filter {
                    self.recent.pop_front();
                }
            }
            self.intervals.packet(&outcome.packet, outcome.arrival.is_none(), feedback.rtt);
            let (size, marked) = (outcome.packet.size, outcome.marked);
            self.window.push_back(Sample { at: before, size, queueing, marked });
        }
        let window = (self.constants.logwin * 1e6) as Nanos;
        while self.window.front().is_some_and(|sample| sample.at + window < feedback.reported) {
            self.window.pop_front();
        }
        // Equation 10, for losses and for marks.
        let total = self.window.len().max(1) as f64;
        let share = |count: usize| count as f64 / total;
        let lost = share(self.window.iter().filter(|sample| sample.queueing.is_none()).count());
        let marked = share(self.window.iter().filter(|sample| sample.marked).count());
        let alpha = self.constants.alpha;
        self.loss += alpha * (lost - self.loss);
        self.marking += alpha * (marked - self.marking);
    }

    /// Returns the receiving rate r_recv in bit/s (section 5.1.3).
    fn receiving_rate(&self) -> f64 {
        let arrived = self.window.iter().filter(|sample| sample.queueing.is_some());
        arrived.map(|sample| f64::from(sample.size)).sum::<f64>() * 8e3 / self.constants.logwin
    }

    /// Returns the aggregate congestion signal x_curr in ms (Equations 1 and 2).
    fn congestion(&self) -> f64 {
        let Constants { qth, lambda, multiloss, dloss, dmark, plrref, pmrref, xmax, .. } = self.constants;
        let delay = self.recent.iter().copied().fold(f64::INFINITY, f64::min);
        let delay = if delay.is_finite() { delay } else { 0.0 };
        let warped = if delay < qth { delay } else { qth * libm::exp(-lambda * (delay - qth) / qth) };
        let weight = self.intervals.weight(multiloss);
        let square = |ratio: f64| ratio * ratio;
        let signal = weight * warped
            + (1.0 - weight) * delay
            + dmark * square(self.marking / pmrref)
            + dloss * square(self.loss / plrref);
        if xmax > 0.0 { signal.min(xmax) } else { signal }
    }

    /// Whether the network is underutilised (section 4.2): no loss and no queue within the observation window.
    fn is_underused(&self) -> bool {
        self.window.iter().all(|sample| sample.queueing.is_some_and(|delay| delay < self.constants.qeps))
    }

    /// Returns the least change of rates for the rate-shaping buffer (Equations 11 and 12).
    fn shaping(&self, beta: f64, queue: u64) -> f64 {
        (SHAPING_LIMIT * self.rate).min(beta * 8.0 * queue as f64 * self.setup.fps)
    }
}

impl Control for Nada {
    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.observe(feedback);
        let Constants { prio, xref, kappa, eta, tau, delta, dfilt, gamma_max, qbound, .. } = self.constants;
        let signal = self.congestion();
        let since = ms(self.last.map_or(0, |last| feedback.now - last));
        if self.is_underused() {
            // Equations 3 and 4.
            let gamma = gamma_max.min(qbound / (ms(feedback.rtt) + delta + dfilt));
            self.rate = self.rate.max((1.0 + gamma) * self.receiving_rate());
        } else {
            // Equations 5 to 7.
            let offset = signal - prio * xref * self.setup.max_rate / self.rate;
            let change = signal - self.signal;
            self.rate -= kappa * since / tau * offset / tau * self.rate + kappa * eta * change / tau * self.rate;
        }
        // Equations 8 and 9.
        self.rate = self.setup.clip(self.rate);
        self.signal = signal;
        self.last = Some(feedback.now);
    }

    fn rates(&self, queue: u64) -> Rates {
        // Equations 13 and 14.
        Rates {
            target: (self.rate - self.shaping(self.constants.beta_v, queue)).max(self.setup.min_rate),
            pacing: (self.rate + self.shaping(self.constants.beta_s, queue)).min(self.setup.max_rate),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, Packet};

    const SETUP: Setup =
        Setup { min_rate: 150e3, max_rate: 1.5e6, start_rate: 150e3, packet: 1240, fps: 30.0, l4s: false };
    const MS: Nanos = 1_000_000;

    /// Feeds reports of ten packets each 100 ms; each packet has 625 bytes (500 kbit/s) and the delay that `delay`
    /// returns for its number, in ms.
    fn feed(nada: &mut Nada, reports: std::ops::Range<u64>, delay: impl Fn(u64) -> Option<u64>) {
        for report in reports {
            let packets: Vec<_> = (report * 10..report * 10 + 10)
                .map(|number| {
                    let packet = Packet { number, size: 625, sent: number * 10 * MS };
                    let arrival = delay(number).map(|delay| packet.sent + delay * MS);
                    Outcome { packet, arrival, marked: false }
                })
                .collect();
            let reported = (report + 1) * 100 * MS + 50 * MS;
            let now = reported + 50 * MS;
            nada.on_feedback(&Feedback { now, reported, rtt: 100 * MS, outcomes: &packets, in_flight: 0 });
        }
    }

    fn nada() -> Nada {
        Nada::new(&SETUP, &[])
    }

    #[test]
    fn ramp_up_is_a_multiple_of_the_receiving_rate() {
        let mut nada = nada();
        feed(&mut nada, 0..10, |_| Some(50));
        // gamma = min(0.5, 50 / (100 + 100 + 120)) = 0.15625, of 500 kbit/s over the window of 500 ms.
        assert!((nada.rates(0).target / (1.156_25 * 500e3) - 1.0).abs() < 0.03, "{:?}", nada.rates(0));
    }

    #[test]
    fn gradual_update_follows_equation_7() {
        let mut nada = nada();
        // A constant queueing delay of 30 ms after a base of 50 ms.
        feed(&mut nada, 0..10, |_| Some(50));
        feed(&mut nada, 10..12, |_| Some(80));
        let (rate, before) = (nada.rate, nada.signal);
        assert_eq!(before, 30.0, "15 samples are over");
        feed(&mut nada, 12..13, |_| Some(80));
        let offset = 30.0 - 10.0 * 1.5e6 / rate;
        let expected = rate - 0.5 * (100.0 / 500.0) * (offset / 500.0) * rate;
        assert!((nada.rate - expected).abs() < 1e-6, "{} {expected}", nada.rate);
        // The change of the signal counts twice: 12 ms more lower the rate by 0.5 * 2 * 12 / 500.
        feed(&mut nada, 13..14, |_| Some(92));
        let waited = nada.signal;
        let change = 30.0 - waited;
        assert_eq!(change, 0.0, "the minimum filter still has older samples");
        let rate = nada.rate;
        feed(&mut nada, 14..15, |_| Some(92));
        let offset = 42.0 - 10.0 * 1.5e6 / rate;
        let expected = rate * (1.0 - 0.5 * 0.2 * offset / 500.0 - 0.5 * 2.0 * 12.0 / 500.0);
        assert!((nada.rate - expected).abs() < 1e-6, "{} {expected}", nada.rate);
    }

    /// At equilibrium x_curr = PRIO * XREF * RMAX / r_ref (section 4.3).
    #[test]
    fn equilibrium() {
        for (prio, delay, rate) in [(1.0, 20, 750e3), (1.0, 15, 1e6), (0.5, 10, 750e3), (2.0, 30, 1e6)] {
            let mut nada = Nada::new(&SETUP, &[("prio", prio)]);
            feed(&mut nada, 0..1, |_| Some(50));
            feed(&mut nada, 1..3000, |_| Some(50 + delay));
            assert!((nada.rate / rate - 1.0).abs() < 5e-3, "{prio} {delay}: {}", nada.rate);
        }
    }

    #[test]
    fn losses_and_marks_are_delay() {
        let mut nada = nada();
        nada.recent.push_back(20.0);
        (nada.loss, nada.marking) = (0.02, 0.03);
        // 20 + 2 * 3^2 + 10 * 2^2.
        assert!((nada.congestion() - 78.0).abs() < 1e-9);
        nada.recent.clear();
        nada.recent.push_back(150.0);
        assert!((nada.congestion() - 208.0).abs() < 1e-9, "without a recent loss delay is not warped");
    }

    /// The swing after an overflow, by hand from Equations 2, 7 and 10: 60 % of the packets are lost for half a second, as
    /// when 1.5 Mbit/s meet 0.6 Mbit/s. The signal rises to 4.4 s, and its change takes the rate to RMIN within 0.4 s. When
    /// the losses have left the window, the same change with the other sign takes the rate to RMAX in five reports, while
    /// the signal itself is still 1.4 s.
    ///
    /// A signal of at most 500 ms, as in ns3-rmcat, falls only once p_loss is below 7 %, and by so little that the rate stays
    /// below 200 kbit/s.
    #[test]
    fn an_overflow_swings_the_rate() {
        for (xmax, highest, last) in [(0.0, 4441.0, 1.5e6..=1.5e6), (500.0, 500.0, 150e3..=200e3)] {
            let mut nada = Nada::new(&SETUP, &[("xmax", xmax)]);
            // A queueing delay of 20 ms keeps the gradual update.
            feed(&mut nada, 0..1, |_| Some(50));
            feed(&mut nada, 1..20, |_| Some(70));
            nada.rate = 1.2e6;
            let (mut signals, mut rates) = (Vec::new(), Vec::new());
            for report in 20..35 {
                feed(&mut nada, report..report + 1, |number| (report >= 25 || number % 10 < 4).then_some(70));
                signals.push(nada.signal);
                rates.push(nada.rate);
            }
            let peak = signals.iter().copied().fold(0.0, f64::max);
            assert!((peak / highest - 1.0).abs() < 0.1, "{xmax}: {signals:?}");
            assert!(rates[7] < 160e3 && last.contains(&nada.rate), "{xmax}: {rates:?}");
            assert!(nada.signal > 400.0, "{xmax}: {signals:?}");
        }
    }

    #[test]
    fn delay_is_warped_after_a_loss() {
        let mut nada = nada();
        feed(&mut nada, 0..10, |_| Some(50));
        feed(&mut nada, 10..20, |number| (number != 150).then_some(200));
        let weight = nada.intervals.weight(7.0);
        assert_eq!(weight, 1.0);
        // Equation 1 with a queueing delay of 150 ms: 50 exp(-0.5 * 100 / 50).
        let warped = 50.0 * libm::exp(-1.0);
        assert!((nada.congestion() - warped - 10.0 * (nada.loss / 0.01) * (nada.loss / 0.01)).abs() < 1e-9);
        // The loss of packet 150 is a first interval of 150 packets. It expires after 7 of these intervals.
        feed(&mut nada, 20..115, |_| Some(200));
        assert_eq!(nada.intervals.weight(7.0), 1.0);
        feed(&mut nada, 115..128, |_| Some(200));
        assert!((0.1..0.9).contains(&nada.intervals.weight(7.0)), "{}", nada.intervals.weight(7.0));
        feed(&mut nada, 128..137, |_| Some(200));
        assert_eq!(nada.intervals.weight(7.0), 0.0);
    }

    #[test]
    fn a_loss_ends_the_ramp_up_for_the_observation_window() {
        let mut nada = nada();
        feed(&mut nada, 0..10, |number| (number != 95).then_some(50));
        assert!(!nada.is_underused());
        feed(&mut nada, 10..14, |_| Some(50));
        assert!(!nada.is_underused());
        feed(&mut nada, 14..16, |_| Some(50));
        assert!(nada.is_underused());
    }

    /// "A rate-shaping buffer of 2000 bytes will lead to a rate adjustment of 48 Kbps" (section 5.2.2).
    #[test]
    fn the_rate_shaping_buffer() {
        let mut nada = nada();
        nada.rate = 1e6;
        let Rates { target, pacing } = nada.rates(2_000);
        assert!((1e6 - target - 48e3).abs() < 1e-6 && (pacing - 1e6 - 48e3).abs() < 1e-6);
        assert_eq!(nada.rates(1 << 20).target, 0.95e6, "at most 5 %");
        nada.rate = 150e3;
        assert_eq!(nada.rates(2_000).target, 150e3);
        nada.rate = 1.5e6;
        assert_eq!(nada.rates(2_000).pacing, 1.5e6);
    }
}
