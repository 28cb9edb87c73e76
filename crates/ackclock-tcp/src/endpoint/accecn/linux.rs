//! Linux's estimate of marks, since 7.0 (net/ipv4/tcp_input.c, __tcp_accecn_process and tcp_accecn_process_option), and
//! the times at which Linux sends an option if it sends few (include/net/tcp_ecn.h, tcp_ecn_received_counters,
//! tcp_accecn_option_beacon_check).

use super::{AccEcn, Feedback, News, Options, WRAP, fields};
use crate::{Nanos, Segment};

/// Marked packets that have not been told from which on an ACK is due at once (TCP_ACCECN_ACE_MAX_DELTA).
pub(super) const MOST_UNTOLD: u32 = 6;
/// Options in a round trip at least (tcp_ecn_option_beacon).
const BEACONS: Nanos = 3;
/// Segments that tell of a change, so that the last of them is unambiguous.
const TELLING: u8 = 2;
/// The bit of a counter of bytes whose change demands an option, before the counter of 24 bits may have wrapped.
const LARGE: u32 = 22;
/// Weight of the average number of packets that an ACK reports, and the number of its binary places (PKTS_ACKED_WEIGHT,
/// PKTS_ACKED_PREC).
const WEIGHT: u32 = 6;
const PLACES: u32 = 6;
/// Packets per ACK above which large ACKs are usual on the path, rather than signs of lost ACKs (ACK_COMP_THRESH).
const THINNED: u64 = 4;
/// Bytes sent after which a first option comes too late, because its counters may have wrapped.
const TOO_LATE: u64 = (1 << 23) - 1;
/// Packets from which the counter of three bits may have wrapped more than once.
const TWO_CYCLES: u64 = 16;
/// Index of CE among the counters.
const CE: usize = 1;

/// The demand for options, where not every segment carries one.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Demand {
    /// Number of further segments that carry one.
    left: u8,
    /// The present time, that of the last option, and the smoothed round-trip time.
    now: Nanos,
    told_at: Nanos,
    srtt: Nanos,
}

impl Demand {
    /// Demands at least `count` further options.
    pub fn raise(&mut self, count: u8) {
        self.left = self.left.max(count);
    }

    /// Takes note of a packet: whether it tells of something new, and the bits in which its counter of bytes changed.
    pub fn on_arrival(&mut self, news: bool, changed: u32) {
        if changed >> LARGE != 0 {
            self.raise(1);
        }
        if news {
            self.left = TELLING;
        }
    }

    pub fn tell_time(&mut self, now: Nanos, srtt: Option<Nanos>) {
        (self.now, self.srtt) = (now, srtt.unwrap_or(0));
    }

    /// Whether the next segment carries an option.
    pub fn is_due(&self) -> bool {
        self.left > 0 || (self.now - self.told_at) * BEACONS >= self.srtt
    }

    pub fn on_option_sent(&mut self) {
        (self.left, self.told_at) = (self.left.saturating_sub(1), self.now);
    }
}

/// State of the estimates.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Estimate {
    /// Average number of packets per ACK that reports any, in binary fixed point.
    per_ack: u64,
    /// The only counter that grew with the last option, to which later bytes without an option are added.
    growing: Option<usize>,
    /// Whether options are not used any more.
    failed: bool,
}

impl Estimate {
    fn note(&mut self, packets: u64) {
        if packets > 0 {
            let now = packets << PLACES;
            let before = self.per_ack;
            let average = if before == 0 { now } else { ((before << WEIGHT) - before + now) >> WEIGHT };
            self.per_ack = average.min(u16::MAX.into());
        }
    }
}

impl AccEcn {
    /// Processes the feedback of an acknowledgment with `news`, in segments of `mss` bytes.
    pub(super) fn decode_as_linux(&mut self, segment: &Segment, ace: u8, news: &News, mss: u64) -> Feedback {
        let before = self.delivered[CE];
        let sure = self.take_bytes(segment, news);
        let bytes = self.delivered[CE] - before;
        self.estimate.note(news.packets);
        let (least, most) = self.increases(ace, news.packets);
        let packets = if news.packets < 8 {
            least
        } else if sure {
            plausible(least, most, bytes, news, mss)
        } else if self.estimate.per_ack > THINNED << PLACES {
            least
        } else {
            most
        };
        self.peer_cep = self.peer_cep.wrapping_add(packets);
        if self.disabled {
            return Feedback::default();
        }
        let told = sure || self.options == Options::Work && segment.accecn().is_some();
        let bytes = if told { bytes } else { (u64::from(packets) * mss).min(news.bytes) };
        Feedback { packets, bytes, mangled: false }
    }

    /// Updates the totals of bytes from the option, or without one from the counter that grew last. Returns whether the
    /// totals can be relied on.
    fn take_bytes(&mut self, segment: &Segment, news: &News) -> bool {
        if self.estimate.failed {
            return false;
        }
        let Some(option) = segment.accecn() else {
            if !self.seen {
                self.estimate.failed = news.sent >= TOO_LATE;
                return false;
            }
            let growing = self.estimate.growing;
            if let Some(counter) = growing {
                self.delivered[counter] += news.bytes;
                let grown = (news.bytes % u64::from(WRAP)) as u32;
                self.peer_bytes[counter] = (self.peer_bytes[counter] + grown) % WRAP;
            }
            return growing.is_some();
        };
        if !self.seen || self.options != Options::Work {
            self.test_option(Some(&option));
            self.estimate.failed = self.options != Options::Work;
            if self.estimate.failed {
                return false;
            }
        }
        let known = self.estimate.growing;
        let (mut sure, mut first, mut unclear) = (known.is_some(), true, false);
        let order = if option.order1 { [2, 1, 0] } else { [0, 1, 2] };
        let told = fields(&option);
        for counter in order {
            let Some(field) = told[counter] else { continue };
            let grown = field.wrapping_sub(self.peer_bytes[counter]) % WRAP;
            if grown == 0 {
                continue;
            }
            if grown < WRAP / 2 {
                self.peer_bytes[counter] = field % WRAP;
                self.delivered[counter] += u64::from(grown);
            } else {
                (sure, unclear) = (false, true);
            }
            if known == Some(counter) {
                continue;
            }
            if std::mem::replace(&mut first, false) {
                self.estimate.growing = Some(counter);
            } else {
                (sure, unclear) = (false, true);
            }
        }
        if unclear {
            self.estimate.growing = None;
        }
        sure
    }
}

/// The increase of the counter that agrees with `bytes` marked bytes, from `least` or in whole cycles up to `most`.
fn plausible(least: u32, most: u32, bytes: u64, news: &News, mss: u64) -> u32 {
    if bytes == 0 {
        return least;
    }
    if news.packets >= TWO_CYCLES && news.exact {
        if news.bytes <= bytes {
            return most;
        }
        let marked = (bytes * news.packets).div_ceil(news.bytes);
        return most.min(least + u32::try_from(marked & !7).unwrap_or(u32::MAX - 7 - least));
    }
    if bytes > u64::from(least) * mss {
        most
    } else if bytes < (u64::from(most) * mss) >> 1 {
        least
    } else {
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::{AccEcnOption, Flags};

    const MSS: u64 = 1000;

    fn acc() -> AccEcn {
        AccEcn::new(&(crate::stack::by_name("linux").unwrap().config)())
    }

    fn give(acc: &mut AccEcn, ace: u8, packets: u64, option: Option<[u32; 3]>) -> (u32, u64) {
        let mut ack = Segment::new(Flags::ACK);
        ack.set_accecn(option.map(|counters| AccEcnOption { order1: false, count: 3, counters }));
        let news = News { packets, bytes: packets * MSS, exact: true, sent: 0 };
        let feedback = acc.decode(&ack, ace, &news, MSS);
        (feedback.packets, feedback.bytes)
    }

    #[test]
    fn large_acks_are_taken_at_their_word_where_they_are_usual() {
        // The first ACK sets the average of packets per ACK.
        assert_eq!(give(&mut acc(), 6, 10, None), (1, 1000));
        let mut small = acc();
        assert_eq!(give(&mut small, 5, 1, None), (0, 0));
        assert_eq!(give(&mut small, 6, 10, None), (9, 9000), "one large ACK among small ones may hide a cycle");
        // The average moves by a 64th of the difference: from 1 it is above 4 after ln(9/6) / ln(64/63) = 26 ACKs of ten
        // packets, and a little later because it is rounded down.
        let mut thinned = acc();
        give(&mut thinned, 5, 1, None);
        let mut told = (1..=40).map(|_| {
            let ace = (thinned.peer_cep & 7) as u8;
            give(&mut thinned, ace, 10, None).0
        });
        let cycles = told.by_ref().take_while(|&packets| packets == 8).count();
        assert_eq!(cycles, 27, "ACKs until the average is above four");
        assert!(told.all(|packets| packets == 0));
    }

    #[test]
    fn bytes_of_the_option_tell_how_often_the_counter_wrapped() {
        // Of 10 packets 1 was marked, or 9.
        let with = |ceb: u32, packets: u64, ace: u8| {
            let mut acc = acc();
            give(&mut acc, 5, 1, Some([1001, 0, 1]));
            give(&mut acc, ace, packets, Some([1001 + (packets as u32 * 1000 - ceb), ceb, 1])).0
        };
        assert_eq!(with(1000, 10, 6), 1);
        assert_eq!(with(9000, 10, 6), 9);
        assert_eq!(with(0, 10, 5), 0);
        // 20 of 30 packets: the counter shows 4, and with their bytes two cycles more.
        assert_eq!(with(20_000, 30, 9 & 7), 20);
        assert_eq!(with(4000, 30, 9 & 7), 4);
    }

    #[test]
    fn without_an_option_the_counter_that_grew_last_goes_on_growing() {
        let mut acc = acc();
        give(&mut acc, 5, 1, Some([1001, 0, 1]));
        assert_eq!(give(&mut acc, 5, 10, None), (0, 0), "all bytes were unmarked");
        assert_eq!(acc.delivered, [11_000, 0, 0]);
        give(&mut acc, 6, 1, Some([11_001, 1000, 1]));
        assert_eq!(give(&mut acc, 0, 10, None), (10, 10_000), "all bytes were marked");
    }

    #[test]
    fn a_zeroed_or_late_option_ends_their_use() {
        let mut zeroed = acc();
        give(&mut zeroed, 5, 1, Some([0, 0, 1]));
        give(&mut zeroed, 5, 1, Some([2001, 0, 1]));
        assert_eq!(zeroed.delivered, [0, 0, 0]);
        let mut late = acc();
        let news = News { packets: 1, bytes: MSS, exact: true, sent: TOO_LATE };
        late.decode(&Segment::new(Flags::ACK), 5, &news, MSS);
        give(&mut late, 5, 1, Some([1001, 0, 1]));
        assert_eq!(late.delivered, [0, 0, 0]);
    }
}
