//! sfqCoDel: stochastic fair queueing with a CoDel for each bin, as in K. Nichols's code for ns-2 of 2012. Remy's
//! evaluation used this queue for Cubic (Winstein, Balakrishnan, SIGCOMM 2013).
//!
//! # What differs from `fq-codel`
//!
//! - Bins take turns packet by packet, regardless of the packets' sizes: there is no quantum.
//! - A bin that gets its first packet is new, and is served before all bins that are not new. After one packet it takes
//!   turns as the others do. A bin that is empty when its turn comes leaves the schedule at once.
//! - A packet that finds `limit` packets in the queues is dropped, whatever its flow.
//! - CoDel is the authors' version of that year, not the RFC's:
//! - Less than 8 intervals after the time of the next due drop, and with a count above 1, the delay has to exceed the
//!   target for only `interval` / sqrt(count).
//! - If the drop state is entered less than 8 intervals after that time with a count above 2, the count starts at count
//!   - 2; otherwise at 1.
//! - The count grows only while the delay stays above the target. An empty bin does not reset the time for which the
//!   delay has been above the target.
//! - The largest packet so far takes the place of the link's packet size; it is at least 256 bytes.
//! - There is no ECN.
//!
//! # Constants
//!
//! There are 1024 bins, `target` is 5 ms and `interval` 100 ms (the code's values). The limit is 1000 packets (the
//! evaluation's buffer).
//!
//! # Deviations
//!
//! - The hash is of the flow's number and the seed, not Jenkins's hash of addresses and ports.
//! - In the code, a bin may drop a packet before any of its packets had a delay below the target. Here, a bin starts as
//!   if one had.
//! - Times are whole nanoseconds.
//!
//! # Validated against
//!
//! The code's behaviour, implemented in Python, packet by packet on random traffic.

use std::collections::VecDeque;

use ackclock_core::{joined, parameters};

use super::codel_control::{Delays, check, control_law};
use super::flow_queues::{Hash, Total};
use super::{Discipline, DropCause, Drops, Entry, Fifo, Item, Limit, Next, Settings};
use crate::Nanos;

parameters! {
    /// Number of bins.
    struct Bins {
        bins: u64 = is(1024.0), (1.0, 65536.0), Count("bins"), "Number of bins into which flows are hashed.";
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "sfq-codel",
    summary: "sfqCoDel of ns-2: flows in bins that take turns packet by packet, with a CoDel for each.",
    source: "Nichols, code for ns-2, 2012; Winstein, Balakrishnan, SIGCOMM 2013",
    limit: Some(Limit::Packets(1000)),
    parameters: joined!(Delays::ROWS, Bins::ROWS),
    check,
    make: |settings| Box::new(SfqCodel::new(settings)),
};

/// Initial size of the largest packet, bytes.
const LEAST_PACKET: u64 = 256;

/// Number of intervals after the next drop that was due during which the count is used again.
const MEMORY: u64 = 8;

#[derive(Clone, Debug)]
struct Bin {
    items: Fifo,
    /// Whether the bin is on the schedule, and whether it has not been served since it was added.
    scheduled: bool,
    new: bool,
    /// Time at which the delay will have been above the target for long enough.
    first_above: Option<Nanos>,
    drop_next: Nanos,
    count: u32,
    dropping: bool,
}

#[derive(Debug)]
struct SfqCodel {
    limit: Limit,
    hash: Hash,
    delays: Delays,
    bins: Vec<Bin>,
    /// Bins in the order of their turns.
    schedule: VecDeque<usize>,
    total: Total,
    largest: u64,
}

impl SfqCodel {
    fn new(settings: &Settings<'_>) -> SfqCodel {
        let hash = Hash::new(Bins::read(settings.given).bins, &mut settings.random());
        let bin = Bin {
            items: Fifo::new(Limit::Unlimited),
            scheduled: false,
            new: false,
            first_above: None,
            drop_next: 0,
            count: 0,
            dropping: false,
        };
        SfqCodel {
            limit: settings.limit,
            hash,
            delays: Delays::read(settings.given),
            bins: vec![bin; hash.queues()],
            schedule: VecDeque::new(),
            total: Total::default(),
            largest: LEAST_PACKET,
        }
    }

    /// Adds a bin behind the new ones, or at the end if only the last bin is not new.
    fn schedule(&mut self, index: usize) {
        let old = self.schedule.iter().position(|other| !self.bins[*other].new);
        match old {
            Some(place) if place + 1 < self.schedule.len() => self.schedule.insert(place, index),
            _ => self.schedule.push_back(index),
        }
        self.bins[index].scheduled = true;
        self.bins[index].new = true;
    }

    /// The bin whose turn it is. Empty bins before it are removed from the schedule.
    fn ready(&mut self) -> Option<usize> {
        loop {
            let index = *self.schedule.front()?;
            if !self.bins[index].items.is_empty() {
                return Some(index);
            }
            self.schedule.pop_front();
            self.bins[index].scheduled = false;
        }
    }

    /// Removes the first packet of a bin and returns it; true if CoDel may drop it.
    fn take(&mut self, index: usize, at: Nanos) -> Option<(Item, bool)> {
        let bin = &mut self.bins[index];
        let item = bin.items.pop()?;
        self.total.take(&item);
        self.largest = self.largest.max(u64::from(item.size));
        let mut ok_to_drop = false;
        if at - item.arrival < self.delays.target || self.total.bytes <= self.largest {
            bin.first_above = None;
        } else {
            match bin.first_above {
                None => {
                    let recent = bin.count > 1 && at < bin.drop_next.saturating_add(MEMORY * self.delays.interval);
                    bin.first_above = Some(control_law(at, self.delays.interval, if recent { bin.count } else { 1 }));
                }
                Some(first_above) => ok_to_drop = at >= first_above,
            }
        }
        Some((item, ok_to_drop))
    }

    /// The packet of a bin that is to be sent; `None` if CoDel drops all packets.
    fn serve(&mut self, index: usize, at: Nanos, drops: &mut Drops) -> Option<Item> {
        let mut taken = self.take(index, at);
        if self.bins[index].dropping {
            self.bins[index].dropping = taken.is_some_and(|(_, ok_to_drop)| ok_to_drop);
            while let Some((item, _)) = taken.filter(|_| self.bins[index].dropping && at >= self.bins[index].drop_next)
            {
                drops.push((item, DropCause::Aqm));
                taken = self.take(index, at);
                let bin = &mut self.bins[index];
                bin.dropping = taken.is_some_and(|(_, ok_to_drop)| ok_to_drop);
                if bin.dropping {
                    bin.count = bin.count.saturating_add(1);
                    bin.drop_next = control_law(bin.drop_next, self.delays.interval, bin.count);
                }
            }
        } else if let Some((item, _)) = taken.filter(|(_, ok_to_drop)| *ok_to_drop) {
            drops.push((item, DropCause::Aqm));
            taken = self.take(index, at);
            let bin = &mut self.bins[index];
            let recent = bin.count > 2 && at < bin.drop_next.saturating_add(MEMORY * self.delays.interval);
            bin.dropping = true;
            bin.count = if recent { bin.count - 2 } else { 1 };
            bin.drop_next = control_law(at, self.delays.interval, bin.count);
        }
        taken.map(|(item, _)| item)
    }
}

impl Discipline for SfqCodel {
    fn enqueue(&mut self, _at: Nanos, item: Item, drops: &mut Drops) {
        if !self.limit.fits(self.total.packets, self.total.bytes, item.size) {
            drops.push((item, DropCause::Queue));
            return;
        }
        let index = self.hash.queue(item.flow);
        self.total.add(&item);
        self.bins[index].items.push(item);
        if !self.bins[index].scheduled {
            self.schedule(index);
        }
    }

    fn dequeue(&mut self, at: Nanos, drops: &mut Drops) -> Next {
        while let Some(index) = self.ready() {
            self.bins[index].new = false;
            if let Some(item) = self.serve(index, at, drops) {
                self.schedule.rotate_left(1);
                return Next::Send(item);
            }
        }
        Next::Empty
    }

    fn backlog(&self) -> (u64, u64) {
        (self.total.packets, self.total.bytes)
    }
}
