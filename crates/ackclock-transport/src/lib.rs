//! The interface between a network in virtual time and a transport that may be anybody's: TCP, QUIC, or a protocol of
//! one's own.
//!
//! A [`Stack`] is a kind of transport with its parameters; it creates one [`Transport`] for each end of a connection.
//! A transport does no input or output and reads no clock: the caller passes the time and each datagram that arrives,
//! and asks for the datagrams to be sent and for the time of the next timeout. [`conformance::check`] tests any stack
//! against this contract. A library of stacks calls [`export!`].
//!
//! # The order of calls
//!
//! The caller calls [`Transport::transmit`] until there is no datagram, takes all events from [`Transport::poll`], and
//! reads [`Transport::timeout`], after every call that passes a time. Time never goes back. The client's end is asked
//! to [`connect`](Transport::connect); the server's end waits for a datagram.
//!
//! # Determinism
//!
//! A transport takes all its randomness from [`Setup::seed`], including that of its cryptography. The same calls with
//! the same seeds give the same datagrams.

pub mod abi;
pub mod conformance;
pub mod export;
mod parameters;
mod statistics;
mod transport;

pub use parameters::{Given, Parameter, Parameters, Range, Value};
pub use statistics::Statistics;
pub use transport::{Event, Features, NEVER, Role, Setup, Stack, StreamId, Transmit, Transport};

/// Version of this interface. It changes when an implementation of an older version would not build or not work.
pub const VERSION: u32 = 1;
