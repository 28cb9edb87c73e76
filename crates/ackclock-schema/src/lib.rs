//! Fields of text files, each declared once.
//!
//! [`record!`] makes from one list of fields a struct, its reader, its canonical form, its JSON Schema and its
//! reference. [`union!`] does the same for tables that a key `kind` tells apart. Reading never stops at the first
//! mistake: a [`Problem`] has the path of a field, its line, the value as written and what is accepted. Quantities are
//! text with a unit and are converted exactly to integers: times to nanoseconds, rates to bits per second, volumes to
//! bytes.
//! An old name of a field or value is read for one release, with a [`Warning`].
//!
//! The crate does not depend on the described fields.

pub mod file;
pub mod info;
pub mod kinds;
pub mod lists;
pub mod named;
pub mod parameters;
mod problem;
pub mod problems;
pub mod quantity;
pub mod random;
pub mod record;
pub mod registered;
pub mod renewal;
pub mod rules;
pub mod tree;
pub mod union;

pub use problem::Problem;
pub use problems::{Files, Outside, Problems, ReadError};
pub use renewal::{Renewal, Warning};
pub use rules::Rules;

// The macros use these re-exports, so crates that use the macros need no dependency of their own.
#[doc(hidden)]
pub use ackclock_core::Renamed;
#[doc(hidden)]
pub use serde_json;
