//! A link with a drop-tail queue, whose times are computed when a packet arrives.

use ackclock_core::prefetch::prefetch;

use crate::Rate;

use crate::backlog::Backlog;
use crate::{DropCause, Limit, Loss, Nanos, Transmitter};

/// Times of a packet that crosses a link.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Passage {
    /// Time at which the packet's first bit leaves. The queueing delay is the time from the packet's arrival at the
    /// link to `start`.
    pub start: Nanos,
    /// Time at which the packet's last bit has left.
    pub departure: Nanos,
    /// Time at which the packet's last bit is at the far end.
    pub arrival: Nanos,
}

impl Passage {
    /// Departure of the part of a large packet that ends `upto` bytes after its start; the packet has `all` bytes.
    pub fn departure_of(&self, upto: u32, all: u32) -> Nanos {
        let after = u128::from(self.departure - self.start) * u128::from(all - upto) / u128::from(all.max(1));
        self.departure - after as Nanos
    }

    /// Arrival of that part, as long before the arrival of the packet as it departs before the packet, and not before
    /// `earliest`.
    pub fn arrival_of(&self, upto: u32, all: u32, earliest: Nanos) -> Nanos {
        let before = self.departure - self.departure_of(upto, all);
        self.arrival.saturating_sub(before).max(earliest)
    }
}

/// Treatment of large packets of segmentation offload by a link.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Large {
    /// They are split when they arrive at the link.
    #[default]
    Split,
    /// They are whole in the link's queue and leave it as segments, back to back: the queue of a host with a network card.
    Queued,
    /// They are whole on the link, too, as between virtual interfaces.
    Whole,
}

/// Counts of the packets that a link has carried and lost.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Carried {
    /// Packets whose last bit has left.
    pub packets: u64,
    /// Bytes of the packets whose last bit has left.
    pub bytes: u64,
    /// Packets dropped because the queue was full.
    pub queue_drops: u64,
    /// Packets that the queue discipline dropped for other reasons.
    pub aqm_drops: u64,
    /// Packets that exceeded the rate of the policer.
    pub policer_drops: u64,
    /// Packets that the policer or the queue discipline marked.
    pub marks: u64,
    /// Packets lost before the queue.
    pub losses: u64,
    /// Packets counted in `packets` that do not arrive: they were corrupted, or sent while the link was down.
    pub wire_losses: u64,
    /// Copies that the link made of packets.
    pub duplicates: u64,
}

impl Carried {
    /// Number of packets that were never on the wire, whatever the cause.
    pub fn drops(&self) -> u64 {
        self.queue_drops + self.aqm_drops + self.policer_drops + self.losses
    }
}

/// Reason for which [`Link::offer`] returns no times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The packet is dropped.
    Drop(DropCause),
    /// The link is a [`crate::Port`], which needs more of the packet than its size.
    Port,
}

/// A link of fixed rate and propagation delay with a first-in, first-out queue.
///
/// No event is needed when a packet leaves the link: [`Link::offer`] returns all times when the packet arrives. Calls
/// are in the order of their times, which may lie in the caller's future.
pub struct Link {
    transmitter: Transmitter,
    delay: Nanos,
    /// `None` for links without limit and counts, whose queue needs no state. The counts are boxed because most links
    /// have none, and small links make runs with thousands of flows fast.
    counted: Option<Box<Counted>>,
}

/// The queue before a link, and its counts.
struct Counted {
    queue: Backlog,
    /// Loss before the queue, as in netem, dummynet and ns-2's lossmodel: a lost packet takes no room in the queue and
    /// no time on the wire.
    loss: Option<Loss>,
    is_port: bool,
    accepted: Carried,
}

impl Link {
    /// A link of `rate` bits per second and `delay` ns of propagation behind a drop-tail queue, with counts.
    pub fn new(rate: Rate, delay: Nanos, limit: Limit) -> Link {
        let counted = Counted { queue: Backlog::new(limit), loss: None, is_port: false, accepted: Carried::default() };
        Link { counted: Some(Box::new(counted)), ..Link::uncounted(rate, delay) }
    }

    /// A placeholder for a port of the given rate and delay; [`Link::offer`] refuses every packet.
    pub fn of_port(rate: Rate, delay: Nanos) -> Link {
        let mut link = Link::new(rate, delay, Limit::Unlimited);
        link.counted.as_mut().expect("it has just been made so").is_port = true;
        link
    }

    /// Adds loss before the queue.
    ///
    /// # Panics
    /// If the link keeps no counts.
    pub fn with_loss(mut self, loss: Loss) -> Link {
        let counted = self.counted.as_mut().expect("what a link loses is counted");
        counted.loss = Some(loss);
        self
    }

    /// A link with an unlimited queue and without counts, which is faster: a host's own interface.
    pub fn uncounted(rate: Rate, delay: Nanos) -> Link {
        Link { transmitter: Transmitter::new(rate), delay, counted: None }
    }

    /// Brings the link into the processor's caches ([`ackclock_core::prefetch`]).
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.transmitter);
        prefetch(&self.counted);
    }

    /// Rate of the link.
    pub fn rate(&self) -> Rate {
        self.transmitter.rate()
    }

    /// Propagation delay, ns.
    pub fn delay(&self) -> Nanos {
        self.delay
    }

    /// Limit of the queue.
    pub fn limit(&self) -> Limit {
        self.counted.as_ref().map_or(Limit::Unlimited, |counted| counted.queue.limit())
    }

    /// Times of a packet of `size` bytes that arrives at `at`.
    ///
    /// # Errors
    /// [`Refusal`] if the packet is dropped or the link is a port.
    #[inline]
    pub fn offer(&mut self, at: Nanos, size: u32) -> Result<Passage, Refusal> {
        if self.counted.is_some() {
            self.count(at, size)?;
        }
        let service = self.transmitter.transmit(at, size);
        Ok(Passage { start: service.start, departure: service.end, arrival: service.end.saturating_add(self.delay) })
    }

    /// Part of [`Link::offer`] for links with a limit or counts.
    #[inline(never)]
    fn count(&mut self, at: Nanos, size: u32) -> Result<(), Refusal> {
        let Some(counted) = &mut self.counted else { return Ok(()) };
        if counted.is_port {
            return Err(Refusal::Port);
        }
        if counted.loss.as_mut().is_some_and(|loss| loss.strikes(at)) {
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

    /// Counts of the link up to `at`, which is no earlier than the last offer. `None` if the link keeps no counts.
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
