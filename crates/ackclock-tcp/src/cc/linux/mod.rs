//! Congestion controls as the modules of Linux's net/ipv4 implement them, where that differs from the paper or RFC.
//!
//! Linux counts windows and acknowledgments in segments. A form of this folder computes with whole segments in the same
//! way, and the window remains a multiple of the segment size.

mod count;
mod cubic;
mod reno;

pub(super) use cubic::ENTRY as CUBIC;
pub(super) use reno::ENTRY as RENO;
