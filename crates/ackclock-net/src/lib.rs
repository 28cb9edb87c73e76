//! Links, queue disciplines and lanes.
//!
//! A [`Link`] serialises packets at a fixed rate behind a first-in first-out queue. Because such a queue is
//! deterministic, a packet's departure is known when it arrives: the link is asked once a packet and answers with the
//! times, or with a drop. A [`Port`] has any queue discipline and any wire, and is asked packet by packet. A [`Lane`] holds
//! what is on its way, in order, so that only its head needs an event.
//!
//! Nothing here knows what a packet is; links see sizes, disciplines see [`queue::Item`]s, ports and lanes hold any type.
//! Units: time in integer nanoseconds ([`Nanos`]), sizes in bytes on the wire, rates in bits per second.

mod backlog;
mod lane;
mod link;
mod loss;
mod path;
mod port;
pub mod queue;
mod random;
pub mod replay;
mod schedule;
pub mod server;
mod transmitter;

pub use lane::{Lane, Place};
pub use link::{Carried, Link, Passage, Refusal};
pub use loss::{GilbertElliott, GilbertElliottModel, ListedLoss, Loss, PeriodicLoss, RandomLoss};
pub use path::{Jitter, Path, Spread};
pub use port::{Dropped, Port, Sent};
pub use queue::{DropCause, Limit};
pub use random::{Random, Seed};
pub use schedule::{Piece, Schedule};
pub use server::{NEVER, Server};
pub use transmitter::{Service, Transmitter};

/// A time or a duration, in nanoseconds. Times count from the start of whatever drives the link.
pub type Nanos = u64;
