//! Delivery traces in Mahimahi's format.

use crate::Rate;
use std::fmt;
use std::sync::Arc;

use super::{OPPORTUNITY, Source};
use crate::Nanos;

const MILLISECOND: Nanos = 1_000_000;

/// Measured times at which a link could deliver a packet.
///
/// The format is that of Mahimahi (Netravali, Sivaraman, Das, Goyal, Winstein, Mickens, Balakrishnan, USENIX ATC 2015).
/// Each line is a whole number of milliseconds since the start, at which [`OPPORTUNITY`] bytes can be delivered; lines
/// are in order and may repeat.
///
/// The trace repeats after the time of its last line. An opportunity at that time belongs to the end of the round. A
/// line of zero is at the start of the first round; in later rounds it coincides with the end of the round before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    times: Vec<Nanos>,
}

/// An error in a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceError {
    /// Number of the line, counted from one; zero if the error concerns the whole trace.
    pub line: usize,
    /// Description of the error.
    pub message: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.message),
            line => write!(f, "line {line}: {}", self.message),
        }
    }
}

impl std::error::Error for TraceError {}

impl Trace {
    /// Reads a trace.
    ///
    /// # Errors
    /// The first line that is not a time in order; a trace without lines; a trace that ends at zero.
    pub fn parse(text: &[u8]) -> Result<Trace, TraceError> {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let wrong = |line, message: String| TraceError { line, message };
        if text.is_empty() {
            return Err(wrong(0, "the trace is empty; write one whole number of milliseconds per line".to_owned()));
        }
        let mut times = Vec::new();
        for (line, bytes) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            let digits = bytes.strip_suffix(b"\r").unwrap_or(bytes);
            let shown = || {
                let text: String = String::from_utf8_lossy(digits).chars().take(40).collect();
                format!("{text:?} is not a whole number of milliseconds")
            };
            let number = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
            let number: u64 = number.and_then(|text| text.parse().ok()).ok_or_else(|| wrong(line, shown()))?;
            let time = number.checked_mul(MILLISECOND).ok_or_else(|| {
                wrong(line, format!("{number} ms is more than the largest time, {} ms", u64::MAX / MILLISECOND))
            })?;
            if let Some(before) = times.last().filter(|before| time < **before) {
                return Err(wrong(
                    line,
                    format!(
                        "{number} ms is less than the {} ms of the line above; times must not decrease",
                        before / MILLISECOND
                    ),
                ));
            }
            times.push(time);
        }
        if times.last() == Some(&0) {
            return Err(wrong(times.len(), "the trace ends at 0 ms; its last line must be above 0".to_owned()));
        }
        Ok(Trace { times })
    }

    /// Opportunities of one round, ns.
    pub fn times(&self) -> &[Nanos] {
        &self.times
    }

    /// Time after which the trace repeats, ns.
    pub fn period(&self) -> Nanos {
        *self.times.last().expect("a trace has a line")
    }

    /// Mean rate, bits per second.
    pub fn mean_rate(&self) -> Rate {
        let bits = self.times.len() as u128 * u128::from(OPPORTUNITY) * 8;
        let rate = bits * 1_000_000_000 / u128::from(self.period());
        Rate::new(u64::try_from(rate).unwrap_or(u64::MAX)).unwrap_or(Rate::MIN)
    }
}

/// A trace that is repeated endlessly.
#[derive(Clone, Debug)]
pub struct Playback {
    trace: Arc<Trace>,
    next: usize,
    /// Start of the present round, ns.
    base: Nanos,
}

impl Playback {
    /// A source at the start of the trace.
    pub fn new(trace: Arc<Trace>) -> Playback {
        Playback { trace, next: 0, base: 0 }
    }
}

impl Source for Playback {
    fn next(&mut self) -> Nanos {
        let time = self.base.saturating_add(self.trace.times[self.next]);
        self.next += 1;
        if self.next == self.trace.times.len() {
            self.next = 0;
            self.base = self.base.saturating_add(self.trace.period());
        }
        time
    }

    fn skip_to(&mut self, at: Nanos) {
        let period = self.trace.period();
        // Whole rounds of which the last time, with which the next one begins, is before `at`.
        let rounds = at.saturating_sub(self.base).saturating_sub(1) / period;
        if rounds > 0 {
            (self.base, self.next) = (self.base + rounds * period, 0);
        }
    }

    fn counter(&self) -> Box<dyn FnMut(Nanos) -> u64 + '_> {
        Box::new(|at| {
            let Some(last) = at.checked_sub(1) else { return 0 };
            let (rounds, rest) = (last / self.trace.period(), last % self.trace.period());
            rounds * self.trace.times.len() as u64 + self.trace.times.partition_point(|time| *time <= rest) as u64
        })
    }

    fn mean_rate(&self) -> Rate {
        self.trace.mean_rate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Server;
    use crate::server::{Opportunities, PARTS_OF_A_BIT};

    fn wire(text: &str) -> Opportunities<Playback> {
        Opportunities::new(Playback::new(Arc::new(Trace::parse(text.as_bytes()).unwrap())))
    }

    #[test]
    fn a_trace_begins_anew_after_the_time_of_its_last_line() {
        let times = |text: &str| -> Vec<u64> {
            let mut playback = Playback::new(Arc::new(Trace::parse(text.as_bytes()).unwrap()));
            (0..7).map(|_| playback.next() / MILLISECOND).collect()
        };
        assert_eq!(times("1"), [1, 2, 3, 4, 5, 6, 7], "one packet per ms is 12 Mbit/s, as in Mahimahi's documentation");
        assert_eq!(times("0\n2\n2\n5\n"), [0, 2, 2, 5, 5, 7, 7], "0 ms of the second round is 5 ms of the first");
        assert_eq!(times("3\r\n4\r\n"), [3, 4, 7, 8, 11, 12, 15]);
    }

    #[test]
    fn what_is_skipped_is_before_the_time() {
        let trace = Arc::new(Trace::parse(b"0\n2\n2\n5").unwrap());
        for (used, at) in (0..6).flat_map(|used| (0..60).map(move |at| (used, at * MILLISECOND / 2))) {
            let from = || {
                let mut playback = Playback::new(trace.clone());
                for _ in 0..used {
                    playback.next();
                }
                playback
            };
            let (mut slow, mut quick) = (from(), from());
            quick.skip_to(at);
            let next =
                |playback: &mut Playback| std::iter::repeat_with(|| playback.next()).find(|time| *time >= at).unwrap();
            assert_eq!(next(&mut quick), next(&mut slow), "{used} {at}");
            assert_eq!([quick.next(), quick.next()], [slow.next(), slow.next()], "{used} {at}");
        }
    }

    #[test]
    fn opportunities_are_counted_as_they_come() {
        let trace = Arc::new(Trace::parse(b"0\n2\n2\n5").unwrap());
        let playback = Playback::new(trace);
        for at in 0..40 {
            let at = at * MILLISECOND / 2;
            let mut copy = playback.clone();
            let count = (0..).take_while(|_| copy.next() < at).count();
            assert_eq!(playback.counter()(at), count as u64, "{at}");
        }
        assert_eq!(playback.mean_rate().bits(), 4 * 12_000 * 1000 / 5);
        let wire = wire("0\n2\n2\n5");
        let mut meter = wire.meter();
        let packets = [0, 2 * MILLISECOND - 1, 2 * MILLISECOND, 5 * MILLISECOND]
            .map(|at| meter.by(at) / (12_000 * PARTS_OF_A_BIT));
        assert_eq!(packets, [1, 1, 3, 5], "0 ms of the second round is at 5 ms");
    }

    #[test]
    fn small_packets_share_and_large_ones_take_several() {
        let mut wire = wire("1\n2\n4\n8\n16");
        let mut send = |at, size| {
            let start = wire.start(at);
            (start / MILLISECOND, wire.transmit(start, size, false) / MILLISECOND)
        };
        assert_eq!([send(0, 700), send(0, 700), send(0, 200)], [(1, 1), (1, 1), (1, 2)], "100 bytes fit, 100 do not");
        assert_eq!(send(2 * MILLISECOND, 1400), (2, 2), "the rest of an opportunity serves the next packet");
        assert_eq!(send(2 * MILLISECOND, 3000), (4, 8));
        assert_eq!(send(8 * MILLISECOND + 1, 40), (16, 16), "an opportunity for which no packet waits is lost");
        assert_eq!(send(17 * MILLISECOND, 1500), (17, 17));
    }

    #[test]
    fn a_packet_takes_whole_opportunities_of_a_wire_of_packets() {
        let playback = || Playback::new(Arc::new(Trace::parse(b"1\n2\n4\n8\n16").unwrap()));
        let mut wire = Opportunities::of_packets(playback());
        let mut send = |at, size| {
            let start = wire.start(at);
            wire.transmit(start, size, false) / MILLISECOND
        };
        assert_eq!([send(0, 40), send(0, 1260), send(0, 1500)], [1, 2, 4]);
        assert_eq!(wire.start(5 * MILLISECOND), 5 * MILLISECOND, "it is on the wire until the opportunity");
        let mut send = |at, size| {
            let start = wire.start(at);
            wire.transmit(start, size, false) / MILLISECOND
        };
        assert_eq!(send(8 * MILLISECOND + 1, 40), 16, "an opportunity for which no packet waits is lost");
        let mut wire = Opportunities::of_packets(playback());
        let mut send = |size| wire.transmit(0, size, false) / MILLISECOND;
        assert_eq!([send(3000), send(1501), send(40)], [2, 8, 16], "as many as a large packet needs");
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &[u8]| Trace::parse(text).unwrap_err().to_string();
        assert_eq!(error(b""), "the trace is empty; write one whole number of milliseconds per line");
        assert_eq!(error(b"\n"), "the trace is empty; write one whole number of milliseconds per line");
        assert_eq!(error(b"0\n0\n"), "line 2: the trace ends at 0 ms; its last line must be above 0");
        assert_eq!(error(b"1\n\n2"), "line 2: \"\" is not a whole number of milliseconds");
        assert_eq!(error(b"1\n2 \n"), "line 2: \"2 \" is not a whole number of milliseconds");
        assert_eq!(error(b"1\n+2\n"), "line 2: \"+2\" is not a whole number of milliseconds");
        assert_eq!(error(b"1\n2.5\n"), "line 2: \"2.5\" is not a whole number of milliseconds");
        assert_eq!(error(b"1\n\xff\n"), "line 2: \"\u{fffd}\" is not a whole number of milliseconds");
        assert_eq!(
            error(b"1\n7\n3\n"),
            "line 3: 3 ms is less than the 7 ms of the line above; times must not decrease"
        );
        assert_eq!(
            error(b"99999999999999999\n"),
            "line 1: 99999999999999999 ms is more than the largest time, 18446744073709 ms"
        );
    }
}
