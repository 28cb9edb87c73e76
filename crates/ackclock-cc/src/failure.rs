//! Panics of a library, which end at its border.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::Once;

use crate::abi::{DONE, PANICKED, Status, Text};

thread_local! {
    /// The place of a panic that is on its way to the border.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };

    /// The message and the place of the last panic.
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps the places of panics and prints nothing from now on. A library has a standard library of its own, so that its
/// hook is not that of the program that loads it.
pub(crate) extern "C" fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        set_hook(Box::new(|info| {
            let place = info.location().map(ToString::to_string);
            PLACE.with(|kept| *kept.borrow_mut() = place);
        }));
    });
}

/// Does a call. A panic becomes its text.
///
/// # Errors
/// The text that the panic carries.
#[doc(hidden)]
#[inline]
pub fn caught<T>(body: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(body)).map_err(|payload| {
        let message = text(&*payload);
        // The destructor of what a panic carries might panic.
        std::mem::forget(payload);
        message
    })
}

#[cold]
fn text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a value that is no text")
        .to_owned()
}

/// Does a call. A panic becomes [`PANICKED`].
#[inline]
pub(crate) fn guarded(body: impl FnOnce()) -> Status {
    match caught(body) {
        Ok(()) => DONE,
        Err(message) => {
            keep(&message);
            PANICKED
        }
    }
}

#[cold]
fn keep(message: &str) {
    let told = match PLACE.with(RefCell::take) {
        Some(place) => format!("panic at {place}: {message}"),
        None => format!("panic: {message}"),
    };
    LAST.with(|last| *last.borrow_mut() = told);
}

/// Returns the message of the last panic on this thread.
pub(crate) extern "C" fn last() -> Text {
    LAST.with(|last| {
        let last = last.borrow();
        Text { start: last.as_ptr(), length: last.len() }
    })
}
