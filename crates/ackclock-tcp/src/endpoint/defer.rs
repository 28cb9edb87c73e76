//! Connections that are established with their first data (TCP_DEFER_ACCEPT; Linux net/ipv4: tcp_minisocks.c,
//! tcp_check_req; inet_connection_sock.c, syn_ack_recalc; tcp_input.c, tcp_rcv_synsent_state_process).

use super::{Due, Endpoint, State, Uses};
use crate::{Flags, MILLISECOND, Nanos, Segment};

/// Time for which the ACK of a SYN-ACK waits for data to carry it (TCP_DELACK_MAX).
const WAIT: Nanos = 200 * MILLISECOND;

/// State of a handshake that waits for data.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Defer {
    /// Number of timeouts of the SYN-ACK during which a bare ACK is ignored; 0 if none is.
    pub timeouts: u32,
    /// Whether a bare ACK was ignored.
    acked: bool,
}

impl Endpoint {
    /// Whether an acceptable acknowledgment of our SYN-ACK is ignored, because it brings no data.
    pub(super) fn ignores_bare_ack(&mut self, now: Nanos, segment: &Segment) -> bool {
        let bare = segment.len == 0 && !segment.flags.has(Flags::FIN) && segment.seq == self.irs.wrapping_add(1);
        let defer = &mut self.cold.defer;
        let ignored = bare && self.cold.passive && self.cold.syn_retries < defer.timeouts;
        defer.acked |= ignored;
        if ignored && self.cold.peer_stamps && self.sender.config.timestamps && self.passes_timestamps(now, segment) {
            // A later SYN-ACK echoes the timestamp of this ACK.
            if let Some(stamps) = segment.timestamps {
                self.stamps.set(now, stamps.val);
            }
        }
        ignored
    }

    /// Whether an expiry of the SYN-ACK's timer passes without a SYN-ACK: the peer has acknowledged the last one, and only
    /// at the end of the time is it sent again.
    pub(super) fn passes_over_timeout(&mut self, now: Nanos) -> bool {
        let defer = self.cold.defer;
        if self.state != State::SynReceived || !defer.acked || self.cold.syn_retries >= defer.timeouts {
            return false;
        }
        self.sender.rtt_mut().on_timeout();
        self.cold.timers.syn = now + self.sender.rtt().rto();
        true
    }

    /// Makes the ACK that ends the handshake of the end that connects due, or lets it wait for data.
    pub(super) fn acknowledge_syn_ack(&mut self, now: Nanos, bare: bool) {
        let waits = self.cold.defer.timeouts > 0 || self.receiver.is_interactive();
        if waits && self.cold.fast.left() == 0 && !self.uses.has(Uses::ACCECN) {
            self.receiver.expect_data(now);
            self.receiver.delay_ack(now + WAIT);
            return;
        }
        self.receiver.owe_ack();
        self.due.set(Due::HANDSHAKE, bare);
    }
}
