//! A list of volumes with the times at which they are sent, such as a trace of a measured application.

use super::completion::Path;
use super::delivery::{self, Delivery};
use super::demand::{Demand, rows_of};
use super::kind::{AppKind, Made};
use super::{AppContext, AppTables, Application, Conn, Side};
use crate::fields::{Flag, default, list, record, required, table, time, volume};
use ackclock_core::Nanos;
use ackclock_results::declared;

record! {
    /// The source sends the volumes of a list at the times of the list.
    pub struct Fields {
        /// Volumes to send, each with its time.
        items: Vec<Item> = required(list("item", table()));
        /// Whether all items use one connection that stays open, over which each item is sent after the items before
        /// it.
        persistent: bool = default(false, Flag);
    }
}

record! {
    /// A volume and the time at which it is sent.
    pub struct Item {
        /// Time at which the volume is available for sending, from the start of the flow.
        at: Nanos = required(time());
        /// Size of the volume.
        size: u64 = required(volume().positive());
    }
}

impl AppKind for Fields {
    fn demand(&self, time: f64, _path: Path) -> Demand {
        let due = || self.items.iter().filter(|item| item.at as f64 / 1e9 <= time);
        let (count, bytes) = (due().count() as f64, due().map(|item| item.size as f64).sum());
        let connections = if self.persistent { 1.0 } else { count };
        Demand { bytes, messages: count, connections, open: connections, rows: rows_of(count), ..Demand::default() }
    }

    fn make(&self, path: Path, _flow: &str) -> Made {
        let items = self.items.iter().map(|item| (item.at, item.size)).collect();
        Ok(Box::new(List::new(items, self.persistent, path)))
    }
}

/// Items sent from source to sink at their times. With one connection for each item, the source opens the connection at
/// the item's time, so the handshake counts. With one connection for all items, the source opens it when the flow
/// starts and closes it after the last item. An item that begins early is delayed by the handshake and by the items
/// before it; its time still runs from its own start.
#[derive(Debug)]
pub struct List {
    /// Times from the start of the flow, in ns and in ascending order, with the bytes.
    items: Vec<(Nanos, u64)>,
    persistent: bool,
    path: Path,
    /// The common connection of all items, once it is established.
    conn: Option<Conn>,
    /// Deliveries in the order of the items. With one connection for each item, item i has connection i.
    records: Vec<Delivery>,
    /// State of the common connection: the number of items written, the number of complete items, and the stream bytes
    /// up to the end of the next item.
    written: usize,
    done: usize,
    upto: u64,
}

impl List {
    /// Creates a list from times since the start of the flow (ns) and volumes (bytes), over one connection if
    /// `persistent`.
    pub fn new(mut items: Vec<(Nanos, u64)>, persistent: bool, path: Path) -> List {
        items.sort_by_key(|(at, _)| *at);
        let upto = items.first().map_or(0, |(_, bytes)| *bytes);
        List { items, persistent, path, conn: None, records: Vec::new(), written: 0, done: 0, upto }
    }

    /// Writes the items whose time has come to the common connection.
    fn write(&mut self, ctx: &mut AppContext<'_>) {
        let Some(conn) = self.conn else { return };
        for record in &self.records[self.written..] {
            ctx.write(conn, Side::Source, record.bytes);
        }
        self.written = self.records.len();
        if self.written == self.items.len() {
            ctx.close(conn, Side::Source);
        }
    }
}

impl Application for List {
    fn on_start(&mut self, ctx: &mut AppContext<'_>) {
        if self.persistent {
            ctx.open(Side::Source);
        }
        for (index, (at, _)) in self.items.iter().enumerate() {
            ctx.timer(ctx.now.saturating_add(*at), index as u64);
        }
    }

    fn on_timer(&mut self, ctx: &mut AppContext<'_>, token: u64) {
        let Some((_, bytes)) = self.items.get(token as usize) else { return };
        self.records.push(Delivery { bytes: *bytes, start: ctx.now, end: None });
        if self.persistent {
            self.write(ctx);
        } else {
            ctx.open(Side::Source);
        }
    }

    fn on_connected(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        if side == Side::Sink {
            return;
        }
        if self.persistent {
            self.conn = Some(conn);
            self.write(ctx);
        } else if let Some(record) = self.records.get(conn.0 as usize) {
            ctx.write(conn, Side::Source, record.bytes);
            ctx.close(conn, Side::Source);
        }
    }

    fn on_received(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side, total: u64) {
        if side == Side::Source {
            return;
        }
        if !self.persistent {
            if let Some(record) = self.records.get_mut(conn.0 as usize).filter(|record| total >= record.bytes) {
                record.end.get_or_insert(ctx.now);
            }
            return;
        }
        while let Some(record) = self.records.get_mut(self.done)
            && total >= self.upto
        {
            record.end = Some(ctx.now);
            self.done += 1;
            self.upto += self.items.get(self.done).map_or(0, |(_, bytes)| *bytes);
        }
    }

    fn on_peer_closed(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        if side == Side::Sink {
            ctx.close(conn, Side::Sink);
        }
    }

    /// Adds one row of `items` for each item whose time has come.
    fn report(&self, flow: &str, _now: Nanos, tables: &mut AppTables) {
        delivery::report::<declared::Items>("item", flow, |bytes| self.path.ideal(bytes), &self.records, tables);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;
    use crate::fake_network::{FakeNetwork, MILLISECOND, PATH, SECOND};
    use ackclock_results::Column;

    /// 12.5 kB take 100 ms at 1 Mbit/s. The second item begins while the first is in flight; the list is not in order.
    const ITEMS: [(Nanos, u64); 3] = [(SECOND, 25_000), (0, 12_500), (60 * MILLISECOND, 12_500)];

    fn run(persistent: bool) -> FakeNetwork<List> {
        let mut network = FakeNetwork::new(1_000_000, List::new(ITEMS.to_vec(), persistent, PATH));
        network.delay = 20 * MILLISECOND;
        network.run_until(1_150 * MILLISECOND);
        network
    }

    fn floats(network: &FakeNetwork<List>, name: &str) -> Vec<Option<f64>> {
        let mut tables = AppTables::new();
        network.app.report("l", network.now, &mut tables);
        let Some(Column::Float(cells)) = tables["items"].column(name) else { panic!("{name}") };
        cells.clone()
    }

    fn count(network: &FakeNetwork<List>, is: impl Fn(&Command) -> bool) -> usize {
        network.log.iter().filter(|(_, command)| is(command)).count()
    }

    #[test]
    fn each_over_a_connection_of_its_own() {
        let network = run(false);
        assert_eq!(count(&network, |command| matches!(command, Command::Open { .. })), 3);
        assert_eq!(floats(&network, "start_s"), [Some(0.0), Some(0.06), Some(1.0)]);
        // The handshake takes 40 ms, the link serves in order of arrival, and the one-way delay is 20 ms.
        assert_eq!(floats(&network, "duration_s"), [Some(0.16), Some(0.2), None]);
        assert_eq!(count(&network, |command| matches!(command, Command::Close { side: Side::Source, .. })), 3);
    }

    #[test]
    fn all_over_one_that_closes_after_the_last() {
        let mut network = run(true);
        assert_eq!(count(&network, |command| matches!(command, Command::Open { .. })), 1);
        let writes: Vec<_> =
            network.writes(Side::Source).iter().map(|(at, bytes)| (at / MILLISECOND, *bytes)).collect();
        assert_eq!(writes, [(40, 12_500), (60, 12_500), (1_000, 25_000)], "the first waits for the handshake");
        assert_eq!(floats(&network, "duration_s"), [Some(0.16), Some(0.2), None]);
        let closes: Vec<_> = network.log.iter().filter(|(_, c)| matches!(c, Command::Close { .. })).collect();
        assert_eq!(closes, [&(SECOND, Command::Close { conn: Conn(0), side: Side::Source })]);
        network.run_until(2 * SECOND);
        assert_eq!(floats(&network, "end_s")[2], Some(1.22));
    }
}
