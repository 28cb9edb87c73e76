//! Libraries of users, compiled outside the tree of ackclock.
//!
//! [`library`] opens a library and checks its kind and its version; it serves every kind. [`Control`] is a congestion
//! control of such a library, in the form of `ackclock-tcp`. Its functions are called through a table with the C ABI of
//! `ackclock-cc`. A panic in it, and a result that is not accepted, are a [`Failed`] of the run.
//!
//! [`transports`] returns the transports of a library in C or C++, in the form of `ackclock-transport`. A result that is
//! not accepted ends the connection with a reason.

mod beacon;
mod callbacks;
mod control;
mod convert;
mod failure;
pub mod library;
mod object;
mod rules;
mod transport;

pub use ackclock_tcp::cc::accepted;
pub use beacon::Beacon;
pub use control::{Control, Parameter, controls};
pub use failure::{Failed, Failures};
pub use transport::{TRANSPORTS, transports};
