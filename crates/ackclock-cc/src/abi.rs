//! The table of functions that a library exports, with C's layout and calling convention.
//!
//! A library exports one static, [`SYMBOL`], of the type [`Header`]. The header comes first in every version, so that a
//! library of another kind or version is recognised before anything else of it is read.

use std::ffi::c_void;

pub use crate::context::{
    CAck as Ack, CCongestion as Congestion, CContext as Context, CDelivery as Delivery, CLost as Lost,
    CRateSample as RateSample, CRecoveryEnd as RecoveryEnd, CSituation as Situation, CWindow as Window,
};
use crate::context::{CAck, CCongestion, CContext, CDelivery, CLost, CRecoveryEnd, CSituation, CWindow};

/// The name of the static that a library exports.
pub const SYMBOL: &str = "ACKCLOCK_PLUGIN";

/// The first bytes of a [`Header`].
pub const MAGIC: [u8; 8] = *b"ackclock";

/// The kind of a library that holds congestion controls.
pub const CONGESTION_CONTROL: u32 = 1;

/// Version of the entries of a library of congestion controls. It changes with every change of this module or of the
/// values in it.
pub const VERSION: u32 = 1;

/// The start of every library.
#[repr(C)]
#[derive(Debug)]
pub struct Header {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// The kind of the entries, such as [`CONGESTION_CONTROL`].
    pub kind: u32,
    /// Version of the entries, such as [`VERSION`].
    pub version: u32,
    /// The entries, of a type that follows from kind and version.
    pub entries: *const c_void,
    /// Number of the entries.
    pub count: usize,
}

#[expect(unsafe_code, reason = "a static with pointers")]
// SAFETY: a header and its entries are immutable statics.
unsafe impl Sync for Header {}

impl Header {
    /// The header of congestion controls.
    pub const fn of(algorithms: &'static [Algorithm]) -> Header {
        Header {
            magic: MAGIC,
            kind: CONGESTION_CONTROL,
            version: VERSION,
            entries: algorithms.as_ptr().cast(),
            count: algorithms.len(),
        }
    }
}

/// A text in UTF-8, which ends with its length and not with a zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// The first byte.
    pub start: *const u8,
    /// Number of bytes.
    pub length: usize,
}

impl Text {
    /// A text that lives as long as the library.
    pub const fn of(text: &'static str) -> Text {
        Text { start: text.as_ptr(), length: text.len() }
    }
}

/// A number that scenarios may set.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name in scenarios.
    pub name: Text,
    /// Short description.
    pub summary: Text,
    /// Value if the scenario gives none.
    pub default: f64,
    /// Smallest accepted value.
    pub least: f64,
    /// Largest accepted value.
    pub most: f64,
}

/// The object of a connection, which only its library looks into.
pub type Object = *mut c_void;

/// Return value of a function: 0, or 1 after a panic, which [`Algorithm::failure`] describes.
pub type Status = u32;

/// The call has been done.
pub const DONE: Status = 0;

/// The call ended in a panic.
pub const PANICKED: Status = 1;

/// A congestion control.
#[repr(C)]
#[derive(Debug)]
pub struct Algorithm {
    /// Name in scenarios.
    pub name: Text,
    /// Short description.
    pub summary: Text,
    /// Writes the parameter with an index; returns their number. Nothing is written for an index beyond the last.
    pub parameter: unsafe extern "C" fn(index: usize, parameter: *mut Parameter) -> usize,
    /// Keeps the messages of panics from now on, in place of printing them. Called once, before all other functions.
    pub prepare: extern "C" fn(),
    /// Whether panics unwind: 0 for a library that was compiled with `panic = "abort"`.
    pub unwinds: u8,
    /// Creates an object with the values of all parameters.
    pub create: unsafe extern "C" fn(values: *const f64, count: usize, object: *mut Object) -> Status,
    /// Frees an object.
    pub destroy: unsafe extern "C" fn(object: Object) -> Status,
    /// The message and the place of the last panic on this thread; valid until the next call of the library on it.
    pub failure: unsafe extern "C" fn() -> Text,
    /// The rules, or null for an algorithm with callbacks.
    pub rules: *const Rules,
    /// The callbacks, or null for an algorithm with rules.
    pub callbacks: *const Callbacks,
}

#[expect(unsafe_code, reason = "a static with pointers")]
// SAFETY: an algorithm, its texts and its tables are immutable statics.
unsafe impl Sync for Algorithm {}

/// A rule of [`crate::WindowRules`], which writes its result.
pub type Rule = unsafe extern "C" fn(object: Object, flow: *const CSituation, result: *mut f64) -> Status;

/// The function [`crate::WindowRules::seed`] or [`crate::CongestionControl::seed`].
pub type Seed = unsafe extern "C" fn(object: Object, seed: u32) -> Status;

/// The functions of [`crate::WindowRules`].
#[repr(C)]
#[derive(Debug)]
#[expect(missing_docs, reason = "the methods of the trait are documented")]
pub struct Rules {
    pub seed: Seed,
    pub start: Rule,
    pub increase: Rule,
    pub reduction: Rule,
    pub timeout: Rule,
    pub idle: Rule,
}

/// The functions of [`crate::CongestionControl`]; its other methods are called by their defaults only.
#[repr(C)]
#[derive(Debug)]
#[expect(missing_docs, reason = "the methods of the trait are documented")]
pub struct Callbacks {
    pub seed: Seed,
    pub scope: unsafe extern "C" fn(object: Object, bits: *mut u32) -> Status,
    pub on_start: unsafe extern "C" fn(Object, *mut CWindow, *const CContext) -> Status,
    pub on_ack: unsafe extern "C" fn(Object, *mut CWindow, *const CAck, acked: u64) -> Status,
    pub on_congestion: unsafe extern "C" fn(Object, *mut CWindow, *const CCongestion) -> Status,
    pub on_timeout: unsafe extern "C" fn(Object, *mut CWindow, *const CCongestion, first: u8) -> Status,
    pub on_undo: unsafe extern "C" fn(Object, *mut CWindow, before: *const CWindow) -> Status,
    pub on_recovery_end: unsafe extern "C" fn(Object, *mut CWindow, *const CRecoveryEnd) -> Status,
    pub on_idle_end: unsafe extern "C" fn(Object, *mut CWindow, *const CContext, idle: u64) -> Status,
    pub on_delivery: unsafe extern "C" fn(Object, *mut CWindow, *const CDelivery) -> Status,
    pub on_lost: unsafe extern "C" fn(Object, *mut CWindow, *const CLost) -> Status,
    pub on_sent: unsafe extern "C" fn(Object, *mut CWindow, *const CContext) -> Status,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another size is another layout, which needs another version.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn the_layout_of_this_version() {
        let values = [
            size_of::<Window>(),
            size_of::<Context>(),
            size_of::<Ack>(),
            size_of::<RateSample>(),
            size_of::<Delivery>(),
            size_of::<Lost>(),
            size_of::<Congestion>(),
            size_of::<RecoveryEnd>(),
            size_of::<Situation>(),
        ];
        // A word a field, two for an optional one; flags are padded to words, and those of a cause share a word.
        assert_eq!((VERSION, values), (1, [32, 128, 184, 48, 312, 160, 136, 136, 208]));
        let tables = [size_of::<Header>(), size_of::<Parameter>(), size_of::<Algorithm>(), size_of::<Rules>()];
        assert_eq!((tables, size_of::<Callbacks>()), ([32, 56, 96, 48], 96));
    }
}
