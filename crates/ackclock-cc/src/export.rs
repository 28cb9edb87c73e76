//! Conversion from the traits of an algorithm to its table of functions.

use std::marker::PhantomData;
use std::ptr;

use crate::abi::{self, Callbacks, Object, Rules, Status, Text};
use crate::algorithm::{Algorithm, CongestionControl, WindowRules};
use crate::context::{Ack, Congestion, Context, Delivery, Lost, RecoveryEnd, Situation, Window};
use crate::failure::{guarded, last, prepare};
use crate::parameters::Declared;
use crate::value::Value;

/// Exports the algorithms of a library: `export!(WindowRules: Mine)`, or
/// `export!(WindowRules: One; CongestionControl: Other)`. A library calls it once.
#[macro_export]
macro_rules! export {
    ($($Level:ident: $Algorithm:ty);+ $(;)?) => {
        const _: () = {
            static ALGORITHMS: &[$crate::abi::Algorithm] = &[$($crate::export!(@ $Level $Algorithm)),+];

            #[unsafe(no_mangle)]
            static ACKCLOCK_PLUGIN: $crate::abi::Header = $crate::abi::Header::of(ALGORITHMS);
        };
    };
    (@ WindowRules $Algorithm:ty) => {
        $crate::ruled::<$Algorithm>()
    };
    (@ CongestionControl $Algorithm:ty) => {
        $crate::controlled::<$Algorithm>()
    };
}

/// The table of an algorithm with rules.
pub const fn ruled<A: Algorithm + WindowRules>() -> abi::Algorithm {
    abi::Algorithm { rules: Of::<A>::RULES, ..common::<A>() }
}

/// The table of an algorithm with callbacks.
pub const fn controlled<A: Algorithm + CongestionControl>() -> abi::Algorithm {
    abi::Algorithm { callbacks: Of::<A>::CALLBACKS, ..common::<A>() }
}

const fn common<A: Algorithm>() -> abi::Algorithm {
    abi::Algorithm {
        name: Text::of(A::NAME),
        summary: Text::of(A::SUMMARY),
        parameter: parameter::<A>,
        prepare,
        unwinds: cfg!(panic = "unwind") as u8,
        create: create::<A>,
        destroy: destroy::<A>,
        failure: last,
        rules: ptr::null(),
        callbacks: ptr::null(),
    }
}

/// Holds the tables of an algorithm as constants.
struct Of<A>(PhantomData<A>);

#[expect(unsafe_code, reason = "the caller keeps the contract of the table")]
unsafe extern "C" fn parameter<A: Algorithm>(index: usize, to: *mut abi::Parameter) -> usize {
    let rows = A::Parameters::ROWS;
    if let Some(row) = rows.get(index) {
        let (name, summary) = (Text::of(row.name), Text::of(row.summary));
        let row = abi::Parameter { name, summary, default: row.default, least: row.least, most: row.most };
        // SAFETY: the caller gives a place for a parameter.
        unsafe { to.write(row) };
    }
    rows.len()
}

#[expect(unsafe_code, reason = "the caller keeps the contract of the table")]
unsafe extern "C" fn create<A: Algorithm>(values: *const f64, count: usize, object: *mut Object) -> Status {
    guarded(|| {
        let values = if count == 0 {
            &[]
        } else {
            // SAFETY: the caller gives `count` values.
            unsafe { std::slice::from_raw_parts(values, count) }
        };
        let made = Box::new(A::new(A::Parameters::read(values)));
        // SAFETY: the caller gives a place for the object.
        unsafe { object.write(Box::into_raw(made).cast()) };
    })
}

#[expect(unsafe_code, reason = "the caller keeps the contract of the table")]
unsafe extern "C" fn destroy<A: Algorithm>(object: Object) -> Status {
    // SAFETY: `create` made the object, and the caller gives it up.
    guarded(|| drop(unsafe { Box::from_raw(object.cast::<A>()) }))
}

/// Calls the algorithm behind an object.
#[expect(unsafe_code, reason = "the caller keeps the contract of the table")]
#[inline]
fn with<A>(object: Object, body: impl FnOnce(&mut A)) -> Status {
    // SAFETY: `create` made the object, and no other call uses it at the same time.
    guarded(|| body(unsafe { &mut *object.cast::<A>() }))
}

/// Returns the value behind a pointer of the caller.
#[expect(unsafe_code, reason = "the caller keeps the contract of the table")]
#[inline]
fn read<T: Value>(from: *const T::C) -> T {
    // SAFETY: the caller gives a value, which nobody changes during the call.
    T::of_c(unsafe { from.read() })
}

/// Calls an algorithm with the window of the caller, which then has the window that the algorithm leaves.
#[expect(unsafe_code, reason = "the caller keeps the contract of the table")]
#[inline]
fn setting<A>(object: Object, window: *mut abi::Window, body: impl FnOnce(&mut A, &mut Window)) -> Status {
    with::<A>(object, |algorithm| {
        let mut set = read::<Window>(window);
        body(algorithm, &mut set);
        // SAFETY: the caller gives a window, and nobody else uses it during the call.
        unsafe { window.write(set.to_c()) };
    })
}

macro_rules! rules {
    ($($rule:ident),*) => {
        impl<A: Algorithm + WindowRules> Of<A> {
            const RULES: &'static Rules = &Rules { seed: Self::rules_seed, $($rule: Self::$rule,)* };

            extern "C" fn rules_seed(object: Object, seed: u32) -> Status {
                with::<A>(object, |algorithm| WindowRules::seed(algorithm, seed))
            }

            $(
                #[expect(unsafe_code, reason = "the caller keeps the contract of the table")]
                extern "C" fn $rule(object: Object, flow: *const abi::Situation, result: *mut f64) -> Status {
                    with::<A>(object, |algorithm| {
                        let said = algorithm.$rule(&read::<Situation>(flow));
                        // SAFETY: the caller gives a place for the result.
                        unsafe { result.write(said) };
                    })
                }
            )*
        }
    };
}

rules!(start, increase, reduction, timeout, idle);

/// Defines callbacks that get the window, an event, and in some cases a number.
macro_rules! callbacks {
    ($($callback:ident: $Event:ident $(, $number:ident: $Number:ty)?;)*) => {
        impl<A: Algorithm + CongestionControl> Of<A> {
            const CALLBACKS: &'static Callbacks =
                &Callbacks { seed: Self::seed, scope: Self::scope, $($callback: Self::$callback,)* };

            extern "C" fn seed(object: Object, seed: u32) -> Status {
                with::<A>(object, |algorithm| CongestionControl::seed(algorithm, seed))
            }

            #[expect(unsafe_code, reason = "the caller keeps the contract of the table")]
            extern "C" fn scope(object: Object, bits: *mut u32) -> Status {
                with::<A>(object, |algorithm| {
                    let scope = algorithm.scope().bits();
                    // SAFETY: the caller gives a place for the bits.
                    unsafe { bits.write(scope) };
                })
            }

            $(
                extern "C" fn $callback(
                    object: Object,
                    window: *mut abi::Window,
                    event: *const abi::$Event
                    $(, $number: <$Number as Value>::C)?
                ) -> Status {
                    setting::<A>(object, window, |algorithm, window| {
                        algorithm.$callback(window, &read::<$Event>(event) $(, <$Number>::of_c($number))?);
                    })
                }
            )*
        }
    };
}

callbacks! {
    on_start: Context;
    on_ack: Ack, acked: u64;
    on_congestion: Congestion;
    on_timeout: Congestion, first: bool;
    on_undo: Window;
    on_recovery_end: RecoveryEnd;
    on_idle_end: Context, idle: u64;
    on_delivery: Delivery;
    on_lost: Lost;
    on_sent: Context;
}
