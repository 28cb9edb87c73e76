//! HyStart: slow start ends when the ACKs of a round stretch over half the smallest RTT, or when the RTT rises (Ha and
//! Rhee, Computer Networks 55, 2011), as Linux's CUBIC has it.
//!
//! Linux also discards what is measured within a second of the beginning of congestion avoidance; that touches only the slow
//! start after an idle period and is left out, as slow start knows nothing of the congestion control.

use super::{Entry, SlowStart, grow};
use crate::context::{Ack, Congestion, Window};
use crate::{MILLISECOND, Nanos, SECOND};

pub(super) const ENTRY: Entry = Entry {
    name: "hystart",
    summary: "slow start ends when a round's ACKs span half the smallest RTT, or the RTT rises by an eighth",
    source: "Ha and Rhee, Taming the elephants, 2011; Linux net/ipv4/tcp_cubic.c, hystart_update",
    make: || Box::new(HyStart::default()),
};

/// Below this many segments nothing ends slow start (Linux `hystart_low_window`).
const LOW_WINDOW: u64 = 16;
/// Samples of a round that are taken before the RTT is judged (Linux `HYSTART_MIN_SAMPLES`).
const MIN_SAMPLES: u32 = 8;
/// Bounds of the rise of the RTT that ends slow start (Linux `HYSTART_DELAY_MIN`, `HYSTART_DELAY_MAX`).
const DELAY: (Nanos, Nanos) = (4 * MILLISECOND, 16 * MILLISECOND);
/// ACKs no further apart than this belong to one train (Linux `hystart_ack_delta_us`).
const ACK_DELTA: Nanos = 2 * MILLISECOND;
/// What Linux adds to the smallest RTT for segments that wait to be sent or taken in together: the time of four full GSO
/// bursts at the pacing rate, at most a millisecond (`hystart_ack_delay`).
const CUSHION: (u64, Nanos) = (4 * 65_536, MILLISECOND);

/// A round: from one ACK until everything sent by then is acknowledged.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// When it began.
    start: Nanos,
    /// Stream offset that must be passed to end it.
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
    /// Whether the end was found; then nothing is looked for until a timeout.
    found: bool,
    /// Smallest RTT since the start or the last timeout.
    delay_min: Option<Nanos>,
    round: Option<Round>,
}

/// The cushion at the pacing rate of slow start, twice cwnd per SRTT.
fn cushion(window: &Window, srtt: Nanos) -> Nanos {
    let rate = window
        .pacing_rate
        .map_or_else(|| 2 * u128::from(window.cwnd) * u128::from(SECOND) / u128::from(srtt.max(1)), u128::from);
    let time = u128::from(CUSHION.0) * u128::from(SECOND) / rate.max(1);
    u64::try_from(time).unwrap_or(u64::MAX).min(CUSHION.1)
}

impl HyStart {
    /// Whether this ACK shows that the window has reached what the path holds.
    fn finds_end(&mut self, window: &Window, ack: &Ack) -> bool {
        let Some(rtt) = ack.rtt else { return false };
        let (now, una) = (ack.ctx.now, ack.ctx.snd_una);
        let delay_min = self.delay_min.map_or(rtt, |min| min.min(rtt));
        self.delay_min = Some(delay_min);
        if self.found {
            return false;
        }
        // Rounds, too, are only looked at from here on (cubictcp_acked): the first one begins with this window.
        if window.cwnd < LOW_WINDOW * ack.ctx.mss {
            return false;
        }
        let fresh = Round { start: now, end: ack.ctx.snd_nxt, last_ack: now, samples: 0, min_rtt: Nanos::MAX };
        let round = self.round.get_or_insert(fresh);
        if una > round.end {
            *round = fresh;
        }
        if now - round.last_ack <= ACK_DELTA {
            round.last_ack = now;
            let whole = delay_min + cushion(window, ack.ctx.srtt.unwrap_or(rtt));
            // Pacing may itself have stretched the round to half the RTT.
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
    fn on_start(&mut self, paced: bool) {
        self.paced = paced;
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, may_grow: bool) -> u64 {
        if self.finds_end(window, ack) {
            self.found = true;
            window.ssthresh = window.cwnd;
        }
        // Linux's slow start counts all that an ACK acknowledges (tcp_slow_start).
        if may_grow { grow(window, ack.acked, ack.acked, 1) } else { 0 }
    }

    fn on_timeout(&mut self, _event: &Congestion) {
        *self = HyStart { paced: self.paced, ..HyStart::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slow_start::harness::{Flat, MSS, Path};

    const RTT: Nanos = 100 * MILLISECOND;

    /// A round of `acks` ACKs, `apart` after each other, the first one an RTT after the round before it ended.
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
        // The smallest RTT is known, and a round is over.
        s.nxt = MSS;
        s.rtt = Some(RTT);
        s.ack(MSS);
        s.window.cwnd = cwnd * MSS;
        s
    }

    #[test]
    fn a_train_of_acks_that_spans_half_the_smallest_rtt_ends_slow_start() {
        // (100 ms + 1 ms) / 2 = 50.5 ms: with an ACK each 2 ms the 27th comes 52 ms after the first.
        for (acks, ended) in [(26, false), (27, true)] {
            let mut s = sender(20);
            train(&mut s, acks, 2 * MILLISECOND, RTT);
            assert_eq!(s.window.ssthresh < u64::MAX, ended, "{acks} ACKs");
            // The ACK that finds the end grows nothing.
            assert_eq!(s.window.cwnd, (20 + acks - u64::from(ended)) * MSS);
        }
    }

    #[test]
    fn acks_further_apart_are_no_train() {
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
        // 1 MB per millisecond, paced at twice that: 262144 bytes take 131.072 us.
        assert_eq!(cushion(&window(1_000_000), MILLISECOND), 131_072);
        assert_eq!(cushion(&Window { pacing_rate: Some(1 << 40), ..window(1) }, RTT), 238);
    }

    /// What a round of `samples` ACKs with RTTs of `rtt` does to ssthresh, in segments.
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
    fn one_sample_near_the_smallest_speaks_for_its_round() {
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
    fn below_the_low_window_nothing_ends_slow_start() {
        // Eight ACKs from 8 segments reach 16; the ninth would be the first to be judged.
        assert_eq!(delayed(8, RTT, 2 * RTT, 16), None);
        assert_eq!(delayed(8, RTT, 2 * RTT, 17), Some(24));
    }

    #[test]
    fn the_first_round_begins_with_the_low_window() {
        // ACKs of two segments, each window sent at once, RTTs far above the first: 8..=22 is a round of eight samples, and
        // the ninth of the next round comes with the ACK of 40.
        let mut s = Flat::new("hystart", 10);
        s.srtt = Some(RTT);
        s.nxt = 10 * MSS;
        for n in 1..=20 {
            assert_eq!(s.window.ssthresh, u64::MAX);
            s.now += RTT;
            s.rtt = Some(n * RTT);
            s.ack(2 * MSS);
            s.nxt = s.una + s.window.cwnd;
        }
        assert_eq!((s.una, s.window.ssthresh), (40 * MSS, 48 * MSS));
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

    #[test]
    fn it_measures_while_growth_is_forbidden() {
        let mut s = sender(20);
        s.may_grow = false;
        train(&mut s, 9, 3 * MILLISECOND, 2 * RTT);
        assert_eq!((s.window.cwnd, s.window.ssthresh), (20 * MSS, 20 * MSS));
    }

    #[test]
    fn on_a_path_slow_start_ends_near_its_bdp_and_before_twice_that() {
        // 10 Mbyte/s and 100 ms: 1000 segments. ACKs of two segments are 0.2 ms apart: one train.
        let mut path = Path::new("hystart", 10_000_000, RTT);
        path.run_until(|path| path.window.ssthresh < u64::MAX);
        let end = path.window.cwnd / MSS;
        assert!((500..1200).contains(&end), "{end}");
        let mut standard = Path::new("standard", 10_000_000, RTT);
        standard.run_until(|path| path.queue() > 1100 * MSS);
        assert!(standard.window.cwnd / MSS > 2000, "which standard slow start overshoots");
    }
}
