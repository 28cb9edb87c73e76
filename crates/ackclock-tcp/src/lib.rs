//! A TCP implementation without I/O.
//!
//! [`Endpoint`] takes segments, application writes and the time, and returns segments and the time of its next timeout.
//! It reads no clock, owns no socket and holds no payload: a stream is a range of byte offsets, and the driver of the
//! endpoint keeps the bytes. The same endpoint runs in the simulator, under packetdrill scripts and on the wire.
//!
//! Units: time is in integer nanoseconds ([`Nanos`]), volumes are in bytes, rates in bytes per second.
//!
//! A connection over a network without delay:
//!
//! ```
//! use ackclock_tcp::{Endpoint, State, stack};
//!
//! let config = (stack::by_name("rfc").expect("the stack of the RFCs").config)();
//! let (mut client, mut server) = (Endpoint::new(&config, 1), Endpoint::new(&config, 2));
//! server.listen();
//! client.connect(0);
//! client.write(0, 3_000);
//! loop {
//!     let sent = client.poll_transmit(0, &mut ());
//!     sent.iter().for_each(|segment| drop(server.on_segment(0, segment, &mut ())));
//!     let answered = server.poll_transmit(0, &mut ());
//!     answered.iter().for_each(|segment| drop(client.on_segment(0, segment, &mut ())));
//!     if sent.is_none() && answered.is_none() {
//!         break;
//!     }
//! }
//! assert_eq!(client.state(), State::Established);
//! assert_eq!(server.received(), 3_000);
//! ```

pub mod careful_resume;
pub mod cc;
pub mod config;
pub mod context;
pub mod endpoint;
pub mod error;
pub mod fast_open;
pub mod info;
mod large;
pub mod limits;
pub mod observer;
pub mod pacing;
pub mod receiver;
pub mod recovery;
pub mod segment;
pub mod send_buffer;
pub mod sender;
pub mod settings;
pub mod slow_start;
pub mod stack;
pub mod stats;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod validation;

pub use ackclock_core::{Ecn, MICROSECOND, MILLISECOND, NEVER, Nanos, Rate, SECOND};
pub use config::Config;
pub use context::{Ack, Congestion, Context, RecoveryEnd, Window};
pub use endpoint::{Endpoint, Progress, Push, State, reset_for};
pub use error::{Error, Icmp};
pub use info::Info;
pub use observer::{Event, Observer};
pub use segment::{AccEcnOption, CongestionHeader, Feedback, Flags, Segment, Timestamps};
pub use sender::PathSearch;
pub use stats::Stats;
