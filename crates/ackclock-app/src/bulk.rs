//! A bulk flow: one connection with an unlimited amount of data to send.

use super::completion::Path;
use super::demand::Demand;
use super::kind::{AppKind, Made};
use super::{AppContext, AppTables, Application, Conn, Side};
use crate::fields::record;
use ackclock_core::Nanos;

record! {
    /// The source sends as fast as TCP allows, until the run ends.
    pub struct Fields {}
}

impl AppKind for Fields {
    fn demand(&self, _time: f64, _path: Path) -> Demand {
        Demand { bytes: f64::INFINITY, messages: 1.0, connections: 1.0, open: 1.0, ..Demand::default() }
    }

    fn make(&self, _path: Path, _flow: &str) -> Made {
        Ok(Box::new(Bulk))
    }
}

/// More bytes than any run can carry: at 1 Tbit/s the transfer of this volume lasts more than a year. The value is far
/// enough from the largest integer for sums of it not to overflow.
pub(super) const WITHOUT_END: u64 = u64::MAX / 4;

/// An endless transfer from source to sink over one connection, which the source opens.
#[derive(Default, Debug)]
pub struct Bulk;

impl Application for Bulk {
    fn on_start(&mut self, ctx: &mut AppContext<'_>) {
        ctx.open(Side::Source);
    }

    fn on_connected(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        if side == Side::Source {
            ctx.write(conn, Side::Source, WITHOUT_END);
        }
    }

    fn listens(&self) -> bool {
        false
    }

    /// Adds no table: the flow's own row has all results.
    fn report(&self, _flow: &str, _now: Nanos, _tables: &mut AppTables) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;
    use crate::fake_network::{FakeNetwork, SECOND};

    #[test]
    fn writes_once_and_never_runs_dry() {
        let mut network = FakeNetwork::new(1_000_000, Bulk);
        network.run_until(10 * SECOND);
        let writes: Vec<_> =
            network.log.iter().filter(|(_, command)| matches!(command, Command::Write { .. })).collect();
        assert_eq!(writes, [&(0, Command::Write { conn: Conn(0), side: Side::Source, bytes: WITHOUT_END })]);
        assert_eq!(network.received(Conn(0), Side::Sink), 1_250_000, "the link was busy for ten seconds");
        let mut tables = AppTables::new();
        network.app.report("bulk", network.now, &mut tables);
        assert!(tables.is_empty());
    }
}
