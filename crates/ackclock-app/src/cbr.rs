//! Datagrams of one size at a constant rate, with their losses, delays and jitter.

mod breaker;

use super::completion::Path;
use super::demand::Demand;
use super::kind::{AppKind, Made};
use super::{AppContext, AppTables, Application, Datagram, Side, rate_bps};
use crate::fields::{default, optional, rate, record, required, table, time, volume};
use ackclock_core::Nanos;
use ackclock_core::headers::UDP_IPV4;
use ackclock_results::{Row, Sketch, declared};
use breaker::{Breaker, Report};

record! {
    /// The source sends UDP datagrams of one size at a constant rate.
    pub struct Fields {
        /// Sending rate, headers included.
        rate: u64 = required(rate().positive());
        /// IP packet size, including 28 bytes of headers.
        packet_size: u32 = default("1500B", volume().within(u64::from(UDP_IPV4), 65_535));
        /// Time for which the source sends.
        on: Option<Nanos> = optional("until the run ends", time().positive());
        /// Circuit breaker (RFC 8084), which ends the stream when its losses stay high.
        circuit_breaker: Option<breaker::Fields> = optional("none", table());
    }
}

impl AppKind for Fields {
    fn demand(&self, time: f64, _path: Path) -> Demand {
        let time = self.on.map_or(time, |on| time.min(on as f64 / 1e9));
        let size = f64::from(self.packet_size);
        let datagrams = time * self.rate as f64 / (8.0 * size) + 1.0;
        // Each interval has a report.
        let reports = self.circuit_breaker.as_ref().map_or(0.0, |breaker| time / (breaker.interval as f64 / 1e9));
        let datagrams = datagrams + reports;
        Demand { datagrams, datagram_size: size, rows: 1.0, ..Demand::default() }
    }

    fn make(&self, _path: Path, _flow: &str) -> Made {
        Ok(Box::new(Cbr::new(self.clone())))
    }
}

/// Datagrams from source to sink. The datagrams are sent at multiples of an exact interval, so the rate does not drift.
#[derive(Debug)]
pub struct Cbr {
    fields: Fields,
    start: Nanos,
    sent: u64,
    /// The numbers that have arrived, one bit for each number.
    arrived: Vec<u64>,
    received: u64,
    duplicates: u64,
    /// Number of datagrams that arrived after a datagram with a larger number (RFC 4737 section 3.3).
    reordered: u64,
    /// Largest number that has arrived, plus one.
    expected: u64,
    delays: Sketch,
    /// Delay of the latest arrival, in ns, and interarrival jitter, in ns (RFC 3550 section 6.4.1).
    last_delay: Option<Nanos>,
    jitter: f64,
    breaker: Option<Breaker>,
}

/// Tokens of the timers: the next datagram, the sink's next report, and the time until which a report has to come.
const DATAGRAM: u64 = 0;
const REPORT: u64 = 1;
const REPORT_DUE: u64 = 2;

impl Cbr {
    /// Creates a stream that has not begun.
    pub fn new(fields: Fields) -> Cbr {
        Cbr {
            fields,
            start: 0,
            sent: 0,
            arrived: Vec::new(),
            received: 0,
            duplicates: 0,
            reordered: 0,
            expected: 0,
            delays: Sketch::default(),
            last_delay: None,
            jitter: 0.0,
            breaker: None,
        }
    }

    /// Returns the time from the start to the sending of the datagram with a number, in ns.
    fn offset(&self, number: u64) -> Nanos {
        let bits = u128::from(number) * u128::from(self.fields.packet_size) * 8;
        Nanos::try_from(bits * 1_000_000_000 / u128::from(self.fields.rate)).unwrap_or(Nanos::MAX)
    }

    fn send(&mut self, ctx: &mut AppContext<'_>) {
        ctx.send(Side::Source, self.sent, self.fields.packet_size - UDP_IPV4);
        self.sent += 1;
        let next = self.offset(self.sent);
        if self.fields.on.is_none_or(|on| next < on) {
            ctx.timer(self.start.saturating_add(next), DATAGRAM);
        }
    }

    /// Whether the stream is over: its time has passed, or the breaker has ended it.
    fn is_over(&self, now: Nanos) -> bool {
        self.fields.on.is_some_and(|on| now >= self.start.saturating_add(on))
            || self.breaker.as_ref().is_some_and(Breaker::has_tripped)
    }

    /// Handles a timer of the breaker.
    fn tend_breaker(&mut self, ctx: &mut AppContext<'_>, token: u64) {
        let is_over = self.is_over(ctx.now);
        let counters = Report { expected: self.expected, received: self.received };
        let Some(breaker) = self.breaker.as_mut().filter(|_| !is_over) else { return };
        if token == REPORT {
            let (number, len) = breaker.report(counters);
            ctx.send(Side::Sink, number, len);
            ctx.timer(ctx.now.saturating_add(breaker.interval()), REPORT);
        } else {
            breaker.expire(ctx.now);
            ctx.timer(breaker.due(), REPORT_DUE);
        }
    }

    /// Notes that a number has arrived. Returns whether this is its first arrival.
    fn note(&mut self, number: u64) -> bool {
        let (word, bit) = ((number / 64) as usize, 1 << (number % 64));
        if self.arrived.len() <= word {
            self.arrived.resize(word + 1, 0);
        }
        let new = self.arrived[word] & bit == 0;
        self.arrived[word] |= bit;
        new
    }
}

impl Application for Cbr {
    fn on_start(&mut self, ctx: &mut AppContext<'_>) {
        self.start = ctx.now;
        self.breaker = self.fields.circuit_breaker.clone().map(|fields| Breaker::new(fields, ctx.now));
        if let Some(breaker) = &self.breaker {
            ctx.timer(ctx.now.saturating_add(breaker.interval()), REPORT);
            ctx.timer(breaker.due(), REPORT_DUE);
        }
        self.send(ctx);
    }

    fn on_timer(&mut self, ctx: &mut AppContext<'_>, token: u64) {
        if token != DATAGRAM {
            self.tend_breaker(ctx, token);
        } else if !self.is_over(ctx.now) {
            self.send(ctx);
        }
    }

    fn on_datagram(&mut self, ctx: &mut AppContext<'_>, side: Side, datagram: Datagram) {
        if side == Side::Source {
            if let Some(breaker) = &mut self.breaker {
                breaker.on_report(ctx.now, datagram.number, self.sent);
            }
            return;
        }
        if !self.note(datagram.number) {
            self.duplicates += 1;
            return;
        }
        self.received += 1;
        self.reordered += u64::from(datagram.number < self.expected);
        self.expected = self.expected.max(datagram.number + 1);
        let delay = ctx.now - datagram.sent;
        self.delays.record(delay);
        if let Some(last) = self.last_delay.replace(delay) {
            self.jitter += (delay.abs_diff(last) as f64 - self.jitter) / 16.0;
        }
    }

    /// Adds a row of `cbr`. As in RTP (RFC 3550 section 6.4.1), only numbers below the largest number that arrived
    /// count as lost: a datagram in flight at the end is not lost.
    fn report(&self, flow: &str, now: Nanos, tables: &mut AppTables) {
        let lost = self.expected - self.received;
        let ms = |time: f64| time / 1e6;
        let quantile = |quantile| self.delays.quantile(quantile).map(|delay| ms(delay as f64));
        let bytes = self.received * u64::from(self.fields.packet_size);
        let time = now.saturating_sub(self.start).min(self.fields.on.unwrap_or(Nanos::MAX));
        if let Some(breaker) = &self.breaker {
            breaker.row(flow, self.start).add_to(tables);
        }
        declared::Cbr {
            flow: flow.into(),
            sent: self.sent.into(),
            received: self.received.into(),
            lost: lost.into(),
            loss: (self.expected > 0).then(|| lost as f64 / self.expected as f64).into(),
            duplicates: self.duplicates.into(),
            reordered: self.reordered.into(),
            received_bps: rate_bps(bytes, time).into(),
            delay_mean_ms: self.delays.mean().map(ms).into(),
            delay_p50_ms: quantile(0.50).into(),
            delay_p95_ms: quantile(0.95).into(),
            delay_p99_ms: quantile(0.99).into(),
            delay_max_ms: self.delays.max().map(|delay| ms(delay as f64)).into(),
            jitter_ms: ms(self.jitter).into(),
        }
        .add_to(tables);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;
    use crate::fake_network::{FakeNetwork, MILLISECOND, SECOND};
    use ackclock_core::{Ecn, Stream};
    use ackclock_results::{Column, Table};

    /// Datagrams of 125 bytes every 3 1/3 ms.
    const FIELDS: Fields = Fields { rate: 300_000, packet_size: 125, on: None, circuit_breaker: None };

    fn table(app: &Cbr, now: Nanos) -> Table {
        let mut tables = AppTables::new();
        app.report("stream", now, &mut tables);
        tables["cbr"].clone()
    }

    fn ints(table: &Table) -> [i64; 5] {
        ["sent", "received", "lost", "duplicates", "reordered"].map(|name| match table.column(name) {
            Some(Column::Int(cells)) => cells[0].unwrap(),
            other => panic!("{name} is {other:?}"),
        })
    }

    fn float(table: &Table, name: &str) -> f64 {
        match table.column(name) {
            Some(Column::Float(cells)) => cells[0].unwrap(),
            other => panic!("{name} is {other:?}"),
        }
    }

    #[test]
    fn at_a_rate_that_does_not_drift() {
        let mut network = FakeNetwork::new(1_000_000, Cbr::new(Fields { on: Some(SECOND), ..FIELDS }));
        network.delay = 20 * MILLISECOND;
        network.run_until(2 * SECOND);
        let sends: Vec<_> = network
            .log
            .iter()
            .filter_map(|(at, command)| match command {
                Command::Send { side: Side::Source, number, len: 97, .. } => Some((*at, *number)),
                _ => None,
            })
            .collect();
        assert_eq!(sends.len(), 300);
        assert_eq!(sends[299], (996_666_666, 299));
        let table = table(&network.app, network.now);
        assert_eq!(ints(&table), [300, 300, 0, 0, 0]);
        assert_eq!((float(&table, "received_bps"), float(&table, "jitter_ms")), (300_000.0, 0.0));
        assert!((float(&table, "delay_p99_ms") - 20.0).abs() < 0.02 && float(&table, "delay_max_ms") == 20.0);
    }

    #[test]
    fn what_is_missing_late_or_twice_is_counted() {
        let (mut cbr, mut random) = (Cbr::new(FIELDS), Stream::new(1, "stream"));
        let (mut commands, mut next) = (Vec::new(), 0);
        cbr.on_start(&mut AppContext::new(0, &mut random, &mut commands, &mut next));
        for _ in 0..99 {
            cbr.on_timer(&mut AppContext::new(0, &mut random, &mut commands, &mut next), 0);
        }
        // Numbers 1 and 2 to 66 are reordered across a word of the bit set; 67 to 69 are missing; 71 and later have not
        // been sent.
        for (number, delay) in [(0, 10), (66, 10), (1, 26), (1, 30), (70, 10)] {
            let sent = number * 4 * MILLISECOND;
            let mut ctx = AppContext::new(sent + delay * MILLISECOND, &mut random, &mut commands, &mut next);
            cbr.on_datagram(&mut ctx, Side::Sink, Datagram { number, len: 97, sent, ecn: Ecn::NotEct });
        }
        let table = table(&cbr, SECOND);
        assert_eq!(ints(&table), [100, 4, 67, 1, 1]);
        assert!((float(&table, "loss") - 67.0 / 71.0).abs() < 1e-12);
        // Differences of 0, 16 and 16 ms give a jitter of 0, 1 and 1 + 15 / 16 ms.
        assert!((float(&table, "jitter_ms") - 1.9375).abs() < 1e-9);
        assert_eq!(float(&table, "delay_mean_ms"), 14.0);
    }
}
