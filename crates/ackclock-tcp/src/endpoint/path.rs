//! What the endpoint is told of its path.

use super::handshake::STAMPS_LEN;
use super::{Endpoint, Uses};
use crate::pacing::HEADERS;

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
        let stamps = if self.uses.has(Uses::TIMESTAMPS) { STAMPS_LEN } else { 0 };
        self.path_mss().saturating_sub(stamps).max(1)
    }
}
