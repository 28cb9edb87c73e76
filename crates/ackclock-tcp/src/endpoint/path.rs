//! The path of the endpoint: the MTU that others tell, and the search for it.

use super::{Due, Endpoint, State, Uses, unwrap};
use crate::segment::HEADERS;
use crate::segment::STAMPS_LEN;
use crate::sender::Probe;
use crate::{Flags, Nanos, Observer, PathSearch, Segment};

impl Endpoint {
    /// Tells the MTU of the path before the connection begins, bytes of an IPv4 packet. It limits the segments that are
    /// sent; the segment size that is offered stays that of the device.
    pub fn set_path_mtu(&mut self, mtu: u32) {
        self.cold.pmtu = mtu.max(HEADERS as u32 + 1);
    }

    /// Largest payload on the path of a segment without options, bytes.
    pub(super) fn path_mss(&self) -> u32 {
        self.cold.pmtu - HEADERS as u32
    }

    /// Largest payload on the path of a segment with the timestamps in use, bytes.
    pub(super) fn path_payload(&self) -> u32 {
        self.path_mss().saturating_sub(self.stamps_len()).max(1)
    }

    /// Has the endpoint look for the path's MTU as Linux does (`tcp_mtu_probing`). Call before the connection begins.
    pub fn search_path_mtu(&mut self, search: PathSearch) {
        self.cold.search = Some(search);
        self.due.set(Due::PATH, true);
    }

    /// Tells a new MTU of the path, bytes of an IPv4 packet. The next segment meets it, and the size of later ones
    /// follows, as in Linux with a route that was replaced.
    pub fn change_path_mtu(&mut self, mtu: u32) {
        if !self.due.has(Due::PATH) {
            self.due.set(Due::PATH, true);
            if self.is_established() {
                self.begin_path();
            }
        }
        self.set_path_mtu(mtu);
        let payload = self.path_mss().min(self.cold.peer_mss) - self.stamps_len();
        self.sender.on_path_change(payload);
    }

    /// Bytes of the timestamps that every segment carries, if they are in use.
    #[inline]
    pub(super) fn stamps_len(&self) -> u32 {
        if self.uses.has(Uses::TIMESTAMPS) { STAMPS_LEN } else { 0 }
    }

    /// Begins to follow the path, once the connection is established.
    pub(super) fn begin_path(&mut self) {
        let stamps = self.stamps_len();
        let most = self.cold.peer_mss.saturating_sub(stamps).max(1);
        let known = self.path_payload().min(most);
        self.sender.follow_path(self.cold.search, known, most, HEADERS + u64::from(stamps));
    }

    /// Processes an acknowledgment of a probe of the path.
    pub(super) fn take_path_ack(&mut self, segment: &Segment) {
        let una = self.sender.una();
        let ack = unwrap(segment.ack.wrapping_sub(self.iss.wrapping_add(1)), una);
        if let Some(ack) = ack.filter(|&ack| segment.flags.has(Flags::ACK) && una < ack && ack <= self.sender.nxt()) {
            self.sender.on_path_ack(ack);
        }
        self.sender.take_path();
    }

    /// Returns the next segment of an endpoint that follows its path.
    #[cold]
    pub(super) fn poll_on_path<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Option<Segment> {
        self.due.set(Due::PATH, false);
        let sends = !self.due.any() && matches!(self.state, State::Established | State::CloseWait);
        let probe = if sends { self.sender.path_probe(now, self.receiver.reports()) } else { Probe::None };
        let segment = match probe {
            Probe::Send(sent) => Some(self.data::<false, O>(now, sent, obs)),
            Probe::Wait if self.receiver.owes_ack() => Some(self.bare_ack_of(now, self.bare_offset(), obs)),
            Probe::Wait => None,
            Probe::None => self.poll_transmit(now, obs),
        };
        self.due.set(Due::PATH, true);
        if segment.is_some() {
            self.sender.note_path_met();
        }
        segment
    }
}
