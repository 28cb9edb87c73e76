//! Windows and acknowledgments in whole segments: slow start, and the growth by a segment for a number of acknowledged
//! segments.

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

/// Slow start: `acked` segments grow the window, up to ssthresh. Returns the segments that are left
/// (net/ipv4/tcp_cong.c, `tcp_slow_start`).
#[inline]
pub(super) fn slow_start(window: &mut Window, acked: u64, mss: u64) -> u64 {
    let room = segments(window.ssthresh, mss).saturating_sub(segments(window.cwnd, mss));
    let grown = acked.min(room);
    window.cwnd += grown * mss;
    acked - grown
}

/// The counter of congestion avoidance, `snd_cwnd_cnt`.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Count {
    /// Segments acknowledged towards the next segment of growth.
    pub acked: u64,
    /// Bytes acknowledged that are less than a segment. Linux has no such remainder, because it counts packets.
    bytes: u64,
}

impl Count {
    /// The whole segments among `acked` bytes and the remainder of the acknowledgments before.
    #[inline]
    pub fn segments(&mut self, acked: u64, mss: u64) -> u64 {
        let mss = mss.max(1);
        // The segment size may have shrunk since.
        let bytes = self.bytes % mss + acked;
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

    /// Reno's slow start and congestion avoidance for `acked` segments (net/ipv4/tcp_cong.c, `tcp_reno_cong_avoid`).
    #[inline]
    pub fn reno(&mut self, window: &mut Window, acked: u64, mss: u64) {
        let left = slow_start(window, acked, mss);
        if left > 0 {
            self.grow(window, segments(window.cwnd, mss), left, mss);
        }
    }

    /// Forgets the segments acknowledged towards the next segment of growth: a reduction of the window begins
    /// (net/ipv4/tcp_input.c, `tcp_init_cwnd_reduction` and `tcp_enter_loss`).
    #[inline]
    pub fn clear(&mut self) {
        self.acked = 0;
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
    fn slow_start_ends_at_ssthresh_and_leaves_the_rest_to_reno() {
        let (mut count, mut window) = (Count::default(), Window { ssthresh: 12_000, ..window(10) });
        assert_eq!(slow_start(&mut window, 1, 1000), 0);
        assert_eq!(slow_start(&mut window, 5, 1000), 4);
        assert_eq!(window.cwnd, 12_000);
        window.cwnd = 10_000;
        count.reno(&mut window, 14, 1000);
        assert_eq!((window.cwnd, count.acked), (13_000, 0), "two segments of slow start, and a window of twelve");
        window.ssthresh = 13_500;
        assert_eq!(slow_start(&mut window, 1, 1000), 1, "ssthresh is 13 whole segments");
    }

    #[test]
    fn a_reduction_forgets_the_count() {
        let (mut count, mut window) = (Count::default(), window(10));
        count.grow(&mut window, 10, 9, 1000);
        count.clear();
        count.grow(&mut window, 10, 9, 1000);
        assert_eq!(window.cwnd, 10_000);
    }

    #[test]
    fn bytes_that_are_less_than_a_segment_are_kept() {
        let mut count = Count::default();
        assert_eq!([400, 400, 400, 1800].map(|acked| count.segments(acked, 1000)), [0, 0, 1, 2]);
        assert_eq!([900, 10].map(|acked| count.segments(acked, 1000)), [0, 0]);
        assert_eq!(count.segments(0, 100), 0, "smaller segments do not make more of them");
    }
}
