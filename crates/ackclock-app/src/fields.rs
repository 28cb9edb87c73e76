//! The parts from which the fields of applications are built.

pub(crate) use ackclock_schema::file::{Alone, Format, FromFile};
pub(crate) use ackclock_schema::kinds::{Flag, OneOf, count, one_of, rate, real, time, volume};
pub(crate) use ackclock_schema::lists::{Ascending, list};
pub(crate) use ackclock_schema::quantity::{RATE, TIME};
pub(crate) use ackclock_schema::random::{Delay, Number, Random, Time, Volume, drawn};
pub(crate) use ackclock_schema::record::{default, like, optional, required, table};
pub(crate) use ackclock_schema::tree::quoted;
pub(crate) use ackclock_schema::{Rules, record};
