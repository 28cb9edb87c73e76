//! Amounts of data sent from source to sink, as transfers, bursts and lists report them.

use super::completion::{Completions, Path};
use super::{AppTables, rate_bps, seconds};
use ackclock_core::Nanos;

/// A delivery that has begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivery {
    pub bytes: u64,
    pub start: Nanos,
    /// Time at which the sink had received all bytes.
    pub end: Option<Nanos>,
}

impl Delivery {
    /// Returns the time from start to end, in ns.
    pub fn duration(&self) -> Option<Nanos> {
        self.end.map(|end| end - self.start)
    }
}

/// Adds one row for each delivery to the table `name`, and one row for all of them to `completions`, where each is
/// called `what`, with rows of `completion_bins`. End, duration and goodput are empty where a delivery is not complete.
pub(super) fn report(
    name: &'static str,
    what: &str,
    flow: &str,
    path: Path,
    deliveries: &[Delivery],
    tables: &mut AppTables,
) {
    let mut completions = Completions::new(path);
    for (index, delivery) in deliveries.iter().enumerate() {
        let (bytes, duration) = (delivery.bytes, delivery.duration());
        if let Some(duration) = duration {
            completions.record(bytes, duration);
        }
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
    let complete = deliveries.iter().filter(|delivery| delivery.end.is_some()).count();
    completions.report(flow, what, deliveries.len() - complete, tables);
    completions.report_bins(flow, what, tables);
}
