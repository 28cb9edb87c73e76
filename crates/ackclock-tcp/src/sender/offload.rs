//! Packets of Linux's segmentation offload, which exist in its TCP even where no device offloads: the segments that leave
//! together, the wait for a larger packet, and the PSH at the end of each (net/ipv4/tcp_output.c: tcp_write_xmit,
//! tcp_tso_autosize, tcp_tso_should_defer, __tcp_transmit_skb).

use super::Sender;
use super::episode::Phase;
use crate::config::{Config, PacingBurst};
use crate::pacing::largest_packet;
use crate::{MILLISECOND, Nanos, Rate};

/// The share of a window that is not worth waiting for: sysctl tcp_tso_win_divisor.
const WINDOW_DIVISOR: u64 = 3;

/// The least number of segments of a largest packet: sysctl tcp_min_tso_segs.
const LEAST: u64 = 2;

/// The packet that is leaving.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Offload {
    /// Whether the stack has such packets.
    on: bool,
    /// Whether the packet has more than one segment.
    several: bool,
    /// Whether data waits for a larger packet. An acknowledgment, a write or a close has TCP look again; the passing of
    /// time alone does not.
    held: bool,
    /// Segments of the packet that are still to be sent, and the time at which it leaves.
    left: u32,
    at: Nanos,
    /// Stream offset at which the buffers of unsent data begin.
    start: u64,
}

impl Offload {
    pub fn new(config: &Config) -> Offload {
        Offload { on: config.pacing_burst == PacingBurst::Linux, ..Offload::default() }
    }

    /// Whether no segment of a packet is still to be sent.
    #[inline]
    pub fn is_between_packets(&self) -> bool {
        self.left == 0
    }
}

impl Sender {
    /// Whether new data leaves now: as the next segment of a packet, or as the first one of a packet that does not wait.
    /// `load` is the volume in the network, which `allowance` bounds, bytes.
    #[inline]
    pub(super) fn packet_leaves(&mut self, now: Nanos, load: u64, allowance: u64) -> bool {
        if !self.offload.on {
            return true;
        }
        if self.goes_on(now) {
            self.offload.left -= 1;
            return true;
        }
        self.begin_packet(now, load, allowance)
    }

    /// Has unsent data wait until TCP looks again.
    pub(super) fn hold_packets(&mut self) {
        self.offload.held = self.offload.on;
    }

    #[inline(never)]
    fn begin_packet(&mut self, now: Nanos, load: u64, allowance: u64) -> bool {
        if self.offload.held && matches!(self.phase, Phase::Open | Phase::Cwr) && !self.probe_due {
            return false;
        }
        self.offload.left = 0;
        self.offload.several = false;
        if self.holds_packets() {
            return false;
        }
        let at_once = self.pushes_one();
        let mss = self.mss;
        let unsent = self.unsent();
        if unsent <= mss || self.probe_due {
            if self.host_is_full(unsent.min(mss), 1) && !self.probe_due {
                return false;
            }
            self.cut_packet(unsent.min(mss));
            return true;
        }
        let room = allowance.saturating_sub(load) / mss;
        let half = (self.window.cwnd / mss / 2).max(1);
        let quota = room.min(half).max(1);
        let open = self.window_edge.saturating_sub(self.nxt);
        // Most packets have no more segments than the least of a largest packet, whose size takes a long division.
        let largest = (quota > LEAST).then(|| self.segments_of_largest_packet(load));
        let quota = largest.map_or(quota, |largest| quota.min(largest));
        let buffered = self.buffered(unsent, quota);
        if buffered > mss && !at_once && self.waits_for_larger_packet(now, (load, largest), room * mss, open, buffered)
        {
            self.offload.held = true;
            return false;
        }
        let (segments, len) = self.packet_of(unsent, buffered.min(open), quota);
        if self.host_is_full(len, 1) {
            return false;
        }
        self.cut_packet(len);
        self.offload.left = segments.saturating_sub(1) as u32;
        self.offload.several = segments > 1;
        self.offload.at = now;
        true
    }

    /// The number of segments of a packet of up to `quota` segments, and its payload, bytes; `needed` is the payload that may
    /// leave.
    #[inline]
    fn packet_of(&self, unsent: u64, needed: u64, quota: u64) -> (u64, u64) {
        let mss = self.mss;
        if needed >= quota * mss {
            return (quota, quota * mss);
        }
        let whole = needed / mss;
        // tcp_mss_split_point: what ends at the edge of the window is not full either, and Nagle's rule decides.
        let held = if needed == unsent { self.waits_to_fill(true) } else { self.holds_short_segments() };
        let partial = u64::from(!needed.is_multiple_of(mss) && !held);
        let segments = whole + partial;
        (segments, needed.min(segments * mss))
    }

    /// Whether the packet that is leaving goes on with the next segment.
    #[inline]
    pub(super) fn goes_on(&self, now: Nanos) -> bool {
        self.offload.left > 0 && self.offload.at == now
    }

    /// Lets data that waits for a larger packet be looked at again.
    #[inline]
    pub(super) fn look_again(&mut self) {
        self.offload.held = false;
    }

    /// Whether the stack has such packets.
    #[inline]
    pub(super) fn has_packets(&self) -> bool {
        self.offload.on
    }

    /// Bytes of the buffer that holds the next unsent byte. A buffer takes what `quota` segments lack from the next one
    /// (tcp_grow_skb); a record ends one.
    #[inline]
    fn buffered(&mut self, unsent: u64, quota: u64) -> u64 {
        if let Some(known) = self.in_first_buffer(quota * self.mss) {
            return self.within_record(self.nxt, known.min(unsent));
        }
        let size = self.size_goal();
        let left = size - (self.nxt - self.offload.start.min(self.nxt)) % size;
        self.within_record(self.nxt, left.max(quota * self.mss).min(unsent))
    }

    /// The number of segments of the largest packet: as many as are sent in 1/1024 s at the rate for pacing, which Linux
    /// computes for flows that it does not pace, too.
    fn segments_of_largest_packet(&self, load: u64) -> u64 {
        largest_packet(self.packet_rate(load), self.mss, self.rtt.min(), LEAST)
    }

    /// The rate for pacing, with `load` bytes in the network.
    pub(super) fn packet_rate(&self, load: u64) -> Option<Rate> {
        let srtt = self.rtt.srtt();
        self.pacer.rate(&self.window, srtt).or_else(|| {
            // tcp_update_pacing_rate.
            let percent = if self.window.cwnd < self.window.ssthresh / 2 { 200 } else { 120 };
            let bytes = u128::from(self.window.cwnd.max(load)) * percent * 10_000_000;
            u64::try_from(bytes / u128::from(srtt?.max(1))).ok().map(Rate::of_bytes)
        })
    }

    /// Whether the `buffered` bytes wait until more of them may be sent at once: another packet left within the last
    /// millisecond, the next acknowledgment is due within one, and the window has room for neither a largest packet nor a
    /// good part of a window. `room` is what the congestion window, and `open` what the peer's window still allows, bytes;
    /// `load` is the volume in the network, and `largest` the number of segments of a largest packet, where it is known.
    #[inline]
    fn waits_for_larger_packet(
        &mut self,
        now: Nanos,
        (load, largest): (u64, Option<u64>),
        room: u64,
        open: u64,
        buffered: u64,
    ) -> bool {
        if !matches!(self.phase, Phase::Open | Phase::Cwr) {
            return false;
        }
        if now > self.last_sent.max(self.pacer.release_time()).saturating_add(MILLISECOND) {
            return false;
        }
        let srtt = self.rtt.srtt().unwrap_or(0);
        let Some(first) = self.board.first_sent_at() else { return false };
        if first + srtt > now + MILLISECOND.min(srtt / 2) {
            return false;
        }
        let limit = room.min(open);
        let end = self.nxt + buffered;
        let last = end == self.written;
        let window = self.window.cwnd.min(self.window_edge.saturating_sub(self.una));
        if !last && limit >= buffered || limit >= window / WINDOW_DIVISOR {
            return false;
        }
        let largest = || largest.unwrap_or_else(|| self.segments_of_largest_packet(load));
        if limit >= LEAST * self.mss && limit >= largest() * self.mss {
            return false;
        }
        if room < open && room <= buffered {
            self.limited_until = self.nxt;
            let flight_size = self.outstanding();
            self.validation.on_deferred(now, flight_size, self.nxt);
            return true;
        }
        if room >= open && open <= buffered {
            return true;
        }
        !(last && self.closed || self.ends_record(end))
    }

    /// Takes note that the application writes: without unsent data, a buffer begins.
    #[inline]
    pub(super) fn note_buffer(&mut self) {
        if self.nxt >= self.written {
            self.offload.start = self.written;
        }
    }

    /// Whether the segment that was just sent ends a packet of several segments, which carries PSH there.
    #[inline]
    pub(super) fn ends_packet(&self) -> bool {
        self.offload.several && self.offload.left == 0
    }
}
