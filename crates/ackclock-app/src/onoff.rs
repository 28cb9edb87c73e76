//! On-off traffic: the source sends for a time, or a number of bytes, is silent for a time, and repeats.

use super::bulk::WITHOUT_END;
use super::completion::{Completions, Path};
use super::demand::{self, Demand, repeated, rows_of, typical_s};
use super::kind::{AppKind, Made};
use super::{AppContext, AppTables, Application, Conn, Side, rate_bps, seconds};
use crate::fields::{Flag, Random, Rules, Time, Volume, default, drawn, optional, record, required, time};
use ackclock_core::Distribution;
use ackclock_core::Nanos;
use ackclock_results::{Row, declared};

record! {
    /// The source alternates between off and on periods, starting with an off period; it sends in the on periods.
    pub struct Fields {
        /// Duration of an on period; data that TCP has not sent by its end is withdrawn.
        on: Option<Random<Time>> = optional("until size is delivered", drawn());
        /// Volume that the source sends in an on period.
        size: Option<Random<Volume>> = optional("as much as it can in the time on", drawn());
        /// Duration of an off period.
        off: Random<Time> = required(drawn());
        /// Whether all on periods use one connection, whose TCP keeps its state; otherwise each on period has a new
        /// connection. The fields restart_after_idle and validation determine the window after an off period.
        persistent: bool = default(false, Flag);
        /// Time by which an on period of a volume outlasts the delivery of its last byte, where it lasts until the last
        /// acknowledgment is back, for example.
        tail: Nanos = default("0s", time());
    }
}

impl AppKind for Fields {
    fn check(&self, rules: &mut Rules<'_, '_>) {
        let accepted = "on, the time, or size, the volume of an on period";
        rules.require(self.on.is_none() && self.size.is_none(), "on", accepted);
        let both = self.on.is_some() && self.size.is_some();
        rules.refuse(both, "size", &[rules.at.key("on")], "", format!("beside on; accepted: {accepted}, not both"));
    }

    fn demand(&self, time: f64, path: Path) -> Demand {
        let off = typical_s(&self.off.distribution());
        let (each, bytes) = match (&self.on, &self.size) {
            (Some(on), _) => (typical_s(&on.distribution()), f64::INFINITY),
            (None, Some(size)) => {
                let size = size.distribution();
                (path.least_s(size.median()), size.mean())
            }
            (None, None) => (0.0, 0.0),
        };
        let periods = demand::drawn(repeated(time, off + each));
        let connections = if self.persistent { 1.0 } else { periods };
        Demand {
            bytes: periods * bytes,
            messages: periods,
            connections,
            open: connections.min(demand::IN_TURN),
            rows: rows_of(periods) + 1.0,
            ..Demand::default()
        }
    }

    fn make(&self, path: Path, _flow: &str) -> Made {
        let on = match (&self.on, &self.size) {
            (Some(time), _) => On::Time(time.distribution()),
            (None, size) => On::Size(size.as_ref().expect("a scenario has one of the two").distribution()),
        };
        Ok(Box::new(OnOff::new(on, self.off.distribution(), self.persistent, path).with_tail(self.tail)))
    }
}

/// Length of an on period.
#[derive(Clone, Debug)]
pub enum On {
    /// A time, in ns, from the opening of the connection: the source sends as fast as TCP allows. Data that TCP has not
    /// sent at the end is withdrawn.
    Time(Distribution),
    /// A volume, in bytes, at least one: the period lasts until the sink has received all of it.
    Size(Distribution),
}

/// On periods, each after an off period. Each on period has a connection of its own that the source opens, or all share
/// one connection. The source opens the shared connection for the first on period, and its TCP keeps its state. The TCP
/// determines the window after an off period.
#[derive(Debug)]
pub struct OnOff {
    on: On,
    off: Distribution,
    persistent: bool,
    /// Time by which a period of a volume outlasts the delivery of its last byte.
    tail: Nanos,
    path: Path,
    /// Period i uses connection i; with a shared connection, all periods use that connection.
    periods: Vec<Period>,
    /// State of the shared connection: whether the source's handshake is over, and the stream bytes that the sink has
    /// received.
    connected: bool,
    received: u64,
}

#[derive(Clone, Copy, Debug)]
struct Period {
    /// Bytes that the source has to send; [`WITHOUT_END`] for a period of a given time.
    size: u64,
    start: Nanos,
    end: Option<Nanos>,
    /// Time at which the source's handshake was over; the period's start if the handshake was over before.
    connected: Option<Nanos>,
    /// Stream bytes of its connection that the sink had received at the start of the period.
    before: u64,
    /// Bytes that the sink has received since then, up to the next period of the connection.
    delivered: u64,
}

/// Token of the timer for the next on period; the token of the end of a period is the period's number.
const BEGIN: u64 = u64::MAX;

impl OnOff {
    /// Creates alternating periods: off for a time drawn from `off` (ns), then on as `on` says, until the run ends;
    /// over one connection if `persistent`.
    pub fn new(on: On, off: Distribution, persistent: bool, path: Path) -> OnOff {
        OnOff { on, off, persistent, tail: 0, path, periods: Vec::new(), connected: false, received: 0 }
    }

    /// The same with periods of a volume that end `tail` ns after the delivery of their last byte.
    #[must_use]
    pub fn with_tail(self, tail: Nanos) -> OnOff {
        OnOff { tail, ..self }
    }

    fn rest(&mut self, ctx: &mut AppContext<'_>) {
        let off = self.off.draw(ctx.random);
        ctx.timer(ctx.now.saturating_add(off), BEGIN);
    }

    fn begin(&mut self, ctx: &mut AppContext<'_>) {
        let index = self.periods.len();
        if index == 0 || !self.persistent {
            ctx.open(Side::Source);
        }
        let size = match &self.on {
            On::Time(time) => {
                let time = time.draw(ctx.random);
                ctx.timer(ctx.now.saturating_add(time), index as u64);
                WITHOUT_END
            }
            On::Size(size) => size.draw(ctx.random).max(1),
        };
        let connected = self.connected.then_some(ctx.now);
        let before = self.received;
        self.periods.push(Period { size, start: ctx.now, end: None, connected, before, delivered: 0 });
        if self.connected {
            ctx.write(Conn(0), Side::Source, size);
        }
    }

    fn end(&mut self, ctx: &mut AppContext<'_>, index: usize) {
        let Some(period) = self.periods.get_mut(index) else { return };
        if period.end.replace(ctx.now).is_none() {
            self.rest(ctx);
        }
    }

    /// Returns the connection of a period.
    fn connection(&self, index: usize) -> Conn {
        Conn(if self.persistent { 0 } else { index as u32 })
    }

    /// Returns the period that an event of a connection concerns: for a shared connection, the last period.
    fn period(&self, conn: Conn) -> usize {
        if self.persistent { self.periods.len() - 1 } else { conn.0 as usize }
    }
}

impl OnOff {
    fn report_summary(&self, flow: &str, now: Nanos, tables: &mut AppTables) {
        let time: Nanos = self.periods.iter().map(|period| period.end.unwrap_or(now) - period.start).sum();
        let bytes: u64 = self.periods.iter().map(|period| period.delivered).sum();
        declared::TimeOn {
            flow: flow.into(),
            periods: self.periods.len().into(),
            time_on_s: seconds(time).into(),
            bytes: bytes.into(),
            throughput_bps: rate_bps(bytes, time).into(),
        }
        .add_to(tables);
        if let On::Size(_) = self.on {
            let mut completions = Completions::default();
            for (period, end) in self.periods.iter().filter_map(|period| Some((period, period.end?))) {
                completions.record(period.size, end - period.start, self.path.ideal(period.size));
            }
            let open = self.periods.iter().filter(|period| period.end.is_none()).count();
            completions.report(flow, "period", open, tables);
            completions.report_bins(flow, "period", tables);
        }
    }
}

impl Application for OnOff {
    fn on_start(&mut self, ctx: &mut AppContext<'_>) {
        self.rest(ctx);
    }

    fn on_connected(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        if side == Side::Sink {
            return;
        }
        self.connected = self.persistent;
        let index = self.period(conn);
        let Some(period) = self.periods.get_mut(index).filter(|period| period.end.is_none()) else { return };
        period.connected = Some(ctx.now);
        ctx.write(conn, Side::Source, period.size);
        if matches!(self.on, On::Size(_)) && !self.persistent {
            ctx.close(conn, Side::Source);
        }
    }

    fn on_received(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side, total: u64) {
        if side == Side::Source {
            return;
        }
        if self.persistent {
            self.received = total;
        }
        let index = self.period(conn);
        let Some(period) = self.periods.get_mut(index) else { return };
        period.delivered = total - period.before;
        if period.delivered >= period.size {
            match self.tail {
                0 => self.end(ctx, index),
                tail => ctx.timer(ctx.now.saturating_add(tail), index as u64),
            }
        }
    }

    fn on_peer_closed(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        if side == Side::Sink {
            ctx.close(conn, Side::Sink);
        }
    }

    fn on_timer(&mut self, ctx: &mut AppContext<'_>, token: u64) {
        if token == BEGIN {
            return self.begin(ctx);
        }
        let index = token as usize;
        let conn = self.connection(index);
        match self.on {
            On::Time(_) if self.persistent => ctx.withdraw(conn, Side::Source),
            On::Time(_) => ctx.stop(conn, Side::Source),
            On::Size(_) => {}
        }
        self.end(ctx, index);
    }

    /// Adds one row of `onoff` for each on period that has begun, and one row of `time_on` for all of them up to `now`.
    /// Throughput is the volume delivered divided by the time on, including the current period. Periods of a volume are
    /// in `completions`, too.
    fn report(&self, flow: &str, now: Nanos, tables: &mut AppTables) {
        self.report_summary(flow, now, tables);
        for (index, period) in self.periods.iter().enumerate() {
            let duration = period.end.map(|end| end - period.start);
            declared::Onoff {
                flow: flow.into(),
                index: index.into(),
                bytes: period.delivered.into(),
                start_s: seconds(period.start).into(),
                connected_s: period.connected.map(seconds).into(),
                end_s: period.end.map(seconds).into(),
                duration_s: duration.map(seconds).into(),
                goodput_bps: duration.and_then(|duration| rate_bps(period.delivered, duration)).into(),
            }
            .add_to(tables);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;
    use crate::fake_network::{FakeNetwork, MILLISECOND, PATH, SECOND};
    use ackclock_results::{Column, Table};

    fn summary(network: &FakeNetwork<OnOff>) -> AppTables {
        let mut tables = AppTables::new();
        network.app.report("o", network.now, &mut tables);
        tables
    }

    fn table(network: &FakeNetwork<OnOff>) -> Table {
        summary(network)["onoff"].clone()
    }

    fn floats<const N: usize>(cells: [Option<f64>; N]) -> Column {
        Column::Float(cells.to_vec())
    }

    fn log(network: &FakeNetwork<OnOff>) -> Vec<(Nanos, Command)> {
        let no_timers = network.log.iter().filter(|(_, command)| !matches!(command, Command::Timer { .. }));
        no_timers.map(|(at, command)| (at / MILLISECOND, *command)).collect()
    }

    /// The handshake takes 40 ms of 240 ms; 200 ms at 1 Mbit/s carry 25 kB, and the last byte has a one-way delay of 20
    /// ms.
    #[test]
    fn on_for_a_time_over_a_connection_of_its_own() {
        let on = On::Time(Distribution::Constant(240 * MILLISECOND));
        let mut network =
            FakeNetwork::new(1_000_000, OnOff::new(on, Distribution::Constant(760 * MILLISECOND), false, PATH));
        network.delay = 20 * MILLISECOND;
        network.run_until(2 * SECOND + 900 * MILLISECOND);
        let (open, write, stop, close) = (
            |conn| Command::Open { conn: Conn(conn), opener: Side::Source, pair: 0 },
            |conn| Command::Write { conn: Conn(conn), side: Side::Source, bytes: WITHOUT_END },
            |conn| Command::Stop { conn: Conn(conn), side: Side::Source },
            |conn| Command::Close { conn: Conn(conn), side: Side::Sink },
        );
        let second = |conn: u32| {
            let start = 760 + 1000 * Nanos::from(conn);
            [(start, open(conn)), (start + 40, write(conn)), (start + 240, stop(conn)), (start + 260, close(conn))]
        };
        assert_eq!(log(&network), [&second(0)[..], &second(1)[..], &second(2)[..2]].concat());
        let table = table(&network);
        assert_eq!(table.column("start_s"), Some(&floats([Some(0.76), Some(1.76), Some(2.76)])));
        assert_eq!(table.column("connected_s"), Some(&floats([Some(0.8), Some(1.8), Some(2.8)])));
        assert_eq!(table.column("end_s"), Some(&floats([Some(1.0), Some(2.0), None])));
        // Data in flight at the end of a period counts; 80 ms of the third period have arrived.
        assert_eq!(table.column("bytes"), Some(&Column::Int(vec![Some(25_000), Some(25_000), Some(10_000)])));
        let goodput = 25_000.0 * 8.0 / 0.24;
        assert_eq!(table.column("goodput_bps"), Some(&floats([Some(goodput), Some(goodput), None])));
        // 60 kB are delivered in 240 + 240 + 140 ms.
        let tables = summary(&network);
        assert_eq!(tables["time_on"].column("time_on_s"), Some(&floats([Some(0.62)])));
        assert_eq!(tables["time_on"].column("throughput_bps"), Some(&floats([Some(60_000.0 * 8.0 / 0.62)])));
        assert!(!tables.contains_key("completions"), "a time has no completion");
    }

    /// As below; a tail of 20 ms delays the end of the period and the next one, and delivers nothing more.
    #[test]
    fn a_tail_prolongs_the_period() {
        let on = On::Size(Distribution::Constant(12_500));
        let app = OnOff::new(on, Distribution::Constant(SECOND), true, PATH).with_tail(20 * MILLISECOND);
        let mut network = FakeNetwork::new(1_000_000, app);
        network.delay = 20 * MILLISECOND;
        network.run_until(2 * SECOND + 500 * MILLISECOND);
        let table = table(&network);
        assert_eq!(table.column("start_s"), Some(&floats([Some(1.0), Some(2.18)])));
        assert_eq!(table.column("end_s"), Some(&floats([Some(1.18), Some(2.32)])));
        assert_eq!(table.column("bytes"), Some(&Column::Int(vec![Some(12_500), Some(12_500)])));
    }

    /// 12.5 kB at 1 Mbit/s take 100 ms, after 40 ms of handshake and before a one-way delay of 20 ms.
    #[test]
    fn on_for_so_many_bytes() {
        let on = On::Size(Distribution::Constant(12_500));
        let mut network = FakeNetwork::new(1_000_000, OnOff::new(on, Distribution::Constant(SECOND), false, PATH));
        network.delay = 20 * MILLISECOND;
        network.run_until(2 * SECOND + 300 * MILLISECOND);
        let table = table(&network);
        assert_eq!(table.column("start_s"), Some(&floats([Some(1.0), Some(2.16)])));
        assert_eq!(table.column("end_s"), Some(&floats([Some(1.16), None])));
        assert_eq!(table.column("bytes"), Some(&Column::Int(vec![Some(12_500), Some(10_000)])));
        let closes = |side| {
            log(&network).iter().filter(|(_, c)| matches!(c, Command::Close { side: s, .. } if *s == side)).count()
        };
        assert_eq!((closes(Side::Source), closes(Side::Sink)), (2, 1));
        let tables = summary(&network);
        assert_eq!(tables["completions"].column("slowdown_max"), Some(&floats([Some(1.6)])));
        assert_eq!(tables["completions"].column("open"), Some(&Column::Int(vec![Some(1)])));
    }

    /// Like the test above, but there is no handshake from the second period on, and nothing is closed.
    #[test]
    fn on_for_a_time_over_one_connection() {
        let on = On::Time(Distribution::Constant(240 * MILLISECOND));
        let app = OnOff::new(on, Distribution::Constant(760 * MILLISECOND), true, PATH);
        let mut network = FakeNetwork::new(1_000_000, app);
        network.delay = 20 * MILLISECOND;
        network.run_until(2 * SECOND + 900 * MILLISECOND);
        let conn = Conn(0);
        let write = Command::Write { conn, side: Side::Source, bytes: WITHOUT_END };
        let withdraw = Command::Withdraw { conn, side: Side::Source };
        let open = Command::Open { conn, opener: Side::Source, pair: 0 };
        let expected = [(760, open), (800, write), (1000, withdraw), (1760, write), (2000, withdraw), (2760, write)];
        assert_eq!(log(&network), expected);
        let table = table(&network);
        assert_eq!(table.column("connected_s"), Some(&floats([Some(0.8), Some(1.76), Some(2.76)])));
        assert_eq!(table.column("end_s"), Some(&floats([Some(1.0), Some(2.0), None])));
        // Data in flight at the end of a period belongs to that period; 120 ms of the third period have arrived.
        assert_eq!(table.column("bytes"), Some(&Column::Int(vec![Some(25_000), Some(30_000), Some(15_000)])));
        assert_eq!(summary(&network)["time_on"].column("bytes"), Some(&Column::Int(vec![Some(70_000)])));
    }

    #[test]
    fn on_for_so_many_bytes_over_one_connection() {
        let on = On::Size(Distribution::Constant(12_500));
        let mut network = FakeNetwork::new(1_000_000, OnOff::new(on, Distribution::Constant(SECOND), true, PATH));
        network.delay = 20 * MILLISECOND;
        network.run_until(3 * SECOND + 380 * MILLISECOND);
        let table = table(&network);
        assert_eq!(table.column("start_s"), Some(&floats([Some(1.0), Some(2.16), Some(3.28)])));
        assert_eq!(table.column("end_s"), Some(&floats([Some(1.16), Some(2.28), None])));
        assert_eq!(table.column("bytes"), Some(&Column::Int(vec![Some(12_500), Some(12_500), Some(10_000)])));
        assert!(!log(&network).iter().any(|(_, command)| matches!(command, Command::Close { .. })));
        assert_eq!(summary(&network)["completions"].column("count"), Some(&Column::Int(vec![Some(2)])));
    }

    /// All periods depend on the one handshake. A period that begins before its end is delayed, and a period that ends
    /// before it sends nothing.
    #[test]
    fn periods_before_the_handshake_of_the_one_connection() {
        let on = On::Time(Distribution::Constant(30 * MILLISECOND));
        let app = OnOff::new(on, Distribution::Constant(20 * MILLISECOND), true, PATH);
        let mut network = FakeNetwork::new(1_000_000, app);
        network.delay = 30 * MILLISECOND;
        network.run_until(130 * MILLISECOND);
        // The source is on from 20 to 50 ms, from 70 to 100 ms and from 120 ms on; it is connected at 80 ms.
        let times: Vec<_> = network.writes(Side::Source).iter().map(|(at, _)| at / MILLISECOND).collect();
        assert_eq!(times, [80, 120]);
        assert_eq!(table(&network).column("connected_s"), Some(&floats([None, Some(0.08), Some(0.12)])));
    }

    /// A period may end before its handshake; in that case nothing is written.
    #[test]
    fn a_period_shorter_than_the_handshake_sends_nothing() {
        let on = On::Time(Distribution::Constant(10 * MILLISECOND));
        let mut network =
            FakeNetwork::new(1_000_000, OnOff::new(on, Distribution::Constant(490 * MILLISECOND), false, PATH));
        network.delay = 20 * MILLISECOND;
        network.run_until(SECOND);
        assert!(network.writes(Side::Source).is_empty());
        let table = table(&network);
        assert_eq!(table.column("connected_s"), Some(&floats([None, None])));
        assert_eq!(table.column("bytes"), Some(&Column::Int(vec![Some(0), Some(0)])));
    }

    #[test]
    fn on_and_off_are_drawn_anew_each_time() {
        let mean = Distribution::Exponential(100 * MILLISECOND);
        let mut network = FakeNetwork::new(1_000_000, OnOff::new(On::Time(mean.clone()), mean, false, PATH));
        network.run_until(400 * SECOND);
        let Some(Column::Float(durations)) = table(&network).column("duration_s").cloned() else { panic!("durations") };
        let durations: Vec<f64> = durations.into_iter().flatten().collect();
        let count = durations.len() as f64;
        assert!((1800.0..2200.0).contains(&count), "{count} periods of 200 ms in 400 s");
        let mean = durations.iter().sum::<f64>() / count;
        assert!((0.09..0.11).contains(&mean), "{mean}");
        assert!(durations.iter().any(|&duration| duration > 0.3) && durations.iter().any(|&duration| duration < 0.01));
    }
}
