//! HyStart as in Linux's CUBIC: slow start ends when the ACKs of a round span half of the smallest RTT, or when the RTT
//! rises (Ha and Rhee, Computer Networks 55, 2011).
//!
//! Linux also discards measurements of the first second of congestion avoidance. This affects only slow start after an
//! idle period, and is not implemented because slow start has no access to the congestion control.

use super::{Entry, Sample, SlowStart, grow};
use crate::context::{Ack, Congestion, Window};
use crate::{MILLISECOND, Nanos, SECOND};

pub(super) const ENTRY: Entry = Entry {
    name: "hystart",
    summary: "slow start ends when a round's ACKs span half the smallest RTT, or the RTT rises by an eighth",
    source: "Ha and Rhee, Taming the elephants, 2011; Linux net/ipv4/tcp_cubic.c, hystart_update",
    make: || Box::new(HyStart::default()),
};

/// Smallest window in segments at which slow start can end (Linux `hystart_low_window`).
const LOW_WINDOW: u64 = 16;
/// Number of samples of a round before the RTT is evaluated (Linux `HYSTART_MIN_SAMPLES`).
const MIN_SAMPLES: u32 = 8;
/// Bounds of the rise of the RTT that ends slow start (Linux `HYSTART_DELAY_MIN`, `HYSTART_DELAY_MAX`).
const DELAY: (Nanos, Nanos) = (4 * MILLISECOND, 16 * MILLISECOND);
/// Largest gap between ACKs of the same train (Linux `hystart_ack_delta_us`).
const ACK_DELTA: Nanos = 2 * MILLISECOND;
/// Allowance that Linux adds to the smallest RTT for delays by segmentation offload: the time of four full GSO bursts
/// at the pacing rate, but at most a millisecond (`hystart_ack_delay`).
const CUSHION: (u64, Nanos) = (4 * 65_536, MILLISECOND);

/// A round: from an ACK until all data sent by then are acknowledged.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// Start of the round.
    start: Nanos,
    /// Stream offset beyond which an ACK ends the round.
    end: u64,
    /// Time of the last ACK of the train.
    last_ack: Nanos,
    samples: u32,
    /// Smallest RTT of the round.
    min_rtt: Nanos,
}

#[derive(Default, Debug)]
struct HyStart {
    paced: bool,
    /// Whether the end was found; the search then stops until a timeout.
    found: bool,
    /// Smallest RTT since the start or the last timeout.
    delay_min: Option<Nanos>,
    round: Option<Round>,
}

/// The allowance at the pacing rate of slow start, which is two windows per SRTT.
fn cushion(window: &Window, srtt: Nanos) -> Nanos {
    let of_slow_start = || 2 * u128::from(window.cwnd) * u128::from(SECOND) / u128::from(srtt.max(1));
    let rate = window.pacing_rate.map_or_else(of_slow_start, |rate| u128::from(rate.bytes()));
    let time = u128::from(CUSHION.0) * u128::from(SECOND) / rate.max(1);
    u64::try_from(time).unwrap_or(u64::MAX).min(CUSHION.1)
}

impl HyStart {
    /// Whether a sample below ssthresh shows that the window has reached the capacity of the path.
    fn finds_end(&mut self, window: &Window, sample: &Sample, delay_min: Nanos) -> bool {
        let &Sample { now, rtt, srtt, snd_una, snd_nxt, mss } = sample;
        let fresh = Round { start: now, end: snd_nxt, last_ack: now, samples: 0, min_rtt: Nanos::MAX };
        let round = self.round.get_or_insert(fresh);
        if snd_una > round.end {
            *round = fresh;
        }
        // Rounds begin with the first ACK; only the end of slow start waits for the low window.
        if window.cwnd < LOW_WINDOW * mss {
            return false;
        }
        if now - round.last_ack <= ACK_DELTA {
            round.last_ack = now;
            let whole = delay_min + cushion(window, srtt.unwrap_or(rtt));
            // Pacing itself may spread a round over half the RTT.
            let threshold = if self.paced { whole } else { whole / 2 };
            if now - round.start > threshold {
                return true;
            }
        }
        round.min_rtt = round.min_rtt.min(rtt);
        if round.samples < MIN_SAMPLES {
            round.samples += 1;
            return false;
        }
        round.min_rtt > delay_min + (delay_min / 8).clamp(DELAY.0, DELAY.1)
    }
}

impl SlowStart for HyStart {
    fn prefetch(&self) {
        ackclock_core::prefetch::prefetch(self);
    }

    fn on_start(&mut self, paced: bool) {
        self.paced = paced;
    }

    fn takes_samples(&self) -> bool {
        true
    }

    // Linux takes a sample of every ACK, and looks for the end even in a recovery as long as cwnd is below ssthresh
    // (cubictcp_acked).
    fn on_sample(&mut self, window: &mut Window, sample: &Sample) {
        let delay_min = self.delay_min.map_or(sample.rtt, |min| min.min(sample.rtt));
        self.delay_min = Some(delay_min);
        if !self.found && window.in_slow_start() && self.finds_end(window, sample, delay_min) {
            self.found = true;
            window.ssthresh = window.cwnd;
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, may_grow: bool) -> u64 {
        // Linux's slow start counts all bytes that an ACK acknowledges (tcp_slow_start).
        if may_grow { grow(window, ack.acked, ack.acked, 1) } else { 0 }
    }

    fn on_timeout(&mut self, _event: &Congestion) {
        *self = HyStart { paced: self.paced, ..HyStart::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rate;
    use crate::slow_start::harness::{Flat, MSS, Path};

    const RTT: Nanos = 100 * MILLISECOND;

    /// A round of `acks` ACKs, `apart` after each other. The first comes an RTT after the end of the round before.
    fn train(s: &mut Flat, acks: u64, apart: Nanos, rtt: Nanos) {
        s.now += RTT;
        s.nxt = s.una + 200 * MSS;
        s.rtt = Some(rtt);
        for _ in 0..acks {
            s.ack(MSS);
            s.now += apart;
        }
        s.una = s.nxt;
    }

    fn sender(cwnd: u64) -> Flat {
        let mut s = Flat::new("hystart", cwnd);
        s.srtt = Some(RTT);
        // The smallest RTT is known, and a round has ended.
        s.nxt = MSS;
        s.rtt = Some(RTT);
        s.ack(MSS);
        s.window.cwnd = cwnd * MSS;
        s
    }

    #[test]
    fn a_train_of_acks_that_spans_half_the_smallest_rtt_ends_slow_start() {
        // The threshold is (100 ms + 1 ms) / 2 = 50.5 ms. With an ACK every 2 ms, the 27th comes 52 ms after the first.
        for (acks, ended) in [(26, false), (27, true)] {
            let mut s = sender(20);
            train(&mut s, acks, 2 * MILLISECOND, RTT);
            assert_eq!(s.window.ssthresh < u64::MAX, ended, "{acks} ACKs");
            // The ACK that finds the end does not grow the window.
            assert_eq!(s.window.cwnd, (20 + acks - u64::from(ended)) * MSS);
        }
    }

    #[test]
    fn acks_further_apart_form_no_train() {
        let mut s = sender(20);
        train(&mut s, 60, 2 * MILLISECOND + 1, RTT);
        assert_eq!(s.window.ssthresh, u64::MAX);
    }

    #[test]
    fn a_paced_sender_waits_for_the_whole_rtt() {
        for (acks, ended) in [(51, false), (52, true)] {
            let mut s = sender(20);
            s.slow_start.on_start(true);
            train(&mut s, acks, 2 * MILLISECOND, RTT);
            assert_eq!(s.window.ssthresh < u64::MAX, ended, "{acks} ACKs");
        }
    }

    #[test]
    fn the_cushion_is_four_gso_bursts_at_the_pacing_rate_up_to_a_millisecond() {
        let window = |cwnd| Window { cwnd, ssthresh: u64::MAX, pacing_rate: None };
        assert_eq!(cushion(&window(20 * MSS), RTT), MILLISECOND);
        // The window is 1 MB and the pacing rate 2 MB per millisecond: 262144 bytes take 131.072 us.
        assert_eq!(cushion(&window(1_000_000), MILLISECOND), 131_072);
        assert_eq!(cushion(&Window { pacing_rate: Some(Rate::of_bytes(1 << 40)), ..window(1) }, RTT), 238);
    }

    /// The ssthresh in segments after a round of `samples` ACKs with RTTs of `rtt`, if slow start has ended.
    fn delayed(cwnd: u64, base: Nanos, rtt: Nanos, samples: u64) -> Option<u64> {
        let mut s = Flat::new("hystart", cwnd);
        s.srtt = Some(base);
        s.rtt = Some(base);
        s.nxt = MSS;
        s.ack(MSS);
        s.window.cwnd = cwnd * MSS;
        train(&mut s, samples, 3 * MILLISECOND, rtt);
        (s.window.ssthresh < u64::MAX).then_some(s.window.ssthresh / MSS)
    }

    #[test]
    fn an_rtt_above_the_smallest_by_an_eighth_within_4_and_16_ms_ends_slow_start() {
        let ms = |n: u64| n * MILLISECOND;
        for (base, rise) in [(ms(8), ms(4)), (ms(32), ms(4)), (ms(80), ms(10)), (ms(128), ms(16)), (ms(800), ms(16))] {
            assert_eq!(delayed(20, base, base + rise, 20), None, "{base} + {rise}");
            assert_eq!(delayed(20, base, base + rise + 1, 9), Some(28), "{base} + {rise} and a nanosecond");
        }
    }

    #[test]
    fn eight_samples_are_taken_before_the_rtt_is_judged() {
        assert_eq!(delayed(20, RTT, 2 * RTT, 8), None);
        assert_eq!(delayed(20, RTT, 2 * RTT, 9), Some(28));
    }

    #[test]
    fn one_sample_near_the_smallest_rtt_keeps_slow_start() {
        let mut s = sender(20);
        s.nxt = s.una + 200 * MSS;
        for sample in 0..30 {
            s.now += 3 * MILLISECOND;
            s.rtt = Some(if sample == 5 { RTT } else { 2 * RTT });
            s.ack(MSS);
        }
        assert_eq!(s.window.ssthresh, u64::MAX);
    }

    #[test]
    fn below_the_low_window_slow_start_does_not_end() {
        // Eight ACKs increase the window from 8 to 16 segments; the ninth is the first that is evaluated.
        assert_eq!(delayed(8, RTT, 2 * RTT, 16), None);
        assert_eq!(delayed(8, RTT, 2 * RTT, 17), Some(24));
    }

    #[test]
    fn rounds_begin_with_the_first_ack_and_the_judgement_with_the_low_window() {
        // ACKs are for two segments, each window is sent at once, and the RTTs are far above the first. The first round
        // ends with the tenth segment, so that ACK 6 begins the second one, whose ninth sample comes with ACK 14. The
        // window has reached 16 segments at ACK 4; a round that began there would be judged at ACK 20.
        let mut s = Flat::new("hystart", 10);
        s.srtt = Some(RTT);
        s.nxt = 10 * MSS;
        let found = (1..=40).find(|n| {
            s.now += RTT;
            s.rtt = Some(n * RTT);
            s.ack(2 * MSS);
            s.nxt = s.una + s.window.cwnd;
            s.window.ssthresh < u64::MAX
        });
        assert_eq!(found, Some(14));
    }

    #[test]
    fn the_end_is_found_once_until_a_timeout() {
        let mut s = sender(20);
        train(&mut s, 9, 3 * MILLISECOND, 2 * RTT);
        assert_eq!(s.window.ssthresh, 28 * MSS);
        s.window.ssthresh = u64::MAX;
        train(&mut s, 30, 3 * MILLISECOND, 2 * RTT);
        assert_eq!(s.window.ssthresh, u64::MAX);
        s.timeout();
        s.window.cwnd = 20 * MSS;
        s.nxt = s.una + MSS;
        s.rtt = Some(RTT);
        s.ack(MSS);
        train(&mut s, 9, 3 * MILLISECOND, 2 * RTT);
        assert_eq!(s.window.ssthresh, 29 * MSS);
    }

    #[test]
    fn an_ack_counts_for_all_it_acknowledges() {
        let mut s = sender(10);
        s.nxt = s.una + 9 * MSS;
        s.ack(9 * MSS);
        assert_eq!(s.window.cwnd, 19 * MSS);
    }

    /// Linux takes its samples before it looks at the state of the connection (cubictcp_acked).
    #[test]
    fn samples_in_a_recovery_end_slow_start_where_the_window_is_below_its_threshold() {
        let mut s = sender(20);
        s.una += MSS;
        s.nxt = s.una + 200 * MSS;
        s.window.ssthresh = 40 * MSS;
        for ended in [40, 40, 40, 40, 40, 40, 40, 40, 20] {
            s.sample(2 * RTT);
            s.now += 3 * MILLISECOND;
            assert_eq!(s.window.ssthresh, ended * MSS);
        }
    }

    #[test]
    fn measurements_continue_while_the_window_may_not_grow() {
        let mut s = sender(20);
        s.may_grow = false;
        train(&mut s, 9, 3 * MILLISECOND, 2 * RTT);
        assert_eq!((s.window.cwnd, s.window.ssthresh), (20 * MSS, 20 * MSS));
    }

    #[test]
    fn on_a_path_slow_start_ends_near_its_bdp_and_before_twice_that() {
        // A path of 10 MB/s and 100 ms holds 1000 segments. ACKs of two segments are 0.2 ms apart and form one train.
        let mut path = Path::new("hystart", 10_000_000, RTT);
        path.run_until(|path| path.window.ssthresh < u64::MAX);
        let end = path.window.cwnd / MSS;
        assert!((500..1200).contains(&end), "{end}");
        let mut standard = Path::new("standard", 10_000_000, RTT);
        standard.run_until(|path| path.queue() > 1100 * MSS);
        assert!(standard.window.cwnd / MSS > 2000, "standard slow start overshoots the capacity");
    }
}
