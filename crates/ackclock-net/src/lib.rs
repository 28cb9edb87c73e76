//! Links, queue disciplines and lanes.
//!
//! A [`Link`] serialises packets at a fixed rate behind a first-in, first-out queue. Such a queue is deterministic, so
//! a packet's departure is known when the packet arrives: the link is called once for each packet and returns its
//! times, or a drop. A [`Port`] combines any queue discipline with any wire and is polled packet by packet. A [`Lane`]
//! holds the items in flight in order, so that only its head needs an event.
//!
//! This crate does not define packets: links see sizes, disciplines see [`queue::Item`]s, ports and lanes hold any
//! type. Times are integer nanoseconds ([`Nanos`]), sizes are bytes on the wire, and rates are a [`Rate`].
//!
//! ```
//! use ackclock_net::Rate;
//!
//! use ackclock_net::{DropCause, Limit, Link, Refusal};
//!
//! // 12 Mbit/s: a packet of 1,500 bytes takes 1 ms. The queue has room for one packet besides the one in service.
//! let mut link = Link::new(Rate::new(12_000_000).unwrap(), 20_000_000, Limit::Packets(1));
//! assert_eq!(link.offer(0, 1_500).map(|passage| passage.arrival), Ok(21_000_000));
//! assert_eq!(link.offer(0, 1_500).map(|passage| passage.arrival), Ok(22_000_000));
//! assert_eq!(link.offer(0, 1_500), Err(Refusal::Drop(DropCause::Queue)));
//! ```

mod backlog;
mod bucket;
mod lane;
mod link;
mod loss;
mod loss_in_time;
pub mod netem;
mod path;
mod policer;
mod port;
pub mod queue;
pub mod replay;
mod schedule;
pub mod server;
mod transmitter;
mod tunnel;

pub use ackclock_core::{Ecn, NEVER, Nanos, Random, Rate, Seed};
pub use lane::{Lane, Place};
pub use link::{Carried, Large, Link, Passage, Refusal};
pub use loss::{GilbertElliott, GilbertElliottModel, ListedLoss, Loss, PeriodicLoss, RandomLoss};
pub use loss_in_time::{Alternating, Interference, Scheduled};
pub use path::{Jitter, Propagation, Spread};
pub use policer::{Action, Colour, Meter, Policer};
pub use port::{Dropped, Port, Sent};
pub use queue::{DropCause, Limit};
pub use schedule::{Piece, Schedule};
pub use server::Server;
pub use transmitter::{Service, Transmitter};
pub use tunnel::Tunnelling;
