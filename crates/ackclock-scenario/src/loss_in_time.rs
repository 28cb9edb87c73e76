//! Losses that depend on the time and not on the number of packets.

use ackclock_core::{Distribution, Nanos};
use ackclock_net::Schedule;
use ackclock_schema::kinds::{probability, real, time};
use ackclock_schema::lists::list;
use ackclock_schema::record;
use ackclock_schema::record::{default, optional, required, table};

use super::steps::{LEAST_PERIOD, check_steps};
use ackclock_schema::Rules;
use ackclock_schema::quantity::TIME;

record! {
    /// The Gilbert-Elliott model in time. A run begins in the good state. The bad state has the share
    /// bad_time / (good_time + bad_time) of the time in the long run.
    pub struct GilbertElliottTime {
        /// Mean length of the good periods.
        good_time: Nanos = required(time().positive());
        /// Mean length of the bad periods.
        bad_time: Nanos = required(time().positive());
        /// Probability of loss in the good state.
        good_loss: u64 = default("0%", probability());
        /// Probability of loss in the bad state.
        bad_loss: u64 = default("100%", probability());
    }
}

record! {
    /// Fades that come at random: the times from the end of one to the start of the next are exponential.
    pub struct Fades {
        /// Mean time from the end of a fade to the start of the next.
        interval: Nanos = required(time().positive());
        /// Mean length of a fade.
        duration: Nanos = required(time().positive());
        /// Standard deviation of the logarithm of the lengths, which are log-normal then; zero for fades of one length.
        sigma: Option<f64> = optional("exponential lengths", real(0.0, 5.0));
        /// Probability of loss in a fade.
        loss: u64 = default("100%", probability());
        /// Probability of loss between fades.
        clear_loss: u64 = default("0%", probability());
    }
}

record! {
    /// Bursts at a fixed distance, as of a periodic interferer.
    pub struct Interference {
        /// Time from the start of one burst to the start of the next.
        period: Nanos = required(time().within(1_000, TIME.max));
        /// Length of each burst.
        duration: Nanos = required(time().positive());
        /// Start of the first burst.
        phase: Nanos = default("0s", time());
        /// Probability of loss in a burst.
        loss: u64 = default("100%", probability());
        /// Probability of loss between bursts.
        clear_loss: u64 = default("0%", probability());
    }
}

record! {
    /// A probability of loss that changes in steps.
    pub struct LossSteps {
        /// The probabilities, in the order of their times.
        steps: Vec<LossStep> = required(list("step", table()));
        /// Period after which the steps start again.
        repeat_every: Option<Nanos> = optional("it does not", time().within(LEAST_PERIOD, TIME.max));
    }
}

record! {
    /// A probability of loss that holds from a given time.
    pub struct LossStep {
        /// Time at which the probability begins; the first step begins at 0s.
        at: Nanos = required(time());
        /// Probability of loss.
        probability: u64 = required(probability());
    }
}

impl GilbertElliottTime {
    /// Returns the lengths of the good and the bad periods.
    pub fn lengths(&self) -> [Distribution; 2] {
        [self.good_time, self.bad_time].map(Distribution::Exponential)
    }
}

impl Fades {
    /// Returns the lengths of the times between fades and of the fades.
    pub fn lengths(&self) -> [Distribution; 2] {
        let fade = match self.sigma {
            None => Distribution::Exponential(self.duration),
            Some(0.0) => Distribution::Constant(self.duration),
            Some(sigma) => {
                // The mean of a log-normal distribution is its median times exp(sigma^2 / 2).
                let median = libm::round(self.duration as f64 * libm::exp(-sigma * sigma / 2.0)) as u64;
                Distribution::LogNormal { median: median.max(1), sigma, cap: None }
            }
        };
        [Distribution::Exponential(self.interval), fade]
    }
}

impl LossSteps {
    /// Returns the probability over time, in parts per billion.
    pub fn schedule(&self) -> Schedule<u64> {
        Schedule::new(self.steps.iter().map(|step| (step.at, step.probability)).collect(), self.repeat_every)
    }

    /// Refuses steps out of order.
    pub(super) fn check(&self, rules: &mut Rules<'_, '_>) {
        let at = rules.at.clone();
        rules.with(|problems| {
            if problems.sound(&at) {
                check_steps(self.steps.iter().map(|step| step.at), self.repeat_every, &at, problems);
            }
        });
    }
}

impl Interference {
    /// Refuses a burst that is longer than the period.
    pub(super) fn check(&self, rules: &mut Rules<'_, '_>) {
        let message = format!(
            "is more than the period, so that the bursts overlap; accepted: at most \"{}\"",
            TIME.write(self.period)
        );
        let needs = [rules.at.key("period")];
        rules.refuse(self.duration > self.period, "duration", &needs, "", message);
    }
}
