//! Results: tables of columns, and sketches of distributions in bounded memory. The crate does not depend on the code
//! that fills them.

use std::collections::BTreeMap;

pub mod declared;
pub mod invariants;
mod sketch;
mod table;
mod values;

pub use declared::{ColumnDeclaration, Kind, Role, Row, TABLES, TableDeclaration, declaration};
pub use sketch::{BINS, Sketch};
pub use table::{Cell, Column, Table};
pub use values::{quotient, rate_bps, seconds};

/// Tables by name.
pub type Tables = BTreeMap<&'static str, Table>;
