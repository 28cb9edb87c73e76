//! SEARCH: slow start ends when fewer data are delivered than were sent a round trip before (draft-chung-ccwg-search).
//!
//! While the path has capacity, all data sent in a window of time are delivered in the window one RTT later. Beyond the
//! capacity, ACKs arrive at the bottleneck's rate while the sending rate has doubled. The windows span several RTTs and
//! are divided into bins, because RTTs vary on wireless and satellite links.
//!
//! Choices and deviations:
//!
//! - After a gap of more than a window, the bins are discarded; the draft leaves this to an option.
//! - The draft interpolates between a bin and the next one. Its own arithmetic, and the implementations, need the bin
//!   before; so does this implementation.

use super::standard::ByteCounting;
use super::{Entry, SlowStart};
use crate::Nanos;
use crate::context::{Ack, Congestion, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "search",
    summary: "slow start ends, and the queue is drained, when fewer data are delivered than were sent a round trip before",
    source: "draft-chung-ccwg-search-09",
    make: || Box::new(Search::default()),
};

// The constants are those of draft-chung-ccwg-search-09 section 3.2.
/// WINDOW_SIZE is 3.5 initial RTTs.
const WINDOW_RTTS: (u64, u64) = (7, 2);
/// W: number of bins in a window.
const W: usize = 10;
/// EXTRA_BINS: number of bins that the RTT may span for a comparison.
const EXTRA_BINS: usize = 15;
/// THRESH: share of the data sent that is missing in the data delivered.
const THRESH: (u128, u128) = (26, 100);
/// Number of segments delivered for each segment sent in the drain phase.
const DRAIN_SEGMENTS: u64 = 3;

/// Number of bins in memory: a window that ends one largest RTT ago, and the bin before it for interpolation and as its
/// lower bound.
const BINS: usize = W + EXTRA_BINS + 1;

/// Stream offsets sent and delivered by the end of a bin.
#[derive(Clone, Copy, Default, Debug)]
struct Bin {
    sent: u64,
    delivered: u64,
}

#[derive(Debug)]
struct Bins {
    ring: [Bin; BINS],
    /// Number of the newest bin, counted from 0.
    current: usize,
    /// End of the present bin.
    end: Nanos,
    /// BIN_DURATION.
    duration: Nanos,
    initial_rtt: Nanos,
}

#[derive(Debug)]
enum Phase {
    /// The connection has no RTT sample yet.
    Start,
    Searching(Box<Bins>),
    /// The window shrinks to `target` as data in flight beyond it are delivered. `credit` counts the bytes delivered
    /// towards the next segment that may be sent.
    Draining {
        target: u64,
        credit: u64,
    },
}

#[derive(Debug)]
struct Search {
    phase: Phase,
    /// Bytes acknowledged since the start of the connection.
    delivered: u64,
    counting: ByteCounting,
}

impl Default for Search {
    fn default() -> Search {
        Search { phase: Phase::Start, delivered: 0, counting: ByteCounting::default() }
    }
}

impl Bins {
    /// Empty bins; `None` if the RTT is too short to be divided into bins.
    fn new(rtt: Nanos, now: Nanos, bin: Bin) -> Option<Bins> {
        let duration = rtt * WINDOW_RTTS.0 / WINDOW_RTTS.1 / W as u64;
        (duration > 0).then(|| Bins { ring: [bin; BINS], current: 0, end: now + duration, duration, initial_rtt: rtt })
    }

    fn at(&self, index: usize) -> Bin {
        self.ring[index % BINS]
    }

    /// Closes the bins that have ended by `now`: the last one with the values of `bin`, the others as empty. Returns
    /// false if so many have passed that the contents are meaningless.
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

    /// Offset sent by `part` ns before the end of bin `index`, multiplied by the duration of a bin.
    fn sent(&self, index: usize, part: Nanos) -> u128 {
        let whole = u128::from(self.at(index).sent) * u128::from(self.duration - part);
        whole + u128::from(self.at(index - 1).sent) * u128::from(part)
    }

    /// Whether fewer data were delivered in the last window than were sent in the window one RTT before, by at least
    /// THRESH.
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

    /// Bytes delivered in about one initial RTT, which is the BDP without a queue: those of the bins that one RTT
    /// touches.
    fn bdp(&self) -> u64 {
        let bins = self.initial_rtt.div_ceil(self.duration) as usize;
        self.at(self.current).delivered - self.at(self.current - bins).delivered
    }
}

impl Search {
    /// Processes an ACK while searching. Returns the target window of the drain when the capacity is reached.
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
    /// Duration of a bin: 3.5 RTT / 10.
    const BIN: Nanos = 35 * MILLISECOND;

    /// Bins with the given bytes sent and delivered in each bin, after an empty first bin.
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
    fn capacity_is_reached_when_26_percent_of_the_data_sent_are_missing() {
        // The RTT is two bins. In the window that ended two bins ago 1000 bytes were sent, 100 in each bin.
        for (delivered, reached) in [(75, false), (74, true)] {
            let bins = bins(&[100; 14], &[delivered; 14]);
            assert_eq!(bins.capacity_reached(2 * BIN), reached, "{delivered}");
        }
    }

    #[test]
    fn data_sent_are_taken_one_rtt_before() {
        // Each bin has 100 bytes, and the last three have 1000. With an RTT of three bins, the last three do not count.
        let mut sent = [100; 14];
        sent[11..].fill(1000);
        let bins = bins(&sent, &[100; 14]);
        assert!(!bins.capacity_reached(3 * BIN));
        assert!(bins.capacity_reached(2 * BIN), "100 * 9 + 1000 bytes were sent");
    }

    #[test]
    fn data_sent_are_interpolated_between_two_bins() {
        // In the window that ended two bins ago 9 * 100 + 1000 = 1900 bytes were sent, and in the one a bin earlier
        // 1000. At 2.5 bins this gives 1450, of which 1073 is 26 % less.
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
    fn no_decision_before_a_window_and_an_rtt_or_with_an_rtt_beyond_the_bins() {
        // No data are delivered at all.
        for (count, reached) in [(12, false), (13, true)] {
            assert_eq!(bins(&[100; 40][..count], &[0; 40][..count]).capacity_reached(2 * BIN), reached, "{count} bins");
        }
        for (lag, reached) in [(14, true), (15, false)] {
            assert_eq!(bins(&[100; 40], &[0; 40]).capacity_reached(lag * BIN), reached, "{lag} bins");
        }
    }

    #[test]
    fn a_sender_without_data_has_not_reached_the_capacity() {
        assert!(!bins(&[0; 20], &[0; 20]).capacity_reached(RTT));
    }

    #[test]
    fn empty_bins_repeat_the_last_one_and_may_be_at_most_a_window() {
        let mut bins = bins(&[100; 12], &[100; 12]);
        let bin = Bin { sent: 2000, delivered: 1300 };
        assert!(bins.advance(12 * BIN + 10 * BIN, bin));
        assert_eq!((bins.current, bins.end), (22, 23 * BIN));
        assert_eq!((bins.at(21).sent, bins.at(22).sent), (1200, 2000));
        assert!(!bins.advance(22 * BIN + 11 * BIN, bin));
    }

    #[test]
    fn the_target_is_the_data_delivered_in_the_bins_of_one_initial_rtt() {
        // A time of 100 ms touches three bins of 35 ms.
        let mut delivered = [10; 14];
        delivered[10..].copy_from_slice(&[1000, 100, 200, 400]);
        assert_eq!(bins(&[10; 14], &delivered).bdp(), 700);
    }

    /// A sender of 100 segments that has just reached the capacity and drains to `target` segments.
    fn draining(target: u64) -> (Search, Flat) {
        let mut s = Flat::new("search", 100);
        s.nxt = 100 * MSS;
        (Search { phase: Phase::Draining { target: target * MSS, credit: 0 }, ..Search::default() }, s)
    }

    #[test]
    fn the_drain_sends_a_segment_for_every_three_delivered() {
        let (search, mut s) = draining(40);
        s.slow_start = Box::new(search);
        let mut left = Vec::new();
        for _ in 0..9 {
            assert_eq!(s.ack(MSS), 0);
            // The sender fills the window.
            let room = s.window.cwnd - (s.nxt - s.una);
            left.push(room / MSS);
            s.nxt += room;
        }
        assert_eq!(left, [0, 0, 1, 0, 0, 1, 0, 0, 1]);
        assert_eq!((s.window.cwnd, s.window.ssthresh), (94 * MSS, u64::MAX));
        // The 100 segments in flight less two thirds of 90 delivered are 40.
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
        // A path of 10 MB/s and 100 ms holds 1000 segments.
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
    fn a_rate_below_the_path_rate_never_ends_slow_start() {
        // The application sends 1 MB/s over a path of 10 MB/s.
        let mut path = Path::new("search", 10_000_000, RTT);
        path.application = Some(1_000_000);
        path.run_until(|path| path.now > 10 * crate::SECOND);
        assert_eq!(path.window.ssthresh, u64::MAX);
    }
}
