//! The settings of TCP as fields of a scenario: the kind in the schema of every kind of setting.

use std::fmt::Debug;

use ackclock_core::Nanos;
use ackclock_schema::kinds::{self, Flag, Kind, OneOf, Quantity, count, one_of, time, volume};
use ackclock_tcp::settings::{Choice, Count, Named, Switch, Time, Volume};

/// A kind of settings whose values have type `T`, for the schema.
pub(super) trait Stated<T> {
    /// Kind in the schema.
    type Kind: Kind<Value = T>;
    /// Returns the kind in the schema.
    fn stated(&self) -> Self::Kind;
}

impl Stated<bool> for Switch {
    type Kind = Flag;

    fn stated(&self) -> Flag {
        Flag
    }
}

impl Stated<u32> for Count {
    type Kind = kinds::Count<u32>;

    fn stated(&self) -> kinds::Count<u32> {
        let (least, most) = self.range;
        count(self.noun, least.into(), most.into())
    }
}

impl Stated<Nanos> for Time {
    type Kind = Quantity<Nanos>;

    fn stated(&self) -> Quantity<Nanos> {
        if self.may_be_off { time() } else { time().positive() }
    }
}

impl Stated<u64> for Volume {
    type Kind = Quantity<u64>;

    fn stated(&self) -> Quantity<u64> {
        match self.range {
            (least, Some(most)) => volume().within(least, most),
            (_, None) => volume().positive(),
        }
    }
}

impl<T: Named + Clone + PartialEq + Debug> Stated<T> for Choice {
    type Kind = OneOf<T>;

    fn stated(&self) -> OneOf<T> {
        one_of(T::NOUN, T::all())
    }
}
