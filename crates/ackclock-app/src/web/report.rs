//! The tables `web`, `web_objects` and `web_pages`.

use super::{Object, Page, Web};
use crate::{AppTables, seconds};
use ackclock_core::Nanos;
use ackclock_results::{Row, declared};

/// An object that has arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObjectRow {
    pub session: u64,
    pub page: u64,
    pub object: Object,
    pub end: Nanos,
}

/// A page that is complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageRow {
    pub session: u64,
    pub index: u64,
    pub page: Page,
    pub end: Nanos,
}

impl Web {
    /// Adds the rows of the flow. An object's response time runs from its request, including the opening of a
    /// connection for it. A page's time runs from its first request to its last byte.
    pub(super) fn report_web(&self, flow: &str, tables: &mut AppTables) {
        let counts = self.counts;
        declared::Web {
            flow: flow.into(),
            sessions: counts.sessions.into(),
            sessions_done: counts.sessions_done.into(),
            pages: counts.pages.into(),
            objects: counts.objects.into(),
            objects_failed: counts.failed.into(),
            connections: counts.connections.into(),
            connections_max: counts.connections_max.into(),
        }
        .add_to(tables);
        let objects = self.channels.values().filter(|channel| channel.object.is_some()).count();
        let loading = |page: &Page| page.active > 0;
        let pages = self.visits.iter().flatten().filter(|visit| loading(&visit.page)).count();
        self.objects.report(flow, "object", objects, tables);
        self.pages.report(flow, "page", pages, tables);
        self.objects.report_bins(flow, "object", tables);
        self.pages.report_bins(flow, "page", tables);
        for row in &self.object_rows {
            let object = row.object;
            declared::WebObjects {
                flow: flow.into(),
                session: row.session.into(),
                page: row.page.into(),
                index: object.index.into(),
                bytes: object.size.into(),
                start_s: seconds(object.start).into(),
                end_s: seconds(row.end).into(),
                duration_s: seconds(row.end - object.start).into(),
            }
            .add_to(tables);
        }
        for row in &self.page_rows {
            let page = row.page;
            declared::WebPages {
                flow: flow.into(),
                session: row.session.into(),
                index: row.index.into(),
                objects: page.objects.into(),
                bytes: page.bytes.into(),
                start_s: seconds(page.start).into(),
                end_s: seconds(row.end).into(),
                duration_s: seconds(row.end - page.start).into(),
            }
            .add_to(tables);
        }
    }
}
