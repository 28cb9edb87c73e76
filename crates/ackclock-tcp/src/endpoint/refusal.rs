//! A device that takes no packets and says so, such as one whose queue has no room (Linux `tc qdisc ... limit 0`).

use super::{Due, Endpoint, State};
use crate::{MILLISECOND, Nanos};

/// Time after which Linux offers the device a packet again (include/net/tcp.h, TCP_RESOURCE_PROBE_INTERVAL).
pub(super) const RETRY: Nanos = 500 * MILLISECOND;

impl Endpoint {
    /// Sets whether the device below refuses every packet, which the sender learns at once. As in Linux, data that is
    /// refused counts as not sent and reduces the window as a mark does (net/ipv4/tcp_output.c, __tcp_transmit_skb);
    /// timers that offer it again wait for half a second, without a longer timeout (net/ipv4/tcp_timer.c,
    /// tcp_retransmit_timer; tcp_send_probe0). Segments without data are lost.
    pub fn set_device_refuses(&mut self, refuses: bool) {
        self.due.set(Due::REFUSED, refuses);
    }

    /// Whether the device refuses packets.
    pub(super) fn is_refused(&self) -> bool {
        self.due.has(Due::REFUSED)
    }

    /// Offers the device everything that is due, in vain.
    #[cold]
    pub(super) fn lose_output(&mut self, now: Nanos) {
        self.due.set(Due::REFUSED, false);
        while self.due.any() {
            self.poll_due(now, &mut ());
        }
        if self.receiver.owes_ack() {
            self.bare_ack_of(now, self.bare_offset(), &mut ());
        }
        self.due.set(Due::REFUSED, true);
        let sends = match self.state {
            State::Closed | State::Listen | State::SynSent | State::TimeWait | State::FinWait2 => false,
            State::SynReceived => self.sends_early(),
            _ => true,
        };
        if sends {
            self.sender.on_refusal(now);
            if self.sender.is_stuck() {
                self.arm_persist(now);
            }
        }
    }
}
