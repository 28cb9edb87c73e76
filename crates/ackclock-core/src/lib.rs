//! The vocabulary that every other crate of ackclock shares: times, rates, the ECN field, packet sizes, random streams,
//! distributions, and the parameters of algorithms.
//!
//! A stream of random numbers depends on the seed of a run and on the name of the component that draws from it:
//!
//! ```
//! use ackclock_core::Stream;
//!
//! let draw = |seed: u64, name: &str| Stream::new(seed, name).below(1_000_000);
//! assert_eq!(draw(1, "loss"), draw(1, "loss"));
//! assert_ne!(draw(1, "loss"), draw(1, "jitter"));
//! ```

mod distribution;
mod ecn;
pub mod headers;
pub mod parameters;
pub mod prefetch;
mod random;
mod rate;
mod renamed;
mod ring;
mod stream;

pub use distribution::{Distribution, Pareto, standard_normal};
pub use ecn::Ecn;
pub use random::{Random, Seed};
pub use rate::Rate;
pub use renamed::Renamed;
pub use ring::Ring;
pub use stream::{Stream, stream_number, stream_seed};

/// A time or a duration, in nanoseconds. Times count from the start of the run; outside a run they count from the start
/// that the caller of an endpoint chooses.
pub type Nanos = u64;

/// One second, in nanoseconds.
pub const SECOND: Nanos = 1_000_000_000;
/// One millisecond, in nanoseconds.
pub const MILLISECOND: Nanos = 1_000_000;
/// One microsecond, in nanoseconds.
pub const MICROSECOND: Nanos = 1_000;
/// A time later than any other, which means that no timeout is set.
pub const NEVER: Nanos = Nanos::MAX;
