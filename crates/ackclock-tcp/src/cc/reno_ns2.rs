//! Reno as ns-2 implements it: the window is a real number of segments, to which each acknowledgment adds its share.
//!
//! # Equations
//!
//! - Congestion avoidance: each acknowledgment adds 1/cwnd segments, however much it acknowledges.
//! - Congestion: cwnd = cwnd/2; ssthresh is that without its fraction, at least two segments.
//!
//! # Constants
//!
//! The constants are those of RFC 5681.
//!
//! # Deviations
//!
//! None from ns-2.35 with its default `windowOption_ 1`. From RFC 5681: acknowledgments count rather than bytes, and the
//! reduction starts from cwnd.
//!
//! # Validated against
//!
//! ns-2.35 (`tools/crosscheck`): the times of departure of each packet.

use super::{CongestionControl, Entry};
use crate::context::{Ack, Congestion, Context, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "reno-ns2",
    summary: "Reno as ns-2 has it: each acknowledgment adds 1/cwnd segments",
    source: "ns-2.35 tcp/tcp.cc, opencwnd and slowdown",
    parameters: &[],
    make: |_| Box::<Reno>::default(),
};

#[derive(Default, Debug)]
struct Reno {
    /// Remainder of the division in the last increase, bytes times cwnd.
    rest: u64,
}

impl CongestionControl for Reno {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        if acked == 0 {
            return;
        }
        self.rest += ack.ctx.mss * ack.ctx.mss;
        let increase = self.rest / window.cwnd;
        self.rest -= increase * window.cwnd;
        window.cwnd += increase;
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.rest = 0;
        (window.cwnd / 2).max(2 * event.ctx.mss)
    }

    fn reset(&mut self, _ctx: &Context) {
        self.rest = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::{CongestionControl, Reno};
    use crate::context::{Congestion, Window};
    use crate::testing;
    use crate::validation::harness::{MSS, Sender};

    #[test]
    fn a_loss_halves_the_window_with_its_fraction_and_leaves_two_segments() {
        let mut reno = Reno::default();
        let event = Congestion::timeout(testing::context(0, 0..0));
        let mut after = |cwnd| reno.ssthresh(&Window { cwnd, ssthresh: u64::MAX, pacing_rate: None }, &event);
        assert_eq!(after(10 * MSS + 700), 5 * MSS + 350);
        assert_eq!(after(3 * MSS), 2 * MSS);
    }

    #[test]
    fn ten_acknowledgments_of_a_window_of_ten_add_less_than_a_segment_and_the_eleventh_adds_the_rest() {
        let mut s = Sender::with_cc("none", "reno-ns2");
        (s.window.cwnd, s.window.ssthresh) = (10 * MSS, 2 * MSS);
        s.send(10);
        for _ in 0..10 {
            s.ack(1);
        }
        assert!(s.window.cwnd < 11 * MSS, "each adds less than a tenth");
        s.send(1);
        s.ack(1);
        assert!(s.window.cwnd > 11 * MSS);
    }
}
