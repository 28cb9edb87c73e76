//! Numbers that scenarios may set, from one declaration.

/// A number that scenarios may set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameter {
    /// Name in scenarios.
    pub name: &'static str,
    /// Short description, with the unit.
    pub summary: &'static str,
    /// Value if the scenario gives none.
    pub default: f64,
    /// Smallest accepted value.
    pub least: f64,
    /// Largest accepted value.
    pub most: f64,
}

/// The parameters of an algorithm; [`crate::parameters!`] implements it.
pub trait Declared: Default {
    /// The parameters, in the order of their declaration.
    const ROWS: &'static [Parameter];

    /// Returns the parameters with these values, one for each of [`Declared::ROWS`].
    fn read(values: &[f64]) -> Self;
}

impl Declared for () {
    const ROWS: &'static [Parameter] = &[];

    fn read(_values: &[f64]) {}
}

/// Declares a struct of parameters. Each has its description as a doc comment, its default, and the range of accepted
/// values, both ends included. All fields are `f64`.
///
/// ```
/// ackclock_cc::parameters! {
///     /// Parameters that scenarios may set.
///     pub struct Parameters {
///         /// segments by which the window grows in a round trip
///         step: 1, 0.1..=10;
///     }
/// }
///
/// assert_eq!(Parameters::default().step, 1.0);
/// ```
#[macro_export]
macro_rules! parameters {
    (
        $(#[$doc:meta])*
        $visible:vis struct $Name:ident {
            $($(#[doc = $summary:literal])+ $field:ident: $default:literal, $least:literal ..= $most:literal;)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Debug)]
        $visible struct $Name {
            $($(#[doc = $summary])+ pub $field: f64,)*
        }

        impl ::core::default::Default for $Name {
            fn default() -> $Name {
                $Name { $($field: $default as f64,)* }
            }
        }

        impl $crate::Declared for $Name {
            const ROWS: &'static [$crate::Parameter] = &[$($crate::Parameter {
                name: stringify!($field),
                summary: concat!($($summary),+),
                default: $default as f64,
                least: $least as f64,
                most: $most as f64,
            },)*];

            fn read(values: &[f64]) -> $Name {
                let mut values = values.iter().copied();
                $Name { $($field: values.next().expect("a value for each parameter"),)* }
            }
        }
    };
}
