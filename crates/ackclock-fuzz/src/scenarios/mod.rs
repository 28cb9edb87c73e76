//! Whole scenarios at random: drawn along the schema, so that a new field is drawn the day it exists, and checked by what must
//! hold for every scenario.

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
