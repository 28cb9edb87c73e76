//! Changes of the path's MTU, and the search for it by probes (Linux tcp_mtu_probing; RFC 4821).
//!
//! A probe is a segment larger than the others. Its acknowledgment raises the size of all, and its loss, which is no sign
//! of congestion, lowers the limit of the search (net/ipv4/tcp_output.c, tcp_mtu_probe; tcp_input.c, tcp_mtup_probe_success
//! and tcp_mtup_probe_failed). All sizes are of payload with the timestamps in use, bytes.

use super::episode::Phase;
use super::{Sender, Transmission};
use crate::{Nanos, SECOND};

/// Width of the range below which the search is over (tcp_probe_threshold).
const THRESHOLD: u64 = 8;
/// Smallest congestion window for a probe, segments.
const LEAST_WINDOW: u64 = 11;
/// Time of fruitless retransmission after which segments may be too large for the path (tcp_retries1 = 3: 15 times the
/// smallest timeout).
const BLACK_HOLE: Nanos = 3 * SECOND;

/// Parameters of a sender's search for the path's MTU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathSearch {
    /// Whether the search begins with the connection, rather than after fruitless retransmissions (tcp_mtu_probing 2, 1).
    pub always: bool,
    /// Payload with which the search begins (tcp_base_mss), and the smallest one (tcp_mtu_probe_floor), bytes.
    pub base: u32,
    /// The smallest payload of a segment to which retransmissions fall back, bytes.
    pub floor: u32,
}

/// The state of the path.
#[derive(Clone, Debug)]
pub(super) struct Path {
    search: Option<PathSearch>,
    on: bool,
    low: u64,
    high: u64,
    /// The path's MTU, and one that the next segment meets, with whether a segment has met it.
    known: u64,
    next: Option<(u64, bool)>,
    /// The outstanding probe.
    probe: Option<(u64, u64)>,
    /// Bytes of headers.
    overhead: u64,
    /// Time at which the first segment was retransmitted in vain.
    since: Option<Nanos>,
}

/// The decision of the search for the MTU when a segment is due.
pub(crate) enum Probe {
    /// Nothing.
    None,
    /// Nothing, and no other data either.
    Wait,
    /// A probe.
    Send(Transmission),
}

impl Sender {
    /// Begins to follow the path: segments may have `known` bytes of payload now and `most` as far as the peer is
    /// concerned, and `overhead` bytes of headers.
    pub fn follow_path(&mut self, search: Option<PathSearch>, known: u32, most: u32, overhead: u64) {
        self.rare.path = Some(Box::new(Path {
            search,
            on: search.is_some_and(|search| search.always),
            low: search.map_or(0, |search| search.base.into()),
            high: most.into(),
            known: known.into(),
            next: None,
            probe: None,
            overhead,
            since: None,
        }));
    }

    /// Takes note that the path now allows `payload` bytes. As in Linux, the segment that is sent next meets the new
    /// path, and the size of later ones follows.
    pub fn on_path_change(&mut self, payload: u32) {
        if let Some(path) = &mut self.rare.path {
            path.next = Some((payload.into(), false));
        }
    }

    /// Takes note that a segment has left.
    pub fn note_path_met(&mut self) {
        if let Some(path) = &mut self.rare.path
            && let Some((_, met)) = &mut path.next
        {
            *met = true;
        }
    }

    /// Gives segments the size of the path that the last one met.
    pub fn take_path(&mut self) {
        if let Some(path) = &mut self.rare.path
            && let Some((payload, true)) = path.next
        {
            path.next = None;
            path.known = payload;
            self.fit_path();
        }
    }

    /// Lowers the limit of the search, because a router has told the path's MTU.
    pub(super) fn limit_path(&mut self, payload: u64) {
        if let Some(path) = &mut self.rare.path {
            (path.known, path.high) = (path.known.min(payload), path.high.min(payload));
            path.probe = None;
        }
    }

    /// tcp_sync_mss.
    fn fit_path(&mut self) {
        let Some(path) = &mut self.rare.path else { return };
        path.high = path.high.min(path.known);
        let mss = if path.on { path.known.min(path.low) } else { path.known };
        self.rare.full_mss = mss.max(1);
        self.resize_segments(mss.max(1));
        self.on_larger_window(self.small.largest_window);
    }

    /// The probe that is to be sent now; `reports` is whether segments carry SACK blocks.
    pub fn path_probe(&mut self, now: Nanos, reports: bool) -> Probe {
        let Some(path) = &self.rare.path else { return Probe::None };
        let quiet = self.phase == Phase::Open && self.board.is_clean() && !self.probe_due;
        if !path.on || path.probe.is_some() || !quiet || reports || self.window.cwnd / self.mss < LEAST_WINDOW {
            return Probe::None;
        }
        let size = u64::midpoint(path.low, path.high);
        let needed = size + u64::from(self.rare.reordering.threshold() + 1) * self.mss;
        let window = self.window_edge.saturating_sub(self.una);
        if path.high < path.low + THRESHOLD || self.unsent() < needed || window < needed {
            return Probe::None;
        }
        if self.nxt + needed > self.window_edge {
            return Probe::Wait;
        }
        if self.pipe() + 2 * self.mss > self.window.cwnd {
            return if self.board.is_empty() { Probe::None } else { Probe::Wait };
        }
        if self.within_record(self.nxt, size) < size || self.pacer.blocks(now) {
            return Probe::None;
        }
        Probe::Send(self.send_path_probe(now, size))
    }

    fn send_path_probe(&mut self, now: Nanos, size: u64) -> Transmission {
        let offset = self.nxt;
        self.board.push(offset, size as u32, now);
        self.nxt += size;
        // The probe takes the place of two segments.
        self.window.cwnd -= self.mss;
        if let Some(path) = &mut self.rare.path {
            path.probe = Some((offset, offset + size));
        }
        let rate = self.pacer.rate(&self.window, self.rtt.srtt());
        self.pacer.on_sent(now, (size, crate::segment::HEADERS), rate, self.mss, self.rtt.min());
        self.last_sent = now;
        self.on_new_data_sent(now);
        let cwr = std::mem::take(&mut self.cwr_due);
        let sent = Transmission { offset, len: size as u32, fin: false, retransmission: false, cwr };
        if self.tells_sent {
            self.tell_sent(now, &sent);
        }
        sent
    }

    /// Processes an acknowledgment up to `ack` before all else: that of the probe raises the segment size. The window
    /// keeps its volume.
    pub fn on_path_ack(&mut self, ack: u64) {
        let (segments, mss) = (self.window.cwnd / self.mss, self.mss);
        let Some(path) = &mut self.rare.path else { return };
        if ack > self.una {
            path.since = None;
        }
        let Some((start, end)) = path.probe.filter(|&(_, end)| end <= ack) else { return };
        let size = end - start;
        path.probe = None;
        path.low = size;
        let kept = (segments * (mss + path.overhead) / (size + path.overhead)).max(1);
        let threshold = (kept / 2 + kept / 4) * mss;
        self.window.cwnd = kept * mss;
        self.window.ssthresh = self.window.ssthresh.max(threshold);
        self.fit_path();
    }

    /// Handles the loss of the first outstanding segment, if that is the probe. Returns whether it was.
    pub(super) fn takes_lost_probe(&mut self) -> bool {
        let una = self.una;
        let Some(path) = self.rare.path.as_mut().filter(|_| self.phase == Phase::Open) else { return false };
        let Some((start, end)) = path.probe.filter(|&(start, _)| start == una) else { return false };
        path.probe = None;
        path.high = end - start - 1;
        self.window.cwnd += self.mss;
        self.board.resegment(self.mss as u32);
        self.repair_without_response();
        true
    }

    /// Handles an expiry of the retransmission timer: a probe that is outstanding proves nothing, and after a while
    /// without an answer smaller segments are tried (tcp_mtu_probing). The retransmission looks up the route, and has the
    /// size of a new one at once (net/ipv4/tcp_output.c, __tcp_retransmit_skb).
    pub(super) fn on_path_timeout(&mut self, now: Nanos) {
        if let Some(path) = &mut self.rare.path
            && let Some((_, met)) = &mut path.next
        {
            *met = true;
            self.take_path();
        }
        let Some(path) = &mut self.rare.path else { return };
        path.probe = None;
        let Some(search) = path.search else { return };
        if now < path.since.get_or_insert(now).saturating_add(BLACK_HOLE) {
            return;
        }
        if path.on {
            path.low = (path.low / 2).min(search.base.into()).max(search.floor.into());
        }
        path.on = true;
        self.fit_path();
        self.board.resegment(self.mss as u32);
    }
}
