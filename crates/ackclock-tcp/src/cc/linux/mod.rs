//! Congestion controls as the modules of Linux's net/ipv4 implement them, where that differs from the paper or RFC.
//!
//! Linux counts windows and acknowledgments in segments. A form of this folder computes with whole segments in the same
//! way, and the window remains a multiple of the segment size.

mod bic;
mod cdg;
mod count;
mod cubic;
mod cubic_2_1;
mod dctcp;
mod highspeed;
mod htcp;
mod hybla;
mod illinois;
mod lp;
mod nv;
mod reno;
mod rtts;
mod scalable;
mod state;
mod vegas;
mod vegas_2_6;
mod veno;
mod westwood;
mod yeah;

pub(super) use bic::ENTRY as BIC;
pub(super) use cdg::ENTRY as CDG;
pub(super) use cubic::ENTRY as CUBIC;
pub(super) use cubic_2_1::ENTRY as CUBIC_2_1;
pub(super) use dctcp::ENTRY as DCTCP;
pub(super) use highspeed::ENTRY as HIGHSPEED;
pub(super) use htcp::ENTRY as HTCP;
pub(super) use hybla::ENTRY as HYBLA;
pub(super) use illinois::ENTRY as ILLINOIS;
pub(super) use lp::ENTRY as LP;
pub(super) use nv::ENTRY as NV;
pub(super) use reno::ENTRY as RENO;
pub(super) use scalable::ENTRY as SCALABLE;
pub(super) use vegas::ENTRY as VEGAS;
pub(super) use vegas_2_6::ENTRY as VEGAS_2_6;
pub(super) use veno::ENTRY as VENO;
pub(super) use westwood::ENTRY as WESTWOOD;
pub(super) use yeah::ENTRY as YEAH;
