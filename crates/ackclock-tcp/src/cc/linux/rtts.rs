//! The RTT samples of a round and of a connection, as net/ipv4/tcp_vegas.c keeps them and tcp_yeah.c with it.

use super::state::rtt;
use crate::context::Delivery;

/// An RTT before the first sample, microseconds.
pub(super) const NO_RTT: u64 = 0x7fff_ffff;

/// RTT samples, to each of which one microsecond is added.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rtts {
    /// Number of the samples of the round (`cntRTT`).
    pub(super) samples: u64,
    /// The smallest of the round, microseconds (`minRTT`).
    pub(super) least: u64,
    /// The smallest of all, microseconds (`baseRTT`).
    pub(super) base: u64,
}

impl Default for Rtts {
    fn default() -> Rtts {
        Rtts { samples: 0, least: NO_RTT, base: NO_RTT }
    }
}

impl Rtts {
    /// Takes the sample of an acknowledgment, if it has one (`tcp_vegas_pkts_acked`).
    pub(super) fn on_delivery(&mut self, delivery: &Delivery) {
        if let Some(rtt) = rtt(delivery) {
            self.base = self.base.min(rtt + 1);
            self.least = self.least.min(rtt + 1);
            self.samples += 1;
        }
    }

    /// Begins a round.
    pub(super) fn begin(&mut self) {
        (self.samples, self.least) = (0, NO_RTT);
    }
}
