//! Fields of text files, each declared once.
//!
//! [`record!`] makes of one list of fields a struct, its reader, its canonical form, its JSON Schema and its reference;
//! [`union!`] does the same for tables that a key `kind` tells apart. Reading never stops at the first mistake: a
//! [`Problem`] has the path of a field, its line, the value as written and what is accepted. Quantities are text with a
//! unit and become integers exactly: times in nanoseconds, rates in bits per second, volumes in bytes.
//!
//! Nothing here knows what is described.

pub mod file;
pub mod kinds;
pub mod lists;
pub mod problems;
pub mod quantity;
pub mod random;
pub mod record;
pub mod rules;
pub mod tree;
pub mod union;

pub use problems::{Files, Outside, Problem, Problems, ReadError};
pub use rules::Rules;

// For the macros, so that crates that use them need not depend on it by themselves.
#[doc(hidden)]
pub use serde_json;
