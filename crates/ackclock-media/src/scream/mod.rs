//! SCReAM, self-clocked rate adaptation for multimedia: version 1 (`v1`, RFC 8298) and version 2 (`v2`), and the parts
//! that both have: the queueing delay, its target and the loss event rate.

mod delay;
mod v1;
mod v2;

pub(crate) use v1::ENTRY;
pub(crate) use v2::ENTRY as ENTRY_2;
