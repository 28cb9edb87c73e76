//! The packet simulator: an event queue, a world of links and endpoints, applications, probes, and the scenario schema.
//!
//! Deterministic by construction: integer nanoseconds and bytes, ordered iteration, and random streams derived from
//! the seed and the name of the component that draws.

pub mod actors;
mod build;
mod bundle;
pub mod dumbbell;
pub mod endpoint;
pub mod event;
pub mod ids;
pub mod link;
pub mod measures;
pub mod network;
pub mod observe;
pub mod packet;
pub mod parts;
pub mod probes;
pub mod reading;
pub mod relay;
pub mod run;
pub mod series;
mod timeouts;
pub mod trace;
pub mod verify;
pub mod world;

pub use build::facts;
pub use run::{Output, Run, Watching};
