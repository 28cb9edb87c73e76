//! Quantities that are drawn from a distribution: times, volumes, numbers. A plain quantity in the place of the table is a
//! constant, and is written back as one.

use std::fmt::Debug;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::kinds::{Count, Info, Kind, Quantity, Scalar, count, real, time, volume};
use crate::lists::{Ascending, list};
use crate::problems::Problems;
use crate::quantity::{TIME, VOLUME};
use crate::record::{optional, required};
use crate::tree::{Node, Path, Value};
use crate::union::{Tagged, tagged};
use crate::{record, union};
use ackclock_core::{self as core, Distribution};

/// What is measured in which unit, and whether it may be nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// A time, in nanoseconds.
    Time,
    /// A volume, in bytes.
    Volume,
    /// A number of something.
    Number,
}

/// A quantity that can be drawn.
pub trait Drawn: Copy + Default + PartialEq + PartialOrd + Debug + From<u64> + Into<u64> {
    /// What it measures.
    const MEASURE: Measure;
    /// The least that a constant may be.
    const LEAST: u64;
}

macro_rules! drawn_quantity {
    ($(#[doc = $doc:literal] $Name:ident = $Measure:ident from $least:literal;)+) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub struct $Name(pub u64);

        impl From<u64> for $Name {
            fn from(value: u64) -> $Name { $Name(value) }
        }
        impl From<$Name> for u64 {
            fn from(value: $Name) -> u64 { value.0 }
        }
        impl Drawn for $Name {
            const MEASURE: Measure = Measure::$Measure;
            const LEAST: u64 = $least;
        }
    )+};
}

drawn_quantity! {
    /// A time above zero, in nanoseconds.
    Time = Time from 1;
    /// A time that may be zero, in nanoseconds.
    Delay = Time from 0;
    /// A volume above zero, in bytes.
    Volume = Volume from 1;
    /// A number of things, at least one.
    Number = Number from 1;
}

/// The most that there can be of what is counted.
const MOST_COUNTED: u64 = 1_000_000;

/// The largest value of what is measured, which the mean of a distribution must not exceed.
fn most<T: Drawn>() -> u64 {
    match T::MEASURE {
        Measure::Time => TIME.max,
        Measure::Volume => VOLUME.max,
        Measure::Number => MOST_COUNTED,
    }
}

/// The kind of a quantity that can be drawn.
pub enum Measured<T> {
    /// A time or a volume, with a unit.
    Quantity(Quantity<T>),
    /// A number without unit.
    Count(Count<T>),
}

/// A quantity of at least `least`, which is zero or one.
fn measured<T: Drawn>(least: u64) -> Measured<T> {
    let quantity = |any: Quantity<T>| Measured::Quantity(if least > 0 { any.positive() } else { any });
    match T::MEASURE {
        Measure::Time => quantity(time()),
        Measure::Volume => quantity(volume()),
        Measure::Number => Measured::Count(count("", least, MOST_COUNTED)),
    }
}

/// Does the same with either kind.
macro_rules! either {
    ($measured:expr, $kind:ident => $what:expr) => {
        match $measured {
            Measured::Quantity($kind) => $what,
            Measured::Count($kind) => $what,
        }
    };
}

impl<T: Drawn> Scalar for Measured<T> {
    type Value = T;

    fn parse(&self, value: &Value) -> Result<T, String> {
        either!(self, kind => kind.parse(value))
    }

    fn placeholder(&self) -> T {
        T::default()
    }

    fn write(&self, value: &T) -> Json {
        either!(self, kind => Scalar::write(kind, value))
    }

    fn noun(&self) -> String {
        either!(self, kind => kind.noun())
    }

    fn unit(&self) -> String {
        either!(self, kind => kind.unit())
    }

    fn accepts(&self) -> String {
        either!(self, kind => kind.accepts())
    }

    fn schema(&self) -> Json {
        either!(self, kind => kind.schema())
    }
}

union! {
    /// A quantity, fixed or drawn anew each time it is asked for. A plain quantity in its place means constant.
    pub enum Random<T: Drawn>, otherwise Some(("constant", "value")), {
        /// Always the same.
        "constant" => Constant(Constant<T>),
        /// Exponentially distributed.
        "exponential" => Exponential(Exponential<T>),
        /// Uniformly distributed over the whole numbers of the smallest unit.
        "uniform" => Uniform(Uniform<T>),
        /// Pareto distributed: above x with probability (scale / x)^shape.
        "pareto" => Pareto(Pareto<T>),
        /// Pareto distributed once shift is added: above x with probability (scale / (x + shift))^shape, before plus.
        "shifted-pareto" => ShiftedPareto(ShiftedPareto<T>),
        /// Log-normally distributed.
        "log-normal" => LogNormal(LogNormal<T>),
        /// As measured: values and the part of all that is not above each, with straight lines between.
        "empirical" => Empirical(Empirical<T>),
    }
}

record! {
    /// The same value each time.
    pub struct Constant<T: Drawn> {
        /// The value.
        value: T = required(measured(T::LEAST));
    }
}

record! {
    /// An exponential distribution.
    pub struct Exponential<T: Drawn> {
        /// The mean.
        mean: T = required(measured(1));
    }
}

record! {
    /// A uniform distribution.
    pub struct Uniform<T: Drawn> {
        /// The least value.
        min: T = required(measured(0));
        /// The largest value.
        max: T = required(measured(1));
    }
}

record! {
    /// A Pareto distribution by its scale or its mean, one of which is to be given.
    pub struct Pareto<T: Drawn> {
        /// The exponent of the tail; the mean is infinite up to one.
        shape: f64 = required(real(0.01, 100.0));
        /// The least value.
        scale: Option<T> = optional("as mean and shape have it", measured(1));
        /// The mean, as it is without cap; for a shape above one.
        mean: Option<T> = optional("as scale and shape have it", measured(1));
        /// Larger draws become this.
        cap: Option<T> = optional("no bound", measured(1));
    }
}

record! {
    /// A Pareto distribution with its origin moved.
    pub struct ShiftedPareto<T: Drawn> {
        /// The exponent of the tail; the mean is infinite up to one.
        shape: f64 = required(real(0.01, 100.0));
        /// The least value before the shift.
        scale: T = required(measured(1));
        /// What is taken off each draw.
        shift: T = required(measured(0));
        /// What is added to each draw.
        plus: Option<T> = optional("nothing", measured(0));
        /// Larger draws, with what is added, become this.
        cap: Option<T> = optional("no bound", measured(1));
    }
}

record! {
    /// A log-normal distribution.
    pub struct LogNormal<T: Drawn> {
        /// The median.
        median: T = required(measured(1));
        /// The standard deviation of the natural logarithm.
        sigma: f64 = required(real(0.001, 10.0));
        /// Larger draws become this.
        cap: Option<T> = optional("no bound", measured(1));
    }
}

record! {
    /// An empirical distribution, interpolated as ns-2 does it: a draw up to the first probability is the first value, and
    /// one between two points lies on the line between them, rounded up.
    pub struct Empirical<T: Drawn> {
        /// Values.
        values: Vec<T> = required(Ascending(list("value", measured(0))));
        /// Of each value, the probability that a draw is not above it.
        probabilities: Vec<f64> = required(Ascending(list("probability", real(0.0, 1.0))));
    }
}

impl<T: Drawn> Random<T> {
    /// The distribution that draws come from.
    pub fn distribution(&self) -> Distribution {
        let cap = |cap: Option<T>| cap.map(Into::into);
        match self {
            Random::Constant(given) => Distribution::Constant(given.value.into()),
            Random::Exponential(given) => Distribution::Exponential(given.mean.into()),
            Random::Uniform(given) => Distribution::Uniform { min: given.min.into(), max: given.max.into() },
            Random::Pareto(given) => {
                let of_mean = |mean: T| mean.into() as f64 * (given.shape - 1.0) / given.shape;
                let scale = given.scale.map(|scale| scale.into() as f64).or(given.mean.map(of_mean));
                Distribution::Pareto(core::Pareto {
                    shape: given.shape,
                    scale: scale.unwrap_or_default(),
                    shift: 0,
                    plus: 0,
                    cap: cap(given.cap),
                })
            }
            Random::ShiftedPareto(given) => Distribution::Pareto(core::Pareto {
                shape: given.shape,
                scale: given.scale.into() as f64,
                shift: given.shift.into(),
                plus: given.plus.map_or(0, Into::into),
                cap: cap(given.cap),
            }),
            Random::LogNormal(given) => {
                Distribution::LogNormal { median: given.median.into(), sigma: given.sigma, cap: cap(given.cap) }
            }
            Random::Empirical(given) => {
                let values = given.values.iter().map(|value| (*value).into());
                Distribution::Empirical(values.zip(given.probabilities.iter().copied()).collect::<Arc<[_]>>())
            }
        }
    }

    /// The mean, to the nearest whole number.
    pub fn typical(&self) -> u64 {
        match self {
            Random::Constant(given) => given.value.into(),
            random => libm::round(random.distribution().mean()) as u64,
        }
    }

    /// What is wrong with its fields taken together: the field, and a message that starts with its value.
    fn wrong(&self) -> Option<(&'static str, String)> {
        self.contradiction().or_else(|| self.too_wide())
    }

    /// The field that decides the spread, where that makes a mean beyond what such a quantity may be. Draws are bounded, so that
    /// such a mean would not be theirs either.
    fn too_wide(&self) -> Option<(&'static str, String)> {
        let (field, accepted) = match self {
            Random::LogNormal(_) => ("sigma", "less"),
            Random::Pareto(_) | Random::ShiftedPareto(_) => ("shape", "more"),
            _ => return None,
        };
        let most = most::<T>();
        // A mean that is not a number is none.
        let fits = self.distribution().mean() <= most as f64;
        let bound = Scalar::write(&measured::<T>(0), &T::from(most));
        let bound = bound.as_str().map_or_else(|| bound.to_string(), str::to_owned);
        (!fits).then(|| (field, format!("gives a mean of more than {bound}; accepted: {accepted}, or a cap")))
    }

    /// What contradicts each other of its fields.
    fn contradiction(&self) -> Option<(&'static str, String)> {
        let infinite = |shape: f64, cap: Option<T>| {
            let message = "has an infinite mean; accepted: more than 1, or a cap".to_owned();
            (shape <= 1.0 && cap.is_none()).then_some(("shape", message))
        };
        let written = |value: T| Scalar::write(&measured(0), &value).to_string();
        let low = |cap: Option<T>, least: f64| {
            let message = "is below what every draw is; accepted: more than the least value".to_owned();
            cap.filter(|cap| ((*cap).into() as f64) < least).map(|_| ("cap", message))
        };
        match self {
            Random::Constant(_) | Random::Exponential(_) => None,
            Random::Uniform(given) => {
                let message = format!("is below min; accepted: at least {}", written(given.min));
                (given.max < given.min).then_some(("max", message))
            }
            Random::Pareto(given) => match (given.scale, given.mean) {
                (None, None) => Some(("scale", "missing; accepted: scale, or mean with a shape above 1".to_owned())),
                (Some(_), Some(_)) => Some(("mean", "beside scale; accepted: scale or mean, not both".to_owned())),
                (None, Some(_)) if given.shape <= 1.0 => {
                    Some(("shape", "has no finite mean; accepted: more than 1, or scale and a cap".to_owned()))
                }
                (Some(scale), None) => infinite(given.shape, given.cap).or_else(|| low(given.cap, scale.into() as f64)),
                (None, Some(mean)) => low(given.cap, mean.into() as f64 * (given.shape - 1.0) / given.shape),
            },
            Random::ShiftedPareto(given) => {
                let (shift, scale) = (given.shift.into(), given.scale.into());
                let least = (scale as f64 - shift as f64) + given.plus.map_or(0, Into::into) as f64;
                let message =
                    format!("is more than every draw; accepted: less than the scale, {}", written(given.scale));
                let shifted = (shift >= scale).then_some(("shift", message));
                shifted.or_else(|| infinite(given.shape, given.cap)).or_else(|| low(given.cap, least))
            }
            Random::LogNormal(_) => None,
            Random::Empirical(given) => {
                let (values, probabilities) = (given.values.len(), given.probabilities.len());
                if values != probabilities {
                    let message =
                        format!("with {probabilities} entries for {values} values; accepted: one for each value");
                    return Some(("probabilities", message));
                }
                let last = "does not end in 1; accepted: the last value with probability 1".to_owned();
                (given.probabilities.last() != Some(&1.0)).then_some(("probabilities", last))
            }
        }
    }
}

/// The kind of a quantity that is drawn.
pub struct Drawing<T: Drawn>(Tagged<Random<T>>);

/// A quantity that is fixed or drawn.
pub fn drawn<T: Drawn>() -> Drawing<T> {
    Drawing(tagged())
}

impl<T: Drawn> Kind for Drawing<T> {
    type Value = Random<T>;

    fn read(&self, node: &Node, at: &Path, problems: &mut Problems<'_>) -> Random<T> {
        let random = self.0.read(node, at, problems);
        if problems.sound(at)
            && let Some((key, message)) = random.wrong()
        {
            let at = at.key(key);
            let value = problems.written(&at).map_or(String::new(), |value| format!("{value} "));
            problems.add(at, format!("{value}{message}"));
        }
        random
    }

    fn placeholder(&self) -> Random<T> {
        self.0.placeholder()
    }

    fn write(&self, value: &Random<T>) -> Json {
        match value {
            Random::Constant(constant) => Scalar::write(&measured(T::LEAST), &constant.value),
            random => self.0.write(random),
        }
    }

    fn info(&self) -> Info {
        self.0.info()
    }
}
