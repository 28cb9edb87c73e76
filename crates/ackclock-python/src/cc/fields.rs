//! Fields of the arguments of callbacks. They change between calls, and Python reads them without borrowing the object.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use ackclock_tcp::context::Cause;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// A value that fits into 64 bits.
pub trait Stored: Copy {
    fn to_bits(self) -> u64;
    fn of_bits(bits: u64) -> Self;
}

impl Stored for u64 {
    #[inline]
    fn to_bits(self) -> u64 {
        self
    }

    #[inline]
    fn of_bits(bits: u64) -> u64 {
        bits
    }
}

impl Stored for bool {
    #[inline]
    fn to_bits(self) -> u64 {
        u64::from(self)
    }

    #[inline]
    fn of_bits(bits: u64) -> bool {
        bits != 0
    }
}

/// A time in nanoseconds. No simulated time is `u64::MAX`, which stands for `None`.
impl Stored for Option<u64> {
    #[inline]
    fn to_bits(self) -> u64 {
        self.unwrap_or(u64::MAX)
    }

    #[inline]
    fn of_bits(bits: u64) -> Option<u64> {
        (bits != u64::MAX).then_some(bits)
    }
}

/// A difference of times in nanoseconds. No difference is `i64::MIN`, which stands for `None`.
impl Stored for Option<i64> {
    #[inline]
    fn to_bits(self) -> u64 {
        self.unwrap_or(i64::MIN).cast_unsigned()
    }

    #[inline]
    fn of_bits(bits: u64) -> Option<i64> {
        let number = bits.cast_signed();
        (number != i64::MIN).then_some(number)
    }
}

/// A cause of congestion, which Python has the name of.
#[derive(Clone, Copy, Default)]
pub struct Named(Option<Cause>);

impl From<Cause> for Named {
    fn from(cause: Cause) -> Named {
        Named(Some(cause))
    }
}

impl From<Option<Cause>> for Named {
    fn from(cause: Option<Cause>) -> Named {
        Named(cause)
    }
}

const CAUSES: [(Cause, &str); 4] =
    [(Cause::Loss, "loss"), (Cause::Ecn, "ecn"), (Cause::Timeout, "timeout"), (Cause::Delay, "delay")];

impl Stored for Named {
    fn to_bits(self) -> u64 {
        let place = self.0.and_then(|cause| CAUSES.iter().position(|one| one.0 == cause));
        place.map_or(0, |place| 1 + place as u64)
    }

    fn of_bits(bits: u64) -> Named {
        let place = usize::try_from(bits).ok().and_then(|bits| bits.checked_sub(1));
        Named(place.and_then(|place| CAUSES.get(place)).map(|one| one.0))
    }
}

impl<'py> IntoPyObject<'py> for Named {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Bound<'py, PyAny>, Infallible> {
        let name = CAUSES.iter().find(|one| Some(one.0) == self.0).map(|one| one.1);
        Ok(match name {
            Some(name) => PyString::new(py, name).into_any(),
            None => py.None().into_bound(py),
        })
    }
}

/// A field of a frozen class. All of its values come from and go to the thread of the run.
pub struct Field<T> {
    bits: AtomicU64,
    kind: PhantomData<T>,
}

impl<T: Stored> Field<T> {
    pub fn new(value: T) -> Field<T> {
        Field { bits: AtomicU64::new(value.to_bits()), kind: PhantomData }
    }

    #[inline]
    pub fn get(&self) -> T {
        T::of_bits(self.bits.load(Ordering::Relaxed))
    }

    #[inline]
    pub fn set(&self, value: T) {
        self.bits.store(value.to_bits(), Ordering::Relaxed);
    }
}

impl<T: Stored + Default> Default for Field<T> {
    fn default() -> Field<T> {
        Field::new(T::default())
    }
}

impl<'py, T: Stored + IntoPyObject<'py>> IntoPyObject<'py> for &Field<T> {
    type Target = T::Target;
    type Output = T::Output;
    type Error = T::Error;

    #[inline]
    fn into_pyobject(self, py: Python<'py>) -> Result<T::Output, T::Error> {
        self.get().into_pyobject(py)
    }
}
