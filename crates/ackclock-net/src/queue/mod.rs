//! Queue disciplines: they hold packets before a wire and decide which packet goes next. Each discipline has a file and
//! a line in [`CATALOGUE`].
//!
//! A discipline holds the waiting packets as [`Item`]s. The [`crate::Port`] calls it when a packet arrives and when the
//! wire is free. Disciplines have no timers: a call performs all actions that are due by its time. Calls are in the
//! order of their times.

mod adaptation;
mod ared;
mod cake;
mod cobalt;
mod cobalt_control;
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
mod pie_linux;
mod priority;
mod red;
mod rules;
mod sfq;
mod sfq_codel;
mod token_bucket;
mod xcp;

use crate::Rate;

use crate::Nanos;
use crate::{Ecn, Random, Seed};

pub use ackclock_core::parameters::{Given, Otherwise, Parameter, Quantity};
pub use fifo::Fifo;

/// Limit of a queue. The packet being sent is not counted, as in Linux's `pfifo` and `bfifo`, where the driver has
/// taken it, and in ns-2, where the link has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// No limit.
    Unlimited,
    /// Number of packets.
    Packets(u64),
    /// Number of bytes; a packet is accepted whole or not at all.
    Bytes(u64),
}

impl Limit {
    /// Whether a packet of `size` bytes fits in addition to the `packets` and `bytes` in the queue.
    #[inline]
    pub fn fits(self, packets: u64, bytes: u64, size: u32) -> bool {
        match self {
            Limit::Unlimited => true,
            Limit::Packets(limit) => packets < limit,
            Limit::Bytes(limit) => bytes + u64::from(size) <= limit,
        }
    }

    /// Whether a queue of `packets` and `bytes` is longer than the limit allows.
    #[inline]
    pub fn exceeded_by(self, packets: u64, bytes: u64) -> bool {
        match self {
            Limit::Unlimited => false,
            Limit::Packets(limit) => packets > limit,
            Limit::Bytes(limit) => bytes > limit,
        }
    }
}

/// A sender's request to the routers on a packet's path (XCP's congestion header).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// The sender's round-trip time, ns; 0 if the sender has no estimate and requests nothing.
    pub rtt: Nanos,
    /// The packet's size over the sender's throughput, ns: the time until the next packet of its size.
    pub interval: Nanos,
    /// Requested change of the throughput, bytes per second; a router may lower it.
    pub change: i32,
}

impl Request {
    /// The request of a sender that accepts any change. Every router lowers it.
    pub const UNLIMITED: i32 = i32::MAX;
}

/// A packet as a discipline sees it. The discipline may change only `ecn` and `request`; a policer before it also
/// changes `class`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Item {
    /// Identifies the packet to the caller; unique among the packets in one queue.
    pub id: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Size on the wire of each segment but the last if the packet is a large one, as segmentation offload makes them;
    /// 0 otherwise. A large packet counts as one packet in a queue.
    pub part: u32,
    /// Number of the flow. Packets of one direction of one connection have the same number, which no other packets
    /// have.
    pub flow: u64,
    /// Traffic class; 0 is the most urgent.
    pub class: u8,
    /// ECN field.
    pub ecn: Ecn,
    /// The sender's request, if the packet carries one.
    pub request: Option<Request>,
    /// Time of arrival at the queue.
    pub arrival: Nanos,
}

impl Item {
    /// Number of packets that the packet counts for: that of its segments.
    pub fn count(&self) -> u64 {
        if self.part == 0 { 1 } else { self.size.div_ceil(self.part).into() }
    }

    /// Marks the packet if it is ECN-capable; returns whether it is marked now.
    pub fn mark(&mut self) -> bool {
        let capable = self.ecn.is_capable();
        if capable {
            self.ecn = Ecn::Ce;
        }
        capable
    }
}

/// The parts of a packet's headers that few disciplines read.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Headers {
    /// Number of the host that sends the packet.
    pub source: u64,
    /// Number of the host that receives the packet.
    pub destination: u64,
    /// Code point of Differentiated Services, 0 to 63.
    pub dscp: u8,
    /// The acknowledgment that the packet carries, if a transport lets queues read it.
    pub acknowledgment: Option<Acknowledgment>,
}

/// An acknowledgment as a queue reads it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Acknowledgment {
    /// Whether the packet has nothing but the acknowledgment: no payload, and no flag or option that means more.
    pub is_pure: bool,
    /// The sequence number up to which everything has arrived, modulo 2^32.
    pub cumulative: u32,
    /// Bits that tell of congestion; their meaning is the transport's.
    pub echoes: u8,
    /// The sender's time and the echoed time, modulo 2^32.
    pub timestamps: Option<(u32, u32)>,
    /// Ranges of sequence numbers that arrived beyond the cumulative one, and their number.
    pub sacked: ([(u32, u32); 4], u8),
}

impl Acknowledgment {
    /// The ranges in use.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.sacked.0[..usize::from(self.sacked.1).min(4)]
    }
}

/// Reason for which a packet did not pass a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DropCause {
    /// The queue had no room for the packet.
    Queue,
    /// The discipline dropped the packet although there was room: to signal congestion, or to keep the delay low.
    Aqm,
    /// The packet exceeded the rate of the link's policer.
    Policer,
    /// The packet was lost before the queue.
    Loss,
    /// The packet was sent but damaged on the wire, and is discarded on arrival.
    Corruption,
    /// The packet was sent while the link was down.
    Outage,
}

impl DropCause {
    /// Name of the cause in tables and traces.
    pub fn name(self) -> &'static str {
        match self {
            DropCause::Queue => "queue",
            DropCause::Aqm => "aqm",
            DropCause::Policer => "policer",
            DropCause::Loss => "loss",
            DropCause::Corruption => "corruption",
            DropCause::Outage => "outage",
        }
    }
}

/// Packets that a discipline drops in a call, with the causes.
pub type Drops = Vec<(Item, DropCause)>;

/// Next action of a discipline on a free wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Send this packet now.
    Send(Item),
    /// Send no packet before this time, which is later than now, unless another packet arrives.
    Wait(Nanos),
    /// The queue is empty.
    Empty,
}

/// Fate of a packet that arrives at a discipline that impairs packets itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The packet is lost.
    Lost,
    /// The queue has no room.
    Full,
    /// The packet is added next.
    Queued {
        /// Whether a copy is added before it.
        duplicated: bool,
        /// Whether the packet is corrupted.
        corrupted: bool,
    },
}

/// A queue discipline. Every packet that is added leaves once: through [`Discipline::dequeue`] or as a drop.
pub trait Discipline: Send {
    /// Accepts a packet that arrives at `at`, which is its `arrival`. This packet or others may be dropped.
    fn enqueue(&mut self, at: Nanos, item: Item, drops: &mut Drops);

    /// Whether the discipline reads headers. If it does, [`Discipline::enqueue_read`] is called instead of
    /// [`Discipline::enqueue`] where the headers are known.
    fn reads_headers(&self) -> bool {
        false
    }

    /// Same as [`Discipline::enqueue`], with the packet's headers.
    fn enqueue_read(&mut self, at: Nanos, item: Item, headers: &Headers, drops: &mut Drops) {
        let _ = headers;
        self.enqueue(at, item, drops);
    }

    /// Returns the next action at `at`, when the wire is free. The port also calls this with an empty queue, before a
    /// packet arrives at an idle wire.
    fn dequeue(&mut self, at: Nanos, drops: &mut Drops) -> Next;

    /// Number of packets and of bytes in the queue.
    fn backlog(&self) -> (u64, u64);

    /// Decides on a packet before it is added. Only a discipline that a port asks ([`crate::Port::with_verdicts`])
    /// impairs packets itself.
    fn judge(&mut self, _item: &mut Item, _is_copy: bool) -> Verdict {
        Verdict::Queued { duplicated: false, corrupted: false }
    }

    /// Whether the discipline splits a large packet of `size` bytes into its segments before it accepts them. Most of
    /// Linux's disciplines keep large packets whole.
    fn splits(&self, size: u32) -> bool {
        let _ = size;
        false
    }
}

/// Settings with which a discipline is created.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// Rate of the link; the mean rate if the rate varies.
    pub rate: Rate,
    /// Limit of the queue.
    pub limit: Limit,
    /// Size of a full packet, bytes.
    pub packet_size: u32,
    /// Names and values of the parameters that are given.
    pub given: Given<'a>,
    /// Seed of the discipline's random numbers.
    pub seed: Seed,
}

impl Settings<'_> {
    /// The discipline's stream of random numbers.
    pub fn random(&self) -> Random {
        Random::new(self.seed)
    }
}

/// An entry of the catalogue.
pub struct Entry {
    /// Name in scenarios.
    pub name: &'static str,
    /// One sentence that says what the discipline is.
    pub summary: &'static str,
    /// Paper, RFC or code that specifies the discipline.
    pub source: &'static str,
    /// Default limit from the specification; `None` for one bandwidth-delay product.
    pub limit: Option<Limit>,
    /// Parameters that scenarios may set besides the limit.
    pub parameters: &'static [Parameter],
    /// Problems of the parameters in combination: the name of a parameter and the values that would be accepted. Each
    /// parameter is in its range.
    pub check: fn(&Settings<'_>) -> Vec<(&'static str, String)>,
    /// Creates the discipline of a link.
    pub make: fn(&Settings<'_>) -> Box<dyn Discipline>,
}

/// A `check` that accepts every combination of parameters.
pub(crate) fn anything(_settings: &Settings<'_>) -> Vec<(&'static str, String)> {
    Vec::new()
}

/// All disciplines. The first is the one that [`crate::Link`] computes when a packet arrives.
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
    cake::ENTRY,
    xcp::ENTRY,
];

/// The entry with a name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}
