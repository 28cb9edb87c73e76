//! SEARCH: slow start ends when what is delivered falls behind what was sent a round trip before (draft-chung-ccwg-search).
//!
//! While the path has room, all that was sent in a window of time is delivered in the window one RTT later. Beyond capacity
//! the ACKs come at the bottleneck's rate while what was sent went on doubling. Time is cut into bins, as RTTs on wireless
//! and satellite links vary; the windows are some RTTs long for the same reason.
//!
//! Where the draft leaves room: a gap of more than a window, which the draft leaves to an option, throws the bins away. The
//! draft interpolates forward in time between bins; its own arithmetic, and the implementations, need the bin before.

use super::standard::ByteCounting;
use super::{Entry, SlowStart};
use crate::Nanos;
use crate::context::{Ack, Congestion, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "search",
    summary: "slow start ends, and the queue is drained, when less is delivered than was sent a round trip before",
    source: "draft-chung-ccwg-search-09",
    make: || Box::new(Search::default()),
};

// draft-chung-ccwg-search-09 section 3.2.
/// WINDOW_SIZE is 3.5 initial RTTs.
const WINDOW_RTTS: (u64, u64) = (7, 2);
/// W: bins in a window.
const W: usize = 10;
/// EXTRA_BINS: how many bins the RTT may span for a comparison.
const EXTRA_BINS: usize = 15;
/// THRESH: the part of what was sent that is missing in what is delivered.
const THRESH: (u128, u128) = (26, 100);
/// In the drain phase one segment may leave for this many delivered.
const DRAIN_SEGMENTS: u64 = 3;

/// Bins in memory: a window that ends as far back as the RTT may reach, the bin before it for interpolation, and the
/// bound of the first.
const BINS: usize = W + EXTRA_BINS + 1;

/// The offsets sent and delivered by the end of a bin.
#[derive(Clone, Copy, Default, Debug)]
struct Bin {
    sent: u64,
    delivered: u64,
}

#[derive(Debug)]
struct Bins {
    ring: [Bin; BINS],
    /// Number of the newest bin, counting from 0.
    current: usize,
    /// When the bin under way ends.
    end: Nanos,
    /// BIN_DURATION.
    duration: Nanos,
    initial_rtt: Nanos,
}

#[derive(Debug)]
enum Phase {
    /// No RTT sample yet.
    Start,
    Searching(Box<Bins>),
    /// The window shrinks to `target` as what is in flight beyond it is delivered. `credit` is what was delivered towards the
    /// next segment that may leave.
    Draining {
        target: u64,
        credit: u64,
    },
}

#[derive(Debug)]
struct Search {
    phase: Phase,
    /// Bytes acknowledged since the start.
    delivered: u64,
    counting: ByteCounting,
}

impl Default for Search {
    fn default() -> Search {
        Search { phase: Phase::Start, delivered: 0, counting: ByteCounting::default() }
    }
}

impl Bins {
    /// `None` where the RTT is too short to be cut into bins.
    fn new(rtt: Nanos, now: Nanos, bin: Bin) -> Option<Bins> {
        let duration = rtt * WINDOW_RTTS.0 / WINDOW_RTTS.1 / W as u64;
        (duration > 0).then(|| Bins { ring: [bin; BINS], current: 0, end: now + duration, duration, initial_rtt: rtt })
    }

    fn at(&self, index: usize) -> Bin {
        self.ring[index % BINS]
    }

    /// Closes the bins that have ended by `now`: the last with what `bin` says, the others as empty. False where too many
    /// have passed for their contents to mean anything.
    fn advance(&mut self, now: Nanos, bin: Bin) -> bool {
        let passed = (now - self.end) / self.duration + 1;
        if passed > W as u64 {
            return false;
        }
        let last = self.at(self.current);
        for index in self.current + 1..self.current + passed as usize {
            self.ring[index % BINS] = last;
        }
        self.current += passed as usize;
        self.end += passed * self.duration;
        self.ring[self.current % BINS] = bin;
        true
    }

    /// Offset sent by the end of bin `index`, less `part` of the time of a bin; times the duration of a bin.
    fn sent(&self, index: usize, part: Nanos) -> u128 {
        let whole = u128::from(self.at(index).sent) * u128::from(self.duration - part);
        whole + u128::from(self.at(index - 1).sent) * u128::from(part)
    }

    /// Whether what the last window delivered falls short of what the window one RTT before it sent.
    fn capacity_reached(&self, rtt: Nanos) -> bool {
        let lag = (rtt / self.duration) as usize;
        if lag >= EXTRA_BINS || self.current <= W + lag {
            return false;
        }
        let previous = self.current - lag;
        let part = rtt % self.duration;
        let sent = self.sent(previous, part) - self.sent(previous - W, part);
        let delivered = self.at(self.current).delivered - self.at(self.current - W).delivered;
        let missing = sent.saturating_sub(u128::from(delivered) * u128::from(self.duration));
        sent > 0 && missing * THRESH.1 >= sent * THRESH.0
    }

    /// What was delivered in about one initial RTT, the BDP without a queue: the bins that one RTT touches.
    fn bdp(&self) -> u64 {
        let bins = self.initial_rtt.div_ceil(self.duration) as usize;
        self.at(self.current).delivered - self.at(self.current - bins).delivered
    }
}

impl Search {
    /// Takes in an ACK while searching. Returns the window to drain to once capacity is reached.
    fn search(&mut self, ack: &Ack) -> Option<u64> {
        let now = ack.ctx.now;
        let bin = Bin { sent: ack.ctx.snd_nxt, delivered: self.delivered };
        let Phase::Searching(bins) = &mut self.phase else {
            if let Some(bins) = Bins::new(ack.rtt?, now, bin) {
                self.phase = Phase::Searching(Box::new(bins));
            }
            return None;
        };
        if now < bins.end {
            return None;
        }
        if !bins.advance(now, bin) {
            self.phase = Phase::Start;
            return None;
        }
        let rtt = ack.rtt.or(ack.ctx.srtt)?;
        bins.capacity_reached(rtt).then(|| bins.bdp().max(ack.ctx.initial_window))
    }
}

impl SlowStart for Search {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, may_grow: bool) -> u64 {
        self.delivered += ack.acked;
        if let Phase::Draining { target, credit } = &mut self.phase {
            *credit += ack.acked;
            let threshold = DRAIN_SEGMENTS * ack.ctx.mss;
            let leaves = *credit / threshold * ack.ctx.mss;
            *credit %= threshold;
            window.cwnd = window.cwnd.min((ack.ctx.pipe + leaves).max(*target));
            if window.cwnd <= *target {
                window.ssthresh = window.cwnd.max(2 * ack.ctx.mss);
                self.phase = Phase::Start;
            }
            return 0;
        }
        if let Some(target) = self.search(ack) {
            self.phase = Phase::Draining { target, credit: 0 };
            return 0;
        }
        if may_grow { self.counting.grow(window, ack) } else { 0 }
    }

    fn on_congestion(&mut self, _event: &Congestion) {
        self.phase = Phase::Start;
    }

    fn on_timeout(&mut self, event: &Congestion) {
        self.counting.on_timeout(event);
        self.phase = Phase::Start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MILLISECOND;
    use crate::slow_start::harness::{Flat, MSS, Path};

    const RTT: Nanos = 100 * MILLISECOND;
    /// 3.5 RTT / 10.
    const BIN: Nanos = 35 * MILLISECOND;

    /// Bins that were sent and delivered as `sent` and `delivered` say, a number a bin, after a first empty one.
    fn bins(sent: &[u64], delivered: &[u64]) -> Bins {
        let mut bins = Bins::new(RTT, 0, Bin::default()).expect("long enough");
        let mut bin = Bin::default();
        for (index, (sent, delivered)) in sent.iter().zip(delivered).enumerate() {
            bin.sent += sent;
            bin.delivered += delivered;
            assert!(bins.advance((index as u64 + 1) * BIN, bin));
        }
        bins
    }

    #[test]
    fn a_bin_lasts_a_tenth_of_three_and_a_half_initial_rtts() {
        let bins = bins(&[], &[]);
        assert_eq!((bins.duration, bins.end), (BIN, BIN));
        assert!(Bins::new(2, 0, Bin::default()).is_none());
    }

    #[test]
    fn capacity_is_reached_when_26_per_cent_of_what_was_sent_is_missing() {
        // An RTT of two bins. In the window that ends two bins ago 1000 were sent, 100 a bin.
        for (delivered, reached) in [(75, false), (74, true)] {
            let bins = bins(&[100; 14], &[delivered; 14]);
            assert_eq!(bins.capacity_reached(2 * BIN), reached, "{delivered}");
        }
    }

    #[test]
    fn what_was_sent_is_taken_one_rtt_before() {
        // 100 a bin, then 1000 in the last three, of which an RTT of three bins knows nothing.
        let mut sent = [100; 14];
        sent[11..].fill(1000);
        let bins = bins(&sent, &[100; 14]);
        assert!(!bins.capacity_reached(3 * BIN));
        assert!(bins.capacity_reached(2 * BIN), "100 * 9 + 1000 were sent");
    }

    #[test]
    fn between_two_bins_what_was_sent_is_interpolated() {
        // The window that ends two bins ago sent 9 * 100 + 1000 = 1900, that one bin earlier 1000. At 2.5 bins: 1450, of which
        // 1073 is 26 % less.
        let mut sent = [100; 14];
        sent[11] = 1000;
        for (delivered, reached) in [(1074, false), (1073, true)] {
            let mut arrived = [0; 14];
            arrived[13] = delivered;
            let bins = bins(&sent, &arrived);
            assert_eq!(bins.capacity_reached(2 * BIN + BIN / 2), reached, "{delivered}");
        }
    }

    #[test]
    fn nothing_is_judged_before_a_window_and_an_rtt_or_with_an_rtt_beyond_the_bins() {
        // Nothing arrives at all.
        for (count, reached) in [(12, false), (13, true)] {
            assert_eq!(bins(&[100; 40][..count], &[0; 40][..count]).capacity_reached(2 * BIN), reached, "{count} bins");
        }
        for (lag, reached) in [(14, true), (15, false)] {
            assert_eq!(bins(&[100; 40], &[0; 40]).capacity_reached(lag * BIN), reached, "{lag} bins");
        }
    }

    #[test]
    fn a_sender_that_sends_nothing_has_reached_nothing() {
        assert!(!bins(&[0; 20], &[0; 20]).capacity_reached(RTT));
    }

    #[test]
    fn passed_bins_keep_what_the_last_had_and_more_than_a_window_of_them_is_too_many() {
        let mut bins = bins(&[100; 12], &[100; 12]);
        let bin = Bin { sent: 2000, delivered: 1300 };
        assert!(bins.advance(12 * BIN + 10 * BIN, bin));
        assert_eq!((bins.current, bins.end), (22, 23 * BIN));
        assert_eq!((bins.at(21).sent, bins.at(22).sent), (1200, 2000));
        assert!(!bins.advance(22 * BIN + 11 * BIN, bin));
    }

    #[test]
    fn the_target_is_what_the_bins_of_one_initial_rtt_delivered() {
        // 100 ms touch three bins of 35 ms.
        let mut delivered = [10; 14];
        delivered[10..].copy_from_slice(&[1000, 100, 200, 400]);
        assert_eq!(bins(&[10; 14], &delivered).bdp(), 700);
    }

    /// A sender of 100 segments that has just found capacity, draining to `target`.
    fn draining(target: u64) -> (Search, Flat) {
        let mut s = Flat::new("search", 100);
        s.nxt = 100 * MSS;
        (Search { phase: Phase::Draining { target: target * MSS, credit: 0 }, ..Search::default() }, s)
    }

    #[test]
    fn the_drain_lets_a_segment_leave_for_three_delivered() {
        let (search, mut s) = draining(40);
        s.slow_start = Box::new(search);
        let mut left = Vec::new();
        for _ in 0..9 {
            assert_eq!(s.ack(MSS), 0);
            // What the window has room for is sent.
            let room = s.window.cwnd - (s.nxt - s.una);
            left.push(room / MSS);
            s.nxt += room;
        }
        assert_eq!(left, [0, 0, 1, 0, 0, 1, 0, 0, 1]);
        assert_eq!((s.window.cwnd, s.window.ssthresh), (94 * MSS, u64::MAX));
        // 100 in flight less two thirds of what is delivered are 40 after 90.
        for _ in 9..90 {
            s.ack(MSS);
            s.nxt += s.window.cwnd - (s.nxt - s.una);
        }
        assert_eq!((s.window.cwnd, s.window.ssthresh), (40 * MSS, 40 * MSS));
    }

    #[test]
    fn the_drain_never_raises_the_window() {
        let (search, mut s) = draining(120);
        s.slow_start = Box::new(search);
        s.ack(MSS);
        assert_eq!((s.window.cwnd, s.window.ssthresh), (100 * MSS, 100 * MSS));
    }

    #[test]
    fn congestion_ends_the_drain() {
        for timeout in [false, true] {
            let (search, mut s) = draining(40);
            s.slow_start = Box::new(search);
            if timeout {
                s.timeout();
            } else {
                s.congestion();
            }
            s.window.cwnd = 20 * MSS;
            s.ack(MSS);
            assert_eq!(s.window.cwnd, 21 * MSS);
        }
    }

    #[test]
    fn on_a_path_slow_start_ends_after_capacity_is_reached_and_the_queue_is_drained() {
        // 10 Mbyte/s and 100 ms: 1000 segments.
        let mut path = Path::new("search", 10_000_000, RTT);
        let mut highest = 0;
        path.run_until(|path| {
            highest = highest.max(path.window.cwnd / MSS);
            path.window.ssthresh < u64::MAX
        });
        assert!((1000..8000).contains(&highest), "{highest}");
        let end = path.window.cwnd / MSS;
        assert!((1000..1100).contains(&end), "three bins are 105 ms: {end}");
        assert!(path.queue() <= 100 * MSS, "{}", path.queue());
    }

    #[test]
    fn a_rate_below_the_paths_never_ends_slow_start() {
        // The application sends 1 Mbyte/s over 10.
        let mut path = Path::new("search", 10_000_000, RTT);
        path.application = Some(1_000_000);
        path.run_until(|path| path.now > 10 * crate::SECOND);
        assert_eq!(path.window.ssthresh, u64::MAX);
    }
}
