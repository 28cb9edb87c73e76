//! Arithmetic shared by algorithms: growth spread over acknowledgments, and volumes in segments.

use super::loss_flight;
use crate::context::{Congestion, Window};

/// Growth by a number of bytes for each window acknowledged, exact over any number of acknowledgments.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Increase {
    /// Growth that is less than a byte, multiplied by the window.
    remainder: u64,
}

impl Increase {
    /// Growth in bytes for `acked` more bytes, if a window of `cwnd` bytes adds `per_window` bytes.
    ///
    /// An ACK can cover more than the window when it fills a gap at the receiver. It still counts as at most one
    /// window.
    #[inline]
    pub fn bytes(&mut self, cwnd: u64, acked: u64, per_window: u64) -> u64 {
        let cwnd = cwnd.max(1);
        let due = u128::from(acked.min(cwnd)) * u128::from(per_window) + u128::from(self.remainder.min(cwnd));
        self.remainder = (due % u128::from(cwnd)) as u64;
        (due / u128::from(cwnd)) as u64
    }

    /// Grows the window by [`Increase::bytes`], but by no more than was acknowledged.
    #[inline]
    pub fn grow(&mut self, window: &mut Window, acked: u64, per_window: u64) {
        window.cwnd += self.bytes(window.cwnd, acked, per_window.min(window.cwnd));
    }
}

/// The product `volume * factor` in whole bytes.
#[inline]
pub(super) fn scaled(volume: u64, factor: f64) -> u64 {
    (volume as f64 * factor) as u64
}

/// A volume in segments.
#[inline]
pub(super) fn segments(bytes: u64, mss: u64) -> f64 {
    bytes as f64 / mss.max(1) as f64
}

/// The share `kept` of FlightSize, but at least two segments (RFC 5681 section 3.1).
pub(super) fn kept(window: &Window, event: &Congestion, kept: f64) -> u64 {
    scaled(loss_flight(window, event), kept).max(2 * event.ctx.mss)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_exact_however_a_window_is_acknowledged() {
        for acked in [1, 7, 1000, 2500, 33_333] {
            let (mut increase, mut grown, mut left) = (Increase::default(), 0, 100_000u64);
            while left > 0 {
                let part = acked.min(left);
                grown += increase.bytes(33_333, part, 1000);
                left -= part;
            }
            // 100,000 bytes are three windows of 33,333 bytes and a byte.
            assert_eq!(grown, 3000, "{acked} bytes an ACK");
        }
    }

    #[test]
    fn an_ack_counts_as_at_most_one_window_and_the_remainder_as_at_most_a_byte() {
        let mut increase = Increase::default();
        assert_eq!(increase.bytes(4000, 500_000, 1000), 1000);
        assert_eq!(increase.bytes(1_000_000, 999, 1000), 0);
        assert!(increase.bytes(1000, 1, 1000) <= 2);
    }
}
