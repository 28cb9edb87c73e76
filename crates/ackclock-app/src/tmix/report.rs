//! The tables `tmix`, `tmix_connections` and `tmix_epochs`.

use super::{Epoch, Party, Tmix};
use crate::{AppTables, seconds};
use ackclock_core::Nanos;
use ackclock_results::{Row, declared};

/// A connection all of whose data has arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectionRow {
    pub number: u32,
    pub start: Nanos,
    pub end: Nanos,
}

/// An epoch all of whose data has arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct EpochRow {
    pub connection: u32,
    pub index: u32,
    pub epoch: Epoch,
    pub idle: Nanos,
    pub start: Nanos,
    pub end: Nanos,
}

impl Tmix {
    /// Adds the rows of the flow. A connection's time runs from its SYN to its last byte of data, including think
    /// times. An epoch's time runs from its first write to its last byte, including the acceptor's think time.
    /// Slowdowns count the bytes from source to sink.
    pub(super) fn report_tmix(&self, flow: &str, tables: &mut AppTables) {
        let counts = self.counts;
        declared::Tmix {
            flow: flow.into(),
            connections: counts.connections.into(),
            connections_done: counts.done.into(),
            connections_failed: counts.failed.into(),
            connections_max: counts.connections_max.into(),
        }
        .add_to(tables);
        let open = self.live.values().filter(|live| live.epochs_left > 0).count();
        self.connections.report(flow, "connection", open, tables);
        self.epochs.report(flow, "epoch", counts.epochs_open, tables);
        self.connections.report_bins(flow, "connection", tables);
        self.epochs.report_bins(flow, "epoch", tables);
        for row in &self.connection_rows {
            let connection = &self.vectors.connections()[row.number as usize];
            declared::TmixConnections {
                flow: flow.into(),
                connection: row.number.into(),
                epochs: connection.epochs.len().into(),
                initiator_bytes: connection.bytes(Party::Initiator).into(),
                acceptor_bytes: connection.bytes(Party::Acceptor).into(),
                start_s: seconds(row.start).into(),
                end_s: seconds(row.end).into(),
                duration_s: seconds(row.end - row.start).into(),
            }
            .add_to(tables);
        }
        for row in &self.epoch_rows {
            let [initiator, acceptor] = row.epoch.bytes;
            declared::TmixEpochs {
                flow: flow.into(),
                connection: row.connection.into(),
                index: row.index.into(),
                initiator_bytes: initiator.into(),
                acceptor_bytes: acceptor.into(),
                idle_s: seconds(row.idle).into(),
                start_s: seconds(row.start).into(),
                end_s: seconds(row.end).into(),
                duration_s: seconds(row.end - row.start).into(),
            }
            .add_to(tables);
        }
    }
}
