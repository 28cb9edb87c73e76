//! First in, first out, with a limit: a packet that does not fit is dropped on arrival.

use super::{Discipline, DropCause, Drops, Entry, Fifo, Item, Next, anything};
use crate::Nanos;

pub(super) const ENTRY: Entry = Entry {
    name: "drop-tail",
    summary: "First in, first out; a packet that arrives when the queue is full is dropped.",
    source: "common practice",
    limit: None,
    parameters: &[],
    check: anything,
    make: |settings| Box::new(DropTail(Fifo::new(settings.limit))),
};

struct DropTail(Fifo);

impl Discipline for DropTail {
    fn enqueue(&mut self, _at: Nanos, item: Item, drops: &mut Drops) {
        if self.0.fits(item.size) {
            self.0.push(item);
        } else {
            drops.push((item, DropCause::Queue));
        }
    }

    fn dequeue(&mut self, _at: Nanos, _drops: &mut Drops) -> Next {
        self.0.pop().map_or(Next::Empty, Next::Send)
    }

    fn backlog(&self) -> (u64, u64) {
        self.0.backlog()
    }
}
