//! Linux's netem (net/sched/sch_netem.c, version 6.12) as a queue discipline: delay with jitter, loss, duplication,
//! corruption, reordering, a rate and slots, in the kernel's order and with the kernel's arithmetic.
//!
//! A packet that arrives is, in this order: duplicated or not; lost or not; corrupted or not; dropped if `limit` packets
//! are inside. The copy of a duplicated packet passes the same steps before its packet, without a further duplication.
//! The packet then has a time at which it is sent, and waits in a queue that is sorted by these times. With reordering, a
//! packet is instead put at the head of the queue and sent at once. A packet whose time has come goes to the child
//! discipline, whose packets count in `limit`, too.
//!
//! Random numbers come from the kernel's generator: the same `seed` (netem's `seed`, Linux 6.6) decides on the same
//! packets. Two draws of the kernel are outside that generator and can not be repeated: the number before the first of
//! a correlated series, and the length of slots between two bounds. They come from the link's stream here.
//!
//! # Deviations
//!
//! - A corrupted packet is discarded on arrival, as a receiver that verifies checksums does. The kernel flips a bit.
//! - Sizes are those of IP packets. The kernel's have the Ethernet header: a `packet_overhead` of 14 bytes has the same
//!   effect on the rate.
//!
//! Validated against recorded runs of netem in Linux 6.12, packet by packet: the same packets arrive in the same order at the
//! same times, within the resolution of the recorded clock.

mod loss;
mod random;
pub mod tables;

use std::collections::{BTreeMap, VecDeque};

pub use loss::{Chance, LossModel};
pub use tables::{Shape, Table};

use self::loss::{Losses, fixed};
use self::random::{Correlated, Prandom};
use crate::queue::{Discipline, Drops, Headers, Item, Next, Verdict};
use crate::{Nanos, Random, Rate, Seed};

/// Parameters of netem. Probabilities are in parts per billion, sizes in bytes and times in ns.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    /// Largest number of packets inside.
    pub limit: u64,
    /// Delay.
    pub delay: Nanos,
    /// Jitter: half the width of the uniform distribution, or a unit of the table.
    pub jitter: Nanos,
    /// Correlation of the delays from packet to packet.
    pub delay_correlation: u64,
    /// Table of the delays; `None` for the uniform distribution.
    pub table: Option<Table>,
    /// Losses.
    pub loss: LossModel,
    /// Whether an ECN-capable packet is marked instead of lost.
    pub ecn: bool,
    /// Duplication.
    pub duplicate: Chance,
    /// Corruption.
    pub corrupt: Chance,
    /// Reordering.
    pub reorder: Option<Reorder>,
    /// Rate.
    pub rate: Option<Pace>,
    /// Slots.
    pub slot: Option<Slot>,
    /// Seed of the kernel's generator; `None` for one from the link's stream.
    pub seed: Option<u64>,
}

/// Reordering of packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reorder {
    /// Probability that a packet is sent at once, and its correlation.
    pub chance: Chance,
    /// Only every `gap`-th packet may be sent at once.
    pub gap: u32,
}

/// A rate with the overhead of packets and cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// Rate, of which whole bytes per second count.
    pub rate: Rate,
    /// Bytes added to each packet; may be negative.
    pub packet_overhead: i32,
    /// Payload of a cell; zero for no cells.
    pub cell_size: u32,
    /// Bytes added to each cell.
    pub cell_overhead: i32,
}

impl Pace {
    /// Time of a packet of `size` bytes, rounded down to nanoseconds.
    fn time(self, size: u32) -> i64 {
        let mut bytes = i64::from(size) + i64::from(self.packet_overhead);
        if self.cell_size > 0 {
            let cells = bytes.max(0).unsigned_abs().div_ceil(u64::from(self.cell_size));
            bytes = cells as i64 * (i64::from(self.cell_size) + i64::from(self.cell_overhead));
        }
        let rate = u128::from((self.rate.bits() / 8).max(1));
        i64::try_from(u128::from(bytes.max(0).unsigned_abs()) * 1_000_000_000 / rate).unwrap_or(i64::MAX / 4)
    }
}

/// Slots: packets are sent only when a slot is open.
#[derive(Clone, PartialEq, Debug)]
pub struct Slot {
    /// Time from slot to slot.
    pub gap: Gap,
    /// Largest number of packets in a slot; zero for any number.
    pub packets: u32,
    /// Number of bytes with which a slot ends; zero for any number.
    pub bytes: u32,
}

/// Distribution of the time from slot to slot.
#[derive(Clone, PartialEq, Debug)]
pub enum Gap {
    /// Uniform between two bounds.
    Between(Nanos, Nanos),
    /// Drawn from a table with this delay and jitter.
    Table(Nanos, Nanos, Table),
}

/// The open slot, or the next one.
struct Open {
    next: i64,
    packets: i64,
    bytes: i64,
}

/// netem with a child discipline.
pub struct Netem {
    model: Model,
    child: Box<dyn Discipline>,
    random: Prandom,
    delays: Correlated,
    losses: Losses,
    duplicate: (u32, Correlated),
    corrupt: (u32, Correlated),
    reorder: (u32, Correlated),
    /// Packets since the last that was sent at once.
    counter: u32,
    /// Waiting packets by the time at which they are sent and the order of their arrival.
    waiting: BTreeMap<(i64, u64), (Item, Option<Headers>)>,
    arrived: u64,
    /// Packets that are sent at once, the last of them first, with the times of their arrival.
    front: VecDeque<(i64, Item)>,
    bytes: u64,
    slot: Option<Open>,
    /// Draws that the kernel takes outside its seeded generator.
    other: Random,
    /// Times of arrival of the packets in the child, by their numbers.
    arrivals: Vec<Nanos>,
}

impl Netem {
    /// netem with these parameters before `child`; `seed` is that of the link's stream.
    pub fn new(model: Model, child: Box<dyn Discipline>, seed: Seed) -> Netem {
        let mut other = Random::new(seed);
        let random = Prandom::new(model.seed.unwrap_or_else(|| other.bits()));
        let mut source = |correlation: u64| Correlated::new(fixed(correlation), other.bits() as u32);
        let chance = model.reorder.map_or(Chance::default(), |reorder| reorder.chance);
        let delays = source(model.delay_correlation);
        let mut of = |chance: Chance| (fixed(chance.probability), source(chance.correlation));
        let (duplicate, corrupt, reorder) = (of(model.duplicate), of(model.corrupt), of(chance));
        let losses = Losses::new(model.loss, other.bits() as u32);
        let mut netem = Netem {
            child,
            random,
            delays,
            losses,
            duplicate,
            corrupt,
            reorder,
            counter: 0,
            waiting: BTreeMap::new(),
            arrived: 0,
            front: VecDeque::new(),
            bytes: 0,
            slot: None,
            other,
            arrivals: Vec::new(),
            model,
        };
        if let Some(slot) = &netem.model.slot {
            netem.slot = Some(Open { next: 0, packets: most(slot.packets), bytes: most(slot.bytes) });
        }
        netem
    }

    /// A delay around `mean` (`tabledist`).
    fn delay(&mut self, mean: Nanos, jitter: Nanos, table: Option<&Table>, correlated: bool) -> i64 {
        let (mean, jitter) = (mean as i64, jitter.min(i32::MAX as u64) as i64);
        if jitter == 0 {
            return mean;
        }
        let draw = if correlated { self.delays.next(&mut self.random) } else { self.random.next() };
        let Some(table) = table else { return i64::from(draw) % (2 * jitter) + mean - jitter };
        let value = i64::from(table[draw as usize % table.len()]);
        let part = (jitter % tables::SCALE) * value;
        let rounded = if part >= 0 { part + tables::SCALE / 2 } else { part - tables::SCALE / 2 };
        rounded / tables::SCALE + (jitter / tables::SCALE) * value + mean
    }

    /// Whether the next packet is sent at once.
    fn overtakes(&mut self) -> bool {
        let Some(Reorder { gap, .. }) = self.model.reorder else { return false };
        let (chance, source) = &mut self.reorder;
        self.counter >= gap.saturating_sub(1) && *chance >= source.next(&mut self.random)
    }

    /// Begins the time until the next slot.
    fn close_slot(&mut self, now: i64) {
        let Some(Slot { gap, packets, bytes }) = self.model.slot.clone() else { return };
        let gap = match gap {
            Gap::Between(least, most) => {
                let draw = u128::from(self.other.bits() as u32);
                (least + ((u128::from(most - least) * draw) >> 32) as u64) as i64
            }
            Gap::Table(mean, jitter, table) => self.delay(mean, jitter, Some(&table), false),
        };
        self.slot = Some(Open { next: now.saturating_add(gap), packets: most(packets), bytes: most(bytes) });
    }

    /// Adds a packet, whose headers the child may read.
    fn add(&mut self, at: Nanos, item: Item, headers: Option<Headers>) {
        let mut now = at as i64;
        self.bytes += u64::from(item.size);
        if self.overtakes() {
            self.counter = 0;
            self.front.push_front((now, item));
            return;
        }
        let table = self.model.table.clone();
        let mut delay = self.delay(self.model.delay, self.model.jitter, table.as_ref(), true);
        if let Some(pace) = self.model.rate {
            // The packet before is the reference: its wait counts as a part of the delay.
            let last = self.waiting.last_key_value().map(|((time, _), _)| *time);
            let last = last.max(self.front.back().map(|(time, _)| *time));
            if let Some(last) = last {
                delay = (delay - (last - now)).max(0);
                now = last;
            }
            delay = delay.saturating_add(pace.time(item.size));
        }
        self.counter = self.counter.wrapping_add(1);
        self.waiting.insert((now.saturating_add(delay), self.arrived), (item, headers));
        self.arrived += 1;
    }

    /// Moves packets whose time has come to the child. Returns the time at which the next packet moves.
    fn release(&mut self, at: Nanos, drops: &mut Drops) -> Option<Nanos> {
        let now = at as i64;
        loop {
            let (&key, _) = self.waiting.first_key_value()?;
            if self.slot.as_ref().is_some_and(|slot| slot.next < key.0) {
                self.close_slot(now);
            }
            let due = self.slot.as_ref().map_or(key.0, |slot| slot.next.max(key.0));
            if due > now {
                return Some(due as Nanos);
            }
            let (item, headers) = self.waiting.remove(&key)?;
            self.bytes -= u64::from(item.size);
            if let Some(slot) = &mut self.slot {
                slot.packets -= 1;
                slot.bytes -= i64::from(item.size);
                if slot.packets <= 0 || slot.bytes <= 0 {
                    self.close_slot(now);
                }
            }
            let place = item.id as usize;
            self.arrivals.resize(self.arrivals.len().max(place + 1), 0);
            self.arrivals[place] = item.arrival;
            let item = Item { arrival: at, ..item };
            match headers {
                Some(headers) => self.child.enqueue_read(at, item, &headers, drops),
                None => self.child.enqueue(at, item, drops),
            }
        }
    }
}

/// Whether something with a chance happens; nothing is drawn if it cannot.
fn happens((chance, source): &mut (u32, Correlated), random: &mut Prandom) -> bool {
    *chance > 0 && *chance >= source.next(random)
}

/// A number of packets or bytes of which zero stands for any number.
fn most(number: u32) -> i64 {
    if number == 0 { i64::from(i32::MAX) } else { i64::from(number) }
}

impl Discipline for Netem {
    fn enqueue(&mut self, at: Nanos, item: Item, _drops: &mut Drops) {
        self.add(at, item, None);
    }

    fn reads_headers(&self) -> bool {
        self.child.reads_headers()
    }

    fn enqueue_read(&mut self, at: Nanos, item: Item, headers: &Headers, _drops: &mut Drops) {
        self.add(at, item, Some(*headers));
    }

    fn dequeue(&mut self, at: Nanos, drops: &mut Drops) -> Next {
        if let Some((_, item)) = self.front.pop_front() {
            self.bytes -= u64::from(item.size);
            return Next::Send(item);
        }
        let due = self.release(at, drops);
        match (self.child.dequeue(at, drops), due) {
            (Next::Send(item), _) => Next::Send(Item { arrival: self.arrivals[item.id as usize], ..item }),
            (Next::Wait(until), due) => Next::Wait(due.map_or(until, |due| due.min(until))),
            (Next::Empty, Some(due)) => Next::Wait(due),
            (Next::Empty, None) => Next::Empty,
        }
    }

    /// Decides in the kernel's order: duplication, loss, corruption, limit.
    fn judge(&mut self, item: &mut Item, is_copy: bool) -> Verdict {
        let Netem { random, duplicate, corrupt, losses, .. } = self;
        let mut copies = 1 + u32::from(!is_copy && happens(duplicate, random));
        // The loss of a duplicated packet leaves one of the two.
        if losses.strikes(random) && !(self.model.ecn && item.mark()) {
            copies -= 1;
        }
        if copies == 0 {
            return Verdict::Lost;
        }
        let corrupted = happens(corrupt, random);
        if self.backlog().0 >= self.model.limit {
            return Verdict::Full;
        }
        Verdict::Queued { duplicated: copies > 1, corrupted }
    }

    fn backlog(&self) -> (u64, u64) {
        let (packets, bytes) = self.child.backlog();
        (packets + (self.waiting.len() + self.front.len()) as u64, bytes + self.bytes)
    }
}
