//! Windows in whole segments, as in Linux.

use super::Sender;
use super::scoreboard::Delivered;

/// `bytes`, rounded up to whole segments.
pub(super) fn rounded_up(bytes: u64, mss: u64) -> u64 {
    bytes.div_ceil(mss) * mss
}

impl Sender {
    /// Rounds the window down to whole segments, where it is counted in segments. Where cwnd and ssthresh grow, they
    /// grow by whole segments, so that only starts and reductions need this.
    pub(super) fn round_window(&mut self) {
        if !self.whole {
            return;
        }
        let (mss, window) = (self.mss, &mut self.window);
        window.cwnd = (window.cwnd / mss).max(1) * mss;
        if window.ssthresh < u64::MAX {
            window.ssthresh = (window.ssthresh / mss).max(2) * mss;
        }
    }

    /// Bytes that `delivered` counts for: each segment counts as a full one where the window is counted in segments.
    #[inline]
    pub(super) fn counted(&self, delivered: &Delivered) -> u64 {
        if self.whole { u64::from(delivered.segments) * self.mss } else { delivered.newly }
    }

    /// FlightSize as the window counts it, bytes: each segment counts as a full one where the window is counted in segments
    /// (Linux, tcp_sock.packets_out).
    #[inline]
    pub(super) fn outstanding(&self) -> u64 {
        if self.whole { self.board.segments() as u64 * self.mss } else { self.flight_size() }
    }

    /// Bytes estimated to be in the network, counted as in [`Sender::outstanding`].
    #[inline]
    pub(super) fn pipe(&self) -> u64 {
        if self.whole { self.board.segments_in_network() * self.mss } else { self.board.pipe(self.flight_size()) }
    }

    /// Bytes of the window that a segment of `bytes` takes.
    #[inline]
    pub(super) fn counted_length(&self, bytes: u64) -> u64 {
        if self.whole { rounded_up(bytes, self.mss) } else { bytes }
    }
}
