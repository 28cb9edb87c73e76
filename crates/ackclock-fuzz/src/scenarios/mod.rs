//! Random whole scenarios. They are drawn according to the schema, so a new field is drawn at once, and checked against
//! the invariants of every scenario.

pub mod campaign;
pub mod case;
mod changes;
pub mod check;
pub mod dice;
mod draw;
mod files;
mod pattern;
pub mod repair;
pub mod schema;
pub mod shrink;
pub mod spelling;
mod tables;
mod values;
pub mod worker;
