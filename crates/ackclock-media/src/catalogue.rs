//! The catalogue of controls.

use crate::control::Entry;
use crate::{fixed, gcc, nada, scream};

/// All controls, by name.
pub const CATALOGUE: &[Entry] = &[nada::ENTRY, scream::ENTRY, scream::ENTRY_2, gcc::ENTRY, gcc::DRAFT, fixed::ENTRY];

/// Returns the entry with a name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}
