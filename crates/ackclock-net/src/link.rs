//! A link with a drop-tail queue, evaluated ahead of time.

use std::num::NonZeroU64;

use crate::backlog::Backlog;
use crate::{DropCause, Limit, Loss, Nanos, Transmitter};

/// The times of a packet that crosses a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passage {
    /// Its first bit leaves; the queueing delay is what lies between the arrival and this.
    pub start: Nanos,
    /// Its last bit has left.
    pub departure: Nanos,
    /// Its last bit is at the far end.
    pub arrival: Nanos,
}

/// What a link has carried.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Carried {
    /// Packets whose last bit has left.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets that found no room in the queue.
    pub queue_drops: u64,
    /// Packets that the discipline dropped for other reasons.
    pub aqm_drops: u64,
    /// Packets that the discipline marked.
    pub marks: u64,
    /// Packets lost before the queue.
    pub losses: u64,
    /// Of the packets whose last bit has left, those that do not arrive: corrupted, or sent while the link was down.
    pub wire_losses: u64,
    /// Packets that came into being because others were duplicated.
    pub duplicates: u64,
}

impl Carried {
    /// Packets that never were on the wire, for whatever cause.
    pub fn drops(&self) -> u64 {
        self.queue_drops + self.aqm_drops + self.losses
    }
}

/// Why [`Link::offer`] tells no times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The packet does not pass.
    Drop(DropCause),
    /// The link is a [`crate::Port`], which has to see more of the packet.
    Port,
}

/// A link of fixed rate and propagation delay with a first-in first-out queue before it.
///
/// Nothing has to happen at a link when a packet leaves it: [`Link::offer`] tells all times on arrival. Offers come in
/// the order of their times, which may lie in the future of whoever asks.
pub struct Link {
    transmitter: Transmitter,
    delay: Nanos,
    /// Kept only where somebody asks for it: a queue without a limit needs no memory of what waits. Apart, because the
    /// links without it are many, and a run with thousands of flows is as fast as its links are small.
    counted: Option<Box<Counted>>,
}

/// The queue before a link, and what it let pass.
struct Counted {
    queue: Backlog,
    /// Strikes before the queue, as in netem, dummynet and ns-2's lossmodel: what is lost takes up neither room nor time.
    loss: Option<Loss>,
    is_port: bool,
    accepted: Carried,
}

impl Link {
    /// A link of `rate` bits per second and `delay` ns of propagation behind a drop-tail queue. Its counts can be read.
    pub fn new(rate: NonZeroU64, delay: Nanos, limit: Limit) -> Link {
        let counted = Counted { queue: Backlog::new(limit), loss: None, is_port: false, accepted: Carried::default() };
        Link { counted: Some(Box::new(counted)), ..Link::uncounted(rate, delay) }
    }

    /// What stands in the place of a port of that rate and delay: it takes no packet.
    pub fn of_port(rate: NonZeroU64, delay: Nanos) -> Link {
        let mut link = Link::new(rate, delay, Limit::Unlimited);
        link.counted.as_mut().expect("it has just been made so").is_port = true;
        link
    }

    /// The same with loss before the queue.
    ///
    /// # Panics
    /// If the link keeps no counts.
    pub fn with_loss(mut self, loss: Loss) -> Link {
        let counted = self.counted.as_mut().expect("what a link loses is counted");
        counted.loss = Some(loss);
        self
    }

    /// A link with an unlimited queue that keeps no counts and so costs less: a host's own interface.
    pub fn uncounted(rate: NonZeroU64, delay: Nanos) -> Link {
        Link { transmitter: Transmitter::new(rate), delay, counted: None }
    }

    /// Bits per second.
    pub fn rate(&self) -> u64 {
        self.transmitter.rate()
    }

    /// Propagation delay.
    pub fn delay(&self) -> Nanos {
        self.delay
    }

    /// What may wait before it.
    pub fn limit(&self) -> Limit {
        self.counted.as_ref().map_or(Limit::Unlimited, |counted| counted.queue.limit())
    }

    /// A packet of `size` bytes arrives at `at`: when it passes.
    ///
    /// # Errors
    /// Why it does not.
    #[inline]
    pub fn offer(&mut self, at: Nanos, size: u32) -> Result<Passage, Refusal> {
        if self.counted.is_some() {
            self.count(at, size)?;
        }
        let service = self.transmitter.transmit(at, size);
        Ok(Passage { start: service.start, departure: service.end, arrival: service.end.saturating_add(self.delay) })
    }

    /// The part of [`Link::offer`] that is for links with a limit or counts.
    #[inline(never)]
    fn count(&mut self, at: Nanos, size: u32) -> Result<(), Refusal> {
        let Some(counted) = &mut self.counted else { return Ok(()) };
        if counted.is_port {
            return Err(Refusal::Port);
        }
        if counted.loss.as_mut().is_some_and(Loss::strikes) {
            counted.accepted.losses += 1;
            return Err(Refusal::Drop(DropCause::Loss));
        }
        let start = self.transmitter.free_at();
        if start <= at {
            counted.queue.pass(size);
        } else if counted.queue.admits(at, size) {
            counted.queue.push(start, size);
        } else {
            counted.accepted.queue_drops += 1;
            return Err(Refusal::Drop(DropCause::Queue));
        }
        counted.accepted.packets += 1;
        counted.accepted.bytes += u64::from(size);
        Ok(())
    }

    /// What the link has carried by `at`, no earlier than the last offer; `None` where it keeps no counts.
    pub fn carried(&mut self, at: Nanos) -> Option<Carried> {
        let Counted { queue, accepted, .. } = self.counted.as_deref_mut()?;
        queue.advance(at);
        let (packets, bytes) = queue.total();
        let busy = packets > 0 || self.transmitter.free_at() > at;
        Some(Carried {
            packets: accepted.packets - packets - u64::from(busy),
            bytes: accepted.bytes - bytes - if busy { u64::from(queue.in_service()) } else { 0 },
            ..*accepted
        })
    }
}
