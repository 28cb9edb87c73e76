//! Slow start that counts acknowledgments, as before byte counting: each ACK of new data adds a segment, however little it
//! acknowledges (RFC 2581 section 3.1).
//!
//! A receiver that divides its ACKs makes such a sender grow as fast as it likes (RFC 3465 section 1, RFC 5681 section 3.1).
//! No stack of the catalogue has it.

use super::{Entry, SlowStart, grow};
use crate::context::{Ack, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "per-ack",
    summary: "the window grows by a segment with each ACK of new data, as before byte counting; ACK division exploits it",
    source: "RFC 2581 section 3.1",
    make: || Box::new(PerAck),
};

struct PerAck;

impl SlowStart for PerAck {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, may_grow: bool) -> u64 {
        if may_grow && ack.acked > 0 { grow(window, ack.ctx.mss, ack.acked, 1) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use crate::slow_start::harness::{Flat, MSS};

    #[test]
    fn each_ack_adds_a_segment_whatever_it_acknowledges() {
        let mut s = Flat::new("per-ack", 10);
        for (acked, cwnd) in [(1, 11), (MSS / 2, 12), (9 * MSS, 13), (0, 13)] {
            s.ack(acked);
            assert_eq!(s.window.cwnd, cwnd * MSS, "{acked} bytes");
        }
    }

    #[test]
    fn growth_stops_at_ssthresh_and_where_validation_forbids_it() {
        let mut s = Flat::new("per-ack", 10);
        s.window.ssthresh = 10 * MSS + 300;
        assert_eq!((s.ack(MSS), s.window.cwnd), (700, 10 * MSS + 300));
        let mut s = Flat::new("per-ack", 10);
        s.may_grow = false;
        assert_eq!((s.ack(MSS), s.window.cwnd), (0, 10 * MSS));
    }
}
