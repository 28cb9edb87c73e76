//! Quantities that are drawn from a distribution: times, volumes, numbers. A plain quantity in place of the table is a
//! constant, and a constant is written back as a plain quantity.

use std::fmt::Debug;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::kinds::{Count, Info, Kind, Quantity, Scalar, count, real, time, volume};
use crate::lists::{Ascending, list};
use crate::problems::Problems;
use crate::quantity::{TIME, VOLUME};
use crate::record::{optional, required};
use crate::renewal::Renewal;
use crate::tree::{KeyPath, Node, Value};
use crate::union::{Tagged, tagged};
use crate::{record, union};
use ackclock_core::{self as core, Distribution};

/// Dimension and unit of a quantity that can be drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// A time, in nanoseconds.
    Time,
    /// A volume, in bytes.
    Volume,
    /// A number of counted things.
    Number,
}

/// A quantity that can be drawn.
pub trait Drawn: Copy + Default + PartialEq + PartialOrd + Debug + From<u64> + Into<u64> {
    /// Dimension of the quantity.
    const MEASURE: Measure;
    /// Minimum value of a constant.
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
    /// A number of counted things, at least one.
    Number = Number from 1;
}

/// Maximum of a number of counted things.
const MOST_COUNTED: u64 = 1_000_000;

/// Returns the largest value of the dimension; the mean of a distribution must not exceed it.
fn most<T: Drawn>() -> u64 {
    match T::MEASURE {
        Measure::Time => TIME.max,
        Measure::Volume => VOLUME.max,
        Measure::Number => MOST_COUNTED,
    }
}

/// Kind of a quantity that can be drawn.
pub enum Measured<T> {
    /// A time or a volume, with a unit.
    Quantity(Quantity<T>),
    /// A number without a unit.
    Count(Count<T>),
}

/// Returns the kind of a quantity of at least `least`, which is zero or one.
fn measured<T: Drawn>(least: u64) -> Measured<T> {
    let quantity = |any: Quantity<T>| Measured::Quantity(if least > 0 { any.positive() } else { any });
    match T::MEASURE {
        Measure::Time => quantity(time()),
        Measure::Volume => quantity(volume()),
        Measure::Number => Measured::Count(count("", least, MOST_COUNTED)),
    }
}

/// Applies the same expression to either kind.
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
    /// A quantity that is constant or drawn anew for each use. A plain quantity means a constant.
    pub enum Random<T: Drawn>, otherwise Some(("constant", "value")), {
        /// The same value for each use.
        "constant" => Constant(Constant<T>),
        /// Exponentially distributed.
        "exponential" => Exponential(Exponential<T>),
        /// Uniformly distributed over the integers of the smallest unit.
        "uniform" => Uniform(Uniform<T>),
        /// Pareto distributed: a draw exceeds x with probability (scale / x)^shape.
        "pareto" => Pareto(Pareto<T>),
        /// Shifted Pareto: a draw, before plus is added, exceeds x with probability (scale / (x + shift))^shape.
        "shifted-pareto" => ShiftedPareto(ShiftedPareto<T>),
        /// Log-normally distributed.
        "log-normal" => LogNormal(LogNormal<T>),
        /// An empirical distribution, given by points of its cumulative distribution function with linear
        /// interpolation.
        "empirical" => Empirical(Empirical<T>),
    }
}

record! {
    /// The same value for each use.
    pub struct Constant<T: Drawn> {
        /// Value of every draw.
        value: T = required(measured(T::LEAST));
    }
}

record! {
    /// An exponential distribution.
    pub struct Exponential<T: Drawn> {
        /// Mean of the distribution.
        mean: T = required(measured(1));
    }
}

record! {
    /// A uniform distribution over the integers of the smallest unit.
    pub struct Uniform<T: Drawn> {
        /// Minimum value.
        min: T = required(measured(0));
        /// Maximum value.
        max: T = required(measured(1));
    }
}

record! {
    /// A Pareto distribution; give either its scale or its mean.
    pub struct Pareto<T: Drawn> {
        /// Exponent of the tail; the mean is infinite for a shape up to one.
        shape: f64 = required(real(0.01, 100.0));
        /// Minimum value.
        scale: Option<T> = optional("as mean and shape have it", measured(1));
        /// Mean without the cap; it requires a shape above one.
        mean: Option<T> = optional("as scale and shape have it", measured(1));
        /// Maximum value; larger draws become this value.
        cap: Option<T> = optional("no bound", measured(1));
    }
}

record! {
    /// A Pareto distribution with its origin shifted.
    pub struct ShiftedPareto<T: Drawn> {
        /// Exponent of the tail; the mean is infinite for a shape up to one.
        shape: f64 = required(real(0.01, 100.0));
        /// Minimum value before the shift.
        scale: T = required(measured(1));
        /// Value that is subtracted from each draw.
        shift: T = required(measured(0));
        /// Value that is added to each draw.
        plus: Option<T> = optional("nothing", measured(0));
        /// Maximum value after plus is added; larger draws become this value.
        cap: Option<T> = optional("no bound", measured(1));
    }
}

record! {
    /// A log-normal distribution.
    pub struct LogNormal<T: Drawn> {
        /// Median of the distribution.
        median: T = required(measured(1));
        /// Standard deviation of the natural logarithm.
        sigma: f64 = required(real(0.001, 10.0));
        /// Maximum value; larger draws become this value.
        cap: Option<T> = optional("no bound", measured(1));
    }
}

record! {
    /// An empirical distribution, interpolated as in ns-2. A draw up to the first probability gives the first value; a
    /// draw between two points is interpolated linearly and rounded up.
    pub struct Empirical<T: Drawn> {
        /// Values of the distribution, in ascending order.
        values: Vec<T> = required(Ascending(list("value", measured(0))));
        /// Probability for each value that a draw does not exceed it, in ascending order.
        probabilities: Vec<f64> = required(Ascending(list("probability", real(0.0, 1.0))));
    }
}

impl<T: Drawn> Random<T> {
    /// Returns the distribution of the draws.
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

    /// Returns the mean, rounded to the nearest whole number.
    pub fn typical(&self) -> u64 {
        match self {
            Random::Constant(given) => given.value.into(),
            random => libm::round(random.distribution().mean()) as u64,
        }
    }

    /// Returns a mistake in the fields taken together: the field, and a message that starts with its value.
    fn wrong(&self) -> Option<(&'static str, String)> {
        self.contradiction().or_else(|| self.too_wide())
    }

    /// Returns the field that decides the spread, if it makes the mean larger than the quantity may be. Draws are
    /// bounded, so their mean would differ from such a mean, too.
    fn too_wide(&self) -> Option<(&'static str, String)> {
        let (field, accepted) = match self {
            Random::LogNormal(_) => ("sigma", "less"),
            Random::Pareto(_) | Random::ShiftedPareto(_) => ("shape", "more"),
            _ => return None,
        };
        let most = most::<T>();
        // A mean that is not a number does not fit.
        let fits = self.distribution().mean() <= most as f64;
        let bound = Scalar::write(&measured::<T>(0), &T::from(most));
        let bound = bound.as_str().map_or_else(|| bound.to_string(), str::to_owned);
        (!fits).then(|| (field, format!("gives a mean of more than {bound}; accepted: {accepted}, or a cap")))
    }

    /// Returns a contradiction between fields.
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

/// Kind of a quantity that can be drawn.
pub struct Drawing<T: Drawn>(Tagged<Random<T>>);

/// Returns the kind of a quantity that is constant or drawn.
pub fn drawn<T: Drawn>() -> Drawing<T> {
    Drawing(tagged())
}

impl<T: Drawn> Kind for Drawing<T> {
    type Value = Random<T>;

    fn renew(&self, node: &mut Node, at: &KeyPath, renewal: &mut Renewal) {
        self.0.renew(node, at, renewal);
    }

    fn read(&self, node: &Node, at: &KeyPath, problems: &mut Problems<'_>) -> Random<T> {
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
