//! Standard slow start, with appropriate byte counting bounded by two segments an ACK (RFC 5681 section 3.1, RFC 3465).

use super::{Entry, SlowStart, grow};
use crate::context::{Ack, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "standard",
    summary: "the window grows by what each ACK acknowledges, at most two segments",
    source: "RFC 5681 section 3.1; RFC 3465 section 2.2",
    make: || Box::new(Standard),
};

/// L of RFC 3465 section 2.2: the most segments one ACK may add.
pub(super) const LIMIT_SEGMENTS: u64 = 2;

struct Standard;

/// Grows the window as standard slow start does.
pub(super) fn standard(window: &mut Window, ack: &Ack) -> u64 {
    grow(window, ack.acked.min(LIMIT_SEGMENTS * ack.ctx.mss), ack.acked, 1)
}

impl SlowStart for Standard {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, may_grow: bool) -> u64 {
        if may_grow { standard(window, ack) } else { 0 }
    }
}
