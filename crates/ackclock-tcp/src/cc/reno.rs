//! Reno: additive increase of one segment in each round trip, multiplicative decrease by half (RFC 5681).
//!
//! # Equations
//!
//! - Congestion avoidance: each window acknowledged adds a segment. Bytes are counted (section 3.1).
//! - Congestion: ssthresh = max(FlightSize/2, 2 SMSS) (equation 4), and cwnd = ssthresh. A timeout sets ssthresh in the
//!   same way, but only once while the same segment times out.
//!
//! # Constants
//!
//! The constants are those of RFC 5681. For a mark with ABE, ssthresh is 0.8 of FlightSize (RFC 8511 section 3.1).
//!
//! # Deviations
//!
//! FlightSize is bounded by cwnd, since recoveries and limited transmit send more than the window.
//!
//! # Validated against
//!
//! Growth to the segment, and the period of the sawtooth on a full link.

#[cfg(test)]
mod tests;

use super::{CongestionControl, Entry, is_gentle, loss_flight};
use crate::context::{Ack, Congestion, Context, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "reno-rfc5681",
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

/// ssthresh = max(FlightSize/2, 2*SMSS) (RFC 5681 section 3.1, equation 4). For a mark with ABE, 0.8 takes the place of
/// 1/2 (beta_ecn of RFC 8511 section 3.1).
pub(super) fn half_flight(window: &Window, event: &Congestion) -> u64 {
    let flight = loss_flight(window, event);
    let kept = if is_gentle(event) { flight * 4 / 5 } else { flight / 2 };
    //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
    //# When the third duplicate ACK is received, a TCP MUST set ssthresh to no more than the value given in equation
    //# (4)
    kept.max(2 * event.ctx.mss)
}

impl CongestionControl for Reno {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        // Byte counting: when cwnd bytes are acknowledged, cwnd grows by SMSS, at most once in an RTT. An ACK that fills a
        // gap at the receiver can cover more than the window, but it ends only one RTT.
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

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.acked = 0;
        half_flight(window, event)
    }

    fn reset(&mut self, _ctx: &Context) {
        self.acked = 0;
    }
}
