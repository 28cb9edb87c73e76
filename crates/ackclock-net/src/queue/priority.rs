//! Strict priority: a packet is sent only when no packet of a more urgent class waits. This is Linux's `prio` with
//! `pfifo` or `bfifo` bands; ns-2's `Queue/DropTail` with `PriQueue` has two bands.
//!
//! [`Item::class`] is the band, and 0 is the most urgent; higher classes than the last band are in the last band. Each
//! band has the limit for itself, as in Linux. With `shared`, the limit applies to all bands together. A packet that
//! finds no room then replaces the last packets of less urgent bands, the least urgent band first. The packet is
//! dropped itself if that would not make enough room.
//!
//! Validated against a slow reference implementation, packet by packet.

use ackclock_core::parameters;

use super::{Discipline, DropCause, Drops, Entry, Fifo, Item, Limit, Next, anything};
use crate::Nanos;

parameters! {
    /// Parameters of strict priority.
    struct Parameters {
        bands: usize = is(3.0), (1.0, 256.0), Count("bands"), "Number of bands.";
        shared: bool = is(0.0), (0.0, 1.0), Flag,
            "Whether the limit applies to all bands together instead of to each band.";
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "priority",
    summary: "Strict priority of classes.",
    source: "Linux, net/sched/sch_prio.c",
    limit: None,
    parameters: Parameters::ROWS,
    check: anything,
    make: |settings| {
        let Parameters { bands, shared } = Parameters::read(settings.given);
        Box::new(Priority { shared, bands: vec![Fifo::new(settings.limit); bands] })
    },
};

struct Priority {
    shared: bool,
    /// Bands in the order of urgency, the most urgent first.
    bands: Vec<Fifo>,
}

impl Priority {
    /// Drops packets of less urgent bands to make room for a packet of a band. Drops nothing and returns false if that
    /// would not suffice.
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
