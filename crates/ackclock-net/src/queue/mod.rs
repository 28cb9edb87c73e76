//! Queues: a first-in first-out queue with a limit before every link and, on top of it, a discipline: one file each, one line
//! in [`CATALOGUE`].
//!
//! A link knows on arrival when a packet leaves ([`crate::Link`]), and a discipline keeps it so: it decides on arrival what is
//! let in, and it sees each packet leave, in the order of arrival. Drop-tail needs none of that and has no discipline at all.

mod drop_tail;
mod xcp;

use std::num::NonZeroU64;

use crate::Nanos;

pub use drop_tail::DropTail;

/// How much may wait. The packet being sent does not wait and is not counted: as in Linux's `pfifo` and `bfifo`, whose
/// driver has taken it, and in ns-2, whose link has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Everything.
    Unlimited,
    /// So many packets.
    Packets(u64),
    /// So many bytes, a packet fitting whole or not at all.
    Bytes(u64),
}

/// What a sender asks of the routers on a packet's way (XCP's congestion header).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// The sender's round-trip time, ns; 0 where it knows none and asks for nothing.
    pub rtt: Nanos,
    /// The packet's size over the sender's throughput, ns: the time until the next packet of its size.
    pub interval: Nanos,
    /// By how much the throughput is to change, bytes per second; a router may lower it.
    pub change: i32,
}

impl Request {
    /// The change of a sender that takes what it can get. No router leaves it so.
    pub const UNLIMITED: i32 = i32::MAX;
}

/// What a discipline sees of a packet, and may change of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Item {
    /// Bytes on the wire.
    pub size: u32,
    /// What its sender asks for, if it asks.
    pub request: Option<Request>,
}

/// What a queue does besides dropping what it has no room for.
///
/// It has no timers: what is due by the time of a call is done in the call. Calls come in the order of their times.
pub trait Discipline: Send {
    /// A packet arrives at `at`: whether it is let in, if there is room. `queue` is what waits.
    fn admits(&mut self, at: Nanos, item: &Item, queue: &mut DropTail) -> bool;

    /// A packet that was let in leaves the queue for the wire at `at`.
    fn departs(&mut self, at: Nanos, item: &mut Item, queue: &mut DropTail);
}

/// A constant of a discipline that a scenario may set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameter {
    /// Name in scenarios.
    pub name: &'static str,
    /// One sentence on what it is, with its unit.
    pub summary: &'static str,
    /// The value where none is given, as `source` of the entry says.
    pub default: f64,
    /// The least and the largest value that makes sense.
    pub range: (f64, f64),
}

/// What a discipline is made for.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// Rate of the link, bits per second.
    pub rate: NonZeroU64,
    /// The parameters of the entry that are not to have their defaults, by name.
    pub given: &'a [(&'static str, f64)],
}

impl Settings<'_> {
    /// The value of a parameter.
    pub fn get(&self, parameter: &Parameter) -> f64 {
        let given = self.given.iter().find(|(name, _)| *name == parameter.name);
        given.map_or(parameter.default, |(_, value)| *value)
    }
}

/// An entry of the catalogue.
pub struct Entry {
    /// Name in scenarios.
    pub name: &'static str,
    /// One sentence on what it is.
    pub summary: &'static str,
    /// Where it is specified.
    pub source: &'static str,
    /// What scenarios may set besides the limit.
    pub parameters: &'static [Parameter],
    /// Makes the discipline of a link; `None` where there is nothing to it but the limit.
    pub make: fn(&Settings<'_>) -> Option<Box<dyn Discipline>>,
}

/// Every queue, by name.
pub const CATALOGUE: &[Entry] = &[drop_tail::ENTRY, xcp::ENTRY];

/// The entry of a name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}

/// A queue to put before a link.
#[derive(Clone)]
pub struct Queue {
    /// What it is.
    pub entry: &'static Entry,
    /// What may wait.
    pub limit: Limit,
    /// Parameters of the entry that are not to have their defaults, by name.
    pub given: Vec<(&'static str, f64)>,
}

impl From<Limit> for Queue {
    /// The drop-tail queue with that limit.
    fn from(limit: Limit) -> Queue {
        Queue { entry: &CATALOGUE[0], limit, given: Vec::new() }
    }
}

impl Queue {
    pub(crate) fn discipline(&self, rate: NonZeroU64) -> Option<Box<dyn Discipline>> {
        (self.entry.make)(&Settings { rate, given: &self.given })
    }
}
