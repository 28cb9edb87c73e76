//! The tables of a library of transports, with C's layout and calling convention: `ackclock_transport.h` in Rust.
//!
//! The header of a library is the one of congestion controls (`ackclock_cc::abi::Header`) with the kind [`KIND`] and
//! the version [`VERSION`]. The C header documents the fields and functions; they have the same names here.

#![expect(missing_docs, reason = "the C header documents them")]

use std::ffi::{c_char, c_void};

/// The kind of a library that holds transports.
pub const KIND: u32 = 2;

/// Version of the entries. It changes with every change of this module.
pub const VERSION: u32 = 2;

/// The status of a call that has been done.
pub const OK: i32 = 0;

/// A number that is not known, and a stream that could not be opened.
pub const UNKNOWN: u64 = u64::MAX;

/// Kinds of parameters and values.
pub const NUMBER: u32 = 0;
pub const NAME: u32 = 1;

/// Roles.
pub const CLIENT: u32 = 0;
pub const SERVER: u32 = 1;

/// Kinds of events.
pub const NONE: u32 = 0;
pub const CONNECTED: u32 = 1;
pub const OPENED: u32 = 2;
pub const READABLE: u32 = 3;
pub const WRITABLE: u32 = 4;
pub const PEER_FINISHED: u32 = 5;
pub const DELIVERED: u32 = 6;
pub const CLOSED: u32 = 7;
pub const OPENED_UNIDIRECTIONAL: u32 = 8;
pub const RESET: u32 = 9;

/// A text in UTF-8 with its length.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Text {
    pub start: *const c_char,
    pub length: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Name {
    pub name: Text,
    pub summary: Text,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: Text,
    pub summary: Text,
    pub kind: u32,
    pub reserved: u32,
    pub least: f64,
    pub most: f64,
    pub default_number: f64,
    pub names: *const Name,
    pub name_count: usize,
    pub default_name: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct Value {
    pub kind: u32,
    pub reserved: u32,
    pub number: f64,
    pub name: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub role: u32,
    pub datagram: u32,
    pub seed: [u8; 32],
    pub values: *const Value,
    pub value_count: usize,
    pub log: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct Transmit {
    pub ecn: u32,
    pub payload: u32,
    pub retransmission: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub kind: u32,
    pub reserved: u32,
    pub stream: u64,
    pub reason: Text,
    pub code: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Statistics {
    pub window: u64,
    pub threshold: u64,
    pub in_flight: u64,
    pub srtt: u64,
    pub rtt_variation: u64,
    pub latest_rtt: u64,
    pub min_rtt: u64,
    pub pacing_rate: u64,
    pub delivery_rate: u64,
    pub lost: u64,
    pub retransmitted: u64,
    pub timeouts: u64,
    pub reductions: u64,
    pub state: Text,
}

/// One end of a connection, which only its library looks into.
pub type Object = *mut c_void;

/// A function of a table. A library in C may leave out a function by mistake.
type Function<F> = Option<F>;

#[repr(C)]
#[derive(Debug)]
pub struct Stack {
    pub name: Text,
    pub summary: Text,
    pub source: Text,
    pub parameters: *const Parameter,
    pub parameter_count: usize,
    pub overhead: u32,
    pub reserved: u32,
    pub create: Function<unsafe extern "C" fn(u64, *const Setup, *mut Object, *mut c_char, usize) -> i32>,
    pub destroy: Function<unsafe extern "C" fn(Object)>,
    pub error: Function<unsafe extern "C" fn(Object) -> Text>,
    pub connect: Function<unsafe extern "C" fn(Object, u64) -> i32>,
    pub receive: Function<unsafe extern "C" fn(Object, u64, u32, *const u8, usize) -> i32>,
    pub transmit: Function<unsafe extern "C" fn(Object, u64, *mut u8, usize, *mut usize, *mut Transmit) -> i32>,
    pub timeout: Function<unsafe extern "C" fn(Object) -> u64>,
    pub expire: Function<unsafe extern "C" fn(Object, u64) -> i32>,
    pub open: Function<unsafe extern "C" fn(Object, u64, *mut u64) -> i32>,
    pub write: Function<unsafe extern "C" fn(Object, u64, u64, *const u8, usize, *mut usize) -> i32>,
    pub finish: Function<unsafe extern "C" fn(Object, u64, u64) -> i32>,
    pub read: Function<unsafe extern "C" fn(Object, u64, u64, *mut u8, usize, *mut usize) -> i32>,
    pub close: Function<unsafe extern "C" fn(Object, u64, u64) -> i32>,
    pub poll: Function<unsafe extern "C" fn(Object, *mut Event) -> i32>,
    pub statistics: Function<unsafe extern "C" fn(Object, *mut Statistics) -> i32>,
    pub take_log: Function<unsafe extern "C" fn(Object, *mut u8, usize, *mut usize) -> i32>,
    pub open_unidirectional: Function<unsafe extern "C" fn(Object, u64, *mut u64) -> i32>,
    pub prioritize: Function<unsafe extern "C" fn(Object, u64, u64, i32) -> i32>,
    pub reset: Function<unsafe extern "C" fn(Object, u64, u64, u64) -> i32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another size is another layout, which needs another version. The test of the loader compares with C.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn the_layout_of_this_version() {
        let texts = [size_of::<Text>(), size_of::<Name>(), size_of::<Parameter>(), size_of::<Value>()];
        assert_eq!((VERSION, texts), (2, [16, 32, 88, 24]));
        let calls = [size_of::<Setup>(), size_of::<Transmit>(), size_of::<Event>(), size_of::<Statistics>()];
        // Three texts, two words of parameters, a word of numbers and 19 functions.
        assert_eq!((calls, size_of::<Stack>()), ([64, 16, 40, 120], 8 * (6 + 2 + 1 + 19)));
    }
}
