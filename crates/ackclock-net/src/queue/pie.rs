//! PIE (Proportional Integral controller Enhanced, RFC 8033): drops arriving packets with a probability that a controller
//! keeps the delay at a target by.
//!
//! # Equations
//!
//! Every `update`, with the delay D, and D' at the last update (section 4.2):
//!
//! p += (`alpha` (D - `target`) + `beta` (D - D')) / s, with s = 2048, 512, 128, 32, 8, 2 for p below 10^-6, ..., 10^-1, and
//! 1 above. From p = 0.1 it grows by 0.02 at most (section 5.5); with D and D' below half the target it is 2 % less (appendix
//! B).
//!
//! D is how long the packet that left last has waited, 0 if nothing was left behind it; or with `estimate_rate` the backlog
//! over the departure rate, measured over `rate_sample` bytes and smoothed (section 5.2). Arriving packets' p are added up:
//! below 0.85 nothing is dropped, from 8.5 the packet is, between them with probability p; each drop begins the sum anew
//! (section 5.4). Nothing is dropped with at most two packets of bytes waiting, or with D' below half the target and p below
//! 0.2 (section 4.1), and in the first `burst` after p was 0 with D and D' below half the target (section 4.4). Up to p =
//! `mark_limit` marks take the place of drops (section 5.1).
//!
//! # Constants
//!
//! `target` 15 ms, `update` 15 ms, `burst` 150 ms, `alpha` 1/8, `beta` 5/4, `mark_limit` 0.1, `rate_sample` 2^14 bytes
//! (appendix B). The limit is that of Linux's `pie`, 1000 packets: the RFC names none.
//!
//! # Choices and deviations
//!
//! - Delays are taken from the packets by default, as in appendix A and in Linux; the RFC leaves that open. That a queue that
//!   is left empty has no delay is Linux's: in appendix A it would keep that of the packet before.
//! - PIE is active whenever something waits (`active_from` 0), as in appendix A and in Linux; with `active_from` 1/3 as in
//!   appendix B, from a third of the limit on.
//! - Whether it becomes inactive, and its burst allowance is full again, is decided at updates, by section 5.3, as in Linux.
//!   Appendix B asks on each arrival whether p and both delays are 0, and would never remain active.
//! - The burst allowance is asked before the sum of probabilities (section 4.4, appendix A); a mark begins the sum anew as a
//!   drop does.
//! - The rate is measured only from when enough bytes wait, also on becoming active; until it is known, PIE does not become
//!   inactive with packets waiting.
//!
//! # Validated against
//!
//! Appendix B with the choices above written out in Python, packet by packet on random traffic; steps of the controller by
//! hand.

use super::pie_control::{
    ALPHA, BETA, BURST, Constants, ESTIMATE_RATE, MARK_LIMIT, Pie, RATE_SAMPLE, TARGET, UPDATE, ecn,
};
use super::{
    Discipline, DropCause, Drops, Entry, Fifo, Item, Limit, Next, Otherwise, Parameter, Quantity, Settings, anything,
};
use crate::Nanos;
use crate::random::Random;

const ECN: Parameter = ecn(true);
const ACTIVE_FROM: Parameter = Parameter {
    name: "active_from",
    summary: "Share of the limit that has to wait before PIE does anything.",
    quantity: Quantity::Probability,
    default: Otherwise::Is(0.0),
    range: (0.0, 1.0),
};

pub(super) const ENTRY: Entry = Entry {
    name: "pie",
    summary: "PIE: drops or marks arriving packets with a probability that keeps the delay at a target.",
    source: "RFC 8033",
    limit: Some(Limit::Packets(1000)),
    parameters: &[TARGET, UPDATE, ALPHA, BETA, BURST, ECN, MARK_LIMIT, ESTIMATE_RATE, RATE_SAMPLE, ACTIVE_FROM],
    check: anything,
    make: |settings| Box::new(Queue::new(settings)),
};

#[derive(Debug)]
struct Queue {
    items: Fifo,
    /// Packets, or bytes, from which PIE is active.
    active_from: f64,
    constants: Constants,
    pie: Pie,
    random: Random,
}

impl Queue {
    fn new(settings: &Settings<'_>) -> Queue {
        let most = match settings.limit {
            Limit::Unlimited => 0,
            Limit::Packets(most) | Limit::Bytes(most) => most,
        };
        Queue {
            items: Fifo::new(settings.limit),
            active_from: settings.get(&ACTIVE_FROM) * most as f64,
            constants: Constants::new(settings, &ECN),
            pie: Pie::default(),
            random: settings.random(),
        }
    }

    /// What waits, in what the limit counts.
    fn waiting(&self) -> u64 {
        let (packets, bytes) = self.items.backlog();
        if let Limit::Packets(_) = self.items.limit() { packets } else { bytes }
    }
}

impl Discipline for Queue {
    fn enqueue(&mut self, at: Nanos, mut item: Item, drops: &mut Drops) {
        let waiting = self.items.bytes();
        self.pie.advance(&self.constants, at, waiting);
        if !self.items.fits(item.size) {
            self.pie.overflowed();
            drops.push((item, DropCause::Queue));
        } else if self.pie.admits(&self.constants, waiting, &mut item, &mut self.random, drops) {
            self.items.push(item);
        }
        if self.waiting() as f64 >= self.active_from {
            self.pie.activate(&self.constants, at, self.items.bytes());
        }
    }

    fn dequeue(&mut self, at: Nanos, _drops: &mut Drops) -> Next {
        let Some(item) = self.items.pop() else { return Next::Empty };
        self.pie.dequeued(&self.constants, at, &item, self.items.bytes());
        Next::Send(item)
    }

    fn backlog(&self) -> (u64, u64) {
        self.items.backlog()
    }
}
