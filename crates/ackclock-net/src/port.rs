//! A router's output port: a queue discipline before a wire, asked packet by packet.

use crate::queue::{Discipline, DropCause, Drops, Ecn, Item, Next};
use crate::server::{NEVER, Server};
use crate::{Carried, Loss, Nanos, Passage};

/// A packet that goes on the wire.
#[derive(Clone, Copy, Debug)]
pub struct Sent<T> {
    /// The packet.
    pub packet: T,
    /// What the discipline made of it.
    pub item: Item,
    /// When it passes.
    pub passage: Passage,
}

/// A packet that does not pass.
#[derive(Clone, Copy, Debug)]
pub struct Dropped<T> {
    /// The packet.
    pub packet: T,
    /// What the discipline saw of it.
    pub item: Item,
    /// Why not.
    pub cause: DropCause,
}

/// A queue discipline, a wire and a propagation delay, for packets of any kind.
///
/// Whoever drives it calls [`Port::arrive`] for each packet, and [`Port::poll`] until it gives nothing more, after each arrival
/// and at the time [`Port::due`]; and takes away what was dropped. Calls come in the order of their times.
pub struct Port<T> {
    queue: Box<dyn Discipline>,
    server: Box<dyn Server>,
    delay: Nanos,
    loss: Option<Loss>,
    /// Packets that wait, with the ECN fields they came with, at the places that are their items' numbers.
    packets: Vec<Option<(T, Ecn)>>,
    free: Vec<u32>,
    drops: Drops,
    /// What was lost before the queue.
    lost: Vec<Dropped<T>>,
    due: Nanos,
    counts: Carried,
    /// End and size of the packet sent last.
    last: (Nanos, u32),
}

impl<T> Port<T> {
    /// A port with an empty queue and an idle wire of `delay` ns of propagation.
    pub fn new(queue: Box<dyn Discipline>, server: Box<dyn Server>, delay: Nanos) -> Port<T> {
        Port {
            queue,
            server,
            delay,
            loss: None,
            packets: Vec::new(),
            free: Vec::new(),
            drops: Drops::new(),
            lost: Vec::new(),
            due: NEVER,
            counts: Carried::default(),
            last: (0, 0),
        }
    }

    /// The same with loss before the queue.
    pub fn with_loss(mut self, loss: Loss) -> Port<T> {
        self.loss = Some(loss);
        self
    }

    /// Propagation delay.
    pub fn delay(&self) -> Nanos {
        self.delay
    }

    /// The wire.
    pub fn server(&self) -> &dyn Server {
        &*self.server
    }

    /// Packets and bytes that wait.
    pub fn backlog(&self) -> (u64, u64) {
        self.queue.backlog()
    }

    /// A packet arrives at `at`; number and arrival of `item` are given here.
    pub fn arrive(&mut self, at: Nanos, item: Item, packet: T) {
        if self.loss.as_mut().is_some_and(Loss::strikes) {
            self.counts.losses += 1;
            self.lost.push(Dropped { packet, item: Item { arrival: at, ..item }, cause: DropCause::Loss });
            return;
        }
        let id = self.free.pop().unwrap_or_else(|| {
            self.packets.push(None);
            self.packets.len() as u32 - 1
        });
        self.packets[id as usize] = Some((packet, item.ecn));
        let start = self.server.start(at);
        if start <= at && self.queue.backlog().0 == 0 {
            self.queue.dequeue(at, &mut self.drops);
        }
        self.queue.enqueue(at, Item { id, arrival: at, ..item }, &mut self.drops);
        self.due = self.due.min(start);
    }

    /// When to poll next; [`NEVER`] where nothing waits.
    pub fn due(&self) -> Nanos {
        self.due
    }

    /// The packet that starts at `at`, if one does.
    pub fn poll(&mut self, at: Nanos) -> Option<Sent<T>> {
        if at < self.due {
            return None;
        }
        let start = self.server.start(at);
        if start > at {
            self.due = start;
            return None;
        }
        match self.queue.dequeue(at, &mut self.drops) {
            Next::Send(item) => {
                let follows = item.arrival < at && at == self.last.0;
                let departure = self.server.transmit(at, item.size, follows);
                self.counts.packets += 1;
                self.counts.bytes += u64::from(item.size);
                let (packet, arrived) = self.take(item);
                self.counts.marks += u64::from(item.ecn != arrived);
                self.last = (departure, item.size);
                self.due = if self.queue.backlog().0 > 0 { self.server.start(departure) } else { NEVER };
                let arrival = departure.saturating_add(self.delay);
                Some(Sent { packet, item, passage: Passage { start: at, departure, arrival } })
            }
            Next::Wait(until) => {
                self.due = until.max(at + 1);
                None
            }
            Next::Empty => {
                self.due = NEVER;
                None
            }
        }
    }

    /// Whether packets may arrive at the far end in another order than they leave.
    pub fn reorders(&self) -> bool {
        false
    }

    /// Whether there is a packet to take away with [`Port::dropped`].
    pub fn has_dropped(&self) -> bool {
        !self.lost.is_empty() || !self.drops.is_empty()
    }

    /// Takes away a packet that was dropped in the calls before.
    pub fn dropped(&mut self) -> Option<Dropped<T>> {
        if let Some(lost) = self.lost.pop() {
            return Some(lost);
        }
        let (item, cause) = self.drops.pop()?;
        match cause {
            DropCause::Queue => self.counts.queue_drops += 1,
            DropCause::Aqm => self.counts.aqm_drops += 1,
            DropCause::Loss => self.counts.losses += 1,
        }
        Some(Dropped { packet: self.take(item).0, item, cause })
    }

    fn take(&mut self, item: Item) -> (T, Ecn) {
        let packet = self.packets[item.id as usize].take();
        self.free.push(item.id);
        packet.expect("a discipline gives each packet back once")
    }

    /// What it has carried by `at`, no earlier than the last call.
    pub fn carried(&self, at: Nanos) -> Carried {
        let (end, size) = self.last;
        let busy = end > at;
        Carried {
            packets: self.counts.packets - u64::from(busy),
            bytes: self.counts.bytes - if busy { u64::from(size) } else { 0 },
            ..self.counts
        }
    }
}
