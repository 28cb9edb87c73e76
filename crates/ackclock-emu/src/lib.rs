//! The network of a scenario for the packets of a real kernel.
//!
//! [`Emulation`] is the network without a clock: packets enter as bytes and leave as bytes, through the links, queues,
//! losses and traces of the simulator. On Linux, [`forward`] drives it by the monotonic clock between two TUN devices
//! and measures how late its packets are; a [`Forwarder`] does so in turns, in the loop of a caller.

mod emulation;
#[cfg(target_os = "linux")]
mod forwarder;
mod lateness;
#[cfg(target_os = "linux")]
mod waiter;

pub use emulation::{Emulation, Seen};
#[cfg(target_os = "linux")]
pub use forwarder::{Devices, Forwarder, Passing, Watch, Witness, forward};
pub use lateness::Lateness;
#[cfg(target_os = "linux")]
pub use waiter::{Waiter, clock};
