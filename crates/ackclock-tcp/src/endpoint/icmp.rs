//! Response to ICMP messages about segments that we sent.

use super::{Due, Endpoint, Progress, State};
use crate::config::Conformance;
use crate::error::Icmp;
use crate::segment::HEADERS;
use crate::{Nanos, Observer};

/// The smallest path MTU that is accepted, bytes: IPv4 lets every host reassemble more than anything smaller (RFC 791,
/// RFC 1191 section 3).
const LEAST_MTU: u32 = 552;

impl Endpoint {
    /// Processes an ICMP message about a segment of this connection.
    ///
    /// If the connection is not yet established, an unreachable message ends the attempt (RFC 5461 section 4.1, as
    /// Linux does). Later, the message is saved as the reason to report if the connection is given up (RFC 9293 section
    /// 3.9.2.2). A smaller path MTU makes segments smaller, and segments that are too large are retransmitted at once;
    /// this does not indicate congestion (RFC 1191 section 6.5).
    pub fn on_icmp<O: Observer>(&mut self, now: Nanos, message: Icmp, obs: &mut O) -> Progress {
        let mut progress = Progress::default();
        match message {
            _ if matches!(self.state, State::Closed | State::Listen | State::TimeWait) => {}
            Icmp::FragmentationNeeded { mtu, seq } => self.on_smaller_mtu(mtu, seq),
            _ if self.sender.config.conformance == Conformance::FreeBsd => {
                self.on_icmp_freebsd(now, message, &mut progress, obs);
            }
            _ => match message.error() {
                Some(error) if matches!(self.state, State::SynSent | State::SynReceived) => {
                    self.fail(now, error, &mut progress, obs);
                }
                error => self.cold.soft_error = error,
            },
        }
        progress
    }

    /// Whether an ICMP message that quotes a segment with sequence number `seq` can be about this connection: the
    /// segment is outstanding (RFC 5927 section 4.1). A driver drops other messages.
    pub fn is_outstanding(&self, seq: u32) -> bool {
        let una = self.wire(self.sender.una());
        match self.state {
            State::Closed | State::Listen => false,
            State::SynSent | State::SynReceived => seq == self.iss,
            _ => u64::from(seq.wrapping_sub(una)) < self.sender.nxt() - self.sender.una(),
        }
    }

    /// Takes a smaller path MTU while nothing but a SYN is outstanding. Later SYNs offer a smaller segment size (FreeBSD:
    /// the host cache keeps the MTU, from which tcp_mssopt computes it; Linux: net/ipv4/tcp_output.c,
    /// tcp_advertise_mss). In Linux, a SYN with data was too large and leaves again at once, without data
    /// (net/ipv4/tcp_input.c, tcp_simple_retransmit).
    fn offer_less(&mut self, mtu: u32) {
        let mss = mtu - HEADERS as u32;
        if mss >= self.sender.config.mss {
            return;
        }
        self.cold.pmtu = self.cold.pmtu.min(mtu);
        self.sender.config_mut().mss = mss;
        let linux = self.sender.config.conformance == Conformance::Linux;
        if linux && self.cold.fast.left() > 0 {
            self.due.set(Due::SYN, true);
        }
    }

    /// Accepts a message only if it is about a segment that is outstanding (RFC 5927 section 4.1).
    //= https://www.rfc-editor.org/rfc/rfc7323#section-5.7
    //# any TCP implementation that implements PAWS MUST also implement Path MTU Discovery
    fn on_smaller_mtu(&mut self, mtu: u32, seq: u32) {
        let mtu = mtu.max(LEAST_MTU);
        if self.state == State::SynSent && self.sender.config.conformance != Conformance::Rfc {
            return self.offer_less(mtu);
        }
        let outstanding = self.sender.nxt() - self.sender.una();
        let age = u64::from(seq.wrapping_sub(self.wire(self.sender.una())));
        if mtu < self.cold.pmtu && age < outstanding {
            self.cold.pmtu = mtu;
            self.sender.limit_segments(self.path_payload());
        }
    }
}
