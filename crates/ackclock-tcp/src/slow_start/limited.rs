//! Limited slow start: a large window grows by a constant amount in each round trip instead of doubling (RFC 3742).
//!
//! RFC 3742 counts ACKs and leaves byte counting open (section 4). Here bytes are counted, as in standard slow start,
//! so that delayed ACKs do not halve the growth.

use super::standard::ByteCounting;
use super::{Entry, SlowStart, grow};
use crate::context::{Ack, Congestion, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "limited",
    summary: "standard up to 100 segments; above, about 50 segments in each round trip",
    source: "RFC 3742",
    make: || Box::new(Limited::default()),
};

/// max_ssthresh, segments (RFC 3742 section 2 recommends 100).
const MAX_SSTHRESH_SEGMENTS: u64 = 100;

#[derive(Default, Debug)]
struct Limited {
    /// Acknowledged bytes that are less than a byte of cwnd.
    credit: u64,
    counting: ByteCounting,
}

impl SlowStart for Limited {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, may_grow: bool) -> u64 {
        if !may_grow {
            return 0;
        }
        // RFC 3742 section 2: above max_ssthresh, K = int(cwnd / (0.5 * max_ssthresh)), and each ACK adds int(MSS / K).
        // The remainder is kept here; otherwise nothing would be added when K exceeds MSS.
        let mss = ack.ctx.mss;
        let max_ssthresh = MAX_SSTHRESH_SEGMENTS * mss;
        let k = if window.cwnd <= max_ssthresh { 1 } else { window.cwnd / (max_ssthresh / 2) };
        let counted = self.credit + self.counting.counted(ack);
        self.credit = counted % k;
        grow(window, counted / k, ack.acked, k)
    }

    fn on_timeout(&mut self, event: &Congestion) {
        self.counting.on_timeout(event);
    }
}

#[cfg(test)]
mod tests {
    use crate::slow_start::harness::{Flat, MSS};

    /// Growth of the window in bytes by one ACK of `acked` bytes at `cwnd` segments.
    fn step(cwnd: u64, acked: u64) -> u64 {
        let mut s = Flat::new("limited", cwnd);
        s.ack(acked);
        s.window.cwnd - cwnd * MSS
    }

    #[test]
    fn above_max_ssthresh_an_ack_adds_the_fraction_of_section_2() {
        for (cwnd, added) in [(99, 1000), (100, 1000), (101, 500), (149, 500), (150, 333), (199, 333), (200, 250)] {
            assert_eq!(step(cwnd, MSS), added, "cwnd {cwnd}");
        }
        assert_eq!(step(10_000, MSS), 5, "K = 200");
        let mut s = Flat::new("limited", 80_000);
        for _ in 0..8 {
            s.ack(MSS);
        }
        assert_eq!(s.window.cwnd - 80_000 * MSS, 5, "8 / 1600 of a segment");
    }

    #[test]
    fn an_ack_counts_for_at_most_two_segments() {
        for (acked, added) in [(2000, 2000), (9000, 2000)] {
            assert_eq!(step(50, acked), added);
        }
        assert_eq!((step(150, 2000), step(150, 9000)), (666, 666));
    }

    #[test]
    fn a_round_trip_adds_between_a_half_and_three_quarters_of_max_ssthresh() {
        let mut s = Flat::new("limited", 101);
        for _ in 0..200 {
            let before = s.window.cwnd;
            s.round();
            let added = s.window.cwnd - before;
            assert!((49 * MSS..=75 * MSS).contains(&added), "{before} + {added}");
        }
    }

    /// RFC 3742 section 2 gives (cwnd - max_ssthresh) / (max_ssthresh / 2) round trips above max_ssthresh. Its example,
    /// 836 round trips for 83,000 segments, divides by max_ssthresh instead. K is rounded down, which saves a few round
    /// trips.
    #[test]
    fn eighty_three_thousand_segments_take_as_long_as_the_formula_says() {
        let mut s = Flat::new("limited", 100);
        let mut rounds = 0;
        while s.window.cwnd < 83_000 * MSS {
            s.round();
            rounds += 1;
        }
        assert_eq!((83_000 - 100) / 50, 1658);
        assert!((1635..=1658).contains(&rounds), "{rounds}");
    }

    #[test]
    fn growth_stops_at_ssthresh_and_the_rest_is_left_to_congestion_avoidance() {
        let mut s = Flat::new("limited", 150);
        s.window.ssthresh = 150 * MSS + 100;
        assert_eq!(s.ack(MSS), 700, "a growth of 100 bytes uses 300 acknowledged bytes");
        assert_eq!(s.window.cwnd, s.window.ssthresh);
    }

    #[test]
    fn the_window_does_not_grow_if_validation_forbids_it() {
        let mut s = Flat::new("limited", 50);
        s.may_grow = false;
        s.ack(MSS);
        assert_eq!(s.window.cwnd, 50 * MSS);
    }
}
