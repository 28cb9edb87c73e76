//! The packet simulator: an event queue, a world of links and endpoints, applications, probes, and the scenario schema.
//!
//! Deterministic by construction: integer nanoseconds and bytes, ordered iteration, and random streams derived from
//! the seed and the name of the component that draws.

pub mod app;
pub mod dumbbell;
pub mod event;
pub mod invariants;
pub mod link;
pub mod measures;
pub mod network;
pub mod observe;
pub mod packet;
pub mod probes;
pub mod rng;
pub mod run;
pub mod scenario;
pub mod series;
pub mod sketch;
pub mod table;
mod timeouts;
pub mod trace;
pub mod verify;
pub mod world;

pub use run::{Output, Run, Watching};

/// A time or a duration, in nanoseconds since the start of the run.
pub type Nanos = u64;
