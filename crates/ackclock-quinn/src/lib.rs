//! quinn-proto, the QUIC stack of [quinn](https://github.com/quinn-rs/quinn), as a transport in virtual time.
//!
//! The code that decides what is sent is quinn's own: packets, streams, flow control, loss detection, congestion
//! control, and TLS 1.3 by rustls. This crate gives it time, random numbers and datagrams.
//!
//! # The same bytes
//!
//! The same calls with the same seeds give the same datagrams, byte for byte, in any process and on any thread:
//!
//! - All random numbers come from the seed of an end: connection ids, packet numbers that are skipped, keys of tokens,
//!   and those of TLS.
//! - TLS sees a fixed date. The server has a fixed certificate; its private key is in this repository, and is no
//!   secret.
//! - quinn-proto's bbr draws one number from the system's generator. That number only affects a pacing rate that
//!   quinn-proto does not use and that is not shown here.
//! - quinn-proto's cubic calculates with the cube root of the C library, whose last bit may differ between systems.
//!
//! # Limits
//!
//! An end has one connection. There is no 0-RTT, no resumption, no migration and no Retry. Datagrams are sent one by
//! one, without segmentation offload.

mod clock;
mod connection;
mod controller;
mod endpoint;
mod log;
mod parameters;
mod randomness;
mod stack;
mod tls;

pub use stack::stack;
