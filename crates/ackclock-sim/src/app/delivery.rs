//! Amounts of data on their way from source to sink, as transfers and bursts report them.

use super::{AppTables, rate_bps, seconds};
use crate::Nanos;

/// One that has begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivery {
    pub start: Nanos,
    /// When the sink had all of it.
    pub end: Option<Nanos>,
}

/// One row for each, all of them `bytes` long; end, duration and goodput are empty where it is not complete.
pub(super) fn report(name: &'static str, flow: &str, bytes: u64, deliveries: &[Delivery], tables: &mut AppTables) {
    for (index, delivery) in deliveries.iter().enumerate() {
        let duration = delivery.end.map(|end| end - delivery.start);
        tables.entry(name).or_default().push([
            ("flow", flow.into()),
            ("index", index.into()),
            ("bytes", bytes.into()),
            ("start_s", seconds(delivery.start).into()),
            ("end_s", delivery.end.map(seconds).into()),
            ("duration_s", duration.map(seconds).into()),
            ("goodput_bps", duration.and_then(|duration| rate_bps(bytes, duration)).into()),
        ]);
    }
}
