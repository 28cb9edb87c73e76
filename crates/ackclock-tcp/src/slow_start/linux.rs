//! Slow start as in Linux: the window grows by all that an ACK acknowledges, whatever its volume.
//!
//! Linux has no limit for each ACK, in slow start after a timeout neither (net/ipv4/tcp_cong.c, tcp_slow_start). Only
//! CUBIC ends slow start early (HyStart, see `hystart`); all other modules of Linux have this slow start.

use super::{Entry, SlowStart, grow};
use crate::context::{Ack, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "linux",
    summary: "the window grows by all that each ACK acknowledges, without a limit, after a timeout as well",
    source: "Linux net/ipv4/tcp_cong.c, tcp_slow_start",
    make: || Box::new(Linux),
};

struct Linux;

impl SlowStart for Linux {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, may_grow: bool) -> u64 {
        if may_grow { grow(window, ack.acked, ack.acked, 1) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use crate::slow_start::harness::{Flat, MSS};

    #[test]
    fn an_ack_counts_for_all_it_acknowledges_up_to_ssthresh() {
        let mut s = Flat::new("linux", 10);
        assert_eq!(s.ack(9 * MSS), 0);
        assert_eq!(s.window.cwnd, 19 * MSS);
        s.timeout();
        (s.window.cwnd, s.window.ssthresh) = (MSS, 6 * MSS);
        assert_eq!(s.ack(8 * MSS), 3 * MSS, "what exceeds ssthresh is left to the congestion control");
        assert_eq!(s.window.cwnd, 6 * MSS);
    }

    #[test]
    fn the_window_stays_where_validation_forbids_growth() {
        let mut s = Flat::new("linux", 10);
        s.may_grow = false;
        assert_eq!((s.ack(4 * MSS), s.window.cwnd), (0, 10 * MSS));
    }
}
