//! The sender's part of a snapshot of the connection.

use super::Sender;
use super::episode::Phase;
use crate::Nanos;
use crate::info::Info;

impl Sender {
    /// Time of the last transmission of the first outstanding segment.
    pub fn oldest_sent_at(&self) -> Option<Nanos> {
        self.board.first_sent_at()
    }

    /// Number of segments, and of bytes, that an acknowledgment of everything below `ack` and of `blocks` would newly report,
    /// and whether both are exact: without SACK, duplicate ACKs do not tell what arrived.
    pub fn news(&self, ack: u64, blocks: &[(u64, u64)]) -> (u64, u64, bool) {
        let (segments, bytes) = self.board.news(ack, if self.sack { blocks } else { &[] });
        (segments, bytes, self.sack || self.phase == Phase::Open && self.dup_acks == 0)
    }

    /// Fills in the sender's part of `info`.
    pub fn report(&self, info: &mut Info) {
        let recovery = self.loss_recovery();
        let segments = |bytes: u64| u32::try_from(bytes / self.mss.max(1)).unwrap_or(u32::MAX);
        info.ca_state = recovery.state;
        info.retransmits = self.expiries.min(255) as u8;
        info.rto = self.rtt.rto();
        info.snd_mss = self.mss as u32;
        info.unacked = recovery.outstanding;
        info.sacked = recovery.sacked;
        info.lost = recovery.lost;
        info.retrans = recovery.retransmitted;
        info.rtt = self.rtt.srtt().unwrap_or(0);
        info.rttvar = self.rtt.rttvar().unwrap_or(0);
        info.min_rtt = self.rtt.min().unwrap_or(u64::MAX);
        info.snd_ssthresh = if self.window.ssthresh == u64::MAX { 0x7fff_ffff } else { segments(self.window.ssthresh) };
        info.snd_cwnd = segments(self.window.cwnd);
        info.delivered = recovery.counts.delivered as u32;
        info.delivered_ce = recovery.counts.delivered_marked as u32;
        info.dsack_dups = recovery.counts.dsacks as u32;
        info.reord_seen = recovery.counts.reordering_seen as u32;
        info.reordering = recovery.dup_thresh;
        info.pacing_rate = self.pacer.rate(&self.window, self.rtt.srtt());
        info.bytes_acked = self.una;
        info.notsent_bytes = self.unsent();
        info.snd_wnd = self.window_edge.saturating_sub(self.una);
        info.total_retrans = self.stats.retransmits as u32;
        info.segs_out = self.stats.segments_sent as u32;
        info.segs_in = self.stats.segments_received as u32;
        info.data_segs_out = self.stats.data_segments_sent as u32;
        info.data_segs_in = self.stats.data_segments_received as u32;
        info.bytes_sent = self.stats.bytes_sent;
        info.bytes_retrans = self.stats.bytes_retransmitted;
    }
}
