//! Algorithms of users, which are registered with the reader of a scenario and named in it like those of a catalogue.

use std::fmt;
use std::sync::Arc;

use crate::parameters::Range;

/// An algorithm that scenarios may name besides those of a catalogue. `Make` is the type of the function that creates
/// it.
pub struct Registered<Make: ?Sized> {
    /// Name in scenarios. It must differ from all names of the catalogue.
    pub name: &'static str,
    /// Text that identifies the source code among others with the same name. It is part of the scenario's canonical
    /// form, and so of its hash. A scenario that names a different source is refused.
    pub source: String,
    /// Parameters that scenarios may set.
    pub parameters: Vec<Range>,
    /// Creates the algorithm.
    pub make: Box<Make>,
}

impl<Make: ?Sized> Registered<Make> {
    /// Returns the registered algorithm with a name.
    pub fn by_name<'a>(registered: &'a [Arc<Self>], name: &str) -> Option<&'a Arc<Self>> {
        registered.iter().find(|own| own.name == name)
    }
}

impl<Make: ?Sized> PartialEq for Registered<Make> {
    fn eq(&self, other: &Self) -> bool {
        (self.name, &self.source, &self.parameters) == (other.name, &other.source, &other.parameters)
    }
}

impl<Make: ?Sized> fmt::Debug for Registered<Make> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.source)
    }
}
