//! Adaptive RED (S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED: An Algorithm for Increasing the Robustness of RED's
//! Active Queue Management", 2001), as implemented in ns-2.35: [`super::red`] with a `max_p` that keeps the average
//! queue halfway between the thresholds.
//!
//! # Equations
//!
//! Let avg be the average queue, and min and max the thresholds. `max_p` changes at an arrival more than `interval`
//! after the last change:
//!
//! - If avg is above max - 0.4 (max - min) and `max_p` below `top`, `max_p` rises by `alpha`, but by at most a quarter
//!   of itself.
//! - If avg is below min + 0.4 (max - min) and `max_p` above `bottom`, `max_p` is multiplied by `beta`.
//!
//! # Constants
//!
//! The defaults are alpha 0.01, beta 0.9, interval 0.5 s and top 0.5 (paper, section 4). The bottom is 0.01 in the
//! paper. As in ns-2, it is less on fast links: 80 kbit/s over the rate, the probability at which one packet of an RTT
//! is lost, for packets of 1000 bytes and an RTT of 100 ms. The paper's settings of RED are also the defaults of RED:
//! weight 1 - exp(-1/C), and thresholds for a delay of 5 ms (sections 5.1 and 5.2).
//!
//! # Deviations
//!
//! - With `gentle`, the probability above the maximum threshold rises from the present `max_p`, as in the paper. In
//!   ns-2 it rises from the initial `max_p`.
//!
//! # Validated against
//!
//! A slow reference implementation, packet by packet. The reference was compared with ns-2.35 itself below the maximum
//! threshold, with ns-2's random numbers.

use ackclock_core::{joined, parameters};

use super::adaptation::Adaptation;
use super::red::{self, Red};
use super::{Entry, Settings};
use crate::Nanos;

parameters! {
    /// Parameters of the adaptation.
    struct Parameters {
        alpha: f64 = is(0.01), (0.0, 1.0), Number, "Largest increase of max_p in one change.";
        beta: f64 = is(0.9), (0.0, 1.0), Number, "Factor by which max_p falls in one change.";
        top: f64 = is(0.5), (0.0, 1.0), Probability, "Upper bound of max_p.";
        bottom: Option<f64> = follows("0.01, or 80 kbit/s over the link's rate where that is less"), (0.0, 1.0), Probability,
            "Lower bound of max_p.";
        interval: Nanos = is(0.5e9), (0.0, 1e12), Time, "Time between two changes of max_p.";
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "ared",
    summary: "Adaptive RED: RED with a drop probability that keeps the average queue halfway between the thresholds.",
    source: "Floyd, Gummadi, Shenker, 2001; ns-2.35",
    limit: None,
    parameters: joined!(Parameters::ROWS, red::Parameters::ROWS),
    check,
    make: |settings| Box::new(Red::new(settings).adaptive(|least, most| adaptation(settings, least, most))),
};

fn check(settings: &Settings<'_>) -> Vec<(&'static str, String)> {
    let mut problems = red::check(settings);
    let given = Parameters::read(settings.given);
    let bottom = bottom(&given, settings);
    if given.top < bottom {
        problems.push(("top", format!("at least the bottom, {bottom}")));
    }
    problems
}

fn bottom(given: &Parameters, settings: &Settings<'_>) -> f64 {
    given.bottom.unwrap_or((80_000.0 / settings.rate.bits() as f64).min(0.01))
}

fn adaptation(settings: &Settings<'_>, least: f64, most: f64) -> Adaptation {
    let part = 0.4 * (most - least);
    let given = Parameters::read(settings.given);
    Adaptation {
        alpha: given.alpha,
        beta: given.beta,
        top: given.top,
        bottom: bottom(&given, settings),
        interval: given.interval,
        low: least + part,
        high: most - part,
        changed: 0,
    }
}
