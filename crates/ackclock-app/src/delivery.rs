//! Amounts of data sent from source to sink, as transfers, bursts and lists report them.

use super::completion::Completions;
use super::{AppTables, rate_bps, seconds};
use ackclock_core::Nanos;
use ackclock_results::{Row, declared};

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

/// A row of a table of deliveries.
pub(super) trait DeliveryRow: Row {
    /// Returns the row of a delivery. End, duration and goodput are empty if the delivery is not complete.
    fn of(flow: &str, index: usize, delivery: &Delivery) -> Self;
}

macro_rules! delivery_rows {
    ($($Record:ident),+) => {$(
        impl DeliveryRow for declared::$Record {
            fn of(flow: &str, index: usize, delivery: &Delivery) -> Self {
                let (bytes, duration) = (delivery.bytes, delivery.duration());
                declared::$Record {
                    flow: flow.into(),
                    index: index.into(),
                    bytes: bytes.into(),
                    start_s: seconds(delivery.start).into(),
                    end_s: delivery.end.map(seconds).into(),
                    duration_s: duration.map(seconds).into(),
                    goodput_bps: duration.and_then(|duration| rate_bps(bytes, duration)).into(),
                }
            }
        }
    )+};
}
delivery_rows!(Transfers, Bursts, Items, Rounds);

/// Adds one row for each delivery to the table of `R`, and one row for all of them to `completions`, where each is
/// called `what`, with rows of `completion_bins`. `ideal` returns the ideal time of a number of bytes.
pub(super) fn report<R: DeliveryRow>(
    what: &str,
    flow: &str,
    ideal: impl Fn(u64) -> Nanos,
    deliveries: &[Delivery],
    tables: &mut AppTables,
) {
    let mut completions = Completions::default();
    for (index, delivery) in deliveries.iter().enumerate() {
        if let Some(duration) = delivery.duration() {
            completions.record(delivery.bytes, duration, ideal(delivery.bytes));
        }
        R::of(flow, index, delivery).add_to(tables);
    }
    let complete = deliveries.iter().filter(|delivery| delivery.end.is_some()).count();
    completions.report(flow, what, deliveries.len() - complete, tables);
    completions.report_bins(flow, what, tables);
}
