//! Response to a device that refuses packets.

use super::Sender;
use super::episode::Phase;
use super::scoreboard::Delivered;
use super::timer::Timer;
use crate::Nanos;
use crate::context::Cause;

impl Sender {
    /// Handles the refusal of what would be sent now. A refused segment indicates congestion, like a mark, once per
    /// window of data (Linux net/ipv4/tcp_input.c, tcp_enter_cwr).
    pub fn on_refusal(&mut self, now: Nanos) {
        let lost = self.board.lost() > 0;
        let room = self.window_edge > self.nxt && self.pipe() + self.mss <= self.window.cwnd.max(self.mss);
        let offers = self.probe_due || lost || self.nxt < self.end() && room;
        self.probe_due = false;
        self.hold_packets();
        if offers && self.phase == Phase::Open {
            self.enter_cwr(now, Cause::Loss, &Delivered::default(), &mut ());
        }
    }

    /// Has the timer of a retransmission that was refused expire again at `at`. It is no reason for a longer timeout.
    pub fn retry_at(&mut self, at: Nanos) {
        self.rtt.on_refusal();
        (self.timer, self.rto_at) = (Timer::Rto, at);
    }
}
