//! Congestion controls that are not in the catalogue and are registered with the reader of a scenario.

use ackclock_tcp::cc::Algorithm;

/// A congestion control that scenarios may name besides those of the catalogue and RemyCC.
pub type Registered = ackclock_schema::registered::Registered<Make>;

/// A function that creates a registered algorithm for the connections of a flow, from the given parameters and the
/// flow's name.
pub type Make = dyn Fn(&[(&'static str, f64)], &str) -> Algorithm + Send + Sync;
