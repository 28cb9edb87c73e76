//! TCP Fast Open (RFC 7413): data in the SYN.

use super::output::MAX_OPTIONS;
use super::{Due, Endpoint, Progress, State};
use crate::config::Conformance;
use crate::fast_open::{Answer, Client, FastOpen, Server};
use crate::receiver::Payload;
use crate::{Flags, Nanos, Observer, Segment};

/// State of Fast Open, while it is in use.
#[derive(Default)]
pub(super) struct Fast {
    client: Option<Client>,
    server: Option<Server>,
    /// Option of the SYN-ACK that a server sends.
    grant: Option<FastOpen>,
    /// Bytes of data that our SYN carried.
    sent: u32,
    answer: Option<Answer>,
    /// Whether the peer's SYN was accepted, so that we may send data before the handshake ends, and the bytes of its data.
    pub accepted: bool,
    received: u32,
    /// Whether the SYN-ACK waits for data to carry, as a delayed ACK does.
    pub waits: bool,
}

impl Fast {
    /// Whether all data in our SYN was acknowledged with it, or the data in the peer's SYN was accepted.
    pub fn delivered_with_syn(&self) -> bool {
        self.received > 0 || self.sent > 0 && self.left() == 0
    }

    /// Bytes of our SYN's data that the SYN-ACK did not acknowledge.
    pub fn left(&self) -> u32 {
        self.sent - self.answer.map_or(0, |answer| answer.acked)
    }
}

impl Endpoint {
    /// Uses Fast Open as a client: the SYN requests a cookie, or carries a cookie and the data written so far. Call this
    /// before [`Endpoint::connect`].
    pub fn use_fast_open(&mut self, client: Client) {
        self.cold.fast.client = Some(client);
    }

    /// Uses Fast Open as a server: data in the SYN is accepted if its cookie is right. Call this before a SYN arrives.
    pub fn serve_fast_open(&mut self, server: Server) {
        self.cold.fast.server = Some(server);
    }

    /// The server's answer to our SYN with the Fast Open option; `None` before the SYN-ACK and without Fast Open. The
    /// driver keeps the cookie for further connections to the same server (RFC 7413 section 4.1.3).
    pub fn fast_open_answer(&self) -> Option<Answer> {
        self.cold.fast.answer
    }

    /// Number of bytes of our SYN's data that `segment` acknowledges; `None` if the segment does not acknowledge the
    /// SYN.
    pub(super) fn acked_with_syn(&self, segment: &Segment) -> Option<u32> {
        let acked = segment.ack.wrapping_sub(self.iss.wrapping_add(1));
        (segment.flags.has(Flags::ACK) && acked <= self.cold.fast.sent).then_some(acked)
    }

    /// Adds the option and the data to our SYN.
    pub(super) fn fill_syn(&mut self, segment: &mut Segment) {
        let fast = &mut self.cold.fast;
        // RFC 7413 section 4.2.1: a SYN or SYN-ACK that is sent again has neither the option nor data, because a
        // middlebox may have dropped the first one for these.
        if self.cold.syns_sent > 0 {
            return;
        }
        if segment.flags.has(Flags::ACK) {
            segment.set_fast_open(fast.grant);
            if fast.accepted && self.sender.config.conformance == Conformance::FreeBsd {
                // sys/netinet/tcp_output.c, tcp_output: only the first SYN-ACK carries data.
                let options = segment.header_len() - Segment::new(Flags::SYN).header_len();
                let most = self.cold.peer_mss.min(self.sender.config.mss).saturating_sub(options);
                self.send_with_syn(segment, most);
            }
            return;
        }
        let Some(client) = fast.client else { return };
        segment.set_fast_open(client.option);
        if client.option.is_none_or(|option| option.has_cookie()) {
            // Linux leaves room for all options that a header can hold (net/ipv4/tcp_output.c, tcp_send_syn_data).
            let options = match self.sender.config.conformance {
                Conformance::Linux => MAX_OPTIONS,
                _ => segment.header_len() - Segment::new(Flags::SYN).header_len(),
            };
            let most = client.mss.min(self.sender.config.mss).saturating_sub(options);
            self.send_with_syn(segment, most);
        }
    }

    /// Adds up to `most` bytes of data to our SYN or SYN-ACK.
    fn send_with_syn(&mut self, segment: &mut Segment, most: u32) {
        segment.len = u32::try_from(self.sender.written()).unwrap_or(u32::MAX).min(most);
        self.cold.fast.sent = segment.len;
        let stats = self.sender.stats_mut();
        stats.data_segments_sent += u64::from(segment.len > 0);
        stats.bytes_sent += u64::from(segment.len);
    }

    /// Whether the SYN-ACK has waited until there is data for it.
    pub(super) fn answers_with_data(&self) -> bool {
        self.cold.fast.waits && self.sender.written() > 0
    }

    /// Processes the SYN-ACK to our SYN, which acknowledges `acked` bytes of its data. The rest is sent again after the
    /// handshake. An answer to a SYN without the option has no cookie that counts.
    pub(super) fn take_fast_open_answer(&mut self, segment: &Segment, acked: u32, progress: &mut Progress) {
        let Some(client) = self.cold.fast.client else { return };
        let option = segment.fast_open().filter(|_| client.option.is_some());
        self.cold.fast.answer = Some(Answer { option, acked, repeated: self.cold.syns_sent > 1 });
        if acked > 0 {
            self.sender.take_syn_data(u64::from(acked));
            progress.add(Progress::ACKED);
        }
    }

    /// Processes what belongs to the SYN's data after the SYN-ACK has established the connection. In Linux, data of the
    /// SYN that was not acknowledged counts as sent and lost, and only if nothing is left, the SYN-ACK may bring data of
    /// its own (net/ipv4/tcp_input.c, tcp_rcv_fastopen_synack). In other stacks the rest of the data was never sent.
    pub(super) fn follow_fast_open<O: Observer>(
        &mut self,
        now: Nanos,
        segment: &Segment,
        progress: &mut Progress,
        obs: &mut O,
    ) {
        let linux = self.sender.config.conformance == Conformance::Linux;
        let left = self.cold.fast.left();
        if linux && left > 0 {
            self.sender.lose_syn_data(self.cold.syn_sent_at, left);
        }
        if segment.len == 0 && !segment.flags.has(Flags::FIN) {
            return;
        }
        // RFC 9293 section 3.10.7.3, fifth step: text and controls are processed as in ESTABLISHED. Linux drops those of
        // a SYN-ACK without Fast Open.
        let takes = if linux { self.cold.fast.client.is_some() && left == 0 } else { true };
        if takes {
            self.cold.fast.received = segment.seq_len() - 1;
            self.take_payload(now, segment, 0, progress, obs);
        }
    }

    /// Takes the acknowledgment of the data in our SYN, or SYN-ACK, from the segment that ends the handshake.
    pub(super) fn take_syn_data_ack(&mut self, segment: &Segment, progress: &mut Progress) {
        if let Some(acked) = self.acked_with_syn(segment).filter(|&acked| acked > 0 && self.sender.nxt() == 0) {
            self.sender.take_syn_data(u64::from(acked));
            progress.add(Progress::ACKED);
        }
    }

    /// Lets the data of an application that waits to write carry the ACK of the SYN-ACK (Linux net/ipv4/tcp_input.c,
    /// tcp_rcv_synsent_state_process). Call this between the arrival of the SYN-ACK and the write.
    pub fn join_handshake_ack(&mut self, now: Nanos) {
        self.due.set(Due::HANDSHAKE, false);
        self.receiver.expect_data(now);
    }

    /// Processes the option and the data of a peer's SYN. Returns whether the data is accepted.
    pub(super) fn accept_fast_open<O: Observer>(
        &mut self,
        now: Nanos,
        segment: &Segment,
        progress: &mut Progress,
        obs: &mut O,
    ) -> bool {
        let Some(server) = self.cold.fast.server else { return false };
        let freebsd = self.sender.config.conformance == Conformance::FreeBsd;
        let accepted = match (segment.fast_open(), server.cookie) {
            (Some(option), Some(cookie)) => {
                let right = option.has_cookie() && option.cookie() == cookie.cookie();
                if !right || freebsd {
                    // RFC 7413 section 4.2.2: the server sends back the right cookie, and takes the SYN alone. FreeBSD
                    // sends it back in any case (sys/netinet/tcp_output.c, tcp_output).
                    self.cold.fast.grant = Some(FastOpen::new(cookie.cookie(), option.is_experimental()));
                }
                right
            }
            (None, _) | (_, None) => server.without_cookie && segment.len > 0,
        };
        if !accepted {
            return false;
        }
        self.cold.fast.accepted = true;
        self.cold.fast.received = segment.len;
        self.agree(now);
        self.open_sender(now, 0);
        let payload = Payload {
            start: 0,
            len: segment.len,
            segments: 1,
            part: segment.len,
            fin: false,
            push: segment.flags.has(Flags::PSH),
            echo: None,
            rtt: self.sender.rtt(),
        };
        self.receiver.on_data(now, &payload);
        progress.add(Progress::CONNECTED);
        if segment.len > 0 {
            progress.add(Progress::RECEIVED);
        }
        self.receiver.acknowledge_with_syn(&self.sender.config);
        if freebsd {
            // sys/netinet/tcp_input.c, tcp_do_segment (tfo_syn)
            self.cold.fast.waits = true;
            self.cold.timers.syn = now + self.sender.config.delayed_ack;
            self.retime();
        } else {
            self.due.set(Due::SYN, true);
        }
        self.enter(now, State::SynReceived, obs);
        true
    }

    /// Whether data may be sent now although the handshake has not ended: the peer's SYN had a right cookie. A FIN
    /// waits for the end of the handshake. FreeBSD sends nothing but the SYN-ACK (sys/netinet/tcp_output.c, tcp_output).
    pub(super) fn sends_early(&self) -> bool {
        self.state == State::SynReceived
            && self.cold.fast.accepted
            && !self.sender.is_closed()
            && self.sender.config.conformance != Conformance::FreeBsd
    }
}
