//! On and off: the source sends for a time, or so many bytes, is silent for a time, and begins anew.

use super::bulk::WITHOUT_END;
use super::completion::{Completions, Path};
use super::draw::Distribution;
use super::{AppContext, AppTables, Application, Conn, Entry, Side, rate_bps, seconds};
use crate::Nanos;

pub(super) const ENTRY: Entry = Entry {
    name: "onoff",
    summary: "the source sends for a time, or some bytes, over a fresh connection, and is silent for a time, in turn",
};

/// How long the source is on.
#[derive(Clone, Debug)]
pub enum On {
    /// A time, ns: as fast as TCP allows, from the opening of the connection on. What TCP has not sent at its end is
    /// withdrawn.
    Time(Distribution),
    /// A volume, bytes, at least one: until the sink has it all.
    Size(Distribution),
}

/// On periods, each a connection of its own that the source opens, with an off period before each.
#[derive(Debug)]
pub struct OnOff {
    on: On,
    off: Distribution,
    path: Path,
    /// In the order of the connections: period i runs over connection i.
    periods: Vec<Period>,
}

#[derive(Clone, Copy, Debug)]
struct Period {
    /// What the source has to send; [`WITHOUT_END`] for a time.
    size: u64,
    start: Nanos,
    end: Option<Nanos>,
    /// When the source's handshake was over.
    connected: Option<Nanos>,
    /// Bytes that the sink has.
    delivered: u64,
}

/// What timers are for: the token of the end of a period is its number.
const BEGIN: u64 = u64::MAX;

impl OnOff {
    /// Off for a time drawn from `off` (ns), on as `on` says, and so on until the run ends.
    pub fn new(on: On, off: Distribution, path: Path) -> OnOff {
        OnOff { on, off, path, periods: Vec::new() }
    }

    fn rest(&mut self, ctx: &mut AppContext<'_>) {
        let off = self.off.draw(ctx.random);
        ctx.timer(ctx.now.saturating_add(off), BEGIN);
    }

    fn begin(&mut self, ctx: &mut AppContext<'_>) {
        let conn = ctx.open(Side::Source);
        let size = match &self.on {
            On::Time(time) => {
                let time = time.draw(ctx.random);
                ctx.timer(ctx.now.saturating_add(time), conn.0.into());
                WITHOUT_END
            }
            On::Size(size) => size.draw(ctx.random).max(1),
        };
        self.periods.push(Period { size, start: ctx.now, end: None, connected: None, delivered: 0 });
    }

    fn end(&mut self, ctx: &mut AppContext<'_>, conn: Conn) {
        let Some(period) = self.periods.get_mut(conn.0 as usize) else { return };
        if period.end.replace(ctx.now).is_none() {
            self.rest(ctx);
        }
    }
}

impl OnOff {
    fn report_summary(&self, flow: &str, now: Nanos, tables: &mut AppTables) {
        let time: Nanos = self.periods.iter().map(|period| period.end.unwrap_or(now) - period.start).sum();
        let bytes: u64 = self.periods.iter().map(|period| period.delivered).sum();
        tables.entry("time_on").or_default().push([
            ("flow", flow.into()),
            ("periods", self.periods.len().into()),
            ("time_on_s", seconds(time).into()),
            ("bytes", bytes.into()),
            ("throughput_bps", rate_bps(bytes, time).into()),
        ]);
        if let On::Size(_) = self.on {
            let mut completions = Completions::new(self.path);
            for (period, end) in self.periods.iter().filter_map(|period| Some((period, period.end?))) {
                completions.record(period.size, end - period.start);
            }
            let open = self.periods.iter().filter(|period| period.end.is_none()).count();
            completions.report(flow, "period", open, tables);
        }
    }
}

impl Application for OnOff {
    fn on_start(&mut self, ctx: &mut AppContext<'_>) {
        self.rest(ctx);
    }

    fn on_connected(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        let Some(period) = self.periods.get_mut(conn.0 as usize) else { return };
        if side == Side::Source && period.end.is_none() {
            period.connected = Some(ctx.now);
            ctx.write(conn, Side::Source, period.size);
            if let On::Size(_) = self.on {
                ctx.close(conn, Side::Source);
            }
        }
    }

    fn on_received(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side, total: u64) {
        let Some(period) = self.periods.get_mut(conn.0 as usize) else { return };
        if side == Side::Sink {
            period.delivered = total;
            if total >= period.size {
                self.end(ctx, conn);
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
        let conn = Conn(token as u32);
        ctx.stop(conn, Side::Source);
        self.end(ctx, conn);
    }

    /// One row of `onoff` for each on period that has begun, and one of `time_on` for all of them up to `now`: throughput is
    /// what was delivered over the time on, the one under way included. Periods of a volume are in `completions`, too.
    fn report(&self, flow: &str, now: Nanos, tables: &mut AppTables) {
        self.report_summary(flow, now, tables);
        for (index, period) in self.periods.iter().enumerate() {
            let duration = period.end.map(|end| end - period.start);
            tables.entry("onoff").or_default().push([
                ("flow", flow.into()),
                ("index", index.into()),
                ("bytes", period.delivered.into()),
                ("start_s", seconds(period.start).into()),
                ("connected_s", period.connected.map(seconds).into()),
                ("end_s", period.end.map(seconds).into()),
                ("duration_s", duration.map(seconds).into()),
                ("goodput_bps", duration.and_then(|duration| rate_bps(period.delivered, duration)).into()),
            ]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Command;
    use crate::app::fake_network::{FakeNetwork, MILLISECOND, PATH, SECOND};
    use crate::table::{Column, Table};

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

    /// The handshake takes 40 ms of 240; 200 ms at 1 Mbit/s are 25 kB, and the last byte travels 20 ms more.
    #[test]
    fn on_for_a_time_over_a_connection_of_its_own() {
        let on = On::Time(Distribution::Constant(240 * MILLISECOND));
        let mut network = FakeNetwork::new(1_000_000, OnOff::new(on, Distribution::Constant(760 * MILLISECOND), PATH));
        network.delay = 20 * MILLISECOND;
        network.run_until(2 * SECOND + 900 * MILLISECOND);
        let (open, write, stop, close) = (
            |conn| Command::Open { conn: Conn(conn), opener: Side::Source },
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
        // What was under way at the end of a period counts; 80 ms of the third are here.
        assert_eq!(table.column("bytes"), Some(&Column::Int(vec![Some(25_000), Some(25_000), Some(10_000)])));
        let goodput = 25_000.0 * 8.0 / 0.24;
        assert_eq!(table.column("goodput_bps"), Some(&floats([Some(goodput), Some(goodput), None])));
        // 60 kB in 240 + 240 + 140 ms.
        let tables = summary(&network);
        assert_eq!(tables["time_on"].column("time_on_s"), Some(&floats([Some(0.62)])));
        assert_eq!(tables["time_on"].column("throughput_bps"), Some(&floats([Some(60_000.0 * 8.0 / 0.62)])));
        assert!(!tables.contains_key("completions"), "a time has no completion");
    }

    /// 12.5 kB at 1 Mbit/s take 100 ms, after 40 ms of handshake and before 20 ms on the way.
    #[test]
    fn on_for_so_many_bytes() {
        let on = On::Size(Distribution::Constant(12_500));
        let mut network = FakeNetwork::new(1_000_000, OnOff::new(on, Distribution::Constant(SECOND), PATH));
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

    /// A period may end before its handshake: nothing is written any more.
    #[test]
    fn a_period_shorter_than_the_handshake_sends_nothing() {
        let on = On::Time(Distribution::Constant(10 * MILLISECOND));
        let mut network = FakeNetwork::new(1_000_000, OnOff::new(on, Distribution::Constant(490 * MILLISECOND), PATH));
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
        let mut network = FakeNetwork::new(1_000_000, OnOff::new(On::Time(mean.clone()), mean, PATH));
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
