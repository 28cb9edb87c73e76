//! Auto-tuning of the receive window by the application's reads: dynamic right-sizing, as in Linux
//! (net/ipv4/tcp_input.c: tcp_rcv_space_adjust, tcp_rcv_rtt_measure, tcp_grow_window; Fisk, Feng: Dynamic Right-Sizing
//! in TCP, 2001).

use ackclock_core::prefetch::prefetch;

use super::memory::{LargePackets, Packet, WHOLE, memory_of, share_of};
use crate::config::{Config, WindowRule};
use crate::segment::STAMPS_LEN;
use crate::{MILLISECOND, Nanos};

/// Segments that the first round trip is assumed to bring (TCP_INIT_CWND).
const FIRST_ROUND: u64 = 10;
/// Segments added to twice the data of a round trip.
const CUSHION: u64 = 16;
/// Smallest payload in order, bytes, after which the window may grow (tcp_event_data_recv).
const SIZEABLE: u64 = 128;
/// The share of payload in memory that is assumed at first (TCP_DEFAULT_SCALING_RATIO).
const FIRST_SHARE: u64 = WHOLE / 2;

/// `window` in whole units, unless it is smaller than one (net/ipv4/tcp_output.c, tcp_select_initial_window).
pub fn in_units(window: u64, unit: u64) -> u64 {
    if window > unit { window - window % unit } else { window }
}

/// The buffer, in bytes of window before any segment was measured, whose window is `window` bytes as soon as full segments
/// have arrived.
pub fn buffer_for(config: &Config, window: u64) -> u64 {
    if !config.window_rule.measures() {
        return window;
    }
    let stamps = if config.timestamps { u64::from(STAMPS_LEN) } else { 0 };
    let payload = u64::from(config.mss).saturating_sub(stamps).max(1);
    let memory = window.saturating_mul(WHOLE).div_ceil(share_of(payload, memory_of(payload)));
    memory.div_ceil(WHOLE / FIRST_SHARE)
}

/// State of Linux's receive buffer, whose size may follow the data (auto-tuning).
#[derive(Clone, Debug)]
pub(super) struct Tuning {
    /// Memory of the buffer (sk_rcvbuf) and its maximum (tcp_rmem), bytes. The window is [`Tuning::share`] of it.
    memory: u64,
    most: u64,
    /// Share of payload in memory, in units of 1/256 (scaling_ratio), and whether it follows the arriving segments.
    share: u64,
    pub measures: bool,
    /// Whether a packet of several segments lies in one buffer, as a virtual device hands it over.
    pub whole_packets: bool,
    /// Whether the rules are those of Linux 6.17 and later.
    pub since_6_17: bool,
    mss: u64,
    /// Large packets in the buffer.
    large: LargePackets,
    /// Payload of the segments by which the share was measured; zero before. The part of the window that one of them takes
    /// is `segment_taken`: nearly all that is held is one such segment.
    segment: u64,
    segment_taken: u64,
    /// Part of the window that is not offered until segments were measured or the memory grows.
    reserved: u64,
    /// Maximum of the offered window for now, bytes: it follows the arrivals (rcv_ssthresh).
    pub limit: u64,
    /// Receiver's estimate of the round-trip time, ns.
    pub rtt: Option<Nanos>,
    /// The current sample without timestamps: it ends when data up to this offset has arrived.
    sample: Option<(u64, Nanos)>,
    last_echo: Option<Nanos>,
    /// Bytes that the application read in the last round, and the offset and time at which this round began.
    pub space: u64,
    round: (u64, Nanos),
}

/// Payload that arrived in order, and the receiver's state after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct InOrder {
    pub now: Nanos,
    /// RCV.NXT, and the end of the window.
    pub next: u64,
    pub edge: u64,
    /// Payload of the largest segment that arrived, and whether it was larger than all before.
    pub len: u32,
    pub larger: bool,
    /// The packet that brought it, if it was larger than a segment.
    pub packet: Option<Packet>,
    /// The window that was offered last, bytes.
    pub offered: u64,
}

impl Tuning {
    pub fn new(config: &Config) -> Tuning {
        Tuning {
            memory: config.receive_buffer * WHOLE / FIRST_SHARE,
            most: config.receive_buffer_max.max(config.receive_buffer) * WHOLE / FIRST_SHARE,
            share: FIRST_SHARE,
            measures: config.window_rule.measures(),
            whole_packets: false,
            since_6_17: config.window_rule == WindowRule::Linux617,
            mss: u64::from(config.mss),
            large: LargePackets::default(),
            segment: 0,
            segment_taken: 0,
            reserved: 0,
            limit: config.receive_buffer,
            rtt: None,
            sample: None,
            last_echo: None,
            space: 0,
            round: (0, 0),
        }
    }

    /// Ends the handshake, in which segments of `mss` bytes were agreed on; `unit` is the unit of the first window
    /// (tcp_init_buffer_space, which reserves one segment).
    pub fn establish(&mut self, now: Nanos, mss: u64, unit: u64) {
        self.mss = mss.max(1);
        let full = self.window();
        self.reserved = if full > 2 * self.mss { self.mss.min(full - 2 * self.mss) } else { 0 };
        self.limit = in_units(full, unit).min(full - self.reserved);
        self.space = self.limit.min(FIRST_ROUND * self.mss).max(1);
        self.round = (0, now);
    }

    /// Processes payload that arrived in order: what it measures of segments and of the round-trip time.
    #[inline]
    pub fn on_data(&mut self, arrived: &InOrder) {
        let &InOrder { now, next, edge, len, larger, packet, offered } = arrived;
        if larger && self.measures {
            self.measure(u64::from(len), packet, offered);
        }
        self.measure_by_window(now, next, edge);
    }

    /// Measures the share of payload in memory by a full segment of `len` bytes, or by the larger packet that brought it, where
    /// a window of `offered` bytes was offered last (tcp_measure_rcv_mss, tcp_set_window_clamp).
    #[cold]
    #[inline(never)]
    pub fn measure(&mut self, len: u64, packet: Option<Packet>, offered: u64) {
        let Packet { payload, memory, .. } = packet.unwrap_or_else(|| Packet::new(len, 1));
        let (before, share) = (self.window() - self.reserved, share_of(payload, memory));
        if share != self.share {
            (self.share, self.reserved) = (share, 0);
            let clamp = self.window();
            if self.since_6_17 {
                self.limit = if clamp < before { self.limit.min(clamp) } else { self.limit.max(offered.min(clamp)) };
            }
            self.space = self.space.min(clamp);
        }
        if len <= self.mss {
            self.segment = len;
        }
        self.segment_taken = self.taken_by_one(self.segment);
    }

    /// Takes note of a packet larger than a segment, with the payload from offset `start` to `end`. `joins` is whether a
    /// packet in order waits before it, whose pages it joins (tcp_try_coalesce).
    #[cold]
    #[inline(never)]
    pub fn hold_large(&mut self, start: u64, end: u64, packet: Packet, joins: bool) {
        self.large.push(start, end, packet.memory - if joins { packet.head } else { 0 });
    }

    /// Measures the round-trip time by the timestamp that a segment echoes, whose clock ticks in milliseconds; `full` is
    /// whether it was a full segment (tcp_rcv_rtt_measure_ts). Linux 6.12 takes a sample below the estimate as it is
    /// (tcp_rcv_rtt_update); other samples have a weight of an eighth.
    #[inline]
    pub fn measure_echo(&mut self, now: Nanos, echo: Option<Nanos>, full: bool) {
        let Some(echo) = echo.filter(|&echo| self.last_echo != Some(echo)) else { return };
        self.last_echo = Some(echo);
        let sample = (now - echo) / MILLISECOND * MILLISECOND;
        if full && sample > 0 {
            self.rtt = Some(match self.rtt {
                Some(rtt) if sample >= rtt || !self.measures => rtt - rtt / 8 + sample / 8,
                _ => sample,
            });
        }
    }

    /// Raises the limit of the window for a segment that arrived, in order or beyond a gap, where `held` bytes wait now,
    /// the segment among them (tcp_grow_window). Returns whether the limit rose. The memory of a segment beyond a gap is
    /// counted after this (tcp_data_queue_ofo), so that its `own` is not; that of other segments before.
    #[inline]
    pub fn grow(&mut self, len: u32, packet: Option<Packet>, held: u64, own: bool) -> bool {
        let len = u64::from(len);
        let window = self.window();
        if own && len < SIZEABLE || window <= self.limit {
            return false;
        }
        let others = |tuning: &Tuning| tuning.taken(held.saturating_sub(len));
        let taken = match own {
            // A large packet is among those that are held.
            true if !self.large.is_empty() => self.taken(held),
            true => self.taken(len) + others(self),
            false => others(self),
        };
        let room = window.saturating_sub(taken.max(self.reserved)).saturating_sub(self.limit);
        if room == 0 {
            return false;
        }
        // truesize_adjust
        let memory = packet.map(|packet| packet.memory - if own { packet.head } else { 0 });
        let step = self.step(len, memory);
        self.limit += room.min(step);
        step > 0
    }

    /// The step by which a segment of `len` bytes raises the limit: two segments, unless so much of its memory is overhead
    /// that a window of such segments would not fit (__tcp_grow_window).
    #[inline(never)]
    fn step(&self, len: u64, memory: Option<u64>) -> u64 {
        let mut taken = memory.map_or_else(|| self.taken_by_one(len), |memory| memory * self.share / WHOLE);
        if taken <= len {
            return 2 * self.mss.max(len);
        }
        let mut window = self.most * self.share / WHOLE / 2;
        while self.limit <= window && window > 0 {
            taken /= 2;
            if taken <= len {
                return 2 * self.segment.max(len);
            }
            window /= 2;
        }
        0
    }

    /// The part of the window that `held` bytes take with their memory, in full segments and a short one, bytes.
    #[inline]
    pub fn taken(&self, held: u64) -> u64 {
        if held == 0 {
            0
        } else if held == self.segment && self.large.is_empty() {
            self.segment_taken
        } else {
            self.taken_by_many(held)
        }
    }

    #[inline(never)]
    fn taken_by_many(&self, held: u64) -> u64 {
        if !self.large.is_empty() {
            let (bytes, memory) = self.large.sums();
            return memory * self.share / WHOLE + self.taken_by_segments(held.saturating_sub(bytes));
        }
        self.taken_by_segments(held)
    }

    fn taken_by_segments(&self, held: u64) -> u64 {
        let segment = if self.segment > 0 { self.segment } else { self.mss };
        if held <= segment {
            return self.taken_by_one(held);
        }
        let whole = if self.segment > 0 { self.segment_taken } else { self.taken_by_one(segment) };
        held / segment * whole + self.taken_by_one(held % segment)
    }

    /// The part of the window that a segment of `payload` bytes takes with its memory, bytes.
    fn taken_by_one(&self, payload: u64) -> u64 {
        if payload > 0 { memory_of(payload) * self.share / WHOLE } else { 0 }
    }

    /// Fixes the memory to that of `bytes` of window before any segment was measured (SO_RCVBUF).
    pub fn fix(&mut self, bytes: u64) {
        self.memory = bytes * WHOLE / FIRST_SHARE;
        self.most = self.memory;
    }

    /// Raises the memory to that of `bytes` of window, if it is smaller (tcp_set_rcvlowat).
    pub fn widen(&mut self, bytes: u64) {
        self.memory = self.memory.max(bytes.saturating_mul(WHOLE) / self.share);
        self.most = self.most.max(self.memory);
    }

    /// Brings all of it ([`crate::Endpoint::prefetch_boxes`]).
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.rtt);
        prefetch(&self.share);
        prefetch(&self.round);
    }

    /// The largest window that the memory allows, bytes (tcp_win_from_space).
    #[inline]
    pub fn window(&self) -> u64 {
        self.memory * self.share / WHOLE
    }

    /// Measures the round-trip time without timestamps: a full window takes at least a round trip to arrive
    /// (tcp_rcv_rtt_measure).
    #[inline]
    fn measure_by_window(&mut self, now: Nanos, next: u64, edge: u64) {
        match self.sample {
            Some((end, _)) if next < end => return,
            Some((_, began)) => {
                let sample = (now - began).max(1);
                self.rtt = Some(self.rtt.map_or(sample, |rtt| rtt.min(sample)));
            }
            None => {}
        }
        self.sample = Some((edge, now));
    }

    /// The offset up to which data of a read from offset `from` to `to` was copied when the buffer is looked at. Linux
    /// looks after each segment that it copies (tcp_recvmsg_locked), so that a read of many segments counts with its
    /// first segment alone: a look begins a new round.
    #[inline]
    pub fn first_look(&self, from: u64, to: u64) -> u64 {
        if self.measures && self.segment > 0 { to.min(from + self.segment) } else { to }
    }

    /// Processes a read up to offset `read`, after which `unread` bytes are left: the memory grows to what the rate of reads
    /// requires. Returns whether it may have grown.
    #[inline]
    pub fn on_read(&mut self, now: Nanos, read: u64, unread: u64) -> bool {
        self.large.forget(read);
        let ends = self.rtt.is_some_and(|rtt| now - self.round.1 >= rtt);
        if ends {
            self.end_round(now, read, unread);
        }
        ends
    }

    #[inline(never)]
    fn end_round(&mut self, now: Nanos, read: u64, unread: u64) {
        let began_at = self.round.0;
        let copied = (read - began_at).saturating_sub(if self.measures { unread } else { 0 });
        if copied > self.space {
            // The buffer is twice the data of a round, to allow for losses; it then grows by twice the relative
            // increase over the last round.
            let window = 2 * copied + CUSHION * self.mss;
            let growth = u128::from(window) * u128::from(copied - self.space) / u128::from(self.space);
            let memory = (u128::from(window) + 2 * growth) * u128::from(WHOLE) / u128::from(self.share);
            let memory = u64::try_from(memory).unwrap_or(u64::MAX).min(self.most);
            if memory > self.memory {
                (self.memory, self.reserved) = (memory, 0);
            }
            self.space = copied;
        }
        self.round = (read, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack;

    fn tuning(name: &str) -> Tuning {
        let config = (stack::by_name(name).expect("a stack").config)();
        let mut tuning = Tuning::new(&config);
        tuning.establish(0, 1448, 1448);
        tuning
    }

    fn arrives(tuning: &mut Tuning, len: u32, larger: bool) -> bool {
        tuning.on_data(&InOrder { now: 0, next: 0, edge: 0, len, larger, packet: None, offered: 0 });
        tuning.grow(len, None, 0, true)
    }

    #[test]
    fn the_window_is_the_share_of_payload_in_the_memory_of_full_segments() {
        let mut linux = tuning("linux");
        assert_eq!(linux.window(), 64 << 10);
        // 256 * 1448 / 2304 is 160; the kernel acknowledged 22 segments at once, 16 and the six that let the window grow.
        assert!(arrives(&mut linux, 1448, true));
        assert_eq!(linux.window(), (128 << 10) * 160 / 256);
        let grown = (0..20).filter(|_| arrives(&mut linux, 1448, false)).count();
        assert_eq!((grown, linux.limit), (5, linux.window() - 1440), "the arriving segment takes memory");
        let mut old = tuning("linux-3.12");
        arrives(&mut old, 1448, true);
        assert_eq!(old.window(), 43_690);
    }

    /// Linux 6.12 with a buffer of 27,688 bytes offers 15,868 bytes after segments of 1,448, and 11,008 after segments of
    /// 1,000: the buffer without the segment that has just arrived, in units of four bytes.
    #[test]
    fn buffers_of_packets_are_rounded_up() {
        for (payload, offered) in [(1448, 15_868), (1000, 11_008)] {
            let memory = memory_of(payload);
            let window = (27_688 - memory) * (payload * WHOLE / memory) / WHOLE;
            assert_eq!((memory, window.next_multiple_of(4)), (2304, offered));
        }
    }

    #[test]
    fn segments_beyond_a_gap_raise_the_limit_as_far_as_memory_is_free() {
        let mut linux = tuning("linux");
        assert!(arrives(&mut linux, 1448, true));
        let before = linux.limit;
        assert!(linux.grow(1448, None, 1448, false));
        assert_eq!(linux.limit, before + 2 * 1448);
        let free = linux.window() - linux.limit;
        let held = (free / 1440 + 1) * 1448;
        assert!(linux.grow(1448, None, held, false), "each segment but the last takes 1,440 bytes of the window");
        assert_eq!(linux.limit, before + 2 * 1448 + free % 1440);
        assert!(!linux.grow(1448, None, held, false));
        assert!(!linux.grow(SIZEABLE as u32 - 1, None, 0, true), "small segments in order do not count");
    }

    /// A segment of 468 bytes takes 1,280 bytes, which are 800 of the window. It raises the limit while that is small
    /// (Linux 6.12 with buffers of 16,384 and 131,070 bytes offers no more after such segments).
    #[test]
    fn segments_with_much_overhead_raise_only_a_small_limit() {
        let mut linux = tuning("linux");
        arrives(&mut linux, 1448, true);
        linux.fix(16_384);
        for (limit, step) in [(20_480, 0), (10_241, 0), (10_240, 2896), (2560, 2896)] {
            linux.limit = limit;
            assert_eq!(linux.step(468, None), step, "{limit}");
        }
        assert_eq!(linux.step(1448, None), 2896);
    }

    #[test]
    fn reads_raise_the_memory_so_that_the_window_holds_twice_a_round() {
        let mut linux = tuning("linux");
        arrives(&mut linux, 1448, true);
        linux.rtt = Some(1);
        linux.on_read(1, 100_000, 0);
        // 2 * 100,000 + 16 segments, and twice the growth since a first round of ten segments.
        let wanted = 200_000 + 16 * 1448;
        let wanted = wanted + 2 * wanted * (100_000 - 14_480) / 14_480;
        assert!(linux.window().abs_diff(wanted) <= 1, "{} {wanted}", linux.window());
    }

    /// Linux 6.12.117 net/ipv4/tcp_input.c, tcp_rcv_rtt_update and tcp_rtt_tsopt_us.
    #[test]
    fn a_lower_sample_of_the_round_trip_time_counts_at_once_and_a_higher_one_by_an_eighth() {
        let ms = |count| count * MILLISECOND;
        let mut linux = tuning("linux");
        linux.measure_echo(ms(50) + 900_000, Some(ms(10)), true);
        assert_eq!(linux.rtt, Some(ms(40)), "whole milliseconds");
        linux.measure_echo(ms(59), Some(ms(11)), true);
        assert_eq!(linux.rtt, Some(ms(41)));
        linux.measure_echo(ms(99), Some(ms(11)), true);
        linux.measure_echo(ms(99), Some(ms(12)), false);
        assert_eq!(linux.rtt, Some(ms(41)), "neither the same echo again nor a small segment");
        linux.measure_echo(ms(50), Some(ms(13)), true);
        assert_eq!(linux.rtt, Some(ms(37)));
        let mut old = tuning("linux-3.12");
        old.measure_echo(ms(48), Some(ms(8)), true);
        old.measure_echo(ms(49), Some(ms(17)), true);
        assert_eq!(old.rtt, Some(ms(39)), "smoothed both ways");
    }

    /// A read of ten segments after the gap before them was filled: the buffer is looked at when the first is copied.
    #[test]
    fn a_read_of_many_segments_counts_with_its_first_segment() {
        let mut linux = tuning("linux");
        assert_eq!(linux.first_look(5_000, 19_480), 19_480, "before any segment was measured");
        arrives(&mut linux, 1448, true);
        assert_eq!(linux.first_look(5_000, 19_480), 6_448);
        assert_eq!(linux.first_look(5_000, 5_100), 5_100, "a short read");
        assert_eq!(tuning("linux-3.12").first_look(5_000, 19_480), 19_480);
    }

    #[test]
    fn bytes_that_wait_to_be_read_are_no_growth() {
        let mut linux = tuning("linux");
        linux.rtt = Some(1);
        let before = linux.window();
        linux.on_read(1, 100_000, 90_000);
        assert_eq!(linux.window(), before);
    }
}
