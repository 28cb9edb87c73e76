//! FQ-PIE: the flow queueing of FQ-CoDel (RFC 8290) with a PIE (RFC 8033) for each flow, as documented for Linux's
//! `fq_pie` (G. Ramakrishnan and others, "FQ-PIE Queue Discipline in the Linux Kernel", LCN Symposium 2019;
//! tc-fq_pie(8)).
//!
//! # Equations
//!
//! The schedule is that of `fq-codel`. Drops are those of `pie`, with the delay and the bytes of the flow's queue. A
//! packet that arrives when all queues together have reached the limit is dropped, whatever its flow; no packet is
//! dropped from the longest queue instead.
//!
//! # Constants
//!
//! There are 1024 queues. The limit is 10240 packets, and `quantum` is one packet. ECN is off by default. All other
//! constants are those of `pie`.
//!
//! # Deviations
//!
//! - A flow's drop probability is calculated every `update` from the time at which its queue became active. Linux has
//!   one timer for all flows, as `rules` `linux` has here.
//! - The hash is of the flow's number and the seed. There is no additional limit in bytes of memory.
//!
//! # Validated against
//!
//! Both specifications, implemented in Python, packet by packet on random traffic. `rules` `linux`: means of Linux 6.12
//! (docs/residuals-of-queues.md).

use ackclock_core::{joined, parameters};

use super::flow_queues::{FlowQueues, Flows};
use super::pie_control::{Constants, Control, Estimate, Pie};
use super::rules::Description;
use super::{Discipline, DropCause, Drops, Entry, Item, Limit, Next, Settings, anything};
use crate::Nanos;
use crate::Random;

parameters! {
    /// Length of a turn.
    struct Turns {
        quantum: Option<i64> = follows("a full packet"), (256.0, 1e9), Volume,
            "Number of bytes that a queue may send at its turn.";
    }
}

parameters! {
    /// Marking instead of dropping.
    struct Ecn {
        ecn: bool = is(0.0), (0.0, 1.0), Flag,
            "Whether ECN-capable packets are marked instead of dropped, up to mark_limit.";
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "fq-pie",
    summary: "FQ-PIE: fair queueing of flows with a PIE for each; sparse flows go first.",
    source: "Ramakrishnan and others, LCN Symposium 2019; RFC 8290, RFC 8033",
    limit: Some(Limit::Packets(10_240)),
    parameters: joined!(Control::ROWS, Turns::ROWS, Flows::ROWS, Ecn::ROWS, Estimate::ROWS, Description::ROWS),
    check: anything,
    make: |settings| Box::new(FqPie::new(settings)),
};

#[derive(Debug)]
struct FqPie {
    limit: Limit,
    queues: FlowQueues<Pie>,
    constants: Constants,
    random: Random,
}

impl FqPie {
    fn new(settings: &Settings<'_>) -> FqPie {
        let quantum = Turns::read(settings.given).quantum.unwrap_or(i64::from(settings.packet_size));
        let mut random = settings.random();
        let queues = FlowQueues::new(settings, quantum, &mut random);
        let constants = Constants::new(settings, Ecn::read(settings.given).ecn);
        FqPie { limit: settings.limit, queues, constants, random }
    }
}

impl Discipline for FqPie {
    fn enqueue(&mut self, at: Nanos, mut item: Item, drops: &mut Drops) {
        let total = self.queues.total;
        let (pie, waiting) = self.queues.state(item.flow);
        pie.advance(&self.constants, at, waiting);
        if !self.limit.fits(total.packets, total.bytes, item.size) {
            pie.overflowed();
            drops.push((item, DropCause::Queue));
        } else if pie.admits(&self.constants, waiting, &mut item, &mut self.random, drops) {
            pie.activate(&self.constants, at, waiting + u64::from(item.size));
            self.queues.push(item);
        }
    }

    fn dequeue(&mut self, at: Nanos, _drops: &mut Drops) -> Next {
        let constants = &self.constants;
        let sent = self.queues.dequeue(|pie, turn| {
            let item = turn.take()?;
            pie.dequeued(constants, at, &item, turn.bytes());
            Some(item)
        });
        sent.map_or(Next::Empty, Next::Send)
    }

    fn backlog(&self) -> (u64, u64) {
        (self.queues.total.packets, self.queues.total.bytes)
    }
}
