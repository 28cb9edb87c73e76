//! A link: queue, wire, propagation.

use std::collections::VecDeque;
use std::num::NonZeroU64;

use crate::{Discipline, DropTail, Item, Limit, Loss, Nanos, Queue, Transmitter};

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
    /// Packets lost before the queue.
    pub losses: u64,
}

impl Carried {
    /// Packets that did not pass, for whatever cause.
    pub fn drops(&self) -> u64 {
        self.queue_drops + self.losses
    }
}

/// Why a packet does not pass a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DropCause {
    /// The queue had no room for it.
    Queue,
    /// It was lost before the queue.
    Loss,
}

impl DropCause {
    /// Its name in tables and traces.
    pub fn name(self) -> &'static str {
        match self {
            DropCause::Queue => "queue",
            DropCause::Loss => "loss",
        }
    }
}

/// Why [`Link::offer`] tells no times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The packet does not pass.
    Drop(DropCause),
    /// The queue has a discipline, which has to see more of the packet: it is for [`Link::enqueue`].
    Discipline,
}

const HAS_DISCIPLINE: &str = "only a queue with a discipline is asked to";

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
    queue: DropTail,
    extra: Option<Box<Extra>>,
    accepted: Carried,
}

/// What few links have. One or the other is there.
#[derive(Default)]
struct Extra {
    /// Strikes before the queue, as in netem, dummynet and ns-2's lossmodel: what is lost takes up neither room nor time.
    loss: Option<Loss>,
    discipline: Option<Box<dyn Discipline>>,
    /// With a discipline, when what waits will be at the far end.
    arrivals: VecDeque<Nanos>,
}

impl Link {
    /// A link of `rate` bits per second and `delay` ns of propagation behind that queue; a limit alone means drop-tail. Its
    /// counts can be read.
    pub fn new(rate: NonZeroU64, delay: Nanos, queue: impl Into<Queue>) -> Link {
        let queue = queue.into();
        let discipline = queue.discipline(rate);
        let extra = discipline.is_some().then(|| Box::new(Extra { discipline, ..Extra::default() }));
        let counted = Counted { queue: DropTail::new(queue.limit), extra, accepted: Carried::default() };
        Link { counted: Some(Box::new(counted)), ..Link::uncounted(rate, delay) }
    }

    /// The same with loss before the queue.
    ///
    /// # Panics
    /// If the link keeps no counts.
    pub fn with_loss(mut self, loss: Loss) -> Link {
        let counted = self.counted.as_mut().expect("what a link loses is counted");
        counted.extra.get_or_insert_default().loss = Some(loss);
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

    /// Whether its queue has a discipline, so that packets are for [`Link::enqueue`] and [`Link::depart`].
    pub fn has_discipline(&self) -> bool {
        let extra = self.counted.as_ref().and_then(|counted| counted.extra.as_ref());
        extra.is_some_and(|extra| extra.discipline.is_some())
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
        if let Some(extra) = &mut counted.extra {
            if extra.discipline.is_some() {
                return Err(Refusal::Discipline);
            }
            if extra.loss.as_mut().is_some_and(Loss::strikes) {
                counted.accepted.losses += 1;
                return Err(Refusal::Drop(DropCause::Loss));
            }
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

    /// A packet arrives at `at` before a queue with a discipline: when it passes. At its start it is for [`Link::depart`].
    ///
    /// # Errors
    /// Why it does not pass.
    ///
    /// # Panics
    /// If the queue has no discipline.
    pub fn enqueue(&mut self, at: Nanos, item: &Item) -> Result<Passage, DropCause> {
        let start = self.transmitter.free_at();
        let Counted { queue, extra, accepted } = self.counted.as_deref_mut().expect(HAS_DISCIPLINE);
        let Extra { loss, discipline, arrivals } = extra.as_deref_mut().expect(HAS_DISCIPLINE);
        if loss.as_mut().is_some_and(Loss::strikes) {
            accepted.losses += 1;
            return Err(DropCause::Loss);
        }
        let admitted = discipline.as_mut().expect(HAS_DISCIPLINE).admits(at, item, queue);
        if !admitted || start > at && !queue.admits(at, item.size) {
            accepted.queue_drops += 1;
            return Err(DropCause::Queue);
        }
        if start > at {
            queue.push(start, item.size);
        } else {
            queue.pass(item.size);
        }
        accepted.packets += 1;
        accepted.bytes += u64::from(item.size);
        let service = self.transmitter.transmit(at, item.size);
        let arrival = service.end.saturating_add(self.delay);
        arrivals.push_back(arrival);
        Ok(Passage { start: service.start, departure: service.end, arrival })
    }

    /// The packet that waited longest leaves the queue for the wire at `at`, its start: when it will be at the far end.
    ///
    /// # Panics
    /// If the queue has no discipline, or nothing waits for this call.
    pub fn depart(&mut self, at: Nanos, item: &mut Item) -> Nanos {
        let Counted { queue, extra, .. } = self.counted.as_deref_mut().expect(HAS_DISCIPLINE);
        let Extra { discipline, arrivals, .. } = extra.as_deref_mut().expect(HAS_DISCIPLINE);
        discipline.as_mut().expect(HAS_DISCIPLINE).departs(at, item, queue);
        arrivals.pop_front().expect("what departs was enqueued")
    }

    /// What the link has carried by `at`, no earlier than the last offer; `None` where it keeps no counts.
    pub fn carried(&mut self, at: Nanos) -> Option<Carried> {
        let Counted { queue, accepted, .. } = self.counted.as_deref_mut()?;
        queue.advance(at);
        let (packets, bytes) = queue.backlog();
        let busy = packets > 0 || self.transmitter.free_at() > at;
        Some(Carried {
            packets: accepted.packets - packets - u64::from(busy),
            bytes: accepted.bytes - bytes - if busy { u64::from(queue.in_service()) } else { 0 },
            ..*accepted
        })
    }
}
