//! Reno as Linux implements it: windows and acknowledgments count in whole segments.
//!
//! # Equations
//!
//! - Congestion avoidance: each `cwnd` segments acknowledged add a segment.
//! - Congestion: ssthresh = max(cwnd / 2, 2), rounded down to whole segments.
//!
//! # Constants
//!
//! The constants are those of RFC 5681.
//!
//! # Deviations
//!
//! None from net/ipv4/tcp_cong.c. From RFC 5681: segments count, regardless of their sizes; the reduction starts from
//! cwnd where the stack reduces from cwnd; and ABE does not apply.
//!
//! # Validated against
//!
//! Growth to the segment, and the reduction of an odd window. Linux 6.12 in virtual time (20 Mbit/s, 40 ms, a queue of
//! one bandwidth-delay product): the same bytes in 5 s, and 143 retransmissions beside 139.

use super::super::{CongestionControl, Entry};
use super::count::{Count, flight, segments};
use crate::context::{Ack, Congestion, Context, Window};

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "reno-linux",
    summary: "Reno as Linux has it: one segment for each window of acknowledged segments, half of the segments at a loss",
    source: "Linux net/ipv4/tcp_cong.c, tcp_reno_cong_avoid and tcp_reno_ssthresh",
    parameters: &[],
    make: |_| Box::<Reno>::default(),
};

#[derive(Default, Debug)]
struct Reno {
    count: Count,
}

impl CongestionControl for Reno {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let acked = self.count.segments(acked, mss);
        self.count.grow(window, segments(window.cwnd, mss), acked, mss);
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.count.clear();
        (flight(window, event) / 2).max(2) * event.ctx.mss
    }

    fn reset(&mut self, _ctx: &Context) {
        self.count.clear();
    }
}

#[cfg(test)]
mod tests {
    use crate::validation::harness::{MSS, Sender};

    #[test]
    fn a_window_of_segments_adds_one_and_a_loss_halves_whole_segments() {
        let mut s = Sender::with_cc("none", "reno-linux");
        (s.window.cwnd, s.window.ssthresh) = (11 * MSS, 2 * MSS);
        s.send(11);
        for _ in 0..10 {
            s.ack(1);
        }
        assert_eq!(s.window.cwnd, 11 * MSS);
        s.ack(1);
        assert_eq!(s.window.cwnd, 12 * MSS);
        (s.window.cwnd, s.window.ssthresh) = (11 * MSS, 2 * MSS);
        s.send(11);
        s.lose();
        assert_eq!(s.window.ssthresh, 5 * MSS);
    }
}
