//! Reno: additive increase of one segment a round trip, multiplicative decrease by half (RFC 5681).
//!
//! # Equations
//!
//! - Congestion avoidance: a segment for each window acknowledged (section 3.1, by bytes).
//! - Congestion: ssthresh = max(FlightSize/2, 2 SMSS) (equation 4); cwnd follows. A timeout likewise, but not again while the
//!   same segment times out.
//!
//! # Constants
//!
//! Those above, of RFC 5681; for a mark with ABE 0.8 of FlightSize (RFC 8511 section 3.1).
//!
//! # Deviations
//!
//! FlightSize counts as far as cwnd goes: recoveries and limited transmit send more.
//!
//! # Validated against
//!
//! Growth to the segment; the period of the sawtooth on a full link.

#[cfg(test)]
mod tests;

use super::{CongestionControl, Entry, is_gentle, loss_flight};
use crate::context::{Ack, Congestion, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "reno",
    summary: "additive increase of one segment a round trip, decrease by half",
    source: "RFC 5681 section 3.1",
    parameters: &[],
    make: |_| Box::new(Reno::default()),
};

/// The standard congestion control.
#[derive(Default, Debug)]
pub struct Reno {
    /// Bytes acknowledged towards the next increase of one segment.
    acked: u64,
}

/// ssthresh = max(FlightSize/2, 2*SMSS) (RFC 5681 section 3.1, equation 4); for a mark and with ABE, 0.8 of FlightSize
/// (beta_ecn of RFC 8511 section 3.1).
pub(super) fn reduced(window: &Window, event: &Congestion) -> u64 {
    let flight = loss_flight(window, event);
    let kept = if is_gentle(event) { flight * 4 / 5 } else { flight / 2 };
    kept.max(2 * event.ctx.mss)
}

impl CongestionControl for Reno {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        // RFC 5681 section 3.1, byte counting: when cwnd bytes are acknowledged, cwnd grows by SMSS, once an RTT at most. An
        // ACK can cover more than the window, what the receiver had kept out of order; it still ends one RTT.
        self.acked += acked.min(window.cwnd);
        if self.acked >= window.cwnd {
            self.acked -= window.cwnd;
            window.cwnd += ack.ctx.mss;
        }
    }

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        self.acked = 0;
        window.ssthresh = reduced(window, event);
        window.cwnd = window.ssthresh;
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, first: bool) {
        self.acked = 0;
        if first {
            window.ssthresh = reduced(window, event);
        }
    }
}
