//! The applications of a scenario over the sockets of the kernel that this runs on, through an emulated network.
//!
//! The state machines of applications are those of the simulator, and so are the links. Only the TCP between them is the
//! kernel's. The caller makes the network namespaces with their TUN devices and addresses; [`run`] does the rest.

#[cfg(target_os = "linux")]
mod connections;
#[cfg(target_os = "linux")]
mod flow;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(target_os = "linux")]
mod news;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod samples;
#[cfg(target_os = "linux")]
mod world;

#[cfg(target_os = "linux")]
pub use ackclock_emu::Passing;
#[cfg(target_os = "linux")]
pub use flow::Places;
#[cfg(target_os = "linux")]
pub use kernel::Wanted;
#[cfg(target_os = "linux")]
pub use run::{Failed, Member, Output, run};
