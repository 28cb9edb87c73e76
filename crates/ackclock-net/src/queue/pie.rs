//! PIE (Proportional Integral controller Enhanced, RFC 8033): drops arriving packets with a probability by which a
//! controller keeps the queueing delay at a target.
//!
//! # Equations
//!
//! Let D be the delay, and D' its value at the last update. Every `update` (section 4.2):
//!
//! p += (`alpha` (D - `target`) + `beta` (D - D')) / s, with s = 2048, 512, 128, 32, 8, 2 for p below 10^-6, ...,
//! 10^-1, and s = 1 for larger p.
//!
//! From p = 0.1 on, p grows by at most 0.02 (section 5.5). If D and D' are below half the target, p is also reduced by
//! 2 % (appendix B).
//!
//! D is the sojourn time of the last packet that left, or 0 if that packet left the queue empty. With `estimate_rate`,
//! D is the backlog over the departure rate, which is measured over `rate_sample` bytes and smoothed (section 5.2).
//!
//! The values of p of arriving packets are added up. While the sum is below 0.85 no packet is dropped; from 8.5 on the
//! packet is dropped; between them it is dropped with probability p. Each drop resets the sum (section 5.4).
//!
//! No packet is dropped in these cases:
//!
//! - At most two full packets of bytes are in the queue, or D' is below half the target and p below 0.2 (section 4.1).
//! - Less than `burst` has passed since p was 0 with D and D' below half the target (section 4.4).
//!
//! With `rules` `linux` (net/sched/sch_pie.c), these rules differ:
//!
//! - While D is above 250 ms, p grows by 0.02 more in each update.
//! - p decays by 1/64, and only if D and D' are 0 and no packet waits that arrived since.
//! - A packet may be dropped when two full packets are in the queue, and D is compared with half the target, not D'.
//! - `burst` is spent by the time between packets that leave, and updates happen at multiples of `update`.
//!
//! Up to p = `mark_limit`, ECN-capable packets are marked instead of dropped (section 5.1).
//!
//! # Constants
//!
//! `target` is 15 ms, `update` 15 ms, `burst` 150 ms, `alpha` 1/8, `beta` 5/4, `mark_limit` 0.1 and `rate_sample` 2^14
//! bytes (appendix B). The RFC gives no limit; the default is 1000 packets, as in Linux's `pie`.
//!
//! # Choices and deviations
//!
//! - By default, D is the sojourn time of packets, as in appendix A and in Linux; the RFC allows both methods. As in
//!   Linux, a queue that is left empty has no delay. In appendix A, D would keep the value of the last packet.
//! - PIE is active whenever packets wait (`active_from` 0), as in appendix A and in Linux. With `active_from` 1/3, PIE
//!   is active from a third of the limit on, as in appendix B.
//! - At updates, section 5.3 decides whether PIE becomes inactive and its burst allowance is restored, as in Linux.
//!   Appendix B tests at each arrival whether p and both delays are 0; PIE would never remain active.
//! - The burst allowance is tested before the sum of probabilities grows (section 4.4, appendix A). A mark resets the
//!   sum as a drop does.
//! - A measurement of the rate starts only when `rate_sample` bytes are in the queue, also when PIE becomes active.
//!   Until the rate is known, PIE does not become inactive while packets wait.
//!
//! # Validated against
//!
//! Appendix B with the choices above, implemented in Python, packet by packet on random traffic; steps of the
//! controller by hand. `rules` `linux`: means of Linux 6.12 (docs/residuals-of-queues.md).

use ackclock_core::{joined, parameters};

use super::pie_control::{Constants, Control, Estimate, Pie};
use super::rules::Description;
use super::{Discipline, DropCause, Drops, Entry, Fifo, Item, Limit, Next, Settings, anything};
use crate::Nanos;
use crate::Random;

parameters! {
    /// Marking instead of dropping.
    struct Ecn {
        ecn: bool = is(1.0), (0.0, 1.0), Flag,
            "Whether ECN-capable packets are marked instead of dropped, up to mark_limit.";
    }
}

parameters! {
    /// Activation of the controller.
    struct Activation {
        active_from: f64 = is(0.0), (0.0, 1.0), Probability,
            "Share of the limit that has to be in the queue before PIE becomes active.";
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "pie",
    summary: "PIE: drops or marks arriving packets with a probability that keeps the queueing delay at a target.",
    source: "RFC 8033",
    limit: Some(Limit::Packets(1000)),
    parameters: joined!(Control::ROWS, Ecn::ROWS, Estimate::ROWS, Activation::ROWS, Description::ROWS),
    check: anything,
    make: |settings| Box::new(Queue::new(settings)),
};

#[derive(Debug)]
struct Queue {
    items: Fifo,
    /// Length of the queue from which on PIE is active, in the unit of the limit.
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
            active_from: Activation::read(settings.given).active_from * most as f64,
            constants: Constants::new(settings, Ecn::read(settings.given).ecn),
            pie: Pie::default(),
            random: settings.random(),
        }
    }

    /// Length of the queue, in the unit of the limit.
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
