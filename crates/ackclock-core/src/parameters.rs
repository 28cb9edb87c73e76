//! Constants of an algorithm that a scenario may set: one declaration makes the struct that the algorithm reads and the
//! rows of its catalogue entry.
//!
//! ```
//! use ackclock_core::parameters::{self, Given};
//!
//! ackclock_core::parameters! {
//!     /// Constants of an algorithm.
//!     struct Law {
//!         beta: f64 = is(0.7), (0.1, 0.99), Number, "share of the window kept on loss";
//!         segments: Option<u64> = follows("the delay"), (1.0, 1e6), Count("segments"), "window at the start";
//!     }
//! }
//!
//! let law = Law::read(&[("beta", 0.5)]);
//! assert_eq!((law.beta, law.segments), (0.5, None));
//! assert_eq!(Law::ROWS[1].name, "segments");
//! ```

use crate::{MILLISECOND, Nanos};

/// Names and values of the parameters that are given. The others have their defaults.
pub type Given<'a> = &'a [(&'static str, f64)];

/// Kind of a parameter's value, which is stored as a number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Quantity {
    /// A plain number.
    Number,
    /// A number of this unit, such as `"ms"` or `"segments"`. Scenarios give the number without the unit.
    In(&'static str),
    /// A whole number of things, such as `"packets"`.
    Count(&'static str),
    /// A time, ns.
    Time,
    /// A volume, bytes.
    Volume,
    /// A rate, bits per second.
    Rate,
    /// A probability or a share, 0 to 1.
    Probability,
    /// Yes (1) or no (0).
    Flag,
    /// One of these names, each with a sentence; the value is the place in the list.
    Choice(&'static [(&'static str, &'static str)]),
}

/// Default of a parameter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Otherwise {
    /// This value, from the `source` of the catalogue's entry.
    Is(f64),
    /// A value that follows from the environment or from other parameters, in words.
    Follows(&'static str),
}

/// A constant of an algorithm that a scenario may set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameter {
    /// Name in scenarios.
    pub name: &'static str,
    /// Short description of the parameter, without its unit.
    pub summary: &'static str,
    /// Kind of the value.
    pub quantity: Quantity,
    /// Value of a parameter that is not given.
    pub default: Otherwise,
    /// Smallest and largest accepted value.
    pub range: (f64, f64),
}

impl Parameter {
    /// The summary with the unit of [`Quantity::In`], which follows the summary's first clause.
    pub fn described(&self) -> String {
        let Quantity::In(unit) = self.quantity else { return self.summary.to_owned() };
        match self.summary.split_once(';') {
            Some((clause, rest)) => format!("{clause}, {unit};{rest}"),
            None => format!("{}, {unit}", self.summary),
        }
    }

    /// The default, if it is a value.
    pub fn default_value(&self) -> Option<f64> {
        match self.default {
            Otherwise::Is(value) => Some(value),
            Otherwise::Follows(_) => None,
        }
    }
}

/// A type that holds a parameter's value.
pub trait Held {
    /// The value of a parameter that is stored as `number`.
    fn held(number: f64) -> Self;
}

macro_rules! held_as {
    ($($type:ty),*) => {
        $(impl Held for $type {
            fn held(number: f64) -> $type {
                number as $type
            }
        })*
    };
}

held_as!(f64, u32, u64, i64, usize);

impl Held for bool {
    fn held(number: f64) -> bool {
        number != 0.0
    }
}

/// Declares the names that a parameter of [`Quantity::Choice`](crate::parameters::Quantity) may have as an enum.
///
/// ```
/// ackclock_core::choices! {
///     /// Direction of a sort.
///     enum Order {
///         Up = "up", "The smallest is first.";
///         Down = "down", "The largest is first.";
///     }
/// }
///
/// assert_eq!(Order::OPTIONS[Order::Down as usize].0, "down");
/// assert_eq!(Order::RANGE, (0.0, 1.0));
/// ```
#[macro_export]
macro_rules! choices {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($variant:ident = $text:literal, $sentence:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        $vis enum $name {
            $(#[doc = $sentence] $variant,)*
        }

        impl $name {
            /// The names with their sentences, in the order of the values.
            $vis const OPTIONS: &'static [(&'static str, &'static str)] = &[$(($text, $sentence)),*];
            /// The range of the parameter.
            $vis const RANGE: (f64, f64) = (0.0, Self::OPTIONS.len() as f64 - 1.0);
        }

        impl $crate::parameters::Held for $name {
            fn held(number: f64) -> $name {
                const ALL: &[$name] = &[$($name::$variant),*];
                ALL[(number as usize).min(ALL.len() - 1)]
            }
        }
    };
}

/// The value of a parameter, if it is given.
pub fn given<T: Held>(given: Given<'_>, name: &str) -> Option<T> {
    given.iter().find(|(own, _)| *own == name).map(|&(_, value)| T::held(value))
}

/// The time of a parameter in milliseconds.
pub fn milliseconds(number: f64) -> Nanos {
    (number * MILLISECOND as f64) as Nanos
}

/// Joins the rows of several declarations; `N` is the number of rows. See [`joined!`](crate::joined).
pub const fn join<const N: usize>(parts: &[&[Parameter]]) -> [Parameter; N] {
    let mut rows = [Parameter {
        name: "",
        summary: "",
        quantity: Quantity::Number,
        default: Otherwise::Is(0.0),
        range: (0.0, 0.0),
    }; N];
    let (mut part, mut row) = (0, 0);
    while part < parts.len() {
        let mut index = 0;
        while index < parts[part].len() {
            rows[row] = parts[part][index];
            (index, row) = (index + 1, row + 1);
        }
        part += 1;
    }
    assert!(row == N);
    rows
}

/// The rows of several declarations as one list: `joined!(Own::ROWS, Shared::ROWS)`.
#[macro_export]
macro_rules! joined {
    ($($rows:expr),+ $(,)?) => {{
        const ROWS: [$crate::parameters::Parameter; 0 $(+ $rows.len())+] = $crate::parameters::join(&[$($rows),+]);
        &ROWS
    }};
}

/// Declares the parameters of an algorithm: a struct with a field for each, and `ROWS` for the catalogue.
///
/// A field is `name: type = default, (least, most), quantity, "summary";`. The default is `is(number)`, or
/// `follows("words")` with a type `Option<T>` for a value that the algorithm derives. A quantity is a variant of
/// [`Quantity`](crate::parameters::Quantity), and a type implements [`Held`](crate::parameters::Held).
#[macro_export]
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $(
                $field:ident: $type:ty = $(is($default:expr))? $(follows($words:expr))?,
                $range:expr, $quantity:expr, $summary:literal;
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Debug)]
        $vis struct $name {
            $(#[doc = $summary] $vis $field: $type,)*
        }

        impl $name {
            /// The parameters, in the order of the catalogue.
            $vis const ROWS: &'static [$crate::parameters::Parameter] = {
                use $crate::parameters::Quantity::*;
                &[$($crate::parameters::Parameter {
                    name: stringify!($field),
                    summary: $summary,
                    quantity: $quantity,
                    default: $($crate::parameters::Otherwise::Is($default))?
                        $($crate::parameters::Otherwise::Follows($words))?,
                    range: $range,
                }),*]
            };

            /// The given values, and the defaults of the parameters that are not given. Other names are ignored.
            $vis fn read(given: $crate::parameters::Given<'_>) -> $name {
                $name {
                    $($field: $crate::parameters!(@read given, $field, $type $(, is $default)? $(, follows $words)?),)*
                }
            }
        }
    };
    (@read $given:ident, $field:ident, $type:ty, is $default:expr) => {
        $crate::parameters::given::<$type>($given, stringify!($field))
            .unwrap_or_else(|| <$type as $crate::parameters::Held>::held($default))
    };
    (@read $given:ident, $field:ident, $type:ty, follows $words:expr) => {
        $crate::parameters::given($given, stringify!($field))
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    parameters! {
        /// Constants.
        struct Law {
            share: f64 = is(0.5), (0.0, 1.0), Number, "a share";
            rounds: u32 = is(3.0), (1.0, 9.0), In("rounds"), "a duration; 1 for none";
            delay: Option<u64> = follows("the rate"), (0.0, 1e9), Time, "a delay";
            wait: bool = is(1.0), (0.0, 1.0), Flag, "whether it waits";
        }
    }

    parameters! {
        struct Other {
            least: f64 = is(0.0), (0.0, 1.0), In("ms"), "a time";
        }
    }

    #[test]
    fn parameters_that_are_not_given_have_their_defaults() {
        assert_eq!(Law::read(&[]), Law { share: 0.5, rounds: 3, delay: None, wait: true });
        let given = Law::read(&[("wait", 0.0), ("delay", 7.0), ("rounds", 9.0), ("share", 0.25), ("least", 1.0)]);
        assert_eq!(given, Law { share: 0.25, rounds: 9, delay: Some(7), wait: false });
    }

    #[test]
    fn rows_are_the_declaration_in_its_order() {
        const ROWS: &[Parameter] = joined!(Other::ROWS, Law::ROWS);
        let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        assert_eq!(names, ["least", "share", "rounds", "delay", "wait"]);
        assert_eq!((ROWS[3].default, ROWS[3].default_value()), (Otherwise::Follows("the rate"), None));
        assert_eq!((ROWS[2].range, ROWS[2].default_value()), ((1.0, 9.0), Some(3.0)));
    }

    choices! {
        /// A choice.
        enum Mode {
            Off = "off", "Nothing.";
            Half = "half", "A part.";
            Full = "full", "Everything.";
        }
    }

    parameters! {
        struct Modal {
            mode: Mode = is(Mode::Half as u8 as f64), Mode::RANGE, Choice(Mode::OPTIONS), "A mode.";
            other: Option<Mode> = follows("the mode"), Mode::RANGE, Choice(Mode::OPTIONS), "Another mode.";
        }
    }

    #[test]
    fn a_choice_is_held_as_its_place() {
        assert_eq!(Modal::read(&[]), Modal { mode: Mode::Half, other: None });
        assert_eq!(Modal::read(&[("mode", 0.0), ("other", 2.0)]), Modal { mode: Mode::Off, other: Some(Mode::Full) });
        assert_eq!((Modal::ROWS[0].range, Modal::ROWS[0].default_value()), ((0.0, 2.0), Some(1.0)));
    }

    #[test]
    fn the_unit_follows_the_first_clause() {
        let described: Vec<String> = [Other::ROWS, Law::ROWS].concat().iter().map(Parameter::described).collect();
        let expected = ["a time, ms", "a share", "a duration, rounds; 1 for none", "a delay", "whether it waits"];
        assert_eq!(described, expected);
        assert_eq!(milliseconds(2.5), 2_500_000);
        assert_eq!(Other::read(&[("least", 4.0)]).least, 4.0);
    }
}
