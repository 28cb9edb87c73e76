//! A router's output port: a queue discipline and a wire, polled packet by packet.

use crate::queue::{Discipline, DropCause, Drops, Headers, Item, Next, Verdict};
use crate::server::Server;
use crate::{Carried, Ecn, Loss, NEVER, Nanos, Passage, Policer, Propagation, Schedule};

/// A packet that goes onto the wire.
#[derive(Clone, Copy, Debug)]
pub struct Sent<T> {
    /// The packet.
    pub packet: T,
    /// The discipline's record of the packet, possibly marked.
    pub item: Item,
    /// Times of the packet.
    pub passage: Passage,
    /// Whether the link made this packet as a copy of another.
    pub is_copy: bool,
}

/// A packet that was dropped or lost.
#[derive(Clone, Copy, Debug)]
pub struct Dropped<T> {
    /// The packet.
    pub packet: T,
    /// The discipline's record of the packet.
    pub item: Item,
    /// Cause of the drop.
    pub cause: DropCause,
    /// Times of the packet if it was lost on the wire. `arrival` is the time at which the packet would have arrived.
    pub passage: Option<Passage>,
    /// Whether the link made this packet as a copy of another.
    pub is_copy: bool,
}

/// A packet in the queue.
struct Waiting<T> {
    packet: T,
    /// ECN field at the packet's arrival.
    ecn: Ecn,
    is_copy: bool,
    /// Whether the discipline has corrupted the packet.
    is_corrupted: bool,
}

/// A queue discipline, a wire and a path with propagation delay, for packets of any type.
///
/// A packet passes these stages in order:
///
/// 1. The policer may drop or mark it, or change its class.
/// 2. It may be lost before the queue.
/// 3. It may be duplicated; the copy follows it into the queue, as in netem.
/// 4. The discipline may drop it.
/// 5. It is lost after its time on the wire if the link was down when it started, or if it is corrupted.
///
/// The caller calls [`Port::arrive`] for each packet. After each arrival, and at the time [`Port::due`], it calls
/// [`Port::poll`] until that returns `None`, and takes the dropped packets with [`Port::dropped`]. Calls are in the
/// order of their times.
pub struct Port<T> {
    queue: Box<dyn Discipline>,
    reads_headers: bool,
    /// Whether the segments of a large packet leave one after the other.
    sends_parts: bool,
    server: Box<dyn Server>,
    path: Propagation,
    policer: Option<Box<Policer>>,
    /// Whether the discipline is asked for its verdict on each packet.
    judged: bool,
    /// Whether the discipline is asked for a packet when the wire becomes free and nothing waits.
    asks_empty: bool,
    loss: Option<Loss>,
    duplication: Option<Loss>,
    corruption: Option<Loss>,
    /// Times at which packets that start on the wire are lost.
    down: Option<Schedule<bool>>,
    /// Packets in the queue; an item's `id` is the index of its packet.
    packets: Vec<Option<Waiting<T>>>,
    free: Vec<u32>,
    drops: Drops,
    /// Packets lost before the queue or on the wire.
    lost: Vec<Dropped<T>>,
    due: Nanos,
    counts: Carried,
    last: Last,
}

/// The packet sent last.
#[derive(Clone, Copy, Default)]
struct Last {
    passage: Passage,
    size: u32,
    part: u32,
    segments: u64,
    is_lost: bool,
    is_marked: bool,
}

impl<T> Port<T> {
    /// A port with an empty queue and an idle wire of `delay` ns of propagation.
    pub fn new(queue: Box<dyn Discipline>, server: Box<dyn Server>, delay: Nanos) -> Port<T> {
        Port {
            reads_headers: queue.reads_headers(),
            sends_parts: false,
            queue,
            server,
            path: Propagation::new(Schedule::constant(delay), None),
            policer: None,
            judged: false,
            asks_empty: true,
            loss: None,
            duplication: None,
            corruption: None,
            down: None,
            packets: Vec::new(),
            free: Vec::new(),
            drops: Drops::new(),
            lost: Vec::new(),
            due: NEVER,
            counts: Carried::default(),
            last: Last::default(),
        }
    }

    /// Adds a policer at the entry.
    pub fn with_policer(mut self, policer: Policer) -> Port<T> {
        self.policer = Some(Box::new(policer));
        self
    }

    /// Counts a packet that is lost before the queue, which the caller has dropped.
    pub fn count_loss(&mut self) {
        self.counts.losses += 1;
    }

    /// Asks the discipline for a verdict on each packet that arrives. The port has no duplication of its own then.
    pub fn with_verdicts(mut self) -> Port<T> {
        self.judged = true;
        self
    }

    /// Asks the discipline for packets only while it has some, as a classful discipline asks its leaves. A network card
    /// also asks after the last packet.
    pub fn without_idle_calls(mut self) -> Port<T> {
        self.asks_empty = false;
        self
    }

    /// Adds loss before the queue.
    pub fn with_loss(mut self, loss: Loss) -> Port<T> {
        self.loss = Some(loss);
        self
    }

    /// Sends large packets as their segments, back to back ([`Large::Queued`](crate::Large::Queued)).
    pub fn with_parts(mut self) -> Port<T> {
        self.sends_parts = true;
        self
    }

    /// Adds duplication of packets.
    pub fn with_duplication(mut self, duplication: Loss) -> Port<T> {
        self.duplication = Some(duplication);
        self
    }

    /// Adds corruption of packets on the wire.
    pub fn with_corruption(mut self, corruption: Loss) -> Port<T> {
        self.corruption = Some(corruption);
        self
    }

    /// Adds times during which packets sent onto the wire are lost.
    pub fn with_outages(mut self, down: Schedule<bool>) -> Port<T> {
        self.down = Some(down);
        self
    }

    /// Replaces the path behind the wire.
    pub fn with_path(mut self, path: Propagation) -> Port<T> {
        self.path = path;
        self
    }

    /// Propagation delay at the start, ns.
    pub fn delay(&self) -> Nanos {
        self.path.delay()
    }

    /// Least propagation delay, ns.
    pub fn least_delay(&self) -> Nanos {
        self.path.least_delay()
    }

    /// Whether a packet may arrive before an earlier departure.
    pub fn reorders(&self) -> bool {
        self.path.reorders()
    }

    /// The wire.
    pub fn server(&self) -> &dyn Server {
        &*self.server
    }

    /// Whether a large packet of `size` bytes is split into its segments before it arrives ([`Discipline::splits`]).
    pub fn splits(&self, size: u32) -> bool {
        self.queue.splits(size)
    }

    /// Number of packets and of bytes in the queue.
    pub fn backlog(&self) -> (u64, u64) {
        self.queue.backlog()
    }

    /// Time of the next poll; [`NEVER`] if the queue is empty.
    pub fn due(&self) -> Nanos {
        self.due
    }

    /// Starts packets at `at` and returns the first that will arrive. `None` if no further packet starts then.
    pub fn poll(&mut self, at: Nanos) -> Option<Sent<T>> {
        while at >= self.due {
            let start = self.server.start(at);
            if start > at {
                self.due = start;
                return None;
            }
            match self.queue.dequeue(at, &mut self.drops) {
                Next::Send(item) => {
                    let sent = self.send(at, item);
                    if sent.is_some() {
                        return sent;
                    }
                }
                Next::Wait(until) => self.due = until.max(at + 1),
                Next::Empty => self.due = NEVER,
            }
        }
        None
    }

    /// Puts a packet onto the wire. `None` if the packet is lost there.
    fn send(&mut self, at: Nanos, item: Item) -> Option<Sent<T>> {
        let follows = item.arrival < at && at == self.last.passage.departure;
        let departure = self.server.transmit(at, item.size, follows);
        let segments = item.count();
        self.counts.packets += segments;
        self.counts.bytes += u64::from(item.size);
        let Waiting { packet, ecn, is_copy, is_corrupted } = self.take(item);
        let is_marked = item.ecn != ecn;
        self.counts.marks += if is_marked { segments } else { 0 };
        self.due = if self.queue.backlog().0 > 0 { self.server.start(departure) } else { NEVER };
        let passage = Passage { start: at, departure, arrival: self.path.arrival(departure) };
        let is_down = self.down.as_ref().is_some_and(|down| down.at(at).value);
        let is_corrupted = is_corrupted | self.corruption.as_mut().is_some_and(|corruption| corruption.strikes(at));
        let (Item { size, part, .. }, is_lost) = (item, is_down || is_corrupted);
        self.last = Last { passage, size, part, segments, is_lost, is_marked };
        if !self.last.is_lost {
            return Some(Sent { packet, item, passage, is_copy });
        }
        let cause = if is_down { DropCause::Outage } else { DropCause::Corruption };
        self.counts.wire_losses += segments;
        self.lost.push(Dropped { packet, item, cause, passage: Some(passage), is_copy });
        None
    }

    /// Whether [`Port::dropped`] has a packet to return.
    pub fn has_dropped(&self) -> bool {
        !self.lost.is_empty() || !self.drops.is_empty()
    }

    /// Removes one dropped packet and returns it.
    pub fn dropped(&mut self) -> Option<Dropped<T>> {
        if let Some(lost) = self.lost.pop() {
            return Some(lost);
        }
        let (item, cause) = self.drops.pop()?;
        match cause {
            DropCause::Queue => self.counts.queue_drops += item.count(),
            DropCause::Aqm => self.counts.aqm_drops += item.count(),
            cause => unreachable!("a discipline does not drop for {}", cause.name()),
        }
        let Waiting { packet, is_copy, .. } = self.take(item);
        Some(Dropped { packet, item, cause, passage: None, is_copy })
    }

    fn take(&mut self, item: Item) -> Waiting<T> {
        let packet = self.packets[item.id as usize].take();
        self.free.push(item.id);
        packet.expect("a discipline gives each packet back once")
    }

    /// Counts of the port up to `at`, which is no earlier than the last call.
    pub fn carried(&self, at: Nanos) -> Carried {
        let Last { is_lost, is_marked, .. } = self.last;
        let (packets, bytes) = self.in_service(at);
        Carried {
            packets: self.counts.packets - packets,
            bytes: self.counts.bytes - bytes,
            wire_losses: self.counts.wire_losses - if is_lost { packets } else { 0 },
            marks: self.counts.marks - if is_marked { packets } else { 0 },
            ..self.counts
        }
    }

    /// Number of segments and bytes of the packet sent last whose last bit has not left at `at`. One that is lost is lost
    /// as a whole, when it has left.
    fn in_service(&self, at: Nanos) -> (u64, u64) {
        let Last { passage, size, part, segments, is_lost, .. } = self.last;
        if passage.departure <= at {
            return (0, 0);
        }
        let left = |count: &u32| passage.departure_of(count * part, size) <= at;
        let most = if self.sends_parts && !is_lost { segments as u32 } else { 1 };
        let gone = (1..most).take_while(left).count() as u64;
        (segments - gone, u64::from(size) - gone * u64::from(part))
    }

    /// Whether the discipline reads the headers of packets.
    #[inline]
    pub fn reads_headers(&self) -> bool {
        self.reads_headers
    }

    /// Same as [`Port::arrive`], with the headers if [`Port::reads_headers`], and with `copy` to duplicate a packet.
    pub fn arrive_with(
        &mut self,
        at: Nanos,
        item: Item,
        headers: Option<&Headers>,
        packet: T,
        copy: impl FnOnce(&T) -> T,
    ) {
        let mut item = Item { arrival: at, ..item };
        let ecn = item.ecn;
        if self.policer.as_mut().is_some_and(|policer| !policer.admits(at, &mut item)) {
            self.counts.policer_drops += item.count();
            self.lost.push(Dropped { packet, item, cause: DropCause::Policer, passage: None, is_copy: false });
            return;
        }
        if self.loss.as_mut().is_some_and(|loss| loss.strikes(at)) {
            self.counts.losses += item.count();
            self.lost.push(Dropped { packet, item, cause: DropCause::Loss, passage: None, is_copy: false });
            return;
        }
        if self.judged {
            return self.arrive_judged(item, headers, ecn, packet, copy);
        }
        let copy = self.duplication.as_mut().is_some_and(|duplication| duplication.strikes(at)).then(|| copy(&packet));
        let start = self.server.start(at);
        if self.asks_empty && start <= at && self.queue.backlog().0 == 0 {
            self.queue.dequeue(at, &mut self.drops);
        }
        self.enqueue(item, headers, Waiting { packet, ecn, is_copy: false, is_corrupted: false });
        if let Some(copy) = copy {
            self.counts.duplicates += item.count();
            self.enqueue(item, headers, Waiting { packet: copy, ecn, is_copy: true, is_corrupted: false });
        }
        self.due = self.due.min(start);
    }

    /// Part of [`Port::arrive_with`] for a discipline that decides on each packet.
    #[inline(never)]
    fn arrive_judged(
        &mut self,
        mut item: Item,
        headers: Option<&Headers>,
        ecn: Ecn,
        packet: T,
        copy: impl FnOnce(&T) -> T,
    ) {
        let at = item.arrival;
        let start = self.server.start(at);
        let verdict = self.queue.judge(&mut item, false);
        if let Verdict::Queued { duplicated: true, .. } = verdict {
            let (mut item, copy) = (item, copy(&packet));
            self.counts.duplicates += item.count();
            let verdict = self.queue.judge(&mut item, true);
            self.carry_out(verdict, item, headers, Waiting { packet: copy, ecn, is_copy: true, is_corrupted: false });
        }
        self.carry_out(verdict, item, headers, Waiting { packet, ecn, is_copy: false, is_corrupted: false });
        self.due = self.due.min(start);
    }

    fn carry_out(&mut self, verdict: Verdict, item: Item, headers: Option<&Headers>, waiting: Waiting<T>) {
        let cause = match verdict {
            Verdict::Queued { corrupted, .. } => {
                return self.enqueue(item, headers, Waiting { is_corrupted: corrupted, ..waiting });
            }
            Verdict::Lost => {
                self.counts.losses += 1;
                DropCause::Loss
            }
            Verdict::Full => {
                self.counts.queue_drops += 1;
                DropCause::Queue
            }
        };
        let Waiting { packet, is_copy, .. } = waiting;
        self.lost.push(Dropped { packet, item, cause, passage: None, is_copy });
    }

    fn enqueue(&mut self, item: Item, headers: Option<&Headers>, waiting: Waiting<T>) {
        let id = self.free.pop().unwrap_or_else(|| {
            self.packets.push(None);
            self.packets.len() as u32 - 1
        });
        self.packets[id as usize] = Some(waiting);
        let item = Item { id, ..item };
        match headers {
            Some(headers) => self.queue.enqueue_read(item.arrival, item, headers, &mut self.drops),
            None => self.queue.enqueue(item.arrival, item, &mut self.drops),
        }
    }
}

impl<T: Clone> Port<T> {
    /// Accepts a packet that arrives at `at`. The port sets `id` and `arrival` of `item`.
    pub fn arrive(&mut self, at: Nanos, item: Item, packet: T) {
        self.arrive_with(at, item, None, packet, T::clone);
    }
}
