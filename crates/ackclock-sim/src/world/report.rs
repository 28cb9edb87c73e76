//! The results of a run: totals of flows and their tables.

use ackclock_app::Side;
use ackclock_results::{Column, Table, Tables};

use super::World;
use super::flow::Flow;
use crate::endpoint::Endpoint;
use crate::ids::LinkId;
use crate::measures::{Achieved, FlowTotals, push_delays, push_flow, push_limits};
use crate::observe::Observer;

impl<O: Observer<E::Packet>, E: Endpoint> World<O, E> {
    /// Returns the totals of a flow over its closed and its open connections.
    fn totals_of(&self, flow: &Flow<E>) -> FlowTotals {
        let mut totals = flow.finished;
        for &slot in flow.open.values() {
            if let Some(connection) = self.connections.peek(slot) {
                totals.add(&connection.ends[0], &connection.ends[1], self.now);
                if flow.readers[Side::Sink as usize].is_some() {
                    totals.bytes_delivered -= connection.ends[1].received() - connection.read[1];
                }
            }
        }
        if flow.paths.is_some() {
            totals.bytes_delivered = flow.multipath.delivered;
        }
        totals
    }

    /// Returns the achievements of the flows up to now, in their order.
    pub fn achievements(&self) -> Vec<Achieved> {
        let of = |flow: &Flow<E>| {
            let mut tables = Tables::new();
            flow.app().report(&flow.labels.name, self.now, &mut tables);
            let time_on = match tables.get("time_on").and_then(|table| table.column("time_on_s")) {
                Some(Column::Float(cells)) => cells.first().copied().flatten(),
                _ => None,
            };
            Achieved {
                bytes: self.totals_of(flow).bytes_delivered,
                time_s: time_on.unwrap_or(self.now.saturating_sub(flow.start) as f64 / 1e9),
                delay: flow.delays.as_ref().and_then(|delays| delays.mean()),
            }
        };
        self.flows.iter().map(of).collect()
    }

    /// Returns the tables of flows, links and applications at the end of the run; `links` names the links that have a
    /// row.
    ///
    /// # Panics
    /// If the run is not at its end, because links whose times are computed in advance have already counted packets
    /// until the end.
    pub fn report(&mut self, links: &[(LinkId, String)]) -> Tables {
        assert_eq!(self.now, self.duration, "a run reports when it has ended");
        let mut tables = Tables::new();
        tables.insert("links", self.network.rows(links, self.now));
        let mut rows = Table::default();
        for flow in 0..self.flows.len() {
            self.report_flow(flow, &mut rows, &mut tables);
        }
        tables.insert("flows", rows);
        tables
    }

    /// Adds the row of a flow to `rows`, and its own tables to `tables`.
    pub(crate) fn report_flow(&self, flow: usize, rows: &mut Table, tables: &mut Tables) {
        let flow = &self.flows[flow];
        let totals = self.totals_of(flow);
        push_flow(rows, &flow.labels, flow.start, self.now, &totals);
        if let Some(limited) = &totals.limited {
            push_limits(tables, &flow.labels.name, limited);
        }
        if let Some(delays) = &flow.delays {
            push_delays(tables, &flow.labels.name, delays);
        }
        self.report_paths(flow, tables);
        flow.app().report(&flow.labels.name, self.now, tables);
    }
}
