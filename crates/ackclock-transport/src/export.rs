//! A library of transports in Rust: from the traits to the tables of [`abi`].
//!
//! A crate of the type `cdylib` calls [`export!`](crate::export!) once:
//!
//! ```ignore
//! ackclock_transport::export!(my_stack());
//! ```
//!
//! The functions of the tables catch panics: the connection then ends with the message of the panic.

mod end;

use std::cell::UnsafeCell;
use std::ptr;

use ackclock_cc::abi::{Header, MAGIC};

use crate::{Parameter, Range, Stack, Value, abi};

/// Exports stacks as the transports of a library. Each argument is an expression of a type that implements
/// [`Stack`], and is evaluated once, when the library is loaded.
#[macro_export]
macro_rules! export {
    ($($stack:expr),+ $(,)?) => {
        const _: () = {
            #[unsafe(no_mangle)]
            static ACKCLOCK_PLUGIN: $crate::export::Library = $crate::export::Library::empty();

            extern "C" fn fill() {
                ACKCLOCK_PLUGIN.fill(|| vec![$({
                    struct Entry;
                    impl $crate::export::Entry for Entry {
                        fn stack() -> &'static dyn $crate::Stack {
                            static STACK: ::std::sync::OnceLock<::std::boxed::Box<dyn $crate::Stack>> =
                                ::std::sync::OnceLock::new();
                            &**STACK.get_or_init(|| ::std::boxed::Box::new($stack))
                        }
                    }
                    $crate::export::table::<Entry>()
                }),+]);
            }

            #[used]
            #[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
            #[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
            #[cfg_attr(not(any(target_os = "macos", windows)), unsafe(link_section = ".init_array"))]
            static FILL: extern "C" fn() = fill;
        };
    };
}

/// A stack of a library.
#[doc(hidden)]
pub trait Entry: 'static {
    /// Returns the stack.
    fn stack() -> &'static dyn Stack;
}

/// The header of a library, which is filled when the library is loaded.
#[doc(hidden)]
#[repr(transparent)]
#[derive(Debug)]
pub struct Library(UnsafeCell<Header>);

#[expect(unsafe_code, reason = "a static with pointers")]
// SAFETY: it is only written by `fill`, while the system loads the library and nobody else can have its address.
unsafe impl Sync for Library {}

impl Library {
    /// The header of a library without entries, which is refused.
    pub const fn empty() -> Library {
        let (entries, count) = (ptr::null(), 0);
        Library(UnsafeCell::new(Header { magic: MAGIC, kind: abi::KIND, version: abi::VERSION, entries, count }))
    }

    /// Enters the tables. If they cannot be made, the library stays without entries.
    pub fn fill(&'static self, tables: impl FnOnce() -> Vec<abi::Stack>) {
        let Ok(tables) = caught(tables) else { return };
        let tables: &'static [abi::Stack] = Box::leak(tables.into_boxed_slice());
        #[expect(unsafe_code, reason = "the header is filled once")]
        // SAFETY: the system calls this once while it loads the library, before anybody can read the header.
        unsafe {
            let header = &mut *self.0.get();
            (header.entries, header.count) = (tables.as_ptr().cast(), tables.len());
        }
    }
}

/// Returns the table of a stack.
#[doc(hidden)]
pub fn table<E: Entry>() -> abi::Stack {
    let stack = E::stack();
    let features = stack.features();
    let parameters: &'static [abi::Parameter] = Box::leak(stack.parameters().iter().map(parameter).collect());
    abi::Stack {
        name: text(stack.name()),
        summary: text(stack.summary()),
        source: text(stack.source()),
        parameters: parameters.as_ptr(),
        parameter_count: parameters.len(),
        overhead: stack.overhead(),
        reserved: 0,
        create: Some(end::create::<E>),
        destroy: Some(end::destroy),
        error: Some(end::error),
        connect: Some(end::connect),
        receive: Some(end::receive),
        transmit: Some(end::transmit),
        timeout: Some(end::timeout),
        expire: Some(end::expire),
        open: Some(end::open),
        write: Some(end::write),
        finish: Some(end::finish),
        read: Some(end::read),
        close: Some(end::close),
        poll: Some(end::poll),
        statistics: Some(end::statistics),
        take_log: Some(end::take_log),
        open_unidirectional: features.unidirectional.then_some(end::open_unidirectional),
        prioritize: features.priorities.then_some(end::prioritize),
        reset: features.resets.then_some(end::reset),
    }
}

fn text(text: &str) -> abi::Text {
    abi::Text { start: text.as_ptr().cast(), length: text.len() }
}

fn parameter(own: &'static Parameter) -> abi::Parameter {
    let mut row = abi::Parameter {
        name: text(&own.name),
        summary: text(&own.summary),
        kind: abi::NUMBER,
        reserved: 0,
        least: 0.0,
        most: 0.0,
        default_number: 0.0,
        names: ptr::null(),
        name_count: 0,
        default_name: 0,
    };
    match &own.range {
        Range::Numbers(least, most) => {
            (row.least, row.most) = (*least, *most);
            row.default_number = if let Value::Number(number) = own.default { number } else { f64::NAN };
        }
        Range::Names(names) => {
            let rows = names.iter().map(|(name, summary)| abi::Name { name: text(name), summary: text(summary) });
            let rows: &'static [abi::Name] = Box::leak(rows.collect());
            let is_default = |(name, _): &(String, String)| own.default == Value::Name(name.clone());
            row.kind = abi::NAME;
            (row.names, row.name_count) = (rows.as_ptr(), rows.len());
            row.default_name = names.iter().position(is_default).unwrap_or(names.len());
        }
    }
    row
}

/// Does a call of a stack, and returns the message of a panic.
fn caught<T>(body: impl FnOnce() -> T) -> Result<T, String> {
    ackclock_cc::caught(body).map_err(|told| format!("the transport panicked: {told}"))
}
