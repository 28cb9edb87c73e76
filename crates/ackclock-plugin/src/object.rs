//! The object of a connection in a library, and calls of its functions.

use std::sync::Arc;

use ackclock_cc::abi::{self, Status, Text};

use crate::failure::{Failed, Failures};

/// The algorithm and the flow whose functions are called.
#[derive(Clone)]
pub struct Caller {
    pub algorithm: &'static str,
    pub flow: Arc<str>,
    pub failures: Arc<dyn Failures>,
}

impl Caller {
    #[cold]
    pub fn fail(&self, callback: &'static str, now: Option<u64>, what: String) {
        let (algorithm, flow) = (self.algorithm, self.flow.clone());
        self.failures.set(Failed { algorithm, flow, now, callback, what });
    }
}

/// The object of a connection.
pub struct Object {
    table: &'static abi::Algorithm,
    object: abi::Object,
    caller: Caller,
}

#[expect(unsafe_code, reason = "an object of a library")]
// SAFETY: `ackclock_cc::Algorithm` requires `Send` of the type behind the pointer.
unsafe impl Send for Object {}

impl Object {
    /// Creates an object with the values of all parameters. There is none after a failure.
    pub fn new(table: &'static abi::Algorithm, values: &[f64], caller: Caller) -> Option<Object> {
        if caller.failures.is_set() {
            return None;
        }
        let mut object = std::ptr::null_mut();
        #[expect(unsafe_code, reason = "a function of a library")]
        // SAFETY: the contract of the table: as many values as parameters, and a place for the object.
        let status = unsafe { (table.create)(values.as_ptr(), values.len(), &raw mut object) };
        if status != abi::DONE || object.is_null() {
            caller.fail("new", None, failure(table));
            return None;
        }
        Some(Object { table, object, caller })
    }

    /// Calls a function of the library, unless there was a failure before. Returns whether the call has been done.
    #[inline]
    pub fn call(&self, callback: &'static str, now: Option<u64>, body: impl FnOnce(abi::Object) -> Status) -> bool {
        if self.caller.failures.is_set() {
            return false;
        }
        if body(self.object) == abi::DONE {
            return true;
        }
        self.caller.fail(callback, now, failure(self.table));
        false
    }

    /// Records that a function left a value that is not accepted.
    pub fn refuse(&self, callback: &'static str, now: Option<u64>, what: String) {
        self.caller.fail(callback, now, what);
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        #[expect(unsafe_code, reason = "a function of a library")]
        // SAFETY: the object is that of `create`, and nobody uses it after this.
        let status = unsafe { (self.table.destroy)(self.object) };
        if status != abi::DONE && !self.caller.failures.is_set() {
            self.caller.fail("drop", None, failure(self.table));
        }
    }
}

/// Returns the library's message about its last panic on this thread.
fn failure(table: &abi::Algorithm) -> String {
    #[expect(unsafe_code, reason = "a function of a library")]
    // SAFETY: the function has no conditions.
    let told = unsafe { (table.failure)() };
    text(told)
}

/// Returns a text of a library.
pub fn text(text: Text) -> String {
    if text.start.is_null() || text.length == 0 {
        return String::new();
    }
    #[expect(unsafe_code, reason = "a text of a library")]
    // SAFETY: the contract of `Text`: so many bytes that live until the next call.
    let bytes = unsafe { std::slice::from_raw_parts(text.start, text.length) };
    String::from_utf8_lossy(bytes).into_owned()
}
