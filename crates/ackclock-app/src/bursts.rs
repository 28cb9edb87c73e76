//! Bursts of a fixed size at a fixed interval over one connection that stays open.

use super::completion::Path;
use super::delivery::{self, Delivery};
use super::demand::{Demand, repeated, rows_of};
use super::kind::{AppKind, Made};
use super::{AppContext, AppTables, Application, Conn, Side};
use crate::fields::{count, optional, record, required, time, volume};
use ackclock_core::Nanos;
use ackclock_results::declared;

record! {
    /// The source sends bursts of a fixed size at a fixed interval over one connection.
    pub struct Fields {
        /// Size of a burst.
        size: u64 = required(volume().positive());
        /// Time from the start of a burst to the start of the next, whether or not the burst is complete by then.
        interval: Nanos = required(time().positive());
        /// Number of bursts.
        count: Option<u32> = optional("bursts until the run ends", count("bursts", 1, 1_000_000));
    }
}

impl AppKind for Fields {
    fn demand(&self, time: f64, _path: Path) -> Demand {
        let most = self.count.map_or(f64::INFINITY, f64::from);
        let count = repeated(time, self.interval as f64 / 1e9).min(most);
        let bytes = count * self.size as f64;
        Demand { bytes, messages: count, connections: 1.0, open: 1.0, rows: rows_of(count), ..Demand::default() }
    }

    fn make(&self, path: Path, _flow: &str) -> Made {
        Ok(Box::new(Bursts::new(self.size, self.interval, self.count, path)))
    }
}

/// Bursts of `size` bytes from source to sink over one connection. The first burst is written when the connection is
/// established. Each further burst is written `interval` after the start of the previous burst, whether or not that
/// burst is complete. A burst that begins before the previous one is complete is queued behind it in the stream; its
/// time still runs from its own start.
#[derive(Debug)]
pub struct Bursts {
    size: u64,
    interval: Nanos,
    count: Option<u32>,
    path: Path,
    conn: Option<Conn>,
    records: Vec<Delivery>,
    /// Number of complete bursts.
    done: usize,
}

impl Bursts {
    /// Creates bursts of `size` bytes every `interval` nanoseconds: `count` bursts, or bursts until the run ends.
    pub fn new(size: u64, interval: Nanos, count: Option<u32>, path: Path) -> Bursts {
        Bursts { size, interval, count, path, conn: None, records: Vec::new(), done: 0 }
    }

    fn write(&mut self, ctx: &mut AppContext<'_>) {
        let Some(conn) = self.conn else { return };
        ctx.write(conn, Side::Source, self.size);
        self.records.push(Delivery { bytes: self.size, start: ctx.now, end: None });
        if self.count.is_some_and(|count| self.records.len() >= count as usize) {
            ctx.close(conn, Side::Source);
        } else {
            ctx.timer(ctx.now.saturating_add(self.interval), 0);
        }
    }
}

impl Application for Bursts {
    fn on_start(&mut self, ctx: &mut AppContext<'_>) {
        self.conn = Some(ctx.open(Side::Source));
    }

    fn on_connected(&mut self, ctx: &mut AppContext<'_>, _conn: Conn, side: Side) {
        if side == Side::Source {
            self.write(ctx);
        }
    }

    fn on_timer(&mut self, ctx: &mut AppContext<'_>, _token: u64) {
        self.write(ctx);
    }

    fn on_received(&mut self, ctx: &mut AppContext<'_>, _conn: Conn, side: Side, total: u64) {
        if side == Side::Sink {
            while let Some(record) = self.records.get_mut(self.done)
                && total / self.size > self.done as u64
            {
                record.end = Some(ctx.now);
                self.done += 1;
            }
        }
    }

    fn on_peer_closed(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        if side == Side::Sink {
            ctx.close(conn, Side::Sink);
        }
    }

    /// Adds one row of `bursts` for each burst that was written.
    fn report(&self, flow: &str, _now: Nanos, tables: &mut AppTables) {
        delivery::report::<declared::Bursts>("burst", flow, |bytes| self.path.ideal(bytes), &self.records, tables);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;
    use crate::fake_network::{FakeNetwork, MILLISECOND, PATH, SECOND};
    use ackclock_results::Column;

    fn table(network: &FakeNetwork<Bursts>) -> ackclock_results::Table {
        let mut tables = AppTables::new();
        network.app.report("b", network.now, &mut tables);
        tables["bursts"].clone()
    }

    /// 12.5 kB at 1 Mbit/s take 100 ms. The handshake takes 40 ms at the source, and the last byte has a one-way delay
    /// of 20 ms.
    #[test]
    fn at_their_interval_over_one_connection() {
        let mut network = FakeNetwork::new(1_000_000, Bursts::new(12_500, SECOND, Some(3), PATH));
        network.delay = 20 * MILLISECOND;
        network.run_until(10 * SECOND);
        let writes: Vec<_> =
            network.writes(Side::Source).iter().map(|(at, bytes)| (at / MILLISECOND, *bytes)).collect();
        assert_eq!(writes, [(40, 12_500), (1040, 12_500), (2040, 12_500)]);
        let opened = network.log.iter().filter(|(_, command)| matches!(command, Command::Open { .. })).count();
        assert_eq!(opened, 1);
        let closed: Vec<_> = network
            .log
            .iter()
            .filter_map(|(at, command)| match command {
                Command::Close { side, .. } => Some((at / MILLISECOND, *side)),
                _ => None,
            })
            .collect();
        assert_eq!(closed, [(2040, Side::Source), (2160, Side::Sink)], "after the last burst");
        assert_eq!(table(&network).column("duration_s"), Some(&Column::Float(vec![Some(0.12); 3])));
    }

    #[test]
    fn one_that_comes_early_waits_behind_the_one_before() {
        // A burst takes 100 ms, and a new burst starts every 60 ms.
        let mut network = FakeNetwork::new(1_000_000, Bursts::new(12_500, 60 * MILLISECOND, None, PATH));
        network.run_until(210 * MILLISECOND);
        let table = table(&network);
        assert_eq!(table.column("start_s"), Some(&Column::Float(vec![Some(0.0), Some(0.06), Some(0.12), Some(0.18)])));
        assert_eq!(table.column("end_s"), Some(&Column::Float(vec![Some(0.1), Some(0.2), None, None])));
        assert_eq!(table.column("duration_s"), Some(&Column::Float(vec![Some(0.1), Some(0.14), None, None])));
        let goodput = table.column("goodput_bps");
        assert_eq!(goodput, Some(&Column::Float(vec![Some(1e6), Some(100_000.0 * 1e9 / 140e6), None, None])));
    }

    /// Segments need not end where bursts do: one segment may complete two bursts.
    #[test]
    fn several_may_be_complete_at_once() {
        let mut network = FakeNetwork::new(1_000_000, Bursts::new(25, MILLISECOND / 10, Some(4), PATH));
        network.run_until(SECOND);
        let ends = table(&network);
        let Some(Column::Float(ends)) = ends.column("end_s") else { panic!("no ends") };
        assert!(ends.iter().all(Option::is_some) && ends.is_sorted());
    }
}
