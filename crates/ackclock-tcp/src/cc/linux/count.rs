//! Windows and acknowledgments in whole segments, and the growth by a segment for a number of acknowledged segments.

use crate::context::{Congestion, Window};

/// A window in whole segments.
#[inline]
pub(super) fn segments(volume: u64, mss: u64) -> u64 {
    volume / mss.max(1)
}

/// `snd_cwnd` before a reduction, in segments, as the sender's configuration determines it: the window or FlightSize.
pub(super) fn flight(window: &Window, event: &Congestion) -> u64 {
    segments(crate::cc::loss_flight(window, event), event.ctx.mss)
}

/// The counter of congestion avoidance, `snd_cwnd_cnt`.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Count {
    /// Segments acknowledged towards the next segment of growth.
    acked: u64,
    /// Bytes acknowledged that are less than a segment. Linux has no such remainder, because it counts packets.
    bytes: u64,
}

impl Count {
    /// The whole segments among `acked` bytes and the remainder of the acknowledgments before.
    #[inline]
    pub fn segments(&mut self, acked: u64, mss: u64) -> u64 {
        let mss = mss.max(1);
        // The remainder may be from larger segments.
        let bytes = self.bytes.min(mss - 1) + acked;
        self.bytes = bytes % mss;
        bytes / mss
    }

    /// Grows the window by a segment for each `per` of `acked` segments (net/ipv4/tcp_cong.c, `tcp_cong_avoid_ai`).
    #[inline]
    pub fn grow(&mut self, window: &mut Window, per: u64, acked: u64, mss: u64) {
        let per = per.max(1);
        // Segments that were counted while more of them were necessary give one segment of growth.
        if self.acked >= per {
            self.acked = 0;
            window.cwnd += mss;
        }
        self.acked += acked;
        window.cwnd += self.acked / per * mss;
        self.acked %= per;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(segments: u64) -> Window {
        Window { cwnd: segments * 1000, ssthresh: 2000, pacing_rate: None }
    }

    #[test]
    fn a_window_of_segments_adds_one_segment() {
        let (mut count, mut window) = (Count::default(), window(10));
        for _ in 0..9 {
            count.grow(&mut window, 10, 1, 1000);
        }
        assert_eq!(window.cwnd, 10_000);
        count.grow(&mut window, 10, 1, 1000);
        assert_eq!(window.cwnd, 11_000);
        count.grow(&mut window, 11, 25, 1000);
        assert_eq!(window.cwnd, 13_000, "25 acknowledged segments are two times eleven, and three are left");
    }

    #[test]
    fn a_count_that_exceeds_a_smaller_window_gives_one_segment() {
        let (mut count, mut window) = (Count::default(), window(10));
        count.grow(&mut window, 100, 99, 1000);
        count.grow(&mut window, 10, 1, 1000);
        assert_eq!(window.cwnd, 11_000);
    }

    #[test]
    fn bytes_that_are_less_than_a_segment_are_kept() {
        let mut count = Count::default();
        assert_eq!([400, 400, 400, 1800].map(|acked| count.segments(acked, 1000)), [0, 0, 1, 2]);
        assert_eq!(count.segments(900, 1000), 0);
        assert_eq!(count.segments(1, 100), 1, "segments became smaller, and 900 bytes are no nine segments");
    }
}
