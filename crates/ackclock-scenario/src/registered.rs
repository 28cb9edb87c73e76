//! Congestion controls that are not in the catalogue and are made known to the reader of a scenario.

use std::fmt;
use std::sync::Arc;

use ackclock_tcp::cc::Algorithm;

/// A congestion control that scenarios may name besides those of the catalogue.
pub struct Registered {
    /// Its name in scenarios; none of the catalogue, nor RemyCC's.
    pub name: &'static str,
    /// What tells its source from any other of the same name. It is part of the scenario's canonical form, and so of its hash;
    /// a scenario that names another source is refused.
    pub source: String,
    /// What scenarios may set.
    pub parameters: Vec<Range>,
    /// Makes it, with the parameters that were given, for the connections of the flow of a name.
    pub make: Box<Make>,
}

/// Makes a registered algorithm, with the parameters that were given, for the connections of the flow of a name.
pub type Make = dyn Fn(&[(&'static str, f64)], &str) -> Algorithm + Send + Sync;

/// A parameter: its name, the least value and the largest.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    /// Name in scenarios.
    pub name: &'static str,
    /// The least value accepted.
    pub least: f64,
    /// The largest value accepted.
    pub most: f64,
}

impl Registered {
    /// The one of a name.
    pub(super) fn by_name<'a>(registered: &'a [Arc<Registered>], name: &str) -> Option<&'a Arc<Registered>> {
        registered.iter().find(|own| own.name == name)
    }
}

impl PartialEq for Registered {
    fn eq(&self, other: &Registered) -> bool {
        (self.name, &self.source, &self.parameters) == (other.name, &other.source, &other.parameters)
    }
}

impl fmt::Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.source)
    }
}
