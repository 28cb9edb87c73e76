//! Congestion controls for real-time media, and the feedback that they need. Nothing here does I/O: times, packets and
//! reports are passed in, and rates are read.
//!
//! A sender keeps a [`History`] of its RTP packets, and a receiver records arrivals in a [`Recorder`], which makes
//! reports ([`Report`]) in the format of RFC 8888 or of transport-wide sequence numbers. The history turns a report into
//! the [`Outcome`]s of packets, and a [`Control`] turns these into a target rate for the encoder, a pacing rate and,
//! if the control has a window, the room for further packets. Each control has one file and one line in [`CATALOGUE`].
//!
//! All sizes are those of IP packets, with every header; rates are computed from these sizes.
//!
//! ```
//! use ackclock_media::{Format, History, Packet, Recorder, Setup, by_name};
//!
//! let setup = Setup { min_rate: 150e3, max_rate: 1.5e6, start_rate: 150e3, packet: 1240, fps: 30.0, l4s: false };
//! let mut control = (by_name("nada").unwrap().make)(&setup, &[]);
//! let (mut history, mut recorder) = (History::default(), Recorder::new(Format::Ccfb));
//! for number in 0..30 {
//!     let sent = number * 33_000_000;
//!     let packet = Packet { number, size: 600, sent };
//!     history.sent(packet);
//!     control.on_sent(&packet);
//!     // The path has a delay of 50 ms and no queue.
//!     recorder.received(number, sent + 50_000_000, false);
//!     if let Some(report) = recorder.report(sent + 60_000_000) {
//!         if let Some(feedback) = history.read(sent + 110_000_000, &report) {
//!             control.on_feedback(&feedback);
//!         }
//!     }
//! }
//! // There is no queue, so the rate grows with the receiving rate (RFC 8698 section 4.3, Equation 4).
//! assert!(control.rates(0).target > 150e3);
//! ```

mod breaker;
mod catalogue;
mod control;
mod feedback;
mod fixed;
mod gcc;
mod meter;
mod nada;
mod packet;
mod scream;

pub use breaker::{Breaker, Reason};
pub use catalogue::{CATALOGUE, by_name};
pub use control::{Control, Entry, Rates, Setup};
pub use feedback::{Format, History, Recorder, Report};
pub use meter::Meter;
pub use packet::{Feedback, Outcome, Packet};

/// Milliseconds of a time in nanoseconds.
pub(crate) fn ms(time: u64) -> f64 {
    time as f64 / 1e6
}
