//! Feedback of a receiver: reports with the arrival of each packet, their sizes on the wire, and the sender's history
//! of packets, from which a report's news follow.
//!
//! Two formats are known. The RTCP congestion control feedback packet (RFC 8888) has 16 bits for each packet, with the
//! arrival in 1/1024 s and the ECN field. Transport-wide feedback (draft-holmer-rmcat-transport-wide-cc-extensions-01)
//! has 2 bits for each packet and one or two bytes for the arrival of each packet that has arrived, in 250 us.
//!
//! A report covers the packets since the one before the last report, so that the loss of one report loses no
//! information; RFC 8888 section 5 leaves the response to lost reports to the congestion control.

use std::collections::{BTreeMap, VecDeque};

use ackclock_core::Nanos;
use ackclock_core::headers::UDP_IPV4;

use crate::packet::{Feedback, Outcome, Packet};

/// Format of the reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// RTP congestion control feedback (RFC 8888).
    Ccfb,
    /// Transport-wide feedback.
    Twcc,
}

/// Resolution of arrival times of RFC 8888: "1/1024 seconds" (section 3.1). The fraction is exact in ns: 976,562.5.
const CCFB_TICKS: u64 = 1024;
/// Resolution of arrival times of transport-wide feedback, in ns.
const TWCC_TICK: Nanos = 250_000;
/// Largest arrival delta that has one byte in transport-wide feedback: 255 ticks.
const TWCC_SMALL: Nanos = 255 * TWCC_TICK;
const SECOND: Nanos = 1_000_000_000;

impl Format {
    /// Returns an arrival time as a report sent at `now` gives it: never later than the arrival.
    fn rounded(self, arrival: Nanos, now: Nanos) -> Nanos {
        match self {
            // The offset is from the report's timestamp back to the arrival.
            Format::Ccfb => {
                let ticks = (u128::from(now - arrival) * u128::from(CCFB_TICKS)).div_ceil(u128::from(SECOND));
                now.saturating_sub((ticks * u128::from(SECOND) / u128::from(CCFB_TICKS)) as Nanos)
            }
            Format::Twcc => arrival / TWCC_TICK * TWCC_TICK,
        }
    }

    /// Returns the size of a report's IP packet in bytes.
    fn size(self, arrivals: &[Option<(Nanos, bool)>]) -> u32 {
        let words = |bytes: usize| (bytes.div_ceil(4) * 4) as u32;
        let rtcp = match self {
            // RTCP header and SSRC of the sender; SSRC, begin_seq and num_reports; the metrics; the timestamp.
            Format::Ccfb => 8 + 8 + words(2 * arrivals.len()) + 4,
            // RTCP header, two SSRCs; base, count, reference time, count of feedback packets; chunks and deltas.
            Format::Twcc => {
                let mut last = None;
                let mut deltas = 0;
                for arrival in arrivals.iter().flatten().map(|(at, _)| *at) {
                    let delta = last.replace(arrival).map_or(0, |last: Nanos| arrival.abs_diff(last));
                    deltas += if delta <= TWCC_SMALL { 1 } else { 2 };
                }
                let alike = arrivals.iter().all(Option::is_some) && deltas == arrivals.len();
                let chunks = if alike { 1 } else { arrivals.len().div_ceil(7) };
                12 + words(8 + 2 * chunks + deltas)
            }
        };
        UDP_IPV4 + rtcp
    }
}

/// A report of a receiver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Time at which the receiver sends it.
    pub at: Nanos,
    /// Number of the first packet that it covers.
    pub begin: u64,
    /// Arrival time of each packet, and whether it was marked; `None` for a missing packet.
    pub arrivals: Vec<Option<(Nanos, bool)>>,
    /// Size of the report's IP packet in bytes.
    pub size: u32,
}

/// The packets that a receiver has to report.
#[derive(Clone, Debug)]
pub struct Recorder {
    format: Format,
    /// First numbers of the last report and of the next, and the first number that was not reported.
    begin: u64,
    next: u64,
    /// One more than the largest number that has arrived.
    end: u64,
    arrivals: BTreeMap<u64, (Nanos, bool)>,
    news: bool,
}

impl Recorder {
    /// Creates a recorder before any arrival; the first packet has number 0.
    pub fn new(format: Format) -> Recorder {
        Recorder { format, begin: 0, next: 0, end: 0, arrivals: BTreeMap::new(), news: false }
    }

    /// Records the arrival of a packet. Of a duplicate, the mark counts and not the arrival (RFC 8888 section 3.1).
    pub fn received(&mut self, number: u64, at: Nanos, marked: bool) {
        if number < self.begin {
            return;
        }
        self.news = true;
        self.end = self.end.max(number + 1);
        self.arrivals.entry(number).or_insert((at, false)).1 |= marked;
    }

    /// Returns the report that is due at `now`; `None` if no packet has arrived since the last one.
    pub fn report(&mut self, now: Nanos) -> Option<Report> {
        if !std::mem::take(&mut self.news) {
            return None;
        }
        let report = self.describe(now);
        // A report whose news are marks alone has no new packets, and the one before is still worth repeating.
        if self.end > self.next {
            (self.begin, self.next) = (self.next, self.end);
            self.arrivals = self.arrivals.split_off(&self.begin);
        }
        Some(report)
    }

    /// Returns the last report again, without news, so that its loss does not stop a sender whose window is full.
    pub fn again(&self, now: Nanos) -> Report {
        self.describe(now)
    }

    /// Returns the report of all packets from `begin` on.
    fn describe(&self, now: Nanos) -> Report {
        let rounded = |(at, marked): &(Nanos, bool)| (self.format.rounded(*at, now), *marked);
        let arrivals: Vec<_> = (self.begin..self.end).map(|number| self.arrivals.get(&number).map(rounded)).collect();
        let size = self.format.size(&arrivals);
        Report { at: now, begin: self.begin, arrivals, size }
    }
}

/// The packets of a sender whose outcome is not known.
#[derive(Clone, Default, Debug)]
pub struct History {
    /// Packets from number `first` on, and whether their outcome is known.
    packets: VecDeque<(Packet, bool)>,
    first: u64,
    /// One more than the largest number that has arrived.
    acknowledged: u64,
    in_flight: u64,
    outcomes: Vec<Outcome>,
}

impl History {
    /// Adds a packet that is sent; numbers are consecutive.
    pub fn sent(&mut self, packet: Packet) {
        debug_assert_eq!(packet.number, self.first + self.packets.len() as u64);
        self.in_flight += u64::from(packet.size);
        self.packets.push_back((packet, false));
    }

    /// Returns the bytes sent after the newest packet that has arrived (RFC 8298 section 4.1.2): those of missing packets
    /// before it do not count.
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Returns the news of a report that arrives at `now`; `None` if no packet has arrived of which the sender did not
    /// know. A packet that a report does not have is lost if the report has a later packet: RFC 8698 section 5.1.2 treats
    /// "out-of-order packets as losses", and so does this history for all controls.
    pub fn read(&mut self, now: Nanos, report: &Report) -> Option<Feedback<'_>> {
        // Reports that follow begin here at the earliest, or have nothing new.
        while self.first < report.begin && !self.packets.is_empty() {
            if let Some((packet, _)) = self.packets.pop_front() {
                self.pass(&packet);
                self.first += 1;
            }
        }
        self.outcomes.clear();
        let mut newest: Option<(Packet, Nanos)> = None;
        for (number, arrival) in (report.begin..).zip(&report.arrivals) {
            let Some(index) = number.checked_sub(self.first) else { continue };
            let Some((packet, known)) = self.packets.get_mut(index as usize) else { break };
            let packet = *packet;
            if let Some((at, _)) = arrival {
                newest = Some((packet, *at));
            }
            if !std::mem::replace(known, true) {
                let marked = arrival.is_some_and(|(_, marked)| marked);
                self.outcomes.push(Outcome { packet, arrival: arrival.map(|(at, _)| at), marked });
            }
            self.pass(&packet);
        }
        let (packet, arrival) = newest?;
        let held = report.at.saturating_sub(arrival);
        let rtt = now.saturating_sub(packet.sent).saturating_sub(held).max(1);
        let (outcomes, in_flight) = (self.outcomes.as_slice(), self.in_flight);
        if outcomes.is_empty() {
            return None;
        }
        Some(Feedback { now, reported: report.at, rtt, outcomes, in_flight })
    }

    /// Takes a packet out of flight, once.
    fn pass(&mut self, packet: &Packet) {
        if packet.number >= self.acknowledged {
            self.acknowledged = packet.number + 1;
            self.in_flight -= u64::from(packet.size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: Nanos = 1_000_000;

    fn packet(number: u64) -> Packet {
        Packet { number, size: 1000, sent: number * 10 * MS }
    }

    #[test]
    fn sizes_on_the_wire() {
        let arrived = |count: usize| vec![Some((0, false)); count];
        // RFC 8888 section 3.1: 4 + 4 bytes, 4 + 2 + 2, two for each packet padded to a word, and 4.
        assert_eq!(Format::Ccfb.size(&arrived(0)), 28 + 20);
        assert_eq!(Format::Ccfb.size(&arrived(1)), 28 + 24);
        assert_eq!(Format::Ccfb.size(&arrived(10)), 28 + 40);
        // One run-length chunk and one byte for each of ten packets: 20 + 2 + 10.
        assert_eq!(Format::Twcc.size(&arrived(10)), 28 + 32);
        let mut holes = arrived(10);
        holes[3] = None;
        // Two status vectors of seven packets and nine bytes: 20 + 4 + 9, padded.
        assert_eq!(Format::Twcc.size(&holes), 28 + 36);
    }

    #[test]
    fn arrival_times_have_the_resolution_of_the_format() {
        assert_eq!(Format::Twcc.rounded(1_249_999, 5 * MS), 1_000_000);
        assert_eq!(Format::Ccfb.rounded(4 * MS, 4 * MS), 4 * MS);
        // 1 ms before the report is 1.024 ticks, and the report has two ticks: 1.953125 ms.
        assert_eq!(Format::Ccfb.rounded(4 * MS, 5 * MS), 5 * MS - 1_953_125);
    }

    #[test]
    fn a_report_repeats_the_one_before() {
        let mut recorder = Recorder::new(Format::Ccfb);
        assert_eq!(recorder.report(0), None);
        for number in [0, 1, 3] {
            recorder.received(number, number * MS, false);
        }
        let first = recorder.report(10 * MS).unwrap();
        assert_eq!((first.begin, first.arrivals.len(), first.arrivals[2]), (0, 4, None));
        assert_eq!(recorder.report(11 * MS), None, "there is nothing new");
        recorder.received(4, 12 * MS, true);
        let second = recorder.report(20 * MS).unwrap();
        assert_eq!((second.begin, second.arrivals.len()), (0, 5));
        assert_eq!(second.arrivals[4].map(|(_, marked)| marked), Some(true));
        recorder.received(5, 22 * MS, false);
        let third = recorder.report(30 * MS).unwrap();
        assert_eq!((third.begin, third.arrivals.len()), (4, 2));
        // Of a duplicate, the first arrival and the mark of any copy count.
        recorder.received(5, 33 * MS, true);
        let (at, marked) = recorder.report(40 * MS).unwrap().arrivals[0].unwrap();
        assert!(at <= 22 * MS && at > 20 * MS && marked);
        let again = recorder.again(50 * MS);
        assert_eq!((again.begin, again.arrivals.len(), again.size), (5, 1, 52));
    }

    #[test]
    fn the_history_tells_each_outcome_once() {
        let (mut history, mut recorder) = (History::default(), Recorder::new(Format::Ccfb));
        (0..6).for_each(|number| history.sent(packet(number)));
        assert_eq!(history.in_flight(), 6_000);
        for number in [0, 1, 3] {
            recorder.received(number, packet(number).sent + 50 * MS, false);
        }
        let first = recorder.report(80 * MS).unwrap();
        recorder.received(4, 90 * MS, false);
        let second = recorder.report(100 * MS).unwrap();
        let feedback = history.read(130 * MS, &first).unwrap();
        let arrived: Vec<_> = feedback.outcomes.iter().map(|one| (one.packet.number, one.arrival.is_some())).collect();
        assert_eq!(arrived, [(0, true), (1, true), (2, false), (3, true)]);
        assert_eq!((feedback.in_flight, feedback.rtt), (2_000, 100 * MS));
        let feedback = history.read(150 * MS, &second).unwrap();
        assert_eq!(feedback.outcomes.len(), 1);
        assert_eq!((feedback.outcomes[0].packet.number, feedback.in_flight), (4, 1_000));
        assert!(history.read(160 * MS, &second).is_none(), "a duplicate has no news");
        assert!(history.read(160 * MS, &first).is_none(), "an old report has no news");
    }

    #[test]
    fn one_lost_report_loses_nothing_and_two_lose_what_they_had() {
        for lost in [1, 2] {
            let (mut history, mut recorder) = (History::default(), Recorder::new(Format::Twcc));
            let mut told = 0;
            for number in 0..6 {
                history.sent(packet(number));
                recorder.received(number, packet(number).sent + MS, false);
                let report = recorder.report(packet(number).sent + 2 * MS).unwrap();
                if (1..=lost).contains(&number) {
                    continue;
                }
                told += history.read(packet(number).sent + 3 * MS, &report).unwrap().outcomes.len();
            }
            assert_eq!((told, history.in_flight()), (if lost == 1 { 6 } else { 5 }, 0));
        }
    }

    proptest! {
        /// Under any loss, duplication and reordering, each packet has at most one outcome, and flight has no packet
        /// twice.
        #[test]
        fn each_packet_has_one_outcome(fates in prop::collection::vec((0_u8..10, 0_u8..10, any::<bool>()), 1..200)) {
            let (mut history, mut recorder) = (History::default(), Recorder::new(Format::Ccfb));
            let mut told = vec![0; fates.len()];
            let mut late = None;
            for (number, (fate, report_fate, swap)) in fates.iter().enumerate() {
                let number = number as u64;
                history.sent(packet(number));
                let at = packet(number).sent + 5 * MS;
                if *fate > 1 {
                    recorder.received(number, at, *fate == 9);
                }
                if *fate == 5 {
                    recorder.received(number, at + 1, true);
                }
                let Some(report) = report_fate.is_multiple_of(3).then(|| recorder.report(at + MS)).flatten() else { continue };
                let report = if *swap { late.replace(report) } else { Some(report) };
                if let Some(report) = report.filter(|_| *report_fate != 9)
                    && let Some(feedback) = history.read(at + 2 * MS, &report)
                {
                    feedback.outcomes.iter().for_each(|one| told[one.packet.number as usize] += 1);
                }
                prop_assert!(history.in_flight() <= (number + 1) * 1000);
            }
            prop_assert!(told.iter().all(|times| *times <= 1));
        }
    }
}
