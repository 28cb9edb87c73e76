//! Simulated time as quinn-proto sees it.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use ackclock_core::Nanos;
use ackclock_transport::NEVER;

/// The instant of simulated time 0. It is taken once in a process; quinn-proto only ever sees differences from it.
#[expect(clippy::disallowed_methods, reason = "an `Instant` can be made in no other way, and its value has no effect")]
pub(crate) fn origin() -> Instant {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    *ORIGIN.get_or_init(Instant::now)
}

/// Returns the instant of a simulated time.
pub(crate) fn instant(time: Nanos) -> Instant {
    origin() + Duration::from_nanos(time)
}

/// Returns the simulated time of an instant.
pub(crate) fn time(instant: Instant) -> Nanos {
    nanos(instant.saturating_duration_since(origin()))
}

/// Returns a duration in ns.
pub(crate) fn nanos(duration: Duration) -> Nanos {
    u64::try_from(duration.as_nanos()).unwrap_or(NEVER)
}
