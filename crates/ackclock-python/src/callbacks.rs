//! Methods of the user's classes, and the failure of one of them, which ends a run.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ackclock_plugin::{Failed, Failures};
use ackclock_tcp::cc::seconds;
use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;

use crate::errors::python::AlgorithmError;

/// A method that a class overrides, bound to an object.
pub type Own = Option<Py<PyAny>>;

/// The names of the methods that a class overrides.
pub struct Overridden(pub BTreeSet<String>);

impl Overridden {
    pub fn method(&self, object: &Bound<'_, PyAny>, name: &str) -> PyResult<Own> {
        self.0.contains(name).then(|| object.getattr(name).map(Bound::unbind)).transpose()
    }
}

/// The first failure in a run, if there is one. After it the run's algorithms of the user are not called.
#[derive(Default)]
pub struct Failure {
    failed: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

impl Failure {
    fn is_set(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    fn keep(&self, error: PyErr) {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.failed.store(true, Ordering::Relaxed);
    }

    /// Returns an error if there was a failure.
    ///
    /// # Errors
    /// The first failure.
    pub fn check(&self) -> PyResult<()> {
        if !self.is_set() {
            return Ok(());
        }
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }
}

impl Failures for Failure {
    #[inline]
    fn is_set(&self) -> bool {
        Failure::is_set(self)
    }

    #[cold]
    fn set(&self, Failed { algorithm, flow, now, callback, what }: Failed) {
        // The exception is made of its arguments only when Python asks for it, so the interpreter is not needed here.
        let told = (algorithm, flow.to_string(), now.map(seconds), callback, what);
        self.keep(AlgorithmError::new_err(told));
    }
}

/// The algorithm and the flow whose callbacks are called.
#[derive(Clone)]
pub struct Caller {
    pub algorithm: &'static str,
    pub flow: Arc<str>,
    pub failure: Arc<Failure>,
}

impl Caller {
    /// Calls a callback, holding the interpreter, unless there was a failure before. An exception is kept for the end
    /// of the run. Exceptions that are not errors, such as that of Ctrl-C, are kept unchanged.
    pub fn call<T>(&self, callback: &str, now: Option<u64>, body: impl FnOnce(Python<'_>) -> PyResult<T>) -> Option<T> {
        if self.failure.is_set() {
            return None;
        }
        Python::attach(|py| body(py).map_err(|error| self.fail(py, callback, now, error)).ok())
    }

    /// Asks for the name of the algorithm's state, if the class gives one.
    pub fn state(&self, method: &Own) -> Option<Cow<'static, str>> {
        let method = method.as_ref()?;
        let name = self.call("state_name", None, |py| {
            let said = method.bind(py).call0()?;
            said.extract::<Option<String>>()
                .map_err(|_| Ok::<_, PyErr>(said.repr()?.to_string()))
                .or_else(|said| Err(PyTypeError::new_err(format!("it returns {}: accepted: a str or None", said?))))
        });
        name.flatten().map(Cow::Owned)
    }

    #[cold]
    fn fail(&self, py: Python<'_>, callback: &str, now: Option<u64>, error: PyErr) {
        let error = if error.is_instance_of::<PyException>(py) {
            let what = format!(
                "{}: {}",
                error.get_type(py).name().map_or_else(|_| String::new(), |name| name.to_string()),
                error.value(py)
            );
            let told = (self.algorithm, &*self.flow, now.map(seconds), callback.to_owned(), what);
            let failure = AlgorithmError::new_err((told.0, told.1.to_owned(), told.2, told.3, told.4));
            failure.set_cause(py, Some(error));
            failure
        } else {
            error
        };
        self.failure.keep(error);
    }
}
