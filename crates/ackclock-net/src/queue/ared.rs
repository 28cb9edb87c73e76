//! Adaptive RED (S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED: An Algorithm for Increasing the Robustness of RED's Active
//! Queue Management", 2001), as ns-2.35 has it: [`super::red`] with a `max_p` that keeps the average halfway between the
//! thresholds.
//!
//! # Equations
//!
//! At an arrival more than `interval` after the last change, with the average avg and thresholds min and max:
//!
//! - avg above max - 0.4 (max - min), and `max_p` below `top`: `max_p` rises by `alpha`, by a quarter of itself at most.
//! - avg below min + 0.4 (max - min), and `max_p` above `bottom`: `max_p` is multiplied by `beta`.
//!
//! # Constants
//!
//! alpha 0.01, beta 0.9, interval 0.5 s, top 0.5 (paper, section 4). The bottom is 0.01 there; as in ns-2, it is the probability at
//! which one of the packets of an RTT is lost where that is less: 80 kbit/s over the rate, of 1000-byte packets and an RTT of
//! 100 ms. RED's own: weight 1 - exp(-1/C), thresholds of a delay of 5 ms (sections 5.1 and 5.2), all of which are RED's defaults.
//!
//! # Deviations
//!
//! - With `gentle` the probability rises from the present `max_p`, as in the paper; in ns-2, from one that would join the first.
//!
//! # Validated against
//!
//! A slow reference, packet by packet; and that, drawing ns-2's random numbers, against ns-2.35 itself below the maximum.

use super::red::{self, Red};
use super::{Entry, Otherwise, Parameter, Quantity, Settings};
use crate::Nanos;

const ALPHA: Parameter = Parameter {
    name: "alpha",
    summary: "By how much max_p rises.",
    quantity: Quantity::Number,
    default: Otherwise::Is(0.01),
    range: (0.0, 1.0),
};
const BETA: Parameter = Parameter {
    name: "beta",
    summary: "By what max_p is multiplied to fall.",
    quantity: Quantity::Number,
    default: Otherwise::Is(0.9),
    range: (0.0, 1.0),
};
const TOP: Parameter = Parameter {
    name: "top",
    summary: "From here on max_p does not rise.",
    quantity: Quantity::Probability,
    default: Otherwise::Is(0.5),
    range: (0.0, 1.0),
};
const BOTTOM: Parameter = Parameter {
    name: "bottom",
    summary: "Down from here max_p does not fall.",
    quantity: Quantity::Probability,
    default: Otherwise::Follows("0.01, or 80 kbit/s over the link's rate where that is less"),
    range: (0.0, 1.0),
};
const INTERVAL: Parameter = Parameter {
    name: "interval",
    summary: "Time between two changes of max_p.",
    quantity: Quantity::Time,
    default: Otherwise::Is(0.5e9),
    range: (0.0, 1e12),
};

const PARAMETERS: [Parameter; red::PARAMETERS.len() + 5] = {
    let mut parameters = [ALPHA; red::PARAMETERS.len() + 5];
    let (own, shared) = parameters.split_at_mut(5);
    own.copy_from_slice(&[ALPHA, BETA, TOP, BOTTOM, INTERVAL]);
    shared.copy_from_slice(&red::PARAMETERS);
    parameters
};

pub(super) const ENTRY: Entry = Entry {
    name: "ared",
    summary: "Adaptive RED: RED with a drop probability that keeps the average queue halfway between the thresholds.",
    source: "Floyd, Gummadi, Shenker, 2001; ns-2.35",
    limit: None,
    parameters: &PARAMETERS,
    check,
    make: |settings| Box::new(Red::new(settings).adaptive(|least, most| Adaptation::new(settings, least, most))),
};

fn check(settings: &Settings<'_>) -> Vec<(&'static str, String)> {
    let mut problems = red::check(settings);
    let bottom = bottom(settings);
    if settings.get(&TOP) < bottom {
        problems.push((TOP.name, format!("at least the bottom, {bottom}")));
    }
    problems
}

fn bottom(settings: &Settings<'_>) -> f64 {
    settings.given(&BOTTOM).unwrap_or((80_000.0 / settings.rate.get() as f64).min(0.01))
}

/// How `max_p` adapts itself.
pub(super) struct Adaptation {
    alpha: f64,
    beta: f64,
    top: f64,
    bottom: f64,
    interval: Nanos,
    /// The averages below and above which it is changed.
    low: f64,
    high: f64,
    changed: Nanos,
}

impl Adaptation {
    fn new(settings: &Settings<'_>, least: f64, most: f64) -> Adaptation {
        let part = 0.4 * (most - least);
        Adaptation {
            alpha: settings.get(&ALPHA),
            beta: settings.get(&BETA),
            top: settings.get(&TOP),
            bottom: bottom(settings),
            interval: settings.get(&INTERVAL) as Nanos,
            low: least + part,
            high: most - part,
            changed: 0,
        }
    }

    /// What `max_p` becomes.
    pub(super) fn max_p(&mut self, max_p: f64, at: Nanos, average: f64) -> f64 {
        if at - self.changed <= self.interval {
            return max_p;
        }
        if average < self.low && max_p > self.bottom {
            self.changed = at;
            max_p * self.beta
        } else if average > self.high && max_p < self.top {
            self.changed = at;
            max_p + self.alpha.min(0.25 * max_p)
        } else {
            max_p
        }
    }
}
