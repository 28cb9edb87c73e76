//! The failure of a rule of the user, which ends a run.

use std::cell::RefCell;
use std::sync::Arc;

use ackclock_tcp::cc::seconds;
use wasm_bindgen::prelude::*;

/// The failure of a rule of the user, which ends a run.
#[wasm_bindgen(getter_with_clone)]
#[derive(Clone)]
pub struct Failure {
    /// Name of the algorithm.
    pub algorithm: String,
    /// Name of the flow.
    pub flow: String,
    /// Simulated time in seconds, if the rule gets it.
    pub time_s: Option<f64>,
    /// Name of the rule.
    pub callback: String,
    /// The exception, or the message about a result that is not accepted.
    pub error: JsValue,
}

thread_local! {
    static FAILURE: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

/// Returns an error if a rule has failed since the last call.
///
/// # Errors
/// The first [`Failure`].
pub fn failed() -> Result<(), JsValue> {
    FAILURE.take().map_or(Ok(()), |failure| Err(failure.into()))
}

/// The algorithm and the flow whose rules are called.
#[derive(Clone)]
pub struct Caller {
    pub algorithm: &'static str,
    pub flow: Arc<str>,
}

impl Caller {
    /// Calls a rule, unless there was a failure before. An exception is kept for the end of the step.
    pub fn call<T>(&self, callback: &str, now: Option<u64>, body: impl FnOnce() -> Result<T, JsValue>) -> Option<T> {
        if FAILURE.with_borrow(Option::is_some) {
            return None;
        }
        body().map_err(|error| self.fail(callback, now, error)).ok()
    }

    #[cold]
    fn fail(&self, callback: &str, now: Option<u64>, error: JsValue) {
        let (algorithm, flow) = (self.algorithm.to_owned(), self.flow.to_string());
        let failure = Failure { algorithm, flow, time_s: now.map(seconds), callback: callback.to_owned(), error };
        FAILURE.set(Some(failure));
    }
}
