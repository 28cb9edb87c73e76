//! A TCP implementation without I/O.
//!
//! [`Endpoint`] takes segments, application writes and the time, and returns segments and the time of its next timeout.
//! It reads no clock, owns no socket and holds no payload: a stream is a range of byte offsets, and the driver of the
//! endpoint keeps the bytes. The same endpoint runs in the simulator, under packetdrill scripts and on the wire.
//!
//! Units: time is in integer nanoseconds ([`Nanos`]), volumes are in bytes, rates in bytes per second.

pub mod careful_resume;
pub mod cc;
pub mod config;
pub mod context;
pub mod endpoint;
pub mod error;
pub mod fast_open;
pub mod info;
pub mod observer;
pub mod pacing;
pub mod receiver;
pub mod recovery;
pub mod segment;
pub mod sender;
pub mod slow_start;
pub mod stack;
pub mod stats;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod validation;

pub use ackclock_core::{Ecn, MILLISECOND, NEVER, Nanos, SECOND};
pub use config::Config;
pub use context::{Ack, Congestion, Context, RecoveryEnd, Window};
pub use endpoint::{Endpoint, Progress, Push, State, reset_for};
pub use error::{Error, Icmp};
pub use info::Info;
pub use observer::{Event, Observer};
pub use segment::{AccEcnOption, CongestionHeader, Feedback, Flags, Segment, Timestamps};
pub use stats::Stats;
