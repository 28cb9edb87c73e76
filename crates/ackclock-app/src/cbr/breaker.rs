//! The circuit breaker of a stream without congestion control (RFC 8084), at its ends as in figure 2 of the RFC: the sink
//! reports what has arrived in each interval, and the source measures the loss and ends the stream.

use ackclock_core::Nanos;
use ackclock_results::declared;

use crate::fields::{count, default, real, record, time};

record! {
    /// A circuit breaker, which ends the stream when its losses stay high.
    pub struct Fields {
        /// Measurement interval: the sink reports once in each. RFC 8084 asks for many round-trip times.
        interval: Nanos = default("5s", time().positive());
        /// Part of the packets of an interval whose loss counts as excessive congestion.
        loss: f64 = default(0.1, real(0.0, 1.0));
        /// Number of successive intervals with more loss, or without a report, that end the stream.
        intervals: u32 = default(3, count("intervals", 1, 1000));
    }
}

/// Payload of a report, bytes: two counters.
const REPORT: u32 = 16;

/// Reason for which a breaker has ended a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reason {
    /// The loss was above the threshold in each of the successive intervals.
    Loss,
    /// No report has arrived in as many intervals.
    Silence,
}

impl Reason {
    fn name(self) -> &'static str {
        match self {
            Reason::Loss => "loss",
            Reason::Silence => "no-report",
        }
    }
}

/// Counters of the sink at the time of a report.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Report {
    /// Largest number that has arrived, plus one.
    pub expected: u64,
    /// Datagrams that have arrived, duplicates aside.
    pub received: u64,
}

/// The breaker of a stream, with the state of both its ends.
#[derive(Debug)]
pub(super) struct Breaker {
    fields: Fields,
    /// Reports that the sink has sent, by number.
    reports: Vec<Report>,
    /// Last report that has arrived, the number of the next one, and the time until which it has to come.
    last: Report,
    next: u64,
    due: Nanos,
    /// Successive intervals above the threshold.
    high: u32,
    /// Measurements, those above the threshold, and the largest loss.
    measured: u64,
    exceeded: u64,
    largest: Option<f64>,
    tripped: Option<(Nanos, Reason)>,
}

impl Breaker {
    /// Creates the breaker of a stream that starts at `now`.
    pub fn new(fields: Fields, now: Nanos) -> Breaker {
        let mut breaker = Breaker {
            fields,
            reports: Vec::new(),
            last: Report::default(),
            next: 0,
            due: 0,
            high: 0,
            measured: 0,
            exceeded: 0,
            largest: None,
            tripped: None,
        };
        breaker.due = breaker.deadline(now);
        breaker
    }

    /// Time until which a report has to come after `now`: as many intervals as are needed to end the stream, and one more
    /// in which the report is on its way.
    fn deadline(&self, now: Nanos) -> Nanos {
        now.saturating_add(self.fields.interval.saturating_mul(u64::from(self.fields.intervals) + 1))
    }

    /// Returns the time from one report to the next, in ns.
    pub fn interval(&self) -> Nanos {
        self.fields.interval
    }

    /// Returns the time until which a report has to come.
    pub fn due(&self) -> Nanos {
        self.due
    }

    /// Returns whether the breaker has ended the stream.
    pub fn has_tripped(&self) -> bool {
        self.tripped.is_some()
    }

    /// Takes the counters of the sink, and returns the number and the bytes of payload of the report.
    pub fn report(&mut self, counters: Report) -> (u64, u32) {
        self.reports.push(counters);
        (self.reports.len() as u64 - 1, REPORT)
    }

    /// Takes a report that has reached the source, which has sent `sent` datagrams. Reports are cumulative, so that one that
    /// is lost leaves no gap; one that is late says nothing new.
    pub fn on_report(&mut self, now: Nanos, number: u64, sent: u64) {
        let Some(report) = self.reports.get(number as usize).copied().filter(|_| number >= self.next) else { return };
        self.next = number + 1;
        self.due = self.deadline(now);
        let before = std::mem::replace(&mut self.last, report);
        let (span, received) = (report.expected - before.expected, report.received - before.received);
        // Where nothing arrives, the ingress meter alone tells of packets.
        let loss = match span {
            0 if sent > report.expected => 1.0,
            0 => return,
            span => 1.0 - (received.min(span) as f64 / span as f64),
        };
        self.measured += 1;
        self.largest = Some(self.largest.map_or(loss, |largest| largest.max(loss)));
        let exceeds = loss > self.fields.loss;
        self.exceeded += u64::from(exceeds);
        self.high = if exceeds { self.high + 1 } else { 0 };
        if self.high >= self.fields.intervals {
            self.trip(now, Reason::Loss);
        }
    }

    /// Ends the stream if no report has come until now (RFC 8084 section 4, requirement 15).
    pub fn expire(&mut self, now: Nanos) {
        if now >= self.due {
            self.trip(now, Reason::Silence);
        }
    }

    fn trip(&mut self, now: Nanos, reason: Reason) {
        self.tripped.get_or_insert((now, reason));
    }

    /// The row of `breakers`; the stream began at `start` (RFC 8084 section 4, requirement 14: the event and the measurements
    /// are logged).
    pub fn row(&self, flow: &str, start: Nanos) -> declared::Breakers {
        declared::Breakers {
            flow: flow.into(),
            tripped_s: self.tripped.map(|(at, _)| (at - start) as f64 / 1e9).into(),
            reason: self.tripped.map(|(_, reason)| reason.name()).into(),
            measurements: self.measured.into(),
            exceeded: self.exceeded.into(),
            loss_max: self.largest.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Nanos = 1_000_000_000;
    const FIELDS: Fields = Fields { interval: 5 * S, loss: 0.1, intervals: 3 };

    /// A breaker after intervals of 100 datagrams with these numbers of losses, whose reports arrive.
    fn after(losses: &[u64]) -> Breaker {
        let mut breaker = Breaker::new(FIELDS, 0);
        let mut counters = Report::default();
        for (interval, lost) in (1..).zip(losses) {
            counters = Report { expected: counters.expected + 100, received: counters.received + 100 - lost };
            let (number, _) = breaker.report(counters);
            breaker.on_report(interval * 5 * S, number, counters.expected);
        }
        breaker
    }

    /// RFC 8084 section 3.1, component 5: "more than 10% loss", in "three successive measurements".
    #[test]
    fn three_successive_intervals_with_more_loss_end_the_stream() {
        for (losses, tripped) in [
            (&[11, 11, 11][..], Some(15 * S)),
            (&[10, 10, 10, 10], None),
            (&[50, 50, 0, 50, 50, 9, 90], None),
            (&[0, 0, 20, 100, 20, 0], Some(25 * S)),
        ] {
            assert_eq!(after(losses).tripped, tripped.map(|at| (at, Reason::Loss)), "{losses:?}");
        }
    }

    #[test]
    fn silence_ends_the_stream_after_as_many_intervals_and_one_more() {
        let mut breaker = Breaker::new(FIELDS, S);
        assert_eq!(breaker.due(), 21 * S);
        breaker.expire(21 * S - 1);
        assert!(!breaker.has_tripped());
        let (number, _) = breaker.report(Report { expected: 10, received: 10 });
        breaker.on_report(20 * S, number, 10);
        assert_eq!(breaker.due(), 40 * S, "a report is a sign of life");
        breaker.expire(40 * S);
        assert_eq!(breaker.tripped, Some((40 * S, Reason::Silence)));
    }

    #[test]
    fn reports_that_are_lost_or_late_leave_no_gap_and_count_once() {
        let mut breaker = Breaker::new(FIELDS, 0);
        let counters = [(100, 100), (200, 150), (300, 230)].map(|(expected, received)| Report { expected, received });
        let numbers = counters.map(|counters| breaker.report(counters).0);
        breaker.on_report(15 * S, numbers[2], 300);
        breaker.on_report(16 * S, numbers[1], 300);
        breaker.on_report(17 * S, numbers[2], 300);
        assert_eq!((breaker.measured, breaker.exceeded), (1, 1));
        assert!((breaker.largest.unwrap() - 70.0 / 300.0).abs() < 1e-12);
    }

    #[test]
    fn where_nothing_arrives_all_is_lost_if_something_was_sent() {
        let mut breaker = Breaker::new(FIELDS, 0);
        let (number, _) = breaker.report(Report::default());
        breaker.on_report(5 * S, number, 0);
        assert_eq!(breaker.measured, 0, "an idle interval is no measurement");
        for interval in 2..5 {
            let (number, _) = breaker.report(Report::default());
            breaker.on_report(interval * 5 * S, number, 10);
        }
        assert_eq!((breaker.largest, breaker.tripped), (Some(1.0), Some((20 * S, Reason::Loss))));
    }
}
