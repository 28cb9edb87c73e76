//! Strict priority: a packet goes only when nothing of a more urgent class waits (Linux's `prio` with `pfifo` or `bfifo` bands;
//! ns-2's `Queue/DropTail` with `PriQueue` has two).
//!
//! [`Item::class`] is the band, 0 the most urgent; classes beyond the last band are in the last. Each band has the limit for itself,
//! as in Linux. With `shared` the bands have it together: a packet that finds no room has the last ones of less urgent bands
//! dropped, the least urgent first, and is dropped itself where that does not make room.
//!
//! Validated against a slow reference, packet by packet.

use super::{Discipline, DropCause, Drops, Entry, Fifo, Item, Limit, Next, Otherwise, Parameter, Quantity, anything};
use crate::Nanos;

const BANDS: Parameter = Parameter {
    name: "bands",
    summary: "Number of bands.",
    quantity: Quantity::Count("bands"),
    default: Otherwise::Is(3.0),
    range: (1.0, 256.0),
};
const SHARED: Parameter = Parameter {
    name: "shared",
    summary: "Whether the bands have the limit together, and not each for itself.",
    quantity: Quantity::Flag,
    default: Otherwise::Is(0.0),
    range: (0.0, 1.0),
};

pub(super) const ENTRY: Entry = Entry {
    name: "priority",
    summary: "Strict priority of classes.",
    source: "Linux, net/sched/sch_prio.c",
    limit: None,
    parameters: &[BANDS, SHARED],
    check: anything,
    make: |settings| {
        let bands = settings.get(&BANDS) as usize;
        Box::new(Priority { shared: settings.flag(&SHARED), bands: vec![Fifo::new(settings.limit); bands] })
    },
};

struct Priority {
    shared: bool,
    /// The most urgent first.
    bands: Vec<Fifo>,
}

impl Priority {
    /// Makes room for a packet of a band at the cost of less urgent ones, if that is enough.
    fn make_room(&mut self, band: usize, size: u32, drops: &mut Drops) -> bool {
        let limit = self.bands[band].limit();
        let (packets, bytes) = backlog(&self.bands[..=band]);
        if !limit.fits(packets, bytes, size) {
            return false;
        }
        let mut last = self.bands.len() - 1;
        while !fits(limit, &self.bands, size) {
            match self.bands[last].pop_last() {
                Some(item) => drops.push((item, DropCause::Queue)),
                None => last -= 1,
            }
        }
        true
    }
}

fn backlog(bands: &[Fifo]) -> (u64, u64) {
    bands.iter().map(Fifo::backlog).fold((0, 0), |sum, band| (sum.0 + band.0, sum.1 + band.1))
}

fn fits(limit: Limit, bands: &[Fifo], size: u32) -> bool {
    let (packets, bytes) = backlog(bands);
    limit.fits(packets, bytes, size)
}

impl Discipline for Priority {
    fn enqueue(&mut self, _at: Nanos, item: Item, drops: &mut Drops) {
        let band = usize::from(item.class).min(self.bands.len() - 1);
        let room = if self.shared { self.make_room(band, item.size, drops) } else { self.bands[band].fits(item.size) };
        if room {
            self.bands[band].push(item);
        } else {
            drops.push((item, DropCause::Queue));
        }
    }

    fn dequeue(&mut self, _at: Nanos, _drops: &mut Drops) -> Next {
        self.bands.iter_mut().find_map(Fifo::pop).map_or(Next::Empty, Next::Send)
    }

    fn backlog(&self) -> (u64, u64) {
        backlog(&self.bands)
    }
}
