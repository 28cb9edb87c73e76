//! Pacing: the time at which the next segment may be sent.

use crate::config::PacingBurst;
use crate::context::Window;
use crate::segment::HEADERS;
use crate::{MILLISECOND, Nanos, Rate, SECOND};

/// Pacing of a sender, by name in scenarios.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Pacing {
    /// `off`: segments are sent as soon as the window allows.
    Off,
    /// `fq`: segments are spread over the smoothed RTT as in Linux's FQ queue discipline, at `gain * cwnd / SRTT`.
    Fq {
        /// Gain in slow start, per cent (Linux `tcp_pacing_ss_ratio`: 200).
        slow_start_percent: u32,
        /// Gain in congestion avoidance, per cent (Linux `tcp_pacing_ca_ratio`: 120; 200 before Linux 4.3).
        avoidance_percent: u32,
        /// Bytes that may be sent back to back after idle (FQ's quantum: two packets).
        quantum: u64,
        /// Bytes at the start of a connection that are not paced (FQ's initial quantum: ten packets); 0 for none.
        initial: u64,
    },
    /// `after-idle`: data that is sent into an empty path is spread over one RTT, at `cwnd / SRTT` until the first
    /// acknowledgment, and then, up to the end of what was outstanding at that acknowledgment, at the rate of Linux
    /// (RFC 7661 section 4.4.2; our BPF program `newcwv`). Acknowledgments clock the rest.
    AfterIdle,
}

impl Pacing {
    /// The name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Pacing::Off => "off",
            Pacing::Fq { .. } => "fq",
            Pacing::AfterIdle => "after-idle",
        }
    }
}

/// Gain of Linux's pacing rate in slow start, per cent (sysctl `tcp_pacing_ss_ratio`).
const SLOW_START_PERCENT: u32 = 200;
/// Gain of Linux's pacing rate in congestion avoidance, per cent (sysctl `tcp_pacing_ca_ratio`).
const AVOIDANCE_PERCENT: u32 = 120;
/// Largest packet of segmentation offload, bytes of payload (net/core/sock.c, sk_dst_gso_max_size).
pub(crate) const LARGEST: u64 = 65_536 - 321;
/// Pacing rate below which such a packet may have one segment (net/ipv4/tcp_bbr.c).
const SLOW: Rate = Rate::of_bytes(1_200_000 / 8);
/// The segment with which pacing begins (net/ipv4/tcp_output.c, tcp_update_skb_after_send).
const FIRST_PACED: u64 = 10;

/// Packets of segmentation offload, in which Linux's TCP releases what it paces itself.
#[derive(Clone, Copy, Debug, Default)]
struct Packet {
    /// Time at which the packet leaves, ns, and the number of segments that it still takes.
    at: Nanos,
    room: u64,
    /// Bytes of the packet that have not been paid for.
    taken: u64,
    /// Time by which the flow was late, as far as it has not been credited, ns.
    late: Nanos,
    /// Segments that the flow has sent, up to `FIRST_PACED`.
    sent: u64,
}

/// Data that is being sent into a path that was empty.
#[derive(Clone, Copy, Debug)]
struct Burst {
    /// The rate until the first acknowledgment.
    rate: Rate,
    /// The sequence number with whose acknowledgment pacing ends, once the first acknowledgment has come.
    end: Option<u64>,
}

/// The pacer of one sender.
#[derive(Clone, Copy, Debug)]
pub struct Pacer {
    pacing: Pacing,
    /// Time at which the bytes released so far have been sent at the pacing rate, ns.
    paid: Nanos,
    /// Bytes that may still be sent without pacing.
    free: u64,
    /// The present packet, where the sender releases several segments at once.
    packet: Option<Packet>,
    /// The burst after an idle time that is being paced.
    burst: Option<Burst>,
}

impl Pacer {
    /// Makes a pacer that may release a segment at once.
    pub fn new(pacing: Pacing, burst: PacingBurst) -> Pacer {
        let free = match pacing {
            Pacing::Fq { initial, .. } => initial,
            Pacing::Off | Pacing::AfterIdle => 0,
        };
        let own = !matches!(pacing, Pacing::Fq { .. });
        let packet = (burst == PacingBurst::Linux && own).then(Packet::default);
        Pacer { pacing, paid: 0, free, packet, burst: None }
    }

    /// The pacing rate, `None` if segments are not paced (off, or before the first RTT sample).
    pub fn rate(&self, window: &Window, srtt: Option<Nanos>) -> Option<Rate> {
        if window.pacing_rate.is_some() {
            return window.pacing_rate;
        }
        let (slow_start_percent, avoidance_percent) = match (self.pacing, self.burst) {
            (Pacing::Fq { slow_start_percent, avoidance_percent, .. }, _) => (slow_start_percent, avoidance_percent),
            (Pacing::AfterIdle, Some(Burst { rate, end: None })) => return Some(rate),
            (Pacing::AfterIdle, Some(_)) => (SLOW_START_PERCENT, AVOIDANCE_PERCENT),
            (Pacing::AfterIdle, None) | (Pacing::Off, _) => return None,
        };
        // Linux net/ipv4/tcp_input.c, tcp_update_pacing_rate: the slow-start gain holds below ssthresh / 2.
        let percent = if window.cwnd < window.ssthresh / 2 { slow_start_percent } else { avoidance_percent };
        let srtt = u128::from(srtt?.max(1));
        let rate = u128::from(window.cwnd) * u128::from(percent) * u128::from(SECOND) / (100 * srtt);
        Some(Rate::of_bytes(u64::try_from(rate).unwrap_or(u64::MAX)))
    }

    /// Whether bursts after an idle time are paced.
    #[inline]
    pub fn is_after_idle(&self) -> bool {
        self.pacing == Pacing::AfterIdle
    }

    /// A segment leaves into an empty path.
    pub fn begin_burst(&mut self, window: &Window, srtt: Option<Nanos>) {
        let Some(srtt) = srtt else { return };
        let rate = u128::from(window.cwnd) * u128::from(SECOND) / u128::from(srtt.max(1));
        self.burst = Some(Burst { rate: Rate::of_bytes(u64::try_from(rate).unwrap_or(u64::MAX)), end: None });
    }

    /// An acknowledgment of all data before `una` has come, while data up to `nxt` had been sent.
    pub fn on_ack(&mut self, una: u64, nxt: u64) {
        match &mut self.burst {
            Some(Burst { end: Some(end), .. }) if una >= *end => {
                self.burst = None;
                self.paid = 0;
            }
            Some(Burst { end: end @ None, .. }) => *end = Some(nxt),
            _ => {}
        }
    }

    /// Whether the next segment may not be sent yet.
    #[inline]
    pub fn blocks(&self, now: Nanos) -> bool {
        now < self.paid && self.packet.is_none_or(|packet| packet.room == 0 || packet.at != now)
    }

    /// The time from which the next segment may be sent.
    #[inline]
    pub fn release_time(&self) -> Nanos {
        self.paid
    }

    /// Accounts for a segment of `payload` bytes, with `headers` more on the wire, that is sent at `now`.
    //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.2
    //# SHOULD control the maximum burst size, e.g., using a rate-based pacing algorithm
    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.4
    //# It is RECOMMENDED that implementations use pacing to reduce the burstiness of data traffic
    #[inline]
    pub fn on_sent(
        &mut self,
        now: Nanos,
        (payload, headers): (u64, u64),
        rate: Option<Rate>,
        mss: u64,
        min_rtt: Option<Nanos>,
    ) {
        let Some(rate) = rate else { return };
        // The rate of a burst is one of payload, as the kernel's is (net/ipv4/tcp_output.c, tcp_update_skb_after_send).
        // Rates that a congestion control asks for, and those of FQ, count headers.
        let bytes = payload + if self.burst.is_some() { 0 } else { headers };
        if let Some(packet) = &mut self.packet {
            let late = now.saturating_sub(self.paid);
            self.paid = self.paid.max(now) + packet.charge(now, bytes, late, rate, mss, min_rtt);
            return;
        }
        if bytes <= self.free {
            self.free -= bytes;
            return;
        }
        // An idle flow has at most a quantum of credit; unused credit expires.
        let credit = match self.pacing {
            Pacing::Fq { quantum, .. } => rate.time_of(quantum.saturating_sub(bytes)),
            Pacing::Off | Pacing::AfterIdle => 0,
        };
        self.paid = self.paid.max(now.saturating_sub(credit)).saturating_add(rate.time_of(bytes));
    }

    /// Delays the next segment as if one of `mss` bytes had been sent at `rate` from time `last`, when the last segment was sent.
    pub(crate) fn wait_since(&mut self, last: Nanos, mss: u64, rate: Option<Rate>) {
        self.paid = last.saturating_add(rate.map_or(0, |rate| rate.time_of(mss + HEADERS)));
    }
}

impl Packet {
    /// The time until the next packet for another segment of `bytes`; `late` is that since the last packet was paid
    /// for.
    fn charge(&mut self, now: Nanos, bytes: u64, late: Nanos, rate: Rate, mss: u64, min_rtt: Option<Nanos>) -> Nanos {
        if self.room == 0 || self.at != now {
            let room = largest_packet(Some(rate), mss, min_rtt, if rate < SLOW { 1 } else { 2 });
            *self = Packet { at: now, room, taken: 0, late, sent: self.sent };
        }
        self.room -= 1;
        self.taken += bytes;
        if self.sent < FIRST_PACED {
            self.sent += 1;
        }
        if self.sent < FIRST_PACED {
            return 0;
        }
        // The packet with which pacing begins is paid for as a whole.
        let whole = rate.time_of(std::mem::take(&mut self.taken));
        let credit = self.late.min(whole / 2);
        self.late -= credit;
        whole - credit
    }
}

/// The segments of Linux's largest packet at a pacing rate, or at an unlimited one, and `least` of them at least
/// (net/ipv4/tcp_output.c, tcp_tso_autosize).
pub(crate) fn largest_packet(rate: Option<Rate>, mss: u64, min_rtt: Option<Nanos>, least: u64) -> u64 {
    let short = min_rtt.map_or(0, |rtt| LARGEST.checked_shr(((rtt / (MILLISECOND / 1000)) >> 9) as u32).unwrap_or(0));
    let in_a_tick = rate.map_or(LARGEST, |rate| rate.bytes() >> 10);
    ((in_a_tick + short).min(LARGEST) / mss).max(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FQ: Pacing = Pacing::Fq { slow_start_percent: 200, avoidance_percent: 120, quantum: 3000, initial: 0 };
    const RTT: Option<Nanos> = Some(100 * MILLISECOND);

    /// Sends a segment of 1460 bytes with 40 bytes of headers.
    fn sent(pacer: &mut Pacer, now: Nanos, rate: Option<Rate>) {
        pacer.on_sent(now, (1460, 40), rate, 1460, RTT);
    }

    fn window(cwnd: u64, ssthresh: u64) -> Window {
        Window { cwnd, ssthresh, pacing_rate: None }
    }

    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.4
    //= type=test
    //# It is RECOMMENDED that implementations use pacing to reduce the burstiness of data traffic
    #[test]
    fn the_rate_is_gain_times_cwnd_over_srtt() {
        let pacer = Pacer::new(FQ, PacingBurst::Segment);
        assert_eq!(pacer.rate(&window(10_000, u64::MAX), RTT), Some(Rate::of_bytes(200_000)), "slow start: twice");
        assert_eq!(
            pacer.rate(&window(10_000, 20_000), RTT),
            Some(Rate::of_bytes(120_000)),
            "from half of ssthresh on: 1.2"
        );
        assert_eq!(pacer.rate(&window(9_999, 20_000), RTT), Some(Rate::of_bytes(199_980)));
    }

    #[test]
    fn nothing_is_paced_when_off_or_before_a_sample() {
        assert_eq!(Pacer::new(Pacing::Off, PacingBurst::Segment).rate(&window(10_000, 20_000), RTT), None);
        let mut pacer = Pacer::new(FQ, PacingBurst::Segment);
        assert_eq!(pacer.rate(&window(10_000, 20_000), None), None);
        sent(&mut pacer, 5, None);
        assert_eq!(pacer.release_time(), 0);
    }

    #[test]
    fn a_congestion_controls_own_rate_stands() {
        let asked = Window { pacing_rate: Some(Rate::of_bytes(7)), ..window(10_000, 20_000) };
        assert_eq!(Pacer::new(FQ, PacingBurst::Segment).rate(&asked, RTT), Some(Rate::of_bytes(7)));
        assert_eq!(Pacer::new(Pacing::Off, PacingBurst::Segment).rate(&asked, RTT), Some(Rate::of_bytes(7)));
    }

    //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.2
    //= type=test
    //# SHOULD control the maximum burst size, e.g., using a rate-based pacing algorithm
    #[test]
    fn after_idle_a_quantum_leaves_at_once_and_the_rest_at_the_rate() {
        let mut pacer = Pacer::new(FQ, PacingBurst::Segment);
        let start = 10_000 * MILLISECOND;
        let mut released = Vec::new();
        for _ in 0..5 {
            let now = pacer.release_time().max(start);
            released.push((now - start) / MILLISECOND);
            sent(&mut pacer, now, Some(Rate::of_bytes(150_000)));
        }
        assert_eq!(released, [0, 0, 10, 20, 30], "1500 bytes take 10 ms; a quantum is two of them");
    }

    #[test]
    fn a_burst_after_idle_leaves_at_cwnd_over_srtt_until_acks_clock_it() {
        let mut pacer = Pacer::new(Pacing::AfterIdle, PacingBurst::Segment);
        let window = window(15_000, 15_000);
        assert_eq!(pacer.rate(&window, RTT), None, "no idle time came before");
        pacer.begin_burst(&window, RTT);
        let start = 10_000 * MILLISECOND;
        for expected in [0, 10, 20, 30] {
            let now = pacer.release_time().max(start);
            assert_eq!((now - start) / MILLISECOND, expected, "1500 bytes of payload take a tenth of an RTT");
            let rate = pacer.rate(&window, RTT);
            pacer.on_sent(now, (1500, 40), rate, 1500, RTT);
        }
        pacer.on_ack(1460, 5840);
        assert_eq!(pacer.rate(&window, RTT), Some(Rate::of_bytes(180_000)), "Linux's rate, 1.2 * cwnd / SRTT");
        pacer.on_ack(4380, 8760);
        assert!(pacer.rate(&window, RTT).is_some() && pacer.blocks(start), "not all of the burst is acknowledged");
        pacer.on_ack(5840, 8760);
        assert_eq!((pacer.rate(&window, RTT), pacer.blocks(start)), (None, false), "ACKs clock the rest");
    }

    #[test]
    fn the_initial_quantum_leaves_for_nothing() {
        let fq = Pacing::Fq { slow_start_percent: 200, avoidance_percent: 120, quantum: 3000, initial: 4500 };
        let mut pacer = Pacer::new(fq, PacingBurst::Segment);
        let start = 10_000 * MILLISECOND;
        for expected in [0, 0, 0, 0, 0, 10, 20] {
            assert_eq!(pacer.release_time().saturating_sub(start) / MILLISECOND, expected);
            sent(&mut pacer, start, Some(Rate::of_bytes(150_000)));
        }
    }

    #[test]
    fn credit_does_not_pile_up_over_a_long_pause() {
        let mut pacer = Pacer::new(FQ, PacingBurst::Segment);
        for start in [1_000 * MILLISECOND, 100_000 * MILLISECOND] {
            for expected in [0, 10] {
                sent(&mut pacer, start, Some(Rate::of_bytes(150_000)));
                assert_eq!(pacer.release_time(), start + expected * MILLISECOND);
            }
        }
    }

    /// Sends as long as the pacer allows it, up to a number of segments.
    fn released(pacer: &mut Pacer, now: Nanos, most: usize, rate: u64, min_rtt: Nanos) -> usize {
        (0..most)
            .take_while(|_| {
                let free = !pacer.blocks(now);
                if free {
                    pacer.on_sent(now, (1460, 40), Some(Rate::of_bytes(rate)), 1460, Some(min_rtt));
                }
                free
            })
            .count()
    }

    fn begun() -> Pacer {
        let mut pacer = Pacer::new(Pacing::Off, PacingBurst::Linux);
        released(&mut pacer, 0, 10, 1_500_000, 100 * MILLISECOND);
        pacer
    }

    #[test]
    fn linux_releases_packets_of_a_1024th_of_a_second_and_at_least_two_segments() {
        // 1500 bytes take a millisecond at 1.5 MB/s.
        for (rate, min_rtt, segments) in [
            (1_500_000, 100 * MILLISECOND, 2),
            (15_000_000, 100 * MILLISECOND, 10),
            // 65,215 bytes are halved for every 512 us of the minimum RTT: 2^-3 of them are 5.6 segments.
            (1_500_000, 3 * 512_000, 1 + 5),
            // The largest packet.
            (1_500_000_000, 100 * MILLISECOND, 44),
            // bbr_min_tso_segs.
            (149_999, 100 * MILLISECOND, 1),
            (150_000, 100 * MILLISECOND, 2),
        ] {
            let mut pacer = begun();
            let start = pacer.release_time();
            assert_eq!(released(&mut pacer, start, 100, rate, min_rtt), segments, "{rate} bytes/s, {min_rtt} ns");
            assert_eq!(pacer.release_time() - start, segments as u64 * 1500 * SECOND / rate, "the flow was not late");
        }
    }

    #[test]
    fn a_late_packet_of_linux_is_charged_less_and_at_least_half() {
        for (late, charged) in [(0, 2000), (300, 1700), (1000, 1000), (5000, 1000)] {
            let mut pacer = begun();
            let start = pacer.release_time() + late * 1000;
            assert_eq!(released(&mut pacer, start, 100, 1_500_000, 100 * MILLISECOND), 2);
            assert_eq!(pacer.release_time() - start, charged * 1000, "{late} us late");
        }
    }

    #[test]
    fn a_packet_of_linux_that_the_window_cut_short_ends() {
        let mut pacer = begun();
        let start = pacer.release_time();
        assert_eq!(released(&mut pacer, start, 1, 1_500_000, 100 * MILLISECOND), 1);
        assert!(pacer.blocks(start + 1));
        assert_eq!(pacer.release_time(), start + MILLISECOND);
    }

    #[test]
    fn linux_does_not_pace_the_first_nine_segments() {
        let mut pacer = Pacer::new(Pacing::Off, PacingBurst::Linux);
        assert_eq!(released(&mut pacer, 7, 100, 1_500_000, 100 * MILLISECOND), 10);
        assert_eq!(pacer.release_time(), 7 + 2 * MILLISECOND, "the tenth is in a packet with the ninth");
    }
}
