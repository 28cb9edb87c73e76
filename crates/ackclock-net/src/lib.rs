//! Links and lanes, evaluated without events of their own.
//!
//! A [`Link`] serialises packets at a fixed rate behind a first-in first-out queue. Because such a queue is
//! deterministic, a packet's departure is known when it arrives: the link is asked once a packet and answers with the
//! times, or with a drop. A [`Lane`] holds what is on its way, in order, so that only its head needs an event.
//!
//! Nothing here knows what a packet is; links see sizes, lanes hold any type. Units: time in integer nanoseconds
//! ([`Nanos`]), sizes in bytes on the wire, rates in bits per second.

mod lane;
mod link;
mod loss;
pub mod queue;
mod transmitter;

pub use lane::{Lane, Place};
pub use link::{Carried, DropCause, Link, Passage, Refusal};
pub use loss::{Loss, PeriodicLoss, RandomLoss};
pub use queue::{Discipline, DropTail, Item, Limit, Queue, Request};
pub use transmitter::{Service, Transmitter};

/// A time or a duration, in nanoseconds. Times count from the start of whatever drives the link.
pub type Nanos = u64;
