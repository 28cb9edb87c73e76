//! packetdrill scripts against the running Linux kernel: its system calls above, a TUN device below.
//!
//! A script runs in a network namespace of its own, so its settings end with it. The clock is the kernel's: a kernel in
//! user mode with a virtual clock runs a script of minutes in a moment. The process that runs a script should end after
//! it, because a call that the kernel never finishes keeps its thread.
//!
//! Linux only. It requires the capabilities `CAP_SYS_ADMIN` and `CAP_NET_ADMIN`.

pub mod packet;

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod device;
#[cfg(target_os = "linux")]
mod host;
#[cfg(target_os = "linux")]
mod icmp;
#[cfg(target_os = "linux")]
mod info;
#[cfg(target_os = "linux")]
mod live;
#[cfg(target_os = "linux")]
mod shell;
#[cfg(target_os = "linux")]
mod system;
#[cfg(target_os = "linux")]
mod worker;

#[cfg(target_os = "linux")]
pub use live::{Context, run};
