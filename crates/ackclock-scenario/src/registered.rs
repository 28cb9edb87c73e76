//! Congestion controls that are not in the catalogue and are registered with the reader of a scenario.

use std::fmt;
use std::sync::Arc;

use ackclock_schema::parameters::Range;
use ackclock_tcp::cc::Algorithm;

/// A congestion control that scenarios may name besides those of the catalogue.
pub struct Registered {
    /// Name in scenarios. It must differ from all names of the catalogue and from RemyCC's name.
    pub name: &'static str,
    /// Text that identifies the source code among others with the same name. It is part of the scenario's canonical
    /// form, and so of its hash. A scenario that names a different source is refused.
    pub source: String,
    /// Parameters that scenarios may set.
    pub parameters: Vec<Range>,
    /// Creates the algorithm for the connections of a flow, from the given parameters and the flow's name.
    pub make: Box<Make>,
}

/// A function that creates a registered algorithm for the connections of a flow, from the given parameters and the
/// flow's name.
pub type Make = dyn Fn(&[(&'static str, f64)], &str) -> Algorithm + Send + Sync;

impl Registered {
    /// Returns the registered algorithm with a name.
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
