//! Standard slow start, with appropriate byte counting bounded by two segments an ACK (RFC 5681 section 3.1, RFC 3465).

use super::{Entry, SlowStart};
use crate::context::{Ack, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "standard",
    summary: "the window grows by what each ACK acknowledges, at most two segments",
    source: "RFC 5681 section 3.1; RFC 3465 section 2.2",
    make: || Box::new(Standard),
};

/// L of RFC 3465 section 2.2: the most segments one ACK may add.
const LIMIT_SEGMENTS: u64 = 2;

struct Standard;

impl SlowStart for Standard {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) -> u64 {
        let room = window.ssthresh - window.cwnd;
        let grow = ack.acked.min(LIMIT_SEGMENTS * ack.ctx.mss);
        if grow < room {
            window.cwnd += grow;
            return 0;
        }
        window.cwnd = window.ssthresh;
        ack.acked - room
    }
}
