//! Transfers of a fixed size, one after another, each over a new connection.

use super::completion::Path;
use super::delivery::{self, Delivery};
use super::demand::{Demand, IN_TURN, repeated, rows_of};
use super::kind::{AppKind, Made};
use super::{AppContext, AppTables, Application, Conn, Side};
use crate::fields::{count, default, record, required, time, volume};
use ackclock_core::Nanos;
use ackclock_results::declared;

record! {
    /// The source sends a fixed number of bytes, once or several times, each time over a new connection.
    pub struct Fields {
        /// Size of a transfer.
        size: u64 = required(volume().positive());
        /// Number of transfers.
        count: u32 = default(1, count("transfers", 1, 1_000_000));
        /// Time from the end of a transfer to the start of the next.
        gap: Nanos = default("0s", time());
    }
}

impl AppKind for Fields {
    fn demand(&self, time: f64, path: Path) -> Demand {
        let each = self.gap as f64 / 1e9 + path.handshake_s() + path.least_s(self.size as f64);
        let count = repeated(time, each).min(self.count.into());
        let bytes = count * self.size as f64;
        Demand { bytes, messages: count, connections: count, open: IN_TURN, rows: rows_of(count), ..Demand::default() }
    }

    fn make(&self, path: Path, _flow: &str) -> Made {
        Ok(Box::new(Transfer::new(self.size, self.count, self.gap, path)))
    }
}

/// `count` transfers of `size` bytes from source to sink. For each transfer the source opens a connection, writes and
/// closes. The next transfer begins `gap` after the sink has received all bytes. A transfer's time runs from the
/// opening of the connection to the last byte's arrival, so it includes the handshake.
#[derive(Debug)]
pub struct Transfer {
    size: u64,
    count: u32,
    gap: Nanos,
    path: Path,
    /// Deliveries in the order of the connections: transfer i uses connection i.
    records: Vec<Delivery>,
}

impl Transfer {
    /// Creates `count` transfers of `size` bytes with `gap` nanoseconds between them.
    pub fn new(size: u64, count: u32, gap: Nanos, path: Path) -> Transfer {
        Transfer { size, count, gap, path, records: Vec::new() }
    }

    fn begin(&mut self, ctx: &mut AppContext<'_>) {
        if self.records.len() < self.count as usize {
            ctx.open(Side::Source);
            self.records.push(Delivery { bytes: self.size, start: ctx.now, end: None });
        }
    }

    fn complete(&mut self, ctx: &mut AppContext<'_>, conn: Conn) {
        let Some(record) = self.records.get_mut(conn.0 as usize) else { return };
        if record.end.is_none() {
            record.end = Some(ctx.now);
            ctx.timer(ctx.now.saturating_add(self.gap), 0);
        }
    }
}

impl Application for Transfer {
    fn on_start(&mut self, ctx: &mut AppContext<'_>) {
        self.begin(ctx);
    }

    fn on_connected(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        if side == Side::Source {
            ctx.write(conn, Side::Source, self.size);
            ctx.close(conn, Side::Source);
        }
    }

    fn on_received(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side, total: u64) {
        if side == Side::Sink && total >= self.size {
            self.complete(ctx, conn);
        }
    }

    fn on_peer_closed(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        if side == Side::Sink {
            // All data before the FIN has arrived: the FIN completes a transfer of zero bytes.
            self.complete(ctx, conn);
            ctx.close(conn, Side::Sink);
        }
    }

    fn on_timer(&mut self, ctx: &mut AppContext<'_>, _token: u64) {
        self.begin(ctx);
    }

    /// Adds one row of `transfers` for each transfer that has begun.
    fn report(&self, flow: &str, _now: Nanos, tables: &mut AppTables) {
        delivery::report::<declared::Transfers>(
            "transfer",
            flow,
            |bytes| self.path.ideal(bytes),
            &self.records,
            tables,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;
    use crate::fake_network::{FakeNetwork, MILLISECOND, PATH, SECOND};
    use ackclock_results::Column;

    /// 125 kB at 1 Mbit/s take 1 s; the handshake takes 40 ms at the source, and the last byte has a one-way delay of
    /// 20 ms.
    #[test]
    fn each_over_its_own_connection_after_the_gap() {
        let mut network = FakeNetwork::new(1_000_000, Transfer::new(125_000, 3, 500 * MILLISECOND, PATH));
        network.delay = 20 * MILLISECOND;
        network.run_until(4 * SECOND);
        let opened: Vec<_> = network
            .log
            .iter()
            .filter_map(|(time, command)| match command {
                Command::Open { conn, opener, .. } => Some((*time / MILLISECOND, conn.0, *opener)),
                _ => None,
            })
            .collect();
        assert_eq!(opened, [(0, 0, Side::Source), (1560, 1, Side::Source), (3120, 2, Side::Source)]);
        let closes = |side| {
            network
                .log
                .iter()
                .filter(move |(_, command)| matches!(command, Command::Close { side: s, .. } if *s == side))
        };
        assert_eq!(closes(Side::Source).count(), 3);
        assert_eq!(closes(Side::Sink).count(), 2, "the third is still under way");

        let mut tables = AppTables::new();
        network.app.report("web", network.now, &mut tables);
        let table = &tables["transfers"];
        assert_eq!(table.column("end_s"), Some(&Column::Float(vec![Some(1.06), Some(2.62), None])));
        assert_eq!(table.column("duration_s"), Some(&Column::Float(vec![Some(1.06), Some(1.06), None])));
        let goodput = 1e6 / 1.06;
        assert_eq!(table.column("goodput_bps"), Some(&Column::Float(vec![Some(goodput), Some(goodput), None])));
        assert_eq!(table.column("bytes"), Some(&Column::Int(vec![Some(125_000); 3])));
        // The ideal time of a transfer on a path without delay is 1 s.
        let completions = &tables["completions"];
        assert_eq!(completions.column("slowdown_max"), Some(&Column::Float(vec![Some(1.06)])));
        assert_eq!(completions.column("open"), Some(&Column::Int(vec![Some(1)])));
    }

    #[test]
    fn a_transfer_of_nothing_ends_with_the_fin() {
        let mut network = FakeNetwork::new(1_000_000, Transfer::new(0, 1, 0, PATH));
        network.delay = 20 * MILLISECOND;
        network.run_until(SECOND);
        let mut tables = AppTables::new();
        network.app.report("none", network.now, &mut tables);
        assert_eq!(tables["transfers"].column("end_s"), Some(&Column::Float(vec![Some(0.06)])));
    }

    #[test]
    fn none_when_none_are_asked_for() {
        let mut network = FakeNetwork::new(1_000_000, Transfer::new(1, 0, 0, PATH));
        network.run_until(SECOND);
        assert!(network.log.is_empty());
    }
}
