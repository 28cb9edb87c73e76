//! GCC, Google congestion control: the lower of a delay-based and a loss-based rate.
//!
//! Two forms are listed. `gcc-draft` is draft-ietf-rmcat-gcc-02. `gcc` has the changes that WebRTC has published since: a
//! trendline filter, a slower additive increase with an estimate of the link's capacity, and a loss rule over the last
//! second. Neither form sends probes.
//!
//! # Equations
//!
//! Packets sent within 5 ms are a group, as are packets that arrive in a burst after a delay (draft section 5.2). The delay
//! variation d of a group is the time between arrivals less the time between departures.
//!
//! - `gcc`: the slope of the least-squares line through the last 20 smoothed sums of d (weight 0.9 of the past), times 4 and
//!   times the number of groups up to 60, in ms.
//! - `gcc-draft`: the estimate m of a scalar Kalman filter on d (section 5.3), times the number of groups up to 60.
//!
//! If the estimate exceeds the threshold for `overuse_time` and does not fall, that is over-use; below the negative
//! threshold it is under-use. The threshold follows the estimate: it grows by K (|estimate| - threshold) for each ms, with
//! one K above and another below, within 6 and 600 ms (section 5.4).
//!
//! - Over-use: rate = `beta` times the receiving rate over 500 ms; then hold while the queue drains.
//! - Normal: rate times `eta` each second, or near the rate of the last over-use additively (section 5.5), and at most 1.5
//!   times the receiving rate.
//!
//! The loss-based rate falls by half of the loss ratio above 10 % and grows below 2 % (section 6).
//!
//! # Constants
//!
//! | constant | `gcc` | `gcc-draft` |
//! |---|---|---|
//! | gains of the threshold above and below it, per ms | 0.0087, 0.039 | 0.01, 0.00018 |
//! | additive increase | a packet in twice (100 ms + RTT), at least 4 kbit/s per s | half a packet in 100 ms + RTT, at least 1 kbit/s |
//! | loss-based increase | 8 % and 1 kbit/s above the least rate of a second | 5 % for each second |
//! | loss-based decrease | once in 300 ms + RTT | once a second |
//!
//! Reports are transport-wide feedback; with `gcc` every 50 to 250 ms, so that they take 5 % of the rate.
//!
//! # Deviations
//!
//! - The draft compares m itself with the threshold. WebRTC's detector of the time multiplied it by up to 60 first. Without
//!   the factor a rate of 1.3 times the capacity is no over-use in `gcc-draft`, so it has the factor.
//! - WebRTC finds the rate at the start by probes, and raises it faster after them. Here the rate grows by 8 % in a second: from
//!   150 kbit/s to 1 Mbit/s it takes 25 s.
//! - WebRTC's estimate of the receiving rate is Bayesian; here it is the draft's window. There is no detection of
//!   application-limited times, and the loss rule is the one before WebRTC's second version.
//!
//! # Validated against
//!
//! Filters, detector, AIMD and loss rules by hand; a link of constant and of falling rate in a few lines of arithmetic; the
//! cases of RFC 8867 ([results](../rmcat.md)).

mod aimd;
mod detector;
mod groups;
mod kalman;
mod losses;
mod trendline;

use ackclock_core::Nanos;
use ackclock_core::parameters::Given;

use crate::control::every_100_ms;
use crate::{Control, Entry, Feedback, Format, Meter, Rates, Setup};
use aimd::Aimd;
use groups::Groups;
use kalman::Kalman;
use losses::Losses;
use trendline::Trendline;

/// The entry of the form of WebRTC.
pub(crate) const ENTRY: Entry = Entry {
    name: "gcc",
    summary: "GCC as in WebRTC: trendline filter, adaptive threshold, AIMD rate, loss-based bound; without probes",
    source: "draft-ietf-rmcat-gcc-02 and the published trendline filter and AIMD of WebRTC",
    parameters: Constants::ROWS,
    format: Format::Twcc,
    interval: feedback_interval,
    make: |setup, given| Box::new(Gcc::new(setup, given, true)),
};

/// The entry of the draft's form.
pub(crate) const DRAFT: Entry = Entry {
    name: "gcc-draft",
    summary: "GCC as in the draft: Kalman filter, adaptive threshold, AIMD rate, loss-based bound",
    source: "draft-ietf-rmcat-gcc-02",
    parameters: Constants::ROWS,
    format: Format::Twcc,
    interval: every_100_ms,
    make: |setup, given| Box::new(Gcc::new(setup, given, false)),
};

ackclock_core::parameters! {
    /// Constants of GCC that both forms have.
    pub(crate) struct Constants {
        beta: f64 = is(0.85), (0.1, 0.99), Number, "factor of the receiving rate after over-use, beta";
        eta: f64 = is(1.08), (1.0, 2.0), Number, "multiplicative increase per second, eta";
        threshold: f64 = is(12.5), (1.0, 600.0), In("ms"), "over-use threshold at the start, del_var_th(0)";
        overuse_time: f64 = is(10.0), (0.0, 1e3), In("ms"), "time of over-use until it is signalled, overuse_time_th";
        pacing_gain: f64 = is(2.5), (1.0, 100.0), Number, "pacing rate over the target rate";
    }
}

/// State of the network, as the over-use detector sees it (draft section 5.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Usage {
    Normal,
    Over,
    Under,
}

/// Window of the receiving rate (draft section 5.5: a window of 0.5 s).
const WINDOW: Nanos = 500_000_000;

/// Time between reports of WebRTC's transport-wide feedback in ns: 5 % of the rate for reports of 68 bytes, between 50
/// and 250 ms.
fn feedback_interval(rate: f64) -> Nanos {
    (68.0 * 8.0 * 1e9 / (0.05 * rate).max(1.0)).clamp(50e6, 250e6) as Nanos
}

/// The filter that estimates how the delay grows.
#[derive(Debug)]
enum Filter {
    Trendline(Trendline),
    Kalman(Kalman),
}

/// The sender's state.
#[derive(Debug)]
struct Gcc {
    setup: Setup,
    pacing_gain: f64,
    groups: Groups,
    filter: Filter,
    rate: Aimd,
    losses: Losses,
    received: Meter,
}

impl Gcc {
    fn new(setup: &Setup, given: Given<'_>, is_webrtc: bool) -> Gcc {
        let constants = Constants::read(given);
        let filter = if is_webrtc {
            Filter::Trendline(Trendline::new(&constants))
        } else {
            Filter::Kalman(Kalman::new(&constants))
        };
        Gcc {
            setup: *setup,
            pacing_gain: constants.pacing_gain,
            groups: Groups::default(),
            filter,
            rate: Aimd::new(setup, &constants, is_webrtc),
            losses: Losses::new(setup.clip(setup.start_rate), is_webrtc),
            received: Meter::new(WINDOW),
        }
    }
}

impl Control for Gcc {
    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        let mut over = false;
        let mut usage = None;
        for outcome in feedback.outcomes {
            let Some(arrival) = outcome.arrival else { continue };
            self.received.add(arrival, outcome.packet.size.into());
            let Some(delta) = self.groups.packet(outcome.packet.sent, arrival) else { continue };
            let found = match &mut self.filter {
                Filter::Trendline(filter) => filter.update(&delta),
                Filter::Kalman(filter) => filter.update(&delta),
            };
            // One report may have several groups; over-use in any of them counts.
            over |= found == Usage::Over;
            usage = Some(found);
        }
        let usage = if over { Usage::Over } else { usage.unwrap_or(self.rate.last_usage()) };
        let throughput = self.received.is_full(feedback.reported).then(|| self.received.rate(feedback.reported));
        self.rate.update(feedback.now, usage, throughput, feedback.rtt);
        self.losses.update(feedback, self.rate.rate(), &self.setup);
    }

    fn rates(&self, _queue: u64) -> Rates {
        let target = self.setup.clip(self.rate.rate().min(self.losses.rate()));
        Rates { target, pacing: target * self.pacing_gain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, Packet};

    const MS: Nanos = 1_000_000;
    const SETUP: Setup =
        Setup { min_rate: 150e3, max_rate: 1.5e6, start_rate: 300e3, packet: 1240, fps: 30.0, l4s: false };

    /// Runs GCC for `seconds` over a link of `capacity` bit/s with a delay of 50 ms and a queue without limit, with a
    /// packet of 1,000 bytes at the target rate; every `lose`-th packet is lost. Returns the rates and the queueing
    /// delays of the reports, which come every 100 ms.
    pub(super) fn run(entry: &Entry, capacity: impl Fn(Nanos) -> f64, lose: u64, seconds: u64) -> Vec<(f64, f64)> {
        let mut control = (entry.make)(&SETUP, &[]);
        let (mut now, mut number, mut free) = (0, 0, 0.0);
        let (mut next_report, mut pending, mut waited) = (100 * MS, Vec::<Outcome>::new(), 0.0);
        let mut rates = Vec::new();
        while now < seconds * 1_000 * MS {
            let packet = Packet { number, size: 1_000, sent: now };
            number += 1;
            let arrival = if lose > 0 && number.is_multiple_of(lose) {
                None
            } else {
                free = f64::max(free, now as f64) + 8_000.0 * 1e9 / capacity(now);
                waited = (free - now as f64) / 1e6;
                Some(free as Nanos + 50 * MS)
            };
            pending.push(Outcome { packet, arrival, marked: false });
            let rate = control.rates(0).target;
            now += (8_000.0 * 1e9 / rate) as Nanos;
            while now >= next_report {
                let ready = |outcome: &Outcome| outcome.arrival.is_none_or(|arrival| arrival <= next_report);
                let split = pending.iter().position(|outcome| !ready(outcome)).unwrap_or(pending.len());
                let outcomes: Vec<_> = pending.drain(..split).collect();
                let now = next_report + 50 * MS;
                let feedback =
                    Feedback { now, reported: next_report, rtt: 100 * MS, outcomes: &outcomes, in_flight: 0 };
                control.on_feedback(&feedback);
                rates.push((control.rates(0).target, waited));
                next_report += 100 * MS;
            }
        }
        rates
    }

    #[test]
    fn it_fills_a_link_and_keeps_the_queue_short() {
        for entry in [&ENTRY, &DRAFT] {
            let rates = run(entry, |_| 1e6, 0, 100);
            let late = &rates[500..];
            let mean = late.iter().map(|(rate, _)| rate).sum::<f64>() / late.len() as f64;
            assert!((0.75e6..1.02e6).contains(&mean), "{}: {mean}", entry.name);
            let waited = late.iter().map(|(_, waited)| waited).sum::<f64>() / late.len() as f64;
            assert!(waited < 60.0, "{}: {waited} ms", entry.name);
        }
    }

    #[test]
    fn a_drop_of_the_capacity_is_answered_within_two_seconds() {
        for entry in [&ENTRY, &DRAFT] {
            let capacity = |now: Nanos| if now < 60_000 * MS { 1e6 } else { 0.5e6 };
            let rates = run(entry, capacity, 0, 70);
            let least = rates[600..620].iter().map(|(rate, _)| *rate).fold(f64::INFINITY, f64::min);
            assert!(least < 0.5e6, "{}: {least}", entry.name);
        }
    }

    #[test]
    fn without_congestion_the_rate_grows_by_8_per_cent_a_second() {
        // The draft's loss-based rate grows by 5 % in each report of a second.
        for (entry, percent) in [(&ENTRY, 1.08), (&DRAFT, 1.05)] {
            let rates = run(entry, |_| 1e9, 0, 30);
            let growth = rates[200].0 / rates[100].0;
            let expected = libm::pow(percent, 10.0);
            assert!((growth / expected - 1.0).abs() < 0.08, "{}: {growth}", entry.name);
        }
    }

    #[test]
    fn losses_of_a_fifth_lower_the_rate_and_of_a_hundredth_do_not() {
        for entry in [&ENTRY, &DRAFT] {
            assert_eq!(run(entry, |_| 1e9, 5, 30).last().unwrap().0, SETUP.min_rate, "{}", entry.name);
            assert!(run(entry, |_| 1e9, 100, 30).last().unwrap().0 > 1e6, "{}", entry.name);
        }
    }

    #[test]
    fn reports_come_every_50_to_250_ms() {
        let intervals = [1e4, 100e3, 1e6].map(feedback_interval);
        assert_eq!(intervals, [250 * MS, 108_800_000, 50 * MS]);
    }
}
