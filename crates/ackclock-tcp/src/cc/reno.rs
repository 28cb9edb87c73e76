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
    //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
    //# When the third duplicate ACK is received, a TCP MUST set ssthresh to no more than the value given in equation
    //# (4)
    kept.max(2 * event.ctx.mss)
}

impl CongestionControl for Reno {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        // RFC 5681 section 3.1, byte counting: when cwnd bytes are acknowledged, cwnd grows by SMSS, once an RTT at most. An
        // ACK can cover more than the window, what the receiver had kept out of order; it still ends one RTT.
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
        //# The RECOMMENDED way to increase cwnd during congestion avoidance is to count the number of bytes that have
        //# been acknowledged
        //= https://www.rfc-editor.org/rfc/rfc5681#section-5
        //# this document RECOMMENDS increasing the congestion window based on the number of bytes newly acknowledged
        //# in each arriving ACK
        self.acked += acked.min(window.cwnd);
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
        //# during congestion avoidance, cwnd MUST NOT be increased by more than SMSS bytes per RTT
        if self.acked >= window.cwnd {
            self.acked -= window.cwnd;
            //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
            //# MAY increment cwnd by SMSS bytes
            //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
            //# SHOULD increment cwnd per equation (2) once per RTT
            //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
            //# MUST NOT increment cwnd by more than SMSS bytes
            window.cwnd += ack.ctx.mss;
        }
    }

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        self.acked = 0;
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
        //# but ssthresh MUST be reduced in response to congestion
        window.ssthresh = reduced(window, event);
        //= https://www.rfc-editor.org/rfc/rfc5681#section-4.3
        //# cwnd MUST be set to no more than ssthresh and congestion avoidance MUST be used to further increase cwnd
        //= https://www.rfc-editor.org/rfc/rfc6675#section-5
        //# ssthresh = cwnd = (FlightSize / 2)
        window.cwnd = window.ssthresh;
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, first: bool) {
        self.acked = 0;
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
        //# the value of ssthresh MUST be set to no more than the value given in equation (4)
        if first {
            window.ssthresh = reduced(window, event);
        }
    }
}
