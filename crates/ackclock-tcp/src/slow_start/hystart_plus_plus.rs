//! HyStart++: when the RTT rises, slow start continues at a quarter of its speed. It returns to full speed if the rise
//! was jitter (RFC 9406).
//!
//! HyStart++ applies to the first slow start of a connection. Later ones end at a known ssthresh and are standard
//! (section 4.3). Losses and marks end slow start through the response of the congestion control, which sets ssthresh.

use super::standard::ByteCounting;
use super::{Entry, SlowStart, grow};
use crate::context::{Ack, Congestion, Window};
use crate::{MILLISECOND, Nanos};

pub(super) const ENTRY: Entry = Entry {
    name: "hystart++",
    summary: "when the RTT rises, slow start is conservative for five rounds and then ends, unless the RTT falls again",
    source: "RFC 9406",
    make: || Box::new(HyStartPlusPlus::default()),
};

// The constants are those of RFC 9406 section 4.3.
/// MIN_RTT_THRESH and MAX_RTT_THRESH.
const RTT_THRESH: (Nanos, Nanos) = (4 * MILLISECOND, 16 * MILLISECOND);
/// MIN_RTT_DIVISOR.
const RTT_DIVISOR: Nanos = 8;
/// N_RTT_SAMPLE.
const RTT_SAMPLES: u32 = 8;
/// CSS_GROWTH_DIVISOR.
const CSS_GROWTH_DIVISOR: u64 = 4;
/// CSS_ROUNDS.
const CSS_ROUNDS: u32 = 5;
/// L for unpaced segments, in segments; it is infinite for paced segments.
const LIMIT_UNPACED: u64 = 8;

/// Conservative slow start.
#[derive(Clone, Copy, Debug)]
struct Css {
    /// cssBaselineMinRtt.
    baseline: Nanos,
    /// Number of rounds that have ended in conservative slow start.
    rounds: u32,
}

#[derive(Default, Debug)]
struct HyStartPlusPlus {
    paced: bool,
    /// windowEnd; `None` before the first ACK. The first round is the first flight: if SND.NXT were taken when the
    /// connection is established, the first ACK would end a round.
    window_end: Option<u64>,
    /// lastRoundMinRTT; `None` is infinity.
    last_round: Option<Nanos>,
    /// currentRoundMinRTT; `None` is infinity.
    this_round: Option<Nanos>,
    /// rttSampleCount.
    samples: u32,
    css: Option<Css>,
    /// Byte counting of later slow starts.
    counting: ByteCounting,
}

impl HyStartPlusPlus {
    /// Adds an RTT sample and tests for a rise of the RTT, or in CSS for its fall (RFC 9406 section 4.2).
    fn on_sample(&mut self, rtt: Nanos) {
        let this_round = self.this_round.map_or(rtt, |min| min.min(rtt));
        self.this_round = Some(this_round);
        self.samples += 1;
        if self.samples < RTT_SAMPLES {
            return;
        }
        match self.css {
            Some(css) if this_round < css.baseline => self.css = None,
            Some(_) => {}
            None => {
                let Some(last_round) = self.last_round else { return };
                let thresh = (last_round / RTT_DIVISOR).clamp(RTT_THRESH.0, RTT_THRESH.1);
                if this_round >= last_round + thresh {
                    self.css = Some(Css { baseline: this_round, rounds: 0 });
                }
            }
        }
    }

    /// Ends a round. Returns whether it was the last of CSS; the round in which CSS began counts as a full round.
    fn end_round(&mut self, snd_nxt: u64) -> bool {
        self.window_end = Some(snd_nxt);
        self.last_round = self.this_round.take();
        self.samples = 0;
        let Some(css) = &mut self.css else { return false };
        css.rounds += 1;
        css.rounds >= CSS_ROUNDS
    }
}

impl SlowStart for HyStartPlusPlus {
    fn on_start(&mut self, paced: bool) {
        self.paced = paced;
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, may_grow: bool) -> u64 {
        if window.ssthresh != u64::MAX {
            return if may_grow { self.counting.grow(window, ack) } else { 0 };
        }
        let limit = if self.paced { u64::MAX } else { LIMIT_UNPACED * ack.ctx.mss };
        let divisor = if self.css.is_some() { CSS_GROWTH_DIVISOR } else { 1 };
        if may_grow {
            grow(window, ack.acked.min(limit) / divisor, ack.acked, divisor);
        }
        if let Some(rtt) = ack.rtt {
            self.on_sample(rtt);
        }
        let end = *self.window_end.get_or_insert(ack.ctx.snd_nxt);
        if ack.ctx.snd_una >= end && self.end_round(ack.ctx.snd_nxt) {
            // ssthresh is at least two segments (RFC 5681 section 3.1).
            window.ssthresh = window.cwnd.max(2 * ack.ctx.mss);
        }
        0
    }

    fn on_timeout(&mut self, event: &Congestion) {
        self.counting.on_timeout(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slow_start::harness::{Flat, MSS, Path};

    const RTT: Nanos = 100 * MILLISECOND;
    /// Smallest RTT that ends slow start after a round of [`RTT`]: 100 ms + 100 ms / 8.
    const HIGH: Nanos = 112_500_000;

    /// Acknowledges `acks` segments one by one with RTTs of `rtt`. Before the last ACK of a round, 20 segments are
    /// sent.
    fn acks(s: &mut Flat, acks: u64, rtt: Option<Nanos>) {
        s.rtt = rtt;
        s.nxt = s.nxt.max(s.una + acks * MSS);
        for _ in 0..acks {
            if s.nxt == s.una + MSS {
                s.nxt += 20 * MSS;
            }
            s.ack(MSS);
        }
    }

    fn round(s: &mut Flat, segments: u64, rtt: Nanos) {
        acks(s, segments, Some(rtt));
    }

    fn sender() -> Flat {
        let mut s = Flat::new("hystart++", 10);
        round(&mut s, 10, RTT);
        s
    }

    //= https://www.rfc-editor.org/rfc/rfc9438#section-4.10
    //= type=test
    //# CUBIC SHOULD use the HyStart++ slow start algorithm [RFC9406]
    #[test]
    fn eight_samples_that_are_an_eighth_higher_make_slow_start_conservative() {
        let mut s = sender();
        assert_eq!(s.window.cwnd, 20 * MSS);
        round(&mut s, 20, HIGH);
        // Eight segments count in full; the eighth shows the rise. The other twelve count a quarter each.
        assert_eq!(s.window.cwnd, (20 + 8 + 3) * MSS);
        assert_eq!(s.window.ssthresh, u64::MAX);
    }

    #[test]
    fn the_threshold_is_an_eighth_of_the_last_round_within_4_and_16_ms() {
        let ms = |n: u64| n * MILLISECOND;
        for (last, rise) in [(ms(8), ms(4)), (ms(32), ms(4)), (ms(80), ms(10)), (ms(128), ms(16)), (ms(800), ms(16))] {
            for (rtt, cwnd) in [(last + rise - 1, 40), (last + rise, 31)] {
                let mut s = Flat::new("hystart++", 10);
                round(&mut s, 10, last);
                round(&mut s, 20, rtt);
                assert_eq!(s.window.cwnd, cwnd * MSS, "{last} then {rtt}");
            }
        }
    }

    #[test]
    fn a_round_needs_eight_samples_and_a_round_before_it() {
        let mut s = Flat::new("hystart++", 10);
        round(&mut s, 20, 5 * RTT);
        assert_eq!(s.window.cwnd, 30 * MSS, "there is no previous round");
        for (samples, added) in [(7, MSS), (8, MSS / 4)] {
            let mut s = sender();
            acks(&mut s, 20 - samples, None);
            round(&mut s, samples, HIGH);
            assert_eq!(s.window.cwnd, (20 + 20) * MSS);
            round(&mut s, 20, HIGH);
            assert_eq!(s.window.cwnd, 40 * MSS + 20 * added, "{samples} samples");
        }
    }

    #[test]
    fn after_five_rounds_slow_start_ends() {
        let mut s = sender();
        round(&mut s, 20, HIGH);
        // The first round of CSS was part of the last one. In each of the others, twenty segments add five.
        for later in 1..4 {
            round(&mut s, 20, HIGH);
            assert_eq!((s.window.cwnd / MSS, s.window.ssthresh), (31 + 5 * later, u64::MAX));
        }
        round(&mut s, 20, HIGH);
        assert_eq!((s.window.cwnd, s.window.ssthresh), (51 * MSS, 51 * MSS));
    }

    #[test]
    fn an_rtt_below_the_baseline_resumes_slow_start() {
        let mut s = sender();
        round(&mut s, 20, HIGH);
        round(&mut s, 20, HIGH - 1);
        // Eight samples count a quarter each, and the other twelve segments count in full.
        assert_eq!(s.window.cwnd, (31 + 2 + 12) * MSS);
        // The RTT rises again: CSS starts anew, with five rounds.
        round(&mut s, 20, 2 * HIGH);
        let before = s.window.cwnd;
        for _ in 0..3 {
            round(&mut s, 20, 2 * HIGH);
        }
        assert_eq!((s.window.cwnd, s.window.ssthresh), (before + 15 * MSS, u64::MAX));
        round(&mut s, 20, 2 * HIGH);
        assert_eq!(s.window.ssthresh, before + 20 * MSS);
    }

    #[test]
    fn the_baseline_is_the_round_in_which_css_began() {
        let mut s = sender();
        round(&mut s, 20, HIGH);
        // The RTT is below that of the last round, but not below the baseline.
        round(&mut s, 20, 2 * HIGH);
        round(&mut s, 20, HIGH);
        assert_eq!(s.window.cwnd, (31 + 5 + 5) * MSS);
    }

    #[test]
    fn an_ack_counts_for_at_most_eight_segments_unless_segments_are_paced() {
        for (paced, added) in [(false, 8), (true, 30)] {
            let mut s = Flat::new("hystart++", 10);
            s.slow_start.on_start(paced);
            s.nxt = 30 * MSS;
            s.ack(30 * MSS);
            assert_eq!(s.window.cwnd, (10 + added) * MSS, "paced: {paced}");
        }
    }

    #[test]
    fn a_later_slow_start_is_standard() {
        let mut s = sender();
        round(&mut s, 20, HIGH);
        s.timeout();
        (s.window.cwnd, s.window.ssthresh) = (MSS, 100 * MSS);
        s.nxt = s.una + 30 * MSS;
        s.ack(30 * MSS);
        assert_eq!(s.window.cwnd, 2 * MSS, "a full segment for the ACK of the segment that timed out");
        round(&mut s, 20, RTT);
        round(&mut s, 20, 2 * HIGH);
        assert_eq!(s.window.cwnd, 42 * MSS);
    }

    #[test]
    fn measurements_continue_while_the_window_may_not_grow() {
        let mut s = sender();
        s.may_grow = false;
        round(&mut s, 20, HIGH);
        s.may_grow = true;
        round(&mut s, 20, HIGH);
        assert_eq!(s.window.cwnd, (20 + 5) * MSS);
    }

    #[test]
    fn acks_without_a_sample_end_rounds_too() {
        let mut s = sender();
        acks(&mut s, 20, None);
        round(&mut s, 20, HIGH);
        assert_eq!(s.window.cwnd, (20 + 20 + 20) * MSS, "the previous round has no sample to compare with");
    }

    #[test]
    fn on_a_path_slow_start_turns_conservative_when_a_queue_builds_up() {
        // A path of 10 MB/s and 100 ms holds 1000 segments.
        let mut path = Path::new("hystart++", 10_000_000, RTT);
        // `css` is the window at which CSS began last. It may begin several times, as the queue of a burst can drain.
        let (mut last, mut conservative, mut css) = (path.window.cwnd, false, 0);
        path.run_until(|path| {
            let was_conservative = std::mem::replace(&mut conservative, path.window.cwnd - last <= MSS / 2);
            last = path.window.cwnd;
            if conservative && !was_conservative {
                css = last / MSS;
            }
            path.window.ssthresh < u64::MAX
        });
        assert!((1000..4100).contains(&css), "{css}");
        let end = path.window.cwnd / MSS;
        // CSS has a part of a round and four whole rounds, each with a growth of 25 %.
        assert!(end > css * 2 && end < css * 31 / 10, "{css} to {end}");
    }
}
