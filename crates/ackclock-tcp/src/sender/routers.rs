//! Requests to routers and their answers (XCP).

use super::Sender;
use crate::{CongestionHeader, Nanos};

impl Sender {
    /// Whether the congestion control depends on answers of routers.
    pub fn asks_routers(&self) -> bool {
        self.scope.routers
    }

    /// The request to routers of a segment with `len` bytes of payload: the round-trip time, ns; the time to send `len`
    /// bytes at the current throughput, ns; and the desired change of the throughput, bytes per second. A sender
    /// without more data to send requests no change.
    pub fn request(&self, len: u32) -> Option<(Nanos, Nanos, i32)> {
        let srtt = self.rtt.srtt().filter(|_| len > 0)?;
        let interval = u128::from(srtt) * u128::from(len) / u128::from(self.window.cwnd.max(1));
        let change = if self.written > self.nxt { CongestionHeader::UNLIMITED } else { 0 };
        Some((srtt, Nanos::try_from(interval).unwrap_or(Nanos::MAX), change))
    }

    /// Processes the answers of routers: `sum` is the sum of the changes, bytes per second, or
    /// [`CongestionHeader::UNLIMITED`] where no router has answered.
    pub fn on_answers(&mut self, now: Nanos, sum: i32) {
        let ctx = self.context(now);
        self.cc.on_router_feedback(&mut self.window, &ctx, (sum != CongestionHeader::UNLIMITED).then_some(sum));
    }
}
