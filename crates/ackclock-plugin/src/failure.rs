//! The failure of an algorithm, which ends a run.

use std::sync::Arc;

/// An algorithm that panicked, or that left a value that is not accepted.
#[derive(Clone, PartialEq, Debug)]
pub struct Failed {
    /// Name of the algorithm.
    pub algorithm: &'static str,
    /// Name of the flow.
    pub flow: Arc<str>,
    /// Simulated time in nanoseconds, if the function gets it.
    pub now: Option<u64>,
    /// Name of the function.
    pub callback: &'static str,
    /// The message of the panic with its place, or the value and the accepted values.
    pub what: String,
}

/// The failures of a run. After the first one, the run calls no library.
pub trait Failures: Send + Sync {
    /// Whether there was a failure.
    fn is_set(&self) -> bool;

    /// Records a failure, unless there is one already.
    fn set(&self, failed: Failed);
}

/// No run to end: the failures of an object that only tells its scope.
pub(crate) struct Ignored;

impl Failures for Ignored {
    fn is_set(&self) -> bool {
        false
    }

    fn set(&self, _failed: Failed) {}
}
