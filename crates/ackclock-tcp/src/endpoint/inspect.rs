//! Methods that read the state of an endpoint.

use super::{Endpoint, State, Uses};
use crate::config::Conformance;
use crate::info::{CaState, EcnUse, Info};
use crate::limits::Limits;
use crate::recovery::LossRecovery;
use crate::{Error, Nanos, Stats, Window, validation};

impl Endpoint {
    #[cfg(test)]
    pub(crate) fn sender_mut(&mut self) -> &mut crate::sender::Sender {
        &mut self.sender
    }

    /// Has this end keep the bytes in the queue of its own host few, if its stack does so. [`Endpoint::on_left_host`] then
    /// tells of each packet that has left that queue.
    pub fn watch_host_queue(&mut self) {
        self.sender.watch_host_queue();
    }

    /// Takes note of a packet with `payload` bytes that has left the queue of this end's host.
    pub fn on_left_host(&mut self, payload: u32) {
        self.sender.on_left_host(payload);
    }

    /// State of RFC 9293 section 3.3.2.
    #[inline]
    pub fn state(&self) -> State {
        self.state
    }

    /// Reason for the end of the connection, if it was not closed by both ends.
    pub fn error(&self) -> Option<Error> {
        self.cold.error
    }

    /// Stream bytes received in order so far, without those that a receiver with optimistic ACKs passed over.
    #[inline]
    pub fn received(&self) -> u64 {
        self.receiver.received() - self.cold.misbehaviour.missing
    }

    /// Maximum segment size that the peer stated in its SYN, bytes of payload with options; 536 if it stated none (RFC
    /// 9293 section 3.7.1).
    pub fn peer_mss(&self) -> u32 {
        self.cold.peer_mss
    }

    /// The receive buffer, bytes.
    pub fn receive_buffer(&self) -> u64 {
        self.receiver.buffer()
    }

    /// The time that the sender spent with each limit since the handshake; `None` unless
    /// [`crate::Config::notes_limits`].
    pub fn limits(&self) -> Option<&Limits> {
        self.sender.limits()
    }

    /// The limit of the send buffer, bytes: of memory in Linux's stacks, of payload in others; `None` if it has no limit.
    pub fn send_buffer(&self) -> Option<u64> {
        self.sender.send_buffer()
    }

    /// Stream bytes that we sent and that were acknowledged so far.
    #[inline]
    pub fn acked(&self) -> u64 {
        self.sender.acked()
    }

    /// Stream bytes that were sent at least once.
    pub fn sent(&self) -> u64 {
        self.sender.nxt().min(self.sender.written())
    }

    /// Time of the last transmission of the oldest outstanding segment; `None` where nothing is outstanding.
    pub fn oldest_sent_at(&self) -> Option<Nanos> {
        self.sender.oldest_sent_at()
    }

    /// Counters.
    pub fn stats(&self) -> &Stats {
        self.sender.stats()
    }

    /// Smoothed RTT of the sender, nanoseconds; `None` before a sample.
    pub fn srtt(&self) -> Option<Nanos> {
        self.sender.rtt().srtt()
    }

    /// Smallest RTT sample of the sender, nanoseconds; `None` before a sample.
    pub fn min_rtt(&self) -> Option<Nanos> {
        self.sender.rtt().min()
    }

    /// State and counters of the sender's loss recovery. The call examines every outstanding segment.
    pub fn loss_recovery(&self) -> LossRecovery {
        self.sender.loss_recovery()
    }

    /// Congestion window state.
    pub fn window(&self) -> &Window {
        self.sender.window()
    }

    /// Report of the window validation: pipeACK, and whether the sender is in the non-validated phase (RFC 7661).
    pub fn validation(&self) -> validation::Report {
        self.sender.validation()
    }

    /// Checks the invariants of the state: the scoreboard agrees with its sums, SND.UNA <= SND.NXT, and timers run only
    /// with a reason. For tests: the check examines every outstanding segment.
    ///
    /// # Errors
    /// The violated invariant, in words.
    pub fn check(&self) -> Result<(), String> {
        self.sender.check()
    }

    /// Whether data can flow, or could flow until one end closed.
    pub(super) fn is_established(&self) -> bool {
        !matches!(self.state, State::Closed | State::Listen | State::SynSent | State::SynReceived | State::TimeWait)
    }

    /// A snapshot of all fields of Linux's TCP_INFO.
    pub fn info(&self, now: Nanos) -> Info {
        let cold = &self.cold;
        let timers = &cold.timers;
        let mut info = Info {
            state: self.state,
            ca_state: CaState::Open,
            retransmits: 0,
            probes: timers.probes.min(255) as u8,
            backoff: 0,
            options: 0,
            snd_wscale: self.peer_scale,
            rcv_wscale: 0,
            rto: 0,
            ato: 0,
            snd_mss: 0,
            rcv_mss: 0,
            unacked: 0,
            sacked: 0,
            lost: 0,
            retrans: 0,
            last_data_sent: now.saturating_sub(self.sender.last_sent()),
            last_data_recv: 0,
            last_ack_recv: now.saturating_sub(self.last_ack),
            pmtu: cold.pmtu,
            rcv_ssthresh: 0,
            rtt: 0,
            rttvar: 0,
            snd_ssthresh: 0,
            snd_cwnd: 0,
            advmss: self.sender.config.mss,
            reordering: 0,
            rcv_rtt: 0,
            rcv_space: 0,
            total_retrans: 0,
            pacing_rate: None,
            bytes_acked: 0,
            bytes_received: 0,
            segs_out: 0,
            segs_in: 0,
            notsent_bytes: 0,
            min_rtt: 0,
            data_segs_in: 0,
            data_segs_out: 0,
            delivered: 0,
            delivered_ce: 0,
            bytes_sent: 0,
            bytes_retrans: 0,
            dsack_dups: 0,
            reord_seen: 0,
            rcv_ooopack: 0,
            snd_wnd: 0,
            rcv_wnd: 0,
            received_ce: 0,
            received_bytes: cold.marks.received_bytes,
            delivered_bytes: {
                let [e0, ce, e1] = cold.acc.delivered;
                [e0, e1, ce]
            },
            ecn: EcnUse::None,
        };
        self.sender.report(&mut info);
        self.receiver.report(now, &mut info);
        let opened = !matches!(self.state, State::Closed | State::Listen | State::SynSent | State::SynReceived);
        if opened && self.sender.config.conformance == Conformance::Linux {
            // Linux counts our SYN, with any data in it, or our SYN-ACK as a delivered segment (net/ipv4/tcp_input.c,
            // tcp_rcv_fastopen_synack, tcp_rcv_state_process).
            info.delivered += 1;
            info.total_retrans += cold.syns_sent.saturating_sub(1);
            if cold.passive {
                // The listening socket sent the SYN-ACKs (net/ipv4/tcp_minisocks.c, tcp_create_openreq_child).
                info.segs_out -= cold.syns_sent.min(info.segs_out);
            }
        }
        info.retransmits =
            info.retransmits.max(if self.is_established() { 0 } else { cold.syn_retries.min(255) as u8 });
        let doublings = self.sender.rtt().backoff().min(255) as u8;
        info.backoff = if timers.backoff > 0 { timers.backoff.min(255) as u8 } else { info.retransmits.min(doublings) };
        info.received_ce = cold.marks.received_ce;
        info.delivered_ce += u32::from(cold.acc.marked_answer);
        info.ecn = match (self.uses.has(Uses::ACCECN), self.uses.has(Uses::CLASSIC_ECN)) {
            (true, _) => EcnUse::Accurate,
            (_, true) => EcnUse::Classic,
            _ => EcnUse::None,
        };
        let options = [
            self.uses.has(Uses::TIMESTAMPS),
            self.sender.uses_sack(),
            cold.peer_scales,
            self.uses_ecn(),
            cold.marks.seen,
            cold.fast.delivered_with_syn(),
        ];
        info.options = options.iter().enumerate().map(|(bit, &on)| u8::from(on) << bit).sum();
        info
    }
}
