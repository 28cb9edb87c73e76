//! Queue disciplines: what waits before a wire, and which of it goes next. One file each, one line in [`CATALOGUE`].
//!
//! A discipline holds the packets that wait, as [`Item`]s, and is told of arrivals and asked for the next packet when the wire
//! is free ([`crate::Port`]). It has no timers: what is due by the time of a call is done in the call. Calls come in the order
//! of their times.

mod ared;
mod cobalt;
mod codel;
mod codel_control;
mod drop_head;
mod drop_tail;
mod drr;
mod dualpi2;
mod fifo;
mod flow_queues;
mod flows;
mod fq;
mod fq_codel;
mod fq_pie;
mod pie;
mod pie_control;
mod priority;
mod red;
mod sfq;
mod sfq_codel;
mod token_bucket;
mod xcp;

use std::num::NonZeroU64;

use crate::Nanos;
use crate::random::{Random, Seed};

pub use fifo::Fifo;

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

impl Limit {
    /// Whether a packet of `size` bytes fits in addition to what waits.
    #[inline]
    pub fn fits(self, packets: u64, bytes: u64, size: u32) -> bool {
        match self {
            Limit::Unlimited => true,
            Limit::Packets(limit) => packets < limit,
            Limit::Bytes(limit) => bytes + u64::from(size) <= limit,
        }
    }

    /// Whether more waits than it allows.
    #[inline]
    pub fn exceeded_by(self, packets: u64, bytes: u64) -> bool {
        match self {
            Limit::Unlimited => false,
            Limit::Packets(limit) => packets > limit,
            Limit::Bytes(limit) => bytes > limit,
        }
    }
}

/// The ECN field of a packet (RFC 3168 section 5, RFC 9331).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Ecn {
    /// Not capable.
    #[default]
    NotEct,
    /// Capable, ECT(1): of an L4S sender.
    Ect1,
    /// Capable, ECT(0).
    Ect0,
    /// Congestion experienced.
    Ce,
}

impl Ecn {
    /// Whether a mark can take the place of a drop.
    pub fn is_capable(self) -> bool {
        self != Ecn::NotEct
    }
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

/// A packet as a discipline sees it. Of these fields it may change `ecn` and `request`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Item {
    /// By which whoever put it in finds the packet; two that wait in one queue differ.
    pub id: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Packets of one direction of one connection have the same, and those of others another.
    pub flow: u64,
    /// Traffic class, 0 the most urgent.
    pub class: u8,
    /// ECN field.
    pub ecn: Ecn,
    /// What its sender asks for, if it asks.
    pub request: Option<Request>,
    /// When it came before the queue.
    pub arrival: Nanos,
}

impl Item {
    /// Marks it, if it can be: whether it is marked now.
    pub fn mark(&mut self) -> bool {
        let capable = self.ecn.is_capable();
        if capable {
            self.ecn = Ecn::Ce;
        }
        capable
    }
}

/// Why a packet does not pass a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DropCause {
    /// The queue had no room for it.
    Queue,
    /// The discipline dropped it although there was room: to signal congestion, or to keep delay down.
    Aqm,
    /// It was lost before the queue.
    Loss,
    /// It was sent, and what arrives is damaged and thrown away.
    Corruption,
    /// It was sent while the link was down.
    Outage,
}

impl DropCause {
    /// Its name in tables and traces.
    pub fn name(self) -> &'static str {
        match self {
            DropCause::Queue => "queue",
            DropCause::Aqm => "aqm",
            DropCause::Loss => "loss",
            DropCause::Corruption => "corruption",
            DropCause::Outage => "outage",
        }
    }
}

/// What a discipline drops in a call.
pub type Drops = Vec<(Item, DropCause)>;

/// What comes next on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// This packet, now.
    Send(Item),
    /// No packet before this time, later than now; earlier only if another arrives.
    Wait(Nanos),
    /// Nothing waits.
    Empty,
}

/// A queue discipline. Every packet put in comes out once: by [`Discipline::dequeue`] or as a drop.
pub trait Discipline: Send {
    /// A packet arrives at `at`, which is its `arrival`. It or others may be dropped.
    fn enqueue(&mut self, at: Nanos, item: Item, drops: &mut Drops);

    /// The wire is free at `at`. It is asked also when nothing waits: before a packet comes to an idle wire.
    fn dequeue(&mut self, at: Nanos, drops: &mut Drops) -> Next;

    /// Packets and bytes that wait.
    fn backlog(&self) -> (u64, u64);
}

/// In what a parameter is given. Its value is a number all the same.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Quantity {
    /// A plain number.
    Number,
    /// A whole number of something, such as `"packets"`.
    Count(&'static str),
    /// A time, ns.
    Time,
    /// A volume, bytes.
    Volume,
    /// A rate, bits per second.
    Rate,
    /// A probability or share, 0 to 1.
    Probability,
    /// Yes or no: 1 or 0.
    Flag,
}

/// A constant of a discipline that a scenario may set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameter {
    /// Name in scenarios.
    pub name: &'static str,
    /// One sentence on what it is.
    pub summary: &'static str,
    /// In what it is given.
    pub quantity: Quantity,
    /// The value where none is given.
    pub default: Otherwise,
    /// The least and the largest value that makes sense.
    pub range: (f64, f64),
}

/// The value of a parameter that is not given.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Otherwise {
    /// This, as the `source` of the entry says.
    Is(f64),
    /// What follows from the link or from other parameters, in words.
    Follows(&'static str),
}

/// What a discipline is made for.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// Rate of the link, bits per second; on average where it varies.
    pub rate: NonZeroU64,
    /// What may wait.
    pub limit: Limit,
    /// Size of a full packet, bytes.
    pub packet_size: u32,
    /// The parameters that are given, by name.
    pub given: &'a [(&'static str, f64)],
    /// Seed of what it draws.
    pub seed: Seed,
}

impl Settings<'_> {
    /// The value of a parameter that is given.
    pub fn given(&self, parameter: &Parameter) -> Option<f64> {
        self.given.iter().find(|(name, _)| *name == parameter.name).map(|(_, value)| *value)
    }

    /// The value of a parameter, given or not.
    ///
    /// # Panics
    /// If it is not given and has no default of its own.
    pub fn get(&self, parameter: &Parameter) -> f64 {
        match (self.given(parameter), parameter.default) {
            (Some(value), _) | (None, Otherwise::Is(value)) => value,
            (None, Otherwise::Follows(_)) => panic!("{} has no value of its own", parameter.name),
        }
    }

    /// Whether a flag is set.
    pub fn flag(&self, parameter: &Parameter) -> bool {
        self.get(parameter) != 0.0
    }

    /// The stream of what the discipline draws.
    pub fn random(&self) -> Random {
        Random::new(self.seed)
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
    /// What may wait where a scenario does not say: the specification's limit, or `None` for one bandwidth-delay product.
    pub limit: Option<Limit>,
    /// What scenarios may set besides the limit.
    pub parameters: &'static [Parameter],
    /// What is wrong with the parameters together: the name of one and what would be accepted. Each is in its range.
    pub check: fn(&Settings<'_>) -> Vec<(&'static str, String)>,
    /// Makes the discipline of a link.
    pub make: fn(&Settings<'_>) -> Box<dyn Discipline>,
}

/// Any combination of parameters makes sense.
pub(crate) fn anything(_settings: &Settings<'_>) -> Vec<(&'static str, String)> {
    Vec::new()
}

/// Every queue, by name. The first is the one that a link evaluates ahead of time ([`crate::Link`]).
pub const CATALOGUE: &[Entry] = &[
    drop_tail::ENTRY,
    drop_head::ENTRY,
    red::ENTRY,
    ared::ENTRY,
    codel::ENTRY,
    pie::ENTRY,
    cobalt::ENTRY,
    dualpi2::ENTRY,
    priority::ENTRY,
    token_bucket::ENTRY,
    drr::ENTRY,
    sfq::ENTRY,
    fq::ENTRY,
    fq_codel::ENTRY,
    sfq_codel::ENTRY,
    fq_pie::ENTRY,
    xcp::ENTRY,
];

/// The entry of a name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}
