//! First in, first out, with a limit. If an arriving packet finds the queue full, packets at the head are dropped to
//! make room.
//!
//! The sender learns of the loss without the delay of the queue (T. V. Lakshman, A. Neidhardt, T. Ott, "The Drop from
//! Front Strategy in TCP and in TCP over ATM", INFOCOM 1996). A packet that does not fit into an empty queue is dropped
//! itself. Linux's `pfifo_head_drop` is this discipline with a limit in packets only.
//!
//! Validated against a slow reference implementation, packet by packet.

use super::{Discipline, DropCause, Drops, Entry, Fifo, Item, Next, anything};
use crate::Nanos;

pub(super) const ENTRY: Entry = Entry {
    name: "drop-head",
    summary: "First in, first out; when the queue is full, an arriving packet replaces packets at the head.",
    source: "Lakshman, Neidhardt, Ott, INFOCOM 1996",
    limit: None,
    parameters: &[],
    check: anything,
    make: |settings| Box::new(DropHead(Fifo::new(settings.limit))),
};

struct DropHead(Fifo);

impl Discipline for DropHead {
    fn enqueue(&mut self, _at: Nanos, item: Item, drops: &mut Drops) {
        if !self.0.limit().fits(0, 0, item.size) {
            drops.push((item, DropCause::Queue));
            return;
        }
        while !self.0.fits(item.size) {
            drops.extend(self.0.pop().map(|head| (head, DropCause::Queue)));
        }
        self.0.push(item);
    }

    fn dequeue(&mut self, _at: Nanos, _drops: &mut Drops) -> Next {
        self.0.pop().map_or(Next::Empty, Next::Send)
    }

    fn backlog(&self) -> (u64, u64) {
        self.0.backlog()
    }
}
