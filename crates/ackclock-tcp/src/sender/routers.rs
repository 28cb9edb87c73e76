//! What is asked of routers, and their answers (XCP).

use super::Sender;
use crate::{CongestionHeader, Nanos};

impl Sender {
    /// Whether the congestion control lives by the answers of routers.
    pub fn asks_routers(&self) -> bool {
        self.scope.routers
    }

    /// What a segment with `len` bytes of payload asks of routers: the round-trip time, that payload over the throughput, ns,
    /// and the change of the throughput, bytes per second. Who has nothing more to send wants no more than it has.
    pub fn request(&self, len: u32) -> Option<(Nanos, Nanos, i32)> {
        let srtt = self.rtt.srtt().filter(|_| len > 0)?;
        let interval = u128::from(srtt) * u128::from(len) / u128::from(self.window.cwnd.max(1));
        let change = if self.written > self.nxt { CongestionHeader::UNLIMITED } else { 0 };
        Some((srtt, Nanos::try_from(interval).unwrap_or(Nanos::MAX), change))
    }

    /// Routers have answered: the sum of the changes, bytes per second, or [`CongestionHeader::UNLIMITED`] where none has.
    pub fn on_answers(&mut self, now: Nanos, sum: i32) {
        let ctx = self.context(now);
        self.cc.on_router_feedback(&mut self.window, &ctx, (sum != CongestionHeader::UNLIMITED).then_some(sum));
    }
}
