//! Amounts of data on their way from source to sink, as transfers, bursts and lists report them.

use super::completion::{Completions, Path};
use super::{AppTables, rate_bps, seconds};
use ackclock_core::Nanos;

/// One that has begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivery {
    pub bytes: u64,
    pub start: Nanos,
    /// When the sink had all of it.
    pub end: Option<Nanos>,
}

impl Delivery {
    /// From start to end.
    pub fn duration(&self) -> Option<Nanos> {
        self.end.map(|end| end - self.start)
    }
}

/// One row for each in the table `name`, and one for all of them in `completions`, where each is a `what`, with its bins;
/// end, duration and goodput are empty where it is not complete.
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
